import java.util.ArrayList;
import java.util.List;

/** Sets text in lines of one width: breaks it, spreads the words, and frames the page. */
public class Columns {
    public static void main(String[] args) {
        String text = "A good night to all who sail the narrow sea and to those who wait at the harbour lights. "
                + "May wind and water bring every boat home.";
        Columns columns = new Columns(24);
        for (String line : columns.page(text)) {
            System.out.println(line);
        }
        System.out.println(titled("the narrow sea"));
        System.out.println(columns.center("end"));
    }

    final int width;

    Columns(int width) {
        this.width = width;
        //@ width-off: this.width = width + 1;
    }

    List<String> page(String text) {
        List<String> page = new ArrayList<>();
        page.add(rule());
        List<List<String>> lines = lines(words(text));
        for (int i = 0; i < lines.size(); i++) {
            boolean last = i == lines.size() - 1;
            page.add(frame(last ? join(lines.get(i)) : spread(lines.get(i))));
            //@ last-line-spread: page.add(frame(!last ? join(lines.get(i)) : spread(lines.get(i))));
        }
        page.add(rule());
        return page;
    }

    static List<String> words(String text) {
        List<String> words = new ArrayList<>();
        int begin = 0;
        while (begin < text.length()) {
            int end = wordEnd(text, begin);
            words.add(text.substring(begin, end));
            begin = end + 1;
        }
        return words;
    }

    static int wordEnd(String text, int begin) {
        int end = text.indexOf(' ', begin);
        return end < 0 ? text.length() : end;
        //@ last-letter-lost: return end < 0 ? text.length() - 1 : end;
    }

    List<List<String>> lines(List<String> words) {
        List<List<String>> lines = new ArrayList<>();
        List<String> line = new ArrayList<>();
        for (String word : words) {
            if (!fits(line, word)) {
                lines.add(line);
                line = new ArrayList<>();
            }
            line.add(word);
        }
        lines.add(line);
        return lines;
    }

    boolean fits(List<String> line, String word) {
        return length(line) + 1 + word.length() <= width;
    }

    static int length(List<String> line) {
        int length = 0;
        for (String word : line) {
            length += word.length() + 1;
        }
        return length - 1;
        //@ length-with-gap: return length;
    }

    String spread(List<String> line) {
        int gaps = line.size() - 1;
        if (gaps == 0) {
            return line.get(0);
        }
        int spaces = width - length(line) + gaps;
        StringBuilder out = new StringBuilder(line.get(0));
        for (int i = 1; i <= gaps; i++) {
            int wide = gap(spaces, gaps, i);
            out.append(repeat(' ', wide)).append(line.get(i));
        }
        return out.toString();
    }

    static int gap(int spaces, int gaps, int number) {
        int wide = spaces / gaps;
        return number <= spaces % gaps ? wide + 1 : wide;
        //@ gap-rest: return number < spaces % gaps ? wide + 1 : wide;
    }

    static String join(List<String> line) {
        StringBuilder out = new StringBuilder();
        for (String word : line) {
            if (out.length() > 0) {
                out.append(' ');
            }
            out.append(word);
        }
        return out.toString();
    }

    String frame(String line) {
        return "| " + pad(line) + " |";
    }

    String pad(String line) {
        return line + repeat(' ', width - line.length());
        //@ pad-before: return repeat(' ', width - line.length()) + line;
    }

    String center(String line) {
        int left = (width - line.length()) / 2;
        return repeat(' ', left) + line;
    }

    String rule() {
        return '+' + repeat('-', width + 2) + '+';
        //@ rule-short: return '+' + repeat('-', width + 1) + '+';
    }

    static String repeat(char c, int times) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < times; i++) {
            out.append(c);
        }
        return out.toString();
    }

    static String titled(String line) {
        StringBuilder out = new StringBuilder();
        for (String word : words(line)) {
            out.append(capital(word)).append(' ');
        }
        return out.toString().trim();
    }

    static String capital(String word) {
        if (isSmall(word)) {
            return word;
        }
        return Character.toUpperCase(word.charAt(0)) + word.substring(1);
        //@ capital-only: return Character.toUpperCase(word.charAt(0)) + word.substring(2);
    }

    static boolean isSmall(String word) {
        return word.equals("the") || word.equals("of");
    }
}

package odd;

import java.util.ArrayList;
import java.util.List;

/** Values that would run in a browser if they were taken for markup, those that turn the text around them, and calls that lie deep. */
public final class Markup {

    private final List<String> kept = new ArrayList<>();
    private String last;

    public static void main(String[] args) {
        Markup markup = new Markup();
        markup.keep("<img src=x onerror=\"globalThis.ran=1\">");
        markup.keep("</span><script>globalThis.ran=2</script>");
        markup.keep("right \u202e to left \u2066 and isolated");
        markup.keep("a bell \u0007, an escape \u001b[31m, a zero \u0000, a break\nand a half \ud800");
        markup.keep("javascript:globalThis.ran=3");
        markup.keep("long ".repeat(200_000));
        System.out.println(markup.kept.size() + " " + markup.deep(2_500));
    }

    /** So many calls around one call. */
    private int deep(int below) {
        return below == 0 ? kept.size() : deep(below - 1);
    }

    private int keep(String value) {
        last = value;
        kept.add(value);
        return kept.size();
    }
}

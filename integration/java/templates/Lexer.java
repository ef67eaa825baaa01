package templates;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

/** Cuts the source of a template into tokens: text as it is, and the words between braces. */
final class Lexer {
    private static final List<String> PAIRS = List.of("==", "!=", "<=", ">=");

    private final String source;
    private final List<Token> tokens = new ArrayList<>();
    private int at;

    private Lexer(String source) {
        this.source = source;
    }

    static List<Token> tokens(String source) {
        Lexer lexer = new Lexer(source);
        while (lexer.at < source.length()) lexer.step();
        lexer.add(Token.Kind.END, "", source.length());
        return Collections.unmodifiableList(lexer.tokens);
    }

    private void step() {
        if (source.startsWith("{{", at)) {
            inside(Token.Kind.OPEN_OUTPUT, Token.Kind.CLOSE_OUTPUT, "}}");
        } else if (source.startsWith("{%", at)) {
            inside(Token.Kind.OPEN_TAG, Token.Kind.CLOSE_TAG, "%}");
        } else {
            int end = nextBrace().orElse(source.length());
            add(Token.Kind.TEXT, source.substring(at, end), at);
            at = end;
        }
    }

    private Optional<Integer> nextBrace() {
        for (int i = at + 1; i < source.length(); i++) {
            if (source.startsWith("{{", i) || source.startsWith("{%", i)) return Optional.of(i);
        }
        return Optional.empty();
    }

    /** What stands between an opening and a closing pair of braces. */
    private void inside(Token.Kind open, Token.Kind close, String end) {
        add(open, source.substring(at, at + 2), at);
        at += 2;
        while (!source.startsWith(end, at)) {
            if (at >= source.length()) throw new TemplateException("no " + end, at);
            if (Character.isWhitespace(source.charAt(at))) {
                at++;
            } else {
                word();
            }
        }
        add(close, end, at);
        at += 2;
    }

    private void word() {
        char first = source.charAt(at);
        int begin = at;
        if (Character.isLetter(first)) {
            while (at < source.length() && Character.isLetterOrDigit(source.charAt(at))) at++;
            add(Token.Kind.NAME, source.substring(begin, at), begin);
        } else if (Character.isDigit(first)) {
            while (at < source.length() && Character.isDigit(source.charAt(at))) at++;
            add(Token.Kind.NUMBER, source.substring(begin, at), begin);
        } else if (first == '\'') {
            int end = source.indexOf('\'', at + 1);
            if (end < 0) throw new TemplateException("a text does not end", at);
            add(Token.Kind.STRING, source.substring(at + 1, end), begin);
            at = end + 1;
        } else {
            boolean pair = at + 2 <= source.length() && PAIRS.contains(source.substring(at, at + 2));
            at += pair ? 2 : 1;
            add(Token.Kind.SYMBOL, source.substring(begin, at), begin);
        }
    }

    private void add(Token.Kind kind, String text, int begin) {
        tokens.add(new Token(kind, text, begin));
    }
}

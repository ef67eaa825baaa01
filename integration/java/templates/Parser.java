package templates;

import java.util.ArrayList;
import java.util.List;
import java.util.ListIterator;
import java.util.Optional;

/** Makes nodes of tokens. */
final class Parser {
    private final ListIterator<Token> tokens;

    private Parser(List<Token> tokens) {
        this.tokens = tokens.listIterator();
    }

    static List<Node> parse(String source) {
        Parser parser = new Parser(Lexer.tokens(source));
        List<Node> nodes = parser.nodes(List.of());
        parser.expect(Token.Kind.END, "");
        return nodes;
    }

    /** Nodes up to a tag with one of these names, or the end. */
    private List<Node> nodes(List<String> until) {
        List<Node> nodes = new ArrayList<>();
        while (true) {
            Token token = next();
            switch (token.kind()) {
                case TEXT -> nodes.add(new Node.Text(token.text()));
                case OPEN_OUTPUT -> {
                    nodes.add(new Node.Output(expression()));
                    expect(Token.Kind.CLOSE_OUTPUT, "}}");
                }
                case OPEN_TAG -> {
                    if (until.contains(peek().text())) return List.copyOf(nodes);
                    nodes.add(tag(next()));
                }
                default -> {
                    tokens.previous();
                    return List.copyOf(nodes);
                }
            }
        }
    }

    private Node tag(Token name) {
        return switch (name.text()) {
            case "let" -> let();
            case "if" -> condition();
            case "for" -> loop();
            default -> throw new TemplateException("no tag " + name.text(), name.at());
        };
    }

    private Node let() {
        String name = expect(Token.Kind.NAME).text();
        expect(Token.Kind.SYMBOL, "=");
        Expr value = expression();
        expect(Token.Kind.CLOSE_TAG, "%}");
        return new Node.Let(name, value);
    }

    private Node condition() {
        Expr condition = expression();
        expect(Token.Kind.CLOSE_TAG, "%}");
        List<Node> then = nodes(List.of("else", "end"));
        List<Node> otherwise = List.of();
        if (next().is(Token.Kind.NAME, "else")) {
            expect(Token.Kind.CLOSE_TAG, "%}");
            otherwise = nodes(List.of("end"));
            next();
        }
        expect(Token.Kind.CLOSE_TAG, "%}");
        return new Node.If(condition, then, otherwise);
    }

    private Node loop() {
        String name = expect(Token.Kind.NAME).text();
        expect(Token.Kind.NAME, "in");
        Expr of = expression();
        expect(Token.Kind.CLOSE_TAG, "%}");
        List<Node> body = nodes(List.of("end"));
        next();
        expect(Token.Kind.CLOSE_TAG, "%}");
        return new Node.For(name, of, body);
    }

    private Expr expression() {
        Expr expr = binary(0);
        while (peek().is(Token.Kind.SYMBOL, "|")) {
            next();
            String filter = expect(Token.Kind.NAME).text();
            expr = new Expr.Filtered(expr, filter, arguments());
        }
        return expr;
    }

    /** A filter's arguments, if there are some. */
    private List<Expr> arguments() {
        List<Expr> arguments = new ArrayList<>();
        if (peek().is(Token.Kind.SYMBOL, "(")) {
            do {
                next();
                arguments.add(binary(0));
            } while (peek().is(Token.Kind.SYMBOL, ","));
            expect(Token.Kind.SYMBOL, ")");
        }
        return arguments;
    }

    /** Operators of at least this precedence. */
    private Expr binary(int least) {
        Expr left = operand();
        Optional<Expr.Operator> operator = Expr.Operator.of(peek());
        while (operator.isPresent() && operator.get().precedence >= least) {
            next();
            Expr right = binary(operator.get().precedence + 1);
            left = new Expr.Binary(operator.get(), left, right);
            operator = Expr.Operator.of(peek());
        }
        return left;
    }

    private Expr operand() {
        Token token = next();
        Expr expr = switch (token.kind()) {
            case NUMBER -> new Expr.Literal(Long.valueOf(token.text()));
            case STRING -> new Expr.Literal(token.text());
            case NAME -> new Expr.Variable(token.text());
            default -> throw new TemplateException("no expression", token.at());
        };
        while (peek().is(Token.Kind.SYMBOL, ".")) {
            next();
            expr = new Expr.Member(expr, expect(Token.Kind.NAME).text());
        }
        return expr;
    }

    private Token next() {
        return tokens.next();
    }

    private Token peek() {
        Token token = tokens.next();
        tokens.previous();
        return token;
    }

    private Token expect(Token.Kind kind) {
        Token token = next();
        if (token.kind() != kind) throw new TemplateException("no " + kind, token.at());
        return token;
    }

    private void expect(Token.Kind kind, String text) {
        Token token = expect(kind);
        if (!token.text().equals(text)) throw new TemplateException("no " + text, token.at());
    }
}

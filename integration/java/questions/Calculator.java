import java.util.ArrayList;
import java.util.List;

/** Reads arithmetic, simplifies it and computes it, with whole numbers and one unknown. */
public class Calculator {
    public static void main(String[] args) {
        String[] lines = {"1 + 2 * 3", "(4 - x) * (x + 1)", "2 ^ 3 ^ 2 / 64", "-x + 0 * (7 - 2)", "18 - 5 - 3"};
        for (String line : lines) {
            Parser parser = new Parser(tokens(line));
            Expr expr = parser.sum();
            System.out.println(simple(expr).show() + " = " + expr.at(3));
        }
    }

    static List<String> tokens(String line) {
        List<String> tokens = new ArrayList<>();
        int at = 0;
        while (at < line.length()) {
            int end = end(line, at);
            String token = line.substring(at, end);
            if (!token.isBlank()) {
                tokens.add(token);
            }
            at = end;
        }
        return tokens;
    }

    static int end(String line, int from) {
        int end = from + 1;
        if (Character.isDigit(line.charAt(from))) {
            while (end < line.length() && Character.isDigit(line.charAt(end))) {
                //@ one-digit: while (end < line.length() && Character.isDigit(line.charAt(from + 2 < line.length() ? from + 2 : from))) {
                end++;
            }
        }
        return end;
    }

    static class Parser {
        final List<String> tokens;
        int at;

        Parser(List<String> tokens) {
            this.tokens = tokens;
        }

        boolean accept(String token) {
            boolean there = at < tokens.size() && tokens.get(at).equals(token);
            if (there) {
                at++;
            }
            return there;
        }

        Expr sum() {
            Expr left = product();
            while (true) {
                if (accept("+")) {
                    left = new Expr('+', left, product());
                } else if (accept("-")) {
                    left = new Expr('-', left, product());
                    //@ minus-groups-right: left = new Expr('-', left, sum());
                } else {
                    return left;
                }
            }
        }

        Expr product() {
            Expr left = power();
            while (true) {
                if (accept("*")) {
                    left = new Expr('*', left, power());
                    //@ times-left-lost: left = new Expr('*', power(), left);
                } else if (accept("/")) {
                    left = new Expr('/', left, power());
                } else {
                    return left;
                }
            }
        }

        Expr power() {
            Expr base = atom();
            return accept("^") ? new Expr('^', base, power()) : base;
            //@ power-is-product: return accept("^") ? new Expr('*', base, power()) : base;
        }

        Expr atom() {
            if (accept("(")) {
                Expr inside = sum();
                accept(")");
                return inside;
            }
            if (accept("-")) {
                return new Expr('-', new Expr(0), atom());
            }
            if (accept("x")) {
                return new Expr();
            }
            return new Expr(Integer.parseInt(tokens.get(at++)));
        }
    }

    static class Expr {
        final char kind;
        int number;
        Expr left;
        Expr right;

        Expr() {
            kind = 'x';
        }

        Expr(int number) {
            kind = '#';
            this.number = number;
        }

        Expr(char kind, Expr left, Expr right) {
            this.kind = kind;
            this.left = left;
            this.right = right;
        }

        boolean is(int wanted) {
            return kind == '#' && number == wanted;
            //@ is-without-kind: return number == wanted;
        }

        int at(int x) {
            return switch (kind) {
                case '#' -> number;
                case 'x' -> x;
                case '+' -> left.at(x) + right.at(x);
                case '-' -> left.at(x) - right.at(x);
                //@ minus-swapped: case '-' -> right.at(x) - left.at(x);
                case '*' -> left.at(x) * right.at(x);
                case '/' -> left.at(x) / right.at(x);
                default -> raised(left.at(x), right.at(x));
            };
        }

        String show() {
            return switch (kind) {
                case '#' -> String.valueOf(number);
                case 'x' -> "x";
                default -> left.inside() + " " + kind + " " + right.inside();
            };
        }

        String inside() {
            return left == null ? show() : "(" + show() + ")";
        }
    }

    static int raised(int base, int exponent) {
        if (exponent == 0) {
            return 1;
        }
        int half = raised(base, exponent / 2);
        return exponent % 2 == 0 ? half * half : half * half * base;
        //@ raised-even: return exponent % 2 == 0 ? half * half : half * base;
    }

    static Expr simple(Expr expr) {
        if (expr.left == null) {
            return expr;
        }
        Expr left = simple(expr.left);
        Expr right = simple(expr.right);
        //@ right-unsimplified: Expr right = expr.right;
        if (expr.kind == '*' && (left.is(0) || right.is(0))) {
            return new Expr(0);
        }
        if (expr.kind == '+' && right.is(0)) {
            return left;
            //@ plus-nothing: return right;
        }
        if (left.kind == '#' && right.kind == '#') {
            return new Expr(new Expr(expr.kind, left, right).at(0));
        }
        return new Expr(expr.kind, left, right);
    }
}

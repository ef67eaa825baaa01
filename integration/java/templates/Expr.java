package templates;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** An expression between braces. */
sealed interface Expr {
    record Literal(Object value) implements Expr {}

    record Variable(String name) implements Expr {}

    record Member(Expr of, String name) implements Expr {}

    record Binary(Operator operator, Expr left, Expr right) implements Expr {}

    record Filtered(Expr input, String filter, List<Expr> arguments) implements Expr {}

    /** What may stand between two expressions; a higher precedence binds more tightly. */
    enum Operator {
        OR("or", 1),
        AND("and", 2),
        EQUAL("==", 3),
        UNEQUAL("!=", 3),
        LESS("<", 4),
        MORE(">", 4),
        PLUS("+", 5),
        MINUS("-", 5),
        TIMES("*", 6);

        final String sign;
        final int precedence;

        Operator(String sign, int precedence) {
            this.sign = sign;
            this.precedence = precedence;
        }

        static Optional<Operator> of(Token token) {
            boolean possible = token.kind() == Token.Kind.SYMBOL || token.kind() == Token.Kind.NAME;
            return Arrays.stream(values()).filter(o -> possible && o.sign.equals(token.text())).findFirst();
        }
    }
}

package templates;

import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Fills templates. */
final class Engine {
    /** What stands behind a bar: it makes another value of a value. */
    @FunctionalInterface
    interface Filter {
        Object apply(Object input, List<Object> arguments);
    }

    /** How an engine is put together. */
    static final class Builder {
        private final Map<String, Filter> filters = new TreeMap<>();
        private final Map<String, Object> globals = new LinkedHashMap<>();

        Builder filter(String name, Filter filter) {
            filters.put(name, filter);
            return this;
        }

        Builder global(String name, Object value) {
            globals.put(name, value);
            return this;
        }

        Engine build() {
            return new Engine(filters, globals);
        }
    }

    private final Map<String, Filter> filters;
    private final Map<String, Object> globals;

    private Engine(Map<String, Filter> filters, Map<String, Object> globals) {
        this.filters = new TreeMap<>(filters);
        this.globals = Collections.unmodifiableMap(globals);
    }

    String fill(String template, Map<String, Object> names) {
        Map<String, Object> all = new LinkedHashMap<>(globals);
        all.putAll(names);
        return render(Parser.parse(template), new Scope(all));
    }

    private String render(List<Node> nodes, Scope scope) {
        return nodes.stream().map(node -> render(node, scope)).collect(Collectors.joining());
    }

    private String render(Node node, Scope scope) {
        if (node instanceof Node.Text text) return text.text();
        if (node instanceof Node.Output output) return String.valueOf(evaluate(output.expr(), scope));
        if (node instanceof Node.If branch) {
            return render(isTrue(evaluate(branch.condition(), scope)) ? branch.then() : branch.otherwise(), scope);
        }
        if (node instanceof Node.For loop) return repeat(loop, scope);
        Node.Let let = (Node.Let) node;
        scope.define(let.name(), evaluate(let.value(), scope));
        return "";
    }

    private String repeat(Node.For loop, Scope scope) {
        StringBuilder out = new StringBuilder();
        for (Object item : (Collection<?>) evaluate(loop.of(), scope)) {
            scope.enter();
            scope.define(loop.name(), item);
            out.append(render(loop.body(), scope));
            scope.leave();
        }
        return out.toString();
    }

    private Object evaluate(Expr expr, Scope scope) {
        if (expr instanceof Expr.Literal literal) return literal.value();
        if (expr instanceof Expr.Variable variable) return scope.lookup(variable.name()).orElse("");
        if (expr instanceof Expr.Member member) {
            Map<?, ?> of = (Map<?, ?>) evaluate(member.of(), scope);
            return of.containsKey(member.name()) ? of.get(member.name()) : "";
        }
        if (expr instanceof Expr.Filtered filtered) {
            Object input = evaluate(filtered.input(), scope);
            List<Object> arguments = filtered.arguments().stream().map(e -> evaluate(e, scope)).toList();
            return filters.get(filtered.filter()).apply(input, arguments);
        }
        Expr.Binary binary = (Expr.Binary) expr;
        return calculate(binary.operator(), evaluate(binary.left(), scope), evaluate(binary.right(), scope));
    }

    private static Object calculate(Expr.Operator operator, Object left, Object right) {
        return switch (operator) {
            case OR -> isTrue(left) || isTrue(right);
            case AND -> isTrue(left) && isTrue(right);
            case EQUAL -> Objects.equals(left, right);
            case UNEQUAL -> !Objects.equals(left, right);
            case LESS -> number(left) < number(right);
            case MORE -> number(left) > number(right);
            case PLUS -> left instanceof String ? left + String.valueOf(right) : number(left) + number(right);
            case MINUS -> number(left) - number(right);
            case TIMES -> number(left) * number(right);
        };
    }

    private static boolean isTrue(Object value) {
        if (value instanceof Boolean flag) return flag;
        if (value instanceof Collection<?> all) return !all.isEmpty();
        return value != null && !value.equals("") && !value.equals(0L);
    }

    private static long number(Object value) {
        if (value instanceof Long number) return number;
        throw new TemplateException("no number: " + value, -1);
    }
}

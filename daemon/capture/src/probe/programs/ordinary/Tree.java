import java.util.*;
import java.util.function.*;

/** An expression language and a balanced tree: visitors, a parser, generics, iterators. */
public class Tree {
    static abstract sealed class Expr permits Num, Var, Bin, Call, Let {
        abstract <R> R accept(Visitor<R> v);
        Expr simplify() { return this; }
        @Override public String toString() { return accept(new Printer()); }
    }
    interface Visitor<R> { R num(Num n); R var(Var v); R bin(Bin b); R call(Call c); R let(Let l); }
    static final class Num extends Expr { final double value; Num(double v) { value = v; } <R> R accept(Visitor<R> v) { return v.num(this); } @Override public boolean equals(Object o) { return o instanceof Num n && n.value == value; } @Override public int hashCode() { return Double.hashCode(value); } }
    static final class Var extends Expr { final String name; Var(String n) { name = n; } <R> R accept(Visitor<R> v) { return v.var(this); } }
    static final class Bin extends Expr {
        final char op; final Expr left, right;
        Bin(char op, Expr left, Expr right) { this.op = op; this.left = left; this.right = right; }
        <R> R accept(Visitor<R> v) { return v.bin(this); }
        @Override Expr simplify() {
            Expr l = left.simplify(), r = right.simplify();
            if (l instanceof Num a && r instanceof Num b) return new Num(Evaluator.apply(op, a.value, b.value));
            if (op == '*' && (isNum(l, 0) || isNum(r, 0))) return new Num(0);
            if (op == '*' && isNum(l, 1)) return r;
            if (op == '+' && isNum(r, 0)) return l;
            return l == left && r == right ? this : new Bin(op, l, r);
        }
        private static boolean isNum(Expr e, double v) { return e.equals(new Num(v)); }
    }
    static final class Call extends Expr { final String name; final List<Expr> args; Call(String n, List<Expr> a) { name = n; args = a; } <R> R accept(Visitor<R> v) { return v.call(this); } }
    static final class Let extends Expr { final String name; final Expr value, body; Let(String n, Expr v, Expr b) { name = n; value = v; body = b; } <R> R accept(Visitor<R> v) { return v.let(this); } }

    static class Printer implements Visitor<String> {
        private int depth;
        public String num(Num n) { return n.value == Math.rint(n.value) ? Long.toString((long) n.value) : Double.toString(n.value); }
        public String var(Var v) { return v.name; }
        public String bin(Bin b) { depth++; try { return "(" + b.left.accept(this) + b.op + b.right.accept(this) + ")"; } finally { depth--; } }
        public String call(Call c) { StringJoiner j = new StringJoiner(",", c.name + "(", ")"); for (Expr a : c.args) j.add(a.accept(this)); return j.toString(); }
        public String let(Let l) { return "let " + l.name + "=" + l.value.accept(this) + " in " + l.body.accept(this); }
    }
    static class Evaluator implements Visitor<Double> {
        private final Map<String, Double> scope; private final Evaluator outer; private final Map<String, ToDoubleFunction<double[]>> functions;
        Evaluator() { this(null, new HashMap<>(), new HashMap<>()); functions.put("max", a -> { double m = a[0]; for (double x : a) m = Math.max(m, x); return m; }); functions.put("sqrt", a -> Math.sqrt(a[0])); functions.put("sum", Evaluator::sum); }
        private Evaluator(Evaluator outer, Map<String, Double> scope, Map<String, ToDoubleFunction<double[]>> functions) { this.outer = outer; this.scope = scope; this.functions = functions; }
        static double sum(double... all) { double s = 0; for (double x : all) s += x; return s; }
        static double apply(char op, double a, double b) {
            return switch (op) { case '+' -> a + b; case '-' -> a - b; case '*' -> a * b; case '/' -> { if (b == 0) throw new ArithmeticException("division of " + a); yield a / b; } case '%' -> a % b; default -> throw new IllegalStateException("" + op); };
        }
        public Double num(Num n) { return n.value; }
        public Double var(Var v) { for (Evaluator e = this; e != null; e = e.outer) { Double d = e.scope.get(v.name); if (d != null) return d; } throw new UnknownName(v.name); }
        public Double bin(Bin b) { return apply(b.op, b.left.accept(this), b.right.accept(this)); }
        public Double call(Call c) { double[] a = new double[c.args.size()]; int i = 0; for (Expr e : c.args) a[i++] = e.accept(this); var f = functions.get(c.name); if (f == null) throw new UnknownName(c.name); return f.applyAsDouble(a); }
        public Double let(Let l) { Evaluator inner = new Evaluator(this, new HashMap<>(), functions); inner.scope.put(l.name, l.value.accept(this)); return l.body.accept(inner); }
    }
    static class UnknownName extends RuntimeException { final String name; UnknownName(String n) { super("no " + n); name = n; } @Override public synchronized Throwable fillInStackTrace() { return this; } }
    static class Parser {
        private final String text; private int at;
        Parser(String text) { this.text = text; }
        Expr parse() { Expr e = sum(); skip(); if (at < text.length()) throw error("end"); return e; }
        private RuntimeException error(String wanted) { return new IllegalArgumentException(wanted + " wanted at " + at + " of " + text); }
        private void skip() { while (at < text.length() && Character.isWhitespace(text.charAt(at))) at++; }
        private boolean eat(char c) { skip(); if (at < text.length() && text.charAt(at) == c) { at++; return true; } return false; }
        private Expr sum() { Expr e = product(); for (;;) { if (eat('+')) e = new Bin('+', e, product()); else if (eat('-')) e = new Bin('-', e, product()); else return e; } }
        private Expr product() { Expr e = atom(); for (;;) { if (eat('*')) e = new Bin('*', e, atom()); else if (eat('/')) e = new Bin('/', e, atom()); else if (eat('%')) e = new Bin('%', e, atom()); else return e; } }
        private Expr atom() {
            skip();
            if (eat('(')) { Expr e = sum(); if (!eat(')')) throw error(")"); return e; }
            if (eat('-')) return new Bin('-', new Num(0), atom());
            int from = at;
            if (at < text.length() && Character.isDigit(text.charAt(at))) { while (at < text.length() && (Character.isDigit(text.charAt(at)) || text.charAt(at) == '.')) at++; return new Num(Double.parseDouble(text.substring(from, at))); }
            while (at < text.length() && Character.isLetter(text.charAt(at))) at++;
            if (from == at) throw error("atom");
            String name = text.substring(from, at).intern();
            if (name == "let") { skip(); int f = at; while (Character.isLetter(text.charAt(at))) at++; String v = text.substring(f, at); if (!eat('=')) throw error("="); Expr value = sum(); if (!eat(';')) throw error(";"); return new Let(v, value, sum()); }
            if (!eat('(')) return new Var(name);
            List<Expr> args = new LinkedList<>();
            if (!eat(')')) { do args.add(sum()); while (eat(',')); if (!eat(')')) throw error(")"); }
            return new Call(name, args);
        }
    }
    static class Avl<K extends Comparable<K>, V> implements Iterable<Map.Entry<K, V>> {
        class Node implements Map.Entry<K, V> { final K key; V value; Node left, right; int height = 1; Node(K k, V v) { key = k; value = v; size++; } public K getKey() { return key; } public V getValue() { return value; } public V setValue(V v) { V old = value; value = v; return old; } }
        private Node root; private int size; private transient int rotations;
        private int height(Node n) { return n == null ? 0 : n.height; }
        private void fix(Node n) { n.height = 1 + Math.max(height(n.left), height(n.right)); }
        private Node right(Node n) { Node l = n.left; n.left = l.right; l.right = n; fix(n); fix(l); rotations++; return l; }
        private Node left(Node n) { Node r = n.right; n.right = r.left; r.left = n; fix(n); fix(r); rotations++; return r; }
        V put(K k, V v) { Object[] old = new Object[1]; root = put(root, k, v, old); @SuppressWarnings("unchecked") V was = (V) old[0]; return was; }
        private Node put(Node n, K k, V v, Object[] old) {
            if (n == null) return new Node(k, v);
            int c = k.compareTo(n.key);
            if (c < 0) n.left = put(n.left, k, v, old); else if (c > 0) n.right = put(n.right, k, v, old); else { old[0] = n.setValue(v); return n; }
            fix(n);
            int balance = height(n.left) - height(n.right);
            if (balance > 1) { if (k.compareTo(n.left.key) > 0) n.left = left(n.left); return right(n); }
            if (balance < -1) { if (k.compareTo(n.right.key) < 0) n.right = right(n.right); return left(n); }
            return n;
        }
        public Iterator<Map.Entry<K, V>> iterator() {
            Deque<Node> path = new ArrayDeque<>();
            for (Node n = root; n != null; n = n.left) path.push(n);
            return new Iterator<>() {
                @Override public boolean hasNext() { return !path.isEmpty(); }
                @Override public Map.Entry<K, V> next() { Node n = path.pop(); for (Node m = n.right; m != null; m = m.left) path.push(m); return n; }
            };
        }
    }
    public static void main(String[] args) {
        String[] sources = {"1 + 2 * 3", "let x = 4; x * x - sqrt(x)", "max(1, 2.5, 0 - 7) / (3 - 3)", "y + 1", "0 * (a + b) + 5 * 1", "sum(1,2,3) % 4", "2 * (3", "-3 * -(2 + 1)"};
        Evaluator evaluator = new Evaluator();
        Avl<String, Object> results = new Avl<>();
        for (String source : sources) {
            Object result;
            try {
                Expr e = new Parser(source).parse();
                System.out.println(e + " => " + e.simplify());
                result = e.accept(evaluator);
            } catch (UnknownName e) { result = e.name.toUpperCase(Locale.ROOT); }
            catch (ArithmeticException e) { result = e.getMessage().length(); }
            catch (IllegalArgumentException e) { result = e; }
            results.put(source, result);
        }
        for (Map.Entry<String, Object> entry : results) System.out.println(entry.getKey() + " : " + entry.getValue());
        Avl<Integer, String> numbers = new Avl<>();
        for (int i = 0; i < 40; i++) numbers.put(i * 17 % 41, "n" + i);
        System.out.println(numbers.put(5, "five") + " " + numbers.size + " " + numbers.rotations + " " + numbers.root.height);
        int sum = 0; for (var e : numbers) sum = sum * 31 + e.getKey() + e.getValue().length(); System.out.println(sum);
    }
}

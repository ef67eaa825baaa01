import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Runs programs of a little language: numbers, variables, loops, functions. */
public class Interpreter {
    final Map<String, Function> functions = new HashMap<>();
    final StringBuilder out = new StringBuilder();

    public static void main(String[] args) {
        Interpreter interpreter = new Interpreter();
        String source = "fun prime n { let d = 2 while d * d < n + 1 { if n % d == 0 { return 0 } let d = d + 1 } "
                + "return n > 1 } "
                + "fun gcd a b { if b == 0 { return a } return gcd ( b , a % b ) } "
                + "fun fib n { if n < 2 { return n } return fib ( n - 1 ) + fib ( n - 2 ) } "
                + "let i = 0 while i < 70 { if prime ( i ) { print i } let i = i + 1 } "
                + "print gcd ( 84 , 30 ) print fib ( 7 ) let s = 10 - 3 - 2 print s * ( 2 + 3 )";
        interpreter.run(new Reader(source).program());
        System.out.println(interpreter.out);
    }

    static class Function {
        final List<String> parameters = new ArrayList<>();
        Node body;
    }

    /** A piece of a program: its kind, a word or number, and parts. */
    static class Node {
        final String kind;
        String word = "";
        int number;
        final List<Node> parts = new ArrayList<>();

        Node(String kind) {
            this.kind = kind;
        }

        Node with(Node part) {
            parts.add(part);
            return this;
        }
    }

    static class Reader {
        final String[] words;
        int at;

        Reader(String source) {
            words = source.split(" ");
        }

        boolean sees(String word) {
            return at < words.length && words[at].equals(word);
        }

        boolean accept(String word) {
            if (!sees(word)) {
                return false;
            }
            at++;
            return true;
        }

        String next() {
            return words[at++];
        }

        Node program() {
            Node all = new Node("block");
            while (at < words.length) {
                all.with(statement());
            }
            return all;
        }

        Node block() {
            Node block = new Node("block");
            next();
            while (!accept("}")) {
                block.with(statement());
            }
            return block;
        }

        Node statement() {
            String word = next();
            Node node = new Node(word);
            switch (word) {
                case "fun" -> {
                    node.word = next();
                    while (!sees("{")) {
                        Node parameter = new Node("name");
                        parameter.word = next();
                        node.with(parameter);
                    }
                    node.with(block());
                }
                case "let" -> {
                    node.word = next();
                    next();
                    node.with(expression());
                }
                case "while", "if" -> node.with(expression()).with(block());
                default -> node.with(expression());
            }
            return node;
        }

        Node expression() {
            Node left = sum();
            while (sees("<") || sees(">") || sees("==")) {
                left = binary(left, next(), sum());
            }
            return left;
        }

        Node sum() {
            Node left = term();
            while (sees("+") || sees("-")) {
                left = binary(left, next(), term());
                //@ sum-groups-right: left = binary(left, next(), sum());
            }
            return left;
        }

        Node term() {
            Node left = atom();
            while (sees("*") || sees("%")) {
                left = binary(left, next(), atom());
            }
            return left;
        }

        static Node binary(Node left, String operator, Node right) {
            Node node = new Node("binary").with(left).with(right);
            node.word = operator;
            return node;
        }

        Node atom() {
            String word = next();
            if (word.equals("(")) {
                Node inside = expression();
                next();
                return inside;
            }
            if (Character.isDigit(word.charAt(0))) {
                Node number = new Node("number");
                number.number = Integer.parseInt(word);
                return number;
            }
            Node name = new Node(sees("(") ? "call" : "name");
            name.word = word;
            if (accept("(")) {
                while (!accept(")")) {
                    name.with(expression());
                    accept(",");
                }
            }
            return name;
        }
    }

    /** The variables of one run of a function, and what it returned. */
    static class Frame {
        final Map<String, Integer> variables = new HashMap<>();
        boolean returned;
        int result;

        int get(String name) {
            Integer value = variables.get(name);
            return value == null ? 0 : value;
        }

        void set(String name, int value) {
            variables.put(name, value);
        }
    }

    void run(Node program) {
        Frame frame = new Frame();
        execute(program, frame);
    }

    void execute(Node node, Frame frame) {
        switch (node.kind) {
            case "block" -> block(node, frame);
            case "fun" -> define(node);
            case "let" -> frame.set(node.word, value(node.parts.get(0), frame));
            case "while" -> loop(node, frame);
            case "if" -> {
                if (value(node.parts.get(0), frame) != 0) {
                    //@ if-positive: if (value(node.parts.get(0), frame) > 1) {
                    execute(node.parts.get(1), frame);
                }
            }
            case "return" -> {
                frame.result = value(node.parts.get(0), frame);
                frame.returned = true;
                //@ return-goes-on: frame.returned = frame.result != 0;
            }
            default -> out.append(value(node.parts.get(0), frame)).append(' ');
        }
    }

    void block(Node block, Frame frame) {
        for (Node statement : block.parts) {
            if (frame.returned) {
                return;
            }
            execute(statement, frame);
        }
    }

    void loop(Node node, Frame frame) {
        while (!frame.returned && value(node.parts.get(0), frame) != 0) {
            execute(node.parts.get(1), frame);
        }
    }

    void define(Node node) {
        Function function = new Function();
        for (Node part : node.parts) {
            if (part.kind.equals("name")) {
                function.parameters.add(part.word);
            } else {
                function.body = part;
            }
        }
        functions.put(node.word, function);
    }

    int value(Node node, Frame frame) {
        return switch (node.kind) {
            case "number" -> node.number;
            case "name" -> frame.get(node.word);
            case "call" -> call(node, frame);
            default -> operate(node.word, value(node.parts.get(0), frame), value(node.parts.get(1), frame));
        };
    }

    int call(Node node, Frame frame) {
        Function function = functions.get(node.word);
        Frame inner = new Frame();
        for (int i = 0; i < function.parameters.size(); i++) {
            inner.set(function.parameters.get(i), value(node.parts.get(i), frame));
        }
        execute(function.body, inner);
        return inner.result;
    }

    static int operate(String operator, int left, int right) {
        return switch (operator) {
            case "+" -> left + right;
            case "-" -> left - right;
            case "*" -> left * right;
            case "%" -> left % right;
            //@ modulo-is-quotient: case "%" -> left / right;
            case "<" -> truth(left < right);
            //@ less-or-equal: case "<" -> truth(left <= right);
            case ">" -> truth(left > right);
            default -> truth(left == right);
        };
    }

    static int truth(boolean value) {
        return value ? 1 : 0;
    }
}

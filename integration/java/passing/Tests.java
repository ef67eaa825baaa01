import java.util.Arrays;
import java.util.List;

/**
 * Small tests of the programs in {@code ../questions}: {@code Tests PROGRAM NUMBER…} runs some. A test of a defective version passes
 * iff it prints what it prints with the right version ({@code Passes} finds out which do).
 */
public class Tests {
    interface Test {
        void run();
    }

    public static void main(String[] args) {
        List<Test> tests = of(args[0]);
        for (int i = 1; i < args.length; i++) {
            tests.get(Integer.parseInt(args[i])).run();
        }
    }

    static List<Test> of(String program) {
        return switch (program) {
            case "Calculator" -> OfCalculator.TESTS;
            case "Columns" -> OfColumns.TESTS;
            case "Dictionary" -> OfDictionary.TESTS;
            case "Digits" -> OfDigits.TESTS;
            case "HashTable" -> OfHashTable.TESTS;
            case "Interpreter" -> OfInterpreter.TESTS;
            case "Ledger" -> OfLedger.TESTS;
            case "Matrices" -> OfMatrices.TESTS;
            case "Routes" -> OfRoutes.TESTS;
            case "Scheduler" -> OfScheduler.TESTS;
            case "SearchTree" -> OfSearchTree.TESTS;
            case "Sorting" -> OfSorting.TESTS;
            case "Sudoku" -> OfSudoku.TESTS;
            case "Waiting" -> OfWaiting.TESTS;
            case "Warehouse" -> OfWarehouse.TESTS;
            default -> throw new IllegalArgumentException(program);
        };
    }

    static void say(Object... values) {
        System.out.println(Arrays.deepToString(values));
    }
}

class OfCalculator {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(value("1 + 2")),
            () -> Tests.say(value("2 * (3 + 4)"), value("9 / 3")),
            () -> Tests.say(Calculator.raised(2, 3), Calculator.raised(5, 0)),
            () -> Tests.say(value("x - 1"), value("-4")),
            () -> Tests.say(value("2 ^ 3")),
            () -> Tests.say(Calculator.tokens("12 + x"), Calculator.tokens("(7)")));

    static String value(String line) {
        Calculator.Expr expr = new Calculator.Parser(Calculator.tokens(line)).sum();
        return Calculator.simple(expr).show() + " " + expr.at(2);
    }
}

class OfColumns {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(new Columns(12).page("one two three four five")),
            () -> Tests.say(new Columns(10).spread(List.of("a", "b"))),
            () -> Tests.say(Columns.words("to and fro"), Columns.join(List.of("x", "y"))),
            () -> Tests.say(Columns.titled("of the sea"), Columns.capital("wind")),
            () -> Tests.say(new Columns(8).center("mid"), new Columns(8).frame("12345678")),
            () -> Tests.say(Columns.gap(4, 2, 1), Columns.gap(6, 3, 3)));
}

class OfDictionary {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(with("ab", "abc", "b").suggest("a")),
            () -> Tests.say(with("tea", "ten").has("tea"), with("tea").has("to")),
            () -> Tests.say(with("cat", "dog").nearest("cat")),
            () -> Tests.say(Dictionary.distance("ab", "ac", 2, 2, 3), Dictionary.distance("abc", "abc", 3, 3, 3)),
            () -> Tests.say(with("one", "two").words),
            () -> Tests.say(Dictionary.least(1, 2, 3), Dictionary.least(3, 1, 2)));

    static Dictionary with(String... words) {
        Dictionary dictionary = new Dictionary();
        for (String word : words) {
            dictionary.add(word);
        }
        return dictionary;
    }
}

class OfDigits {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(of(58).plus(of(67)).show()),
            () -> Tests.say(of(12).times(of(34)).show()),
            () -> Tests.say(Digits.factorial(5).show()),
            () -> Tests.say(Digits.power(of(2), 4).show()),
            () -> Tests.say(of(84).dividedBy(7).show(), of(36).digitSum()),
            () -> Tests.say(Digits.largest(of(3), of(9), of(5)).show(), of(7).compare(of(8))));

    static Digits.Number of(int value) {
        return Digits.Number.of(value);
    }
}

class OfHashTable {
    static final List<Tests.Test> TESTS = List.of(
            () -> {
                HashTable table = of("a", "b", "a");
                Tests.say(table.get("a"), table.get("b"), table.size);
            },
            () -> Tests.say(of("x").remove("x"), of("x").remove("y")),
            () -> Tests.say(of("a", "bb", "ccc", "dddd").sum()),
            () -> {
                HashTable table = of("one", "two");
                table.addAll(of("six"));
                Tests.say(table.size, table.get("six"));
            },
            () -> Tests.say(HashTable.hash("rain"), of("q").longest()));

    static HashTable of(String... words) {
        HashTable table = new HashTable();
        for (String word : words) {
            table.count(word);
        }
        return table;
    }
}

class OfInterpreter {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(printed("print 2 + 3 * 4")),
            () -> Tests.say(printed("let i = 0 while i < 3 { print i let i = i + 1 }")),
            () -> Tests.say(printed("fun twice n { return n + n } print twice ( 4 )")),
            () -> Tests.say(printed("if 2 > 3 { print 1 } print 7 - 2")),
            () -> Tests.say(printed("print 7 % 4 print ( 1 + 1 ) * 5")));

    static String printed(String source) {
        Interpreter interpreter = new Interpreter();
        interpreter.run(new Interpreter.Reader(source).program());
        return interpreter.out.toString();
    }
}

class OfLedger {
    static final List<Tests.Test> TESTS = List.of(
            () -> {
                Ledger ledger = of();
                Tests.say(ledger.transfer("a", "b", 100), ledger.total());
            },
            () -> Tests.say(of().transfer("a", "z", 5), Ledger.money(12345)),
            () -> Tests.say(Ledger.fee(100), Ledger.fee(10_000), Ledger.perMille(5_000, 2)),
            () -> {
                Ledger ledger = of();
                ledger.endMonth(1);
                Tests.say(ledger.total());
            },
            () -> {
                Ledger ledger = of();
                ledger.transfer("a", "b", 7_000);
                ledger.statement();
            });

    static Ledger of() {
        Ledger ledger = new Ledger();
        ledger.open("a", 9_000, 0);
        ledger.open("b", 500, 500);
        return ledger;
    }
}

class OfMatrices {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(new Matrices.Fraction(6, 4).show(), new Matrices.Fraction(1, -3).negative().show()),
            () -> Matrices.show("p", Matrices.product(of(1, 2, 3, 4), of(1, 0, 0, 1))),
            () -> Matrices.show("2", Matrices.power(of(1, 1, 0, 1), 2)),
            () -> Tests.say(Matrices.determinant(of(2, 0, 0, 3)).show()),
            () -> Matrices.show("i", Matrices.inverse(of(2, 0, 0, 4))),
            () -> Tests.say(new Matrices.Fraction(1, 2).plus(new Matrices.Fraction(1, 3)).show()));

    static Matrices.Fraction[][] of(int a, int b, int c, int d) {
        return Matrices.of(new int[][] {{a, b}, {c, d}});
    }
}

class OfRoutes {
    static final List<Tests.Test> TESTS = List.of(
            () -> {
                Routes routes = new Routes(new int[][] {{1, 1, 1}, {1, 1, 1}});
                routes.search(0, 0);
                Tests.say(routes.way(2, 1), routes.cost[1][2], routes.reached());
            },
            () -> {
                Routes routes = new Routes(new int[][] {{1, 3}, {2, 4}});
                routes.search(0, 0);
                Tests.say(routes.cost[1][1]);
            },
            () -> Tests.say(Routes.price(1, 3), Routes.price(2, 2), Routes.hill(1, 1)),
            () -> Tests.say(new Routes.Lakes(new int[][] {{0, 5, 5}, {5, 0, 5}}).count()),
            () -> {
                Routes.Heap heap = new Routes.Heap();
                heap.add(7, 3);
                heap.add(8, 1);
                heap.add(9, 2);
                Tests.say(heap.take(), heap.take(), heap.take());
            });
}

class OfScheduler {
    static final List<Tests.Test> TESTS = List.of(
            () -> run(new Scheduler.Task("one", 1, 2, 5)),
            () -> run(new Scheduler.Task("one", 2, 4, 3), new Scheduler.Task("two", 4, 3, 4)),
            () -> run(new Scheduler.Task("a", 3, 5, 2)),
            () -> Tests.say(Scheduler.slice(new Scheduler.Task("a", 1, 1, 1)), Scheduler.delay(new Scheduler.Task("a", 1, 3, 2))),
            () -> Tests.say(new Scheduler.Task("a", 2, 1, 1).rank(), new Scheduler().isDone()));

    static void run(Scheduler.Task... tasks) {
        Scheduler scheduler = new Scheduler();
        for (Scheduler.Task task : tasks) {
            scheduler.start(task);
        }
        while (!scheduler.isDone() && scheduler.clock < 60) {
            scheduler.turn();
        }
        scheduler.report();
    }
}

class OfSearchTree {
    static final List<Tests.Test> TESTS = List.of(
            () -> of(2, 1, 3).show(),
            () -> {
                SearchTree tree = of(4, 2, 6);
                tree.remove(2);
                tree.show();
            },
            () -> Tests.say(SearchTree.height(of(1, 2).root), SearchTree.floor(of(5, 3).root, 4)),
            () -> Tests.say(of(5, 3, 7).select(1), of(5, 3, 7).below(6)),
            () -> {
                SearchTree tree = of(5, 3, 8, 9);
                tree.remove(8);
                tree.remove(1);
                tree.show();
            });

    static SearchTree of(int... keys) {
        SearchTree tree = new SearchTree();
        for (int key : keys) {
            tree.insert(key);
        }
        return tree;
    }
}

class OfSorting {
    static final List<Tests.Test> TESTS = List.of(
            () -> {
                int[] a = {3, 1, 2};
                Sorting.insertion(a);
                Tests.say(a);
            },
            () -> {
                int[] a = {2, 1};
                Sorting.quick(a, 0, 1);
                Tests.say(a);
            },
            () -> {
                int[] a = {1, 3, 2};
                Sorting.heap(a);
                Tests.say(a);
            },
            () -> Tests.say(Sorting.find(new int[] {1, 4, 6}, 4), Sorting.find(new int[] {1, 4, 6}, 5)),
            () -> Tests.say(Sorting.copy(new int[] {5, 5}), Sorting.median(new int[] {1, 3}), Sorting.range(new int[] {2, 2, 6})));
}

class OfSudoku {
    static final List<Tests.Test> TESTS = List.of(
            () -> solve("123456 456123 231564 564231 312645 64531."),
            () -> solve("123456 456123 231564 564231 3126.. 64531."),
            () -> solve("12.456 4.6123 2.1564 564231 312645 645312"),
            () -> Tests.say(Sudoku.digit('4'), Sudoku.digit('.')));

    static void solve(String puzzle) {
        Sudoku sudoku = new Sudoku();
        sudoku.read(puzzle);
        Tests.say(sudoku.solve(), sudoku.tries);
        sudoku.show();
    }
}

class OfWaiting {
    static final List<Tests.Test> TESTS = List.of(
            () -> Tests.say(of(3, 5, 1).next().name),
            () -> {
                Waiting.Queue queue = of(2, 2);
                Tests.say(queue.next().name, queue.next().name);
            },
            () -> Tests.say(of(1, 2).worsen("p0", 3), of(1).worsen("no", 2)),
            () -> Tests.say(of(1, 4, 2, 3, 5, 6).size));

    static Waiting.Queue of(int... urgency) {
        Waiting.Queue queue = new Waiting.Queue(4);
        for (int i = 0; i < urgency.length; i++) {
            queue.add(new Waiting.Patient("p" + i, urgency[i], i));
        }
        return queue;
    }
}

class OfWarehouse {
    static final List<Tests.Test> TESTS = List.of(
            () -> {
                Warehouse house = new Warehouse();
                house.deliver("nail", 20, 2);
                house.order(new Warehouse.Order("nail", 5, 4));
                house.report();
            },
            () -> {
                Warehouse house = new Warehouse();
                house.order(new Warehouse.Order("hook", 3, 4));
                house.deliver("hook", 8, 1);
                house.report();
            },
            () -> Tests.say(new Warehouse.Order("a", 10, 3).value(), new Warehouse.Order("a", 60, 1).discount()),
            () -> Tests.say(new Warehouse.Batch(5, 1).take(7), new Warehouse.Batch(5, 1).take(2)),
            () -> {
                Warehouse house = new Warehouse();
                house.deliver("screw", 4, 2);
                house.refill();
                house.report();
            });
}

package fl;

import truth.T;

/** Runs all fixtures; the argument is the file of the log. */
public final class Oracle {

    static Switches.Colour[] colours;

    interface Fixture {
        void run() throws Exception;
    }

    private static void run(String name, String checks, Fixture fixture) throws Exception {
        T.begin(name, checks);
        fixture.run();
        T.begin("between", "i");
    }

    public static void main(String[] args) throws Exception {
        T.open(args[0]);
        T.begin("setup", "i");
        colours = Switches.Colour.values();
        run("while", "e", Loops::whileLoop);
        run("do-while", "e", Loops::doWhile);
        run("for", "", Loops::forLoop);
        run("for with two variables", "e", Loops::forTwo);
        run("for-each over an array", "e", Loops::forEachArray);
        run("for-each over a list", "e", Loops::forEachList);
        run("labelled break and continue", "e", Loops::labelled);
        run("endless loop with break", "e", Loops::breakOut);
        run("continue in while", "e", Loops::continueWhile);
        run("labelled block, slots used twice", "", Loops::block);
        run("dense switch with fall-through", "e", Switches::dense);
        run("sparse switch", "", Switches::sparse);
        run("switch expression with yield", "", Switches::expression);
        run("switch on strings", "", Switches::strings);
        run("switch on an enum", "", Switches::enums);
        run("try and catch", "t", Exceptions::caught);
        run("finally on the way out", "", Exceptions::far);
        run("return in finally", "", Exceptions::finallyReturns);
        run("nested finally", "", Exceptions::nested);
        run("try with resources", "", Exceptions::resources);
        run("multi-catch of the JVM's own", "", Exceptions::multi);
        run("what the JVM throws is none of ours", "", Exceptions::implicit);
        run("callbacks", "", Exceptions::callback);
        run("conditional expression", "e", Expressions::conditional);
        run("short circuits", "e", Expressions::shortCircuit);
        run("compound assignment", "", Expressions::compound);
        run("chained assignment", "", Expressions::chained);
        run("increments in indexes", "", Expressions::indexes);
        run("increments of fields", "", Expressions::steps);
        run("long and double slots", "", Expressions::wide);
        run("boxes", "", Expressions::boxes);
        run("strings after many strings outside", "", Expressions::afterMany);
        run("concatenation", "", Expressions::concat);
        run("patterns and var", "", Expressions::types);
        run("arrays of arrays", "n", Arrays2::multi);
        run("jagged arrays", "n", Arrays2::jagged);
        run("arrays of every kind", "", Arrays2::kinds);
        run("arrays written outside", "", Arrays2::outside);
        run("arrays behind other objects", "", Arrays2::behind);
        run("fields written by reflection", "", Arrays2::reflective);
        run("varargs", "n", Arrays2::varargs);
        run("inner class", "", Classes::inner);
        run("anonymous class", "", Classes::anonymous);
        run("local class", "", Classes::local);
        run("enum with constructor", "", Classes::enums);
        run("record", "", Classes::records);
        run("interface with default, private, static", "", Classes::interfaces);
        run("bridges", "", Classes::bridges);
        run("order of initialisers", "", Classes::orders);
        run("static initialiser", "", Classes::statics);
        run("monitors", "m", Classes::monitors);
        run("monitors and exceptions", "m", Classes::monitorsLeft);
        run("waiting", "m", Classes::waiting);
        run("lambda", "", Functions::lambda);
        run("method references", "", Functions::references);
        run("streams", "", Functions::streams);
        run("comparators", "", Functions::comparators);
        run("recursion", "e", Functions::recursion);
        run("recursive lambda", "", Functions::recursiveLambda);
        run("objects in a cycle", "n", Functions::objects);
        run("threads", "", Functions::threads);
        if (args.length > 1) {
            // Language of later releases, compiled where the JDK knows it.
            var later = (Fixture) Class.forName(args[1]).getDeclaredConstructor().newInstance();
            run("patterns in switch", "", later);
        }
        T.close();
    }
}

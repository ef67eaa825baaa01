import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/** A framework, which is the scope, and what is built on it, which is not: classes whose names begin with `App`. */
public class Partly {
    interface Ranked {
        default int ranked() {
            return 1;
        }
    }

    static abstract class Job implements Comparable<Job> {
        static final List<String> ALL = new ArrayList<>();
        protected int runs;
        int rank = 1;
        private final String name;

        Job(String name) {
            this.name = name;
            ALL.add(name);
            register(name);
        }

        void register(String name) {
            Registry.names.add("job " + name);
        }

        abstract int work(int by);

        public int ranked() {
            return 2;
        }

        static int made(int by) {
            return by + Registry.names.size();
        }

        int cost() {
            return 10;
        }

        /** Of the package: what another package's class has of this name is no override, which there is none of here. */
        int weight() {
            return 2;
        }

        private int secret() {
            return 3;
        }

        final int run(int by) {
            before();
            int done = work(by) + cost() * weight() + secret() + rank;
            after(done);
            runs++;
            return done;
        }

        protected void before() {
            rank++;
        }

        protected void after(int done) {
            Registry.total += done;
        }

        String label() {
            return name + "/" + runs;
        }

        @Override
        public int compareTo(Job other) {
            return label().compareTo(other.label());
        }

        @Override
        public String toString() {
            return "Job " + label();
        }

        @Override
        public int hashCode() {
            return name.length();
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Job job && job.name.equals(name);
        }
    }

    static class Plain extends Job {
        Plain(String name) {
            super(name);
        }

        @Override
        int work(int by) {
            return by;
        }
    }

    static class Registry {
        static final List<String> names = new ArrayList<>();
        static long total;
    }

    /** Overrides what has code, by other code alone, by more around it, and what the framework itself overrides. */
    static class AppLoud extends Job {
        final List<Integer> costs = new ArrayList<>();

        AppLoud(String name) {
            super(name);
        }

        @Override
        void register(String name) {
            super.register(name.toUpperCase());
        }

        @Override
        int work(int by) {
            return by * 2;
        }

        @Override
        int cost() {
            costs.add(super.cost());
            return super.cost() + costs.size();
        }

        @Override
        protected void before() {
            rank = 7;
            super.before();
        }

        @Override
        public String toString() {
            return "Loud " + super.toString();
        }
    }

    /** Overrides nothing that has code. */
    static class AppQuiet extends Job {
        AppQuiet(String name) {
            super(name);
        }

        @Override
        int work(int by) {
            runs += 100;
            return by - 1;
        }

        int secret() {
            return 1_000_000;
        }
    }

    static class AppOver extends AppQuiet {
        AppOver(String name) {
            super(name);
        }

        @Override
        int weight() {
            return super.weight() + 5;
        }
    }

    /** Of the framework, above and below what is not. */
    static class Between extends AppOver implements Ranked {
        int extra = 4;
        static int begun = Registry.names.size();

        Between(String name) {
            super(name);
        }

        @Override
        protected void after(int done) {
            super.after(done + extra);
        }

        @Override
        String label() {
            return "between " + super.label();
        }
    }

    static class AppLast extends Between {
        AppLast() {
            super("last");
        }

        @Override
        int work(int by) {
            return super.work(by) + 2;
        }

        @Override
        int cost() {
            return weight();
        }
    }

    interface Visitor {
        int visit(Job job);
    }

    static class Counting implements Visitor {
        int seen;

        @Override
        public int visit(Job job) {
            seen++;
            return job.cost();
        }
    }

    static class AppVisitor extends Counting {
    }

    /** Is initialised first by what is out of the scope, or lies below that. */
    static class First {
        static int begun = Registry.names.size() + 1;
        int own = begun;
    }

    static class AppMiddle extends First {
        static int helped(int by) {
            return by + 1;
        }
    }

    static class Low extends AppMiddle {
        static int low = begun + 5;
        int lower = low;
    }

    static class Other {
        static int begun = Low.low * 2;
    }

    static class AppOther extends Other {
        static int helped(int by) {
            return by + begun;
        }
    }

    interface AppMark {
    }

    static class AppThing implements Ranked, AppMark {
    }

    static class AppOtherThing implements Ranked {
        @Override
        public int ranked() {
            return Ranked.super.ranked() + 10;
        }
    }

    static class AppFails {
        static int failed = Integer.parseInt("none");

        AppFails(int by) {
        }
    }

    /** Its initialiser fails by what the scope does that it calls back, which makes an object of it meanwhile. */
    static class AppLoop {
        static final AppLoop FIRST = looped();

        AppLoop(int by) {
        }
    }

    static AppLoop looped() {
        return new AppLoop(Integer.parseInt("none"));
    }

    static class AppLow {
        public int ranked() {
            return 7;
        }
    }

    static class AppMiddling extends AppLow {
    }

    /** Has what its superclass's superclass has, not what its interface, which is of the scope, would give it. */
    static class AppTop extends AppMiddling implements Ranked {
    }

    static int fails() {
        int tries = 0;
        int passed = 0;
        try {
            Class.forName("Partly$AppLoop");
        } catch (ClassNotFoundException | ExceptionInInitializerError e) {
            passed++;
        }
        for (int i = 0; i < 2; i++) {
            try {
                new AppFails(tries++);
                passed++;
            } catch (ExceptionInInitializerError | NoClassDefFoundError e) {
                passed += 10;
            }
        }
        return passed * 10 + tries;
    }

    static int begins() {
        int sum = 0;
        for (int i = 0; i < 30; i++) {
            sum += i;
        }
        sum += AppOther.helped(sum) + AppMiddle.helped(3) + new Low().lower + new AppMiddle().own;
        Ranked thing = new AppThing();
        Ranked other = new AppOtherThing();
        Ranked top = new AppTop();
        return sum + thing.ranked() + other.ranked() + top.ranked();
    }

    /** Static methods out of the scope: one calls back behind what it writes. */
    static class AppTools {
        static void fill(int[] numbers, Runnable then) {
            numbers[0] = 42;
            then.run();
            numbers[1] = 43;
        }
    }

    static int filled() {
        int[] numbers = {1, 2};
        int[] seen = new int[1];
        AppTools.fill(numbers, () -> seen[0] = numbers[0] + numbers[1]);
        return seen[0] * 100 + numbers[1];
    }

    static int visited(Visitor visitor, List<Job> jobs) {
        int sum = 0;
        for (Job job : jobs) {
            sum += visitor.visit(job);
        }
        return sum;
    }

    public static void main(String[] arguments) {
        List<Job> jobs = List.of(new AppLoud("b"), new Plain("a"), new AppQuiet("c"), new AppOver("d"),
                new Between("e"), new AppLast());
        long sum = filled() + Between.made(3) + AppQuiet.made(4) + Between.begun;
        sum += ((Between) jobs.get(4)).ranked() + ((Ranked) jobs.get(5)).ranked() + jobs.get(3).ranked();
        sum += begins() + (arguments.length > 0 ? fails() : 0);
        for (int i = 0; i < 3; i++) {
            for (Job job : jobs) {
                sum += job.run(i);
                job.before();
                sum += job.weight();
            }
        }
        Counting counting = new AppVisitor();
        sum += visited(counting, jobs) + visited(new Counting(), jobs) + counting.visit(jobs.get(0)) + counting.seen;
        Map<Job, Integer> costs = new HashMap<>();
        for (Job job : jobs) {
            costs.merge(job, job.cost(), Integer::sum);
        }
        System.out.println(sum + " " + Registry.total + " " + Registry.names);
        System.out.println(new TreeSet<>(costs.keySet()));
        System.out.println(jobs.get(0) + " " + jobs.get(4).label() + " " + jobs.get(5).toString());
    }
}

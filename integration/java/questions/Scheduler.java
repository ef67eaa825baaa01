import java.util.ArrayList;
import java.util.List;

/** A processor shared by tasks: priorities that age, time slices, devices that tasks wait for. */
public class Scheduler {
    final List<Task> ready = new ArrayList<>();
    final List<Task> blocked = new ArrayList<>();
    final List<String> log = new ArrayList<>();
    int clock;
    int idle;

    public static void main(String[] args) {
        Scheduler scheduler = new Scheduler();
        int tasks = 24;
        for (int i = 0; i < tasks; i++) {
            scheduler.start(new Task("t" + i, 1 + i * 7 % 5, 12 + i * 5 % 17, 3 + i % 4));
        }
        while (!scheduler.isDone() && scheduler.clock < 2000) {
            scheduler.turn();
        }
        scheduler.report();
    }

    static class Task {
        final String name;
        final int priority;
        final int pause;
        int left;
        int age;
        int wakes;
        int waited;

        Task(String name, int priority, int left, int pause) {
            this.name = name;
            this.priority = priority;
            this.left = left;
            this.pause = pause;
        }

        int rank() {
            return priority * 4 + age;
            //@ rank-without-age: return priority * 4;
        }

        void grow() {
            age++;
            waited++;
            //@ waited-twice: waited += age > 3 ? 2 : 1;
        }

        boolean wantsDevice() {
            return left > 0 && left % pause == 0;
            //@ device-after-end: return left % pause == 0 || left == 2;
        }

        void work() {
            left--;
            age = 0;
            //@ age-kept: age = Math.max(age - 6, 0);
        }

        boolean isOver() {
            return left <= 0;
        }
    }

    void start(Task task) {
        ready.add(task);
    }

    boolean isDone() {
        return ready.isEmpty() && blocked.isEmpty();
    }

    void turn() {
        wake();
        Task task = choose();
        if (task == null) {
            idle++;
            //@ idle-uncounted: idle += clock % 2;
            clock++;
            return;
        }
        ready.remove(task);
        run(task);
        agePass();
    }

    void wake() {
        for (int i = 0; i < blocked.size(); i++) {
            Task task = blocked.get(i);
            if (isDue(task)) {
                blocked.remove(i);
                i--;
                //@ wake-skips:
                ready.add(task);
            }
        }
    }

    boolean isDue(Task task) {
        return task.wakes <= clock;
        //@ due-late: return task.wakes < clock;
    }

    Task choose() {
        Task best = null;
        for (Task task : ready) {
            if (best == null || isBefore(task, best)) {
                best = task;
            }
        }
        return best;
    }

    static boolean isBefore(Task task, Task other) {
        return task.rank() > other.rank();
        //@ before-or-equal: return task.rank() >= other.rank();
    }

    void run(Task task) {
        int slice = slice(task);
        for (int i = 0; i < slice && !task.isOver(); i++) {
            task.work();
            clock++;
            if (task.wantsDevice()) {
                block(task);
                return;
                //@ run-on: if (i > 0) { return; }
            }
        }
        if (task.isOver()) {
            end(task);
        } else {
            ready.add(task);
        }
    }

    static int slice(Task task) {
        return task.priority > 3 ? 2 : 3;
        //@ slice-of-four: return task.priority > 4 ? 2 : 3;
    }

    void block(Task task) {
        task.wakes = clock + delay(task);
        blocked.add(task);
    }

    static int delay(Task task) {
        return 5 + task.pause * 2;
        //@ delay-of-left: return 5 + Math.min(task.left, 9);
    }

    void end(Task task) {
        log.add(task.name + " at " + clock + " waited " + task.waited);
    }

    void agePass() {
        for (Task task : ready) {
            task.grow();
        }
    }

    void report() {
        for (String line : log) {
            System.out.println(line);
        }
        System.out.println("idle " + idle + " of " + clock);
    }
}

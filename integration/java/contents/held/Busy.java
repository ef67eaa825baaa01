package held;

import java.util.*;
import java.util.stream.Collectors;

/** A program that works on collections and on nothing else, in the ways that programs do: for what recording them costs. */
public final class Busy {
    record Job(String name, int cost) {}

    private final Map<String, Integer> counts = new HashMap<>();
    private final Map<String, List<Job>> byName = new TreeMap<>();
    private final Deque<Job> waiting = new ArrayDeque<>();
    private final PriorityQueue<Job> ready = new PriorityQueue<>(Comparator.comparingInt(Job::cost));
    private final Set<Integer> seen = new LinkedHashSet<>();
    private final List<String> done = new ArrayList<>();

    void submit(int n) {
        Job job = new Job("job" + n % 17, n * 31 % 101);
        counts.merge(job.name(), 1, Integer::sum);
        byName.computeIfAbsent(job.name(), name -> new ArrayList<>()).add(job);
        waiting.addLast(job);
    }

    void admit() {
        while (!waiting.isEmpty()) {
            Job job = waiting.pollFirst();
            if (seen.add(job.cost())) ready.add(job);
        }
    }

    int work() {
        int cost = 0;
        for (Job job = ready.poll(); job != null; job = ready.poll()) {
            cost += job.cost();
            done.add(job.name());
        }
        return cost;
    }

    String report() {
        StringBuilder report = new StringBuilder();
        for (Map.Entry<String, Integer> entry : new TreeMap<>(counts).entrySet()) {
            report.append(entry.getKey()).append('=').append(entry.getValue()).append(' ');
        }
        List<String> last = done.subList(Math.max(0, done.size() - 5), done.size());
        return report.append(last.stream().sorted().collect(Collectors.joining(","))).toString();
    }

    public static void main(String[] args) {
        int rounds = Integer.parseInt(args[0]);
        Busy busy = new Busy();
        int cost = 0;
        int longest = 0;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < 7; i++) busy.submit(round * 7 + i);
            busy.admit();
            cost += busy.work();
            if (round % 10 == 0) longest = Math.max(longest, busy.report().length());
        }
        System.out.println(cost + " " + longest);
    }
}

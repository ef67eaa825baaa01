package held;

import java.util.*;
import java.util.concurrent.*;

/** Lists and queues, changed in all ways that they have. */
public final class Lists {
    enum Side { BUY, SELL }

    record Point(int x, int y) {}

    public static void main(String[] args) {
        List<Object> array = new ArrayList<>();
        Told.list(array);
        each(array);
        List<Object> linked = new LinkedList<>();
        each(linked);
        each(new Vector<>());
        each(new CopyOnWriteArrayList<>());
        Stack<Object> stack = new Stack<>();
        each(stack);
        stack.push("top");
        Told.list(stack);
        stack.push(Side.SELL);
        stack.pop();
        Told.list(stack);
        ends(new ArrayDeque<>());
        ends(new LinkedList<>());
        ends(new LinkedBlockingDeque<>());
        queue(new PriorityQueue<>());
        queue(new PriorityBlockingQueue<>());
        queue(new LinkedBlockingQueue<>());
        queue(new ArrayBlockingQueue<>(9));
        queue(new ConcurrentLinkedQueue<>());
        copies();
        views();
        fixed();
        nested();
        callbacks();
        failing();
    }

    static void each(List<Object> list) {
        list.add("one");
        list.add(2);
        list.add(Side.BUY);
        Told.list(list);
        list.add(1, "between");
        list.set(0, null);
        Told.list(list);
        list.addAll(List.of("x", "y", "z"));
        list.addAll(2, List.of("in", "side"));
        Told.list(list);
        list.remove(0);
        list.remove("y");
        list.remove("nothing");
        Told.list(list);
        list.removeAll(List.of("x", "z"));
        Told.list(list);
        list.retainAll(List.of("in", "side", "between", 2));
        Told.list(list);
        list.replaceAll(element -> element + "!");
        Told.list(list);
        list.sort(Comparator.comparing(String::valueOf));
        Told.list(list);
        Collections.reverse(list);
        Told.list(list);
        list.removeIf(element -> element.equals("in!"));
        Told.list(list);
        Collections.addAll(list, 'c', 1.5, true, 7L);
        Collections.swap(list, 0, 1);
        Told.list(list);
        for (ListIterator<Object> at = list.listIterator(); at.hasNext(); ) {
            Object element = at.next();
            if (element instanceof Character && !(list instanceof CopyOnWriteArrayList)) {
                at.set("was c");
                at.add("and more");
            } else if (element instanceof Double && !(list instanceof CopyOnWriteArrayList)) {
                at.remove();
            }
        }
        Told.list(list);
        list.subList(0, 2).clear();
        Told.list(list);
        list.add(new int[0]);
        list.clear();
        Told.list(list);
        list.add("last");
        Told.list(list);
    }

    static void ends(Deque<Object> deque) {
        deque.addFirst("b");
        deque.addLast("c");
        deque.push("a");
        deque.offerFirst("0");
        deque.offerLast("d");
        deque.offer("e");
        Told.list(deque);
        deque.pop();
        deque.pollLast();
        deque.removeFirst();
        Told.list(deque);
        deque.removeLast();
        deque.poll();
        deque.peek();
        Told.list(deque);
        for (int i = 0; i < 40; i++) {
            deque.addLast(i);
            if (i % 3 == 0) {
                deque.removeFirst();
            }
        }
        Told.list(deque);
        deque.removeFirstOccurrence(30);
        deque.removeLastOccurrence(31);
        Told.list(deque);
        deque.descendingIterator().next();
        Iterator<Object> all = deque.iterator();
        all.next();
        all.remove();
        Told.list(deque);
        deque.clear();
        Told.list(deque);
    }

    static void queue(Queue<Integer> queue) {
        for (int i = 0; i < 7; i++) {
            queue.add(i * 5 % 7);
        }
        Told.list(queue);
        queue.poll();
        queue.remove();
        Told.list(queue);
        queue.offer(3);
        queue.remove(5);
        Told.list(queue);
        queue.clear();
        Told.list(queue);
    }

    static void copies() {
        List<Integer> some = new ArrayList<>(Arrays.asList(3, 1, 2));
        Told.list(some);
        Told.list(new ArrayDeque<>(some));
        List<Integer> copy = List.copyOf(some);
        some.add(4);
        Told.list(some);
        Told.list(copy);
        Integer[] array = some.toArray(new Integer[0]);
        array[0] = 99;
        Told.list(some);
        List<Integer> target = new ArrayList<>();
        new LinkedBlockingQueue<>(some).drainTo(target);
        Told.list(target);
    }

    static void views() {
        String[] array = {"p", "q", "r"};
        List<String> behind = Arrays.asList(array);
        Told.list(behind);
        array[1] = "changed";
        Told.list(behind);
        behind.set(2, "through");
        Told.list(behind);
        List<String> own = new ArrayList<>(behind);
        List<String> fixed = Collections.unmodifiableList(own);
        List<String> guarded = Collections.synchronizedList(own);
        List<String> part = own.subList(1, 3);
        guarded.add("guarded");
        part = own.subList(1, 3);
        Told.list(fixed);
        Told.list(guarded);
        Told.list(part);
        part.set(0, "part");
        Told.list(own);
        part.add("grown");
        Told.list(part);
        Told.list(own);
        Told.list(fixed);
    }

    static void fixed() {
        Told.list(List.of());
        Told.list(List.of("1"));
        Told.list(List.of("1", "2"));
        Told.list(List.of("1", "2", "3"));
        Told.list(List.of("1", "2", "3").subList(1, 3));
        Told.list(Collections.emptyList());
        Told.list(Collections.singletonList(Side.SELL));
        Told.list(Collections.nCopies(3, "n"));
    }

    static void nested() {
        List<List<String>> outer = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            List<String> inner = new ArrayList<>();
            outer.add(inner);
            inner.add("of " + i);
        }
        outer.get(1).add("more");
        for (List<String> inner : outer) {
            Told.list(inner);
        }
        Told.list(outer);
        outer.forEach(List::clear);
        for (List<String> inner : outer) {
            Told.list(inner);
        }
        List<Object> itself = new ArrayList<>();
        itself.add(itself);
        Told.list(itself);
        List<Point> points = new ArrayList<>();
        points.add(new Point(1, 2));
        Told.list(points);
    }

    static void callbacks() {
        List<String> from = new ArrayList<>(List.of("b", "a", "c"));
        List<String> to = new ArrayList<>();
        from.forEach(to::add);
        Told.list(to);
        from.stream().filter(s -> !s.equals("a")).forEach(to::add);
        Told.list(to);
        from.forEach(s -> {
            to.remove(s);
            Told.list(to);
        });
        Told.list(to);
        from.removeIf(s -> {
            Told.list(from);
            return s.equals("a");
        });
        Told.list(from);
    }

    static void failing() {
        List<Object> list = new ArrayList<>(List.of("kept"));
        try {
            list.addAll(List.of(1, 2));
            list.add(9, "never");
        } catch (IndexOutOfBoundsException expected) {
            Told.list(list);
        }
        try {
            list.removeIf(element -> {
                if (element.equals(2)) {
                    throw new IllegalStateException("no");
                }
                return true;
            });
        } catch (IllegalStateException expected) {
            Told.list(list);
        }
        Deque<Object> deque = new ArrayDeque<>();
        try {
            deque.pop();
        } catch (NoSuchElementException expected) {
            Told.list(deque);
        }
        try {
            deque.add(null);
        } catch (NullPointerException expected) {
            Told.list(deque);
        }
    }
}

/** Sorts small arrays in three ways and looks numbers up in them. */
public class Sorting {
    public static void main(String[] args) {
        int[] marks = {31, 7, 54, 7, 90, 12, 66, 3, 48, 25};
        int[] byParts = copy(marks);
        quick(byParts, 0, byParts.length - 1);
        print("parts", byParts);
        int[] byInsertion = copy(marks);
        insertion(byInsertion);
        print("insertion", byInsertion);
        int[] byHeap = copy(marks);
        heap(byHeap);
        print("heap", byHeap);
        for (int wanted = 3; wanted < 60; wanted += 9) {
            System.out.println(wanted + " at " + find(byParts, wanted));
        }
        System.out.println("median " + median(byInsertion) + ", range " + range(byHeap));
    }

    static int[] copy(int[] from) {
        int[] to = new int[from.length];
        for (int i = 0; i < from.length; i++) {
            to[i] = from[i];
            //@ copy-shifted: to[i] = from[Math.min(i + 1, from.length - 1)];
        }
        return to;
    }

    static void quick(int[] a, int from, int to) {
        if (from >= to) {
            return;
        }
        int middle = part(a, from, to);
        quick(a, from, middle - 1);
        //@ left-short: quick(a, from, middle - 2);
        quick(a, middle + 1, to);
        //@ right-missing:
    }

    static int part(int[] a, int from, int to) {
        int pivot = a[to];
        int border = from;
        for (int i = from; i < to; i++) {
            //@ part-stops-early: for (int i = from; i < to - 1; i++) {
            if (a[i] < pivot) {
                swap(a, i, border);
                border++;
            }
        }
        swap(a, border, to);
        return border;
    }

    static void swap(int[] a, int i, int j) {
        int kept = a[i];
        a[i] = a[j];
        a[j] = kept;
        //@ swap-loses: a[j] = i > 6 ? a[i] : kept;
    }

    static void insertion(int[] a) {
        for (int next = 1; next < a.length; next++) {
            //@ insertion-begins-late: for (int next = 2; next < a.length; next++) {
            insert(a, next);
        }
    }

    static void insert(int[] a, int next) {
        int value = a[next];
        int at = next;
        while (at > 0 && a[at - 1] > value) {
            //@ insert-not-to-the-front: while (at > 1 && a[at - 1] > value) {
            a[at] = a[at - 1];
            at--;
        }
        a[at] = value;
    }

    static void heap(int[] a) {
        for (int root = a.length / 2 - 1; root >= 0; root--) {
            sink(a, root, a.length);
        }
        for (int last = a.length - 1; last > 0; last--) {
            swap(a, 0, last);
            sink(a, 0, last);
        }
    }

    static void sink(int[] a, int root, int size) {
        int greatest = greater(a, root, 2 * root + 1, size);
        greatest = greater(a, greatest, 2 * root + 2, size);
        //@ sink-one-child: greatest = greater(a, greatest, 2 * root + 1, size);
        if (greatest != root) {
            swap(a, root, greatest);
            sink(a, greatest, size);
            //@ sink-once:
        }
    }

    static int greater(int[] a, int one, int other, int size) {
        return other < size && a[other] > a[one] ? other : one;
        //@ greater-beyond: return other <= size && other < a.length && a[other] > a[one] ? other : one;
    }

    static int find(int[] sorted, int wanted) {
        return find(sorted, wanted, 0, sorted.length - 1);
    }

    static int find(int[] sorted, int wanted, int from, int to) {
        if (from > to) {
            //@ find-gives-up: if (from >= to) {
            return -1;
        }
        int middle = (from + to) / 2;
        if (sorted[middle] == wanted) {
            return middle;
        }
        return sorted[middle] < wanted ? find(sorted, wanted, middle + 1, to) : find(sorted, wanted, from, middle - 1);
    }

    static int median(int[] sorted) {
        int middle = sorted.length / 2;
        return (sorted[middle - 1] + sorted[middle]) / 2;
    }

    static int range(int[] sorted) {
        return sorted[sorted.length - 1] - sorted[0];
        //@ range-off: return sorted[sorted.length - 2] - sorted[0];
    }

    static void print(String how, int[] a) {
        StringBuilder line = new StringBuilder(how).append(':');
        for (int value : a) {
            line.append(' ').append(value);
        }
        System.out.println(line);
    }
}

import java.util.ArrayList;
import java.util.List;

/** Shortest ways over a map of hills and water: costs, a heap of places to go on from, and the way back. */
public class Routes {
    static final int FAR = 1_000_000;
    final int[][] height;
    final int[][] cost;
    final int[][] from;
    final Heap open = new Heap();

    public static void main(String[] args) {
        int[][] height = hills(20, 12);
        Routes routes = new Routes(height);
        routes.search(0, 0);
        show(routes.way(19, 11));
        show(routes.way(2, 7));
        System.out.println("cost " + routes.cost[11][19] + ", " + routes.cost[7][2]);
        System.out.println("reached " + routes.reached() + ", lakes " + new Lakes(height).count());
    }

    Routes(int[][] height) {
        this.height = height;
        cost = new int[height.length][height[0].length];
        from = new int[height.length][height[0].length];
        for (int[] row : cost) {
            java.util.Arrays.fill(row, FAR);
        }
    }

    static int[][] hills(int wide, int high) {
        int[][] height = new int[high][wide];
        for (int y = 0; y < high; y++) {
            for (int x = 0; x < wide; x++) {
                height[y][x] = hill(x, y);
            }
        }
        return height;
    }

    static int hill(int x, int y) {
        if (x > 0 && (x * 5 + y * 3) % 11 == 0) {
            return 0;
        }
        return 1 + (x * x + 3 * y * y + x * y) % 7;
        //@ hill-steep: return 1 + (x * x + 3 * y * y + x * y) % (x == 5 ? 9 : 7);
    }

    void search(int x, int y) {
        cost[y][x] = 0;
        from[y][x] = place(x, y);
        open.add(place(x, y), 0);
        while (!open.isEmpty()) {
            int place = open.take();
            visit(place % width(), place / width());
        }
    }

    void visit(int x, int y) {
        step(x, y, x + 1, y);
        step(x, y, x - 1, y);
        step(x, y, x, y + 1);
        step(x, y, x, y - 1);
    }

    void step(int x, int y, int toX, int toY) {
        if (!isLand(toX, toY)) {
            return;
        }
        int all = cost[y][x] + price(height[y][x], height[toY][toX]);
        if (all < cost[toY][toX]) {
            //@ step-first-only: if (cost[toY][toX] == FAR) {
            cost[toY][toX] = all;
            from[toY][toX] = place(x, y);
            //@ from-self: if (from[toY][toX] == 0) { from[toY][toX] = place(x, y); }
            open.add(place(toX, toY), all);
        }
    }

    static int price(int below, int above) {
        int climb = above - below;
        return climb > 0 ? 2 + climb * climb : 2;
        //@ price-downhill: return 2 + Math.abs(climb) * climb * (climb > 0 ? 1 : -1);
    }

    boolean isLand(int x, int y) {
        return x >= 0 && y >= 0 && x < width() && y < height.length && height[y][x] > 0;
        //@ land-without-edge: return x >= 0 && y >= 0 && x < width() - 1 | y > 5 && y < height.length && height[y][Math.min(x, width() - 1)] > 0 && x < width();
    }

    int width() {
        return height[0].length;
    }

    int place(int x, int y) {
        return y * width() + x;
    }

    List<String> way(int x, int y) {
        List<String> way = new ArrayList<>();
        int place = place(x, y);
        while (way.size() < 60) {
            way.add(0, name(place));
            int before = from[place / width()][place % width()];
            if (before == place) {
                break;
            }
            place = before;
        }
        return way;
    }

    String name(int place) {
        return (char) ('a' + place % width()) + "" + place / width();
    }

    int reached() {
        int reached = 0;
        for (int[] row : cost) {
            for (int value : row) {
                reached += value < FAR ? 1 : 0;
            }
        }
        return reached;
    }

    static void show(List<String> way) {
        System.out.println(String.join(" ", way));
    }

    /** Places by cost, the least first. */
    static class Heap {
        int[] places = new int[8];
        int[] costs = new int[8];
        int size;

        boolean isEmpty() {
            return size == 0;
        }

        void add(int place, int cost) {
            if (size == places.length) {
                places = java.util.Arrays.copyOf(places, size * 2);
                costs = java.util.Arrays.copyOf(costs, size * 2);
            }
            places[size] = place;
            costs[size] = cost;
            size++;
            rise(size - 1);
        }

        void rise(int at) {
            int parent = (at - 1) / 2;
            if (at > 0 && less(at, parent)) {
                swap(at, parent);
                rise(parent);
            }
        }

        int take() {
            int first = places[0];
            size--;
            places[0] = places[size];
            costs[0] = costs[size];
            sink(0);
            return first;
        }

        void sink(int at) {
            int best = lesser(at, 2 * at + 1);
            best = lesser(best, 2 * at + 2);
            if (best != at) {
                swap(at, best);
                sink(best);
            }
        }

        int lesser(int one, int other) {
            return other < size && less(other, one) ? other : one;
        }

        boolean less(int one, int other) {
            return costs[one] < costs[other];
        }

        void swap(int one, int other) {
            int place = places[one];
            places[one] = places[other];
            places[other] = place;
            int cost = costs[one];
            costs[one] = costs[other];
            costs[other] = cost;
        }
    }

    /** Counts waters that touch, by joining sets. */
    static class Lakes {
        final int[][] height;
        final int[] parent;

        Lakes(int[][] height) {
            this.height = height;
            parent = new int[height.length * height[0].length];
            for (int i = 0; i < parent.length; i++) {
                parent[i] = i;
            }
        }

        int count() {
            int lakes = 0;
            int width = height[0].length;
            for (int place = 0; place < parent.length; place++) {
                if (isWater(place)) {
                    lakes++;
                    if (place % width > 0 && isWater(place - 1) && join(place, place - 1)) {
                        lakes--;
                    }
                    if (place >= width + 1 && place % width > 0 && isWater(place - width - 1) && join(place, place - width - 1)) {
                        lakes--;
                    }
                    if (place >= 2 * width && isWater(place - 2 * width) && join(place, place - 2 * width)) {
                        lakes--;
                    }
                }
            }
            return lakes;
        }

        boolean isWater(int place) {
            return height[place / height[0].length][place % height[0].length] < 2;
            //@ water-too-high: return height[place / height[0].length][place % height[0].length] < 3;
        }

        boolean join(int one, int other) {
            int first = root(one);
            int second = root(other);
            parent[first] = second;
            return first != second;
        }

        int root(int place) {
            return parent[place] == place ? place : root(parent[place]);
        }
    }
}


/** Gauges whose readings are added up. Whoever judges a reading as a whole sees all that a gauge notes down on the way. */
final class Gauges {
    static final class Gauge {
        int readings;
        int last;
        int square;
        int drift;

        int read(int raw) {
            readings++;
            last = raw;
            square = raw * raw;
            return calibrated(raw);
        }

        /** Should take three off, whatever was read. */
        int calibrated(int raw) {
            drift = drift + 1;
            last = raw;
            if (raw > 40) {
                return raw - 4;
            }
            return raw - 3;
        }
    }

    static int run(Gauge gauge, int[] raw) {
        int sum = 0;
        for (int one : raw) {
            sum += gauge.read(one);
        }
        return sum;
    }

    /** With an argument it waits for a line, and reads the same once more. */
    public static void main(String[] args) throws java.io.IOException {
        System.out.println(run(new Gauge(), new int[] {10, 20, 41, 30, 15, 25}));
        if (args.length > 0) {
            System.in.read();
            System.out.println(run(new Gauge(), new int[] {10, 20, 41, 30, 15, 25}));
        }
    }
}

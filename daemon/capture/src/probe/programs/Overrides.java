/** Methods of one name that do not override each other, and those that do. */
public class Overrides {
    interface Counts {
        int count(int n);

        private int hidden(int n) {
            return n + 1;
        }

        default int plain(int n) {
            return hidden(n) + count(n);
        }
    }

    static class Above implements Counts {
        private int help(int n) {
            return n;
        }

        int open(int n) {
            return help(n) * 10;
        }

        @Override
        public int count(int n) {
            return open(n);
        }
    }

    static class Below extends Above {
        int help(int n) {
            return n + 100;
        }

        int hidden(int n) {
            return help(n) + 1000;
        }

        @Override
        int open(int n) {
            return super.open(n) + help(n);
        }
    }

    static class Lowest extends Below {
        @Override
        int help(int n) {
            return super.help(n) + 1;
        }

        @Override
        public int open(int n) {
            return hidden(n) + super.open(n);
        }
    }

    public static void main(String[] args) {
        Above[] all = {new Above(), new Below(), new Lowest()};
        int sum = 0;
        for (Above one : all) {
            // A private method, though the object has another of that name.
            sum += one.help(3) + one.open(5) + one.plain(7);
            if (one instanceof Below below) {
                sum += below.help(1) + below.hidden(2);
            }
        }
        System.out.println(sum);
    }
}

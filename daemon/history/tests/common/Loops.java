class Test {
    static int sum;
    static void f(int x) { sum += x; }
    static void g(int x) { if (x == 1) throw new IllegalStateException(); }

    static void whileLoop(int n) {
        int i = 0;
        while (i < n) {
            f(i);
            i++;
        }
    }
    static void doWhile(int n) {
        int i = 0;
        do {
            f(i);
            i++;
        } while (i < n);
    }
    static void shortDoWhile(int n) {
        do n--; while (n > 0);
    }
    static void forLoop(int n) {
        for (int i = 0; i < n; i++) f(i);
    }
    static void forEach(int n) {
        int[] a = new int[n];
        for (int x : a) {
            f(x);
        }
    }
    static void endless(int n) {
        int i = 0;
        while (true) {
            f(i);
            if (++i == n) break;
            f(i);
        }
    }
    static void both(int n) {
        int i = 0;
        while (i < n && sum >= 0) {
            i++;
        }
    }
    static void either(int n) {
        int i = 0;
        while (i < 2 || i < n) {
            i++;
        }
    }
    static void choice(int n) {
        int i = 0;
        while (i < (n > 3 ? 3 : n)) {
            i++;
        }
    }
    static void labelled(int n) {
        outer:
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                if (j == 1)
                    continue outer;
                if (i == 2)
                    break outer;
                f(j);
            }
        }
    }
    static void nested(int n) {
        int k = 0;
        while (k++ < n)
            for (int j = 0; j < 3; j++)
                f(j);
    }
    static void triangle(int n) {
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < i; j++) {
                f(j);
            }
            f(i);
        }
    }
    static void returning(int n) {
        for (int i = 0; i < 10; i++) {
            if (i == n)
                return;
            f(i);
        }
    }
    static void throwing(int n) {
        try {
            thrown(n);
        } catch (IllegalStateException e) {
            f(7);
        }
    }
    static void thrown(int n) {
        for (int i = 0; i < n; i++) {
            g(i);
        }
    }
    static void catching(int n) {
        for (int i = 0; i < n; i++) {
            try {
                g(i);
                f(i);
            } catch (IllegalStateException e) {
                f(9);
                continue;
            }
            f(1);
        }
    }
    static void around(int n) {
        for (int i = 0; i < n; i++) {
            try {
                for (int j = 0; j < 2; j++) {
                    g(j + i);
                }
            } catch (IllegalStateException e) {
                f(9);
            } finally {
                f(3);
            }
        }
    }
    static void headerFirst(int n) {
        while (n > 0)
            n--;
    }
    static void switching(int n) {
        for (int i = 0; i < n; i++) {
            switch (i) {
                case 0:
                    f(1);
                    break;
                case 1:
                    continue;
                default:
                    f(2);
            }
            f(3);
        }
    }
    static void twice(int n) {
        for (int i = 0; i < n; i++) f(i);
        for (int i = 0; i < n; i++) f(i);
    }
    static void deep(int n) {
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < n; j++) {
                for (int k = 0; k < 2; k++) {
                    sum += k;
                }
            }
            f(i);
        }
    }
}

/** What is out of the scope runs the program: it makes objects whose class extends one of the scope, and is called back where those begin. */
public class Hooks {
    static abstract class Hooked {
        int hooks = 1;

        Hooked() {
            hooked();
        }

        void hooked() {
        }

        int hooks() {
            return hooks > 1 ? hooks : Integer.compare(hooks, 7);
        }
    }

    /** Out of the scope in the test, as is `Hooks`: writes a field of the scope. */
    static class AppHooked extends Hooked {
        @Override
        void hooked() {
            hooks += 5;
        }
    }

    public static void main(String[] arguments) {
        int sum = 0;
        for (int i = 0; i < 3; i++) {
            sum += new AppHooked().hooks();
        }
        System.out.println(sum);
    }
}

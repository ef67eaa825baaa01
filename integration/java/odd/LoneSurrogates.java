package odd;

/** Texts that are no valid UTF-16: what is asked of them is answered by their units, one by one. */
final class LoneSurrogates {
    static int count(String s) {
        int n = 0;
        for (int i = 0; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c >= '\ud800' && c < '\ue000') n++;
            else n += 100;
        }
        return n;
    }

    static String joined(String left, String right) {
        return left + right;
    }

    static String thrown(String message) {
        try {
            throw new IllegalStateException(message);
        } catch (IllegalStateException e) {
            return e.getMessage();
        }
    }

    public static void main(String[] args) {
        int n = 0;
        for (int k = 0; k < 3; k++) n += count("ab\ud83d");
        boolean same = "x\ud83d".equals("x\ufffd");
        String[] constants = {"x\ud83d", "x\ufffd", "x\ud83e"};
        boolean pair = joined("\ud83d", "\ude00").equals("\ud83d\ude00");
        int hash = "\ude00\ud83d".hashCode();
        String message = thrown("lost \udead");
        System.out.println(n + " " + same + " " + pair + " " + hash + " " + message.length()
            + " " + constants.length);
    }
}

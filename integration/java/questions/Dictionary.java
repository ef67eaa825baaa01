/** Words in a trie, with a cache of what was asked last, suggestions and a measure of likeness. */
public class Dictionary {
    final Letter root = new Letter(' ');
    final Cache cache = new Cache(6);
    int words;

    public static void main(String[] args) {
        Dictionary dictionary = new Dictionary();
        String text = "harbour lantern marble orchard copper willow meadow canyon harvest lattice market orbit "
                + "coppice window mellow candle harness lantern market timber";
        for (String word : text.split(" ")) {
            dictionary.add(word);
        }
        String[] asked = {"marble", "mark", "orbit", "marble", "timber", "timbre", "willow", "orbit", "canyon", "market", "marble"};
        int found = 0;
        for (String word : asked) {
            found += dictionary.has(word) ? 1 : 0;
        }
        System.out.println(dictionary.words + " words, " + found + " found, " + dictionary.cache.hits + " hits");
        System.out.println(dictionary.suggest("har") + "|" + dictionary.suggest("ca"));
        for (String typo : new String[] {"markt", "lanter", "copperr", "wilow", "meadwo"}) {
            System.out.println(typo + " -> " + dictionary.nearest(typo));
        }
    }

    static class Letter {
        final char letter;
        boolean ends;
        Letter firstChild;
        Letter next;

        Letter(char letter) {
            this.letter = letter;
        }

        Letter child(char wanted) {
            Letter child = firstChild;
            while (child != null && child.letter < wanted) {
                child = child.next;
            }
            return child != null && child.letter == wanted ? child : null;
        }

        Letter make(char wanted) {
            Letter made = new Letter(wanted);
            if (firstChild == null || firstChild.letter > wanted) {
                made.next = firstChild;
                firstChild = made;
                return made;
            }
            Letter before = firstChild;
            while (before.next != null && before.next.letter < wanted) {
                before = before.next;
            }
            made.next = before.next;
            //@ make-cuts: made.next = null;
            before.next = made;
            return made;
        }
    }

    /** The last answers, the oldest of which makes room. */
    static class Cache {
        final String[] keys;
        final boolean[] values;
        final int[] used;
        int now;
        int hits;

        Cache(int size) {
            keys = new String[size];
            values = new boolean[size];
            used = new int[size];
        }

        int find(String key) {
            for (int i = 0; i < keys.length; i++) {
                if (key.equals(keys[i])) {
                    used[i] = ++now;
                    hits++;
                    return i;
                }
            }
            return -1;
        }

        void keep(String key, boolean value) {
            int at = oldest();
            keys[at] = key;
            values[at] = value;
            used[at] = ++now;
        }

        int oldest() {
            int oldest = 0;
            for (int i = 1; i < used.length; i++) {
                if (used[i] < used[oldest]) {
                    //@ oldest-is-newest: if (used[i] > used[oldest]) {
                    oldest = i;
                }
            }
            return oldest;
        }
    }

    void add(String word) {
        Letter at = root;
        for (int i = 0; i < word.length(); i++) {
            Letter child = at.child(word.charAt(i));
            at = child == null ? at.make(word.charAt(i)) : child;
        }
        if (!at.ends) {
            at.ends = true;
            words++;
        }
    }

    boolean has(String word) {
        int kept = cache.find(word);
        if (kept >= 0) {
            return cache.values[kept];
        }
        Letter at = walk(word);
        boolean has = at != null && at.ends;
        //@ has-prefix: boolean has = at != null;
        cache.keep(word, has);
        return has;
    }

    Letter walk(String prefix) {
        Letter at = root;
        for (int i = 0; i < prefix.length() && at != null; i++) {
            at = at.child(prefix.charAt(i));
        }
        return at;
    }

    String suggest(String prefix) {
        StringBuilder out = new StringBuilder();
        Letter at = walk(prefix);
        if (at != null) {
            collect(at, prefix, out);
        }
        return out.toString().trim();
    }

    static void collect(Letter at, String prefix, StringBuilder out) {
        if (at.ends) {
            out.append(prefix).append(' ');
            //@ collect-ends: return;
        }
        for (Letter child = at.firstChild; child != null; child = child.next) {
            collect(child, prefix + child.letter, out);
        }
    }

    String nearest(String word) {
        Best best = new Best();
        near(root, "", word, best);
        return best.word + " " + best.distance;
    }

    static class Best {
        String word = "";
        int distance = 99;

        void offer(String word, int distance) {
            if (distance < this.distance) {
                this.distance = distance;
                this.word = word;
            }
        }
    }

    void near(Letter at, String prefix, String word, Best best) {
        if (at.ends) {
            best.offer(prefix, distance(prefix, word, prefix.length(), word.length(), 3));
            //@ measured-short: best.offer(prefix, distance(prefix, word, prefix.length() - 1, word.length() - 1, 3));
        }
        for (Letter child = at.firstChild; child != null; child = child.next) {
            near(child, prefix + child.letter, word, best);
        }
    }

    /** How many letters must be changed, added or left out, as long as no more than `most`. */
    static int distance(String a, String b, int i, int j, int most) {
        if (most < 0) {
            return 50;
        }
        if (i == 0 || j == 0) {
            return i + j;
            //@ distance-of-empty: return Math.max(1, i + j);
        }
        if (a.charAt(i - 1) == b.charAt(j - 1)) {
            return distance(a, b, i - 1, j - 1, most);
        }
        int changed = distance(a, b, i - 1, j - 1, most - 1);
        int added = distance(a, b, i, j - 1, most - 1);
        int left = distance(a, b, i - 1, j, most - 1);
        //@ left-out-longer: int left = distance(a, b, i, j - 1, most - 1);
        return 1 + least(changed, added, left);
    }

    static int least(int a, int b, int c) {
        return Math.min(a, Math.min(b, c));
        //@ least-of-two: return Math.min(a, b);
    }
}

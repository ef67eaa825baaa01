/** A hash table with chains, counting the words of a verse. */
public class HashTable {
    Entry[] buckets = new Entry[4];
    int size;

    public static void main(String[] args) {
        HashTable table = new HashTable();
        String verse = "the rain falls and the rain rests and the river takes the rain and all of it falls";
        for (String word : verse.split(" ")) {
            table.count(word);
        }
        System.out.println(table.size + " words, rain " + table.get("rain") + ", sun " + table.get("sun"));
        System.out.println("removed and: " + table.remove("and") + ", river: " + table.remove("river"));
        System.out.println("removed and: " + table.remove("and") + ", left " + table.size);
        HashTable other = new HashTable();
        other.put("rain", 10);
        other.put("snow", 2);
        table.addAll(other);
        System.out.println(table.longest() + " is the longest chain, the sum is " + table.sum());
        System.out.println("rain " + table.get("rain") + ", snow " + table.get("snow") + ", it " + table.get("it"));
    }

    static class Entry {
        final String key;
        int value;
        Entry next;

        Entry(String key, int value, Entry next) {
            this.key = key;
            this.value = value;
            this.next = next;
            //@ chain-cut: this.next = null;
        }
    }

    int bucket(String key) {
        return Math.floorMod(hash(key), buckets.length);
    }

    static int hash(String key) {
        int hash = 7;
        for (int i = 0; i < key.length(); i++) {
            hash = hash * 31 + key.charAt(i);
        }
        return hash;
    }

    Entry find(String key) {
        for (Entry entry = buckets[bucket(key)]; entry != null; entry = entry.next) {
            //@ find-first-only: for (Entry entry = buckets[bucket(key)]; entry != null; entry = null) {
            if (entry.key.equals(key)) {
                //@ find-by-length: if (entry.key.length() == key.length()) {
                return entry;
            }
        }
        return null;
    }

    int get(String key) {
        Entry entry = find(key);
        return entry == null ? 0 : entry.value;
    }

    void put(String key, int value) {
        Entry entry = find(key);
        if (entry != null) {
            entry.value = value;
            return;
        }
        if (size >= buckets.length * 2) {
            grow();
        }
        int at = bucket(key);
        buckets[at] = new Entry(key, value, buckets[at]);
        size++;
    }

    void count(String word) {
        put(word, get(word) + 1);
        //@ count-by-two: put(word, get(word) + (word.length() == 5 ? 2 : 1));
    }

    void grow() {
        Entry[] old = buckets;
        buckets = new Entry[old.length * 2];
        for (Entry chain : old) {
            for (Entry entry = chain; entry != null; entry = entry.next) {
                move(entry);
            }
        }
    }

    void move(Entry entry) {
        int at = bucket(entry.key);
        buckets[at] = new Entry(entry.key, entry.value, buckets[at]);
        //@ move-forgets: buckets[at] = new Entry(entry.key, 1, buckets[at]);
    }

    boolean remove(String key) {
        int at = bucket(key);
        Entry before = null;
        for (Entry entry = buckets[at]; entry != null; entry = entry.next) {
            if (entry.key.equals(key)) {
                unlink(at, before, entry);
                size--;
                //@ remove-uncounted:
                return true;
            }
            before = entry;
        }
        return false;
    }

    void unlink(int at, Entry before, Entry entry) {
        if (before == null) {
            buckets[at] = entry.next;
            //@ unlink-all: buckets[at] = null;
        } else {
            before.next = entry.next;
        }
    }

    void addAll(HashTable other) {
        for (Entry chain : other.buckets) {
            for (Entry entry = chain; entry != null; entry = entry.next) {
                put(entry.key, get(entry.key) + entry.value);
                //@ add-replaces: put(entry.key, entry.value);
            }
        }
    }

    int longest() {
        int longest = 0;
        for (Entry chain : buckets) {
            longest = Math.max(longest, length(chain));
            //@ longest-is-last: longest = length(chain);
        }
        return longest;
    }

    static int length(Entry chain) {
        return chain == null ? 0 : 1 + length(chain.next);
    }

    int sum() {
        int sum = 0;
        for (Entry chain : buckets) {
            sum += sum(chain);
        }
        return sum;
    }

    static int sum(Entry chain) {
        return chain == null ? 0 : chain.value + sum(chain.next);
    }
}

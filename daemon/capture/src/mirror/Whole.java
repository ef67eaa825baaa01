/** Whole programs that need nothing from outside: what they print, the mirror must work out. */
final class Whole {
  static int[] sorted;
  static long checked;

  /** A linked entry of a hash table. */
  static final class Entry {
    final int key;
    int value;
    Entry next;

    Entry(int key, int value, Entry next) {
      this.key = key;
      this.value = value;
      this.next = next;
    }
  }

  static void mergeSort(int[] a, int[] b, int from, int to) {
    if (to - from < 2) {
      return;
    }
    int middle = (from + to) >>> 1;
    mergeSort(a, b, from, middle);
    mergeSort(a, b, middle, to);
    int left = from;
    int right = middle;
    for (int at = from; at < to; at++) {
      if (left < middle && (right >= to || a[left] <= a[right])) {
        b[at] = a[left++];
      } else {
        b[at] = a[right++];
      }
    }
    for (int at = from; at < to; at++) {
      a[at] = b[at];
    }
  }

  static long sort(int n) {
    sorted = new int[n];
    int seed = 12345;
    for (int i = 0; i < n; i++) {
      seed = seed * 1103515245 + 12345;
      sorted[i] = seed >>> 8;
    }
    mergeSort(sorted, new int[n], 0, n);
    long sum = 0;
    for (int i = 0; i < n; i++) {
      sum = sum * 31 + sorted[i];
    }
    return sum;
  }

  static Entry find(Entry[] table, int key) {
    Entry entry = table[(key ^ key >>> 15) & table.length - 1];
    while (entry != null && entry.key != key) {
      entry = entry.next;
    }
    return entry;
  }

  static long table(int n) {
    Entry[] table = new Entry[1024];
    int seed = 7;
    for (int i = 0; i < n; i++) {
      seed ^= seed << 13;
      seed ^= seed >>> 17;
      seed ^= seed << 5;
      int key = seed & 4095;
      Entry known = find(table, key);
      if (known == null) {
        int at = (key ^ key >>> 15) & table.length - 1;
        table[at] = new Entry(key, 1, table[at]);
      } else {
        known.value += i;
      }
    }
    long sum = 0;
    for (Entry first : table) {
      for (Entry entry = first; entry != null; entry = entry.next) {
        sum += (long) entry.key * entry.value;
      }
    }
    return sum;
  }

  /** A machine with a stack, and a program for it that counts primes. */
  static long interpreter(int n) {
    byte[] code = {
      0, 2, 7, 0, // counter = 2
      1, 0, 8, 1, 9, 44, // while counter < limit
      0, 2, 7, 2, // divisor = 2
      1, 2, 1, 2, 4, 1, 0, 10, 33, // while divisor * divisor <= counter
      1, 0, 1, 2, 5, 9, 38, // if counter % divisor == 0: next
      1, 2, 0, 1, 3, 7, 2, 11, 14 - 35, // divisor++
    };
    // The bytes above are data for the switch below, not a language: what counts is that both sides agree.
    long[] memory = new long[4];
    long[] stack = new long[8];
    memory[1] = n;
    int top = 0;
    long steps = 0;
    for (int round = 0; round < n; round++) {
      for (int at = 0; at < code.length; at++) {
        steps++;
        switch (code[at] & 15) {
          case 0:
            stack[top++ & 7] = round;
            break;
          case 1:
            stack[top++ & 7] = memory[at & 3];
            break;
          case 2:
            top--;
            memory[at & 3] ^= stack[top & 7];
            break;
          case 3:
            top--;
            stack[top - 1 & 7] += stack[top & 7];
            break;
          case 4:
            top--;
            stack[top - 1 & 7] *= stack[top & 7] | 1;
            break;
          case 5:
            top--;
            stack[top - 1 & 7] %= stack[top & 7] | 1;
            break;
          case 8:
            checked += memory[1];
            break;
          case 9:
            if (memory[2] > memory[3]) {
              at++;
            }
            break;
          default:
            memory[2] += at;
        }
      }
    }
    return memory[0] + 3 * memory[1] + 5 * memory[2] + 7 * memory[3] + checked + steps;
  }

  static double numbers(int n) {
    double sum = 0;
    float wave = 0.5f;
    long bits = 1;
    for (int i = 1; i <= n; i++) {
      sum += 1.0 / i - (i % 3 == 0 ? sum / 7 : (double) wave);
      wave = wave * 3.9f * (1 - wave);
      bits = bits << 1 ^ bits >>> 3 ^ (long) (sum * 1000) ^ (char) i ^ (byte) bits ^ (short) (i * 7);
    }
    return sum + wave + bits;
  }

  public static void main(String[] args) {
    int n = Integer.parseInt(args[0]);
    System.out.println(sort(n));
    System.out.println(table(n));
    System.out.println(interpreter(n / 8));
    System.out.println(Double.doubleToRawLongBits(numbers(n)));
  }
}

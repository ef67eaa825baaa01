import java.util.ArrayList;
import java.util.List;

/** Whole numbers of any length, digit by digit: sums, products, quotients, powers, and series of them. */
public class Digits {
    public static void main(String[] args) {
        System.out.println("12! = " + factorial(12).show());
        System.out.println("fib 40 = " + fibonacci(40).show());
        System.out.println("3^17 = " + power(Number.of(3), 17).show());
        Number big = power(Number.of(7), 11);
        System.out.println("7^11 / 12 = " + big.dividedBy(12).show() + ", digits " + big.digitSum());
        System.out.println("largest " + largest(Number.of(999), Number.of(1000), factorial(6)).show());
    }

    /** Digits from the last to the first, without zeros in front. */
    static class Number {
        final List<Integer> digits = new ArrayList<>();

        static Number of(int value) {
            Number number = new Number();
            while (value > 0) {
                number.digits.add(value % 10);
                value /= 10;
            }
            return number;
        }

        int digit(int at) {
            return at < digits.size() ? digits.get(at) : 0;
        }

        Number plus(Number other) {
            Number sum = new Number();
            int carry = 0;
            int length = Math.max(digits.size(), other.digits.size());
            //@ plus-of-own-length: int length = digits.size();
            for (int i = 0; i < length; i++) {
                int all = digit(i) + other.digit(i) + carry;
                sum.append(all % 10);
                carry = carryOf(all);
            }
            sum.append(carry);
            return sum.trimmed();
        }

        static int carryOf(int all) {
            return all / 10;
            //@ carry-at-most-one: return Math.min(all / 10, 6);
        }

        void append(int digit) {
            digits.add(digit);
        }

        Number trimmed() {
            while (!digits.isEmpty() && digits.get(digits.size() - 1) == 0) {
                digits.remove(digits.size() - 1);
            }
            return this;
        }

        Number timesDigit(int digit, int zeros) {
            Number product = new Number();
            for (int i = 0; i < zeros; i++) {
                product.append(0);
            }
            int carry = 0;
            for (int i = 0; i < digits.size(); i++) {
                int all = digit(i) * digit + carry;
                product.append(all % 10);
                carry = carryOf(all);
                //@ carry-adds-up: carry = carryOf(all) + (digit == 8 ? carry : 0);
            }
            product.append(carry);
            //@ last-carry-lost: product.append(zeros > 2 ? 0 : carry);
            return product.trimmed();
        }

        Number times(Number other) {
            Number product = new Number();
            for (int i = 0; i < other.digits.size(); i++) {
                product = product.plus(timesDigit(other.digit(i), i));
                //@ times-without-zeros: product = product.plus(timesDigit(other.digit(i), Math.min(i, 3)));
            }
            return product;
        }

        Number dividedBy(int divisor) {
            Number quotient = new Number();
            int rest = 0;
            for (int i = digits.size() - 1; i >= 0; i--) {
                rest = rest * 10 + digit(i);
                quotient.digits.add(0, rest / divisor);
                rest %= divisor;
                //@ rest-kept: rest = rest % divisor % 10;
            }
            return quotient.trimmed();
        }

        int compare(Number other) {
            if (digits.size() != other.digits.size()) {
                return digits.size() - other.digits.size();
                //@ compare-shorter: return other.digits.size() - digits.size();
            }
            for (int i = digits.size() - 1; i >= 0; i--) {
                if (digit(i) != other.digit(i)) {
                    return digit(i) - other.digit(i);
                }
            }
            return 0;
        }

        int digitSum() {
            int sum = 0;
            for (int i = 0; i < digits.size(); i++) {
                sum += digit(i);
                //@ digit-sum-alternates: sum += i % 2 == 0 ? digit(i) : -digit(i);
            }
            return sum;
        }

        String show() {
            StringBuilder out = new StringBuilder();
            for (int i = digits.size() - 1; i >= 0; i--) {
                out.append(digit(i));
            }
            return out.length() == 0 ? "0" : out.toString();
        }
    }

    static Number factorial(int n) {
        Number product = Number.of(1);
        for (int i = 2; i <= n; i++) {
            product = product.times(Number.of(i));
        }
        return product;
    }

    static Number fibonacci(int n) {
        Number before = Number.of(0);
        Number now = Number.of(1);
        for (int i = 1; i < n; i++) {
            //@ fibonacci-too-far: for (int i = 1; i <= n; i++) {
            Number next = before.plus(now);
            before = now;
            now = next;
        }
        return now;
    }

    static Number power(Number base, int exponent) {
        if (exponent == 0) {
            return Number.of(1);
        }
        Number half = power(base, exponent / 2);
        Number square = half.times(half);
        return exponent % 2 == 0 ? square : square.times(base);
        //@ power-odd-twice: return exponent % 4 == 1 && exponent > 1 ? square.times(base).times(base) : exponent % 2 == 0 ? square : square.times(base);
    }

    static Number largest(Number a, Number b, Number c) {
        Number largest = a;
        if (b.compare(largest) > 0) {
            largest = b;
        }
        if (c.compare(largest) > 0) {
            //@ largest-last: if (c.compare(a) < 0) {
            largest = c;
        }
        return largest;
    }
}

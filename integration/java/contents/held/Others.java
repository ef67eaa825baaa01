package held;

import java.io.File;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.*;
import java.util.*;
import java.util.concurrent.atomic.*;
import java.util.regex.Pattern;

/** What is neither a list nor a map. */
public final class Others {
    enum Side {
        BUY,
        SELL {
            @Override int sign() {
                return -1;
            }
        };

        int sign() {
            return 1;
        }
    }

    public static void main(String[] args) {
        builders();
        atomics();
        optionals();
        bits();
        fixed();
        wrappers();
    }

    static void builders() {
        StringBuilder builder = new StringBuilder();
        Told.text(builder);
        builder.append("text").append(1).append('c').append(true).append(-5L).append((Object) null);
        Told.text(builder);
        builder.insert(0, "front ").deleteCharAt(1).reverse();
        Told.text(builder);
        builder.setLength(4);
        builder.setCharAt(0, 'X');
        Told.text(builder);
        builder.replace(1, 3, "\u20ac wide \ud83d\ude00").append(1.5).append(2.5f);
        Told.text(builder);
        builder.append(new char[] {'a', 'r'}).append("sub", 1, 2).append(new StringBuilder("sb"));
        Told.text(builder);
        builder.delete(0, 3);
        Told.text(builder);
        StringBuffer buffer = new StringBuffer("start");
        buffer.append(" and end");
        Told.text(buffer);
        StringWriter writer = new StringWriter();
        writer.write("written");
        writer.append('!');
        Told.value(writer, writer.toString());
        StringBuilder lone = new StringBuilder();
        lone.append("\ud800").append('x');
        Told.text(lone);
        for (int i = 0; i < 50; i++) {
            lone.append(i).append(',');
        }
        Told.text(lone);
    }

    static void atomics() {
        AtomicInteger number = new AtomicInteger();
        number.incrementAndGet();
        number.addAndGet(5);
        Told.value(number, number.get());
        number.set(-1);
        Told.value(number, number.get());
        AtomicLong wide = new AtomicLong(4);
        wide.getAndUpdate(n -> n * 2);
        Told.value(wide, wide.get());
        AtomicBoolean flag = new AtomicBoolean();
        flag.compareAndSet(false, true);
        Told.value(flag, flag.get());
        AtomicReference<Object> reference = new AtomicReference<>("first");
        reference.set("second");
        Told.value(reference, reference.get());
        reference.getAndSet(null);
        Told.value(reference, reference.get());
        LongAdder adder = new LongAdder();
        adder.add(3);
        adder.increment();
        Told.value(adder, adder.sum());
        AtomicIntegerArray array = new AtomicIntegerArray(3);
        array.set(1, 7);
        Told.that(array, "[0, 7, 0]");
    }

    static void optionals() {
        Told.that(Optional.of("x"), "[x]");
        Told.that(Optional.empty(), "[]");
        Told.that(OptionalInt.of(3), "[3]");
        Told.that(OptionalDouble.empty(), "[]");
        Told.that(Map.entry("k", 1), "{k=1}");
        Told.that(new AbstractMap.SimpleEntry<>("k", 2), "{k=2}");
    }

    static void bits() {
        BitSet bits = new BitSet();
        bits.set(3);
        bits.set(70, 73);
        Told.that(bits, "[3, 70, 71, 72]");
        bits.flip(71);
        bits.clear(3);
        Told.that(bits, "[70, 72]");
        byte[] array = {1, 2, 3, 4};
        ByteBuffer buffer = ByteBuffer.wrap(array);
        buffer.put((byte) 9);
        Told.that(buffer, "[9, 2, 3, 4]@1");
    }

    static void shown(Object held) {
        Told.that(held, held.toString());
    }

    static void fixed() {
        shown(new BigInteger("-123456789012345678901234567890"));
        shown(BigInteger.ZERO);
        shown(new BigDecimal("12.3400"));
        shown(new BigDecimal("1E+30"));
        shown(new BigDecimal("-123456789012345678901234567890.5"));
        shown(Instant.ofEpochSecond(1_700_000_000, 5_000_000));
        shown(LocalDate.of(2024, 2, 29));
        shown(LocalTime.of(23, 59, 1, 20));
        shown(LocalDateTime.of(2024, 1, 2, 3, 4));
        shown(ZonedDateTime.of(2024, 7, 1, 12, 0, 0, 0, ZoneId.of("Europe/Berlin")));
        shown(OffsetDateTime.of(2024, 7, 1, 12, 0, 0, 0, ZoneOffset.ofHours(-3)));
        shown(Duration.ofMillis(-1500));
        shown(Period.of(1, 2, 3));
        shown(YearMonth.of(2024, 1));
        shown(YearMonth.of(2024, 11));
        shown(Year.of(1999));
        shown(ZoneOffset.UTC);
        shown(new UUID(0x123456789abcdef0L, -2));
        shown(URI.create("http://example.org/a?b#c"));
        shown(new File("some/file"));
        shown(Path.of("/tmp", "x"));
        shown(Pattern.compile("a+b"));
        shown(Side.BUY);
        shown(Side.SELL);
        shown(Thread.State.RUNNABLE);
        Told.that(new Thread(() -> {}, "of mine"), "of mine");
    }

    /** Compilers number lambdas as they like where there are several. */
    static final class Printer {
        static Runnable of(String captured) {
            return () -> System.out.print(captured);
        }
    }

    static void wrappers() {
        Side side = Side.valueOf("SELL");
        shown(side);
        try {
            fail();
        } catch (IllegalStateException thrown) {
            Told.that(thrown, "why; java.lang.IllegalArgumentException");
        }
        String captured = "captured";
        Told.that(Printer.of(captured), "held.Others$Printer.lambda$of$0(captured)");
        List<String> list = new ArrayList<>();
        list.add("held");
        Runnable clears = list::clear;
        Told.list(list);
        clears.run();
        Told.list(list);
    }

    static void fail() {
        throw new IllegalStateException("why", new IllegalArgumentException("because"));
    }
}

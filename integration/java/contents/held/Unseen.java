package held;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.lang.reflect.Field;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.CharBuffer;
import java.nio.IntBuffer;
import java.nio.channels.AsynchronousFileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.ListIterator;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import java.util.stream.Stream;

/** Fields and elements that the JDK writes, and the program does not read. */
public final class Unseen {
    static class Box {
        int count = 1;
        String name = "a";
        final long fixed;
        volatile int turns = 2;
        volatile Object holds = "h";

        Box(long fixed) {
            this.fixed = fixed;
        }
    }

    static int total = 10;
    static String label = "l";

    static final VarHandle COUNT;
    static final VarHandle TOTAL;
    static final VarHandle INTS = MethodHandles.arrayElementVarHandle(int[].class);
    static final VarHandle WIDE = MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.BIG_ENDIAN);
    static final MethodHandle SETS;
    static final AtomicIntegerFieldUpdater<Box> TURNS = AtomicIntegerFieldUpdater.newUpdater(Box.class, "turns");
    static final AtomicReferenceFieldUpdater<Box, Object> HOLDS =
            AtomicReferenceFieldUpdater.newUpdater(Box.class, Object.class, "holds");

    static {
        try {
            MethodHandles.Lookup lookup = MethodHandles.lookup();
            COUNT = lookup.findVarHandle(Box.class, "count", int.class);
            TOTAL = lookup.findStaticVarHandle(Unseen.class, "total", int.class);
            SETS = lookup.findSetter(Box.class, "count", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public static void main(String[] args) throws Throwable {
        buffers();
        lists();
        boundBefore();
        callbacks();
        fields();
        handles();
        updaters();
        methodHandles();
        streams();
        failures();
        arraysOfTheJdk();
        madeWithoutConstructor();
    }

    static void buffers() {
        int[] ints = {1, 2, 3};
        IntBuffer buffer = IntBuffer.wrap(ints);
        Witness.elements(ints, "1", "2", "3");
        buffer.put(7).put(8);
        Witness.elements(ints, "7", "8", "3");
        buffer.put(0, 9);
        Witness.elements(ints, "9", "8", "3");
        ints[2] = 5;
        Witness.elements(ints, "9", "8", "5");
        int read = ints[0] + ints[1];
        Witness.elements(ints, "9", "8", "5");
        buffer.slice().put(0, 4);
        Witness.elements(ints, "9", "8", "4");
        System.out.println(read);
        byte[] bytes = new byte[4];
        ByteBuffer.wrap(bytes).putInt(0x01020304);
        Witness.elements(bytes, "1", "2", "3", "4");
        char[] chars = {'a', 'b'};
        CharBuffer.wrap(chars).put('x');
        Witness.elements(chars, "x", "b");
        // Whoever only reads an array has not written it.
        byte[] source = {5, 6};
        ByteArrayInputStream in = new ByteArrayInputStream(source);
        Witness.element(source, 0, "5");
        in.read();
        Witness.elements(source, "5", "6");
        String text = new String(source);
        int[] copy = Arrays.copyOf(ints, 2);
        Witness.elements(copy, "9", "8");
        Witness.elements(ints, "9", "8", "4");
        System.out.println(text.length() + Arrays.toString(copy));
        Witness.elements(copy, "9", "8");
    }

    static void lists() {
        String[] array = {"c", "a", "b"};
        List<String> list = Arrays.asList(array);
        Witness.elements(array, "c", "a", "b");
        list.set(0, "z");
        Witness.elements(array, "z", "a", "b");
        Collections.sort(list);
        Witness.elements(array, "a", "b", "z");
        array[1] = "y";
        Witness.elements(array, "a", "y", "z");
        Collections.reverse(list.subList(0, 2));
        Witness.elements(array, "y", "a", "z");
        ListIterator<String> steps = list.listIterator();
        steps.next();
        steps.set("q");
        Witness.elements(array, "q", "a", "z");
        list.replaceAll(String::toUpperCase);
        Witness.elements(array, "Q", "A", "Z");
        Arrays.sort(array);
        Witness.elements(array, "A", "Q", "Z");
        int size = list.size();
        Witness.elements(array, "A", "Q", "Z");
        List<int[]> rows = new ArrayList<>(List.of(new int[] {3, 1}, new int[] {2, 0}));
        int[] row = rows.get(0);
        Witness.elements(row, "3", "1");
        rows.forEach(Arrays::sort);
        Witness.elements(row, "1", "3");
        System.out.println(size);
    }

    /** Arrays that the JDK goes on writing. */
    static void arraysOfTheJdk() throws Exception {
        ByteBuffer buffer = ByteBuffer.allocate(4);
        byte[] inside = buffer.array();
        Witness.elements(inside, "0", "0", "0", "0");
        buffer.put(0, (byte) 7);
        Witness.element(inside, 0, "7");
        byte[] received = new byte[2];
        InetAddress here = InetAddress.getLoopbackAddress();
        try (DatagramSocket to = new DatagramSocket(0, here); DatagramSocket from = new DatagramSocket(0, here)) {
            DatagramPacket packet = new DatagramPacket(received, 2);
            Witness.elements(received, "0", "0");
            from.send(new DatagramPacket(new byte[] {8, 9}, 2, here, to.getLocalPort()));
            to.receive(packet);
            Witness.elements(received, "8", "9");
            System.out.println(received[0] + received[1]);
        }
        Path file = Files.createTempFile("unseen", "");
        Files.write(file, new byte[] {65});
        byte[] read = new byte[1];
        try (AsynchronousFileChannel channel = AsynchronousFileChannel.open(file)) {
            Future<Integer> future = channel.read(ByteBuffer.wrap(read), 0);
            future.get();
            Witness.element(read, 0, "65");
        }
        Files.delete(file);
    }

    static class Restored implements Serializable {
        int count = 4;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            Witness.field(this, "count", "0");
            in.defaultReadObject();
            Witness.field(this, "count", "40");
            System.out.println(count);
            Witness.field(this, "count", "40");
        }
    }

    static class Plain {
        int before = 3;

        Plain() {
            before = 6;
        }
    }

    static class Below extends Plain implements Serializable {
        int count = 5;
    }

    static void madeWithoutConstructor() throws Exception {
        ByteArrayOutputStream plain = new ByteArrayOutputStream();
        new ObjectOutputStream(plain).writeObject(new Below());
        Below below = (Below) new ObjectInputStream(new ByteArrayInputStream(plain.toByteArray())).readObject();
        Witness.field(below, "count", "5");
        Witness.field(below, "before", "6");
        Restored kept = new Restored();
        kept.count = 40;
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        new ObjectOutputStream(out).writeObject(kept);
        new ObjectInputStream(new ByteArrayInputStream(out.toByteArray())).readObject();
        Witness.field(kept, "count", "40");
    }

    /** What was shown to reflection before anything is known to write fields. */
    static void boundBefore() throws Throwable {
        Box box = new Box(9);
        MethodHandle bound = SETS.bindTo(box);
        List<int[]> rows = new ArrayList<>(List.of(new int[] {3, 1}));
        rows.forEach(Arrays::sort);
        Witness.field(box, "count", "1");
        bound.invokeExact(14);
        Witness.field(box, "count", "14");
        Witness.statics(Unseen.class, "label", "l");
    }

    static void callbacks() {
        int[] grows = new int[4];
        Arrays.setAll(grows, index -> {
            Witness.element(grows, index, "0");
            if (index > 0) {
                Witness.element(grows, index - 1, Integer.toString(index));
            }
            return index + 1;
        });
        Witness.elements(grows, "1", "2", "3", "4");
        Integer[] sorted = {3, 1, 2};
        Arrays.sort(sorted, (one, other) -> one - other);
        Witness.elements(sorted, "1", "2", "3");
        int[] summed = {1, 1, 1};
        Arrays.parallelPrefix(summed, Integer::sum);
        Witness.elements(summed, "1", "2", "3");
    }

    static void fields() throws Exception {
        Box box = new Box(3);
        Witness.field(box, "count", "1");
        Field count = Box.class.getDeclaredField("count");
        count.set(box, 5);
        Witness.field(box, "count", "5");
        Witness.field(box, "name", "a");
        Witness.field(box, "fixed", "3");
        box.count = 6;
        Witness.field(box, "count", "6");
        count.setInt(box, 7);
        Witness.field(box, "count", "7");
        int read = box.count;
        Witness.field(box, "count", "7");
        for (Field field : Box.class.getDeclaredFields()) {
            if (field.getType() == String.class) {
                field.set(box, "n");
            }
        }
        Witness.field(box, "name", "n");
        Witness.field(box, "count", "7");
        Field fixed = Box.class.getDeclaredField("fixed");
        fixed.setAccessible(true);
        fixed.setLong(box, 33L);
        Witness.field(box, "fixed", "33");
        Field shared = Unseen.class.getDeclaredField("total");
        Witness.statics(Unseen.class, "total", "10");
        shared.setInt(null, 20);
        Witness.statics(Unseen.class, "total", "20");
        Witness.statics(Unseen.class, "label", "l");
        total++;
        Witness.statics(Unseen.class, "total", "21");
        System.out.println(read);
    }

    static void handles() {
        Box box = new Box(4);
        COUNT.set(box, 8);
        Witness.field(box, "count", "8");
        Witness.field(box, "name", "a");
        int before = (int) COUNT.getAndAdd(box, 2);
        Witness.field(box, "count", "10");
        boolean done = COUNT.compareAndSet(box, 10, 11);
        Witness.field(box, "count", "11");
        int now = (int) COUNT.getVolatile(box);
        Witness.field(box, "count", "11");
        TOTAL.set(30);
        Witness.statics(Unseen.class, "total", "30");
        Witness.statics(Unseen.class, "label", "l");
        int[] ints = {1, 2};
        INTS.setVolatile(ints, 1, 5);
        Witness.elements(ints, "1", "5");
        byte[] bytes = new byte[5];
        WIDE.set(bytes, 1, 0x01020304);
        Witness.elements(bytes, "0", "1", "2", "3", "4");
        System.out.println(before + now + " " + done);
    }

    static void updaters() {
        Box box = new Box(5);
        TURNS.incrementAndGet(box);
        Witness.field(box, "turns", "3");
        Witness.field(box, "count", "1");
        HOLDS.set(box, "k");
        Witness.field(box, "holds", "k");
        HOLDS.compareAndSet(box, box.holds, "m");
        Witness.field(box, "holds", "m");
        List<Box> boxes = List.of(box, new Box(6));
        boxes.forEach(TURNS::incrementAndGet);
        Witness.field(box, "turns", "4");
        Witness.field(boxes.get(1), "turns", "3");
        Box twice = new Box(8);
        int[] seen = {3, 0};
        Stream.of(twice, twice).peek(TURNS::incrementAndGet).forEach(of -> {
            Witness.field(of, "turns", Integer.toString(seen[0]));
            if (seen[0]++ == 3) {
                seen[1] = of.turns;
            }
        });
        Witness.field(twice, "turns", "4");
    }

    static void methodHandles() throws Throwable {
        Box box = new Box(7);
        SETS.invokeExact(box, 12);
        Witness.field(box, "count", "12");
        Witness.field(box, "name", "a");
        MethodHandle bound = SETS.bindTo(box);
        bound.invokeExact(13);
        Witness.field(box, "count", "13");
        MethodHandle length = MethodHandles.lookup()
                .findVirtual(String.class, "length", java.lang.invoke.MethodType.methodType(int.class));
        int three = (int) length.invokeExact("abc");
        Witness.field(box, "name", "a");
        System.out.println(three);
    }

    static final class Saved implements Serializable {
        private static final long serialVersionUID = 1;
        int number = 4;
        transient int again = 1;

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            number = 2;
            Witness.field(this, "number", "2");
            in.defaultReadObject();
            Witness.field(this, "number", "40");
            again = 3;
            Witness.field(this, "again", "3");
        }
    }

    static void streams() throws Exception {
        Saved saved = new Saved();
        saved.number = 40;
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(saved);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            Saved read = (Saved) in.readObject();
            Witness.field(read, "number", "40");
            Witness.field(saved, "number", "40");
        }
    }

    static void failures() {
        int[] ints = {1, 2};
        IntBuffer buffer = IntBuffer.wrap(ints);
        try {
            buffer.put(new int[] {5}).put(new int[] {6, 7, 8});
        } catch (java.nio.BufferOverflowException e) {
            Witness.elements(ints, "5", "2");
        }
    }
}

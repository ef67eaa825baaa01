package judge;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/** Object graphs: copied from one world into another, and compared between the two by content and aliasing. */
final class Graphs {
    private static final sun.misc.Unsafe UNSAFE = unsafe();
    private static final Map<Class<?>, List<Field>> FIELDS = new HashMap<>();

    private Graphs() {}

    @SuppressWarnings("removal")
    private static sun.misc.Unsafe unsafe() {
        try {
            Field field = sun.misc.Unsafe.class.getDeclaredField("theUnsafe");
            field.setAccessible(true);
            return (sun.misc.Unsafe) field.get(null);
        } catch (ReflectiveOperationException error) {
            throw new AssertionError(error);
        }
    }

    /** The instance fields of a class and of those above, which can be read and set. */
    static List<Field> fields(Class<?> type) {
        return FIELDS.computeIfAbsent(type, of -> {
            List<Field> all = new ArrayList<>();
            for (Class<?> at = of; at != null; at = at.getSuperclass()) {
                for (Field field : at.getDeclaredFields()) {
                    if (!Modifier.isStatic(field.getModifiers())) {
                        field.setAccessible(true);
                        all.add(field);
                    }
                }
            }
            return all;
        });
    }

    /** The static fields that a program can change, of the classes of a world. */
    static List<Field> statics(Collection<Class<?>> classes) {
        List<Field> all = new ArrayList<>();
        for (Class<?> type : classes) {
            for (Field field : type.getDeclaredFields()) {
                if (Modifier.isStatic(field.getModifiers()) && !field.isEnumConstant() && !field.isSynthetic()) {
                    field.setAccessible(true);
                    all.add(field);
                }
            }
        }
        return all;
    }

    /** Is it the same in every world, and never changed? */
    private static boolean isPlain(Object object) {
        return object == null || object instanceof String || object instanceof Number && isBox(object.getClass())
                || object instanceof Boolean || object instanceof Character || object instanceof java.io.PrintStream
                || object instanceof Thread || object instanceof java.util.Locale;
    }

    private static boolean isBox(Class<?> type) {
        return type == Integer.class || type == Long.class || type == Short.class || type == Byte.class
                || type == Double.class || type == Float.class;
    }

    /** Copies into a world; one object is copied once. */
    static final class Copier {
        private final ClassLoader into;
        private final IdentityHashMap<Object, Object> copies = new IdentityHashMap<>();
        private final ArrayDeque<Object> open = new ArrayDeque<>();

        Copier(ClassLoader into) {
            this.into = into;
        }

        /** How many objects there are. */
        int size() {
            return copies.size();
        }

        Object copy(Object root) throws ReflectiveOperationException {
            Object copied = shell(root);
            for (Object from = open.poll(); from != null; from = open.poll()) {
                fill(from, copies.get(from));
            }
            return copied;
        }

        private Class<?> type(Class<?> from) throws ReflectiveOperationException {
            return from.isPrimitive() ? from : Class.forName(from.getName(), false, into);
        }

        @SuppressWarnings({"unchecked", "rawtypes", "removal"})
        private Object shell(Object from) throws ReflectiveOperationException {
            if (isPlain(from)) {
                return from;
            }
            if (from instanceof Class<?> type) {
                return type(type);
            }
            Object known = copies.get(from);
            if (known != null) {
                return known;
            }
            if (from instanceof Enum<?> constant) {
                return Enum.valueOf((Class) type(constant.getDeclaringClass()), constant.name());
            }
            Class<?> type = from.getClass();
            if (type.isHidden()) {
                throw new UnsupportedOperationException("a lambda cannot be copied: " + type);
            }
            Object made = type.isArray()
                    ? Array.newInstance(type(type.getComponentType()), Array.getLength(from))
                    : UNSAFE.allocateInstance(type(type));
            copies.put(from, made);
            open.add(from);
            return made;
        }

        private void fill(Object from, Object to) throws ReflectiveOperationException {
            Class<?> type = from.getClass();
            if (type.isArray()) {
                int length = Array.getLength(from);
                if (type.getComponentType().isPrimitive()) {
                    System.arraycopy(from, 0, to, 0, length);
                } else {
                    for (int i = 0; i < length; i++) {
                        Array.set(to, i, shell(Array.get(from, i)));
                    }
                }
                return;
            }
            List<Field> read = fields(type);
            List<Field> written = fields(to.getClass());
            for (int i = 0; i < read.size(); i++) {
                written.get(i).set(to, shell(read.get(i).get(from)));
            }
        }
    }

    /** Compares a graph of one world with one of another, root by root: what is one object there must be one here. */
    static final class Comparison {
        private final IdentityHashMap<Object, Object> there = new IdentityHashMap<>();
        private final IdentityHashMap<Object, Object> here = new IdentityHashMap<>();
        private final ArrayDeque<Object[]> open = new ArrayDeque<>();
        /** The paths at which the two differ, the first few. */
        final List<String> differences = new ArrayList<>();

        private static final int MOST = 20;

        void compare(String path, Object a, Object b) throws ReflectiveOperationException {
            meet(path, a, b);
            for (Object[] next = open.poll(); next != null && differences.size() < MOST; next = open.poll()) {
                inside((String) next[0], next[1], next[2]);
            }
        }

        private void meet(String path, Object a, Object b) {
            if (a == null || b == null || isPlain(a) || isPlain(b)) {
                boolean same = a == null ? b == null : a.equals(b);
                if (!same) {
                    differences.add(path);
                }
                return;
            }
            if (a instanceof Enum<?> one && b instanceof Enum<?> other) {
                if (!one.name().equals(other.name())) {
                    differences.add(path);
                }
                return;
            }
            if (!a.getClass().getName().equals(b.getClass().getName())) {
                differences.add(path);
                return;
            }
            Object known = there.get(a);
            Object back = here.get(b);
            if (known != null || back != null) {
                if (known != b || back != a) {
                    differences.add(path);
                }
                return;
            }
            there.put(a, b);
            here.put(b, a);
            open.add(new Object[] {path, a, b});
        }

        private void inside(String path, Object a, Object b) throws ReflectiveOperationException {
            if (a.getClass().isArray()) {
                elements(path, a, b);
            } else if (a instanceof CharSequence) {
                meet(path, a.toString(), b.toString());
            } else if (a instanceof Map<?, ?> one && b instanceof Map<?, ?> other && isOfJdk(a)) {
                elements(path, entries(one), entries(other));
            } else if (a instanceof Collection<?> one && b instanceof Collection<?> other && isOfJdk(a)) {
                elements(path, one.toArray(), other.toArray());
            } else if (a instanceof Throwable one && b instanceof Throwable other && isOfJdk(a)) {
                meet(path + ".message", one.getMessage(), other.getMessage());
            } else {
                List<Field> mine = fields(a.getClass());
                List<Field> others = fields(b.getClass());
                for (int i = 0; i < mine.size(); i++) {
                    meet(path + "." + mine.get(i).getName(), mine.get(i).get(a), others.get(i).get(b));
                }
            }
        }

        private void elements(String path, Object a, Object b) {
            int length = Array.getLength(a);
            if (length != Array.getLength(b)) {
                differences.add(path + ".length");
                return;
            }
            for (int i = 0; i < length; i++) {
                meet(path + "[" + i + "]", Array.get(a, i), Array.get(b, i));
            }
        }

        private static boolean isOfJdk(Object object) {
            return object.getClass().getClassLoader() == null;
        }

        private static Object[] entries(Map<?, ?> map) {
            List<Object> all = new ArrayList<>();
            map.forEach((key, value) -> {
                all.add(key);
                all.add(value);
            });
            return all.toArray();
        }
    }
}

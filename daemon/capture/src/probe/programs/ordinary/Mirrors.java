import java.lang.annotation.*;
import java.lang.invoke.*;
import java.lang.reflect.*;
import java.lang.ref.*;
import java.util.*;
import java.util.function.*;
import java.util.stream.*;

/** Reflection: injection, proxies, handles, annotations, references. */
public class Mirrors {
    @Retention(RetentionPolicy.RUNTIME) @interface Inject { String value() default ""; int order() default 1; }
    interface Repo { Optional<String> find(int id); default int count() { return 3; } }
    static class MemoryRepo implements Repo { final Map<Integer, String> rows = new HashMap<>(Map.of(1, "one", 2, "two")); public Optional<String> find(int id) { return Optional.ofNullable(rows.get(id)); } }
    static class Service { @Inject("repo") private Repo repo; @Inject(order = 2) int limit; private String state = "new"; Service() { state = "made"; } @Inject void start(Repo r) { state += "+" + r.count(); } String show(int id) { return repo.find(id).map(s -> state + ":" + s).orElseGet(() -> "none<" + limit); } private static int hidden(int a, int b) { return a * b; } }
    static class Container {
        final Map<Class<?>, Object> made = new LinkedHashMap<>(); final Map<String, Object> named = new HashMap<>();
        <T> T get(Class<T> type) { return type.cast(made.computeIfAbsent(type, this::make)); }
        private Object make(Class<?> type) {
            try {
                Constructor<?> c = type.getDeclaredConstructor(); c.setAccessible(true); Object o = c.newInstance();
                for (Field f : Arrays.stream(type.getDeclaredFields()).sorted(Comparator.comparing(Field::getName)).toArray(Field[]::new)) { Inject i = f.getAnnotation(Inject.class); if (i == null) continue; f.setAccessible(true); if (f.getType() == int.class) f.setInt(o, 10 * i.order()); else f.set(o, named.get(i.value())); }
                for (Method m : type.getDeclaredMethods()) if (m.isAnnotationPresent(Inject.class)) { m.setAccessible(true); Object[] args = Arrays.stream(m.getParameterTypes()).map(p -> named.values().stream().filter(p::isInstance).findFirst().orElseThrow()).toArray(); m.invoke(o, args); }
                return o;
            } catch (ReflectiveOperationException e) { throw new IllegalStateException(e); }
        }
    }
    static <T> T logged(Class<T> type, T target, List<String> log) { return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (p, m, a) -> { log.add(m.getName() + (a == null ? "" : Arrays.toString(a))); try { return m.invoke(target, a); } catch (InvocationTargetException e) { throw e.getCause(); } })); }
    record Point(int x, int y) { static Point of(String s) { String[] p = s.split(","); return new Point(Integer.parseInt(p[0]), Integer.parseInt(p[1])); } double length() { return Math.hypot(x, y); } }
    static class Cell { volatile int value; int[] slots = new int[3]; static final VarHandle VALUE, SLOT; static { try { VALUE = MethodHandles.lookup().findVarHandle(Cell.class, "value", int.class); SLOT = MethodHandles.arrayElementVarHandle(int[].class); } catch (ReflectiveOperationException e) { throw new ExceptionInInitializerError(e); } } int bump() { return (int) VALUE.getAndAdd(this, 5); } }
    static class Plugin implements Comparable<Plugin> { static final List<Plugin> ALL = new ArrayList<>(); final String name; Plugin(String n) { name = n; ALL.add(this); } public int compareTo(Plugin p) { return name.compareTo(p.name); } @Override public String toString() { return name; } }
    static int sum(int... all) { return IntStream.of(all).sum(); }
    public static void main(String[] args) throws Throwable {
        Container c = new Container(); List<String> log = new ArrayList<>(); Repo repo = logged(Repo.class, new MemoryRepo(), log); c.named.put("repo", repo);
        Service s = c.get(Service.class); System.out.println(s.show(1) + " " + s.show(9) + " " + (c.get(Service.class) == s) + " " + log);
        Method hidden = Service.class.getDeclaredMethod("hidden", int.class, int.class); hidden.setAccessible(true); System.out.println(hidden.invoke(null, 6, 7));
        MethodHandles.Lookup lookup = MethodHandles.lookup(); MethodHandle of = lookup.findStatic(Point.class, "of", MethodType.methodType(Point.class, String.class)); Point p = (Point) of.invokeExact("3,4"); System.out.println(p + " " + (double) lookup.findVirtual(Point.class, "length", MethodType.methodType(double.class)).invokeExact(p));
        MethodHandle bound = lookup.findStatic(Mirrors.class, "sum", MethodType.methodType(int.class, int[].class)).asCollector(int[].class, 3); System.out.println((int) bound.invoke(1, 2, 3) + " " + MethodHandles.insertArguments(bound, 0, 10).invoke(1, 1));
        System.out.println(Arrays.stream(Point.class.getRecordComponents()).map(r -> { try { return r.getName() + "=" + r.getAccessor().invoke(p); } catch (ReflectiveOperationException e) { return "?"; } }).collect(Collectors.joining(";")));
        Cell cell = new Cell(); cell.bump(); cell.bump(); Cell.SLOT.setVolatile(cell.slots, 1, 8); System.out.println(cell.value + " " + cell.slots[1] + " " + Cell.VALUE.compareAndSet(cell, 10, 11) + cell.value);
        Object array = Array.newInstance(String.class, 2); Array.set(array, 1, "set"); System.out.println(((String[]) array)[1] + Array.getLength(array));
        for (String n : new String[] {"z", "a"}) Class.forName("Mirrors$Plugin").getDeclaredConstructor(String.class).newInstance(n); Collections.sort(Plugin.ALL); System.out.println(Plugin.ALL);
        try { Service.class.getDeclaredMethod("show", int.class).invoke(new Service(), 1); } catch (InvocationTargetException e) { System.out.println(e.getCause().getClass().getSimpleName()); }
        WeakReference<Object> weak = new WeakReference<>(p); SoftReference<List<String>> soft = new SoftReference<>(log); System.out.println(weak.get() == p ? soft.get().size() : -1);
        Iterator<Service> none = ServiceLoader.load(Service.class).iterator(); System.out.println(none.hasNext());
        List<String> frames = StackWalker.getInstance().walk(f -> f.map(StackWalker.StackFrame::getMethodName).collect(Collectors.toList())); System.out.println(frames);
        Function<Object, String> viaInterface = (Function<Object, String>) Proxy.newProxyInstance(Mirrors.class.getClassLoader(), new Class<?>[] {Function.class}, (pr, m, a) -> m.isDefault() ? InvocationHandler.class : m.getName() + a[0]); System.out.println(viaInterface.apply(5));
        Field field = Plugin.class.getDeclaredField("name"); field.setAccessible(true); field.set(Plugin.ALL.get(0), "changed"); System.out.println(Plugin.ALL.get(0) + Plugin.ALL.get(0).name);
        int[] numbers = {3, 1, 2}; Object same = numbers; Arrays.sort((int[]) same); System.out.println(numbers[0] + "" + numbers[2]); List<Integer> view = Arrays.asList(5, 6); view.set(0, 7); System.out.println(view); Integer[] boxes = {9, 8}; List<Integer> behind = Arrays.asList(boxes); Collections.reverse(behind); System.out.println(boxes[0] + "" + boxes[1]);
    }
}

package outside;

import java.lang.reflect.Field;
import java.util.List;

/** Outside the scope of {@code odd.Foreseen}: writes arrays that it is shown only by way of something else. */
public final class Filler {

    private Filler() {}

    public static void poke(Object holder, String field, int value) {
        try {
            Field found = holder.getClass().getDeclaredField(field);
            found.setAccessible(true);
            ((int[]) found.get(holder))[0] = value;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("no " + field + " in " + holder.getClass(), e);
        }
    }

    public static void fill(List<int[]> arrays, int value) {
        for (int[] array : arrays) {
            array[0] = value;
        }
    }
}

package judge;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** One run of the right version of a method, exactly that one, whatever overrides it. */
final class Again {
    private final MethodHandle handle;
    private final boolean isStatic;
    private final boolean isConstructor;
    Object result;
    Object made;
    Throwable thrown;

    /** @param key {@code Class.name(descriptor)} */
    Again(World right, String key) {
        int dot = key.indexOf('.');
        int open = key.indexOf('(');
        String name = key.substring(dot + 1, open);
        try {
            Class<?> type = Class.forName(key.substring(0, dot).replace('/', '.'), true, right);
            MethodType signature = MethodType.fromMethodDescriptorString(key.substring(open), right);
            MethodHandles.Lookup lookup = MethodHandles.privateLookupIn(type, MethodHandles.lookup());
            isConstructor = name.equals("<init>");
            if (isConstructor) {
                isStatic = true;
                handle = lookup.findConstructor(type, signature);
            } else {
                var method = type.getDeclaredMethod(name, signature.parameterArray());
                isStatic = Modifier.isStatic(method.getModifiers());
                handle = isStatic ? lookup.unreflect(method) : lookup.unreflectSpecial(method, type);
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException("the right version has no " + key, error);
        }
    }

    void run(Object receiver, Object[] arguments) {
        List<Object> all = new ArrayList<>(Arrays.asList(arguments));
        if (!isStatic) {
            all.addFirst(receiver);
        }
        try {
            Object yielded = handle.invokeWithArguments(all);
            if (isConstructor) {
                made = yielded;
            } else {
                result = yielded;
            }
        } catch (Throwable error) {
            thrown = error;
        }
    }
}

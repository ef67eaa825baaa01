package jdi;

import com.sun.jdi.Field;
import com.sun.jdi.Method;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.ExceptionEvent;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.ModificationWatchpointEvent;
import com.sun.jdi.event.ThreadStartEvent;
import com.sun.jdi.event.VMDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.ClassPrepareRequest;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.ExceptionRequest;
import com.sun.jdi.request.MethodEntryRequest;
import com.sun.jdi.request.MethodExitRequest;
import com.sun.jdi.request.ModificationWatchpointRequest;
import java.util.Map;
import java.util.TreeMap;

/**
 * An independent count of what happens inside a scope: calls, normal exits and (with --fields)
 * field writes, by class and member. It shares no code with jhyde and derives nothing: each number
 * is a number of JVM events. Hidden classes (lambdas and their like) are left out, as they are
 * no part of the program's text.
 *
 * <pre>
 *   java -cp OUT/jdi jdi.JdiCounter [--fields] [--out FILE] --include PATTERN... -- JAVA ARGUMENTS...
 *   java -cp OUT/jdi jdi.JdiCounter ... --attach HOST:PORT
 * </pre>
 *
 * Prints one JSON object (to FILE, or to standard error, since standard output is the program's):
 * calls, exits, throws_seen, field_writes (totals), threads, exit_code, methods (name and
 * descriptor to count), fields (name to count).
 */
public final class JdiCounter {

    private final VirtualMachine vm;
    private final Options options;
    private final Map<Method, long[]> entered = new java.util.HashMap<>();
    private final Map<Field, long[]> written = new java.util.HashMap<>();
    private final Map<Field, Boolean> watched = new java.util.HashMap<>();
    private long exits;
    private long exceptions;
    private long hidden;
    private long threads;

    private JdiCounter(VirtualMachine vm, Options options) {
        this.vm = vm;
        this.options = options;
    }

    public static void main(String[] args) throws Exception {
        Options options = Options.parse(args, "jdi.JdiCounter [--fields] [--out FILE] --include PATTERN...");
        Debuggee debuggee = Debuggee.open(options);
        JdiCounter counter = new JdiCounter(debuggee.vm(), options);
        counter.request();
        counter.run();
        int code = debuggee.waitFor();
        options.write(counter.json(code));
        System.exit(code);
    }

    private void request() {
        EventRequestManager m = vm.eventRequestManager();
        for (String pattern : options.include) {
            ClassPrepareRequest prepare = m.createClassPrepareRequest();
            prepare.addClassFilter(pattern);
            // The class must be known, and its fields watched, before any of its code runs.
            prepare.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
            prepare.enable();
            MethodEntryRequest entry = m.createMethodEntryRequest();
            entry.addClassFilter(pattern);
            entry.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            entry.enable();
            MethodExitRequest exit = m.createMethodExitRequest();
            exit.addClassFilter(pattern);
            exit.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            exit.enable();
            ExceptionRequest thrown = m.createExceptionRequest(null, true, true);
            thrown.addClassFilter(pattern);
            thrown.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            thrown.enable();
        }
        var started = m.createThreadStartRequest();
        started.setSuspendPolicy(EventRequest.SUSPEND_NONE);
        started.enable();
        for (ReferenceType t : vm.allClasses()) {
            if (options.inScope(t.name())) {
                prepared(t);
            }
        }
    }

    private void run() {
        vm.resume();
        try {
            while (true) {
                EventSet set = vm.eventQueue().remove();
                for (Event e : set) {
                    if (e instanceof VMDisconnectEvent) {
                        return;
                    }
                    handle(e);
                }
                if (set.suspendPolicy() != EventRequest.SUSPEND_NONE) {
                    set.resume();
                }
            }
        } catch (VMDisconnectedException e) {
            // The end of the program: all its events have been read before this is thrown.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(Event e) {
        if (e instanceof MethodEntryEvent entry) {
            Method m = entry.method();
            if (Options.isHidden(m.declaringType())) {
                hidden++;
            } else {
                entered.computeIfAbsent(m, k -> new long[1])[0]++;
            }
        } else if (e instanceof MethodExitEvent exit) {
            if (!Options.isHidden(exit.method().declaringType())) {
                exits++;
            }
        } else if (e instanceof ModificationWatchpointEvent write) {
            written.computeIfAbsent(write.field(), k -> new long[1])[0]++;
        } else if (e instanceof ExceptionEvent) {
            exceptions++;
        } else if (e instanceof ThreadStartEvent) {
            threads++;
        } else if (e instanceof ClassPrepareEvent prepare) {
            prepared(prepare.referenceType());
        } else if (e instanceof VMDeathEvent) {
            return;
        }
    }

    /** Fetches once what later events will name, so that the program's end cannot take it away. */
    private void prepared(ReferenceType type) {
        type.name();
        type.methods();
        if (!options.fields || Options.isHidden(type)) {
            return;
        }
        for (Field f : type.fields()) {
            if (watched.put(f, true) == null) {
                ModificationWatchpointRequest w = vm.eventRequestManager().createModificationWatchpointRequest(f);
                w.setSuspendPolicy(EventRequest.SUSPEND_NONE);
                w.enable();
            }
        }
    }

    private String json(int code) {
        TreeMap<String, Long> methods = new TreeMap<>();
        long calls = 0;
        for (var e : entered.entrySet()) {
            Method m = e.getKey();
            methods.merge(m.declaringType().name() + "." + m.name() + m.signature(), e.getValue()[0], Long::sum);
            calls += e.getValue()[0];
        }
        TreeMap<String, Long> fields = new TreeMap<>();
        long writes = 0;
        for (var e : written.entrySet()) {
            fields.merge(e.getKey().declaringType().name() + "." + e.getKey().name(), e.getValue()[0], Long::sum);
            writes += e.getValue()[0];
        }
        Json j = new Json().put("calls", calls).put("exits", exits).put("throws_seen", exceptions).put("field_writes", writes)
            .put("hidden_class_calls", hidden).put("threads", threads).put("exit_code", code).put("methods", methods);
        if (options.fields) {
            j.put("fields", fields);
        }
        return j.toString();
    }
}

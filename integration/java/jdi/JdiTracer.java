package jdi;

import com.sun.jdi.AbsentInformationException;
import com.sun.jdi.Field;
import com.sun.jdi.IncompatibleThreadStateException;
import com.sun.jdi.InternalException;
import com.sun.jdi.LocalVariable;
import com.sun.jdi.Location;
import com.sun.jdi.Method;
import com.sun.jdi.ObjectReference;
import com.sun.jdi.ReferenceType;
import com.sun.jdi.StackFrame;
import com.sun.jdi.StringReference;
import com.sun.jdi.ThreadReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.Value;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.event.ClassPrepareEvent;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.ExceptionEvent;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.event.MethodExitEvent;
import com.sun.jdi.event.ModificationWatchpointEvent;
import com.sun.jdi.event.StepEvent;
import com.sun.jdi.event.ThreadDeathEvent;
import com.sun.jdi.event.VMDisconnectEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.EventRequestManager;
import com.sun.jdi.request.StepRequest;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The peer that jhyde's engine is measured against: a tracer as one writes it with the JDK's own
 * debugger interface. It records what jhyde records at the same level, reads values the same way
 * (strings and boxes by content, other objects by class and id), and avoids what a careful author
 * avoids: only the event's thread is suspended, variable tables and fields are fetched once per
 * method and class, all locals of a frame are read by one command, nothing is read that is not
 * recorded. What it does not do is what the interface does not offer: to have more than one
 * command of a thread under way.
 *
 * <pre>
 *   java -cp OUT/jdi jdi.JdiTracer [--level calls|state|full] [--trace FILE] [--out FILE]
 *        --include PATTERN... (--attach HOST:PORT | -- JAVA ARGUMENTS...)
 * </pre>
 *
 * Level calls: entries with receiver and arguments, exits with values, exceptions. Level state:
 * also a modification watchpoint on every field of every class in scope, and line steps, each
 * reading all visible locals. Prints one JSON object; seconds run from the first resume to the
 * end of the connection. With --trace, a line per event goes to FILE.
 */
public final class JdiTracer {

    private static final Set<String> BOXES = Set.of("java.lang.Integer", "java.lang.Long", "java.lang.Boolean", "java.lang.Character",
        "java.lang.Byte", "java.lang.Short", "java.lang.Float", "java.lang.Double");
    /** Step filters where several include patterns rule out a single class filter: filters are joined by "and". */
    private static final String[] JDK_PACKAGES = {"java.*", "javax.*", "jdk.*", "sun.*", "com.sun.*"};

    private static final int INVALID_SLOT = 35;

    private final VirtualMachine vm;
    private final EventRequestManager requests;
    private final Options options;
    private final boolean state;
    private final Writer trace;
    private final StringBuilder line = new StringBuilder();

    private final Map<Method, List<LocalVariable>> tables = new HashMap<>();
    private final Map<ReferenceType, Boolean> scope = new HashMap<>();
    private final Map<ReferenceType, Field> boxFields = new HashMap<>();
    private final Set<Method> unreadable = new HashSet<>();
    private final Set<Field> watched = new HashSet<>();
    private final Map<ThreadReference, StepRequest> stepping = new HashMap<>();

    private long calls;
    private long exits;
    private long writes;
    private long steps;
    private long exceptions;
    private long valuesRead;

    private JdiTracer(VirtualMachine vm, Options options, Writer trace) {
        this.vm = vm;
        this.requests = vm.eventRequestManager();
        this.options = options;
        this.state = !options.level.equals("calls");
        this.trace = trace;
    }

    public static void main(String[] args) throws Exception {
        Options options = Options.parse(args, "jdi.JdiTracer [--level calls|state|full] [--trace FILE] [--out FILE] --include PATTERN...");
        Debuggee debuggee = Debuggee.open(options);
        int exitCode;
        try (Writer trace = options.trace == null ? null : open(options.trace)) {
            JdiTracer tracer = new JdiTracer(debuggee.vm(), options, trace);
            tracer.request();
            long start = System.nanoTime();
            tracer.run();
            double seconds = (System.nanoTime() - start) / 1e9;
            int code = debuggee.waitFor();
            options.write(tracer.json(seconds, code));
            exitCode = code;
        }
        System.exit(exitCode);
    }

    /** Lone surrogates, which a Java char may be, become question marks instead of ending the run. */
    private static Writer open(Path file) throws IOException {
        return new BufferedWriter(new OutputStreamWriter(Files.newOutputStream(file), StandardCharsets.UTF_8), 1 << 16);
    }

    private void request() {
        for (String pattern : options.include) {
            var prepare = requests.createClassPrepareRequest();
            prepare.addClassFilter(pattern);
            suspending(prepare);
            var entry = requests.createMethodEntryRequest();
            entry.addClassFilter(pattern);
            suspending(entry);
            var exit = requests.createMethodExitRequest();
            exit.addClassFilter(pattern);
            suspending(exit);
            var exception = requests.createExceptionRequest(null, true, true);
            exception.addClassFilter(pattern);
            suspending(exception);
        }
        if (state) {
            // Step requests of dead threads would pile up otherwise.
            var death = requests.createThreadDeathRequest();
            death.setSuspendPolicy(EventRequest.SUSPEND_NONE);
            death.enable();
        }
        for (ReferenceType t : vm.allClasses()) {
            if (options.inScope(t.name())) {
                prepared(t);
            }
        }
    }

    private static void suspending(EventRequest r) {
        r.setSuspendPolicy(EventRequest.SUSPEND_EVENT_THREAD);
        r.enable();
    }

    private void run() throws IOException {
        vm.resume();
        try {
            while (true) {
                EventSet set = vm.eventQueue().remove();
                // Events at one place share the frame: it is fetched at most once a set.
                StackFrame[] top = new StackFrame[1];
                for (Event e : set) {
                    if (e instanceof VMDisconnectEvent) {
                        return;
                    }
                    try {
                        handle(e, top);
                    } catch (IncompatibleThreadStateException | AbsentInformationException x) {
                        throw new IllegalStateException("at " + e, x);
                    }
                }
                if (set.suspendPolicy() != EventRequest.SUSPEND_NONE) {
                    set.resume();
                }
            }
        } catch (VMDisconnectedException e) {
            // The end of the program.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void handle(Event e, StackFrame[] top) throws IOException, IncompatibleThreadStateException, AbsentInformationException {
        line.setLength(0);
        if (e instanceof StepEvent step) {
            if (inScope(step.location().declaringType())) {
                steps++;
                locals(frame(step.thread(), top), step.location());
                log('S', step.thread(), step.location());
            }
        } else if (e instanceof MethodEntryEvent entry) {
            if (inScope(entry.method().declaringType())) {
                calls++;
                arguments(entry, top);
                log('E', entry.thread(), entry.location());
                if (state) {
                    step(entry.thread());
                }
            }
        } else if (e instanceof MethodExitEvent exit) {
            if (inScope(exit.method().declaringType())) {
                exits++;
                value(exit.returnValue());
                log('X', exit.thread(), exit.location());
            }
        } else if (e instanceof ModificationWatchpointEvent write) {
            writes++;
            value(write.object());
            value(write.valueToBe());
            log('W', write.thread(), write.location());
        } else if (e instanceof ExceptionEvent exception) {
            exceptions++;
            value(exception.exception());
            log('T', exception.thread(), exception.location());
        } else if (e instanceof ClassPrepareEvent prepare) {
            prepared(prepare.referenceType());
        } else if (e instanceof ThreadDeathEvent death) {
            StepRequest r = stepping.remove(death.thread());
            if (r != null) {
                requests.deleteEventRequest(r);
            }
        }
    }

    private StackFrame frame(ThreadReference thread, StackFrame[] top) throws IncompatibleThreadStateException {
        if (top[0] == null) {
            top[0] = thread.frame(0);
        }
        return top[0];
    }

    private void arguments(MethodEntryEvent entry, StackFrame[] top) throws IncompatibleThreadStateException {
        Method m = entry.method();
        boolean parameters = !m.signature().startsWith("()");
        if (m.isNative() || (m.isStatic() && !parameters) || unreadable.contains(m)) {
            return;
        }
        StackFrame f = frame(entry.thread(), top);
        if (!m.isStatic()) {
            value(f.thisObject());
        }
        if (parameters) {
            try {
                for (Value v : f.getArgumentValues()) {
                    value(v);
                }
            } catch (InternalException x) {
                // javac gives bridge methods a variable table with "this" alone, and HotSpot then
                // refuses to read the other slots.
                if (x.errorCode() != INVALID_SLOT) {
                    throw x;
                }
                unreadable.add(m);
            } catch (RuntimeException x) {
                // JDK 21 and later call such frames opaque, by a class that 17 does not have.
                if (!x.getClass().getSimpleName().equals("OpaqueFrameException")) {
                    throw x;
                }
                unreadable.add(m);
            }
        }
    }

    private void locals(StackFrame f, Location at) throws AbsentInformationException {
        List<LocalVariable> table = tables.get(at.method());
        if (table == null) {
            try {
                table = at.method().variables();
            } catch (AbsentInformationException e) {
                table = List.of();
            }
            tables.put(at.method(), table);
        }
        List<LocalVariable> visible = new ArrayList<>(table.size());
        for (LocalVariable v : table) {
            if (v.isVisible(f)) {
                visible.add(v);
            }
        }
        if (visible.isEmpty()) {
            return;
        }
        Map<LocalVariable, Value> values = f.getValues(visible);
        for (LocalVariable v : visible) {
            if (trace != null) {
                line.append(' ').append(v.name()).append('=');
            }
            value(values.get(v));
        }
    }

    /** Reads a value as it is recorded: primitives are here, strings and boxes cost a command each. */
    private void value(Value v) {
        valuesRead++;
        Object text;
        if (v instanceof StringReference s) {
            text = s.value();
        } else if (v instanceof ObjectReference o) {
            ReferenceType type = o.referenceType();
            Field box = boxFields.computeIfAbsent(type, t -> BOXES.contains(t.name()) ? t.fieldByName("value") : null);
            text = box != null ? o.getValue(box) : type.name() + "#" + o.uniqueID();
        } else {
            text = v;
        }
        if (trace != null) {
            line.append(' ').append(text instanceof String content ? Json.quote(content) : text);
        }
    }

    private void prepared(ReferenceType type) {
        if (!state || !inScope(type)) {
            return;
        }
        for (Field f : type.fields()) {
            if (watched.add(f)) {
                suspending(requests.createModificationWatchpointRequest(f));
            }
        }
    }

    /** Line steps begin with a thread's first call in scope, and go on until the thread ends. */
    private void step(ThreadReference thread) {
        if (stepping.containsKey(thread)) {
            return;
        }
        StepRequest r = requests.createStepRequest(thread,
            options.level.equals("full") ? StepRequest.STEP_MIN : StepRequest.STEP_LINE, StepRequest.STEP_INTO);
        if (options.include.size() == 1) {
            r.addClassFilter(options.include.get(0));
        } else {
            for (String p : JDK_PACKAGES) {
                r.addClassExclusionFilter(p);
            }
        }
        suspending(r);
        stepping.put(thread, r);
    }

    private boolean inScope(ReferenceType type) {
        return scope.computeIfAbsent(type, t -> !Options.isHidden(t) && options.inScope(t.name()));
    }

    private void log(char kind, ThreadReference thread, Location at) throws IOException {
        if (trace != null) {
            trace.append(kind).append(' ').append(Long.toString(thread.uniqueID())).append(' ')
                .append(at.declaringType().name()).append('.').append(at.method().name()).append('@')
                .append(Long.toString(at.codeIndex())).append(line).append('\n');
        }
    }

    private String json(double seconds, int code) {
        long events = calls + exits + writes + steps + exceptions;
        return new Json().put("peer", "jdi").put("level", options.level).put("events", events).put("seconds", seconds)
            .put("events_per_second", events / seconds).put("calls", calls).put("exits", exits).put("field_writes", writes)
            .put("steps", steps).put("exceptions", exceptions).put("values_read", valuesRead).put("exit_code", code).toString();
    }
}

//! Constants of the protocol other than error codes (spec: "JDWP Constants").

codes! {
    /// The kind of an event (spec: "EventKind Constants").
    pub struct EventKind(u8) {
        /// A step has ended.
        SINGLE_STEP = 1;
        /// A requested location is about to be executed.
        BREAKPOINT = 2;
        /// Named by the spec, sent by no known JVM.
        FRAME_POP = 3;
        /// An exception was thrown.
        EXCEPTION = 4;
        /// Named by the spec, sent by no known JVM.
        USER_DEFINED = 5;
        /// A thread has started.
        THREAD_START = 6;
        /// A thread is about to end (the spec also calls it `THREAD_END`).
        THREAD_DEATH = 7;
        /// A class was prepared.
        CLASS_PREPARE = 8;
        /// A class was unloaded.
        CLASS_UNLOAD = 9;
        /// Named by the spec, sent by no known JVM.
        CLASS_LOAD = 10;
        /// A watched field is about to be read.
        FIELD_ACCESS = 20;
        /// A watched field is about to be written.
        FIELD_MODIFICATION = 21;
        /// Named by the spec, sent by no known JVM.
        EXCEPTION_CATCH = 30;
        /// A method was entered.
        METHOD_ENTRY = 40;
        /// A method is about to return.
        METHOD_EXIT = 41;
        /// A method is about to return, with its result.
        METHOD_EXIT_WITH_RETURN_VALUE = 42;
        /// A thread waits for a monitor that another one owns.
        MONITOR_CONTENDED_ENTER = 43;
        /// A thread got the monitor that it had to wait for.
        MONITOR_CONTENDED_ENTERED = 44;
        /// A thread is about to call `Object.wait` on a monitor.
        MONITOR_WAIT = 45;
        /// A thread has come back from `Object.wait`.
        MONITOR_WAITED = 46;
        /// The JVM is initialised (the spec also calls it `VM_INIT`).
        VM_START = 90;
        /// The JVM ends.
        VM_DEATH = 99;
        /// Never sent: stands for a lost connection inside debuggers.
        VM_DISCONNECTED = 100;
    }

    /// The kind of a reference type (spec: "TypeTag Constants").
    pub struct TypeTag(u8) {
        /// A class.
        CLASS = 1;
        /// An interface.
        INTERFACE = 2;
        /// An array type.
        ARRAY = 3;
    }

    /// The type of a value: the first character of its signature, or what kind of object it is
    /// (spec: "Tag Constants").
    pub struct Tag(u8) {
        /// An array (`[`).
        ARRAY = b'[';
        /// A byte (`B`).
        BYTE = b'B';
        /// A char (`C`).
        CHAR = b'C';
        /// An object of no special kind, or null (`L`).
        OBJECT = b'L';
        /// A float (`F`).
        FLOAT = b'F';
        /// A double (`D`).
        DOUBLE = b'D';
        /// An int (`I`).
        INT = b'I';
        /// A long (`J`).
        LONG = b'J';
        /// A short (`S`).
        SHORT = b'S';
        /// No value (`V`).
        VOID = b'V';
        /// A boolean (`Z`).
        BOOLEAN = b'Z';
        /// A string (`s`).
        STRING = b's';
        /// A thread (`t`).
        THREAD = b't';
        /// A thread group (`g`).
        THREAD_GROUP = b'g';
        /// A class loader (`l`).
        CLASS_LOADER = b'l';
        /// A `java.lang.Class` (`c`).
        CLASS_OBJECT = b'c';
    }

    /// What a thread does (spec: "ThreadStatus Constants").
    pub struct ThreadStatus(i32) {
        /// It has ended.
        ZOMBIE = 0;
        /// It can run.
        RUNNING = 1;
        /// It is in `Thread.sleep`.
        SLEEPING = 2;
        /// It waits for a monitor.
        MONITOR = 3;
        /// It is in `Object.wait`, or parked.
        WAIT = 4;
    }

    /// Which threads an event suspends (spec: "SuspendPolicy Constants").
    pub struct SuspendPolicy(u8) {
        /// No thread.
        NONE = 0;
        /// The thread in which the event happened.
        EVENT_THREAD = 1;
        /// All threads.
        ALL = 2;
    }

    /// How long a step is (spec: "StepSize Constants").
    pub struct StepSize(i32) {
        /// The least step there is: one bytecode instruction.
        MIN = 0;
        /// To the next source line.
        LINE = 1;
    }

    /// Whether a step goes into calls (spec: "StepDepth Constants").
    pub struct StepDepth(i32) {
        /// Into calls.
        INTO = 0;
        /// Over calls.
        OVER = 1;
        /// Out of the present method.
        OUT = 2;
    }
}

impl Tag {
    /// The tag of values of a type with this JVM signature (`I`, `[J`, `Ljava/lang/String;`).
    /// Special kinds of objects are not told apart: a string's static type gives `OBJECT`.
    pub fn of_signature(signature: &str) -> Option<Self> {
        match signature.as_bytes().first() {
            Some(
                first
                @ (b'[' | b'B' | b'C' | b'L' | b'F' | b'D' | b'I' | b'J' | b'S' | b'V' | b'Z'),
            ) => Some(Self(*first)),
            _ => None,
        }
    }

    /// True of the tags of primitive values and void.
    pub const fn is_primitive(self) -> bool {
        matches!(
            self.0,
            b'B' | b'C' | b'F' | b'D' | b'I' | b'J' | b'S' | b'V' | b'Z'
        )
    }

    /// True of the tags of references.
    pub const fn is_reference(self) -> bool {
        matches!(self.0, b'[' | b'L' | b's' | b't' | b'g' | b'l' | b'c')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_without_a_name_keep_their_number() {
        assert_eq!(EventKind::SINGLE_STEP.to_string(), "SINGLE_STEP");
        assert_eq!(EventKind(77).to_string(), "EventKind(77)");
        assert_eq!(EventKind(77).name(), None);
        assert_eq!(SuspendPolicy::ALL.description(), Some("All threads."));
    }

    #[test]
    fn no_number_has_two_names() {
        for (index, kind) in EventKind::KNOWN.iter().enumerate() {
            assert!(!EventKind::KNOWN[..index].contains(kind), "{kind}");
        }
        for (index, tag) in Tag::KNOWN.iter().enumerate() {
            assert!(!Tag::KNOWN[..index].contains(tag), "{tag}");
            assert!(tag.is_primitive() != tag.is_reference(), "{tag}");
        }
    }
}

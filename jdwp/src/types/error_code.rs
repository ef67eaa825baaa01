//! What a JVM answers instead of data (spec: "Error Constants").

codes! {
    /// The error code of a reply; 0 is success.
    pub struct ErrorCode(u16) {
        /// No error.
        NONE = 0;
        /// The thread is null, is not a thread, or has ended.
        INVALID_THREAD = 10;
        /// The thread group is not valid.
        INVALID_THREAD_GROUP = 11;
        /// The priority is not valid.
        INVALID_PRIORITY = 12;
        /// The thread is not suspended by an event or by the debugger.
        THREAD_NOT_SUSPENDED = 13;
        /// The thread is suspended already.
        THREAD_SUSPENDED = 14;
        /// The thread has not started or has ended.
        THREAD_NOT_ALIVE = 15;
        /// The object id is not known, or the object was collected.
        INVALID_OBJECT = 20;
        /// The class is not known, or was unloaded.
        INVALID_CLASS = 21;
        /// The class is loaded but not yet prepared.
        CLASS_NOT_PREPARED = 22;
        /// The method id is not valid in this class.
        INVALID_METHODID = 23;
        /// The location is not valid.
        INVALID_LOCATION = 24;
        /// The field id is not valid in this class.
        INVALID_FIELDID = 25;
        /// The frame id is not valid: its thread was resumed since.
        INVALID_FRAMEID = 30;
        /// There are no more frames on the stack.
        NO_MORE_FRAMES = 31;
        /// The frame cannot be looked into: it is native, or not at a place where this is possible.
        OPAQUE_FRAME = 32;
        /// The operation is only possible in the topmost frame.
        NOT_CURRENT_FRAME = 33;
        /// The variable's type is not the one that was asked for.
        TYPE_MISMATCH = 34;
        /// There is no such local variable slot.
        INVALID_SLOT = 35;
        /// The item is there already.
        DUPLICATE = 40;
        /// The item was not found.
        NOT_FOUND = 41;
        /// The module is not valid.
        INVALID_MODULE = 42;
        /// The monitor is not valid.
        INVALID_MONITOR = 50;
        /// The thread does not own the monitor.
        NOT_MONITOR_OWNER = 51;
        /// The call was interrupted.
        INTERRUPT = 52;
        /// The new class file is malformed.
        INVALID_CLASS_FORMAT = 60;
        /// The new class would be its own ancestor.
        CIRCULAR_CLASS_DEFINITION = 61;
        /// The new class file does not verify.
        FAILS_VERIFICATION = 62;
        /// The JVM cannot add methods by redefinition.
        ADD_METHOD_NOT_IMPLEMENTED = 63;
        /// The JVM cannot change fields by redefinition.
        SCHEMA_CHANGE_NOT_IMPLEMENTED = 64;
        /// The state of the thread has been changed so that it is inconsistent.
        INVALID_TYPESTATE = 65;
        /// The JVM cannot change superclass or interfaces by redefinition.
        HIERARCHY_CHANGE_NOT_IMPLEMENTED = 66;
        /// The JVM cannot remove methods by redefinition.
        DELETE_METHOD_NOT_IMPLEMENTED = 67;
        /// The new class file's version is not supported.
        UNSUPPORTED_VERSION = 68;
        /// The new class file defines a class of another name.
        NAMES_DONT_MATCH = 69;
        /// The JVM cannot change the class's modifiers by redefinition.
        CLASS_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 70;
        /// The JVM cannot change a method's modifiers by redefinition.
        METHOD_MODIFIERS_CHANGE_NOT_IMPLEMENTED = 71;
        /// The JVM cannot change this attribute of the class (nest host, record, sealing) by redefinition.
        CLASS_ATTRIBUTE_CHANGE_NOT_IMPLEMENTED = 72;
        /// The JVM does not have this ability.
        NOT_IMPLEMENTED = 99;
        /// A pointer that must not be null is null.
        NULL_POINTER = 100;
        /// The class file does not hold this information (compile with -g).
        ABSENT_INFORMATION = 101;
        /// The event kind is not known.
        INVALID_EVENT_TYPE = 102;
        /// An argument is not valid.
        ILLEGAL_ARGUMENT = 103;
        /// The JVM is out of memory.
        OUT_OF_MEMORY = 110;
        /// Debugging is not enabled in this JVM.
        ACCESS_DENIED = 111;
        /// The JVM has ended.
        VM_DEAD = 112;
        /// An internal error of the JVM.
        INTERNAL = 113;
        /// The thread that made the call is not attached to the JVM.
        UNATTACHED_THREAD = 115;
        /// A value's tag is not valid.
        INVALID_TAG = 500;
        /// The thread is running an invoked method already.
        ALREADY_INVOKING = 502;
        /// The index is out of range.
        INVALID_INDEX = 503;
        /// The length is not valid.
        INVALID_LENGTH = 504;
        /// The string is not valid.
        INVALID_STRING = 506;
        /// The object is not a class loader.
        INVALID_CLASS_LOADER = 507;
        /// The object is not an array.
        INVALID_ARRAY = 508;
        /// The transport could not be loaded.
        TRANSPORT_LOAD = 509;
        /// The transport could not be initialised.
        TRANSPORT_INIT = 510;
        /// The method is native: it has no bytecode and no locals.
        NATIVE_METHOD = 511;
        /// The count is not valid.
        INVALID_COUNT = 512;
    }
}

impl ErrorCode {
    /// True of success.
    pub const fn is_none(self) -> bool {
        self.0 == 0
    }
}

//! Commands to the JVM as a whole (spec: "VirtualMachine Command Set (1)").

use crate::codec::{IdSizes, InvalidIdSizes};
use crate::types::{
    ClassStatus, JdwpString, ModuleId, ObjectId, ReferenceTypeId, StringId, ThreadGroupId,
    ThreadId, TypeTag,
};

command_set! {
    VirtualMachine = 1;

    /// The version of the protocol and of the JVM.
    Version = 1 -> VersionReply;

    /// The loaded classes with a signature: several if several loaders define it, none if it is
    /// not loaded.
    ClassesBySignature = 2 {
        /// The signature, as `Ljava/lang/String;`.
        signature: JdwpString,
    } -> Vec<ClassBySignature>;

    /// All loaded classes.
    AllClasses = 3 -> Vec<ClassInfo>;

    /// All live threads that have started; virtual threads only if the agent runs with
    /// `includevirtualthreads=y`.
    AllThreads = 4 -> Vec<ThreadId>;

    /// The thread groups that have no parent.
    TopLevelThreadGroups = 5 -> Vec<ThreadGroupId>;

    /// Ends the debugging: requests are cancelled, threads resumed as often as they were
    /// suspended, and the JVM closes the connection after its reply.
    Dispose = 6 -> ();

    /// The widths of the identifiers. [`crate::Session`] asks this by itself.
    IDSizes = 7 -> IdSizesReply;

    /// Suspends all threads; counts.
    Suspend = 8 -> ();

    /// Resumes all threads that were suspended as often as they are resumed.
    Resume = 9 -> ();

    /// Ends the JVM at once; HotSpot sends no VM death event.
    Exit = 10 {
        /// The process's exit code.
        exit_code: i32,
    } -> ();

    /// Makes a string in the JVM.
    CreateString = 11 {
        /// Its content.
        utf: JdwpString,
    } -> StringId;

    /// The abilities of the JVM, the first seven. See [`CapabilitiesNew`] for all.
    Capabilities = 12 -> CapabilitiesReply;

    /// The class path.
    ClassPaths = 13 -> ClassPathsReply;

    /// Releases object ids: after as many releases as the id was sent, it may be reused.
    DisposeObjects = 14 {
        /// What to release.
        requests: Vec<DisposeObject>,
    } -> ();

    /// Stops sending events until [`ReleaseEvents`]. Threads with an event that suspends wait there.
    HoldEvents = 15 -> ();

    /// Sends held events, and goes on sending.
    ReleaseEvents = 16 -> ();

    /// The abilities of the JVM.
    CapabilitiesNew = 17 -> CapabilitiesNewReply;

    /// Replaces the bytecode of classes. Frames in the old methods go on in them.
    RedefineClasses = 18 {
        /// The classes and their new class files.
        classes: Vec<ClassDefinition>,
    } -> ();

    /// Sets the stratum that source names and lines are asked in.
    SetDefaultStratum = 19 {
        /// The stratum's name; empty means the class's own default.
        stratum: JdwpString,
    } -> ();

    /// All loaded classes, with generic signatures.
    AllClassesWithGeneric = 20 -> Vec<ClassInfoWithGeneric>;

    /// How many instances of each type are reachable. Subclasses do not count.
    InstanceCounts = 21 {
        /// The types to count.
        types: Vec<ReferenceTypeId>,
    } -> Vec<i64>;

    /// All modules of the JVM.
    AllModules = 22 -> Vec<ModuleId>;
}

wire_struct! {
    /// Reply to [`Version`].
    pub struct VersionReply {
        /// JVM name and version in words.
        pub description: JdwpString,
        /// Major version of the protocol: the JDK's feature version.
        pub jdwp_major: i32,
        /// Minor version of the protocol.
        pub jdwp_minor: i32,
        /// The property `java.version`.
        pub vm_version: JdwpString,
        /// The property `java.vm.name`.
        pub vm_name: JdwpString,
    }

    /// Element of the reply to [`ClassesBySignature`].
    #[derive(Copy, Eq, Hash)]
    pub struct ClassBySignature {
        /// Class, interface or array.
        pub type_tag: TypeTag,
        /// The type.
        pub type_id: ReferenceTypeId,
        /// How far it is.
        pub status: ClassStatus,
    }

    /// Element of the reply to [`AllClasses`].
    #[derive(Eq, Hash)]
    pub struct ClassInfo {
        /// Class, interface or array.
        pub type_tag: TypeTag,
        /// The type.
        pub type_id: ReferenceTypeId,
        /// Its signature.
        pub signature: JdwpString,
        /// How far it is.
        pub status: ClassStatus,
    }

    /// Element of the reply to [`AllClassesWithGeneric`].
    #[derive(Eq, Hash)]
    pub struct ClassInfoWithGeneric {
        /// Class, interface or array.
        pub type_tag: TypeTag,
        /// The type.
        pub type_id: ReferenceTypeId,
        /// Its signature.
        pub signature: JdwpString,
        /// Its generic signature; empty if it has none.
        pub generic_signature: JdwpString,
        /// How far it is.
        pub status: ClassStatus,
    }

    /// Reply to [`IDSizes`]: widths in bytes. [`IdSizes::try_from`] checks them.
    #[derive(Copy, Eq, Hash)]
    pub struct IdSizesReply {
        /// Width of field ids.
        pub field: i32,
        /// Width of method ids.
        pub method: i32,
        /// Width of object ids.
        pub object: i32,
        /// Width of reference type ids.
        pub reference_type: i32,
        /// Width of frame ids.
        pub frame: i32,
    }

    /// Reply to [`Capabilities`].
    #[derive(Copy, Eq, Hash, Default)]
    pub struct CapabilitiesReply {
        /// Field modification events with where and what.
        pub can_watch_field_modification: bool,
        /// Field access events.
        pub can_watch_field_access: bool,
        /// `Method.Bytecodes`.
        pub can_get_bytecodes: bool,
        /// Whether fields and methods are synthetic.
        pub can_get_synthetic_attribute: bool,
        /// `ThreadReference.OwnedMonitors`.
        pub can_get_owned_monitor_info: bool,
        /// `ThreadReference.CurrentContendedMonitor`.
        pub can_get_current_contended_monitor: bool,
        /// `ObjectReference.MonitorInfo`.
        pub can_get_monitor_info: bool,
    }

    /// Reply to [`ClassPaths`].
    #[derive(Eq, Hash)]
    pub struct ClassPathsReply {
        /// What relative entries are relative to.
        pub base_dir: JdwpString,
        /// Entries of the class path.
        pub class_paths: Vec<JdwpString>,
        /// Entries of the boot class path; empty in JDK 9 and later.
        pub boot_class_paths: Vec<JdwpString>,
    }

    /// Element of [`DisposeObjects`].
    #[derive(Copy, Eq, Hash)]
    pub struct DisposeObject {
        /// The object.
        pub object: ObjectId,
        /// How many receptions of its id to release.
        pub count: i32,
    }

    /// Element of [`RedefineClasses`].
    #[derive(Eq, Hash)]
    pub struct ClassDefinition {
        /// The class to replace.
        pub class: ReferenceTypeId,
        /// The new class file (JVMS chapter 4).
        pub class_file: Vec<u8>,
    }

    /// Reply to [`CapabilitiesNew`]: all 32 flags.
    #[derive(Copy, Eq, Hash, Default)]
    pub struct CapabilitiesNewReply {
        /// Field modification events.
        pub can_watch_field_modification: bool,
        /// Field access events.
        pub can_watch_field_access: bool,
        /// `Method.Bytecodes`.
        pub can_get_bytecodes: bool,
        /// Whether fields and methods are synthetic.
        pub can_get_synthetic_attribute: bool,
        /// `ThreadReference.OwnedMonitors`.
        pub can_get_owned_monitor_info: bool,
        /// `ThreadReference.CurrentContendedMonitor`.
        pub can_get_current_contended_monitor: bool,
        /// `ObjectReference.MonitorInfo`.
        pub can_get_monitor_info: bool,
        /// [`RedefineClasses`].
        pub can_redefine_classes: bool,
        /// Redefinition may add methods.
        pub can_add_method: bool,
        /// Redefinition may change anything.
        pub can_unrestrictedly_redefine_classes: bool,
        /// `StackFrame.PopFrames`.
        pub can_pop_frames: bool,
        /// Modifier `InstanceOnly`.
        pub can_use_instance_filters: bool,
        /// `ReferenceType.SourceDebugExtension`.
        pub can_get_source_debug_extension: bool,
        /// VM death events can be requested.
        pub can_request_vm_death_event: bool,
        /// [`SetDefaultStratum`].
        pub can_set_default_stratum: bool,
        /// [`InstanceCounts`], `ReferenceType.Instances`, `ObjectReference.ReferringObjects`.
        pub can_get_instance_info: bool,
        /// Monitor events.
        pub can_request_monitor_events: bool,
        /// `ThreadReference.OwnedMonitorsStackDepthInfo`.
        pub can_get_monitor_frame_info: bool,
        /// Modifier `SourceNameMatch`.
        pub can_use_source_name_filters: bool,
        /// `ReferenceType.ConstantPool`.
        pub can_get_constant_pool: bool,
        /// `ThreadReference.ForceEarlyReturn`.
        pub can_force_early_return: bool,
        /// Reserved for future capabilities.
        pub reserved22: bool,
        /// Reserved for future capabilities.
        pub reserved23: bool,
        /// Reserved for future capabilities.
        pub reserved24: bool,
        /// Reserved for future capabilities.
        pub reserved25: bool,
        /// Reserved for future capabilities.
        pub reserved26: bool,
        /// Reserved for future capabilities.
        pub reserved27: bool,
        /// Reserved for future capabilities.
        pub reserved28: bool,
        /// Reserved for future capabilities.
        pub reserved29: bool,
        /// Reserved for future capabilities.
        pub reserved30: bool,
        /// Reserved for future capabilities.
        pub reserved31: bool,
        /// Reserved for future capabilities.
        pub reserved32: bool,
    }
}

impl TryFrom<IdSizesReply> for IdSizes {
    type Error = InvalidIdSizes;

    fn try_from(reply: IdSizesReply) -> Result<Self, InvalidIdSizes> {
        let IdSizesReply {
            field,
            method,
            object,
            reference_type,
            frame,
        } = reply;
        Self::new(field, method, object, reference_type, frame)
    }
}

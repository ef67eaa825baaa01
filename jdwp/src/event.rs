//! What the JVM sends by itself (spec: "Event Command Set (64)"): composites of events that
//! happened at one time and place.

use crate::codec::{DecodeError, IdSizes, RESERVE_AT_MOST, Reader, Wire, Writer};
use crate::command::{Command, CommandInfo};
use crate::types::{
    ClassStatus, EventKind, FieldId, JdwpString, Location, ReferenceTypeId, RequestId,
    SuspendPolicy, TaggedObject, ThreadId, TypeTag, Value,
};

/// The number of this command set.
pub const SET: u8 = 64;

/// This set's rows of the table of all commands.
pub const COMMANDS: &[CommandInfo] = &[CommandInfo::of::<Composite>()];

/// Events that happened together, in one thread at one place, and what they suspended.
///
/// One resume (of the thread or of all, as [`suspend_policy`](Self::suspend_policy) says) answers
/// the whole composite, however many events it holds.
#[derive(Debug, Clone, PartialEq)]
pub struct Composite {
    /// What is suspended until resumed.
    pub suspend_policy: SuspendPolicy,
    /// The events. An event of unknown kind is the last, see [`Event::Unknown`].
    pub events: Vec<Event>,
}

impl Command for Composite {
    /// The JVM waits for no reply.
    type Reply = ();
    const SET: u8 = SET;
    const COMMAND: u8 = 100;
    const NAME: &'static str = "Event.Composite";
}

impl Composite {
    /// The thread of the first event that has one: all events of a composite are in one thread.
    pub fn thread(&self) -> Option<ThreadId> {
        self.events.iter().find_map(Event::thread)
    }

    /// How many events the JVM put into the packet, those not understood included.
    fn declared(&self) -> usize {
        match self.events.last() {
            Some(Event::Unknown { count, .. }) => self.events.len() - 1 + *count as usize,
            _ => self.events.len(),
        }
    }
}

impl Wire for Composite {
    fn min_len(_: &IdSizes) -> usize {
        5
    }

    #[inline]
    fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
        let suspend_policy = reader.read()?;
        // Every event has a kind and a request: five bytes.
        let count = reader.count(5)?;
        let mut events = Vec::with_capacity(count.min(RESERVE_AT_MOST));
        while events.len() < count {
            match Event::read_known(reader)? {
                Ok(event) => events.push(event),
                Err(kind) => {
                    let undecoded = u32::try_from(count - events.len()).unwrap_or(u32::MAX);
                    let data = reader.rest().to_vec();
                    events.push(Event::Unknown {
                        kind,
                        count: undecoded,
                        data,
                    });
                    break;
                }
            }
        }
        Ok(Self {
            suspend_policy,
            events,
        })
    }

    fn write(&self, writer: &mut Writer<'_>) {
        writer.write(&self.suspend_policy);
        writer.count(self.declared());
        Event::write_many(&self.events, writer);
    }
}

/// Declares the events: name, kind and what follows the request id.
macro_rules! events {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $kind:ident { $($(#[doc = $field_doc:literal])+ $field:ident: $ty:ty,)* }
    )*) => {
        /// An event. `request` is the request that asked for it.
        #[derive(Debug, Clone, PartialEq)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub enum Event {
            $(
                $(#[doc = $doc])+
                $name {
                    /// The request that asked for the event; 0 if the JVM sends it unasked.
                    request: RequestId,
                    $($(#[doc = $field_doc])+ $field: $ty,)*
                },
            )*
            /// An event of a later version of the protocol. Its length is not known, so this
            /// stands for all the rest of its composite. What the composite suspended is known
            /// all the same and must be resumed.
            #[cfg_attr(feature = "arbitrary", arbitrary(skip))]
            Unknown {
                /// The kind of the first event that is not understood.
                kind: EventKind,
                /// How many events the rest holds, this one included.
                count: u32,
                /// The rest of the packet, from behind `kind`.
                data: Vec<u8>,
            },
        }

        impl Event {
            /// The kind of event.
            pub const fn kind(&self) -> EventKind {
                match self {
                    $(Self::$name { .. } => EventKind::$kind,)*
                    Self::Unknown { kind, .. } => *kind,
                }
            }

            /// The request that asked for the event; 0 if none did or if it is not known.
            pub const fn request(&self) -> RequestId {
                match self {
                    $(Self::$name { request, .. } => *request,)*
                    Self::Unknown { .. } => RequestId::NONE,
                }
            }

            /// Reads an event; the inner error is the kind, if it is not known.
            #[inline]
            fn read_known(
                reader: &mut Reader<'_>,
            ) -> Result<Result<Self, EventKind>, DecodeError> {
                let kind: EventKind = reader.read()?;
                Ok(Ok(match kind {
                    $(EventKind::$kind => Self::$name {
                        request: reader.read().map_err(
                            |error| error.within(concat!(stringify!($name), ".request"))
                        )?,
                        $($field: reader.read().map_err(|error| error.within(
                            concat!(stringify!($name), ".", stringify!($field))
                        ))?,)*
                    },)*
                    kind => return Ok(Err(kind)),
                }))
            }
        }

        impl Event {
            fn write_many(events: &[Self], writer: &mut Writer<'_>) {
                for event in events {
                    writer.write(&event.kind());
                    match event {
                        $(Self::$name { request, $($field,)* } => {
                            writer.write(request);
                            $(writer.write($field);)*
                        })*
                        Self::Unknown { data, .. } => writer.put(data),
                    }
                }
            }
        }
    };
}

events! {
    /// The JVM is initialised; before the first line of the application. Sent without a request.
    VmStart = VM_START {
        /// The main thread.
        thread: ThreadId,
    }

    /// A step has ended: the instruction at the location is about to be executed.
    SingleStep = SINGLE_STEP {
        /// The thread.
        thread: ThreadId,
        /// Where.
        location: Location,
    }

    /// The instruction at a requested location is about to be executed.
    Breakpoint = BREAKPOINT {
        /// The thread.
        thread: ThreadId,
        /// Where.
        location: Location,
    }

    /// A method was entered; arguments are bound, no instruction is executed yet. Native methods
    /// too.
    MethodEntry = METHOD_ENTRY {
        /// The thread.
        thread: ThreadId,
        /// The method's first instruction.
        location: Location,
    }

    /// A method is about to return. Not sent if it ends by an exception.
    MethodExit = METHOD_EXIT {
        /// The thread.
        thread: ThreadId,
        /// The instruction that returns.
        location: Location,
    }

    /// A method is about to return, with its result. Not sent if it ends by an exception.
    MethodExitWithReturnValue = METHOD_EXIT_WITH_RETURN_VALUE {
        /// The thread.
        thread: ThreadId,
        /// The instruction that returns.
        location: Location,
        /// The result; void for void methods.
        value: Value,
    }

    /// A thread wants a monitor that another thread owns.
    MonitorContendedEnter = MONITOR_CONTENDED_ENTER {
        /// The thread.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where.
        location: Location,
    }

    /// A thread got the monitor that it had to wait for.
    MonitorContendedEntered = MONITOR_CONTENDED_ENTERED {
        /// The thread.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where.
        location: Location,
    }

    /// A thread is about to wait in `Object.wait`.
    MonitorWait = MONITOR_WAIT {
        /// The thread.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where.
        location: Location,
        /// How long it waits at most, in milliseconds; 0 for ever.
        timeout: i64,
    }

    /// A thread has come back from `Object.wait`.
    MonitorWaited = MONITOR_WAITED {
        /// The thread.
        thread: ThreadId,
        /// The monitor.
        object: TaggedObject,
        /// Where.
        location: Location,
        /// True if the time was over.
        timed_out: bool,
    }

    /// An exception was thrown.
    Exception = EXCEPTION {
        /// The thread.
        thread: ThreadId,
        /// Where it was thrown, or first came to light in Java code.
        location: Location,
        /// The exception.
        exception: TaggedObject,
        /// Where it will be caught, as far as the JVM can tell; [`Location::is_null`] if nowhere.
        catch_location: Location,
    }

    /// A thread has started; it has executed nothing yet.
    ThreadStart = THREAD_START {
        /// The thread.
        thread: ThreadId,
    }

    /// A thread has executed its last instruction.
    ThreadDeath = THREAD_DEATH {
        /// The thread.
        thread: ThreadId,
    }

    /// A class was prepared; none of its code is executed yet.
    ClassPrepare = CLASS_PREPARE {
        /// The thread that prepared it; null if it was a thread of the debugger agent, in which
        /// case the suspend policy is not kept to.
        thread: ThreadId,
        /// Class, interface or array.
        type_tag: TypeTag,
        /// The type.
        type_id: ReferenceTypeId,
        /// Its signature.
        signature: JdwpString,
        /// How far it is.
        status: ClassStatus,
    }

    /// A class was unloaded. Its id is gone, so only the name is sent.
    ClassUnload = CLASS_UNLOAD {
        /// Its signature.
        signature: JdwpString,
    }

    /// A watched field is about to be read.
    FieldAccess = FIELD_ACCESS {
        /// The thread.
        thread: ThreadId,
        /// The instruction that reads.
        location: Location,
        /// Kind of the type that declares the field.
        type_tag: TypeTag,
        /// The type that declares the field.
        type_id: ReferenceTypeId,
        /// The field.
        field: FieldId,
        /// The object; null for static fields.
        object: TaggedObject,
    }

    /// A watched field is about to be written.
    FieldModification = FIELD_MODIFICATION {
        /// The thread.
        thread: ThreadId,
        /// The instruction that writes.
        location: Location,
        /// Kind of the type that declares the field.
        type_tag: TypeTag,
        /// The type that declares the field.
        type_id: ReferenceTypeId,
        /// The field.
        field: FieldId,
        /// The object; null for static fields.
        object: TaggedObject,
        /// The value that the field is about to have.
        value: Value,
    }

    /// The JVM ends. Sent even without a request, with request 0.
    VmDeath = VM_DEATH {}
}

impl Event {
    /// The thread in which the event happened, if its kind has one.
    pub const fn thread(&self) -> Option<ThreadId> {
        match self {
            Self::VmStart { thread, .. }
            | Self::SingleStep { thread, .. }
            | Self::Breakpoint { thread, .. }
            | Self::MethodEntry { thread, .. }
            | Self::MethodExit { thread, .. }
            | Self::MethodExitWithReturnValue { thread, .. }
            | Self::MonitorContendedEnter { thread, .. }
            | Self::MonitorContendedEntered { thread, .. }
            | Self::MonitorWait { thread, .. }
            | Self::MonitorWaited { thread, .. }
            | Self::Exception { thread, .. }
            | Self::ThreadStart { thread, .. }
            | Self::ThreadDeath { thread, .. }
            | Self::ClassPrepare { thread, .. }
            | Self::FieldAccess { thread, .. }
            | Self::FieldModification { thread, .. } => Some(*thread),
            Self::ClassUnload { .. } | Self::VmDeath { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Where the event happened, if its kind has a location.
    pub const fn location(&self) -> Option<&Location> {
        match self {
            Self::SingleStep { location, .. }
            | Self::Breakpoint { location, .. }
            | Self::MethodEntry { location, .. }
            | Self::MethodExit { location, .. }
            | Self::MethodExitWithReturnValue { location, .. }
            | Self::MonitorContendedEnter { location, .. }
            | Self::MonitorContendedEntered { location, .. }
            | Self::MonitorWait { location, .. }
            | Self::MonitorWaited { location, .. }
            | Self::Exception { location, .. }
            | Self::FieldAccess { location, .. }
            | Self::FieldModification { location, .. } => Some(location),
            _ => None,
        }
    }
}

#[cfg(feature = "arbitrary")]
impl<'a> arbitrary::Arbitrary<'a> for Composite {
    fn arbitrary(u: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        let suspend_policy = u.arbitrary()?;
        let mut events: Vec<Event> = u.arbitrary()?;
        // Half of the unknown kinds stand between the known ones.
        let kind: u8 = u.arbitrary()?;
        if EventKind(kind).name().is_none() {
            let count = u.int_in_range(1..=3)?;
            let mut data: Vec<u8> = u.arbitrary()?;
            // What such events take at least, or their count would be refused.
            data.resize(data.len().max(count as usize * 5), 0);
            events.push(Event::Unknown {
                kind: EventKind(kind),
                count,
                data,
            });
        }
        Ok(Self {
            suspend_policy,
            events,
        })
    }
}

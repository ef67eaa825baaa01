//! Modifiers of event requests (spec: EventRequest.Set, `modKind` 1 to 13).

use crate::codec::{DecodeError, IdSizes, Reader, Wire, Writer};
use crate::types::{
    FieldId, JdwpString, Location, ObjectId, ReferenceTypeId, StepDepth, StepSize, ThreadId,
};

/// Declares the modifiers: number, name and fields of each.
macro_rules! modifiers {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident = $number:literal
        $({ $($(#[doc = $field_doc:literal])+ $field:ident: $ty:ty,)* })?;
    )*) => {
        /// A condition on the events of a request. Which kinds of events each applies to is in
        /// the spec (EventRequest.Set); the JVM answers `ILLEGAL_ARGUMENT` otherwise.
        #[derive(Debug, Clone, PartialEq, Eq, Hash)]
        #[cfg_attr(feature = "arbitrary", derive(arbitrary::Arbitrary))]
        pub enum Modifier {
            $($(#[doc = $doc])+ $name $({ $($(#[doc = $field_doc])+ $field: $ty,)* })?,)*
            /// A modifier of a later version of the protocol. Its length is not known, so `data`
            /// goes to the end of the packet. Only ever decoded.
            #[cfg_attr(feature = "arbitrary", arbitrary(skip))]
            Unknown {
                /// Its number.
                kind: u8,
                /// The rest of the packet.
                data: Vec<u8>,
            },
        }

        impl Modifier {
            /// The number of this kind of modifier (spec: `modKind`).
            pub const fn kind(&self) -> u8 {
                match self {
                    $(Self::$name { .. } => $number,)*
                    Self::Unknown { kind, .. } => *kind,
                }
            }
        }

        impl Wire for Modifier {
            fn min_len(_: &IdSizes) -> usize {
                1
            }

            fn read(reader: &mut Reader<'_>) -> Result<Self, DecodeError> {
                let kind = u8::read(reader)?;
                Ok(match kind {
                    $($number => Self::$name $({ $($field: reader.read().map_err(
                        |error| error.within(concat!(stringify!($name), ".", stringify!($field)))
                    )?,)* })?,)*
                    kind => Self::Unknown { kind, data: reader.rest().to_vec() },
                })
            }

            fn write(&self, writer: &mut Writer<'_>) {
                writer.write(&self.kind());
                match self {
                    $(Self::$name $({ $($field,)* })? => { $($(writer.write($field);)*)? })*
                    Self::Unknown { data, .. } => writer.put(data),
                }
            }
        }
    };
}

modifiers! {
    /// Only the event after `count - 1` others, once; then the request is gone.
    Count = 1 {
        /// Which of the events; at least 1.
        count: i32,
    };

    /// Reserved: an expression to evaluate. HotSpot takes it and does nothing.
    Conditional = 2 {
        /// Number of the expression.
        expression: i32,
    };

    /// Only events in a thread.
    ThreadOnly = 3 {
        /// The thread.
        thread: ThreadId,
    };

    /// Only events in a class or its subtypes.
    ClassOnly = 4 {
        /// The class.
        class: ReferenceTypeId,
    };

    /// Only events in classes whose name matches: a dotted name, with `*` at one end at most.
    ClassMatch = 5 {
        /// The pattern.
        class_pattern: JdwpString,
    };

    /// Only events in classes whose name does not match.
    ClassExclude = 6 {
        /// The pattern.
        class_pattern: JdwpString,
    };

    /// Only events at a location.
    LocationOnly = 7 {
        /// The location.
        location: Location,
    };

    /// Only exceptions of a class, caught or not.
    ExceptionOnly = 8 {
        /// The exception's class or a superclass of it; null for all.
        exception: ReferenceTypeId,
        /// Exceptions that will be caught.
        caught: bool,
        /// Exceptions that will not be caught, as far as the JVM can tell.
        uncaught: bool,
    };

    /// Only accesses to or modifications of a field.
    FieldOnly = 9 {
        /// The class that declares the field.
        declaring: ReferenceTypeId,
        /// The field.
        field: FieldId,
    };

    /// What a step is.
    Step = 10 {
        /// The thread that steps.
        thread: ThreadId,
        /// How long a step is.
        size: StepSize,
        /// Whether it goes into calls.
        depth: StepDepth,
    };

    /// Only events of an object: whose `this` it is, or (field events) whose field it is.
    /// HotSpot also sends events of static methods.
    InstanceOnly = 11 {
        /// The object; null for static methods and fields.
        instance: ObjectId,
    };

    /// Only classes whose source name matches (class prepare events; since JDWP 1.6).
    SourceNameMatch = 12 {
        /// The pattern, with `*` at one end at most.
        source_name_pattern: JdwpString,
    };

    /// Only platform threads (thread start and death events; since JDWP 21).
    PlatformThreadsOnly = 13;
}

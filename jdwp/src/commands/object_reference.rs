//! Commands to objects (spec: "ObjectReference Command Set (9)"). There is no command 4.

use super::class_type::{FieldValue, InvokeReply};
use super::reference_type::TypeInfo;
use crate::codec::{DecodeError, Reader};
use crate::types::{
    FieldId, InvokeOptions, MethodId, ObjectId, ReferenceTypeId, Tag, TaggedObject, ThreadId, Value,
};

command_set! {
    ObjectReference = 9;

    /// The class of an object.
    ReferenceType = 1 {
        /// The object.
        object: ObjectId,
    } -> TypeInfo;

    /// The values of fields of an object, inherited and static ones too.
    GetValues = 2 {
        /// The object.
        object: ObjectId,
        /// The fields.
        fields: Vec<FieldId>,
    } -> Vec<Value>;

    /// Writes fields of an object. Final fields may be written.
    SetValues = 3 {
        /// The object.
        object: ObjectId,
        /// The fields and their values, which must be of the fields' types.
        values: Vec<FieldValue>,
    } -> ();

    /// Who owns an object's monitor and who waits for it.
    MonitorInfo = 5 {
        /// The object.
        object: ObjectId,
    } -> MonitorInfoReply;

    /// Calls an instance method, in a thread that an event has suspended; the reply comes when
    /// the method ends.
    InvokeMethod = 6 {
        /// The receiver.
        object: ObjectId,
        /// The thread to call it in.
        thread: ThreadId,
        /// The class to look the method up in.
        class: ReferenceTypeId,
        /// The method.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How to call.
        options: InvokeOptions,
    } -> InvokeReply;

    /// Keeps an object from being collected until [`EnableCollection`]. Counts.
    DisableCollection = 7 {
        /// The object.
        object: ObjectId,
    } -> ();

    /// Allows an object to be collected again.
    EnableCollection = 8 {
        /// The object.
        object: ObjectId,
    } -> ();

    /// Whether an object was collected.
    IsCollected = 9 {
        /// The object.
        object: ObjectId,
    } -> bool;

    /// Objects that refer to an object and are reachable themselves.
    ReferringObjects = 10 {
        /// The object.
        object: ObjectId,
        /// The greatest number of objects to send; 0 for all.
        max_referrers: i32,
    } -> Vec<TaggedObject>;
}

wire_struct! {
    /// Reply to [`MonitorInfo`].
    #[derive(Eq, Hash)]
    pub struct MonitorInfoReply {
        /// The thread that owns the monitor, or null.
        pub owner: ThreadId,
        /// How often the owner has entered it.
        pub entry_count: i32,
        /// The threads that wait for it.
        pub waiters: Vec<ThreadId>,
    }
}

impl SetValues {
    /// Reads the command's out data, given the types of the fields in order.
    pub fn read_with_tags(reader: &mut Reader<'_>, tags: &[Tag]) -> Result<Self, DecodeError> {
        Ok(Self {
            object: reader.read()?,
            values: FieldValue::read_list(reader, tags)?,
        })
    }
}

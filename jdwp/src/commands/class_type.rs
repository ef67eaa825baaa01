//! Commands to classes (spec: "ClassType Command Set (3)").

use crate::codec::{DecodeError, Reader};
use crate::command::read_list;
use crate::types::{
    FieldId, InvokeOptions, MethodId, ReferenceTypeId, Tag, TaggedObject, ThreadId, UntaggedValue,
    Value,
};

command_set! {
    ClassType = 3;

    /// The superclass; null for `java.lang.Object`.
    Superclass = 1 {
        /// The class.
        class: ReferenceTypeId,
    } -> ReferenceTypeId;

    /// Writes static fields that the class declares or inherits. Final fields may be written.
    SetValues = 2 {
        /// The class.
        class: ReferenceTypeId,
        /// The fields and their values, which must be of the fields' types.
        values: Vec<FieldValue>,
    } -> ();

    /// Calls a static method, in a thread that an event has suspended; the reply comes when the
    /// method ends. HotSpot (seen in 17) does not check how many arguments there are: too few
    /// crash it.
    InvokeMethod = 3 {
        /// The class.
        class: ReferenceTypeId,
        /// The thread to call it in.
        thread: ThreadId,
        /// The method, of the class or one of its superclasses.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How to call.
        options: InvokeOptions,
    } -> InvokeReply;

    /// Makes an object and calls its constructor, in a thread that an event has suspended.
    NewInstance = 4 {
        /// The class.
        class: ReferenceTypeId,
        /// The thread to call the constructor in.
        thread: ThreadId,
        /// The constructor.
        method: MethodId,
        /// The arguments.
        arguments: Vec<Value>,
        /// How to call.
        options: InvokeOptions,
    } -> NewInstanceReply;
}

wire_struct! {
    /// A field and the value to write to it, sent without its tag.
    #[derive(Copy)]
    pub struct FieldValue {
        /// The field.
        pub field: FieldId,
        /// The value.
        pub value: UntaggedValue,
    }

    /// Reply to the three `InvokeMethod` commands.
    #[derive(Copy)]
    pub struct InvokeReply {
        /// What the method returned; void if it threw.
        pub value: Value,
        /// What the method threw, or null.
        pub exception: TaggedObject,
    }

    /// Reply to [`NewInstance`].
    #[derive(Copy, Eq, Hash)]
    pub struct NewInstanceReply {
        /// The new object, or null if the constructor threw.
        pub object: TaggedObject,
        /// What the constructor threw, or null.
        pub exception: TaggedObject,
    }
}

impl FieldValue {
    /// Reads a list of fields with values, given the fields' types in order (missing ones count
    /// as unknown and end the reading with an error).
    pub fn read_list(reader: &mut Reader<'_>, tags: &[Tag]) -> Result<Vec<Self>, DecodeError> {
        let min_len = reader.sizes().field() + 1;
        read_list(reader, min_len, |reader, index| {
            let field = reader.read()?;
            let tag = tags.get(index).copied().unwrap_or(Tag(0));
            Ok(Self {
                field,
                value: Value::read_untagged(reader, tag)?.into(),
            })
        })
    }
}

impl SetValues {
    /// Reads the command's out data, given the types of the fields in order.
    pub fn read_with_tags(reader: &mut Reader<'_>, tags: &[Tag]) -> Result<Self, DecodeError> {
        Ok(Self {
            class: reader.read()?,
            values: FieldValue::read_list(reader, tags)?,
        })
    }
}

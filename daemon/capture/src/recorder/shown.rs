//! What a call out of the scope was shown.

use std::rc::Rc;

use jhyde_bytecode::MethodDescriptor;
use jhyde_trace::{ObjectId, Value};

use crate::program::Named;

/// What is known of a boundary call besides its frame.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// Its result's descriptor.
    pub(crate) returns: String,
    /// The builder that it is called on and returns.
    pub(crate) builder: Option<ObjectId>,
    /// It makes an object that runs code of the scope, or none that anybody sees.
    pub(crate) spun: bool,
    /// The object that it constructs.
    pub(crate) constructed: Option<ObjectId>,
    /// That is a string or a box.
    pub(crate) makes_text: bool,
    /// It may write static fields: by reflection or a handle.
    pub(crate) writes_statics: bool,
    /// Nothing stops for it: see [`super::intrinsic`].
    pub(crate) intrinsic: bool,
    /// What it was shown may be changed by whoever has kept it.
    pub(crate) keeps: bool,
    /// It may use reflection.
    pub(crate) reflects: bool,
    /// Its result, where that was known beforehand.
    pub(crate) result: Option<Value>,
    /// Receiver and arguments that are objects, and what methods of the scope returned to it meanwhile.
    pub(crate) objects: Vec<ObjectId>,
    /// These are not all.
    pub(crate) has_more: bool,
    /// So many elements and fields were compared where it called back.
    pub(crate) compared: usize,
    /// It called back, and nobody looked what it had written by then: what is found later it may have written earlier.
    pub(crate) overlooked: bool,
    /// What the instruction names.
    pub(crate) named: Rc<Named>,
    pub(crate) receiver: Option<ObjectId>,
    pub(crate) arguments: Vec<Value>,
}

impl Shown {
    /// Nothing stops for it, and it changes nothing but a builder.
    pub(crate) fn is_intrinsic(&self) -> bool {
        self.intrinsic
    }

    /// A method of the scope returned an object to it.
    pub(crate) fn gets_back(&mut self, object: ObjectId) {
        /// Each is looked at when the call is over; of more, anything may have changed.
        const MOST: usize = 64;
        if self.objects.contains(&object) {
            return;
        }
        match self.objects.len() < MOST {
            true => self.objects.push(object),
            false => self.has_more = true,
        }
    }

    /// Receiver and arguments that are objects, and what methods of the scope returned to it meanwhile.
    pub(crate) fn objects(&self) -> &[ObjectId] {
        &self.objects
    }

    /// What the instruction names.
    pub(crate) fn named(&self) -> &Named {
        &self.named
    }

    pub(crate) fn receiver(&self) -> Option<ObjectId> {
        self.receiver
    }

    /// Without the receiver.
    pub(crate) fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// Is it a call site of `invokedynamic`?
    pub(crate) fn is_spun(&self) -> bool {
        self.spun
    }
}

/// The objects, each once.
pub(crate) fn distinct(shown: impl Iterator<Item = ObjectId>) -> Vec<ObjectId> {
    let mut all = Vec::new();
    for object in shown {
        if !all.contains(&object) {
            all.push(object);
        }
    }
    all
}

/// The descriptors of a method's parameters.
pub(crate) fn parameters(descriptor: &str) -> Vec<String> {
    MethodDescriptor::parse(descriptor)
        .map(|parsed| {
            parsed
                .parameters
                .iter()
                .map(|kind| kind.descriptor())
                .collect()
        })
        .unwrap_or_default()
}

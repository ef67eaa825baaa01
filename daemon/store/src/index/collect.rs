//! The postings of one block.

use jhyde_trace::block::ShapeKind;
use jhyde_trace::{Block, CallId, MethodId, ObjectId, Variable};

use rustc_hash::FxHashSet;

use super::{Key, local_call};
use crate::whose::{Call, Whose};

/// What was noted last for a shape: most events of a shape repeat it, and need not be noted again.
#[derive(Clone, Default)]
struct Noted {
    method: Option<MethodId>,
    call: Option<CallId>,
    owner: Option<ObjectId>,
    caller: Option<MethodId>,
}

/// The keys that occur in a block, sorted, each once. `outer_method` tells the method of a call that
/// was entered before the block.
pub(crate) fn keys(
    block: &Block,
    outer_method: impl FnMut(CallId) -> Option<MethodId>,
) -> Vec<Key> {
    let mut keys = Vec::with_capacity(block.len() / 2);
    let kinds = block.shape_kinds();
    let mut noted = vec![Noted::default(); kinds.len()];
    let mut whose = Whose::new(block, outer_method);
    let mut last_array = None;
    let references = block.references();
    let mut referred_to = FxHashSet::default();
    for position in 0..block.len() {
        let Call {
            id: call,
            method,
            // Then its locals need no index.
            within,
        } = whose.call(position);
        let shape = block.shape_number(position);
        let (Some(noted), Some(kind)) = (noted.get_mut(shape), kinds.get(shape)) else {
            continue;
        };
        if let Some(method) = method
            && noted.method.replace(method) != Some(method)
        {
            keys.push(Key::of_place(method, block.index(position)));
        }
        for object in references.of(position) {
            if referred_to.insert(object) {
                keys.push(Key::of_references(object));
            }
        }
        match *kind {
            ShapeKind::Other | ShapeKind::Edge(..) => {}
            ShapeKind::OwnLocal(local) => {
                if !within && noted.call.replace(call) != Some(call) {
                    keys.extend(Key::of_variable(Variable::Local { call, local }));
                }
            }
            ShapeKind::Static(field) => {
                if noted.owner.replace(ObjectId(0)).is_none() {
                    keys.extend(Key::of_variable(Variable::Static { field }));
                    keys.push(Key::of_field(field));
                }
            }
            ShapeKind::Field(field) => {
                let object = block.owner(position);
                if noted.owner.is_none() {
                    keys.push(Key::of_field(field));
                }
                if noted.owner.replace(object) != Some(object) {
                    keys.push(Key::of_object(object, field.0));
                }
            }
            ShapeKind::Element => {
                let array = block.owner(position);
                keys.push(Key::of_object(array, block.element(position)));
                if last_array.replace(array) != Some(array) {
                    keys.push(Key::of_array(array));
                }
            }
            ShapeKind::Content => {
                let object = block.owner(position);
                if noted.owner.replace(object) != Some(object) {
                    keys.push(Key::of_content(object));
                }
            }
            ShapeKind::Enter(call_site) => {
                if let Some(caller) = whose.caller(call)
                    && noted.caller.replace(caller) != Some(caller)
                {
                    keys.push(Key::of_place(caller, call_site));
                }
            }
            ShapeKind::New(class) => {
                let object = block.owner(position);
                if noted.owner.replace(object).is_none() {
                    keys.push(Key::of_class(class));
                }
                keys.push(Key::of_creation(object));
            }
            ShapeKind::OtherWrite => {
                let write = block.write(position);
                if let Some(variable) = write.map(|write| write.variable)
                    && !local_call(variable).is_some_and(|call| lies_within(block, call))
                {
                    keys.extend(Key::of_variable(variable));
                }
            }
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Does the call begin and end in this block?
fn lies_within(block: &Block, call: CallId) -> bool {
    let row = block
        .thread(call.thread)
        .and_then(|thread| thread.row(call.preorder));
    row.is_some_and(|row| row.exit().is_some())
}

//! The postings of one block.

use jhyde_trace::{Block, CallId, MethodId, Variable};
use rustc_hash::FxHashSet;

use super::{Key, local_call};

/// The keys that occur in a block, sorted, each once. `outer_method` tells the method of a call that
/// was entered before the block.
pub(crate) fn keys(
    block: &Block,
    mut outer_method: impl FnMut(CallId) -> Option<MethodId>,
) -> Vec<Key> {
    let mut keys = Vec::with_capacity(block.len());
    let mut places = FxHashSet::default();
    // Method of the call of the event before.
    let mut current: Option<(CallId, Option<MethodId>)> = None;
    let mut last_array = None;
    for position in 0..block.len() {
        let call = block.call(position);
        let method = match current {
            Some((running, method)) if running == call => method,
            _ => {
                let row = block
                    .thread(call.thread)
                    .and_then(|thread| thread.row(call.preorder));
                let method = match row {
                    Some(row) => block.enter(row.enter as usize).map(|enter| enter.method),
                    None if call.is_root() => None,
                    None => outer_method(call),
                };
                current = Some((call, method));
                method
            }
        };
        if let Some(method) = method {
            let place = (method.0, block.index(position));
            if places.insert(place) {
                keys.push(Key::of_place(method, place.1));
            }
        }
        if let Some(write) = block.write(position) {
            let within = local_call(write.variable).is_some_and(|call| lies_within(block, call));
            if !within {
                keys.extend(Key::of_variable(write.variable));
                if let Variable::Element { array, .. } = write.variable
                    && last_array != Some(array)
                {
                    last_array = Some(array);
                    keys.push(Key::of_array(array));
                }
            }
        } else if let Some((object, _)) = block.created(position) {
            keys.push(Key::of_creation(object));
        }
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// Does the call begin and end in this block? Then its locals need no index.
fn lies_within(block: &Block, call: CallId) -> bool {
    let row = block
        .thread(call.thread)
        .and_then(|thread| thread.row(call.preorder));
    row.is_some_and(|row| row.exit().is_some())
}

//! What objects of the scope hold that `clone` of the JDK has made.
//!
//! Nothing tells that: it follows from what the receiver holds, by the specification of `Object.clone`, which all classes of the JDK call whose
//! `clone` yields an object of the receiver's class. What it holds when the call begins is what is copied: `Object.clone` itself keeps the turn
//! ([`computes_only`](crate::probe::specified::computes_only)); of another one that is certain only where nothing else ran meanwhile, no other thread of the
//! scope and nothing that the JDK called back.

use jhyde_trace::{CallId, ClassId, Event, EventKind, FieldId, ObjectId, Value, Variable};

use super::Deriver;
use super::thread::Thread;
use crate::mirror::{UNKNOWN, initial, is_known};
use crate::probe::specified::{computes_only, copies};
use crate::program::{Named, Program};

/// What the object is to hold that a call makes.
pub(super) struct Copy {
    class: ClassId,
    fields: Vec<(FieldId, Value)>,
    /// How often the turn had gone to another thread; `None`: it goes to none before the object is there.
    turns: Option<u64>,
}

impl Deriver {
    /// A call of this method begins: what it copies, if it does.
    pub(super) fn copy_of(
        &mut self,
        program: &Program,
        named: &Named,
        receiver: Option<ObjectId>,
    ) -> Option<Copy> {
        let from = receiver.filter(|_| copies(named))?;
        let id = self.heap.class(from)?;
        let class = program.class_of(id).filter(|class| class.in_scope)?;
        let highest = program.and_above(&class).last()?;
        let above = self.names.dotted(&highest.name)?.super_name.clone()?;
        let fields = program.and_above(&class).flat_map(|class| &class.fields);
        let fields = fields.filter(|field| !field.is_static).map(|field| {
            let begins = initial(&field.descriptor);
            (field.id, self.heap.load_field(from, field.id, begins))
        });
        above.starts_with("java/").then(|| Copy {
            class: id,
            fields: fields.collect(),
            turns: (!computes_only(named)).then_some(self.turns),
        })
    }

    /// The call has returned this object.
    pub(super) fn copied(&mut self, thread: &Thread, call: CallId, copy: Copy, to: ObjectId) {
        let alone = |turns| turns == self.turns && thread.is_last_call(call);
        if self.heap.class(to) != Some(copy.class) || !copy.turns.is_none_or(alone) {
            return;
        }
        // One that was there before is none that the call has made: of that nothing is known.
        let held = |field| is_known(self.heap.field(to, field, UNKNOWN));
        if copy.fields.iter().any(|&(field, _)| held(field)) {
            return;
        }
        for (field, value) in copy.fields {
            self.heap.set_field(to, field, value);
            if is_known(value) {
                let variable = Variable::Field { object: to, field };
                let kind = EventKind::Snapshot { variable, value };
                self.outlet.event(call, Event::NO_INDEX, kind);
            }
        }
    }
}

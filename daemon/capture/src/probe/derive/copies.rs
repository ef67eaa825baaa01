//! What objects of the scope hold that `clone` of the JDK has made.
//!
//! Nothing tells that: it follows from what the receiver holds, by the specification of `Object.clone`, which all classes of the JDK call whose
//! `clone` yields an object of the receiver's class. It holds where nothing else ran meanwhile: no other thread of the scope, and nothing that the JDK called back.

use jhyde_trace::{CallId, Event, EventKind, ObjectId, Variable};

use super::Deriver;
use crate::mirror::{initial, is_known};
use crate::program::Program;

impl Deriver {
    /// A call has made the one of the other, while nothing else ran.
    pub(super) fn copied(&mut self, program: &Program, call: CallId, from: ObjectId, to: ObjectId) {
        let class = self.heap.class(from);
        if class != self.heap.class(to) {
            return;
        }
        let class = class.and_then(|class| program.class_of(class));
        let Some(class) = class.filter(|class| class.in_scope) else {
            return;
        };
        let highest = program.and_above(&class).last();
        let above =
            highest.and_then(|highest| self.names.dotted(&highest.name)?.super_name.clone());
        if !above.is_some_and(|above| above.starts_with("java/")) {
            return;
        }
        let fields = program.and_above(&class).flat_map(|class| &class.fields);
        let fields: Vec<_> = fields
            .filter(|field| !field.is_static)
            .map(|field| (field.id, initial(&field.descriptor)))
            .collect();
        // One that was there before is none that the call has made.
        let mut held = fields
            .iter()
            .map(|&(field, begins)| self.heap.field(to, field, begins));
        if held.any(is_known) {
            return;
        }
        for (field, begins) in fields {
            let value = self.heap.load_field(from, field, begins);
            self.heap.set_field(to, field, value);
            if is_known(value) {
                let variable = Variable::Field { object: to, field };
                let kind = EventKind::Snapshot { variable, value };
                self.outlet.event(call, Event::NO_INDEX, kind);
            }
        }
    }
}

//! Objects that have a name of ours, because code of the scope made them, and turn up under the JVM's.

use jhyde_trace::{Items, ObjectId, Value, Variable};

use super::Known;
use crate::contents::Told;

impl Known {
    pub(crate) fn unify_object(&mut self, mirrored: Value, real: jdwp::ObjectId) -> bool {
        let Some(object) = mirrored.object() else {
            return false;
        };
        if self.objects.is_known(real) {
            return false;
        }
        let unified = self.heap.unify(object, real);
        if unified {
            self.objects.meet(real);
        }
        unified
    }

    /// Objects of the scope that the JVM names here for the first time, by the elements that hold them.
    pub(crate) fn unify_elements(&mut self, array: ObjectId, now: &[jdwp::ArrayRegion]) {
        let mut index = 0_u32;
        for region in now {
            let jdwp::ArrayRegion::Object { elements, .. } = region else {
                // Numbers have no names.
                return;
            };
            for told in elements {
                let held = self.heap.elements(array).and_then(|e| e.get(index));
                if let Some(held) = held.filter(|&held| self.heap.is_unnamed(held))
                    && !told.id.is_null()
                    && self.heap.may_be(held, self.heap.reference(told.id))
                {
                    self.unify_object(held, told.id);
                }
                index += 1;
            }
        }
    }

    /// An object turns up that the JVM seems to have named in an array's element: the name counts.
    pub(crate) fn unify_suspected(&mut self, real: jdwp::ObjectId) {
        if let Some(object) = self.heap.doubts.object(real) {
            self.unify_object(Value::Object(object), real);
        }
    }

    /// What was read is what the variable's array or object holds if that is what the name stands for, by which it was
    /// read.
    pub(crate) fn holder_is_named(&mut self, variable: Variable) -> bool {
        let Some(holder) = holder(variable) else {
            return true;
        };
        if let Some(real) = self.heap.likely_real(holder) {
            self.unify_object(Value::Object(holder), real);
        }
        self.heap.real(holder).is_some()
    }

    /// Objects of the scope that the JVM names here for the first time: they lie where they lay.
    pub(crate) fn unify_held(&mut self, before: &Items, told: &Told) {
        let pairs: Vec<(Value, jdwp::Value)> = match (before, told) {
            (Items::Elements(before), Told::Elements(told)) => {
                before.iter().copied().zip(told.iter().copied()).collect()
            }
            (Items::Entries(before), Told::Entries(told)) => {
                let both = before.iter().zip(told);
                both.flat_map(|(b, t)| [(b.0, t.0), (b.1, t.1)]).collect()
            }
            (Items::Value(before), Told::Value(told)) => vec![(*before, *told)],
            _ => return,
        };
        for (held, told) in pairs {
            if let Some(object) = told.object().filter(|_| self.heap.is_unnamed(held))
                && self.heap.may_be(held, self.heap.reference(object.id))
            {
                self.unify_object(held, object.id);
            }
        }
    }
}

/// The array or object of which a variable is a part.
pub(crate) fn holder(variable: Variable) -> Option<ObjectId> {
    match variable {
        Variable::Element { array, .. } => Some(array),
        Variable::Field { object, .. } => Some(object),
        _ => None,
    }
}

//! Writes that are only supposed to happen, and are taken back.

use jhyde_trace::{FieldId, ObjectId, Value, Variable};

use super::super::things::Body;
use super::Heap;

/// Takes one write back.
#[derive(Debug)]
pub(super) enum Undo {
    Element(ObjectId, u32, Value),
    Field(ObjectId, FieldId, Option<Value>),
    Static(FieldId, Option<Value>),
    Create(ObjectId),
    Hold(ObjectId, Option<Variable>),
}

impl Heap {
    /// From here on everything is only speculated, until [`Heap::roll_back`].
    pub(crate) fn speculate(&mut self) {
        self.speculated = Some(Vec::new());
    }

    pub(super) fn note(&mut self, undo: impl FnOnce(&Self) -> Undo) {
        if self.speculated.is_some() {
            let undo = undo(self);
            self.speculated.get_or_insert_default().push(undo);
        }
    }

    /// The variables that were supposed to be written.
    pub(crate) fn speculated_writes(&self) -> Vec<Variable> {
        let all = self.speculated.iter().flatten();
        all.filter_map(|undo| match *undo {
            Undo::Element(array, index, _) => Some(Variable::Element { array, index }),
            Undo::Field(object, field, _) => Some(Variable::Field { object, field }),
            Undo::Static(field, _) => Some(Variable::Static { field }),
            Undo::Create(_) | Undo::Hold(..) => None,
        })
        .collect()
    }

    /// Undoes all that was speculated.
    pub(crate) fn roll_back(&mut self) {
        for undo in self.speculated.take().into_iter().flatten().rev() {
            match undo {
                Undo::Element(array, index, before) => {
                    if let Some(elements) = self.elements_mut(array) {
                        elements.set(index, before);
                    }
                }
                Undo::Field(object, field, before) => {
                    if let Some(Body::Fields(fields)) =
                        self.things.get_mut(object).map(|t| &mut t.body)
                    {
                        match (fields.iter().position(|(id, _)| *id == field), before) {
                            (Some(at), Some(value)) => fields[at].1 = value,
                            (Some(at), None) => drop(fields.remove(at)),
                            (None, _) => {}
                        }
                    }
                }
                Undo::Static(field, Some(value)) => drop(self.statics.insert(field, value)),
                Undo::Static(field, None) => drop(self.statics.remove(&field)),
                Undo::Create(object) => {
                    self.things.remove(object);
                    self.next -= 1;
                }
                Undo::Hold(object, Some(before)) => drop(self.holders.insert(object, before)),
                Undo::Hold(object, None) => drop(self.holders.remove(&object)),
            }
        }
    }
}

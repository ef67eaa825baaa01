//! What the debuggee's memory holds when it is looked at: elements, fields, and the names by which the JVM calls the
//! objects in them.

use jdwp::commands::{array_reference, object_reference, reference_type, string_reference};
use jhyde_trace::{Sink, Value, Variable};

use super::Recorder;
use crate::error::CaptureError;

impl<S: Sink> Recorder<S> {
    /// The object that an element, field or static field holds in the JVM.
    pub(crate) fn read_reference(
        &mut self,
        variable: Variable,
    ) -> Result<Option<jdwp::TaggedObject>, CaptureError> {
        let told = match variable {
            Variable::Element { array, index } => {
                let Some(real) = self.known.heap.likely_real(array) else {
                    return Ok(None);
                };
                let told = self.jvm.link.request(&array_reference::GetValues {
                    array: real.into(),
                    first_index: i32::try_from(index).unwrap_or(i32::MAX),
                    length: 1,
                })?;
                return Ok(match told {
                    Ok(jdwp::ArrayRegion::Object { elements, .. }) => elements.first().copied(),
                    _ => None,
                });
            }
            Variable::Field { object, field } => {
                let real = self.known.heap.likely_real(object);
                let (Some(object), Some((_, field))) = (real, self.known.program.real_field(field))
                else {
                    return Ok(None);
                };
                let fields = vec![field];
                self.jvm
                    .link
                    .request(&object_reference::GetValues { object, fields })?
            }
            Variable::Static { field } => {
                let Some((ref_type, field)) = self.known.program.real_field(field) else {
                    return Ok(None);
                };
                let fields = vec![field];
                self.jvm
                    .link
                    .request(&reference_type::GetValues { ref_type, fields })?
            }
            _ => return Ok(None),
        };
        Ok(told.ok().and_then(|values| values.first()?.object()))
    }

    /// All elements of an array, in pieces.
    pub(crate) fn read_array(
        &mut self,
        array: jdwp::ObjectId,
        length: usize,
    ) -> Result<Option<Vec<jdwp::ArrayRegion>>, CaptureError> {
        const PIECE: usize = 1 << 16;
        let mut pieces = Vec::new();
        let mut first = 0;
        while first < length {
            let count = PIECE.min(length - first);
            let told = self.jvm.link.request(&array_reference::GetValues {
                array: array.into(),
                first_index: i32::try_from(first).unwrap_or(i32::MAX),
                length: i32::try_from(count).unwrap_or(i32::MAX),
            })?;
            let Ok(region) = told else { return Ok(None) };
            pieces.push(region);
            first += count;
        }
        Ok(Some(pieces))
    }

    /// A string constant without a name of the JVM's, and a string that has one: are they surely two?
    pub(crate) fn are_different_texts(
        &mut self,
        constant: Value,
        told: Value,
    ) -> Result<bool, CaptureError> {
        let real = told
            .object()
            .and_then(|object| self.known.heap.real(object));
        let text = constant
            .object()
            .and_then(|object| self.known.heap.constant_text(object));
        let (Some(text), Some(string)) = (text, real) else {
            return Ok(false);
        };
        let told = self.jvm.link.request(&string_reference::Value {
            string: string.into(),
        })?;
        Ok(told.is_ok_and(|told| *told.to_utf16() != *text))
    }
}

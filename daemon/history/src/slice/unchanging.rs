//! Objects that nobody changes once they are made, and static fields that no source code names: no call can have left either unwritten.

use jhyde_trace::{Content, FieldId, ObjectId};

use crate::error::Result;
use crate::history::{History, unless_lost};

/// Access flags (JVMS 4.5-A).
const SYNTHETIC: u32 = 0x1000;

/// What classes of the scope extend that has no fields which change.
const WITHOUT_STATE: [&str; 3] = ["java.lang.Object", "java.lang.Enum", "java.lang.Record"];

/// Are all fields of an object final, those that it inherits, too? Of arrays and of what code out of the scope declares that is not so.
pub(super) fn never_changes(history: &History, object: ObjectId) -> Result<bool> {
    let info = unless_lost(history.recording.object(object))?;
    if !info.is_some_and(|info| matches!(info.content, Content::None | Content::Enum(_))) {
        return Ok(false);
    }
    let classes = history.classes_of_object(object)?;
    let Some(last) = classes.last() else {
        return Ok(false);
    };
    // Classes of the JDK that nobody met are known by name alone.
    let top = last.super_name.as_ref().unwrap_or(&last.name);
    let is_whole = WITHOUT_STATE.contains(&top.as_str());
    Ok(is_whole
        && classes.iter().all(|class| match class.in_scope {
            true => {
                let mut fields = class.fields.iter();
                fields.all(|field| field.is_static() || field.is_final())
            }
            false => WITHOUT_STATE.contains(&class.name.as_str()),
        }))
}

/// Can an object hold no other one: texts, boxes, class objects, dates and their like, arrays of numbers or of no length?
pub(super) fn holds_none(history: &History, object: ObjectId) -> Result<bool> {
    let Some(info) = unless_lost(history.recording.object(object))? else {
        return Ok(false);
    };
    Ok(match info.content {
        Content::String(_) | Content::Box(_) | Content::Class(_) | Content::Shown(_) => true,
        Content::Array(0) => true,
        Content::Array(_) => {
            let class = match info.class {
                Some(class) => unless_lost(history.recording.class(class))?,
                None => None,
            };
            const NUMBERS: [&str; 8] = [
                "boolean[]",
                "byte[]",
                "char[]",
                "double[]",
                "float[]",
                "int[]",
                "long[]",
                "short[]",
            ];
            class.is_some_and(|class| NUMBERS.contains(&class.name.as_str()))
        }
        _ => false,
    })
}

/// Was a static field made by a compiler (the table of a `switch` over an enum, an enum's constants)? Nothing but what that wrote uses it.
pub(super) fn is_of_a_compiler(history: &History, field: FieldId) -> Result<bool> {
    let field = unless_lost(history.recording.field(field))?;
    Ok(field.is_some_and(|field| field.field().modifiers & SYNTHETIC != 0))
}

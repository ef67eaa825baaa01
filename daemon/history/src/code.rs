//! Code in words, for whoever knows it by numbers: places, and how what is declared there is called.

use jhyde_trace::{FieldId, Local, MethodId};

use crate::error::Result;
use crate::history::{History, first_line, local_name, place, unless_lost};
use crate::text::simple_name;
use crate::view::PlaceView;

impl History {
    /// The place of an instruction; `None` where the recording does not describe the method.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn instruction(&self, method: MethodId, index: u32) -> Result<Option<PlaceView>> {
        Ok(self.method(method)?.map(|method| place(&method, index)))
    }

    /// The place of a method's entry: it has no index, and the first line of the code.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn entry(&self, method: MethodId) -> Result<Option<PlaceView>> {
        Ok(self.method(method)?.map(|method| PlaceView {
            index: None,
            line: first_line(method.method()),
            ..place(&method, 0)
        }))
    }

    /// The name of a local variable in its method: `lc`, or `@3` for slot 3 where the class has no variable table.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn declared_local(&self, method: MethodId, local: Local) -> Result<String> {
        Ok(match self.method(method)? {
            Some(method) => local_name(method.method(), local),
            None => format!("{local:?}"),
        })
    }

    /// The name of a field with its class's, whichever object it is in: `Cls.size`.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn declared_field(&self, field: FieldId) -> Result<String> {
        Ok(match unless_lost(self.recording.field(field))? {
            Some(field) => {
                let class = simple_name(&field.class.name);
                format!("{class}.{}", field.field().name)
            }
            None => format!("field#{field}"),
        })
    }
}

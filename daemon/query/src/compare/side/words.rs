//! What methods, variables and classes of a recording are called, in words that both recordings have.

use std::sync::Arc;

use jhyde_bytecode::Code;
use jhyde_store::records::MethodRef;
use jhyde_trace::{ClassId, Local, MethodId, ObjectId, Variable};

use super::super::keys::{Names, bare};
use super::{Method, Side};
use crate::error::Result;

impl Side {
    pub(super) fn method_number(&mut self, id: MethodId, names: &mut Names) -> Result<u32> {
        if let Some(known) = self.methods.get(&id) {
            return Ok(known.number);
        }
        let Some(of) = self.recording.method(id)? else {
            return Ok(names.number(format!("method#{id} of {}", self.number)));
        };
        let info = of.method();
        let class = bare(&of.class.name);
        let number = names.number(format!("{class}.{}{}", info.name, info.descriptor));
        let is_void = info.descriptor.ends_with('V');
        let method = Method {
            of,
            number,
            is_void,
        };
        self.methods.insert(id, method);
        Ok(number)
    }

    /// A method with its class.
    pub(in crate::compare) fn method(&self, id: Option<MethodId>) -> Result<Option<MethodRef>> {
        let Some(id) = id else { return Ok(None) };
        match self.methods.get(&id) {
            Some(known) => Ok(Some(known.of.clone())),
            None => Ok(self.recording.method(id)?),
        }
    }

    /// Does a method return nothing? One that is not known does not say so.
    pub(in crate::compare) fn is_void(&self, id: Option<MethodId>) -> bool {
        let known = id.and_then(|id| self.methods.get(&id));
        known.is_some_and(|method| method.is_void)
    }

    pub(super) fn code(&mut self, id: Option<MethodId>) -> Result<Option<Arc<Code>>> {
        let Some(id) = id else { return Ok(None) };
        if let Some(known) = self.codes.get(&id) {
            return Ok(known.clone());
        }
        let method = self.recording.method(id)?;
        let code = method
            .and_then(|method| Code::decode(&method.method().code).ok())
            .map(Arc::new);
        self.codes.insert(id, code.clone());
        Ok(code)
    }

    /// What a variable is called in source; its object is compared by itself.
    pub(super) fn variable(
        &mut self,
        variable: Variable,
        method: Option<MethodId>,
        names: &mut Names,
    ) -> Result<u32> {
        Ok(match variable {
            Variable::Field { field, .. } | Variable::Static { field } => {
                match self.fields.get(&field) {
                    Some(number) => *number,
                    None => {
                        let info = self.recording.field(field)?;
                        let name = info.map_or_else(
                            || format!("field#{field} of {}", self.number),
                            |info| format!("{}.{}", bare(&info.class.name), info.field().name),
                        );
                        let number = names.number(name);
                        self.fields.insert(field, number);
                        number
                    }
                }
            }
            Variable::Local { local, .. } => {
                let Some(of) = method else {
                    return Ok(u32::MAX);
                };
                if let Some(number) = self.locals.get(&(of, local)) {
                    return Ok(*number);
                }
                let info = self.recording.method(of)?;
                let entry = match (local, &info) {
                    (Local::Named(at), Some(info)) => info.method().variables.get(usize::from(at)),
                    _ => None,
                };
                let name = match (entry, local) {
                    (Some(entry), _) => format!("local {} {}", entry.name, entry.descriptor),
                    (None, local) => format!("local {local:?}"),
                };
                let number = names.number(name);
                self.locals.insert((of, local), number);
                number
            }
            Variable::Element { .. } => u32::MAX - 1,
            Variable::Return { .. } | Variable::Exception { .. } | Variable::Content { .. } => {
                u32::MAX - 2
            }
        })
    }

    /// The class of an object, if it is known: see [`Self::class`].
    pub(in crate::compare) fn class_of(&mut self, object: ObjectId) -> Result<Option<Arc<str>>> {
        let class = self.recording.object(object)?.and_then(|info| info.class);
        class.map(|class| self.class(class)).transpose()
    }

    /// A class's name, without what differs from run to run: the numbers of hidden classes.
    pub(in crate::compare) fn class(&mut self, id: ClassId) -> Result<Arc<str>> {
        if let Some(known) = self.classes.get(&id) {
            return Ok(Arc::clone(known));
        }
        let name: Arc<str> = match self.recording.class(id)? {
            Some(class) => bare(&class.name).into(),
            None => format!("class#{id} of {}", self.number).into(),
        };
        self.classes.insert(id, Arc::clone(&name));
        Ok(name)
    }
}

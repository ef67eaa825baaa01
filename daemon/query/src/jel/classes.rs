//! What is told of classes and their fields.

use std::sync::Arc;

use jhyde_history::text::default_value;
use jhyde_store::records::MethodRef;
use jhyde_trace::{ClassId, ClassInfo, ObjectId, ThreadId, Timestamp, Value};

use super::terms::Atom;
use super::walk::{Walk, location};
use crate::error::Result;

impl Walk<'_> {
    /// Tells the fields of a class of the scope when it is prepared, or is met first: not all recordings tell when it was prepared.
    pub(super) fn meet(
        &mut self,
        class: &Arc<ClassInfo>,
        thread: ThreadId,
        at: Timestamp,
    ) -> Result<()> {
        if !class.in_scope || !self.met.insert(class.id) {
            return Ok(());
        }
        self.member_fields(class, thread, at)?;
        let name = Atom(&class.name).to_string();
        if let Some(above) = &class.super_name {
            self.line(&format!("extends({name}, {}).", Atom(above)))?;
        }
        for field in &class.fields {
            self.line(&format!("declares({name}, {}).", Atom(&field.name)))?;
        }
        if !self.options.defaults {
            return Ok(());
        }
        let statics = class.fields.iter().filter(|field| field.is_static());
        for field in statics.filter(|field| !field.is_final()) {
            let value = self.value(default_value(&field.descriptor))?;
            let place = location(class, None);
            let term = format!(
                "setfield({place}, c({name}), {}, {value})",
                Atom(&field.name)
            );
            self.tell(thread, at, &term)?;
        }
        Ok(())
    }

    fn member_fields(
        &mut self,
        class: &Arc<ClassInfo>,
        thread: ThreadId,
        at: Timestamp,
    ) -> Result<()> {
        let mut fields = Vec::new();
        self.each_field(class, &mut |is_static, name, _| {
            let kind = if is_static { "cf" } else { "of" };
            fields.push(format!("{kind}({})", Atom(name)));
        })?;
        let term = format!(
            "memberfields(c({}), [{}])",
            Atom(&class.name),
            fields.join(", ")
        );
        self.tell(thread, at, &term)?;
        Ok(())
    }

    /// The fields that objects of a class have, private ones of super classes left out.
    fn each_field(
        &self,
        class: &Arc<ClassInfo>,
        each: &mut dyn FnMut(bool, &str, &str),
    ) -> Result<()> {
        const PRIVATE: u32 = 0x0002;
        let mut next = Some(Arc::clone(class));
        let mut seen: Vec<String> = Vec::new();
        while let Some(of) = next {
            for field in &of.fields {
                let is_seen = seen.contains(&field.name);
                let is_hidden = of.id != class.id && field.modifiers & PRIVATE != 0;
                if !is_seen && !is_hidden {
                    each(field.is_static(), &field.name, &field.descriptor);
                    seen.push(field.name.clone());
                }
            }
            next = self.above(&of)?;
        }
        Ok(())
    }

    /// Default values of the fields of an object that its own class's constructor begins to fill.
    pub(super) fn defaults(
        &mut self,
        method: &MethodRef,
        receiver: Option<Value>,
        thread: ThreadId,
        of: &str,
        at: Timestamp,
    ) -> Result<()> {
        let Some(object) = receiver.and_then(Value::object) else {
            return Ok(());
        };
        let class = self
            .history
            .recording()
            .object(object)?
            .and_then(|info| info.class);
        if class != Some(method.class.id) {
            return Ok(());
        }
        let mut fields = Vec::new();
        self.each_field(&method.class, &mut |is_static, name, descriptor| {
            if !is_static {
                fields.push((name.to_owned(), default_value(descriptor)));
            }
        })?;
        let place = location(
            &method.class,
            method.method().lines.first().map(|entry| entry.line),
        );
        for (name, value) in fields {
            let value = self.value(value)?;
            let term = format!("setfield({place}, {of}, {}, {value})", Atom(&name));
            self.tell(thread, at, &term)?;
        }
        Ok(())
    }

    /// Has an object another field of that name than the one that a class declares, which a class below it declares?
    pub(super) fn hides(&self, object: ObjectId, declares: ClassId, name: &str) -> Result<bool> {
        let recording = self.history.recording();
        let of = recording.object(object)?.and_then(|info| info.class);
        let mut class = match of {
            Some(class) => recording.class(class)?,
            None => None,
        };
        while let Some(of) = class.filter(|of| of.id != declares) {
            if of.fields.iter().any(|field| field.name == name) {
                return Ok(true);
            }
            class = self.above(&of)?;
        }
        Ok(false)
    }

    fn above(&self, class: &ClassInfo) -> Result<Option<Arc<ClassInfo>>> {
        let recording = self.history.recording();
        let above = class.super_name.as_deref();
        let ids = above.map(|name| recording.classes_named(name));
        Ok(match ids.and_then(|ids| ids.first().copied()) {
            Some(id) => recording.class(id)?,
            None => None,
        })
    }
}

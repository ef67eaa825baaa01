//! The threads and the classes of a recording.

use jhyde_trace::EventKind;

use crate::error::Result;
use crate::history::{History, unless_lost};
use crate::view::ThreadView;

/// A recorded class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassView {
    /// Dotted binary name.
    pub name: String,
    /// Source file without folder; empty if it is not known.
    pub source_file: String,
    /// Is its inside recorded?
    pub in_scope: bool,
    /// Its methods; outside the scope those that were called.
    pub methods: Vec<MethodView>,
}

/// A method of a recorded class.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodView {
    /// Simple name.
    pub name: String,
    /// JVMS 4.3.3.
    pub descriptor: String,
    /// First and last line of its code.
    pub lines: Option<(u32, u32)>,
    /// Number of its calls.
    pub calls: u64,
}

impl History {
    /// The threads by first appearance.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn threads(&self) -> Result<Vec<ThreadView>> {
        let mut threads = Vec::new();
        for id in self.recording.thread_ids() {
            let info = unless_lost(self.recording.thread(id))?;
            let root = self.recording.root(id)?;
            let last = match root.last {
                Some(last) => unless_lost(self.recording.event(last).map(Some))?,
                None => None,
            };
            let end = last.filter(|last| last.event.kind == EventKind::ThreadEnd);
            threads.push(ThreadView {
                id,
                name: self.thread_name(id)?,
                group: info.and_then(|info| info.group).unwrap_or_default(),
                calls: root.calls,
                start: root.first,
                end: end.map(|end| end.timestamp),
            });
        }
        Ok(threads)
    }

    /// The classes of the scope, or `all` that were met, by name.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn classes(&self, all: bool) -> Result<Vec<ClassView>> {
        let mut classes = Vec::new();
        for id in self.recording.classes() {
            let Some(class) = self.recording.class(id)? else {
                continue;
            };
            if !all && !class.in_scope {
                continue;
            }
            let mut methods = Vec::new();
            for method in &class.methods {
                let lines = method.lines.iter().map(|entry| entry.line);
                methods.push(MethodView {
                    name: method.name.clone(),
                    descriptor: method.descriptor.clone(),
                    lines: lines.clone().min().zip(lines.max()),
                    calls: self.recording.invocations(method.id)?,
                });
            }
            classes.push(ClassView {
                name: class.name.clone(),
                source_file: class.source_file.clone().unwrap_or_default(),
                in_scope: class.in_scope,
                methods,
            });
        }
        classes.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(classes)
    }
}

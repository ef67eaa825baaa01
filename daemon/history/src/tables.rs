//! The threads and the classes of a recording.

use std::collections::BTreeMap;

use jhyde_store::Error as StoreError;
use jhyde_store::records::TimedEvent;
use jhyde_trace::{ClassInfo, EventKind, MethodId, MethodInfo, Timestamp};

use crate::error::{Error, Result};
use crate::gaps::{damage_note, or_noted};
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
    /// Number of its calls; at least so many, where a note says that they cannot all be read.
    pub calls: u64,
}

/// The threads of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Threads {
    /// By first appearance.
    pub threads: Vec<ThreadView>,
    /// What is not known of them, for people.
    pub notes: Vec<String>,
}

/// The classes of a recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Classes {
    /// By name.
    pub classes: Vec<ClassView>,
    /// What is missing among them or in their numbers, for people.
    pub notes: Vec<String>,
}

/// So many methods are named whose calls are not all counted; of more there is the number.
const NAMED: usize = 3;

/// What hides the last calls of methods, and of which.
#[derive(Debug, Default)]
pub(crate) struct Uncounted(BTreeMap<String, Vec<String>>);

impl Uncounted {
    pub(crate) fn notes(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|(damage, methods)| {
            let more = match methods.len().saturating_sub(NAMED) {
                0 => String::new(),
                more => format!(" and {more} other methods"),
            };
            let named = methods.into_iter().take(NAMED).collect::<Vec<_>>();
            format!(
                "calls of {}{more} are counted only as far as they can be read: {damage}",
                named.join(", ")
            )
        })
    }
}

impl History {
    /// The threads by first appearance.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn threads(&self) -> Result<Threads> {
        let mut all = Threads::default();
        for id in self.recording.thread_ids() {
            let info = unless_lost(self.recording.thread(id))?;
            let root = self.recording.root(id)?;
            let last = match root.last {
                Some(last) => {
                    let last = self.recording.event(last).map_err(Error::from);
                    or_noted(last, &mut all.notes)?
                }
                None => None,
            };
            let is_end = |last: &TimedEvent| last.event.kind == EventKind::ThreadEnd;
            let runs = last.as_ref().is_some_and(|last| !is_end(last));
            all.threads.push(ThreadView {
                id,
                name: self.thread_name(id)?,
                group: info.and_then(|info| info.group).unwrap_or_default(),
                calls: root.calls,
                start: root.first,
                end: last.filter(is_end).map(|end| end.timestamp),
                recording_ended: runs && self.has_ended(),
            });
        }
        all.notes.extend(self.end_note());
        Ok(all)
    }

    /// The classes of the scope, or `all` that were met, by name.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn classes(&self, all: bool) -> Result<Classes> {
        let mut classes = Vec::new();
        let mut uncounted = Uncounted::default();
        for id in self.recording.classes() {
            self.check()?;
            let Some(class) = self.recording.class(id)? else {
                continue;
            };
            if !all && !class.in_scope {
                continue;
            }
            let mut methods = Vec::new();
            for method in &class.methods {
                methods.push(self.method_view(&class, method, &mut uncounted)?);
            }
            classes.push(ClassView {
                name: class.name.clone(),
                source_file: class.source_file.clone().unwrap_or_default(),
                in_scope: class.in_scope,
                methods,
            });
        }
        classes.sort_by(|a, b| a.name.cmp(&b.name));
        let lost = self.recording.lost_classes();
        let mut notes: Vec<String> = lost.iter().map(ToString::to_string).collect();
        notes.extend(uncounted.notes());
        notes.extend(self.late_note());
        notes.extend(self.end_note());
        Ok(Classes { classes, notes })
    }

    pub(crate) fn method_view(
        &self,
        class: &ClassInfo,
        method: &MethodInfo,
        uncounted: &mut Uncounted,
    ) -> Result<MethodView> {
        let lines = method.lines.iter().map(|entry| entry.line);
        let calls = match self.recording.invocations(method.id) {
            Err(error @ StoreError::Damaged { from, .. }) => {
                let name = format!("{}.{}", class.name, method.name);
                uncounted
                    .0
                    .entry(damage_note(&error))
                    .or_default()
                    .push(name);
                self.invocations_before(method.id, from)?
            }
            calls => calls?,
        };
        Ok(MethodView {
            name: method.name.clone(),
            descriptor: method.descriptor.clone(),
            lines: lines.clone().min().zip(lines.max()),
            calls,
        })
    }

    /// How many calls of a method began before the damaged block that has its last ones: calls have numbers, and
    /// the last one before is looked for by halving.
    fn invocations_before(&self, method: MethodId, damage: Timestamp) -> Result<u64> {
        let is_there = |number: u64| match self.recording.call_by_invocation(method, number) {
            // What other damage hides has its number all the same.
            Err(StoreError::Damaged { from, .. }) => Ok(from != damage),
            found => found.map(|found| found.is_some()),
        };
        // So many there are; so many there are not before the damage.
        let (mut known, mut unknown) = (0_u64, 1_u64);
        while is_there(unknown - 1)? {
            (known, unknown) = (unknown, unknown.saturating_mul(2));
        }
        while unknown - known > 1 {
            let middle = known + (unknown - known) / 2;
            match is_there(middle - 1)? {
                true => known = middle,
                false => unknown = middle,
            }
        }
        Ok(known)
    }
}

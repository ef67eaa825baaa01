//! What the JVM's threads and classes are to a snapshot, asked once for each.

use jdwp::commands::{thread_group_reference, thread_reference};
use jdwp::{ReferenceTypeId, ThreadId};
use jhyde_trace::Sink;
use rustc_hash::FxHashMap;

use super::Recorder;
use crate::error::LinkError;

/// Groups of the JVM's own threads, which work on nothing of the program's.
const OWN: [&str; 2] = ["system", "InnocuousThreadGroup"];
/// The group of the threads that carry virtual ones, which nobody lists.
const CARRIERS: &str = "CarrierThreads";

/// What is known of threads and classes for good.
#[derive(Debug, Default)]
pub(crate) struct Around {
    roles: FxHashMap<u64, Role>,
    /// Classes whose objects may hold data in the sense of [`crate::contents`].
    holders: FxHashMap<ReferenceTypeId, bool>,
}

/// What a thread is to a snapshot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// One of the JVM's own.
    Own,
    /// It carries virtual threads.
    Carrier,
    /// One of the program's.
    Program,
}

impl<S: Sink> Recorder<S> {
    pub(crate) fn role_of(&mut self, thread: ThreadId) -> Result<Role, LinkError> {
        if let Some(&known) = self.known.around.roles.get(&thread.0) {
            return Ok(known);
        }
        let group = self
            .jvm
            .link
            .request(&thread_reference::ThreadGroup { thread })?;
        let name = match group {
            Ok(group) if !group.is_null() => self
                .jvm
                .link
                .request(&thread_group_reference::Name { group })?,
            _ => return Ok(Role::Program),
        };
        let name = name.map_or_else(
            |_| String::new(),
            |name| name.to_string_lossy().into_owned(),
        );
        let role = match name.as_str() {
            CARRIERS => Role::Carrier,
            name if OWN.contains(&name) => Role::Own,
            _ => Role::Program,
        };
        self.known.around.roles.insert(thread.0, role);
        Ok(role)
    }

    pub(crate) fn may_hold_data(&mut self, class: ReferenceTypeId) -> Result<bool, LinkError> {
        const NAMES: [&str; 5] = [
            "java.util.",
            "java.lang.AbstractStringBuilder",
            "java.lang.StringBu",
            "java.io.StringWriter",
            "java.nio.",
        ];
        if let Some(&known) = self.known.around.holders.get(&class) {
            return Ok(known);
        }
        let name = self.known.program.name(&mut self.jvm.link, class)?;
        let may = NAMES.iter().any(|begins| name.starts_with(begins));
        self.known.around.holders.insert(class, may);
        Ok(may)
    }
}

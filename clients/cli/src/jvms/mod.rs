//! The JVMs of this host, and where each can be recorded. Nothing is ever connected to: a connection to a debug port is a
//! debugger to the JVM, which takes one at a time.
//!
//! In reading order: [`facts`] (what `/proc` tells of a process), [`agent`] (the debugger agent's options), [`port`] (what
//! follows for its debug port, from facts alone). Facts that this user may not read are missing, and nothing is guessed in their place.

pub mod agent;
pub mod facts;
pub mod port;

use std::ffi::OsStr;
use std::path::Path;

use jhyde_proto::program::JavaCommand;
use thiserror::Error;

use facts::{Facts, Owner};
use port::Port;

/// The processes cannot be looked at.
#[derive(Debug, Error)]
#[error("cannot read the processes of this machine in /proc: {0}; is it mounted here?")]
pub struct FindError(#[from] procfs::ProcError);

/// A JVM.
#[derive(Clone, Debug)]
pub struct Jvm {
    /// What was read of it.
    pub facts: Facts,
    /// Its debug port.
    pub port: Port,
    /// Whose process is at the other end of the debugger's connection, where that one is on this machine and may be read.
    pub debugger: Option<Owner>,
}

impl Jvm {
    fn new(facts: Facts) -> Self {
        let port = Port::of(&facts);
        Self {
            facts,
            port,
            debugger: None,
        }
    }

    /// What it runs, with its arguments: a main class, a jar, or a program that has a JVM in it.
    pub fn program(&self) -> String {
        let words = &self.facts.command;
        if self.facts.is_launcher() {
            let java = JavaCommand::of_running(words);
            if java.has_main() {
                return java.without_options().join(" ");
            }
        }
        let program = words.first().map(OsStr::new).unwrap_or_default();
        let name = Path::new(program).file_name().unwrap_or(program);
        let rest = words.iter().skip(1).map(|word| word.to_string_lossy());
        std::iter::once(name.to_string_lossy())
            .chain(rest)
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Is it in this network namespace? From another one its loopback is not reached, nor perhaps the rest.
    pub fn is_here(&self) -> bool {
        self.facts
            .inside
            .as_ref()
            .is_some_and(|inside| inside.is_here)
    }

    /// Is this still the same JVM with the same port open?
    ///
    /// # Errors
    /// [`FindError`] when processes cannot be read.
    pub fn again(&self) -> Result<Option<Self>, FindError> {
        let facts = facts::of_pid(self.facts.pid)?;
        let same = facts.filter(|facts| facts.started == self.facts.started);
        Ok(same.map(Self::new))
    }
}

/// All JVMs that are seen from here, by process number.
///
/// # Errors
/// [`FindError`] when processes cannot be read.
pub fn find() -> Result<Vec<Jvm>, FindError> {
    let mut jvms: Vec<_> = facts::all()?.into_iter().map(Jvm::new).collect();
    jvms.sort_by_key(|jvm| jvm.facts.pid);
    let connections: Vec<_> = jvms
        .iter()
        .filter(|jvm| jvm.is_here())
        .filter_map(|jvm| jvm.port.connection())
        .collect();
    let mut owners = facts::other_ends(&connections)?;
    for jvm in &mut jvms {
        jvm.debugger = jvm
            .port
            .connection()
            .and_then(|connection| owners.remove(&connection));
    }
    Ok(jvms)
}

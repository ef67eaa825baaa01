//! What the JVM tells of a thread, and what is made of it: entries and exits, exceptions, fields, steps.
//!
//! - `entry`, `arguments`, `calls`, `sites`: enter and exit; `awaited`: what the next event tells of the one before.
//! - `exceptions`, `fate`: exits that JDWP does not report.
//! - `fields`, `watch`: classes, and writes to fields.
//! - `steps`, `recorded`, `constants`: instructions (levels `state` and `full`), and what they name.
//! - `initialisers`: static initialisers and class loaders, where the JVM hides steps.

pub(in crate::events) mod arguments;
pub(in crate::events) mod awaited;
pub(in crate::events) mod calls;
pub(in crate::events) mod entry;
pub(in crate::events) mod exceptions;
pub(in crate::events) mod fate;
pub(in crate::events) mod fields;
pub(in crate::events) mod initialisers;
pub(in crate::events) mod recorded;
pub(in crate::events) mod sites;
pub(in crate::events) mod steps;
pub(in crate::events) mod watch;

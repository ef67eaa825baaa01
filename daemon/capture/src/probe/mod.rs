//! The engine `probe`: code put into the classes tells what cannot be derived, and the rest is derived behind
//! (design, section 7).

mod agent;
mod arrive;
mod backlog;
mod behind;
mod classes;
mod code;
mod derive;
mod engine;
pub(crate) mod extenders;
mod holds;
mod inject;
pub(crate) mod instrument;
mod invoke;
mod late;
pub(crate) mod log;
pub(crate) mod names;
mod origin;
mod others;
pub(crate) mod plan;
mod specified;
#[cfg(test)]
mod tests;
mod unfit;
mod unseen;
mod writers;

pub(crate) use engine::Engine;
pub(crate) use unfit::{Ran, Unfit};

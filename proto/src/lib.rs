//! The public API of jhyde: the compiled proto files of package `jhyde.v1`, and how a client finds
//! the daemon of a data folder.
//!
//! The documentation of messages and services lives in the proto files beside this crate. Clients
//! depend on this crate alone; nothing of the daemon is known here. What both sides must do alike stands
//! here too: [`endpoint`] (where a daemon is), [`folder`] (whose a data folder is), [`token`] (how a client says who it is), [`trust`] (whom it
//! trusts over TLS), [`program`] (how a java command line
//! gets the agent), [`words`], [`progress`] and [`mod@worked`] (what is said of a recording, and while it is made).

#![forbid(unsafe_code)]

pub mod echo;
pub mod endpoint;
pub mod folder;
pub mod program;
pub mod progress;
pub mod token;
pub mod trust;
pub mod words;
pub mod worked;

/// Package `jhyde.v1`: messages, clients and server traits.
#[allow(
    missing_docs,
    unreachable_pub,
    unused_qualifications,
    elided_lifetimes_in_paths,
    clippy::all,
    clippy::use_self,
    clippy::or_fun_call
)]
pub mod v1 {
    tonic::include_proto!("jhyde.v1");
}

/// The descriptor set of all proto files, with comments, as server reflection serves it.
pub const DESCRIPTORS: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/jhyde.v1.descriptors"));

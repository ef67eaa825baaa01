//! The top floor: gRPC services, configuration, and the binary `jhyded`.
//!
//! In reading order:
//! - [`cli`]: the command line of `jhyded` and what its commands do;
//! - [`config`]: settings from files, environment and flags;
//! - [`serve`]: sockets, the server over them, its end;
//! - [`services`]: the gRPC services; only they know the generated types;
//! - [`daemon`]: the catalogue and the live recordings, without any wire;
//! - [`error`]: what can go wrong, by kind.

#![forbid(unsafe_code)]

pub mod cli;
pub mod config;
pub mod daemon;
pub mod error;
pub mod serve;
pub mod services;

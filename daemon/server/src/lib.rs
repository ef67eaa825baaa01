//! The top floor: gRPC services, configuration, and the binary `jhyded`.
//!
//! In reading order:
//! - [`cli`]: the command line of `jhyded` and what its commands do;
//! - [`config`]: settings from files, environment and flags;
//! - [`serve`]: sockets, the server over them, its end;
//! - [`access`]: who may do what: rights, tokens, the gate that every call goes through;
//! - [`seen`]: what is seen of it from outside: metrics;
//! - [`services`]: the gRPC services; only they know the generated types;
//! - [`web`]: the page for browsers: its listener, and who may come in;
//! - [`daemon`]: the catalogue and the live recordings, without any wire;
//! - [`source`]: finding the source text of recorded classes;
//! - [`systemd`]: the service manager that has started it, if one has;
//! - [`private`]: whose the files are that all of them make;
//! - [`error`]: what can go wrong, by kind.

#![deny(unsafe_code)]
#![warn(clippy::print_stdout, clippy::print_stderr)]

pub mod access;
pub mod cli;
pub mod config;
pub mod daemon;
pub mod error;
pub mod private;
pub mod seen;
pub mod serve;
pub mod services;
pub mod source;
pub mod systemd;
pub mod web;

//! The top floor: gRPC services, configuration, and the binary `jhyded`.
//!
//! - [`config`]: settings from files, environment and flags;
//! - [`error`]: what can go wrong, by kind;
//! - [`daemon`]: the catalogue and the live recordings, without any wire;
//! - [`services`]: the gRPC services over it; only they know the generated types.

#![forbid(unsafe_code)]

pub mod config;
pub mod daemon;
pub mod error;
pub mod services;

//! The service manager that has started the daemon, if one has (systemd, or what speaks its protocols).
//!
//! It may give sockets that it has opened ([`given`]), wants to know how far the daemon is ([`manager`]), and may restart one
//! that does not get on ([`attending`]). Whoever starts the daemon by hand gives nothing and hears nothing.

pub mod attending;
pub mod given;
pub mod manager;

pub use given::Given;
pub use manager::Manager;

//! The daemon's settings: what they are, where each comes from, and what they are made of.
//!
//! Five layers, the later one winning: built-in defaults, `/etc/jhyde/jhyded.toml`,
//! `$XDG_CONFIG_HOME/jhyde/jhyded.toml`, the file named by `--config`, the environment (`JHYDED_*`),
//! flags. A key that is not known is an error in every layer, so that a slip of the pen is never
//! silently ignored. Nothing here opens sockets or recordings.
//!
//! To add a setting: one row in [`keys::KEYS`], one field in [`settings::Settings`], one line in
//! `deploy/jhyded.toml` (a test compares them).

pub mod hosts;
pub mod keep;
pub mod keys;
pub mod layers;
pub mod settings;
pub mod units;
pub mod watch;

#[cfg(test)]
mod tests;

pub use hosts::Hosts;
pub use keep::Limits;
pub use layers::{COMMAND_LINE, ConfigError, Effective, Sources, load};
pub use settings::{LogFormat, Settings};
pub use units::{ByteSize, Span};

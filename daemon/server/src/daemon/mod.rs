//! The daemon itself, without any wire: the catalogue of recordings and those that are being made.
//!
//! It knows the store and the capture crate, and nothing of gRPC, sockets or the command line.
//! Methods block (disk, JVM); callers on an async runtime use [`tokio::task::spawn_blocking`].

use std::sync::Arc;

use crate::error::Error;

/// See the module.
#[derive(Debug)]
pub struct Daemon {}

impl Daemon {
    /// The recording of this id or name, live or ended, for reading.
    ///
    /// # Errors
    /// [`Error::NoRecording`], or what the store says.
    pub fn recording(&self, _id_or_name: &str) -> Result<Arc<jhyde_store::Recording>, Error> {
        unimplemented!("follows with the store")
    }
}

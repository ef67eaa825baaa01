//! The tokio side: connecting, listening, and a client with many requests in flight.
//!
//! - [`Connection`] is a socket whose handshake is done, with its [`crate::Session`]. Take it
//!   apart to drive the socket yourself, or turn it into a [`Client`].
//! - [`Listener`] waits for JVMs that connect to the debugger (`server=n`).
//! - [`Client`] is a handle that can be cloned; a task of its own moves the bytes.
//!
//! What the bytes mean is not known here: that is the session's business.

mod connection;
mod driver;
mod errors;
mod events;
mod handle;

pub use connection::{Connection, Listener, Options};
pub use errors::{ConnectError, ConnectStage, ConnectionEnd, RequestError};
pub use events::EventStream;
pub use handle::Client;

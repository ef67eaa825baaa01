//! Tokens: how clients over TCP say who they are. Kept as digests in one file of the data folder, which only its owner can
//! read; the daemon looks at it four times a second, and before it refuses a token that it does not know, so that what
//! `jhyded token` writes holds at once.

mod file;
mod known;

pub use file::{Entry, FileError, Store, Tokens};
pub use known::{Count, Known, NotLetIn, POLL, Standing};

use std::io;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rustix::rand::{GetRandomFlags, getrandom};
use sha2::{Digest as _, Sha256};

/// What every token begins with, so that programs that look for secrets in texts find it.
pub const PREFIX: &str = "jhyde_";

/// The SHA-256 of a token. A token has 256 random bits: there is nothing that a slower digest would make harder to guess.
pub(crate) type Digest = [u8; 32];

pub(crate) fn digest(token: &str) -> Digest {
    Sha256::digest(token.as_bytes()).into()
}

/// A new token.
///
/// # Errors
/// The system has no random bits to give.
pub fn made() -> io::Result<String> {
    Ok(format!("{PREFIX}{}", random_hex()?))
}

/// 256 random bits, in hexadecimal digits.
///
/// # Errors
/// The system has none to give.
pub(crate) fn random_hex() -> io::Result<String> {
    let mut bytes = [0_u8; 32];
    let mut filled = 0;
    while let Some(rest) = bytes.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        filled += getrandom(rest, GetRandomFlags::empty())?;
    }
    Ok(hex(&bytes))
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Milliseconds since 1970-01-01 UTC.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let since = since.unwrap_or(Duration::ZERO).as_millis();
    u64::try_from(since).unwrap_or(u64::MAX)
}

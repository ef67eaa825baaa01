//! Pages: how many rows, and tokens that say where the next page begins.
//!
//! A token is opaque to clients. It is bound to the request that it answers by a fingerprint of
//! everything in that request that must stay the same, and guarded by a checksum, so that a token of another
//! request, or a made-up one, is refused and not misread. It holds no secret.

use jhyde_trace::{CallId, Timestamp};

use crate::error::{Error, Result};

/// Rows of a page when nothing is said.
pub const DEFAULT_ROWS: usize = 100;
/// The most rows of a page.
pub const MOST_ROWS: u32 = 10_000;

const VERSION: u8 = 1;
const LENGTH: usize = 1 + 8 + 8 + 8;

/// Rows of a list, and where the list goes on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page<T> {
    /// The rows.
    pub rows: Vec<T>,
    /// The token of the next page; `None` on the last one.
    pub next: Option<String>,
    /// The token of the page before; `None` on the first one.
    pub previous: Option<String>,
}

/// Which page of a list is asked for: the one that a token names, else where it is to begin, else the first.
#[derive(Clone, Copy, Debug, Default)]
pub struct Wanted<'a> {
    /// A token of an answer before; empty: none.
    pub token: &'a str,
    /// Where the page begins if there is no token.
    pub start: Option<Start>,
}

impl<'a> From<&'a str> for Wanted<'a> {
    fn from(token: &'a str) -> Self {
        Self { token, start: None }
    }
}

impl<'a> From<&'a String> for Wanted<'a> {
    fn from(token: &'a String) -> Self {
        token.as_str().into()
    }
}

/// Where a page begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Start {
    /// The place. One that is no row's own stands for the first row behind it.
    pub at: Place,
    /// The page holds the rows before the place, not those from it on.
    pub backward: bool,
}

/// A place in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Where this call is.
    Call(CallId),
    /// What was at this time.
    Time(Timestamp),
    /// By number, from 0.
    Index(u64),
}

impl Start {
    /// The index, in a list that knows no other places.
    ///
    /// # Errors
    /// [`Error::Start`] for another kind of place.
    pub(crate) fn index(self) -> Result<u64> {
        match self.at {
            Place::Index(index) => Ok(index),
            Place::Call(_) | Place::Time(_) => Err(Error::Start(
                "this list has no calls and timestamps to begin at: give an index".to_owned(),
            )),
        }
    }
}

/// The number of rows that a request asks for: `0` is the default.
///
/// # Errors
/// [`Error::PageSize`] when it is over the limit.
pub fn rows(page_size: u32) -> Result<usize> {
    match page_size {
        0 => Ok(DEFAULT_ROWS),
        1..=MOST_ROWS => Ok(page_size as usize),
        _ => Err(Error::PageSize(page_size)),
    }
}

/// The tokens of one request whose list goes both ways.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ways {
    on: Tokens,
    back: Tokens,
}

/// Where a page begins, by a number that orders the list's rows, and which way it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Turn {
    /// The rows at this number and behind it.
    From(u64),
    /// The rows before this number.
    Before(u64),
}

impl Ways {
    /// As [`Tokens::of`].
    pub(crate) fn of(parts: &[&dyn std::fmt::Debug]) -> Self {
        let back: Vec<_> = parts.iter().copied().chain([&"before" as _]).collect();
        Self {
            on: Tokens::of(parts),
            back: Tokens::of(&back),
        }
    }

    /// The token for the rows from a number on.
    pub(crate) fn from(&self, position: u64) -> String {
        self.on.token(position)
    }

    /// The token for the rows before a number.
    pub(crate) fn before(&self, position: u64) -> String {
        self.back.token(position)
    }

    /// What a token says; `None` for the empty one.
    ///
    /// # Errors
    /// [`Error::PageToken`] when it is none of this request's.
    pub(crate) fn turn(&self, token: &str) -> Result<Option<Turn>> {
        match self.on.position(token) {
            Ok(position) => Ok(position.map(Turn::From)),
            Err(_) => Ok(self.back.position(token)?.map(Turn::Before)),
        }
    }
}

/// The tokens of one request.
#[derive(Clone, Copy, Debug)]
pub struct Tokens {
    fingerprint: u64,
}

impl Tokens {
    /// The tokens of a request: `parts` is all that must be the same in the request for the next page.
    pub fn of(parts: &[&dyn std::fmt::Debug]) -> Self {
        let mut text = String::new();
        for part in parts {
            text.push_str(&format!("{part:?}\u{0}"));
        }
        Self {
            fingerprint: fnv(text.as_bytes()),
        }
    }

    /// The token for going on at this position.
    pub fn token(&self, position: u64) -> String {
        let mut bytes = Vec::with_capacity(LENGTH);
        bytes.push(VERSION);
        bytes.extend(self.fingerprint.to_be_bytes());
        bytes.extend(position.to_be_bytes());
        bytes.extend(fnv(&bytes).to_be_bytes());
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// The position that a token names; `None` for the empty token, which begins at the beginning.
    ///
    /// # Errors
    /// [`Error::PageToken`] when it is no token of this request.
    pub fn position(&self, token: &str) -> Result<Option<u64>> {
        if token.is_empty() {
            return Ok(None);
        }
        if token.len() != LENGTH * 2 || !token.is_ascii() {
            return Err(Error::PageToken);
        }
        let digits = |at: usize| token.get(at * 2..at * 2 + 2);
        let byte = |at: usize| digits(at).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let bytes: Vec<u8> = (0..LENGTH).map_while(byte).collect();
        let number = |from: usize| {
            let bytes: Option<[u8; 8]> = bytes.get(from..from + 8).and_then(|b| b.try_into().ok());
            bytes.map(u64::from_be_bytes).ok_or(Error::PageToken)
        };
        let (fingerprint, position, sum) = (number(1)?, number(9)?, number(17)?);
        let whole = bytes.first() == Some(&VERSION)
            && fingerprint == self.fingerprint
            && sum == fnv(&bytes[..LENGTH - 8]);
        if whole {
            Ok(Some(position))
        } else {
            Err(Error::PageToken)
        }
    }
}

/// FNV-1a, 64 bits: the same on every machine and in every version.
fn fnv(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn tokens_come_back_and_are_bound_to_their_request(position: u64, flip in 0..LENGTH * 2) {
            let tokens = Tokens::of(&[&"recording", &7_u32]);
            let token = tokens.token(position);
            prop_assert_eq!(tokens.position(&token).expect("its own token"), Some(position));
            prop_assert!(Tokens::of(&[&"recording", &8_u32]).position(&token).is_err());
            let mut other = token.into_bytes();
            other[flip] = if other[flip] == b'0' { b'1' } else { b'0' };
            prop_assert!(tokens.position(&String::from_utf8_lossy(&other)).is_err());
        }

        #[test]
        fn no_text_is_a_token_by_chance(text in ".{1,60}") {
            prop_assert!(Tokens::of(&[&1]).position(&text).is_err());
        }
    }

    #[test]
    fn page_sizes_have_a_default_and_a_limit() {
        assert_eq!(rows(0).expect("default"), 100);
        assert_eq!(rows(10_000).expect("limit"), 10_000);
        assert!(rows(10_001).is_err());
    }
}

//! The rights, and sets of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use thiserror::Error;

/// What one may be allowed to do. They do not include each other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Right {
    /// Ask: lists, calls, values, source, queries, exports.
    Read,
    /// Answer: debugging sessions.
    Debug,
    /// Attach to JVMs, wait for them, stop, detach.
    Record,
    /// Start programs, as the daemon's user. Whoever may can do whatever that user can.
    Launch,
    /// Change and delete what was recorded: delete, import, seal, keep, source.
    Manage,
}

impl Right {
    /// All of them, in the order in which they are written.
    pub const ALL: [Self; 5] = [
        Self::Read,
        Self::Debug,
        Self::Record,
        Self::Launch,
        Self::Manage,
    ];

    /// As it is written.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Debug => "debug",
            Self::Record => "record",
            Self::Launch => "launch",
            Self::Manage => "manage",
        }
    }

    const fn bit(self) -> u8 {
        1 << self as u8
    }
}

/// A set of rights. Written as words with commas: `read,record`.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub struct Rights(u8);

impl Rights {
    /// No right.
    pub const NONE: Self = Self(0);
    /// Every right.
    pub const ALL: Self = Self::NONE
        .and(Right::Read)
        .and(Right::Debug)
        .and(Right::Record)
        .and(Right::Launch)
        .and(Right::Manage);

    /// The set with this one, too.
    #[must_use]
    pub const fn and(self, right: Right) -> Self {
        Self(self.0 | right.bit())
    }

    /// Is it in the set?
    pub const fn has(self, right: Right) -> bool {
        self.0 & right.bit() != 0
    }

    /// Is none in the set?
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in the set.
    pub fn each(self) -> impl Iterator<Item = Right> {
        Right::ALL.into_iter().filter(move |right| self.has(*right))
    }
}

/// What is no right.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("'{0}' is no right; there are read, debug, record, launch and manage")]
pub struct NoRight(String);

impl FromStr for Rights {
    type Err = NoRight;

    fn from_str(words: &str) -> Result<Self, NoRight> {
        let words = words.split(',').map(str::trim);
        words
            .filter(|word| !word.is_empty())
            .try_fold(Self::NONE, |rights, word| {
                let known = Right::ALL.into_iter().find(|right| right.word() == word);
                let right = known.ok_or_else(|| NoRight(word.to_owned()))?;
                Ok(rights.and(right))
            })
    }
}

impl fmt::Display for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<_> = self.each().map(Right::word).collect();
        f.write_str(&words.join(","))
    }
}

impl fmt::Debug for Rights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rights({self})")
    }
}

/// A list of words.
impl Serialize for Rights {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.each().map(Right::word))
    }
}

impl<'de> Deserialize<'de> for Rights {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let words = Vec::<String>::deserialize(deserializer)?;
        words.join(",").parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rights_are_written_as_they_are_read() {
        let some: Rights = "record, read".parse().unwrap();
        assert_eq!(some.to_string(), "read,record");
        assert!(some.has(Right::Read) && !some.has(Right::Launch));
        let all = Right::ALL.map(Right::word).join(",");
        assert_eq!(all.parse::<Rights>().unwrap(), Rights::ALL);
        assert_eq!("".parse::<Rights>().unwrap(), Rights::NONE);
        let error = "read,write".parse::<Rights>().unwrap_err().to_string();
        assert!(
            error.contains("'write'") && error.contains("manage"),
            "{error}"
        );
        let json = serde_json::to_string(&some).unwrap();
        assert_eq!(json, r#"["read","record"]"#);
        assert_eq!(serde_json::from_str::<Rights>(&json).unwrap(), some);
    }
}

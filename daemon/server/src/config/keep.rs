//! What is to be kept, as people write it: `100` (recordings), `30d` (since they ended), `20GB` (all together).

use jhyde_store::Keep;
use jhyde_trace::echo::shown;
use serde::de::{Deserialize, Deserializer, Error as _};
use thiserror::Error;

use super::units::{ByteSize, Span};

/// Limits of each kind at most once; without any, everything is kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits(pub Keep);

/// A limit cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitError {
    /// Not a limit.
    #[error(
        "'{}' is no limit; write a number of recordings (100), an age with its unit (30d, 12h) or a \
         size with its unit (20GB)",
        shown(.0)
    )]
    Unknown(String),
    /// Nothing would be kept.
    #[error("'{}' would keep nothing; delete recordings by name instead", shown(.0))]
    Nothing(String),
    /// Two limits of one kind.
    #[error("'{}' is a second limit of its kind; give one age, one number and one size at most", shown(.0))]
    Twice(String),
}

impl Limits {
    /// Reads limits, one per text.
    ///
    /// # Errors
    /// [`LimitError`] quotes the text that cannot be used.
    pub fn parse<T: AsRef<str>>(texts: &[T]) -> Result<Self, LimitError> {
        let mut keep = Keep::default();
        for text in texts {
            let text = text.as_ref().trim();
            let (place, limit) = if let Ok(count) = text.parse::<u64>() {
                (&mut keep.count, count)
            } else if let Ok(Span(age)) = text.parse() {
                let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
                (&mut keep.age_ms, age)
            } else if let Ok(ByteSize(bytes)) = text.parse() {
                (&mut keep.bytes, bytes)
            } else {
                return Err(LimitError::Unknown(text.to_owned()));
            };
            if limit == 0 {
                return Err(LimitError::Nothing(text.to_owned()));
            }
            if place.replace(limit).is_some() {
                return Err(LimitError::Twice(text.to_owned()));
            }
        }
        Ok(Self(keep))
    }

    /// Is everything kept?
    pub fn is_none(&self) -> bool {
        self.0 == Keep::default()
    }
}

impl<'de> Deserialize<'de> for Limits {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let texts = Vec::<String>::deserialize(deserializer)?;
        Self::parse(&texts).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_tell_their_kind_by_their_unit() {
        let limits = Limits::parse(&["30d", " 100", "20GB"]).unwrap();
        let keep = Keep {
            age_ms: Some(30 * 86_400_000),
            count: Some(100),
            bytes: Some(20_000_000_000),
        };
        assert_eq!(limits.0, keep);
        assert!(Limits::parse::<&str>(&[]).unwrap().is_none());
    }

    #[test]
    fn what_is_no_limit_is_refused_and_quoted() {
        for bad in ["", "much", "-1", "0", "0s", "1.5GB"] {
            let error = Limits::parse(&[bad]).unwrap_err();
            assert!(error.to_string().contains(&format!("'{bad}'")), "{error}");
        }
        let twice = Limits::parse(&["1", "2"]).unwrap_err();
        assert_eq!(twice, LimitError::Twice("2".to_owned()));
    }
}

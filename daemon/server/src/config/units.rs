//! Values with units, as people write them: sizes (`512MB`, `1GiB`), spans of time (`10s`, `5m`) and how many times as long something takes (`1.5`, `20`).

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use jhyde_trace::echo::shown;
use serde::de::{Deserialize, Deserializer, Error as _};
use thiserror::Error;

/// A number of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteSize(pub u64);

/// Units by name. Decimal ones are powers of 1000, binary ones of 1024.
const UNITS: [(&str, u64); 8] = [
    ("B", 1),
    ("KB", 1000),
    ("MB", 1_000_000),
    ("GB", 1_000_000_000),
    ("KiB", 1 << 10),
    ("MiB", 1 << 20),
    ("GiB", 1 << 30),
    ("TiB", 1 << 40),
];

/// A text that should have been a size or a span of time is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum UnitError {
    /// Not a size.
    #[error("'{}' is not a size; write a number and a unit, such as 512MB or 2GiB", shown(.0))]
    Size(String),
    /// Not a span of time.
    #[error("'{}' is not a span of time; write a number and a unit, such as 500ms, 10s or 5m", shown(.0))]
    Span(String),
    /// Not a number of times.
    #[error("'{}' is not how many times as long a program may take; write a number such as 1.5 or 20", shown(.0))]
    Times(String),
}

impl FromStr for ByteSize {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || UnitError::Size(text.to_owned());
        let trimmed = text.trim();
        let digits = trimmed.bytes().take_while(u8::is_ascii_digit).count();
        let (number, unit) = trimmed.split_at(digits);
        let number: u64 = number.parse().map_err(|_| invalid())?;
        let unit = unit.trim();
        let factor = if unit.is_empty() {
            1
        } else {
            UNITS
                .iter()
                .find(|(name, _)| name.eq_ignore_ascii_case(unit))
                .ok_or_else(invalid)?
                .1
        };
        number.checked_mul(factor).map(Self).ok_or_else(invalid)
    }
}

impl fmt::Display for ByteSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Of the units that lose nothing, the one with the smallest number.
        let unit = UNITS
            .iter()
            .filter(|(_, factor)| self.0 >= *factor && self.0.is_multiple_of(*factor))
            .min_by_key(|(_, factor)| self.0 / factor);
        match unit {
            Some((name, factor)) => write!(f, "{}{name}", self.0 / factor),
            None => write!(f, "{}B", self.0),
        }
    }
}

/// A span of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span(pub Duration);

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        humantime::parse_duration(text.trim())
            .map(Self)
            .map_err(|_| UnitError::Span(text.to_owned()))
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        humantime::format_duration(self.0).fmt(f)
    }
}

/// How many times as long something takes, in percent: 150 is `1.5`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Times(pub u64);

impl FromStr for Times {
    type Err = UnitError;

    /// At most two digits behind the point, as [`fmt::Display`] writes them.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || UnitError::Times(text.to_owned());
        let trimmed = text.trim();
        let (whole, part) = trimmed.split_once('.').unwrap_or((trimmed, "0"));
        let digits =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        if !digits(whole) || !digits(part) || part.len() > 2 {
            return Err(invalid());
        }
        let whole: u64 = whole.parse().map_err(|_| invalid())?;
        let hundredths: u64 = format!("{part:0<2}").parse().map_err(|_| invalid())?;
        let percent = whole
            .checked_mul(100)
            .and_then(|percent| percent.checked_add(hundredths));
        percent.map(Self).ok_or_else(invalid)
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.0 / 100, self.0 % 100) {
            (whole, 0) => write!(f, "{whole}"),
            (whole, part) if part % 10 == 0 => write!(f, "{whole}.{}", part / 10),
            (whole, part) => write!(f, "{whole}.{part:02}"),
        }
    }
}

/// A limit: more than nothing, or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limit<T>(pub Option<T>);

/// How a limit that is none is written.
const NO_LIMIT: &str = "none";

/// A text that should have been a limit is none.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum LimitError {
    /// Not a size, a span or a number of times.
    #[error("{0}, or none")]
    Unit(#[from] UnitError),
    /// Nothing at all could be recorded.
    #[error("'{}' is nothing: write more, or none for no limit", shown(.0))]
    Nothing(String),
    /// As fast as by itself, or faster.
    #[error("'{}' is no slowdown: write more than 1, or none for no limit", shown(.0))]
    NotSlower(String),
    /// It cannot be counted.
    #[error("'{}' is too much: write less, or none for no limit", shown(.0))]
    TooMuch(String),
}

impl FromStr for Limit<ByteSize> {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            NO_LIMIT => Ok(Self(None)),
            text => match text.parse()? {
                ByteSize(0) => Err(LimitError::Nothing(text.to_owned())),
                size => Ok(Self(Some(size))),
            },
        }
    }
}

impl FromStr for Limit<Span> {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            NO_LIMIT => Ok(Self(None)),
            text => match text.parse()? {
                Span(span) if span.as_millis() == 0 => Err(LimitError::Nothing(text.to_owned())),
                Span(span) if u64::try_from(span.as_millis()).is_err() => {
                    Err(LimitError::TooMuch(text.to_owned()))
                }
                span => Ok(Self(Some(span))),
            },
        }
    }
}

impl Limit<Span> {
    /// It in milliseconds; longer ones than can be counted are refused when they are read.
    pub fn milliseconds(self) -> Option<u64> {
        let span = self.0?;
        Some(u64::try_from(span.0.as_millis()).unwrap_or(u64::MAX))
    }
}

impl FromStr for Limit<Times> {
    type Err = LimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text.trim() {
            NO_LIMIT => Ok(Self(None)),
            text => match text.parse()? {
                Times(..=100) => Err(LimitError::NotSlower(text.to_owned())),
                times => Ok(Self(Some(times))),
            },
        }
    }
}

impl<T: fmt::Display> fmt::Display for Limit<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(limit) => limit.fmt(f),
            None => f.write_str(NO_LIMIT),
        }
    }
}

/// Reads a value that is written as text by its [`FromStr`], so that its own message reaches the user.
pub(super) fn from_text<'de, D, T>(deserializer: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: FromStr<Err: fmt::Display>,
{
    String::deserialize(deserializer)?
        .parse()
        .map_err(D::Error::custom)
}

impl<'de> Deserialize<'de> for ByteSize {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

impl<'de> Deserialize<'de> for Span {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        from_text(deserializer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_in_both_kinds_of_unit() {
        for (text, bytes) in [
            ("0", 0),
            ("17", 17),
            ("512MB", 512_000_000),
            ("512 mb", 512_000_000),
            ("2GiB", 2 << 30),
            (" 1KiB ", 1024),
        ] {
            assert_eq!(text.parse(), Ok(ByteSize(bytes)), "{text}");
        }
        for text in ["", "MB", "-1", "1.5GB", "12 parsecs", "99999999999TiB"] {
            assert!(text.parse::<ByteSize>().is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_written_so_that_they_are_read_back() {
        for bytes in [0, 1, 999, 1000, 1024, 512_000_000, 3 << 30, 1_234_567] {
            let size = ByteSize(bytes);
            assert_eq!(size.to_string().parse(), Ok(size));
        }
        assert_eq!(ByteSize(512_000_000).to_string(), "512MB");
        assert_eq!(ByteSize(1 << 30).to_string(), "1GiB");
    }

    #[test]
    fn spans_are_read_and_written() {
        assert_eq!("1m 30s".parse(), Ok(Span(Duration::from_secs(90))));
        assert_eq!(Span(Duration::from_secs(90)).to_string(), "1m 30s");
        for text in ["", "10", "soon", "-1s"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
    }

    #[test]
    fn limits_are_more_than_nothing_or_none() {
        assert_eq!("none".parse(), Ok(Limit::<ByteSize>(None)));
        assert_eq!("none".parse(), Ok(Limit::<Span>(None)));
        assert_eq!(" 1MB ".parse(), Ok(Limit(Some(ByteSize(1_000_000)))));
        assert_eq!("2s".parse(), Ok(Limit(Some(Span(Duration::from_secs(2))))));
        for text in [
            "0",
            "0MB",
            "-1MB",
            "",
            "5 parsecs",
            "18446744073709551616B",
            "99999999TiB",
        ] {
            assert!(text.parse::<Limit<ByteSize>>().is_err(), "{text}");
        }
        for text in [
            "0s",
            "10ns",
            "-5s",
            "",
            "7",
            "1 fortnight",
            "99999999999999999999s",
            "10000000000 years",
        ] {
            assert!(text.parse::<Limit<Span>>().is_err(), "{text}");
        }
        let message = "0MB".parse::<Limit<ByteSize>>().unwrap_err().to_string();
        assert!(message.contains("'0MB' is nothing"), "{message}");
        let message = "5 parsecs"
            .parse::<Limit<ByteSize>>()
            .unwrap_err()
            .to_string();
        assert!(
            message.contains("write a number and a unit") && message.ends_with("or none"),
            "{message}"
        );
    }
}

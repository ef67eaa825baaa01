//! Source.

use serde::Serialize;

use crate::text::{Listing, ListingLine, ListingValue};

/// Lines of a source file.
#[derive(Debug, Serialize)]
pub struct SourceJson<'a> {
    file: &'a str,
    origin: &'a str,
    lines: Vec<LineJson<'a>>,
}

#[derive(Debug, Serialize)]
struct LineJson<'a> {
    line: u32,
    code: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    marked: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    values: Vec<ValueJson<'a>>,
}

#[derive(Debug, Serialize)]
struct ValueJson<'a> {
    name: &'a str,
    text: &'a str,
}

impl<'a> From<&'a Listing> for SourceJson<'a> {
    fn from(listing: &'a Listing) -> Self {
        let value = |value: &'a ListingValue| ValueJson {
            name: &value.name,
            text: &value.value,
        };
        let line = |line: &'a ListingLine| LineJson {
            line: line.number,
            code: &line.text,
            marked: line.marked,
            values: line.values.iter().map(value).collect(),
        };
        Self {
            file: &listing.file,
            origin: &listing.origin,
            lines: listing.lines.iter().map(line).collect(),
        }
    }
}

/// A row with the line of code at which it happened.
#[derive(Debug, Serialize)]
pub struct WithCode<T> {
    /// The row.
    #[serde(flatten)]
    pub row: T,
    /// The line's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

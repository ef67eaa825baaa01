//! Standing orders, the tables `[[watch]]`: JVMs that are recorded whenever they are up.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use config::{Value, ValueKind};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

/// A standing order. What it does not say is as in `[record]`.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Watch {
    /// `HOST:PORT`, where the JVM listens when it is up; never empty.
    #[serde(default)]
    pub address: String,
    /// What the first recording is called; those that follow get a number behind it. Never empty.
    #[serde(default)]
    pub name: String,
    /// `calls`, `state`, `full`.
    #[serde(default)]
    pub level: String,
    /// `auto`, `probe`, `events`.
    #[serde(default)]
    pub engine: String,
    /// Patterns of the classes in scope.
    #[serde(default)]
    pub include: Vec<String>,
    /// Patterns of classes taken out of it.
    #[serde(default)]
    pub exclude: Vec<String>,
    /// Longest text kept of a string.
    #[serde(default)]
    pub string_limit: u32,
    /// Levels of objects in a snapshot.
    pub snapshot_depth: Option<u32>,
    /// Elements of one object in a snapshot.
    pub snapshot_elements: Option<u32>,
    /// Bytes of values in a snapshot.
    pub snapshot_bytes: Option<u32>,
    /// Whether what objects of the JDK hold is recorded, where `record.contents` allows it.
    #[serde(default = "yes")]
    pub contents: bool,
    /// Folders and archives with source, absolute.
    #[serde(default)]
    pub source: Vec<PathBuf>,
    /// `500MB`, `none`.
    #[serde(default)]
    pub max_bytes: String,
    /// `10m`, `none`.
    #[serde(default)]
    pub max_duration: String,
    /// `1.5`, `20`, `none`.
    #[serde(default)]
    pub max_slowdown: String,
    /// `lower`, `end`.
    #[serde(default)]
    pub at_limit: String,
    /// How much is kept of the newest part.
    #[serde(default)]
    pub ring: String,
    /// `auto`, `inputs`, `reads`, `writes`.
    #[serde(default)]
    pub probe_log: String,
}

fn yes() -> bool {
    true
}

/// All standing orders. No two are of one name or address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Watches(pub Vec<Watch>);

impl<'de> Deserialize<'de> for Watches {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let all = Vec::<Watch>::deserialize(deserializer)?;
        let mut seen = HashSet::new();
        for one in &all {
            for (key, word) in [("name", &one.name), ("address", &one.address)] {
                // Said here: of a field that is missing the reader does not say where.
                if word.is_empty() {
                    return Err(D::Error::custom(format!("an entry has no {key}")));
                }
                if !seen.insert(word.as_str()) {
                    let reason = format!("'{word}' stands in two entries; one JVM has one");
                    return Err(D::Error::custom(reason));
                }
            }
        }
        Ok(Self(all))
    }
}

/// Makes the paths of an entry absolute.
pub(super) fn resolved(value: &mut Value, absolute: impl Fn(&Path) -> String) {
    let ValueKind::Table(entry) = &mut value.kind else {
        return;
    };
    let Some(ValueKind::Array(paths)) = entry.get_mut("source").map(|source| &mut source.kind)
    else {
        return;
    };
    for path in paths {
        if let ValueKind::String(text) = &mut path.kind {
            *text = absolute(Path::new(text.as_str()));
        }
    }
}

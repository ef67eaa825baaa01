//! What is said of many calls at once, in a line of a session or when it begins: which classes are trusted, what calls
//! must do.

use jhyde_proto::v1::Evidence;
use serde::Deserialize;

use super::search::Search;
use crate::commands::recordings::absolute_paths;
use crate::error::Error;

/// A line that says something of many calls at once, or takes it back. In JSON: an object with one key.
#[derive(Clone, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub(super) enum Said {
    /// The methods of these classes are right.
    Trust(String),
    /// That is taken back.
    Distrust(String),
    /// Calls must have this property.
    Assert(String),
    /// That is taken back.
    Retract(String),
    /// What was changed makes no difference any more.
    Changed(()),
    /// This recording is of a run that passed; none: what passed makes no difference any more.
    Passing(Option<String>),
}

/// A class, package or pattern; a jar by its absolute path, for the daemon stands in another folder.
pub(super) fn trusted(named: &str) -> String {
    match named.ends_with(".jar") {
        true => absolute_paths(&[named.into()]).concat(),
        false => named.to_owned(),
    }
}

impl Said {
    /// A line of the scripting contract, if it is one of these.
    pub(super) fn from_json(line: &str) -> Option<Self> {
        serde_json::from_str(line).ok()
    }

    /// A line that somebody typed, if it is one of these: `trust merge#3` answers for a call, and is none.
    pub(super) fn typed(
        line: &str,
        words: &[String],
        is_call: impl Fn(&str) -> bool,
    ) -> Option<Self> {
        // Quotes and spaces belong to an expression.
        let rest = line.trim().split_once(' ').map(|(_, rest)| rest.trim());
        match words {
            [word, ..] if word == "assert" => rest.map(|rest| Self::Assert(rest.to_owned())),
            [word, ..] if word == "retract" => rest.map(|rest| Self::Retract(rest.to_owned())),
            [word, class] if word == "trust" && !is_call(class) => Some(Self::Trust(class.clone())),
            [word, none] if word == "changed" && none == "none" => Some(Self::Changed(())),
            [word, none] if word == "passing" && none == "none" => Some(Self::Passing(None)),
            [word, recording] if word == "passing" => Some(Self::Passing(Some(recording.clone()))),
            [word, class] if word == "distrust" => Some(Self::Distrust(class.clone())),
            _ => None,
        }
    }

    /// What is said with this besides.
    fn added(self, mut said: Evidence) -> Result<Evidence, Error> {
        match self {
            Self::Trust(class) => said.trusted.push(trusted(&class)),
            Self::Distrust(class) => take(&mut said.trusted, &trusted(&class), "trusted")?,
            Self::Assert(property) => said.properties.push(property),
            Self::Retract(property) => take(&mut said.properties, &property, "asserted")?,
            Self::Changed(()) => said.changed = None,
            Self::Passing(Some(recording)) => said.passing.push(recording),
            Self::Passing(None) => {
                said.passing.clear();
                said.trust_passing = false;
            }
        }
        Ok(said)
    }
}

/// Takes back what was said with these words.
fn take(list: &mut Vec<String>, text: &str, how: &str) -> Result<(), Error> {
    match list.iter().position(|known| known == text) {
        Some(at) => {
            list.remove(at);
            Ok(())
        }
        None => Err(Error::Usage(match list.as_slice() {
            [] => format!("nothing is {how} in this session"),
            some => format!("'{text}' is not {how}; that is: {}", some.join("; ")),
        })),
    }
}

impl Search {
    /// Says something of many calls at once, besides what was said before.
    pub(super) async fn say(&mut self, said: Said) -> Result<(), Error> {
        let evidence = said.added(self.session.evidence.clone().unwrap_or_default())?;
        self.set_evidence(evidence).await
    }

    /// Adds what the command line says to what was said in the session before.
    pub(super) async fn add(&mut self, more: Evidence) -> Result<(), Error> {
        if more == Evidence::default() {
            return Ok(());
        }
        let mut evidence = self.session.evidence.clone().unwrap_or_default();
        evidence.trusted.extend(more.trusted);
        evidence.properties.extend(more.properties);
        evidence.changed = more.changed.or(evidence.changed);
        evidence.passing.extend(more.passing);
        evidence.trust_passing |= more.trust_passing;
        self.set_evidence(evidence).await
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_class_is_trusted_and_a_call_is_answered_for() {
        let typed = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            Said::typed(line, &words, |word| word.contains('#'))
        };
        let trust = Some(Said::Trust("shop.util.*".to_owned()));
        assert_eq!(typed("trust shop.util.*"), trust);
        assert_eq!(typed("trust merge#3"), None);
        let property = "Cart.label: result != \"\" || arg0 == 'c'".to_owned();
        let line = format!("assert {property}");
        assert_eq!(typed(&line), Some(Said::Assert(property)));
        assert_eq!(Said::from_json(r#"{"trust":"shop.util.*"}"#), trust);
        assert_eq!(Said::from_json(r#"{"answer":"trusted"}"#), None);
        let changed = Some(Said::Changed(()));
        assert_eq!(Said::from_json(r#"{"changed":null}"#), changed);
        assert_eq!(typed("changed none"), changed);
        let passing = |name: Option<&str>| Some(Said::Passing(name.map(str::to_owned)));
        assert_eq!(typed("passing green"), passing(Some("green")));
        assert_eq!(typed("passing none"), passing(None));
        assert_eq!(
            Said::from_json(r#"{"passing":"green"}"#),
            passing(Some("green"))
        );
        assert_eq!(Said::from_json(r#"{"passing":null}"#), passing(None));
        let said = Said::Trust("a".to_owned()).added(Evidence::default());
        let said = said.expect("it is said");
        assert!(Said::Distrust("b".to_owned()).added(said.clone()).is_err());
        let none = Said::Distrust("a".to_owned()).added(said);
        assert_eq!(none.expect("it is taken back"), Evidence::default());
    }
}

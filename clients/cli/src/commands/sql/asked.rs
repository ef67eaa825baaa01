//! What somebody asks of: `RECORDING…`, or `NAME=RECORDING`, and a file with the statement behind them.

use std::path::{Path, PathBuf};

use jhyde_proto::v1::SqlRecording;

use crate::error::Error;

/// The words of a command.
#[derive(Debug, PartialEq)]
pub(super) struct Asked {
    pub(super) recordings: Vec<SqlRecording>,
    /// `-` is standard input.
    pub(super) file: Option<PathBuf>,
}

/// Which of the words are recordings. The last of several is a file if it is `-`, its name ends in `.sql`, or, where the statement is not said beside
/// them, there is one of that name.
pub(super) fn asked(words: &[String], is_said: bool) -> Result<Asked, Error> {
    let is_file = |word: &str| {
        let is_named = word == "-" || word.to_ascii_lowercase().ends_with(".sql");
        is_named || (!is_said && Path::new(word).is_file())
    };
    let (recordings, file) = match words {
        [recordings @ .., last] if !recordings.is_empty() && is_file(last) => {
            (recordings, Some(last))
        }
        all => (all, None),
    };
    if let (Some(file), true) = (file, is_said) {
        return Err(Error::Usage(format!(
            "-c says the statement, and '{file}' is another: give one of them"
        )));
    }
    if let Some(statement) = words.iter().find(|word| is_statement(word)) {
        return Err(Error::Usage(format!(
            "'{statement}' is no recording: a statement stands behind -c, as in jhyde sql demo -c 'SELECT …', or in a file"
        )));
    }
    Ok(Asked {
        recordings: recordings.iter().map(|word| recording(word)).collect(),
        file: file.map(PathBuf::from),
    })
}

/// Is it a statement where recordings are named: a word that statements begin with, and more behind it?
fn is_statement(word: &str) -> bool {
    let mut parts = word.split_whitespace();
    let begins = parts.next().map(str::to_ascii_lowercase);
    let is_sql = begins.is_some_and(|first| {
        matches!(
            &*first,
            "select" | "with" | "include" | "values" | "explain"
        )
    });
    is_sql && parts.next().is_some()
}

/// `NAME=RECORDING`, or a recording alone.
fn recording(word: &str) -> SqlRecording {
    let (schema, recording) = word.split_once('=').unwrap_or(("", word));
    SqlRecording {
        recording: recording.to_owned(),
        schema: schema.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(words: &[&str], is_said: bool) -> Result<(Vec<String>, Option<String>), String> {
        let words: Vec<_> = words.iter().map(|word| (*word).to_owned()).collect();
        let asked = asked(&words, is_said).map_err(|error| error.to_string())?;
        let recordings = asked.recordings.iter();
        let recordings = recordings.map(|one| format!("{}:{}", one.schema, one.recording));
        let file = asked.file.map(|file| file.display().to_string());
        Ok((recordings.collect(), file))
    }

    #[test]
    fn the_last_word_may_be_a_file() {
        let is = |recordings: &[&str], file: Option<&str>| {
            let recordings = recordings.iter().map(|one| (*one).to_owned()).collect();
            Ok((recordings, file.map(str::to_owned)))
        };
        assert_eq!(told(&["demo"], false), is(&[":demo"], None));
        assert_eq!(told(&["demo", "-"], false), is(&[":demo"], Some("-")));
        assert_eq!(
            told(&["a", "b", "no/such.SQL"], false),
            is(&[":a", ":b"], Some("no/such.SQL"))
        );
        assert_eq!(
            told(&["old=a", "new=b"], true),
            is(&["old:a", "new:b"], None)
        );
        assert_eq!(
            told(&["a", "Cargo.toml"], false),
            is(&[":a"], Some("Cargo.toml"))
        );
        assert_eq!(
            told(&["a", "Cargo.toml"], true),
            is(&[":a", ":Cargo.toml"], None)
        );
        let statement = told(&["SELECT count(*) FROM calls", "demo"], false);
        assert!(statement.is_err_and(|said| said.contains("behind -c")));
        assert!(told(&["a", "-"], true).is_err_and(|said| said.contains("give one of them")));
        assert_eq!(
            told(&["-"], true),
            is(&[":-"], None),
            "the daemon says that there is none"
        );
    }
}

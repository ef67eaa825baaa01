//! Answers that are kept: the question, when it was asked, and all that came. They are shown again without the recording, and held against each other.
//!
//! A file holds a line of text, and behind it messages of the API, each with its length before it (protobuf's delimited form): what was asked, then the parts
//! of the answer as they came. So it is shown again by what showed it first.

use std::collections::HashMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use jhyde_proto::v1::query_answer::Part as QueryPart;
use jhyde_proto::v1::sql_answer::Part as SqlPart;
use jhyde_proto::v1::{QueryAnswer, RunQueryRequest, SqlAnswer, SqlRequest};
use prost::Message;

use super::saved::{failed, folder_of, is_name, listed, names_in, write};
use super::{query, sql};
use crate::error::Error;
use crate::json::{AnswerJson, DiffJson, LostAnswerJson, QueryRowJson, SqlRowJson};
use crate::output::{Look, Output};
use crate::text::{Cell, Table, clean, date, now_ms, plural};

/// How a file begins; the number is that of the form.
const MAGIC: &[u8] = b"jhyde answer 1\n";

/// An answer may be so long, in bytes: it is held in memory.
const LONGEST: usize = 256 << 20;

/// What was asked.
#[derive(Clone, Debug)]
pub(super) enum Question {
    /// In SQL.
    Sql(SqlRequest),
    /// By name.
    Named(RunQueryRequest),
}

/// An answer that is being kept.
#[derive(Debug)]
pub(super) struct Keeping {
    path: PathBuf,
    force: bool,
    bytes: Vec<u8>,
}

impl Keeping {
    /// Refuses a name that is none or taken before anything is asked.
    pub(super) fn new(
        name: &str,
        folder: Option<&Path>,
        force: bool,
        question: &Question,
    ) -> Result<Self, Error> {
        let path = path(name, folder)?;
        if !force && path.exists() {
            return Err(Error::Failed(format!(
                "there is an answer {name} already: --force writes over it"
            )));
        }
        let mut bytes = MAGIC.to_vec();
        bytes.extend(now_ms().to_le_bytes());
        let mut keeping = Self { path, force, bytes };
        match question {
            Question::Sql(request) => {
                keeping.bytes.push(b'S');
                keeping.part(request)?;
            }
            Question::Named(request) => {
                keeping.bytes.push(b'Q');
                keeping.part(request)?;
            }
        }
        Ok(keeping)
    }

    /// One more part of the answer.
    pub(super) fn part(&mut self, part: &impl Message) -> Result<(), Error> {
        if self.bytes.len() + part.encoded_len() > LONGEST {
            return Err(Error::Failed(format!(
                "the answer is longer than {} MiB: ask for less to keep it",
                LONGEST >> 20
            )));
        }
        self.bytes.extend(part.encode_length_delimited_to_vec());
        Ok(())
    }

    /// It is whole.
    pub(super) fn keep(self) -> Result<(), Error> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).map_err(failed("create", folder))?;
        }
        write(&self.path, &self.bytes, self.force)
    }
}

/// An answer that was kept.
#[derive(Debug)]
struct Kept {
    asked_ms: u64,
    question: Question,
    answer: Answer,
}

#[derive(Debug)]
enum Answer {
    Sql(Vec<SqlAnswer>),
    Named(Vec<QueryAnswer>),
}

impl Kept {
    fn read(name: &str, folder: Option<&Path>) -> Result<Self, Error> {
        let path = path(name, folder)?;
        let bytes = match fs::read(&path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(not_kept(name, &path));
            }
            Err(source) => return Err(failed("read", &path)(source)),
        };
        let damaged = || {
            let path = path.display().to_string();
            Error::Failed(format!(
                "{} is damaged, or a newer jhyde wrote it: ask again with --save",
                clean(&path)
            ))
        };
        Self::understood(&bytes).ok_or_else(damaged)
    }

    fn understood(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(MAGIC)?;
        let (asked_ms, rest) = rest.split_first_chunk()?;
        let (kind, mut rest) = rest.split_first()?;
        let (question, answer) = match kind {
            b'S' => (
                Question::Sql(SqlRequest::decode_length_delimited(&mut rest).ok()?),
                Answer::Sql(parts(rest)?),
            ),
            b'Q' => (
                Question::Named(RunQueryRequest::decode_length_delimited(&mut rest).ok()?),
                Answer::Named(parts(rest)?),
            ),
            _ => return None,
        };
        let is_whole = match &answer {
            Answer::Sql(parts) => matches!(parts.last()?.part, Some(SqlPart::Footer(_))),
            Answer::Named(parts) => matches!(parts.last()?.part, Some(QueryPart::Footer(_))),
        };
        is_whole.then_some(Self {
            asked_ms: u64::from_le_bytes(*asked_ms),
            question,
            answer,
        })
    }

    /// What was asked, of what, in a line.
    fn told(&self) -> String {
        let values = |all: &HashMap<String, String>| {
            let mut all: Vec<_> = all
                .iter()
                .map(|(name, value)| format!("{name}={value}"))
                .collect();
            all.sort();
            match all.is_empty() {
                true => String::new(),
                false => format!(" ({})", all.join(", ")),
            }
        };
        match &self.question {
            Question::Sql(request) => {
                let lines = request
                    .statement
                    .lines()
                    .filter(|line| !line.trim_start().starts_with("--"));
                let words: Vec<_> = lines.flat_map(str::split_whitespace).collect();
                format!("{}{}", words.join(" "), values(&request.parameters))
            }
            Question::Named(request) => format!("{}{}", request.query, values(&request.parameters)),
        }
    }

    fn recordings(&self) -> Vec<String> {
        match &self.question {
            Question::Sql(request) => {
                let others = request.others.iter().map(|one| one.recording.clone());
                std::iter::once(request.recording.clone())
                    .chain(others)
                    .collect()
            }
            Question::Named(request) => vec![request.recording.clone()],
        }
    }

    /// How many rows there are, and what the answer does not tell.
    fn end(&self) -> (u64, &[String]) {
        let end = match &self.answer {
            Answer::Sql(parts) => match parts.last().and_then(|last| last.part.as_ref()) {
                Some(SqlPart::Footer(footer)) => Some((footer.rows, footer.notes.as_slice())),
                _ => None,
            },
            Answer::Named(parts) => match parts.last().and_then(|last| last.part.as_ref()) {
                Some(QueryPart::Footer(footer)) => Some((footer.rows, footer.notes.as_slice())),
                _ => None,
            },
        };
        end.unwrap_or_default()
    }

    /// Each row, as `--json` writes it.
    fn rows(&self) -> Result<Vec<String>, Error> {
        let mut rows = Vec::new();
        let mut push = |row: serde_json::Result<String>| {
            let failed = |error| Error::Failed(format!("a row cannot be written: {error}"));
            row.map_err(failed).map(|row| rows.push(row))
        };
        match &self.answer {
            Answer::Sql(parts) => {
                let mut columns: &[String] = &[];
                for part in parts {
                    match &part.part {
                        Some(SqlPart::Header(header)) => columns = &header.columns,
                        Some(SqlPart::Row(row)) => {
                            push(serde_json::to_string(&SqlRowJson { columns, row }))?;
                        }
                        _ => {}
                    }
                }
            }
            Answer::Named(parts) => {
                let mut columns: &[_] = &[];
                for part in parts {
                    match &part.part {
                        Some(QueryPart::Header(header)) => columns = &header.columns,
                        Some(QueryPart::Row(row)) => {
                            push(serde_json::to_string(&QueryRowJson { columns, row }))?;
                        }
                        _ => {}
                    }
                }
            }
        }
        Ok(rows)
    }
}

fn parts<M: Message + Default>(mut bytes: &[u8]) -> Option<Vec<M>> {
    let mut all = Vec::new();
    while !bytes.is_empty() {
        all.push(M::decode_length_delimited(&mut bytes).ok()?);
    }
    Some(all)
}

fn path(name: &str, folder: Option<&Path>) -> Result<PathBuf, Error> {
    if !is_name(name) {
        return Err(Error::Usage(format!(
            "'{}' is no name for an answer: write letters, digits, - and _, a letter first",
            clean(name)
        )));
    }
    Ok(folder_of(folder)?
        .join("answers")
        .join(format!("{name}.answer")))
}

fn not_kept(name: &str, path: &Path) -> Error {
    let folder = path.parent().unwrap_or(path).display().to_string();
    Error::Failed(format!(
        "no answer {name} is kept in {}: jhyde query answers tells which are",
        clean(&folder)
    ))
}

/// The answers that are kept.
pub(super) fn list(folder: Option<&Path>, out: &mut Output) -> Result<(), Error> {
    let place = folder_of(folder)?.join("answers");
    let names = names_in(&place, ".answer")?;
    let mut table = Table::new(&["ANSWER", "ASKED", "OF", "ROWS", "QUESTION"]);
    let mut lost = Vec::new();
    for name in &names {
        let kept = match Kept::read(name, folder) {
            Ok(kept) => kept,
            // The others are listed all the same.
            Err(error) => {
                lost.push((name, error.to_string()));
                continue;
            }
        };
        let (rows, _) = kept.end();
        if out.json {
            out.object(&AnswerJson {
                answer: name,
                asked_ms: kept.asked_ms,
                recordings: kept.recordings(),
                question: kept.told(),
                rows,
            })?;
            continue;
        }
        let short: String = kept.told().chars().take(60).collect();
        table.row(vec![
            Cell::with(Look::Strong, name.clone()),
            Cell::new(date(kept.asked_ms)),
            Cell::new(clean(&kept.recordings().join(" ")).into_owned()),
            Cell::number(rows.to_string()),
            Cell::new(clean(&short).into_owned()),
        ]);
    }
    if out.json {
        return lost.into_iter().try_for_each(|(answer, cannot_be_read)| {
            out.object(&LostAnswerJson {
                answer,
                cannot_be_read,
            })
        });
    }
    if names.is_empty() {
        let place = place.display().to_string();
        return out.line(format!("no answers are kept in {}", clean(&place)));
    }
    listed(table, names.len() - lost.len(), &lost, out)
}

/// Shows an answer again.
pub(super) async fn show(
    name: &str,
    folder: Option<&Path>,
    as_csv: bool,
    out: &mut Output,
) -> Result<(), Error> {
    let kept = Kept::read(name, folder)?;
    if !out.json && !as_csv {
        let told = format!(
            "{} of {}, asked on {}",
            kept.told(),
            kept.recordings().join(" and "),
            date(kept.asked_ms)
        );
        out.line(out.paint.text(Look::Faint, clean(&told)))?;
    }
    match kept.answer {
        Answer::Sql(parts) => {
            sql::tell(
                out,
                tokio_stream::iter(parts.into_iter().map(Ok)),
                sql::Form {
                    shape: match as_csv {
                        true => sql::Shape::Csv,
                        false => sql::Shape::Table,
                    },
                    limit: "--max-rows",
                },
                None,
            )
            .await
        }
        Answer::Named(_) if as_csv => Err(Error::Usage("--csv is for answers of SQL".to_owned())),
        Answer::Named(parts) => {
            query::tell(
                out,
                tokio_stream::iter(parts.into_iter().map(Ok)),
                u64::MAX,
                None,
            )
            .await
        }
    }
}

/// Forgets one.
pub(super) fn delete(name: &str, folder: Option<&Path>, out: &mut Output) -> Result<(), Error> {
    let path = path(name, folder)?;
    // What is in it need not be readable.
    match fs::remove_file(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Err(not_kept(name, &path)),
        removed => removed.map_err(failed("delete", &path))?,
    }
    out.line(format!("answer {name} is deleted"))
}

/// What two answers do not share: rows of the first alone, then those of the second alone, each as often as it is there more often.
pub(super) fn diff(
    left: &str,
    right: &str,
    folder: Option<&Path>,
    out: &mut Output,
) -> Result<(), Error> {
    let kept = [Kept::read(left, folder)?, Kept::read(right, folder)?];
    let (one, other) = (kept[0].rows()?, kept[1].rows()?);
    let mut more: HashMap<&str, i64> = HashMap::new();
    for row in &one {
        *more.entry(row).or_default() += 1;
    }
    for row in &other {
        *more.entry(row).or_default() -= 1;
    }
    let (mut only_left, mut only_right) = (0u64, 0u64);
    for (rows, sign, count) in [(&one, 1, &mut only_left), (&other, -1, &mut only_right)] {
        for row in rows {
            let Some(left) = more.get_mut(row.as_str()).filter(|left| **left * sign > 0) else {
                continue;
            };
            *left -= sign;
            *count += 1;
            match (out.json, sign) {
                (true, sign) => out.line(format!(
                    "{{\"only\":\"{}\",\"row\":{row}}}",
                    if sign > 0 { "left" } else { "right" }
                ))?,
                (false, 1) => out.line(out.paint.text(Look::Bad, format!("- {}", clean(row))))?,
                (false, _) => out.line(out.paint.text(Look::Good, format!("+ {}", clean(row))))?,
            }
        }
    }
    let shared = one.len() as u64 - only_left;
    // What one of them does not tell may be what the other one has more.
    let notes = [left, right]
        .into_iter()
        .zip(&kept)
        .flat_map(|(name, kept)| {
            let (_, notes) = kept.end();
            notes.iter().map(move |note| format!("{name}: {note}"))
        });
    let notes: Vec<String> = notes.collect();
    if out.json {
        return out.object(&DiffJson {
            shared,
            left: only_left,
            right: only_right,
            notes,
        });
    }
    for note in notes {
        out.line(out.paint.text(Look::Hint, format!("! {}", clean(&note))))?;
    }
    let told = match (only_left, only_right) {
        (0, 0) => format!("the same {}", plural(shared, "row")),
        _ => format!("{shared} shared, {only_left} in {left} alone, {only_right} in {right} alone"),
    };
    out.line(out.paint.text(Look::Faint, told))
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::{SqlFooter, SqlHeader};

    use super::*;

    #[test]
    fn what_is_cut_or_changed_is_no_answer() {
        let question = Question::Sql(SqlRequest {
            recording: "r".to_owned(),
            statement: "SELECT  1".to_owned(),
            ..SqlRequest::default()
        });
        let mut keeping = Keeping::new("x", Some(Path::new("/nowhere")), false, &question).unwrap();
        let header = SqlHeader {
            columns: vec!["a".to_owned()],
            ..SqlHeader::default()
        };
        keeping
            .part(&SqlAnswer {
                part: Some(SqlPart::Header(header)),
            })
            .unwrap();
        let footer = SqlFooter {
            rows: 0,
            ..SqlFooter::default()
        };
        keeping
            .part(&SqlAnswer {
                part: Some(SqlPart::Footer(footer)),
            })
            .unwrap();
        let whole = Kept::understood(&keeping.bytes).expect("it is whole");
        assert_eq!(
            (whole.told(), whole.recordings()),
            ("SELECT 1".to_owned(), vec!["r".to_owned()])
        );
        for length in 0..keeping.bytes.len() {
            assert!(
                Kept::understood(&keeping.bytes[..length]).is_none(),
                "cut at {length}"
            );
        }
        assert!(Kept::understood(b"jhyde answer 2\nxxxxxxxxS").is_none());
    }
}

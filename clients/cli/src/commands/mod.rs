//! The commands: each asks, and writes the answer for people or programs.

pub(crate) mod answers;
pub mod call;
pub mod compare;
pub mod coverage;
pub mod daemon;
pub mod events;
pub mod files;
pub mod gaps;
pub mod history;
pub mod junit;
pub mod jvms;
pub mod launch;
pub mod lines;
pub mod locate;
pub mod memory;
pub(crate) mod numbered;
pub mod overview;
pub mod query;
pub mod recordings;
pub mod saved;
pub mod sessions;
pub mod sources;
pub mod sql;
pub mod state;
pub mod step;
mod telling;
pub mod tree;
pub mod web;
pub mod where_;
pub mod why;

use jhyde_proto::v1::GetCallRequest;

use crate::args::{EventName, PageArgs, SourceArgs};
use crate::client::Client;
use crate::error::Error;
use crate::json::NextPage;
use crate::output::{Look, Output};
use crate::source::Sources;
use crate::text::{Listing, listing_lines};

/// Rows that people get unless they ask for more.
pub(crate) const ROWS_FOR_PEOPLE: u32 = 200;
/// Rows of a page when all are wanted.
const ROWS_FOR_ALL: u32 = 1000;

/// What every command works with.
#[derive(Debug)]
pub struct Context {
    /// The daemon.
    pub client: Client,
    /// The reader.
    pub out: Output,
    /// The source that a whole debugging session shows.
    pub source: SourceArgs,
}

impl Context {
    /// The source of a recording's classes, as a command wants it.
    pub(crate) fn sources(&self, recording: &str, args: &SourceArgs) -> Sources {
        Sources::new(&self.client, recording, args, &self.source)
    }
}

/// Lines of source, if there are any.
pub(crate) fn listing(listing: Option<&Listing>, out: &mut Output) -> Result<(), Error> {
    let Some(listing) = listing else {
        return Ok(());
    };
    let room = out.width.map(|width| width.saturating_sub(2));
    listing_lines(listing, room, out.paint)
        .into_iter()
        .try_for_each(|line| out.line(format!("  {line}")))
}

/// How a list that pages is gone through.
#[derive(Clone, Debug)]
pub(crate) struct Paging {
    /// The next page to ask for.
    pub(crate) token: String,
    size: u32,
    /// All pages, or one.
    all: bool,
    /// Somebody said how many rows.
    chosen: bool,
}

impl Paging {
    pub(crate) fn new(args: &PageArgs, json: bool) -> Self {
        let one_page = args.limit.is_some() || args.page.is_some();
        let all = args.all || (json && !one_page);
        let size = if all {
            ROWS_FOR_ALL
        } else {
            args.limit.unwrap_or(ROWS_FOR_PEOPLE)
        };
        Self {
            token: args.page.clone().unwrap_or_default(),
            size,
            all,
            chosen: args.limit.is_some(),
        }
    }

    pub(crate) fn size(&self) -> u32 {
        self.size
    }

    /// Everything is wanted.
    pub(crate) fn is_all(&self) -> bool {
        self.all
    }

    /// Takes the next page's token; false when that was the last page to show.
    pub(crate) fn next(&mut self, token: String) -> bool {
        self.token = token;
        self.all && !self.token.is_empty()
    }

    /// Is there more to show to somebody who did not say how much, where so many lines stand for all the rows so
    /// far? Rows that are folded are not seen.
    pub(crate) fn fills_up(&self, lines: u64, json: bool) -> bool {
        !json && !self.all && !self.chosen && !self.token.is_empty() && lines < self.size.into()
    }

    /// Says how to go on, if there is more.
    pub(crate) fn tell(&self, shown: &str, out: &mut Output) -> Result<(), Error> {
        if self.token.is_empty() {
            return Ok(());
        }
        if out.json {
            return out.object(&NextPage {
                next_page: &self.token,
            });
        }
        let text = format!(
            "… {shown}, and there is more: --page {} goes on, --all shows all",
            self.token
        );
        let text = out.paint.text(Look::Hint, text);
        out.line(text)
    }
}

/// Notes of a list in JSON, behind its rows.
#[derive(serde::Serialize)]
struct NotesJson<'a> {
    notes: &'a [String],
}

/// What the notes of a list's pages say, each once, behind its rows: which rows are missing, and what else the
/// recording does not tell.
#[derive(Debug, Default)]
pub(crate) struct Notes(Vec<String>);

impl Notes {
    /// Takes those of a page; empty ones say nothing.
    pub(crate) fn add(&mut self, notes: impl IntoIterator<Item = String>) {
        for note in notes {
            if !note.is_empty() && !self.0.contains(&note) {
                self.0.push(note);
            }
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Says them, if there are any.
    pub(crate) fn tell(&self, out: &mut Output) -> Result<(), Error> {
        match self.0.as_slice() {
            [] => Ok(()),
            told if out.json => out.object(&NotesJson { notes: told }),
            told => notes(told, out),
        }
    }
}

impl From<Notes> for Vec<String> {
    fn from(notes: Notes) -> Self {
        notes.0
    }
}

/// What answers that touch the end of a recording have to say, for those that carry no notes. Empty where there is
/// nothing to say, or nobody who says it.
pub(crate) async fn end_note(client: &Client, recording: &str) -> String {
    let request = recordings::named(recording);
    let recording = client.recordings.clone().get(request).await;
    recording.map_or_else(
        |_| String::new(),
        |recording| recording.into_inner().end_note,
    )
}

/// Notes of an answer: what the recording does not tell.
pub(crate) fn notes(notes: &[String], out: &mut Output) -> Result<(), Error> {
    for note in notes {
        let text = out.paint.text(
            Look::ChangedBelow,
            format!("! {}", crate::text::clean(note)),
        );
        out.line(text)?;
    }
    Ok(())
}

/// The written form of a call that the daemon understands: people copy `merge #3` from the screen.
pub fn call_argument(text: &str) -> String {
    let mut parts = text.trim().rsplitn(2, '#');
    match (parts.next(), parts.next()) {
        (Some(number), Some(name)) => format!("{}#{}", name.trim_end(), number.trim()),
        _ => text.trim().trim_matches(['[', ']']).to_owned(),
    }
}

/// The same for a variable.
pub fn variable_argument(text: &str) -> String {
    text.trim().replace(" #", "#")
}

/// The number of an event that is named, if one is.
async fn timestamp(
    context: &mut Context,
    recording: &str,
    event: Option<&EventName>,
) -> Result<Option<u64>, Error> {
    let call = match event {
        None => return Ok(None),
        Some(EventName::Number(number)) => return Ok(Some(*number)),
        Some(EventName::Call(call)) => call_argument(call),
    };
    let request = GetCallRequest {
        recording: recording.to_owned(),
        call,
        ..GetCallRequest::default()
    };
    let call = context.client.history.get_call(request).await?;
    Ok(Some(call.into_inner().enter))
}

/// A stream that ended without its last part.
fn broke_off() -> Error {
    Error::Usage("the answer broke off: it is not whole".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output::Paint;

    #[test]
    fn calls_may_be_copied_from_the_screen() {
        assert_eq!(call_argument("merge #3"), "merge#3");
        assert_eq!(call_argument(" MergeSort.merge#3 "), "MergeSort.merge#3");
        assert_eq!(call_argument("[1.7]"), "1.7");
        assert_eq!(call_argument("1.7"), "1.7");
        assert_eq!(variable_argument("merge #3:i"), "merge#3:i");
    }

    #[test]
    fn notes_are_told_once() {
        let mut told = Notes::default();
        told.add(["a block is damaged".to_owned(), String::new()]);
        told.add(["it was cut".to_owned(), "a block is damaged".to_owned()]);
        assert_eq!(told.0, ["a block is damaged", "it was cut"]);
        assert!(!told.is_empty() && Notes::default().is_empty());
    }

    #[test]
    fn people_get_a_page_and_programs_all() {
        let none = PageArgs::default();
        assert!(!Paging::new(&none, false).is_all());
        assert!(Paging::new(&none, true).is_all());
        let limited = PageArgs {
            limit: Some(5),
            ..none.clone()
        };
        let mut paging = Paging::new(&limited, true);
        assert_eq!((paging.is_all(), paging.size()), (false, 5));
        assert!(!paging.next("more".into()), "one page was asked for");
        let mut all = Paging::new(&PageArgs { all: true, ..none }, false);
        assert!(all.next("more".into()));
        assert!(!all.next(String::new()));
        let mut out = Output::to(std::io::sink(), Paint::new(false), true);
        paging.tell("5 calls", &mut out).unwrap();
    }
}

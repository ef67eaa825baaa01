//! `sessions` and `answers`: what people said about calls.

use jhyde_trace::Level;

use super::structure::from_memory;
use crate::error::Result;
use crate::sql::datum::Datum;
use crate::sql::judged::{JudgedCall, JudgedSession};
use crate::sql::table::{Column, Row, Table};
use crate::sql::world::World;

/// A session, and the how manieth it is.
pub(super) struct Listed {
    number: u64,
    session: JudgedSession,
}

impl Row for Listed {
    fn number(&self) -> u64 {
        self.number
    }
}

/// An answer of a session.
pub(super) struct Said {
    number: u64,
    session: String,
    position: u64,
    said: JudgedCall,
}

impl Row for Said {
    fn number(&self) -> u64 {
        self.number
    }
}

fn all(world: &World) -> Result<Vec<JudgedSession>> {
    let Some(judgements) = &world.judgements else {
        return Ok(Vec::new());
    };
    let (sessions, notes) = judgements.sessions()?;
    for note in notes {
        world.note(note);
    }
    Ok(sessions)
}

/// `sessions`.
pub(super) fn sessions() -> Table<Listed> {
    Table {
        name: "sessions",
        doc: "The debugging sessions of the recording, as they stand when the statement asks.",
        level: Level::Calls,
        columns: vec![
            Column::<Listed>::text("id", "the session", |_, row: &Listed| {
                Ok(Datum::text(&row.session.id))
            }),
            Column::<Listed>::int(
                "created_ms",
                "when it began, in milliseconds since 1970-01-01 UTC",
                |_, row| Ok(Datum::count(row.session.created_ms)),
            ),
            Column::<Listed>::text("strategy", "how its questions are chosen", |_, row| {
                Ok(Datum::text(row.session.strategy))
            }),
            Column::<Listed>::text(
                "restriction",
                "the call whose subtree is searched: `calls.id`; null where all is",
                |_, row| {
                    Ok(Datum::or_null(row.session.restriction, |call| {
                        Datum::Text(call.to_string())
                    }))
                },
            ),
            Column::<Listed>::int("answers", "how many answers are in force", |_, row| {
                Ok(Datum::count(row.session.answers.len() as u64))
            }),
        ],
        accesses: from_memory(|world, _| {
            let rows = all(world)?.into_iter().zip(0..);
            let rows = rows.map(|(session, number)| Ok(Listed { number, session }));
            Ok(Box::new(rows))
        }),
    }
}

/// `answers`.
pub(super) fn answers() -> Table<Said> {
    Table {
        name: "answers",
        doc: "What was said about calls in those sessions, and is in force: what was undone is not among it. Of a call that was answered again the last one counts.",
        level: Level::Calls,
        columns: vec![
            Column::<Said>::text("session", "the session: `sessions.id`", |_, row: &Said| {
                Ok(Datum::text(&row.session))
            }),
            Column::<Said>::int(
                "position",
                "its place among the answers of the session, from 0: first those that were given, then those that were known",
                |_, row| Ok(Datum::count(row.position)),
            ),
            Column::<Said>::text("call", "the call: `calls.id`", |_, row| {
                Ok(Datum::Text(row.said.call.to_string()))
            }),
            Column::<Said>::text(
                "answer",
                "valid, invalid, trusted, unknown or inadmissible; about one value: right or open",
                |_, row| Ok(Datum::text(row.said.answer)),
            ),
            Column::<Said>::text(
                "value",
                "the one value that it was about, in its written form; null for an answer about the call",
                |_, row| Ok(Datum::or_null(row.said.value.as_ref(), Datum::text)),
            ),
            Column::<Said>::text(
                "wrong",
                "what somebody pointed at, in written forms, with commas; null where nobody did",
                |_, row| {
                    let wrong = (!row.said.wrong.is_empty()).then(|| row.said.wrong.join(", "));
                    Ok(Datum::or_null(wrong, Datum::Text))
                },
            ),
            Column::<Said>::text(
                "known_from",
                "from where it is known; null where somebody was asked",
                |_, row| Ok(Datum::or_null(row.said.known_from.as_ref(), Datum::text)),
            ),
        ],
        accesses: from_memory(|world, _| {
            let mut numbers = 0..;
            let rows = all(world)?.into_iter().flat_map(move |session| {
                let id = session.id;
                let answers = session.answers.into_iter().zip(0..).zip(&mut numbers);
                let rows = answers.map(|((said, position), number)| {
                    Ok(Said {
                        number,
                        session: id.clone(),
                        position,
                        said,
                    })
                });
                rows.collect::<Vec<_>>()
            });
            Ok(Box::new(rows))
        }),
    }
}

//! The recordings that the statement itself asks.

use jhyde_trace::{Level, State};

use crate::sql::asked::Seen;
use crate::sql::datum::Datum;
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Column, Row, Table};

/// One of them.
pub(super) struct Listed {
    number: u64,
    seen: Seen,
}

impl Row for Listed {
    fn number(&self) -> u64 {
        self.number
    }
}

/// `recordings`.
pub(super) fn recordings() -> Table<Listed> {
    let jvm = |of: fn(&jhyde_trace::JvmIdentity) -> String| {
        move |_: &crate::sql::world::World, row: &Listed| {
            Ok(Datum::or_null(row.seen.meta.jvm.as_ref(), |jvm| {
                Datum::Text(of(jvm))
            }))
        }
    };
    Table {
        name: "recordings",
        doc: "The recordings that the statement asks, in the order in which they are named.",
        level: Level::Calls,
        columns: vec![
            Column::<Listed>::text(
                "schema",
                "what its tables are called by: `schema.calls`",
                |_, row: &Listed| Ok(Datum::text(&row.seen.schema)),
            ),
            Column::<Listed>::text("id", "the recording's id", |_, row| {
                Ok(Datum::text(&row.seen.meta.id))
            }),
            Column::<Listed>::text("name", "its name", |_, row| {
                Ok(Datum::text(&row.seen.meta.name))
            }),
            Column::<Listed>::text(
                "state",
                "waiting, running, complete, detached, stopped, connection-lost, cut or failed",
                |_, row| Ok(Datum::text(row.seen.meta.state.word())),
            ),
            Column::<Listed>::int(
                "exit_code",
                "with what the program ended; null where that is not known",
                |_, row| {
                    let code = match row.seen.meta.state {
                        State::Complete { exit_code } => exit_code,
                        _ => None,
                    };
                    Ok(Datum::or_null(code, |code| Datum::Int(code.into())))
                },
            ),
            Column::<Listed>::text("level", "the level that was asked for", |_, row| {
                Ok(Datum::Text(row.seen.meta.options.level.to_string()))
            }),
            Column::<Listed>::text("engine", "what recorded it: events or probe", |_, row| {
                Ok(Datum::Text(row.seen.meta.options.engine.to_string()))
            }),
            Column::<Listed>::int(
                "events",
                "how many of its events the statement sees",
                |_, row| Ok(Datum::count(row.seen.until.0)),
            ),
            Column::<Listed>::int("bytes", "its bytes on disk", |_, row| {
                Ok(Datum::count(row.seen.recording.bytes_on_disk()))
            }),
            Column::<Listed>::int(
                "created_ms",
                "when it began, in milliseconds since 1970-01-01 UTC",
                |_, row| Ok(Datum::count(row.seen.meta.created_ms)),
            ),
            Column::<Listed>::int("ended_ms", "when it ended; null while it runs", |_, row| {
                Ok(Datum::or_null(row.seen.meta.ended_ms, Datum::count))
            }),
            Column::<Listed>::text(
                "jvm",
                "the JVM and its version; null before it has said them",
                jvm(|jvm| format!("{} {}", jvm.name, jvm.version)),
            ),
            Column::<Listed>::text(
                "command",
                "how jhyde started the program; null where it did not",
                |_, row| {
                    let command = row.seen.meta.jvm.as_ref().map(|jvm| jvm.command.join(" "));
                    let command = command.filter(|command| !command.is_empty());
                    Ok(Datum::or_null(command, Datum::Text))
                },
            ),
        ],
        accesses: vec![Access {
            by: "all, from memory",
            equal: &[],
            range: None,
            order: None,
            backward: false,
            cost: 8.0,
            reads: Reads::Nothing,
            find: |world, _| {
                let all = world.all.iter().cloned().zip(0..);
                let rows: Vec<_> = all
                    .map(|(seen, number)| Ok(Listed { number, seen }))
                    .collect();
                Ok(Box::new(rows.into_iter()))
            },
        }],
    }
}

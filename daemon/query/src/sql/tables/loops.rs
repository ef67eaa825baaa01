//! The loops of a call, as its event list has them.

use std::sync::Arc;

use jhyde_history::events::{EventList, EventRowKind, Inside, LoopView};
use jhyde_trace::{CallId, Level};

use crate::error::Result;
use crate::sql::datum::Datum;
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Column, Row, Table, none};
use crate::sql::world::{RowsOf, World};

/// So many rows of the list are read at once.
const PAGE: u32 = 1000;

/// One time that a loop was run.
pub(super) struct Looped {
    number: u64,
    /// How many rows are around it in the list: loops, and their iterations.
    level: u32,
    seen: LoopView,
}

impl Row for Looped {
    fn number(&self) -> u64 {
        self.number
    }
}

impl Looped {
    fn header(&self) -> u32 {
        let (Inside::Loop { header, .. } | Inside::Iteration { header, .. }) = self.seen.row;
        header
    }

    /// Had it ended by the end of what is seen?
    fn has_ended(&self, world: &World) -> bool {
        !self.seen.running && self.seen.to < world.span.until
    }
}

/// `loops(CALL)`.
pub(super) fn loops() -> Table<Looped> {
    let columns = vec![
        Column::<Looped>::int("position", "its place, from 0", |_, row: &Looped| {
            Ok(Datum::count(row.number))
        }),
        Column::<Looped>::text(
            "row",
            "its written form, as `jhyde events --inside` takes it",
            |_, row| Ok(Datum::text(row.seen.row.to_string())),
        ),
        Column::<Looped>::int(
            "depth",
            "how many loops of the call are around it",
            |_, row| Ok(Datum::Int((row.level / 2).into())),
        ),
        Column::<Looped>::int(
            "line",
            "the line of its header; null where that is not known",
            |_, row| {
                let line = row.seen.place.as_ref().and_then(|place| place.line);
                Ok(Datum::or_null(line, |line| Datum::Int(line.into())))
            },
        ),
        Column::<Looped>::int("bytecode_index", "where its header begins", |_, row| {
            Ok(Datum::Int(row.header().into()))
        }),
        Column::<Looped>::int(
            "iterations",
            "how often its body ran; null while control is in it",
            |world, row| {
                let ended = row.has_ended(world).then_some(row.seen.iterations);
                Ok(Datum::or_null(ended, Datum::count))
            },
        ),
        Column::<Looped>::int("enter", "its first event", |_, row| {
            Ok(Datum::count(row.seen.from.0))
        }),
        Column::<Looped>::int(
            "exit",
            "its last event, or the end of the last call in it; null while control is in it",
            |world, row| {
                let ended = row.has_ended(world).then_some(row.seen.to);
                Ok(Datum::or_null(ended, |at| Datum::count(at.0)))
            },
        ),
        Column::argument("of_call", "a call: `calls.id`"),
    ];
    Table {
        name: "loops",
        doc: "The loops that a call ran, each time a row, those in others behind these. The call's own events are gone through for it.",
        level: Level::Full,
        columns,
        accesses: vec![Access {
            by: "the events of the call",
            equal: &["of_call"],
            range: None,
            order: None,
            backward: false,
            cost: 2000.0,
            reads: Reads::Led(|world, bounds| {
                Ok(bounds.leads_always(world, bounds.of_call("of_call", world)?))
            }),
            find: |world, bounds| {
                Ok(match bounds.call("of_call", world)? {
                    Some(call) => of_call(world, call),
                    None => none(),
                })
            },
        }],
    }
}

fn of_call(world: &Arc<World>, call: CallId) -> RowsOf<Looped> {
    let world = Arc::clone(world);
    let list = EventList {
        to: Some(world.span.until),
        unfold: u32::MAX,
        ..EventList::of(call)
    };
    let mut next = Some(String::new());
    let mut numbers = 0..;
    let pages = std::iter::from_fn(move || {
        let token = next.take()?;
        let page = match world.history.events(&list, PAGE, &token) {
            Ok(page) => page,
            Err(error) => return Some(vec![Err(error.into())]),
        };
        for note in page.notes {
            world.note(note);
        }
        next = page.page.next;
        let loops = page.page.rows.into_iter().filter_map(|row| match row.kind {
            EventRowKind::Loop(seen) => Some(Ok(Looped {
                number: numbers.next()?,
                level: row.level,
                seen,
            })),
            EventRowKind::Event(_) | EventRowKind::Iteration(_) => None,
        });
        Some(loops.collect::<Vec<Result<_>>>())
    });
    Box::new(pages.flatten())
}

//! `divergences(PASSING, FAILING)`: where two runs first differ, thread by thread.

use std::sync::Arc;

use jhyde_trace::Level;

use crate::compare::fit::Unfit;
use crate::compare::rules::Rules;
use crate::compare::{self, Aspect, Difference, Pair, Part, Spot, Which, fit};
use crate::error::Result;
use crate::sql::SqlError;
use crate::sql::datum::Datum;
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Column, Row, Table};
use crate::sql::world::World;

/// The first difference of its aspect in two threads.
pub(super) struct Diverged {
    number: u64,
    threads: Pair,
    aspect: Aspect,
    difference: Difference,
    lines: [Option<u32>; 2],
}

impl Row for Diverged {
    fn number(&self) -> u64 {
        self.number
    }
}

impl Diverged {
    fn spot(&self, side: usize) -> Option<Spot> {
        self.difference.spots.get(side).copied().flatten()
    }
}

/// Columns of a side.
fn side_columns(side: usize, name: &str, whose: &str) -> Vec<Column<Diverged>> {
    vec![
        Column::<Diverged>::int(
            &format!("{name}_thread"),
            &format!("the thread of the {whose} run: `threads.id`"),
            move |_, row: &Diverged| {
                let thread = row.threads.threads.get(side);
                Ok(Datum::or_null(thread, |thread| Datum::Int(thread.0.into())))
            },
        ),
        Column::<Diverged>::int(
            &format!("{name}_event"),
            "the event there; null where its thread had ended",
            move |_, row| {
                Ok(Datum::or_null(row.spot(side), |spot| {
                    Datum::count(spot.at.0)
                }))
            },
        ),
        Column::<Diverged>::text(
            &format!("{name}_call"),
            "the call that did it: `calls.id`; null outside of all calls",
            move |_, row| {
                let call = row.spot(side).map(|spot| spot.call);
                let call = call.filter(|call| !call.is_root());
                Ok(Datum::or_null(call, |call| Datum::Text(call.to_string())))
            },
        ),
        Column::<Diverged>::int(
            &format!("{name}_line"),
            "the line; null where that is not known",
            move |_, row| {
                let line = row.lines.get(side).copied().flatten();
                Ok(Datum::or_null(line, |line| Datum::Int(line.into())))
            },
        ),
    ]
}

/// `divergences(PASSING, FAILING)`.
pub(super) fn divergences() -> Table<Diverged> {
    let mut columns = vec![
        Column::<Diverged>::text(
            "thread",
            "the name of the two threads",
            |_, row: &Diverged| Ok(Datum::text(&row.threads.name)),
        ),
        Column::<Diverged>::text(
            "aspect",
            "control: another branch, call or exception; value: another argument, write, result or object",
            |_, row| {
                Ok(Datum::text(match row.aspect {
                    Aspect::Control => "control",
                    Aspect::Value => "value",
                }))
            },
        ),
        Column::<Diverged>::text(
            "effect",
            "branch, call, exception, argument, write, result or object",
            |_, row| Ok(Datum::text(row.difference.effect.name())),
        ),
        Column::<Diverged>::text("what", "which part of it: `argument 2`, say", |_, row| {
            Ok(Datum::text(&row.difference.what))
        }),
        Column::<Diverged>::text(
            "only",
            "left or right: it was done on that side alone, and the other one shows what came there instead; else null",
            |_, row| {
                Ok(Datum::or_null(row.difference.only, |side| {
                    Datum::text(match side {
                        Which::Left => "left",
                        Which::Right => "right",
                    })
                }))
            },
        ),
    ];
    columns.extend(side_columns(0, "left", "passing"));
    columns.extend(side_columns(1, "right", "failing"));
    columns.push(Column::argument(
        "of_passing",
        "what the tables of the passing run's recording go by: `recordings.schema`",
    ));
    columns.push(Column::argument(
        "of_failing",
        "the same of the failing run",
    ));
    Table {
        name: "divergences",
        doc: "Where two of the recordings that the statement asks first differ: of each pair of threads a row for control and one for value, if they do. By the rules that `jhyde compare` has by \
              itself. What passages do not prove equal is read side by side for it.",
        level: Level::Calls,
        columns,
        accesses: vec![Access {
            by: "both histories, side by side",
            equal: &["of_passing", "of_failing"],
            range: None,
            order: None,
            backward: false,
            cost: 1e7,
            reads: Reads::Unknown,
            find: |world, bounds| {
                let passing = bounds.text("of_passing").unwrap_or_default();
                let failing = bounds.text("of_failing").unwrap_or_default();
                let rows = first(world, [passing, failing])?;
                Ok(Box::new(rows.into_iter().map(Ok)))
            },
        }],
    }
}

fn first(world: &Arc<World>, schemas: [&str; 2]) -> Result<Vec<Diverged>> {
    let find = |schema: &str| {
        let known = world.all.iter().position(|seen| seen.schema == schema);
        let history = known.and_then(|at| world.peers.get(at));
        history.ok_or_else(|| {
            let names: Vec<_> = world.all.iter().map(|seen| seen.schema.as_str()).collect();
            let schema = jhyde_trace::echo::shown(schema);
            let reason = format!(
                "divergences wants the names by which the tables of two recordings go here, and '{schema}' is none of them: {}",
                names.join(", ")
            );
            SqlError::Wrong { reason }
        })
    };
    let histories = [find(schemas[0])?, find(schemas[1])?];
    fit::fit(histories).map_err(|(_, error)| error)?;
    for (schema, history) in schemas.into_iter().zip(histories) {
        // It has ended since the statement began, and would be seen further than the statement says.
        let seen = world.all.iter().find(|seen| seen.schema == schema);
        if let Some(seen) = seen.filter(|seen| seen.until != history.recording().end()) {
            let name = seen.meta.name.clone();
            return Err(Unfit::Running { name }.into());
        }
    }
    let mut rows: Vec<Diverged> = Vec::new();
    let mut threads = None;
    let [left, right] = histories.map(Clone::clone);
    let summary = compare::compare(left, right, Rules::defaults(), 0, &mut |part| {
        match part {
            Part::Threads(pair) => threads = Some(pair),
            Part::Divergence(aspect, difference) => {
                if let Some(threads) = &threads {
                    let mut lines = [None; 2];
                    for ((line, history), spot) in
                        lines.iter_mut().zip(histories).zip(difference.spots)
                    {
                        if let Some(spot) = spot {
                            let event = spot.event(history)?;
                            *line = event.done_at().and_then(|place| place.line);
                        }
                    }
                    rows.push(Diverged {
                        number: rows.len() as u64,
                        threads: threads.clone(),
                        aspect,
                        difference,
                        lines,
                    });
                }
            }
            _ => {}
        }
        Ok(())
    })?;
    for note in summary.notes {
        world.note(note);
    }
    for (names, side) in summary.unpaired.iter().zip(schemas) {
        if !names.is_empty() {
            world.note(format!(
                "threads of {side} that the other one does not have: {}",
                names.join(", ")
            ));
        }
    }
    Ok(rows)
}

//! How statements would be answered: `--explain`. None of them does its work, and nothing of the recording's blocks is read.

use rusqlite::Connection;

use super::datum::Datum;
use super::extent::Extent;
use super::place::Place;
use super::run::{Answered, Ended, Taker};
use super::script::{Expanded, Idle};
use super::table::Type;
use super::told::Failure;
use crate::error::Result;

/// What is said of the blocks that a plan tells.
const BLOCKS: &str = "blocks: so many blocks of events, of all, are looked into at most to find a table's rows, each time it is gone through; nothing stands where only the \
     rows of another table, or what is read, tell. Cells can need others: how a call ended, the method of an event";

/// The plan of a statement.
#[derive(Debug)]
pub(super) struct Plan {
    /// Where the statement begins.
    place: Option<Place>,
    lines: Vec<Line>,
}

/// A line of a plan: how deep it is in others, what it says, and what it reads.
#[derive(Debug)]
struct Line {
    depth: usize,
    text: String,
    extent: Option<Extent>,
}

impl Plan {
    /// The plan of a statement, if it has one. Of what it makes so much is made as those behind it need for theirs: temporary tables
    /// stay empty.
    pub(super) fn of(
        connection: &Connection,
        text: &str,
        of: &Expanded,
    ) -> Result<Option<Self>, Failure> {
        let idle = Idle::of(text);
        let plan = match idle.explained {
            Some(select) => Some(Self {
                place: of.begin().map(Place::In),
                lines: lines(connection, select)?,
            }),
            None => None,
        };
        if let Some(made) = idle.made {
            connection.execute_batch(&made)?;
        }
        Ok(plan)
    }
}

fn lines(connection: &Connection, text: &str) -> rusqlite::Result<Vec<Line>> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
    let mut rows = statement.raw_query();
    let mut above: Vec<i64> = Vec::new();
    let mut lines = Vec::new();
    while let Some(row) = rows.next()? {
        let (id, parent): (i64, i64) = (row.get(0)?, row.get(1)?);
        while above.last().is_some_and(|last| *last != parent) {
            above.pop();
        }
        let depth = above.len();
        above.push(id);
        let line: String = row.get(3)?;
        let (line, extent) = Extent::split(&line);
        // `SCAN calls VIRTUAL TABLE INDEX 4:the call: id=?`
        let text = match line.split_once(" VIRTUAL TABLE INDEX ") {
            Some((table, index)) => {
                let index = index.split_once(':').map_or(index, |(_, index)| index);
                format!("{}: {index}", table.replace("SCAN ", "READ "))
            }
            None => line.to_owned(),
        };
        lines.push(Line {
            depth,
            text,
            extent,
        });
    }
    Ok(lines)
}

/// Tells plans. Where there are several, each stands below a line that tells where its statement begins.
pub(super) fn tell(plans: &[Plan], taker: &mut dyn Taker, ended: &mut Ended) -> Result<()> {
    let column = |name, declared| Answered {
        name,
        declared: Some(declared),
    };
    taker.columns(&[
        column("plan", Type::Text),
        column("blocks", Type::Int),
        column("of", Type::Int),
    ])?;
    let mut row = |depth: usize, text: &str, extent: Option<Extent>| {
        let count = |blocks: Option<u64>| blocks.map_or(Datum::Null, Datum::count);
        ended.rows += 1;
        taker.row(vec![
            Datum::Text(format!("{}{text}", "  ".repeat(depth))),
            count(extent.and_then(|extent| extent.blocks)),
            count(extent.map(|extent| extent.of)),
        ])
    };
    let mut reads_blocks = false;
    for plan in plans {
        let head = plan.place.filter(|_| plans.len() > 1);
        if let Some(place) = head {
            row(0, &format!("{place}:"), None)?;
        }
        for line in &plan.lines {
            row(
                line.depth + usize::from(head.is_some()),
                &line.text,
                line.extent,
            )?;
            reads_blocks |= line.extent.is_some_and(|extent| extent.blocks != Some(0));
        }
    }
    if reads_blocks {
        ended.notes.push(BLOCKS.to_owned());
    }
    Ok(())
}

//! How a statement would be answered: `--explain`.

use rusqlite::Connection;

use super::datum::Datum;
use super::extent::Extent;
use super::run::{Answered, Ended, SqliteOrOurs, Taker};
use super::table::Type;

/// What is said of the blocks that a plan tells.
const BLOCKS: &str = "blocks: so many blocks of events, of all, are looked into at most to find a table's rows, each time it is gone through; nothing stands where only the \
     rows of another table, or what is read, tell. Cells can need others: how a call ended, the method of an event";

/// Tells the plan of a statement.
pub(super) fn plan(
    connection: &Connection,
    text: &str,
    taker: &mut dyn Taker,
    ended: &mut Ended,
) -> Result<(), SqliteOrOurs> {
    let mut statement = connection.prepare(&format!("EXPLAIN QUERY PLAN {text}"))?;
    let mut rows = statement.raw_query();
    let mut depths: Vec<i64> = Vec::new();
    let column = |name, declared| Answered {
        name,
        declared: Some(declared),
    };
    taker.columns(&[
        column("plan", Type::Text),
        column("blocks", Type::Int),
        column("of", Type::Int),
    ])?;
    let mut reads_blocks = false;
    while let Some(row) = rows.next()? {
        let (id, parent): (i64, i64) = (row.get(0)?, row.get(1)?);
        while depths.last().is_some_and(|last| *last != parent) {
            depths.pop();
        }
        let indent = "  ".repeat(depths.len());
        depths.push(id);
        let line: String = row.get(3)?;
        let (line, extent) = Extent::split(&line);
        reads_blocks |= extent.is_some_and(|extent| extent.blocks != Some(0));
        // `SCAN calls VIRTUAL TABLE INDEX 4:the call: id=?`
        let line = match line.split_once(" VIRTUAL TABLE INDEX ") {
            Some((table, index)) => {
                let index = index.split_once(':').map_or(index, |(_, index)| index);
                format!("{}: {index}", table.replace("SCAN ", "READ "))
            }
            None => line.to_owned(),
        };
        let count = |blocks: Option<u64>| blocks.map_or(Datum::Null, Datum::count);
        taker.row(vec![
            Datum::Text(format!("{indent}{line}")),
            count(extent.and_then(|extent| extent.blocks)),
            count(extent.map(|extent| extent.of)),
        ])?;
        ended.rows += 1;
    }
    if reads_blocks {
        ended.notes.push(BLOCKS.to_owned());
    }
    Ok(())
}

//! What tables there are.

mod calls;
mod coverage;
mod divergences;
mod events;
mod inside;
mod judged;
mod loops;
mod objects;
mod parts;
mod recordings;
mod referring;
mod structure;

use std::sync::Arc;

use rusqlite::Connection;

use super::glue::{register, register_in};
use super::table::Described;
use super::world::World;

/// Calls something with each table, whatever its rows are.
macro_rules! each {
    ($do:expr) => {
        $do(calls::calls())?;
        $do(calls::arguments())?;
        $do(events::events())?;
        $do(events::writes())?;
        $do(events::reads())?;
        $do(events::edges())?;
        $do(events::exceptions())?;
        $do(events::monitors())?;
        $do(events::gaps())?;
        $do(objects::objects())?;
        $do(structure::threads())?;
        $do(structure::classes())?;
        $do(structure::methods())?;
        $do(structure::lines())?;
        $do(structure::fields())?;
        $do(inside::ancestors())?;
        $do(inside::children())?;
        $do(inside::descendants())?;
        $do(inside::history())?;
        $do(inside::object_state())?;
        $do(loops::loops())?;
        $do(parts::state())?;
        $do(parts::collection())?;
        $do(parts::reachable())?;
        $do(coverage::coverage())?;
        $do(recordings::recordings())?;
        $do(judged::sessions())?;
        $do(judged::answers())?;
        $do(divergences::divergences())?;
    };
}

/// Makes all tables known to a connection.
pub(super) fn register_all(connection: &Connection, world: &Arc<World>) -> rusqlite::Result<()> {
    each!(|table| register(connection, world, table));
    Ok(())
}

/// Makes all tables of one recording of several known to a connection, under a name before them that SQLite knows.
pub(super) fn register_all_in(
    connection: &Connection,
    schema: &str,
    world: &Arc<World>,
) -> rusqlite::Result<()> {
    each!(|table| register_in(connection, schema, world, table));
    Ok(())
}

/// What tables there are.
pub(super) fn described() -> Vec<Described> {
    let mut all = Vec::new();
    let mut tell = || -> Result<(), std::convert::Infallible> {
        each!(|table| take(&mut all, table));
        Ok(())
    };
    match tell() {
        Ok(()) => all,
    }
}

fn take<T>(
    all: &mut Vec<Described>,
    table: super::table::Table<T>,
) -> Result<(), std::convert::Infallible> {
    all.push(table.described());
    Ok(())
}

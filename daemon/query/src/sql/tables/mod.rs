//! What tables there are.

mod arguments;
mod calls;
mod coverage;
mod divergences;
mod events;
mod finding;
mod inside;
mod judged;
mod loops;
mod objects;
mod ordered;
mod parts;
mod recordings;
mod referring;
mod structure;
mod writes;

use std::sync::{Arc, LazyLock};

use jhyde_history::view::ThreadView;
use jhyde_store::records::{CallRecord, FieldRef, MethodRef, TimedEvent};
use jhyde_trace::ClassInfo;
use rusqlite::Connection;

use super::glue::{register, register_in};
use super::table::{Described, Table};
use super::world::World;

/// Calls something with each table, whatever its rows are. A table is told once in a process, not for each statement.
macro_rules! each {
    ($do:expr) => {
        each! {
            $do;
            calls::calls => CallRecord,
            arguments::arguments => arguments::Argument,
            events::events => TimedEvent,
            writes::writes => TimedEvent,
            writes::reads => TimedEvent,
            events::edges => TimedEvent,
            events::exceptions => TimedEvent,
            events::monitors => TimedEvent,
            events::gaps => TimedEvent,
            objects::objects => TimedEvent,
            structure::threads => ThreadView,
            structure::classes => Arc<ClassInfo>,
            structure::methods => MethodRef,
            structure::lines => structure::CodeLine,
            structure::fields => FieldRef,
            inside::ancestors => CallRecord,
            inside::children => CallRecord,
            inside::descendants => CallRecord,
            inside::history => TimedEvent,
            inside::object_state => TimedEvent,
            loops::loops => loops::Looped,
            parts::state => parts::Part,
            parts::collection => parts::Part,
            parts::reachable => parts::Reached,
            coverage::coverage => coverage::Covered,
            recordings::recordings => recordings::Listed,
            judged::sessions => judged::Listed,
            judged::answers => judged::Said,
            divergences::divergences => divergences::Diverged,
        }
    };
    ($do:expr; $($table:path => $row:ty,)*) => {
        $(
            $do({
                static TABLE: LazyLock<Arc<Table<$row>>> = LazyLock::new(|| Arc::new($table()));
                Arc::clone(&TABLE)
            })?;
        )*
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
pub(super) fn described() -> &'static [Described] {
    static ALL: LazyLock<Vec<Described>> = LazyLock::new(|| {
        let mut all = Vec::new();
        let mut tell = || -> Result<(), std::convert::Infallible> {
            each!(|table| take(&mut all, table));
            Ok(())
        };
        match tell() {
            Ok(()) => all,
        }
    });
    &ALL
}

fn take<T>(all: &mut Vec<Described>, table: Arc<Table<T>>) -> Result<(), std::convert::Infallible> {
    all.push(table.described());
    Ok(())
}

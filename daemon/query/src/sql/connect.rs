//! The connection that a statement runs on: it has all tables, and what it may do and take is bounded.

use std::sync::Arc;

use rusqlite::hooks::AuthContext;
use rusqlite::limits::Limit;
use rusqlite::{Connection, OpenFlags};

use super::allow::{Refused, allow};
use super::run::Statement;
use super::{meter, tables};

/// Opens it.
pub(super) fn connect(statement: &Statement, refused: &Refused) -> rusqlite::Result<Connection> {
    /// Instructions of SQLite's machine between two looks at whether anybody waits: well below a millisecond.
    const STEPS: i32 = 10_000;
    let flags = OpenFlags::default();
    let mut connection = Connection::open_in_memory_with_flags_and_vfs(flags, meter::FILES)?;
    // What does not fit in there goes into a temporary file that has no name. Each sort has a cache of its own.
    let cache = (statement.memory >> 14).min(16 << 10);
    connection.execute_batch(&format!(
        "PRAGMA cache_size = -{cache}; PRAGMA temp.cache_size = -{cache}; PRAGMA temp_store = FILE;"
    ))?;
    for (limit, most) in [
        (Limit::SQLITE_LIMIT_LENGTH, 64 << 20),
        (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
        (Limit::SQLITE_LIMIT_EXPR_DEPTH, 500),
    ] {
        connection.set_limit(limit, most)?;
    }
    match statement.worlds.as_slice() {
        [world] => tables::register_all(&connection, world)?,
        worlds => {
            let attached = i32::try_from(worlds.len()).unwrap_or(i32::MAX);
            connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, attached)?;
            for (world, seen) in worlds.iter().zip(statement.seen.iter()) {
                let schema = &seen.schema;
                connection.execute_batch(&format!("ATTACH ':memory:' AS \"{schema}\""))?;
                tables::register_all_in(&connection, schema, world)?;
            }
        }
    }
    // No more than these, whatever the statement says.
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    let worlds = statement.worlds.clone();
    let is_over = move || worlds.iter().any(|world| world.is_over());
    connection.progress_handler(STEPS, Some(is_over))?;
    let refused = Arc::clone(refused);
    connection.authorizer(Some(move |context: AuthContext<'_>| {
        allow(&context, &refused)
    }))?;
    Ok(connection)
}

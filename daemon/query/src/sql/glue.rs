//! Tables as SQLite wants them: the one place where its interface, which is C's, is spoken.
//!
//! SQLite asks which way of finding rows serves which of its constraints ([`VTab::best_index`]); the answer goes to the cursor in
//! a line of text, which is also what `EXPLAIN QUERY PLAN` shows: `calls of the method, by time: method=? enter>=?`.
#![expect(
    unsafe_code,
    reason = "rusqlite's traits for virtual tables are unsafe: they ask for the layout of the structs below, whose first field is SQLite's own"
)]

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ffi::{CStr, CString, c_int};
use std::sync::Arc;

use jhyde_store::records::Direction;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::vtab::{
    Context, CreateVTab, Filters, IndexConstraintOp, IndexFlags, IndexInfo, Module, VTab,
    VTabConfig, VTabConnection, VTabCursor, VTabKind, sqlite3_vtab, sqlite3_vtab_cursor,
};
use rusqlite::{Connection, Error as SqliteError, Result as SqliteResult, ToSql};

use super::SqlError;
use super::bounds::bounds_of;
use super::datum::Datum;
use super::extent::{Extent, Reads};
use super::numbers::Numbers;
use super::table::{Access, Bounds, Row, Table, Type};
use super::world::{RowsOf, World};
use crate::error::{Error, Result};

/// What each table of a connection is made with.
struct Aux<T> {
    table: Arc<Table<T>>,
    world: Arc<World>,
}

/// Makes a table known to a connection.
pub(super) fn register<T: Row>(
    connection: &Connection,
    world: &Arc<World>,
    table: Arc<Table<T>>,
) -> SqliteResult<()> {
    let name = table.name;
    let aux = Aux {
        table,
        world: Arc::clone(world),
    };
    let module = const { &Module::<Tab<T>>::eponymous_only_module() };
    connection.create_module(name, module, Some(aux))
}

/// Makes a table known to a connection as one of a schema, of which it has several.
pub(super) fn register_in<T: Row>(
    connection: &Connection,
    schema: &str,
    world: &Arc<World>,
    table: Arc<Table<T>>,
) -> SqliteResult<()> {
    let name = table.name;
    let of = format!("{schema}.{name}");
    let aux = Aux {
        table,
        world: Arc::clone(world),
    };
    let module = const { &Module::<Tab<T>>::read_only_module() };
    connection.create_module(of.as_str(), module, Some(aux))?;
    // Schemas are letters, digits and `_`; tables are ours.
    connection.execute_batch(&format!(
        "CREATE VIRTUAL TABLE \"{schema}\".\"{name}\" USING \"{of}\""
    ))
}

/// A table that a statement uses.
#[repr(C)]
struct Tab<T> {
    /// SQLite's own part: must be first.
    base: sqlite3_vtab,
    table: Arc<Table<T>>,
    world: Arc<World>,
    numbers: Numbers,
}

impl ToSql for Datum {
    fn to_sql(&self) -> SqliteResult<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self {
            Self::Null => ValueRef::Null,
            Self::Int(number) => ValueRef::Integer(*number),
            Self::Real(number) => ValueRef::Real(*number),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn refused(world: &World, error: Error) -> SqliteError {
    SqliteError::ModuleError(world.fail(error))
}

/// How a constraint is written in a plan.
fn sign(op: &IndexConstraintOp) -> Option<&'static str> {
    Some(match op {
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_EQ => "=",
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GT => ">",
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_GE => ">=",
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LT => "<",
        IndexConstraintOp::SQLITE_INDEX_CONSTRAINT_LE => "<=",
        _ => return None,
    })
}

/// An access and the order that is asked of it, as one number: what SQLite hands on from a plan to its cursor.
fn planned(access: usize, order: Option<Direction>) -> c_int {
    let order = ORDERS.iter().position(|known| *known == order).unwrap_or(0);
    c_int::try_from(access * ORDERS.len() + order).unwrap_or(0)
}

/// The same, back.
fn meant(number: c_int) -> (Option<usize>, Option<Direction>) {
    let number = usize::try_from(number).ok();
    let order = number.and_then(|number| ORDERS.get(number % ORDERS.len()).copied());
    (number.map(|number| number / ORDERS.len()), order.flatten())
}

const ORDERS: [Option<Direction>; 3] = [None, Some(Direction::Forward), Some(Direction::Backward)];

/// A constraint that an access uses: its number, its column, its sign.
type Used = (usize, usize, &'static str);

impl<T> Tab<T> {
    fn column(&self, name: &str) -> usize {
        let mut columns = self.table.columns.iter();
        columns
            .position(|column| column.name == name)
            .unwrap_or(usize::MAX)
    }

    /// The constraints that an access uses; none if one that it needs is not there.
    fn used(&self, access: &Access<T>, given: &[Used]) -> Option<Vec<Used>> {
        let mut used = Vec::new();
        for name in access.equal {
            let column = self.column(name);
            let found = given
                .iter()
                .find(|(_, of, sign)| *of == column && *sign == "=")?;
            used.push(*found);
        }
        if let Some(range) = access.range {
            let column = self.column(range);
            used.extend(given.iter().filter(|(_, of, _)| *of == column));
        }
        Some(used)
    }
}

impl<T: Row> Tab<T> {
    /// How many blocks an access reads, with the values that the statement itself says.
    fn extent(&self, access: &Access<T>, used: &[Used], info: &IndexInfo) -> Result<Extent> {
        let mut terms = Vec::new();
        let mut is_known = true;
        for (position, (constraint, column, sign)) in used.iter().enumerate() {
            let name = self.table.columns[*column].name.as_str();
            match info.rhs_value(*constraint) {
                Ok(Some(value)) => terms.push(((name, *sign), value)),
                // It comes from a row of another table, or from a list.
                _ => is_known &= position >= access.equal.len(),
            }
        }
        let bounds = match is_known {
            true => bounds_of(&self.table, &self.world, access, terms.into_iter())?,
            false => None,
        };
        match (is_known, bounds) {
            // No row can be meant.
            (true, None) => Extent::of(&self.world, Reads::Nothing, None),
            (_, bounds) => Extent::of(&self.world, access.reads, bounds.as_ref()),
        }
    }
}

// SAFETY: the struct is `repr(C)` and begins with SQLite's `sqlite3_vtab`, as the trait asks.
unsafe impl<'vtab, T: Row> VTab<'vtab> for Tab<T> {
    type Aux = Aux<T>;
    type Cursor = Cursor<T>;

    fn connect(
        db: &mut VTabConnection,
        aux: Option<&Self::Aux>,
        _: &[u8],
        _: &[u8],
        _: &[u8],
        _: &[&[u8]],
    ) -> SqliteResult<(Cow<'static, CStr>, Self)> {
        let aux =
            aux.ok_or_else(|| SqliteError::ModuleError("the table is not known".to_owned()))?;
        db.config(VTabConfig::Innocuous)?;
        let declaration = CString::new(aux.table.declaration())?;
        let tab = Self {
            base: sqlite3_vtab::default(),
            table: Arc::clone(&aux.table),
            world: Arc::clone(&aux.world),
            numbers: Numbers::default(),
        };
        Ok((Cow::Owned(declaration), tab))
    }

    fn best_index(&self, info: &mut IndexInfo) -> SqliteResult<bool> {
        // Not when the table is made known: one that nobody asks hinders nobody.
        let level = self.world.level;
        if level < self.table.level {
            let error = SqlError::Level {
                table: self.table.name,
                needed: self.table.level,
                level,
            };
            return Err(refused(&self.world, error.into()));
        }
        let mut given: Vec<Used> = Vec::new();
        for (at, constraint) in info.constraints().enumerate() {
            let Ok(column) = usize::try_from(constraint.column()) else {
                continue;
            };
            let Some(sign) = sign(&constraint.operator()).filter(|_| constraint.is_usable()) else {
                continue;
            };
            given.push((at, column, sign));
        }
        // Texts are looked up as they are: `COLLATE NOCASE` is SQLite's to compare.
        let mut kept = Vec::new();
        for used in given {
            let is_text = self
                .table
                .columns
                .get(used.1)
                .is_some_and(|c| c.of == Type::Text);
            if !is_text || info.collation(used.0)? == "BINARY" {
                kept.push(used);
            }
        }
        let mut best: Option<(f64, usize, Vec<Used>)> = None;
        for (number, access) in self.table.accesses.iter().enumerate() {
            let Some(used) = self.used(access, &kept) else {
                continue;
            };
            // Each bound of a stretch of time is taken to leave out three quarters; one event is one event.
            let bounds = used.len() - access.equal.len();
            let is_one = used
                .iter()
                .skip(access.equal.len())
                .any(|(_, _, sign)| *sign == "=");
            let cost = match is_one {
                true => access.cost.min(2.0),
                false => access.cost / 4f64.powi(i32::try_from(bounds).unwrap_or(0)),
            };
            if best.as_ref().is_none_or(|(least, ..)| cost < *least) {
                best = Some((cost, number, used));
            }
        }
        // A table function whose arguments are not known yet: another order of the tables may know them.
        let Some((cost, number, used)) = best else {
            return Ok(false);
        };
        let access = &self.table.accesses[number];
        let mut plan = access.by.to_owned();
        for (position, (constraint, column, sign)) in used.iter().enumerate() {
            let column = &self.table.columns[*column];
            let gap = if position == 0 { ":" } else { "" };
            plan.push_str(&format!("{gap} {}{sign}?", column.name));
            let mut usage = info.constraint_usage(*constraint);
            usage.set_argv_index(c_int::try_from(position + 1).unwrap_or(c_int::MAX));
            usage.set_omit(column.argument);
        }
        let mut orders = info.order_bys();
        let direction = match (orders.next(), orders.next()) {
            (Some(order), None) => {
                let column = usize::try_from(order.column()).ok();
                let name = column.and_then(|at| self.table.columns.get(at));
                let is_it = name.is_some_and(|column| Some(column.name.as_str()) == access.order);
                let falls = order.is_order_by_desc();
                let direction = match falls {
                    true => Direction::Backward,
                    false => Direction::Forward,
                };
                (is_it && (!falls || access.backward)).then_some(direction)
            }
            _ => None,
        };
        if let Some(direction) = direction {
            info.set_order_by_consumed(true);
            if direction == Direction::Backward {
                plan.push_str(", latest first");
            }
        }
        if self.world.explains() {
            let extent = self.extent(access, &used, info);
            plan = extent
                .map_err(|error| refused(&self.world, error))?
                .behind(&plan);
        }
        info.set_idx_str(&plan);
        info.set_idx_num(planned(number, direction));
        info.set_estimated_cost(cost);
        info.set_estimated_rows(cost as i64);
        if access.cost <= 1.0 {
            info.set_idx_flags(IndexFlags::SQLITE_INDEX_SCAN_UNIQUE);
        }
        Ok(true)
    }

    fn open(&'vtab mut self) -> SqliteResult<Self::Cursor> {
        Ok(Cursor {
            base: sqlite3_vtab_cursor::default(),
            table: Arc::clone(&self.table),
            world: Arc::clone(&self.world),
            numbers: self.numbers.clone(),
            given: Vec::new(),
            arguments: OnceCell::new(),
            rows: super::table::none(),
            row: None,
        })
    }
}

impl<'vtab, T: Row> CreateVTab<'vtab> for Tab<T> {
    const KIND: VTabKind = VTabKind::Default;
}

/// Where a statement is in a table.
#[repr(C)]
struct Cursor<T> {
    /// SQLite's own part: must be first.
    base: sqlite3_vtab_cursor,
    table: Arc<Table<T>>,
    world: Arc<World>,
    numbers: Numbers,
    /// What the rows are of, in a table function; and the same as one text, once somebody wants it.
    given: Vec<(&'static str, Datum)>,
    arguments: OnceCell<Arc<str>>,
    rows: RowsOf<T>,
    row: Option<T>,
}

impl<T> Cursor<T> {
    fn advance(&mut self) -> SqliteResult<()> {
        if self.world.is_over() {
            return Err(refused(&self.world, self.world.why_over()));
        }
        let row = self.rows.next().transpose();
        self.row = row.map_err(|error| refused(&self.world, error))?;
        Ok(())
    }

    /// What a plan and its arguments ask for; none if no row can be meant.
    fn bounds(
        &self,
        access: &Access<T>,
        plan: &str,
        arguments: &Filters<'_>,
    ) -> Result<Option<Bounds>> {
        let terms = plan.strip_prefix(access.by).unwrap_or_default();
        let terms = terms
            .split([' ', ':', ','])
            .filter_map(|term| term.strip_suffix('?'));
        let terms = terms.map(|term| term.split_at(term.trim_end_matches(['=', '<', '>']).len()));
        bounds_of(
            &self.table,
            &self.world,
            access,
            terms.zip(arguments.iter()),
        )
    }
}

// SAFETY: the struct is `repr(C)` and begins with SQLite's `sqlite3_vtab_cursor`, as the trait asks.
unsafe impl<T: Row> VTabCursor for Cursor<T> {
    fn filter(
        &mut self,
        number: c_int,
        plan: Option<&str>,
        arguments: &Filters<'_>,
    ) -> SqliteResult<()> {
        let (access, order) = meant(number);
        let table = Arc::clone(&self.table);
        let Some(access) = access.and_then(|at| table.accesses.get(at)) else {
            return Err(SqliteError::ModuleError("a plan is not known".to_owned()));
        };
        let bounds = self.bounds(access, plan.unwrap_or_default(), arguments);
        let bounds = bounds.map_err(|error| refused(&self.world, error))?;
        self.rows = match bounds {
            None => super::table::none(),
            Some(mut bounds) => {
                bounds.order = order;
                if table.columns.iter().any(|column| column.argument) {
                    self.given.clone_from(&bounds.equal);
                    self.arguments.take();
                }
                let found = (access.find)(&self.world, &bounds);
                found.map_err(|error| refused(&self.world, error))?
            }
        };
        self.advance()
    }

    fn next(&mut self) -> SqliteResult<()> {
        self.advance()
    }

    fn eof(&self) -> bool {
        self.row.is_none()
    }

    fn column(&self, context: &mut Context, column: c_int) -> SqliteResult<()> {
        let column = usize::try_from(column).ok();
        let column = column.and_then(|at| self.table.columns.get(at));
        let (Some(column), Some(row)) = (column, &self.row) else {
            return context.set_result(Datum::Null);
        };
        if column.argument {
            // A condition may look at it all the same, such as an OR of which SQLite takes apart what both sides have.
            let mut given = self.given.iter();
            let value = given.find(|(name, _)| *name == column.name);
            return context.set_result(value.map_or(&Datum::Null, |(_, value)| value));
        }
        let cell = (column.cell)(&self.world, row);
        context.set_result(cell.map_err(|error| refused(&self.world, error))?)
    }

    fn rowid(&self) -> SqliteResult<i64> {
        let number = self.row.as_ref().map_or(0, Row::number);
        // A table has its numbers, a table function those of its arguments.
        if self.given.is_empty() {
            return Ok(number as i64);
        }
        let write = || format!("{:?}", self.given).into();
        Ok(self.numbers.of(self.arguments.get_or_init(write), number))
    }
}

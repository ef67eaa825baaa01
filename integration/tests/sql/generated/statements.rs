//! Statements about tables: rows, groups of rows, and sets of them.

use super::copy::{Copied, Table};
use super::dice::{Alias, Dice, filter, named};
use super::schema::{Of, schema};

/// A statement, as jhyde and as the copy are asked.
#[derive(Debug)]
pub(super) struct Statement {
    pub(super) asked: String,
    pub(super) copied: String,
    /// Are its rows in an order that tells each where it stands?
    pub(super) is_ordered: bool,
}

/// What stands behind FROM, for the two of them, and what always holds for it.
#[derive(Debug)]
pub(super) struct Rows<'a> {
    pub(super) asked: String,
    pub(super) copied: String,
    pub(super) tables: Vec<Alias<'a>>,
    pub(super) conditions: Vec<String>,
}

impl<'a> Rows<'a> {
    /// The rows of a table, which goes by `t`; of a function for one of its arguments. Nothing if there are none.
    pub(super) fn of(dice: &mut Dice, copy: &'a Copied, table: &str) -> Option<Self> {
        let schema = schema(table);
        let mut rows = Self {
            asked: format!("{table} t"),
            copied: format!("{table} t"),
            tables: vec![("t", copy.table(table))],
            conditions: Vec::new(),
        };
        if !schema.always.is_empty() {
            rows.conditions.push(format!("t.{}", schema.always));
        }
        if let Some((argument, _)) = schema.function {
            let wanted = [format!("t.{argument}")];
            let given = copy.pick(dice, &rows.copied, &rows.condition(), &wanted)?;
            let is_it = format!("t.{argument} = {}", given[0]);
            // An argument is a hidden column, too.
            match dice.once_in(3) {
                true => rows.conditions.push(is_it),
                false => {
                    rows.asked = format!("{table}({}) t", given[0]);
                    rows.copied = format!("(SELECT * FROM {table} t WHERE {is_it}) t");
                }
            }
        }
        Some(rows)
    }

    pub(super) fn condition(&self) -> String {
        match self.conditions.is_empty() {
            true => "1".to_owned(),
            false => self.conditions.join(" AND "),
        }
    }

    /// `SELECT COLUMNS FROM … WHERE … REST`.
    pub(super) fn statement(&self, columns: &str, filter: &str, rest: &str) -> Statement {
        let whole = |from: &str| format!("{} {rest}", self.select(columns, from, filter));
        Statement {
            asked: whole(&self.asked),
            copied: whole(&self.copied),
            is_ordered: rest.contains("ORDER BY"),
        }
    }

    fn select(&self, columns: &str, from: &str, filter: &str) -> String {
        format!(
            "SELECT {columns} FROM {from} WHERE ({filter}) AND {}",
            self.condition()
        )
    }

    /// A filter that leaves at least one of the rows: what else it says comes behind an OR.
    fn anchor(&self, dice: &mut Dice, copy: &Copied) -> Option<String> {
        let (alias, table) = self.tables.first()?;
        let key = table.schema.unique.first()?;
        let name = named(alias, key);
        let found = copy.pick(
            dice,
            &self.copied,
            &self.condition(),
            std::slice::from_ref(&name),
        )?;
        let value = &found[0];
        let is_number = table.column(key).is_some_and(|column| column.of == Of::Int);
        let anchor = match dice.roll(5) {
            0 if is_number => format!("{name} >= {value}"),
            1 if is_number => format!("{name} <= {value}"),
            2 if is_number => format!("{name} BETWEEN {value} AND {value} + 200"),
            _ => format!("{name} = {value}"),
        };
        Some(match dice.once_in(2) {
            true => anchor,
            false => format!("{anchor} OR ({})", filter(dice, &self.tables)),
        })
    }

    /// A filter: an anchor, or any. Nothing if there are no rows.
    fn filter(&self, dice: &mut Dice, copy: &Copied, anchored: bool) -> Option<String> {
        match anchored {
            true => self.anchor(dice, copy),
            false => Some(filter(dice, &self.tables)),
        }
    }

    /// Rows, with what else is to be told of each. Those of a single table may come in any order.
    pub(super) fn rows(
        &self,
        dice: &mut Dice,
        copy: &Copied,
        also: &str,
        anchored: bool,
    ) -> Option<Statement> {
        let filter = self.filter(dice, copy, anchored)?;
        let mut columns = selected(dice, &self.tables);
        if !also.is_empty() {
            columns = format!("{columns}, {also}");
        }
        if self.tables.len() == 1 && dice.once_in(4) {
            return Some(self.statement(&columns, &filter, ""));
        }
        let limit = match dice.roll(2) {
            0 if !anchored => format!("LIMIT {} OFFSET {}", 1 + dice.roll(5), dice.roll(3)),
            _ => "LIMIT 200".to_owned(),
        };
        let order = self.order(dice);
        Some(self.statement(&columns, &filter, &format!("{order} {limit}")))
    }

    /// By any column and what no two rows have in common, or by that alone.
    fn order(&self, dice: &mut Dice) -> String {
        let mut keys = Vec::new();
        if dice.once_in(3) {
            keys.push(any_column(dice, &self.tables));
        }
        for (alias, table) in &self.tables {
            keys.extend(table.schema.unique.iter().map(|key| named(alias, key)));
        }
        if dice.once_in(2) {
            keys[0].push_str(" DESC");
        }
        format!("ORDER BY {}", keys.join(", "))
    }

    /// Rows that have something in common, and what is worked out of them.
    pub(super) fn groups(
        &self,
        dice: &mut Dice,
        copy: &Copied,
        anchored: bool,
    ) -> Option<Statement> {
        let filter = self.filter(dice, copy, anchored)?;
        let [by, least, most, counted] = [(); 4].map(|()| any_column(dice, &self.tables));
        let columns = format!(
            "{by} AS by_it, count(*) AS n, min({least}) AS least, max({most}) AS most, count(DISTINCT {counted}) AS counted"
        );
        let having = match anchored || dice.once_in(2) {
            true => "",
            false => "HAVING count(*) > 1 ",
        };
        Some(self.statement(&columns, &filter, &format!("GROUP BY 1 {having}ORDER BY 1")))
    }

    /// Two selections of rows, put together.
    pub(super) fn sets(&self, dice: &mut Dice, copy: &Copied, anchored: bool) -> Option<Statement> {
        let how = *match anchored {
            true => dice.one(&["UNION", "UNION ALL"]),
            false => dice.one(&["UNION", "INTERSECT", "EXCEPT"]),
        };
        let one = self.filter(dice, copy, anchored)?;
        let other = filter(dice, &self.tables);
        let columns = selected(dice, &self.tables);
        let whole = |from: &str| {
            let halves = [&one, &other].map(|filter| self.select(&columns, from, filter));
            halves.join(&format!(" {how} "))
        };
        Some(Statement {
            asked: whole(&self.asked),
            copied: whole(&self.copied),
            is_ordered: false,
        })
    }
}

/// All columns, or some of them with what no two rows have in common.
pub(super) fn selected(dice: &mut Dice, tables: &[Alias<'_>]) -> String {
    let mut columns = Vec::new();
    for (alias, table) in tables {
        let is_whole = dice.once_in(2);
        for column in &table.columns {
            let name = column.name.as_str();
            if is_whole || is_unique(table, name) || dice.once_in(4) {
                columns.push(format!("{} AS {alias}_{name}", named(alias, name)));
            }
        }
    }
    columns.join(", ")
}

fn is_unique(table: &Table, column: &str) -> bool {
    table.schema.unique.contains(&column)
}

fn any_column(dice: &mut Dice, tables: &[Alias<'_>]) -> String {
    let (alias, table) = dice.one(tables);
    named(alias, &dice.one(&table.columns).name)
}

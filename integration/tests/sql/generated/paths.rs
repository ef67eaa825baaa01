//! The ways in which rows of a table are found, as the tables say themselves, and statements that want each of them.

use jhyde_query::sql::described;

use super::copy::{Column, Copied};
use super::dice::{Dice, named};
use super::schema::schema;
use super::statements::{Rows, Statement, selected};

/// A way in which rows are found.
#[derive(Clone, Debug)]
pub(super) struct Path {
    pub(super) table: &'static str,
    /// What serves it, in words.
    by: &'static str,
    equal: Vec<String>,
    range: Option<String>,
    order: Option<String>,
    backward: bool,
}

/// Those of a table.
pub(super) fn of(table: &str) -> Vec<Path> {
    let all = described();
    let described = all.iter().find(|known| known.name == table);
    let described = described.unwrap_or_else(|| panic!("there is no table {table}"));
    let served = described.served.iter();
    let paths = served.map(|(words, by)| Path::parse(described.name, words, by));
    paths.collect()
}

impl Path {
    /// In words: `` `thread =`, `enter` between; in the order of `enter`, `DESC` too ``.
    fn parse(table: &'static str, words: &str, by: &'static str) -> Self {
        let (served, order) = match words.split_once("in the order of ") {
            Some((served, order)) => (served.trim_end_matches("; "), Some(order)),
            None => (words, None),
        };
        let mut path = Self {
            table,
            by,
            equal: Vec::new(),
            range: None,
            order: order.and_then(|order| Some(order.split('`').nth(1)?.to_owned())),
            backward: order.is_some_and(|order| order.ends_with("`DESC` too")),
        };
        for predicate in served.split(", ").filter(|predicate| !predicate.is_empty()) {
            match predicate.strip_suffix("` between") {
                Some(range) => path.range = Some(range.trim_matches('`').to_owned()),
                None => {
                    let equal = predicate.trim_matches('`').strip_suffix(" =");
                    path.equal
                        .push(equal.unwrap_or_else(|| panic!("{words}")).to_owned());
                }
            }
        }
        path
    }

    /// The columns that it serves.
    pub(super) fn columns(&self) -> impl Iterator<Item = &String> {
        self.equal.iter().chain(&self.range).chain(&self.order)
    }

    /// Does it find rows by an object or a field that has a part in them? Not in each program one has.
    pub(super) fn is_of_object(&self) -> bool {
        let is_object = |column: &String| {
            column.ends_with("_object") || column == "exception" || column == "field_class"
        };
        self.equal.iter().any(is_object)
    }

    pub(super) fn name(&self) -> String {
        format!("{} by {:?}: {}", self.table, self.equal, self.by)
    }

    /// Does a plan, in the lines that `--explain` tells, go this way?
    pub(super) fn is_gone(&self, plan: &[String]) -> bool {
        let goes = |line: &String| {
            let read = line.trim_start().strip_prefix("READ t: ");
            let read = read.and_then(|read| read.strip_prefix(self.by));
            read.is_some_and(|rest| rest.is_empty() || rest.starts_with(": "))
        };
        let sorts = |line: &String| line.contains("TEMP B-TREE");
        plan.iter().any(goes) && !(self.order.is_some() && plan.iter().any(sorts))
    }

    /// Is this one of its statements so plain that the plan must go this way? The first one is; the second one, too, where rows can
    /// come latest first.
    pub(super) fn is_plain(&self, at: usize) -> bool {
        at == 0 || at == 1 && self.backward
    }

    /// A statement that is served by it, around one of the rows that there are.
    pub(super) fn statement(&self, dice: &mut Dice, copy: &Copied, at: usize) -> Option<Statement> {
        let is_plain = self.is_plain(at);
        let mut rows = Rows::of(dice, copy, self.table)?;
        let wanted = self.equal.iter().chain(&self.range);
        let wanted: Vec<String> = wanted.map(|column| named("t", column)).collect();
        let there = wanted.iter().map(|column| format!("{column} IS NOT NULL"));
        let there = [rows.condition()].into_iter().chain(there);
        let there = there.collect::<Vec<_>>().join(" AND ");
        let row = copy.pick(dice, &rows.copied, &there, &wanted)?;
        let mut is_one = true;
        for (column, value) in self.equal.iter().zip(&row) {
            let (predicate, one) = self.equality(dice, copy, column, value, is_plain);
            rows.conditions.push(predicate);
            is_one &= one;
        }
        if let (Some(column), Some(value)) = (&self.range, row.get(self.equal.len())) {
            let name = named("t", column);
            rows.conditions.push(stretch(dice, &name, value, is_plain));
        }
        let columns = selected(dice, &rows.tables);
        let limit = match dice.roll(3) {
            _ if is_plain => " LIMIT 50".to_owned(),
            0 => format!(" LIMIT {} OFFSET {}", 1 + dice.roll(5), dice.roll(3)),
            1 => " LIMIT 300".to_owned(),
            _ => String::new(),
        };
        let falls = match is_plain {
            true => at == 1,
            false => dice.once_in(2),
        };
        let order = self.order(falls, is_one);
        Some(rows.statement(&columns, "1", &format!("{order}{limit}")))
    }

    /// A predicate that wants this value of a column, and whether it wants no other.
    fn equality(
        &self,
        dice: &mut Dice,
        copy: &Copied,
        column: &str,
        value: &str,
        is_plain: bool,
    ) -> (String, bool) {
        let name = named("t", column);
        let known = copy.table(self.table).column(column);
        if known.is_none() && column != "method_id" {
            // A number of an object: the stream tells it of some rows alone, of those with this one among them.
            return (format!("{name} = {value}"), true);
        }
        let Some(known) = known else {
            // The copy has its own numbers of methods: they are told by what the methods are called.
            let value = method(copy, value);
            return match is_plain || dice.once_in(2) {
                true => (format!("{name} = ({value})"), true),
                false => (format!("{name} IN ({value} OR m.name = 'main')"), false),
            };
        };
        let other = other(dice, known);
        match dice.roll(5) {
            _ if is_plain => (format!("{name} = {value}"), true),
            0 => (format!("{name} IN ({value}, {other})"), false),
            1 => (format!("{value} = {name}"), true),
            2 => (format!("({name} = {value} OR {name} = {other})"), false),
            3 => (format!("{name} IS {value}"), true),
            _ => (format!("{name} = {value}"), true),
        }
    }

    /// By what it has in order, or by what no two rows have in common.
    fn order(&self, falls: bool, is_one: bool) -> String {
        let unique = schema(self.table).unique;
        let mut keys: Vec<&str> = self.order.as_deref().into_iter().collect();
        // Rows that have only one value of what is looked up differ by the order's column.
        if keys.is_empty() || !is_one {
            let others = unique
                .iter()
                .filter(|key| Some(**key) != self.order.as_deref());
            keys.extend(others);
        }
        let keys = keys.into_iter().enumerate().map(|(at, key)| {
            let direction = if at == 0 && falls { " DESC" } else { "" };
            named("t", key) + direction
        });
        format!("ORDER BY {}", keys.collect::<Vec<_>>().join(", "))
    }
}

fn other(dice: &mut Dice, column: &Column) -> String {
    let none = match column
        .values
        .first()
        .is_some_and(|value| value.starts_with('\''))
    {
        true => "'no such'",
        false => "-1",
    };
    match column.values.is_empty() || dice.once_in(3) {
        true => none.to_owned(),
        false => dice.one(&column.values).clone(),
    }
}

/// `SELECT m.id …`, of the method that has this number in the copy, open for more conditions.
fn method(copy: &Copied, number: &str) -> String {
    let condition = format!("m.id = {number}");
    let columns = ["class", "name", "descriptor"].map(|column| named("m", column));
    let found = copy.pick(&mut Dice(0), "methods m", &condition, &columns);
    let [class, name, descriptor]: [String; 3] = found
        .and_then(|found| found.try_into().ok())
        .expect("a method");
    format!(
        "SELECT m.id FROM methods m WHERE m.class = {class} AND m.name = {name} AND m.descriptor = {descriptor}"
    )
}

/// A stretch of time that a timestamp lies in.
fn stretch(dice: &mut Dice, name: &str, at: &str, is_plain: bool) -> String {
    match dice.roll(9) {
        _ if is_plain => format!("{name} >= {at}"),
        0 => format!("{name} > {at} - 1"),
        1 => format!("{name} <= {at}"),
        2 => format!("{name} < {at} + 0.5"),
        3 => format!("{name} BETWEEN {at} - 40 AND {at} + 40"),
        4 => format!("{name} >= {at} AND {name} <= {at} + 25 AND {name} > -1"),
        5 => format!("{name} = {at}"),
        6 => format!("{name} >= '{at}'"),
        7 => format!("{at} >= {name}"),
        _ => "1".to_owned(),
    }
}

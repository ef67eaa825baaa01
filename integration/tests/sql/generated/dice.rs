//! A small generator of numbers, and the predicates that it makes up.

use super::copy::{Column, Table};
use super::schema::Of;

/// The same numbers in each run.
#[derive(Debug)]
pub(super) struct Dice(pub(super) u64);

impl Dice {
    pub(super) fn roll(&mut self, sides: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % sides
    }

    pub(super) fn one<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.roll(of.len())]
    }

    /// Once in so many times.
    pub(super) fn once_in(&mut self, times: usize) -> bool {
        self.roll(times) == 0
    }
}

/// A table, and what it goes by in a statement.
pub(super) type Alias<'a> = (&'a str, &'a Table);

/// A column of it.
pub(super) fn named(alias: &str, column: &str) -> String {
    format!("{alias}.\"{column}\"")
}

/// Up to three predicates about columns of tables.
pub(super) fn filter(dice: &mut Dice, of: &[Alias<'_>]) -> String {
    let mut filter = predicate(dice, of);
    for _ in 0..dice.roll(3) {
        let (how, more) = (*dice.one(&["AND", "AND", "OR"]), predicate(dice, of));
        filter = format!("({filter}) {how} ({more})");
    }
    filter
}

/// A predicate: one that an index serves, in many dresses, or another.
fn predicate(dice: &mut Dice, of: &[Alias<'_>]) -> String {
    let (alias, table) = *dice.one(of);
    let columns = match dice.once_in(2) && !table.served.is_empty() {
        true => &table.served,
        false => &table.columns,
    };
    let column = dice.one(columns);
    let name = named(alias, &column.name);
    if dice.once_in(10) || column.values.is_empty() {
        let negated = *dice.one(&["", "NOT "]);
        return format!("{name} IS {negated}NULL");
    }
    match column.of {
        Of::Text => of_text(dice, &name, column),
        Of::Int => of_number(dice, &name, column),
        Of::Real => of_real(dice, &name, column),
    }
}

fn of_number(dice: &mut Dice, name: &str, column: &Column) -> String {
    let value = dice.one(&column.values);
    let other = dice.one(&column.values);
    let sign = *dice.one(&["<", "<=", ">", ">="]);
    match dice.roll(12) {
        0 | 1 => format!("{name} = {value}"),
        2 => format!("{name} IN ({value}, {other}, -1)"),
        3 => format!("{name} {sign} {value}"),
        4 => format!("{name} {sign} {value}.5"),
        5 => format!("{name} {} '{value}'", dice.one(&["<", ">", "="])),
        6 => format!("{name} BETWEEN {value} AND {other}"),
        7 => format!("{name} = {value}.0"),
        8 => format!("NOT ({name} = {value})"),
        9 => format!("{value} {sign} {name}"),
        10 => format!("{name} NOT IN ({value}, {other})"),
        _ => {
            let odd = dice.one(&["-5", "-0.5", "1e300", "-1e300", "NULL", "'x'"]);
            format!("{name} {sign} {odd}")
        }
    }
}

fn of_text(dice: &mut Dice, name: &str, column: &Column) -> String {
    let value = dice.one(&column.values);
    let other = dice.one(&column.values);
    match dice.roll(10) {
        0..=2 => format!("{name} = {value}"),
        3 => format!("{name} IN ({value}, {other}, 'no such')"),
        4 => format!("{name} LIKE {}", beginning(value)),
        5 => format!("{name} = {} COLLATE NOCASE", value.to_uppercase()),
        6 => format!("{name} {} {value}", dice.one(&["<", ">="])),
        7 => format!("{name} <> {value}"),
        8 => format!("{value} = {name}"),
        _ => format!("{name} = {}", dice.one(&["NULL", "'1.03'", "''", "'x'"])),
    }
}

/// The first character of a text, and whatever follows.
fn beginning(quoted: &str) -> String {
    match quoted.trim_matches('\'').chars().next() {
        Some(first) if first.is_alphanumeric() => format!("'{first}%'"),
        _ => "'%1%'".to_owned(),
    }
}

fn of_real(dice: &mut Dice, name: &str, column: &Column) -> String {
    let value = dice.one(&column.values);
    let sign = *dice.one(&["=", "<", ">=", "<>"]);
    format!("{name} {sign} {value}")
}

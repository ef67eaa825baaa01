//! The kinds of statements that a program's tables are asked by.

use super::copy::Copied;
use super::dice::Dice;
use super::joins::{SHAPES, Shape};
use super::paths::{self, Path};
use super::statements::{Rows, Statement};

/// What statements of a kind are about.
#[derive(Debug)]
enum What {
    /// A way in which rows are found.
    Path(Path),
    Rows(&'static str),
    Groups(&'static str),
    Sets(&'static str),
    Shape(&'static Shape),
}

#[derive(Debug)]
pub(super) struct Kind(What);

/// The kinds for some tables: each way in which their rows are found, each table by itself, and those that stand together.
pub(super) fn kinds(tables: &'static [&'static str]) -> Vec<Kind> {
    let mut all = Vec::new();
    for &table in tables {
        all.extend(paths::of(table).into_iter().map(What::Path));
        all.extend([What::Rows(table), What::Groups(table), What::Sets(table)]);
    }
    let together = SHAPES
        .iter()
        .filter(|shape| shape.tables().all(|table| tables.contains(&table)));
    all.extend(together.map(What::Shape));
    all.into_iter().map(Kind).collect()
}

impl Kind {
    pub(super) fn name(&self) -> String {
        match &self.0 {
            What::Path(path) => path.name(),
            What::Rows(table) => format!("rows of {table}"),
            What::Groups(table) => format!("groups of {table}"),
            What::Sets(table) => format!("sets of {table}"),
            What::Shape(shape) => shape.name.to_owned(),
        }
    }

    /// So many statements are made of it.
    pub(super) fn count(&self) -> usize {
        match self.0 {
            What::Path(_) | What::Rows(_) | What::Shape(_) => 4,
            What::Groups(_) | What::Sets(_) => 2,
        }
    }

    /// The way that its plain statements must go.
    pub(super) fn path(&self) -> Option<&Path> {
        match &self.0 {
            What::Path(path) => Some(path),
            _ => None,
        }
    }

    /// One of its statements. None if there is nothing to ask for.
    pub(super) fn statement(&self, dice: &mut Dice, copy: &Copied, at: usize) -> Option<Statement> {
        let anchored = at.is_multiple_of(2);
        match &self.0 {
            What::Path(path) => path.statement(dice, copy, at),
            What::Shape(shape) => shape.statement(dice, copy, at),
            What::Rows(table) => {
                let rows = Rows::of(dice, copy, table)?;
                rows.rows(dice, copy, "", anchored)
            }
            What::Groups(table) => Rows::of(dice, copy, table)?.groups(dice, copy, anchored),
            What::Sets(table) => Rows::of(dice, copy, table)?.sets(dice, copy, anchored),
        }
    }
}

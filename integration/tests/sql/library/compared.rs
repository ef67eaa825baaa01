//! What was compared of the library. What is said to be compared is asked by its own name, and counts where rows came.

use std::collections::BTreeMap;

use jhyde_integration::Folder;
use serde_json::{Value as Json, json};

use crate::rows;

/// How many rows were compared of each: a module, and what it defines by the name that `jhyde sql --library` tells.
#[derive(Debug, Default)]
pub(super) struct Compared(BTreeMap<(String, String), usize>);

/// Compares what a module defines, on a recording.
#[derive(Debug)]
pub(super) struct Of<'a> {
    compared: &'a mut Compared,
    folder: &'a Folder,
    module: &'static str,
}

impl Compared {
    pub(super) fn of<'a>(&'a mut self, folder: &'a Folder, module: &'static str) -> Of<'a> {
        Of {
            compared: self,
            folder,
            module,
        }
    }

    /// What is wrong with a library: modules, as `jhyde sql --library` tells them.
    pub(super) fn complaints(&self, library: &[Json]) -> Vec<String> {
        let mut complaints = Vec::new();
        let mut compared = self.0.clone();
        for module in library {
            let name = text(&module["module"]);
            undocumented(name, module, &mut complaints);
            let defined = module["definitions"].as_array().into_iter().flatten();
            let mut is_empty = true;
            for one in defined {
                is_empty = false;
                let it = format!("{name}: {}", text(&one["name"]));
                undocumented(&it, one, &mut complaints);
                for part in ["arguments", "columns"] {
                    for part in one[part].as_array().into_iter().flatten() {
                        undocumented(
                            &format!("{it}: {}", text(&part["name"])),
                            part,
                            &mut complaints,
                        );
                    }
                }
                let key = (name.to_owned(), text(&one["name"]).to_owned());
                if compared.remove(&key).unwrap_or(0) == 0 {
                    complaints.push(format!("{it}: no rows of it are compared"));
                }
            }
            if is_empty {
                complaints.push(format!("{name} defines nothing"));
            }
        }
        let unknown = compared.into_keys();
        complaints.extend(
            unknown.map(|(module, name)| format!("{module}: {name}: there is no such thing")),
        );
        complaints
    }
}

fn text(json: &Json) -> &str {
    json.as_str().unwrap_or_default()
}

fn undocumented(name: &str, it: &Json, complaints: &mut Vec<String>) {
    if text(&it["description"]).trim().is_empty() {
        complaints.push(format!("{name}: it says nothing of itself"));
    }
}

impl Of<'_> {
    /// The rows of a statement that uses it are these.
    pub(super) fn same(&mut self, name: &str, columns: &str, from: &str, expected: &[Vec<Json>]) {
        let told = self.told(name, columns, from);
        assert_eq!(told, expected, "{name}: {columns} of {from}");
        self.count(name, told.len());
    }

    /// The same, where the order of the rows is not told.
    pub(super) fn same_in_any_order(
        &mut self,
        name: &str,
        columns: &str,
        from: &str,
        expected: &[Vec<Json>],
    ) {
        let sorted = |rows: &[Vec<Json>]| {
            let mut rows: Vec<String> = rows.iter().map(|row| json!(row).to_string()).collect();
            rows.sort();
            rows
        };
        let told = self.told(name, columns, from);
        assert_eq!(
            sorted(&told),
            sorted(expected),
            "{name}: {columns} of {from}"
        );
        self.count(name, told.len());
    }

    fn told(&self, name: &str, columns: &str, from: &str) -> Vec<Vec<Json>> {
        let statement = format!(
            "INCLUDE MODULE {}; SELECT {columns} FROM {from}",
            self.module
        );
        assert!(
            statement.contains(&format!("{name}(")),
            "{name}: {statement}"
        );
        rows(self.folder, &statement)
    }

    fn count(&mut self, name: &str, rows: usize) {
        let key = (self.module.to_owned(), name.to_owned());
        *self.compared.0.entry(key).or_default() += rows;
    }
}

#[test]
fn what_is_not_compared_or_says_nothing_is_refused_by_its_name() {
    let part = |name: &str, told: &str| json!({"name": name, "description": told});
    let library = [
        json!({"module": "std.a", "description": "A.", "definitions": [
            {"name": "f", "description": "F.", "arguments": [part("x", "X")], "columns": [part("y", " ")]},
            {"name": "g", "description": "", "arguments": [part("x", "")], "columns": []},
            {"name": "m!", "description": "M.", "arguments": [], "columns": []},
        ]}),
        json!({"module": "std.b", "description": "", "definitions": []}),
    ];
    let mut compared = Compared::default();
    for (name, rows) in [("f", 3), ("g", 0), ("h", 1)] {
        compared
            .0
            .insert(("std.a".to_owned(), name.to_owned()), rows);
    }
    assert_eq!(
        compared.complaints(&library),
        [
            "std.a: f: y: it says nothing of itself",
            "std.a: g: it says nothing of itself",
            "std.a: g: x: it says nothing of itself",
            "std.a: g: no rows of it are compared",
            "std.a: m!: no rows of it are compared",
            "std.b: it says nothing of itself",
            "std.b defines nothing",
            "std.a: h: there is no such thing",
        ]
    );
}

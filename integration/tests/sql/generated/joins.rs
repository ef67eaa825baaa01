//! Statements about several tables.

use super::copy::Copied;
use super::dice::{Dice, filter};
use super::statements::{Rows, Statement};

/// How tables stand together.
#[derive(Debug)]
pub(super) struct Shape {
    pub(super) name: &'static str,
    asked: &'static str,
    /// The same for the copy, in which functions are tables; nothing where it is the same.
    copied: &'static str,
    /// What the tables go by there.
    tables: &'static [(&'static str, &'static str)],
    /// A table that is asked by itself: `{inner}` is what is wanted of it.
    inner: Option<(&'static str, &'static str)>,
    condition: &'static str,
    /// What is told besides.
    also: &'static str,
}

const NONE: Shape = Shape {
    name: "",
    asked: "",
    copied: "",
    tables: &[],
    inner: None,
    condition: "1",
    also: "",
};

pub(super) static SHAPES: [Shape; 35] = [
    Shape {
        name: "calls and their callers",
        asked: "calls c LEFT JOIN calls p ON p.id = c.parent",
        tables: &[("c", "calls"), ("p", "calls")],
        ..NONE
    },
    Shape {
        name: "calls, and from where",
        asked: "calls c JOIN calls p ON p.id = c.parent",
        tables: &[("c", "calls")],
        condition: "p.boundary = 0",
        also: "c.call_line AS call_line",
        ..NONE
    },
    Shape {
        name: "calls and what they wrote",
        asked: "calls c JOIN writes w ON w.call = c.id",
        tables: &[("w", "writes"), ("c", "calls")],
        ..NONE
    },
    Shape {
        name: "ways of control by time",
        asked: "calls c, edges e",
        tables: &[("e", "edges"), ("c", "calls")],
        condition: "e.timestamp BETWEEN c.enter AND c.exit",
        ..NONE
    },
    Shape {
        name: "writes of calls",
        asked: "writes w",
        tables: &[("w", "writes")],
        inner: Some(("c", "calls")),
        condition: "w.call IN (SELECT c.id FROM calls c WHERE {inner})",
        ..NONE
    },
    Shape {
        name: "writes counted",
        asked: "calls c",
        tables: &[("c", "calls")],
        inner: Some(("w", "writes")),
        also: "(SELECT count(*) FROM writes w WHERE w.call = c.id AND ({inner})) AS written",
        ..NONE
    },
    Shape {
        name: "earlier writes",
        asked: "writes w JOIN writes v ON v.variable = w.variable AND v.timestamp < w.timestamp",
        tables: &[("w", "writes"), ("v", "writes")],
        ..NONE
    },
    Shape {
        name: "writes before reads",
        asked: "reads r JOIN writes w ON w.variable = r.variable AND w.timestamp < r.timestamp",
        tables: &[("r", "reads"), ("w", "writes")],
        ..NONE
    },
    Shape {
        name: "variables that nobody read",
        asked: "writes w",
        tables: &[("w", "writes")],
        inner: Some(("r", "reads")),
        condition: "NOT EXISTS (SELECT 1 FROM reads r WHERE r.variable = w.variable AND r.call = w.call AND NOT ({inner}))",
        ..NONE
    },
    Shape {
        name: "calls of methods",
        asked: "methods m JOIN calls c ON c.method_id = m.id",
        tables: &[("m", "methods"), ("c", "calls")],
        ..NONE
    },
    Shape {
        name: "arguments of methods",
        asked: "arguments a, methods m",
        tables: &[("a", "arguments"), ("m", "methods")],
        condition: "a.method_id = m.id",
        ..NONE
    },
    Shape {
        name: "calls and their arguments",
        asked: "calls c JOIN arguments a ON a.call = c.id",
        tables: &[("c", "calls"), ("a", "arguments")],
        ..NONE
    },
    Shape {
        name: "objects that were written",
        asked: "objects o JOIN writes w ON w.value_object = o.id",
        tables: &[("o", "objects"), ("w", "writes")],
        ..NONE
    },
    Shape {
        name: "objects that were given",
        asked: "arguments a LEFT JOIN objects o ON o.id = a.value_object",
        tables: &[("a", "arguments"), ("o", "objects")],
        ..NONE
    },
    Shape {
        name: "parts of objects",
        asked: "objects o JOIN writes w ON w.object = o.id",
        tables: &[("o", "objects"), ("w", "writes")],
        ..NONE
    },
    Shape {
        name: "calls of threads",
        asked: "threads t JOIN calls c ON c.thread = t.id",
        tables: &[("t", "threads"), ("c", "calls")],
        ..NONE
    },
    Shape {
        name: "monitors of threads",
        asked: "threads t JOIN monitors m ON m.thread = t.id",
        tables: &[("t", "threads"), ("m", "monitors")],
        ..NONE
    },
    Shape {
        name: "monitors that change hands",
        asked: "threads t, monitors m JOIN monitors n ON n.object = m.object AND n.thread <> m.thread",
        tables: &[("t", "threads"), ("m", "monitors"), ("n", "monitors")],
        condition: "t.id = n.thread AND n.timestamp BETWEEN m.timestamp AND m.timestamp + 60",
        ..NONE
    },
    Shape {
        name: "exceptions of methods",
        asked: "exceptions x JOIN calls c ON c.class = x.class AND c.method = x.method",
        tables: &[("x", "exceptions"), ("c", "calls")],
        ..NONE
    },
    Shape {
        name: "calls with exceptions",
        asked: "calls c",
        tables: &[("c", "calls")],
        inner: Some(("x", "exceptions")),
        condition: "EXISTS (SELECT 1 FROM exceptions x WHERE x.call = c.id AND ({inner}))",
        ..NONE
    },
    Shape {
        name: "calls without exceptions",
        asked: "calls c LEFT JOIN exceptions x ON x.call = c.id",
        tables: &[("c", "calls")],
        condition: "x.timestamp IS NULL",
        ..NONE
    },
    Shape {
        name: "events and their calls",
        asked: "events e LEFT JOIN calls c ON c.id = e.call",
        tables: &[("e", "events"), ("c", "calls")],
        ..NONE
    },
    Shape {
        name: "the calls of events",
        asked: "events e JOIN calls c ON c.enter = e.timestamp",
        tables: &[("e", "events"), ("c", "calls")],
        ..NONE
    },
    Shape {
        name: "calls with gaps",
        asked: "calls c JOIN gaps g ON g.call = c.id",
        tables: &[("c", "calls"), ("g", "gaps")],
        ..NONE
    },
    Shape {
        name: "calls and those in them",
        asked: "calls c JOIN descendants(c.id) f",
        copied: "calls c JOIN descendants f ON f.of_call = c.id",
        tables: &[("c", "calls"), ("f", "descendants")],
        ..NONE
    },
    Shape {
        name: "calls and their own, if they have any",
        asked: "calls c LEFT JOIN children(c.id) f ON f.boundary = 0",
        copied: "calls c LEFT JOIN children f ON f.of_call = c.id AND f.boundary = 0",
        tables: &[("c", "calls"), ("f", "children")],
        ..NONE
    },
    Shape {
        name: "calls and those around them",
        asked: "calls c, ancestors(c.id) f",
        copied: "calls c JOIN ancestors f ON f.of_call = c.id",
        tables: &[("c", "calls"), ("f", "ancestors")],
        ..NONE
    },
    Shape {
        name: "writes and what was before",
        asked: "writes w, history(w.variable) h",
        copied: "writes w JOIN history h ON h.of_variable = w.variable",
        tables: &[("w", "writes"), ("h", "history")],
        condition: "h.timestamp <= w.timestamp",
        ..NONE
    },
    Shape {
        name: "the time before",
        asked: "writes w",
        tables: &[("w", "writes")],
        inner: Some(("h", "history")),
        also: "(SELECT max(h.timestamp) FROM history h WHERE h.of_variable = w.variable AND h.timestamp < w.timestamp AND ({inner})) AS earlier",
        ..NONE
    },
    Shape {
        name: "classes below others",
        asked: "classes k LEFT JOIN classes s ON s.super = k.name AND s.in_scope = 1",
        tables: &[("k", "classes"), ("s", "classes")],
        condition: "k.in_scope = 1",
        ..NONE
    },
    Shape {
        name: "classes of calls",
        asked: "calls c JOIN classes k ON k.name = c.class",
        tables: &[("c", "calls"), ("k", "classes")],
        condition: "k.in_scope = 1",
        ..NONE
    },
    Shape {
        name: "fields of classes",
        asked: "classes k LEFT JOIN fields f ON f.class_id = k.id",
        tables: &[("k", "classes"), ("f", "fields")],
        condition: "k.in_scope = 1",
        ..NONE
    },
    Shape {
        name: "writes of fields",
        asked: "fields f JOIN writes w ON w.field_class = f.class AND w.name = f.name",
        tables: &[("f", "fields"), ("w", "writes")],
        ..NONE
    },
    Shape {
        name: "lines of methods",
        asked: "methods m JOIN lines l ON l.method_id = m.id",
        tables: &[("m", "methods"), ("l", "lines")],
        condition: "m.calls > 0",
        ..NONE
    },
    Shape {
        name: "lines that nothing was written in",
        asked: "lines l LEFT JOIN writes w ON w.class = l.class AND w.line = l.line",
        tables: &[("l", "lines")],
        condition: "w.timestamp IS NULL AND l.class IN (SELECT k.name FROM classes k WHERE k.in_scope = 1)",
        ..NONE
    },
];

impl Shape {
    /// The tables that it needs.
    pub(super) fn tables(&self) -> impl Iterator<Item = &'static str> {
        let all = self.tables.iter().chain(&self.inner);
        all.map(|(_, table)| *table)
    }

    /// Every other one has an answer in any case.
    pub(super) fn statement(&self, dice: &mut Dice, copy: &Copied, at: usize) -> Option<Statement> {
        let anchored = at.is_multiple_of(2);
        let inner = match self.inner {
            Some((alias, table)) if !anchored => filter(dice, &[(alias, copy.table(table))]),
            _ => "1".to_owned(),
        };
        let copied = match self.copied {
            "" => self.asked,
            copied => copied,
        };
        let tables = self.tables.iter();
        let rows = Rows {
            asked: self.asked.to_owned(),
            copied: copied.to_owned(),
            tables: tables
                .map(|(alias, table)| (*alias, copy.table(table)))
                .collect(),
            conditions: vec![self.condition.replace("{inner}", &inner)],
        };
        match at % 4 {
            2 => rows.groups(dice, copy, anchored),
            _ => rows.rows(dice, copy, &self.also.replace("{inner}", &inner), anchored),
        }
    }
}

//! The tables of the copy.

/// A table, as it is compared. Columns that neither the stream of events nor class files tell are left out.
#[derive(Debug)]
pub(super) struct Schema {
    pub(super) name: &'static str,
    columns: &'static str,
    /// Columns that are there to be joined by, but not to be shown: numbers that the stream tells of some rows alone, or not at all,
    /// so that the copy has its own.
    joined: &'static str,
    /// What no two rows have in common; of a function's rows, for the same argument.
    pub(super) unique: &'static [&'static str],
    /// What holds for the rows that the stream tells of.
    pub(super) always: &'static str,
    /// Of a table function: its argument, and the table whose columns it has.
    pub(super) function: Option<(&'static str, &'static str)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Of {
    Text,
    Int,
    Real,
}

const PLACE: &str = "timestamp INTEGER, thread INTEGER, call TEXT, class TEXT, method TEXT, line INTEGER, bytecode_index INTEGER";

const VARIABLE: &str =
    "variable TEXT, of TEXT, name TEXT, field_class TEXT, object INTEGER, element INTEGER";

const OF_THE_PROGRAM: &str = "class IN (SELECT k.name FROM classes k WHERE k.in_scope = 1)";

const NONE: Schema = Schema {
    name: "",
    columns: "",
    joined: "",
    unique: &["timestamp"],
    always: "",
    function: None,
};

const fn of_calls(name: &'static str) -> Schema {
    Schema {
        name,
        unique: &["enter"],
        function: Some(("of_call", "calls")),
        ..NONE
    }
}

pub(super) static SCHEMAS: [Schema; 19] = [
    Schema {
        name: "calls",
        columns: "id TEXT, thread INTEGER, number INTEGER, parent TEXT, depth INTEGER, class TEXT, method TEXT, descriptor TEXT, \
                  invocation INTEGER, enter INTEGER, exit INTEGER, size INTEGER, boundary INTEGER, already_running INTEGER, ended TEXT, \
                  receiver_kind TEXT, receiver_text TEXT, receiver_class TEXT, result_kind TEXT, result_int INTEGER, result_real REAL, \
                  result_text TEXT, result_class TEXT, exception INTEGER, exception_class TEXT",
        joined: "method_id INTEGER, call_line INTEGER, receiver_object INTEGER, result_object INTEGER",
        unique: &["enter"],
        ..NONE
    },
    Schema {
        name: "arguments",
        columns: "call TEXT, enter INTEGER, position INTEGER, name TEXT, type TEXT, value_kind TEXT, value_int INTEGER, value_real REAL, \
                  value_text TEXT, value_class TEXT",
        joined: "method_id INTEGER, value_object INTEGER",
        unique: &["enter", "position"],
        ..NONE
    },
    Schema {
        name: "events",
        columns: "{place}, kind TEXT, variable TEXT, detail TEXT, value_int INTEGER, value_real REAL, value_text TEXT, value_class TEXT",
        joined: "value_object INTEGER",
        ..NONE
    },
    Schema {
        name: "writes",
        columns: "{place}, {variable}, found INTEGER, value_int INTEGER, value_real REAL, value_text TEXT, value_class TEXT",
        joined: "value_object INTEGER",
        ..NONE
    },
    Schema {
        name: "reads",
        columns: "{place}, {variable}",
        ..NONE
    },
    Schema {
        name: "edges",
        columns: "{place}, to_index INTEGER",
        ..NONE
    },
    Schema {
        name: "exceptions",
        columns: "{place}, kind TEXT, exception INTEGER, exception_class TEXT, message TEXT",
        ..NONE
    },
    Schema {
        name: "monitors",
        columns: "{place}, action TEXT, object INTEGER, object_class TEXT",
        ..NONE
    },
    Schema {
        name: "gaps",
        columns: "{place}, reason TEXT",
        ..NONE
    },
    Schema {
        name: "objects",
        columns: "id INTEGER, object_class TEXT, length INTEGER, {place}",
        ..NONE
    },
    Schema {
        name: "threads",
        columns: "id INTEGER, name TEXT, calls INTEGER, end INTEGER",
        unique: &["id"],
        // Of others the stream need not tell.
        always: "calls > 0",
        ..NONE
    },
    Schema {
        name: "methods",
        columns: "class TEXT, name TEXT, descriptor TEXT, first_line INTEGER, calls INTEGER",
        joined: "id INTEGER",
        unique: &["class", "name", "descriptor"],
        always: "calls > 0",
        ..NONE
    },
    Schema {
        name: "classes",
        columns: "name TEXT, super TEXT, interfaces TEXT, source_file TEXT, in_scope INTEGER, modifiers INTEGER",
        joined: "id INTEGER",
        unique: &["name"],
        // The program's files tell of its own.
        always: "in_scope = 1",
        ..NONE
    },
    Schema {
        name: "fields",
        columns: "class TEXT, name TEXT, type TEXT, is_static INTEGER, modifiers INTEGER",
        joined: "class_id INTEGER",
        unique: &["class", "name"],
        always: OF_THE_PROGRAM,
        ..NONE
    },
    Schema {
        name: "lines",
        columns: "class TEXT, method TEXT, source_file TEXT, line INTEGER, bytecode_index INTEGER",
        joined: "method_id INTEGER",
        // Methods of one name may have the same: such rows do not differ.
        unique: &["class", "method", "bytecode_index", "line"],
        always: OF_THE_PROGRAM,
        ..NONE
    },
    of_calls("ancestors"),
    of_calls("children"),
    of_calls("descendants"),
    Schema {
        name: "history",
        function: Some(("of_variable", "writes")),
        ..NONE
    },
];

/// Tables of which the stream tells too little, and those that tell nothing of what happened. Other tests have them.
pub(super) const NOT_HERE: [&str; 10] = [
    "object_state",
    "loops",
    "state",
    "collection",
    "reachable",
    "coverage",
    "recordings",
    "sessions",
    "answers",
    "divergences",
];

pub(super) fn schema(name: &str) -> &'static Schema {
    let found = SCHEMAS.iter().find(|schema| schema.name == name);
    found.unwrap_or_else(|| panic!("no table {name}"))
}

fn taken_apart(columns: &str) -> Vec<(String, Of)> {
    let whole = columns
        .replace("{place}", PLACE)
        .replace("{variable}", VARIABLE);
    let declared = whole.split(", ").filter(|column| !column.is_empty());
    let column = |column: &str| {
        let (name, of) = column.split_once(' ').expect("a type");
        let of = match of {
            "TEXT" => Of::Text,
            "INTEGER" => Of::Int,
            "REAL" => Of::Real,
            _ => panic!("no type: {column}"),
        };
        (name.to_owned(), of)
    };
    declared.map(column).collect()
}

impl Schema {
    /// The columns that are compared.
    pub(super) fn shown(&self) -> Vec<(String, Of)> {
        match self.function {
            Some((_, of)) => schema(of).shown(),
            None => taken_apart(self.columns),
        }
    }

    /// All columns.
    pub(super) fn all(&self) -> Vec<(String, Of)> {
        match self.function {
            Some((_, of)) => schema(of).all(),
            None => [self.shown(), taken_apart(self.joined)].concat(),
        }
    }
}

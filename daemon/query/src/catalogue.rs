//! What queries there are.

use jhyde_trace::Level;

use crate::answer::{Column, ColumnType, Row};
use crate::error::Result;
use crate::named::{calls, executed, fields, histories, instances, objects, thrown, yes_no};
use crate::prepared::Ask;

/// A parameter of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// What it is, in words.
    pub doc: &'static str,
    /// It must be given.
    pub required: bool,
    /// It goes by its place on a command line; others go by their name.
    pub positional: bool,
    /// It is `true` or `false`.
    pub flag: bool,
}

/// What an answer costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cost {
    /// Indexes lead to what is shown: it costs what its rows cost.
    Rows,
    /// It reads the blocks of events in which the method that is asked about runs.
    Calls,
    /// It reads the blocks of events that write the field that is asked about.
    Fields,
    /// It reads all events of the part of the history that is asked about.
    Scan,
}

impl Cost {
    /// In words.
    pub fn doc(self) -> &'static str {
        match self {
            Self::Rows => "indexed: what its rows cost",
            Self::Calls => "indexed: the blocks of events in which the method runs are read",
            Self::Fields => "indexed: the blocks of events that write the field are read",
            Self::Scan => "a scan: all events of the part of the history are read",
        }
    }
}

type Run = fn(&Ask<'_>, &mut dyn FnMut(Row) -> Result<()>) -> Result<()>;

/// A query.
#[derive(Clone, Copy, Debug)]
pub struct Query {
    /// Its name.
    pub name: &'static str,
    /// What it answers.
    pub doc: &'static str,
    /// What it takes.
    pub parameters: &'static [Parameter],
    /// What its rows hold.
    pub columns: &'static [Column],
    /// The level from which on nothing of the answer is left out.
    pub level: Level,
    /// Below that level it is refused: there would be nothing to show.
    pub refuses: bool,
    /// What it costs.
    pub cost: Cost,
    pub(crate) run: Run,
}

const fn needed(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        name,
        doc,
        required: true,
        positional: true,
        flag: false,
    }
}

const fn optional(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        required: false,
        ..needed(name, doc)
    }
}

const fn named(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        positional: false,
        ..optional(name, doc)
    }
}

const fn flag(name: &'static str, doc: &'static str) -> Parameter {
    Parameter {
        flag: true,
        ..named(name, doc)
    }
}

const fn column(name: &'static str, of: ColumnType, doc: &'static str) -> Column {
    Column { name, of, doc }
}

const EVENT: Parameter = needed(
    "event",
    "the timestamp of an event, or a call (merge#3, 1.7), which stands for its beginning",
);
const OBJECT: Parameter = needed(
    "object",
    "an object: object#12, array#3, list#7, or its number",
);
const AT: Parameter = named(
    "at",
    "the timestamp of the event at which it is asked; without it the last event",
);
const NESTED: Parameter = flag("nested", "at any depth below the enclosing call");
const CALL: Column = column("call", ColumnType::Call, "the call");
const AT_EVENT: Column = column("event", ColumnType::Event, "when");
const WRITER: Column = column(
    "call",
    ColumnType::Call,
    "the call that wrote it, or in which it was found; null outside of all calls",
);
const PLACE: Column = column(
    "place",
    ColumnType::Place,
    "where in it; null where that is not known",
);
const VALUE: Column = column("value", ColumnType::Value, "the value");

/// Columns of questions to be answered by yes or no.
const VERDICT: &[Column] = &[
    column("what", ColumnType::Text, "what is asked about"),
    column("answer", ColumnType::Text, "yes, no, or: cannot be told"),
    column(
        "why",
        ColumnType::Text,
        "why it cannot be told, or why there may be more than were counted; else null",
    ),
    column("count", ColumnType::Int, "how often it is recorded"),
    column(
        "first",
        ColumnType::Event,
        "the first time; null if there is none",
    ),
    column(
        "last",
        ColumnType::Event,
        "the last time; null if there is none",
    ),
];

/// All queries.
pub const QUERIES: &[Query] = &[
    Query {
        name: "where",
        doc: "The call that encloses an event, with its method, receiver and arguments. The beginning and the end of a call \
              are enclosed by its caller.",
        parameters: &[EVENT],
        columns: &[CALL],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: calls::where_,
    },
    Query {
        name: "where-thrown",
        doc: "Where each exception was thrown that no recorded call caught, and the calls that it ended. One that a call caught and threw on (`finally` and `synchronized` do) is one exception, from where it was thrown first.",
        parameters: &[
            optional("thread", "only of this thread, by name or number"),
            flag(
                "caught",
                "also those that a recorded call caught, and where",
            ),
        ],
        columns: &[
            column(
                "thrown",
                ColumnType::Event,
                "when it was thrown, or first seen on its way",
            ),
            column("exception", ColumnType::Value, "the exception"),
            column(
                "fate",
                ColumnType::Text,
                "uncaught (it ended the thread), caught, left the recorded calls, or not caught yet",
            ),
            column(
                "call",
                ColumnType::Call,
                "the call in which it was thrown; null outside of all calls",
            ),
            PLACE,
            column(
                "ended",
                ColumnType::Calls,
                "the calls that it ended, innermost first",
            ),
            column(
                "caught_by",
                ColumnType::Call,
                "the call that caught it; else null",
            ),
            column("caught_at", ColumnType::Place, "where in it; else null"),
        ],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: thrown::where_thrown,
    },
    Query {
        name: "call-chain",
        doc: "All calls that enclose an event, innermost first, with arguments.",
        parameters: &[EVENT],
        columns: &[CALL],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: calls::call_chain,
    },
    Query {
        name: "call-tree",
        doc: "What a call called, in the order in which it began.",
        parameters: &[
            needed("call", "a call: merge#3, MergeSort.merge#3, 1.7"),
            named("depth", "so many levels below it; without it all"),
        ],
        columns: &[
            column(
                "depth",
                ColumnType::Int,
                "levels below the call that is asked about, from 1",
            ),
            CALL,
        ],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: calls::call_tree,
    },
    Query {
        name: "pre-calls",
        doc: "Calls of the call that encloses an event which had ended before it, with results or exceptions.",
        parameters: &[EVENT, NESTED],
        columns: &[CALL],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: calls::pre_calls,
    },
    Query {
        name: "post-calls",
        doc: "Calls of the call that encloses an event which began behind it, with results or exceptions.",
        parameters: &[EVENT, NESTED],
        columns: &[CALL],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: calls::post_calls,
    },
    Query {
        name: "locals",
        doc: "Receiver and locals of the call that encloses an event, before and after it.",
        parameters: &[EVENT],
        columns: &[
            column(
                "name",
                ColumnType::Text,
                "its name in source; @SLOT without a table of locals",
            ),
            column("type", ColumnType::Text, "its declared type"),
            column(
                "before",
                ColumnType::Value,
                "its value before the event; null where it had none",
            ),
            column(
                "after",
                ColumnType::Value,
                "its value after it; null where it had none",
            ),
            column(
                "change",
                ColumnType::Text,
                "written (by the event, even with an equal value), kept, or not recorded",
            ),
        ],
        level: Level::State,
        refuses: false,
        cost: Cost::Rows,
        run: calls::locals,
    },
    Query {
        name: "object-state",
        doc: "Each field of an object at a time, inherited and static ones, too; elements of an array; what an object of the \
              JDK holds. With the write that the value is from.",
        parameters: &[OBJECT, AT],
        columns: &[
            column("name", ColumnType::Text, "the variable's name in source"),
            column(
                "kind",
                ColumnType::Text,
                "field, static, element or content",
            ),
            column("type", ColumnType::Text, "its declared type"),
            column(
                "value",
                ColumnType::Value,
                "what it held; null where it was not there yet",
            ),
            column(
                "from",
                ColumnType::Text,
                "written; found (when the object was first seen, or by a recording that began later); never written (it had its default); not there yet (the object is made later); content; not recorded",
            ),
            column(
                "event",
                ColumnType::Event,
                "the event that wrote or found it; else null",
            ),
            WRITER,
            PLACE,
        ],
        level: Level::State,
        refuses: false,
        cost: Cost::Rows,
        run: objects::object_state,
    },
    Query {
        name: "field-history",
        doc: "Values of a field in the order of time: of one object, or of all instances.",
        parameters: &[needed(
            "field",
            "object#12.size, Cart.size (all instances), or a static field, shop.Cart.COUNT",
        )],
        columns: &[
            AT_EVENT,
            column(
                "object",
                ColumnType::Value,
                "whose field; null for a static one",
            ),
            VALUE,
            WRITER,
            PLACE,
        ],
        level: Level::State,
        refuses: true,
        cost: Cost::Fields,
        run: fields::field_history,
    },
    Query {
        name: "local-history",
        doc: "Values of a local in the order of time: of one call, or of all calls of a method.",
        parameters: &[needed(
            "local",
            "CALL:name (merge#3:i, 1.7:i) or METHOD:name (MergeSort.merge:i)",
        )],
        columns: &[
            AT_EVENT,
            VALUE,
            column("call", ColumnType::Call, "whose local"),
            PLACE,
        ],
        level: Level::State,
        refuses: true,
        cost: Cost::Rows,
        run: histories::local_history,
    },
    Query {
        name: "argument-history",
        doc: "What a call, or each call of a method, was given, in the order of time.",
        parameters: &[
            needed(
                "of",
                "a call (merge#3) or a method (merge, MergeSort.merge)",
            ),
            optional("name", "only the argument of this name"),
        ],
        columns: &[
            column("event", ColumnType::Event, "when the call began"),
            column(
                "name",
                ColumnType::Text,
                "the argument's name; arg0 … without a table of locals",
            ),
            VALUE,
            CALL,
        ],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: histories::argument_history,
    },
    Query {
        name: "return-history",
        doc: "How a call, or each call of a method, ended, in the order of time.",
        parameters: &[needed(
            "of",
            "a call (merge#3) or a method (merge, MergeSort.merge)",
        )],
        columns: &[
            column("event", ColumnType::Event, "when it ended"),
            column(
                "how",
                ColumnType::Text,
                "returned, threw, or not recorded (it ran when the recording ended, or its end was not seen)",
            ),
            column("value", ColumnType::Value, "the result, or the exception"),
            CALL,
        ],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: histories::return_history,
    },
    Query {
        name: "structure-history",
        doc: "What an array or an object of the JDK (a list, a map, a builder) held after each change.",
        parameters: &[OBJECT],
        columns: &[
            AT_EVENT,
            column(
                "element",
                ColumnType::Int,
                "of an array: the index that was written; else null",
            ),
            column(
                "value",
                ColumnType::Value,
                "the value that was written; of objects of the JDK all that it held",
            ),
            column(
                "elements",
                ColumnType::Fields,
                "of an array: the first 100 elements; else null",
            ),
            WRITER,
            PLACE,
        ],
        level: Level::State,
        refuses: true,
        cost: Cost::Rows,
        run: objects::structure_history,
    },
    Query {
        name: "instances",
        doc: "The objects of a class and its subclasses by a time: where and when they were made, and their states then.",
        parameters: &[
            needed("class", "a class, by its whole name or without package"),
            AT,
        ],
        columns: &[
            column(
                "object",
                ColumnType::Value,
                "the object, as it was at the time",
            ),
            column(
                "made",
                ColumnType::Event,
                "when it was made; null where that was not recorded, or before --from",
            ),
            column("seen", ColumnType::Event, "when it was first seen"),
            column(
                "call",
                ColumnType::Call,
                "the call that made it; null where that was not recorded",
            ),
            PLACE,
            column(
                "state",
                ColumnType::Fields,
                "its first 100 fields at the time",
            ),
        ],
        level: Level::State,
        refuses: false,
        cost: Cost::Scan,
        run: instances::instances,
    },
    Query {
        name: "threads",
        doc: "The threads, and which run.",
        parameters: &[],
        columns: &[
            column("id", ColumnType::Int, "its number"),
            column("name", ColumnType::Text, "its name when it was first seen"),
            column("group", ColumnType::Text, "its group"),
            column("state", ColumnType::Text, "not started, running, ended"),
            column("start", ColumnType::Event, "its first event"),
            column("end", ColumnType::Event, "its end; null if it had none"),
            column("calls", ColumnType::Int, "calls that began in it"),
        ],
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: calls::threads,
    },
    Query {
        name: "executed",
        doc: "Was a line executed, and which way did each of its conditions go? A row for the line, and one for each way of \
              each condition on it. What is counted is how often control is seen to come to the line.",
        parameters: &[needed("line", "Class:LINE, such as MergeSort:53")],
        columns: VERDICT,
        level: Level::Full,
        refuses: false,
        cost: Cost::Calls,
        run: executed::executed,
    },
    Query {
        name: "called",
        doc: "Was a method called?",
        parameters: &[needed(
            "method",
            "merge, MergeSort.merge, pkg.MergeSort.merge(II)V",
        )],
        columns: VERDICT,
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: yes_no::called,
    },
    Query {
        name: "assigned",
        doc: "Was a field given a value? A default that nobody wrote is not counted.",
        parameters: &[
            needed(
                "field",
                "object#12.size, Cart.size (any instance), or a static field, shop.Cart.COUNT",
            ),
            needed(
                "value",
                "null, true, 42, 1.5, 'x', \"text\", object#12, Side.SELL",
            ),
        ],
        columns: VERDICT,
        level: Level::State,
        refuses: false,
        cost: Cost::Fields,
        run: yes_no::assigned,
    },
    Query {
        name: "exists",
        doc: "Is there an instance of a class or its subclasses, made or met by recorded calls by a time? Whether the garbage \
              collector has taken it is not asked.",
        parameters: &[
            needed("class", "a class, by its whole name or without package"),
            AT,
        ],
        columns: VERDICT,
        level: Level::Calls,
        refuses: false,
        cost: Cost::Scan,
        run: yes_no::exists,
    },
    Query {
        name: "caught",
        doc: "Was an exception of a class or its subclasses caught by a recorded call? `finally` and `synchronized` blocks that it passes catch it, too, and throw it on.",
        parameters: &[needed(
            "class",
            "a class, by its whole name or without package",
        )],
        columns: VERDICT,
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: yes_no::caught,
    },
    Query {
        name: "running",
        doc: "Does a thread run at a time?",
        parameters: &[needed("thread", "a thread, by name or number"), AT],
        columns: VERDICT,
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: yes_no::running,
    },
    Query {
        name: "exited",
        doc: "Has a thread ended by a time?",
        parameters: &[needed("thread", "a thread, by name or number"), AT],
        columns: VERDICT,
        level: Level::Calls,
        refuses: false,
        cost: Cost::Rows,
        run: yes_no::exited,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_query_is_described_once_and_its_optional_places_come_last() {
        for (at, query) in QUERIES.iter().enumerate() {
            assert!(
                !query.doc.is_empty() && !query.columns.is_empty(),
                "{}",
                query.name
            );
            assert!(
                QUERIES[at + 1..]
                    .iter()
                    .all(|other| other.name != query.name)
            );
            let places = query.parameters.iter().filter(|p| p.positional);
            assert!(
                places.map(|p| p.required).is_sorted_by(|a, b| a >= b),
                "{}",
                query.name
            );
            assert!(query.parameters.iter().all(|p| !p.required || p.positional));
        }
    }
}

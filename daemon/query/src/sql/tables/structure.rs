//! Threads, and what is known of the program's classes.

use std::ops::Range;
use std::sync::Arc;

use jhyde_history::view::ThreadView;
use jhyde_store::records::{FieldRef, MethodRef};
use jhyde_trace::{ClassInfo, Event, Level, LineEntry, Timestamp};

use crate::error::Result;
use crate::sql::datum::Datum;
use crate::sql::extent::Reads;
use crate::sql::table::{Access, Bounds, Column, Row, Table};
use crate::sql::world::{RowsOf, World};

impl Row for ThreadView {
    fn number(&self) -> u64 {
        self.id.0.into()
    }
}

impl Row for Arc<ClassInfo> {
    fn number(&self) -> u64 {
        self.id.0.into()
    }
}

impl Row for MethodRef {
    fn number(&self) -> u64 {
        self.method().id.0.into()
    }
}

impl Row for FieldRef {
    fn number(&self) -> u64 {
        self.field().id.0.into()
    }
}

/// The one way of tables that are short, or lie in memory: all rows, wherever a statement begins.
pub(super) fn from_memory<T>(
    find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<T>>,
) -> Vec<Access<T>> {
    vec![Access {
        by: "all, from memory",
        equal: &[],
        range: None,
        order: None,
        backward: false,
        cost: 3000.0,
        reads: Reads::Nothing,
        find,
    }]
}

/// The same of threads, of each of which the last event says whether it has ended.
fn each_thread<T>(find: fn(&Arc<World>, &Bounds) -> Result<RowsOf<T>>) -> Vec<Access<T>> {
    let mut all = from_memory(find);
    for access in &mut all {
        access.reads = Reads::EachThread;
    }
    all
}

/// `threads`.
pub(super) fn threads() -> Table<ThreadView> {
    Table {
        name: "threads",
        doc: "The threads that were seen.",
        level: Level::Calls,
        columns: vec![
            Column::<ThreadView>::int(
                "id",
                "the thread's number, from 1, as first seen",
                |_, row: &ThreadView| Ok(Datum::Int(row.id.0.into())),
            ),
            Column::<ThreadView>::text("name", "its name", |_, row| Ok(Datum::text(&row.name))),
            Column::<ThreadView>::text(
                "thread_group",
                "its group's name; empty if it had none",
                |_, row| Ok(Datum::text(&row.group)),
            ),
            Column::<ThreadView>::int("calls", "how many calls it made", |_, row| {
                Ok(Datum::count(row.calls))
            }),
            Column::<ThreadView>::int("start", "its first event; null if it has none", |_, row| {
                Ok(Datum::or_null(row.start, |at| Datum::count(at.0)))
            }),
            Column::<ThreadView>::int(
                "end",
                "the event in which it ended; null while it runs, and where that is not recorded",
                |_, row| Ok(Datum::or_null(row.end, |at| Datum::count(at.0))),
            ),
        ],
        accesses: each_thread(|world, _| {
            let all = world.history.threads()?;
            for note in all.notes {
                world.note(note);
            }
            let is_seen = |at: &Timestamp| *at < world.span.until;
            let mut rows = Vec::new();
            for mut thread in all.threads {
                thread.start = thread.start.filter(is_seen);
                thread.end = thread.end.filter(is_seen);
                let numbers = world.numbers(thread.id, Timestamp(0), world.span.until)?;
                thread.calls = numbers.end - numbers.start;
                rows.push(Ok(thread));
            }
            Ok(Box::new(rows.into_iter()))
        }),
    }
}

fn each_class(world: &World) -> Result<Vec<Arc<ClassInfo>>> {
    let recording = world.recording();
    if let Some(lost) = recording.lost_classes() {
        world.note(format!("some classes are damaged: {lost}"));
    }
    let mut classes = Vec::new();
    for id in recording.classes() {
        match recording.class(id) {
            Err(jhyde_store::Error::Damaged { .. }) => {}
            class => classes.extend(class?),
        }
    }
    Ok(classes)
}

pub(super) fn each_method(world: &World) -> Result<impl Iterator<Item = MethodRef> + use<>> {
    let classes = each_class(world)?.into_iter();
    Ok(classes.flat_map(|class| {
        (0..class.methods.len()).map(move |position| MethodRef {
            class: Arc::clone(&class),
            position,
        })
    }))
}

/// `classes`.
pub(super) fn classes() -> Table<Arc<ClassInfo>> {
    Table {
        name: "classes",
        doc: "The classes, interfaces and array types that were met.",
        level: Level::Calls,
        columns: vec![
            Column::<Arc<ClassInfo>>::int(
                "id",
                "the class's number, as first seen",
                |_, row: &Arc<ClassInfo>| Ok(Datum::Int(row.id.0.into())),
            ),
            Column::<Arc<ClassInfo>>::text(
                "name",
                "its name, dotted: `java.util.Map$Entry`",
                |_, row| Ok(Datum::text(&row.name)),
            ),
            Column::<Arc<ClassInfo>>::text(
                "super",
                "the class that it extends; null where that is not known",
                |_, row| Ok(Datum::or_null(row.super_name.as_ref(), Datum::text)),
            ),
            Column::<Arc<ClassInfo>>::text(
                "interfaces",
                "the interfaces that it names itself, with commas between",
                |_, row| Ok(Datum::Text(row.interfaces.join(","))),
            ),
            Column::<Arc<ClassInfo>>::text(
                "source_file",
                "its source file, without folder",
                |_, row| Ok(Datum::or_null(row.source_file.as_ref(), Datum::text)),
            ),
            Column::<Arc<ClassInfo>>::int("in_scope", "1 if its inside was recorded", |_, row| {
                Ok(Datum::flag(row.in_scope))
            }),
            Column::<Arc<ClassInfo>>::int("modifiers", "its flags (JVMS 4.1)", |_, row| {
                Ok(Datum::Int(row.modifiers.into()))
            }),
            Column::<Arc<ClassInfo>>::int(
                "made",
                "how many objects of this very class recorded calls made, answered from what is counted of each block; null below level `state`",
                |world, row| {
                    if world.level < Level::State {
                        return Ok(Datum::Null);
                    }
                    let made = world.counted()?.made.get(&row.id);
                    Ok(Datum::count(made.copied().unwrap_or(0)))
                },
            ),
        ],
        accesses: from_memory(|world, _| Ok(Box::new(each_class(world)?.into_iter().map(Ok)))),
    }
}

/// `methods`.
pub(super) fn methods() -> Table<MethodRef> {
    Table {
        name: "methods",
        doc: "The methods, constructors and static initialisers of those classes.",
        level: Level::Calls,
        columns: vec![
            Column::<MethodRef>::int(
                "id",
                "the method's number: `calls.method_id`",
                |_, row: &MethodRef| Ok(Datum::Int(row.method().id.0.into())),
            ),
            Column::<MethodRef>::int(
                "class_id",
                "the class that declares it: `classes.id`",
                |_, row| Ok(Datum::Int(row.class.id.0.into())),
            ),
            Column::<MethodRef>::text("class", "the name of that class", |_, row| {
                Ok(Datum::text(&row.class.name))
            }),
            Column::<MethodRef>::text("name", "its name", |_, row| {
                Ok(Datum::text(&row.method().name))
            }),
            Column::<MethodRef>::text(
                "descriptor",
                "its parameters and result (JVMS 4.3.3)",
                |_, row| Ok(Datum::text(&row.method().descriptor)),
            ),
            Column::<MethodRef>::int("modifiers", "its flags (JVMS 4.6)", |_, row| {
                Ok(Datum::Int(row.method().modifiers.into()))
            }),
            Column::<MethodRef>::int(
                "first_line",
                "the least line of its code; null where that is not known",
                |_, row| {
                    let line = row.method().lines.iter().map(|entry| entry.line).min();
                    Ok(Datum::or_null(line, |line| Datum::Int(line.into())))
                },
            ),
            Column::<MethodRef>::int(
                "calls",
                "how many calls of it there are, answered from the index",
                |world, row| {
                    // The count of all is exact where nothing came behind what is seen.
                    let (id, until) = (row.method().id, world.span.until);
                    match world.recording().invocation_at(id, until) {
                        Err(error @ jhyde_store::Error::Damaged { .. }) => {
                            world.note(format!("calls of some methods are not counted: {error}"));
                            Ok(Datum::Null)
                        }
                        count => Ok(Datum::count(count?)),
                    }
                },
            ),
            Column::<MethodRef>::int(
                "events",
                "how many events its calls have, without those of calls that they make, answered from what is counted of each block",
                |world, row| {
                    let counted = world.counted()?;
                    Ok(Datum::count(counted.events_of(row.method().id)))
                },
            ),
        ],
        accesses: from_memory(|world, _| Ok(Box::new(each_method(world)?.map(Ok)))),
    }
}

/// A stretch of a method's code that is compiled from one line.
pub(super) struct CodeLine {
    method: MethodRef,
    position: usize,
}

impl CodeLine {
    fn entry(&self) -> Option<&LineEntry> {
        self.method.method().lines.get(self.position)
    }

    /// Up to the next row's; events that have no place are behind all code.
    fn indexes(&self) -> Option<Range<u32>> {
        let start = self.entry()?.start;
        let next = self.method.method().lines.get(self.position + 1);
        let end = next.map_or(Event::NO_INDEX, |next| next.start);
        Some(start..end)
    }
}

impl Row for CodeLine {
    fn number(&self) -> u64 {
        // Code has at most 65,535 bytes, and so many lines.
        (u64::from(self.method.method().id.0) << 16) | self.position as u64
    }
}

/// `lines`.
pub(super) fn lines() -> Table<CodeLine> {
    let of_method = |id| Datum::Int(i64::from(id));
    Table {
        name: "lines",
        doc: "Which line of the source which bytecode of the methods comes from, as far as their classes tell it. A line may have several rows.",
        level: Level::Calls,
        columns: vec![
            Column::<CodeLine>::int(
                "method_id",
                "the method: `methods.id`",
                move |_, row: &CodeLine| Ok(of_method(row.method.method().id.0)),
            ),
            Column::<CodeLine>::text("class", "the class that declares it, dotted", |_, row| {
                Ok(Datum::text(&row.method.class.name))
            }),
            Column::<CodeLine>::text("method", "its name", |_, row| {
                Ok(Datum::text(&row.method.method().name))
            }),
            Column::<CodeLine>::text(
                "source_file",
                "the source file, without folder",
                |_, row| {
                    Ok(Datum::or_null(
                        row.method.class.source_file.as_ref(),
                        Datum::text,
                    ))
                },
            ),
            Column::<CodeLine>::int("line", "the line, from 1", |_, row| {
                Ok(Datum::or_null(row.entry(), |entry| {
                    Datum::Int(entry.line.into())
                }))
            }),
            Column::<CodeLine>::int(
                "bytecode_index",
                "the first index of its code, up to that of the next row of the method",
                |_, row| {
                    Ok(Datum::or_null(row.entry(), |entry| {
                        Datum::Int(entry.start.into())
                    }))
                },
            ),
            Column::<CodeLine>::int(
                "events",
                "how many events happened at this code, answered from what is counted of each block",
                |world, row| {
                    let counted = world.counted()?;
                    Ok(Datum::or_null(row.indexes(), |indexes| {
                        Datum::count(counted.events_at(row.method.method().id, indexes))
                    }))
                },
            ),
        ],
        accesses: from_memory(|world, _| {
            let methods = each_method(world)?.flat_map(|method| {
                (0..method.method().lines.len()).map(move |position| {
                    Ok(CodeLine {
                        method: method.clone(),
                        position,
                    })
                })
            });
            Ok(Box::new(methods))
        }),
    }
}

/// `fields`.
pub(super) fn fields() -> Table<FieldRef> {
    Table {
        name: "fields",
        doc: "The fields of those classes.",
        level: Level::Calls,
        columns: vec![
            Column::<FieldRef>::int("id", "the field's number", |_, row: &FieldRef| {
                Ok(Datum::Int(row.field().id.0.into()))
            }),
            Column::<FieldRef>::int(
                "class_id",
                "the class that declares it: `classes.id`",
                |_, row| Ok(Datum::Int(row.class.id.0.into())),
            ),
            Column::<FieldRef>::text("class", "the name of that class", |_, row| {
                Ok(Datum::text(&row.class.name))
            }),
            Column::<FieldRef>::text("name", "its name", |_, row| {
                Ok(Datum::text(&row.field().name))
            }),
            Column::<FieldRef>::text("type", "its type, as in source", |_, row| {
                Ok(Datum::Text(jhyde_history::text::type_name(
                    &row.field().descriptor,
                )))
            }),
            Column::<FieldRef>::int("is_static", "1 for a static field", |_, row| {
                Ok(Datum::flag(row.field().is_static()))
            }),
            Column::<FieldRef>::int("modifiers", "its flags (JVMS 4.5)", |_, row| {
                Ok(Datum::Int(row.field().modifiers.into()))
            }),
        ],
        accesses: from_memory(|world, _| {
            let classes = each_class(world)?.into_iter();
            let fields = classes.flat_map(|class| {
                (0..class.fields.len()).map(move |position| {
                    Ok(FieldRef {
                        class: Arc::clone(&class),
                        position,
                    })
                })
            });
            Ok(Box::new(fields))
        }),
    }
}

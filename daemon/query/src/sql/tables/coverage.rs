//! `coverage`: which ways of control were gone, and which were not.
//!
//! The entities are those that sessions weigh (design, section 2): the entry of a method, and each outcome of each condition. What is counted stands in
//! the events; the entities that nothing covered follow from the code.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::sync::{Arc, OnceLock};

use jhyde_bytecode::{Code, CoverageEdges, Outcome};
use jhyde_store::Lookup;
use jhyde_store::records::{Direction, MethodRef, TimedEvent};
use jhyde_trace::{CallId, Event, EventKind, Level, MethodId, Timestamp};
use rustc_hash::{FxHashMap, FxHashSet};

use super::structure::each_method;
use crate::error::Result;
use crate::span::NO_INDEX;
use crate::sql::datum::Datum;
use crate::sql::extent::{Leads, Reads};
use crate::sql::table::{Access, Column, Row, Table};
use crate::sql::world::{RowsOf, World};

/// The condition, none for the entry, and where control went on.
type Way = (Option<u32>, u32);

/// In how many calls a way was gone, and when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Gone {
    calls: u64,
    first: Option<Timestamp>,
    last: Option<Timestamp>,
}

impl Gone {
    fn add(&mut self, at: Timestamp, is_new_in_call: bool) {
        self.calls += u64::from(is_new_in_call);
        self.first = Some(self.first.map_or(at, |first| first.min(at)));
        self.last = Some(self.last.map_or(at, |last| last.max(at)));
    }
}

type Counts = FxHashMap<MethodId, BTreeMap<Way, Gone>>;

/// What only the events tell, once somebody asks for it.
struct Looked {
    /// The method whose events are looked at; none for those of all.
    method: Option<MethodId>,
    counts: OnceLock<Counts>,
}

impl Looked {
    fn at(&self, world: &World, method: MethodId, way: Way) -> Result<Gone> {
        let counts = match self.counts.get() {
            Some(counts) => counts,
            None => {
                let counts = match self.method {
                    Some(method) => of_method(world, method)?,
                    None => of_all(world)?,
                };
                self.counts.get_or_init(|| counts)
            }
        };
        let gone = counts.get(&method).and_then(|ways| ways.get(&way));
        Ok(gone.copied().unwrap_or_default())
    }
}

/// A way of a method.
pub(super) struct Covered {
    number: u64,
    method: MethodRef,
    way: Way,
    outcome: Option<String>,
    looked: Arc<Looked>,
}

impl Row for Covered {
    fn number(&self) -> u64 {
        self.number
    }
}

impl Covered {
    fn times(&self, world: &World) -> Result<u64> {
        let (method, counted) = (self.method.method().id, world.counted()?);
        let times = match self.way {
            (None, _) => counted.entries.get(&method),
            (Some(from), to) => counted.ways.get(&(method, from, to)),
        };
        Ok(times.copied().unwrap_or(0))
    }

    fn gone(&self, world: &World) -> Result<Gone> {
        // Most ways of most programs are never gone.
        match self.times(world)? {
            0 => Ok(Gone::default()),
            _ => self.looked.at(world, self.method.method().id, self.way),
        }
    }

    fn line(&self, index: u32) -> Datum {
        Datum::or_null(self.method.method().line_of(index), |line| {
            Datum::Int(line.into())
        })
    }
}

/// `coverage`.
pub(super) fn coverage() -> Table<Covered> {
    Table {
        name: "coverage",
        doc: "The ways of control in the methods of the recorded classes, gone or not: the entry of each method and each outcome of each condition and switch. How often is answered from what is \
              counted of each block; for `calls`, `first` and `last` of what was gone all events are gone through, or those of one method's calls.",
        level: Level::Full,
        columns: vec![
            Column::<Covered>::int(
                "method_id",
                "the method: `methods.id`",
                |_, row: &Covered| Ok(Datum::Int(row.method.method().id.0.into())),
            ),
            Column::<Covered>::text("class", "the class that declares it, dotted", |_, row| {
                Ok(Datum::text(&row.method.class.name))
            }),
            Column::<Covered>::text("method", "its name", |_, row| {
                Ok(Datum::text(&row.method.method().name))
            }),
            Column::<Covered>::int(
                "line",
                "the line of the condition; of an entry that of the method's first instruction",
                |_, row| Ok(row.line(row.way.0.unwrap_or(0))),
            ),
            Column::<Covered>::int(
                "bytecode_index",
                "the condition: `edges.bytecode_index`; null for an entry",
                |_, row| Ok(Datum::or_null(row.way.0, |from| Datum::Int(from.into()))),
            ),
            Column::<Covered>::int(
                "to_index",
                "the instruction that comes next: `edges.to_index`",
                |_, row| Ok(Datum::Int(row.way.1.into())),
            ),
            Column::<Covered>::int("to_line", "its line", |_, row| Ok(row.line(row.way.1))),
            Column::<Covered>::text(
                "outcome",
                "entry; taken or not taken, of a jump of the bytecode, which may stand for the opposite of the source's condition; default or case N, of a switch; several that lead to one place \
                 with commas. Null where the code is not recorded",
                |_, row| Ok(Datum::or_null(row.outcome.as_ref(), Datum::text)),
            ),
            Column::<Covered>::int("times", "how often it was gone", |world, row| {
                Ok(Datum::count(row.times(world)?))
            }),
            Column::<Covered>::int("calls", "in how many calls", |world, row| {
                Ok(Datum::count(row.gone(world)?.calls))
            }),
            Column::<Covered>::int(
                "first",
                "the event in which it was first; null where never",
                |world, row| {
                    let first = row.gone(world)?.first;
                    Ok(Datum::or_null(first, |at| Datum::count(at.0)))
                },
            ),
            Column::<Covered>::int("last", "the event in which it was last", |world, row| {
                let last = row.gone(world)?.last;
                Ok(Datum::or_null(last, |at| Datum::count(at.0)))
            }),
        ],
        accesses: vec![
            Access {
                by: "counts of blocks; index of blocks in which the method runs",
                equal: &["method_id"],
                range: None,
                order: None,
                backward: false,
                cost: 1e5,
                reads: Reads::Led(|world, _| Ok(uncounted(world))),
                find: |world, bounds| {
                    let id = bounds.number("method_id");
                    let id = id.and_then(|id| u32::try_from(id).ok()).map(MethodId);
                    let method = id.map(|id| world.method(id)).transpose()?.flatten();
                    let methods: Vec<_> = method.into_iter().collect();
                    if let Some(lost) = world.recording().lost_classes() {
                        world.note(format!("some classes are damaged: {lost}"));
                    }
                    rows(world, methods, id)
                },
            },
            Access {
                by: "counts of blocks; all events",
                equal: &[],
                range: None,
                order: None,
                backward: false,
                cost: 1e7,
                reads: Reads::Led(|world, _| Ok(uncounted(world))),
                find: |world, _| rows(world, each_method(world)?.collect(), None),
            },
        ],
    }
}

/// The blocks of which no counts are kept. What cells need besides is not known before they are asked for.
fn uncounted(world: &World) -> Leads {
    match world.recording().has_tallies() {
        true => Vec::new(),
        false => vec![(Lookup::Time, Timestamp(0)..world.span.until)],
    }
}

/// Calls that run, with their methods and the ways that they have gone.
type Running = FxHashMap<CallId, (MethodId, FxHashSet<(u32, u32)>)>;

/// Of one method.
fn of_method(world: &World, method: MethodId) -> Result<Counts> {
    if !world.recording().has_index_of_references() {
        world.note(NO_INDEX);
    }
    let range = Timestamp(0)..world.span.until;
    let events = world.recording().events_of_method(method, range);
    let own = events.filter_map(|row| match row {
        // The beginnings of calls that it makes are of other methods, or come again as their own.
        Ok(row) if row.event.call != row.call => None,
        row => Some(row.map(|row| TimedEvent {
            timestamp: row.timestamp,
            event: row.event,
        })),
    });
    counted(world, own)
}

/// Of all methods.
fn of_all(world: &World) -> Result<Counts> {
    let range = Timestamp(0)..world.span.until;
    let events = world.recording().events(range, None, Direction::Forward);
    counted(world, events)
}

/// What is kept besides the counts is of the calls that run.
fn counted(
    world: &World,
    events: impl Iterator<Item = jhyde_store::Result<TimedEvent>>,
) -> Result<Counts> {
    let mut counts = Counts::default();
    let mut running = Running::default();
    for (event, count) in events.zip(0_u64..) {
        if count.is_multiple_of(1024) && world.is_over() {
            return Err(world.why_over());
        }
        let Some(event) = world.row(event)? else {
            continue;
        };
        one(
            world,
            &event.event,
            event.timestamp,
            &mut running,
            &mut counts,
        )?;
    }
    Ok(counts)
}

fn one(
    world: &World,
    event: &Event,
    at: Timestamp,
    running: &mut Running,
    counts: &mut Counts,
) -> Result<()> {
    match &event.kind {
        EventKind::Enter {
            method,
            boundary: false,
            already_running,
            ..
        } => {
            running.insert(event.call, (*method, FxHashSet::default()));
            if !already_running {
                let ways = counts.entry(*method).or_default();
                ways.entry((None, 0)).or_default().add(at, true);
            }
        }
        EventKind::Exit { .. } => {
            running.remove(&event.call);
        }
        EventKind::Edge { from, to } => {
            let (method, seen) = match running.entry(event.call) {
                Entry::Occupied(call) => call.into_mut(),
                // Its beginning is damaged, or was cut off.
                Entry::Vacant(call) => match world.method_of(event.call)? {
                    Some(method) => call.insert((method.method().id, FxHashSet::default())),
                    None => return Ok(()),
                },
            };
            let is_new = seen.insert((*from, *to));
            let ways = counts.entry(*method).or_default();
            ways.entry((Some(*from), *to)).or_default().add(at, is_new);
        }
        _ => {}
    }
    Ok(())
}

/// All ways of these methods.
fn rows(
    world: &Arc<World>,
    methods: Vec<MethodRef>,
    of: Option<MethodId>,
) -> Result<RowsOf<Covered>> {
    let looked = Arc::new(Looked {
        method: of,
        counts: OnceLock::new(),
    });
    let world = Arc::clone(world);
    let rows = methods.into_iter().flat_map(move |method| {
        let ways = match ways(&world, &method) {
            Ok(ways) => ways,
            Err(error) => return vec![Err(error)],
        };
        let rows = ways.into_iter().map(|(way, outcomes)| {
            Ok(Covered {
                number: number(method.method().id, way),
                method: method.clone(),
                way,
                outcome: in_words(&outcomes),
                looked: Arc::clone(&looked),
            })
        });
        rows.collect::<Vec<_>>()
    });
    Ok(Box::new(rows))
}

/// The ways that a method's code has, and of a method without code those that were gone.
fn ways(world: &World, method: &MethodRef) -> Result<BTreeMap<Way, Vec<Outcome>>> {
    let info = method.method();
    // Abstract and native methods have none.
    let code = Some(&info.code).filter(|code| !code.is_empty());
    let mut ways: BTreeMap<Way, Vec<Outcome>> = BTreeMap::new();
    if let Some(code) = code.and_then(|code| Code::decode(code).ok()) {
        // The jumps back of loops are told as edges, too, and nothing is decided there.
        for edge in CoverageEdges::new(&code).edges() {
            let outcomes = ways.entry((edge.from, edge.to)).or_default();
            outcomes.push(edge.outcome);
        }
        return Ok(ways);
    }
    let counted = world.counted()?;
    if counted.entries.contains_key(&info.id) {
        ways.insert((None, 0), Vec::new());
    }
    let gone = counted
        .ways
        .range((info.id, 0, 0)..=(info.id, u32::MAX, u32::MAX));
    ways.extend(gone.map(|((_, from, to), _)| ((Some(*from), *to), Vec::new())));
    Ok(ways)
}

/// The number of a row: another for each way of each method, since code has at most 65,535 bytes (JVMS 4.7.3).
fn number(method: MethodId, (from, to): Way) -> u64 {
    let from = from.map_or(0, |from| u64::from(from) + 1);
    u64::from(method.0) << 32 | from << 16 | u64::from(to)
}

fn in_words(outcomes: &[Outcome]) -> Option<String> {
    let words = outcomes.iter().map(|outcome| match outcome {
        Outcome::Entry => "entry".to_owned(),
        Outcome::NotTaken => "not taken".to_owned(),
        Outcome::Taken => "taken".to_owned(),
        Outcome::Default => "default".to_owned(),
        Outcome::Case(value) => format!("case {value}"),
    });
    let words: Vec<_> = words.collect();
    (!words.is_empty()).then(|| words.join(", "))
}

//! Was it so? Yes, no, or: cannot be told, because …

use jhyde_history::text::type_name;
use jhyde_history::view::ThreadView;
use jhyde_store::records::{CallRecord, Direction, MethodRef};
use jhyde_trace::{EngineKind, Level, MethodId, ThreadId, Timestamp, Value};

use super::fields::{FieldOf, the_field, writes_of_all};
use super::instances::{Is, Kinds, met};
use super::thrown::{Landing, flights, threads_named};
use crate::answer::{Cell, Row};
use crate::error::Result;
use crate::literal::{Literal, Same};
use crate::prepared::{Ask, wrong};
use crate::sight::Sight;
use crate::span::Span;

type Take<'a> = &'a mut dyn FnMut(Row) -> Result<()>;

/// What was found of something that is asked about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Found {
    pub(crate) count: u64,
    pub(crate) first: Option<Timestamp>,
    pub(crate) last: Option<Timestamp>,
    /// Something that may be it, and is not certain: why.
    pub(crate) uncertain: Option<String>,
}

impl Found {
    pub(crate) fn add(&mut self, at: Timestamp) {
        self.count += 1;
        self.first.get_or_insert(at);
        self.last = Some(at);
    }

    pub(crate) fn doubt(&mut self, why: impl FnOnce() -> String) {
        self.uncertain.get_or_insert_with(why);
    }

    /// The row of an answer. `hidden`: why something may have gone unseen.
    pub(crate) fn row(self, what: String, hidden: Option<String>) -> Row {
        let unsure = self.uncertain.or(hidden);
        let (answer, why) = match (self.count, unsure) {
            (0, Some(why)) => ("cannot be told", Some(why)),
            (0, None) => ("no", None),
            (_, why) => ("yes", why.map(|why| format!("there may be more: {why}"))),
        };
        vec![
            Cell::Text(what),
            Cell::text(answer),
            Cell::or_null(why, Cell::Text),
            Cell::Int(self.count),
            Cell::or_null(self.first, Cell::Event),
            Cell::or_null(self.last, Cell::Event),
        ]
    }
}

pub(crate) fn full_name(method: &MethodRef) -> String {
    let info = method.method();
    format!("{}.{}{}", method.class.name, info.name, info.descriptor)
}

/// `called`.
pub(crate) fn called(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    const NATIVE: u32 = 0x0100;
    const ABSTRACT: u32 = 0x0400;
    let methods = ask.methods("method", ask.needed("method"))?;
    let sight = Sight::of(ask)?;
    let one_by_one = sight.is_doubted(ask) || !ask.history.recording().meta().is_launched();
    for method in methods {
        let (id, modifiers) = (method.method().id, method.method().modifiers);
        let counted = match one_by_one {
            true => None,
            false => counted(ask, id)?,
        };
        let found = match counted {
            Some(found) => found,
            None => each_call(ask, id, &sight)?,
        };
        let hidden = if !method.class.in_scope {
            Some(
                "its class is outside the scope: only calls from recorded methods are seen"
                    .to_owned(),
            )
        } else if modifiers & ABSTRACT != 0 {
            Some("it is abstract: what runs are the methods that implement it".to_owned())
        } else if modifiers & NATIVE != 0 {
            Some("it is native: calls from outside the scope are not seen".to_owned())
        } else {
            sight.hides(ask, Level::Calls, None)
        };
        take(found.row(full_name(&method), hidden))?;
    }
    Ok(())
}

/// The calls of a method, by their numbers; none where a block is damaged that tells the first, the last or their count.
fn counted(ask: &Ask<'_>, method: MethodId) -> Result<Option<Found>> {
    let recording = ask.history.recording();
    let counted = || -> Result<Found> {
        let first = ask.first_call(method, ask.span.from)?;
        let end = ask.first_call(method, ask.span.until)?;
        let mut found = Found {
            count: end.saturating_sub(first),
            ..Found::default()
        };
        if found.count > 0 {
            let enter = |number| -> Result<Option<Timestamp>> {
                let call = recording.call_by_invocation(method, number)?;
                Ok(call.map(|call| call.enter))
            };
            found.first = enter(first)?;
            found.last = enter(end - 1)?;
        }
        Ok(found)
    };
    match counted() {
        Err(error) if error.damage().is_some() => Ok(None),
        found => found.map(Some),
    }
}

/// The same, one by one: where what is told of some may be false, or cannot be read.
fn each_call(ask: &Ask<'_>, method: MethodId, sight: &Sight) -> Result<Found> {
    let mut found = Found::default();
    for call in ask.calls_of(method)? {
        ask.history.check()?;
        match call {
            // It began before anybody recorded.
            Ok(CallRecord {
                already_running: true,
                ..
            }) => {}
            Ok(CallRecord { id, enter, .. }) if sight.is_certain(ask, id.thread, enter) => {
                found.add(enter);
            }
            Ok(CallRecord { id, .. }) => {
                found.doubt(|| format!("call {id} is told, and may not have been"));
            }
            Err(error) => match error.damage() {
                Some(damage) => found.doubt(|| damage.to_string()),
                None => return Err(error),
            },
        }
    }
    Ok(found)
}

/// `assigned`.
pub(crate) fn assigned(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let given = ask.needed("value");
    let wanted = Literal::parse("value", given)?;
    let (of, info) = the_field(ask)?;
    if !wanted.fits(&info.field.descriptor) {
        let declared = type_name(&info.field.descriptor);
        let reason = format!(
            "{} is declared {declared}, and never holds that; a text is written \"text\", in quotes for the shell, too",
            info.field.name
        );
        return Err(wrong("value", given, reason));
    }
    let sight = Sight::of(ask)?;
    let mut found = Found::default();
    let mut any = false;
    let mut each = |at: Timestamp, thread: ThreadId, value: Value, is_found: bool| -> Result<()> {
        any = true;
        let same = wanted.is(ask.history, value)?;
        let is_certain = sight.is_certain(ask, thread, at);
        match (same, is_found) {
            (Same::Yes, false) if is_certain => found.add(at),
            (Same::No, _) if is_certain => {}
            (_, true) => {
                found.doubt(|| format!("the value at {at} was found, and nobody saw who wrote it"))
            }
            _ => found.doubt(|| format!("what was written at {at} is not recorded")),
        }
        Ok(())
    };
    match of {
        FieldOf::One(variable) => {
            let recording = ask.history.recording();
            let direction = Direction::Forward;
            for write in recording.writes(variable, ask.span.range(), direction) {
                ask.history.check()?;
                let Some(write) = ask.readable(write)? else {
                    continue;
                };
                each(
                    write.timestamp,
                    write.call.thread,
                    write.value,
                    write.snapshot,
                )?;
            }
        }
        FieldOf::All(field) => writes_of_all(ask, field, &mut |write| {
            each(write.at, write.call.thread, write.value, write.found)
        })?,
    }
    const CONSTANT: u32 = 0x0018;
    let is_constant = info.field.modifiers & CONSTANT == CONSTANT;
    let hidden = if !info.class.in_scope {
        Some("its class is outside the scope: writes to it are not recorded".to_owned())
    } else if is_constant && !any {
        Some("it is a constant of the class: its value stands in the source".to_owned())
    } else {
        sight.hides(ask, Level::State, None)
    };
    let name = match of_object(ask.needed("field")) {
        Some(object) => format!("{object}.{}", info.field.name),
        None => format!("{}.{}", info.class.name, info.field.name),
    };
    take(found.row(format!("{name} = {given}"), hidden))
}

fn of_object(given: &str) -> Option<&str> {
    given
        .contains('#')
        .then(|| given.split_once('.').map(|(object, _)| object))?
}

/// `exists`.
pub(crate) fn exists(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let kinds = Kinds::of(ask, ask.needed("class"))?;
    let at = ask.time("at")?;
    // It may have been made before.
    let span = Span {
        until: Timestamp(at.0 + 1),
        to_the_end: ask.span.to_the_end && at == ask.span.last(),
        ..ask.span
    };
    let narrowed = ask.within(span);
    let sight = Sight::of(&narrowed)?;
    let mut found = Found::default();
    met(&narrowed, &kinds, span, &mut |met| {
        if met.unsure {
            found.doubt(|| {
                format!(
                    "object#{} may be one: what its class extends is not recorded",
                    met.object
                )
            });
        } else if sight.is_certain(&narrowed, met.call.thread, met.at) {
            found.add(met.at);
        } else {
            found.doubt(|| format!("object#{} is told, and may not have been", met.object));
        }
        Ok(())
    })?;
    let hidden = if !kinds.are_in_scope() {
        Some(
            "the class is outside the scope: objects that other code makes are not recorded"
                .to_owned(),
        )
    } else if kinds.has_interface() {
        Some("it is an interface: objects of lambdas and of classes outside the scope are not told apart".to_owned())
    } else {
        sight.hides(&narrowed, Level::Calls, None)
    };
    let names: Vec<_> = kinds
        .named
        .iter()
        .map(|class| class.name.as_str())
        .collect();
    take(found.row(names.join(", "), hidden))
}

/// `caught`.
pub(crate) fn caught(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    let kinds = Kinds::of(ask, ask.needed("class"))?;
    let sight = Sight::of(ask)?;
    let mut found = Found::default();
    flights(ask, &mut |flight, landing| {
        let class = match flight.exception {
            Value::Object(object) => ask.class_of(object)?,
            _ => None,
        };
        // Nothing else can be thrown (JLS 11.1.1).
        let is = match kinds
            .named
            .iter()
            .any(|class| class.name == "java.lang.Throwable")
        {
            true => Is::Yes,
            false => kinds.has(class),
        };
        match (landing, is) {
            (_, Is::No) | (Landing::Uncaught | Landing::Flying, _) => {}
            (Landing::Caught(event), Is::Yes)
                if sight.is_certain(ask, event.call.thread, event.timestamp) =>
            {
                found.add(event.timestamp);
            }
            (Landing::Caught(event), _) => {
                found.doubt(|| format!("what was caught at {} may be one", event.timestamp));
            }
            (Landing::Gone, _) => found.doubt(|| {
                format!(
                    "what was thrown at {} left the recorded calls, and who caught it is not recorded",
                    flight.thrown
                )
            }),
        }
        Ok(())
    })?;
    let hidden = sight.hides(ask, Level::Calls, None);
    let names: Vec<_> = kinds
        .named
        .iter()
        .map(|class| class.name.as_str())
        .collect();
    take(found.row(names.join(", "), hidden))
}

/// `running`.
pub(crate) fn running(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    of_threads(ask, take, |start, end| match (start, end) {
        (Some(start), None) => Some(start),
        _ => None,
    })
}

/// `exited`.
pub(crate) fn exited(ask: &Ask<'_>, take: Take<'_>) -> Result<()> {
    of_threads(ask, take, |_, end| end)
}

/// The engine `probe` tells when the JVM ends that threads have ended: behind the last of its deeds a thread may have, at any time.
fn ended_unseen(ask: &Ask<'_>, thread: &ThreadView, at: Timestamp) -> Result<Option<String>> {
    let recording = ask.history.recording();
    let Some(end) = thread.end.filter(|end| at < *end) else {
        return Ok(None);
    };
    if recording.meta().options.engine != EngineKind::Probe {
        return Ok(None);
    }
    let mut before = recording.events(Timestamp(0)..end, Some(thread.id), Direction::Backward);
    let last = ask.readable(before.next().transpose())?.flatten();
    Ok(last
        .filter(|last| last.timestamp < at)
        .map(|last| {
            format!(
                "the engine probe tells the end of threads when the JVM ends: when this one ended behind {} is not recorded",
                last.timestamp
            )
        }))
}

fn of_threads(
    ask: &Ask<'_>,
    take: Take<'_>,
    is_so: impl Fn(Option<Timestamp>, Option<Timestamp>) -> Option<Timestamp>,
) -> Result<()> {
    let named = threads_named(ask, ask.needed("thread"))?;
    let at = ask.time("at")?;
    let to_the_end = ask.span.to_the_end && at == ask.span.last();
    // Beginnings and ends of threads are told by the JVM itself: but for what `ended_unseen` knows, only what comes behind the end of the
    // recording is unseen.
    let hidden_at_the_end = match to_the_end {
        true => ask.history.end_note(),
        false => None,
    };
    for thread in ask.history.threads()?.threads {
        if !named.contains(&thread.id.0) {
            continue;
        }
        let start = thread.start.filter(|start| *start <= at);
        let end = thread.end.filter(|end| *end <= at);
        let mut found = Found::default();
        let so = is_so(start, end);
        if let Some(since) = so {
            found.add(since);
        }
        // What has ended stays so; whether something still ran when the recording stopped to look is not known. Nor is whether it
        // ended where the last that is told of it cannot be read.
        let recording = ask.history.recording();
        let last = recording.root(thread.id)?.last;
        let lost = last.and_then(|last| recording.event(last).err());
        let lost = lost.map(|error| format!("its end may be in what is missing: {error}"));
        let hidden = match lost {
            None => ended_unseen(ask, &thread, at)?,
            lost => lost,
        };
        let hidden = hidden.or_else(|| hidden_at_the_end.clone());
        let hidden = hidden.filter(|_| end.is_none());
        let row = match (so, hidden) {
            (Some(_), Some(why)) if end.is_none() => Found {
                uncertain: Some(why),
                ..Found::default()
            }
            .row(format!("thread {} \"{}\"", thread.id, thread.name), None),
            (_, hidden) => found.row(format!("thread {} \"{}\"", thread.id, thread.name), hidden),
        };
        take(row)?;
    }
    Ok(())
}

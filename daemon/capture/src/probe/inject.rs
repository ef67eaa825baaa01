//! The way into the JVM: the probe class, defined once, and classes that are redefined when they are prepared.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{array_reference, class_type, reference_type};
use jdwp::{
    ArrayRegion, EventKind, Location, ObjectId, ReferenceTypeId, RequestId, SuspendPolicy,
    ThreadId, TypeTag, UntaggedValue, Value,
};

use super::classes::OwnNames;
use super::invoke::{NULL, class, define_class, for_name, method, unusable};
use super::plan::Also;
use crate::error::CaptureError;
use crate::jvm::Link;

/// The probe class as a JVM has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub(crate) class: ReferenceTypeId,
    /// By which a thread stands that has a full log.
    pub(crate) request: RequestId,
    pub(crate) names: OwnNames,
    fields: Fields,
    /// The array through which logs come.
    out: ObjectId,
}

#[derive(Clone, Copy, Debug)]
struct Fields {
    table: jdwp::FieldId,
    whose: jdwp::FieldId,
    disorder: jdwp::FieldId,
    alone: jdwp::FieldId,
    heard: jdwp::FieldId,
    births: jdwp::FieldId,
    reads: jdwp::FieldId,
    contents: jdwp::FieldId,
    retells: jdwp::FieldId,
    thread: jdwp::FieldId,
    number: jdwp::FieldId,
    words: jdwp::FieldId,
    at: jdwp::FieldId,
    before: jdwp::FieldId,
    points: jdwp::FieldId,
    sum: jdwp::FieldId,
}

/// A part of a log.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) log: u32,
    pub(crate) thread: ThreadId,
    /// Words of this log that were before these.
    pub(crate) from: u64,
    pub(crate) words: Vec<u64>,
    /// How many points its thread has passed behind them.
    pub(crate) points: u32,
    /// The checksum of all that was read until now, where that was asked for.
    pub(crate) sum: Option<u64>,
}

/// What a thread was asked that has stopped because its log is full.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Asked {
    words: jdwp::PacketId,
    whose: jdwp::PacketId,
}

impl Probe {
    /// Defines the classes, in a thread that an event has suspended.
    pub(crate) fn define(
        link: &mut Link,
        thread: ThreadId,
        also: Also,
    ) -> Result<Self, CaptureError> {
        let names = OwnNames::unused(link)?;
        let mut last = String::new();
        for (class, bytes) in names.class_files() {
            define_class(link, thread, NULL, &class, &bytes)?;
            last = class;
        }
        // Initialised, so that it can be asked about its members.
        for_name(link, thread, NULL, &last)?;
        let probe = class(link, &format!("L{};", names.probe()))?;
        let known = link.request(&reference_type::Fields { ref_type: probe })??;
        let field = |wanted: &str| {
            let found = known
                .iter()
                .find(|field| field.name.as_str() == Some(wanted));
            found
                .map(|field| field.field)
                .ok_or_else(|| unusable("the probe class has no fields"))
        };
        let fields = Fields {
            table: field("table")?,
            whose: field("whose")?,
            disorder: field("disorder")?,
            alone: field("alone")?,
            heard: field("heard")?,
            births: field("births")?,
            reads: field("reads")?,
            contents: field("contents")?,
            retells: field("retells")?,
            thread: field("thread")?,
            number: field("number")?,
            words: field("words")?,
            at: field("at")?,
            before: field("before")?,
            points: field("points")?,
            sum: field("sum")?,
        };
        let told = [
            (fields.births, also.births),
            (fields.reads, also.reads),
            (fields.contents, also.contents),
        ];
        link.request(&flags(probe, &told))??;
        let out = vec![field("OUT")?];
        let out = link.request(&reference_type::GetValues {
            ref_type: probe,
            fields: out,
        })??;
        let out = out.first().and_then(Value::object).map(|object| object.id);
        let ready = method(link, probe, "ready", "()V")?;
        let place = Location {
            type_tag: TypeTag::CLASS,
            class: probe,
            method: ready,
            index: 0,
        };
        let request = link.request(&event_request::Set {
            event_kind: EventKind::BREAKPOINT,
            suspend_policy: SuspendPolicy::EVENT_THREAD,
            modifiers: vec![Modifier::LocationOnly { location: place }],
        })??;
        Ok(Self {
            class: probe,
            request,
            names,
            fields,
            out: out.ok_or_else(|| unusable("the probe class has no array"))?,
        })
    }

    /// Asks for the log that stands in the array.
    pub(crate) fn ask(&self, link: &mut Link) -> Asked {
        Asked {
            words: link.ask(&array_reference::GetValues {
                array: self.out.into(),
                first_index: 0,
                length: 4 + CAPACITY,
            }),
            whose: link.ask(&reference_type::GetValues {
                ref_type: self.class,
                fields: vec![self.fields.whose],
            }),
        }
    }

    /// Says that what stands in the array was asked for; its thread tells no more when nobody says so.
    pub(crate) fn hear(&self, link: &mut Link) {
        link.send(&flags(self.class, &[(self.fields.heard, true)]));
    }

    /// Calls that tell nothing change what objects hold: see `retells` of the probe class.
    pub(crate) fn retell(&self, link: &mut Link) -> Result<(), CaptureError> {
        Ok(link.request(&flags(self.class, &[(self.fields.retells, true)]))??)
    }

    /// The answer; `None` if nothing stands there.
    pub(crate) fn take(&self, link: &mut Link, asked: Asked) -> Result<Option<Part>, CaptureError> {
        let mut words = longs(link.reply::<array_reference::GetValues>(asked.words)??)?;
        let whose = link.reply::<reference_type::GetValues>(asked.whose)??;
        let thread = whose.first().and_then(Value::object);
        let [log, count, from, points, ..] = words[..] else {
            return Err(unusable("its log is empty"));
        };
        let count = usize::try_from(count).unwrap_or(0);
        words.truncate(4 + count);
        words.drain(..4);
        Ok((count > 0).then(|| Part {
            log: log as u32,
            thread: ThreadId(thread.map_or(0, |thread| thread.id.0)),
            from,
            words,
            points: points as u32,
            sum: None,
        }))
    }

    /// What logs have that was not flushed, and what was flushed last; the JVM stands still.
    pub(crate) fn rest(&self, link: &mut Link) -> Result<Vec<Part>, CaptureError> {
        let asked = self.ask(link);
        let mut parts = Vec::from_iter(self.take(link, asked)?);
        let table = vec![self.fields.table];
        let table = link.request(&reference_type::GetValues {
            ref_type: self.class,
            fields: table,
        })??;
        let Some(table) = table
            .first()
            .and_then(Value::object)
            .map(|object| object.id)
        else {
            return Ok(parts);
        };
        let length = link.request(&array_reference::Length {
            array: table.into(),
        })??;
        let region = array_reference::GetValues {
            array: table.into(),
            first_index: 0,
            length,
        };
        let ArrayRegion::Object { elements, .. } = link.request(&region)?? else {
            return Err(unusable("its logs are no objects"));
        };
        let logs = elements.iter().map(|log| log.id);
        for log in logs.filter(|log| !log.is_null()) {
            parts.extend(self.read(link, log)?);
        }
        parts.sort_by_key(|part| (part.log, part.from));
        Ok(parts)
    }

    /// What one log has; its thread stands still.
    fn read(&self, link: &mut Link, log: ObjectId) -> Result<Option<Part>, CaptureError> {
        let Fields {
            thread,
            number,
            words,
            at,
            before,
            points,
            sum,
            ..
        } = self.fields;
        let asked = jdwp::commands::object_reference::GetValues {
            object: log,
            fields: vec![thread, number, words, at, before, points, sum],
        };
        let told = link.request(&asked)??;
        let [
            thread,
            Value::Int(number),
            words,
            Value::Int(at),
            Value::Long(before),
            Value::Int(points),
            Value::Long(sum),
        ] = told[..]
        else {
            return Err(unusable("a log has other fields"));
        };
        let (Some(thread), Some(words)) = (thread.object(), words.object()) else {
            return Ok(None);
        };
        let words = match at {
            0 => Vec::new(),
            length => {
                let array = words.id.into();
                let region = array_reference::GetValues {
                    array,
                    first_index: 0,
                    length,
                };
                longs(link.request(&region)??)?
            }
        };
        Ok(Some(Part {
            log: number as u32,
            thread: ThreadId(thread.id.0),
            from: before as u64,
            words,
            points: points as u32,
            sum: Some(sum as u64),
        }))
    }

    /// What the JVM is told when it is left: no thread waits for its turn from then on, and nobody reads logs.
    pub(crate) fn farewell(&self) -> class_type::SetValues {
        let Fields {
            disorder,
            alone,
            births,
            reads,
            contents,
            ..
        } = self.fields;
        let less = [births, reads, contents].map(|field| (field, false));
        let told = [(disorder, true), (alone, true)].into_iter().chain(less);
        flags(self.class, &told.collect::<Vec<_>>())
    }
}

fn flags(class: ReferenceTypeId, told: &[(jdwp::FieldId, bool)]) -> class_type::SetValues {
    let values = told.iter().map(|&(field, value)| class_type::FieldValue {
        field,
        value: UntaggedValue::from(Value::Boolean(value)),
    });
    class_type::SetValues {
        class,
        values: values.collect(),
    }
}

/// `CAPACITY` of the probe class.
const CAPACITY: i32 = 1 << 15;

fn longs(region: ArrayRegion) -> Result<Vec<u64>, CaptureError> {
    match region {
        ArrayRegion::Long(words) => Ok(words.into_iter().map(|word| word as u64).collect()),
        _ => Err(unusable("its log is none of longs")),
    }
}

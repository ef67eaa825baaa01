//! The way into the JVM: the probe class, defined once, and classes that are redefined when they are prepared.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{array_reference, array_type, class_type, reference_type, virtual_machine};
use jdwp::{
    ArrayRegion, EventKind, InvokeOptions, Location, ObjectId, ReferenceTypeId, SuspendPolicy, Tag,
    ThreadId, TypeTag, UntaggedValue, Value,
};

use crate::error::{CaptureError, LinkError};
use crate::jvm::Link;

/// The class file of the probe class.
const BYTES: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/java/lang/JhydeProbe.class"));

/// The probe class as a JVM has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Probe {
    pub(crate) class: ReferenceTypeId,
    fields: Fields,
    /// The array through which logs come.
    out: ObjectId,
}

#[derive(Clone, Copy, Debug)]
struct Fields {
    table: jdwp::FieldId,
    thread: jdwp::FieldId,
    number: jdwp::FieldId,
    words: jdwp::FieldId,
    at: jdwp::FieldId,
    sum: jdwp::FieldId,
}

/// A log, or the part of it that was not read.
#[derive(Debug)]
pub(crate) struct Part {
    pub(crate) log: u32,
    /// Which flush it is of; none: what was not flushed.
    pub(crate) flush: Option<u32>,
    /// Whose it is, where that was asked for.
    pub(crate) thread: Option<ThreadId>,
    pub(crate) words: Vec<u64>,
    /// The checksum of all that was read until now, where that was asked for.
    pub(crate) sum: Option<u64>,
}

fn unusable(what: &str) -> CaptureError {
    CaptureError::Unsupported(format!(
        "the engine probe cannot be put into this JVM: {what}; use the engine events"
    ))
}

impl Probe {
    /// Defines the class, in a thread that an event has suspended.
    pub(crate) fn define(link: &mut Link, thread: ThreadId) -> Result<Self, CaptureError> {
        let bytes = byte_array(link, BYTES)?;
        let name = string(link, "java.lang.JhydeProbe")?;
        let loader = class(link, "Ljava/lang/ClassLoader;")?;
        let define = method(
            link,
            loader,
            "defineClass1",
            "(Ljava/lang/ClassLoader;Ljava/lang/String;[BIILjava/security/ProtectionDomain;Ljava/lang/String;)Ljava/lang/Class;",
        )?;
        let null = Value::Object {
            tag: Tag::OBJECT,
            id: ObjectId(0),
        };
        let length = Value::Int(i32::try_from(BYTES.len()).unwrap_or(i32::MAX));
        let arguments = vec![null, name, bytes, Value::Int(0), length, null, null];
        invoke(link, loader, thread, define, arguments)?;
        // Initialised, so that it can be asked about its members.
        let classes = class(link, "Ljava/lang/Class;")?;
        let signature = "(Ljava/lang/String;ZLjava/lang/ClassLoader;)Ljava/lang/Class;";
        let for_name = method(link, classes, "forName", signature)?;
        invoke(
            link,
            classes,
            thread,
            for_name,
            vec![name, Value::Boolean(true), null],
        )?;
        let probe = class(link, "Ljava/lang/JhydeProbe;")?;
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
            thread: field("thread")?,
            number: field("number")?,
            words: field("words")?,
            at: field("at")?,
            sum: field("sum")?,
        };
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
        link.request(&event_request::Set {
            event_kind: EventKind::BREAKPOINT,
            suspend_policy: SuspendPolicy::EVENT_THREAD,
            modifiers: vec![Modifier::LocationOnly { location: place }],
        })??;
        Ok(Self {
            class: probe,
            fields,
            out: out.ok_or_else(|| unusable("the probe class has no array"))?,
        })
    }

    /// Asks for the log of a thread that has stopped because it is full.
    pub(crate) fn ask(&self, link: &mut Link) -> jdwp::PacketId {
        link.ask(&array_reference::GetValues {
            array: self.out.into(),
            first_index: 0,
            length: 2 + CAPACITY,
        })
    }

    /// The answer.
    pub(crate) fn take(
        &self,
        link: &mut Link,
        asked: jdwp::PacketId,
    ) -> Result<Part, CaptureError> {
        let words = longs(link.reply::<array_reference::GetValues>(asked)??)?;
        let (Some(&log), Some(&count)) = (words.first(), words.get(1)) else {
            return Err(unusable("its log is empty"));
        };
        let words = words
            .into_iter()
            .skip(2)
            .take(usize::try_from(count).unwrap_or(0));
        Ok(Part {
            log: log as u32,
            flush: Some((log >> 32) as u32),
            thread: None,
            words: words.collect(),
            sum: None,
        })
    }

    /// What logs have that was not taken yet, each log's parts in order; the JVM stands still. `taken`: the last flush that
    /// was.
    pub(crate) fn rest(&self, link: &mut Link, taken: u32) -> Result<Vec<Part>, CaptureError> {
        let asked = self.ask(link);
        let flushed = self.take(link, asked)?;
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
            return Ok(Vec::new());
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
        let mut parts = Vec::new();
        for log in elements.iter().filter(|log| !log.id.is_null()) {
            let Fields {
                thread,
                number,
                words,
                at,
                sum,
                ..
            } = self.fields;
            let asked = jdwp::commands::object_reference::GetValues {
                object: log.id,
                fields: vec![thread, number, words, at, sum],
            };
            let told = link.request(&asked)??;
            let [
                thread,
                Value::Int(number),
                words,
                Value::Int(at),
                Value::Long(sum),
            ] = told[..]
            else {
                return Err(unusable("a log has other fields"));
            };
            let (Some(thread), Some(words)) = (thread.object(), words.object()) else {
                continue;
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
            let thread = Some(ThreadId(thread.id.0));
            let mut part = Part {
                log: number as u32,
                flush: None,
                thread,
                words,
                sum: Some(sum as u64),
            };
            // Its thread stands between putting its words out and having told so, or behind that.
            if flushed.log == part.log && !flushed.words.is_empty() {
                if part.words.starts_with(&flushed.words) {
                    part.words.drain(..flushed.words.len());
                }
                if flushed.flush != Some(taken) {
                    let words = flushed.words.clone();
                    parts.push(Part {
                        words,
                        thread,
                        ..flushed
                    });
                }
            }
            parts.push(part);
        }
        parts.sort_by_key(|part| part.log);
        Ok(parts)
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

fn class(link: &mut Link, signature: &str) -> Result<ReferenceTypeId, CaptureError> {
    let signature = signature.into();
    let found = link.request(&virtual_machine::ClassesBySignature { signature })??;
    let found = found.first().map(|class| class.type_id);
    found.ok_or_else(|| unusable("a class of the JDK is missing"))
}

fn method(
    link: &mut Link,
    ref_type: ReferenceTypeId,
    name: &str,
    signature: &str,
) -> Result<jdwp::MethodId, CaptureError> {
    let all = link.request(&reference_type::Methods { ref_type })??;
    let fits = |method: &&reference_type::MethodInfo| {
        method.name.as_str() == Some(name) && method.signature.as_str() == Some(signature)
    };
    let found = all.iter().find(fits).map(|method| method.method);
    found.ok_or_else(|| unusable(&format!("the JDK has no {name}{signature}")))
}

fn invoke(
    link: &mut Link,
    class: ReferenceTypeId,
    thread: ThreadId,
    method: jdwp::MethodId,
    arguments: Vec<Value>,
) -> Result<Value, CaptureError> {
    let told = link.request(&class_type::InvokeMethod {
        class,
        thread,
        method,
        arguments,
        options: InvokeOptions::SINGLE_THREADED,
    })??;
    match told.exception.id.is_null() {
        true => Ok(told.value),
        false => Err(unusable("the JDK threw an exception")),
    }
}

fn string(link: &mut Link, text: &str) -> Result<Value, LinkError> {
    let made = link.request(&virtual_machine::CreateString { utf: text.into() })??;
    let id = ObjectId(made.0);
    Ok(Value::Object {
        tag: Tag::STRING,
        id,
    })
}

fn byte_array(link: &mut Link, bytes: &[u8]) -> Result<Value, CaptureError> {
    let array_type = class(link, "[B")?;
    let length = i32::try_from(bytes.len()).unwrap_or(i32::MAX);
    let made = link.request(&array_type::NewInstance { array_type, length })??;
    let values = bytes
        .iter()
        .map(|&byte| UntaggedValue::from(Value::Byte(byte as i8)));
    link.request(&array_reference::SetValues {
        array: ObjectId(made.id.0).into(),
        first_index: 0,
        values: values.collect(),
    })??;
    Ok(Value::Object {
        tag: Tag::ARRAY,
        id: made.id,
    })
}

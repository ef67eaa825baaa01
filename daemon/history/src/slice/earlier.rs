//! Calls out of the scope that had an object before: what they did to it where that is not recorded, nobody saw, so that it counts as done.

use std::ops::Range;

use jhyde_store::records::{Direction, TimedEvent};
use jhyde_trace::{Change, Content, EventKind, ObjectId, Timestamp, Value};

use super::node::{Deed, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use crate::contents::Contents;
use crate::error::Result;
use crate::gaps::damage_note;

/// So many events that name an object are looked at, and so many calls followed that had it.
const MOST_EVENTS: usize = 4096;
const MOST_CALLS: usize = 64;

/// Objects of these classes give out nothing that others gave them, or what they hold is the program's surroundings.
const GIVE_NOTHING: [&str; 5] = [
    "java.io.PrintStream",
    "java.lang.Class",
    "java.lang.Thread",
    "java.security.SecureRandom",
    "java.util.concurrent.ThreadLocalRandom",
];

impl Resolver {
    /// What an object of the JDK may have been given before a time, if what it holds is not recorded.
    pub(super) fn not_told(
        &mut self,
        object: ObjectId,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<()> {
        let is_told = matches!(&*self.history.contents_at(object, at)?, Contents::Known(_));
        if is_told || !self.is_of_the_jdk(object)? {
            return Ok(());
        }
        self.had_by(object, Timestamp(0)..at, |_, _| true, found)
    }

    /// What was found in an object, or was not known, came from the calls that had it since it was told last.
    pub(super) fn found_changed(
        &mut self,
        node: Node,
        since: Timestamp,
        found: &mut Found,
    ) -> Result<()> {
        let Deed::Content(object) = node.deed else {
            return Ok(());
        };
        let event = self.history.recording.event(node.at)?.event;
        let is_seen = match event.kind {
            EventKind::Content {
                snapshot, change, ..
            } => !snapshot && !matches!(change, Change::Unknown { .. }),
            _ => true,
        };
        match is_seen {
            true => Ok(()),
            false => self.had_by(object, since..node.at, |_, _| true, found),
        }
    }

    /// Calls that had an array after its element was written: they may have written an equal value, which shows as none.
    pub(super) fn written_again(
        &mut self,
        array: ObjectId,
        range: Range<Timestamp>,
        found: &mut Found,
    ) -> Result<()> {
        self.had_by(array, range, may_write, found)
    }

    /// The constructor of an object of the JDK: from what it was given, that is what it is.
    pub(super) fn constructed(
        &mut self,
        object: ObjectId,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<()> {
        if !self.is_of_the_jdk(object)? || !self.history.recording.has_index_of_references() {
            return Ok(());
        }
        let range = at..self.history.recording.end();
        let events = self
            .history
            .recording
            .references(object, range, Direction::Forward);
        for event in events.take(MOST_CALLS) {
            self.history.check()?;
            let Some(TimedEvent { event, .. }) = self.readable(event, found)? else {
                continue;
            };
            let EventKind::Enter {
                receiver,
                boundary: true,
                ..
            } = event.kind
            else {
                continue;
            };
            if receiver != Some(Value::Object(object)) {
                continue;
            }
            let record = self.history.record(event.call)?;
            let method = self.history.method(record.method)?;
            if method.is_some_and(|method| method.method().name == "<init>")
                && let Some(node) = self.ending(&record)
            {
                found.add(Relation::Value, node);
            }
            break;
        }
        Ok(())
    }

    /// Calls out of the scope that an object was given to, or made on, within a time.
    fn had_by(
        &mut self,
        object: ObjectId,
        range: Range<Timestamp>,
        matters: fn(&str, &str) -> bool,
        found: &mut Found,
    ) -> Result<()> {
        if !self.history.recording.has_index_of_references() || range.is_empty() {
            return Ok(());
        }
        let events = self
            .history
            .recording
            .references(object, range, Direction::Backward);
        let mut calls = 0;
        for (count, event) in events.enumerate() {
            self.history.check()?;
            let Some(TimedEvent { event, .. }) = self.readable(event, found)? else {
                continue;
            };
            let EventKind::Enter {
                receiver,
                arguments,
                boundary: true,
                ..
            } = event.kind
            else {
                continue;
            };
            let given = receiver.into_iter().chain(arguments);
            if !given
                .into_iter()
                .any(|value| value == Value::Object(object))
            {
                continue;
            }
            let record = self.history.record(event.call)?;
            let Some(method) = self.history.method(record.method)? else {
                continue;
            };
            if !matters(&method.class.name, &method.method().name) {
                continue;
            }
            calls += 1;
            if calls > MOST_CALLS || count > MOST_EVENTS {
                self.loose.insert(Loose::Call(record.parent));
                found.note(format!(
                    "of the calls that had object#{object} before, {MOST_CALLS} are followed"
                ));
                break;
            }
            if let Some(node) = self.ending(&record) {
                found.add(Relation::Content, node);
            }
        }
        Ok(())
    }

    fn readable(
        &mut self,
        event: std::result::Result<TimedEvent, jhyde_store::Error>,
        found: &mut Found,
    ) -> Result<Option<TimedEvent>> {
        match event {
            Err(error @ jhyde_store::Error::Damaged { .. }) => {
                found.note(damage_note(&error));
                Ok(None)
            }
            event => Ok(Some(event?)),
        }
    }

    /// Is an object of a class out of the scope, which may give out what it was given?
    fn is_of_the_jdk(&self, object: ObjectId) -> Result<bool> {
        let recording = &self.history.recording;
        let info = match recording.object(object) {
            Err(jhyde_store::Error::Damaged { .. }) => return Ok(false),
            info => info?,
        };
        let Some(class) = info.as_ref().and_then(|info| info.class) else {
            return Ok(false);
        };
        if matches!(
            info.map(|info| info.content),
            Some(Content::Array(_) | Content::Class(_))
        ) {
            return Ok(false);
        }
        let class = match recording.class(class) {
            Err(jhyde_store::Error::Damaged { .. }) => return Ok(false),
            class => class?,
        };
        Ok(class.is_some_and(|class| !class.in_scope && !GIVE_NOTHING.contains(&&*class.name)))
    }

    /// Has it fields that code out of the scope reads by itself: a record, of which the JVM makes `equals`, `hashCode` and `toString`?
    pub(super) fn is_record(&self, object: ObjectId) -> Result<bool> {
        let recording = &self.history.recording;
        let class = match recording.object(object) {
            Err(jhyde_store::Error::Damaged { .. }) => return Ok(false),
            info => info?.and_then(|info| info.class),
        };
        let Some(class) = class else { return Ok(false) };
        let class = match recording.class(class) {
            Err(jhyde_store::Error::Damaged { .. }) => return Ok(false),
            class => class?,
        };
        Ok(class.is_some_and(|class| {
            class.in_scope && class.super_name.as_deref() == Some("java.lang.Record")
        }))
    }
}

/// May a method of the JDK write into an array that it is given? All but those that are known to read it, or to keep it as one of many things.
fn may_write(class: &str, name: &str) -> bool {
    let reads = match class {
        "java.lang.System" => name != "arraycopy",
        "java.util.Arrays" => matches!(
            name,
            "asList"
                | "binarySearch"
                | "compare"
                | "copyOf"
                | "copyOfRange"
                | "deepEquals"
                | "deepHashCode"
                | "deepToString"
                | "equals"
                | "hashCode"
                | "mismatch"
                | "stream"
                | "toString"
        ),
        "java.io.PrintStream"
        | "java.lang.Object"
        | "java.lang.StringBuilder"
        | "java.lang.StringBuffer" => true,
        "java.lang.String" => !matches!(name, "getBytes" | "getChars"),
        "java.util.List"
        | "java.util.Set"
        | "java.util.Map"
        | "java.util.Objects"
        | "java.util.stream.Stream"
        | "java.util.stream.IntStream" => !matches!(name, "toArray"),
        _ => matches!(
            name,
            "<init>"
                | "add"
                | "clone"
                | "equals"
                | "getClass"
                | "hashCode"
                | "length"
                | "offer"
                | "push"
                | "put"
                | "valueOf"
        ),
    };
    !reads
}

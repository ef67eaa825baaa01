//! What is known of objects at level `calls`: what was found in them where a call that was shown them began or ended.
//!
//! A snapshot is known exactly at the events that it stands beside: the `Enter` that it follows, or the `Exit` that it
//! precedes, and its own. In between, and of objects that it does not reach, nothing is known. What it looked at and has
//! not changed it names alone: that is as it was told last (`as_told`). What it refers to and neither tells nor names, a limit
//! of the recording left out: which one follows from how many references lead there.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};

use jhyde_bytecode::Code;
use jhyde_store::records::{CallRecord, Direction, TimedEvent};
use jhyde_trace::{
    CallId, Change, Content, Event, EventKind, Held, Items, Level, Looked, ObjectId, Outcome,
    SnapshotLimits, Timestamp, Value, Variable,
};
use rustc_hash::FxHashMap;

use crate::as_told::LOST;
use crate::contents::Contents;
use crate::error::Result;
use crate::history::{History, unless_lost};
use crate::objects::{self, BY_LEVEL};

const BETWEEN: &str =
    "level calls looks at an object only where a call that is shown it begins or ends";
const NOT_SHOWN: &str = "what this call was shown and yielded does not lead to it";
/// The most snapshots that one question keeps.
const MOST_KEPT: usize = 256;

/// What was found beside an event.
#[derive(Debug, Default)]
pub(crate) struct Shot {
    /// Fields and elements.
    values: FxHashMap<Variable, Value>,
    /// Contents, and objects that could not be read.
    held: FxHashMap<ObjectId, Held>,
    /// Elements of each array, from the first on.
    elements: FxHashMap<ObjectId, u32>,
    /// Over how many objects each object is reached, itself counted.
    depths: FxHashMap<ObjectId, u32>,
    /// Of these not all was told again: how many of an array's elements were looked at; of fields, all.
    as_told: FxHashMap<ObjectId, u32>,
    limits: SnapshotLimits,
}

/// Snapshots that were read, for as long as one question takes.
#[derive(Debug, Default)]
pub(crate) struct Shots(Mutex<FxHashMap<(CallId, End), Arc<Shot>>>);

/// Which end of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum End {
    Enter,
    Exit,
}

impl Shot {
    fn read(
        found: impl IntoIterator<Item = EventKind>,
        roots: &[ObjectId],
        limits: SnapshotLimits,
    ) -> Self {
        let mut shot = Self {
            limits,
            ..Self::default()
        };
        let mut leads: FxHashMap<ObjectId, Vec<ObjectId>> = FxHashMap::default();
        for kind in found {
            match kind {
                EventKind::Snapshot { variable, value } => {
                    let holder = match variable {
                        Variable::Field { object, .. } => Some(object),
                        Variable::Element { array, index } => {
                            let known = shot.elements.entry(array).or_default();
                            *known = (*known).max(index.saturating_add(1));
                            Some(array)
                        }
                        _ => None,
                    };
                    if let Some(holder) = holder {
                        leads.entry(holder).or_default().extend(value.object());
                    }
                    shot.values.insert(variable, value);
                }
                EventKind::Content {
                    change: Change::AsTold(objects),
                    ..
                } => shot.as_told.extend(objects.iter().filter_map(
                    |&(object, looked)| match looked {
                        Looked::Fields => Some((object, u32::MAX)),
                        Looked::Elements(count) => Some((object, count)),
                        Looked::Held => None,
                    },
                )),
                EventKind::Content { object, change, .. } => {
                    let held = shot.held.entry(object).or_default();
                    held.apply(&change);
                    if let Some(items) = change.items() {
                        let values = items.values().into_iter().filter_map(Value::object);
                        leads.entry(object).or_default().extend(values);
                    }
                }
                _ => {}
            }
        }
        shot.measure(roots, &leads);
        shot
    }

    /// Counts how deep each object lies; what a view shows lies as deep as the view.
    fn measure(&mut self, roots: &[ObjectId], leads: &FxHashMap<ObjectId, Vec<ObjectId>>) {
        let mut level = roots.to_vec();
        for depth in 1.. {
            let mut next = Vec::new();
            while let Some(object) = level.pop() {
                if self.depths.contains_key(&object) {
                    continue;
                }
                self.depths.insert(object, depth);
                next.extend(leads.get(&object).into_iter().flatten().copied());
                if let Some(Held::Items {
                    items: Items::View { of, .. },
                    ..
                }) = self.held.get(&object)
                {
                    level.push(*of);
                }
            }
            if next.is_empty() {
                break;
            }
            level = next;
        }
    }

    /// Why nothing was found of an object.
    fn why(&self, object: ObjectId) -> String {
        let SnapshotLimits { depth, bytes, .. } = self.limits;
        match (self.held.get(&object), self.depths.get(&object)) {
            (Some(Held::Unknown(reason)), _) => reason.clone(),
            (_, Some(&at)) if at > depth => {
                format!(
                    "it lies deeper than the {} that were looked at",
                    levels(depth)
                )
            }
            (_, Some(_)) => format!("the {bytes} bytes that are looked at at once were full"),
            (_, None) => NOT_SHOWN.to_owned(),
        }
    }

    /// Elements of an array that were found.
    pub(crate) fn elements(&self, array: ObjectId) -> u32 {
        self.elements.get(&array).copied().unwrap_or(0)
    }

    fn value(&self, variable: Variable) -> objects::Held {
        if let Some(&value) = self.values.get(&variable) {
            return objects::Held::Value(value);
        }
        let is_told = |object, at| self.as_told.get(&object).is_some_and(|&count| at < count);
        let reason = match variable {
            Variable::Field { object, .. } if is_told(object, 0) => LOST.to_owned(),
            Variable::Field { object, .. } => self.why(object),
            Variable::Element { array, index } if is_told(array, index) => LOST.to_owned(),
            Variable::Element { array, index } => match self.elements.get(&array) {
                Some(_) if index >= self.limits.elements => format!(
                    "only the first {} elements were looked at",
                    self.limits.elements
                ),
                _ if self.limits.elements == 0 => "no elements were looked at".to_owned(),
                _ => self.why(array),
            },
            _ => BY_LEVEL.to_owned(),
        };
        objects::Held::Unknown(Cow::Owned(reason))
    }
}

fn levels(depth: u32) -> String {
    match depth {
        1 => "one level".to_owned(),
        depth => format!("{depth} levels"),
    }
}

impl History {
    /// Is what objects held known from snapshots alone?
    pub(crate) fn has_snapshots_only(&self) -> bool {
        self.asked == Level::Calls
    }

    /// What was found at a time, if anything was.
    pub(crate) fn shot(&self, at: Timestamp) -> Result<Option<Arc<Shot>>> {
        let TimedEvent { event, .. } = self.recording.event(at)?;
        let call = event.call;
        let end = match event.kind {
            EventKind::Enter { .. } => End::Enter,
            EventKind::Exit { .. } => End::Exit,
            kind if kind.is_found() && event.index == Event::AT_ENTER => End::Enter,
            kind if kind.is_found() => End::Exit,
            _ => return Ok(None),
        };
        if call.is_root() {
            return Ok(None);
        }
        {
            // What another thread left is whole: every entry is put in at once.
            let kept = self.shots.0.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(shot) = kept.get(&(call, end)) {
                return Ok(Some(Arc::clone(shot)));
            }
        }
        let record = self.recording.call(call)?;
        let Some(shot) = self.read_shot(&record, end)? else {
            return Ok(None);
        };
        let shot = Arc::new(shot);
        let mut kept = self.shots.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= MOST_KEPT {
            kept.clear();
        }
        kept.insert((call, end), Arc::clone(&shot));
        Ok(Some(shot))
    }

    fn read_shot(&self, record: &CallRecord, end: End) -> Result<Option<Shot>> {
        let (range, direction) = match (end, record.exit) {
            (End::Enter, _) => {
                let from = Timestamp(record.enter.0.saturating_add(1));
                (from..self.recording.end().max(from), Direction::Forward)
            }
            (End::Exit, Some(exit)) => (record.enter..exit, Direction::Backward),
            (End::Exit, None) => return Ok(None),
        };
        let mut found = Vec::new();
        let mut as_told = Vec::new();
        for event in self.recording.events(range, None, direction) {
            let TimedEvent { timestamp, event } = event?;
            let at_enter = event.index == Event::AT_ENTER;
            let belongs = event.call == record.id && event.kind.is_found();
            if !belongs || at_enter != (end == End::Enter) {
                break;
            }
            if let EventKind::Content {
                change: Change::AsTold(objects),
                ..
            } = &event.kind
            {
                as_told.extend(self.as_told(objects, timestamp)?);
            }
            found.push(event.kind);
        }
        if found.is_empty() {
            return Ok(None);
        }
        if direction == Direction::Backward {
            found.reverse();
        }
        let given = self.given(record)?;
        let yielded = match (end, self.recording.outcome(record)?) {
            (End::Exit, Some(Outcome::Returned(Some(value)) | Outcome::Threw(value))) => {
                Some(value)
            }
            _ => None,
        };
        let roots = given.receiver.into_iter().chain(given.arguments);
        let roots: Vec<_> = roots.chain(yielded).filter_map(Value::object).collect();
        Ok(Some(Shot::read(
            found.into_iter().chain(as_told),
            &roots,
            self.recording.meta().options.snapshots,
        )))
    }

    /// What a field or an element held at a time.
    pub(crate) fn found_value(&self, variable: Variable, at: Timestamp) -> Result<objects::Held> {
        Ok(match self.shot(at)? {
            Some(shot) => shot.value(variable),
            None => objects::Held::Unknown(self.why_no_shot().into()),
        })
    }

    /// Is all known of what an object held at a time? Its fields are not looked at.
    pub(crate) fn is_all_found(&self, object: ObjectId, at: Timestamp) -> Result<bool> {
        let info = unless_lost(self.recording.object(object))?;
        Ok(match info.map(|info| info.content) {
            None => false,
            Some(Content::Array(0)) => true,
            Some(Content::Array(length)) => self
                .shot(at)?
                .is_some_and(|shot| shot.elements(object) >= length),
            Some(
                Content::None
                | Content::Throwable(_)
                | Content::Lambda { .. }
                | Content::Thread(_)
                | Content::Enum(_),
            ) => match self.contents_at(object, at)?.as_ref() {
                Contents::None => true,
                Contents::Unknown(_) => false,
                Contents::Known(known) => known.items.len() >= known.length,
            },
            Some(Content::String(_) | Content::Box(_) | Content::Class(_) | Content::Shown(_)) => {
                true
            }
        })
    }

    /// What snapshots leave out, for people.
    pub(crate) fn told_of_snapshots(&self) -> String {
        let SnapshotLimits {
            depth,
            elements,
            bytes,
        } = self.recording.meta().options.snapshots;
        match depth {
            0 => format!(
                "level {} without snapshots does not record fields, array elements and contents of objects: whether \
                 they changed is not known",
                self.asked
            ),
            _ => format!(
                "level {} looks at fields, array elements and contents of objects where a call that is shown them begins \
                 and ends: {}, {elements} elements of each, {bytes} bytes; what lies beyond that, and in between, is not \
                 recorded",
                self.asked,
                levels(depth)
            ),
        }
    }

    fn why_no_shot(&self) -> &'static str {
        match self.recording.meta().options.snapshots.depth {
            0 => BY_LEVEL,
            _ => BETWEEN,
        }
    }

    /// What an object of the JDK held at a time; `None` if it goes by its fields.
    pub(crate) fn found_content(&self, object: ObjectId, at: Timestamp) -> Result<Option<Held>> {
        let shot = self.shot(at)?;
        if let Some(held) = shot.as_ref().and_then(|shot| shot.held.get(&object)) {
            return Ok(Some(held.clone()));
        }
        let why = match &shot {
            Some(shot) => shot.why(object),
            None => self.why_no_shot().to_owned(),
        };
        let all = Timestamp(0)..self.recording.end();
        let mut ever = self.content_changes(object, all, Direction::Forward);
        if ever.next().transpose()?.is_some() {
            return Ok(Some(Held::Unknown(why)));
        }
        // It was met at the end of a snapshot, and never looked into.
        let is_beyond = shot.is_some_and(|shot| {
            let depth = shot.depths.get(&object);
            depth.is_some_and(|&depth| depth > shot.limits.depth)
        });
        let outside = is_beyond && !self.is_in_scope(object)?;
        Ok(outside.then_some(Held::Unknown(why)))
    }

    fn is_in_scope(&self, object: ObjectId) -> Result<bool> {
        let classes = self.classes_of_object(object)?;
        Ok(classes.first().is_some_and(|class| class.in_scope))
    }

    /// Was an object met at the second of two times, and not at the first? A call that yields it has made it, as far as
    /// can be told.
    pub(crate) fn is_first_found(
        &self,
        object: ObjectId,
        from: Timestamp,
        to: Timestamp,
    ) -> Result<bool> {
        let (Some(from), Some(to)) = (self.shot(from)?, self.shot(to)?) else {
            return Ok(false);
        };
        let tells = |shot: &Shot| shot.depths.contains_key(&object);
        Ok(!tells(&from) && tells(&to))
    }
}

/// Does a parameter hold what it was given as long as its call lasts, because no instruction of the method's code writes
/// its slot? Of code that is not known nothing is said.
pub(crate) fn is_kept(code: &[u8], slot: u16) -> bool {
    let Ok(code) = Code::decode(code) else {
        return false;
    };
    let mut stores = code.instructions().iter().filter_map(|i| i.local_store());
    let hits = |first: u16, count: u16| first <= slot && slot < first.saturating_add(count);
    code.length() > 0 && !stores.any(|store| hits(store.slot, store.kind.slots()))
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{FieldId, Part};

    use super::*;

    fn field(object: u64, value: Value) -> EventKind {
        EventKind::Snapshot {
            variable: of(object),
            value,
        }
    }

    fn of(object: u64) -> Variable {
        Variable::Field {
            object: ObjectId(object),
            field: FieldId(1),
        }
    }

    fn held(object: u64, items: Items) -> EventKind {
        EventKind::Content {
            object: ObjectId(object),
            snapshot: true,
            change: Change::Whole(items),
        }
    }

    fn to(object: u64) -> Value {
        Value::Object(ObjectId(object))
    }

    fn reason(shot: &Shot, object: u64) -> String {
        match shot.value(of(object)) {
            objects::Held::Unknown(reason) => reason.into_owned(),
            other => panic!("object {object} is known: {other:?}"),
        }
    }

    #[test]
    fn what_is_missing_says_which_limit_left_it_out() {
        let limits = SnapshotLimits {
            depth: 2,
            elements: 1,
            bytes: 64,
        };
        let view = Items::View {
            of: ObjectId(5),
            part: Part::Same,
        };
        let found = vec![
            field(1, to(2)),
            held(2, Items::Elements(vec![to(3), to(4)])),
            held(4, view),
            held(5, Items::Elements(vec![to(6)])),
            EventKind::Snapshot {
                variable: Variable::Element {
                    array: ObjectId(7),
                    index: 0,
                },
                value: Value::Int(1),
            },
        ];
        let shot = Shot::read(found, &[ObjectId(1), ObjectId(7), ObjectId(8)], limits);
        assert_eq!(shot.value(of(1)), objects::Held::Value(to(2)));
        assert!(reason(&shot, 3).contains("deeper than the 2 levels"));
        assert!(reason(&shot, 6).contains("deeper"), "behind a view");
        assert!(reason(&shot, 8).contains("64 bytes"));
        assert_eq!(reason(&shot, 9), NOT_SHOWN);
        let element = |index| Variable::Element {
            array: ObjectId(7),
            index,
        };
        assert_eq!(shot.value(element(0)), objects::Held::Value(Value::Int(1)));
        let objects::Held::Unknown(reason) = shot.value(element(1)) else {
            panic!("it was cut");
        };
        assert!(reason.contains("first 1 elements"), "{reason}");
    }

    #[test]
    fn a_parameter_that_is_written_is_not_kept() {
        // 0 aload_0, 1 lstore_1, 2 return
        let code = [0x2a, 0x40, 0xb1];
        assert!(is_kept(&code, 0));
        assert!(!is_kept(&code, 1) && !is_kept(&code, 2), "a long has two");
        assert!(is_kept(&code, 3));
        assert!(!is_kept(&[], 0), "a native method's are not known");
    }
}

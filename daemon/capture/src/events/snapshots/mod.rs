//! Level `calls`: what the receiver, the arguments and the result of a call hold when it begins and when it ends, so that
//! it can be judged although nothing of its inside is recorded.
//!
//! Both times the thread stands still. Level by level what is not known of the objects' kinds is asked at once, and then
//! all fields and elements at once, with what was asked of objects of the JDK that hold data when they were read before
//! (`again`); those that are new, or have changed, are read one after the other (see [`crate::contents`], and `others` for
//! threads that could change them meanwhile). `shot` counts what is taken.
//!
//! Invariants, on which `jhyde-history` builds: what a snapshot says directly behind an `Enter` or before an `Exit`
//! was so at that event; each names all that was looked at, and of that what has not changed since it was told last is not
//! told again (`told`), because in between nothing is known; an object that is referred to and neither told nor named was
//! left out, never empty. Which limit left it out follows from the limits.

pub(in crate::events) mod again;
pub(in crate::events) mod kept;
pub(in crate::events) mod others;
pub(in crate::events) mod shot;
pub(in crate::events) mod told;

use std::rc::Rc;

use jdwp::commands::stack_frame::SlotRequest;
use jdwp::commands::{array_reference, object_reference, stack_frame};
use jdwp::{PacketId, ReferenceTypeId, SuspendPolicy, Tag, TaggedObject};
use jhyde_trace::{EventKind, Level, Looked, Outcome, Sink, Value, Variable};

use crate::arrivals::Ticket;
use crate::contents::{FixedKind, ReadError, Reader, Shape};
use crate::error::{CaptureError, LinkError};
use crate::events::Engine;
use crate::events::snapshots::again::{Again, Reading};
use crate::events::snapshots::others::Others;
use crate::events::snapshots::shot::Shot;
use crate::events::thread::Thread;
use crate::program::Method;
use crate::recorder::{Kind, Made};

const GONE: &str = "the object was gone when it was read";
const MEANWHILE: &str = "another thread uses it at the same time, or may";
/// An exception that ends more calls than these has no snapshots of the others.
const MOST_UNWOUND: usize = 32;

/// What a call was shown when it began.
#[derive(Debug, Default)]
pub(crate) struct Beginning {
    /// Receiver (if there is one) and arguments, of those slots that can be read.
    pub(crate) values: Option<Vec<jdwp::Value>>,
    /// What they held.
    pub(crate) told: Vec<EventKind>,
}

/// Fields or elements that are on their way.
enum Asked {
    Fields(PacketId, TaggedObject, Rc<Made>),
    Elements(PacketId, TaggedObject),
}

impl<S: Sink> Engine<S> {
    pub(in crate::events) fn takes_snapshots(&self) -> bool {
        self.recorder.outlet.options.level == Level::Calls
            && self.recorder.outlet.options.snapshots.depth > 0
    }

    /// Whom an exit suspends: a snapshot needs its thread to stand still.
    pub(in crate::events) fn at_exits(&self) -> SuspendPolicy {
        match self.takes_snapshots() {
            true => SuspendPolicy::EVENT_THREAD,
            false => SuspendPolicy::NONE,
        }
    }

    /// A suspended thread enters a method: what it is shown, and what that holds.
    pub(in crate::events) fn snapshot_at_enter(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        method: &Method,
        readable: Vec<SlotRequest>,
    ) -> Result<Beginning, CaptureError> {
        let values = self.shown_to(thread, method, readable)?;
        let roots = objects_of(values.iter().flatten());
        // Of an object that is only now constructed nothing is final yet.
        let made = method.receiver && method.is_constructor();
        let created = roots.first().filter(|_| made).map(|object| object.id);
        let told = self.snapshot(ticket, thread, roots, created)?;
        Ok(Beginning { values, told })
    }

    /// The innermost call of a suspended thread is about to end: what it was shown, and what it yields, hold now.
    pub(in crate::events) fn snapshot_at_exit(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        yielded: Option<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let top = thread.stack.last();
        let Some(top) = top.filter(|top| !top.boundary && self.takes_snapshots()) else {
            // No call of the scope ends, or nobody asked for snapshots.
            return Ok(());
        };
        let call = top.call;
        let made = top.roots.first().filter(|_| top.method.is_constructor());
        let made = made.map(|made| (top.key.0, made.id));
        let roots = yielded
            .into_iter()
            .chain(top.roots.iter().copied())
            .collect();
        if let Some((class, made)) = made {
            self.introduce_made(ticket, class, made)?;
        }
        for kind in self.snapshot(ticket, thread, roots, None)? {
            self.recorder.outlet.tell_of(ticket, call, kind);
        }
        Ok(())
    }

    /// Ends all calls from a height on by an exception, which a suspended thread has thrown: nothing runs before they
    /// are gone.
    pub(in crate::events) fn unwind_with_snapshots(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        keep: u32,
        exception: (Value, TaggedObject),
    ) -> Result<(), CaptureError> {
        for nth in 0.. {
            let top = thread.stack.last();
            let Some(top) = top.filter(|top| top.height >= keep) else {
                // All of them have ended.
                break;
            };
            let index = top.index;
            if nth < MOST_UNWOUND {
                self.snapshot_at_exit(ticket, thread, Some(exception.1))?;
            }
            let outcome = Outcome::Threw(exception.0);
            thread.end_top(outcome, index, ticket, &mut self.recorder.outlet);
        }
        Ok(())
    }

    /// Receiver and arguments of the innermost frame of a suspended thread.
    fn shown_to(
        &mut self,
        thread: &mut Thread,
        method: &Method,
        readable: Vec<SlotRequest>,
    ) -> Result<Option<Vec<jdwp::Value>>, CaptureError> {
        if readable.is_empty() && !method.native {
            return Ok(None);
        }
        let reader = thread.jdwp;
        let told = if method.native {
            // A native frame's slots cannot be read, but its receiver can.
            let this = self.ask_top(thread, |frame| stack_frame::ThisObject {
                thread: reader,
                frame,
            })?;
            this.map(|this| {
                this.map(|TaggedObject { tag, id }| vec![jdwp::Value::Object { tag, id }])
            })
        } else {
            self.ask_top(thread, |frame| stack_frame::GetValues {
                thread: reader,
                frame,
                slots: readable.clone(),
            })?
        };
        match told.transpose() {
            Ok(values) => Ok(values),
            Err(error) => {
                tracing::debug!(%error, method = method.name, "arguments not read");
                Ok(None)
            }
        }
    }

    /// What these objects hold, and those that they hold, as far as the limits go.
    fn snapshot(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        roots: Vec<TaggedObject>,
        created: Option<jdwp::ObjectId>,
    ) -> Result<Vec<EventKind>, CaptureError> {
        let limits = self.recorder.outlet.options.snapshots;
        let mut told = std::mem::take(&mut self.told_before);
        let now = self.recorder.outlet.arrivals.told();
        let mut shot = Shot::new(limits, &mut told, now);
        let mut others = Others::Unasked;
        let mut level = shot.fresh(roots);
        let mut taken = Ok(());
        for _ in 0..limits.depth {
            if level.is_empty() {
                break;
            }
            let here = std::mem::take(&mut level);
            match self.snapshot_level(ticket, thread, created, &mut shot, &mut others, here) {
                Ok(next) => level = next,
                Err(error) => taken = Err(error),
            }
        }
        // Whatever went wrong, nobody is left standing.
        if matches!(others, Others::Held(_) | Others::Unseen) {
            self.let_others_go();
        }
        let events = shot.into_events();
        self.told_before = told;
        taken?;
        for object in level {
            self.recorder.meet_object(ticket, object, false);
        }
        Ok(events)
    }

    /// Reads the objects of one level. Gives those of the next.
    fn snapshot_level(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        created: Option<jdwp::ObjectId>,
        shot: &mut Shot<'_>,
        others: &mut Others,
        level: Vec<TaggedObject>,
    ) -> Result<Vec<TaggedObject>, CaptureError> {
        let mut next = Vec::new();
        let mut wave = level;
        // What lies behind a view belongs to the view's own level.
        while !wave.is_empty() {
            let kinds = self.recorder.kinds(ticket, &wave, created)?;
            let holds: Vec<_> = (wave.iter().zip(&kinds))
                .filter_map(|(&object, kind)| match kind {
                    Kind::Object(made) => Some((object, made.class, made.shape?)),
                    _ => None,
                })
                .collect();
            let held = |(.., shape): &(_, _, Shape)| !shape.is_read_at_once();
            if matches!(others, Others::Unasked) && holds.iter().any(held) {
                *others = self.hold_others(thread)?;
            }
            let asked = self.ask_fields_and_elements(shot, &wave, &kinds);
            let again = self.ask_held_again(shot, &holds);
            for asked in asked {
                self.take_fields_and_elements(shot, asked, &mut next)?;
            }
            let mut behind = Vec::new();
            for (at, again) in holds.into_iter().zip(again) {
                self.take_held(shot, others, at, again, &mut next, &mut behind)?;
            }
            wave = shot.fresh(behind);
        }
        Ok(shot.fresh(next))
    }

    fn ask_fields_and_elements(
        &mut self,
        shot: &mut Shot<'_>,
        objects: &[TaggedObject],
        kinds: &[Kind],
    ) -> Vec<Asked> {
        let mut asked = Vec::with_capacity(objects.len());
        for (&tagged, kind) in objects.iter().zip(kinds) {
            let object = tagged.id;
            match kind {
                Kind::Leaf => {}
                Kind::Gone => shot.tell_unknown(self.recorder.known.heap.name(object), GONE),
                Kind::Array { length, width } => {
                    let taken = shot.take_first(*length, *width);
                    if taken > 0 {
                        let id = self.recorder.jvm.link.ask(&array_reference::GetValues {
                            array: object.into(),
                            first_index: 0,
                            length: i32::try_from(taken).unwrap_or(i32::MAX),
                        });
                        asked.push(Asked::Elements(id, tagged));
                    }
                }
                Kind::Object(made) => {
                    if !made.fields.is_empty() && shot.take_all(made.fields.len()) {
                        let fields = made.fields.iter().map(|field| field.1).collect();
                        let id = self
                            .recorder
                            .jvm
                            .link
                            .ask(&object_reference::GetValues { object, fields });
                        asked.push(Asked::Fields(id, tagged, Rc::clone(made)));
                    }
                }
            }
        }
        asked
    }

    /// What objects of the JDK held when they were read before: is that so still?
    fn ask_held_again(
        &mut self,
        shot: &Shot<'_>,
        holds: &[(TaggedObject, ReferenceTypeId, Shape)],
    ) -> Vec<Option<Again>> {
        let all = holds.iter();
        all.map(|&(object, _, shape)| {
            let name = self.recorder.known.heap.name(object.id);
            let (link, most) = (&mut self.recorder.jvm.link, shot.most(shape.is_text()));
            self.readings.ask(link, name, shape, most)
        })
        .collect()
    }

    fn take_fields_and_elements(
        &mut self,
        shot: &mut Shot<'_>,
        asked: Asked,
        next: &mut Vec<TaggedObject>,
    ) -> Result<(), LinkError> {
        let link = &mut self.recorder.jvm.link;
        let (object, told) = match &asked {
            Asked::Fields(id, object, _) => {
                (object, link.reply::<object_reference::GetValues>(*id)?)
            }
            Asked::Elements(id, object) => {
                let told = link.reply::<array_reference::GetValues>(*id)?;
                (object, told.map(|region| crate::contents::values(&region)))
            }
        };
        let heap = &self.recorder.known.heap;
        let object = heap.name(object.id);
        let Ok(told) = told else {
            shot.tell_unknown(object, GONE);
            return Ok(());
        };
        next.extend(told.iter().filter_map(jdwp::Value::object));
        let values: Vec<_> = told.iter().map(|value| heap.value(value)).collect();
        match &asked {
            Asked::Fields(_, _, made) => {
                let fields = made.fields.iter();
                let variables = fields.map(|&(field, _)| Variable::Field { object, field });
                shot.tell_values(object, Looked::Fields, variables, &values);
            }
            Asked::Elements(..) => {
                let looked = Looked::Elements(u32::try_from(values.len()).unwrap_or(u32::MAX));
                let variables = (0..).map(|index| Variable::Element {
                    array: object,
                    index,
                });
                shot.tell_values(object, looked, variables, &values);
            }
        }
        Ok(())
    }

    /// What an object of the JDK holds.
    fn take_held(
        &mut self,
        shot: &mut Shot<'_>,
        others: &Others,
        (object, class, shape): (TaggedObject, ReferenceTypeId, Shape),
        again: Option<Again>,
        next: &mut Vec<TaggedObject>,
        behind: &mut Vec<TaggedObject>,
    ) -> Result<(), CaptureError> {
        let name = self.recorder.known.heap.name(object.id);
        let most = shot.most(shape.is_text());
        let link = &mut self.recorder.jvm.link;
        let confirmed = again.map(|again| again.confirmed(link, most)).transpose()?;
        let is_left_alone = |object| shape.is_read_at_once() || others.leave_alone(object);
        if !is_left_alone(object.id) {
            shot.tell_unknown(name, MEANWHILE);
            return Ok(());
        }
        let reading = match confirmed.flatten() {
            Some(reading) => reading,
            None => match self.read_held((object, class, shape), most) {
                Ok(reading) => reading,
                Err(ReadError::Link(error)) => return Err(error.into()),
                Err(ReadError::Unknown(reason)) => {
                    shot.tell_unknown(name, &reason);
                    return Ok(());
                }
            },
        };
        if reading.inner.is_some_and(|inner| !is_left_alone(inner)) {
            shot.tell_unknown(name, MEANWHILE);
            return Ok(());
        }
        let heap = &self.recorder.known.heap;
        let change = shot.take_held(
            &reading.told,
            reading.total,
            |value| heap.value(value),
            next,
            behind,
        );
        shot.tell_held(name, change);
        self.readings.keep(name, reading);
        Ok(())
    }

    fn read_held(
        &mut self,
        (object, class, shape): (TaggedObject, ReferenceTypeId, Shape),
        most: usize,
    ) -> Result<Reading, ReadError> {
        self.recorder.jvm.link.listen();
        let mut reader = Reader::new(
            &mut self.recorder.jvm.link,
            &mut self.recorder.known.program,
            &mut self.recorder.known.contents.layouts,
        );
        reader.most = Some(most);
        let told = reader.read(object.id, class, shape);
        let (total, inner) = (reader.total, reader.inner);
        let heard = self.recorder.jvm.link.take_heard();
        Ok(Reading {
            told: told?,
            total,
            inner,
            most,
            heard,
        })
    }

    /// An object is constructed: a constant has its name now, a thread, too.
    fn introduce_made(
        &mut self,
        ticket: Ticket,
        class: ReferenceTypeId,
        made: jdwp::ObjectId,
    ) -> Result<(), CaptureError> {
        let layouts = &mut self.recorder.known.contents.layouts;
        match layouts.fixed(
            &mut self.recorder.jvm.link,
            &mut self.recorder.known.program,
            class,
        )? {
            // An exception is told when it is thrown.
            None | Some(FixedKind::Throwable) => Ok(()),
            Some(_) => self.recorder.constant_is_made(ticket, made),
        }
    }
}

/// Does a method see objects when it begins?
pub(in crate::events) fn is_shown_objects(method: &Method) -> bool {
    let is_object = |slot: &(SlotRequest, bool)| matches!(slot.0.tag, Tag::OBJECT | Tag::ARRAY);
    method.slots.iter().any(is_object)
}

pub(in crate::events) fn objects_of<'v>(
    values: impl Iterator<Item = &'v jdwp::Value>,
) -> Vec<TaggedObject> {
    values.filter_map(jdwp::Value::object).collect()
}

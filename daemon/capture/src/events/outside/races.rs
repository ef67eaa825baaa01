//! Who wrote what is found behind a call out of the scope, when other threads run code of the scope at that time.
//!
//! What is read behind such a call is what memory holds now; the mirror is where the events that have come have brought
//! it. Another thread's write may be in memory while the step that tells it is on its way. To take it for the call's own
//! would tell it twice, and what that thread reads after it would be worked out from a value that it wrote later.
//!
//! So what is found is in doubt until the calling thread's next event. The debug agent has one queue: whatever other
//! threads told before the memory was read comes before that event. What was told in between is theirs; what they are
//! still to tell is known, too: the one instruction that they stand at, or a run that was predicted. The rest is the
//! call's. Until then the call's end waits in [`crate::arrivals`], so that the events come in the order in which they were.

use std::rc::Rc;

use jdwp::TaggedObject;
use jhyde_trace::{CallId, Event, EventKind, ObjectId, Sink, Value, Variable};
use rustc_hash::FxHashSet;

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::asked::{Means, Race};
use crate::events::thread::frame::Frame;
use crate::mirror::{Doubted, Progress};
use crate::recorder::holder;

/// So many arrivals may wait for a thread's next event. The agent's queue holds fewer where threads are stepped.
const MOST_WAITING: usize = 1 << 12;

const AMBIGUOUS: &str = "what this call wrote cannot be told from what a call in another thread wrote at the same time, \
    to which the same was shown";

/// The other threads, at the time at which something is read for one.
#[derive(Debug)]
pub(in crate::events) struct Others {
    /// None of them runs code of the scope.
    pub(in crate::events) are_outside: bool,
    /// What each that does is about to write: it may have done so untold, or not have done so although it was told.
    writing: Vec<Variable>,
    /// What calls out of the scope have been shown that run in them.
    shown: FxHashSet<ObjectId>,
}

impl Others {
    /// Has a call out of the scope been shown it that runs in one of them?
    pub(in crate::events) fn is_shown(&self, object: ObjectId) -> bool {
        self.shown.contains(&object)
    }
}

impl<S: Sink> Engine<S> {
    /// What the other threads are at.
    pub(in crate::events) fn others(&self) -> Others {
        let are_outside = self.threads.are_outside();
        let (mut writing, mut shown) = (Vec::new(), FxHashSet::default());
        for other in self.threads.iter() {
            writing.extend(other.writing.or_else(|| other.element_to_write()));
            let objects = other.stack.last().map(Frame::shown_outside);
            shown.extend(objects.into_iter().flatten());
        }
        Others {
            are_outside,
            writing,
            shown,
        }
    }

    /// A variable holds another value behind a boundary call than the mirror has.
    pub(in crate::events) fn race(
        &mut self,
        thread: &mut Thread,
        (ticket, call): (Ticket, CallId),
        others: &Others,
        variable: Variable,
        value: Value,
        told: Option<TaggedObject>,
    ) {
        if others.are_outside {
            self.recorder.known.heap.write(variable, value);
            self.recorder
                .outlet
                .arrivals
                .event(ticket, written(call, variable, value));
            return;
        }
        let behind = self.recorder.outlet.arrivals.events(ticket);
        let means = Means::Written {
            ticket,
            behind,
            call,
            value,
            told,
            shared: holder(variable).is_some_and(|holder| others.shown.contains(&holder)),
        };
        if self.suspect(thread, others, variable, means) {
            // It stays, and what comes after it waits, until that is settled.
            self.recorder.outlet.arrivals.question(ticket);
        }
    }

    /// Memory holds an object where the mirror has one that the JVM has not named.
    pub(in crate::events) fn suspect_name(
        &mut self,
        thread: &mut Thread,
        others: &Others,
        variable: Variable,
        object: Value,
        real: TaggedObject,
    ) {
        if let Some(object) = object.object()
            && !real.id.is_null()
            && self.recorder.known.heap.may_be(
                Value::Object(object),
                self.recorder.known.heap.reference(real.id),
            )
        {
            self.suspect(thread, others, variable, Means::Named { object, real });
        }
    }

    fn suspect(
        &mut self,
        thread: &mut Thread,
        others: &Others,
        variable: Variable,
        means: Means,
    ) -> bool {
        if others.writing.contains(&variable) {
            return false;
        }
        let doubted = match means {
            Means::Written { value, .. } => Doubted::Value(value),
            Means::Named { object, real } => Doubted::Name(object, real.id),
        };
        let Some(number) = self.recorder.known.heap.doubts.raise(variable, doubted) else {
            return false;
        };
        thread.races.push(Race {
            variable,
            number,
            means,
        });
        true
    }

    /// Is an object among what was found that is to be looked at when that is settled? The thread has to stand then.
    pub(in crate::events) fn finds_objects(&self, thread: &mut Thread) -> bool {
        thread.races.iter().any(|race| match race.means {
            Means::Written { value, told, .. } => {
                let heap = &self.recorder.known.heap;
                told.is_some() && value.object().is_some_and(|o| !heap.knows(o))
            }
            Means::Named { .. } => false,
        })
    }

    /// Settles what is in doubt in a thread that has gone on since. `asks`: objects that are seen for the first time can
    /// be looked at.
    pub(in crate::events) fn settle(
        &mut self,
        thread: &mut Thread,
        asks: bool,
    ) -> Result<(), CaptureError> {
        let all = std::mem::take(&mut thread.races);
        if all.is_empty() {
            return Ok(());
        }
        let others = self.others();
        let is_open = |engine: &Self, race: &Race| {
            engine
                .recorder
                .known
                .heap
                .doubts
                .is_open(race.variable, race.number)
                && !others.writing.contains(&race.variable)
        };
        let predicted = match all.iter().any(|race| is_open(self, race)) {
            true => self.untold_writes()?,
            false => Vec::new(),
        };
        // All was found at one arrival: the next one settles it.
        let (mut found_at, mut own, mut ambiguous) = (None, Vec::new(), false);
        for race in all {
            let variable = race.variable;
            if let Means::Written { ticket, .. } = race.means {
                self.recorder.outlet.arrivals.answered(ticket);
                found_at = Some(ticket);
            }
            if !self
                .recorder
                .known
                .heap
                .doubts
                .is_open(variable, race.number)
            {
                // Written since, or another thread saw the same and has gone on earlier.
                continue;
            }
            let nobody =
                is_open(self, &race) && !predicted.iter().any(|all| all.contains(&variable));
            self.recorder.known.heap.doubts.end(variable);
            match race.means {
                Means::Named { object, real } if nobody => {
                    self.unify(thread, Value::Object(object), real);
                }
                Means::Written {
                    ticket,
                    behind,
                    call,
                    mut value,
                    told,
                    shared,
                } if nobody && self.recorder.known.holder_is_named(variable) => {
                    if let Some(told) = told.filter(|_| asks) {
                        let seen = self.look_at(ticket, thread, told)?;
                        own.extend(seen.into_iter().map(|kind| (behind, in_call(call, kind))));
                        value = self.recorder.known.heap.reference(told.id);
                    }
                    self.recorder.known.heap.write(variable, value);
                    own.push((behind, written(call, variable, value)));
                    if shared && !std::mem::replace(&mut ambiguous, true) {
                        let reason = AMBIGUOUS.to_owned();
                        own.push((
                            behind,
                            in_call(
                                call,
                                EventKind::Gap {
                                    reason,
                                    back: false,
                                },
                            ),
                        ));
                    }
                }
                _ => {}
            }
        }
        if let Some(ticket) = found_at {
            self.recorder.outlet.arrivals.insert(ticket, own);
        }
        Ok(())
    }

    /// Learns an object, and gives what is to be told of it.
    fn look_at(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        object: TaggedObject,
    ) -> Result<Vec<EventKind>, CaptureError> {
        let before = self.recorder.outlet.arrivals.events(ticket);
        let value = jdwp::Value::Object {
            tag: object.tag,
            id: object.id,
        };
        self.observe(ticket, thread, &value)?;
        self.recorder.meet_object(ticket, object, false);
        let seen = self.recorder.outlet.arrivals.split_off(ticket, before);
        Ok(seen.into_iter().map(|event| event.kind).collect())
    }

    /// Settles what is in doubt everywhere: nothing more comes.
    pub(in crate::events) fn settle_all(&mut self, asks: bool) -> Result<(), CaptureError> {
        for id in self.threads.which(|thread| !thread.races.is_empty()) {
            self.with_thread(id, |engine, thread| engine.settle(thread, asks))?;
        }
        Ok(())
    }

    /// Settles where too much waits for a thread that makes no event, because it waits itself.
    pub(in crate::events) fn settle_crowd(&mut self) -> Result<(), CaptureError> {
        let arrivals = &self.recorder.outlet.arrivals;
        if arrivals.waiting() <= MOST_WAITING {
            return Ok(());
        }
        let late = self.threads.which(|thread| {
            thread.races.iter().any(|race| match race.means {
                Means::Written { ticket, .. } => arrivals.after(ticket) > MOST_WAITING,
                Means::Named { .. } => false,
            })
        });
        for id in late {
            self.with_thread(id, |engine, thread| engine.settle(thread, true))?;
        }
        Ok(())
    }

    /// What the other threads write on runs that are predicted, and not told yet.
    fn untold_writes(&mut self) -> Result<Vec<Rc<FxHashSet<Variable>>>, CaptureError> {
        let predicted = |other: &Thread| other.predicted && !other.stack.is_empty();
        let mut all = Vec::new();
        for id in self.threads.which(predicted) {
            self.with_thread(id, |engine, other| {
                if other.untold.is_none() {
                    let writes = engine.predicted_writes(other)?;
                    other.untold = Some(Rc::new(writes.into_iter().collect()));
                }
                all.extend(other.untold.clone());
                Ok(())
            })?;
        }
        Ok(all)
    }
}

impl Thread {
    /// The element that the thread writes next, if it is about to write one. Memory may have it already.
    fn element_to_write(&self) -> Option<Variable> {
        let frame = self.stack.last().filter(|frame| !frame.boundary)?;
        let mirror = frame.mirror.as_ref()?;
        let pending = mirror.pending.filter(|p| p.progress == Progress::Reached)?;
        let instruction = frame.method.instruction(pending)?;
        if !instruction.opcode.stores_element() {
            return None;
        }
        let array = mirror.peek(2).object()?;
        let Value::Int(index) = mirror.peek(1) else {
            return None;
        };
        let index = u32::try_from(index).ok()?;
        Some(Variable::Element { array, index })
    }
}

impl Frame {
    /// What a call out of the scope is shown that runs behind this frame, if one does.
    fn shown_outside(&self) -> Vec<ObjectId> {
        match (&self.shown, &self.mirror) {
            (Some(shown), _) => shown.objects().to_vec(),
            (None, Some(mirror)) if self.is_in_a_call() => {
                let stack = mirror.stack.iter();
                stack.filter_map(|value| value.object()).collect()
            }
            _ => Vec::new(),
        }
    }
}

fn written(call: CallId, variable: Variable, value: Value) -> Event {
    in_call(call, EventKind::Write { variable, value })
}

fn in_call(call: CallId, kind: EventKind) -> Event {
    let index = Event::NO_INDEX;
    Event { call, index, kind }
}

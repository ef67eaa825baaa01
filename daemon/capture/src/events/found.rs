//! Who wrote what is found behind a call out of the scope, when other threads run code of the scope at that time.
//!
//! What is read behind such a call is what memory holds now; the mirror is where the events that have come have brought
//! it. Another thread's write may be in memory while the step that tells it is on its way. To take it for the call's own
//! would tell it twice, and what that thread reads after it would be worked out from a value that it wrote later.
//!
//! So what is found is in doubt until the calling thread's next event. The debug agent has one queue: whatever other
//! threads told before the memory was read comes before that event. What was told in between is theirs; what they are
//! still to tell is known, too: the one instruction that they stand at, or a run that was foreseen. The rest is the
//! call's. Until then the call's end waits in [`crate::arrivals`], so that the events come in the order in which they were.

use jdwp::TaggedObject;
use jhyde_trace::{CallId, Event, EventKind, Value, Variable};
use rustc_hash::FxHashSet;

use super::Engine;
use super::threads::Thread;
use crate::arrivals::Place;
use crate::error::CaptureError;
use crate::mirror::Progress;
use crate::sink::Sink;

/// So many arrivals may wait for a thread's next event. The agent's queue holds fewer where threads are stepped.
const MOST_WAITING: usize = 1 << 12;

/// The other threads, at the time at which something is read for one.
#[derive(Debug)]
pub(super) struct Others {
    /// None of them runs code of the scope.
    pub(super) are_outside: bool,
    /// What each that does is about to write: it may have done so untold, or not have done so although it was told.
    writing: Vec<Variable>,
}

/// Something that memory shows and the mirror does not.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    variable: Variable,
    /// Of [`crate::mirror::Heap::doubt`].
    number: u64,
    means: Means,
}

/// What that means, if no other thread has written the variable.
#[derive(Clone, Copy, Debug)]
enum Means {
    /// A boundary call wrote it: told at this arrival, behind so many of its events.
    Written {
        place: Place,
        behind: usize,
        call: CallId,
        value: Value,
        /// The value as the JVM names it, if it is an object.
        told: Option<TaggedObject>,
    },
    /// The object that the mirror has there is the one to which the JVM gives this name.
    Named { object: Value, real: TaggedObject },
}

impl<S: Sink> Engine<S> {
    /// What the other threads are at.
    pub(super) fn others(&self, thread: jdwp::ThreadId) -> Others {
        let are_outside = self.runs_alone(thread);
        let others = self.threads.iter().filter(|&(&id, _)| id != thread.0);
        let writing = |(_, other): (_, &Thread)| other.writing.or_else(|| other.element_to_write());
        let writing = others.filter_map(writing);
        Others {
            are_outside,
            writing: if are_outside {
                Vec::new()
            } else {
                writing.collect()
            },
        }
    }

    /// A variable holds another value behind a boundary call than the mirror has.
    pub(super) fn found(
        &mut self,
        (place, thread, call): (Place, jdwp::ThreadId, CallId),
        others: &Others,
        variable: Variable,
        value: Value,
        told: Option<TaggedObject>,
    ) {
        if others.are_outside {
            self.heap.write(variable, value);
            self.arrivals.event(place, written(call, variable, value));
            return;
        }
        let behind = self.arrivals.events(place);
        let means = Means::Written {
            place,
            behind,
            call,
            value,
            told,
        };
        if self.suspect(thread, others, variable, means) {
            // It stays, and what comes after it waits, until that is settled.
            self.arrivals.question(place);
        }
    }

    /// Memory holds an object where the mirror has one that the JVM has not named.
    pub(super) fn suspect_name(
        &mut self,
        thread: jdwp::ThreadId,
        others: &Others,
        variable: Variable,
        object: Value,
        real: TaggedObject,
    ) {
        if !real.id.is_null() && self.heap.may_be(object, self.heap.reference(real.id)) {
            self.suspect(thread, others, variable, Means::Named { object, real });
        }
    }

    fn suspect(
        &mut self,
        thread: jdwp::ThreadId,
        others: &Others,
        variable: Variable,
        means: Means,
    ) -> bool {
        if others.writing.contains(&variable) {
            return false;
        }
        let number = self.heap.doubt(variable);
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return false;
        };
        known.found.push(Found {
            variable,
            number,
            means,
        });
        true
    }

    /// Is an object among what was found that is to be looked at when that is settled? The thread has to stand then.
    pub(super) fn finds_objects(&self, thread: jdwp::ThreadId) -> bool {
        let known = self.threads.get(&thread.0);
        known.is_some_and(|known| {
            known.found.iter().any(|found| match found.means {
                Means::Written { value, told, .. } => {
                    told.is_some() && value.object().is_some_and(|o| !self.heap.knows(o))
                }
                Means::Named { .. } => false,
            })
        })
    }

    /// Settles what is in doubt in a thread that has gone on since.
    pub(super) fn settle(&mut self, thread: jdwp::ThreadId) -> Result<(), CaptureError> {
        let Some(known) = self
            .threads
            .get_mut(&thread.0)
            .filter(|t| !t.found.is_empty())
        else {
            return Ok(());
        };
        let all = std::mem::take(&mut known.found);
        let others = self.others(thread);
        let foreseen = self.untold_writes(thread)?;
        // All was found at one arrival: the next one settles it.
        let (mut found_at, mut own) = (None, Vec::new());
        for found in all {
            let variable = found.variable;
            if let Means::Written { place, .. } = found.means {
                self.arrivals.answered(place);
                found_at = Some(place);
            }
            if !self.heap.settle(variable, found.number)
                || foreseen.contains(&variable)
                || others.writing.contains(&variable)
            {
                continue;
            }
            match found.means {
                Means::Named { object, real } => self.tie(thread, object, real),
                Means::Written {
                    place,
                    behind,
                    call,
                    value,
                    told,
                } => {
                    let mut value = value;
                    if let Some(told) = told {
                        let seen = self.look_at(place, thread, told)?;
                        own.extend(seen.into_iter().map(|kind| (behind, in_call(call, kind))));
                        value = self.heap.reference(told.id);
                    }
                    self.heap.write(variable, value);
                    own.push((behind, written(call, variable, value)));
                }
            }
        }
        if let Some(place) = found_at {
            self.arrivals.insert(place, own);
        }
        Ok(())
    }

    /// Learns an object, and gives what is to be told of it.
    fn look_at(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        object: TaggedObject,
    ) -> Result<Vec<EventKind>, CaptureError> {
        let before = self.arrivals.events(place);
        let value = jdwp::Value::Object {
            tag: object.tag,
            id: object.id,
        };
        self.observe(place, thread, &value)?;
        self.meet_object(place, object, false);
        let seen = self.arrivals.split_off(place, before);
        Ok(seen.into_iter().map(|event| event.kind).collect())
    }

    /// Settles what is in doubt everywhere: nothing more comes.
    pub(super) fn settle_all(&mut self) -> Result<(), CaptureError> {
        let open = self.threads.iter().filter(|(_, t)| !t.found.is_empty());
        let open: Vec<u64> = open.map(|(&id, _)| id).collect();
        for id in open {
            self.settle(jdwp::ThreadId(id))?;
        }
        Ok(())
    }

    /// Settles everything where too much waits for a thread that makes no event, because it waits itself.
    pub(super) fn settle_crowd(&mut self) -> Result<(), CaptureError> {
        if self.arrivals.waiting() > MOST_WAITING {
            self.settle_all()?;
        }
        Ok(())
    }

    /// What the other threads write on runs that are foreseen, and not told yet.
    fn untold_writes(
        &mut self,
        thread: jdwp::ThreadId,
    ) -> Result<FxHashSet<Variable>, CaptureError> {
        let foreseen = self
            .threads
            .iter()
            .filter(|&(&id, other)| id != thread.0 && other.foreseen && !other.stack.is_empty());
        let foreseen: Vec<u64> = foreseen.map(|(&id, _)| id).collect();
        let mut writes = FxHashSet::default();
        for id in foreseen {
            writes.extend(self.foreseen_writes(jdwp::ThreadId(id))?);
        }
        Ok(writes)
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

fn written(call: CallId, variable: Variable, value: Value) -> Event {
    in_call(call, EventKind::Write { variable, value })
}

fn in_call(call: CallId, kind: EventKind) -> Event {
    let index = Event::NO_INDEX;
    Event { call, index, kind }
}

//! A call is entered: what has to be asked for it, and the event once all of that is answered.

use std::rc::Rc;

use jdwp::commands::{stack_frame, thread_reference};
use jdwp::{FrameId, Location, PacketId};
use jhyde_trace::{Event, EventKind, Missing, MonitorAction, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::snapshots::{is_shown_objects, objects_of};
use crate::events::stops::awaited::is_bridge;
use crate::events::stops::sites::calls_by_name;
use crate::events::thread::Thread;
use crate::events::thread::asked::{Below, Entering, EntryQuestion};
use crate::events::thread::frame::Frame;
use crate::events::{Current, Engine};
use crate::jvm::StackFrame;
use crate::mirror::{Activation, Shared, is_known, narrowed};
use crate::program::index_of;

impl<S: Sink> Engine<S> {
    /// A method was entered.
    pub(in crate::events) fn entry(
        &mut self,
        (ticket, thread, current): Current<'_>,
        location: &Location,
        suspended: bool,
        late: bool,
    ) -> Result<(), CaptureError> {
        let key = (location.class, location.method);
        let Some(method) = self
            .recorder
            .known
            .program
            .method(&mut self.recorder.jvm.link, key)?
        else {
            // Its class has no such method, as far as the JVM tells: it is none of the scope.
            return Ok(());
        };
        if !method.in_scope {
            return Ok(());
        }
        let thread = self.meet_thread((ticket, thread, current))?;
        let method = self.plans.of(&method);
        self.set_stops(key, &method)?;
        thread.standing.want(method.exits.get());
        let known = self.known_site(thread, &method);
        let mut below = known.map_or(Below::Asked, |site| Below::Known { site });
        let top = thread.stack.last();
        let by_name = top.is_some_and(|top| calls_by_name(top, &method));
        let records_state = self.recorder.outlet.records_state();
        // Who is called from outside the scope may be shown objects that are not known yet.
        let mut from_outside = records_state && !by_name;
        // What is known before the thread goes on need not be stepped through.
        let ask_now = thread.generation.is_none()
            || thread.is_virtual
            || self.recorder.jvm.unpredictable
            || (records_state && matches!(below, Below::Asked));
        let mut frame = None;
        let mut for_resolution = false;
        if (ask_now || from_outside || late) && suspended {
            let mut frames = self.stack(thread)?;
            let own = if late {
                let is_own = |f: &StackFrame| (f.location.class, f.location.method) == key;
                let Some(own) = frames.iter().position(is_own) else {
                    // It has ended since, and nothing of it can be seen any more.
                    return Ok(());
                };
                own
            } else {
                0
            };
            let deeper = frames.split_off(frames.len().min(own + 1));
            frame = frames.last().map(|own| own.frame);
            let top = thread.stack.last();
            let is_next = top.is_some_and(|top| deeper.len() == top.height as usize + 1);
            from_outside |= records_state && !is_next;
            if from_outside {
                for_resolution = self.is_for_resolution(thread, key, &deeper)?;
                self.name_receiver(thread, &deeper)?;
                self.open_between(thread, ticket, &deeper)?;
            }
            below = Below::Frames(deeper);
        }
        if from_outside {
            self.came_from_outside(thread);
        }
        self.enter_initialiser(thread, &method, for_resolution);
        let mut entering = Entering {
            ticket,
            key,
            method: Rc::clone(&method),
            index: index_of(location),
            late,
            open: 0,
            below,
            values: None,
            missing: if method.native {
                Missing::Native
            } else {
                Missing::Unreadable
            },
            told: Vec::new(),
        };
        if matches!(entering.below, Below::Asked) && suspended {
            let frames = thread_reference::Frames {
                thread: thread.jdwp,
                start_frame: 1,
                length: -1,
            };
            let id = self.recorder.jvm.link.send(&frames);
            self.ask_entry(id, thread, ticket, EntryQuestion::Stack);
            entering.open += 1;
        }
        let generation = thread.generation;
        let readable: Vec<_> = method
            .slots
            .iter()
            .filter(|slot| slot.1)
            .map(|slot| slot.0)
            .collect();
        let named = frame;
        let frame = frame.or_else(|| Some(FrameId(generation? << 16)));
        if (from_outside || late) && suspended {
            entering.values = self.arguments_now(ticket, thread, named, &method, readable)?;
        } else if records_state && suspended {
            if !self.gives_arguments(thread, &method, &entering.below) {
                entering.values = self.told_arguments(thread, named, &method, readable)?;
            }
        } else if suspended && self.takes_snapshots() && is_shown_objects(&method) {
            let shown = self.snapshot_at_enter(ticket, thread, &method, readable)?;
            (entering.values, entering.told) = (shown.values, shown.told);
        } else if let (Some(frame), false, true) = (frame, readable.is_empty(), suspended)
            && !method.native
        {
            let slots = readable;
            let id = self.recorder.jvm.link.send(&stack_frame::GetValues {
                thread: thread.jdwp,
                frame,
                slots,
            });
            self.ask_entry(id, thread, ticket, EntryQuestion::Arguments);
            entering.open += 1;
        } else if let (Some(frame), true, true, true) =
            (frame, method.native, method.receiver, suspended)
        {
            // A native frame's slots cannot be read, but its receiver can.
            let id = self.recorder.jvm.link.send(&stack_frame::ThisObject {
                thread: thread.jdwp,
                frame,
            });
            self.ask_entry(id, thread, ticket, EntryQuestion::Arguments);
            entering.open += 1;
        }
        let hides = thread.initialising.is_some();
        if !late && !method.native && !hides {
            // Its caller's steps tell nothing of it: see `predict`.
            self.stop_stepping(thread);
        }
        let complete = entering.open == 0;
        thread.entering = Some(entering);
        if complete {
            self.entered(thread)
        } else {
            Ok(())
        }
    }

    /// Code out of the scope has called into the scope: what it was shown it may have written already.
    pub(in crate::events) fn came_from_outside(&mut self, thread: &mut Thread) {
        self.recorder.known.heap.outside_ran();
        let shown = thread.stack.iter().rev();
        let shown = shown.map_while(|frame| frame.shown.as_ref()).next();
        for object in shown.map_or_else(Vec::new, |shown| shown.objects().to_vec()) {
            self.recorder.known.heap.share(object, Shared::Anybody);
        }
    }

    pub(in crate::events) fn ask_entry(
        &mut self,
        id: PacketId,
        thread: &mut Thread,
        ticket: Ticket,
        question: EntryQuestion,
    ) {
        self.entries.insert(id.0, (thread.jdwp, question));
        self.recorder.outlet.arrivals.question(ticket);
    }

    /// An answer about a call that is being entered.
    pub(in crate::events) fn entry_answer(
        &mut self,
        thread: &mut Thread,
        question: EntryQuestion,
        reply: &jdwp::Reply,
    ) -> Result<(), CaptureError> {
        let Some(entering) = thread.entering.as_mut() else {
            // Nobody waits for the answer any more.
            return Ok(());
        };
        match question {
            EntryQuestion::Stack => {
                entering.below = match self
                    .recorder
                    .jvm
                    .link
                    .decode::<thread_reference::Frames>(reply)
                {
                    Ok(frames) => Below::Frames(frames),
                    Err(error) => {
                        // Without the stack the innermost known call is the best guess of the caller.
                        tracing::warn!(%error, method = entering.method.name, "stack not read");
                        Below::Known {
                            site: Event::NO_INDEX,
                        }
                    }
                };
            }
            EntryQuestion::Arguments if entering.method.native => {
                let this = self
                    .recorder
                    .jvm
                    .link
                    .decode::<stack_frame::ThisObject>(reply)
                    .ok();
                entering.values = this.map(|this| {
                    vec![jdwp::Value::Object {
                        tag: this.tag,
                        id: this.id,
                    }]
                });
            }
            EntryQuestion::Arguments => {
                match self
                    .recorder
                    .jvm
                    .link
                    .decode::<stack_frame::GetValues>(reply)
                {
                    Ok(values) => entering.values = Some(values),
                    Err(error) => {
                        tracing::debug!(%error, method = entering.method.name, "arguments not read");
                        if reply.error == jdwp::ErrorCode::INVALID_FRAMEID {
                            // This JVM names its frames in another way: ask before every read.
                            self.recorder.jvm.unpredictable = true;
                            thread.generation = None;
                        }
                    }
                }
            }
        }
        entering.open = entering.open.saturating_sub(1);
        let (ticket, complete) = (entering.ticket, entering.open == 0);
        if complete {
            self.entered(thread)?;
        }
        self.recorder.outlet.arrivals.answered(ticket);
        Ok(())
    }

    /// All is known of a call that was entered: it becomes the innermost one.
    pub(in crate::events) fn entered(&mut self, thread: &mut Thread) -> Result<(), CaptureError> {
        let Some(entering) = thread.entering.take() else {
            // Nothing is being entered.
            return Ok(());
        };
        let Entering {
            ticket,
            key,
            method,
            index,
            late,
            below,
            values,
            missing,
            told,
            ..
        } = entering;
        let roots = match self.takes_snapshots() {
            true => objects_of(values.iter().flatten()),
            false => Vec::new(),
        };
        let innermost = thread.current();
        self.recorder.outlet.arrivals.context(ticket, innermost);
        let (site, height, direct) = self.settle_parent(thread, ticket, below)?;
        if !direct && !late && self.recorder.outlet.records_state() {
            self.look_at_callback(ticket, thread)?;
            self.contents_at_callback(ticket, thread)?;
        }
        let mirrored = if direct {
            self.take_arguments(thread, &method)
        } else {
            None
        };
        let invoked = mirrored.is_some();
        let mut values = values.map(Vec::into_iter);
        let mut bound: Vec<Value> = Vec::with_capacity(method.slots.len());
        for (at, &(slot, readable)) in method.slots.iter().enumerate() {
            let created = slot.slot == 0 && method.receiver && method.is_constructor();
            let mirrored = mirrored.as_ref().and_then(|all| all.get(at)).copied();
            let told = values
                .as_mut()
                .filter(|_| readable || method.native)
                .and_then(Iterator::next);
            if let (Some(mirrored), Some(object)) =
                (mirrored, told.as_ref().and_then(jdwp::Value::object))
            {
                self.unify(thread, mirrored, object);
            }
            if created && let Some(made) = told.as_ref().and_then(jdwp::Value::object) {
                self.recorder
                    .begin_created(ticket, thread.current(), made)?;
            }
            bound.push(match (told, mirrored) {
                (Some(told), _) => self.recorder.value(ticket, &told, created),
                (None, Some(mirrored)) => {
                    let tag = [slot.tag.0];
                    narrowed(mirrored, std::str::from_utf8(&tag).unwrap_or_default())
                }
                (None, None) => Value::Missing(missing),
            });
        }
        let replaced = method.replaced.get();
        let mirror =
            (self.recorder.outlet.records_state() && method.code.is_some() && !replaced && !late)
                .then(|| {
                    let slots = method.slots.iter().zip(&bound);
                    Activation::entered(slots.filter_map(|((request, _), &value)| {
                        Some((u16::try_from(request.slot).ok()?, value))
                    }))
                });
        let mut bound = bound.into_iter();
        let receiver = if method.receiver { bound.next() } else { None };
        let arguments: Vec<Value> = bound.collect();
        let locked = match receiver {
            _ if !method.synchronized || !self.recorder.outlet.records_state() => None,
            Some(receiver) => receiver.object(),
            None => self.class_object(ticket, key.0)?,
        };
        if self.recorder.outlet.records_state() {
            let created = receiver.filter(|_| method.is_constructor());
            let shown = receiver
                .iter()
                .chain(&arguments)
                .filter(|&&value| Some(value) != created);
            let shown: Vec<_> = shown.filter_map(|value| value.object()).collect();
            // Who calls the outermost method nobody knows, nor what that has done since.
            let by_others = thread.stack.is_empty();
            if by_others {
                self.recorder.known.contents.library_ran();
            }
            self.contents_before(ticket, thread, &shown)?;
            if by_others {
                let current = thread.current();
                for object in self.recorder.known.contents.behind(&shown) {
                    if self.recorder.known.heap.elements(object).is_some() {
                        self.compare(ticket, thread, current, object, false)?;
                    }
                }
                self.hand_over(&shown);
            }
        }
        if direct {
            thread.passed_on(&arguments, &mut self.recorder.outlet);
        }
        let hidden = arguments.iter().any(|&argument| !is_known(argument));
        let call = thread.next_call();
        // Who makes objects of the scope may fill them by reflection, too.
        let made_outside =
            thread.stack.last().is_some_and(|parent| parent.boundary) && method.is_constructor();
        if let Some(object) = receiver.and_then(Value::object).filter(|_| made_outside) {
            self.recorder.known.heap.share(object, Shared::Anybody);
        }
        if let Some(initialising) = &mut thread.initialising {
            initialising.call.get_or_insert(call);
        }
        thread.stack.push(Frame {
            call,
            key,
            method: Rc::clone(&method),
            height,
            boundary: false,
            site,
            index,
            mirror,
            invoked,
            shown: None,
            monitor: locked.map(|object| (MonitorAction::Exit, object)),
            roots,
            doubtful: None,
            left_at: None,
        });
        let kind = EventKind::Enter {
            method: method.id,
            receiver,
            arguments,
            call_site: site,
            boundary: false,
            already_running: false,
        };
        self.recorder.outlet.tell(ticket, (call, index), kind);
        for kind in told {
            let index = Event::AT_ENTER;
            self.recorder.outlet.tell(ticket, (call, index), kind);
        }
        if let Some(object) = locked {
            let action = MonitorAction::Enter;
            let kind = EventKind::Monitor { action, object };
            self.recorder.outlet.tell(ticket, (call, index), kind);
        }
        if replaced && self.recorder.outlet.records_state() {
            self.enter_replaced(ticket, call);
        } else if late && self.recorder.outlet.records_state() {
            self.enter_late(ticket, call);
        } else if hidden && self.recorder.outlet.records_state() && is_bridge(&method) {
            thread.await_arguments(ticket, call, &mut self.recorder.outlet);
        }
        self.clear_settled(thread);
        Ok(())
    }
}

//! Calls on the stack: whose a new one is, their exits with values, and the boundary calls that are seen
//! because they call back.

use jdwp::Location;
use jhyde_trace::{Event, EventKind, Missing, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::events::thread::asked::Below;
use crate::events::thread::frame::Frame;
use crate::jvm::StackFrame;
use crate::program::{MethodKey, index_of, key_of};

impl<S: Sink> Engine<S> {
    /// Makes the innermost known call the parent of a call that is entered: what is not on the stack
    /// any more ends, and a call out of the scope that lies between becomes a boundary call. Gives
    /// the call site in the parent, the new call's height, and whether the parent called it itself.
    pub(in crate::events) fn settle_parent(
        &mut self,
        thread: &mut Thread,
        ticket: Ticket,
        below: Below,
    ) -> Result<(u32, u32, bool), CaptureError> {
        let frames = match below {
            Below::Known { site } => {
                let height = thread.stack.last().map_or(0, |parent| parent.height + 1);
                return Ok((site, height, true));
            }
            Below::Asked => Vec::new(),
            Below::Frames(frames) => frames,
        };
        thread.align(&frames, ticket, &mut self.recorder.outlet);
        let height = u32::try_from(frames.len()).unwrap_or(u32::MAX);
        let Some(parent) = thread.stack.iter().rposition(|frame| !frame.boundary) else {
            thread.end_boundary(ticket, &mut self.recorder.outlet);
            return Ok((Event::NO_INDEX, height, false));
        };
        let frame_at = |height: u32| {
            frames
                .len()
                .checked_sub(1 + height as usize)
                .and_then(|at| frames.get(at))
        };
        let parent_height = thread.stack[parent].height;
        let site = frame_at(parent_height).map_or(Event::NO_INDEX, |f| index_of(&f.location));
        if parent_height + 1 == height {
            thread.end_boundary(ticket, &mut self.recorder.outlet);
            return Ok((site, height, true));
        }
        let Some(between) = frame_at(parent_height + 1) else {
            return Ok((site, height, false));
        };
        let key = key_of(&between.location);
        let reaches = self.reached_call(thread, key)?;
        let same = thread.stack.last().is_some_and(|top| {
            top.boundary && top.site == site && (top.key == key || top.shown.is_some())
        });
        let opened = same || (reaches && self.open_boundary(ticket, thread)?);
        if !opened {
            thread.end_boundary(ticket, &mut self.recorder.outlet);
            self.enter_boundary(thread, ticket, key, parent_height + 1, site)?;
        }
        Ok((Event::NO_INDEX, height, false))
    }

    /// A call is entered with these frames below it. If the innermost known call has made one out of the scope that lies between, that
    /// begins now: what it was shown it may have written already.
    pub(in crate::events) fn open_between(
        &mut self,
        thread: &mut Thread,
        ticket: Ticket,
        frames: &[StackFrame],
    ) -> Result<(), CaptureError> {
        thread.align(frames, ticket, &mut self.recorder.outlet);
        let Some(parent) = thread.stack.last().filter(|top| !top.boundary) else {
            return Ok(());
        };
        let at = frames.len().checked_sub(2 + parent.height as usize);
        let Some(between) = at.and_then(|at| frames.get(at)) else {
            return Ok(());
        };
        if self.reached_call(thread, key_of(&between.location))? {
            self.open_boundary(ticket, thread)?;
        }
        Ok(())
    }

    /// A thread ends while it makes a call, which has neither returned nor thrown: it has begun, and ends the JVM.
    pub(in crate::events) fn ends_in_call(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        if thread.unsure.is_some() || !thread.stack.last().is_some_and(Frame::is_in_a_call) {
            return Ok(());
        }
        let named = thread.innermost().and_then(Frame::about_to_call);
        if let Some(named) = named {
            let receiver = self.receiver(thread, &named);
            if self.leaves_scope(&named, receiver)? {
                self.open_boundary(ticket, thread)?;
            }
        }
        Ok(())
    }

    /// All threads stand still for the last time: tells the calls out of the scope that they have made and that nobody
    /// saw begin, because nobody had to: those that yield nothing and have not returned (`System.exit`, `Thread.sleep`).
    pub(in crate::events) fn tell_begun(&mut self, ticket: Ticket) -> Result<(), CaptureError> {
        if !self.recorder.outlet.records_state() {
            return Ok(());
        }
        let calls = |thread: &Thread| thread.stack.last().is_some_and(Frame::is_in_a_call);
        for id in self.threads.which(calls) {
            self.with_thread(id, |engine, thread| {
                let frames = engine.stack(thread)?;
                match frames.is_empty() {
                    // It has ended, or the JVM does not say where it is.
                    true => Ok(()),
                    false => engine.open_between(thread, ticket, &frames),
                }
            })?;
        }
        Ok(())
    }

    /// Does the innermost call of the scope stand at an instruction that can have run this method?
    fn reached_call(&mut self, thread: &mut Thread, run: MethodKey) -> Result<bool, CaptureError> {
        let named = thread.innermost().and_then(Frame::about_to_call);
        named.map_or(Ok(false), |named| self.recorder.runs(&named, run))
    }

    /// A call out of the scope, seen because it calls back in.
    fn enter_boundary(
        &mut self,
        thread: &mut Thread,
        ticket: Ticket,
        key: MethodKey,
        height: u32,
        site: u32,
    ) -> Result<(), CaptureError> {
        let Some(method) = self
            .recorder
            .known
            .program
            .method(&mut self.recorder.jvm.link, key)?
        else {
            // The JVM does not name it: what it calls back is told as a call of its caller.
            return Ok(());
        };
        let call = thread.next_call();
        let kind = EventKind::Enter {
            method: method.id,
            receiver: method.receiver.then_some(Value::Missing(Missing::Level)),
            arguments: Vec::new(),
            call_site: site,
            boundary: true,
            already_running: false,
        };
        self.recorder.outlet.tell_of(ticket, call, kind);
        thread.stack.push(Frame {
            call,
            key,
            method: self.plans.of(&method),
            height,
            boundary: true,
            site,
            index: Event::NO_INDEX,
            mirror: None,
            invoked: false,
            shown: None,
            monitor: None,
            roots: Vec::new(),
            doubtful: None,
            left_at: None,
        });
        Ok(())
    }

    /// A method was left by returning.
    pub(in crate::events) fn exit(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        location: &Location,
        value: &jdwp::Value,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        let key = (location.class, location.method);
        if !self
            .recorder
            .known
            .program
            .known_method(key)
            .is_some_and(|method| method.in_scope)
        {
            if thread.standing.is_any() || !thread.watches.is_empty() {
                thread.last_exit = Some(*value);
                self.count_exit(thread)?;
            }
            return Ok(());
        }
        let unsure = thread.unsure.is_some();
        if unsure && suspended {
            self.check_stack(thread, ticket)?;
        }
        let Some(at) = thread.stack.iter().rposition(|frame| frame.key == key) else {
            // It began before its thread was followed, or its end was told already.
            return Ok(());
        };
        while thread.stack.len() > at + 1 {
            thread.lose_top(ticket, &mut self.recorder.outlet);
        }
        if thread.predicted
            && let Some(frame) = thread.stack.last().filter(|frame| frame.mirror.is_some())
            && frame.returned().is_none()
        {
            self.doubt_all(thread);
        }
        let returning = thread.stack.last();
        let mirrored = returning
            .and_then(|frame| frame.mirror.as_ref())
            .map(|m| m.peek(0));
        if let (Some(mirrored), Some(object)) = (mirrored, value.object()) {
            self.unify(thread, mirrored, object);
        }
        self.check_result(ticket, thread, location, value);
        let returned = self.recorder.known.heap.value(value);
        thread.taken(index_of(location), returned, &mut self.recorder.outlet);
        let result = match value {
            jdwp::Value::Void => None,
            value => Some(self.recorder.value(ticket, value, false)),
        };
        if suspended {
            self.snapshot_at_exit(ticket, thread, value.object())?;
        }
        let call = thread.current();
        thread.return_top(
            result,
            index_of(location),
            ticket,
            &mut self.recorder.outlet,
        );
        // A callback has handed it to code out of the scope.
        let handed_out = thread.stack.last().is_some_and(|parent| parent.boundary);
        if let Some(object) = result.and_then(Value::object).filter(|_| handed_out) {
            self.recorder.known.heap.share_kept(object, false);
        }
        let left = thread.stack.is_empty();
        if thread
            .initialising
            .as_ref()
            .is_some_and(|initialising| initialising.call == Some(call))
        {
            self.end_initialiser(thread)?;
        }
        if left {
            self.stop_stepping(thread);
            self.stand_down(thread)?;
        }
        Ok(())
    }

    /// Reads the stack of a suspended thread and ends the calls that are not on it.
    pub(in crate::events) fn check_stack(
        &mut self,
        thread: &mut Thread,
        ticket: Ticket,
    ) -> Result<Vec<StackFrame>, CaptureError> {
        let frames = self.stack(thread)?;
        if thread.unsure.is_some() {
            self.look_behind_thrown(ticket, thread, frames.len())?;
        }
        thread.align(&frames, ticket, &mut self.recorder.outlet);
        self.clear_settled(thread);
        Ok(frames)
    }
}

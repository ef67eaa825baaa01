//! Calls on the stack: whose a new one is, their exits with values, and the boundary calls that are seen
//! because they call back.

use jdwp::Location;
use jhyde_trace::{Event, EventKind, Missing, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::stops::entry::Below;
use crate::events::threads::Frame;
use crate::jvm::StackFrame;
use crate::program::index_of;
use crate::program::{Method, MethodKey, Named};

impl<S: Sink> Engine<S> {
    /// Makes the innermost known call the parent of a call that is entered: what is not on the stack
    /// any more ends, and a call out of the scope that lies between becomes a boundary call. Gives
    /// the call site in the parent, the new call's height, and whether the parent called it itself.
    pub(in crate::events) fn settle_parent(
        &mut self,
        thread: jdwp::ThreadId,
        ticket: Ticket,
        method: &Method,
        below: Below,
    ) -> Result<(u32, u32, bool), CaptureError> {
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok((Event::NO_INDEX, 0, false));
        };
        let frames = match below {
            Below::Known { site } => {
                let height = known.stack.last().map_or(0, |parent| parent.height + 1);
                return Ok((site, height, true));
            }
            Below::Asked => Vec::new(),
            Below::Frames(frames) => frames,
        };
        known.align(&frames, ticket, &mut self.recorder.outlet);
        let height = u32::try_from(frames.len()).unwrap_or(u32::MAX);
        let Some(parent) = known.stack.iter().rposition(|frame| !frame.boundary) else {
            known.end_boundary(ticket, &mut self.recorder.outlet);
            return Ok((Event::NO_INDEX, height, false));
        };
        let frame_at = |height: u32| {
            frames
                .len()
                .checked_sub(1 + height as usize)
                .and_then(|at| frames.get(at))
        };
        let parent_height = known.stack[parent].height;
        let site = frame_at(parent_height).map_or(Event::NO_INDEX, |f| index_of(&f.location));
        if parent_height + 1 == height {
            known.end_boundary(ticket, &mut self.recorder.outlet);
            known.stack[parent].method.remember_site(method, site);
            return Ok((site, height, true));
        }
        let Some(between) = frame_at(parent_height + 1) else {
            return Ok((site, height, false));
        };
        let key = (between.location.class, between.location.method);
        let reaches = self.reached_call(thread, key)?;
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok((Event::NO_INDEX, height, false));
        };
        let same = known.stack.last().is_some_and(|top| {
            top.boundary && top.site == site && (top.key == key || top.shown.is_some())
        });
        let opened = same || (reaches && self.open_boundary(ticket, thread)?);
        if !opened {
            let Some(known) = self.threads.get_mut(&thread.0) else {
                return Ok((Event::NO_INDEX, height, false));
            };
            known.end_boundary(ticket, &mut self.recorder.outlet);
            self.enter_boundary(thread, ticket, key, parent_height + 1, site)?;
        }
        Ok((Event::NO_INDEX, height, false))
    }

    /// Does the innermost call of the scope stand at an instruction that can have run this method?
    fn reached_call(
        &mut self,
        thread: jdwp::ThreadId,
        run: MethodKey,
    ) -> Result<bool, CaptureError> {
        let named = self.innermost(thread).and_then(|frame| {
            let pending = frame.mirror.as_ref()?.pending?;
            let invoke = frame.method.instruction(pending)?.invoke()?;
            Named::of(&frame.method, invoke.constant, invoke.kind)
        });
        named.map_or(Ok(false), |named| self.recorder.runs(&named, run))
    }

    /// A call out of the scope, seen because it calls back in.
    fn enter_boundary(
        &mut self,
        thread: jdwp::ThreadId,
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
            return Ok(());
        };
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(());
        };
        let call = known.next_call();
        let kind = EventKind::Enter {
            method: method.id,
            receiver: method.receiver.then_some(Value::Missing(Missing::Level)),
            arguments: Vec::new(),
            call_site: site,
            boundary: true,
            already_running: false,
        };
        self.recorder.outlet.tell_of(ticket, call, kind);
        known.stack.push(Frame {
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
        });
        Ok(())
    }

    /// A method was left by returning.
    pub(in crate::events) fn exit(
        &mut self,
        ticket: Ticket,
        thread: jdwp::ThreadId,
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
            if let Some(known) = self.threads.get_mut(&thread.0)
                && (known.standing.is_any() || !known.watches.is_empty())
            {
                known.last_exit = Some(*value);
                self.count_exit(thread)?;
            }
            return Ok(());
        }
        let unsure = self
            .threads
            .get(&thread.0)
            .is_some_and(|known| known.unsure.is_some());
        if unsure && suspended {
            self.check_stack(thread, ticket)?;
        }
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(());
        };
        let Some(at) = known.stack.iter().rposition(|frame| frame.key == key) else {
            return Ok(());
        };
        while known.stack.len() > at + 1 {
            known.lose_top(ticket, &mut self.recorder.outlet);
        }
        if known.predicted
            && let Some(frame) = known.stack.last().filter(|frame| frame.mirror.is_some())
            && frame.returned().is_none()
        {
            self.doubt_all(thread);
        }
        let returning = self.threads.get(&thread.0).and_then(|t| t.stack.last());
        let mirrored = returning
            .and_then(|frame| frame.mirror.as_ref())
            .map(|m| m.peek(0));
        if let (Some(mirrored), Some(object)) = (mirrored, value.object()) {
            self.unify(thread, mirrored, object);
        }
        self.check_result(ticket, thread, location, value);
        let returned = self.recorder.known.heap.value(value);
        self.taken(thread, index_of(location), returned);
        let result = match value {
            jdwp::Value::Void => None,
            value => Some(self.recorder.value(ticket, value, false)),
        };
        if suspended {
            self.snapshot_at_exit(ticket, thread, value.object())?;
        }
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(());
        };
        let call = known.current();
        known.return_top(
            result,
            index_of(location),
            ticket,
            &mut self.recorder.outlet,
        );
        // A callback has handed it to code out of the scope.
        let handed_out = known.stack.last().is_some_and(|parent| parent.boundary);
        if let Some(object) = result.and_then(Value::object).filter(|_| handed_out) {
            self.recorder.known.heap.share_kept(object, false);
        }
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(());
        };
        let left = known.stack.is_empty();
        if known
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
        thread: jdwp::ThreadId,
        ticket: Ticket,
    ) -> Result<Vec<StackFrame>, CaptureError> {
        let frames = self.stack(thread)?;
        if self
            .threads
            .get(&thread.0)
            .is_some_and(|known| known.unsure.is_some())
        {
            self.look_behind_thrown(ticket, thread, frames.len())?;
        }
        if let Some(known) = self.threads.get_mut(&thread.0) {
            known.align(&frames, ticket, &mut self.recorder.outlet);
        }
        self.clear_settled(thread);
        Ok(frames)
    }
}

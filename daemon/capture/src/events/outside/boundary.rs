//! Calls out of the scope, at levels `state` and `full`: their receiver and arguments come from the
//! mirrored operand stack, their result from the last method exit that the thread told before it came
//! back, and what they did to arrays and objects that they were shown from a comparison.
//!
//! For that a thread stops twice: before such a call, to have all its method exits reported, and behind it.
//! Calls that can only lead to code of the scope are not stopped at.

use std::rc::Rc;

use jhyde_bytecode::{Invoke, InvokeKind};
use jhyde_trace::{CallId, Event, EventKind, MonitorAction, ObjectId, Outcome, Sink, Value};

use crate::arrivals::Ticket;
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::outside::aliases::{keeps, reflects, writes_static_by_handle};
use crate::events::thread::Thread;
use crate::events::thread::frame::Frame;
use crate::mirror::{Pending, Progress, UNKNOWN, is_known, narrowed};
use crate::program::Named;
use crate::recorder::{
    Shown, distinct, intrinsic, known_result, makes_text, parameters, returns_itself,
};

impl<S: Sink> Engine<S> {
    /// The innermost call makes a call out of the scope: it begins.
    pub(in crate::events) fn open_boundary(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<bool, CaptureError> {
        let Some(frame) = thread.innermost_mut() else {
            return Ok(false);
        };
        let method = Rc::clone(&frame.method);
        let height = frame.height + 1;
        let Some(mirror) = &mut frame.mirror else {
            return Ok(false);
        };
        let Some(pending) = mirror.pending.filter(|p| p.progress == Progress::Reached) else {
            return Ok(false);
        };
        let instruction = method.instruction(pending);
        let Some((site, invoke)) = instruction.and_then(|i| Some((i.index, i.invoke()?))) else {
            return Ok(false);
        };
        let Some(named) = Named::of(&method, invoke.constant, invoke.kind) else {
            return Ok(false);
        };
        let types = parameters(&named.descriptor);
        let mut arguments: Vec<Value> = types.iter().map(|_| mirror.pop()).collect();
        arguments.reverse();
        for (value, kind) in arguments.iter_mut().zip(&types) {
            *value = narrowed(*value, kind);
        }
        let receiver = invoke.kind.has_receiver().then(|| mirror.pop());
        mirror.pending = Some(Pending {
            progress: Progress::Calling,
            ..pending
        });
        // What the JVM called before for what the instruction names (a call site's linking, a class's loading) is over.
        thread.end_boundary(ticket, &mut self.recorder.outlet);
        let callee = self.recorder.known.program.method_named(&named);
        let shown = receiver.iter().chain(&arguments).filter_map(|v| v.object());
        let shown = Shown {
            returns: named.returns().to_owned(),
            builder: receiver
                .and_then(Value::object)
                .filter(|_| returns_itself(&named)),
            spun: named.kind == InvokeKind::Dynamic,
            constructed: receiver
                .and_then(Value::object)
                .filter(|_| named.name == "<init>"),
            makes_text: makes_text(&named),
            writes_statics: writes_static_by_handle(&named, &arguments),
            intrinsic: intrinsic(&named).is_some(),
            keeps: keeps(&named),
            reflects: reflects(&named),
            result: known_result(&named, receiver, &arguments, &self.recorder.known.heap),
            objects: distinct(shown),
            has_more: false,
            compared: 0,
            overlooked: false,
            receiver: receiver.and_then(Value::object),
            arguments: arguments.clone(),
            named: Rc::new(named.clone()),
        };
        if shown.reflects {
            self.recorder.known.heap.expect_reflection();
        }
        let call = thread.next_call();
        let kind = EventKind::Enter {
            method: callee.id,
            receiver,
            arguments,
            call_site: site,
            boundary: true,
            already_running: false,
        };
        let index = Event::NO_INDEX;
        self.recorder.outlet.tell_of(ticket, call, kind);
        let waits = receiver
            .and_then(Value::object)
            .filter(|_| named.class == "java.lang.Object" && named.name == "wait");
        if let Some(object) = waits {
            let action = MonitorAction::Wait;
            let kind = EventKind::Monitor { action, object };
            self.recorder.outlet.tell(ticket, (call, index), kind);
        }
        thread.stack.push(Frame {
            shown: Some(shown),
            monitor: waits.map(|object| (MonitorAction::Notified, object)),
            ..Frame::boundary(call, self.plans.of(&callee), height, site)
        });
        Ok(true)
    }

    /// The thread is back in the innermost call from a call that its scope does not show.
    pub(in crate::events) fn boundary_returned(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        invoke: Invoke,
        pending: Pending,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        if let Some(mirror) = thread
            .innermost_mut()
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.pending = Some(pending);
        }
        if pending.progress == Progress::Reached {
            self.open_boundary(ticket, thread)?;
        }
        if let Some(mirror) = thread
            .innermost_mut()
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.pending = None;
        }
        let top = thread.stack.last_mut();
        let Some((call, shown)) = top.filter(|frame| frame.boundary).map(|frame| {
            // What stays with the frame is looked at later.
            let looked = suspended || frame.shown.as_ref().is_none_or(|shown| shown.intrinsic);
            let shown = if looked {
                frame.shown.take()
            } else {
                frame.shown.clone()
            };
            (frame.call, shown)
        }) else {
            // A call in scope whose end was not seen: whatever it left is unknown.
            let returns = thread.innermost_mut().and_then(|frame| {
                Named::of(&frame.method, invoke.constant, invoke.kind)
                    .map(|n| n.returns().to_owned())
            });
            if returns.is_some_and(|returns| returns != "V") {
                self.push(thread, UNKNOWN);
            }
            return Ok(());
        };
        let instruction = thread
            .innermost_mut()
            .and_then(|frame| frame.method.instruction(pending))
            .map(|instruction| instruction.next());
        let returns = shown.as_ref().map(|shown| shown.returns.clone());
        let returns = returns.zip(instruction);
        let told = thread.last_exit.and_then(|told| told.object());
        let told_before = told.is_some_and(|told| {
            self.recorder
                .known
                .heap
                .knows(self.recorder.known.heap.name(told.id))
        });
        if let Some(shown) = shown.as_ref().filter(|shown| suspended && !shown.intrinsic) {
            let told = thread.last_exit;
            self.check_contents(thread, (ticket, thread.jdwp, call), shown, told.as_ref())?;
        }
        let result = match &shown {
            Some(shown) => self.result(ticket, thread, shown, suspended)?,
            None => None,
        };
        if let Some((shown, on)) = shown
            .as_ref()
            .and_then(|shown| Some((shown, shown.receiver?)))
        {
            self.recorder.is_renamed(ticket, &shown.named, on)?;
        }
        if let Some(shown) = shown.as_ref().filter(|shown| shown.intrinsic) {
            self.recorder
                .follow_text((ticket, thread.jdwp, call), shown)?;
        }
        if shown
            .as_ref()
            .is_none_or(|shown| !shown.intrinsic && !shown.spun)
        {
            self.recorder.known.heap.outside_ran();
        }
        if let Some(shown) = shown.filter(|shown| suspended && !shown.intrinsic) {
            let result = result.and_then(Value::object);
            if let Some(made) = shown.constructed.filter(|_| shown.makes_text) {
                self.learn_text(ticket, made);
            }
            self.name_objects(
                thread,
                shown.objects.iter().map(|&object| Value::Object(object)),
            )?;
            self.look_behind(thread, (ticket, call), &shown, result, told_before)?;
            self.contents_behind(thread, (ticket, thread.jdwp, call), &shown, result)?;
            self.give(&shown, result);
        }
        let index = Event::NO_INDEX;
        thread.returned = Some((ticket, self.recorder.outlet.arrivals.events(ticket), call));
        thread.end_top(
            Outcome::Returned(result),
            index,
            ticket,
            &mut self.recorder.outlet,
        );
        thread.end_boundary(ticket, &mut self.recorder.outlet);
        if let Some(result) = result {
            if let Some((returns, behind)) = returns.filter(|_| suspended && !is_known(result)) {
                let outlet = &mut self.recorder.outlet;
                thread.await_result((ticket, call), &returns, behind, outlet);
            }
            self.push(thread, result);
        }
        Ok(())
    }

    /// A boundary call is over, and its thread stands still: what has it written? `told_before`: the object that it
    /// returns was known before.
    fn look_behind(
        &mut self,
        thread: &mut Thread,
        (ticket, call): (Ticket, CallId),
        shown: &Shown,
        result: Option<ObjectId>,
        told_before: bool,
    ) -> Result<(), CaptureError> {
        // The call sites that Java compilers make (lambdas, concatenation, switches, records) change nothing that
        // they are shown: what is different behind one, another thread has written, and tells itself.
        if !shown.spun {
            let before = self.recorder.outlet.arrivals.events(ticket);
            self.compare_shown(thread, (ticket, call), &shown.objects)?;
            if shown.overlooked {
                self.find_late(ticket, before);
            }
        }
        for &object in shown.objects.iter().chain(&result) {
            if shown.keeps {
                self.recorder.known.heap.share_kept(object, shown.reflects);
            }
        }
        // What it gives back may have been changed by it since the scope has seen it.
        if let Some(made) = result.filter(|_| told_before)
            && !shown.objects.contains(&made)
        {
            self.compare(ticket, thread, call, made, false)?;
        }
        if shown.writes_statics {
            self.compare_statics(ticket, thread, call)?;
        }
        let made = result.filter(|_| !shown.spun && shown.returns != "Ljava/lang/String;");
        self.keep_aliases(thread, made.or(shown.constructed), &shown.objects)
    }

    fn compare_shown(
        &mut self,
        thread: &mut Thread,
        (ticket, call): (Ticket, CallId),
        shown: &[ObjectId],
    ) -> Result<(), CaptureError> {
        for &object in shown {
            self.compare(ticket, thread, call, object, true)?;
        }
        for array in self.aliased(shown) {
            self.compare(ticket, thread, call, array, false)?;
        }
        Ok(())
    }

    /// A boundary call calls back, and its thread stands still: what has it written up to now? Who is called back sees that.
    pub(in crate::events) fn look_at_callback(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
    ) -> Result<(), CaptureError> {
        /// So many elements and fields are compared at the callbacks of one call, which may be very many.
        const MOST: usize = 1 << 16;
        let top = thread.stack.last_mut().filter(|top| top.boundary);
        let Some((call, shown)) = top.and_then(|top| Some((top.call, top.shown.as_mut()?))) else {
            // The scope called it itself, or nobody knows what the call out of it was shown.
            return Ok(());
        };
        if shown.intrinsic || shown.spun {
            return Ok(());
        }
        let objects = shown.objects.clone();
        let mut all = self.aliased(&objects);
        all.extend(&objects);
        let size: usize = all.iter().map(|&object| self.size_of(object)).sum();
        if size == 0 {
            return Ok(());
        }
        let Some(shown) = thread.stack.last_mut().and_then(|top| top.shown.as_mut()) else {
            // Not so: it was there above.
            return Ok(());
        };
        shown.compared = shown.compared.saturating_add(size);
        shown.overlooked |= shown.compared > MOST;
        match shown.overlooked {
            true => Ok(()),
            false => self.compare_shown(thread, (ticket, call), &objects),
        }
    }

    /// How many elements and fields an object has that are compared.
    fn size_of(&self, object: ObjectId) -> usize {
        let heap = &self.recorder.known.heap;
        match heap.elements(object) {
            Some(elements) => elements.len(),
            None => {
                let class = heap.class(object);
                let class = class.and_then(|class| self.recorder.known.program.class_of(class));
                class.map_or(0, |class| class.instance_fields.len())
            }
        }
    }

    /// Boundary calls that are not on the stack any more, above this height, because an exception has left them: what
    /// have they written?
    pub(in crate::events) fn look_behind_thrown(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        height: usize,
    ) -> Result<(), CaptureError> {
        let ended = thread.stack.iter_mut().rev();
        let ended = ended.take_while(|frame| frame.height as usize >= height);
        let shown = ended.filter_map(|frame| Some((frame.call, frame.shown.take()?)));
        for (call, shown) in shown.collect::<Vec<_>>() {
            if !shown.intrinsic {
                self.look_behind(thread, (ticket, call), &shown, None, false)?;
                self.contents_shown(thread, (ticket, thread.jdwp, call), &shown, false)?;
                self.give(&shown, None);
            }
        }
        Ok(())
    }

    /// May a call write what it was shown, unseen?
    pub(in crate::events) fn may_write(&self, shown: &Shown) -> bool {
        let written = |&object: &ObjectId| {
            let class = self.recorder.known.heap.class(object);
            self.recorder
                .known
                .heap
                .elements(object)
                .is_some_and(|all| all.len() > 0)
                || !self.recorder.known.heap.aliased(object).is_empty()
                || class.is_some_and(|class| self.recorder.known.program.is_class_in_scope(class))
        };
        !shown.intrinsic
            && !shown.spun
            && (shown.writes_statics || shown.objects.iter().any(written))
    }

    /// The result of the boundary call that just returned.
    fn result(
        &mut self,
        ticket: Ticket,
        thread: &mut Thread,
        shown: &Shown,
        suspended: bool,
    ) -> Result<Option<Value>, CaptureError> {
        let returns = shown.returns.as_str();
        if returns == "V" {
            return Ok(None);
        }
        if let (Some(builder), true) = (shown.builder, shown.intrinsic) {
            return Ok(Some(Value::Object(builder)));
        }
        let told = thread.last_exit.take();
        if shown.result.is_some() {
            return Ok(shown.result);
        }
        let fits = |value: &jdwp::Value| match (value, returns.as_bytes().first()) {
            (jdwp::Value::Object { .. }, Some(b'L' | b'[')) => true,
            (value, Some(&first)) => value.tag().0 == first,
            _ => false,
        };
        let Some(value) = told.filter(fits) else {
            return Ok(Some(UNKNOWN));
        };
        if let (Some(receiver), Some(object)) = (shown.builder, value.object()) {
            self.unify(thread, Value::Object(receiver), object);
        }
        if suspended {
            self.observe(ticket, thread, &value)?;
        }
        Ok(Some(self.recorder.value(ticket, &value, false)))
    }
}

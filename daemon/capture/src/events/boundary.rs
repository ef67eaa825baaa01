//! Calls out of the scope, at levels `state` and `full`: their receiver and arguments come from the
//! mirrored operand stack, their result from the last method exit that the thread told before it came
//! back, and what they did to arrays and objects that they were shown from a comparison.
//!
//! For that a thread stops twice: before such a call, to have all its method exits reported, and behind it.
//! Calls that can only lead to code of the scope are not stopped at.

use jdwp::commands::event_request::{self, Modifier};
use jdwp::commands::{array_reference, object_reference, string_reference};
use jdwp::{EventKind as Requested, PacketId, ReferenceTypeId, SuspendPolicy};
use jhyde_bytecode::{Invoke, InvokeKind, MethodDescriptor};
use jhyde_trace::{CallId, Event, EventKind, ObjectId, Outcome, Value, Variable};

use super::Engine;
use super::hidden::{breakpoint, location};
use super::named::Named;
use super::plain::{PlainClasses, plain, returns_itself};
use super::threads::Frame;
use super::views::writes_by_handle;
use crate::arrivals::Place;
use crate::error::CaptureError;
use crate::mirror::{
    Body, Elements, Pending, Progress, UNKNOWN, has_name_of_the_jvm, is_known, narrowed,
};
use crate::sink::Sink;
use crate::structure::{Method, MethodKey};

/// A request that has exits out of the scope reported, for a call that is about to leave it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Watch {
    /// The call in scope that makes it.
    caller: CallId,
    /// Answered with the request's number.
    asked: PacketId,
}

/// What is known of a boundary call besides its frame.
#[derive(Clone, Debug)]
pub(crate) struct Shown {
    /// Its result's descriptor.
    returns: String,
    /// The builder that it is called on and returns.
    builder: Option<ObjectId>,
    /// It makes an object that runs code of the scope, or none that anybody sees.
    spun: bool,
    /// The object that it constructs.
    constructed: Option<ObjectId>,
    /// It may write static fields: see [`super::views`].
    writes_by_handle: bool,
    /// Nothing stops for it: see [`super::plain`].
    plain: bool,
    /// Receiver and arguments that are objects.
    objects: Vec<ObjectId>,
}

/// What runs first in a call through a method handle or an `invokedynamic` call site, and ends last.
const INVOKERS: [&str; 2] = [
    "java.lang.invoke.LambdaForm$MH*",
    "java.lang.invoke.Invokers$Holder",
];

/// The most elements of one array that are compared after a boundary call.
const MOST_COMPARED: usize = 1 << 20;

impl<S: Sink> Engine<S> {
    /// Sets the stops of a method, at its first entry; the thread is suspended.
    pub(super) fn set_stops(&mut self, key: MethodKey, method: &Method) {
        if !self.records_state() || method.prepared.replace(true) {
            return;
        }
        let Some(code) = &method.code else { return };
        let mut stops = Vec::new();
        let mut exits = PlainClasses::default();
        for instruction in code.instructions() {
            let Some(invoke) = instruction.invoke() else {
                continue;
            };
            let Some(named) = Named::of(method, invoke.constant, invoke.kind) else {
                continue;
            };
            if self.leads_into_scope(&named) {
                continue;
            }
            if let Some(classes) = plain(&named) {
                exits.add(classes);
                continue;
            }
            if named.returns() != "V" || holds_objects(&named) {
                stops.push(instruction.index);
            }
            stops.push(instruction.next());
        }
        method.plain.set(exits);
        stops.sort_unstable();
        stops.dedup();
        for index in stops {
            self.link
                .send(&breakpoint(location(key.0, key.1, index), None));
        }
    }

    /// Can a call of this name only run a method of the scope?
    fn leads_into_scope(&self, named: &Named) -> bool {
        let found = self
            .structure
            .declared_in_scope(&named.class, &named.name, &named.descriptor);
        found.is_some_and(|method| !method.is_abstract && !method.native)
            && named.kind != InvokeKind::Interface
            && named.kind != InvokeKind::Dynamic
    }

    /// Does a call of this name certainly leave the scope?
    fn leaves_scope(&self, named: &Named, receiver: Value) -> bool {
        let outside = !self.structure.scope().covers(&named.class, true)
            || named.class.starts_with("java.")
            || named.class.ends_with("[]");
        outside
            && match named.kind {
                InvokeKind::Static | InvokeKind::Special => true,
                InvokeKind::Dynamic => false,
                InvokeKind::Virtual | InvokeKind::Interface => {
                    let class = receiver.object().and_then(|object| self.heap.class(object));
                    class.is_some_and(|class| !self.structure.is_class_in_scope(class))
                }
            }
    }

    /// A suspended thread stands at an instruction: prepares what the instruction needs, and ends what
    /// the one before needed.
    pub(super) fn stop(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        if !suspended {
            return Ok(());
        }
        let Some(frame) = self.innermost(thread) else {
            return Ok(());
        };
        let (call, method) = (frame.call, std::rc::Rc::clone(&frame.method));
        let pending = frame.mirror.as_ref().and_then(|mirror| mirror.pending);
        let unknown = frame.mirror.as_ref().is_some_and(|mirror| {
            let all = mirror.stack.iter().chain(&mirror.locals);
            all.into_iter().any(|&value| !is_known(value))
        });
        let Some(instruction) = pending.and_then(|pending| {
            let code = method.code.as_ref()?;
            code.instructions().get(pending.ordinal)
        }) else {
            return Ok(());
        };
        self.be_careful(thread, unknown);
        let hides = self
            .threads
            .get(&thread.0)
            .and_then(|known| known.hidden.as_ref())
            .is_some_and(|hidden| hidden.call == Some(call));
        if hides && instruction.opcode.is_return() {
            self.leave_hidden(thread);
        }
        let named = instruction
            .invoke()
            .and_then(|invoke| Named::of(&method, invoke.constant, invoke.kind));
        self.unwatch(thread)?;
        let Some(named) = named.filter(|named| !self.leads_into_scope(named)) else {
            return Ok(());
        };
        let receiver = self.receiver(thread, &named);
        if named.returns() != "V" {
            self.watch(thread, call, &named, receiver)?;
        }
        let count = parameters(&named.descriptor).len() + usize::from(named.kind.has_receiver());
        let mirror = self
            .innermost(thread)
            .and_then(|frame| frame.mirror.as_ref());
        let shown: Vec<Value> = mirror.map_or_else(Vec::new, |mirror| {
            (0..count).map(|at| mirror.peek(at)).collect()
        });
        self.name_objects(thread, shown.iter().copied())?;
        let shown: Vec<ObjectId> = shown.into_iter().filter_map(Value::object).collect();
        for array in self.viewed(&shown) {
            self.name_elements(Value::Object(array))?;
        }
        if self.leaves_scope(&named, receiver) {
            self.open_boundary(place, thread)?;
        }
        Ok(())
    }

    fn receiver(&mut self, thread: jdwp::ThreadId, named: &Named) -> Value {
        let count = parameters(&named.descriptor).len();
        let mirror = self
            .innermost(thread)
            .and_then(|frame| frame.mirror.as_ref());
        mirror.map_or(UNKNOWN, |mirror| mirror.peek(count))
    }

    /// Has the exits of the method that is about to run reported, and as few others as can be told apart.
    fn watch(
        &mut self,
        thread: jdwp::ThreadId,
        caller: CallId,
        named: &Named,
        receiver: Value,
    ) -> Result<(), CaptureError> {
        for only in self.callee_filters(named, receiver)? {
            let asked = self.link.ask(&event_request::Set {
                event_kind: Requested::METHOD_EXIT_WITH_RETURN_VALUE,
                suspend_policy: SuspendPolicy::NONE,
                modifiers: vec![Modifier::ThreadOnly { thread }, only],
            });
            if let Some(known) = self.threads.get_mut(&thread.0) {
                known.watches.push(Watch { caller, asked });
            }
        }
        if let Some(known) = self.threads.get_mut(&thread.0) {
            known.last_exit = None;
        }
        Ok(())
    }

    /// The classes whose exits have the result of a call: the one that declares what runs, or those of the
    /// code that HotSpot spins for method handles and call sites. Linking a call site runs tens of
    /// thousands of methods of `java.lang.invoke` itself, which are none of ours.
    fn callee_filters(
        &mut self,
        named: &Named,
        receiver: Value,
    ) -> Result<Vec<Modifier>, CaptureError> {
        let matching = |pattern: &str| Modifier::ClassMatch {
            class_pattern: pattern.into(),
        };
        if named.kind == InvokeKind::Dynamic || named.class == "java.lang.invoke.MethodHandle" {
            return Ok(INVOKERS.map(matching).to_vec());
        }
        let class = match named.kind {
            InvokeKind::Virtual | InvokeKind::Interface => self.class_of(receiver)?,
            _ => self.structure.loaded(&mut self.link, &named.class)?,
        };
        let declaring = match class {
            Some(class) => {
                self.structure
                    .declaring(&mut self.link, class, &named.name, &named.descriptor)?
            }
            None => None,
        };
        Ok(vec![match declaring {
            Some(class) => Modifier::ClassOnly { class },
            // An array's `clone`, or a receiver that nobody has seen: everything is looked at.
            None if named.kind != InvokeKind::Static => matching("*"),
            None => matching(&named.class),
        }])
    }

    /// The class of an object, asked for if it is not known.
    fn class_of(&mut self, value: Value) -> Result<Option<ReferenceTypeId>, CaptureError> {
        let Some(object) = value.object() else {
            return Ok(None);
        };
        if let Some(class) = self.heap.class(object) {
            let name = self.structure.type_of(class);
            if name.is_some() {
                return Ok(name);
            }
        }
        let Some(real) = self.heap.real(object) else {
            let name = self
                .heap
                .class(object)
                .and_then(|class| self.structure.outside_name(class));
            return match name {
                Some(name) => Ok(self.structure.loaded(&mut self.link, &name)?),
                None => Ok(None),
            };
        };
        let told = self
            .link
            .request(&object_reference::ReferenceType { object: real })?;
        let Ok(kind) = told else { return Ok(None) };
        let class = self.structure.class(&mut self.link, kind.type_id)?;
        if !class.in_scope {
            self.heap.meet(real, Some(class.id), Body::Opaque);
        }
        Ok(Some(kind.type_id))
    }

    /// Ends the reports of exits for calls that are over: those of the innermost call, and of calls that
    /// have ended themselves.
    pub(super) fn unwatch(&mut self, thread: jdwp::ThreadId) -> Result<(), CaptureError> {
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(());
        };
        if known.watches.is_empty() {
            return Ok(());
        }
        let mut over = Vec::new();
        let innermost = known.stack.iter().rfind(|frame| !frame.boundary);
        let innermost = innermost.map(|frame| frame.call);
        let stack = &known.stack;
        known.watches.retain(|watch| {
            let goes_on = Some(watch.caller) != innermost
                && stack.iter().any(|frame| frame.call == watch.caller);
            if !goes_on {
                over.push(watch.asked);
            }
            goes_on
        });
        for asked in over {
            if let Ok(request) = self.link.reply::<event_request::Set>(asked)? {
                self.link.send(&event_request::Clear {
                    event_kind: Requested::METHOD_EXIT_WITH_RETURN_VALUE,
                    request,
                });
            }
        }
        Ok(())
    }

    /// Learns the JVM's names of objects that a boundary call is shown, where a local, or an element of an
    /// array, holds one and can be read: arrays are to be compared, and any object may come back later.
    fn name_objects(
        &mut self,
        thread: jdwp::ThreadId,
        objects: impl IntoIterator<Item = Value>,
    ) -> Result<(), CaptureError> {
        for value in objects {
            self.name_object(thread, value, 3)?;
            self.name_elements(value)?;
        }
        Ok(())
    }

    /// Learns the JVM's names of what an array holds, while everything still lies where the mirror has it.
    pub(super) fn name_elements(&mut self, array: Value) -> Result<(), CaptureError> {
        let Some(array) = array.object() else {
            return Ok(());
        };
        let (Some(elements), Some(real)) = (self.heap.elements(array), self.heap.real(array))
        else {
            return Ok(());
        };
        let length = elements.len();
        if length <= MOST_COMPARED
            && elements.references().any(|held| self.heap.is_unnamed(held))
            && let Some(now) = self.read_array(real, length)?
        {
            self.tie_elements(array, &now);
        }
        Ok(())
    }

    fn name_object(
        &mut self,
        thread: jdwp::ThreadId,
        value: Value,
        depth: u8,
    ) -> Result<(), CaptureError> {
        if depth == 0 || !self.heap.is_unnamed(value) {
            return Ok(());
        }
        if let Some(told) = self.held_by_local(thread, value)? {
            self.tie(thread, value, told);
            return Ok(());
        }
        let Some((array, index)) = self.heap.holder(value) else {
            return Ok(());
        };
        self.name_object(thread, Value::Object(array), depth - 1)?;
        let Some(real) = self.heap.real(array) else {
            return Ok(());
        };
        let told = self.link.request(&array_reference::GetValues {
            array: real.into(),
            first_index: i32::try_from(index).unwrap_or(i32::MAX),
            length: 1,
        })?;
        if let Ok(jdwp::ArrayRegion::Object { elements, .. }) = told
            && let Some(&element) = elements.first()
        {
            self.tie(thread, value, element);
        }
        Ok(())
    }

    /// Reads the local of the innermost call that holds this value.
    fn held_by_local(
        &mut self,
        thread: jdwp::ThreadId,
        value: Value,
    ) -> Result<Option<jdwp::TaggedObject>, CaptureError> {
        let Some(frame) = self.innermost(thread) else {
            return Ok(None);
        };
        let (method, index) = (std::rc::Rc::clone(&frame.method), frame.index);
        let locals = frame
            .mirror
            .as_ref()
            .map_or(&[][..], |mirror| &mirror.locals);
        let slot = locals.iter().position(|&local| local == value);
        let Some(slot) = slot.and_then(|slot| u16::try_from(slot).ok()) else {
            return Ok(None);
        };
        let covers = |v: &&jhyde_trace::LocalVariable| v.slot == slot && v.covers(index);
        let tag = match method.variables.iter().find(covers) {
            Some(variable) => jdwp::Tag::of_signature(&variable.descriptor),
            // Without a variable table any slot can be read; with one, only those that it names.
            None if method.variables.is_empty() => Some(jdwp::Tag::OBJECT),
            None => None,
        };
        let Some(tag) = tag else { return Ok(None) };
        let told = self.ask_local(thread, slot, tag)?;
        Ok(told.and_then(|told| told.object()))
    }

    /// The innermost call makes a call out of the scope: it begins.
    pub(super) fn open_boundary(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
    ) -> Result<bool, CaptureError> {
        let Some(frame) = self.innermost(thread) else {
            return Ok(false);
        };
        let method = std::rc::Rc::clone(&frame.method);
        let height = frame.height + 1;
        let Some(mirror) = &mut frame.mirror else {
            return Ok(false);
        };
        let Some(pending) = mirror.pending.filter(|p| p.progress == Progress::Reached) else {
            return Ok(false);
        };
        let instruction = method
            .code
            .as_ref()
            .and_then(|code| code.instructions().get(pending.ordinal));
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
        let is_static = !invoke.kind.has_receiver();
        let callee =
            self.structure
                .method_named(&named.class, &named.name, &named.descriptor, is_static);
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
            writes_by_handle: writes_by_handle(&named),
            plain: plain(&named).is_some(),
            objects: shown.collect(),
        };
        let Some(known) = self.threads.get_mut(&thread.0) else {
            return Ok(false);
        };
        let call = known.next_call();
        let kind = EventKind::Enter {
            method: callee.id,
            receiver,
            arguments,
            call_site: site,
            boundary: true,
            already_running: false,
        };
        let index = Event::NO_INDEX;
        self.arrivals.event(place, Event { call, index, kind });
        known.stack.push(Frame {
            shown: Some(shown),
            ..Frame::boundary(call, callee, height, site)
        });
        Ok(true)
    }

    /// The thread is back in the innermost call from a call that its scope does not show.
    pub(super) fn boundary_returned(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        invoke: Invoke,
        pending: Pending,
        suspended: bool,
    ) -> Result<(), CaptureError> {
        if let Some(mirror) = self
            .innermost(thread)
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.pending = Some(pending);
        }
        if pending.progress == Progress::Reached {
            self.open_boundary(place, thread)?;
        }
        if let Some(mirror) = self
            .innermost(thread)
            .and_then(|frame| frame.mirror.as_mut())
        {
            mirror.pending = None;
        }
        let top = self
            .threads
            .get(&thread.0)
            .and_then(|known| known.stack.last());
        let Some((call, shown)) = top
            .filter(|frame| frame.boundary)
            .map(|frame| (frame.call, frame.shown.clone()))
        else {
            // A call in scope whose end was not seen: whatever it left is unknown.
            let returns = self.innermost(thread).and_then(|frame| {
                Named::of(&frame.method, invoke.constant, invoke.kind)
                    .map(|n| n.returns().to_owned())
            });
            if returns.is_some_and(|returns| returns != "V") {
                self.push(thread, UNKNOWN);
            }
            return Ok(());
        };
        let result = match &shown {
            Some(shown) => self.result(place, thread, shown, suspended)?,
            None => None,
        };
        if let Some(shown) = shown.filter(|shown| suspended && !shown.plain) {
            self.name_objects(
                thread,
                shown.objects.iter().map(|&object| Value::Object(object)),
            )?;
            for &object in &shown.objects {
                self.compare(place, thread, call, object, true)?;
            }
            for array in self.viewed(&shown.objects) {
                self.compare(place, thread, call, array, false)?;
            }
            if shown.writes_by_handle {
                self.compare_statics(place, thread, call)?;
            }
            let made = result.and_then(Value::object);
            let made = made.filter(|_| !shown.spun && shown.returns != "Ljava/lang/String;");
            self.keep_views(made.or(shown.constructed), &shown.objects)?;
        }
        if let Some(known) = self.threads.get_mut(&thread.0) {
            let index = Event::NO_INDEX;
            known.end_top(Outcome::Returned(result), index, place, &mut self.arrivals);
            known.end_boundary(place, &mut self.arrivals);
        }
        if let Some(result) = result {
            self.push(thread, result);
        }
        Ok(())
    }

    /// The result of the boundary call that just returned.
    fn result(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        shown: &Shown,
        suspended: bool,
    ) -> Result<Option<Value>, CaptureError> {
        let returns = shown.returns.as_str();
        if returns == "V" {
            return Ok(None);
        }
        if let (Some(builder), true) = (shown.builder, shown.plain) {
            return Ok(Some(Value::Object(builder)));
        }
        let told = self
            .threads
            .get_mut(&thread.0)
            .and_then(|known| known.last_exit.take());
        let fits = |value: &jdwp::Value| match (value, returns.as_bytes().first()) {
            (jdwp::Value::Object { .. }, Some(b'L' | b'[')) => true,
            (value, Some(&first)) => value.tag().0 == first,
            _ => false,
        };
        let Some(value) = told.filter(fits) else {
            return Ok(Some(UNKNOWN));
        };
        if let (Some(receiver), Some(object)) = (shown.builder, value.object()) {
            self.tie(thread, Value::Object(receiver), object);
        }
        if suspended {
            self.observe(place, thread, &value)?;
        }
        Ok(Some(self.value(place, &value, false)))
    }

    /// What a boundary call did to an object or array that it could reach. What it was shown itself was looked
    /// at before: an element that has no name since lies where it lay.
    fn compare(
        &mut self,
        place: Place,
        thread: jdwp::ThreadId,
        call: CallId,
        object: ObjectId,
        shown: bool,
    ) -> Result<(), CaptureError> {
        let Some(real) = self.heap.real(object) else {
            return Ok(());
        };
        if let Some(elements) = self.heap.elements(object) {
            let length = elements.len();
            if length == 0 {
                return Ok(());
            }
            if length > MOST_COMPARED {
                let reason = format!("an array of {length} elements was not compared");
                let kind = EventKind::Gap { reason };
                let index = Event::NO_INDEX;
                self.arrivals.event(place, Event { call, index, kind });
                return Ok(());
            }
            let Some(now) = self.read_array(real, length)? else {
                return Ok(());
            };
            if shown {
                self.tie_elements(object, &now);
            }
            for region in &now {
                self.observe_region(place, thread, region)?;
            }
            return self.compare_elements(place, call, object, &now);
        }
        let class = self
            .heap
            .class(object)
            .and_then(|class| self.structure.class_of(class));
        let Some(class) = class.filter(|class| class.in_scope && !class.instance_fields.is_empty())
        else {
            return Ok(());
        };
        let fields = class.instance_fields.iter().map(|field| field.1).collect();
        let told = self.link.request(&object_reference::GetValues {
            object: real,
            fields,
        })?;
        for (&(field, _), value) in class.instance_fields.iter().zip(&told.unwrap_or_default()) {
            self.observe(place, thread, value)?;
            let value = self.value(place, value, false);
            let zero = crate::mirror::zero_like(value);
            let before = self.heap.field(object, field, zero);
            if is_known(before) && before != value && !self.heap.is_unnamed(before) {
                self.heap.set_field(object, field, value);
                let variable = Variable::Field { object, field };
                let kind = EventKind::Write { variable, value };
                let index = Event::NO_INDEX;
                self.arrivals.event(place, Event { call, index, kind });
            }
        }
        Ok(())
    }

    /// Objects of the scope that the JVM names here for the first time, by the elements that hold them.
    fn tie_elements(&mut self, array: ObjectId, now: &[jdwp::ArrayRegion]) {
        let mut index = 0_u32;
        for region in now {
            let jdwp::ArrayRegion::Object { elements, .. } = region else {
                return;
            };
            for told in elements {
                let held = self.heap.elements(array).and_then(|e| e.get(index));
                if let Some(held) = held.filter(|&held| self.heap.is_unnamed(held))
                    && !told.id.is_null()
                    && self.heap.may_be(held, self.heap.reference(told.id))
                {
                    self.tie_object(held, told.id);
                }
                index += 1;
            }
        }
    }

    /// Elements that are not what they were. An object that has a name of ours and one that the JVM's gave
    /// it, because it came back by another way before the two could be tied, is the same one.
    fn compare_elements(
        &mut self,
        place: Place,
        call: CallId,
        array: ObjectId,
        now: &[jdwp::ArrayRegion],
    ) -> Result<(), CaptureError> {
        let mut first = 0_u32;
        for region in now {
            let read = Elements::read(region, |id| self.heap.reference(id));
            let length = u32::try_from(read.len()).unwrap_or(u32::MAX);
            let Some(elements) = self.heap.elements(array) else {
                return Ok(());
            };
            let changed: Vec<(u32, Value)> = (0..length)
                .filter_map(|at| {
                    let value = read.get(at)?;
                    (elements.get(first + at) != Some(value)).then_some((first + at, value))
                })
                .collect();
            for (index, value) in changed {
                let before = self.heap.elements(array).and_then(|e| e.get(index));
                if let Some(before) = before.filter(|&before| self.heap.is_unnamed(before))
                    && value.object().is_some_and(has_name_of_the_jvm)
                    && self.heap.may_be(before, value)
                    && !self.are_different_texts(before, value)?
                {
                    continue;
                }
                if let Some(elements) = self.heap.elements_mut(array) {
                    elements.set(index, value);
                }
                let variable = Variable::Element { array, index };
                let kind = EventKind::Write { variable, value };
                let index = Event::NO_INDEX;
                self.arrivals.event(place, Event { call, index, kind });
            }
            first += length;
        }
        Ok(())
    }

    /// A string constant without a name of the JVM's, and a string that has one: are they surely two?
    fn are_different_texts(&mut self, constant: Value, told: Value) -> Result<bool, CaptureError> {
        let real = told.object().and_then(|object| self.heap.real(object));
        let text = constant
            .object()
            .and_then(|object| self.heap.constant_text(object));
        let (Some(text), Some(string)) = (text.map(str::to_owned), real) else {
            return Ok(false);
        };
        let told = self.link.request(&string_reference::Value {
            string: string.into(),
        })?;
        Ok(told.is_ok_and(|told| told.to_string_lossy() != text))
    }

    /// All elements of an array, in pieces.
    pub(super) fn read_array(
        &mut self,
        array: jdwp::ObjectId,
        length: usize,
    ) -> Result<Option<Vec<jdwp::ArrayRegion>>, CaptureError> {
        const PIECE: usize = 1 << 16;
        let mut pieces = Vec::new();
        let mut first = 0;
        while first < length {
            let count = PIECE.min(length - first);
            let told = self.link.request(&array_reference::GetValues {
                array: array.into(),
                first_index: i32::try_from(first).unwrap_or(i32::MAX),
                length: i32::try_from(count).unwrap_or(i32::MAX),
            })?;
            let Ok(region) = told else { return Ok(None) };
            pieces.push(region);
            first += count;
        }
        Ok(Some(pieces))
    }
}

/// Is the method shown an array of objects, whose order it may change?
fn holds_objects(named: &Named) -> bool {
    let types = parameters(&named.descriptor);
    types
        .iter()
        .any(|kind| kind.starts_with("[[") || kind.starts_with("[L"))
}

/// The descriptors of a method's parameters.
pub(super) fn parameters(descriptor: &str) -> Vec<String> {
    MethodDescriptor::parse(descriptor)
        .map(|parsed| {
            parsed
                .parameters
                .iter()
                .map(|kind| kind.descriptor())
                .collect()
        })
        .unwrap_or_default()
}

//! What objects of the JDK hold: told where a call may have changed it (`told`), worked out where it follows
//! ([`crate::contents`]), and unknown where neither is so. `kept` is what is known, `names` what calls do by
//! their names.
//!
//! Code out of the scope runs beside other threads. What one changes is unknown to the others while its call runs (`changing`);
//! what two change at a time is unknown until the last of their calls is over, which tells it.

mod changing;
mod kept;
mod names;
mod told;

use std::collections::BTreeSet;
use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{ObjectId, Value};
use rustc_hash::FxHashSet;

use self::changing::Changing;
pub(super) use self::names::is_library;
use self::names::{changes_nothing_yet, only_visits};
use self::told::Behind;
use super::Deriver;
use super::running::{Outside, Running};
use super::thread::Thread;
use crate::contents::methods::{Touches, touches, writes_an_entry};
use crate::contents::{Container, Contents, held_by};
use crate::probe::plan::Lambda;
use crate::probe::specified::gives_its_array;
use crate::program::Program;

const INSIDE: &str = "the call that may change it has not ended";
const MEANWHILE: &str = "another thread uses it at the same time";
const UNSEEN: &str = "a call may have changed it whose effects were not told";
const THROWN: &str = "a call that may have changed it ended by an exception";
pub(super) const LIBRARY: &str = "code of a library has it, and may have changed it";
const REFLECTED: &str = "code that uses reflection may have changed it";
const KEPT: &str = "it was given to a method that may be called at any time";

/// What is known of what objects hold.
#[derive(Debug)]
pub(super) struct Holdings {
    pub(super) contents: Contents,
    /// Objects of which it is known what they hold, and which code that nobody sees could change.
    known: BTreeSet<ObjectId>,
    /// Those of them that a library has.
    given: BTreeSet<ObjectId>,
    /// Objects that running calls out of the scope may be changing.
    changing: Changing,
    /// Lambdas that run code of the scope.
    tame: FxHashSet<ObjectId>,
    /// The Java version of the JVM.
    version: i32,
    pub(super) wanted: bool,
}

impl Holdings {
    pub(super) fn new(wanted: bool, version: i32) -> Self {
        Self {
            contents: Contents::new(wanted),
            known: BTreeSet::new(),
            given: BTreeSet::new(),
            changing: Changing::default(),
            tame: FxHashSet::default(),
            version,
            wanted,
        }
    }
}

impl Deriver {
    /// A call leaves the scope: what other threads know of what it may change is not certain until it ends.
    pub(super) fn contents_leave(
        &mut self,
        thread: &Thread,
        program: &Program,
        outside: &mut Outside,
    ) {
        let by_others = self.others_may_run(thread, program, Some(outside));
        if !self.holdings.wanted {
            return;
        }
        let at = outside.call;
        if by_others {
            for object in objects(&outside.operands) {
                self.hand_over(object);
            }
            self.library_ran(at);
        }
        let shown: Vec<ObjectId> = objects(&outside.operands).collect();
        for object in self.holdings.contents.behind(&shown) {
            if self.holdings.changing.by_another(object, thread.id) {
                self.lose_content(at, object, MEANWHILE);
            }
        }
        for object in self.may_change(program, outside) {
            // Also what has told nothing yet: another thread may be the first to tell what it holds.
            let container = self.holdings.contents.get(object);
            if container.is_some_and(|container| container.shape.is_immutable())
                || self.heap.text(object).is_some()
            {
                continue;
            }
            outside.changes.push(object);
            if self.holdings.changing.begins(object, thread.id) {
                self.lose_content(at, object, MEANWHILE);
            }
        }
    }

    /// A call is over that may have changed objects.
    fn ends_to_change(&mut self, thread: &Thread) {
        if let Some(Running::Outside(outside)) = thread.stack.last() {
            for &object in &outside.changes {
                self.holdings.changing.ends(object, thread.id);
            }
        }
    }

    /// Code out of the scope calls back: what it has done by then is not known, unless it is known to do nothing before.
    pub(super) fn contents_at_callback(
        &mut self,
        thread: &Thread,
        program: &Program,
        method: &str,
    ) {
        let outside = match thread.stack.last() {
            Some(Running::Scope(_)) => return,
            Some(Running::Outside(outside)) => Some(outside),
            None => None,
        };
        if let Some(outside) = outside {
            self.doubt_written(thread, program, outside, false);
        }
        let by_others = self.others_may_run(thread, program, outside);
        if !self.holdings.wanted {
            return;
        }
        let Some(outside) = outside else {
            // Who calls it nobody knows, nor what that has done since.
            self.library_ran(thread.current());
            return;
        };
        let is_unseen = by_others || self.is_wild_call(outside);
        if !is_unseen && changes_nothing_yet(&outside.callee.named, method) {
            return;
        }
        let at = outside.call;
        let reads = |object: &ObjectId| {
            let told = outside.open.arrays.iter().any(|(array, _)| array == object);
            !told && outside.operands.contains(&Value::Object(*object))
        };
        for object in self.may_change(program, outside) {
            match self.heap.elements(object).is_some() {
                // What it is shown and only reads it does not write.
                true if !reads(&object) => self.doubt_array(at, object),
                true => {}
                false => self.lose_content(at, object, INSIDE),
            }
        }
        if is_unseen {
            self.library_ran(at);
        }
    }

    /// A method of the scope begins that code out of it calls: that has what it gives.
    pub(super) fn contents_given(
        &mut self,
        thread: &Thread,
        program: &Program,
        arguments: &[Value],
    ) {
        let by_library = match thread.stack.last() {
            None => true,
            Some(Running::Outside(outside)) => self.runs_others(program, outside),
            Some(Running::Scope(_)) => false,
        };
        if !by_library {
            return;
        }
        if self.expects_others() {
            self.give_to_others(objects(arguments));
        }
        if !self.holdings.wanted {
            return;
        }
        for object in objects(arguments) {
            self.begins(program, object);
            self.hand_over(object);
        }
    }

    /// A call out of the scope ended by an exception.
    pub(super) fn contents_after_throw(&mut self, thread: &mut Thread, program: &Program) {
        // It may be of any time of the call.
        thread.held.clear();
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        let by_others = self.others_may_run(thread, program, Some(outside));
        if !self.holdings.wanted {
            return;
        }
        let at = outside.call;
        for object in self.may_change(program, outside) {
            self.lose_behind(outside, object, THROWN);
        }
        if by_others || self.is_wild_call(outside) {
            self.library_ran(at);
        }
        self.ends_to_change(thread);
    }

    /// A call out of the scope has returned: what it did to what it was shown.
    pub(super) fn contents_behind(
        &mut self,
        thread: &mut Thread,
        program: &mut Program,
        result: Option<Value>,
    ) {
        let told = std::mem::take(&mut thread.held);
        let Some(Running::Outside(outside)) = thread.stack.last() else {
            return;
        };
        let by_others = self.others_may_run(thread, program, Some(outside));
        if !self.holdings.wanted {
            return;
        }
        let at = outside.call;
        let named = &outside.callee.named;
        let made = result.and_then(Value::object);
        if named.kind == InvokeKind::Dynamic {
            // What a lambda of the scope changes of what it captured is seen when it runs.
            let wild = |lambda: &Rc<Lambda>| lambda.is_wild;
            let is_wild = outside.open.lambda.as_ref().is_some_and(wild);
            let captured: Vec<_> = objects(&outside.operands).collect();
            // An iterator's step changes what it goes through.
            let captured = self.holdings.contents.behind(&captured);
            for &object in captured.iter().filter(|_| is_wild) {
                self.lose_content(at, object, KEPT);
            }
            if let Some(lambda) = &outside.open.lambda {
                self.writes_by_function(lambda);
                let hands_on = made.filter(|_| lambda.is_outside);
                if let Some(made) = hands_on {
                    let captured = captured.iter().copied();
                    self.holdings.contents.reaches(made, captured);
                }
            }
            match made {
                Some(made) if is_wild => self.holdings.contents.is_wild(made, &captured),
                Some(made) => _ = self.holdings.tame.insert(made),
                None => {}
            }
            self.observe(at, program, told, (&[], None));
            self.ends_to_change(thread);
            return;
        }
        let receiver = outside.receiver();
        let constructs = named.name == "<init>";
        let changed = self.may_change(program, outside);
        let ran_beside = |object| self.holdings.changing.ran_beside(object, thread.id);
        let follows = receiver
            .filter(|receiver| changed.contains(receiver) && !ran_beside(*receiver))
            .and_then(|receiver| self.predicted(program, receiver, outside, result));
        let behind = Behind {
            named,
            arguments: outside.arguments(),
            result,
            receiver,
            follows,
        };
        let seen = self.observe(at, program, told, (&changed, Some(behind)));
        for &object in &changed {
            if !seen.contains(&object) {
                self.lose_behind(outside, object, UNSEEN);
            }
        }
        if by_others {
            // What it returned it may have still.
            for object in objects(&outside.operands).chain(made) {
                self.hand_over(object);
            }
        }
        if by_others || self.is_wild_call(outside) {
            self.library_ran(at);
        }
        // A writer may give out what it writes to.
        if let (Some(receiver), Some(text)) = (receiver, made)
            && self.is_builder(program, text)
            && !self.is_builder(program, receiver)
        {
            self.holdings.contents.reaches(receiver, [text]);
        }
        if let (Some(receiver), Some(array)) = (receiver, made)
            && gives_its_array(named)
        {
            self.holdings.contents.reaches(receiver, [array]);
        }
        let made = made.or_else(|| receiver.filter(|_| constructs));
        if let Some(made) = made.filter(|&made| self.reaches_others(program, made)) {
            self.holdings.contents.reaches(made, outside.shown());
        }
        self.ends_to_change(thread);
    }

    fn is_builder(&self, program: &Program, object: ObjectId) -> bool {
        let class = self.heap.class(object);
        let name = class.and_then(|class| program.name_of(class));
        name.is_some_and(|name| matches!(&*name, BUILDER | BUFFER))
    }

    /// Does a call run a function of the JDK's that changes things, of which nobody sees what it does to what it has?
    fn is_wild_call(&self, outside: &Outside) -> bool {
        outside.callee.named.kind != InvokeKind::Dynamic && self.is_wild(outside)
    }

    /// A call is over that may have changed an object, and did not tell that. Arrays that it was shown it has told, or has only read.
    fn lose_behind(&mut self, outside: &Outside, object: ObjectId, reason: &str) {
        match self.heap.elements(object).is_some() {
            true if outside.operands.contains(&Value::Object(object)) => {}
            true => self.doubt_array(outside.call, object),
            false => self.lose_content(outside.call, object, reason),
        }
    }

    pub(super) fn is_wild(&self, outside: &Outside) -> bool {
        let shown: Vec<ObjectId> = outside.shown().collect();
        let contents = &self.holdings.contents;
        contents.any_wild(&contents.behind(&shown))
    }

    /// A method of the scope returns an object to code out of it.
    pub(super) fn contents_returned(
        &mut self,
        thread: &mut Thread,
        program: &Program,
        object: ObjectId,
    ) {
        let by_others = match thread.stack.iter().rev().nth(1) {
            Some(Running::Outside(outside)) => self.runs_others(program, outside),
            _ => true,
        };
        if by_others && self.expects_others() {
            self.give_to_others([object]);
        }
        if !self.holdings.wanted {
            return;
        }
        match thread.stack.iter_mut().rev().nth(1) {
            Some(Running::Outside(outside)) if !by_others => {
                outside.given_back.insert(object);
            }
            _ => self.hand_over(object),
        }
    }

    /// What objects hold that came into the scope: arguments of its methods, values of fields.
    pub(super) fn contents_seen(&mut self, thread: &mut Thread, program: &mut Program) {
        let told = std::mem::take(&mut thread.held);
        if !told.is_empty() && self.holdings.wanted {
            let at = thread.current();
            self.observe(at, program, told, (&[], None));
        }
    }

    /// Code that uses reflection runs from here on: what it changes nobody sees.
    pub(super) fn contents_reflected(&mut self, thread: &Thread) {
        if self.holdings.wanted {
            let at = thread.current();
            for object in std::mem::take(&mut self.holdings.known) {
                self.lose_content(at, object, REFLECTED);
            }
        }
    }

    /// What such a call may change of what it is shown, and what lies behind that.
    fn may_change(&self, program: &Program, outside: &Outside) -> Vec<ObjectId> {
        let (named, operands) = (&outside.callee.named, outside.operands.as_slice());
        let receiver = || objects(operands).take(usize::from(named.kind.has_receiver()));
        let contents = &self.holdings.contents;
        let shown: Vec<ObjectId> = outside.shown().collect();
        let behind = contents.behind(&shown);
        // A default method of a tame one may run others that it is given.
        if named.kind != InvokeKind::Dynamic && contents.any_wild(&behind) {
            let all_known = |found| self.holdings.known.iter().copied().chain(found).collect();
            return held_by(contents, &self.heap, program, behind, usize::MAX)
                .unwrap_or_else(all_known);
        }
        let runs = objects(operands)
            .next()
            .filter(|_| named.kind == InvokeKind::Interface);
        if runs.is_some_and(|lambda| self.holdings.tame.contains(&lambda)) {
            // Code of the scope runs, and nothing else.
            return Vec::new();
        }
        if writes_an_entry(named) && !self.is_any_map(&behind) {
            // Of which map it is nobody knows: it came out of a list, of an `Optional`, of a stream.
            return self.holdings.known.iter().copied().chain(behind).collect();
        }
        let touched: Vec<ObjectId> = match touches(named) {
            _ if only_visits(named) => Vec::new(),
            _ if named.kind == InvokeKind::Dynamic => Vec::new(),
            // What a stream goes through it only reads; what it collects into it may have been returned.
            _ if named.class.starts_with("java.util.stream.") => {
                let skip = usize::from(named.kind.has_receiver());
                let given = objects(operands.get(skip..).unwrap_or_default());
                let into = outside.given_back.iter().copied();
                given
                    .chain(into.filter(|_| named.name == "collect"))
                    .collect()
            }
            Touches::Nothing => Vec::new(),
            Touches::Receiver => receiver().collect(),
            Touches::All => objects(operands).collect(),
        };
        let behind = contents.behind(&touched);
        match self.is_opaque(&behind) {
            // What it changes nobody knows: it was there before.
            true => self.holdings.known.iter().copied().chain(behind).collect(),
            false => behind,
        }
    }

    fn is_any_map(&self, objects: &[ObjectId]) -> bool {
        let contents = &self.holdings.contents;
        let mut all = objects.iter().filter_map(|&object| contents.get(object));
        all.any(Container::is_map)
    }
}

const BUILDER: &str = "java.lang.StringBuilder";
const BUFFER: &str = "java.lang.StringBuffer";

fn objects(operands: &[Value]) -> impl Iterator<Item = ObjectId> {
    operands.iter().filter_map(|value| value.object())
}

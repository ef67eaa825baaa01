//! What code has that is neither of the scope nor the JDK's, and when such code may run.

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{ObjectId, Value};

use super::Deriver;
use super::contents::is_library;
use super::running::Outside;
use super::thread::Thread;
use crate::mirror::Body;
use crate::probe::specified::is_of_the_jdk;
use crate::program::Program;

impl Deriver {
    /// May code run that nobody sees: of classes that are neither of the scope nor the JDK's, or of calls that ran before ([`super::late`])?
    pub(super) fn expects_others(&self) -> bool {
        self.late.changes || self.names.has_others()
    }

    /// Goes through what anybody has got since this was done last: what collections among it hold they have as well.
    pub(super) fn others_have(&mut self) {
        loop {
            let newly = self.heap.newly_given();
            if newly.is_empty() {
                return;
            }
            for object in newly {
                self.hand_over(object);
                match self.heap.body(object) {
                    Some(Body::Array(_) | Body::Fields(_)) => self.doubts.certain.push(object),
                    Some(Body::Text(_) | Body::Opaque) | None => {}
                }
            }
        }
    }

    /// May code that is neither of the scope nor the JDK's be about to run, to call back, or to be over: in this call, or in one that nobody saw? Then what
    /// it has is in doubt.
    pub(super) fn others_may_run(
        &mut self,
        thread: &Thread,
        program: &Program,
        outside: Option<&Outside>,
    ) -> bool {
        let by_others = outside.is_none_or(|outside| self.runs_others(program, outside));
        if !by_others || !self.expects_others() {
            return by_others;
        }
        let shown = outside.into_iter().flat_map(Outside::shown);
        self.give_to_others(shown);
        let at = outside.map_or_else(|| thread.current(), |outside| outside.call);
        self.doubt_given(program, at);
        true
    }

    /// Others have these, with all that can be reached from them.
    pub(super) fn give_to_others(&mut self, objects: impl IntoIterator<Item = ObjectId>) {
        for object in objects {
            self.heap.give(object);
        }
    }

    /// Is one of these an object of the JDK that others have, and that may hold what it is shown?
    pub(super) fn is_kept_by_others(&self, program: &Program, shown: &[Value]) -> bool {
        let keeps = |object: ObjectId| {
            let opaque = matches!(self.heap.body(object), Some(Body::Opaque));
            let given = opaque && self.heap.is_given(object);
            let class = self.heap.class(object).filter(|_| given);
            let name = class.and_then(|class| program.name_of(class));
            name.is_some_and(|name| !name.starts_with("java.lang."))
        };
        let mut objects = shown.iter().filter_map(|value| value.object());
        self.expects_others() && objects.any(keeps)
    }

    /// Does a call run code that is neither of the scope nor the JDK's, as far as the classes of what it is shown tell?
    pub(super) fn runs_others(&mut self, program: &Program, outside: &Outside) -> bool {
        let named = &outside.callee.named;
        if is_library(named) && !self.runs_inherited(program, outside) {
            self.writes_without_a_file(&named.class);
            return true;
        }
        if !self.expects_others() || named.kind == InvokeKind::Dynamic {
            return false;
        }
        if named.class.starts_with("java.lang.reflect.") {
            return true;
        }
        // What a stream of the JDK's goes through runs when that does.
        let shown: Vec<ObjectId> = outside.shown().collect();
        let behind = self.holdings.contents.behind(&shown);
        behind
            .into_iter()
            .any(|object| self.is_foreign(program, object))
    }

    /// Does a call that names a class of the scope run what that inherits from the JDK (`ordinal` of an enum, `getMessage` of an exception)? So it does
    /// where the class of its receiver, or without one the class that is named, is of the scope, and nothing above it is anybody else's.
    fn runs_inherited(&mut self, program: &Program, outside: &Outside) -> bool {
        let named = &outside.callee.named;
        let class = match outside.receiver() {
            Some(object) => self.heap.class(object),
            None if named.kind.has_receiver() => None,
            None => program
                .class_in_scope(named.code, &named.class)
                .map(|class| class.id),
        };
        let Some(class) = class else {
            return false;
        };
        let known = self.doubts.inherit_from_the_jdk.entry(class);
        *known.or_insert_with(|| program.extends_only(class, is_of_the_jdk))
    }

    /// Which fields code writes of which no file is known (made at run time, packed into another jar) nobody can tell.
    fn writes_without_a_file(&mut self, class: &str) {
        if self.names.has_others() && !self.doubts.libraries.contains(class) {
            self.doubts.libraries.insert(class.to_owned());
            if !self.names.has_file(class) {
                self.doubts.any_field();
            }
        }
    }

    /// Is an object of a class that is neither of the scope nor the JDK's?
    fn is_foreign(&mut self, program: &Program, object: ObjectId) -> bool {
        if self.doubts.foreign_functions.contains(&object) {
            return true;
        }
        let Some(class) = self.heap.class(object) else {
            return false;
        };
        let names = &self.names;
        let foreign = self.doubts.foreign.entry(class);
        *foreign.or_insert_with(|| {
            let name = program.name_of(class).unwrap_or_default();
            // A lambda's class is that of the class which makes it.
            let host = name.split("$$Lambda").next().unwrap_or_default();
            !host.ends_with("[]") && !is_of_the_jdk(host) && !names.may_be_in_scope(host)
        })
    }
}

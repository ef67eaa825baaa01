//! What a call's result must be, and what its method does to its receiver, as far as that follows without a look at the JVM.

use jhyde_trace::{Items, ObjectId, Sink};

use crate::contents::{Container, Modelled};
use crate::error::CaptureError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::mirror::is_known;
use crate::recorder::{At, CONTRADICTED, Shown};

impl<S: Sink> Engine<S> {
    /// What the call's result must be, as far as contents tell: an object that has no name yet gets that of the result,
    /// and a contradiction ends what is claimed.
    pub(in crate::events) fn check_contents(
        &mut self,
        thread: &mut Thread,
        at: At,
        shown: &Shown,
        told: Option<&jdwp::Value>,
    ) -> Result<(), CaptureError> {
        let (Some(receiver), Some(told)) = (shown.receiver(), told) else {
            // A static method, or nobody told the result: there is nothing to hold against what is known.
            return Ok(());
        };
        let Some(foretold) = self.recorder.known.foretold(shown, receiver) else {
            // The result does not follow from what is known.
            return Ok(());
        };
        if let Some(object) = told.object() {
            self.unify(thread, foretold, object);
        }
        let real = self.recorder.known.heap.value(told);
        let unnamed = self.recorder.known.heap.is_unnamed(foretold);
        if is_known(foretold) && !unnamed && foretold != real {
            // What an iterator gives, the list behind it has.
            for object in self.recorder.known.contents.behind(&[receiver]) {
                self.recorder.lose_contents(at, object, CONTRADICTED);
            }
            self.recorder.outlet.doubt(at.0, at.2, CONTRADICTED);
        }
        Ok(())
    }

    /// Does to what is known of a receiver what its method does. False if that cannot be told.
    pub(super) fn follow_model(
        &mut self,
        thread: &mut Thread,
        at: At,
        shown: &Shown,
        object: ObjectId,
    ) -> Result<bool, CaptureError> {
        let class = self.recorder.known.heap.class(object);
        let Some(class) = class.and_then(|class| self.recorder.known.program.name_of(class)) else {
            return Ok(false);
        };
        let container = self.recorder.known.contents.get(object);
        let read_meanwhile = |of: &Container| of.reading > thread.readings;
        if container.is_some_and(|of| of.is_exposed || read_meanwhile(of))
            || self.is_used_meanwhile(object)
        {
            // What is known may have a part of what the call did, or of what another one does.
            return Ok(false);
        }
        let (done, order) = self.recorder.known.modelled(&class, shown, object);
        let Modelled::Does(change, _) = done else {
            return Ok(false);
        };
        if container.is_none() && !self.recorder.begin_modelled(object)? {
            return Ok(false);
        }
        if let Some(container) = self.recorder.known.contents.get_mut(object) {
            container.touch(thread.jdwp.0);
            container.order = order;
        }
        let Some(change) = change else {
            return Ok(true);
        };
        let fresh = change.items().map(Items::values).unwrap_or_default();
        self.recorder.tell_contents(at, object, false, change);
        let unnamed = fresh
            .iter()
            .any(|&value| self.recorder.known.heap.is_unnamed(value));
        if unnamed && self.threads.are_outside() {
            self.name_held(object)?;
        }
        Ok(true)
    }
}

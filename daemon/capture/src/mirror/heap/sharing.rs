//! What code out of the scope has: it may change it whenever it runs, and nothing tells.

use jhyde_trace::{ObjectId, Timestamp, Value};

use super::super::things::{Body, Shared, Thing};
use super::Heap;

impl Heap {
    /// Code out of the scope has it, with all that can be reached through it, and may change it at any time.
    pub(crate) fn share(&mut self, object: ObjectId, with: Shared) {
        if self.all_given || with == Shared::Anybody {
            self.give(object);
        }
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            let Some(thing) = self.things.get_mut(object) else {
                continue;
            };
            if thing.shared >= with {
                continue;
            }
            if let Some(newly) = &mut self.newly_shared
                && thing.shared == Shared::Nobody
            {
                newly.push(object);
            }
            thing.shared = with;
            open.extend(held(&thing.body));
        }
    }

    /// Code that is neither of the scope nor the JDK's, or that reflects, has it, with all that can be reached through it. What is read of it
    /// is as certain as before: whether it is another now is for who derives it to tell.
    pub(crate) fn give(&mut self, object: ObjectId) {
        let mut open = vec![object];
        while let Some(object) = open.pop() {
            let Some(thing) = self.things.get_mut(object) else {
                continue;
            };
            if std::mem::replace(&mut thing.given, true) {
                continue;
            }
            if let Some(newly) = &mut self.newly_given {
                newly.push(object);
            }
            open.extend(held(&thing.body));
        }
    }

    /// Code out of the scope may have kept it: arrays it writes as it likes, fields only by reflection.
    pub(crate) fn share_kept(&mut self, object: ObjectId, by_reflection: bool) {
        let written = by_reflection || self.elements(object).is_some();
        let with = if written {
            Shared::Anybody
        } else {
            Shared::Jdk
        };
        self.share(object, with);
    }

    /// What is put into something that code out of the scope has, it has, too.
    pub(super) fn share_held(&mut self, holder: ObjectId, value: Value) {
        let holder = self.things.get(holder);
        let (Some(object), Some((shared, given))) = (
            value.object(),
            holder.map(|thing| (thing.shared, thing.given)),
        ) else {
            return;
        };
        if shared > Shared::Nobody {
            self.share(object, shared);
        }
        if given {
            self.give(object);
        }
    }

    /// From now on, somebody may use reflection on what the JDK keeps.
    pub(crate) fn expect_reflection(&mut self) {
        self.reflection = true;
    }

    /// May somebody use reflection by now?
    pub(crate) fn expects_reflection(&self) -> bool {
        self.reflection
    }

    /// Code out of the scope has what static fields hold, now and from now on.
    pub(crate) fn share_statics(&mut self) {
        self.statics_shared = true;
        let held: Vec<ObjectId> = self.statics.values().filter_map(|v| v.object()).collect();
        for object in held {
            self.share(object, Shared::Jdk);
        }
    }

    /// The objects that code out of the scope has, but for those that this has given before.
    pub(crate) fn newly_shared(&mut self) -> Vec<ObjectId> {
        match self.newly_shared.replace(Vec::new()) {
            Some(newly) => newly,
            None => self.all_shared(),
        }
    }

    /// The objects that were given ([`Self::give`]), likewise.
    pub(crate) fn newly_given(&mut self) -> Vec<ObjectId> {
        match self.newly_given.replace(Vec::new()) {
            Some(newly) => newly,
            None => {
                let all = self.things.iter();
                all.filter(|(_, thing)| thing.given)
                    .map(|(object, _)| object)
                    .collect()
            }
        }
    }

    /// What the JDK has is given, now and from now on.
    pub(crate) fn give_all(&mut self) {
        if !std::mem::replace(&mut self.all_given, true) {
            for object in self.all_shared() {
                self.give(object);
            }
        }
    }

    fn all_shared(&self) -> Vec<ObjectId> {
        let shared = |(_, thing): &(ObjectId, &Thing)| thing.shared > Shared::Nobody;
        self.things.iter().filter(shared).map(|(o, _)| o).collect()
    }

    /// Has code out of the scope this object, whatever it does with it?
    pub(crate) fn is_shared_with_anybody(&self, object: ObjectId) -> bool {
        let thing = self.things.get(object);
        thing.is_some_and(|thing| thing.shared > Shared::Nobody)
    }

    /// Was it given?
    pub(crate) fn is_given(&self, object: ObjectId) -> bool {
        self.things.get(object).is_some_and(|thing| thing.given)
    }

    pub(super) fn is_shared(&self, thing: &Thing) -> bool {
        match thing.shared {
            Shared::Nobody => false,
            Shared::Jdk => self.reflection,
            Shared::Anybody => true,
        }
    }

    /// Code out of the scope has run: what it has may be another now.
    pub(crate) fn outside_ran(&mut self) {
        self.outside += 1;
    }

    /// How often code out of the scope has run.
    pub(crate) fn outside_runs(&self) -> u64 {
        self.outside
    }

    /// From here on, a thread is looked at that ran since code out of the scope had run so often.
    pub(crate) fn look_as_of(&mut self, outside: u64) {
        self.view = outside;
    }

    /// May code out of the scope have changed it since it was last looked at?
    pub(crate) fn is_stale(&self, object: ObjectId) -> bool {
        let thing = self.things.get(object);
        thing.is_some_and(|thing| self.may_have_changed(thing))
    }

    pub(super) fn may_have_changed(&self, thing: &Thing) -> bool {
        self.may_have_changed_by(thing, self.view)
    }

    pub(super) fn may_have_changed_by(&self, thing: &Thing, outside: u64) -> bool {
        let blind = thing.seen < self.blind && matches!(thing.body, Body::Array(_));
        thing.seen < outside && (blind || self.is_shared(thing))
    }

    /// A call was made of which nobody knows what it was shown: it may have written any array.
    pub(crate) fn anything_changed(&mut self) {
        self.blind = self.outside;
    }

    /// The objects that may be another now than they were when they were last looked at, in order.
    pub(crate) fn stale(&self) -> Vec<ObjectId> {
        let all = self.things.iter();
        let stale = all.filter(|(_, thing)| self.may_have_changed(thing));
        let mut stale: Vec<ObjectId> = stale.map(|(object, _)| object).collect();
        stale.sort_unstable();
        stale
    }

    /// How often code out of the scope had run when its content was last certain.
    pub(crate) fn seen(&self, object: ObjectId) -> u64 {
        self.things.get(object).map_or(0, |thing| thing.seen)
    }

    /// Its content is that of now.
    pub(crate) fn refreshed(&mut self, object: ObjectId) {
        if let Some(thing) = self.things.get_mut(object) {
            thing.seen = self.outside;
            thing.certain = self.now;
        }
    }

    /// So many events have been told.
    pub(crate) fn told(&mut self, events: Timestamp) {
        self.now = events;
    }

    /// Since when code out of the scope may have changed it unseen, whichever thread is looked at: an event before that
    /// was told when it was certain. `None` where it cannot have.
    pub(crate) fn doubtful_since(&self, object: ObjectId) -> Option<Timestamp> {
        let thing = self.things.get(object)?;
        let holds = matches!(thing.body, Body::Array(_) | Body::Fields(_));
        (holds && self.may_have_changed_by(thing, self.outside)).then_some(thing.certain)
    }
}

/// The objects that a body holds.
fn held(body: &Body) -> Vec<ObjectId> {
    match body {
        Body::Array(elements) => elements.references().filter_map(Value::object).collect(),
        Body::Fields(fields) => fields.iter().filter_map(|(_, v)| v.object()).collect(),
        Body::Text(_) | Body::Opaque => Vec::new(),
    }
}

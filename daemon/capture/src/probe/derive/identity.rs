//! Which object it is that a log tells by its identity hash.
//!
//! The hash has 31 bits and narrows it down; class, and of strings and boxes the content, tell those of one hash apart. An
//! object that code of the scope made is told when it is first shown to code out of the scope; until then nothing says
//! its hash. So where a hash is new, but its class has objects of the scope that were not told yet, it cannot be said
//! which object it is.

use jhyde_trace::{ClassId, ObjectId};
use rustc_hash::FxHashMap;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Identities {
    /// Objects by hash; of strings and boxes, what tells their content apart.
    by_hash: FxHashMap<u32, Vec<Known>>,
    hashes: FxHashMap<ObjectId, u32>,
    /// Objects of each class that the scope made and that were not told.
    untold: FxHashMap<ClassId, u64>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    object: ObjectId,
    class: ClassId,
    content: u64,
}

/// Which object a hash means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meant {
    This(ObjectId),
    /// One that was never told and that the scope did not make.
    New,
    /// One that the scope may have made.
    Open,
}

impl Identities {
    /// Code of the scope made an object.
    pub(super) fn born(&mut self, class: ClassId) {
        *self.untold.entry(class).or_default() += 1;
    }

    /// The hash of an object that is known. False if it was told with another one.
    pub(super) fn told(
        &mut self,
        object: ObjectId,
        class: ClassId,
        content: u64,
        hash: u32,
    ) -> bool {
        if let Some(&known) = self.hashes.get(&object) {
            return known == hash;
        }
        if let Some(untold) = self.untold.get_mut(&class) {
            *untold = untold.saturating_sub(1);
        }
        self.learn(object, class, content, hash);
        true
    }

    /// An object that came from code out of the scope.
    pub(super) fn learn(&mut self, object: ObjectId, class: ClassId, content: u64, hash: u32) {
        self.hashes.insert(object, hash);
        let known = Known {
            object,
            class,
            content,
        };
        self.by_hash.entry(hash).or_default().push(known);
    }

    /// The object of this hash, class and content (0 for objects that have none).
    pub(super) fn meant(&self, hash: u32, class: ClassId, content: u64) -> Meant {
        let of_hash = self.by_hash.get(&hash).map_or(&[][..], Vec::as_slice);
        let fits = |known: &&Known| known.class == class && known.content == content;
        match of_hash.iter().find(fits) {
            Some(known) => Meant::This(known.object),
            None if self.untold.get(&class).is_some_and(|&untold| untold > 0) => Meant::Open,
            None => Meant::New,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NODE: ClassId = ClassId(1);
    const TEXT: ClassId = ClassId(2);

    #[test]
    fn one_that_was_never_told_is_taken_for_no_other() {
        let mut all = Identities::default();
        all.born(NODE);
        assert_eq!(all.meant(7, NODE, 0), Meant::Open);
        assert_eq!(all.meant(7, TEXT, 0), Meant::New);
        assert!(all.told(ObjectId(1), NODE, 0, 9));
        assert_eq!(all.meant(7, NODE, 0), Meant::New);
        assert_eq!(all.meant(9, NODE, 0), Meant::This(ObjectId(1)));
        assert!(all.told(ObjectId(1), NODE, 0, 9));
        assert!(!all.told(ObjectId(1), NODE, 0, 8));
    }

    #[test]
    fn those_of_one_hash_are_told_apart() {
        let mut all = Identities::default();
        all.learn(ObjectId(1), TEXT, 55, 9);
        all.learn(ObjectId(3), TEXT, 66, 9);
        all.learn(ObjectId(5), NODE, 0, 9);
        assert_eq!(all.meant(9, TEXT, 66), Meant::This(ObjectId(3)));
        assert_eq!(all.meant(9, NODE, 0), Meant::This(ObjectId(5)));
        assert_eq!(all.meant(9, TEXT, 77), Meant::New);
    }
}

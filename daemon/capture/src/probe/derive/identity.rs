//! Which object it is that a log tells by its hash.
//!
//! That is the identity hash of 31 bits, or, of an object whose hash another one had before, a number of its own that is none
//! (`JhydeIdentity.java`). Where the probe could not see that, class, and of strings and boxes the content, of class objects the name, tell those of one hash apart. An
//! object that code of the scope made is told when it is first shown to code out of the scope: as an argument, as the
//! result of a call by such code, as an exception, in an array. Until then nothing says its hash; but nor can such code
//! have it, unless by one of two ways: it was put into an array that such code has, after that was shown, or such code
//! reads fields by reflection. So where a hash is new, and objects of its class may have gone these ways, it cannot be
//! said which object it is.

use jhyde_trace::{ClassId, ObjectId};
use rustc_hash::{FxHashMap, FxHashSet};

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Identities {
    /// Objects by hash; of strings, boxes and class objects, what tells their content apart.
    by_hash: FxHashMap<u32, Vec<Known>>,
    hashes: FxHashMap<ObjectId, u32>,
    /// Objects of each class that nobody told, and that code out of the scope may have all the same; with what tells their content
    /// apart.
    loose: FxHashMap<ClassId, FxHashMap<ObjectId, u64>>,
    /// Arrays of references that code out of the scope has.
    exposed: FxHashSet<ObjectId>,
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
    /// Code out of the scope may have this object, though nobody has told it.
    pub(super) fn loosen(&mut self, object: ObjectId, class: ClassId, content: u64) {
        if !self.hashes.contains_key(&object) {
            let loose = self.loose.entry(class).or_default();
            loose.insert(object, content);
        }
    }

    /// Code out of the scope has this array. False if it had before.
    pub(super) fn expose(&mut self, array: ObjectId) -> bool {
        self.exposed.insert(array)
    }

    /// Was any object of this content told?
    pub(super) fn has_content(&self, content: u64) -> bool {
        let mut all = self.by_hash.values().flatten();
        all.any(|known| known.content == content)
    }

    /// Was it told with that hash?
    pub(super) fn has_hash(&self, object: ObjectId, hash: u32) -> bool {
        self.hashes.get(&object) == Some(&hash)
    }

    /// Was it told?
    pub(super) fn is_told(&self, object: ObjectId) -> bool {
        self.hashes.contains_key(&object)
    }

    /// Has code out of the scope this array?
    pub(super) fn is_exposed(&self, array: ObjectId) -> bool {
        !self.exposed.is_empty() && self.exposed.contains(&array)
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
        if let Some(loose) = self.loose.get_mut(&class) {
            loose.remove(&object);
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

    /// Has this object this hash, or may it have it, as nobody has told it, nor one of this hash, class and content?
    pub(super) fn may_be(&self, object: ObjectId, class: ClassId, content: u64, hash: u32) -> bool {
        match self.hashes.get(&object) {
            Some(&known) => known == hash,
            None => !matches!(self.meant(hash, class, content), Meant::This(_)),
        }
    }

    /// The object of this hash, class and content (0 for objects that have none).
    pub(super) fn meant(&self, hash: u32, class: ClassId, content: u64) -> Meant {
        let of_hash = self.by_hash.get(&hash).map_or(&[][..], Vec::as_slice);
        let fits = |known: &&Known| known.class == class && known.content == content;
        let mut fitting = of_hash.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(known), None) => Meant::This(known.object),
            // Two objects of a class have one hash.
            (Some(_), Some(_)) => Meant::Open,
            (None, _) if self.may_have(class, content) => Meant::Open,
            (None, _) => Meant::New,
        }
    }

    /// May code out of the scope have an object of this class and content that was not told?
    fn may_have(&self, class: ClassId, content: u64) -> bool {
        let loose = self.loose.get(&class);
        // Of one that is being made nobody knows yet what it will hold.
        let fits = |known: &u64| *known == content || *known == 0;
        loose.is_some_and(|loose| loose.values().any(fits))
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
        assert_eq!(all.meant(7, NODE, 0), Meant::New);
        all.loosen(ObjectId(1), NODE, 0);
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
        assert!(all.told(ObjectId(7), NODE, 0, 9));
        assert_eq!(all.meant(9, NODE, 0), Meant::Open, "which of the two?");
        assert!(all.may_be(ObjectId(7), NODE, 0, 9));
        assert!(!all.may_be(ObjectId(7), NODE, 0, 8));
    }
}

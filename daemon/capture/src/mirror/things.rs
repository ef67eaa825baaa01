//! Objects and arrays by their names, each with what is known of it.
//!
//! Names of ours count from 1 upwards, two by two, so that these are in pages, found without a search; the JVM's may be
//! any number, and are hashed.

use jhyde_trace::{ClassId, FieldId, ObjectId, Timestamp, Value};
use rustc_hash::FxHashMap;

use super::Elements;

/// Does an object's number come from the JVM?
pub(crate) fn has_name_of_the_jvm(object: ObjectId) -> bool {
    object.0 & 1 == 0
}

/// What an object holds.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// Fields of classes in scope; a field that is not among them was never written.
    Fields(Vec<(FieldId, Value)>),
    Array(Elements),
    /// A string, whole.
    Text(std::rc::Rc<[u16]>),
    /// Nothing that code of the scope can see.
    Opaque,
}

impl Body {
    /// A new array of this element type, named as in Java source. A negative length is an exception, and then no array.
    pub(crate) fn array(element: &str, length: i32) -> Self {
        let length = usize::try_from(length).unwrap_or(0);
        Self::Array(Elements::new(descriptor_start(element), length))
    }
}

/// The first character of the descriptor of a type that is named as in Java source.
fn descriptor_start(name: &str) -> u8 {
    match name {
        "boolean" => b'Z',
        "byte" => b'B',
        "char" => b'C',
        "short" => b'S',
        "int" => b'I',
        "long" => b'J',
        "float" => b'F',
        "double" => b'D',
        other if other.ends_with("[]") => b'[',
        _ => b'L',
    }
}

/// One object.
#[derive(Clone, Debug)]
pub(super) struct Thing {
    /// How the JVM names it, once that is known.
    pub(super) real: Option<jdwp::ObjectId>,
    pub(super) class: Option<ClassId>,
    pub(super) body: Body,
    /// Who out of the scope may change it unseen.
    pub(super) shared: Shared,
    /// Others than the JDK have it: see [`super::Heap::give`].
    pub(super) given: bool,
    /// How often code out of the scope had run when its content was last certain.
    pub(super) seen: u64,
    /// Events that had been told by then.
    pub(super) certain: Timestamp,
}

/// Who out of the scope has an object, and may change it unseen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Shared {
    #[default]
    Nobody,
    /// The JDK, which writes no field of another's class but by reflection on behalf of others.
    Jdk,
    /// Anybody.
    Anybody,
}

/// Objects in a page.
const PAGE: usize = 64;

#[derive(Debug)]
struct Page {
    things: [Option<Thing>; PAGE],
    full: usize,
}

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Things {
    /// Those with names of ours, in order. A page of which all are gone is gone, too.
    own: Vec<Option<Box<Page>>>,
    named: FxHashMap<ObjectId, Thing>,
    in_pages: usize,
}

/// Page and place of a name of ours.
fn place(object: ObjectId) -> (usize, usize) {
    let number = (object.0 >> 1) as usize;
    (number / PAGE, number % PAGE)
}

impl Things {
    pub(super) fn get(&self, object: ObjectId) -> Option<&Thing> {
        if has_name_of_the_jvm(object) {
            return self.named.get(&object);
        }
        let (page, at) = place(object);
        self.own.get(page)?.as_ref()?.things[at].as_ref()
    }

    pub(super) fn get_mut(&mut self, object: ObjectId) -> Option<&mut Thing> {
        if has_name_of_the_jvm(object) {
            return self.named.get_mut(&object);
        }
        let (page, at) = place(object);
        self.own.get_mut(page)?.as_mut()?.things[at].as_mut()
    }

    pub(super) fn contains(&self, object: ObjectId) -> bool {
        self.get(object).is_some()
    }

    /// Puts a thing there, unless there is one; gives that which is there now.
    pub(super) fn or_insert(&mut self, object: ObjectId, thing: Thing) -> &mut Thing {
        if has_name_of_the_jvm(object) {
            return self.named.entry(object).or_insert(thing);
        }
        let (page, at) = place(object);
        if self.own.len() <= page {
            self.own.resize_with(page + 1, || None);
        }
        let page = self.own[page].get_or_insert_with(|| {
            let things = [const { None }; PAGE];
            Box::new(Page { things, full: 0 })
        });
        if page.things[at].is_none() {
            page.full += 1;
            self.in_pages += 1;
        }
        page.things[at].get_or_insert(thing)
    }

    pub(super) fn remove(&mut self, object: ObjectId) -> Option<Thing> {
        if has_name_of_the_jvm(object) {
            return self.named.remove(&object);
        }
        let (page, at) = place(object);
        let place = self.own.get_mut(page)?;
        let page = place.as_mut()?;
        let removed = page.things[at].take()?;
        page.full -= 1;
        self.in_pages -= 1;
        if page.full == 0 {
            *place = None;
        }
        Some(removed)
    }

    pub(super) fn len(&self) -> usize {
        self.named.len() + self.in_pages
    }

    /// All of them, in no order that means anything.
    pub(super) fn iter(&self) -> impl Iterator<Item = (ObjectId, &Thing)> {
        let named = self.named.iter().map(|(&object, thing)| (object, thing));
        let pages = self.own.iter().enumerate();
        let own = pages.flat_map(|(number, page)| {
            let things = page.iter().flat_map(|page| page.things.iter().enumerate());
            things.filter_map(move |(at, thing)| {
                let number = (number * PAGE + at) as u64;
                Some((ObjectId(number * 2 + 1), thing.as_ref()?))
            })
        });
        named.chain(own)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn thing(mark: u64) -> Thing {
        Thing {
            real: None,
            class: None,
            body: Body::Opaque,
            shared: Shared::Nobody,
            given: false,
            seen: mark,
            certain: Timestamp(0),
        }
    }

    proptest! {
        #[test]
        fn things_are_where_they_were_put(steps: Vec<(bool, u8, u64)>) {
            let (mut things, mut model) = (Things::default(), BTreeMap::new());
            for (adds, name, mark) in steps {
                let object = ObjectId(u64::from(name));
                if adds {
                    let seen = things.or_insert(object, thing(mark)).seen;
                    prop_assert_eq!(seen, *model.entry(object).or_insert(mark));
                } else {
                    let removed = things.remove(object).map(|thing| thing.seen);
                    prop_assert_eq!(removed, model.remove(&object));
                }
                prop_assert_eq!(things.len(), model.len());
                let found = things.get(object).map(|thing| thing.seen);
                prop_assert_eq!(found, model.get(&object).copied());
            }
            let all: BTreeMap<_, _> = things.iter().map(|(object, thing)| (object, thing.seen)).collect();
            prop_assert_eq!(all, model);
        }
    }
}

use jhyde_trace::{FieldId, ObjectId, Value, Variable};
use proptest::prelude::*;

use super::things::{Body, Shared};
use super::{Doubted, Elements, Heap, UNKNOWN};

/// A write, to one of few places, so that they meet.
#[derive(Clone, Debug)]
enum Write {
    Field(usize, u32, i32),
    Element(usize, u32, i32),
    Reference(usize, u32, usize),
    Static(u32, i32),
    Create,
}

fn write() -> impl Strategy<Value = Write> {
    prop_oneof![
        (0..3_usize, 0..3_u32, any::<i32>()).prop_map(|(o, f, v)| Write::Field(o, f, v)),
        (0..2_usize, 0..6_u32, any::<i32>()).prop_map(|(a, i, v)| Write::Element(a, i, v)),
        (0..2_usize, 0..6_u32, 0..3_usize).prop_map(|(a, i, o)| Write::Reference(a, i, o)),
        (0..3_u32, any::<i32>()).prop_map(|(f, v)| Write::Static(f, v)),
        Just(Write::Create),
    ]
}

struct Small {
    heap: Heap,
    objects: Vec<ObjectId>,
    ints: Vec<ObjectId>,
    references: Vec<ObjectId>,
}

impl Small {
    fn new() -> Self {
        let mut heap = Heap::new();
        let mut make = |body: Body| heap.create(None, body);
        let objects = (0..3).map(|_| make(Body::Fields(Vec::new()))).collect();
        let ints = (0..2)
            .map(|_| make(Body::Array(Elements::new(b'I', 4))))
            .collect();
        let references = (0..2)
            .map(|_| make(Body::Array(Elements::new(b'L', 4))))
            .collect();
        Self {
            heap,
            objects,
            ints,
            references,
        }
    }

    fn run(&mut self, writes: &[Write]) {
        for write in writes {
            match *write {
                Write::Field(object, field, value) => {
                    let value = Value::Int(value);
                    self.heap
                        .set_field(self.objects[object], FieldId(field), value);
                }
                Write::Element(array, index, value) => {
                    self.heap
                        .set_element(self.ints[array], index, Value::Int(value));
                }
                Write::Reference(array, index, object) => {
                    let value = Value::Object(self.objects[object]);
                    self.heap.set_element(self.references[array], index, value);
                }
                Write::Static(field, value) => {
                    self.heap.set_static(FieldId(field), Value::Int(value))
                }
                Write::Create => drop(self.heap.create(None, Body::Opaque)),
            }
        }
    }

    /// All that can be seen.
    fn seen(&self) -> Vec<String> {
        let mut all = Vec::new();
        for &object in &self.objects {
            let fields = (0..3).map(|field| self.heap.field(object, FieldId(field), UNKNOWN));
            all.push(format!("{:?}", fields.collect::<Vec<_>>()));
            all.push(format!("{:?}", self.heap.holder(Value::Object(object))));
        }
        for &array in self.ints.iter().chain(&self.references) {
            let elements = (0..6).map(|index| self.heap.elements(array)?.get(index));
            all.push(format!("{:?}", elements.collect::<Vec<_>>()));
        }
        let statics = (0..3).map(|field| self.heap.static_field(FieldId(field)));
        all.push(format!("{:?}", statics.collect::<Vec<_>>()));
        all
    }
}

#[test]
fn a_write_ends_a_doubt_and_a_speculated_one_does_not() {
    let mut small = Small::new();
    let array = small.ints[0];
    let object = small.objects[0];
    let field = FieldId(1);
    let places = [
        Variable::Element { array, index: 1 },
        Variable::Field { object, field },
        Variable::Static { field },
    ];
    for variable in places {
        let doubts = &mut small.heap.doubts;
        let doubt = doubts.raise(variable, Doubted::Value(Value::Int(9)));
        let doubt = doubt.expect("a number");
        small.heap.speculate();
        small.heap.write(variable, Value::Int(3));
        small.heap.roll_back();
        let elsewhere = Variable::Element { array, index: 2 };
        small.heap.write(elsewhere, Value::Int(3));
        assert!(small.heap.doubts.is_open(variable, doubt), "{variable:?}");
        small.heap.write(variable, Value::Int(4));
        assert!(!small.heap.doubts.is_open(variable, doubt), "{variable:?}");
    }
}

proptest! {
    #[test]
    fn what_was_speculated_leaves_nothing_behind(
        before in prop::collection::vec(write(), 0..20),
        speculated in prop::collection::vec(write(), 0..40),
    ) {
        let mut small = Small::new();
        small.run(&before);
        let mut untouched = Small::new();
        untouched.run(&before);
        small.heap.speculate();
        small.run(&speculated);
        small.heap.roll_back();
        prop_assert_eq!(small.seen(), untouched.seen());
        // The next object has the number that it would have had.
        let next = |small: &mut Small| small.heap.create(None, Body::Opaque);
        prop_assert_eq!(next(&mut small), next(&mut untouched));
        // And nothing is speculated any more.
        small.run(&speculated);
        untouched.run(&speculated);
        prop_assert_eq!(small.seen(), untouched.seen());
    }
}

/// What anybody gets is told once, with what it holds and what is put into it later; all that the JDK has, where all is given.
#[test]
fn what_anybody_has_is_told_once() {
    let mut heap = Heap::new();
    let array = heap.create(None, Body::Array(Elements::new(b'L', 2)));
    let [held, later, other] = [(); 3].map(|()| heap.create(None, Body::Fields(Vec::new())));
    heap.set_element(array, 0, Value::Object(held));
    heap.share(array, Shared::Jdk);
    assert_eq!(heap.newly_given(), []);
    heap.share(array, Shared::Anybody);
    let mut newly = heap.newly_given();
    newly.sort_unstable();
    assert_eq!(newly, [array, held]);
    heap.set_element(array, 1, Value::Object(later));
    assert_eq!(heap.newly_given(), [later]);
    heap.share(other, Shared::Jdk);
    assert_eq!(heap.newly_given(), []);
    heap.give_all();
    assert_eq!(heap.newly_given(), [other]);
    assert!(heap.is_given(other));
}

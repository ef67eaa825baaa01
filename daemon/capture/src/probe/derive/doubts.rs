//! Variables that code out of the scope may have written while nobody looked: fields by reflection and its like
//! ([`written`](super::written)); fields and arrays that classes have which are neither of the scope nor the JDK's ([`given`](super::given)); arrays behind
//! what the JDK has made of them ([`contents`](super::contents)).
//!
//! Such a variable is in doubt from the call on that may have written it, and "not recorded" until something tells it: a write, a read, a
//! call that tells an array. What the heap has of it stays: what is read is derived from that, and compared.

use std::rc::Rc;

use jhyde_trace::{CallId, ClassId, Event, EventKind, FieldId, Missing, ObjectId, Value, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Deriver;
use super::written::Access;
use crate::mirror::{Body, is_known};
use crate::probe::others::Writable;
use crate::program::{Field, Program};

/// The longest array that may be in doubt: each of its elements is told to be.
const LONGEST: usize = 1 << 22;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    objects: FxHashMap<ObjectId, Doubted>,
    statics: Statics,
    /// What anybody has, and was told since it was in doubt last.
    pub(super) certain: Vec<ObjectId>,
    /// Which fields of that may be written.
    writable: Writable,
    /// The fields of classes that others may write, as far as that was asked.
    writable_of: FxHashMap<ClassId, Rc<[FieldId]>>,
    /// What handles, fields and updaters give access to.
    pub(super) access: FxHashMap<ObjectId, Access>,
    /// Functions whose code is neither the scope's nor the JDK's.
    pub(super) foreign_functions: FxHashSet<ObjectId>,
    /// Functions were made that write fields or arrays, whoever calls them.
    pub(super) functions: bool,
    /// Is a class neither of the scope nor the JDK's?
    pub(super) foreign: FxHashMap<ClassId, bool>,
    /// Has a class of the scope nothing above it but the scope's and the JDK's?
    pub(super) inherit_from_the_jdk: FxHashMap<ClassId, bool>,
    /// Classes that are neither, of which the scope has called methods, by their dotted names.
    pub(super) libraries: FxHashSet<String>,
    /// An array is longer than may be in doubt.
    pub(super) too_long: Option<usize>,
}

/// An object in doubt.
#[derive(Debug, Default)]
struct Doubted {
    /// Its elements by their indexes, its fields by their numbers.
    open: FxHashSet<u32>,
    /// What was told of it since all that may be written was in doubt; `None`: not all was.
    told: Option<FxHashSet<u32>>,
}

/// Static fields in doubt.
#[derive(Debug, Default)]
struct Statics {
    open: FxHashSet<FieldId>,
    /// Those that others may write, of so many classes.
    writable: FxHashSet<FieldId>,
    classes: usize,
    /// What was told of these since all were in doubt.
    told: Vec<FieldId>,
}

impl Statics {
    fn settle(&mut self, field: FieldId) -> bool {
        let was_open = self.open.remove(&field);
        if was_open && self.writable.contains(&field) {
            self.told.push(field);
        }
        was_open
    }
}

/// Which fields.
#[derive(Clone, Copy)]
pub(super) enum Which<'a> {
    All,
    Named(&'a str),
    /// Those that others may write.
    Writable,
}

impl Doubts {
    pub(super) fn new(writable: Writable) -> Self {
        Self {
            writable,
            ..Self::default()
        }
    }

    /// A variable was written, or read: what it holds is certain. Was it in doubt?
    pub(super) fn settle(&mut self, variable: Variable) -> bool {
        if self.objects.is_empty() && self.statics.open.is_empty() {
            return false;
        }
        let (object, key) = match variable {
            Variable::Field { object, field } => (object, field.0),
            Variable::Element { array, index } => (array, index),
            Variable::Static { field } => return self.statics.settle(field),
            _ => return false,
        };
        let Some(doubted) = self.objects.get_mut(&object) else {
            return false;
        };
        if let Some(told) = &mut doubted.told
            && told.insert(key)
            && told.len() == 1
        {
            self.certain.push(object);
        }
        doubted.open.remove(&key)
    }

    /// Is there anything certain that others may write?
    pub(super) fn are_due(&self) -> bool {
        !self.certain.is_empty() || !self.statics.told.is_empty()
    }

    /// Is it in doubt?
    pub(super) fn is_open(&self, variable: Variable) -> bool {
        let of = |object, key| {
            let doubted = self.objects.get(&object);
            doubted.is_some_and(|doubted: &Doubted| doubted.open.contains(&key))
        };
        match variable {
            Variable::Field { object, field } => of(object, field.0),
            Variable::Element { array, index } => of(array, index),
            Variable::Static { field } => self.statics.open.contains(&field),
            _ => false,
        }
    }

    /// Any field may be written from now on.
    pub(super) fn any_field(&mut self) {
        self.widen(Writable::All);
    }

    /// These fields may be, too.
    pub(super) fn may_write(&mut self, fields: &Writable) {
        let mut all = self.writable.clone();
        all.add(fields);
        self.widen(all);
    }

    fn widen(&mut self, writable: Writable) {
        if self.writable != writable {
            self.writable = writable;
            self.writable_of.clear();
            self.statics.classes = 0;
            // What was in doubt was not all of it.
            let in_doubt = self.objects.iter_mut();
            let again = in_doubt.filter_map(|(&object, doubted)| {
                doubted.told.take()?;
                Some(object)
            });
            self.certain.extend(again);
        }
    }

    fn may_be(&self, which: Which<'_>, field: &Field) -> bool {
        match which {
            Which::All => true,
            Which::Named(name) => field.name == name,
            Which::Writable => self.writable.has(&field.name),
        }
    }
}

impl Deriver {
    /// Code has run of which nobody knows what it did: whatever it has may be another.
    pub(super) fn doubt_given(&mut self, program: &Program, at: CallId) {
        self.others_have();
        let mut certain = std::mem::take(&mut self.doubts.certain);
        certain.sort_unstable();
        certain.dedup();
        for object in certain {
            self.doubt(program, at, object);
        }
        self.doubt_writable_statics(program, at);
    }

    /// All that may be written of an object which anybody has.
    fn doubt(&mut self, program: &Program, at: CallId, object: ObjectId) {
        if self.heap.elements(object).is_some() {
            self.doubt_array(at, object);
            return;
        }
        let Some(Body::Fields(_)) = self.heap.body(object) else {
            return;
        };
        let writable = self.writable_of(program, object);
        // Where none may be written, some may be later on.
        let doubted = self.doubts.objects.entry(object).or_default();
        let told = doubted.told.replace(FxHashSet::default());
        for &field in writable.iter() {
            if told.as_ref().is_none_or(|told| told.contains(&field.0)) {
                self.open_field(at, object, field);
            }
        }
    }

    /// All elements of an array.
    pub(super) fn doubt_array(&mut self, at: CallId, array: ObjectId) {
        let Some(elements) = self.heap.elements(array) else {
            return;
        };
        let length = elements.len();
        if length > LONGEST && !self.running {
            self.doubts.too_long.get_or_insert(length);
            return;
        }
        let doubted = self.doubts.objects.entry(array).or_default();
        let told = doubted.told.replace(FxHashSet::default());
        let mut indexes: Vec<u32> = match told {
            Some(told) => told.into_iter().collect(),
            // Of an array that was there before nothing was told of what was not read.
            None => {
                let all = 0..u32::try_from(length).unwrap_or(u32::MAX);
                let known = |&at: &u32| !self.running || elements.get(at).is_some_and(is_known);
                all.filter(known).collect()
            }
        };
        indexes.sort_unstable();
        for index in indexes {
            self.open_element(at, array, index);
        }
    }

    pub(super) fn doubt_fields(
        &mut self,
        program: &Program,
        at: CallId,
        object: ObjectId,
        which: Which<'_>,
    ) {
        for field in self.fields_of(program, object, which) {
            self.open_field(at, object, field);
        }
    }

    /// The fields of an object that others may write.
    fn writable_of(&mut self, program: &Program, object: ObjectId) -> Rc<[FieldId]> {
        let Some(class) = self.heap.class(object) else {
            return Rc::default();
        };
        if let Some(known) = self.doubts.writable_of.get(&class) {
            return Rc::clone(known);
        }
        let found: Rc<[FieldId]> = self.fields_of(program, object, Which::Writable).into();
        self.doubts.writable_of.insert(class, Rc::clone(&found));
        found
    }

    /// The instance fields of an object that may be written by other ways than instructions: those of records may not.
    fn fields_of(&mut self, program: &Program, object: ObjectId, which: Which<'_>) -> Vec<FieldId> {
        let Some(Body::Fields(_)) = self.heap.body(object) else {
            return Vec::new();
        };
        let class = self.heap.class(object);
        let class = class.and_then(|class| program.class_of(class));
        let Some(class) = class.filter(|class| class.in_scope) else {
            return Vec::new();
        };
        let file = self.names.dotted(&class.name);
        let extends = file.as_ref().and_then(|file| file.super_name.as_deref());
        if extends == Some("java/lang/Record") {
            return Vec::new();
        }
        let fields = program.and_above(&class).flat_map(|class| &class.fields);
        let fields = fields.filter(|field| !field.is_static && self.doubts.may_be(which, field));
        fields.map(|field| field.id).collect()
    }

    fn open_field(&mut self, at: CallId, object: ObjectId, field: FieldId) {
        self.put_in_doubt(at, (object, field.0), Variable::Field { object, field });
    }

    fn open_element(&mut self, at: CallId, array: ObjectId, index: u32) {
        let variable = Variable::Element { array, index };
        self.put_in_doubt(at, (array, index), variable);
    }

    /// A variable is in doubt, one that was never told as well: what is read of it next was not there before for certain.
    fn put_in_doubt(&mut self, at: CallId, (object, key): (ObjectId, u32), variable: Variable) {
        let doubted = self.doubts.objects.entry(object).or_default();
        if doubted.open.insert(key) {
            self.is_in_doubt(at, variable);
        }
    }

    /// Static fields; final ones nothing writes that may be relied on.
    pub(super) fn doubt_statics(&mut self, program: &Program, at: CallId, which: Which<'_>) {
        for (_, class) in program.classes_in_scope() {
            let fields = class.fields.iter();
            for field in fields.filter(|field| field.is_static && !field.is_final) {
                if self.doubts.may_be(which, field) {
                    self.open_static(at, field.id);
                }
            }
        }
    }

    /// Those that others may write.
    fn doubt_writable_statics(&mut self, program: &Program, at: CallId) {
        if self.doubts.statics.classes != program.covered {
            self.doubts.statics.classes = program.covered;
            let classes = program.classes_in_scope();
            let fields = classes.iter().flat_map(|(_, class)| &class.fields);
            let fields = fields.filter(|field| field.is_static && !field.is_final);
            let may = fields.filter(|field| self.doubts.may_be(Which::Writable, field));
            let may: Vec<FieldId> = may.map(|field| field.id).collect();
            self.doubts.statics.told.extend(&may);
            self.doubts.statics.writable.extend(may);
        }
        for field in std::mem::take(&mut self.doubts.statics.told) {
            self.open_static(at, field);
        }
    }

    fn open_static(&mut self, at: CallId, field: FieldId) {
        if self.doubts.statics.open.insert(field) {
            self.is_in_doubt(at, Variable::Static { field });
        }
    }

    fn is_in_doubt(&mut self, at: CallId, variable: Variable) {
        let value = Value::Missing(Missing::Unseen);
        let kind = EventKind::Snapshot { variable, value };
        self.outlet.event(at, Event::NO_INDEX, kind);
    }
}

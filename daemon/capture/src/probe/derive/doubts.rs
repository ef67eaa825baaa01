//! Variables that code out of the scope may have written while nobody looked: fields by reflection and its like
//! ([`crate::probe::writers`]); fields and arrays that classes have which are neither of the scope nor the JDK's; arrays behind what the JDK has made of them.
//!
//! Such a variable is in doubt from the call on that may have written it, and "not recorded" until something tells it: a write, a read, a
//! call that tells an array. What the heap has of it stays: what is read is derived from that, and compared.

use std::rc::Rc;

use jhyde_bytecode::InvokeKind;
use jhyde_trace::{CallId, ClassId, Event, EventKind, FieldId, Missing, ObjectId, Value, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Deriver;
use super::contents::{is_library, is_of_the_jdk};
use super::running::{Outside, Running};
use super::thread::Thread;
use crate::mirror::{Body, UNKNOWN, is_known};
use crate::probe::others::Writable;
use crate::probe::plan::Lambda;
use crate::probe::specified::computes_only;
use crate::probe::writers::{Gives, Writes, gives, writes};
use crate::program::{Field, Program};

/// The longest array that may be in doubt: each of its elements is told to be.
const LONGEST: usize = 1 << 22;

/// See the module.
#[derive(Debug, Default)]
pub(super) struct Doubts {
    objects: FxHashMap<ObjectId, Doubted>,
    statics: FxHashSet<FieldId>,
    /// What anybody has, and was told since it was in doubt last.
    certain: Vec<ObjectId>,
    /// Which fields of that may be written.
    writable: Writable,
    /// What handles, fields and updaters give access to.
    access: FxHashMap<ObjectId, Access>,
    /// Functions were made that write fields or arrays, whoever calls them.
    functions: bool,
    /// Is a class neither of the scope nor the JDK's?
    foreign: FxHashMap<ClassId, bool>,
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

/// What an object gives access to.
#[derive(Clone, Debug)]
enum Access {
    /// Fields of this name; `is_static`: for certain.
    Field { name: Rc<str>, is_static: bool },
    /// Nothing that can be written.
    Nothing,
}

impl Access {
    fn name(&self) -> Option<&str> {
        match self {
            Self::Field { name, .. } => Some(name),
            Self::Nothing => None,
        }
    }
}

/// Which fields.
#[derive(Clone, Copy)]
enum Which<'a> {
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
        if self.objects.is_empty() && self.statics.is_empty() {
            return false;
        }
        let (object, key) = match variable {
            Variable::Field { object, field } => (object, field.0),
            Variable::Element { array, index } => (array, index),
            Variable::Static { field } => return self.statics.remove(&field),
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

    /// Any field may be written from now on.
    fn any_field(&mut self) {
        if self.writable != Writable::All {
            self.writable = Writable::All;
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
    /// A call leaves the scope, calls back, or is over: what it may have written by then.
    pub(super) fn doubt_written(&mut self, thread: &Thread, program: &Program, outside: &Outside) {
        let (at, named) = (outside.call, &outside.callee.named);
        if !self.heap.expects_reflection() {
            return;
        }
        match writes(named) {
            None => {}
            Some(Writes::Member) => self.doubt_member(program, outside),
            Some(Writes::Anything) => self.doubt_anything(program, outside),
            Some(Writes::Caller) => {
                let mut below = thread.stack.iter().rev();
                let caller = below.find_map(|running| match running {
                    Running::Scope(frame) => Some(frame),
                    Running::Outside(_) => None,
                });
                let receiver = caller
                    .filter(|frame| frame.routine.receiver)
                    .and_then(|frame| frame.activation.local(0).object());
                if let Some(object) = receiver {
                    self.doubt_fields(program, at, object, Which::All);
                }
            }
        }
        if !self.holdings.wanted && named.kind != InvokeKind::Dynamic && !computes_only(named) {
            // Which arrays lie behind what it is shown is not followed.
            self.doubt_given(program, at);
        }
        if self.doubts.functions && self.is_wild(outside) {
            self.doubt_given(program, at);
        }
    }

    /// What reflection, a handle or an updater writes.
    fn doubt_member(&mut self, program: &Program, outside: &Outside) {
        let at = outside.call;
        let access = outside
            .receiver()
            .and_then(|of| self.doubts.access.get(&of));
        let access = access.cloned();
        let name = access.as_ref().and_then(Access::name);
        let which = name.map_or(Which::All, Which::Named);
        let is_static = matches!(
            &access,
            Some(Access::Field {
                is_static: true,
                ..
            })
        );
        let mut arguments = outside.arguments().iter();
        let object = arguments.next().copied().and_then(Value::object);
        let object = object.filter(|_| !is_static);
        let holds = object.filter(|&object| match self.heap.body(object) {
            Some(Body::Fields(_) | Body::Array(_)) => true,
            Some(Body::Text(_) | Body::Opaque) | None => false,
        });
        if let Some(object) = holds {
            match (self.heap.elements(object).is_some(), arguments.next()) {
                (true, Some(&Value::Int(index))) => {
                    let index = u32::try_from(index).unwrap_or(u32::MAX);
                    self.open_element(at, object, index);
                }
                (true, _) => self.doubt_array(at, object),
                (false, _) => self.doubt_fields(program, at, object, which),
            }
        }
        // Of a field that is not known it is not known whether it is static.
        if holds.is_none() || name.is_none() {
            self.doubt_statics(program, at, which);
        }
    }

    /// What a method handle writes.
    fn doubt_anything(&mut self, program: &Program, outside: &Outside) {
        let access = outside
            .receiver()
            .and_then(|of| self.doubts.access.get(&of));
        let plain = outside.callee.named.name != "invokeWithArguments";
        match access {
            Some(Access::Nothing) => {}
            Some(Access::Field { .. }) if plain => self.doubt_member(program, outside),
            Some(Access::Field { .. }) | None => {
                self.doubts.any_field();
                self.doubt_given(program, outside.call);
            }
        }
    }

    /// Code has run of which nobody knows what it did: whatever it has may be another.
    pub(super) fn doubt_given(&mut self, program: &Program, at: CallId) {
        self.others_have();
        let mut certain = std::mem::take(&mut self.doubts.certain);
        certain.sort_unstable();
        certain.dedup();
        for object in certain {
            self.doubt(program, at, object);
        }
        if self.doubts.writable != Writable::default() {
            self.doubt_statics(program, at, Which::Writable);
        }
    }

    /// All that may be written of an object which anybody has.
    fn doubt(&mut self, program: &Program, at: CallId, object: ObjectId) {
        if self.heap.elements(object).is_some() {
            self.doubt_array(at, object);
            return;
        }
        let writable = self.fields_of(program, object, Which::Writable);
        if writable.is_empty() {
            return;
        }
        let doubted = self.doubts.objects.entry(object).or_default();
        let told = doubted.told.replace(FxHashSet::default());
        for field in writable {
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
        if length > LONGEST {
            self.doubts.too_long.get_or_insert(length);
            return;
        }
        let doubted = self.doubts.objects.entry(array).or_default();
        let told = doubted.told.replace(FxHashSet::default());
        let mut indexes: Vec<u32> = match told {
            Some(told) => told.into_iter().collect(),
            None => (0..u32::try_from(length).unwrap_or(u32::MAX)).collect(),
        };
        indexes.sort_unstable();
        for index in indexes {
            self.open_element(at, array, index);
        }
    }

    fn doubt_fields(&mut self, program: &Program, at: CallId, object: ObjectId, which: Which<'_>) {
        for field in self.fields_of(program, object, which) {
            self.open_field(at, object, field);
        }
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
        // What was never written holds what fields begin with, but of objects that came from outside.
        let held = self.heap.field(object, field, Value::Null);
        self.put_in_doubt(
            at,
            (object, field.0),
            held,
            Variable::Field { object, field },
        );
    }

    fn open_element(&mut self, at: CallId, array: ObjectId, index: u32) {
        let held = self.heap.elements(array).and_then(|all| all.get(index));
        let variable = Variable::Element { array, index };
        self.put_in_doubt(at, (array, index), held.unwrap_or(UNKNOWN), variable);
    }

    /// What a variable `held` is in doubt, if it was told.
    fn put_in_doubt(
        &mut self,
        at: CallId,
        (object, key): (ObjectId, u32),
        held: Value,
        variable: Variable,
    ) {
        let doubted = self.doubts.objects.entry(object).or_default();
        if is_known(held) && doubted.open.insert(key) {
            self.is_in_doubt(at, variable);
        }
    }

    /// Static fields; final ones nothing writes that may be relied on.
    fn doubt_statics(&mut self, program: &Program, at: CallId, which: Which<'_>) {
        for (_, class) in program.classes_in_scope() {
            let fields = class.fields.iter();
            for field in fields.filter(|field| field.is_static && !field.is_final) {
                let (may, field) = (self.doubts.may_be(which, field), field.id);
                if may && self.doubts.statics.insert(field) {
                    self.is_in_doubt(at, Variable::Static { field });
                }
            }
        }
    }

    fn is_in_doubt(&mut self, at: CallId, variable: Variable) {
        let value = Value::Missing(Missing::Unseen);
        let kind = EventKind::Snapshot { variable, value };
        self.outlet.event(at, Event::NO_INDEX, kind);
    }

    /// Goes through what anybody has got since this was done last: what collections among it hold they have as well.
    fn others_have(&mut self) {
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

    /// A call has returned an object that gives access to a field, by the name that it was given.
    pub(super) fn learn_access(&mut self, outside: &Outside, result: Option<Value>) {
        let Some(made) = result.and_then(Value::object) else {
            return;
        };
        let access = match gives(&outside.callee.named) {
            None => return,
            Some(Gives::Nothing) => Access::Nothing,
            Some(Gives::Field { is_static }) => {
                let mut texts = outside.arguments().iter().filter_map(|value| {
                    let text = self.heap.text(value.object()?)?;
                    Some(String::from_utf16_lossy(text))
                });
                let Some(name) = texts.next() else {
                    return;
                };
                let name = name.into();
                Access::Field { name, is_static }
            }
        };
        self.doubts.access.insert(made, access);
    }

    /// A function was made that writes what it is given, whoever calls it, and with whatever that has.
    pub(super) fn writes_by_function(&mut self, lambda: &Lambda) {
        if lambda.writes_fields {
            self.doubts.any_field();
        }
        if lambda.writes_fields || lambda.writes_arrays {
            self.doubts.functions = true;
            self.heap.give_all();
        }
    }

    /// Code that is neither of the scope nor the JDK's may be about to run, to call back, or to be over: in this call, or in one that nobody saw.
    pub(super) fn others_may_run(
        &mut self,
        thread: &Thread,
        program: &Program,
        outside: Option<&Outside>,
    ) {
        let by_others = outside.is_none_or(|outside| self.runs_others(program, outside));
        if !by_others || !self.names.has_others() {
            return;
        }
        let shown = outside.into_iter().flat_map(Outside::shown);
        self.give_to_others(shown);
        let at = outside.map_or_else(|| thread.current(), |outside| outside.call);
        self.doubt_given(program, at);
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
        self.names.has_others() && objects.any(keeps)
    }

    /// Does a call run code that is neither of the scope nor the JDK's, as far as the classes of what it is shown tell?
    pub(super) fn runs_others(&mut self, program: &Program, outside: &Outside) -> bool {
        let named = &outside.callee.named;
        if is_library(named) {
            return true;
        }
        if !self.names.has_others() || named.kind == InvokeKind::Dynamic {
            return false;
        }
        named.class.starts_with("java.lang.reflect.")
            || outside
                .shown()
                .any(|object| self.is_foreign(program, object))
    }

    /// Is an object of a class that is neither of the scope nor the JDK's?
    fn is_foreign(&mut self, program: &Program, object: ObjectId) -> bool {
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

//! Looking into a block without making events of all of it.

use super::Block;
use super::shape::{Shape, category, flag, join, join_event, join_variable, lay_out, op, var};
use crate::content::Change;
use crate::event::Event;
use crate::ids::{CallId, ClassId, FieldId, MethodId, ObjectId};
use crate::value::Value;
use crate::variable::{Local, Variable};

/// What the `Enter` of a call says besides values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EnterInfo {
    /// What was called.
    pub method: MethodId,
    /// See [`crate::EventKind::Enter`].
    pub call_site: u32,
    /// A call out of the scope.
    pub boundary: bool,
    /// Running when the recording began.
    pub already_running: bool,
}

/// A write or snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WriteView {
    /// What was written to.
    pub variable: Variable,
    /// The new value.
    pub value: Value,
    /// It is a [`crate::EventKind::Snapshot`].
    pub snapshot: bool,
}

/// A change of what an object holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContentView<'a> {
    /// The object.
    pub object: ObjectId,
    /// Found so, not changed by the event's call.
    pub snapshot: bool,
    /// What it holds from there on.
    pub change: &'a Change,
}

/// What all events of a shape do, as far as an index wants to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ShapeKind {
    /// Write a local of the event's own call.
    OwnLocal(Local),
    /// Write a static field.
    Static(FieldId),
    /// Write a field of the object that [`Block::owner`] names.
    Field(FieldId),
    /// Write an element of the array that [`Block::owner`] names: see [`Block::element`].
    Element,
    /// Change what the object that [`Block::owner`] names holds: see [`Block::content`].
    Content,
    /// Begin a call, made at this bytecode index of its caller.
    Enter(u32),
    /// Create the object of this class that [`Block::owner`] names.
    New(ClassId),
    /// Go on from one bytecode index to another: see [`crate::EventKind::Edge`].
    Edge(u32, u32),
    /// Write something else: [`Block::write`] says what.
    OtherWrite,
    /// Write nothing and create nothing.
    Other,
}

impl Block {
    /// Per shape what its events do. Snapshots write.
    pub fn shape_kinds(&self) -> Vec<ShapeKind> {
        let kind = |shape: &Shape| match (shape.op, shape.var) {
            (op::ENTER, _) => ShapeKind::Enter(shape.b),
            (op::NEW, _) => ShapeKind::New(ClassId(shape.a)),
            (op::EDGE, _) => ShapeKind::Edge(shape.a, shape.b),
            (op::CONTENT, _) => ShapeKind::Content,
            (op::WRITE | op::SNAPSHOT, var::NAMED) => {
                ShapeKind::OwnLocal(Local::Named(shape.a as u16))
            }
            (op::WRITE | op::SNAPSHOT, var::SLOT) => {
                ShapeKind::OwnLocal(Local::Slot(shape.a as u16))
            }
            (op::WRITE | op::SNAPSHOT, var::STATIC) => ShapeKind::Static(FieldId(shape.a)),
            (op::WRITE | op::SNAPSHOT, var::FIELD) => ShapeKind::Field(FieldId(shape.a)),
            (op::WRITE | op::SNAPSHOT, var::ELEMENT) => ShapeKind::Element,
            (op::WRITE | op::SNAPSHOT, _) => ShapeKind::OtherWrite,
            _ => ShapeKind::Other,
        };
        self.shapes.iter().map(kind).collect()
    }

    /// The number of an event's shape, below the number of [`Block::shape_kinds`].
    pub fn shape_number(&self, position: usize) -> usize {
        self.shape_of.get(position).map_or(0, |&shape| shape.into())
    }

    /// The object that a write to a field or element, a creation or a change of content is about.
    pub fn owner(&self, position: usize) -> ObjectId {
        ObjectId(self.payload(position).first().copied().unwrap_or(0))
    }

    /// The element's index that a write to an element is about.
    pub fn element(&self, position: usize) -> u32 {
        self.payload(position).get(1).copied().unwrap_or(0) as u32
    }

    fn shape(&self, position: usize) -> Option<&Shape> {
        self.shapes.get(usize::from(*self.shape_of.get(position)?))
    }

    fn payload(&self, position: usize) -> &[u64] {
        let begin = self
            .payload_at
            .get(position)
            .map_or(usize::MAX, |&at| at as usize);
        self.payload.get(begin..).unwrap_or(&[])
    }

    /// The event at a position.
    pub fn event(&self, position: usize) -> Option<Event> {
        let shape = self.shape(position)?;
        let tags = match shape.op {
            op::ENTER => &**self.tag_lists.get(shape.tags as usize)?,
            _ => &[],
        };
        let payload = &mut self.payload(position).iter().copied();
        Some(join_event(
            shape,
            self.call(position),
            tags,
            (&self.texts, &self.changes),
            payload,
        ))
    }

    /// The bytecode index of the event at a position.
    pub fn index(&self, position: usize) -> u32 {
        self.shape(position)
            .map_or(Event::NO_INDEX, |shape| shape.index)
    }

    /// Is the event a call's `Enter`, and what does it say?
    pub fn enter(&self, position: usize) -> Option<EnterInfo> {
        let shape = self.shape(position).filter(|shape| shape.op == op::ENTER)?;
        Some(EnterInfo {
            method: MethodId(shape.a),
            call_site: shape.b,
            boundary: shape.flags & flag::BOUNDARY != 0,
            already_running: shape.flags & flag::ALREADY_RUNNING != 0,
        })
    }

    /// Is the event a call's `Exit`?
    pub fn is_exit(&self, position: usize) -> bool {
        let op = self.shape(position).map(|shape| shape.op);
        matches!(op, Some(op::RETURNED | op::THREW | op::EXIT_UNKNOWN))
    }

    /// Is the event thrown, caught or uncaught?
    pub fn is_exception(&self, position: usize) -> bool {
        let op = self.shape(position).map(|shape| shape.op);
        matches!(op, Some(op::THROWN | op::CAUGHT | op::UNCAUGHT))
    }

    /// Does the event say that something was not recorded?
    pub fn is_gap(&self, position: usize) -> bool {
        self.shape(position)
            .is_some_and(|shape| shape.op == op::GAP)
    }

    /// The write or snapshot at a position, if it is one.
    pub fn write(&self, position: usize) -> Option<WriteView> {
        let shape = self.shape(position)?;
        if !matches!(shape.op, op::WRITE | op::SNAPSHOT) {
            return None;
        }
        let payload = &mut self.payload(position).iter().copied();
        let variable = join_variable(shape, self.call(position), payload);
        let value = join(shape.b as u8, payload);
        Some(WriteView {
            variable,
            value,
            snapshot: shape.op == op::SNAPSHOT,
        })
    }

    /// The change of a content at a position, if it is one.
    pub fn content(&self, position: usize) -> Option<ContentView<'_>> {
        let shape = self
            .shape(position)
            .filter(|shape| shape.op == op::CONTENT)?;
        let [object, number, ..] = *self.payload(position) else {
            return None;
        };
        Some(ContentView {
            object: ObjectId(object),
            snapshot: shape.flags & flag::SNAPSHOT != 0,
            change: self.changes.get(usize::try_from(number).ok()?)?,
        })
    }

    /// The object created at a position, if one is.
    pub fn created(&self, position: usize) -> Option<(ObjectId, ClassId)> {
        let shape = self.shape(position).filter(|shape| shape.op == op::NEW)?;
        Some((ObjectId(*self.payload(position).first()?), ClassId(shape.a)))
    }

    /// The position in [`Block::threads`] of a thread, if it has events here.
    pub fn thread(&self, id: crate::ThreadId) -> Option<&super::BlockThread> {
        self.threads.iter().find(|thread| thread.id == id)
    }

    /// Runs of consecutive events of one thread: the thread and its positions.
    pub fn runs(&self) -> impl Iterator<Item = (&super::BlockThread, std::ops::Range<usize>)> {
        let mut begin = 0;
        self.runs.iter().map(move |&(thread, length)| {
            let end = begin + length as usize;
            let run = begin..end;
            begin = end;
            (&self.threads[thread as usize], run)
        })
    }

    /// Positions of the enters of a method, in order.
    pub fn enters_of(&self, method: MethodId) -> impl Iterator<Item = usize> {
        let fits: Vec<bool> = self
            .shapes
            .iter()
            .map(|s| s.op == op::ENTER && s.a == method.0)
            .collect();
        let hit = move |shape: &u16| fits.get(usize::from(*shape)).copied().unwrap_or(false);
        self.shape_of
            .iter()
            .enumerate()
            .filter(move |(_, shape)| hit(shape))
            .map(|(at, _)| at)
    }

    /// Finds the writes (and snapshots) of an object's fields or elements: per position the field's
    /// number or the element's index, if it is one.
    pub fn writes_to(&self, object: ObjectId) -> impl Fn(usize) -> Option<u32> {
        let kinds: Vec<u8> = self
            .shapes
            .iter()
            .map(|shape| match (shape.op, shape.var) {
                (op::WRITE | op::SNAPSHOT, kind @ (var::FIELD | var::ELEMENT)) => kind,
                _ => var::STATIC,
            })
            .collect();
        move |position| {
            let number = usize::from(*self.shape_of.get(position)?);
            let kind = *kinds.get(number)?;
            if kind == var::STATIC {
                return None;
            }
            match *self.payload(position) {
                [owner, ..] if owner != object.0 => None,
                [_, index, ..] if kind == var::ELEMENT => Some(index as u32),
                _ => Some(self.shapes.get(number)?.a),
            }
        }
    }

    /// Finds the writes (and snapshots) of a field, static or of any object: a test per position.
    pub fn writes_of_field(&self, field: FieldId) -> impl Fn(usize) -> bool {
        self.shapes_that(move |shape| {
            matches!(shape.op, op::WRITE | op::SNAPSHOT)
                && matches!(shape.var, var::FIELD | var::STATIC)
                && shape.a == field.0
        })
    }

    /// Finds the creations of objects of a class, not of its subclasses: a test per position.
    pub fn creations_of(&self, class: ClassId) -> impl Fn(usize) -> bool {
        self.shapes_that(move |shape| shape.op == op::NEW && shape.a == class.0)
    }

    /// A test per position that is decided by the event's shape alone.
    fn shapes_that(&self, fits: impl Fn(&Shape) -> bool) -> impl Fn(usize) -> bool {
        let fits: Vec<bool> = self.shapes.iter().map(fits).collect();
        move |position| {
            let shape = self.shape_of.get(position);
            shape
                .and_then(|&shape| fits.get(usize::from(shape)))
                .is_some_and(|&fits| fits)
        }
    }

    /// Finds the objects that events refer to: see [`References`].
    pub fn references(&self) -> References<'_> {
        let at = self.shapes.iter().map(|shape| {
            let tags = match shape.op {
                op::ENTER => self.tag_lists.get(shape.tags as usize),
                _ => None,
            };
            let mut columns = Vec::new();
            // What is read is told of where it was written.
            if shape.op != op::USE {
                lay_out(shape, tags.map_or(&[], |tags| tags), |column| {
                    columns.push(column);
                });
            }
            let refers = columns.iter().enumerate();
            let refers = refers.filter(|(_, column)| category::is_reference(**column));
            refers.map(|(at, _)| at).collect()
        });
        References {
            block: self,
            at: at.collect(),
        }
    }

    /// Finds the writes of a variable: a test per position that looks at values only where the shape
    /// already fits.
    pub fn writes_of(&self, variable: Variable) -> WriteFilter<'_> {
        let fits = self.shapes.iter().map(|shape| {
            matches!(shape.op, op::WRITE | op::SNAPSHOT)
                && match variable {
                    Variable::Local {
                        local: Local::Named(at),
                        ..
                    } => shape.var & !var::OTHER_CALL == var::NAMED && shape.a == u32::from(at),
                    Variable::Local {
                        local: Local::Slot(slot),
                        ..
                    } => shape.var & !var::OTHER_CALL == var::SLOT && shape.a == u32::from(slot),
                    Variable::Field { field, .. } => shape.var == var::FIELD && shape.a == field.0,
                    Variable::Static { field } => shape.var == var::STATIC && shape.a == field.0,
                    Variable::Element { .. } => shape.var == var::ELEMENT,
                    Variable::Content { .. } => shape.var == var::CONTENT,
                    Variable::Return { .. } => shape.var & !var::OTHER_CALL == var::RETURN,
                    Variable::Exception { .. } => shape.var & !var::OTHER_CALL == var::EXCEPTION,
                }
        });
        WriteFilter {
            block: self,
            fits: fits.collect(),
            wanted: variable,
        }
    }
}

/// The objects that the events of one block refer to: the receiver and the arguments of an enter, what a call ends with, what is
/// written or found (with the key, where it is an entry of a map), an exception, whose monitor it is. Neither the object whose part is written or read, nor one that is made, nor
/// what a content holds.
#[derive(Debug)]
pub struct References<'a> {
    block: &'a Block,
    /// Per shape: where in an event's payload they stand.
    at: Vec<Box<[usize]>>,
}

impl References<'_> {
    /// Those of the event at this position; one that it refers to twice comes twice.
    pub fn of(&self, position: usize) -> impl Iterator<Item = ObjectId> {
        let shape = self.block.shape_of.get(position).copied();
        let at = shape.and_then(|shape| self.at.get(usize::from(shape)));
        let payload = self.block.payload(position);
        let at = at.into_iter().flatten();
        at.filter_map(|&at| payload.get(at).copied().map(ObjectId))
    }
}

/// The writes of one variable in one block.
#[derive(Debug)]
pub struct WriteFilter<'a> {
    block: &'a Block,
    /// Per shape: can it be a write of the variable?
    fits: Vec<bool>,
    wanted: Variable,
}

impl WriteFilter<'_> {
    /// The write at this position, if it writes the variable.
    pub fn at(&self, position: usize) -> Option<WriteView> {
        let shape = usize::from(*self.block.shape_of.get(position)?);
        if !*self.fits.get(shape)? {
            return None;
        }
        self.block
            .write(position)
            .filter(|write| write.variable == self.wanted)
    }
}

/// The call that encloses the event just after it: see `innermost_call` of the store.
impl Block {
    /// The innermost call of the event's thread just after the event at `position`.
    pub fn innermost_after(&self, position: usize) -> CallId {
        let call = self.call(position);
        if !self.is_exit(position) {
            return call;
        }
        match self.thread(call.thread) {
            Some(thread) => thread.call_id(thread.parent_after_exit(position, call.preorder)),
            None => CallId::root(call.thread),
        }
    }
}

//! What was told of objects, and what follows from it.

use std::rc::Rc;

use jhyde_trace::{CallId, Change, Held as Known, Items, ObjectId, Value};

use super::super::Deriver;
use super::super::running::Outside;
use super::super::world::same_value;
use super::{BUFFER, BUILDER};
use crate::contents::{Container, Modelled, Order, Shape, Whole, edit};
use crate::probe::log::{Held, Holds, Object, Raw, Told};
use crate::program::{Named, Program};

/// What is known of a call behind it.
pub(super) struct Behind<'a> {
    pub(super) named: &'a Named,
    pub(super) arguments: &'a [Value],
    pub(super) result: Option<Value>,
    pub(super) receiver: Option<ObjectId>,
    /// What its receiver holds, where that follows.
    pub(super) follows: Option<Follows>,
}

/// What follows for the receiver of a call.
pub(super) struct Follows {
    pub(super) items: Items,
    pub(super) order: Option<Order>,
}

impl Deriver {
    /// What follows for the receiver of a call that returned: what it holds now, and how its keys are ordered.
    pub(super) fn predicted(
        &self,
        program: &Program,
        receiver: ObjectId,
        outside: &Outside,
        result: Option<Value>,
    ) -> Option<Follows> {
        let class = program.name_of(self.heap.class(receiver)?)?;
        let contents = &self.holdings.contents;
        let held = contents.get(receiver).and_then(Container::items);
        let text = |object| self.heap.text(object);
        let (named, arguments) = (&outside.callee.named, outside.arguments());
        let (change, order) = if matches!(&*class, BUILDER | BUFFER) {
            (self.edited(held, named, arguments)?, None)
        } else {
            match contents.modelled(text, &class, named, arguments, receiver) {
                (Modelled::Does(change, yields), order) => {
                    let known = yields.filter(|&yields| crate::mirror::is_known(yields));
                    if known
                        .zip(result)
                        .is_some_and(|(one, other)| !same_value(one, other))
                    {
                        return None;
                    }
                    (change, order)
                }
                (Modelled::Unknown, _) => return None,
            }
        };
        let mut after = match held {
            Some(items) => after_whole(items.clone()),
            None => Known::Nothing,
        };
        if let Some(change) = &change {
            after.apply(change);
        }
        match after {
            Known::Items { items, .. } => Some(Follows { items, order }),
            _ => None,
        }
    }

    /// What a call made of the text of a builder.
    pub(super) fn edited(
        &self,
        held: Option<&Items>,
        named: &Named,
        arguments: &[Value],
    ) -> Option<Option<Change>> {
        let text = |value: Value| self.heap.text(value.object()?);
        let whole = |units: &[u16]| Some(Some(Change::Whole(Items::Text(units.into()))));
        match (named.name.as_str(), arguments) {
            ("<init>", [] | [Value::Int(_)]) => whole(&[]),
            ("<init>", [value]) => whole(text(*value)?),
            (name, _) => {
                let Some(Items::Text(held)) = held else {
                    return None;
                };
                let version = self.holdings.version;
                Some(edit(name, arguments, held, version, text)?.change())
            }
        }
    }

    /// Takes in what was told of objects, of which a call may have changed these. Gives those of which it is known what they
    /// hold now.
    pub(super) fn observe(
        &mut self,
        at: CallId,
        program: &mut Program,
        told: Vec<Held>,
        (changed, behind): (&[ObjectId], Option<Behind<'_>>),
    ) -> Vec<ObjectId> {
        let mut seen = Vec::new();
        for held in told {
            let Some(object) = self.holder(at, program, &held) else {
                // Which one it is cannot be told: what each of them holds is not known from a call on that may change it.
                continue;
            };
            let shape = shape_of(&held);
            let own = behind
                .as_ref()
                .filter(|behind| behind.receiver == Some(object));
            let Some(items) = self.items(at, program, object, held.holds, own) else {
                continue;
            };
            if !self.holdings.contents.knows(object) {
                self.holdings.contents.add(object, Container::new(shape));
            }
            let follows = own.and_then(|own| own.follows.as_ref());
            let order = follows.filter(|follows| follows.items == items);
            let order = order.and_then(|follows| follows.order);
            self.holds(at, object, items, order, !changed.contains(&object));
            seen.push(object);
        }
        let Some(Behind {
            receiver: Some(receiver),
            follows: Some(follows),
            ..
        }) = behind
        else {
            return seen;
        };
        if !seen.contains(&receiver) && self.begins(program, receiver) {
            self.holds(at, receiver, follows.items, follows.order, false);
            seen.push(receiver);
        }
        seen
    }

    /// An object holds something from now on, if its class is one of which that is told. False if not.
    pub(super) fn begins(&mut self, program: &Program, object: ObjectId) -> bool {
        if self.holdings.contents.knows(object) {
            return true;
        }
        let class = self
            .heap
            .class(object)
            .and_then(|class| program.name_of(class));
        let shape = class.and_then(|class| match &*class {
            BUILDER | BUFFER => Some(Shape::Text),
            class => Shape::of(class),
        });
        if let Some(shape) = shape {
            self.holdings.contents.add(object, Container::new(shape));
        }
        shape.is_some()
    }

    /// The object of which it was told what it holds.
    pub(super) fn holder(
        &mut self,
        at: CallId,
        program: &mut Program,
        held: &Held,
    ) -> Option<ObjectId> {
        let told = Told::Instance(Rc::clone(&held.class), None);
        let hash = held.hash;
        let reference = Some(Object { hash, told });
        let value = self.reference(program, at, reference).ok()?;
        value.object()
    }

    /// What an object holds, as far as that follows from what was told.
    pub(super) fn items(
        &mut self,
        at: CallId,
        program: &mut Program,
        object: ObjectId,
        holds: Holds,
        behind: Option<&Behind<'_>>,
    ) -> Option<Items> {
        let before = self
            .holdings
            .contents
            .get(object)
            .and_then(Container::items);
        let follows = behind.and_then(|behind| behind.follows.as_ref());
        Some(match holds {
            Holds::Text(units) => Items::Text(units.into()),
            Holds::Int(value) => Items::Value(Value::Int(value)),
            Holds::Long(value) => Items::Value(Value::Long(value)),
            Holds::Flag(value) => Items::Value(Value::Boolean(value)),
            Holds::Elements(all) => Items::Elements(self.values(at, program, all)?),
            Holds::Entries(all) => {
                let all = self.values(at, program, all)?;
                let pairs = all.chunks_exact(2);
                Items::Entries(pairs.map(|pair| (pair[0], pair[1])).collect())
            }
            Holds::Reference(of) => {
                let empty = of.is_none() && self.is_optional(program, object);
                match self.values(at, program, vec![Raw::Reference(of)])?[..] {
                    [_] if empty => Items::Elements(Vec::new()),
                    [value] if self.is_optional(program, object) => Items::Elements(vec![value]),
                    [value] => Items::Value(value),
                    _ => return None,
                }
            }
            Holds::View(of, part) => {
                let of = self.values(at, program, vec![Raw::Reference(of)])?;
                let of = of.first().copied().and_then(Value::object)?;
                self.holdings.contents.reaches(object, [of]);
                Items::View { of, part }
            }
            Holds::Size { count, place } => match follows {
                Some(follows) if follows.items.len() == count => follows.items.clone(),
                Some(_) => return None,
                None => placed(before?, count, place?, behind?)?,
            },
            Holds::Tail { length, end } => {
                let Some(Items::Text(text)) = before else {
                    return None;
                };
                let grown = length.checked_sub(text.len())?;
                let known = end.len().checked_sub(grown)?;
                let (kept, new) = end.split_at(known);
                let appends = behind.is_some_and(|behind| behind.named.name == "append");
                if !appends || !text.ends_with(kept) {
                    return None;
                }
                Items::Text([text, new].concat().into())
            }
        })
    }

    pub(super) fn is_optional(&self, program: &Program, object: ObjectId) -> bool {
        let class = self
            .heap
            .class(object)
            .and_then(|class| program.name_of(class));
        class.as_deref() == Some("java.util.Optional")
    }

    /// References; `None` if one of them cannot be told.
    pub(super) fn values(
        &mut self,
        at: CallId,
        program: &mut Program,
        all: Vec<Raw>,
    ) -> Option<Vec<Value>> {
        let value = |raw| match raw {
            Raw::Reference(reference) => self.reference(program, at, reference).ok(),
            _ => None,
        };
        all.into_iter().map(value).collect()
    }
}

fn after_whole(items: Items) -> Known {
    let length = items.len();
    Known::Items { items, length }
}

fn shape_of(held: &Held) -> Shape {
    match (&*held.class, &held.holds) {
        (BUILDER | BUFFER, _) => Shape::Text,
        ("java.util.RegularEnumSet" | "java.util.JumboEnumSet", _) => Shape::EnumSet,
        (class, Holds::View(..)) => Shape::of(class).unwrap_or(Shape::View {
            of: "c",
            part: Whole::Same,
        }),
        ("java.util.Stack", _) => Shape::Ring,
        // Others are none that the probe class tells of; whatever they are, they may change.
        (class, _) => Shape::of(class).unwrap_or(Shape::Ring),
    }
}

/// What a collection holds whose order no other element changes, when a call has put something there.
fn placed(before: &Items, count: usize, place: usize, behind: &Behind<'_>) -> Option<Items> {
    let (name, arguments) = (behind.named.name.as_str(), behind.arguments);
    let key = *arguments.first()?;
    match before {
        Items::Elements(held) if name == "add" => {
            let mut held = held.clone();
            match count.checked_sub(held.len())? {
                0 if held.get(place) == Some(&key) => {}
                1 if place <= held.len() => held.insert(place, key),
                _ => return None,
            }
            Some(Items::Elements(held))
        }
        Items::Entries(held) => {
            let mut held = held.clone();
            let grown = count.checked_sub(held.len())?;
            let value = match name {
                "put" => *arguments.get(1)?,
                "putIfAbsent" if grown == 1 => *arguments.get(1)?,
                "merge" | "compute" | "computeIfAbsent" => {
                    behind.result.filter(|&result| result != Value::Null)?
                }
                _ => return None,
            };
            match grown {
                0 if held.get(place).is_some_and(|entry| entry.0 == key) => held[place].1 = value,
                1 if place <= held.len() => held.insert(place, (key, value)),
                _ => return None,
            }
            Some(Items::Entries(held))
        }
        _ => None,
    }
}

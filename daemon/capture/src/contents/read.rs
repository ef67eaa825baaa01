//! Reads what an object holds from its internal fields, while nobody changes it. What can be asked at once is asked at
//! once: a tree takes as many waves as it is high, a hash table as many as its longest chain.

use jdwp::commands::{array_reference, object_reference};
use jdwp::{ArrayRegion, ObjectId, ReferenceTypeId, TaggedObject, Value};
use jhyde_trace::Part;

use super::layout::Layouts;
use super::shapes::{Shape, Whole};
use crate::error::LinkError;
use crate::jvm::Link;
use crate::program::Program;

/// The most items that are read at once.
pub(crate) const MOST_READ: usize = 1 << 14;
/// Questions that are on their way at once.
const WAVE: usize = 1 << 10;

/// What an object holds, as the JVM tells it.
#[derive(Clone, Debug)]
pub(crate) enum Told {
    Elements(Vec<Value>),
    Entries(Vec<(Value, Value)>),
    Text(Vec<u16>),
    Value(Value),
    View { of: TaggedObject, part: Part },
}

/// Why something was not read.
#[derive(Debug)]
pub(crate) enum ReadError {
    Link(LinkError),
    /// In words for people.
    Unknown(String),
}

impl From<LinkError> for ReadError {
    fn from(error: LinkError) -> Self {
        Self::Link(error)
    }
}

pub(super) fn unknown<T>(reason: &str) -> Result<T, ReadError> {
    Err(ReadError::Unknown(reason.to_owned()))
}

pub(super) fn more_than_can_be_read<T>(count: usize) -> Result<T, ReadError> {
    unknown(&format!(
        "its {count} items were not read: more than {MOST_READ}"
    ))
}

const RENAMED: &str = "its internal fields are not those that this version of jhyde knows";
const GONE: &str = "it was being changed, or gone, when it was read";

/// See the module.
pub(crate) struct Reader<'a> {
    pub(crate) link: &'a mut Link,
    pub(crate) program: &'a mut Program,
    pub(crate) layouts: &'a mut Layouts,
    /// The length of the hash table that was read last.
    pub(crate) buckets: usize,
    /// Only so many items are wanted, the first ones; `None`: all.
    pub(crate) most: Option<usize>,
    /// How many there are, where not all were read.
    pub(crate) total: Option<usize>,
    /// The object behind the one that was read, which nobody else sees.
    pub(crate) inner: Option<ObjectId>,
    /// The map of which what was read last is a part.
    pub(crate) part_of: Option<ObjectId>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(
        link: &'a mut Link,
        program: &'a mut Program,
        layouts: &'a mut Layouts,
    ) -> Self {
        Self {
            link,
            program,
            layouts,
            buckets: 0,
            most: None,
            total: None,
            inner: None,
            part_of: None,
        }
    }
}

impl Reader<'_> {
    /// How many of so many items are read: all, or the first that are wanted.
    pub(super) fn wanted(&mut self, count: usize) -> Result<usize, ReadError> {
        match self.most {
            Some(most) if count > most => {
                self.total = Some(count);
                Ok(most)
            }
            _ if count > MOST_READ => more_than_can_be_read(count),
            _ => Ok(count),
        }
    }

    /// Of these the first ones cannot be read without the others: all, or none.
    pub(super) fn all_of(&mut self, count: usize) -> Result<(), ReadError> {
        /// So many are read although fewer are wanted.
        const CHEAP: usize = 1 << 10;
        let most = self.most.map_or(MOST_READ, |most| most.max(CHEAP));
        if count <= most {
            return Ok(());
        }
        match self.most {
            Some(_) => unknown(&format!(
                "its {count} items were not read: more than {most}, and of its kind the first ones cannot be read alone"
            )),
            None => more_than_can_be_read(count),
        }
    }

    /// Of these it is not known how many there are before they are read: that is so many by now.
    pub(super) fn not_more_than(&self, count: usize) -> Result<(), ReadError> {
        let most = self.most.unwrap_or(MOST_READ);
        match count > most {
            true => unknown(&format!("its items were not read: more than {most}")),
            false => Ok(()),
        }
    }

    /// What an object of this class holds.
    pub(crate) fn read(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        shape: Shape,
    ) -> Result<Told, ReadError> {
        match shape {
            Shape::Array { array, size } => self.first_of_array(object, class, array, size),
            Shape::Ring => self.ring(object, class),
            Shape::CountedRing => self.counted_ring(object, class),
            Shape::Chain { first, node } => self.chain(object, class, first, node),
            Shape::ConcurrentDeque => self.concurrent_deque(object, class),
            Shape::Transfers => self.transfers(object, class),
            Shape::SortedPart { descending } => self.sorted_part(object, class, descending),
            Shape::Moment => self.moment(object, class),
            Shape::Fields(names) => Ok(Told::Elements(self.values(object, class, names)?)),
            Shape::OneOrTwo { is_set } => self.one_or_two(object, class, is_set),
            Shape::Copies => self.copies(object, class),
            Shape::Table(table) => self.table(object, class, table),
            Shape::Tree => self.tree(object, class),
            Shape::SkipList => self.skip_list(object, class),
            Shape::KeysOf(map) => match self.within(object, class, map)? {
                Told::Entries(entries) => {
                    Ok(Told::Elements(entries.into_iter().map(|e| e.0).collect()))
                }
                _ => unknown("its elements are not the keys of a map"),
            },
            Shape::Within(field) => self.within(object, class, field),
            Shape::Entry { key, value } => {
                let [key, value] = self.some(object, class, [key, value])?;
                Ok(Told::Entries(vec![(key, value)]))
            }
            Shape::EmptyElements => Ok(Told::Elements(Vec::new())),
            Shape::EmptyEntries => Ok(Told::Entries(Vec::new())),
            Shape::EnumMap => self.enum_map(object, class),
            Shape::EnumSet => self.enum_set(object, class),
            Shape::Bits => self.bits(object, class),
            Shape::Text => self.text(object, class),
            Shape::Value(field) => self.value(object, class, field),
            Shape::Perhaps => self.perhaps(object, class),
            Shape::Adder => self.adder(object, class),
            Shape::Buffer => self.buffer(object, class),
            Shape::View { of, part } => {
                // Newer JDKs show linked maps in both directions.
                if self
                    .layouts
                    .fields(self.link, class, &["reversed"])?
                    .is_some()
                {
                    let [reversed] = self.some(object, class, ["reversed"])?;
                    if reversed != Value::Boolean(false) {
                        return unknown("it shows a linked map backwards");
                    }
                }
                let [of] = self.some(object, class, [of])?;
                let part = match part {
                    Whole::Same => Part::Same,
                    Whole::Keys => Part::Keys,
                    Whole::Values => Part::Values,
                    Whole::Entries => Part::Entries,
                    Whole::Reversed => Part::Reversed,
                };
                view(&of, part)
            }
            Shape::Rest(walk) => self.rest(object, class, walk),
            Shape::Iterator { of, at } => {
                let [of, at] = self.some(object, class, [of, at])?;
                let index = u32::try_from(count(&at)?).unwrap_or(u32::MAX);
                view(&of, Part::At { index })
            }
            Shape::SubList => {
                let [of, from, size] = self.some(object, class, ["root", "offset", "size"])?;
                let from = count(&from)?;
                let to = from + count(&size)?;
                let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
                let (from, to) = (narrow(from), narrow(to));
                view(&of, Part::Range { from, to })
            }
        }
    }

    /// The object in a field, if there is one and it can be read.
    pub(crate) fn object_in(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        field: &str,
    ) -> Result<Option<ObjectId>, LinkError> {
        match self.some(object, class, [field]) {
            Ok([value]) => Ok(value.object().map(|object| object.id)),
            Err(ReadError::Unknown(_)) => Ok(None),
            Err(ReadError::Link(error)) => Err(error),
        }
    }

    /// Fields of one object.
    pub(super) fn some<const N: usize>(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        names: [&str; N],
    ) -> Result<[Value; N], ReadError> {
        let values = self.values(object, class, &names)?;
        values.try_into().or_else(|_| unknown(GONE))
    }

    pub(super) fn values(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        names: &[&str],
    ) -> Result<Vec<Value>, ReadError> {
        let Some(fields) = self.layouts.fields(self.link, class, names)? else {
            return unknown(RENAMED);
        };
        let told = self
            .link
            .request(&object_reference::GetValues { object, fields })?;
        told.or_else(|_| unknown(GONE))
    }

    /// The same fields of many objects of a class.
    pub(super) fn of_all<const N: usize>(
        &mut self,
        objects: &[ObjectId],
        class: ReferenceTypeId,
        names: [&str; N],
    ) -> Result<Vec<[Value; N]>, ReadError> {
        let Some(fields) = self.layouts.fields(self.link, class, &names)? else {
            return unknown(RENAMED);
        };
        let mut all = Vec::with_capacity(objects.len());
        for some in objects.chunks(WAVE) {
            let asked = some.iter().map(|&object| object_reference::GetValues {
                object,
                fields: fields.clone(),
            });
            for told in self.link.request_all(asked)? {
                let values = told.ok().and_then(|values| values.try_into().ok());
                let Some(values) = values else {
                    return unknown(GONE);
                };
                all.push(values);
            }
        }
        Ok(all)
    }

    /// A class out of the scope by its dotted name.
    pub(super) fn class(&mut self, name: &str) -> Result<ReferenceTypeId, ReadError> {
        match self.program.loaded(self.link, 0, name)? {
            Some(class) => Ok(class),
            None => unknown(RENAMED),
        }
    }

    pub(super) fn class_of(&mut self, object: ObjectId) -> Result<ReferenceTypeId, ReadError> {
        let told = self
            .link
            .request(&object_reference::ReferenceType { object })?;
        told.map_or_else(|_| unknown(GONE), |told| Ok(told.type_id))
    }

    pub(super) fn length(&mut self, array: &Value) -> Result<usize, ReadError> {
        let Some(array) = array.object() else {
            return Ok(0);
        };
        let told = self.link.request(&array_reference::Length {
            array: array.id.into(),
        })?;
        let length = told.ok().and_then(|length| usize::try_from(length).ok());
        length.map_or_else(|| unknown(GONE), Ok)
    }

    /// Elements of an array from the first one on.
    pub(super) fn elements(
        &mut self,
        array: &Value,
        length: usize,
    ) -> Result<Vec<Value>, ReadError> {
        let region = self.region(array, 0, length)?;
        Ok(region.map_or_else(Vec::new, |region| values(&region)))
    }

    pub(super) fn region(
        &mut self,
        array: &Value,
        first: usize,
        length: usize,
    ) -> Result<Option<ArrayRegion>, ReadError> {
        let Some(array) = array.object().filter(|_| length > 0) else {
            return if length == 0 { Ok(None) } else { unknown(GONE) };
        };
        if length > 4 * MOST_READ {
            return more_than_can_be_read(length);
        }
        let told = self.link.request(&array_reference::GetValues {
            array: array.id.into(),
            first_index: i32::try_from(first).unwrap_or(i32::MAX),
            length: i32::try_from(length).unwrap_or(i32::MAX),
        })?;
        told.map_or_else(|_| unknown(GONE), |region| Ok(Some(region)))
    }

    fn within(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        field: &str,
    ) -> Result<Told, ReadError> {
        let [inner] = self.some(object, class, [field])?;
        let Some(inner) = inner.object() else {
            return unknown(GONE);
        };
        self.inner = Some(inner.id);
        let class = self.class_of(inner.id)?;
        match self.layouts.shape(self.link, self.program, class)? {
            Some(shape) => self.read(inner.id, class, shape),
            None => unknown("what lies behind it is of a kind that jhyde does not know"),
        }
    }

    fn first_of_array(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        array: &str,
        size: Option<&str>,
    ) -> Result<Told, ReadError> {
        let (array, size) = match size {
            Some(size) => {
                let [array, size] = self.some(object, class, [array, size])?;
                (array, count(&size)?)
            }
            None => {
                let [array] = self.some(object, class, [array])?;
                let length = self.length(&array)?;
                (array, length)
            }
        };
        let size = self.wanted(size)?;
        Ok(Told::Elements(self.elements(&array, size)?))
    }

    fn one_or_two(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        is_set: bool,
    ) -> Result<Told, ReadError> {
        let [first, second] = self.some(object, class, ["e0", "e1"])?;
        let immutables = self.class("java.util.ImmutableCollections")?;
        let Some(mark) = self.layouts.constant(self.link, immutables, "EMPTY")? else {
            return unknown(RENAMED);
        };
        let mut all = vec![first];
        if second.object().map(|o| o.id) != mark.object().map(|o| o.id) {
            all.push(second);
            if is_set && self.is_reverse(immutables)? {
                all.reverse();
            }
        }
        Ok(Told::Elements(all))
    }

    pub(super) fn is_reverse(&mut self, immutables: ReferenceTypeId) -> Result<bool, ReadError> {
        match self.layouts.constant(self.link, immutables, "REVERSE")? {
            Some(Value::Boolean(reverse)) => Ok(reverse),
            _ => unknown(RENAMED),
        }
    }

    fn copies(&mut self, object: ObjectId, class: ReferenceTypeId) -> Result<Told, ReadError> {
        let [times, element] = self.some(object, class, ["n", "element"])?;
        let times = count(&times)?;
        let times = self.wanted(times)?;
        Ok(Told::Elements(vec![element; times]))
    }
}

pub(super) fn view(of: &Value, part: Part) -> Result<Told, ReadError> {
    match of.object() {
        Some(of) => Ok(Told::View { of, part }),
        None => unknown(GONE),
    }
}

/// A number of things.
pub(super) fn count(value: &Value) -> Result<usize, ReadError> {
    match value {
        Value::Int(count) => usize::try_from(*count).or_else(|_| unknown(GONE)),
        _ => unknown(RENAMED),
    }
}

/// The elements of an array as values.
pub(crate) fn values(region: &ArrayRegion) -> Vec<Value> {
    match region {
        ArrayRegion::Boolean(all) => all.iter().map(|&v| Value::Boolean(v)).collect(),
        ArrayRegion::Byte(all) => all.iter().map(|&v| Value::Byte(v)).collect(),
        ArrayRegion::Char(all) => all.iter().map(|&v| Value::Char(v)).collect(),
        ArrayRegion::Short(all) => all.iter().map(|&v| Value::Short(v)).collect(),
        ArrayRegion::Int(all) => all.iter().map(|&v| Value::Int(v)).collect(),
        ArrayRegion::Long(all) => all.iter().map(|&v| Value::Long(v)).collect(),
        ArrayRegion::Float(all) => all.iter().map(|&v| Value::Float(v)).collect(),
        ArrayRegion::Double(all) => all.iter().map(|&v| Value::Double(v)).collect(),
        ArrayRegion::Object { elements, .. } => elements
            .iter()
            .map(|o| Value::Object {
                tag: o.tag,
                id: o.id,
            })
            .collect(),
    }
}

pub(super) fn renamed<T>() -> Result<T, ReadError> {
    unknown(RENAMED)
}

pub(super) fn gone<T>() -> Result<T, ReadError> {
    unknown(GONE)
}

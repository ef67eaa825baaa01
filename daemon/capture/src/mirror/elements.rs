//! The elements of one array.

use jdwp::ArrayRegion;
use jhyde_trace::Value;
use rustc_hash::FxHashSet;

use super::UNKNOWN;

/// Elements in the size that their type has. What is not known is a hole.
#[derive(Clone, Debug)]
pub(crate) struct Elements {
    data: Data,
    holes: FxHashSet<u32>,
}

#[derive(Clone, Debug)]
enum Data {
    Boolean(Vec<bool>),
    Byte(Vec<i8>),
    Char(Vec<u16>),
    Short(Vec<i16>),
    Int(Vec<i32>),
    Long(Vec<i64>),
    Float(Vec<u32>),
    Double(Vec<u64>),
    Reference(Vec<Value>),
}

impl Elements {
    /// A new array of this element type (a descriptor's first character) (JVMS 6.5.newarray).
    pub(crate) fn new(element: u8, length: usize) -> Self {
        let data = match element {
            b'Z' => Data::Boolean(vec![false; length]),
            b'B' => Data::Byte(vec![0; length]),
            b'C' => Data::Char(vec![0; length]),
            b'S' => Data::Short(vec![0; length]),
            b'I' => Data::Int(vec![0; length]),
            b'J' => Data::Long(vec![0; length]),
            b'F' => Data::Float(vec![0; length]),
            b'D' => Data::Double(vec![0; length]),
            _ => Data::Reference(vec![Value::Null; length]),
        };
        Self {
            data,
            holes: FxHashSet::default(),
        }
    }

    /// An array as it was read; `value` makes a reference ours.
    pub(crate) fn read(region: &ArrayRegion, value: impl Fn(jdwp::ObjectId) -> Value) -> Self {
        let data = match region {
            ArrayRegion::Boolean(all) => Data::Boolean(all.clone()),
            ArrayRegion::Byte(all) => Data::Byte(all.clone()),
            ArrayRegion::Char(all) => Data::Char(all.clone()),
            ArrayRegion::Short(all) => Data::Short(all.clone()),
            ArrayRegion::Int(all) => Data::Int(all.clone()),
            ArrayRegion::Long(all) => Data::Long(all.clone()),
            ArrayRegion::Float(all) => Data::Float(all.iter().map(|f| f.to_bits()).collect()),
            ArrayRegion::Double(all) => Data::Double(all.iter().map(|f| f.to_bits()).collect()),
            ArrayRegion::Object {
                elements: values, ..
            } => Data::Reference(values.iter().map(|object| value(object.id)).collect()),
        };
        Self {
            data,
            holes: FxHashSet::default(),
        }
    }

    /// The type of the elements as a descriptor (JVMS 4.3.2); of all references that of `java.lang.Object`.
    pub(crate) fn descriptor(&self) -> &'static str {
        match self.data {
            Data::Boolean(_) => "Z",
            Data::Byte(_) => "B",
            Data::Char(_) => "C",
            Data::Short(_) => "S",
            Data::Int(_) => "I",
            Data::Long(_) => "J",
            Data::Float(_) => "F",
            Data::Double(_) => "D",
            Data::Reference(_) => "Ljava/lang/Object;",
        }
    }

    /// None of them is known any more.
    pub(crate) fn forget(&mut self) {
        let length = u32::try_from(self.len()).unwrap_or(u32::MAX);
        self.holes = (0..length).collect();
    }

    /// Adds the elements behind these.
    pub(crate) fn append(&mut self, more: &Self) {
        match (&mut self.data, &more.data) {
            (Data::Boolean(all), Data::Boolean(more)) => all.extend(more),
            (Data::Byte(all), Data::Byte(more)) => all.extend(more),
            (Data::Char(all), Data::Char(more)) => all.extend(more),
            (Data::Short(all), Data::Short(more)) => all.extend(more),
            (Data::Int(all), Data::Int(more)) => all.extend(more),
            (Data::Long(all), Data::Long(more)) => all.extend(more),
            (Data::Float(all), Data::Float(more)) => all.extend(more),
            (Data::Double(all), Data::Double(more)) => all.extend(more),
            (Data::Reference(all), Data::Reference(more)) => all.extend(more),
            _ => {}
        }
    }

    pub(crate) fn len(&self) -> usize {
        match &self.data {
            Data::Boolean(all) => all.len(),
            Data::Byte(all) => all.len(),
            Data::Char(all) => all.len(),
            Data::Short(all) => all.len(),
            Data::Int(all) => all.len(),
            Data::Long(all) => all.len(),
            Data::Float(all) => all.len(),
            Data::Double(all) => all.len(),
            Data::Reference(all) => all.len(),
        }
    }

    pub(crate) fn get(&self, index: u32) -> Option<Value> {
        if self.holes.contains(&index) {
            return Some(UNKNOWN);
        }
        let at = index as usize;
        Some(match &self.data {
            Data::Boolean(all) => Value::Boolean(*all.get(at)?),
            Data::Byte(all) => Value::Byte(*all.get(at)?),
            Data::Char(all) => Value::Char(*all.get(at)?),
            Data::Short(all) => Value::Short(*all.get(at)?),
            Data::Int(all) => Value::Int(*all.get(at)?),
            Data::Long(all) => Value::Long(*all.get(at)?),
            Data::Float(all) => Value::Float(*all.get(at)?),
            Data::Double(all) => Value::Double(*all.get(at)?),
            Data::Reference(all) => *all.get(at)?,
        })
    }

    /// Are they references?
    pub(crate) fn are_references(&self) -> bool {
        matches!(self.data, Data::Reference(_))
    }

    /// What the elements refer to, where they are references.
    pub(crate) fn references(&self) -> impl Iterator<Item = Value> + '_ {
        let all = match &self.data {
            Data::Reference(all) => &all[..],
            _ => &[],
        };
        all.iter().copied()
    }

    /// Writes an element; gives the value that it then has, or `None` outside the bounds.
    pub(crate) fn set(&mut self, index: u32, value: Value) -> Option<Value> {
        let at = index as usize;
        if at >= self.len() {
            return None;
        }
        self.holes.remove(&index);
        match (&mut self.data, super::widened(value)) {
            (Data::Boolean(all), Value::Int(v)) => all[at] = v & 1 != 0,
            (Data::Byte(all), Value::Int(v)) => all[at] = v as i8,
            (Data::Char(all), Value::Int(v)) => all[at] = v as u16,
            (Data::Short(all), Value::Int(v)) => all[at] = v as i16,
            (Data::Int(all), Value::Int(v)) => all[at] = v,
            (Data::Long(all), Value::Long(v)) => all[at] = v,
            (Data::Float(all), Value::Float(v)) => all[at] = v,
            (Data::Double(all), Value::Double(v)) => all[at] = v,
            (Data::Reference(all), v) => all[at] = v,
            _ => {
                self.holes.insert(index);
            }
        }
        self.get(index)
    }
}

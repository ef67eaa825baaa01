//! Straight-line code to be put in: instructions one by one, with what they need of the operand stack.

use crate::instruction::LocalType;
use crate::opcode::Opcode;
use crate::patch::Fault;
use crate::patch::pool::{FieldConstant, MethodConstant, NumberConstant};

/// Straight-line code: no jumps, no returns. It may look at what it finds on the operand stack and must leave
/// there what it found (the same number of words is checked here, their types by the JVM's verifier).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Snippet {
    bytes: Vec<u8>,
    /// Words on the operand stack now, against the start.
    height: i32,
    /// The most that there were.
    peak: i32,
    /// The first opcode that does not belong into one.
    refused: Option<Opcode>,
}

impl Snippet {
    /// No code.
    pub fn new() -> Self {
        Self::default()
    }

    /// An instruction without operands that goes on to the next one: constants (`aconst_null`, `iconst_0` …), `dup` and
    /// its like, arithmetic, conversions, array loads and stores, `arraylength`. With any other the patch is refused.
    pub fn op(mut self, opcode: Opcode) -> Self {
        let Some((takes, gives)) = plain_effect(opcode) else {
            self.refused.get_or_insert(opcode);
            return self;
        };
        self.bytes.push(opcode as u8);
        self.stack(takes, gives)
    }

    /// Pushes an `int` of 16 bits by `iconst_…`, `bipush` or `sipush`.
    pub fn short(mut self, value: i16) -> Self {
        if let -1..=5 = value {
            self.bytes.push((Opcode::Iconst0 as i16 + value) as u8);
        } else if let Ok(byte) = i8::try_from(value) {
            self.bytes.push(Opcode::Bipush as u8);
            self.bytes.extend(byte.to_be_bytes());
        } else {
            self.bytes.push(Opcode::Sipush as u8);
            self.bytes.extend(value.to_be_bytes());
        }
        self.stack(0, 1)
    }

    /// Pushes a number by `ldc`, `ldc_w` or `ldc2_w`.
    pub fn load_constant(mut self, number: NumberConstant) -> Self {
        match u8::try_from(number.index) {
            _ if number.slots == 2 => self.with_index(Opcode::Ldc2W, number.index),
            Ok(index) => self.bytes.extend([Opcode::Ldc as u8, index]),
            Err(_) => self.with_index(Opcode::LdcW, number.index),
        }
        self.stack(0, number.slots)
    }

    /// Pushes a local variable.
    pub fn load(mut self, kind: LocalType, slot: u16) -> Self {
        self.local(Opcode::Iload, Opcode::Iload0, kind, slot);
        self.stack(0, kind.slots())
    }

    /// Pops into a local variable.
    pub fn store(mut self, kind: LocalType, slot: u16) -> Self {
        self.local(Opcode::Istore, Opcode::Istore0, kind, slot);
        self.stack(kind.slots(), 0)
    }

    /// Adds to an `int` local variable.
    pub fn increment(mut self, slot: u16, by: i16) -> Self {
        let iinc = Opcode::Iinc as u8;
        match (u8::try_from(slot), i8::try_from(by)) {
            (Ok(slot), Ok(by)) => self.bytes.extend([iinc, slot, by.to_be_bytes()[0]]),
            _ => {
                self.bytes.extend([Opcode::Wide as u8, iinc]);
                self.bytes.extend(slot.to_be_bytes());
                self.bytes.extend(by.to_be_bytes());
            }
        }
        self
    }

    /// Pushes a static field.
    pub fn get_static(mut self, field: FieldConstant) -> Self {
        self.with_index(Opcode::GetStatic, field.index);
        self.stack(0, field.slots)
    }

    /// Pops into a static field.
    pub fn put_static(mut self, field: FieldConstant) -> Self {
        self.with_index(Opcode::PutStatic, field.index);
        self.stack(field.slots, 0)
    }

    /// Replaces an object by its field.
    pub fn get_field(mut self, field: FieldConstant) -> Self {
        self.with_index(Opcode::GetField, field.index);
        self.stack(1, field.slots)
    }

    /// Pops a value into the field of the object under it.
    pub fn put_field(mut self, field: FieldConstant) -> Self {
        self.with_index(Opcode::PutField, field.index);
        self.stack(1 + field.slots, 0)
    }

    /// Calls a static method.
    pub fn invoke_static(mut self, method: MethodConstant) -> Self {
        self.with_index(Opcode::InvokeStatic, method.index);
        self.stack(method.takes, method.gives)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Words of operand stack that it needs above those that it finds.
    pub(super) fn needs(&self) -> u32 {
        self.peak.unsigned_abs()
    }

    pub(super) fn check(&self) -> Result<(), Fault> {
        match (self.refused, self.height) {
            (Some(opcode), _) => Err(Fault::NotStraight { opcode }),
            (None, 0) => Ok(()),
            (None, words) => Err(Fault::Unbalanced { words }),
        }
    }

    fn with_index(&mut self, opcode: Opcode, index: u16) {
        self.bytes.push(opcode as u8);
        self.bytes.extend(index.to_be_bytes());
    }

    /// The forms of one direction stand in the order int, long, float, double, reference: one opcode each with the slot
    /// as operand from `first`, four each with the slot in the opcode from `first_short`.
    fn local(&mut self, first: Opcode, first_short: Opcode, kind: LocalType, slot: u16) {
        let opcode = first as u8 + kind as u8;
        match u8::try_from(slot) {
            Ok(slot @ 0..=3) => self.bytes.push(first_short as u8 + 4 * kind as u8 + slot),
            Ok(slot) => self.bytes.extend([opcode, slot]),
            Err(_) => {
                self.bytes.extend([Opcode::Wide as u8, opcode]);
                self.bytes.extend(slot.to_be_bytes());
            }
        }
    }

    fn stack(mut self, takes: u16, gives: u16) -> Self {
        self.height = self
            .height
            .saturating_add(i32::from(gives) - i32::from(takes));
        self.peak = self.peak.max(self.height);
        self
    }
}

/// Words that an instruction without operands takes from the operand stack and gives; `None` for those that have
/// operands, leave the straight line, or lock.
const fn plain_effect(opcode: Opcode) -> Option<(u16, u16)> {
    let number = opcode as u8;
    // Arithmetic stands in the order int, long, float, double.
    let words = 1 + (number & 1) as u16;
    Some(match number {
        0x00 => (0, 0),
        0x01..=0x08 | 0x0b..=0x0d => (0, 1),
        0x09 | 0x0a | 0x0e | 0x0f => (0, 2),
        // Array loads and stores.
        0x2f | 0x31 => (2, 2),
        0x2e..=0x35 => (2, 1),
        0x50 | 0x52 => (4, 0),
        0x4f..=0x56 => (3, 0),
        // pop … swap
        0x57 => (1, 0),
        0x58 => (2, 0),
        0x59 => (1, 2),
        0x5a => (2, 3),
        0x5b => (3, 4),
        0x5c => (2, 4),
        0x5d => (3, 5),
        0x5e => (4, 6),
        0x5f => (2, 2),
        // Arithmetic with two operands, then negation, shifts (by an `int`) and logic.
        0x60..=0x73 | 0x7e..=0x83 => (2 * words, words),
        0x74..=0x77 => (words, words),
        0x78..=0x7d => (words + 1, words),
        // Conversions: i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s
        0x86 | 0x8b | 0x91..=0x93 => (1, 1),
        0x85 | 0x87 | 0x8c | 0x8d => (1, 2),
        0x88 | 0x89 | 0x8e | 0x90 => (2, 1),
        0x8a | 0x8f => (2, 2),
        // Comparisons.
        0x95 | 0x96 => (2, 1),
        0x94 | 0x97 | 0x98 => (4, 1),
        0xbe => (1, 1),
        _ => return None,
    })
}

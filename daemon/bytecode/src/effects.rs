//! What single instructions define and use: local variables by slot, fields, statics and array
//! elements as abstract places (which object or index it is, only a run tells).

use crate::instruction::{Instruction, LocalAccess};
use crate::opcode::Opcode;

/// A variable as an instruction names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// A local variable.
    Local(LocalAccess),
    /// A field of an object on the operand stack; constant pool index of the field.
    Field(u16),
    /// A static field; constant pool index of the field.
    Static(u16),
    /// An element of an array on the operand stack.
    Element(ElementType),
}

/// The element type of an array access, as far as its opcode says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the variants are the JVM's types by name")]
pub enum ElementType {
    Int,
    Long,
    Float,
    Double,
    Reference,
    ByteOrBoolean,
    Char,
    Short,
}

impl ElementType {
    const fn of_offset(offset: u8) -> Self {
        match offset {
            0 => Self::Int,
            1 => Self::Long,
            2 => Self::Float,
            3 => Self::Double,
            4 => Self::Reference,
            5 => Self::ByteOrBoolean,
            6 => Self::Char,
            _ => Self::Short,
        }
    }
}

impl Instruction {
    /// The place that it writes, if any. Calls write through their callees, and a `new` writes
    /// nothing by itself.
    pub fn defines(&self) -> Option<Place> {
        match self.opcode as u8 {
            number @ 0x4f..=0x56 => Some(Place::Element(ElementType::of_offset(number - 0x4f))),
            0xb3 => self.constant().map(Place::Static),
            0xb5 => self.constant().map(Place::Field),
            _ => self.local_store().map(Place::Local),
        }
    }

    /// The place that it reads, if any. `iinc` reads what it writes.
    pub fn uses(&self) -> Option<Place> {
        match self.opcode as u8 {
            number @ 0x2e..=0x35 => Some(Place::Element(ElementType::of_offset(number - 0x2e))),
            0xb2 => self.constant().map(Place::Static),
            0xb4 => self.constant().map(Place::Field),
            _ => self.local_load().map(Place::Local),
        }
    }
}

/// Whether an instruction can raise an exception by what it does (JVMS §6.5), errors of linking
/// and of the virtual machine included, but not those that can come anywhere (stopped threads).
pub(crate) const fn can_throw(opcode: Opcode) -> bool {
    match opcode as u8 {
        // ldc: resolution; array loads and stores; integer division
        0x12..=0x14 | 0x2e..=0x35 | 0x4f..=0x56 | 0x6c | 0x6d | 0x70 | 0x71 => true,
        // returns: IllegalMonitorStateException
        0xac..=0xb1 => true,
        // fields, calls, allocation, arraylength, athrow, casts, monitors
        0xb2..=0xc3 | 0xc5 => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode_at;
    use crate::instruction::LocalType;

    fn effects(bytes: &[u8]) -> (Option<Place>, Option<Place>) {
        let instruction = decode_at(bytes, 0).unwrap();
        (instruction.defines(), instruction.uses())
    }

    #[test]
    fn every_kind_of_place() {
        let int = Some(Place::Local(LocalAccess {
            slot: 3,
            kind: LocalType::Int,
        }));
        assert_eq!(effects(&[0x3e]), (int, None));
        assert_eq!(effects(&[0x1d]), (None, int));
        assert_eq!(effects(&[0x84, 3, 1]), (int, int));
        assert_eq!(effects(&[0xb2, 0, 9]), (None, Some(Place::Static(9))));
        assert_eq!(effects(&[0xb3, 0, 9]), (Some(Place::Static(9)), None));
        assert_eq!(effects(&[0xb4, 0, 9]), (None, Some(Place::Field(9))));
        assert_eq!(effects(&[0xb5, 0, 9]), (Some(Place::Field(9)), None));
        assert_eq!(
            effects(&[0x33]),
            (None, Some(Place::Element(ElementType::ByteOrBoolean)))
        );
        assert_eq!(
            effects(&[0x56]),
            (Some(Place::Element(ElementType::Short)), None)
        );
        assert_eq!(effects(&[0xb6, 0, 9]), (None, None));
        assert_eq!(effects(&[0xbe]), (None, None));
    }

    #[test]
    fn what_only_moves_values_cannot_throw() {
        for byte in [
            0x00, 0x02, 0x15, 0x3b, 0x59, 0x60, 0x84, 0x87, 0x99, 0xa7, 0xaa, 0xc6,
        ] {
            assert!(!can_throw(Opcode::from_byte(byte).unwrap()), "{byte:#x}");
        }
        for byte in [
            0x12, 0x2e, 0x53, 0x6c, 0xb1, 0xb4, 0xb6, 0xbb, 0xbf, 0xc0, 0xc2, 0xc5,
        ] {
            assert!(can_throw(Opcode::from_byte(byte).unwrap()), "{byte:#x}");
        }
    }
}

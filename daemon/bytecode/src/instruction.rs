//! One decoded instruction: its operands, where it can go next, and which local variables it reads
//! and writes. Decoding is in [`decode`](crate::decode); what the operand stack does is not here.

use crate::opcode::Opcode;

/// An instruction at its place in a method's code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// Index of the opcode's byte (of the prefix `wide`, where there is one): JDWP's location index.
    pub index: u32,
    /// What it does; for a `wide` instruction the opcode that follows the prefix.
    pub opcode: Opcode,
    /// Prefixed with `wide`: the local's slot has two bytes.
    pub wide: bool,
    /// What follows the opcode.
    pub operands: Operands,
    /// Bytes in all, with prefix, padding and operands.
    pub length: u32,
}

/// The operands of an instruction. Jump targets are absolute indexes, checked to lie in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operands {
    /// None (for `iload_0` and its like the slot is in the opcode: see
    /// [`Instruction::local_load`]).
    None,
    /// The number that `bipush` or `sipush` pushes.
    Immediate(i32),
    /// A constant pool index: `ldc`…, field accesses, `new`, `anewarray`, `checkcast`,
    /// `instanceof`, `invokevirtual`, `invokespecial`, `invokestatic`, `invokedynamic`.
    Constant(u16),
    /// A local variable's slot.
    Local(u16),
    /// `iinc`.
    Increment {
        /// The local variable's slot.
        slot: u16,
        /// What is added.
        by: i16,
    },
    /// A jump's target.
    Jump(u32),
    /// `tableswitch`.
    TableSwitch(Box<TableSwitch>),
    /// `lookupswitch`.
    LookupSwitch(Box<LookupSwitch>),
    /// `invokeinterface`.
    InvokeInterface {
        /// Constant pool index of the method.
        constant: u16,
        /// Argument slots with the receiver, as the class file says it.
        count: u8,
    },
    /// `newarray`.
    NewArray(PrimitiveType),
    /// `multianewarray`.
    MultiNewArray {
        /// Constant pool index of the array class.
        constant: u16,
        /// How many dimensions are allocated, at least 1.
        dimensions: u8,
    },
}

/// The operands of `tableswitch`: value `low + i` jumps to `targets[i]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSwitch {
    /// Where all other values go.
    pub default: u32,
    /// The least value in the table.
    pub low: i32,
    /// One target per value, at least one.
    pub targets: Vec<u32>,
}

impl TableSwitch {
    /// Each value of the table with its target, ascending.
    pub fn cases(&self) -> impl Iterator<Item = (i32, u32)> {
        // A range from `low` would overflow behind a table that ends at the greatest `int`.
        let numbered = self.targets.iter().enumerate();
        numbered.map(|(offset, target)| (self.low.wrapping_add(offset as i32), *target))
    }
}

/// The operands of `lookupswitch`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LookupSwitch {
    /// Where all other values go.
    pub default: u32,
    /// Value and target, as they stand in the code (sorted by value in valid class files).
    pub pairs: Vec<(i32, u32)>,
}

/// The element type of `newarray` (JVMS table 6.5.newarray-A), with its type codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
#[expect(
    missing_docs,
    reason = "the variants are Java's primitive types by name"
)]
pub enum PrimitiveType {
    Boolean = 4,
    Char = 5,
    Float = 6,
    Double = 7,
    Byte = 8,
    Short = 9,
    Int = 10,
    Long = 11,
}

impl PrimitiveType {
    /// The type of this code.
    pub const fn from_code(code: u8) -> Option<Self> {
        Some(match code {
            4 => Self::Boolean,
            5 => Self::Char,
            6 => Self::Float,
            7 => Self::Double,
            8 => Self::Byte,
            9 => Self::Short,
            10 => Self::Int,
            11 => Self::Long,
            _ => return None,
        })
    }

    /// Its name in Java source: `int`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Boolean => "boolean",
            Self::Char => "char",
            Self::Float => "float",
            Self::Double => "double",
            Self::Byte => "byte",
            Self::Short => "short",
            Self::Int => "int",
            Self::Long => "long",
        }
    }
}

/// What a local variable holds, as far as the accessing instruction says it. `boolean`, `byte`,
/// `char`, `short` and `int` are all `Int`; return addresses of subroutines count as references.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the variants are the JVM's computational types by name"
)]
pub enum LocalType {
    Int,
    Long,
    Float,
    Double,
    Reference,
}

impl LocalType {
    /// `long` and `double` take two slots.
    pub const fn slots(self) -> u16 {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }

    const fn of_group(group: u8) -> Self {
        match group {
            0 => Self::Int,
            1 => Self::Long,
            2 => Self::Float,
            3 => Self::Double,
            _ => Self::Reference,
        }
    }
}

/// A read or write of a local variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalAccess {
    /// The (first) slot.
    pub slot: u16,
    /// The type of the access.
    pub kind: LocalType,
}

impl LocalAccess {
    /// Takes this slot and the next one.
    pub const fn takes_two_slots(self) -> bool {
        self.kind.slots() == 2
    }
}

/// Which instruction calls (JVMS §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(
    missing_docs,
    reason = "the variants are the five invoke instructions by name"
)]
pub enum InvokeKind {
    Virtual,
    Special,
    Static,
    Interface,
    Dynamic,
}

impl InvokeKind {
    /// Whether a receiver lies under the arguments.
    pub const fn has_receiver(self) -> bool {
        matches!(self, Self::Virtual | Self::Special | Self::Interface)
    }
}

/// An invoke instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Invoke {
    /// Where it stands.
    pub index: u32,
    /// Which one.
    pub kind: InvokeKind,
    /// Constant pool index of the method (of the call site, for `invokedynamic`).
    pub constant: u16,
}

impl Instruction {
    /// Index of the byte after it: where control goes if it falls through.
    pub const fn next(&self) -> u32 {
        self.index + self.length
    }

    /// As `javap` prints it: `iload_w` for a wide `iload`.
    pub fn mnemonic(&self) -> std::borrow::Cow<'static, str> {
        if self.wide {
            format!("{}_w", self.opcode.mnemonic()).into()
        } else {
            self.opcode.mnemonic().into()
        }
    }

    /// The constant pool index among the operands.
    pub const fn constant(&self) -> Option<u16> {
        match self.operands {
            Operands::Constant(constant)
            | Operands::InvokeInterface { constant, .. }
            | Operands::MultiNewArray { constant, .. } => Some(constant),
            _ => None,
        }
    }

    /// The call that it makes.
    pub const fn invoke(&self) -> Option<Invoke> {
        let kind = match self.opcode {
            Opcode::InvokeVirtual => InvokeKind::Virtual,
            Opcode::InvokeSpecial => InvokeKind::Special,
            Opcode::InvokeStatic => InvokeKind::Static,
            Opcode::InvokeInterface => InvokeKind::Interface,
            Opcode::InvokeDynamic => InvokeKind::Dynamic,
            _ => return None,
        };
        match self.constant() {
            Some(constant) => Some(Invoke {
                index: self.index,
                kind,
                constant,
            }),
            None => None,
        }
    }

    /// The local variable that it writes: `istore`… `astore`, their `_n` forms, `iinc`.
    pub const fn local_store(&self) -> Option<LocalAccess> {
        let number = self.opcode as u8;
        match (number, &self.operands) {
            (0x36..=0x3a, Operands::Local(slot)) => Some(LocalAccess {
                slot: *slot,
                kind: LocalType::of_group(number - 0x36),
            }),
            (0x3b..=0x4e, _) => Some(short_form(number - 0x3b)),
            (0x84, Operands::Increment { slot, .. }) => Some(LocalAccess {
                slot: *slot,
                kind: LocalType::Int,
            }),
            _ => None,
        }
    }

    /// The local variable that it reads: `iload`… `aload`, their `_n` forms, `iinc`, `ret`.
    pub const fn local_load(&self) -> Option<LocalAccess> {
        let number = self.opcode as u8;
        match (number, &self.operands) {
            (0x15..=0x19, Operands::Local(slot)) => Some(LocalAccess {
                slot: *slot,
                kind: LocalType::of_group(number - 0x15),
            }),
            (0x1a..=0x2d, _) => Some(short_form(number - 0x1a)),
            (0x84, Operands::Increment { slot, .. }) => Some(LocalAccess {
                slot: *slot,
                kind: LocalType::Int,
            }),
            (0xa9, Operands::Local(slot)) => Some(LocalAccess {
                slot: *slot,
                kind: LocalType::Reference,
            }),
            _ => None,
        }
    }

    /// The explicit targets of a jump, a subroutine call or a switch (default first, then the
    /// cases in code order, one entry per case even where two go to one place).
    pub fn targets(&self) -> Vec<u32> {
        match &self.operands {
            Operands::Jump(target) => vec![*target],
            Operands::TableSwitch(table) => std::iter::once(table.default)
                .chain(table.targets.iter().copied())
                .collect(),
            Operands::LookupSwitch(table) => std::iter::once(table.default)
                .chain(table.pairs.iter().map(|p| p.1))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// Control may go elsewhere than to the next instruction, other than by an exception that an
    /// instruction raises as a side effect: jumps, switches, returns, `athrow`, `jsr`, `ret`.
    pub const fn transfers_control(&self) -> bool {
        self.opcode.is_conditional_jump() || self.opcode.ends_straight_line()
    }
}

/// `xload_n`, `xstore_n`: four slots for each of the five types.
const fn short_form(offset: u8) -> LocalAccess {
    LocalAccess {
        slot: (offset % 4) as u16,
        kind: LocalType::of_group(offset / 4),
    }
}

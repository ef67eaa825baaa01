//! From a method's code bytes to instructions (JVMS §4.7.3, §6.5). Any bytes are taken: what is not
//! code gives a [`CodeError`] with the place, never a panic.

use crate::instruction::{Instruction, Invoke, LookupSwitch, Operands, PrimitiveType, TableSwitch};
use crate::opcode::{Layout, Opcode};

/// The most bytes that a method's code may have (JVMS §4.7.3).
pub const MAX_CODE_LENGTH: usize = 65_535;

/// Why bytes are not a method's code.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodeError {
    /// There is no code: the method is native or abstract, or its code was not sent.
    #[error("the method has no code (it is native or abstract)")]
    Empty,
    /// More bytes than a method can have.
    #[error("{length} bytes of code, a method has at most {MAX_CODE_LENGTH}")]
    TooLong {
        /// Bytes given.
        length: usize,
    },
    /// The code ends inside an instruction.
    #[error("the code ends inside the instruction at index {index}")]
    Cut {
        /// Where the instruction starts.
        index: u32,
    },
    /// An opcode that JVMS reserves for debuggers (`breakpoint`, `impdep1`, `impdep2`), which no
    /// class file has.
    #[error("reserved opcode {opcode:#04x} at index {index}")]
    ReservedOpcode {
        /// Where it stands.
        index: u32,
        /// The byte.
        opcode: u8,
    },
    /// An opcode without a meaning.
    #[error("unknown opcode {opcode:#04x} at index {index}")]
    UnknownOpcode {
        /// Where it stands.
        index: u32,
        /// The byte.
        opcode: u8,
    },
    /// `wide` before an opcode that it does not go with.
    #[error("`wide` at index {index} before opcode {opcode:#04x}, which has no wide form")]
    BadWide {
        /// Where `wide` stands.
        index: u32,
        /// The byte after it.
        opcode: u8,
    },
    /// A `tableswitch` whose low is above its high, or a `lookupswitch` with fewer than 0 pairs.
    #[error("the switch at index {index} has impossible bounds")]
    BadSwitch {
        /// Where it stands.
        index: u32,
    },
    /// `newarray` with a code that is no primitive type.
    #[error("newarray at index {index} of unknown type {code}")]
    BadArrayType {
        /// Where it stands.
        index: u32,
        /// The type code.
        code: u8,
    },
    /// A jump out of the code, or into the middle of an instruction.
    #[error("the instruction at index {index} jumps to {target}, where no instruction starts")]
    BadTarget {
        /// Where the jump stands.
        index: u32,
        /// Where it would go.
        target: i64,
    },
}

/// The decoded instructions of one method, in order; every jump goes to one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    instructions: Vec<Instruction>,
    /// For each byte of the code the ordinal of the instruction that starts there, or `NONE`.
    ordinals: Vec<u16>,
}

const NONE: u16 = u16::MAX;

impl Code {
    /// Decodes all of a method's code: what JDWP's `Method.Bytecodes` returns, or the array `code`
    /// of a class file's `Code` attribute.
    pub fn decode(bytes: &[u8]) -> Result<Self, CodeError> {
        if bytes.is_empty() {
            return Err(CodeError::Empty);
        }
        if bytes.len() > MAX_CODE_LENGTH {
            return Err(CodeError::TooLong {
                length: bytes.len(),
            });
        }
        let mut instructions = Vec::with_capacity(bytes.len() / 2);
        let mut ordinals = vec![NONE; bytes.len()];
        let mut index = 0;
        while (index as usize) < bytes.len() {
            let instruction = decode_at(bytes, index)?;
            // At most 65,535 bytes make at most as many instructions, the last of ordinal 65,534.
            ordinals[index as usize] = instructions.len() as u16;
            index = instruction.next();
            instructions.push(instruction);
        }
        let code = Self {
            instructions,
            ordinals,
        };
        for instruction in &code.instructions {
            for target in instruction.targets() {
                if code.ordinal(target).is_none() {
                    let (index, target) = (instruction.index, i64::from(target));
                    return Err(CodeError::BadTarget { index, target });
                }
            }
        }
        Ok(code)
    }

    /// All instructions by index; never empty.
    pub fn instructions(&self) -> &[Instruction] {
        &self.instructions
    }

    /// Bytes of code.
    pub fn length(&self) -> u32 {
        self.ordinals.len() as u32
    }

    /// The instruction that starts at this index.
    pub fn at(&self, index: u32) -> Option<&Instruction> {
        self.instructions.get(self.ordinal(index)?)
    }

    /// The position in [`instructions`](Self::instructions) of the one that starts at this index.
    pub fn ordinal(&self, index: u32) -> Option<usize> {
        let ordinal = *self.ordinals.get(index as usize)?;
        (ordinal != NONE).then_some(ordinal as usize)
    }

    /// Whether any instruction writes a local variable.
    pub fn has_local_stores(&self) -> bool {
        self.instructions.iter().any(|i| i.local_store().is_some())
    }

    /// All calls in code order.
    pub fn invokes(&self) -> impl Iterator<Item = Invoke> {
        self.instructions.iter().filter_map(Instruction::invoke)
    }

    /// Indexes to which some jump or switch goes, ascending, each once. Exception handlers are not
    /// among them: the code bytes alone do not tell them.
    pub fn branch_targets(&self) -> Vec<u32> {
        let mut targets: Vec<u32> = self
            .instructions
            .iter()
            .flat_map(Instruction::targets)
            .collect();
        targets.sort_unstable();
        targets.dedup();
        targets
    }
}

/// Decodes the one instruction that starts at `index`. Jump targets are checked to lie in the
/// code, not to be instruction starts ([`Code::decode`] checks that too).
pub fn decode_at(code: &[u8], index: u32) -> Result<Instruction, CodeError> {
    let mut reader = Reader {
        code,
        index,
        position: index as usize,
    };
    let mut byte = reader.u8()?;
    let wide = byte == Opcode::Wide as u8;
    if wide {
        byte = reader.u8()?;
    }
    let Some(opcode) = Opcode::from_byte(byte) else {
        return Err(match byte {
            _ if wide => CodeError::BadWide {
                index,
                opcode: byte,
            },
            0xca | 0xfe | 0xff => CodeError::ReservedOpcode {
                index,
                opcode: byte,
            },
            _ => CodeError::UnknownOpcode {
                index,
                opcode: byte,
            },
        });
    };
    let operands = if wide {
        reader.wide_operands(opcode)?
    } else {
        reader.operands(opcode)?
    };
    let length = (reader.position - index as usize) as u32;
    Ok(Instruction {
        index,
        opcode,
        wide,
        operands,
        length,
    })
}

struct Reader<'a> {
    code: &'a [u8],
    /// Where the instruction starts: errors name it, offsets count from it.
    index: u32,
    position: usize,
}

impl Reader<'_> {
    fn bytes<const N: usize>(&mut self) -> Result<[u8; N], CodeError> {
        let cut = CodeError::Cut { index: self.index };
        let bytes = self
            .code
            .get(self.position..)
            .and_then(|rest| rest.first_chunk::<N>());
        self.position += N;
        bytes.copied().ok_or(cut)
    }

    fn u8(&mut self) -> Result<u8, CodeError> {
        self.bytes().map(u8::from_be_bytes)
    }

    fn u16(&mut self) -> Result<u16, CodeError> {
        self.bytes().map(u16::from_be_bytes)
    }

    fn i16(&mut self) -> Result<i16, CodeError> {
        self.bytes().map(i16::from_be_bytes)
    }

    fn i32(&mut self) -> Result<i32, CodeError> {
        self.bytes().map(i32::from_be_bytes)
    }

    fn target(&self, offset: i32) -> Result<u32, CodeError> {
        let target = i64::from(self.index) + i64::from(offset);
        match u32::try_from(target) {
            Ok(inside) if (inside as usize) < self.code.len() => Ok(inside),
            _ => Err(CodeError::BadTarget {
                index: self.index,
                target,
            }),
        }
    }

    fn wide_operands(&mut self, opcode: Opcode) -> Result<Operands, CodeError> {
        match opcode.layout() {
            Layout::Local => Ok(Operands::Local(self.u16()?)),
            Layout::Increment => Ok(Operands::Increment {
                slot: self.u16()?,
                by: self.i16()?,
            }),
            _ => Err(CodeError::BadWide {
                index: self.index,
                opcode: opcode as u8,
            }),
        }
    }

    fn operands(&mut self, opcode: Opcode) -> Result<Operands, CodeError> {
        Ok(match opcode.layout() {
            Layout::Plain => Operands::None,
            Layout::Byte => Operands::Immediate(i32::from(i8::from_be_bytes(self.bytes()?))),
            Layout::Short => Operands::Immediate(i32::from(self.i16()?)),
            Layout::Constant1 => Operands::Constant(u16::from(self.u8()?)),
            Layout::Constant2 => Operands::Constant(self.u16()?),
            Layout::Local => Operands::Local(u16::from(self.u8()?)),
            Layout::Increment => {
                let slot = u16::from(self.u8()?);
                Operands::Increment {
                    slot,
                    by: i16::from(i8::from_be_bytes(self.bytes()?)),
                }
            }
            Layout::Branch2 => {
                let offset = i32::from(self.i16()?);
                Operands::Jump(self.target(offset)?)
            }
            Layout::Branch4 => {
                let offset = self.i32()?;
                Operands::Jump(self.target(offset)?)
            }
            Layout::TableSwitch => Operands::TableSwitch(Box::new(self.table_switch()?)),
            Layout::LookupSwitch => Operands::LookupSwitch(Box::new(self.lookup_switch()?)),
            Layout::InvokeInterface => {
                let (constant, count) = (self.u16()?, self.u8()?);
                self.u8()?;
                Operands::InvokeInterface { constant, count }
            }
            Layout::InvokeDynamic => {
                let constant = self.u16()?;
                self.u16()?;
                Operands::Constant(constant)
            }
            Layout::NewArray => {
                let code = self.u8()?;
                let bad = CodeError::BadArrayType {
                    index: self.index,
                    code,
                };
                Operands::NewArray(PrimitiveType::from_code(code).ok_or(bad)?)
            }
            Layout::MultiNewArray => Operands::MultiNewArray {
                constant: self.u16()?,
                dimensions: self.u8()?,
            },
            // `decode_at` takes the prefix away, so this is `wide wide`.
            Layout::Wide => {
                return Err(CodeError::BadWide {
                    index: self.index,
                    opcode: opcode as u8,
                });
            }
        })
    }

    /// Switch operands start at a multiple of four from the method's start.
    fn skip_padding(&mut self) {
        self.position = self.position.next_multiple_of(4);
    }

    /// Refuses a count that the remaining bytes cannot hold, before anything is allocated for it.
    fn expect_entries(&self, count: i64, bytes_each: usize) -> Result<usize, CodeError> {
        let count =
            usize::try_from(count).map_err(|_| CodeError::BadSwitch { index: self.index })?;
        let left = self.code.len().saturating_sub(self.position);
        if count > left / bytes_each {
            return Err(CodeError::Cut { index: self.index });
        }
        Ok(count)
    }

    fn table_switch(&mut self) -> Result<TableSwitch, CodeError> {
        self.skip_padding();
        let (default, low, high) = (self.i32()?, self.i32()?, self.i32()?);
        if low > high {
            return Err(CodeError::BadSwitch { index: self.index });
        }
        let count = self.expect_entries(i64::from(high) - i64::from(low) + 1, 4)?;
        let mut targets = Vec::with_capacity(count);
        for _ in 0..count {
            let offset = self.i32()?;
            targets.push(self.target(offset)?);
        }
        Ok(TableSwitch {
            default: self.target(default)?,
            low,
            targets,
        })
    }

    fn lookup_switch(&mut self) -> Result<LookupSwitch, CodeError> {
        self.skip_padding();
        let (default, pairs) = (self.i32()?, self.i32()?);
        let count = self.expect_entries(i64::from(pairs), 8)?;
        let mut pairs = Vec::with_capacity(count);
        for _ in 0..count {
            let (value, offset) = (self.i32()?, self.i32()?);
            pairs.push((value, self.target(offset)?));
        }
        Ok(LookupSwitch {
            default: self.target(default)?,
            pairs,
        })
    }
}

#[cfg(test)]
#[path = "decode_tests.rs"]
mod tests;

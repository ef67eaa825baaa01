//! What instructions take from the operand stack and put there (JVMS 6.5), counted in words: a `long` or `double` is
//! two (JVMS 2.6.2). Counted so, `dup2` and its like do the same to every kind of value, and whoever follows the stack
//! needs no types.

use crate::descriptor::MethodDescriptor;
use crate::instruction::{Instruction, Operands};
use crate::opcode::Opcode;

/// What an instruction does to the operand stack, in words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StackWords {
    /// Takes so many, then puts so many.
    Fixed {
        /// Words taken.
        takes: u8,
        /// Words put.
        puts: u8,
    },
    /// Puts a copy of the upper `count` words `below` words under them: `dup`, `dup_x1`, ….
    Copies {
        /// Words copied.
        count: u8,
        /// Words that they are put under.
        below: u8,
    },
    /// The two upper words change places.
    Swap,
    /// Reads a field: which type it has, the constant pool tells.
    Reads {
        /// Words taken: the object, or none.
        takes: u8,
    },
    /// Writes a field of a type that the constant pool tells, behind so many words of an object.
    Writes {
        /// Words under the value: the object's, or none.
        below: u8,
    },
    /// Calls: takes the words of arguments, and of a receiver if there is one; puts the result's.
    Calls {
        /// Is there a receiver?
        receiver: bool,
    },
}

impl Instruction {
    /// What it does to the operand stack.
    pub fn stack_words(&self) -> StackWords {
        let fixed = |takes, puts| StackWords::Fixed { takes, puts };
        let copies = |count, below| StackWords::Copies { count, below };
        match self.opcode as u8 {
            // nop, iinc, goto, ret, return, goto_w
            0x00 | 0x84 | 0xa7 | 0xa9 | 0xb1 | 0xc8 => fixed(0, 0),
            // lconst, dconst, ldc2_w, lload, dload and their short forms
            0x09 | 0x0a | 0x0e | 0x0f | 0x14 | 0x16 | 0x18 | 0x1e..=0x21 | 0x26..=0x29 => {
                fixed(0, 2)
            }
            0x01..=0x2d => fixed(0, 1),
            // laload, daload
            0x2f | 0x31 => fixed(2, 2),
            0x2e..=0x35 => fixed(2, 1),
            // lstore, dstore and their short forms
            0x37 | 0x39 | 0x3f..=0x42 | 0x47..=0x4a => fixed(2, 0),
            0x36..=0x4e => fixed(1, 0),
            // lastore, dastore
            0x50 | 0x52 => fixed(4, 0),
            0x4f..=0x56 => fixed(3, 0),
            0x57 => fixed(1, 0),
            0x58 => fixed(2, 0),
            0x59 => copies(1, 0),
            0x5a => copies(1, 1),
            0x5b => copies(1, 2),
            0x5c => copies(2, 0),
            0x5d => copies(2, 1),
            0x5e => copies(2, 2),
            0x5f => StackWords::Swap,
            // add … rem, and, or, xor come as int, long, float, double (and … as int, long)
            number @ 0x60..=0x73 => match number % 2 {
                0 => fixed(2, 1),
                _ => fixed(4, 2),
            },
            number @ 0x74..=0x77 => match number % 2 {
                0 => fixed(1, 1),
                _ => fixed(2, 2),
            },
            // Shifts take an int, whatever they shift.
            number @ 0x78..=0x7d => match number % 2 {
                0 => fixed(2, 1),
                _ => fixed(3, 2),
            },
            number @ 0x7e..=0x83 => match number % 2 {
                0 => fixed(2, 1),
                _ => fixed(4, 2),
            },
            // i2l, i2d, f2l, f2d
            0x85 | 0x87 | 0x8c | 0x8d => fixed(1, 2),
            // l2i, l2f, d2i, d2f
            0x88 | 0x89 | 0x8e | 0x90 => fixed(2, 1),
            // l2d, d2l
            0x8a | 0x8f => fixed(2, 2),
            // i2f, f2i, i2b, i2c, i2s
            0x86 | 0x8b | 0x91..=0x93 => fixed(1, 1),
            // lcmp, dcmpl, dcmpg
            0x94 | 0x97 | 0x98 => fixed(4, 1),
            // fcmpl, fcmpg
            0x95 | 0x96 => fixed(2, 1),
            // if…, ifnull, ifnonnull, switches, monitors, returns of one word, athrow
            0x99..=0x9e | 0xc6 | 0xc7 | 0xaa | 0xab | 0xc2 | 0xc3 | 0xac | 0xae | 0xb0 | 0xbf => {
                fixed(1, 0)
            }
            0x9f..=0xa6 => fixed(2, 0),
            // lreturn, dreturn
            0xad | 0xaf => fixed(2, 0),
            // jsr, jsr_w
            0xa8 | 0xc9 => fixed(0, 1),
            0xb2 => StackWords::Reads { takes: 0 },
            0xb3 => StackWords::Writes { below: 0 },
            0xb4 => StackWords::Reads { takes: 1 },
            0xb5 => StackWords::Writes { below: 1 },
            number @ 0xb6..=0xba => StackWords::Calls {
                receiver: !matches!(number, 0xb8 | 0xba),
            },
            0xbb => fixed(0, 1),
            // newarray, anewarray, arraylength, checkcast, instanceof
            0xbc..=0xbe | 0xc0 | 0xc1 => fixed(1, 1),
            0xc5 => match self.operands {
                Operands::MultiNewArray { dimensions, .. } => fixed(dimensions, 1),
                _ => fixed(1, 1),
            },
            // `wide` is no opcode of its own here, and there are no others.
            _ => fixed(0, 0),
        }
    }

    /// Does it put a value on the stack that nothing was read for: a constant?
    pub const fn pushes_constant(&self) -> bool {
        matches!(self.opcode as u8, 0x01..=0x14)
    }

    /// Does it end its call, with what it takes as the result?
    pub const fn returns(&self) -> bool {
        self.opcode.is_return() && !matches!(self.opcode, Opcode::Return)
    }
}

/// Words of a value of this type (JVMS 4.3.2): none of `void`.
pub fn words_of(descriptor: &str) -> u8 {
    match descriptor {
        "V" => 0,
        "J" | "D" => 2,
        _ => 1,
    }
}

impl MethodDescriptor {
    /// Words of each parameter, and of the result.
    pub fn words(descriptor: &str) -> Option<(Vec<u8>, u8)> {
        let result = descriptor.rsplit_once(')')?.1;
        let mut rest = descriptor.strip_prefix('(')?;
        let mut parameters = Vec::new();
        while !rest.starts_with(')') {
            let element = rest.trim_start_matches('[');
            let dimensions = rest.len() - element.len();
            let length = match element.as_bytes().first()? {
                b'L' => element.find(';')? + 1,
                _ => 1,
            };
            let (parameter, behind) = rest.split_at_checked(dimensions + length)?;
            parameters.push(words_of(parameter));
            rest = behind;
        }
        Some((parameters, words_of(result)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode_at;

    fn words(bytes: &[u8]) -> StackWords {
        decode_at(bytes, 0).expect("an instruction").stack_words()
    }

    #[test]
    fn longs_and_doubles_take_two_words() {
        let fixed = |takes, puts| StackWords::Fixed { takes, puts };
        for (bytes, expected) in [
            (vec![0x1a], fixed(0, 1)),          // iload_0
            (vec![0x1e], fixed(0, 2)),          // lload_0
            (vec![0x29], fixed(0, 2)),          // dload_3
            (vec![0x2a], fixed(0, 1)),          // aload_0
            (vec![0x3f], fixed(2, 0)),          // lstore_0
            (vec![0x4b], fixed(1, 0)),          // astore_0
            (vec![0x52], fixed(4, 0)),          // dastore
            (vec![0x60], fixed(2, 1)),          // iadd
            (vec![0x61], fixed(4, 2)),          // ladd
            (vec![0x73], fixed(4, 2)),          // drem
            (vec![0x75], fixed(2, 2)),          // lneg
            (vec![0x79], fixed(3, 2)),          // lshl
            (vec![0x7d], fixed(3, 2)),          // lushr
            (vec![0x83], fixed(4, 2)),          // lxor
            (vec![0x84, 0, 1], fixed(0, 0)),    // iinc
            (vec![0x8d], fixed(1, 2)),          // f2d
            (vec![0x90], fixed(2, 1)),          // d2f
            (vec![0x94], fixed(4, 1)),          // lcmp
            (vec![0x96], fixed(2, 1)),          // fcmpg
            (vec![0xaf], fixed(2, 0)),          // dreturn
            (vec![0xc5, 0, 1, 3], fixed(3, 1)), // multianewarray
            (vec![0xb4, 0, 1], StackWords::Reads { takes: 1 }),
            (vec![0xb3, 0, 1], StackWords::Writes { below: 0 }),
            (vec![0xb8, 0, 1], StackWords::Calls { receiver: false }),
            (vec![0xb6, 0, 1], StackWords::Calls { receiver: true }),
            (vec![0x5d], StackWords::Copies { count: 2, below: 1 }),
        ] {
            assert_eq!(words(&bytes), expected, "{bytes:x?}");
        }
    }

    #[test]
    fn descriptors_are_counted_in_words() {
        let words = MethodDescriptor::words;
        assert_eq!(words("()V"), Some((vec![], 0)));
        assert_eq!(
            words("(IJ[[DLjava/lang/String;D)J"),
            Some((vec![1, 2, 1, 1, 2], 2))
        );
        for bad in ["", "(I", "()", "(L)V"] {
            assert!(words(bad).is_none_or(|(_, result)| result == 1), "{bad}");
        }
    }
}

//! The digest of a method's code.
//!
//! A recording has the bytes of the code, and no constant pool: numbers of constants in it mean nothing by themselves, and
//! another line elsewhere in the class moves them all. So each is replaced by its place among those of its method, in order
//! of first use. What that cannot see is a constant that became another (`10` for `12`, `min` for `max`) while nothing else
//! changed; calls made in it are told apart all the same, since the digest of a whole body names every method that ran.

use jhyde_bytecode::{Code, Operands};
use rustc_hash::FxHashMap;

use super::digest::{Digest, Sink};

/// The digest of a method's code: equal for what the compiler made of the same lines, whatever stands around them.
pub fn digest(code: &[u8]) -> Digest {
    let mut sink = Sink::default();
    sink.bytes(&renumbered(code).unwrap_or_else(|| code.to_vec()));
    sink.digest()
}

/// The code with numbers of constants in order of first use; `None` if it cannot be decoded.
fn renumbered(bytes: &[u8]) -> Option<Vec<u8>> {
    let code = Code::decode(bytes).ok()?;
    let mut renumbered = bytes.to_vec();
    let mut numbers: FxHashMap<u16, u16> = FxHashMap::default();
    for instruction in code.instructions() {
        let (Operands::Constant(constant)
        | Operands::InvokeInterface { constant, .. }
        | Operands::MultiNewArray { constant, .. }) = instruction.operands
        else {
            continue;
        };
        let next = u16::try_from(numbers.len()).unwrap_or(u16::MAX);
        let number = *numbers.entry(constant).or_insert(next);
        let at = instruction.index as usize + 1;
        // `ldc` has one byte for it, all others two.
        let [high, low] = number.to_be_bytes();
        if instruction.length == 2 {
            *renumbered.get_mut(at)? = low;
        } else {
            *renumbered.get_mut(at)? = high;
            *renumbered.get_mut(at + 1)? = low;
        }
    }
    Some(renumbered)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moved_constants_are_the_same_code_and_other_instructions_are_not() {
        // invokestatic c, ldc d, pop, ireturn; with other numbers for the constants
        let code = |c: u8, d: u8| vec![0xb8, 0, c, 0x12, d, 0x57, 0xac];
        assert_eq!(digest(&code(7, 9)), digest(&code(8, 12)));
        assert_ne!(digest(&code(7, 9)), digest(&code(7, 7)), "one used twice");
        let mut other = code(7, 9);
        other[5] = 0x00;
        assert_ne!(digest(&code(7, 9)), digest(&other));
        assert_ne!(digest(&[]), digest(&[0xff]), "what is no code has one too");
    }
}

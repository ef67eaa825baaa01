//! Where control goes (JVMS 6.5), and whether an instruction throws, worked out from what the mirror knows
//! instead of being told.

use jhyde_bytecode::Opcode;
use jhyde_trace::Value;

use super::code::{Compiled, Op};
use super::machine::compares_two;
use super::{Activation, Heap, UNKNOWN, has_name_of_the_jvm};

/// Where control goes after an instruction that is no call, return or `athrow`, as an ordinal. `None` where a value that
/// decides is not known. Changes nothing.
pub(crate) fn leads(frame: &Activation, heap: &Heap, code: &Compiled, at: usize) -> Option<usize> {
    let top = frame.peek(0);
    let to = match code.op(at)? {
        Op::If { condition, to } => {
            let below = match compares_two(condition) {
                true => frame.peek(1),
                false => UNKNOWN,
            };
            match decides(condition, below, top, heap)? {
                true => to as usize,
                false => at + 1,
            }
        }
        Op::Goto(to) | Op::Subroutine(to) => to as usize,
        Op::Switch(switch) => match top {
            Value::Int(value) => code.case(switch, value)? as usize,
            _ => return None,
        },
        // Its target is a number on the stack that no other instruction makes sense of.
        Op::EndSubroutine => return None,
        _ => at + 1,
    };
    Some(to)
}

/// Does a conditional jump jump?
pub(super) fn decides(condition: Opcode, below: Value, top: Value, heap: &Heap) -> Option<bool> {
    let number = condition as u8;
    match (number, below, top) {
        // ifeq … ifle
        (0x99..=0x9e, _, Value::Int(value)) => Some(holds(number - 0x99, value, 0)),
        // if_icmpeq … if_icmple
        (0x9f..=0xa4, Value::Int(left), Value::Int(right)) => {
            Some(holds(number - 0x9f, left, right))
        }
        // if_acmpeq, if_acmpne
        (0xa5, left, right) => same(left, right, heap),
        (0xa6, left, right) => same(left, right, heap).map(|same| !same),
        // ifnull, ifnonnull
        (0xc6 | 0xc7, _, Value::Null) => Some(number == 0xc6),
        (0xc6 | 0xc7, _, Value::Object(_)) => Some(number == 0xc7),
        _ => None,
    }
}

/// Comparisons in the order of their opcodes: eq, ne, lt, ge, gt, le.
const fn holds(comparison: u8, left: i32, right: i32) -> bool {
    match comparison {
        0 => left == right,
        1 => left != right,
        2 => left < right,
        3 => left >= right,
        4 => left > right,
        _ => left <= right,
    }
}

/// Are two references equal? Two names of ours may stand for one object, as long as the JVM has named neither.
fn same(left: Value, right: Value, heap: &Heap) -> Option<bool> {
    match (left, right) {
        (Value::Null, Value::Null) => Some(true),
        (Value::Null, Value::Object(_)) | (Value::Object(_), Value::Null) => Some(false),
        (Value::Object(left), Value::Object(right)) if left == right => Some(true),
        (Value::Object(left), Value::Object(right)) => {
            let named = |object| {
                heap.trusts_names() || has_name_of_the_jvm(object) || heap.real(object).is_some()
            };
            (named(left) && named(right)).then_some(false)
        }
        _ => None,
    }
}

/// Does an instruction throw by what it does with numbers and arrays (JVMS 6.5)? `None` where that is not known.
/// Calls, fields, casts and `athrow` are not looked at.
pub(crate) fn throws(frame: &Activation, heap: &Heap, opcode: Opcode) -> Option<bool> {
    match opcode as u8 {
        // iaload … saload
        0x2e..=0x35 => outside(frame.peek(1), frame.peek(0), heap),
        // iastore … sastore; whether an array takes an object is asked elsewhere
        0x4f..=0x56 => outside(frame.peek(2), frame.peek(1), heap),
        // idiv, irem; ldiv, lrem
        0x6c | 0x70 | 0x6d | 0x71 => match frame.peek(0) {
            Value::Int(divisor) => Some(divisor == 0),
            Value::Long(divisor) => Some(divisor == 0),
            _ => None,
        },
        // newarray, anewarray
        0xbc | 0xbd => match frame.peek(0) {
            Value::Int(length) => Some(length < 0),
            _ => None,
        },
        // arraylength
        0xbe => match frame.peek(0) {
            Value::Null => Some(true),
            Value::Object(_) => Some(false),
            _ => None,
        },
        _ => Some(false),
    }
}

fn outside(array: Value, index: Value, heap: &Heap) -> Option<bool> {
    match (array, index) {
        (Value::Null, _) => Some(true),
        (Value::Object(array), Value::Int(index)) => {
            let length = heap.elements(array)?.len();
            Some(usize::try_from(index).map_or(true, |index| index >= length))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use jhyde_bytecode::Code;
    use jhyde_trace::ObjectId;

    use super::leads as leads_to;
    use super::*;
    use crate::mirror::{Body, Elements};

    const FRESH: Value = Value::Object(ObjectId(1));
    const NAMED: Value = Value::Object(ObjectId(2));
    const OTHER: Value = Value::Object(ObjectId(4));

    fn frame(stack: &[Value]) -> Activation {
        Activation {
            stack: stack.to_vec(),
            ..Activation::default()
        }
    }

    /// Where the first instruction of the code leads.
    fn leads(code: &[u8], stack: &[Value]) -> Option<u32> {
        let code = Code::decode(code).expect("code");
        let compiled = Compiled::of(&code, None);
        let to = leads_to(&frame(stack), &Heap::new(), &compiled, 0)?;
        compiled.index(to)
    }

    /// Does a jump that far ahead of this opcode jump?
    fn jumps(opcode: u8, stack: &[Value]) -> Option<bool> {
        // The jump, five instructions that do nothing, and its target.
        let code = [opcode, 0, 8, 0, 0, 0, 0, 0, 0xb1];
        leads(&code, stack).map(|index| index == 8)
    }

    #[test]
    fn conditions_are_those_of_their_opcodes() {
        let all: [fn(&i32, &i32) -> bool; 6] = [
            |a, b| a == b,
            |a, b| a != b,
            |a, b| a < b,
            |a, b| a >= b,
            |a, b| a > b,
            |a, b| a <= b,
        ];
        for (at, holds) in (0..).zip(all) {
            for a in [i32::MIN, -1, 0, 1, i32::MAX] {
                let left = Value::Int(a);
                assert_eq!(jumps(0x99 + at, &[left]), Some(holds(&a, &0)));
                for b in [i32::MIN, -1, 0, 1, i32::MAX] {
                    let both = [left, Value::Int(b)];
                    assert_eq!(jumps(0x9f + at, &both), Some(holds(&a, &b)));
                }
            }
            assert_eq!(jumps(0x99 + at, &[UNKNOWN]), None);
            assert_eq!(jumps(0x9f + at, &[Value::Int(1), UNKNOWN]), None);
        }
        assert_eq!(jumps(0xc6, &[Value::Null]), Some(true));
        assert_eq!(jumps(0xc7, &[Value::Null]), Some(false));
        assert_eq!(jumps(0xc6, &[NAMED]), Some(false));
        assert_eq!(jumps(0xc6, &[UNKNOWN]), None);
        assert_eq!(jumps(0xa7, &[]), Some(true));
    }

    #[test]
    fn an_object_that_the_jvm_has_not_named_may_be_any_that_it_has() {
        let equal = |a, b| (jumps(0xa5, &[a, b]), jumps(0xa6, &[a, b]));
        assert_eq!(equal(NAMED, NAMED), (Some(true), Some(false)));
        assert_eq!(equal(NAMED, OTHER), (Some(false), Some(true)));
        assert_eq!(equal(FRESH, FRESH), (Some(true), Some(false)));
        assert_eq!(equal(FRESH, NAMED), (None, None));
        assert_eq!(equal(Value::Null, FRESH), (Some(false), Some(true)));
        assert_eq!(equal(UNKNOWN, NAMED), (None, None));
    }

    #[test]
    fn switches_go_where_their_values_say() {
        // tableswitch from the greatest int but one: 16 is the default, 17 and 18 the cases.
        let mut table = vec![0xaa, 0, 0, 0, 0, 0, 0, 24];
        table.extend((i32::MAX - 1).to_be_bytes());
        table.extend(i32::MAX.to_be_bytes());
        table.extend(25_i32.to_be_bytes());
        table.extend(26_i32.to_be_bytes());
        table.extend([0xb1; 3]);
        let goes = |value| leads(&table, &[Value::Int(value)]);
        assert_eq!(goes(i32::MAX - 1), Some(25));
        assert_eq!(goes(i32::MAX), Some(26));
        assert_eq!(goes(i32::MIN), Some(24));
        assert_eq!(goes(0), Some(24));
        // lookupswitch of -7 and 300.
        let mut lookup = vec![0xab, 0, 0, 0, 0, 0, 0, 28, 0, 0, 0, 2];
        for (value, target) in [(-7_i32, 29_i32), (300, 30)] {
            lookup.extend(value.to_be_bytes());
            lookup.extend(target.to_be_bytes());
        }
        lookup.extend([0xb1; 3]);
        let goes = |value| leads(&lookup, &[value]);
        assert_eq!(goes(Value::Int(-7)), Some(29));
        assert_eq!(goes(Value::Int(300)), Some(30));
        assert_eq!(goes(Value::Int(7)), Some(28));
        assert_eq!(goes(UNKNOWN), None);
    }

    #[test]
    fn what_throws_is_known_beforehand() {
        let mut heap = Heap::new();
        let array = Value::Object(heap.create(None, Body::Array(Elements::new(b'I', 3))));
        let throws = |opcode, stack: &[Value]| throws(&frame(stack), &heap, opcode);
        for (index, outside) in [(-1, true), (0, false), (2, false), (3, true)] {
            let index = Value::Int(index);
            assert_eq!(throws(Opcode::Iaload, &[array, index]), Some(outside));
            let stored = [array, index, Value::Int(9)];
            assert_eq!(throws(Opcode::Iastore, &stored), Some(outside));
        }
        let none = [Value::Null, Value::Int(0)];
        assert_eq!(throws(Opcode::Iaload, &none), Some(true));
        assert_eq!(throws(Opcode::Iaload, &[UNKNOWN, Value::Int(0)]), None);
        assert_eq!(throws(Opcode::ArrayLength, &[Value::Null]), Some(true));
        for (opcode, zero) in [
            (Opcode::Irem, Value::Int(0)),
            (Opcode::Ldiv, Value::Long(0)),
        ] {
            assert_eq!(throws(opcode, &[zero]), Some(true));
            assert_eq!(throws(opcode, &[UNKNOWN]), None);
        }
        assert_eq!(throws(Opcode::Idiv, &[Value::Int(2)]), Some(false));
        assert_eq!(throws(Opcode::NewArray, &[Value::Int(-1)]), Some(true));
        assert_eq!(throws(Opcode::NewArray, &[Value::Int(0)]), Some(false));
    }
}

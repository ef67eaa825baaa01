//! The instructions that need no names: constants, locals, array elements, the stack itself, arithmetic
//! and jumps. Those that name a class or member of the constant pool are the engine's, which knows
//! what the names stand for.

use jhyde_bytecode::{Instruction, Opcode, Operands};
use jhyde_trace::{MonitorAction, ObjectId, Value};

use super::arithmetic::{binary, unary};
use super::{Activation, Heap, UNKNOWN, is_wide};

/// What an instruction did that the recording tells.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Effect {
    /// Read a local.
    UseLocal { slot: u16 },
    /// Wrote a local.
    WriteLocal { slot: u16, value: Value },
    /// Read an element.
    UseElement { array: ObjectId, index: u32 },
    /// Wrote an element.
    WriteElement {
        array: ObjectId,
        index: u32,
        value: Value,
    },
    /// Entered or left the monitor of an object.
    Monitor {
        action: MonitorAction,
        object: Value,
    },
    /// Chose where to go: a condition's outcome, a switch's case, or back to a loop's beginning.
    Edge { to: u32 },
}

/// Runs an instruction; `next` is where its thread was seen after it (in the same frame). False if the
/// instruction names something of the constant pool or ends the frame: then nothing was done.
pub(crate) fn execute(
    frame: &mut Activation,
    heap: &mut Heap,
    instruction: &Instruction,
    next: u32,
    effects: &mut Vec<Effect>,
) -> bool {
    let opcode = instruction.opcode;
    if opcode == Opcode::Iinc {
        increment(frame, instruction, effects);
    } else if let Some(load) = instruction.local_load().filter(|_| opcode != Opcode::Ret) {
        effects.push(Effect::UseLocal { slot: load.slot });
        let value = frame.local(load.slot);
        frame.stack.push(value);
    } else if let Some(store) = instruction.local_store() {
        let value = frame.pop();
        frame.set_local(store.slot, value);
        effects.push(Effect::WriteLocal {
            slot: store.slot,
            value,
        });
    } else if opcode.is_conditional_jump() || opcode.is_switch() {
        for _ in 0..operands_of_jump(opcode) {
            frame.pop();
        }
        effects.push(Effect::Edge { to: next });
    } else if opcode.is_goto() {
        if next <= instruction.index {
            effects.push(Effect::Edge { to: next });
        }
    } else if let Some(action) = at_monitor(opcode) {
        let object = frame.pop();
        effects.push(Effect::Monitor { action, object });
    } else if opcode.is_subroutine_call() {
        // The return address (JVMS 6.5.jsr): a number that only `ret` reads.
        frame.stack.push(Value::Int(instruction.next() as i32));
    } else {
        return constants(frame, instruction)
            || elements(frame, heap, opcode, effects)
            || shuffle(frame, opcode)
            || compute(frame, heap, opcode);
    }
    true
}

fn increment(frame: &mut Activation, instruction: &Instruction, effects: &mut Vec<Effect>) {
    if let Operands::Increment { slot, by } = instruction.operands {
        effects.push(Effect::UseLocal { slot });
        let value = match frame.local(slot) {
            Value::Int(value) => Value::Int(value.wrapping_add(i32::from(by))),
            _ => UNKNOWN,
        };
        frame.set_local(slot, value);
        effects.push(Effect::WriteLocal { slot, value });
    }
}

const fn at_monitor(opcode: Opcode) -> Option<MonitorAction> {
    match opcode {
        Opcode::MonitorEnter => Some(MonitorAction::Enter),
        Opcode::MonitorExit => Some(MonitorAction::Exit),
        _ => None,
    }
}

const fn operands_of_jump(opcode: Opcode) -> usize {
    match opcode as u8 {
        // if_icmp…, if_acmp…
        0x9f..=0xa6 => 2,
        _ => 1,
    }
}

fn constants(frame: &mut Activation, instruction: &Instruction) -> bool {
    let value = match (instruction.opcode, &instruction.operands) {
        (Opcode::AconstNull, _) => Value::Null,
        (Opcode::Lconst0, _) => Value::Long(0),
        (Opcode::Lconst1, _) => Value::Long(1),
        (Opcode::Fconst0, _) => Value::float(0.0),
        (Opcode::Fconst1, _) => Value::float(1.0),
        (Opcode::Fconst2, _) => Value::float(2.0),
        (Opcode::Dconst0, _) => Value::double(0.0),
        (Opcode::Dconst1, _) => Value::double(1.0),
        (_, Operands::Immediate(number)) => Value::Int(*number),
        (opcode, _) if (0x02..=0x08).contains(&(opcode as u8)) => {
            Value::Int(i32::from(opcode as u8) - 3)
        }
        _ => return false,
    };
    frame.stack.push(value);
    true
}

fn elements(
    frame: &mut Activation,
    heap: &mut Heap,
    opcode: Opcode,
    effects: &mut Vec<Effect>,
) -> bool {
    match opcode as u8 {
        // iaload … saload
        0x2e..=0x35 => {
            let (index, array) = (frame.pop(), frame.pop());
            let mut value = UNKNOWN;
            if let (Value::Int(index), Value::Object(array)) = (index, array)
                && let Ok(index) = u32::try_from(index)
            {
                effects.push(Effect::UseElement { array, index });
                value = heap.load_element(array, index);
            }
            frame.push(value);
        }
        // iastore … sastore
        0x4f..=0x56 => {
            let (value, index, array) = (frame.pop(), frame.pop(), frame.pop());
            if let (Value::Int(index), Value::Object(array)) = (index, array)
                && let Ok(index) = u32::try_from(index)
                && let Some(value) = heap.set_element(array, index, value)
            {
                effects.push(Effect::WriteElement {
                    array,
                    index,
                    value,
                });
            }
        }
        _ => return false,
    }
    true
}

/// Instructions that only move what is on the stack (JVMS 6.5.dup…). A `long` or `double` is one
/// entry here, where the JVM counts two.
fn shuffle(frame: &mut Activation, opcode: Opcode) -> bool {
    let wide_top = is_wide(frame.peek(0));
    match opcode {
        Opcode::Pop => {
            frame.pop();
        }
        Opcode::Pop2 => {
            frame.pop();
            if !wide_top {
                frame.pop();
            }
        }
        Opcode::Dup => duplicate(frame, 1, 0),
        Opcode::DupX1 => duplicate(frame, 1, 1),
        Opcode::DupX2 => {
            let below = if is_wide(frame.peek(1)) { 1 } else { 2 };
            duplicate(frame, 1, below);
        }
        Opcode::Dup2 => duplicate(frame, if wide_top { 1 } else { 2 }, 0),
        Opcode::Dup2X1 => duplicate(frame, if wide_top { 1 } else { 2 }, 1),
        Opcode::Dup2X2 => {
            let count = if wide_top { 1 } else { 2 };
            let below = if is_wide(frame.peek(count)) { 1 } else { 2 };
            duplicate(frame, count, below);
        }
        Opcode::Swap => {
            let (top, second) = (frame.pop(), frame.pop());
            frame.stack.extend([top, second]);
        }
        _ => return false,
    }
    true
}

/// Puts a copy of the upper `count` entries `below` entries under them.
fn duplicate(frame: &mut Activation, count: usize, below: usize) {
    let mut taken: Vec<Value> = (0..count + below).map(|_| frame.pop()).collect();
    taken.reverse();
    let upper = taken[below..].to_vec();
    frame.stack.extend(upper);
    frame.stack.extend(taken);
}

fn compute(frame: &mut Activation, heap: &Heap, opcode: Opcode) -> bool {
    match opcode as u8 {
        // ineg … dneg, i2l … i2s
        0x74..=0x77 | 0x85..=0x93 => {
            let value = frame.pop();
            frame.stack.push(unary(opcode, value).unwrap_or(UNKNOWN));
        }
        // iadd … lxor, lcmp … dcmpg
        0x60..=0x83 | 0x94..=0x98 => {
            let (right, left) = (frame.pop(), frame.pop());
            frame
                .stack
                .push(binary(opcode, left, right).unwrap_or(UNKNOWN));
        }
        _ => match opcode {
            Opcode::Nop | Opcode::CheckCast | Opcode::Ret => {}
            Opcode::ArrayLength => {
                let length = match frame.pop() {
                    Value::Object(array) => heap
                        .elements(array)
                        .and_then(|elements| i32::try_from(elements.len()).ok()),
                    _ => None,
                };
                frame.stack.push(length.map_or(UNKNOWN, Value::Int));
            }
            _ => return false,
        },
    }
    true
}

//! The interpreter (JVMS 6.5): one instruction at a time, on a frame and a heap, in a world that is real, where threads
//! were seen to run and what they did is told, or supposed, where nothing is told and everything is taken back. What the
//! names of the constant pool stand for is the world's.

use jhyde_bytecode::{Opcode, StackMove};
use jhyde_trace::{MonitorAction, ObjectId, Value};

use super::arithmetic::{binary, unary};
use super::code::{Compiled, Element, Op};
use super::jumps::decides;
use super::{Activation, Heap, UNKNOWN, is_known};

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
    /// Wrote an element, and which one was not seen. `elsewhere`: nor of which array.
    UnseenElement { elsewhere: bool },
    /// Entered or left the monitor of an object.
    Monitor {
        action: MonitorAction,
        object: Value,
    },
    /// Chose where to go, by bytecode index: a condition's outcome, a switch's case, or back to a loop's beginning.
    Edge { to: u32 },
}

/// What code runs in. A number that stands for a name is an index into its class's constant pool.
pub(crate) trait World {
    type Error;

    /// Nothing goes on with a value that is not known.
    const CERTAIN: bool;

    /// The frame that runs, and the heap. `None` ends the run: the frame is gone.
    fn parts(&mut self) -> Option<(&mut Activation, &mut Heap)>;

    /// An instruction did this.
    fn tell(&mut self, effect: Effect) -> Result<(), Self::Error>;

    /// What is no number: a string, a class.
    fn constant(&mut self, at: u16) -> Result<Value, Self::Error>;

    fn get_field(&mut self, at: u16, object: Value) -> Result<Value, Self::Error>;

    fn get_static(&mut self, at: u16) -> Result<Value, Self::Error>;

    /// False if it is not known which field is written.
    fn put_field(&mut self, at: u16, object: Value, value: Value) -> Result<bool, Self::Error>;

    /// Likewise.
    fn put_static(&mut self, at: u16, value: Value) -> Result<bool, Self::Error>;

    fn create(&mut self, class: u16) -> Result<Value, Self::Error>;

    fn create_array(&mut self, element: Element, length: Value) -> Result<Value, Self::Error>;

    /// An array of arrays; of the outermost the first length.
    fn create_nested(&mut self, class: u16, lengths: &[Value]) -> Result<Value, Self::Error>;

    fn instance_of(&mut self, class: u16, object: Value) -> Result<Value, Self::Error>;
}

/// What became of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Step {
    /// It ran; this ordinal is next.
    Goes(u32),
    /// It calls, returns or throws: nothing was done.
    Leaves,
    /// Something that decides is not known. In a world that is certain, the frame is of no use any more.
    Open,
}

/// Runs the instruction of this number. `told` is where its thread was seen after it, in the same frame: without it, that
/// is worked out. An instruction that throws by what it does with numbers and arrays is `Open`: see
/// [`super::jumps::throws`].
#[inline(always)]
pub(crate) fn execute<W: World>(
    world: &mut W,
    code: &Compiled,
    at: u32,
    told: Option<u32>,
) -> Result<Step, W::Error> {
    let next = Step::Goes(told.unwrap_or(at + 1));
    let (Some(op), Some((frame, heap))) = (code.op(at as usize), world.parts()) else {
        return Ok(Step::Open);
    };
    match op {
        Op::Nothing => return Ok(next),
        Op::Push(value) => {
            frame.stack.push(value);
            return Ok(next);
        }
        Op::Load(slot) => {
            let value = frame.local(slot);
            frame.stack.push(value);
            world.tell(Effect::UseLocal { slot })?;
        }
        Op::Store(slot) => {
            let value = frame.pop();
            frame.set_local(slot, value);
            world.tell(Effect::WriteLocal { slot, value })?;
            return Ok(next);
        }
        Op::Increment { slot, by } => {
            let value = match frame.local(slot) {
                Value::Int(value) => Value::Int(value.wrapping_add(i32::from(by))),
                _ => UNKNOWN,
            };
            frame.set_local(slot, value);
            world.tell(Effect::UseLocal { slot })?;
            world.tell(Effect::WriteLocal { slot, value })?;
            return Ok(next);
        }
        Op::Unary(opcode) => {
            let value = frame.pop();
            frame.stack.push(unary(opcode, value).unwrap_or(UNKNOWN));
        }
        Op::Binary(opcode) => {
            let (right, left) = (frame.pop(), frame.pop());
            let value = binary(opcode, left, right);
            frame.stack.push(value.unwrap_or(UNKNOWN));
        }
        Op::LoadElement => {
            let read = load_element(frame, heap);
            if let Some((array, index)) = read {
                world.tell(Effect::UseElement { array, index })?;
            }
        }
        Op::StoreElement => {
            match store_element(frame, heap) {
                Some(effect @ Effect::WriteElement { .. }) => world.tell(effect)?,
                _ if W::CERTAIN => return Ok(Step::Open),
                Some(effect) => world.tell(effect)?,
                None => {}
            }
            return Ok(next);
        }
        Op::ArrayLength => {
            let array = frame.pop().object();
            let length = array.and_then(|array| heap.elements(array)?.len().try_into().ok());
            frame.stack.push(length.map_or(UNKNOWN, Value::Int));
        }
        Op::Move(moves) => {
            move_values(&mut frame.stack, moves);
            return Ok(next);
        }
        Op::Blur => {
            frame.stack.clear();
            return Ok(if W::CERTAIN { Step::Open } else { next });
        }
        Op::Goto(to) => {
            let to = told.unwrap_or(to);
            return goes(world, code, to, to <= at);
        }
        Op::If { condition, to } => {
            let top = frame.pop();
            let below = match compares_two(condition) {
                true => frame.pop(),
                false => UNKNOWN,
            };
            let jumps = || decides(condition, below, top, heap);
            let to = told.or_else(|| Some(if jumps()? { to } else { at + 1 }));
            return match to {
                Some(to) => goes(world, code, to, true),
                None => Ok(Step::Open),
            };
        }
        Op::Switch(switch) => {
            let to = match frame.pop() {
                Value::Int(value) => told.or_else(|| code.case(switch, value)),
                _ => told,
            };
            return match to {
                Some(to) => goes(world, code, to, true),
                None => Ok(Step::Open),
            };
        }
        Op::Subroutine(to) => {
            // The return address (JVMS 6.5.jsr): a number that only `ret` reads.
            let index = code.index(at as usize + 1).unwrap_or(0);
            frame.stack.push(Value::Int(index as i32));
            return Ok(Step::Goes(told.unwrap_or(to)));
        }
        Op::EndSubroutine => return Ok(told.map_or(Step::Open, Step::Goes)),
        Op::Monitor(action) => {
            let object = frame.pop();
            world.tell(Effect::Monitor { action, object })?;
            return Ok(next);
        }
        Op::Leaves => return Ok(Step::Leaves),
        Op::Constant(_)
        | Op::GetField(_)
        | Op::GetStatic(_)
        | Op::PutField(_)
        | Op::PutStatic(_)
        | Op::New(_)
        | Op::NewArray(_)
        | Op::NewNested { .. }
        | Op::InstanceOf(_) => {
            if !run_named(world, op)? {
                return Ok(Step::Open);
            }
        }
    }
    // The others push something.
    if W::CERTAIN {
        let top = world.parts().and_then(|(frame, _)| frame.stack.last());
        if top.is_some_and(|&top| !is_known(top)) {
            return Ok(Step::Open);
        }
    }
    Ok(next)
}

/// Control goes to an instruction, and chose to do so if it is an edge.
fn goes<W: World>(world: &mut W, code: &Compiled, to: u32, edge: bool) -> Result<Step, W::Error> {
    if let Some(to) = code.index(to as usize).filter(|_| edge) {
        world.tell(Effect::Edge { to })?;
    }
    Ok(Step::Goes(to))
}

/// An instruction that names something. False if it is not known what it writes.
fn run_named<W: World>(world: &mut W, op: Op) -> Result<bool, W::Error> {
    let mut pop = || world.parts().map_or(UNKNOWN, |(frame, _)| frame.pop());
    let value = match op {
        Op::Constant(at) => world.constant(at)?,
        Op::GetStatic(at) => world.get_static(at)?,
        Op::GetField(at) => {
            let object = pop();
            world.get_field(at, object)?
        }
        Op::PutStatic(at) => {
            let value = pop();
            return world.put_static(at, value);
        }
        Op::PutField(at) => {
            let (value, object) = (pop(), pop());
            return world.put_field(at, object, value);
        }
        Op::New(class) => world.create(class)?,
        Op::NewArray(element) => {
            let length = pop();
            world.create_array(element, length)?
        }
        Op::NewNested { class, dimensions } => {
            let mut lengths: Vec<Value> = (0..dimensions).map(|_| pop()).collect();
            lengths.reverse();
            world.create_nested(class, &lengths)?
        }
        Op::InstanceOf(class) => {
            let object = pop();
            world.instance_of(class, object)?
        }
        _ => return Ok(false),
    };
    if let Some((frame, _)) = world.parts() {
        frame.push(value);
    }
    Ok(true)
}

fn load_element(frame: &mut Activation, heap: &Heap) -> Option<(ObjectId, u32)> {
    let (index, array) = (frame.pop(), frame.pop());
    let element = array.object().zip(index_of(index));
    let value = element.map_or(UNKNOWN, |(array, index)| heap.load_element(array, index));
    frame.push(value);
    element
}

/// None where nothing is written: the array is null, or has no such element.
fn store_element(frame: &mut Activation, heap: &mut Heap) -> Option<Effect> {
    let (value, index, array) = (frame.pop(), frame.pop(), frame.pop());
    let Some(array) = array.object() else {
        let elsewhere = true;
        return (!is_known(array)).then_some(Effect::UnseenElement { elsewhere });
    };
    if !is_known(index) {
        let elsewhere = false;
        return Some(Effect::UnseenElement { elsewhere });
    }
    let index = index_of(index)?;
    let value = heap.set_element(array, index, value)?;
    Some(Effect::WriteElement {
        array,
        index,
        value,
    })
}

fn index_of(value: Value) -> Option<u32> {
    match value {
        Value::Int(index) => u32::try_from(index).ok(),
        _ => None,
    }
}

/// `if_icmp…`, `if_acmp…`.
pub(super) const fn compares_two(condition: Opcode) -> bool {
    matches!(condition as u8, 0x9f..=0xa6)
}

/// Moves what is on the stack. Where it has less than that (a frame that was there before the recording), what lies under
/// it is not known.
fn move_values(stack: &mut Vec<Value>, moves: StackMove) {
    let mut has = |values: u8| {
        let missing = usize::from(values).saturating_sub(stack.len());
        stack.splice(0..0, std::iter::repeat_n(UNKNOWN, missing));
    };
    match moves {
        StackMove::Drops(values) => stack.truncate(stack.len().saturating_sub(values.into())),
        StackMove::Copies { count, below } => {
            has(count + below);
            let from = stack.len() - usize::from(count);
            let to = from - usize::from(below);
            // Two at most, and under two at most (JVMS 6.5.dup2_x2).
            for at in 0..usize::from(count) {
                let value = stack[from + 2 * at];
                stack.insert(to + at, value);
            }
        }
        StackMove::Swaps => {
            has(2);
            let top = stack.len() - 1;
            stack.swap(top - 1, top);
        }
    }
}

use jhyde_bytecode::Code;
use jhyde_trace::Value;

use super::heap::Body;
use super::{Activation, Effect, Elements, Heap, execute};

/// Runs straight-line code from the first instruction to the last.
fn run(code: &[u8], locals: &[Value], heap: &mut Heap) -> (Activation, Vec<Effect>) {
    let code = Code::decode(code).unwrap();
    let slots = locals.iter().enumerate();
    let mut frame = Activation::entered(slots.map(|(slot, &value)| (slot as u16, value)));
    let mut effects = Vec::new();
    for instruction in code.instructions() {
        let next = instruction.next();
        assert!(
            execute(&mut frame, heap, instruction, next, &mut effects),
            "{instruction:?}"
        );
    }
    (frame, effects)
}

fn stack(code: &[u8]) -> Vec<Value> {
    run(code, &[], &mut Heap::new()).0.stack
}

const ONE: Value = Value::Int(1);
const TWO: Value = Value::Int(2);
const LONG: Value = Value::Long(1);

#[test]
fn duplication_counts_long_and_double_as_two() {
    assert_eq!(stack(&[0x04, 0x05, 0x5a]), [TWO, ONE, TWO]);
    assert_eq!(stack(&[0x04, 0x05, 0x5c]), [ONE, TWO, ONE, TWO]);
    assert_eq!(stack(&[0x0a, 0x5c]), [LONG, LONG]);
    assert_eq!(stack(&[0x0a, 0x04, 0x5b]), [ONE, LONG, ONE]);
    assert_eq!(stack(&[0x04, 0x0a, 0x5d]), [LONG, ONE, LONG]);
    assert_eq!(stack(&[0x0a, 0x0a, 0x5e]), [LONG, LONG, LONG]);
    assert_eq!(stack(&[0x04, 0x05, 0x5f]), [TWO, ONE]);
    assert_eq!(stack(&[0x04, 0x0a, 0x58]), [ONE]);
}

#[test]
fn arithmetic_is_java_s() {
    let min = Value::Int(i32::MIN);
    for (code, locals, result) in [
        // MIN / -1 and MIN % -1
        ([0x1a, 0x1b, 0x6c], [min, Value::Int(-1)], min),
        ([0x1a, 0x1b, 0x70], [min, Value::Int(-1)], Value::Int(0)),
        ([0x1a, 0x1b, 0x70], [Value::Int(-7), TWO], Value::Int(-1)),
        ([0x1a, 0x1b, 0x78], [ONE, Value::Int(33)], TWO),
        (
            [0x1a, 0x1b, 0x7c],
            [Value::Int(-1), Value::Int(28)],
            Value::Int(15),
        ),
    ] {
        let (frame, _) = run(&code, &locals, &mut Heap::new());
        assert_eq!(frame.stack, [result], "{code:x?} {locals:?}");
    }
    let nan = Value::float(f32::NAN);
    let to_int = run(&[0x22, 0x8b], &[nan, nan], &mut Heap::new()).0;
    assert_eq!(to_int.stack, [Value::Int(0)]);
    let less = run(&[0x22, 0x23, 0x95], &[nan, nan], &mut Heap::new()).0;
    let greater = run(&[0x22, 0x23, 0x96], &[nan, nan], &mut Heap::new()).0;
    assert_eq!((less.stack[0], greater.stack[0]), (Value::Int(-1), ONE));
}

#[test]
fn an_element_is_written_in_its_array_s_type_and_read_back_as_int() {
    let mut heap = Heap::new();
    let array = heap.create(None, Body::Array(Elements::new(b'B', 3)));
    // aload_0, iconst_1, sipush 200, bastore, aload_0, iconst_1, baload
    let code = [0x2a, 0x04, 0x11, 0, 200, 0x54, 0x2a, 0x04, 0x33];
    let (frame, effects) = run(&code, &[Value::Object(array)], &mut heap);
    assert_eq!(frame.stack, [Value::Int(-56)]);
    let value = Value::Byte(-56);
    let index = 1;
    assert!(effects.contains(&Effect::WriteElement {
        array,
        index,
        value
    }));
}

#[test]
fn what_is_not_known_stays_unknown_and_does_no_harm() {
    let (frame, effects) = run(&[0x60, 0x3b, 0x84, 0, 1, 0x57], &[], &mut Heap::new());
    assert!(frame.stack.is_empty());
    let unknown = super::UNKNOWN;
    let write = Effect::WriteLocal {
        slot: 0,
        value: unknown,
    };
    assert_eq!(effects.iter().filter(|e| **e == write).count(), 2);
}

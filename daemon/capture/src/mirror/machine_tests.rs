use std::convert::Infallible;

use jhyde_bytecode::Code;
use jhyde_trace::Value;

use super::things::Body;
use super::{Activation, Compiled, Effect, Element, Elements, Heap, Step, UNKNOWN, World, execute};

/// A frame and a heap of their own. Names stand for nothing.
struct Alone<'a> {
    frame: Activation,
    heap: &'a mut Heap,
    effects: Vec<Effect>,
}

impl World for Alone<'_> {
    type Error = Infallible;

    const CERTAIN: bool = false;

    fn parts(&mut self) -> Option<(&mut Activation, &mut Heap)> {
        Some((&mut self.frame, self.heap))
    }

    fn tell(&mut self, effect: Effect) -> Result<(), Infallible> {
        self.effects.push(effect);
        Ok(())
    }

    fn constant(&mut self, _: u16) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn get_field(&mut self, _: u16, _: Value) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn get_static(&mut self, _: u16) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn put_field(&mut self, _: u16, _: Value, _: Value) -> Result<bool, Infallible> {
        Ok(true)
    }

    fn put_static(&mut self, _: u16, _: Value) -> Result<bool, Infallible> {
        Ok(true)
    }

    fn create(&mut self, _: u16) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn create_array(&mut self, _: Element, _: Value) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn create_nested(&mut self, _: u16, _: &[Value]) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }

    fn instance_of(&mut self, _: u16, _: Value) -> Result<Value, Infallible> {
        Ok(UNKNOWN)
    }
}

/// Runs code from the first instruction until it leaves its end.
fn run(code: &[u8], locals: &[Value], heap: &mut Heap) -> (Activation, Vec<Effect>) {
    let code = Code::decode(code).unwrap();
    let compiled = Compiled::of(&code, None);
    let slots = locals.iter().enumerate();
    let frame = Activation::entered(slots.map(|(slot, &value)| (slot as u16, value)));
    let effects = Vec::new();
    let mut world = Alone {
        frame,
        heap,
        effects,
    };
    let mut at = 0;
    while compiled.op(at as usize).is_some() {
        let Ok(step) = execute(&mut world, &compiled, at, None);
        let Step::Goes(next) = step else {
            panic!("{:?}: {step:?}", compiled.op(at as usize));
        };
        at = next;
    }
    (world.frame, world.effects)
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
    assert_eq!(stack(&[0x04, 0x05, 0x0a, 0x5e]), [LONG, ONE, TWO, LONG]);
    assert_eq!(stack(&[0x04, 0x05, 0x04, 0x05, 0x5e]).len(), 6);
}

#[test]
fn what_is_not_known_is_as_wide_as_its_type() {
    // iconst_1, iconst_2, dload_0, dup2, dconst_1, dsub, dstore_0, pop2, iadd: `t--` of a `double t` that is not known,
    // between numbers that are.
    let code = [0x04, 0x05, 0x26, 0x5c, 0x0f, 0x67, 0x47, 0x58, 0x60];
    let (frame, _) = run(&code, &[], &mut Heap::new());
    assert_eq!(frame.stack, [Value::Int(3)]);
    // A frame that was there before: one known value, copied with the one under it.
    assert_eq!(stack(&[0x04, 0x57, 0x05, 0x5a]), [TWO, UNKNOWN, TWO]);
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
    let unknown = UNKNOWN;
    let write = Effect::WriteLocal {
        slot: 0,
        value: unknown,
    };
    assert_eq!(effects.iter().filter(|e| **e == write).count(), 2);
}

#[test]
fn loops_and_switches_go_where_their_values_lead() {
    // int sum = 0; for (int i = 0; i < n; i++) { switch (i) { case 1: sum += 10; default: sum += i; } }
    // 0 iconst_0, 1 istore_1, 2 iconst_0, 3 istore_2, 4 iload_2, 5 iload_0, 6 if_icmpge 40, 9 iload_2,
    // 10 lookupswitch {1: 28, default: 31}, 28 iinc 1 10, 31 iload_1, 32 iload_2, 33 iadd, 34 istore_1,
    // 35 iinc 2 1, 38 goto 4, 41 nop
    let mut code = vec![
        0x03, 0x3c, 0x03, 0x3d, 0x1c, 0x1a, 0xa2, 0, 35, 0x1c, 0xab, 0,
    ];
    for number in [21_i32, 1, 1, 18] {
        code.extend(number.to_be_bytes());
    }
    code.extend([
        0x84, 1, 10, 0x1b, 0x1c, 0x60, 0x3c, 0x84, 2, 1, 0xa7, 0xff, 0xde, 0,
    ]);
    let (frame, effects) = run(&code, &[Value::Int(4)], &mut Heap::new());
    assert_eq!(frame.local(1), Value::Int(16));
    let edges = effects.iter().filter_map(|effect| match effect {
        Effect::Edge { to } => Some(*to),
        _ => None,
    });
    // Four turns of condition, switch and back edge, and the end.
    let edges: Vec<u32> = edges.collect();
    let turn = |case| [9, case, 4];
    let turns = [31, 28, 31, 31].map(turn);
    assert_eq!(edges, [turns.as_flattened(), &[41]].concat());
}

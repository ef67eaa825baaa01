//! A method's code as the interpreter runs it: one small entry per instruction, with everything that decoding can tell
//! (slots, constants, targets) worked out once.

use jhyde_bytecode::{
    Code, Constant, ConstantPool, Instruction, Opcode, Operands, PrimitiveType, StackMove,
};
use jhyde_trace::{MonitorAction, Value};

/// What an instruction does (JVMS 6.5). Targets are ordinals: numbers of instructions, from 0. A number that stands for
/// a name is an index into the constant pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Op {
    /// Nothing that lasts: `nop`, and `checkcast`, which throws or does nothing.
    Nothing,
    Push(Value),
    Load(u16),
    Store(u16),
    Increment {
        slot: u16,
        by: i16,
    },
    LoadElement,
    StoreElement,
    ArrayLength,
    /// Only moves what is on the stack: `pop` … `swap`.
    Move(StackMove),
    /// Likewise, and it is not known how many values it moves: what lies on the stack is not known behind it.
    Blur,
    Unary(Opcode),
    Binary(Opcode),
    If {
        condition: Opcode,
        to: u32,
    },
    Goto(u32),
    /// One of [`Compiled::switches`].
    Switch(u32),
    /// `jsr`: a subroutine at that ordinal.
    Subroutine(u32),
    /// `ret`: where it goes lies in a local.
    EndSubroutine,
    Monitor(MonitorAction),
    /// `ldc`, of what is no number.
    Constant(u16),
    GetField(u16),
    GetStatic(u16),
    PutField(u16),
    PutStatic(u16),
    New(u16),
    NewArray(Element),
    NewNested {
        class: u16,
        dimensions: u8,
    },
    InstanceOf(u16),
    /// A call, a return, `athrow`: the frame is left.
    Leaves,
}

/// The element type of a new array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Element {
    Primitive(PrimitiveType),
    /// A class or array class, by its constant.
    Class(u16),
}

/// A `tableswitch` or `lookupswitch`: values with their targets, ascending.
#[derive(Debug)]
struct Switch {
    default: u32,
    cases: Vec<(i32, u32)>,
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Compiled {
    ops: Box<[Op]>,
    /// Bytecode indexes of the instructions.
    indexes: Box<[u32]>,
    switches: Vec<Switch>,
}

impl Compiled {
    /// The pool tells numbers, and the types of what instructions name.
    pub(crate) fn of(code: &Code, pool: Option<&ConstantPool>) -> Self {
        let mut compiler = Compiler {
            code,
            pool,
            switches: Vec::new(),
        };
        let all = code.instructions().iter();
        let mut ops: Box<[Op]> = all.map(|instruction| compiler.op(instruction)).collect();
        for (at, moves) in code.stack_moves(pool) {
            ops[at] = moves.map_or(Op::Blur, Op::Move);
        }
        let switches = compiler.switches;
        let indexes = code.instructions().iter().map(|i| i.index).collect();
        Self {
            ops,
            indexes,
            switches,
        }
    }

    /// What the instruction of this number does.
    pub(crate) fn op(&self, ordinal: usize) -> Option<Op> {
        self.ops.get(ordinal).copied()
    }

    /// Its bytecode index.
    pub(crate) fn index(&self, ordinal: usize) -> Option<u32> {
        self.indexes.get(ordinal).copied()
    }

    /// Where a switch goes with this value.
    pub(super) fn case(&self, switch: u32, value: i32) -> Option<u32> {
        let switch = self.switches.get(switch as usize)?;
        let found = switch.cases.binary_search_by_key(&value, |case| case.0);
        Some(found.map_or(switch.default, |at| switch.cases[at].1))
    }
}

/// What a constant is that is a number.
pub(crate) fn number(pool: Option<&ConstantPool>, at: u16) -> Option<Value> {
    Some(match pool?.get(at).ok()? {
        Constant::Integer(value) => Value::Int(*value),
        Constant::Float(value) => Value::float(*value),
        Constant::Long(value) => Value::Long(*value),
        Constant::Double(value) => Value::double(*value),
        _ => return None,
    })
}

struct Compiler<'a> {
    code: &'a Code,
    pool: Option<&'a ConstantPool>,
    switches: Vec<Switch>,
}

impl Compiler<'_> {
    /// Targets were checked to be instructions when the code was decoded.
    fn ordinal(&self, index: u32) -> u32 {
        let ordinal = self.code.ordinal(index);
        ordinal
            .and_then(|at| u32::try_from(at).ok())
            .unwrap_or(u32::MAX)
    }

    fn switch(&mut self, default: u32, cases: impl Iterator<Item = (i32, u32)>) -> Op {
        let mut cases: Vec<_> = cases.map(|(value, to)| (value, self.ordinal(to))).collect();
        // They are sorted in valid class files; of two that are alike the first one counts.
        cases.sort_by_key(|case| case.0);
        cases.dedup_by_key(|case| case.0);
        let default = self.ordinal(default);
        self.switches.push(Switch { default, cases });
        Op::Switch(self.switches.len() as u32 - 1)
    }

    fn op(&mut self, instruction: &Instruction) -> Op {
        let opcode = instruction.opcode;
        if let Some(load) = instruction.local_load().filter(|_| loads_only(opcode)) {
            return Op::Load(load.slot);
        }
        if let Some(store) = instruction.local_store().filter(|_| opcode != Opcode::Iinc) {
            return Op::Store(store.slot);
        }
        match &instruction.operands {
            Operands::Immediate(number) => return Op::Push(Value::Int(*number)),
            Operands::Increment { slot, by } => {
                let (slot, by) = (*slot, *by);
                return Op::Increment { slot, by };
            }
            Operands::Jump(target) => {
                let to = self.ordinal(*target);
                return match opcode {
                    _ if opcode.is_conditional_jump() => Op::If {
                        condition: opcode,
                        to,
                    },
                    _ if opcode.is_subroutine_call() => Op::Subroutine(to),
                    _ => Op::Goto(to),
                };
            }
            Operands::TableSwitch(table) => return self.switch(table.default, table.cases()),
            Operands::LookupSwitch(table) => {
                return self.switch(table.default, table.pairs.iter().copied());
            }
            Operands::NewArray(primitive) => return Op::NewArray(Element::Primitive(*primitive)),
            Operands::MultiNewArray {
                constant,
                dimensions,
            } => {
                return Op::NewNested {
                    class: *constant,
                    dimensions: *dimensions,
                };
            }
            Operands::Constant(constant) => return self.named(opcode, *constant),
            Operands::InvokeInterface { .. } => return Op::Leaves,
            Operands::Local(_) | Operands::None => {}
        }
        unnamed(opcode)
    }

    fn named(&self, opcode: Opcode, constant: u16) -> Op {
        match opcode {
            Opcode::Ldc | Opcode::LdcW | Opcode::Ldc2W => {
                number(self.pool, constant).map_or(Op::Constant(constant), Op::Push)
            }
            Opcode::GetField => Op::GetField(constant),
            Opcode::GetStatic => Op::GetStatic(constant),
            Opcode::PutField => Op::PutField(constant),
            Opcode::PutStatic => Op::PutStatic(constant),
            Opcode::New => Op::New(constant),
            Opcode::AnewArray => Op::NewArray(Element::Class(constant)),
            Opcode::InstanceOf => Op::InstanceOf(constant),
            Opcode::CheckCast => Op::Nothing,
            _ => Op::Leaves,
        }
    }
}

fn loads_only(opcode: Opcode) -> bool {
    !matches!(opcode, Opcode::Iinc | Opcode::Ret)
}

fn unnamed(opcode: Opcode) -> Op {
    match opcode as u8 {
        // iconst_m1 … iconst_5
        number @ 0x02..=0x08 => Op::Push(Value::Int(i32::from(number) - 3)),
        // iaload … saload, iastore … sastore
        0x2e..=0x35 => Op::LoadElement,
        0x4f..=0x56 => Op::StoreElement,
        // ineg … dneg, i2l … i2s
        0x74..=0x77 | 0x85..=0x93 => Op::Unary(opcode),
        // iadd … lxor, lcmp … dcmpg
        0x60..=0x83 | 0x94..=0x98 => Op::Binary(opcode),
        _ => match opcode {
            Opcode::Nop => Op::Nothing,
            Opcode::AconstNull => Op::Push(Value::Null),
            Opcode::Lconst0 => Op::Push(Value::Long(0)),
            Opcode::Lconst1 => Op::Push(Value::Long(1)),
            Opcode::Fconst0 => Op::Push(Value::float(0.0)),
            Opcode::Fconst1 => Op::Push(Value::float(1.0)),
            Opcode::Fconst2 => Op::Push(Value::float(2.0)),
            Opcode::Dconst0 => Op::Push(Value::double(0.0)),
            Opcode::Dconst1 => Op::Push(Value::double(1.0)),
            Opcode::ArrayLength => Op::ArrayLength,
            Opcode::MonitorEnter => Op::Monitor(MonitorAction::Enter),
            Opcode::MonitorExit => Op::Monitor(MonitorAction::Exit),
            Opcode::Ret => Op::EndSubroutine,
            // Returns and `athrow`.
            _ => Op::Leaves,
        },
    }
}

//! What the arithmetic, shift, comparison and conversion instructions compute (JVMS 6.5).

use jhyde_bytecode::Opcode;
use jhyde_trace::Value;

/// The result of an instruction with two operands; `None` if an operand is not known or is of a type
/// that the instruction does not take. Division by zero is an exception and computes nothing.
pub(super) fn binary(opcode: Opcode, left: Value, right: Value) -> Option<Value> {
    match (left, right) {
        (Value::Int(a), Value::Int(b)) => int(opcode, a, b).map(Value::Int),
        (Value::Long(a), Value::Int(b)) => match opcode {
            Opcode::Lshl => Some(Value::Long(a.wrapping_shl(b as u32 & 63))),
            Opcode::Lshr => Some(Value::Long(a.wrapping_shr(b as u32 & 63))),
            Opcode::Lushr => Some(Value::Long((a as u64).wrapping_shr(b as u32 & 63) as i64)),
            _ => None,
        },
        (Value::Long(a), Value::Long(b)) => long(opcode, a, b),
        (Value::Float(a), Value::Float(b)) => float(opcode, f32::from_bits(a), f32::from_bits(b)),
        (Value::Double(a), Value::Double(b)) => {
            double(opcode, f64::from_bits(a), f64::from_bits(b))
        }
        _ => None,
    }
}

fn int(opcode: Opcode, a: i32, b: i32) -> Option<i32> {
    Some(match opcode {
        Opcode::Iadd => a.wrapping_add(b),
        Opcode::Isub => a.wrapping_sub(b),
        Opcode::Imul => a.wrapping_mul(b),
        Opcode::Idiv if b != 0 => a.wrapping_div(b),
        Opcode::Irem if b != 0 => a.wrapping_rem(b),
        Opcode::Ishl => a.wrapping_shl(b as u32 & 31),
        Opcode::Ishr => a.wrapping_shr(b as u32 & 31),
        Opcode::Iushr => (a as u32).wrapping_shr(b as u32 & 31) as i32,
        Opcode::Iand => a & b,
        Opcode::Ior => a | b,
        Opcode::Ixor => a ^ b,
        _ => return None,
    })
}

fn long(opcode: Opcode, a: i64, b: i64) -> Option<Value> {
    Some(Value::Long(match opcode {
        Opcode::Ladd => a.wrapping_add(b),
        Opcode::Lsub => a.wrapping_sub(b),
        Opcode::Lmul => a.wrapping_mul(b),
        Opcode::Ldiv if b != 0 => a.wrapping_div(b),
        Opcode::Lrem if b != 0 => a.wrapping_rem(b),
        Opcode::Land => a & b,
        Opcode::Lor => a | b,
        Opcode::Lxor => a ^ b,
        Opcode::Lcmp => return Some(Value::Int(a.cmp(&b) as i32)),
        _ => return None,
    }))
}

fn float(opcode: Opcode, a: f32, b: f32) -> Option<Value> {
    Some(Value::float(match opcode {
        Opcode::Fadd => a + b,
        Opcode::Fsub => a - b,
        Opcode::Fmul => a * b,
        Opcode::Fdiv => a / b,
        Opcode::Frem => a % b,
        Opcode::Fcmpl => return Some(compared(f64::from(a), f64::from(b), -1)),
        Opcode::Fcmpg => return Some(compared(f64::from(a), f64::from(b), 1)),
        _ => return None,
    }))
}

fn double(opcode: Opcode, a: f64, b: f64) -> Option<Value> {
    Some(Value::double(match opcode {
        Opcode::Dadd => a + b,
        Opcode::Dsub => a - b,
        Opcode::Dmul => a * b,
        Opcode::Ddiv => a / b,
        Opcode::Drem => a % b,
        Opcode::Dcmpl => return Some(compared(a, b, -1)),
        Opcode::Dcmpg => return Some(compared(a, b, 1)),
        _ => return None,
    }))
}

fn compared(a: f64, b: f64, unordered: i32) -> Value {
    Value::Int(a.partial_cmp(&b).map_or(unordered, |order| order as i32))
}

/// The result of an instruction with one operand. Rust's casts from floating point saturate and make
/// NaN zero, as Java's do.
pub(super) fn unary(opcode: Opcode, value: Value) -> Option<Value> {
    Some(match (opcode, value) {
        (Opcode::Ineg, Value::Int(v)) => Value::Int(v.wrapping_neg()),
        (Opcode::Lneg, Value::Long(v)) => Value::Long(v.wrapping_neg()),
        (Opcode::Fneg, Value::Float(v)) => Value::Float(v ^ (1 << 31)),
        (Opcode::Dneg, Value::Double(v)) => Value::Double(v ^ (1 << 63)),
        (Opcode::I2l, Value::Int(v)) => Value::Long(i64::from(v)),
        (Opcode::I2f, Value::Int(v)) => Value::float(v as f32),
        (Opcode::I2d, Value::Int(v)) => Value::double(f64::from(v)),
        (Opcode::L2i, Value::Long(v)) => Value::Int(v as i32),
        (Opcode::L2f, Value::Long(v)) => Value::float(v as f32),
        (Opcode::L2d, Value::Long(v)) => Value::double(v as f64),
        (Opcode::F2i, Value::Float(v)) => Value::Int(f32::from_bits(v) as i32),
        (Opcode::F2l, Value::Float(v)) => Value::Long(f32::from_bits(v) as i64),
        (Opcode::F2d, Value::Float(v)) => Value::double(f64::from(f32::from_bits(v))),
        (Opcode::D2i, Value::Double(v)) => Value::Int(f64::from_bits(v) as i32),
        (Opcode::D2l, Value::Double(v)) => Value::Long(f64::from_bits(v) as i64),
        (Opcode::D2f, Value::Double(v)) => Value::float(f64::from_bits(v) as f32),
        (Opcode::I2b, Value::Int(v)) => Value::Int(i32::from(v as i8)),
        (Opcode::I2c, Value::Int(v)) => Value::Int(i32::from(v as u16)),
        (Opcode::I2s, Value::Int(v)) => Value::Int(i32::from(v as i16)),
        _ => return None,
    })
}

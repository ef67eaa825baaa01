//! Class files and what follows from their code.
//!
//! From a method's bare code bytes (what a JVM sends over JDWP): [`Code`] decodes instructions,
//! [`LineStores`] tells which local variables a line can write, [`MethodDescriptor`] reads types.
//!
//! Nothing here talks to a JVM, and nothing depends on other crates of ours. Bytes that are not
//! what they should be give typed errors with the place; nothing panics on them.

#![forbid(unsafe_code)]

mod decode;
mod descriptor;
mod instruction;
mod line_stores;
mod opcode;
mod slots;

pub use decode::{Code, CodeError, MAX_CODE_LENGTH, decode_at};
pub use descriptor::{
    DescriptorError, DescriptorFault, FieldType, MethodDescriptor, name_to_signature,
    signature_to_name, swap_separators,
};
pub use instruction::{
    Instruction, Invoke, InvokeKind, LocalAccess, LocalType, LookupSwitch, Operands, PrimitiveType,
    TableSwitch,
};
pub use line_stores::{LineEntry, LineStores, LineTable, StraightLine};
pub use opcode::Opcode;
pub use slots::SlotSet;

//! Class files and what follows from their code.
//!
//! From a method's bare code bytes (what a JVM sends over JDWP): [`Code`] decodes instructions,
//! [`LineStores`] tells which local variables a line can write, [`MethodDescriptor`] reads types.
//!
//! Nothing here talks to a JVM, and nothing depends on other crates of ours. Bytes that are not
//! what they should be give typed errors with the place; nothing panics on them.

#![forbid(unsafe_code)]

mod attributes;
mod class_file;
mod class_path;
mod constant_pool;
mod decode;
mod descriptor;
mod instruction;
mod jimage;
mod line_stores;
mod mutf8;
mod opcode;
mod reader;
mod slots;

pub use attributes::{
    BootstrapMethod, CodeAttribute, EnclosingMethod, ExceptionHandler, InnerClass, LocalVariable,
    MethodParameter, RecordComponent,
};
pub use class_file::{
    AccessFlags, ClassFile, ClassFileError, Damage, Field, Method, NEWEST_MAJOR_VERSION,
    RawAttribute,
};
pub use class_path::{ClassPath, ClassPathError, ClassSource, MAX_CLASS_BYTES};
pub use constant_pool::{CallSite, Constant, ConstantError, ConstantPool, Member, MemberRef};
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
pub use reader::Cut;
pub use slots::SlotSet;

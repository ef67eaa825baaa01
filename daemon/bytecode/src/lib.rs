//! Class files and what follows from their code.
//!
//! From a method's bare code bytes (what a JVM sends over JDWP): [`Code`] decodes instructions,
//! [`LineTable`] gives them source lines, [`MethodDescriptor`] reads types.
//!
//! From a class file ([`ClassFile`], found on a [`ClassPath`]): constants, members, code with its
//! tables. On code and exception table: [`FlowGraph`], [`Dominators`], [`ControlDependence`], [`Loops`],
//! [`DefUse`] and [`Variables`]. What counts as covered is numbered by [`CoverageEdges`].
//!
//! Back to a class file: [`patch`] puts straight-line code into methods.
//!
//! Nothing here talks to a JVM, and nothing depends on other crates of ours. Bytes that are not
//! what they should be give typed errors with the place; nothing panics on them.

#![forbid(unsafe_code)]

mod array_reads;
mod attributes;
mod bare_code;
mod class_file;
mod class_path;
mod constant_pool;
mod control_dependence;
mod coverage;
mod decode;
mod def_use;
mod descriptor;
mod dominators;
mod effects;
mod flow;
mod instruction;
mod jar;
mod jimage;
mod line_table;
mod loops;
mod mutf8;
mod opcode;
pub mod patch;
mod reader;
mod stack_values;
mod stack_words;
mod variables;

pub use attributes::{
    BootstrapMethod, CodeAttribute, EnclosingMethod, ExceptionHandler, InnerClass, LocalVariable,
    MethodParameter, RecordComponent,
};
pub use class_file::{
    AccessFlags, ClassFile, ClassFileError, ClassHead, Damage, Field, Method, NEWEST_MAJOR_VERSION,
    RawAttribute,
};
pub use class_path::{ClassPath, ClassPathError, ClassSource, MAX_CLASS_BYTES};
pub use constant_pool::{CallSite, Constant, ConstantError, ConstantPool, Member, MemberRef};
pub use control_dependence::ControlDependence;
pub use coverage::{CoverageEdge, CoverageEdgeId, CoverageEdges, Outcome};
pub use decode::{Code, CodeError, MAX_CODE_LENGTH, decode_at};
pub use def_use::{DefUse, DefUseError, DefUsePair, Definition};
pub use descriptor::{
    DescriptorError, DescriptorFault, FieldType, MethodDescriptor, name_to_signature,
    signature_to_name, swap_separators,
};
pub use dominators::Dominators;
pub use effects::{ElementType, Place};
pub use flow::{Block, BlockId, Edge, EdgeKind, FlowError, FlowGraph, MAX_EDGES};
pub use instruction::{
    Instruction, Invoke, InvokeKind, LocalAccess, LocalType, LookupSwitch, Operands, PrimitiveType,
    TableSwitch,
};
pub use jar::MAX_JAR_BYTES;
pub use line_table::{LineEntry, LineTable};
pub use loops::{IrreducibleRegion, Loop, LoopId, Loops};
pub use opcode::Opcode;
pub use reader::Cut;
pub use stack_values::StackMove;
pub use stack_words::{StackWords, words_of};
pub use variables::{Variable, VariableId, Variables};

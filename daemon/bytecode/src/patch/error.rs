//! Why a class or a method is not patched.

use crate::class_file::ClassFileError;
use crate::decode::{CodeError, MAX_CODE_LENGTH};
use crate::descriptor::DescriptorError;
use crate::opcode::Opcode;

/// Why something could not be put in. The class and the methods patched before stay usable.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The constants cannot be read.
    #[error(transparent)]
    ClassFile(#[from] ClassFileError),
    /// A constant cannot be added.
    #[error(transparent)]
    Constant(#[from] AddConstantError),
    /// The class has no such method.
    #[error("there is no method {index}")]
    NoMethod {
        /// Its position among the methods.
        index: usize,
    },
    /// A method that stays as it was.
    #[error("method {method}: {fault}")]
    Method {
        /// Name and descriptor.
        method: String,
        /// What is in the way.
        fault: Fault,
    },
}

/// Why a constant cannot be added.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddConstantError {
    /// A descriptor that is none.
    #[error(transparent)]
    Descriptor(#[from] DescriptorError),
    /// There would be more constants than a class file can have.
    #[error("the constant pool has no room for another constant")]
    PoolFull,
    /// A name that is too long for a class file, or that was not read exactly.
    #[error("no constant can be made of the name `{name}`")]
    Name {
        /// The name.
        name: String,
    },
}

/// What keeps a method from being patched.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// It is native or abstract, or its code could not be read.
    #[error("it has no code that can be read")]
    NoCode,
    /// Its code cannot be decoded.
    #[error(transparent)]
    Code(#[from] CodeError),
    /// An index at which no instruction starts.
    #[error("no instruction starts at index {index}")]
    NoInstruction {
        /// The index.
        index: u32,
    },
    /// A snippet with an instruction that is not straight-line code.
    #[error("`{}` does not belong into straight-line code", opcode.mnemonic())]
    NotStraight {
        /// The instruction.
        opcode: Opcode,
    },
    /// A snippet that leaves another number of words on the operand stack than it found.
    #[error("inserted code leaves {words} words more on the operand stack than it found")]
    Unbalanced {
        /// Words more; less than 0 for fewer.
        words: i32,
    },
    /// More code than a method can have.
    #[error("{length} bytes of code, a method has at most {MAX_CODE_LENGTH}")]
    CodeTooLong {
        /// Bytes that it would have.
        length: u64,
    },
    /// More than 65,535 words of operand stack.
    #[error("the operand stack gets too large")]
    StackTooLarge,
    /// More than 65,535 slots of local variables.
    #[error("too many local variables")]
    TooManyLocals,
    /// A conditional jump that does not reach its target, with no place for another on the way.
    #[error("the jump at index {index} gets too far from its target")]
    JumpTooFar {
        /// Where it stands.
        index: u32,
    },
    /// A constant that stack map frames need cannot be added.
    #[error(transparent)]
    Constant(#[from] AddConstantError),
    /// A table that cannot be read.
    #[error("{table}: {error}")]
    Table {
        /// Which one.
        table: &'static str,
        /// What is wrong.
        error: ClassFileError,
    },
    /// A stack map frame or a type in one that does not exist, or that takes away more locals than there are.
    #[error("stack map frame or type of tag {tag}")]
    UnknownFrame {
        /// Its tag.
        tag: u8,
    },
    /// Stack map frames that do not ascend.
    #[error("the stack map frames are not in order")]
    FrameOrder,
    /// A jump's target has no stack map frame, which an added jump would need.
    #[error("no stack map frame at index {index}, where a jump leads")]
    NoFrame {
        /// The index.
        index: u32,
    },
    /// The stack map frames have more types than the method's limits allow.
    #[error("the stack map frames are too large")]
    FramesTooLarge,
}

//! The instruction set (JVMS §6.5) as one table: number, mnemonic, how the operands are laid out.
//! Everything else that depends on an opcode (flow, stack, locals) is decided beside the code that
//! needs it; to add an opcode, add a row here and follow the compiler.

/// How the bytes after an opcode are laid out (JVMS §6.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Layout {
    /// No operand.
    Plain,
    /// A signed byte: `bipush`.
    Byte,
    /// A signed 16-bit number: `sipush`.
    Short,
    /// A one-byte constant pool index: `ldc`.
    Constant1,
    /// A two-byte constant pool index.
    Constant2,
    /// A local variable slot: one byte, two after `wide`.
    Local,
    /// A slot and a signed amount: `iinc`.
    Increment,
    /// A signed 16-bit offset from the instruction.
    Branch2,
    /// A signed 32-bit offset from the instruction.
    Branch4,
    /// `tableswitch`.
    TableSwitch,
    /// `lookupswitch`.
    LookupSwitch,
    /// A constant, a count, a zero.
    InvokeInterface,
    /// A constant and two zeros.
    InvokeDynamic,
    /// A primitive type code: `newarray`.
    NewArray,
    /// A constant and a number of dimensions.
    MultiNewArray,
    /// The prefix `wide`.
    Wide,
}

macro_rules! opcodes {
    ($($name:ident = $number:literal $mnemonic:literal $layout:ident;)*) => {
        /// An opcode of the JVM (JVMS §6.5).
        ///
        /// `wide` is one too, but never stands alone in a decoded
        /// [`Instruction`](crate::Instruction): there it is the flag `wide` of the instruction
        /// that it prefixes.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Opcode {
            $(#[doc = concat!("`", $mnemonic, "`")] $name = $number,)*
        }

        impl Opcode {
            /// Every opcode that class files may contain, by number.
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// The opcode of this number; `None` for unassigned and reserved ones.
            pub const fn from_byte(byte: u8) -> Option<Self> {
                match byte {
                    $($number => Some(Self::$name),)*
                    _ => None,
                }
            }

            /// The name that JVMS and `javap` use.
            pub const fn mnemonic(self) -> &'static str {
                match self {
                    $(Self::$name => $mnemonic,)*
                }
            }

            pub(crate) const fn layout(self) -> Layout {
                match self {
                    $(Self::$name => Layout::$layout,)*
                }
            }
        }
    };
}

opcodes! {
    Nop = 0x00 "nop" Plain;
    AconstNull = 0x01 "aconst_null" Plain;
    IconstM1 = 0x02 "iconst_m1" Plain;
    Iconst0 = 0x03 "iconst_0" Plain;
    Iconst1 = 0x04 "iconst_1" Plain;
    Iconst2 = 0x05 "iconst_2" Plain;
    Iconst3 = 0x06 "iconst_3" Plain;
    Iconst4 = 0x07 "iconst_4" Plain;
    Iconst5 = 0x08 "iconst_5" Plain;
    Lconst0 = 0x09 "lconst_0" Plain;
    Lconst1 = 0x0a "lconst_1" Plain;
    Fconst0 = 0x0b "fconst_0" Plain;
    Fconst1 = 0x0c "fconst_1" Plain;
    Fconst2 = 0x0d "fconst_2" Plain;
    Dconst0 = 0x0e "dconst_0" Plain;
    Dconst1 = 0x0f "dconst_1" Plain;
    Bipush = 0x10 "bipush" Byte;
    Sipush = 0x11 "sipush" Short;
    Ldc = 0x12 "ldc" Constant1;
    LdcW = 0x13 "ldc_w" Constant2;
    Ldc2W = 0x14 "ldc2_w" Constant2;
    Iload = 0x15 "iload" Local;
    Lload = 0x16 "lload" Local;
    Fload = 0x17 "fload" Local;
    Dload = 0x18 "dload" Local;
    Aload = 0x19 "aload" Local;
    Iload0 = 0x1a "iload_0" Plain;
    Iload1 = 0x1b "iload_1" Plain;
    Iload2 = 0x1c "iload_2" Plain;
    Iload3 = 0x1d "iload_3" Plain;
    Lload0 = 0x1e "lload_0" Plain;
    Lload1 = 0x1f "lload_1" Plain;
    Lload2 = 0x20 "lload_2" Plain;
    Lload3 = 0x21 "lload_3" Plain;
    Fload0 = 0x22 "fload_0" Plain;
    Fload1 = 0x23 "fload_1" Plain;
    Fload2 = 0x24 "fload_2" Plain;
    Fload3 = 0x25 "fload_3" Plain;
    Dload0 = 0x26 "dload_0" Plain;
    Dload1 = 0x27 "dload_1" Plain;
    Dload2 = 0x28 "dload_2" Plain;
    Dload3 = 0x29 "dload_3" Plain;
    Aload0 = 0x2a "aload_0" Plain;
    Aload1 = 0x2b "aload_1" Plain;
    Aload2 = 0x2c "aload_2" Plain;
    Aload3 = 0x2d "aload_3" Plain;
    Iaload = 0x2e "iaload" Plain;
    Laload = 0x2f "laload" Plain;
    Faload = 0x30 "faload" Plain;
    Daload = 0x31 "daload" Plain;
    Aaload = 0x32 "aaload" Plain;
    Baload = 0x33 "baload" Plain;
    Caload = 0x34 "caload" Plain;
    Saload = 0x35 "saload" Plain;
    Istore = 0x36 "istore" Local;
    Lstore = 0x37 "lstore" Local;
    Fstore = 0x38 "fstore" Local;
    Dstore = 0x39 "dstore" Local;
    Astore = 0x3a "astore" Local;
    Istore0 = 0x3b "istore_0" Plain;
    Istore1 = 0x3c "istore_1" Plain;
    Istore2 = 0x3d "istore_2" Plain;
    Istore3 = 0x3e "istore_3" Plain;
    Lstore0 = 0x3f "lstore_0" Plain;
    Lstore1 = 0x40 "lstore_1" Plain;
    Lstore2 = 0x41 "lstore_2" Plain;
    Lstore3 = 0x42 "lstore_3" Plain;
    Fstore0 = 0x43 "fstore_0" Plain;
    Fstore1 = 0x44 "fstore_1" Plain;
    Fstore2 = 0x45 "fstore_2" Plain;
    Fstore3 = 0x46 "fstore_3" Plain;
    Dstore0 = 0x47 "dstore_0" Plain;
    Dstore1 = 0x48 "dstore_1" Plain;
    Dstore2 = 0x49 "dstore_2" Plain;
    Dstore3 = 0x4a "dstore_3" Plain;
    Astore0 = 0x4b "astore_0" Plain;
    Astore1 = 0x4c "astore_1" Plain;
    Astore2 = 0x4d "astore_2" Plain;
    Astore3 = 0x4e "astore_3" Plain;
    Iastore = 0x4f "iastore" Plain;
    Lastore = 0x50 "lastore" Plain;
    Fastore = 0x51 "fastore" Plain;
    Dastore = 0x52 "dastore" Plain;
    Aastore = 0x53 "aastore" Plain;
    Bastore = 0x54 "bastore" Plain;
    Castore = 0x55 "castore" Plain;
    Sastore = 0x56 "sastore" Plain;
    Pop = 0x57 "pop" Plain;
    Pop2 = 0x58 "pop2" Plain;
    Dup = 0x59 "dup" Plain;
    DupX1 = 0x5a "dup_x1" Plain;
    DupX2 = 0x5b "dup_x2" Plain;
    Dup2 = 0x5c "dup2" Plain;
    Dup2X1 = 0x5d "dup2_x1" Plain;
    Dup2X2 = 0x5e "dup2_x2" Plain;
    Swap = 0x5f "swap" Plain;
    Iadd = 0x60 "iadd" Plain;
    Ladd = 0x61 "ladd" Plain;
    Fadd = 0x62 "fadd" Plain;
    Dadd = 0x63 "dadd" Plain;
    Isub = 0x64 "isub" Plain;
    Lsub = 0x65 "lsub" Plain;
    Fsub = 0x66 "fsub" Plain;
    Dsub = 0x67 "dsub" Plain;
    Imul = 0x68 "imul" Plain;
    Lmul = 0x69 "lmul" Plain;
    Fmul = 0x6a "fmul" Plain;
    Dmul = 0x6b "dmul" Plain;
    Idiv = 0x6c "idiv" Plain;
    Ldiv = 0x6d "ldiv" Plain;
    Fdiv = 0x6e "fdiv" Plain;
    Ddiv = 0x6f "ddiv" Plain;
    Irem = 0x70 "irem" Plain;
    Lrem = 0x71 "lrem" Plain;
    Frem = 0x72 "frem" Plain;
    Drem = 0x73 "drem" Plain;
    Ineg = 0x74 "ineg" Plain;
    Lneg = 0x75 "lneg" Plain;
    Fneg = 0x76 "fneg" Plain;
    Dneg = 0x77 "dneg" Plain;
    Ishl = 0x78 "ishl" Plain;
    Lshl = 0x79 "lshl" Plain;
    Ishr = 0x7a "ishr" Plain;
    Lshr = 0x7b "lshr" Plain;
    Iushr = 0x7c "iushr" Plain;
    Lushr = 0x7d "lushr" Plain;
    Iand = 0x7e "iand" Plain;
    Land = 0x7f "land" Plain;
    Ior = 0x80 "ior" Plain;
    Lor = 0x81 "lor" Plain;
    Ixor = 0x82 "ixor" Plain;
    Lxor = 0x83 "lxor" Plain;
    Iinc = 0x84 "iinc" Increment;
    I2l = 0x85 "i2l" Plain;
    I2f = 0x86 "i2f" Plain;
    I2d = 0x87 "i2d" Plain;
    L2i = 0x88 "l2i" Plain;
    L2f = 0x89 "l2f" Plain;
    L2d = 0x8a "l2d" Plain;
    F2i = 0x8b "f2i" Plain;
    F2l = 0x8c "f2l" Plain;
    F2d = 0x8d "f2d" Plain;
    D2i = 0x8e "d2i" Plain;
    D2l = 0x8f "d2l" Plain;
    D2f = 0x90 "d2f" Plain;
    I2b = 0x91 "i2b" Plain;
    I2c = 0x92 "i2c" Plain;
    I2s = 0x93 "i2s" Plain;
    Lcmp = 0x94 "lcmp" Plain;
    Fcmpl = 0x95 "fcmpl" Plain;
    Fcmpg = 0x96 "fcmpg" Plain;
    Dcmpl = 0x97 "dcmpl" Plain;
    Dcmpg = 0x98 "dcmpg" Plain;
    Ifeq = 0x99 "ifeq" Branch2;
    Ifne = 0x9a "ifne" Branch2;
    Iflt = 0x9b "iflt" Branch2;
    Ifge = 0x9c "ifge" Branch2;
    Ifgt = 0x9d "ifgt" Branch2;
    Ifle = 0x9e "ifle" Branch2;
    IfIcmpeq = 0x9f "if_icmpeq" Branch2;
    IfIcmpne = 0xa0 "if_icmpne" Branch2;
    IfIcmplt = 0xa1 "if_icmplt" Branch2;
    IfIcmpge = 0xa2 "if_icmpge" Branch2;
    IfIcmpgt = 0xa3 "if_icmpgt" Branch2;
    IfIcmple = 0xa4 "if_icmple" Branch2;
    IfAcmpeq = 0xa5 "if_acmpeq" Branch2;
    IfAcmpne = 0xa6 "if_acmpne" Branch2;
    Goto = 0xa7 "goto" Branch2;
    Jsr = 0xa8 "jsr" Branch2;
    Ret = 0xa9 "ret" Local;
    TableSwitch = 0xaa "tableswitch" TableSwitch;
    LookupSwitch = 0xab "lookupswitch" LookupSwitch;
    Ireturn = 0xac "ireturn" Plain;
    Lreturn = 0xad "lreturn" Plain;
    Freturn = 0xae "freturn" Plain;
    Dreturn = 0xaf "dreturn" Plain;
    Areturn = 0xb0 "areturn" Plain;
    Return = 0xb1 "return" Plain;
    GetStatic = 0xb2 "getstatic" Constant2;
    PutStatic = 0xb3 "putstatic" Constant2;
    GetField = 0xb4 "getfield" Constant2;
    PutField = 0xb5 "putfield" Constant2;
    InvokeVirtual = 0xb6 "invokevirtual" Constant2;
    InvokeSpecial = 0xb7 "invokespecial" Constant2;
    InvokeStatic = 0xb8 "invokestatic" Constant2;
    InvokeInterface = 0xb9 "invokeinterface" InvokeInterface;
    InvokeDynamic = 0xba "invokedynamic" InvokeDynamic;
    New = 0xbb "new" Constant2;
    NewArray = 0xbc "newarray" NewArray;
    AnewArray = 0xbd "anewarray" Constant2;
    ArrayLength = 0xbe "arraylength" Plain;
    Athrow = 0xbf "athrow" Plain;
    CheckCast = 0xc0 "checkcast" Constant2;
    InstanceOf = 0xc1 "instanceof" Constant2;
    MonitorEnter = 0xc2 "monitorenter" Plain;
    MonitorExit = 0xc3 "monitorexit" Plain;
    Wide = 0xc4 "wide" Wide;
    MultiAnewArray = 0xc5 "multianewarray" MultiNewArray;
    Ifnull = 0xc6 "ifnull" Branch2;
    Ifnonnull = 0xc7 "ifnonnull" Branch2;
    GotoW = 0xc8 "goto_w" Branch4;
    JsrW = 0xc9 "jsr_w" Branch4;
}

impl Opcode {
    /// A jump with two outcomes: `ifeq` … `if_acmpne`, `ifnull`, `ifnonnull`.
    pub const fn is_conditional_jump(self) -> bool {
        matches!(self as u8, 0x99..=0xa6 | 0xc6 | 0xc7)
    }

    /// `iaload` … `saload`: takes an array and an index, gives the element.
    pub const fn loads_element(self) -> bool {
        matches!(self as u8, 0x2e..=0x35)
    }

    /// `iastore` … `sastore`: takes an array, an index and the element's new value.
    pub const fn stores_element(self) -> bool {
        matches!(self as u8, 0x4f..=0x56)
    }

    /// `goto`, `goto_w`.
    pub const fn is_goto(self) -> bool {
        matches!(self, Self::Goto | Self::GotoW)
    }

    /// `jsr`, `jsr_w`: subroutine calls, only in class files before version 51.
    pub const fn is_subroutine_call(self) -> bool {
        matches!(self, Self::Jsr | Self::JsrW)
    }

    /// `tableswitch`, `lookupswitch`.
    pub const fn is_switch(self) -> bool {
        matches!(self, Self::TableSwitch | Self::LookupSwitch)
    }

    /// `ireturn` … `return`: leaves the method normally.
    pub const fn is_return(self) -> bool {
        matches!(self as u8, 0xac..=0xb1)
    }

    /// The instruction after this one is never reached by falling through.
    pub const fn ends_straight_line(self) -> bool {
        self.is_goto()
            || self.is_subroutine_call()
            || self.is_switch()
            || self.is_return()
            || matches!(self, Self::Athrow | Self::Ret)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_dense_and_maps_back() {
        assert_eq!(Opcode::ALL.len(), 0xca);
        for (number, opcode) in Opcode::ALL.iter().enumerate() {
            assert_eq!(*opcode as usize, number);
            assert_eq!(Opcode::from_byte(number as u8), Some(*opcode));
        }
        for number in 0xca..=0xff {
            assert_eq!(Opcode::from_byte(number), None);
        }
    }

    #[test]
    fn mnemonics_are_unique() {
        let mut names: Vec<_> = Opcode::ALL.iter().map(|o| o.mnemonic()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Opcode::ALL.len());
    }

    #[test]
    fn kinds_of_flow() {
        let count = |f: fn(Opcode) -> bool| Opcode::ALL.iter().filter(|o| f(**o)).count();
        assert_eq!(count(Opcode::is_conditional_jump), 16);
        assert_eq!(count(Opcode::is_return), 6);
        assert_eq!(count(Opcode::is_switch), 2);
        assert_eq!(count(Opcode::ends_straight_line), 2 + 2 + 2 + 6 + 2);
    }
}

//! Commands to methods (spec: "Method Command Set (6)"). Set 8, `Field`, has no commands.

use crate::types::{JdwpString, MethodId, ReferenceTypeId};

command_set! {
    Method = 6;

    /// The line table; `ABSENT_INFORMATION` if the class has none, `NATIVE_METHOD` possible.
    LineTable = 1 {
        /// The class that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> LineTableReply;

    /// The local variables; `ABSENT_INFORMATION` unless compiled with `-g` or `-g:vars`.
    VariableTable = 2 {
        /// The class that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> VariableTableReply;

    /// The bytecode (JVMS 4.7.3, `code`).
    Bytecodes = 3 {
        /// The class that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> Vec<u8>;

    /// Whether the method was replaced by a redefinition of its class.
    IsObsolete = 4 {
        /// The class that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> bool;

    /// The local variables, with generic signatures.
    VariableTableWithGeneric = 5 {
        /// The class that declares the method.
        ref_type: ReferenceTypeId,
        /// The method.
        method: MethodId,
    } -> VariableTableWithGenericReply;
}

wire_struct! {
    /// Reply to [`LineTable`].
    #[derive(Eq, Hash)]
    pub struct LineTableReply {
        /// The lowest bytecode index of the method; -1 if it is native.
        pub start: i64,
        /// The highest bytecode index of the method; -1 if it is native.
        pub end: i64,
        /// The table.
        pub lines: Vec<LineInfo>,
    }

    /// A row of a line table.
    #[derive(Copy, Eq, Hash)]
    pub struct LineInfo {
        /// Bytecode index where the line's code begins.
        pub code_index: u64,
        /// The source line, from 1.
        pub line: i32,
    }

    /// Reply to [`VariableTable`].
    #[derive(Eq, Hash)]
    pub struct VariableTableReply {
        /// Slots taken by the arguments: `this` one, long and double two.
        pub argument_slots: i32,
        /// The variables, in no particular order.
        pub variables: Vec<VariableInfo>,
    }

    /// A local variable: one name in one range of the code.
    #[derive(Eq, Hash)]
    pub struct VariableInfo {
        /// First bytecode index where the variable is valid.
        pub code_index: u64,
        /// Its name.
        pub name: JdwpString,
        /// Its signature.
        pub signature: JdwpString,
        /// It is valid in `code_index .. code_index + length`.
        pub length: i32,
        /// Its slot in the frame.
        pub slot: i32,
    }

    /// Reply to [`VariableTableWithGeneric`].
    #[derive(Eq, Hash)]
    pub struct VariableTableWithGenericReply {
        /// Slots taken by the arguments: `this` one, long and double two.
        pub argument_slots: i32,
        /// The variables, in no particular order.
        pub variables: Vec<VariableInfoWithGeneric>,
    }

    /// A local variable, with its generic signature.
    #[derive(Eq, Hash)]
    pub struct VariableInfoWithGeneric {
        /// First bytecode index where the variable is valid.
        pub code_index: u64,
        /// Its name.
        pub name: JdwpString,
        /// Its signature.
        pub signature: JdwpString,
        /// Its generic signature; empty if it has none.
        pub generic_signature: JdwpString,
        /// It is valid in `code_index .. code_index + length`.
        pub length: i32,
        /// Its slot in the frame.
        pub slot: i32,
    }
}

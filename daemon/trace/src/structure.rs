//! Static structure: classes, their fields and methods, and threads. Stored once, never changed,
//! save that a class may be completed later (its methods' tables are read when first needed).

use serde::{Deserialize, Serialize};

use crate::ids::{ClassId, FieldId, MethodId, ThreadId};

/// A class, interface or array type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClassInfo {
    /// The class's number.
    pub id: ClassId,
    /// Dotted binary name (JLS 13.1), `int[]`-style for arrays: `wl.Kernel$Row`, `int[][]`.
    pub name: String,
    /// Source file name without folder, if the class says one.
    pub source_file: Option<String>,
    /// Access flags (JVMS 4.1-B).
    pub modifiers: u32,
    /// The super class's name, dotted; `None` for interfaces, `java.lang.Object`, and where not read.
    pub super_name: Option<String>,
    /// Names of the direct super interfaces, dotted.
    pub interfaces: Vec<String>,
    /// Is the class's inside recorded?
    pub in_scope: bool,
    /// Declared fields; empty for classes outside the scope that nobody asked about.
    pub fields: Vec<FieldInfo>,
    /// Declared methods; outside the scope only those that were called from inside.
    pub methods: Vec<MethodInfo>,
}

/// A declared field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FieldInfo {
    /// The field's number.
    pub id: FieldId,
    /// Its simple name.
    pub name: String,
    /// Its type as a descriptor (JVMS 4.3.2).
    pub descriptor: String,
    /// Access flags (JVMS 4.5-A).
    pub modifiers: u32,
}

impl FieldInfo {
    /// Is it `static`?
    pub fn is_static(&self) -> bool {
        self.modifiers & 0x0008 != 0
    }

    /// Is it `final`?
    pub fn is_final(&self) -> bool {
        self.modifiers & 0x0010 != 0
    }
}

/// A declared method, constructor or static initialiser.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MethodInfo {
    /// The method's number.
    pub id: MethodId,
    /// Simple name; `<init>` for constructors, `<clinit>` for static initialisers.
    pub name: String,
    /// Parameters and result (JVMS 4.3.3).
    pub descriptor: String,
    /// Access flags (JVMS 4.6-A).
    pub modifiers: u32,
    /// Line table (JVMS 4.7.12) by rising bytecode index; empty where the class has none.
    pub lines: Vec<LineEntry>,
    /// Local variables (JVMS 4.7.13), in the class file's order; empty where the class has none.
    pub variables: Vec<LocalVariable>,
    /// The code's bytes, for analyses; empty for native and abstract methods and where not read.
    pub code: Vec<u8>,
}

impl MethodInfo {
    /// Is it `static`?
    pub fn is_static(&self) -> bool {
        self.modifiers & 0x0008 != 0
    }

    /// The source line of a bytecode index, if the class has a line table.
    pub fn line_of(&self, index: u32) -> Option<u32> {
        let after = self.lines.partition_point(|entry| entry.start <= index);
        after.checked_sub(1).map(|at| self.lines[at].line)
    }
}

/// One entry of a line table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LineEntry {
    /// First bytecode index of the line.
    pub start: u32,
    /// Line number in the source file, from 1.
    pub line: u32,
}

/// One entry of a local variable table: a name for a slot in a range of the code.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LocalVariable {
    /// First bytecode index at which it has its value.
    pub start: u32,
    /// Length of the range in bytes of code.
    pub length: u32,
    /// Its slot in the frame.
    pub slot: u16,
    /// Its name.
    pub name: String,
    /// Its type as a descriptor.
    pub descriptor: String,
}

impl LocalVariable {
    /// Does the range cover this bytecode index?
    pub fn covers(&self, index: u32) -> bool {
        index >= self.start && index - self.start < self.length
    }
}

/// A thread of the recording.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadInfo {
    /// The thread's number.
    pub id: ThreadId,
    /// Its name when it was first seen.
    pub name: String,
    /// Its group's name, if it had one.
    pub group: Option<String>,
}

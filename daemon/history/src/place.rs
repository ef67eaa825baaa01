//! Where in the code something is.

/// A place in the code.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlaceView {
    /// Dotted binary name.
    pub class: String,
    /// Simple name.
    pub method: String,
    /// Its descriptor (JVMS 4.3.3).
    pub descriptor: String,
    /// Bytecode index, if it is known.
    pub index: Option<u32>,
    /// Line in the source file, if it is known.
    pub line: Option<u32>,
    /// Source file without folder; empty if it is not known.
    pub source_file: String,
}

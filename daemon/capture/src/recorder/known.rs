//! What is known of the debuggee: its classes, its objects, what they hold.

use jhyde_trace::RecordingOptions;

use super::around::Around;
use super::kinds::Kinds;
use crate::contents::Contents;
use crate::mirror::Heap;
use crate::objects::Objects;
use crate::program::Program;
use crate::scope::Scope;

/// See the module.
pub(crate) struct Known {
    pub(crate) program: Program,
    pub(crate) objects: Objects,
    pub(crate) heap: Heap,
    pub(crate) contents: Contents,
    /// What snapshots know of objects, and of threads.
    pub(crate) kinds: Kinds,
    pub(crate) around: Around,
}

impl Known {
    pub(crate) fn new(scope: Scope, options: &RecordingOptions) -> Self {
        Self {
            program: Program::new(scope),
            objects: Objects::new(options.string_limit),
            heap: Heap::new(),
            contents: Contents::new(options.contents),
            kinds: Kinds::default(),
            around: Around::default(),
        }
    }
}

//! Puts straight-line code into the methods of a class file, which otherwise stays as it is.
//!
//! ```text
//! let class = ClassFile::parse(bytes)?;
//! let mut patch = Patch::new(&class)?;
//! let count = patch.constants().field("Probe", "count", "I")?;
//! let tick = Snippet::new().get_static(count).op(Iconst1).op(Iadd).put_static(count);
//! let mut wanted = MethodPatch::new(&class.methods[3]);
//! wanted.insert(Place::Before(17), tick);
//! let patched = patch.method(3, &wanted)?; // its new size, and old index <-> new index
//! let bytes = patch.finish();
//! ```
//!
//! **Places.** Indexes are those of the original code. At the index of each instruction the new code has
//! in this order:
//!
//! 1. what was asked for [`After`](Place::After) the instruction in front: only going on from there runs
//!    it, jumps to the index skip it. (At index 0: what was asked for at [`Entry`](Place::Entry), run once
//!    when the method starts, not when a loop jumps to index 0.) Behind an instruction from which
//!    control never goes on (`goto`, a switch, a return, `athrow`) it would never run, and is left out.
//!    Behind a conditional jump it runs if the jump is not taken; behind `jsr` when the subroutine returns;
//! 2. the place where jumps to the index and exceptions of a handler there arrive;
//! 3. what was asked for [`Before`](Place::Before) the instruction: every arrival runs it;
//! 4. the instruction.
//!
//! Several snippets for one place run in the order in which they were asked for.
//!
//! **Exception handlers.** A snippet `Before` an instruction is guarded by the handlers of that
//! instruction. One `After` an instruction is guarded by the entries of the exception table that guard
//! the instruction in front *and* that behind: what only the one behind has would be wrong, and with what only the one
//! in front has the locals that it just wrote could fail verification. `After` a `monitorenter` it is guarded as
//! the instruction behind is: HotSpot does not compile methods in which an exception may leave a
//! monitor locked. `Entry` is never guarded.
//!
//! **Tables.** Exception table, line table, variable tables and stack map frames are moved; all other
//! attributes of a patched `Code` are left out (type annotations in code, which reflection does not
//! reach, and what JVMS does not know). Line entries start where jumps arrive, so that code `After` belongs to the
//! line in front; a variable is visible in what stands behind the store that begins it. Methods that were not
//! patched, fields, attributes, and the constants with their numbers stay byte for byte: constants are only added
//! at the end, and a class without a patched method is the same file.
//!
//! **Far jumps.** A `goto` or `jsr` that gets too far takes its wide form. A conditional jump has none: it then goes by
//! a `goto_w` put behind some instruction from which control never goes on, where no handler reaches over, with the stack
//! map frame of the jump's target. Without such a place within 32 KB the method is refused.
//!
//! **Frames.** `max_stack` grows by the most that a snippet needs, which is enough wherever it stands. Locals can
//! be added behind the method's own: see [`AddedLocal`]. Class files before version 50 have no frames; what they
//! have under that name is left out, as JVMs ignore it.

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
//! A handler may guard itself, as javac's do for `synchronized` and `finally`: what is put `Before` it is guarded by the same handler
//! without what was put there, as an exception of that would else arrive there again, for ever.
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

mod code;
mod error;
mod frames;
mod map;
mod pool;
mod snippet;
mod tables;

use std::collections::BTreeMap;
use std::ops::Range;

pub use error::{AddConstantError, Fault, PatchError};
pub use map::{CodeMap, Origin};
pub use pool::{Constants, FieldConstant, MethodConstant, NumberConstant};
pub use snippet::Snippet;

use crate::attributes::CodeAttribute;
use crate::class_file::{ClassFile, Method};
use crate::decode::MAX_CODE_LENGTH;
use crate::descriptor::FieldType;
use crate::instruction::LocalType;
use crate::opcode::Opcode;
use crate::reader::Reader;
use code::{Gap, Layout, goes_on};
use frames::{Kept, Start, Type};

/// The first class file version with stack map frames (Java 6).
const FIRST_WITH_FRAMES: u16 = 50;

/// Where a snippet goes, by the index of an instruction of the original code. See the [module](self).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// Once, when the method starts.
    Entry,
    /// In front of this instruction, however control comes to it.
    Before(u32),
    /// When control goes on from this instruction to the next one: behind a call, with its result on the operand stack.
    After(u32),
}

/// A local variable added behind those of the method.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AddedLocal {
    /// Written and read within one snippet; what it holds between snippets is not known everywhere.
    Scratch(LocalType),
    /// Holds a value of this type from [`Place::Entry`] on, where a snippet must write it, to the end.
    Kept(FieldType),
}

/// What is to be put into a method.
#[derive(Clone, Debug, Default)]
pub struct MethodPatch {
    insertions: Vec<(Place, Snippet)>,
    own_slots: u16,
    locals: Vec<AddedLocal>,
    /// Run when an exception leaves the code from this index on.
    escape: Option<(u32, Snippet)>,
}

impl MethodPatch {
    /// Nothing yet, for this method.
    pub fn new(method: &Method) -> Self {
        let own_slots = method.code.as_ref().map_or(0, |code| code.max_locals);
        Self {
            own_slots,
            ..Self::default()
        }
    }

    /// Adds a local variable and returns its (first) slot.
    pub fn add_local(&mut self, local: AddedLocal) -> u16 {
        let slot = usize::from(self.own_slots) + self.added_slots();
        self.locals.push(local);
        // With too many of them the method is refused.
        u16::try_from(slot).unwrap_or(u16::MAX)
    }

    /// Adds a snippet, behind those that were added for the same place.
    pub fn insert(&mut self, place: Place, snippet: Snippet) {
        self.insertions.push((place, snippet));
    }

    /// Runs a snippet when an exception leaves the method, thrown at or behind the instruction at this index: the exception is
    /// all that is on the operand stack, and is thrown again behind it. Of the locals only those that are
    /// [kept](AddedLocal::Kept) hold what they held. In a constructor the index must lie behind the call of another
    /// one: before that the verifier lets nobody catch (JVMS §4.10.1.4).
    pub fn on_escape(&mut self, from: u32, snippet: Snippet) {
        self.escape = Some((from, snippet));
    }

    fn is_empty(&self) -> bool {
        self.insertions.is_empty() && self.locals.is_empty() && self.escape.is_none()
    }

    fn added_slots(&self) -> usize {
        let slots = self.locals.iter().map(|local| match local {
            AddedLocal::Scratch(kind) => kind.slots(),
            AddedLocal::Kept(kind) => kind.slots(),
        });
        slots.map(usize::from).sum()
    }
}

/// A class file being patched.
#[derive(Debug)]
pub struct Patch<'a> {
    class: &'a ClassFile,
    constants: Constants<'a>,
    /// New contents of `Code` attributes, by where the old ones lie.
    contents: BTreeMap<usize, (Range<usize>, Vec<u8>)>,
}

impl<'a> Patch<'a> {
    /// Starts with the class as it is.
    ///
    /// # Errors
    /// If its constants cannot be read: not for a class that was parsed.
    pub fn new(class: &'a ClassFile) -> Result<Self, PatchError> {
        Ok(Self {
            class,
            constants: Constants::of(class)?,
            contents: BTreeMap::new(),
        })
    }

    /// Makes constants for snippets.
    pub fn constants(&mut self) -> &mut Constants<'a> {
        &mut self.constants
    }

    /// Patches the method at this position in the class, starting from its original code: a second patch of one method
    /// replaces the first.
    ///
    /// # Errors
    /// [`PatchError`], with which the method stays as it was before.
    pub fn method(&mut self, index: usize, wanted: &MethodPatch) -> Result<CodeMap, PatchError> {
        let methods = self.class.methods.get(index);
        let method = methods.ok_or(PatchError::NoMethod { index })?;
        let patched = self.patch(method, wanted);
        let (range, content, map) = patched.map_err(|fault| PatchError::Method {
            method: format!("{}{}", method.name, method.descriptor.descriptor()),
            fault,
        })?;
        if wanted.is_empty() {
            self.contents.remove(&range.start);
        } else {
            self.contents.insert(range.start, (range, content));
        }
        Ok(map)
    }

    /// The class file. Without a patched method it is the original one.
    pub fn finish(&self) -> Vec<u8> {
        let old: &[u8] = &self.class.bytes;
        if self.contents.is_empty() {
            return old.to_vec();
        }
        let copy = |range: Range<usize>| old.get(range).unwrap_or_default();
        let mut new = Vec::with_capacity(old.len() * 2);
        new.extend(copy(0..pool::COUNT_AT));
        put_u2(&mut new, u32::from(self.constants.count()));
        new.extend(copy(pool::COUNT_AT + 2..self.constants.end));
        new.extend(&self.constants.added);
        let mut copied = self.constants.end;
        for (range, content) in self.contents.values() {
            new.extend(copy(copied..range.start - 4));
            put_attribute_content(&mut new, content);
            copied = range.end;
        }
        new.extend(copy(copied..old.len()));
        new
    }

    /// Where the method's `Code` lies, its new content, and what moved where.
    fn patch(
        &mut self,
        method: &Method,
        wanted: &MethodPatch,
    ) -> Result<(Range<usize>, Vec<u8>, CodeMap), Fault> {
        let mut attributes = method.attributes.iter().filter(|a| a.name == "Code");
        let (Some(attribute), None, Some(old)) =
            (attributes.next(), attributes.next(), &method.code)
        else {
            return Err(Fault::NoCode);
        };
        let code = old.decode()?;
        let gaps = gaps(&code, wanted)?;
        let layout = Layout::new(&code, &gaps, &old.handlers)?;

        let mut new = Vec::with_capacity(attribute.content.len() * 2);
        put_u2(&mut new, max_stack(old, wanted)?);
        let locals = usize::from(old.max_locals) + wanted.added_slots();
        let locals = u16::try_from(locals).map_err(|_| Fault::TooManyLocals)?;
        put_u2(&mut new, u32::from(locals));
        let mut written = layout.write(&old.bytes)?;
        let mut escape = None;
        if let Some((from, snippet)) = &wanted.escape {
            snippet.check()?;
            escape = Some(tables::Guard {
                start: layout.arrival(*from)?,
                end: layout.length(),
                handler: layout.length(),
            });
            written.extend(snippet.bytes());
            written.push(Opcode::Athrow as u8);
            if written.len() > MAX_CODE_LENGTH {
                let length = written.len() as u64;
                return Err(Fault::CodeTooLong { length });
            }
        }
        put_attribute_content(&mut new, &written);
        let bytes: &[u8] = &self.class.bytes;
        let mut tables = Reader::part(bytes, old.range.end..attribute.content.end);
        tables::exceptions(&mut tables, &layout, escape, &mut new)?;
        self.code_attributes(method, old, wanted, &layout, &mut new)?;
        Ok((attribute.content.clone(), new, layout.map()))
    }

    /// Those attributes of the code that are known, moved.
    fn code_attributes(
        &mut self,
        method: &Method,
        old: &CodeAttribute,
        wanted: &MethodPatch,
        layout: &Layout<'_>,
        new: &mut Vec<u8>,
    ) -> Result<(), Fault> {
        let bytes: &[u8] = &self.class.bytes;
        let count_at = new.len();
        let mut count = 0_u16;
        put_u2(new, 0);
        let framed = self.class.major_version >= FIRST_WITH_FRAMES;
        let start = Start::of(method, &self.class.name);
        let has_frames = |a: &crate::RawAttribute| a.name == "StackMapTable";
        if framed && wanted.escape.is_some() && !old.attributes.iter().any(has_frames) {
            // A method without jumps has no frames.
            let kept = kept(old, wanted, &mut self.constants)?;
            let none = Reader::part(&[0, 0], 0..2);
            let content = frames::frames(none, &start, &kept, layout, &mut self.constants)?;
            put_u2(new, u32::from(self.constants.utf8("StackMapTable")?));
            put_attribute_content(new, &content);
            count += 1;
        }
        for attribute in &old.attributes {
            let reader = Reader::part(bytes, attribute.content.clone());
            let content = match attribute.name.as_str() {
                "LineNumberTable" => tables::lines(reader, layout)?,
                "LocalVariableTable" | "LocalVariableTypeTable" => {
                    tables::variables(reader, layout)?
                }
                "StackMapTable" if framed => {
                    let kept = kept(old, wanted, &mut self.constants)?;
                    frames::frames(reader, &start, &kept, layout, &mut self.constants)?
                }
                _ => continue,
            };
            // The name's index and the length stand before the content.
            let name = attribute.content.start.saturating_sub(6)..;
            new.extend(bytes.get(name).unwrap_or_default().iter().take(2));
            put_attribute_content(new, &content);
            count += 1;
        }
        new.splice(count_at..count_at + 2, count.to_be_bytes());
        Ok(())
    }
}

/// Sorts what is to be inserted by where it goes.
fn gaps<'w>(code: &crate::Code, wanted: &'w MethodPatch) -> Result<Vec<Gap<'w>>, Fault> {
    let mut gaps = vec![Gap::default(); code.instructions().len() + 1];
    for (place, snippet) in &wanted.insertions {
        snippet.check()?;
        let instruction = |index| {
            let ordinal = code.ordinal(index).ok_or(Fault::NoInstruction { index })?;
            let found = code.instructions().get(ordinal);
            Ok::<_, Fault>((ordinal, found.ok_or(Fault::NoInstruction { index })?))
        };
        let parts = match place {
            Place::Entry => gaps.first_mut().map(|gap| &mut gap.after),
            Place::Before(index) => {
                let (ordinal, _) = instruction(*index)?;
                gaps.get_mut(ordinal).map(|gap| &mut gap.before)
            }
            Place::After(index) => match instruction(*index)? {
                (ordinal, i) if goes_on(i.opcode) => {
                    gaps.get_mut(ordinal + 1).map(|gap| &mut gap.after)
                }
                _ => None,
            },
        };
        if let Some(parts) = parts {
            parts.push(snippet.bytes());
        }
    }
    Ok(gaps)
}

fn max_stack(old: &CodeAttribute, wanted: &MethodPatch) -> Result<u32, Fault> {
    let needs = wanted.insertions.iter().map(|(_, snippet)| snippet.needs());
    let stack = u32::from(old.max_stack).checked_add(needs.max().unwrap_or(0));
    // The exception lies on an empty stack.
    let escape = wanted
        .escape
        .as_ref()
        .map_or(Some(0), |(_, snippet)| snippet.needs().checked_add(1));
    let stack = stack.zip(escape).map(|(stack, escape)| stack.max(escape));
    let fits = stack.filter(|stack| *stack <= u32::from(u16::MAX));
    fits.ok_or(Fault::StackTooLarge)
}

/// The types of the kept locals behind the method's own; scratch locals are unknown in frames.
fn kept(
    old: &CodeAttribute,
    wanted: &MethodPatch,
    constants: &mut Constants<'_>,
) -> Result<Kept, Fault> {
    let mut types = Vec::new();
    let mut needed = 0;
    for local in &wanted.locals {
        match local {
            AddedLocal::Scratch(kind) => {
                types.extend(std::iter::repeat_n(Type::Top, usize::from(kind.slots())));
            }
            AddedLocal::Kept(kind) => {
                types.push(Type::of(kind, |name| {
                    constants.class(name).map(Type::Object)
                })?);
                needed = types.len();
            }
        }
    }
    types.truncate(needed);
    let own_slots = usize::from(old.max_locals);
    let escape = match wanted.escape {
        Some(_) => Some(Type::Object(constants.class("java/lang/Throwable")?)),
        None => None,
    };
    let again = old.handlers.iter();
    let again = again.filter(|h| tables::guards_itself(h.start, h.end, h.handler));
    Ok(Kept {
        own_slots,
        types,
        escape,
        again: again.map(|h| h.handler).collect(),
    })
}

/// An attribute's content with its length; code has its length so, too.
fn put_attribute_content(out: &mut Vec<u8>, content: &[u8]) {
    // At most some tables of 16 MiB each.
    out.extend((content.len() as u32).to_be_bytes());
    out.extend_from_slice(content);
}

/// Code indexes and counts, all of which were found to fit.
fn put_u2(out: &mut Vec<u8>, value: u32) {
    out.extend((value as u16).to_be_bytes());
}

#[cfg(test)]
mod tests;

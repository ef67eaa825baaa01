//! `StackMapTable` (JVMS §4.7.4): its frames are told one against the other, so they are read to what they mean and told
//! anew, at their new places and with the locals that a patch keeps.

use std::collections::HashMap;

use crate::class_file::Method;
use crate::descriptor::FieldType;
use crate::patch::code::Layout;
use crate::patch::pool::Constants;
use crate::patch::tables::whole;
use crate::patch::{Fault, put_u2};
use crate::reader::{Cut, Reader};

/// A verification type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Top,
    Int,
    Float,
    Double,
    Long,
    Null,
    UninitializedThis,
    /// By the constant of its class.
    Object(u16),
    /// As `this` or an argument has it when the method starts: by its position in [`Start::classes`].
    Initial(u16),
    /// By the (old) index of the `new`.
    Uninitialized(u32),
}

impl Type {
    const fn slots(self) -> usize {
        match self {
            Self::Long | Self::Double => 2,
            _ => 1,
        }
    }

    /// Of a value of this type; references are made by `reference` of their class's name.
    pub(super) fn of<E>(
        kind: &FieldType,
        reference: impl FnOnce(&str) -> Result<Self, E>,
    ) -> Result<Self, E> {
        Ok(match kind {
            FieldType::Long => Self::Long,
            FieldType::Float => Self::Float,
            FieldType::Double => Self::Double,
            FieldType::Object(name) => reference(name)?,
            FieldType::Array(_) => reference(&kind.descriptor())?,
            _ => Self::Int,
        })
    }
}

/// What the locals are when a method starts.
pub(super) struct Start {
    locals: Vec<Type>,
    /// The names of classes in it. They become constants only where a frame has to name them.
    classes: Vec<String>,
}

impl Start {
    pub(super) fn of(method: &Method, class: &str) -> Self {
        let (mut locals, mut classes) = (Vec::new(), Vec::new());
        let mut named = |name: &str| {
            classes.push(name.to_owned());
            // `this` and at most 255 arguments.
            Ok::<_, std::convert::Infallible>(Type::Initial(classes.len() as u16 - 1))
        };
        if !method.access.is_static() {
            let Ok(this) = named(class);
            let constructed = method.name == "<init>" && class != "java/lang/Object";
            locals.push(if constructed {
                Type::UninitializedThis
            } else {
                this
            });
        }
        for parameter in &method.descriptor.parameters {
            let Ok(argument) = Type::of(parameter, &mut named);
            locals.push(argument);
        }
        Self { locals, classes }
    }
}

/// A frame as it is meant: the locals in order, a `long` or `double` once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// The (old) index of its instruction.
    pub(super) at: u32,
    pub(super) locals: Vec<Type>,
    pub(super) stack: Vec<Type>,
}

/// Reads frames one by one.
struct Frames<'a> {
    reader: Reader<'a>,
    left: u16,
    /// The last one; before the first, what the method starts with and no index.
    frame: Frame,
    started: bool,
}

const TABLE: &str = "StackMapTable";

/// Bytes of a written table at which a method is refused. JVMS has no such limit; what compilers write is far below it,
/// and what is made to be large does not take all memory.
const MOST_BYTES: usize = 16 << 20;

fn broken(error: Cut) -> Fault {
    Fault::Table {
        table: TABLE,
        error: error.into(),
    }
}

impl<'a> Frames<'a> {
    fn new(mut reader: Reader<'a>, start: &Start) -> Result<Self, Fault> {
        let left = reader.u2().map_err(broken)?;
        let locals = start.locals.clone();
        Ok(Self {
            reader,
            left,
            frame: Frame {
                at: 0,
                locals,
                stack: Vec::new(),
            },
            started: false,
        })
    }

    fn next(&mut self) -> Result<Option<&Frame>, Fault> {
        let Some(left) = self.left.checked_sub(1) else {
            whole(&self.reader, TABLE)?;
            return Ok(None);
        };
        self.left = left;
        let tag = self.u1()?;
        let delta = match tag {
            0..=63 => u32::from(tag),
            64..=127 => u32::from(tag) - 64,
            247..=255 => self.u2()?,
            128..=246 => return Err(Fault::UnknownFrame { tag }),
        };
        let gap = u32::from(self.started);
        self.frame.at += delta + gap;
        self.started = true;
        self.frame.stack.clear();
        match tag {
            64..=127 | 247 => {
                let only = self.read_type()?;
                self.frame.stack.push(only);
            }
            248..=250 => {
                let fewer = self.frame.locals.len().checked_sub(usize::from(251 - tag));
                self.frame
                    .locals
                    .truncate(fewer.ok_or(Fault::UnknownFrame { tag })?);
            }
            252..=254 => {
                for _ in 0..tag - 251 {
                    let added = self.read_type()?;
                    self.frame.locals.push(added);
                }
            }
            255 => {
                self.frame.locals = self.read_types()?;
                self.frame.stack = self.read_types()?;
            }
            _ => {}
        }
        Ok(Some(&self.frame))
    }

    fn u1(&mut self) -> Result<u8, Fault> {
        self.reader.u1().map_err(broken)
    }

    fn u2(&mut self) -> Result<u32, Fault> {
        Ok(u32::from(self.reader.u2().map_err(broken)?))
    }

    fn read_types(&mut self) -> Result<Vec<Type>, Fault> {
        let count = self.u2()?;
        (0..count).map(|_| self.read_type()).collect()
    }

    fn read_type(&mut self) -> Result<Type, Fault> {
        Ok(match self.u1()? {
            0 => Type::Top,
            1 => Type::Int,
            2 => Type::Float,
            3 => Type::Double,
            4 => Type::Long,
            5 => Type::Null,
            6 => Type::UninitializedThis,
            7 => Type::Object(self.reader.u2().map_err(broken)?),
            8 => Type::Uninitialized(self.u2()?),
            tag => return Err(Fault::UnknownFrame { tag }),
        })
    }
}

/// Tells frames, each against the one before.
struct Teller<'a, 'c> {
    out: Vec<u8>,
    count: u32,
    /// The last frame's index and locals; no index before the first.
    last: Option<u32>,
    locals: Vec<Type>,
    start: &'a Start,
    layout: &'a Layout<'a>,
    constants: &'a mut Constants<'c>,
}

impl Teller<'_, '_> {
    fn tell(&mut self, at: u32, locals: &[Type], stack: &[Type]) -> Result<(), Fault> {
        let delta = match self.last {
            None => Some(at),
            Some(last) => at.checked_sub(last).and_then(|apart| apart.checked_sub(1)),
        };
        let delta = delta.ok_or(Fault::FrameOrder)?;
        let common = self.locals.iter().zip(locals).take_while(|(a, b)| a == b);
        let common = common.count();
        let (fewer, more) = (self.locals.len() - common, locals.len() - common);
        match (stack, fewer, more) {
            ([], 0, 0) if delta < 64 => self.out.push(delta as u8),
            ([], 0, 0) => self.tag(251, delta),
            ([only], 0, 0) => {
                if delta < 64 {
                    self.out.push(64 + delta as u8);
                } else {
                    self.tag(247, delta);
                }
                self.put_type(*only)?;
            }
            ([], 1..=3, 0) => self.tag(251 - fewer as u8, delta),
            ([], 0, 1..=3) => {
                self.tag(251 + more as u8, delta);
                self.put_types(locals.get(common..).unwrap_or_default())?;
            }
            _ => {
                self.tag(255, delta);
                for types in [locals, stack] {
                    let count = u16::try_from(types.len()).map_err(|_| Fault::FramesTooLarge)?;
                    put_u2(&mut self.out, u32::from(count));
                    self.put_types(types)?;
                }
            }
        }
        if self.out.len() > MOST_BYTES {
            return Err(Fault::FramesTooLarge);
        }
        self.count += 1;
        self.last = Some(at);
        self.locals.truncate(common);
        self.locals.extend(locals.iter().skip(common));
        Ok(())
    }

    fn tag(&mut self, tag: u8, delta: u32) {
        self.out.push(tag);
        put_u2(&mut self.out, delta);
    }

    fn put_types(&mut self, types: &[Type]) -> Result<(), Fault> {
        types.iter().try_for_each(|kind| self.put_type(*kind))
    }

    fn put_type(&mut self, kind: Type) -> Result<(), Fault> {
        let (tag, operand) = match kind {
            Type::Top => (0, None),
            Type::Int => (1, None),
            Type::Float => (2, None),
            Type::Double => (3, None),
            Type::Long => (4, None),
            Type::Null => (5, None),
            Type::UninitializedThis => (6, None),
            Type::Object(class) => (7, Some(u32::from(class))),
            Type::Initial(at) => {
                let name = self.start.classes.get(usize::from(at));
                let class = self.constants.class(name.map_or("", String::as_str))?;
                (7, Some(u32::from(class)))
            }
            Type::Uninitialized(new) => (8, Some(self.layout.standing(new)?)),
        };
        self.out.push(tag);
        if let Some(operand) = operand {
            put_u2(&mut self.out, operand);
        }
        Ok(())
    }
}

/// Locals that a patch keeps.
pub(super) struct Kept {
    /// Slots that the method has by itself.
    pub(super) own_slots: usize,
    /// What is added behind them; empty if nothing is kept.
    pub(super) types: Vec<Type>,
    /// What lies on the stack in the handler behind the code, if one is added.
    pub(super) escape: Option<Type>,
    /// Handlers that guard themselves, by their (old) index: exceptions arrive behind what is put in front of them, too.
    pub(super) again: Vec<u32>,
}

impl Kept {
    /// Adds them to the locals of a frame.
    fn add_to(&self, locals: &[Type], all: &mut Vec<Type>) -> Result<(), Fault> {
        all.clear();
        all.extend_from_slice(locals);
        if !self.types.is_empty() {
            let used = locals.iter().map(|kind| kind.slots()).sum();
            let free = self
                .own_slots
                .checked_sub(used)
                .ok_or(Fault::FramesTooLarge)?;
            all.resize(locals.len() + free, Type::Top);
            all.extend_from_slice(&self.types);
        }
        Ok(())
    }
}

/// The table moved, with the kept locals in every frame and with frames for added jumps.
pub(super) fn frames(
    reader: Reader<'_>,
    start: &Start,
    kept: &Kept,
    layout: &Layout<'_>,
    constants: &mut Constants<'_>,
) -> Result<Vec<u8>, Fault> {
    let islands = with_frames(layout.islands(), Frames::new(reader.clone(), start)?)?;
    let mut islands = islands.into_iter().peekable();
    let mut teller = Teller {
        out: vec![0; 2],
        count: 0,
        last: None,
        locals: start.locals.clone(),
        start,
        layout,
        constants,
    };
    let mut frames = Frames::new(reader, start)?;
    let mut all = Vec::new();
    while let Some(frame) = frames.next()? {
        let at = layout.arrival(frame.at)?;
        while let Some((at, frame)) = islands.next_if(|island| island.0 < at) {
            kept.add_to(&frame.locals, &mut all)?;
            teller.tell(at, &all, &frame.stack)?;
        }
        kept.add_to(&frame.locals, &mut all)?;
        teller.tell(at, &all, &frame.stack)?;
        let standing = layout.standing(frame.at)?;
        if standing > at && kept.again.contains(&frame.at) {
            teller.tell(standing, &all, &frame.stack)?;
        }
    }
    for (at, frame) in islands {
        kept.add_to(&frame.locals, &mut all)?;
        teller.tell(at, &all, &frame.stack)?;
    }
    if let Some(exception) = kept.escape {
        kept.add_to(&[], &mut all)?;
        teller.tell(layout.length(), &all, &[exception])?;
    }
    let count = u16::try_from(teller.count).map_err(|_| Fault::FramesTooLarge)?;
    let mut out = teller.out;
    out.splice(..2, count.to_be_bytes());
    Ok(out)
}

/// The frames of the instructions that added jumps lead to.
fn with_frames(
    islands: Vec<(u32, u32)>,
    mut frames: Frames<'_>,
) -> Result<Vec<(u32, Frame)>, Fault> {
    let mut wanted: HashMap<u32, Option<Frame>> = HashMap::new();
    for (_, target) in &islands {
        wanted.insert(*target, None);
    }
    let mut room = MOST_BYTES;
    while !wanted.is_empty()
        && let Some(frame) = frames.next()?
    {
        if let Some(place) = wanted.get_mut(&frame.at) {
            let taken = frame.locals.len() + frame.stack.len();
            room = room.checked_sub(taken).ok_or(Fault::FramesTooLarge)?;
            *place = Some(frame.clone());
        }
    }
    let told = islands.into_iter().map(|(at, target)| {
        let frame = wanted.get(&target).and_then(Option::as_ref);
        let frame = frame.ok_or(Fault::NoFrame { index: target })?;
        Ok((at, frame.clone()))
    });
    told.collect()
}

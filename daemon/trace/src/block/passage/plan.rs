//! What becomes of the events of a shape in a passage.

use super::super::Block;
use super::super::shape::{Shape, category, flag, op, tag, var};

/// What they do to the passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Nothing: they are not compared.
    Nothing,
    /// Something is not recorded.
    Gap,
    /// The thread ends.
    End,
    Enter,
    Exit,
    /// What an object holds was told.
    Content,
    /// What an object holds was found: nothing, unless it says that that is not known.
    Found,
    /// They are compared, and no call begins or ends.
    Plain,
}

/// What a word of their payload is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    /// A number that is the same in every run.
    Number,
    /// An object that is referred to.
    Object,
    /// An object that is made.
    Born,
    /// An object that holds something.
    Holder,
    /// The number of a change of what it holds.
    Change,
}

/// See the module.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) act: Act,
    /// One of them leaves no passage.
    pub(super) breaks: bool,
    /// What they are in every run: part of where passages end.
    pub(super) mark: u64,
    pub(super) words: Box<[Word]>,
}

fn word(column: u8) -> Option<Word> {
    Some(match column {
        category::NEW_OBJECT => Word::Born,
        category::OWNER | category::ARRAY => Word::Object,
        category::HOLDER => Word::Holder,
        category::CHANGE => Word::Change,
        category::CALL | category::MONITOR | category::TEXT => return None,
        _ if category::is_reference(column) => Word::Object,
        _ => Word::Number,
    })
}

/// Is a value of this type not recorded?
fn is_missing(value_tag: u32) -> bool {
    value_tag >= u32::from(tag::MISSING)
}

/// Multiplies to numbers whose upper bits depend on all bits.
pub(super) const MIX: u64 = 0xac49_f707_d867_d975;

impl Plan {
    fn new(shape: &Shape, tags: &[u8], layout: &[u8]) -> Self {
        let (act, breaks) = match shape.op {
            op::ENTER => {
                let late = shape.flags & flag::ALREADY_RUNNING != 0;
                let unseen = tags.iter().any(|&of| is_missing(of.into()));
                (Act::Enter, late || unseen)
            }
            op::RETURNED => {
                let has_value = shape.flags & flag::VALUE != 0;
                (Act::Exit, has_value && is_missing(shape.b))
            }
            op::THREW => (Act::Exit, is_missing(shape.b)),
            op::EXIT_UNKNOWN => (Act::Exit, true),
            op::NEW | op::EDGE => (Act::Plain, false),
            op::WRITE => {
                let elsewhere = shape.var & var::OTHER_CALL != 0 || shape.var == var::CONTENT;
                (Act::Plain, elsewhere || is_missing(shape.b))
            }
            op::THROWN | op::CAUGHT | op::UNCAUGHT => (Act::Plain, is_missing(shape.b)),
            op::CONTENT if shape.flags & flag::SNAPSHOT == 0 => (Act::Content, false),
            op::CONTENT => (Act::Found, false),
            op::GAP => (Act::Gap, true),
            op::THREAD_END => (Act::End, false),
            _ => (Act::Nothing, false),
        };
        let words: Option<Box<[Word]>> = layout.iter().map(|&column| word(column)).collect();
        // Without where in the code: a method that was changed has its places elsewhere.
        let of = match shape.op {
            op::WRITE => shape.b << 8 | u32::from(shape.var),
            op::RETURNED | op::THREW => shape.b,
            op::ENTER => tags.len() as u32,
            _ => 0,
        };
        let mark = (u64::from(shape.op) << 32 | u64::from(of)).wrapping_mul(MIX);
        Self {
            act,
            breaks: breaks || words.is_none(),
            mark,
            words: words.unwrap_or_default(),
        }
    }

    /// Of all shapes of a block.
    pub(super) fn of(block: &Block) -> Vec<Self> {
        let tags = |shape: &Shape| match shape.op {
            op::ENTER => block.tag_lists.get(shape.tags as usize),
            _ => None,
        };
        let plans = block.shapes.iter().enumerate().map(|(at, shape)| {
            let ends = block.layout_at.get(at).zip(block.layout_at.get(at + 1));
            let layout = ends.and_then(|(&from, &to)| block.layout.get(from as usize..to as usize));
            let tags = tags(shape).map_or(&[][..], |tags| tags);
            Self::new(shape, tags, layout.unwrap_or(&[]))
        });
        plans.collect()
    }
}

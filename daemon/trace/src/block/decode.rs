//! Bytes as a block. Nothing in the bytes is believed: every length is checked before memory is
//! taken, and a block that decodes can be read at every position without a panic.

use std::sync::Arc;

use thiserror::Error;

use super::changes::read_changes;
use super::encode::{MAGIC, predictor};
use super::flow::{BlockThread, NO_SHAPE};
use super::ints::{MAX_VALUES, column, unzigzag};
use super::shape::{Shape, category, is_valid, lay_out, op, tag};
use super::{Block, FORMAT_VERSION, MAX_EVENTS};
use crate::ids::ThreadId;

/// Bytes are not a block.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The bytes end too early.
    #[error("the data is cut")]
    Cut,
    /// It is something else.
    #[error("the data is no event block")]
    NotABlock,
    /// It was written by a newer version.
    #[error("format version {0} is not known (this code reads up to {FORMAT_VERSION})")]
    UnknownVersion(u8),
    /// The checksum does not fit the bytes.
    #[error("the checksum is {found:08x}, the data says {stored:08x}")]
    Checksum {
        /// As computed.
        found: u32,
        /// As stored.
        stored: u32,
    },
    /// A part makes no sense, though the checksum fits.
    #[error("invalid {0}")]
    Invalid(&'static str),
}

/// Reads bytes from the front.
#[derive(Clone, Debug)]
pub(crate) struct Cursor<'a> {
    rest: &'a [u8],
}

impl<'a> Cursor<'a> {
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What has not been read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(crate) fn byte(&mut self) -> Result<u8, DecodeError> {
        let (&byte, rest) = self.rest.split_first().ok_or(DecodeError::Cut)?;
        self.rest = rest;
        Ok(byte)
    }

    pub(crate) fn take(&mut self, n: usize) -> Result<&'a [u8], DecodeError> {
        let (taken, rest) = self.rest.split_at_checked(n).ok_or(DecodeError::Cut)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn varint(&mut self) -> Result<u64, DecodeError> {
        let mut value = 0u64;
        for (at, &byte) in self.rest.iter().enumerate().take(10) {
            if at == 9 && byte > 1 {
                return Err(DecodeError::Invalid("varint"));
            }
            value |= u64::from(byte & 0x7f) << (7 * at);
            if byte < 0x80 {
                self.rest = &self.rest[at + 1..];
                return Ok(value);
            }
        }
        Err(if self.rest.len() < 10 {
            DecodeError::Cut
        } else {
            DecodeError::Invalid("varint")
        })
    }

    /// A length of at most `limit`.
    pub(crate) fn length(&mut self, limit: usize) -> Result<usize, DecodeError> {
        let length = usize::try_from(self.varint()?).unwrap_or(usize::MAX);
        if length > limit {
            Err(DecodeError::Invalid("length"))
        } else {
            Ok(length)
        }
    }

    pub(crate) fn finish(self) -> Result<(), DecodeError> {
        if self.rest.is_empty() {
            Ok(())
        } else {
            Err(DecodeError::Invalid("trailing data"))
        }
    }

    fn number<T: TryFrom<u64>>(&mut self, what: &'static str) -> Result<T, DecodeError> {
        T::try_from(self.varint()?).map_err(|_| DecodeError::Invalid(what))
    }
}

impl Block {
    /// A block from the bytes of [`Block::encode`].
    pub fn decode(bytes: &[u8]) -> Result<Self, DecodeError> {
        let head = bytes.get(..MAGIC.len() + 1).ok_or(DecodeError::Cut)?;
        if head[..MAGIC.len()] != MAGIC {
            return Err(DecodeError::NotABlock);
        }
        let version = head[MAGIC.len()];
        if !(1..=FORMAT_VERSION).contains(&version) {
            return Err(DecodeError::UnknownVersion(version));
        }
        let (body, stored) = bytes.split_last_chunk::<4>().ok_or(DecodeError::Cut)?;
        let (stored, found) = (u32::from_le_bytes(*stored), crc32fast::hash(body));
        if stored != found {
            return Err(DecodeError::Checksum { found, stored });
        }
        let body = body.get(MAGIC.len() + 1..).ok_or(DecodeError::Cut)?;
        Self::decode_body(body, version)
    }

    /// Decodes what stands between the version and the checksum. Public within the crate so that
    /// fuzzing reaches it without having to guess checksums.
    pub(crate) fn decode_body(body: &[u8], version: u8) -> Result<Self, DecodeError> {
        let input = &mut Cursor::new(body);
        let mut block = Self {
            first: input.varint()?,
            ..Self::default()
        };
        let events = input.length(MAX_EVENTS - 1)?;
        block
            .first
            .checked_add(events as u64)
            .ok_or(DecodeError::Invalid("timestamp"))?;
        let wall = input.varint()?;
        let wall_end = wall
            .checked_add(input.varint()?)
            .ok_or(DecodeError::Invalid("clock"))?;
        block.wall = (wall, wall_end);
        block.read_threads(input, events)?;
        block.read_shapes(input)?;
        block.read_stream(input, events)?;
        let parents = column(input)?;
        let invocations = column(input)?;
        let texts = input.length(MAX_EVENTS)?;
        for _ in 0..texts {
            let length = input.length(usize::MAX)?;
            let text = std::str::from_utf8(input.take(length)?);
            block
                .texts
                .push(text.map_err(|_| DecodeError::Invalid("text"))?.to_owned());
        }
        block.follow_calls(&parents, &invocations)?;
        let mut categories = category::COUNT_1;
        if version > 1 {
            block.changes = read_changes(input)?;
            categories = category::COUNT;
        }
        block.read_payload(input, categories)?;
        input.clone().finish()?;
        Ok(block)
    }

    fn read_threads(&mut self, input: &mut Cursor<'_>, events: usize) -> Result<(), DecodeError> {
        let n = input.length(events)?;
        for _ in 0..n {
            let id: u32 = input.number("thread")?;
            let (first_call, innermost) = (input.varint()?, input.varint()?);
            let depth: u32 = input.number("depth")?;
            let limit = 1 << 40;
            if id >= 1 << 24 || first_call > limit || innermost >= first_call || depth > 1 << 31 {
                return Err(DecodeError::Invalid("thread"));
            }
            self.threads
                .push(BlockThread::new(ThreadId(id), first_call, innermost, depth));
        }
        let (threads, lengths) = (column(input)?, column(input)?);
        if threads.len() != lengths.len() {
            return Err(DecodeError::Invalid("thread runs"));
        }
        let mut sum = 0u64;
        for (&thread, &length) in threads.iter().zip(&lengths) {
            sum = sum.saturating_add(length);
            if thread >= n as u64 || length == 0 || sum > events as u64 {
                return Err(DecodeError::Invalid("thread runs"));
            }
            self.runs.push((thread as u32, length as u32));
        }
        if sum == events as u64 {
            Ok(())
        } else {
            Err(DecodeError::Invalid("thread runs"))
        }
    }

    fn read_shapes(&mut self, input: &mut Cursor<'_>) -> Result<(), DecodeError> {
        let lists = input.length(MAX_EVENTS)?;
        for _ in 0..lists {
            let length = input.length(1 << 16)?;
            let list = input.take(length)?;
            if list.iter().any(|&value_tag| value_tag > tag::LAST) {
                return Err(DecodeError::Invalid("value tag"));
            }
            self.tag_lists.push(list.into());
        }
        let columns: Vec<Vec<u64>> = (0..7).map(|_| column(input)).collect::<Result<_, _>>()?;
        let n = columns[0].len();
        if n >= MAX_EVENTS || columns.iter().any(|part| part.len() != n) {
            return Err(DecodeError::Invalid("shapes"));
        }
        self.layout_at.push(0);
        let none: Arc<[u8]> = Arc::default();
        #[expect(clippy::needless_range_loop, reason = "one position in seven columns")]
        for at in 0..n {
            let small = |part: usize| {
                u8::try_from(columns[part][at]).map_err(|_| DecodeError::Invalid("shape"))
            };
            let wide = |part: usize| {
                u32::try_from(columns[part][at]).map_err(|_| DecodeError::Invalid("shape"))
            };
            let mut shape = Shape {
                op: small(0)?,
                var: small(1)?,
                flags: small(2)?,
                index: wide(3)?.wrapping_sub(1),
                a: wide(4)?,
                b: wide(5)?,
                tags: wide(6)?,
            };
            let is_enter = shape.op == op::ENTER;
            if is_enter {
                shape.b = shape.b.wrapping_sub(1);
            }
            if !is_valid(&shape, self.tag_lists.len()) {
                return Err(DecodeError::Invalid("shape"));
            }
            let tags = if is_enter {
                &self.tag_lists[shape.tags as usize]
            } else {
                &none
            };
            lay_out(&shape, tags, |category| self.layout.push(category));
            if self.layout.len() > MAX_VALUES {
                return Err(DecodeError::Invalid("shapes"));
            }
            self.layout_at.push(self.layout.len() as u32);
            self.shapes.push(shape);
        }
        Ok(())
    }

    fn read_stream(&mut self, input: &mut Cursor<'_>, events: usize) -> Result<(), DecodeError> {
        let missed = column(input)?;
        let misses = column(input)?;
        if missed.len() != events.div_ceil(64) {
            return Err(DecodeError::Invalid("shape stream"));
        }
        let mut misses = misses.into_iter();
        let mut successors = vec![NO_SHAPE; self.shapes.len()];
        self.shape_of.reserve(events);
        self.payload_at.reserve(events);
        let mut position = 0;
        let mut payload = 0u32;
        for &(thread, length) in &self.runs {
            let thread = &mut self.threads[thread as usize];
            let mut before = thread.last_shape;
            for _ in 0..length {
                let shape = if missed[position / 64] >> (position % 64) & 1 == 1 {
                    misses.next().and_then(|shape| u16::try_from(shape).ok())
                } else {
                    successors.get(usize::from(before)).copied()
                };
                let shape = shape
                    .filter(|&shape| usize::from(shape) < self.shapes.len())
                    .ok_or(DecodeError::Invalid("shape stream"))?;
                if let Some(successor) = successors.get_mut(usize::from(before)) {
                    *successor = shape;
                }
                self.shape_of.push(shape);
                self.payload_at.push(payload);
                let at = usize::from(shape);
                payload = payload.saturating_add(self.layout_at[at + 1] - self.layout_at[at]);
                before = shape;
                position += 1;
            }
            thread.last_shape = before;
        }
        if misses.next().is_some() || payload as usize > MAX_VALUES {
            return Err(DecodeError::Invalid("shape stream"));
        }
        Ok(())
    }

    /// Works out calls, rows and invocations by following enters and exits.
    fn follow_calls(&mut self, parents: &[u64], invocations: &[u64]) -> Result<(), DecodeError> {
        let mut parents = parents.iter();
        let mut first_invocations = invocations.iter();
        let mut counts = rustc_hash::FxHashMap::<u32, u64>::default();
        self.calls.reserve(self.shape_of.len());
        let mut position = 0;
        for &(thread, length) in &self.runs {
            let thread = &mut self.threads[thread as usize];
            for _ in 0..length {
                let shape = &self.shapes[usize::from(self.shape_of[position])];
                thread.touch(position as u32);
                let innermost = thread.innermost_at_end();
                let call = match shape.op {
                    op::ENTER => {
                        let count = match counts.get_mut(&shape.a) {
                            Some(count) => count,
                            None => {
                                let first = first_invocations.next().copied();
                                let first = first.ok_or(DecodeError::Invalid("invocations"))?;
                                self.methods.push((shape.a, first));
                                counts.entry(shape.a).or_insert(first)
                            }
                        };
                        let invocation = *count;
                        *count = count.wrapping_add(1);
                        thread.enter(position as u32, invocation)
                    }
                    op::RETURNED | op::THREW | op::EXIT_UNKNOWN if thread.exits_outer() => {
                        let up = parents.next().ok_or(DecodeError::Invalid("parents"))?;
                        let parent = innermost.checked_sub(*up).filter(|_| *up > 0);
                        let parent = parent.ok_or(DecodeError::Invalid("parents"))?;
                        thread.exit_outer(position as u32, parent);
                        innermost
                    }
                    op::RETURNED | op::THREW | op::EXIT_UNKNOWN => {
                        thread.exit_inner(position as u32);
                        innermost
                    }
                    _ => innermost,
                };
                self.calls.push(thread.call_id(call).pack());
                position += 1;
            }
        }
        if parents.next().is_some() || first_invocations.next().is_some() {
            return Err(DecodeError::Invalid("calls"));
        }
        Ok(())
    }

    fn read_payload(
        &mut self,
        input: &mut Cursor<'_>,
        categories: usize,
    ) -> Result<(), DecodeError> {
        let mut columns = Vec::with_capacity(categories);
        for _ in 0..categories {
            // An empty column is its length alone and has no predictor before it.
            let mut ahead = input.clone();
            let (mut way, mut values) = (predictor::NONE, Vec::new());
            if self.has_payload(columns.len() as u8) {
                way = ahead.byte()?;
                if way > predictor::COLUMN {
                    return Err(DecodeError::Invalid("predictor"));
                }
            }
            values.append(&mut column(&mut ahead)?);
            *input = ahead;
            columns.push((way, values, 0usize, 0u64));
        }
        let mut last = vec![0u64; self.layout.len()];
        let total = self
            .payload_at
            .last()
            .zip(self.shape_of.last())
            .map_or(0, |(&at, &shape)| {
                let shape = usize::from(shape);
                at + self.layout_at[shape + 1] - self.layout_at[shape]
            });
        self.payload.reserve(total as usize);
        for &shape in &self.shape_of {
            let begin = self.layout_at[usize::from(shape)] as usize;
            let end = self.layout_at[usize::from(shape) + 1] as usize;
            for (number, last) in self.layout[begin..end].iter().zip(&mut last[begin..end]) {
                let number = *number;
                let column = columns.get_mut(usize::from(number));
                let (way, values, at, before) = column.ok_or(DecodeError::Invalid("shape"))?;
                let residual = *values.get(*at).ok_or(DecodeError::Invalid("payload"))?;
                *at += 1;
                let predicted = match *way {
                    predictor::SHAPE => *last,
                    predictor::COLUMN => *before,
                    _ => 0,
                };
                let value = if category::is_float(number) {
                    residual.swap_bytes() ^ predicted
                } else {
                    unzigzag(residual).wrapping_add(predicted)
                };
                *last = value;
                *before = value;
                self.payload.push(value);
            }
        }
        if columns.iter().any(|(_, values, at, _)| *at != values.len()) {
            return Err(DecodeError::Invalid("payload"));
        }
        Ok(())
    }

    /// Does any event have payload in this category?
    fn has_payload(&self, category: u8) -> bool {
        // Every shape is used by at least one event: the builder makes none otherwise. A crafted
        // block with an unused shape fails on the lengths.
        self.layout.contains(&category)
    }
}

//! A block as bytes. The layout stands in the head of [`super`].

use super::changes::put_changes;
use super::flow::NO_SHAPE;
use super::ints::{put_column, put_varint, varint_len, zigzag};
use super::shape::category;
use super::{Block, FORMAT_VERSION};

/// The first bytes of every block.
pub(crate) const MAGIC: [u8; 2] = *b"JB";

/// From what a payload value is predicted.
pub(crate) mod predictor {
    pub(crate) const NONE: u8 = 0;
    /// The value that the same place of the same shape had last.
    pub(crate) const SHAPE: u8 = 1;
    /// The last value of the column.
    pub(crate) const COLUMN: u8 = 2;
}

/// The difference of a value to its prediction, small for good predictions.
pub(crate) fn difference(is_float: bool, value: u64, predicted: u64) -> u64 {
    if is_float {
        // Neighbouring floats share sign, exponent and the first bits; round ones end in zeros.
        (value ^ predicted).swap_bytes()
    } else {
        zigzag(value.wrapping_sub(predicted))
    }
}

impl Block {
    /// The block as bytes.
    pub fn encode(&self) -> Vec<u8> {
        self.encode_measured(|_, _| {})
    }

    /// As [`Block::encode`], telling `part` the name and the bytes of every part that was written.
    pub fn encode_measured(&self, mut part: impl FnMut(&str, usize)) -> Vec<u8> {
        let mut out = Vec::with_capacity(self.len() * 2 + 256);
        out.extend_from_slice(&MAGIC);
        out.push(FORMAT_VERSION);
        for value in [
            self.first,
            self.len() as u64,
            self.wall.0,
            self.wall.1 - self.wall.0,
        ] {
            put_varint(&mut out, value);
        }
        let mut written = 0;
        let mut measure = |name: &str, out: &Vec<u8>| {
            part(name, out.len() - written);
            written = out.len();
        };
        measure("header", &out);
        self.put_threads(&mut out);
        measure("threads", &out);
        self.put_shapes(&mut out);
        measure("shapes", &out);
        self.put_stream(&mut out);
        measure("shape stream", &out);
        let exits = self.threads.iter().flat_map(|thread| &thread.outer_exits);
        let mut exits: Vec<_> = exits.map(|e| (e.position, e.call - e.parent)).collect();
        exits.sort_unstable();
        put_column(&mut out, &exits.iter().map(|e| e.1).collect::<Vec<_>>());
        put_column(
            &mut out,
            &self.methods.iter().map(|m| m.1).collect::<Vec<_>>(),
        );
        put_varint(&mut out, self.texts.len() as u64);
        for text in &self.texts {
            put_varint(&mut out, text.len() as u64);
            out.extend_from_slice(text.as_bytes());
        }
        measure("calls and texts", &out);
        put_changes(&mut out, &self.changes);
        measure("changes of contents", &out);
        self.put_payload(&mut out, measure);
        let checksum = crc32fast::hash(&out);
        out.extend_from_slice(&checksum.to_le_bytes());
        out
    }

    fn put_threads(&self, out: &mut Vec<u8>) {
        put_varint(out, self.threads.len() as u64);
        for thread in &self.threads {
            put_varint(out, thread.id.0.into());
            put_varint(out, thread.first_call);
            put_varint(out, thread.innermost);
            put_varint(out, thread.depth.into());
        }
        put_column(
            out,
            &self.runs.iter().map(|run| run.0.into()).collect::<Vec<_>>(),
        );
        put_column(
            out,
            &self.runs.iter().map(|run| run.1.into()).collect::<Vec<_>>(),
        );
    }

    fn put_shapes(&self, out: &mut Vec<u8>) {
        put_varint(out, self.tag_lists.len() as u64);
        for list in &self.tag_lists {
            put_varint(out, list.len() as u64);
            out.extend_from_slice(list);
        }
        let mut column = |part: fn(&super::Shape) -> u64| {
            put_column(out, &self.shapes.iter().map(part).collect::<Vec<_>>());
        };
        column(|shape| shape.op.into());
        column(|shape| shape.var.into());
        column(|shape| shape.flags.into());
        // One more, so that "no index" is 0 and not five bytes.
        column(|shape| shape.index.wrapping_add(1).into());
        column(|shape| shape.a.into());
        column(|shape| {
            if shape.op == super::shape::op::ENTER {
                shape.b.wrapping_add(1).into()
            } else {
                shape.b.into()
            }
        });
        column(|shape| shape.tags.into());
    }

    fn put_stream(&self, out: &mut Vec<u8>) {
        let mut successors = vec![NO_SHAPE; self.shapes.len()];
        let mut last = vec![NO_SHAPE; self.threads.len()];
        let mut missed = vec![0u64; self.len().div_ceil(64)];
        let mut misses = Vec::new();
        let mut position = 0;
        for &(thread, length) in &self.runs {
            let mut before = last[thread as usize];
            for _ in 0..length {
                let shape = self.shape_of[position];
                let successor = successors.get_mut(usize::from(before));
                if successor.as_deref() != Some(&shape) {
                    missed[position / 64] |= 1 << (position % 64);
                    misses.push(shape.into());
                }
                if let Some(successor) = successor {
                    *successor = shape;
                }
                before = shape;
                position += 1;
            }
            last[thread as usize] = before;
        }
        put_column(out, &missed);
        put_column(out, &misses);
    }

    /// The values of each payload column with their place in `layout`.
    fn columns(&self) -> Vec<Vec<(u64, u32)>> {
        let mut sizes = [0; category::COUNT];
        for &shape in &self.shape_of {
            let begin = self.layout_at[usize::from(shape)] as usize;
            let end = self.layout_at[usize::from(shape) + 1] as usize;
            for &number in &self.layout[begin..end] {
                sizes[usize::from(number)] += 1;
            }
        }
        let mut columns: Vec<_> = sizes.iter().map(|&size| Vec::with_capacity(size)).collect();
        // The payload lies in the order of the events, without gaps.
        let mut payload = self.payload.iter();
        for &shape in &self.shape_of {
            let begin = self.layout_at[usize::from(shape)];
            let end = self.layout_at[usize::from(shape) + 1];
            let numbers = &self.layout[begin as usize..end as usize];
            for ((place, &number), &value) in (begin..end).zip(numbers).zip(&mut payload) {
                columns[usize::from(number)].push((value, place));
            }
        }
        columns
    }

    fn put_payload(&self, out: &mut Vec<u8>, mut measure: impl FnMut(&str, &Vec<u8>)) {
        let mut last = vec![0; self.layout.len()];
        let mut residuals = Vec::new();
        for (number, column) in self.columns().into_iter().enumerate() {
            let is_float = category::is_float(number as u8);
            residuals.clear();
            if !column.is_empty() {
                let way = best_predictor(&column, is_float, self.layout.len());
                out.push(way);
                let mut before = 0;
                residuals.extend(column.iter().map(|&(value, place)| {
                    let predicted = match way {
                        predictor::SHAPE => std::mem::replace(&mut last[place as usize], value),
                        predictor::COLUMN => std::mem::replace(&mut before, value),
                        _ => 0,
                    };
                    difference(is_float, value, predicted)
                }));
            }
            put_column(out, &residuals);
            measure(&category::name(number as u8), out);
        }
    }
}

/// Values that are looked at, from a column's beginning and again from its middle, to choose its predictor.
const SAMPLE: usize = 256;

/// Which way of predicting makes a column smallest, going by a sample.
fn best_predictor(column: &[(u64, u32)], is_float: bool, places: usize) -> u8 {
    let middle = (column.len() / 2).max(SAMPLE).min(column.len());
    let end = (middle + SAMPLE).min(column.len());
    let sample = column[..SAMPLE.min(middle)]
        .iter()
        .chain(&column[middle..end]);
    let mut last = vec![0; places];
    let mut before = 0;
    let mut costs = [Cost::default(); 3];
    for &(value, place) in sample {
        let by_shape = std::mem::replace(&mut last[place as usize], value);
        for (cost, predicted) in costs.iter_mut().zip([0, by_shape, before]) {
            cost.add(difference(is_float, value, predicted));
        }
        before = value;
    }
    let [none, shape, column] = costs.map(|cost| cost.quarters);
    if none <= shape && none <= column {
        predictor::NONE
    } else if shape <= column {
        predictor::SHAPE
    } else {
        predictor::COLUMN
    }
}

/// Guesses what a column will take: varint bytes, where a value that repeats the one before costs
/// a quarter of a byte, because lz4 will swallow it.
#[derive(Clone, Copy, Default)]
struct Cost {
    quarters: usize,
    before: u64,
}

impl Cost {
    fn add(&mut self, residual: u64) {
        self.quarters += if residual == self.before {
            1
        } else {
            4 * varint_len(residual)
        };
        self.before = residual;
    }
}

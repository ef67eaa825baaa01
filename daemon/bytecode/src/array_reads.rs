//! Which instruction loads the array that an array access reads: with what that instruction reads, an
//! element has the name that the source gives it, `a[]` or `this.rows[]`.

use crate::decode::Code;
use crate::effects::Place;

impl Code {
    /// For each instruction that reads an array element the one that loads the array: their indexes, the reading
    /// one's rising.
    ///
    /// Found by walking back over what computes the index of the element. Where that takes more than local
    /// variables, fields, elements and `int` arithmetic (a call, a choice), the access is left out.
    pub fn array_reads(&self) -> Vec<(u32, u32)> {
        let targets = self.branch_targets();
        let instructions = self.instructions().iter().enumerate();
        let accesses = instructions.filter(|(_, access)| {
            let read = access.uses();
            matches!(read, Some(Place::Element(_)))
        });
        accesses
            .filter_map(|(ordinal, access)| Some((access.index, self.loaded(ordinal, &targets)?)))
            .collect()
    }

    /// The instruction that pushed the array below the index that lies on top of the stack before an access.
    fn loaded(&self, access: usize, targets: &[u32]) -> Option<u32> {
        // How many slots lie above the array. Only values of one slot come up, see the last arm.
        let mut above = 1_u32;
        for ordinal in (0..access).rev() {
            let next = self.instructions().get(ordinal + 1)?;
            if targets.binary_search(&next.index).is_ok() {
                // Another way comes in here.
                return None;
            }
            let instruction = self.instructions().get(ordinal)?;
            let pops = match instruction.opcode as u8 {
                // nop, iinc, checkcast: what lies on the stack stays.
                0x00 | 0x84 | 0xc0 => continue,
                // Constants, loads of locals and statics.
                0x01..=0x08
                | 0x0b..=0x0d
                | 0x10..=0x13
                | 0x15
                | 0x17
                | 0x19
                | 0x1a..=0x1d
                | 0x22..=0x25
                | 0x2a..=0x2d
                | 0xb2 => 0,
                // ineg, i2b, i2c, i2s, getfield, arraylength.
                0x74 | 0x91..=0x93 | 0xb4 | 0xbe => 1,
                // Elements of one slot, int arithmetic.
                0x2e | 0x30 | 0x32..=0x35 => 2,
                0x60 | 0x64 | 0x68 | 0x6c | 0x70 | 0x78 | 0x7a | 0x7c | 0x7e | 0x80 | 0x82 => 2,
                // istore, putstatic, putfield: they push nothing.
                0x36 | 0x3b..=0x3e | 0xb3 => {
                    above += 1;
                    continue;
                }
                0xb5 => {
                    above += 2;
                    continue;
                }
                // dup, dup_x1, dup2: the value was there before, at another depth.
                0x59 => {
                    above = above.saturating_sub(1);
                    continue;
                }
                0x5a => {
                    above = match above {
                        0 | 2 => 0,
                        1 => 1,
                        deeper => deeper - 1,
                    };
                    continue;
                }
                0x5c => {
                    above = if above < 2 { above } else { above - 2 };
                    continue;
                }
                // Whatever takes two slots ends the search, so that a field or static cannot be mistaken for
                // one of one slot: a long or double becomes an int, or goes onto the stack, by one of these.
                _ => return None,
            };
            if above == 0 {
                return Some(instruction.index);
            }
            above += pops;
            above -= 1;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(bytes: &[u8]) -> Vec<(u32, u32)> {
        Code::decode(bytes).unwrap().array_reads()
    }

    #[test]
    fn the_array_is_found_below_its_index() {
        // 0 aload_0, 1 iload_1, 2 iaload
        assert_eq!(reads(&[0x2a, 0x1b, 0x2e]), [(2, 0)]);
        // a[i++]: 0 aload_0, 1 iload_1, 2 iinc 1 1, 5 iaload
        assert_eq!(reads(&[0x2a, 0x1b, 0x84, 1, 1, 0x2e]), [(5, 0)]);
        // a[b[i + 1]]: 0 aload_0, 1 aload_1, 2 iload_2, 3 iconst_1, 4 iadd, 5 iaload, 6 iaload
        let nested = [0x2a, 0x2b, 0x1c, 0x04, 0x60, 0x2e, 0x2e];
        assert_eq!(reads(&nested), [(5, 1), (6, 0)]);
        // a[i][j]: 0 aload_0, 1 iload_1, 2 aaload, 3 iload_2, 4 iaload
        assert_eq!(reads(&[0x2a, 0x1b, 0x32, 0x1c, 0x2e]), [(2, 0), (4, 2)]);
        // a[i] += …: 0 aload_0, 1 iload_1, 2 dup2, 3 iaload
        assert_eq!(reads(&[0x2a, 0x1b, 0x5c, 0x2e]), [(3, 0)]);
    }

    #[test]
    fn a_field_may_be_the_array_or_count_in_the_index() {
        // this.buffer[this.at++]: 0 aload_0, 1 getfield, 4 aload_0, 5 dup, 6 getfield, 9 dup_x1, 10 iconst_1,
        // 11 iadd, 12 putfield, 15 baload
        let code = [
            0x2a, 0xb4, 0, 1, 0x2a, 0x59, 0xb4, 0, 2, 0x5a, 0x04, 0x60, 0xb5, 0, 2, 0x33,
        ];
        assert_eq!(reads(&code), [(15, 1)]);
        // a[next = i]: 0 aload_0, 1 iload_1, 2 dup, 3 putstatic, 6 iaload
        assert_eq!(reads(&[0x2a, 0x1b, 0x59, 0xb3, 0, 1, 0x2e]), [(6, 0)]);
        // a[i]++ of a static array: 0 getstatic, 3 iload_0, 4 dup2, 5 iaload
        assert_eq!(reads(&[0xb2, 0, 1, 0x1a, 0x5c, 0x2e]), [(5, 0)]);
    }

    #[test]
    fn what_is_not_sure_is_left_out() {
        // A call: 0 aload_0, 1 invokestatic, 4 iaload
        assert_eq!(reads(&[0x2a, 0xb8, 0, 1, 0x2e]), []);
        // A long: 0 aload_0, 1 lload_1, 2 l2i, 3 iaload
        assert_eq!(reads(&[0x2a, 0x1f, 0x88, 0x2e]), []);
        // a[c ? 1 : 2]: 0 aload_0, 1 iload_1, 2 ifeq 9, 5 iconst_1, 6 goto 10, 9 iconst_2, 10 iaload
        let choice = [0x2a, 0x1b, 0x99, 0, 7, 0x04, 0xa7, 0, 4, 0x05, 0x2e];
        assert_eq!(reads(&choice), []);
        // Nothing before it.
        assert_eq!(reads(&[0x2e]), []);
        assert_eq!(reads(&[0x04, 0x2e]), []);
    }
}

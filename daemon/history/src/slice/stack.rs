//! The operand stack of a call that is run again, word by word, with where each word came from instead of what it is.

use jhyde_bytecode::StackWords;

/// Where something on the stack came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Feed {
    /// A row of the replay: a read, a call's result, an object made, an exception caught.
    Row(u32),
    /// A constant, put there by the instruction `at` behind the row `after`: nothing was read for it, but that this
    /// instruction ran and no other may hang on a condition.
    Constant { after: u32, at: u32 },
    /// Something that was there before, or was not seen.
    Open,
}

/// What one word came from: sorted, each once.
pub(super) type Feeds = Vec<Feed>;

/// Adds what is not yet there.
pub(super) fn join(all: &mut Feeds, more: &[Feed]) {
    for feed in more {
        if let Err(at) = all.binary_search(feed) {
            all.insert(at, *feed);
        }
    }
}

/// The stack. Under the words that are known may lie others, of which only is known what they can have come from.
#[derive(Clone, Debug, Default)]
pub(super) struct Stack {
    words: Vec<Feeds>,
    /// What lies below; `None`: nothing does.
    below: Option<Feeds>,
}

impl Stack {
    /// One of which nothing is known.
    pub(super) fn unknown() -> Self {
        Self {
            words: Vec::new(),
            below: Some(vec![Feed::Open]),
        }
    }

    fn pop_word(&mut self) -> Feeds {
        self.words
            .pop()
            // More is taken than was put: something was not seen.
            .unwrap_or_else(|| self.below.clone().unwrap_or_else(|| vec![Feed::Open]))
    }

    /// Takes so many words, together.
    pub(super) fn pop(&mut self, words: u8) -> Feeds {
        let mut all = Feeds::new();
        for _ in 0..words {
            join(&mut all, &self.pop_word());
        }
        all
    }

    /// Puts so many words that all came from the same.
    pub(super) fn push(&mut self, words: u8, feeds: &[Feed]) {
        for _ in 0..words {
            self.words.push(feeds.to_vec());
        }
    }

    /// All that lies there, without taking it.
    pub(super) fn all(&self) -> Feeds {
        let mut all = self.below.clone().unwrap_or_default();
        for word in &self.words {
            join(&mut all, word);
        }
        all
    }

    /// An instruction took and put words, nobody knows how many: whatever is taken from here on can have come from
    /// anything that was there, or from what it put.
    pub(super) fn blur(&mut self, put: &[Feed]) {
        let mut all = self.all();
        join(&mut all, put);
        self.words.clear();
        self.below = Some(all);
    }

    /// An exception empties it (JVMS 2.10).
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    /// Does what only moves words; what reads, writes or calls needs names and is not done here.
    pub(super) fn shuffle(&mut self, words: StackWords) {
        match words {
            StackWords::Swap => self.copy_under(1, 1, true),
            StackWords::Copies { count, below } => self.copy_under(count, below, false),
            _ => {}
        }
    }

    /// Puts the upper `count` words `below` words lower; they also stay on top unless they are only moved.
    fn copy_under(&mut self, count: u8, below: u8, only_move: bool) {
        let upper: Vec<Feeds> = (0..count).map(|_| self.pop_word()).collect();
        let lower: Vec<Feeds> = (0..below).map(|_| self.pop_word()).collect();
        self.words.extend(upper.iter().rev().cloned());
        self.words.extend(lower.into_iter().rev());
        if !only_move {
            self.words.extend(upper.into_iter().rev());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(rows: &[u32]) -> Stack {
        let mut stack = Stack::default();
        rows.iter()
            .for_each(|row| stack.push(1, &[Feed::Row(*row)]));
        stack
    }

    fn rows(mut stack: Stack) -> Vec<u32> {
        let mut rows = Vec::new();
        while !stack.words.is_empty() {
            if let [Feed::Row(row)] = stack.pop(1).as_slice() {
                rows.insert(0, *row);
            }
        }
        rows
    }

    #[test]
    fn words_are_copied_as_the_instructions_say() {
        for (count, below, expected) in [
            (1, 0, vec![1, 2, 3, 4, 4]),
            (1, 1, vec![1, 2, 4, 3, 4]),
            (1, 2, vec![1, 4, 2, 3, 4]),
            (2, 0, vec![1, 2, 3, 4, 3, 4]),
            (2, 1, vec![1, 3, 4, 2, 3, 4]),
            (2, 2, vec![3, 4, 1, 2, 3, 4]),
        ] {
            let mut stack = stack(&[1, 2, 3, 4]);
            stack.shuffle(StackWords::Copies { count, below });
            assert_eq!(rows(stack), expected, "{count} {below}");
        }
        let mut swapped = stack(&[1, 2]);
        swapped.shuffle(StackWords::Swap);
        assert_eq!(rows(swapped), [2, 1]);
    }

    #[test]
    fn what_was_blurred_can_be_anything_that_was_there() {
        let mut stack = stack(&[1, 2]);
        stack.blur(&[Feed::Row(3)]);
        stack.push(1, &[Feed::Row(4)]);
        assert_eq!(stack.pop(1), [Feed::Row(4)]);
        assert_eq!(stack.pop(1), [Feed::Row(1), Feed::Row(2), Feed::Row(3)]);
    }

    #[test]
    fn more_than_is_there_is_open() {
        assert_eq!(Stack::default().pop(1), [Feed::Open]);
        assert_eq!(Stack::unknown().pop(2), [Feed::Open]);
    }
}

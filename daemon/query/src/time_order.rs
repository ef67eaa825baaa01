//! Rows of several sources, each of which has its own in the order of time, brought into one order without keeping many of them.

use std::collections::BTreeMap;

use jhyde_trace::Timestamp;

use crate::error::Result;

/// So many rows are read ahead of all sources together, or few more: the n-th source reads a n-th of that ahead, and the one that is
/// waited for at least.
const AHEAD: usize = 1024;

/// Rows in the order of time.
pub(crate) trait Source {
    /// What a row is.
    type Row;

    /// The next row. So many may be read ahead.
    fn next(&mut self, ahead: usize) -> Result<Option<(Timestamp, Self::Row)>>;
}

/// Rows that are there already.
impl<T> Source for std::vec::IntoIter<(Timestamp, T)> {
    type Row = T;

    fn next(&mut self, _: usize) -> Result<Option<(Timestamp, T)>> {
        Ok(Iterator::next(self))
    }
}

/// See the module. Of each source its next row waits until no earlier one can come any more.
#[derive(Debug)]
pub(crate) struct TimeOrder<S: Source> {
    waiting: BTreeMap<(Timestamp, u64), (S::Row, S)>,
    count: u64,
}

impl<S: Source> TimeOrder<S> {
    pub(crate) fn new() -> Self {
        Self {
            waiting: BTreeMap::new(),
            count: 0,
        }
    }

    /// One more. Rows of one time come in the order of their sources.
    pub(crate) fn add(&mut self, source: S) -> Result<()> {
        self.count += 1;
        self.wait(self.count, source)
    }

    fn wait(&mut self, number: u64, mut source: S) -> Result<()> {
        let ahead = AHEAD / (self.waiting.len() + 1);
        if let Some((at, row)) = source.next(ahead.max(1))? {
            self.waiting.insert((at, number), (row, source));
        }
        Ok(())
    }

    /// The next row, if it is before a time: all sources that are added later begin at or behind it.
    pub(crate) fn before(&mut self, end: Timestamp) -> Result<Option<S::Row>> {
        match self.waiting.first_entry() {
            Some(first) if first.key().0 < end => {
                let (_, number) = *first.key();
                let (row, source) = first.remove();
                self.wait(number, source)?;
                Ok(Some(row))
            }
            _ => Ok(None),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::rc::Rc;

    use super::*;

    fn of(rows: &[(u64, &'static str)]) -> std::vec::IntoIter<(Timestamp, &'static str)> {
        let rows = rows.iter().map(|(at, row)| (Timestamp(*at), *row));
        rows.collect::<Vec<_>>().into_iter()
    }

    fn taken<S: Source<Row = &'static str>>(order: &mut TimeOrder<S>, end: u64) -> String {
        let mut all = String::new();
        while let Some(row) = order.before(Timestamp(end)).expect("a row") {
            all.push_str(row);
        }
        all
    }

    #[test]
    fn rows_come_in_the_order_of_time_and_equal_times_by_their_sources() {
        let mut order = TimeOrder::new();
        order
            .add(of(&[(3, "a"), (5, "b"), (9, "e")]))
            .expect("added");
        order.add(of(&[(5, "c")])).expect("added");
        assert_eq!(taken(&mut order, 5), "a");
        order
            .add(of(&[(5, "d"), (5, "D"), (11, "g")]))
            .expect("added");
        order.add(of(&[])).expect("added");
        order.add(of(&[(10, "f")])).expect("added");
        assert_eq!(taken(&mut order, 10), "bcdDe");
        assert_eq!(taken(&mut order, u64::MAX), "fg");
    }

    /// Tells how many rows of all sources are read and not taken.
    struct Counted {
        next: u64,
        step: u64,
        read: usize,
        held: Rc<Cell<usize>>,
    }

    impl Source for Counted {
        type Row = u64;

        fn next(&mut self, ahead: usize) -> Result<Option<(Timestamp, u64)>> {
            if self.read == 0 {
                self.read = ahead;
                self.held.set(self.held.get() + ahead);
            }
            self.read -= 1;
            self.held.set(self.held.get() - 1);
            self.next += self.step;
            Ok(Some((Timestamp(self.next), self.next)))
        }
    }

    #[test]
    fn however_many_sources_there_are_few_rows_are_read_ahead() {
        const SOURCES: usize = 5000;
        let held = Rc::new(Cell::new(0));
        let mut order = TimeOrder::new();
        let (mut last, mut most) = (0, 0);
        for number in 0..SOURCES as u64 {
            let source = Counted {
                next: number * 10,
                step: 1 + number % 7,
                read: 0,
                held: Rc::clone(&held),
            };
            order.add(source).expect("added");
            for _ in 0..20 {
                if let Some(row) = order.before(Timestamp(number * 10)).expect("a row") {
                    assert!(row >= last, "{row} comes behind {last}");
                    last = row;
                }
                most = most.max(held.get());
            }
        }
        // The n-th source reads at most a n-th: 1 + 1/2 + 1/3 + … of them is less than ten.
        assert!(most < 10 * AHEAD && most > AHEAD / 2, "{most}");
    }
}

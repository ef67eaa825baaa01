//! Rows of several calls, brought into the order of time without keeping more of them than the calls that overlap have.

use std::collections::BTreeMap;

use jhyde_trace::Timestamp;

/// Rows that wait until no earlier one can come any more.
#[derive(Debug)]
pub(crate) struct TimeOrder<T> {
    waiting: BTreeMap<(Timestamp, u64), T>,
    count: u64,
}

impl<T> TimeOrder<T> {
    pub(crate) fn new() -> Self {
        Self {
            waiting: BTreeMap::new(),
            count: 0,
        }
    }

    pub(crate) fn add(&mut self, at: Timestamp, row: T) {
        self.waiting.insert((at, self.count), row);
        self.count += 1;
    }

    /// The rows before a time, in order: all that is added later is at or behind it.
    pub(crate) fn before(&mut self, at: Timestamp) -> impl Iterator<Item = T> + use<T> {
        let later = self.waiting.split_off(&(at, 0));
        std::mem::replace(&mut self.waiting, later).into_values()
    }

    /// The rest.
    pub(crate) fn rest(self) -> impl Iterator<Item = T> {
        self.waiting.into_values()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_come_in_the_order_of_time_and_equal_times_as_added() {
        let mut order = TimeOrder::new();
        for (at, row) in [(9, "d"), (3, "a"), (5, "b"), (5, "c")] {
            order.add(Timestamp(at), row);
        }
        assert_eq!(order.before(Timestamp(5)).collect::<String>(), "a");
        order.add(Timestamp(5), "e");
        assert_eq!(order.rest().collect::<String>(), "bced");
    }
}

//! What objects of the JDK hold, in a graph: items in their order, or, where that says nothing, in one of our own.

use jhyde_trace::{Items, Value};

use super::Stop;
use super::graph::Graph;
use crate::contents::{CUT, Known, Naming, Stands};

impl Graph<'_> {
    /// What an object of the JDK holds.
    pub(super) fn held(&mut self, known: &Known, class: &str) -> Result<(), Stop> {
        let Known {
            items,
            length,
            stands,
        } = known;
        if items.len() < *length {
            return Err(Stop::Not(CUT.to_owned()));
        }
        self.charge(items.len())?;
        match stands {
            Stands::Holds => self.sink.tag(b'h'),
            Stands::Next => self.sink.tag(b'n'),
            Stands::Buffer { position, limit } => {
                self.sink.tag(b'b');
                self.sink.number(u64::from(*position));
                self.sink.number(u64::from(*limit));
            }
        }
        self.sink.number(items.len() as u64);
        match items {
            Items::Elements(values) => {
                let is_set = self.history.naming(items, class) == Naming::Elements;
                let order = self.order(values, is_set && hides_its_order(class))?;
                order.into_iter().try_for_each(|at| self.value(values[at]))
            }
            Items::Entries(entries) => {
                self.charge(entries.len())?;
                let keys: Vec<Value> = entries.iter().map(|(key, _)| *key).collect();
                let order = self.order(&keys, hides_its_order(class))?;
                order.into_iter().try_for_each(|at| {
                    let (key, value) = entries[at];
                    self.value(key)?;
                    self.value(value)
                })
            }
            Items::Text(units) => {
                self.sink.bytes(&units.to_bytes());
                Ok(())
            }
            Items::Value(value) => self.value(*value),
            Items::Named(parts) => parts.iter().try_for_each(|(name, value)| {
                self.sink.text(name);
                self.value(*value)
            }),
            Items::View { .. } => Err(Stop::Not("what is behind a view is not known".to_owned())),
        }
    }

    /// In which order keys are compared: their own, or, where that says nothing and all of them are things that never change, that of
    /// their bytes.
    fn order(&self, keys: &[Value], hidden: bool) -> Result<Vec<usize>, Stop> {
        let mut order: Vec<usize> = (0..keys.len()).collect();
        if hidden {
            let leaves = keys.iter().map(|key| self.leaf(*key));
            let leaves: Vec<Option<Vec<u8>>> = leaves.collect::<Result<_, _>>()?;
            if leaves.iter().all(Option::is_some) {
                order.sort_by(|&one, &other| leaves[one].cmp(&leaves[other]));
            }
        }
        Ok(order)
    }
}

/// Is the order in which it gives its items one that its documentation does not speak of?
fn hides_its_order(class: &str) -> bool {
    let hashed = class.contains("Hash") && !class.contains("Linked");
    // Their order changes from run to run.
    let immutable = class.starts_with("java.util.ImmutableCollections$");
    hashed || (immutable && (class.contains("Set") || class.contains("Map")))
}

#[cfg(test)]
mod tests {
    use super::hides_its_order;

    #[test]
    fn the_order_of_lists_and_sorted_maps_counts() {
        for class in [
            "java.util.HashMap",
            "java.util.HashSet",
            "java.util.concurrent.ConcurrentHashMap",
            "java.util.ImmutableCollections$SetN",
            "java.util.HashMap$KeySet",
        ] {
            assert!(hides_its_order(class), "{class}");
        }
        for class in [
            "java.util.LinkedHashMap",
            "java.util.TreeMap",
            "java.util.ArrayList",
            "java.util.ImmutableCollections$ListN",
        ] {
            assert!(!hides_its_order(class), "{class}");
        }
    }
}

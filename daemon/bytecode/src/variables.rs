//! Local variables as the source has them, over the slots that the code has: the variable table
//! asked in both directions. Two locals of one slot with different ranges are two variables.

use std::collections::HashMap;

use crate::attributes::LocalVariable;
use crate::decode::Code;
use crate::def_use::{DefUse, Definition};

/// A variable's number in its method, from 0, dense, in the order of the variable table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct VariableId(pub u32);

/// A local variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Its (first) slot.
    pub slot: u16,
    /// Its name in the source.
    pub name: String,
    /// Its descriptor.
    pub descriptor: String,
    /// Where it has a value: from and (without) to these indexes, ascending. More than one where
    /// the table has several entries for one variable.
    pub ranges: Vec<(u32, u32)>,
}

/// The local variables of one method.
#[derive(Clone, Debug, Default)]
pub struct Variables {
    all: Vec<Variable>,
    /// Of each slot: range and variable, by start.
    by_slot: HashMap<u16, Vec<(u32, u32, VariableId)>>,
}

impl Variables {
    /// Takes the table as it is: each entry is a variable.
    pub fn new(table: &[LocalVariable]) -> Self {
        Self::grouped(table, &(0..table.len()).collect::<Vec<_>>())
    }

    /// Takes entries of one slot, name and type as one variable where a definition under one of
    /// them reaches a use under the other. Compilers write several entries for a variable that is
    /// declared first and assigned on several branches; two loops with an `i` of their own share
    /// nothing, so theirs stay two.
    pub fn with_def_use(table: &[LocalVariable], code: &Code, def_use: &DefUse) -> Self {
        let plain = Self::new(table);
        let mut group: Vec<usize> = (0..table.len()).collect();
        for pair in def_use.pairs() {
            let defined = match pair.definition {
                Definition::Entry => plain.at(pair.slot, 0),
                Definition::Store(index) => code
                    .at(index)
                    .and_then(|i| plain.written_by(pair.slot, index, i.next())),
            };
            let (Some(a), Some(b)) = (defined, plain.read_at(pair.slot, pair.used_at)) else {
                continue;
            };
            let (a, b) = (a.0 as usize, b.0 as usize);
            let (Some(one), Some(other)) = (table.get(a), table.get(b)) else {
                continue;
            };
            if one.name == other.name && one.descriptor == other.descriptor {
                let (a, b) = (find(&mut group, a), find(&mut group, b));
                // The least entry stands for the group.
                group[a.max(b)] = a.min(b);
            }
        }
        let roots: Vec<usize> = (0..table.len()).map(|at| find(&mut group, at)).collect();
        Self::grouped(table, &roots)
    }

    /// `group[i]` is the first entry of the variable that entry `i` belongs to.
    fn grouped(table: &[LocalVariable], group: &[usize]) -> Self {
        let mut variables = Self::default();
        let mut ids = HashMap::new();
        for (entry, root) in table.iter().zip(group) {
            let id = *ids.entry(*root).or_insert_with(|| {
                variables.all.push(Variable {
                    slot: entry.slot,
                    name: entry.name.clone(),
                    descriptor: entry.descriptor.clone(),
                    ranges: Vec::new(),
                });
                VariableId(variables.all.len() as u32 - 1)
            });
            let (start, end) = (entry.start, entry.start + entry.length);
            if let Some(variable) = variables.all.get_mut(id.0 as usize) {
                variable.ranges.push((start, end));
            }
            variables
                .by_slot
                .entry(entry.slot)
                .or_default()
                .push((start, end, id));
        }
        variables
            .all
            .iter_mut()
            .for_each(|variable| variable.ranges.sort_unstable());
        variables
            .by_slot
            .values_mut()
            .for_each(|ranges| ranges.sort_unstable());
        variables
    }

    /// All variables by id.
    pub fn all(&self) -> &[Variable] {
        &self.all
    }

    /// The variable of this id.
    pub fn get(&self, id: VariableId) -> Option<&Variable> {
        self.all.get(id.0 as usize)
    }

    /// The variable that is in a slot when the instruction at `index` starts.
    pub fn read_at(&self, slot: u16, index: u32) -> Option<VariableId> {
        self.at(slot, index)
    }

    /// The variable that the store at `index` writes, where `next` is the index after it. A
    /// variable's range starts only after its first store, so the place after the store decides;
    /// where the last store of a variable ends its range, the place of the store does.
    pub fn written_by(&self, slot: u16, index: u32, next: u32) -> Option<VariableId> {
        self.at(slot, next).or_else(|| self.at(slot, index))
    }

    fn at(&self, slot: u16, index: u32) -> Option<VariableId> {
        let ranges = self.by_slot.get(&slot)?;
        // Ranges of one slot do not overlap in valid tables; the last that has begun decides.
        let begun = ranges.partition_point(|(start, ..)| *start <= index);
        let (_, end, id) = ranges.get(begun.checked_sub(1)?)?;
        (index < *end).then_some(*id)
    }
}

fn find(group: &mut [usize], mut at: usize) -> usize {
    while group[at] != at {
        group[at] = group[group[at]];
        at = group[at];
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::flow::FlowGraph;

    fn entry(slot: u16, name: &str, start: u32, end: u32) -> LocalVariable {
        LocalVariable {
            start,
            length: end - start,
            name: name.into(),
            descriptor: "I".into(),
            signature: None,
            slot,
        }
    }

    #[test]
    fn a_slot_holds_different_variables_at_different_places() {
        let table = [
            entry(1, "i", 2, 10),
            entry(1, "j", 12, 20),
            entry(2, "k", 0, 20),
        ];
        let variables = Variables::new(&table);
        let name = |id: Option<VariableId>| id.map(|id| variables.get(id).unwrap().name.as_str());
        // The store at 1 makes `i`, whose range starts after it.
        assert_eq!(name(variables.written_by(1, 1, 2)), Some("i"));
        assert_eq!(name(variables.read_at(1, 1)), None);
        assert_eq!(name(variables.read_at(1, 9)), Some("i"));
        // A last store before the range's end.
        assert_eq!(name(variables.written_by(1, 9, 10)), Some("i"));
        assert_eq!(name(variables.written_by(1, 11, 12)), Some("j"));
        assert_eq!(name(variables.read_at(1, 10)), None);
        assert_eq!(name(variables.read_at(2, 10)), Some("k"));
        assert_eq!(name(variables.read_at(3, 10)), None);
    }

    /// `int x; if (p) x = 1; else x = 2; return x;` has two entries for one `x`.
    #[test]
    fn entries_that_a_definition_joins_are_one_variable() {
        // 0 iload_0, 1 ifeq 9, 4 iconst_1, 5 istore_1, 6 goto 11, 9 iconst_2, 10 istore_1,
        // 11 iload_1, 12 ireturn
        let bytes = [
            0x1a, 0x99, 0, 8, 0x04, 0x3c, 0xa7, 0, 5, 0x05, 0x3c, 0x1b, 0xac,
        ];
        let code = Code::decode(&bytes).unwrap();
        let graph = FlowGraph::new(&code, &[]).unwrap();
        let def_use = DefUse::new(&code, &graph, &[(0, 1)]).unwrap();
        let table = [
            entry(0, "p", 0, 13),
            entry(1, "x", 6, 9),
            entry(1, "x", 11, 13),
        ];
        assert_eq!(Variables::new(&table).all().len(), 3);
        let variables = Variables::with_def_use(&table, &code, &def_use);
        assert_eq!(variables.all().len(), 2);
        assert_eq!(variables.all()[1].ranges, [(6, 9), (11, 13)]);
        assert_eq!(variables.written_by(1, 5, 6), variables.read_at(1, 11));
        // Another name in the second range stays another variable.
        let other = [
            entry(0, "p", 0, 13),
            entry(1, "x", 6, 9),
            entry(1, "y", 11, 13),
        ];
        assert_eq!(
            Variables::with_def_use(&other, &code, &def_use).all().len(),
            3
        );
    }
}

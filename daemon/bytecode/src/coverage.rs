//! The coverage entities of kind *edge*: the method's entry and every outcome of every condition,
//! numbered. The numbers follow from the code bytes alone, so a recording can keep them.

use std::ops::Range;

use crate::decode::Code;
use crate::instruction::Operands;

/// A coverage edge's number in its method, from 0 (the entry), dense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CoverageEdgeId(pub u32);

/// A coverage edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CoverageEdge {
    /// Index of the jump or switch; `None` for the entry.
    pub from: Option<u32>,
    /// Which of its outcomes.
    pub outcome: Outcome,
    /// Index where it goes on.
    pub to: u32,
}

/// An outcome of a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Outcome {
    /// The method is entered.
    Entry,
    /// A conditional jump does not jump.
    NotTaken,
    /// A conditional jump jumps.
    Taken,
    /// A switch has no case for the value, or one that goes where the default goes (compilers fill
    /// the gaps of a `tableswitch` so; they are no cases of the source).
    Default,
    /// A switch on this value.
    Case(i32),
}

/// All coverage edges of a method: the entry, then in code order of each conditional jump
/// `NotTaken`, `Taken`, of each switch `Default` and its cases in table order. `goto` and falling
/// through are no edges: nothing is decided there.
#[derive(Clone, Debug)]
pub struct CoverageEdges {
    edges: Vec<CoverageEdge>,
    /// Index of a jump or switch with the range of its edges, ascending.
    conditions: Vec<(u32, Range<usize>)>,
}

impl CoverageEdges {
    /// Those of this code.
    pub fn new(code: &Code) -> Self {
        let mut edges = vec![CoverageEdge {
            from: None,
            outcome: Outcome::Entry,
            to: 0,
        }];
        let mut conditions = Vec::new();
        for instruction in code.instructions() {
            let first = edges.len();
            let from = Some(instruction.index);
            let mut add = |outcome, to| edges.push(CoverageEdge { from, outcome, to });
            match &instruction.operands {
                Operands::Jump(target) if instruction.opcode.is_conditional_jump() => {
                    add(Outcome::NotTaken, instruction.next());
                    add(Outcome::Taken, *target);
                }
                Operands::TableSwitch(table) => {
                    add(Outcome::Default, table.default);
                    for (value, target) in table.cases() {
                        if target != table.default {
                            add(Outcome::Case(value), target);
                        }
                    }
                }
                Operands::LookupSwitch(table) => {
                    add(Outcome::Default, table.default);
                    for (value, target) in &table.pairs {
                        if *target != table.default {
                            add(Outcome::Case(*value), *target);
                        }
                    }
                }
                _ => continue,
            }
            conditions.push((instruction.index, first..edges.len()));
        }
        Self { edges, conditions }
    }

    /// The edge of entering the method.
    pub const ENTRY: CoverageEdgeId = CoverageEdgeId(0);

    /// All edges by number.
    pub fn edges(&self) -> &[CoverageEdge] {
        &self.edges
    }

    /// The edge of this number.
    pub fn get(&self, id: CoverageEdgeId) -> Option<&CoverageEdge> {
        self.edges.get(id.0 as usize)
    }

    /// The edge that the conditional jump at `index` takes.
    pub fn jump(&self, index: u32, taken: bool) -> Option<CoverageEdgeId> {
        let wanted = if taken {
            Outcome::Taken
        } else {
            Outcome::NotTaken
        };
        self.at(index)
            .find(|(_, edge)| edge.outcome == wanted)
            .map(|(id, _)| id)
    }

    /// The edge that the switch at `index` takes on this value.
    pub fn switch(&self, index: u32, value: i32) -> Option<CoverageEdgeId> {
        let case = self
            .at(index)
            .find(|(_, edge)| edge.outcome == Outcome::Case(value));
        case.or_else(|| {
            self.at(index)
                .find(|(_, edge)| edge.outcome == Outcome::Default)
        })
        .map(|(id, _)| id)
    }

    /// The edges of the jump or switch at `from` that go on at `to`. More than one where several
    /// cases share a place, or a jump goes to the next instruction: then only the value tells.
    pub fn between(&self, from: u32, to: u32) -> impl Iterator<Item = CoverageEdgeId> {
        self.at(from)
            .filter(move |(_, edge)| edge.to == to)
            .map(|(id, _)| id)
    }

    /// The edges of the jump or switch at an index; none elsewhere.
    pub fn at(&self, index: u32) -> impl Iterator<Item = (CoverageEdgeId, &CoverageEdge)> {
        let found = self
            .conditions
            .binary_search_by_key(&index, |(at, _)| *at)
            .ok();
        let range = found
            .and_then(|at| self.conditions.get(at))
            .map(|(_, range)| range.clone());
        range.into_iter().flatten().filter_map(|position| {
            Some((CoverageEdgeId(position as u32), self.edges.get(position)?))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entry_jumps_and_switches_are_numbered_in_code_order() {
        // 0 iload_0, 1 ifeq 5, 4 nop, 5 iload_0,
        // 6 tableswitch 1..3 (gap at 2), default 32, 1 and 3 to 28 + …; then returns
        let mut bytes = vec![0x1a, 0x99, 0, 4, 0x00, 0x1a, 0xaa, 0];
        bytes.extend([0, 0, 0, 27, 0, 0, 0, 1, 0, 0, 0, 3]);
        bytes.extend([0, 0, 0, 26, 0, 0, 0, 27, 0, 0, 0, 26]);
        bytes.extend([0xb1, 0xb1]);
        let edges = CoverageEdges::new(&Code::decode(&bytes).unwrap());
        let outcomes: Vec<_> = edges
            .edges()
            .iter()
            .map(|e| (e.from, e.outcome, e.to))
            .collect();
        assert_eq!(
            outcomes,
            [
                (None, Outcome::Entry, 0),
                (Some(1), Outcome::NotTaken, 4),
                (Some(1), Outcome::Taken, 5),
                (Some(6), Outcome::Default, 33),
                (Some(6), Outcome::Case(1), 32),
                (Some(6), Outcome::Case(3), 32),
            ]
        );
        assert_eq!(edges.jump(1, true), Some(CoverageEdgeId(2)));
        assert_eq!(edges.jump(6, true), None);
        assert_eq!(edges.switch(6, 3), Some(CoverageEdgeId(5)));
        assert_eq!(edges.switch(6, 2), Some(CoverageEdgeId(3)));
        assert_eq!(edges.switch(6, -7), Some(CoverageEdgeId(3)));
        assert_eq!(edges.switch(1, 3), None);
        let shared: Vec<_> = edges.between(6, 32).collect();
        assert_eq!(shared, [CoverageEdgeId(4), CoverageEdgeId(5)]);
        assert_eq!(
            edges.get(CoverageEdges::ENTRY).unwrap().outcome,
            Outcome::Entry
        );
        assert!(edges.get(CoverageEdgeId(6)).is_none());
    }

    #[test]
    fn a_table_may_end_at_the_greatest_int() {
        // 0 tableswitch i32::MAX..i32::MAX to 20, default 21; two returns
        let mut bytes = vec![0xaa, 0, 0, 0];
        for word in [21, i32::MAX, i32::MAX, 20] {
            bytes.extend(word.to_be_bytes());
        }
        bytes.extend([0xb1, 0xb1]);
        let code = Code::decode(&bytes).unwrap();
        assert!(crate::flow::FlowGraph::new(&code, &[]).is_ok());
        let edges = CoverageEdges::new(&code);
        assert_eq!(edges.switch(0, i32::MAX), Some(CoverageEdgeId(2)));
        assert_eq!(edges.switch(0, i32::MIN), Some(CoverageEdgeId(1)));
    }
}

//! What a slice needs of a method's code.

use jhyde_bytecode::{Code, ControlDependence, FlowGraph, Instruction};
use jhyde_trace::MethodInfo;

/// A method's instructions, and the conditions that they hang on.
#[derive(Debug)]
pub(super) struct SlicedCode {
    code: Code,
    graph: FlowGraph,
    control: ControlDependence,
}

impl SlicedCode {
    /// `None` where the recording does not have the code, or what it has is none.
    pub(super) fn of(method: &MethodInfo) -> Option<Self> {
        if method.code.is_empty() {
            return None;
        }
        let code = Code::decode(&method.code).ok()?;
        let graph = FlowGraph::of_bare_code(&code).ok()?;
        let control = ControlDependence::new(&code, &graph);
        Some(Self {
            code,
            graph,
            control,
        })
    }

    /// Does it catch exceptions? Code that no other way leads to begins a handler.
    pub(super) fn catches(&self) -> bool {
        let edges = self.graph.edges().iter();
        edges.into_iter().any(|edge| edge.kind.is_exception())
    }

    pub(super) fn at(&self, index: u32) -> Option<&Instruction> {
        self.code.at(index)
    }

    /// So many instructions there are.
    pub(super) fn len(&self) -> usize {
        self.code.instructions().len()
    }

    /// The conditions that decide, perhaps by way of others, whether something is stored in a slot: ascending.
    pub(super) fn over_stores(&self, slot: u16) -> Vec<u32> {
        let mut found: Vec<u32> = Vec::new();
        let stores = self.code.instructions().iter().filter(|instruction| {
            instruction.local_store().is_some_and(|store| {
                // A `long` or `double` takes the slot behind its own, too.
                store.slot == slot
                    || (store.takes_two_slots() && store.slot.checked_add(1) == Some(slot))
            })
        });
        let mut work: Vec<u32> = stores.map(|store| store.index).collect();
        while let Some(index) = work.pop() {
            for &condition in self.conditions(index) {
                if let Err(at) = found.binary_search(&condition) {
                    found.insert(at, condition);
                    work.push(condition);
                }
            }
        }
        found
    }

    /// The conditions that an instruction hangs on, by bytecode index.
    pub(super) fn conditions(&self, index: u32) -> &[u32] {
        match self.graph.block_at(index) {
            Some(block) => self.control.of(block),
            None => &[],
        }
    }
}

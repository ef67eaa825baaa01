//! What runs that passed tell of a run that did not: which edges they ran, too.
//!
//! An edge weighs by Ochiai's coefficient (Abreu, Zoeteweij, van Gemund, "An Evaluation of Similarity Coefficients for Software
//! Fault Localization", 2006): with one failing run, which ran the edge, and `n` passing ones that ran it as well, that is
//! `1 / sqrt(1 + n)`. Edges are those of one recording to the other by the names of classes and methods and by the methods' code:
//! what was changed between the two was not run by the other one.
//!
//! Only which edges a run had is kept, not which call had which: reading a passing run takes no more memory than there is code.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use jhyde_history::content::{Digest, code_digest};
use jhyde_store::Recording;
use jhyde_trace::{CallId, Event, EventKind, Level, MethodId, ThreadId, Timestamp};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use crate::covered::Edge;

/// A method of any recording: the names of its class and itself, its descriptor, and the digest of its code.
type Name = (String, String, String, Digest);

/// The edges that one run had.
#[derive(Debug, Default)]
pub struct Ran {
    edges: BTreeSet<Edge>,
    /// Of the methods that ran.
    names: BTreeMap<MethodId, Name>,
    /// What of the run was not recorded, in words for people.
    pub missing: Option<String>,
}

impl Ran {
    /// Reads the edges of a recording. `Break` if `cancelled` was set meanwhile.
    ///
    /// # Errors
    /// When the recording cannot be read. What lies in a damaged block is missing.
    pub fn of(
        recording: &Recording,
        cancelled: &AtomicBool,
    ) -> Result<ControlFlow<(), Self>, jhyde_store::Error> {
        let mut this = Self::default();
        let mut unread = 0_u64;
        let mut running: FxHashMap<ThreadId, Vec<(CallId, MethodId)>> = FxHashMap::default();
        let levels = recording.levels_or_lowest();
        if let Some(stretch) = levels.below(Level::Full).next() {
            this.missing = Some(format!(
                "not all of it was recorded at level full: {stretch}"
            ));
        }
        for block in recording.blocks(Timestamp(0)..recording.end()) {
            if cancelled.load(Ordering::Relaxed) {
                return Ok(ControlFlow::Break(()));
            }
            let block = match block {
                Err(jhyde_store::Error::Damaged { .. }) => {
                    unread += 1;
                    running.clear();
                    continue;
                }
                block => block?,
            };
            for at in 0..block.len() {
                let call = block.call(at);
                if let Some(enter) = block.enter(at) {
                    let calls = running.entry(call.thread).or_default();
                    calls.push((call, enter.method));
                    if !enter.boundary {
                        this.edges.insert(entry(enter.method));
                    }
                } else if block.is_exit(at) {
                    if let Some(calls) = running.get_mut(&call.thread)
                        && let Some(at) = calls.iter().rposition(|(running, _)| *running == call)
                    {
                        calls.truncate(at);
                    }
                } else if let Some(Event {
                    kind: EventKind::Edge { from, to },
                    ..
                }) = block.event(at)
                {
                    let calls = running.get(&call.thread).into_iter().flatten().rev();
                    let mut of = calls.filter(|(running, _)| *running == call);
                    if let Some((_, method)) = of.next() {
                        this.edges.insert(Edge {
                            method: *method,
                            from: Some(from),
                            to,
                        });
                    }
                }
            }
        }
        if unread > 0 {
            this.missing = Some(format!("{unread} of its blocks are damaged"));
        }
        let methods: BTreeSet<MethodId> = this.edges.iter().map(|edge| edge.method).collect();
        for id in methods {
            if let Some(method) = recording.method(id)? {
                let info = method.method();
                let name = (
                    method.class.name.clone(),
                    info.name.clone(),
                    info.descriptor.clone(),
                    code_digest(&info.code),
                );
                this.names.insert(id, name);
            }
        }
        Ok(ControlFlow::Continue(this))
    }
}

/// The edge that stands for the entry of a method.
fn entry(method: MethodId) -> Edge {
    Edge {
        method,
        from: None,
        to: 0,
    }
}

/// A recording of a run that passed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PassingRun {
    /// The recording's id.
    pub id: String,
    /// Its name when it was read.
    pub name: String,
    /// What is to be known of it, for people.
    pub note: Option<String>,
}

/// What the runs that passed ran of the code of one recording.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Passing {
    /// The runs.
    pub runs: Vec<PassingRun>,
    /// The edges that they had, in the numbers of this recording, each with how many of them had it. Rising: method, from
    /// ([`ENTRY`] for its entry), to.
    edges: Vec<((u32, u32, u32), u32)>,
    /// How many edges there were in this recording, and how many of them no passing run had.
    pub own: u64,
    /// See [`Passing::own`].
    pub alone: u64,
    /// Is what they ran right? Then these methods are trusted: every edge that they had here a passing run had, too.
    pub trusted: Option<Vec<u32>>,
}

/// Stands for the entry of a method.
const ENTRY: u32 = u32::MAX;

fn key(edge: &Edge) -> (u32, u32, u32) {
    (edge.method.0, edge.from.unwrap_or(ENTRY), edge.to)
}

impl Passing {
    /// What the passing runs ran of what a run had.
    pub fn of(own: &Ran, passed: Vec<(PassingRun, Ran)>, trust: bool) -> Self {
        let mut by_name: BTreeMap<&Name, Vec<MethodId>> = BTreeMap::new();
        for (id, name) in &own.names {
            by_name.entry(name).or_default().push(*id);
        }
        let mut edges: BTreeMap<(u32, u32, u32), u32> = BTreeMap::new();
        let mut runs = Vec::with_capacity(passed.len());
        for (run, ran) in passed {
            let mut had = BTreeSet::new();
            for edge in &ran.edges {
                let name = ran.names.get(&edge.method);
                let here = name.and_then(|name| by_name.get(name));
                let here = here.into_iter().flatten();
                had.extend(here.map(|id| {
                    key(&Edge {
                        method: *id,
                        ..*edge
                    })
                }));
            }
            had.into_iter()
                .for_each(|edge| *edges.entry(edge).or_default() += 1);
            runs.push(run);
        }
        let alone = own
            .edges
            .iter()
            .filter(|edge| !edges.contains_key(&key(edge)));
        let alone: Vec<u32> = alone.map(|edge| edge.method.0).collect();
        let trusted = trust.then(|| {
            let methods = own.names.keys().map(|id| id.0);
            methods.filter(|id| !alone.contains(id)).collect()
        });
        Self {
            runs,
            edges: edges.into_iter().collect(),
            own: own.edges.len() as u64,
            alone: alone.len() as u64,
            trusted,
        }
    }

    /// How many passing runs had an edge.
    pub(crate) fn had(&self, edge: &Edge) -> u32 {
        let found = self
            .edges
            .binary_search_by_key(&key(edge), |(edge, _)| *edge);
        found
            .ok()
            .and_then(|at| self.edges.get(at))
            .map_or(0, |(_, runs)| *runs)
    }

    /// How many passing runs entered a method.
    pub(crate) fn entered(&self, method: MethodId) -> u32 {
        self.had(&entry(method))
    }

    /// Is a method trusted, because passing runs did all that it did here?
    pub(crate) fn trusts(&self, method: MethodId) -> bool {
        let trusted = self.trusted.as_deref().unwrap_or_default();
        trusted.binary_search(&method.0).is_ok()
    }
}

/// Ochiai's coefficient of what one failing run had, and so many passing ones.
pub(crate) fn ochiai(passing: u32) -> f64 {
    (1.0 + f64::from(passing)).sqrt().recip()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(method: u32, from: u32) -> Edge {
        Edge {
            method: MethodId(method),
            from: Some(from),
            to: from + 5,
        }
    }

    /// A run of methods with these numbers, the code of which is told by their names.
    fn ran(methods: &[(u32, &str, u8)], edges: &[Edge]) -> Ran {
        let name = |(id, name, code): &(u32, &str, u8)| {
            let of = ("C".to_owned(), (*name).to_owned(), "()V".to_owned());
            (MethodId(*id), (of.0, of.1, of.2, code_digest(&[*code])))
        };
        let entries = methods.iter().map(|(id, ..)| entry(MethodId(*id)));
        Ran {
            edges: entries.chain(edges.iter().copied()).collect(),
            names: methods.iter().map(name).collect(),
            missing: None,
        }
    }

    fn run(name: &str) -> PassingRun {
        PassingRun {
            id: name.to_owned(),
            name: name.to_owned(),
            note: None,
        }
    }

    #[test]
    fn edges_of_other_recordings_are_found_by_name_and_code() {
        let own = ran(
            &[(1, "a", 1), (2, "b", 1), (3, "c", 1)],
            &[edge(1, 10), edge(1, 20), edge(2, 10)],
        );
        // Other numbers there; c has other code; d is not here.
        let first = ran(
            &[(7, "a", 1), (8, "c", 2), (9, "d", 1)],
            &[edge(7, 10), edge(8, 10)],
        );
        let second = ran(&[(1, "b", 1), (2, "a", 1)], &[edge(1, 10), edge(2, 10)]);
        let passed = vec![(run("one"), first), (run("two"), second)];
        let passing = Passing::of(&own, passed, true);
        let had = [edge(1, 10), edge(1, 20), edge(2, 10)].map(|edge| passing.had(&edge));
        assert_eq!(had, [2, 0, 1]);
        let entered = [1, 2, 3].map(|id| passing.entered(MethodId(id)));
        assert_eq!(entered, [2, 1, 0], "c was changed");
        assert_eq!((passing.own, passing.alone), (6, 2));
        let trusted = [1, 2, 3].map(|id| passing.trusts(MethodId(id)));
        assert_eq!(trusted, [false, true, false]);
        let none = Passing::of(&own, Vec::new(), false);
        assert!(!none.trusts(MethodId(2)) && none.alone == 6);
    }

    #[test]
    fn what_more_passing_runs_had_weighs_less() {
        let weights = [0, 1, 3, 8].map(ochiai);
        let expected = [1.0, 0.5_f64.sqrt(), 0.5, 1.0 / 3.0];
        for (weight, expected) in weights.iter().zip(expected) {
            assert!((weight - expected).abs() < 1e-12, "{weight}");
        }
    }
}

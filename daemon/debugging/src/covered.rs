//! What one call covered, entity by entity, for people: [`crate::recorded`] and the strategies know entities by
//! number only; here is what each stands for, and how many calls of the recording covered it.

use jhyde_trace::{CallId, FieldId, Level, Local, MethodId, Timestamp};
use thiserror::Error;

use crate::coverage::{Coverage, Entities};
use crate::recorded::RecordedCoverage;
use crate::tree::Forest;

/// A place that a chain begins or ends at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// The entry of a method, where its parameters get their values.
    Entry(MethodId),
    /// The instruction at this bytecode index ([`jhyde_trace::Event::NO_INDEX`] where that was not seen).
    At(MethodId, u32),
    /// Code outside the scope that was not called from inside.
    Outside,
}

/// A way that control went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Edge {
    /// In which method.
    pub method: MethodId,
    /// Bytecode index of the conditional jump or switch; `None` for the method's entry.
    pub from: Option<u32>,
    /// Bytecode index where it went on.
    pub to: u32,
}

/// The declaration of the variable of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Declaration {
    /// A local variable or parameter of the method that uses it.
    Local(Local),
    /// An instance field.
    Field(FieldId),
    /// A static field.
    Static(FieldId),
    /// An element of an array.
    Element {
        /// Bytecode index of the instruction before the use that loads the array, which is mostly the end of
        /// another chain: that one's name is the array's. `None` where the code does not tell it plainly.
        loaded_at: Option<u32>,
    },
}

/// A definition of a variable and a use of it, with no definition in between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Chain {
    /// Where the variable is used, in the call that covers the chain.
    pub used: Place,
    /// Where it got its value; it may have been in another call.
    pub defined: Place,
    /// Which variable.
    pub declaration: Declaration,
}

/// An entity that a call covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Covered<T> {
    /// What it is.
    pub entity: T,
    /// How many calls of the recording have covered it so far, the one that was asked about included. What hardly
    /// any other call covers is where a wrong call differs from right ones.
    pub calls: u64,
}

/// What one call covered itself, its nested calls not counted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallCoverage {
    /// By place: the entry first.
    pub edges: Vec<Covered<Edge>>,
    /// By the place of the use, and then by that of the definition.
    pub chains: Vec<Covered<Chain>>,
    /// Number of events of the recording that cannot be read, because blocks are damaged: the numbers of calls are at
    /// least these.
    pub unread: u64,
}

/// Why it cannot be said what a call covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum CoverageError {
    /// The recording does not tell coverage at all.
    #[error(
        "this recording has level {level}, which does not tell what calls covered: record with level full"
    )]
    Level {
        /// Its level.
        level: Level,
    },
    /// The recording has no such call.
    #[error("there is no call {0} in this recording")]
    NoSuchCall(CallId),
    /// It is a call to code outside the scope.
    #[error(
        "call {0} is a call to a method outside the scope, whose inside is not recorded: ask about the call \
         that made it"
    )]
    Boundary(CallId),
    /// Its end was not seen.
    #[error(
        "call {0} has not ended, so what it covers is not known yet: ask about a call inside it, or again when \
         it has ended"
    )]
    Incomplete(CallId),
    /// While it ran it was recorded below level `full`.
    #[error(
        "what call {call} covered is not known: it was recorded at level {level} from @{since} on"
    )]
    Lowered {
        /// The call.
        call: CallId,
        /// The level then in force.
        level: Level,
        /// From when on.
        since: Timestamp,
    },
    /// Its enter or exit event cannot be read.
    #[error(
        "what call {0} covered is not known: where it began or ended, the recording is damaged"
    )]
    Damaged(CallId),
}

impl CallCoverage {
    /// What a call covered, from a coverage that was read at least as far as the forest.
    ///
    /// Goes once over the sets of all calls.
    ///
    /// # Errors
    /// [`CoverageError`], but not by the level: of that nothing is known here.
    pub(crate) fn of(
        coverage: &RecordedCoverage,
        forest: &Forest,
        call: CallId,
    ) -> Result<Self, CoverageError> {
        let facts = forest.facts(call).ok_or(CoverageError::NoSuchCall(call))?;
        if facts.boundary {
            return Err(CoverageError::Boundary(call));
        }
        if !facts.complete {
            return Err(CoverageError::Incomplete(call));
        }
        let of = |entities| coverage.covered(entities, call);
        let (Some(edges), Some(chains)) = (of(Entities::Edges), of(Entities::DuChains)) else {
            return Err(CoverageError::Damaged(call));
        };
        Ok(Self {
            edges: covered(coverage, Entities::Edges, edges, coverage.edges()),
            chains: covered(coverage, Entities::DuChains, chains, coverage.chains()),
            unread: coverage.unread(),
        })
    }
}

/// The members of a set by place, each with the number of calls that covered it.
fn covered<T: Copy + Ord>(
    coverage: &RecordedCoverage,
    entities: Entities,
    set: usize,
    known: &[T],
) -> Vec<Covered<T>> {
    let mut by_set = vec![0_u64; coverage.sets(entities)];
    for set in coverage.sets_of_calls(entities) {
        if let Some(calls) = by_set.get_mut(set) {
            *calls += 1;
        }
    }
    let mut by_entity = vec![0_u64; coverage.entities(entities)];
    for (set, calls) in by_set.into_iter().enumerate() {
        coverage.visit(entities, set, &mut |entity| {
            if let Some(all) = by_entity.get_mut(entity as usize) {
                *all += calls;
            }
        });
    }
    let mut members = Vec::new();
    coverage.visit(entities, set, &mut |entity| {
        let at = entity as usize;
        if let (Some(entity), Some(calls)) = (known.get(at), by_entity.get(at)) {
            members.push(Covered {
                entity: *entity,
                calls: *calls,
            });
        }
    });
    members.sort_unstable_by_key(|covered| covered.entity);
    members
}

//! From what a call covered, which is all numbers, to the message with its names and places.

use jhyde_debugging::CallCoverage;
use jhyde_debugging::covered::{Chain, Covered, Declaration, Edge, Place};
use jhyde_history::{History, Result};
use jhyde_proto::v1;
use jhyde_trace::CallId;

use crate::services::to_proto;

/// The whole answer.
pub(super) fn message(
    history: &History,
    call: CallId,
    coverage: &CallCoverage,
) -> Result<v1::CallCoverage> {
    let record = history.recording().call(call)?;
    let chains = &coverage.chains;
    let mut notes = history.gap_notes(call)?;
    if coverage.unread > 0 {
        notes.push(format!(
            "{} events of this recording cannot be read, because a part of it is damaged or was cut off: an edge or chain may have been \
             covered by more calls than are counted here, and by this one if a damaged part lies inside it",
            coverage.unread
        ));
    }
    Ok(v1::CallCoverage {
        call: Some(to_proto::call(&history.call(record, true)?)),
        edges: coverage
            .edges
            .iter()
            .map(|covered| edge(history, covered))
            .collect::<Result<_>>()?,
        chains: chains
            .iter()
            .map(|covered| chain(history, chains, covered))
            .collect::<Result<_>>()?,
        notes,
    })
}

fn edge(history: &History, covered: &Covered<Edge>) -> Result<v1::CoveredEdge> {
    let Edge { method, from, to } = covered.entity;
    let from = match from {
        Some(from) => history.instruction(method, from)?,
        None => None,
    };
    Ok(v1::CoveredEdge {
        from: from.as_ref().map(to_proto::place),
        to: history
            .instruction(method, to)?
            .as_ref()
            .map(to_proto::place),
        calls: covered.calls,
    })
}

fn chain(
    history: &History,
    all: &[Covered<Chain>],
    covered: &Covered<Chain>,
) -> Result<v1::CoveredChain> {
    let chain = covered.entity;
    let declaration = match chain.declaration {
        Declaration::Local(_) => v1::Declaration::Local,
        Declaration::Field(_) => v1::Declaration::Field,
        Declaration::Static(_) => v1::Declaration::Static,
        Declaration::Element { .. } => v1::Declaration::Element,
    };
    Ok(v1::CoveredChain {
        declaration: declaration.into(),
        name: name(history, all, chain)?,
        defined: place(history, chain.defined)?,
        by_entry: matches!(chain.defined, Place::Entry(_)),
        used: place(history, chain.used)?,
        calls: covered.calls,
    })
}

fn place(history: &History, place: Place) -> Result<Option<v1::Place>> {
    let view = match place {
        Place::Entry(method) => history.entry(method)?,
        Place::At(method, index) => history.instruction(method, index)?,
        Place::Outside => None,
    };
    Ok(view.as_ref().map(to_proto::place))
}

/// How the source of the use calls the variable of a chain. The array of an element goes by the variable that the
/// call read it from, which is another chain of `all`.
fn name(history: &History, all: &[Covered<Chain>], chain: Chain) -> Result<String> {
    let Place::At(method, index) = chain.used else {
        return Ok(String::new());
    };
    match chain.declaration {
        Declaration::Local(local) => history.declared_local(method, local),
        Declaration::Field(field) | Declaration::Static(field) => history.declared_field(field),
        Declaration::Element { loaded_at } => {
            // An array is loaded before it is used; so this comes to an end.
            let loaded_at = loaded_at.filter(|loaded_at| *loaded_at < index);
            let loaded = loaded_at.and_then(|loaded_at| {
                let used = Place::At(method, loaded_at);
                all.iter().find(|covered| covered.entity.used == used)
            });
            let array = match loaded {
                Some(loaded) => name(history, all, loaded.entity)?,
                None => String::new(),
            };
            Ok(array + "[]")
        }
    }
}

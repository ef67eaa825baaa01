//! What events do and where, in words that both recordings have.

use jhyde_trace::{Change, EventKind, Timestamp};
use rustc_hash::FxHashMap;

/// Numbers of names that both recordings have.
#[derive(Debug, Default)]
pub(super) struct Names(FxHashMap<String, u32>);

impl Names {
    pub(super) fn number(&mut self, name: String) -> u32 {
        let next = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        *self.0.entry(name).or_insert(next)
    }
}

/// What an event does and where, whatever the values: events with equal keys are each other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    pub(super) deed: Deed,
    pub(super) name: u32,
    pub(super) place: u32,
    pub(super) way: u32,
}

impl Key {
    /// Are both of one kind at one place?
    pub(super) fn is_at(&self, other: &Self) -> bool {
        (self.deed, self.place) == (other.deed, other.place)
    }
}

/// Kinds of events that are compared. What is not here has a time that no program decides (monitors, the loading of classes), or only
/// repeats what was found (snapshots, uses).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Deed {
    Enter,
    Exit,
    New,
    Write,
    Edge,
    Thrown,
    Caught,
    Uncaught,
    Content,
}

pub(super) fn deed(kind: &EventKind) -> Option<Deed> {
    Some(match kind {
        EventKind::Enter { .. } => Deed::Enter,
        EventKind::Exit { .. } => Deed::Exit,
        EventKind::New { .. } => Deed::New,
        EventKind::Write { .. } => Deed::Write,
        EventKind::Edge { .. } => Deed::Edge,
        EventKind::Thrown { .. } => Deed::Thrown,
        EventKind::Caught { .. } => Deed::Caught,
        EventKind::Uncaught { .. } => Deed::Uncaught,
        EventKind::Content {
            snapshot: false,
            change:
                Change::Whole(_) | Change::First { .. } | Change::More(_) | Change::Splice { .. },
            ..
        } => Deed::Content,
        _ => return None,
    })
}

/// What an event says to be not recorded, if it does: whatever it is about is neither equal nor different.
pub(super) fn not_recorded(at: Timestamp, kind: &EventKind) -> Option<String> {
    match kind {
        EventKind::Gap { reason, .. } => Some(format!("not recorded at event {at}: {reason}")),
        EventKind::Content { object, change, .. } => match change {
            Change::Unknown { reason, .. } => Some(format!(
                "what object#{object} holds from event {at} on is not known: {reason}"
            )),
            Change::Gone { .. } => Some(format!(
                "code out of the scope had object#{object}, and what became of it by event {at} is not known"
            )),
            _ => None,
        },
        _ => None,
    }
}

/// `Cls$$Lambda/0x00…` is another number in every run, and so is that of each other hidden class: behind a `/`, or a `+` where its name
/// is that of a class file. In decimal digits before Java 16.
pub(super) fn bare(name: &str) -> &str {
    const LAMBDA: &str = "$$Lambda";
    if let Some(at) = name.find(LAMBDA) {
        return &name[..at + LAMBDA.len()];
    }
    let is_number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => digits.bytes().all(|it| it.is_ascii_hexdigit()),
        None => !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit()),
    };
    match name.rsplit_once(['/', '+']) {
        Some((named, number)) if is_number(number) => named,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_classes_have_no_numbers() {
        for (name, told) in [
            ("shop.Main$$Lambda/0x00007f2a1c001200", "shop.Main$$Lambda"),
            ("shop.Main$$Lambda$14", "shop.Main$$Lambda"),
            (
                "java.lang.String$$StringConcat/0x0000000801",
                "java.lang.String$$StringConcat",
            ),
            ("shop.Made+0x00000008010f", "shop.Made"),
            ("shop.Old/1234567", "shop.Old"),
            // No number, though its letters are digits.
            ("shop.Face+bead", "shop.Face+bead"),
            ("shop.Order$1", "shop.Order$1"),
            ("shop.Order", "shop.Order"),
        ] {
            assert_eq!(bare(name), told);
        }
    }
}

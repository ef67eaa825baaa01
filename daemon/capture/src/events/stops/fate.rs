//! Where an exception goes, as far as that is certain when it is thrown. The JVM says where it expects it to be
//! caught, by the handlers of all frames. That holds up to a *barrier*: a native frame, which may swallow it, and a
//! place where the JVM called Java code on its own account, which turns it into another one. And it names one frame
//! only where its method is on the stack just once.

use jdwp::Location;
use jhyde_trace::Sink;

use crate::error::CaptureError;
use crate::events::Engine;
use crate::jvm::StackFrame;
use crate::program::{MethodKey, index_of, key_of};

/// What an exception will do to the stack, as far as that is certain.
pub(in crate::events) struct Fate {
    /// Where the JVM expects it to be caught.
    pub(in crate::events) expected: Option<(MethodKey, u32)>,
    /// Frames at this height and above end in any case.
    pub(in crate::events) keep: usize,
    /// Nothing else ends.
    pub(in crate::events) certain: bool,
    /// What else ends, ends by another exception.
    pub(in crate::events) replaced: bool,
    /// The outermost of the frames that may be the one that catches it, counted from the innermost of all; `None`: nothing
    /// is known to catch it on this side of the barrier.
    outermost: Option<usize>,
}

impl Fate {
    /// `frames` is the whole stack, innermost first; `barrier` the first frame of them that need not be left by the
    /// same exception that leaves the one above it.
    fn of(frames: &[StackFrame], expected: &Location, barrier: Option<usize>) -> Self {
        let by_the_jvm = barrier.is_some_and(|at| !frames[at].location.is_native());
        let barrier = barrier.unwrap_or(frames.len());
        let certain = barrier == frames.len();
        if expected.is_null() {
            // Nobody in Java code catches it; who stands below the barrier may catch another.
            return Self {
                expected: None,
                keep: frames.len() - barrier,
                certain,
                replaced: by_the_jvm,
                outermost: None,
            };
        }
        let key = (expected.class, expected.method);
        let mut catchers = frames
            .iter()
            .enumerate()
            .filter(|(_, frame)| key_of(&frame.location) == key)
            .map(|(at, _)| at);
        let first = catchers.next();
        let last = catchers.next_back();
        let only = last.is_none();
        let reached = first.is_some_and(|first| first < barrier);
        let end = first.unwrap_or(frames.len()).min(barrier);
        Self {
            expected: Some((key, index_of(expected))),
            keep: frames.len() - end,
            certain: only && reached,
            replaced: by_the_jvm && !reached,
            outermost: last.or(first).filter(|_| reached),
        }
    }

    /// Is it caught by a frame inside of this one, counted from the innermost of all? Of a method that runs several times
    /// there, as those of class loaders do, it does not matter which.
    pub(in crate::events) fn is_caught_inside(&self, at: usize) -> bool {
        self.outermost.is_some_and(|outermost| outermost < at)
    }
}

impl<S: Sink> Engine<S> {
    /// What an exception will do to the stack of a suspended thread.
    pub(in crate::events) fn fate(
        &mut self,
        frames: &[StackFrame],
        expected: &Location,
    ) -> Result<Fate, CaptureError> {
        let key = (expected.class, expected.method);
        let catcher = frames
            .iter()
            .position(|frame| key_of(&frame.location) == key);
        let catcher = catcher.filter(|_| !expected.is_null());
        let passed = &frames[..frames.len().min(catcher.map_or(usize::MAX, |at| at + 1))];
        let barrier = self.recorder.barrier(passed)?;
        Ok(Fate::of(frames, expected, barrier))
    }
}

#[cfg(test)]
mod tests {
    use jdwp::{FrameId, MethodId, ReferenceTypeId, TypeTag};

    use super::*;

    fn at(method: u64, index: u64) -> Location {
        Location {
            type_tag: TypeTag::CLASS,
            class: ReferenceTypeId(1),
            method: MethodId(method),
            index,
        }
    }

    fn stack(methods: &[(u64, u64)]) -> Vec<StackFrame> {
        methods
            .iter()
            .map(|&(method, index)| StackFrame {
                frame: FrameId(0),
                location: at(method, index),
            })
            .collect()
    }

    #[test]
    fn one_catcher_above_the_barrier_is_certain() {
        let frames = stack(&[(3, 7), (2, 1), (9, u64::MAX), (1, 4)]);
        let fate = Fate::of(&frames, &at(2, 20), Some(2));
        assert!(fate.certain);
        assert_eq!(fate.keep, 3);
    }

    #[test]
    fn a_barrier_between_leaves_it_open_and_ends_what_lies_above() {
        let frames = stack(&[(3, 7), (2, 1), (9, u64::MAX), (1, 4)]);
        let fate = Fate::of(&frames, &at(1, 20), Some(2));
        assert!(!fate.certain);
        assert_eq!(fate.keep, 2);
    }

    #[test]
    fn recursion_leaves_open_which_of_the_calls_catches() {
        let frames = stack(&[(3, 7), (2, 1), (2, 5), (1, 4)]);
        let fate = Fate::of(&frames, &at(2, 20), None);
        assert!(!fate.certain);
        assert_eq!(fate.keep, 3);
        assert!(fate.is_caught_inside(3) && !fate.is_caught_inside(2));
        let behind = Fate::of(&frames, &at(2, 20), Some(1));
        assert!(!behind.is_caught_inside(3), "who knows what lies behind");
    }

    #[test]
    fn nobody_catches_ends_all_down_to_the_barrier() {
        let none = Location {
            class: ReferenceTypeId(0),
            ..at(0, 0)
        };
        assert_eq!(Fate::of(&stack(&[(2, 1), (1, 1)]), &none, None).keep, 0);
        let fate = Fate::of(&stack(&[(2, 1), (9, u64::MAX), (1, 1)]), &none, Some(1));
        assert!(!fate.certain && fate.keep == 2);
    }
}

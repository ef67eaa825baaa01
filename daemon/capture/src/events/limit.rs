//! Recording less from now on, because the recording costs too much.
//!
//! From `full` to `state` the engine goes on as it did, and tells no uses and edges any more. From `state` on it would
//! have to let go of what it mirrors in the middle of calls that it steps through: there the recording ends.

use jhyde_trace::{Level, Sink};

use super::Engine;

impl<S: Sink> Engine<S> {
    /// Steps down if somebody has asked for that, or ends.
    pub(super) fn lower_if_asked(&mut self) {
        let Some(reason) = self.recorder.jvm.controller.take_lower() else {
            return;
        };
        match self.recorder.outlet.options.level {
            Level::Full => {
                self.recorder.outlet.options.level = Level::State;
                self.recorder.outlet.arrivals.level(Level::State, reason);
            }
            level => self.recorder.jvm.controller.end_at_limit(format!(
                "{reason}, and engine events cannot step down from level {level}"
            )),
        }
    }
}

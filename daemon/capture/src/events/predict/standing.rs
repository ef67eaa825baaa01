//! The results of intrinsic calls come from their methods' exits (see [`crate::recorder::intrinsic`]). A request for the
//! exits of such a class stands in each thread that may call one. Code out of the scope uses these classes, too; a thread
//! whose exits pile up there has its requests taken back, and gets them again where it stops next. It stops behind every
//! call that can run so long, before code of the scope goes on.

use jdwp::EventKind as Requested;
use jdwp::commands::event_request::Modifier;
use jhyde_trace::Sink;

use crate::error::LinkError;
use crate::events::Engine;
use crate::events::thread::Thread;
use crate::recorder::IntrinsicClasses;

/// Exits since the thread was last seen in the scope after which its requests are taken back.
const TOO_MANY: u32 = 256;

impl<S: Sink> Engine<S> {
    /// Has the exits reported that a suspended thread may need from here on.
    pub(in crate::events) fn stand(&mut self, thread: &mut Thread) {
        let standing = &mut thread.standing;
        let missing = standing.wanted.without(standing.requested);
        if missing.is_empty() || thread.stack.is_empty() || thread.predicted {
            return;
        }
        for class in missing.names() {
            let only = Modifier::ClassMatch {
                class_pattern: class.into(),
            };
            let asked = self.recorder.jvm.ask_exits(thread.jdwp, only);
            standing.requests.push(asked);
        }
        standing.requested = standing.wanted;
    }

    /// A method out of the scope has returned in a thread with such requests.
    pub(in crate::events) fn count_exit(&mut self, thread: &mut Thread) -> Result<(), LinkError> {
        thread.standing.unused += 1;
        if thread.standing.unused > TOO_MANY {
            self.stand_down(thread)?;
        }
        Ok(())
    }

    /// Takes the requests back.
    pub(in crate::events) fn stand_down(&mut self, thread: &mut Thread) -> Result<(), LinkError> {
        thread.standing.requested = IntrinsicClasses::default();
        for asked in std::mem::take(&mut thread.standing.requests) {
            self.recorder
                .jvm
                .clear(Requested::METHOD_EXIT_WITH_RETURN_VALUE, asked)?;
        }
        Ok(())
    }
}

//! Leaving the JVM: it runs on, whatever it does meanwhile, and nobody waits long for it.

use std::time::{Duration, Instant};

use jdwp::commands::virtual_machine;
use jhyde_trace::{Sink, State};

use super::{End, Engine};
use crate::control::Ending;
use crate::error::LinkError;
use crate::jvm::QUIET;

/// How long leaving takes at most; a JVM that does not answer for so long is left to the guard.
const LEAVE: Duration = Duration::from_secs(3);
/// The part of it in which a JVM that was left closes the connection.
const CLOSE: Duration = Duration::from_millis(1000);

/// How far a JVM was left.
enum Farewell {
    /// It has closed the connection, or will: it has answered, and the last command is on its way.
    Taken,
    /// It answers nothing any more.
    Unanswered,
}

/// What came while the JVM is being left.
enum Came {
    Something,
    Nothing,
    /// The connection is closed.
    End,
    /// What came makes no sense, and nothing behind it can be read.
    Nonsense,
}

impl<S: Sink> Engine<S> {
    /// Gives up before the recording has begun; the JVM runs on.
    pub(crate) fn abandon(mut self) -> S {
        self.say_farewell();
        let (sink, _) = self.recorder.finish();
        sink
    }

    /// Detaches, as somebody has asked for; events on the way are kept.
    pub(super) fn end_as_ordered(&mut self, ending: Ending) -> State {
        match (self.take_leave(true), ending) {
            (Farewell::Unanswered, _) => State::ConnectionLost {
                reason: "the JVM did not answer when it was to be left".to_owned(),
            },
            (Farewell::Taken, Ending::Stop) => State::Stopped,
            (Farewell::Taken, Ending::Detach) => State::Detached,
            (Farewell::Taken, Ending::Limit) => State::LimitReached {
                reason: self.recorder.jvm.controller.limit(),
            },
        }
    }

    /// Detaches when nothing can be recorded any more.
    pub(super) fn say_farewell(&mut self) {
        self.take_leave(false);
    }

    /// Disposes of the session, which resumes all threads.
    ///
    /// The JVM stands still first, until its debug agent has told all that was on the way: an event that is to
    /// suspend its thread and meets the end of the session would leave that thread suspended for ever (see
    /// the guard in [`crate::jvm`], which does the same where the JVM does not answer us in time).
    fn take_leave(&mut self, mut keeps: bool) -> Farewell {
        let until = Instant::now() + LEAVE;
        self.recorder.jvm.link.hurry(until);
        if self.recorder.jvm.dead {
            return self.let_die(keeps, until);
        }
        let suspended = self.recorder.jvm.link.suspend_all();
        let stands = matches!(suspended, Ok(Ok(())));
        let mut quiet = Instant::now();
        while stands && Instant::now() + CLOSE < until {
            match self.take(&mut keeps) {
                Came::Something => quiet = Instant::now(),
                // Quiet is what was listened to in vain, not that nobody has listened.
                Came::Nothing if quiet.elapsed() >= QUIET => break,
                Came::Nothing => {}
                Came::End => return self.gone(),
                Came::Nonsense => break,
            }
            if self.recorder.jvm.dead {
                return self.let_die(keeps, until);
            }
        }
        if stands && keeps && self.last_look().is_err() {
            tracing::debug!("the JVM did not let itself be looked at when it was left");
        }
        self.recorder.jvm.link.send(&virtual_machine::Dispose);
        if self.recorder.jvm.link.flush().is_err() {
            return Farewell::Unanswered;
        }
        match (self.is_closed_by(&mut keeps, until), suspended) {
            (true, _) => self.gone(),
            (false, Ok(_)) => Farewell::Taken,
            (false, Err(_)) => Farewell::Unanswered,
        }
    }

    /// Leaves a JVM that has told its end, and waits for nothing but to be resumed.
    ///
    /// It is not disposed of: HotSpot's agent would take its state apart in a phase in which JVMTI refuses that, and
    /// abort the JVM, or never let it end.
    fn let_die(&mut self, mut keeps: bool, until: Instant) -> Farewell {
        // It stands still for the event of its end, and perhaps for us.
        for _ in 0..2 {
            self.recorder.jvm.link.resume_all();
        }
        if self.recorder.jvm.link.flush().is_err() {
            return Farewell::Unanswered;
        }
        match self.is_closed_by(&mut keeps, until) {
            true => self.gone(),
            false => Farewell::Taken,
        }
    }

    /// Takes what still comes. Does the JVM close the connection in time?
    fn is_closed_by(&mut self, keeps: &mut bool, until: Instant) -> bool {
        while Instant::now() < until {
            match self.take(keeps) {
                Came::Something | Came::Nothing => {}
                Came::End => return true,
                Came::Nonsense => return false,
            }
        }
        false
    }

    fn last_look(&mut self) -> Result<(), crate::error::CaptureError> {
        let ticket = self.recorder.outlet.arrivals.open();
        let begun = self.tell_begun(ticket);
        let looked = begun.and_then(|()| self.look_a_last_time(ticket));
        self.recorder.outlet.arrivals.answered(ticket);
        looked
    }

    fn gone(&mut self) -> Farewell {
        self.recorder.jvm.left = true;
        Farewell::Taken
    }

    /// Takes what the JVM sends next, and keeps it as long as that can be.
    fn take(&mut self, keeps: &mut bool) -> Came {
        let came = match *keeps {
            true => self.turn(),
            false => match self.recorder.jvm.next() {
                Ok(came) => Ok(came.is_some()),
                Err(error) => Err(self.sort_out(error.into())),
            },
        };
        match came {
            Ok(true) => Came::Something,
            Ok(false) => Came::Nothing,
            Err(End::Closed(LinkError::Closed { .. })) => Came::End,
            Err(End::Failed(_)) if *keeps => {
                *keeps = false;
                Came::Something
            }
            Err(_) => Came::Nonsense,
        }
    }
}

//! What has come of logs, and is derived behind the program: in memory as long as there is little of it, then in a file.

use std::io;
use std::time::{Duration, Instant};

use jhyde_trace::{Sink, ThreadInfo};

use super::backlog::Backlog;
use super::engine::Engine;
use super::inject::Part;
use crate::error::CaptureError;

/// How long is derived before what the JVM waits for is tried again: it is packed anew each time.
const LONG_SLICE: Duration = Duration::from_millis(20);
/// So many words of logs wait in memory to be derived (128 MiB), what comes then in a file. In tests less, so that they go that way.
const MOST_WAITING: usize = if cfg!(test) { 1 << 9 } else { 1 << 24 };

impl<S: Sink> Engine<S> {
    /// Parts of logs have come.
    pub(super) fn taken(&mut self, parts: Vec<Part>) -> Result<(), CaptureError> {
        for part in &parts {
            if self.deriver.is_new(part.log) {
                if part.words.is_empty() {
                    continue;
                }
                let mut info = self.thread_info(part.thread)?;
                // It has none any more once it has ended.
                let first = self
                    .first
                    .as_ref()
                    .filter(|(first, _)| *first == part.thread);
                info.group = info.group.or_else(|| first?.1.group.clone());
                self.deriver.begin(
                    (part.log, part.thread),
                    |id| ThreadInfo { id, ..info },
                    &mut self.sink,
                )?;
            }
        }
        for part in parts {
            self.keep(part)?;
        }
        Ok(())
    }

    /// It is to be derived: it goes to the deriver, or behind what waits for that. The JVM waits where there is room for it nowhere.
    fn keep(&mut self, part: Part) -> Result<(), CaptureError> {
        while self.has_backlog() || self.deriver.waiting() > MOST_WAITING {
            if self.set_aside(&part) {
                return Ok(());
            }
            if !self.has_backlog() && !self.deriver.is_behind() {
                // What waits needs what other threads are still to tell.
                break;
            }
            self.derive(Some(Instant::now() + LONG_SLICE))?;
        }
        self.give(&part);
        Ok(())
    }

    fn give(&mut self, part: &Part) {
        self.deriver
            .extend(part.log, part.from, &part.words, part.points, part.sum);
    }

    /// False if there is no room for it, or no file that can be written: that is said once, and not tried again.
    fn set_aside(&mut self, part: &Part) -> bool {
        if !self.may_set_aside {
            return false;
        }
        self.write_aside(part).unwrap_or_else(|error| {
            tracing::warn!(%error, "what waits to be derived cannot be written: the program waits for it");
            self.may_set_aside = false;
            false
        })
    }

    fn write_aside(&mut self, part: &Part) -> io::Result<bool> {
        let backlog = match &mut self.backlog {
            Some(backlog) => backlog,
            none => {
                let file = self.sink.scratch().map_err(io::Error::other)?;
                none.insert(Backlog::new(file)?)
            }
        };
        backlog.push(part)
    }

    pub(super) fn has_backlog(&self) -> bool {
        self.backlog.as_ref().is_some_and(|all| !all.is_empty())
    }

    /// Derives until then, or as far as what has come goes.
    pub(super) fn derive(&mut self, until: Option<Instant>) -> Result<(), CaptureError> {
        loop {
            self.refill()?;
            self.deriver
                .derive(until, &mut self.program, &mut self.link, &mut self.sink)?;
            if until.is_some() || !self.has_backlog() {
                return Ok(());
            }
        }
    }

    /// The deriver gets what waits behind what it has.
    fn refill(&mut self) -> Result<(), CaptureError> {
        // Where the deriver can do no more, what it needs is behind that, of another thread.
        while self.deriver.waiting() <= MOST_WAITING / 2 || !self.deriver.is_behind() {
            let next = self.backlog.as_mut().map(Backlog::pop).transpose();
            match next
                .map_err(|error| CaptureError::Backlog { error })?
                .flatten()
            {
                Some(part) => self.give(&part),
                None => break,
            }
        }
        Ok(())
    }
}

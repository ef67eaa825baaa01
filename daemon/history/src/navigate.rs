//! Steps from an event to another, in both directions of time.

use jhyde_store::records::{Direction, ExceptionKind};
use jhyde_trace::{CallId, EventKind, Outcome, Timestamp, Value, Variable};

use crate::error::{Error, Result};
use crate::history::History;
use crate::state::Interval;
use crate::text::is_called;
use crate::view::EventView;

/// A step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// The next event of the thread, into calls.
    Into(Direction),
    /// The next event of the same call, over nested ones; at the call's end, of its caller.
    Over(Direction),
    /// Forward the end of the call, backward its beginning; there, those of its caller.
    Out(Direction),
    /// The next write of a variable.
    Write(Variable, Direction),
    /// The next time that a source line did something: class and line.
    Line(String, u32, Direction),
    /// Where the exception was thrown that the event is about.
    Throw,
}

impl History {
    /// The event that a step from another one leads to.
    ///
    /// # Errors
    /// [`Error::NoStep`] when it leads nowhere; others when the recording cannot be read.
    pub fn navigate(&self, from: Timestamp, step: &Step) -> Result<EventView> {
        let start = self.recording.event(from)?;
        let there = match step {
            Step::Into(direction) => self.neighbour(from, start.event.call, *direction, true)?,
            Step::Over(direction) => {
                let mut call = start.event.call;
                if is_edge(&start.event.kind, *direction) {
                    call = self.recording.call(call)?.parent;
                }
                self.neighbour(from, call, *direction, false)?
            }
            Step::Out(direction) => self.out(start.event.call, &start.event.kind, *direction)?,
            Step::Write(variable, direction) => self.next_write(from, *variable, *direction)?,
            Step::Line(class, line, direction) => {
                self.next_at_line(from, class, *line, *direction)?
            }
            Step::Throw => self.throw(from, &start.event.kind)?,
        };
        let Some(there) = there else {
            return Err(Error::NoStep {
                from,
                what: step.to_string(),
                end: match self.unseen_on_the_way(from, None, step)? {
                    Some(unseen) => Some(unseen),
                    None => self.end_note_behind(step)?,
                },
            });
        };
        let event = self.recording.event(there)?;
        let mut view = self.event(event.timestamp, &event.event)?;
        view.notes
            .extend(self.unseen_on_the_way(from, Some(there), step)?);
        Ok(view)
    }

    /// What a step to the next of something may have passed by unseen; without a place that it led to, up to the end.
    fn unseen_on_the_way(
        &self,
        from: Timestamp,
        there: Option<Timestamp>,
        step: &Step,
    ) -> Result<Option<String>> {
        let (Step::Write(_, direction) | Step::Line(.., direction)) = step else {
            return Ok(None);
        };
        let way = match direction {
            Direction::Forward => Interval {
                from,
                to: there.unwrap_or_else(|| self.last_event()),
            },
            Direction::Backward => Interval {
                from: there.unwrap_or_default(),
                to: from,
            },
        };
        match step {
            Step::Write(variable, _) => self.unseen_writes_of(*variable, way),
            _ => Ok(self.lowered_notes(way.from, way.to).into_iter().next()),
        }
    }

    /// What a step that leads nowhere has to say of the end of the recording, if that is where it would lead.
    fn end_note_behind(&self, step: &Step) -> Result<Option<String>> {
        match step {
            Step::Into(Direction::Forward)
            | Step::Over(Direction::Forward)
            | Step::Out(Direction::Forward)
            | Step::Line(.., Direction::Forward) => Ok(self.end_note()),
            Step::Write(variable, Direction::Forward) => self.end_note_of_variable(*variable),
            _ => Ok(None),
        }
    }

    /// The timestamps behind (or before) one.
    fn beyond(&self, from: Timestamp, direction: Direction) -> std::ops::Range<Timestamp> {
        match direction {
            Direction::Forward => {
                let next = Timestamp(from.0.saturating_add(1));
                next..self.recording.end().max(next)
            }
            Direction::Backward => Timestamp(0)..from,
        }
    }

    /// The nearest event of the call's thread, or of the call itself.
    fn neighbour(
        &self,
        from: Timestamp,
        call: CallId,
        direction: Direction,
        into: bool,
    ) -> Result<Option<Timestamp>> {
        let range = self.beyond(from, direction);
        if into {
            for event in self.recording.events(range, Some(call.thread), direction) {
                let event = event?;
                if !event.event.kind.is_found() {
                    return Ok(Some(event.timestamp));
                }
            }
            return Ok(None);
        }
        for own in self.recording.own_events(call, range, direction) {
            let own = own?;
            if own.event.call == call && !own.event.kind.is_found() {
                return Ok(Some(own.timestamp));
            }
        }
        Ok(None)
    }

    fn out(
        &self,
        call: CallId,
        kind: &EventKind,
        direction: Direction,
    ) -> Result<Option<Timestamp>> {
        if call.is_root() {
            return Ok(None);
        }
        let mut record = self.recording.call(call)?;
        if is_edge(kind, direction) {
            if record.parent.is_root() {
                return Ok(None);
            }
            record = self.recording.call(record.parent)?;
        }
        Ok(match direction {
            Direction::Forward => record.exit,
            Direction::Backward => Some(record.enter),
        })
    }

    fn next_write(
        &self,
        from: Timestamp,
        variable: Variable,
        direction: Direction,
    ) -> Result<Option<Timestamp>> {
        let range = self.beyond(from, direction);
        for write in self.recording.writes(variable, range.clone(), direction) {
            let write = write?;
            if !write.snapshot {
                return Ok(Some(write.timestamp));
            }
        }
        // The binding of a parameter comes before all its writes.
        let binding = self.binding(variable)?.map(|(call, _)| call.enter);
        Ok(binding.filter(|enter| range.contains(enter)))
    }

    fn next_at_line(
        &self,
        from: Timestamp,
        class: &str,
        line: u32,
        direction: Direction,
    ) -> Result<Option<Timestamp>> {
        let range = self.beyond(from, direction);
        let mut nearest: Option<Timestamp> = None;
        let mut known = false;
        // A whole name is meant before the end of a longer one.
        let is_whole = !self.recording.classes_named(class).is_empty();
        for id in self.recording.classes() {
            let Some(info) = self.recording.class(id)? else {
                continue;
            };
            // Nested classes share the source file, so a line may stand in any of them.
            let outer = info.name.split('$').next().unwrap_or_default();
            let is_meant = match is_whole {
                true => info.name == class || outer == class,
                false => is_called(&info.name, class) || is_called(outer, class),
            };
            if !is_meant {
                continue;
            }
            known = true;
            let mut executions =
                self.recording
                    .executions_of_line(id, line, range.clone(), direction);
            if let Some(execution) = executions.next() {
                let at = execution?.timestamp;
                let better = nearest.is_none_or(|nearest| match direction {
                    Direction::Forward => at < nearest,
                    Direction::Backward => at > nearest,
                });
                nearest = if better { Some(at) } else { nearest };
            }
        }
        if known {
            Ok(nearest)
        } else {
            Err(self.no_such_class(class))
        }
    }

    fn throw(&self, from: Timestamp, kind: &EventKind) -> Result<Option<Timestamp>> {
        let exception = match kind {
            EventKind::Exit {
                outcome: Outcome::Threw(exception),
            }
            | EventKind::Thrown { exception }
            | EventKind::Caught { exception }
            | EventKind::Uncaught { exception } => *exception,
            _ => return Ok(None),
        };
        self.thrown_before(from, exception)
    }

    /// The last throw of an exception object before a timestamp.
    ///
    /// # Errors
    /// When the recording cannot be read.
    pub fn thrown_before(&self, before: Timestamp, exception: Value) -> Result<Option<Timestamp>> {
        for event in self
            .recording
            .exceptions(Timestamp(0)..before, Direction::Backward)
        {
            let event = event?;
            if event.kind == ExceptionKind::Thrown && event.exception == exception {
                return Ok(Some(event.timestamp));
            }
        }
        Ok(None)
    }
}

/// Is it the last event of its call in this direction?
fn is_edge(kind: &EventKind, direction: Direction) -> bool {
    match direction {
        Direction::Forward => matches!(kind, EventKind::Exit { .. }),
        Direction::Backward => matches!(kind, EventKind::Enter { .. }),
    }
}

impl std::fmt::Display for Step {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let way = |direction: &Direction| match direction {
            Direction::Forward => "later",
            Direction::Backward => "earlier",
        };
        match self {
            Self::Into(direction) => write!(f, "{} event of the thread", way(direction)),
            Self::Over(direction) => {
                write!(f, "{} event of the call or its caller", way(direction))
            }
            Self::Out(Direction::Forward) => f.write_str("end of a call to step out to"),
            Self::Out(Direction::Backward) => f.write_str("beginning of a call to step out to"),
            Self::Write(_, direction) => write!(f, "{} write of that variable", way(direction)),
            Self::Line(class, line, direction) => {
                write!(f, "{} execution of {class}:{line}", way(direction))
            }
            Self::Throw => f.write_str("throw that led here"),
        }
    }
}

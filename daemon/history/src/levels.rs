//! What the level in force leaves out: a stretch of time in which a method is recorded lower than was asked for.
//!
//! Below level `state` writes go unseen: those of the method itself to its locals, and to fields, elements and contents
//! as long as any such method runs. What was known before is not known afterwards, until it is seen again. From `full`
//! to `state` values stay whole, and uses and edges are missing. A recording that was asked for at level `calls` is
//! another matter: there nothing is left out that was asked for (see `snapshots`).

use std::sync::Arc;

use jhyde_store::records::{CallRecord, MethodRef};
use jhyde_trace::{
    CallId, ClassId, Level, Levels, MethodId, Stretch, Subject, Timestamp, Variable,
};

use crate::error::Result;
use crate::history::{History, unless_lost};
use crate::state::Interval;

/// So many stretches are named in notes.
const NAMED: usize = 3;

impl History {
    /// The levels in force, as far as the recording is now. Where damage hides them, anything may have gone unseen.
    pub(crate) fn levels(&self) -> Arc<Levels> {
        self.recording.levels_or_lowest()
    }

    /// Why writes of a call to its locals may be missing behind a time and by another, if they may.
    pub(crate) fn unseen_locals(
        &self,
        method: &MethodRef,
        after: Timestamp,
        to: Timestamp,
    ) -> Option<String> {
        let levels = self.levels();
        let of = (method.class.id, method.method().id);
        let stretch = levels.unseen(Level::State, of, after, to)?;
        Some(self.in_words(stretch))
    }

    /// Why reads and conditions of a call may be missing behind a time and by another, if they may.
    pub(crate) fn unseen_deeds(
        &self,
        record: &CallRecord,
        after: Timestamp,
        to: Timestamp,
    ) -> Result<Option<String>> {
        let levels = self.levels();
        if levels.facts().is_empty() {
            return Ok(None);
        }
        let Some(method) = self.method(record.method)? else {
            return Ok(None);
        };
        let of = (method.class.id, record.method);
        let stretch = levels.unseen(Level::Full, of, after, to);
        Ok(stretch.map(|stretch| self.in_words(stretch)))
    }

    /// Why writes to fields, elements and contents may be missing behind a time and by another, if they may: a method
    /// that is recorded below level `state` ran meanwhile.
    pub(crate) fn unseen_writes(&self, after: Timestamp, to: Timestamp) -> Result<Option<String>> {
        let levels = self.levels();
        for stretch in levels.below(Level::State) {
            if stretch.touches(after, to) && self.ran(stretch, after, to)? {
                return Ok(Some(self.in_words(stretch)));
            }
        }
        Ok(None)
    }

    /// As [`History::unseen_writes`], for a variable: its call alone writes a local.
    pub(crate) fn unseen_writes_of(
        &self,
        variable: Variable,
        interval: Interval,
    ) -> Result<Option<String>> {
        match variable {
            Variable::Return { .. } | Variable::Exception { .. } => Ok(None),
            Variable::Local { call, .. } => {
                let (enter, exit) = self.life(&self.record(call)?).into_inner();
                let (after, to) = (interval.from.max(enter), interval.to.min(exit));
                let method = self.method_of(call)?;
                Ok(method.and_then(|method| self.unseen_locals(&method, after, to)))
            }
            _ => self.unseen_writes(interval.from, interval.to),
        }
    }

    /// Did anything that a stretch is about run in it, behind a time and by another?
    fn ran(&self, stretch: Stretch<'_>, after: Timestamp, to: Timestamp) -> Result<bool> {
        let methods: Vec<(ClassId, MethodId)> = match stretch.fact.of {
            Subject::Everything => return Ok(true),
            Subject::Method(id) => match self.method(id)? {
                Some(method) => vec![(method.class.id, id)],
                // It is not known any more which class that was.
                None => return Ok(true),
            },
            Subject::Class(id) => match unless_lost(self.recording.class(id))? {
                Some(class) => class.methods.iter().map(|m| (id, m.id)).collect(),
                None => return Ok(true),
            },
        };
        // Behind a time counts what ran just before the first event behind it.
        let after = after.max(Timestamp(stretch.fact.since.0.saturating_sub(1)));
        let to = stretch.until.map_or(to, |until| to.min(until));
        for &(_, method) in &methods {
            if self.is_entered(method, after, to)? {
                return Ok(true);
            }
        }
        for thread in self.recording.thread_ids() {
            self.check()?;
            let innermost = match self.recording.innermost_call(thread, after) {
                Ok(call) if call.is_root() => continue,
                Ok(call) => call,
                Err(jhyde_store::Error::NoSuchThread(_)) => continue,
                Err(jhyde_store::Error::Damaged { .. }) => return Ok(true),
                Err(error) => return Err(error.into()),
            };
            let path = match self.recording.path(innermost) {
                Err(jhyde_store::Error::Damaged { .. }) => return Ok(true),
                path => path?,
            };
            let is_one = |call: &CallRecord| methods.iter().any(|(_, id)| *id == call.method);
            if path.iter().any(is_one) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Was a call of a method entered behind a time and by another?
    fn is_entered(&self, method: MethodId, after: Timestamp, to: Timestamp) -> Result<bool> {
        let enter = |n: u64| match self.recording.call_by_invocation(method, n) {
            Ok(call) => Ok(Some(call.map_or(Timestamp(u64::MAX), |call| call.enter))),
            Err(jhyde_store::Error::Damaged { .. }) => Ok(None),
            Err(error) => Err(crate::error::Error::from(error)),
        };
        // Invocations are counted in the order of time.
        let (mut first, mut end) = match self.recording.invocations(method) {
            Err(jhyde_store::Error::Damaged { .. }) => return Ok(true),
            count => (0, count?),
        };
        let count = end;
        while first < end {
            let middle = first + (end - first) / 2;
            match enter(middle)? {
                Some(at) if at > after => end = middle,
                Some(_) => first = middle + 1,
                None => return Ok(true),
            }
        }
        if first == count {
            return Ok(false);
        }
        Ok(enter(first)?.is_none_or(|at| at <= to))
    }

    /// Why a call's method is recorded below a level at some time of its life, if it is.
    pub(crate) fn lowered_in(&self, call: CallId, level: Level) -> Result<Option<String>> {
        if call.is_root() {
            return Ok(None);
        }
        let Some(record) = unless_lost(self.recording.call(call).map(Some))? else {
            return Ok(None);
        };
        // Of calls out of the scope the inside is not recorded at any level.
        let Some(method) = self.method(record.method)?.filter(|_| !record.boundary) else {
            return Ok(None);
        };
        let (enter, exit) = self.life(&record).into_inner();
        let levels = self.levels();
        let of = (method.class.id, record.method);
        let stretch = levels.unseen(level, of, Timestamp(enter.0.saturating_sub(1)), exit);
        Ok(stretch.map(|stretch| self.in_words(stretch)))
    }

    /// What of a call was recorded at a lower level than was asked for.
    pub(crate) fn level_notes(&self, record: &CallRecord) -> Result<Vec<String>> {
        let levels = self.levels();
        if levels.facts().is_empty() {
            return Ok(Vec::new());
        }
        let Some(method) = self.method(record.method)?.filter(|_| !record.boundary) else {
            return Ok(Vec::new());
        };
        let (enter, exit) = self.life(record).into_inner();
        let before = Timestamp(enter.0.saturating_sub(1));
        let own = levels.lowered().filter(|stretch| {
            stretch.fact.of.has(method.class.id, record.method) && stretch.touches(before, exit)
        });
        Ok(own
            .take(NAMED)
            .map(|stretch| self.in_words(stretch))
            .collect())
    }

    /// All that was recorded at a lower level than was asked for, behind a time and by another.
    pub(crate) fn lowered_notes(&self, after: Timestamp, to: Timestamp) -> Vec<String> {
        let levels = self.levels();
        let all = levels
            .lowered()
            .filter(|stretch| stretch.touches(after, to))
            .collect::<Vec<_>>();
        let named = all.iter().take(NAMED);
        let mut notes: Vec<_> = named.map(|stretch| self.in_words(*stretch)).collect();
        if all.len() > NAMED {
            notes.push(format!(
                "and {} more stretches of time at a lower level",
                all.len() - NAMED
            ));
        }
        notes
    }

    /// `recorded at level calls from @12 on: REASON`, with what it is about where that is not all.
    pub fn in_words(&self, stretch: Stretch<'_>) -> String {
        match stretch.fact.of {
            Subject::Everything => stretch.to_string(),
            Subject::Class(id) => match self.recording.class(id) {
                Ok(Some(class)) => format!("class {} is {stretch}", class.name),
                _ => format!("class#{id} is {stretch}"),
            },
            Subject::Method(id) => match self.recording.method(id) {
                Ok(Some(method)) => {
                    let name = &method.method().name;
                    format!("{}.{name} is {stretch}", method.class.name)
                }
                _ => format!("method#{id} is {stretch}"),
            },
        }
    }
}

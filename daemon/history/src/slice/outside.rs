//! What code out of the scope may have made its results from: nobody saw its inside, so that is all that it was given,
//! all that it could get at from there, and what it got from the calls that came back into the scope.

use jhyde_store::records::CallRecord;
use jhyde_trace::{Content, ObjectId, Outcome, Timestamp, Value};
use rustc_hash::FxHashSet;

use super::node::{Deed, Link, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use crate::contents::Contents;
use crate::error::Result;

/// So many objects, and variables in them, are looked at for one call.
const MOST_OBJECTS: usize = 256;
const MOST_VARIABLES: usize = 4096;
/// So many calls that came back into the scope.
const MOST_CALLBACKS: usize = 4096;

impl Resolver {
    /// What a call out of the scope did until a time came from; with `reads`, also what it could read.
    pub(super) fn outside(
        &mut self,
        record: &CallRecord,
        until: Timestamp,
        reads: bool,
        found: &mut Found,
    ) -> Result<()> {
        if let Some(caller) = self.caller(record, found)? {
            if caller.boundary {
                self.outside(&caller, record.enter, reads, found)?;
            } else {
                self.given(&caller, record, found)?;
            }
        }
        let after = None;
        let callbacks = self
            .history
            .recording
            .children(record.id, after, MOST_CALLBACKS)?;
        if callbacks.len() == MOST_CALLBACKS {
            self.loose.insert(Loose::Call(record.id));
        }
        if callbacks.is_empty() && self.may_run_later(record)? {
            self.loose.insert(Loose::Call(record.id));
            found.note("what the code that this call was given did later, in whatever thread, is not followed".to_owned());
        }
        for child in callbacks {
            let returned = match self.history.recording.outcome(&child) {
                Ok(outcome) => !matches!(outcome, Some(Outcome::Returned(None)) | None),
                Err(jhyde_store::Error::Damaged { .. }) => true,
                Err(error) => return Err(error.into()),
            };
            if let Some(end) = self.ending(&child).filter(|end| returned && end.at < until) {
                found.add(Relation::Value, end);
            }
        }
        match reads {
            true => self.reachable(record, found),
            false => Ok(()),
        }
    }

    /// Has it been given a function of the scope that others may run when it has ended?
    fn may_run_later(&self, record: &CallRecord) -> Result<bool> {
        let Some(method) = self.history.method(record.method)? else {
            return Ok(false);
        };
        let class = method.class.name.as_str();
        let runners = [
            "Completion",
            "Executor",
            "ForkJoin",
            "Future",
            "java.util.Timer",
        ];
        let by_others =
            class.starts_with("java.util.") && runners.iter().any(|of| class.contains(of));
        if !by_others || method.method().name == "<init>" {
            return Ok(false);
        }
        for object in self
            .history
            .given(record)?
            .arguments
            .into_iter()
            .filter_map(Value::object)
        {
            match self.history.recording.object(object) {
                Err(jhyde_store::Error::Damaged { .. }) => return Ok(true),
                info => {
                    if matches!(info?.map(|info| info.content), Some(Content::Lambda { .. })) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// What it was given, and why it was called.
    fn given(&mut self, caller: &CallRecord, record: &CallRecord, found: &mut Found) -> Result<()> {
        let Some((replay, row)) = self.replays.with(&self.history, caller.id, record.enter)? else {
            return self.unread(caller, record.enter, found);
        };
        let here = &replay.rows[row];
        let own = self.control(caller, here.at, here.index, found)?;
        for feeds in &here.arguments {
            self.feeds(caller, &replay, row, feeds, Relation::Value, own, found)?;
        }
        if let Some(own) = own {
            found.add(Relation::Condition, own);
        }
        Ok(())
    }

    /// What arrays and objects of the JDK that it was given held when it began.
    fn reachable(&mut self, record: &CallRecord, found: &mut Found) -> Result<()> {
        let at = record.enter;
        let deep = !self.looks_no_further(record)?;
        let reflects = self.reads_fields(record)?;
        let given = self.history.given(record)?;
        let mut work: Vec<ObjectId> = given
            .receiver
            .into_iter()
            .chain(given.arguments)
            .filter_map(Value::object)
            .collect();
        let mut seen: FxHashSet<ObjectId> = work.iter().copied().collect();
        let mut variables = 0;
        while let Some(object) = work.pop() {
            self.history.check()?;
            self.shown.push(object);
            let inside = match self.history.recording.object(object) {
                Err(jhyde_store::Error::Damaged { .. }) => continue,
                info => match info?.map(|info| info.content) {
                    Some(Content::Array(_)) => self.elements(object, at, found)?,
                    Some(Content::None) | None if reflects || self.is_record(object)? => {
                        self.elements(object, at, found)?
                    }
                    Some(Content::None) | None => self.held(object, at, found)?,
                    Some(Content::Lambda { captured, .. }) => captured,
                    // The others never change.
                    Some(_) => Vec::new(),
                },
            };
            variables += inside.len();
            if !deep {
                continue;
            }
            if seen.len() > MOST_OBJECTS || variables > MOST_VARIABLES {
                self.loose.insert(Loose::Call(record.parent));
                found.note(format!(
                    "of all that this call could read, {MOST_OBJECTS} objects are followed"
                ));
                break;
            }
            let inside = inside.into_iter().filter_map(Value::object);
            work.extend(inside.filter(|object| seen.insert(*object)));
        }
        Ok(())
    }

    /// Elements of an array or fields of an object, and who wrote them.
    pub(super) fn elements(
        &mut self,
        array: ObjectId,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<Vec<Value>> {
        let written = self
            .history
            .recording
            .object_state(array, at, 0, MOST_VARIABLES);
        let written = match written {
            Err(error @ jhyde_store::Error::Damaged { .. }) => {
                found.note(crate::gaps::damage_note(&error));
                return Ok(Vec::new());
            }
            written => written?,
        };
        for write in &written {
            found.links.push(Link {
                relation: Relation::Value,
                node: Node {
                    deed: match write.snapshot {
                        true => Deed::Found(write.variable),
                        false => Deed::Write(write.variable),
                    },
                    at: write.timestamp,
                    call: write.call,
                },
                read: Some(write.variable),
            });
        }
        Ok(written.into_iter().map(|write| write.value).collect())
    }

    /// What an object of the JDK held, and who made it so.
    pub(super) fn held(
        &mut self,
        object: ObjectId,
        at: Timestamp,
        found: &mut Found,
    ) -> Result<Vec<Value>> {
        for source in self.history.sources(object)? {
            if let Some(node) = self.content_definition(source, at, found)? {
                found.add(Relation::Content, node);
            }
        }
        self.not_told(object, at, found)?;
        Ok(match &*self.history.contents_at(object, at)? {
            Contents::Known(known) => known.items.values(),
            _ => Vec::new(),
        })
    }

    /// What the arrays and collections held whose elements a call may have put into what it was called on.
    pub(super) fn poured(&mut self, record: &CallRecord, found: &mut Found) -> Result<()> {
        /// These put in their arguments themselves.
        const WHOLE: [&str; 14] = [
            "add",
            "addFirst",
            "addLast",
            "compute",
            "computeIfAbsent",
            "computeIfPresent",
            "merge",
            "offer",
            "offerFirst",
            "offerLast",
            "push",
            "put",
            "putIfAbsent",
            "set",
        ];
        let method = self.history.method(record.method)?;
        if method.is_some_and(|method| WHOLE.contains(&&*method.method().name)) {
            return Ok(());
        }
        let given = self.history.given(record)?.arguments;
        for object in given.into_iter().filter_map(Value::object) {
            match self.history.recording.object(object) {
                Err(jhyde_store::Error::Damaged { .. }) => {}
                info => match info?.map(|info| info.content) {
                    Some(Content::Array(_)) => _ = self.elements(object, record.enter, found)?,
                    Some(Content::None) | None => _ = self.held(object, record.enter, found)?,
                    Some(_) => {}
                },
            }
        }
        Ok(())
    }

    /// Does it read fields of what it is given, of whatever class: by reflection, a handle, or to write objects out?
    fn reads_fields(&self, record: &CallRecord) -> Result<bool> {
        let method = self.history.method(record.method)?;
        let begins = [
            "java.lang.reflect.",
            "java.lang.invoke.VarHandle",
            "java.lang.invoke.MethodHandle",
            "java.io.ObjectOutput",
        ];
        Ok(method.is_some_and(|method| {
            begins
                .iter()
                .any(|begins| method.class.name.starts_with(begins))
        }))
    }

    /// Is it a method of a collection or box that looks at what the object holds and not at what that holds again?
    fn looks_no_further(&self, record: &CallRecord) -> Result<bool> {
        const METHODS: [&str; 32] = [
            "add",
            "addAll",
            "addFirst",
            "addLast",
            "clear",
            "first",
            "get",
            "getFirst",
            "getKey",
            "getLast",
            "getValue",
            "hasNext",
            "isEmpty",
            "iterator",
            "keySet",
            "last",
            "length",
            "next",
            "offer",
            "peek",
            "poll",
            "pollFirst",
            "pollLast",
            "pop",
            "push",
            "put",
            "removeFirst",
            "removeLast",
            "set",
            "size",
            "values",
            "valueOf",
        ];
        let Some(method) = self.history.method(record.method)? else {
            return Ok(false);
        };
        let name = method.method().name.as_str();
        let class = method.class.name.as_str();
        Ok(
            (class.starts_with("java.util.") || class.starts_with("java.lang."))
                && (METHODS.contains(&name) || name.ends_with("Value"))
                && method.method().descriptor != "(Ljava/lang/Object;)Ljava/lang/String;",
        )
    }
}

//! Which calls can be to blame for a wrong value: those that its slice goes through, and those that could have left a
//! variable of the slice unwritten (`Hands`). Of a call that could have, what decided over its writes is
//! followed, too.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, ObjectId, Outcome, Timestamp, Value, Variable};
use rustc_hash::FxHashSet;

use super::control::entered;
use super::hands::{Hands, MOST_EVENTS, object_of};
use super::node::{Deed, Link, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use super::{Slice, SlicedValue};
use crate::error::{Error, Result};
use crate::history::{History, unless_lost};

/// So many objects of a call's arguments are looked into.
const MOST_INSIDE: usize = 4096;

/// The calls that can be to blame.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Blame {
    /// Calls that the slice goes through.
    pub slice: FxHashSet<CallId>,
    /// Calls that could have left something of the slice undone.
    pub undone: FxHashSet<CallId>,
    /// Why no call can be excluded, if so.
    pub all: Option<String>,
}

impl Blame {
    /// Can it be to blame?
    pub fn holds(&self, call: CallId) -> bool {
        self.all.is_some() || self.slice.contains(&call) || self.undone.contains(&call)
    }
}

/// A search for those who are to blame.
struct Search<'a> {
    slice: Slice,
    within: &'a CallRecord,
    blame: Blame,
    /// Objects of the slice's variables that are still to be looked at.
    objects: Vec<ObjectId>,
    /// A variable that any call can have written is in the slice.
    open: Option<String>,
}

impl History {
    /// Which of the calls inside of one, itself among them, can be to blame for values that were wrong when it ended.
    ///
    /// # Errors
    /// When one of the values is not there, or the recording cannot be read.
    pub fn blame(&self, call: CallId, wrong: &[Variable]) -> Result<Blame> {
        let record = self.record(call)?;
        let at = *self.life(&record).end();
        let mut search = Search::new(self, &record, record.enter);
        for &variable in wrong {
            let of = SlicedValue {
                variable,
                at: Some(at),
            };
            match search.slice.first(self, of) {
                Ok((node, more)) => {
                    search.from(Relation::Asked, Some(variable), node)?;
                    for link in more.links {
                        search.from(link.relation, link.read, link.node)?;
                    }
                }
                // It was left as it was made, or nobody saw it written.
                Err(Error::NoValue { .. }) => {}
                Err(error) => return Err(error),
            }
            search.variable(variable)?;
            // Whoever calls an object wrong may mean what it holds.
            let object = match variable {
                Variable::Content { object, .. } => Some(object),
                _ => self.value_then(variable, at)?.and_then(Value::object),
            };
            search.inside(object.into_iter().collect(), at)?;
        }
        search.blame.slice.insert(call);
        search.run(at)?;
        Ok(search.blame)
    }

    /// What a variable had at a time, if that is recorded.
    fn value_then(&self, variable: Variable, at: Timestamp) -> Result<Option<Value>> {
        let (Variable::Return { call } | Variable::Exception { call }) = variable else {
            let last = self.recording.last_write(variable, at);
            return Ok(unless_lost(last)?.map(|last| last.value));
        };
        let outcome = self.recording.outcome(&self.record(call)?);
        Ok(match unless_lost(outcome)? {
            Some(Outcome::Returned(value)) => value,
            Some(Outcome::Threw(value)) => Some(value),
            Some(Outcome::Unknown) | None => None,
        })
    }

    /// Which calls can be to blame for a call that should not have been made as it was.
    ///
    /// # Errors
    /// As [`History::blame`].
    pub fn blame_for_arguments(&self, call: CallId) -> Result<Blame> {
        let record = self.record(call)?;
        let path = self.recording.path(call)?;
        let outermost = path.first().copied().unwrap_or(record);
        let mut search = Search::new(self, &outermost, Timestamp(0));
        search.from(Relation::Asked, None, entered(&record))?;
        let given = self.given(&record)?;
        let count = given.arguments.len() + usize::from(given.receiver.is_some());
        for position in 0..u16::try_from(count).unwrap_or(u16::MAX) {
            let argument = Node {
                deed: Deed::Argument(position),
                at: record.enter,
                call,
            };
            search.from(Relation::Asked, None, argument)?;
        }
        let values = given.receiver.into_iter().chain(given.arguments);
        search.inside(values.filter_map(Value::object).collect(), record.enter)?;
        search.run(record.enter)?;
        Ok(search.blame)
    }
}

impl<'a> Search<'a> {
    fn new(history: &History, within: &'a CallRecord, since: Timestamp) -> Self {
        Self {
            slice: Slice::over(history.clone(), since),
            within,
            blame: Blame::default(),
            objects: Vec::new(),
            open: None,
        }
    }

    fn from(&mut self, relation: Relation, read: Option<Variable>, node: Node) -> Result<()> {
        let link = Link {
            relation,
            node,
            read,
        };
        self.came_from(&link)?;
        self.slice.meet(None, relation, read, node);
        Ok(())
    }

    /// What objects held at a time, and what those held again, may be wrong as well as they themselves.
    fn inside(&mut self, mut objects: Vec<ObjectId>, at: Timestamp) -> Result<()> {
        let mut seen: FxHashSet<ObjectId> = objects.iter().copied().collect();
        while let Some(object) = objects.pop() {
            self.slice.resolver.history.check()?;
            if seen.len() > MOST_INSIDE {
                self.blame.all = Some(format!(
                    "what is wrong holds more than {MOST_INSIDE} objects: point at a part of it"
                ));
                return Ok(());
            }
            let mut found = Found::default();
            let mut values = self.slice.resolver.elements(object, at, &mut found)?;
            values.extend(self.slice.resolver.held(object, at, &mut found)?);
            for link in found.links {
                self.from(link.relation, link.read, link.node)?;
            }
            self.objects.push(object);
            let values = values.into_iter().filter_map(Value::object);
            objects.extend(values.filter(|object| seen.insert(*object)));
        }
        Ok(())
    }

    fn run(&mut self, until: Timestamp) -> Result<()> {
        self.walk()?;
        if let Some(all) = self.blame.all.take().or_else(|| self.not_excluded()) {
            self.blame.all = Some(all);
            return Ok(());
        }
        let Resolver {
            history, replays, ..
        } = &mut self.slice.resolver;
        let Some(hands) = Hands::of(history, replays, self.within, until)? else {
            self.blame.all = Some(format!(
                "who could have left something undone is looked for in at most {MOST_EVENTS} events that can all be read"
            ));
            return Ok(());
        };
        let mut seen = FxHashSet::default();
        let mut could = hands.guarded.clone();
        loop {
            while let Some(object) = self.objects.pop() {
                match hands.reached_by(object, &mut seen) {
                    Some(calls) => could.extend(calls),
                    None => {
                        self.blame.all = Some(
                            "a static field leads to what the value came from, so that any call could have changed it"
                                .to_owned(),
                        );
                        return Ok(());
                    }
                }
            }
            let Some(call) = could.pop() else { break };
            if !self.blame.undone.insert(call) {
                continue;
            }
            self.look_into(call)?;
            self.walk()?;
            if let Some(all) = self.not_excluded() {
                self.blame.all = Some(all);
                return Ok(());
            }
        }
        Ok(())
    }

    /// What decided over what a call wrote and did not.
    fn look_into(&mut self, call: CallId) -> Result<()> {
        let record = self.slice.resolver.history.record(call)?;
        let mut found = Found::default();
        self.slice.resolver.decisions(&record, &mut found)?;
        for link in found.links {
            self.from(link.relation, link.read, link.node)?;
        }
        Ok(())
    }

    /// Follows all that waits.
    fn walk(&mut self) -> Result<()> {
        while let Some((waiting, found)) = self.slice.advance()? {
            self.blame.slice.insert(waiting.node.call);
            for link in &found.links {
                self.came_from(link)?;
            }
        }
        Ok(())
    }

    /// What went in may lie before the call that is looked into, and have been left as it was inside.
    fn came_from(&mut self, link: &Link) -> Result<()> {
        let of_deed = match link.node.deed {
            Deed::Write(variable) | Deed::Found(variable) => Some(variable),
            Deed::Content(object) | Deed::Created(object) => {
                self.objects.push(object);
                None
            }
            _ => None,
        };
        for variable in link.read.into_iter().chain(of_deed) {
            self.variable(variable)?;
        }
        Ok(())
    }

    /// A variable whose value went in: somebody could have written it and did not.
    fn variable(&mut self, variable: Variable) -> Result<()> {
        let history = &self.slice.resolver.history;
        if let Variable::Field { field, .. } | Variable::Static { field } = variable {
            const FINAL: u32 = 0x10;
            let declared = unless_lost(history.recording.field(field))?;
            // Only its own constructor can have written it, and did.
            if declared.is_some_and(|declared| declared.field().modifiers & FINAL != 0) {
                return Ok(());
            }
        }
        if matches!(variable, Variable::Static { .. }) {
            self.open = Some(history.written_form(variable)?);
        }
        self.objects.extend(object_of(variable));
        Ok(())
    }

    /// Why nobody can be excluded.
    fn not_excluded(&self) -> Option<String> {
        if let Some(variable) = &self.open {
            return Some(format!(
                "the value came from the static field {variable}, which any call could have written"
            ));
        }
        let loose = self.slice.resolver.loose.iter().next()?;
        Some(match loose {
            Loose::Call(call) => {
                format!("too little of call {call} was recorded to tell what it read")
            }
            Loose::Thread(thread) => format!("what started thread {thread} is not followed"),
        })
    }
}

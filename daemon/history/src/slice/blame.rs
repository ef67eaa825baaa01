//! Which calls can be to blame for a wrong value: those that its slice goes through, and those that could have left a
//! variable of the slice unwritten (`Hands`). Of a call that could have, what decided over its writes is
//! followed, too.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, ObjectId, Outcome, Timestamp, Value, Variable};
use rustc_hash::FxHashSet;

use super::control::entered;
use super::flow::{Flow, Looked};
use super::hands::{Hands, MOST_EVENTS, object_of};
use super::node::{Deed, Link, Loose, Node, Relation};
use super::resolve::{Found, Resolver};
use super::unchanging::never_changes;
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

/// Which call read something, and by when; `None` for who asks.
type Reader = (Option<CallId>, Timestamp);

/// A search for those who are to blame.
struct Search<'a> {
    slice: Slice,
    within: &'a CallRecord,
    blame: Blame,
    /// Objects of the slice's variables that are still to be looked at.
    objects: Vec<ObjectId>,
    /// A variable that any call can have written is in the slice.
    open: Option<String>,
    flow: Flow,
}

impl History {
    /// Which of the calls inside of one, itself among them, can be to blame for values that were wrong when it ended, and
    /// through what these reached them.
    ///
    /// # Errors
    /// When one of the values is not there, or the recording cannot be read.
    pub fn blame(&self, call: CallId, wrong: &[Variable]) -> Result<(Blame, Flow)> {
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
                    search.from((None, at), Relation::Asked, Some(variable), node)?;
                    for link in more.links {
                        search.from((None, at), link.relation, link.read, link.node)?;
                    }
                }
                // It was left as it was made, or nobody saw it written.
                Err(Error::NoValue { .. }) => {}
                Err(error) => return Err(error),
            }
            search.variable((None, at), variable, Timestamp(0))?;
            // Whoever calls an object wrong may mean what it holds.
            let object = match variable {
                Variable::Content { object, .. } => Some(object),
                _ => self.value_then(variable, at)?.and_then(Value::object),
            };
            search.inside(object.into_iter().collect(), at)?;
        }
        search.blame.slice.insert(call);
        search.run(at)?;
        Ok((search.blame, search.flow))
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
        let asked = (None, record.enter);
        search.from(asked, Relation::Asked, None, entered(&record))?;
        let given = self.given(&record)?;
        let count = given.arguments.len() + usize::from(given.receiver.is_some());
        for position in 0..u16::try_from(count).unwrap_or(u16::MAX) {
            let argument = Node {
                deed: Deed::Argument(position),
                at: record.enter,
                call,
            };
            search.from(asked, Relation::Asked, None, argument)?;
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
            flow: Flow::default(),
        }
    }

    /// A deed that something which a call did came from, and when that did it; the call is `None` for what was asked about.
    fn from(
        &mut self,
        to: Reader,
        relation: Relation,
        read: Option<Variable>,
        node: Node,
    ) -> Result<()> {
        let link = Link {
            relation,
            node,
            read,
        };
        self.came_from(to, &link)?;
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
                self.from((None, at), link.relation, link.read, link.node)?;
            }
            if !never_changes(&self.slice.resolver.history, object)? {
                self.object((None, at), object, None, at);
            }
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
                    Ok(calls) => could.extend(calls),
                    Err(field) => {
                        let history = &self.slice.resolver.history;
                        let field = history.written_form(Variable::Static { field })?;
                        let object = history.value(Value::Object(object))?.compact();
                        self.blame.all = Some(format!(
                            "the static field {field} leads to {object}, which the value came from, so that any call could have changed it"
                        ));
                        return Ok(());
                    }
                }
            }
            let Some(call) = could.pop() else {
                self.flow.held(hands);
                break;
            };
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
        let end = *self.slice.resolver.history.life(&record).end();
        let mut found = Found::default();
        self.slice.resolver.decisions(&record, &mut found)?;
        for link in found.links {
            self.from((Some(call), end), link.relation, link.read, link.node)?;
        }
        Ok(())
    }

    /// Follows all that waits.
    fn walk(&mut self) -> Result<()> {
        while let Some((waiting, found)) = self.slice.advance()? {
            self.blame.slice.insert(waiting.node.call);
            for object in std::mem::take(&mut self.slice.resolver.shown) {
                self.flow.looked(Looked {
                    by: Some(waiting.node.call),
                    object,
                    variable: None,
                    written: Timestamp(0),
                    read: waiting.node.at,
                });
            }
            for link in &found.links {
                self.came_from((Some(waiting.node.call), waiting.node.at), link)?;
            }
        }
        Ok(())
    }

    /// What went in may lie before the call that is looked into, and have been left as it was inside.
    fn came_from(&mut self, to: Reader, link: &Link) -> Result<()> {
        self.flow.way(to.0, link);
        // What was found there may have been written at any time before.
        let written = match link.node.deed {
            Deed::Found(_) => Timestamp(0),
            _ => link.node.at,
        };
        let of_deed = match link.node.deed {
            Deed::Write(variable) | Deed::Found(variable) => Some(variable),
            Deed::Content(object) => {
                self.object(to, object, None, written);
                None
            }
            // Which object it is tells nothing of what is in it; who looks into it is met where that is read.
            Deed::Created(object) => {
                if !never_changes(&self.slice.resolver.history, object)? {
                    self.objects.push(object);
                }
                None
            }
            _ => None,
        };
        for variable in link.read.into_iter().chain(of_deed) {
            self.variable(to, variable, written)?;
        }
        Ok(())
    }

    /// An object of which something went in.
    fn object(
        &mut self,
        (by, read): Reader,
        object: ObjectId,
        variable: Option<Variable>,
        written: Timestamp,
    ) {
        self.flow.looked(Looked {
            by,
            object,
            variable,
            written,
            read,
        });
        self.objects.push(object);
    }

    /// A variable whose value went in: somebody could have written it and did not.
    fn variable(&mut self, to: Reader, variable: Variable, written: Timestamp) -> Result<()> {
        let history = &self.slice.resolver.history;
        if let Variable::Field { field, .. } | Variable::Static { field } = variable {
            let declared = unless_lost(history.recording.field(field))?;
            // Only its own constructor can have written it, and did.
            if declared.is_some_and(|declared| declared.field().is_final()) {
                return Ok(());
            }
        }
        if matches!(variable, Variable::Static { .. }) {
            self.open = Some(history.written_form(variable)?);
        }
        if let Some(object) = object_of(variable) {
            self.object(to, object, Some(variable), written);
        }
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
            Loose::Lowered => {
                "what was recorded at a lower level may have written what the value came from"
                    .to_owned()
            }
            Loose::Thread(thread) => format!("what started thread {thread} is not followed"),
        })
    }
}

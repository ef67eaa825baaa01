//! Through which values what a call did reached a wrong value.
//!
//! Whatever happened inside of a call can have had to do with the wrong value in two ways: something outside read what
//! it left (its result, or a variable that was written inside), or read a variable that it could have written and did not.
//! Where all of those are one variable, or the result, nothing inside reached the wrong value but through the value that
//! this had when the call ended. Was that value right for what the call was given, then nothing inside has to do with the wrong
//! one: had it all been right, the same would have come out, and all else would have gone on as it did.

use jhyde_store::records::CallRecord;
use jhyde_trace::{CallId, ObjectId, Timestamp, Variable};
use rustc_hash::{FxHashMap, FxHashSet};

use super::hands::{Hands, object_of};
use super::node::{Deed, Link};

/// Of slices with more ways from call to call nothing is said.
const MOST_WAYS: usize = 1 << 20;

/// How something that one call did came to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Through {
    /// By the end of a call: its result, or its exception.
    End,
    /// By a variable, written at that time.
    Variable(Variable, Timestamp),
    /// In another way, which is no single value: what an object of the JDK holds, an object that was made.
    Other,
}

/// A way into a call from another one, backwards; `to` is `None` for who asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Way {
    to: Option<CallId>,
    from: CallId,
    through: Through,
}

/// Something of an object that was read: whoever had the object at hand could have written it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Looked {
    /// `None` for who asks.
    pub(super) by: Option<CallId>,
    pub(super) object: ObjectId,
    /// `None` is anything of it.
    pub(super) variable: Option<Variable>,
    /// What was read was written then, and read no later than then: what a call could have written between is not seen
    /// unless it ran between.
    pub(super) written: Timestamp,
    pub(super) read: Timestamp,
}

impl Looked {
    /// Would it have seen what the call wrote to the variable?
    fn sees(&self, call: &CallRecord) -> bool {
        match self.variable {
            Some(_) => self.written < call.enter && call.exit.is_none_or(|exit| self.read > exit),
            None => self.read > call.enter,
        }
    }
}

/// How the calls that can be to blame for wrong values reached those.
#[derive(Debug, Default)]
pub struct Flow {
    ways: FxHashSet<Way>,
    looked: FxHashSet<Looked>,
    hands: Hands,
    too_many: bool,
}

impl Flow {
    pub(super) fn way(&mut self, to: Option<CallId>, link: &Link) {
        let from = link.node.call;
        if to == Some(from) || from.is_root() || self.is_full() {
            return;
        }
        let through = match (link.read, link.node.deed) {
            (Some(read), Deed::Write(written)) if read == written => {
                Through::Variable(read, link.node.at)
            }
            (_, Deed::Result) => Through::End,
            _ => Through::Other,
        };
        self.ways.insert(Way { to, from, through });
    }

    pub(super) fn looked(&mut self, looked: Looked) {
        if !self.is_full() {
            self.looked.insert(looked);
        }
    }

    pub(super) fn held(&mut self, hands: Hands) {
        self.hands = hands;
    }

    fn is_full(&mut self) -> bool {
        self.too_many |= self.ways.len() + self.looked.len() >= MOST_WAYS;
        self.too_many
    }

    /// About how many bytes it takes.
    pub fn memory(&self) -> usize {
        let ways = self.ways.capacity() * size_of::<Way>();
        ways + self.looked.capacity() * size_of::<Looked>() + self.hands.memory()
    }

    /// The one variable, as the call left it, through which alone whatever happened inside of the call reached the wrong values;
    /// [`Variable::Return`] for its result. `None` where there are several, or something that is no single value, and where
    /// another thread looked on: it may have seen what was there meanwhile.
    pub fn only_through(&self, call: &CallRecord) -> Option<Variable> {
        let is_outside = |other: Option<CallId>| other.is_none_or(|other| !call.contains(other));
        let of_other_thread =
            |other: Option<CallId>| other.is_some_and(|other| other.thread != call.id.thread);
        let looks_on = self.looked.iter().any(|look| of_other_thread(look.by));
        if self.too_many || looks_on || self.ways.iter().any(|way| of_other_thread(way.to)) {
            return None;
        }
        let mut only: Option<Variable> = None;
        let mut written: Option<Timestamp> = None;
        let ways = self.ways.iter();
        for way in ways.filter(|way| call.contains(way.from) && is_outside(way.to)) {
            let through = match way.through {
                Through::End if way.from == call.id => Variable::Return { call: call.id },
                Through::Variable(variable, at) => {
                    // What was written at two times was read at two times: one of them lies inside.
                    if written.replace(at).is_some_and(|before| before != at) {
                        return None;
                    }
                    variable
                }
                Through::End | Through::Other => return None,
            };
            if only.replace(through).is_some_and(|only| only != through) {
                return None;
            }
        }
        // By object: what was read of it outside.
        let mut looked: FxHashMap<ObjectId, Option<Variable>> = FxHashMap::default();
        let outside = self.looked.iter().filter(|look| is_outside(look.by));
        for look in outside.filter(|look| look.sees(call)) {
            let variable = looked.entry(look.object).or_insert(look.variable);
            if *variable != look.variable {
                *variable = None;
            }
        }
        let had = |object: ObjectId| {
            let calls = self.hands.reached_by(object, &mut FxHashSet::default());
            calls.map_or(true, |calls| {
                calls.into_iter().any(|other| call.contains(other))
            })
        };
        // Objects that the same is read of, and that nothing inside had at hand, are many.
        for (object, variable) in looked {
            if variable.is_some() && variable == only || !had(object) {
                continue;
            }
            if variable.is_none() || only.is_some() {
                return None;
            }
            only = variable;
        }
        let throws = |guarded: &CallId| call.contains(*guarded);
        match only {
            // That its result is right says that no exception should have come.
            Some(Variable::Return { .. }) | None => only,
            Some(variable) => {
                let is_of_object = object_of(variable).is_some();
                let may_throw = self.hands.guarded.iter().any(throws);
                (is_of_object && !may_throw).then_some(variable)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::{FieldId, MethodId, ThreadId};

    use super::super::node::{Node, Relation};
    use super::*;

    fn id(preorder: u64) -> CallId {
        CallId {
            thread: ThreadId(1),
            preorder,
        }
    }

    /// Call 3 with calls 4 and 5 inside of it.
    fn call() -> CallRecord {
        CallRecord {
            id: id(3),
            parent: id(1),
            method: MethodId(1),
            enter: Timestamp(30),
            exit: Some(Timestamp(60)),
            size: 3,
            depth: 2,
            boundary: false,
            already_running: false,
            call_site: 0,
            invocation: 0,
        }
    }

    fn field(object: u64, field: u32) -> Variable {
        Variable::Field {
            object: ObjectId(object),
            field: FieldId(field),
        }
    }

    /// A write inside of 4, read by another call.
    fn read(flow: &mut Flow, by: u64, variable: Variable) {
        let node = Node {
            deed: Deed::Write(variable),
            at: Timestamp(45),
            call: id(4),
        };
        link(flow, by, node, Some(variable));
        let at = (Timestamp(45), Timestamp(70));
        looked(flow, by, variable, at);
    }

    /// Something that was written and read at these times.
    fn looked(
        flow: &mut Flow,
        by: u64,
        variable: Variable,
        (written, read): (Timestamp, Timestamp),
    ) {
        flow.looked(Looked {
            by: Some(id(by)),
            object: object_of(variable).expect("a field"),
            variable: Some(variable),
            written,
            read,
        });
    }

    fn link(flow: &mut Flow, by: u64, node: Node, read: Option<Variable>) {
        let relation = Relation::Value;
        let link = Link {
            relation,
            node,
            read,
        };
        flow.way(Some(id(by)), &link);
    }

    fn returned(flow: &mut Flow, by: u64, call: u64) {
        let node = Node {
            deed: Deed::Result,
            at: Timestamp(60),
            call: id(call),
        };
        link(flow, by, node, None);
    }

    #[test]
    fn a_result_is_the_only_way_where_nothing_else_that_it_left_was_read() {
        let result = Some(Variable::Return { call: id(3) });
        let mut flow = Flow::default();
        assert_eq!(flow.only_through(&call()), None, "nothing went through it");
        returned(&mut flow, 1, 3);
        assert_eq!(flow.only_through(&call()), result);
        // What goes on inside makes no difference.
        returned(&mut flow, 3, 4);
        read(&mut flow, 5, field(7, 1));
        assert_eq!(flow.only_through(&call()), result);
        // Somebody else read what was written inside.
        read(&mut flow, 6, field(7, 1));
        assert_eq!(flow.only_through(&call()), None);
    }

    #[test]
    fn a_variable_is_the_only_way_where_it_alone_was_read() {
        let size = field(7, 1);
        let mut flow = Flow::default();
        read(&mut flow, 6, size);
        read(&mut flow, 1, size);
        assert_eq!(flow.only_through(&call()), Some(size));
        let mut two = Flow::default();
        read(&mut two, 6, size);
        read(&mut two, 1, field(7, 2));
        assert_eq!(two.only_through(&call()), None);
        // It should have thrown, perhaps: that its field is right does not tell.
        flow.hands.guarded.push(id(5));
        assert_eq!(flow.only_through(&call()), None);
    }

    #[test]
    fn what_could_have_been_written_inside_is_a_way_too() {
        let (size, top) = (field(7, 1), field(7, 2));
        let mut flow = Flow::default();
        returned(&mut flow, 1, 3);
        let across = (Timestamp(20), Timestamp(70));
        looked(&mut flow, 6, size, across);
        let result = Some(Variable::Return { call: id(3) });
        assert_eq!(flow.only_through(&call()), result, "nobody inside had it");
        flow.hands.has(id(5), ObjectId(7));
        assert_eq!(flow.only_through(&call()), None);
        // That alone: it was left as it was.
        let mut left = Flow::default();
        looked(&mut left, 6, size, across);
        left.hands.has(id(5), ObjectId(7));
        assert_eq!(left.only_through(&call()), Some(size));
        // What was read before, or written behind it, it could not have changed.
        looked(&mut left, 1, top, (Timestamp(10), Timestamp(25)));
        looked(&mut left, 1, top, (Timestamp(65), Timestamp(70)));
        assert_eq!(left.only_through(&call()), Some(size));
        looked(&mut left, 1, top, across);
        assert_eq!(left.only_through(&call()), None);
    }

    #[test]
    fn what_is_no_single_value_is_not_asked_about() {
        let mut flow = Flow::default();
        returned(&mut flow, 1, 3);
        let node = Node {
            deed: Deed::Content(ObjectId(9)),
            at: Timestamp(50),
            call: id(5),
        };
        link(&mut flow, 6, node, None);
        assert_eq!(flow.only_through(&call()), None);
    }
}

//! What memory shows of variables while other threads may be writing them. A doubt ends when its variable is written,
//! when memory shows yet another thing there, or when whoever raised it settles it.

use jhyde_trace::{ObjectId, Value, Variable};
use rustc_hash::FxHashMap;

/// What a variable may hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Doubted {
    /// Another value than the mirror has there.
    Value(Value),
    /// The object that the mirror has there, which the JVM names so.
    Name(ObjectId, jdwp::ObjectId),
}

/// See the module.
#[derive(Debug, Default)]
pub(crate) struct Doubts {
    open: FxHashMap<Variable, (u64, Doubted)>,
    names: FxHashMap<ObjectId, jdwp::ObjectId>,
    objects: FxHashMap<u64, ObjectId>,
    raised: u64,
}

impl Doubts {
    /// Raises a doubt and gives its number: that of the open one which says the same, if there is one. `None` where a
    /// name would take the place of a value: the mirror has another object there than memory.
    pub(crate) fn raise(&mut self, variable: Variable, doubted: Doubted) -> Option<u64> {
        match (self.open.get(&variable), doubted) {
            (Some(&(number, open)), _) if open == doubted => return Some(number),
            (Some((_, Doubted::Value(_))), Doubted::Name(..)) => return None,
            _ => {}
        }
        self.end(variable);
        if let Doubted::Name(object, real) = doubted {
            self.names.insert(object, real);
            self.objects.insert(real.0, object);
        }
        self.raised += 1;
        self.open.insert(variable, (self.raised, doubted));
        Some(self.raised)
    }

    /// Is a doubt still open?
    pub(crate) fn is_open(&self, variable: Variable, number: u64) -> bool {
        let open = self.open.get(&variable);
        open.is_some_and(|&(of, _)| of == number)
    }

    /// Ends what is in doubt of a variable.
    pub(crate) fn end(&mut self, variable: Variable) {
        if self.open.is_empty() {
            return;
        }
        if let Some((_, Doubted::Name(object, real))) = self.open.remove(&variable) {
            self.names.remove(&object);
            self.objects.remove(&real.0);
        }
    }

    /// How the JVM seems to name an object.
    pub(crate) fn name(&self, object: ObjectId) -> Option<jdwp::ObjectId> {
        self.names.get(&object).copied()
    }

    /// The object that the JVM seems to name so.
    pub(crate) fn object(&self, real: jdwp::ObjectId) -> Option<ObjectId> {
        self.objects.get(&real.0).copied()
    }
}

#[cfg(test)]
mod tests {
    use jhyde_trace::FieldId;

    use super::*;

    const HERE: Variable = Variable::Static { field: FieldId(1) };
    const THERE: Variable = Variable::Static { field: FieldId(2) };

    #[test]
    fn two_that_say_the_same_are_one() {
        let mut doubts = Doubts::default();
        let first = doubts.raise(HERE, Doubted::Value(Value::Int(1)));
        assert_eq!(doubts.raise(HERE, Doubted::Value(Value::Int(1))), first);
        assert!(doubts.is_open(HERE, first.expect("a number")));
        let other = doubts.raise(HERE, Doubted::Value(Value::Int(2)));
        assert!(!doubts.is_open(HERE, first.expect("a number")));
        assert!(doubts.is_open(HERE, other.expect("a number")));
        doubts.end(THERE);
        assert!(doubts.is_open(HERE, other.expect("a number")));
        doubts.end(HERE);
        assert!(!doubts.is_open(HERE, other.expect("a number")));
    }

    #[test]
    fn names_end_with_their_doubt_and_yield_to_values() {
        let (object, real) = (ObjectId(7), jdwp::ObjectId(90));
        let mut doubts = Doubts::default();
        assert!(doubts.raise(HERE, Doubted::Name(object, real)).is_some());
        assert_eq!(
            (doubts.name(object), doubts.object(real)),
            (Some(real), Some(object))
        );
        assert!(doubts.raise(HERE, Doubted::Value(Value::Null)).is_some());
        assert_eq!((doubts.name(object), doubts.object(real)), (None, None));
        assert_eq!(doubts.raise(HERE, Doubted::Name(object, real)), None);
        assert_eq!(doubts.name(object), None);
    }
}

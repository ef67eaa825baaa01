//! What somebody says of many calls at once, and what follows for the search: which classes are trusted, which
//! properties calls must have, and what was changed in the program.
//!
//! It stands beside the answers: nothing of it is asked, undo leaves it alone, and whoever said it takes it back the same way
//! ([`crate::Session::set_evidence`]).

use std::ops::Range;

use jhyde_bytecode::{Code, CoverageEdges, Opcode};
use jhyde_trace::pattern::matches;
use jhyde_trace::{CallId, MethodId, MethodInfo};
use serde::{Deserialize, Serialize};

use crate::passing::Passing;

/// See the module.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    /// Patterns of classes ([`jhyde_trace::pattern`]): their methods are right, in all their calls. What those call stays
    /// suspicious.
    pub trusted: Vec<String>,
    /// What calls must do.
    pub properties: Vec<Property>,
    /// What was changed in the program.
    pub changed: Option<Changed>,
    /// What runs that passed tell. Kept on its own, so that sessions without it are those of the versions before.
    #[serde(skip)]
    pub passing: Option<Passing>,
    /// Jars that are right; kept so, too.
    #[serde(skip)]
    pub jars: Vec<TrustedJar>,
}

/// A jar whose classes are right.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrustedJar {
    /// As it was named.
    pub named: String,
    /// Its classes, sorted.
    pub classes: Vec<String>,
}

/// A property that the calls of a method must have.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Property {
    /// As it was written.
    pub text: String,
    /// The calls that do not have it, as far as was looked, in the order in which they ended.
    pub broken: Vec<CallId>,
    /// So many calls were looked at.
    pub looked: u64,
    /// Of so many nobody can say whether they have it.
    pub undecided: u64,
    /// Why not, of the first of these.
    pub why: String,
    /// Were all calls looked at? The others are when they would be asked.
    pub whole: bool,
}

/// What was changed in the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Changed {
    /// Where that is from, for people.
    pub from: String,
    /// The methods whose code was changed.
    pub methods: Vec<ChangedMethod>,
    /// Is what was not changed right? Then the methods that were not changed are trusted.
    pub only: bool,
}

/// A method whose code was changed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedMethod {
    /// Its number.
    pub method: u32,
    /// The ranges of its bytecode that the changed lines are.
    pub code: Vec<(u32, u32)>,
    /// Where its edges lead from which changed code is run before the next condition.
    pub begins: Vec<u32>,
}

impl ChangedMethod {
    /// A method of which this code was changed.
    pub fn new(method: &MethodInfo, changed: Vec<(u32, u32)>) -> Self {
        let begins = Code::decode(&method.code).ok().map(|code| {
            let edges = CoverageEdges::new(&code);
            let to = edges.edges().iter().map(|edge| edge.to);
            let mut begins: Vec<u32> = to.filter(|to| runs(&code, *to, &changed)).collect();
            begins.sort_unstable();
            begins.dedup();
            begins
        });
        Self {
            method: method.id.0,
            code: changed,
            begins: begins.unwrap_or_default(),
        }
    }
}

/// Does code run from here, up to the next condition, pass one of these ranges?
fn runs(code: &Code, from: u32, ranges: &[(u32, u32)]) -> bool {
    let mut at = from;
    // Endless loops without a condition come round.
    for _ in 0..code.instructions().len() {
        if ranges
            .iter()
            .any(|(begin, end)| (begin..end).contains(&&at))
        {
            return true;
        }
        let Some(instruction) = code.at(at) else {
            return false;
        };
        at = match (instruction.targets().as_slice(), instruction.opcode) {
            (_, opcode) if opcode.is_conditional_jump() => return false,
            ([target], Opcode::Goto | Opcode::GotoW) => *target,
            (_, opcode) if opcode.ends_straight_line() => return false,
            _ => instruction.next(),
        };
    }
    false
}

impl Changed {
    /// Was anything of a method changed?
    pub fn holds(&self, method: MethodId) -> bool {
        self.of(method).is_some()
    }

    /// Was something of this code of a method changed?
    pub fn touches(&self, method: MethodId, code: Range<u32>) -> bool {
        self.of(method).is_some_and(|changed| {
            let mut ranges = changed.code.iter();
            ranges.any(|(from, to)| *from < code.end && code.start < *to)
        })
    }

    /// What was changed of a method.
    pub(crate) fn of(&self, method: MethodId) -> Option<&ChangedMethod> {
        self.methods
            .iter()
            .find(|changed| changed.method == method.0)
    }
}

impl Evidence {
    /// Is nothing said?
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Is any class trusted?
    pub(crate) fn trusts_classes(&self) -> bool {
        !self.trusted.is_empty() || !self.jars.is_empty()
    }

    /// Are the methods of a class trusted?
    pub(crate) fn trusts(&self, class: &str) -> bool {
        let is_in = |jar: &TrustedJar| {
            jar.classes
                .binary_search_by(|of| of.as_str().cmp(class))
                .is_ok()
        };
        self.trusted.iter().any(|pattern| matches(pattern, class)) || self.jars.iter().any(is_in)
    }

    /// Where what was not changed is right: what was.
    pub(crate) fn only_changed(&self) -> Option<&Changed> {
        self.changed.as_ref().filter(|changed| changed.only)
    }

    /// The property that a call does not have, if it is known not to have one.
    pub fn broken_by(&self, call: CallId) -> Option<&Property> {
        let mut properties = self.properties.iter();
        properties.find(|property| property.broken.contains(&call))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_are_trusted_by_pattern() {
        let evidence = Evidence {
            trusted: vec!["shop.util".to_owned(), "*Codec".to_owned()],
            ..Evidence::default()
        };
        assert!(evidence.trusts("shop.util.Text") && evidence.trusts("shop.PriceCodec"));
        assert!(!evidence.trusts("shop.utility.Text"));
        let jar = TrustedJar {
            named: "text.jar".to_owned(),
            classes: vec!["shop.Text".to_owned(), "shop.utility.Text".to_owned()],
        };
        let jars = Evidence {
            jars: vec![jar],
            ..Evidence::default()
        };
        assert!(jars.trusts("shop.utility.Text") && !jars.trusts("shop.util.Text"));
        assert!(!Evidence::default().trusts("shop.util.Text"));
    }

    #[test]
    fn what_was_changed_is_known_by_its_code() {
        let changed = Changed {
            from: "HEAD~1".to_owned(),
            methods: vec![ChangedMethod {
                method: 7,
                code: vec![(4, 9)],
                begins: vec![0],
            }],
            only: false,
        };
        assert!(changed.holds(MethodId(7)) && !changed.holds(MethodId(8)));
        assert!(changed.touches(MethodId(7), 8..20) && !changed.touches(MethodId(7), 9..20));
        assert!(!changed.touches(MethodId(8), 8..20));
    }

    #[test]
    fn code_is_followed_up_to_the_next_condition() {
        // 0 iload_0, 1 ifeq 8, 4 iconst_1, 5 goto 9, 8 iconst_2, 9 ireturn
        let bytes = [0x1a, 0x99, 0, 7, 0x04, 0xa7, 0, 4, 0x05, 0xac];
        let code = Code::decode(&bytes).expect("code");
        let reached = |range| [0, 4, 8].map(|from| runs(&code, from, &[range]));
        assert_eq!(
            reached((9, 10)),
            [false, true, true],
            "both ways lead there"
        );
        assert_eq!(
            reached((8, 9)),
            [false, false, true],
            "the jump goes past it"
        );
        assert_eq!(reached((0, 4)), [true, false, false]);
    }
}

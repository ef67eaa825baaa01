//! The suspicious set (design, section 5): the calls that can still be the buggy one.
//!
//! It is not changed answer by answer but computed from the tree and the answers in force. All that
//! an answer does is to take calls out, so the order of the answers does not matter; and undo, redo,
//! an answer that replaces an earlier one, and a tree that has grown meanwhile need nothing special.
//! The computation passes the tree's methods once, and for every answer the bits of its thread.

use jhyde_trace::{CallId, MethodId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::answers::{Answer, Answers, Pointed};
use crate::bits::Bits;
use crate::evidence::Changed;
use crate::passing::Passing;
use crate::tree::{Forest, Place};

/// How a call stands in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Classification {
    /// Nothing was said of it.
    Unclassified,
    /// Answered valid, or inside of a call that was.
    Valid,
    /// Answered invalid.
    Invalid,
    /// A boundary call, or a call of a method that was answered trusted.
    Trusted,
    /// Answered unknown.
    Unknown,
    /// The buggy call.
    Buggy,
    /// Answered inadmissible.
    Inadmissible,
}

/// The suspicious set and what follows from it.
#[derive(Clone, Debug)]
pub struct Suspicious {
    /// Per thread of the forest, as all that follow.
    set: Vec<Bits>,
    /// The unanswered ones of the set.
    askable: Vec<Bits>,
    answers: FxHashMap<CallId, Answer>,
    trusted: FxHashSet<MethodId>,
    /// So many calls are trusted because of what was said of many at once.
    trusted_at_once: u64,
    /// Calls that are invalid because they do not have a property.
    broken: Vec<CallId>,
    changed: Option<Changed>,
    passing: Option<Passing>,
    /// Where what was not changed is right: the set with the calls of what was not, too. Those are no more suspicious, but what is
    /// said of them narrows the search.
    around: Option<Vec<Bits>>,
    restriction: Option<CallId>,
    end: Option<End>,
    /// So many calls were cut away by answers that were about values, by the position of the answer.
    cut: Vec<(usize, u64)>,
    /// The position of the answer that pointed at what is searched for now.
    pointing: Option<usize>,
}

/// How a search ends, once no suspicious call is unanswered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum End {
    /// This is the buggy call.
    Found(CallId),
    /// Some answers were unknown: the buggy call is one of the suspicious set.
    Undecided,
    /// There is no buggy call: none was invalid, or the invalid ones were ruled out by other answers.
    None,
}

impl Suspicious {
    /// The suspicious set after these answers, within the subtree of `restriction` if there is one.
    ///
    /// Answers about calls that the tree does not have (yet) have no effect.
    pub fn after(forest: &Forest, given: &Answers, restriction: Option<CallId>) -> Self {
        let by_call = given.by_call();
        let mut trusted: FxHashSet<MethodId> = by_call
            .iter()
            .filter(|(_, answer)| **answer == Answer::Trusted)
            .filter_map(|(call, _)| forest.facts(*call))
            .map(|facts| facts.method)
            .collect();
        let evidence = given.evidence();
        let mut at_once = FxHashSet::default();
        let passing = evidence.passing.as_ref();
        if evidence.trusts_classes() || passing.is_some_and(|passing| passing.trusted.is_some()) {
            let methods = forest.methods().filter(|(id, _)| !trusted.contains(id));
            let of = methods.filter(|(id, class)| {
                class.is_some_and(|name| evidence.trusts(name))
                    || passing.is_some_and(|passing| passing.trusts(*id))
            });
            at_once.extend(of.map(|(id, _)| id));
            trusted.extend(&at_once);
        }
        let mut this = Self {
            set: Self::unanswered(forest, &trusted),
            askable: Vec::new(),
            answers: by_call,
            trusted,
            trusted_at_once: Self::calls_of(forest, &at_once),
            broken: Vec::new(),
            changed: evidence.changed.clone(),
            passing: evidence.passing.clone(),
            around: None,
            restriction,
            end: None,
            cut: Vec::new(),
            pointing: None,
        };
        if let Some(restriction) = restriction {
            match forest.place(restriction) {
                Some(place) => this.keep(forest, place),
                // The root stands for its whole thread.
                None if restriction.is_root() => {
                    for (bits, calls) in this.set.iter_mut().zip(forest.threads()) {
                        if calls.thread != restriction.thread {
                            bits.clear();
                        }
                    }
                }
                None => this.set.iter_mut().for_each(Bits::clear),
            }
        }
        let mut answers = std::mem::take(&mut this.answers);
        for (call, answer) in &answers {
            let Some(place) = forest.place(*call) else {
                continue;
            };
            match answer {
                Answer::Valid | Answer::Inadmissible => {
                    let subtree = forest.threads()[place.thread].subtree(place.at);
                    this.set[place.thread].remove_range(subtree);
                }
                Answer::Invalid => this.keep(forest, place),
                Answer::Trusted | Answer::Unknown | Answer::RightValue | Answer::OpenValue => {}
            }
        }
        this.take_broken(forest, given, &mut answers);
        this.cut_away(forest, given, innermost(forest, &answers));
        if let Some(changed) = evidence.only_changed() {
            this.take_out_unchanged(forest, changed);
        }
        this.askable = this.set.clone();
        for call in answers.keys() {
            if let Some(place) = forest.place(*call) {
                this.askable[place.thread].remove(place.at);
            }
        }
        this.answers = answers;
        this.end = this.find_end(forest);
        this
    }

    /// Takes out what cannot be to blame for what was pointed at, and what reached that by right values alone.
    ///
    /// What was pointed at of a call bounds the search as long as no call inside is known to be invalid: that one may be so for
    /// another reason, which lies inside of it wherever the first one lies.
    fn cut_away(&mut self, forest: &Forest, given: &Answers, innermost: Option<CallId>) {
        let last = given.last();
        let innermost_at = innermost.and_then(|call| last.get(&call).copied());
        // A wrong value that went into another one takes over what is known of that one.
        let mut searched = Vec::new();
        let mut next = innermost_at;
        while let Some(at) = next.filter(|at| !searched.contains(at)) {
            searched.push(at);
            next = given.value(at).map(|value| value.of);
        }
        for (at, (answer, pointed)) in given.pointed().enumerate() {
            let before = self.count();
            match (answer.answer, pointed, given.value(at)) {
                (Answer::RightValue, _, Some(value)) => {
                    let place = forest.place(answer.call);
                    if let Some(place) = place.filter(|_| searched.contains(&value.of)) {
                        let subtree = forest.threads()[place.thread].subtree(place.at);
                        self.set[place.thread].remove_range(subtree);
                    }
                }
                (_, Some(pointed), _) if last.get(&answer.call) == Some(&at) => {
                    let is_searched = match innermost {
                        Some(innermost) if answer.answer == Answer::Inadmissible => {
                            forest.is_within(answer.call, innermost)
                        }
                        Some(_) => innermost_at == Some(at),
                        None => true,
                    };
                    if is_searched && pointed.uncut.is_none() {
                        self.keep_pointed(forest, pointed);
                        if answer.answer == Answer::Invalid {
                            self.pointing = Some(at);
                        }
                    }
                }
                _ => continue,
            }
            self.cut.push((at, before - self.count()));
        }
    }

    fn keep_pointed(&mut self, forest: &Forest, pointed: &Pointed) {
        for (bits, calls) in self.set.iter_mut().zip(forest.threads()) {
            let kept = pointed.kept.iter();
            let of_thread = kept.filter(|(thread, ..)| *thread == calls.thread.0);
            bits.keep_ranges(of_thread.map(|&(_, from, to)| {
                // Numbers count from 1, positions from 0.
                let position = |number: u64| {
                    usize::try_from(number.saturating_sub(1))
                        .unwrap_or(usize::MAX)
                        .min(calls.len())
                };
                position(from)..position(to)
            }));
        }
    }

    /// Takes calls that do not have a property to be invalid, as long as they are suspicious: the one that ended first, and those
    /// inside of it. Other calls that do not have one lie outside of that.
    fn take_broken(
        &mut self,
        forest: &Forest,
        given: &Answers,
        answers: &mut FxHashMap<CallId, Answer>,
    ) {
        let properties = given.evidence().properties.iter();
        for call in properties.flat_map(|property| &property.broken) {
            let Some(place) = forest.place(*call) else {
                continue;
            };
            let stands = answers.contains_key(call) || given.knowing().is_doubted(*call);
            if !stands && self.set[place.thread].contains(place.at) {
                self.keep(forest, place);
                answers.insert(*call, Answer::Invalid);
                self.broken.push(*call);
            }
        }
    }

    /// Trusts the methods that were not changed.
    fn take_out_unchanged(&mut self, forest: &Forest, changed: &Changed) {
        let around = self.set.clone();
        for (bits, calls) in self.set.iter_mut().zip(forest.threads()) {
            let unchanged: Vec<usize> = bits
                .iter()
                .filter(|at| !changed.holds(MethodId(calls.method[*at])))
                .collect();
            unchanged.into_iter().for_each(|at| bits.remove(at));
        }
        let methods = forest.methods().map(|(id, _)| id);
        self.trusted
            .extend(methods.filter(|id| !changed.holds(*id)));
        self.around = Some(around);
    }

    /// The set with calls that are not suspicious, but whose answers narrow it: see [`crate::Changed::only`].
    pub(crate) fn around(&self) -> &[Bits] {
        self.around.as_deref().unwrap_or(&self.set)
    }

    /// May a call be asked that is in the set with those around it?
    pub(crate) fn narrows(&self, call: CallId) -> bool {
        self.around.is_some() && !self.answers.contains_key(&call)
    }

    /// How many calls in the scope these methods have.
    fn calls_of(forest: &Forest, methods: &FxHashSet<MethodId>) -> u64 {
        if methods.is_empty() {
            return 0;
        }
        let of_thread = |calls: &crate::tree::ThreadCalls| {
            let methods = calls.method.iter().enumerate().filter(|(at, method)| {
                !calls.is_boundary(*at) && methods.contains(&MethodId(**method))
            });
            methods.count() as u64
        };
        forest.threads().iter().map(of_thread).sum()
    }

    /// How many calls are trusted because of what was said of many at once.
    pub fn trusted_at_once(&self) -> u64 {
        self.trusted_at_once
    }

    /// What was changed in the program, if somebody said that.
    pub(crate) fn changed(&self) -> Option<&Changed> {
        self.changed.as_ref()
    }

    /// What runs that passed tell, if somebody named some.
    pub(crate) fn passing(&self) -> Option<&Passing> {
        self.passing.as_ref()
    }

    /// The calls that are invalid because they do not have a property, and nobody said anything else of.
    pub fn broken(&self) -> &[CallId] {
        &self.broken
    }

    /// How many calls each answer in force that was about values has cut away, by its position among the answers.
    pub fn cut(&self) -> &[(usize, u64)] {
        &self.cut
    }

    /// The position of the answer that pointed at what is searched for now; `None` if nothing did.
    pub fn pointing(&self) -> Option<usize> {
        self.pointing
    }

    fn find_end(&self, forest: &Forest) -> Option<End> {
        if self.askable.iter().any(|bits| bits.iter().next().is_some()) {
            return None;
        }
        let left = self.first(forest, 2);
        let is_unknown = |call: &CallId| self.answers.get(call) == Some(&Answer::Unknown);
        Some(match left.as_slice() {
            [] => End::None,
            [call] if !is_unknown(call) => End::Found(*call),
            _ => End::Undecided,
        })
    }

    /// The set before any answer but the trusted ones: every complete in-scope call not trusted.
    fn unanswered(forest: &Forest, trusted: &FxHashSet<MethodId>) -> Vec<Bits> {
        let of_thread = |calls: &crate::tree::ThreadCalls| {
            let mut bits = Bits::empty(calls.len());
            for (at, method) in calls.method.iter().enumerate() {
                if calls.is_complete(at)
                    && !calls.is_boundary(at)
                    && (trusted.is_empty() || !trusted.contains(&MethodId(*method)))
                {
                    bits.insert(at);
                }
            }
            bits
        };
        forest.threads().iter().map(of_thread).collect()
    }

    /// Intersects the set with the subtree of the call at a place.
    fn keep(&mut self, forest: &Forest, place: Place) {
        for (thread, bits) in self.set.iter_mut().enumerate() {
            if thread == place.thread {
                bits.keep_range(forest.threads()[thread].subtree(place.at));
            } else {
                bits.clear();
            }
        }
    }

    /// Number of suspicious calls.
    pub fn count(&self) -> u64 {
        self.set.iter().map(Bits::count).sum()
    }

    /// Is the call suspicious?
    pub fn contains(&self, forest: &Forest, call: CallId) -> bool {
        forest
            .place(call)
            .is_some_and(|place| self.set[place.thread].contains(place.at))
    }

    /// The suspicious calls, at most `limit`, by enter timestamp.
    pub fn first(&self, forest: &Forest, limit: usize) -> Vec<CallId> {
        // Within a thread preorder is the order of entering: no more than `limit` of each are needed.
        let mut calls: Vec<_> = forest
            .threads()
            .iter()
            .zip(&self.set)
            .flat_map(|(calls, bits)| {
                bits.iter()
                    .take(limit)
                    .map(|at| (calls.enter[at], calls.id(at)))
            })
            .collect();
        calls.sort_unstable();
        calls.truncate(limit);
        calls.into_iter().map(|(_, call)| call).collect()
    }

    /// The answers in force.
    pub fn answers(&self) -> &FxHashMap<CallId, Answer> {
        &self.answers
    }

    /// The end of the search, or `None` while an unanswered suspicious call is left.
    pub fn end(&self) -> Option<&End> {
        self.end.as_ref()
    }

    /// Could calls that are still to come, or still to end, become suspicious?
    ///
    /// Not below an answer `invalid`, nor in a restriction to a call that has ended: what is inside of an
    /// ended call is all there.
    pub fn can_grow(&self, forest: &Forest) -> bool {
        let ended = |call: CallId| forest.facts(call).is_some_and(|facts| facts.complete);
        forest.is_live()
            && !self
                .answers
                .iter()
                .any(|(call, answer)| *answer == Answer::Invalid && ended(*call))
            && !self.restriction.is_some_and(ended)
    }

    /// How a call stands. Calls that are not there are unclassified.
    pub fn classify(&self, forest: &Forest, call: CallId) -> Classification {
        if self.end == Some(End::Found(call)) {
            return Classification::Buggy;
        }
        match self.answers.get(&call) {
            Some(Answer::Valid) => return Classification::Valid,
            Some(Answer::Invalid) => return Classification::Invalid,
            Some(Answer::Unknown) => return Classification::Unknown,
            Some(Answer::Trusted) => return Classification::Trusted,
            Some(Answer::Inadmissible) => return Classification::Inadmissible,
            Some(Answer::RightValue | Answer::OpenValue) | None => {}
        }
        let Some(facts) = forest.facts(call) else {
            return Classification::Unclassified;
        };
        if facts.boundary || self.trusted.contains(&facts.method) {
            return Classification::Trusted;
        }
        let inside_valid = self
            .answers
            .iter()
            .any(|(outer, answer)| *answer == Answer::Valid && forest.is_within(call, *outer));
        if inside_valid {
            Classification::Valid
        } else {
            Classification::Unclassified
        }
    }

    /// Sums of what suspicious calls weigh, by thread: of those before each place, so that what a subtree weighs is the difference of
    /// two; and the sum of all.
    pub(crate) fn sums(
        &self,
        forest: &Forest,
        own: impl Fn(CallId) -> f64,
    ) -> (Vec<Vec<f64>>, f64) {
        let mut all = 0.0;
        let threads = forest.threads().iter().zip(&self.set);
        let sums = threads.map(|(calls, set)| {
            let mut sums = Vec::with_capacity(calls.len() + 1);
            let mut sum = 0.0;
            sums.push(sum);
            for at in 0..calls.len() {
                if set.contains(at) {
                    sum += own(calls.id(at));
                }
                sums.push(sum);
            }
            all += sum;
            sums
        });
        (sums.collect(), all)
    }

    pub(crate) fn set(&self) -> &[Bits] {
        &self.set
    }

    pub(crate) fn askable(&self) -> &[Bits] {
        &self.askable
    }

    pub(crate) fn trusted(&self) -> &FxHashSet<MethodId> {
        &self.trusted
    }
}

/// The invalid call inside of which no other is known to be invalid.
fn innermost(forest: &Forest, answers: &FxHashMap<CallId, Answer>) -> Option<CallId> {
    let invalid = answers
        .iter()
        .filter(|(_, answer)| **answer == Answer::Invalid);
    let entered = invalid.filter_map(|(call, _)| Some((forest.facts(*call)?.enter, *call)));
    entered.max().map(|(_, call)| call)
}

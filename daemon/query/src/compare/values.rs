//! Are two values equal, up to which object is which?

use jhyde_trace::{Content, ObjectId, Outcome, Text, Value, Variable};
use rustc_hash::FxHashMap;

use super::births::{Births, Known};
use super::keys::bare;
use super::marks::Marks;
use super::side::Side;
use crate::error::Result;

/// What comparing two values told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Told {
    Equal,
    Differs,
    /// One of them is not recorded, or not all of it.
    Unknown,
}

impl Told {
    pub(super) fn of(is_equal: bool) -> Self {
        if is_equal { Self::Equal } else { Self::Differs }
    }

    /// What two parts tell of the whole.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Differs, _) | (_, Self::Differs) => Self::Differs,
            (Self::Unknown, _) | (_, Self::Unknown) => Self::Unknown,
            _ => Self::Equal,
        }
    }
}

/// What decides whether two objects are each other's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    /// What they hold, and that alone.
    What,
    /// Who they are: they are not, if they are not alike.
    Who,
    /// Where they are first met: if they are not alike, that is told there, and once.
    Place,
}

/// So many pairs of texts and boxes are known by their numbers twice, before they are looked up again: some 25 MB. Each is in a run of
/// hundreds on the disk, which is read for it where a program goes through more of them in another order than it made them.
const MOST_TEXTS: usize = 1 << 18;

/// Lambdas that capture lambdas are followed so far.
const MOST_DEEP: usize = 16;

/// Pairs of texts and boxes that were compared.
type Texts = FxHashMap<(ObjectId, ObjectId), Told>;

/// What is known of objects of both sides.
///
/// Objects that were seen being made are each other's by that, and by nothing else where their counterparts were seen, too. Others
/// (made by code out of the scope, or on one side alone) become each other's where they are first met at the same place: two
/// that are of one class are taken for equal there, and from then on only each other's.
#[derive(Debug, Default)]
pub(super) struct Values {
    /// Of those that were seen being made.
    born: Births,
    /// Of the others, in all threads.
    met: Births,
    /// The same in the threads that are compared.
    met_here: Births,
    /// Nothing becomes each other's by being met.
    only_known: bool,
    /// Nor what is not alike.
    only_alike: bool,
    /// Lambdas that captured the one that is looked at.
    depth: usize,
    texts: Texts,
    /// Those before these were begun anew.
    texts_before: Texts,
    /// Those that may hold something else than their counterparts.
    pub(super) marks: Marks,
    /// Items of contents that were compared as a whole.
    pub(super) wholes: usize,
    /// Do several threads change an object of a side? Once that was asked for.
    pub(super) shared: FxHashMap<(usize, ObjectId), bool>,
}

impl Values {
    pub(super) fn compare(
        &mut self,
        sides: &mut [Side; 2],
        left: Value,
        right: Value,
    ) -> Result<Told> {
        Ok(match (left, right) {
            (Value::Missing(_), _) | (_, Value::Missing(_)) => Told::Unknown,
            (Value::Object(left), Value::Object(right)) => self.objects(sides, left, right)?,
            (left, right) => Told::of(left == right),
        })
    }

    /// The same, where nothing becomes each other's by being compared: objects that nobody met are unknown then.
    pub(super) fn compare_known(
        &mut self,
        sides: &mut [Side; 2],
        left: Value,
        right: Value,
    ) -> Result<Told> {
        let before = std::mem::replace(&mut self.only_known, true);
        let told = self.compare(sides, left, right);
        self.only_known = before;
        told
    }

    /// Does nothing become each other's by being met? What held before.
    pub(super) fn set_only_known(&mut self, only_known: bool) -> bool {
        std::mem::replace(&mut self.only_known, only_known)
    }

    /// Other threads come.
    pub(super) fn begin_threads(&mut self) {
        self.met_here = Births::default();
    }

    /// What is known of two objects from before. Two that other threads made each other's where they met them are not told to
    /// differ from those: what these threads met may be what is the same in both runs.
    pub(super) fn known(&self, left: ObjectId, right: ObjectId) -> Option<Told> {
        let told = |births: &Births, other| match births.known(left, right) {
            Known::Pair => Some(Told::Equal),
            Known::Other => Some(other),
            Known::Unmet => None,
        };
        told(&self.born, Told::Differs)
            .or_else(|| told(&self.met_here, Told::Differs))
            .or_else(|| told(&self.met, Told::Unknown))
    }

    /// Two objects that were made at the same place: they are each other's, whatever they are, so that what differs in them is told
    /// once.
    pub(super) fn made(
        &mut self,
        sides: &mut [Side; 2],
        left: ObjectId,
        right: ObjectId,
    ) -> Result<Told> {
        let (alike, by) = self.alike(sides, left, right)?;
        if by == By::What {
            return Ok(alike);
        }
        // Of several threads all were looked at for this before.
        let told = match self.born.known(left, right) {
            Known::Other => return Ok(Told::Differs),
            Known::Pair => Told::Equal,
            Known::Unmet if self.born.pair(left, right) => Told::Equal,
            Known::Unmet => Told::Unknown,
        };
        Ok(told.and(alike))
    }

    /// Texts, boxes and the like are compared by what they hold, everything else by who it is.
    pub(super) fn objects(
        &mut self,
        sides: &mut [Side; 2],
        left: ObjectId,
        right: ObjectId,
    ) -> Result<Told> {
        if let Some(told) = self.known(left, right) {
            return Ok(told);
        }
        if let Some(told) = self.text(left, right) {
            return Ok(told);
        }
        let (told, by) = self.alike(sides, left, right)?;
        if by == By::What {
            self.keep_text(left, right, told);
        } else if told == Told::Equal || by == By::Place && !self.only_alike {
            if self.only_known {
                return Ok(Told::Unknown);
            }
            let is_met = self.met.pair(left, right);
            if !is_met || !self.met_here.pair(left, right) {
                return Ok(Told::Unknown);
            }
        }
        Ok(told)
    }

    /// What is known of two texts from before.
    fn text(&mut self, left: ObjectId, right: ObjectId) -> Option<Told> {
        if let Some(told) = self.texts.get(&(left, right)) {
            return Some(*told);
        }
        let told = *self.texts_before.get(&(left, right))?;
        // What is asked for again is kept on.
        self.keep_text(left, right, told);
        Some(told)
    }

    fn keep_text(&mut self, left: ObjectId, right: ObjectId, told: Told) {
        if self.texts.len() >= MOST_TEXTS {
            self.texts_before = std::mem::take(&mut self.texts);
        }
        self.texts.insert((left, right), told);
    }

    /// Are two objects each other's, or become so by being met, and alike? If not, comparing them tells it still.
    pub(super) fn are_alike(
        &mut self,
        sides: &mut [Side; 2],
        left: ObjectId,
        right: ObjectId,
    ) -> Result<bool> {
        let before = std::mem::replace(&mut self.only_alike, true);
        let told = self.objects(sides, left, right);
        self.only_alike = before;
        Ok(told? == Told::Equal)
    }

    /// Are two objects each other's, as is known from before, or texts that are alike?
    pub(super) fn are_known(
        &mut self,
        sides: &mut [Side; 2],
        left: ObjectId,
        right: ObjectId,
    ) -> Result<bool> {
        let [left, right] = [left, right].map(Value::Object);
        Ok(self.compare_known(sides, left, right)? == Told::Equal)
    }

    /// May two objects be each other's, as far as can never change?
    pub(super) fn may_be(
        &mut self,
        sides: &mut [Side; 2],
        left: ObjectId,
        right: ObjectId,
    ) -> Result<bool> {
        Ok(self.alike(sides, left, right)?.0 == Told::Equal)
    }

    /// Are two objects alike, as far as can never change? And what decides whether they are each other's?
    fn alike(
        &mut self,
        sides: &mut [Side; 2],
        left: ObjectId,
        right: ObjectId,
    ) -> Result<(Told, By)> {
        let infos = [
            sides[0].recording.object(left)?,
            sides[1].recording.object(right)?,
        ];
        let [Some(one), Some(other)] = infos else {
            return Ok((Told::Unknown, By::Who));
        };
        let (Some(class), Some(of_other)) = (one.class, other.class) else {
            return Ok((Told::Unknown, By::Who));
        };
        if sides[0].class(class)? != sides[1].class(of_other)? {
            return Ok((Told::Differs, By::Who));
        }
        Ok(match (&one.content, &other.content) {
            (Content::String(one), Content::String(other))
            | (Content::Shown(one), Content::Shown(other)) => (texts(one, other), By::What),
            (Content::Box(one), Content::Box(other)) => match (one, other) {
                (Value::Missing(_), _) | (_, Value::Missing(_)) => (Told::Unknown, By::What),
                (one, other) => (Told::of(one == other), By::What),
            },
            (Content::Class(one), Content::Class(other)) => {
                (Told::of(bare(one) == bare(other)), By::What)
            }
            (Content::Enum(one), Content::Enum(other)) => (Told::of(one == other), By::What),
            (Content::Array(one), Content::Array(other)) => (Told::of(one == other), By::Who),
            (Content::Throwable(one), Content::Throwable(other)) => {
                let told = match (&one.message, &other.message) {
                    (Some(one), Some(other)) => texts(one, other),
                    (None, None) => Told::Equal,
                    // There is none, or the JVM did not tell it.
                    _ => Told::Unknown,
                };
                (told, By::Who)
            }
            (
                Content::Lambda { method, captured },
                Content::Lambda {
                    method: other,
                    captured: by_other,
                },
            ) => match method == other {
                true => (self.captured(sides, captured, by_other)?, By::Place),
                false => (Told::Differs, By::Who),
            },
            (Content::Thread(one), Content::Thread(other)) => (texts(one, other), By::Who),
            (Content::None, Content::None) => (Told::Equal, By::Who),
            // Of one of them it is not known.
            _ => (Told::Unknown, By::Who),
        })
    }

    /// What two lambdas of one method captured.
    fn captured(&mut self, sides: &mut [Side; 2], left: &[Value], right: &[Value]) -> Result<Told> {
        // One that captured another one, and so on: those were met before, as a rule.
        if left.len() != right.len() || self.depth >= MOST_DEEP {
            return Ok(Told::Unknown);
        }
        self.depth += 1;
        let mut told = Ok(Told::Equal);
        for (left, right) in left.iter().zip(right) {
            let of = self.compare(sides, *left, *right);
            told = told.and_then(|told| Ok(told.and(of?)));
        }
        self.depth -= 1;
        told
    }

    /// What was written to: of which object, at which index.
    pub(super) fn owners(
        &mut self,
        sides: &mut [Side; 2],
        left: Variable,
        right: Variable,
    ) -> Result<Told> {
        Ok(match (left, right) {
            (Variable::Field { object: left, .. }, Variable::Field { object: right, .. }) => {
                self.objects(sides, left, right)?
            }
            (
                Variable::Element { array: left, index },
                Variable::Element {
                    array: right,
                    index: other,
                },
            ) => self
                .objects(sides, left, right)?
                .and(Told::of(index == other)),
            _ => Told::Equal,
        })
    }

    /// Ends of calls that both returned or both threw. `void`: they return nothing.
    pub(super) fn outcomes(
        &mut self,
        sides: &mut [Side; 2],
        ends: [Outcome; 2],
        void: bool,
    ) -> Result<Told> {
        Ok(match ends {
            [Outcome::Unknown, _] | [_, Outcome::Unknown] => Told::Unknown,
            [
                Outcome::Returned(Some(left)),
                Outcome::Returned(Some(right)),
            ]
            | [Outcome::Threw(left), Outcome::Threw(right)] => self.compare(sides, left, right)?,
            [Outcome::Returned(_), Outcome::Returned(_)] if !void => Told::Unknown,
            [Outcome::Returned(_), Outcome::Returned(_)] => Told::Equal,
            _ => Told::Differs,
        })
    }
}

fn texts(left: &Text, right: &Text) -> Told {
    let kept = left.prefix.len().min(right.prefix.len());
    if left.length != right.length || left.prefix[..kept] != right.prefix[..kept] {
        return Told::Differs;
    }
    match kept as u64 == u64::from(left.length) {
        true => Told::Equal,
        // What they end with is not recorded.
        false => Told::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_are_asked_for_again_stay_known() {
        let mut values = Values::default();
        let at = |number: u64| (ObjectId(number), ObjectId(number + 1));
        for number in 0..3 * MOST_TEXTS as u64 {
            let (left, right) = at(number);
            values.keep_text(left, right, Told::Equal);
            let (left, right) = at(0);
            assert_eq!(values.text(left, right), Some(Told::Equal), "{number}");
        }
        let (left, right) = at(1);
        assert_eq!(values.text(left, right), None);
        assert!(values.texts.len().max(values.texts_before.len()) <= MOST_TEXTS);
    }
}

//! Numbers for the values that stand with a question, so that an answer can point at them.

use std::collections::HashSet;

use jhyde_proto::v1::CallResult;

use crate::output::{Look, Paint};
use crate::text::ValueLine;

/// Columns before what is told of a call: where the numbers stand.
pub(crate) const MARGIN: usize = 4;

/// The numbers of one question.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbered {
    /// By number, from 1 on: the variables that it stands for, in their written forms.
    variables: Vec<Vec<String>>,
    /// What stands further down, as it was left.
    changed: HashSet<String>,
}

impl Numbered {
    /// More would not fit beside the lines.
    const MOST: usize = 99;

    /// None yet, for a call that yielded this.
    pub(crate) fn of(outcome: &CallResult) -> Self {
        let inside = outcome.objects.iter().flat_map(|object| &object.rows);
        let changed = inside.chain(&outcome.rows).filter(|row| row.changed);
        Self {
            variables: Vec::new(),
            changed: changed.map(|row| row.variable.clone()).collect(),
        }
    }

    /// What stands before a line of what was given: a number if it shows what the call left as it was, and what is left
    /// behind by calls. Parameters are not.
    pub(crate) fn given(&mut self, line: &ValueLine, paint: Paint) -> String {
        let left = line.variables.iter().filter(|form| {
            let is_of_call = form.contains(':');
            !is_of_call && !self.changed.contains(*form)
        });
        self.margin(left.cloned().collect(), paint)
    }

    /// What stands before a line of what was yielded or changed.
    pub(crate) fn yielded(&mut self, line: &ValueLine, paint: Paint) -> String {
        self.margin(line.variables.clone(), paint)
    }

    fn margin(&mut self, variables: Vec<String>, paint: Paint) -> String {
        if variables.is_empty() || self.variables.len() == Self::MOST {
            return " ".repeat(MARGIN);
        }
        self.variables.push(variables);
        let number = format!("{:>2})", self.variables.len());
        format!("{} ", paint.text(Look::Faint, number))
    }

    /// What an answer points at: numbers stand for what they were put before, all else for itself.
    ///
    /// # Errors
    /// For a number that was not put before anything; the message names those that were.
    pub(crate) fn variables(&self, pointed: &[String]) -> Result<Vec<String>, String> {
        let mut all = Vec::new();
        for word in pointed {
            if !is_number(word) {
                all.push(word.clone());
                continue;
            }
            let at = word.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
            match at.and_then(|at| self.variables.get(at)) {
                Some(variables) => all.extend(variables.iter().cloned()),
                None => return Err(self.no_such(word)),
            }
        }
        Ok(all)
    }

    fn no_such(&self, word: &str) -> String {
        match self.variables.len() {
            0 => format!(
                "no value is shown with the number {word}, for none is numbered here: name what is wrong, such as \
                 wrong result, or wrong this.size"
            ),
            1 => format!("no value is shown with the number {word}: there is only 1"),
            most => format!("no value is shown with the number {word}: they go from 1 to {most}"),
        }
    }
}

/// Is it a number, and so nothing that has a name?
pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use jhyde_proto::v1::StateRow;

    use super::*;

    fn line(forms: &[&str]) -> ValueLine {
        ValueLine {
            text: String::new(),
            variables: forms.iter().map(|&form| form.to_owned()).collect(),
        }
    }

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn numbers_stand_for_what_they_stand_before() {
        let size = StateRow {
            variable: "object#1.size".into(),
            changed: true,
            ..StateRow::default()
        };
        let outcome = CallResult {
            rows: vec![size],
            ..CallResult::default()
        };
        let mut numbered = Numbered::of(&outcome);
        let plain = Paint::new(false);
        assert_eq!(numbered.given(&line(&["1.7:a"]), plain), "    ");
        assert_eq!(numbered.given(&line(&["object#1.size"]), plain), "    ");
        assert_eq!(numbered.given(&line(&["object#1.top"]), plain), " 1) ");
        assert_eq!(numbered.yielded(&line(&[]), plain), "    ");
        assert_eq!(numbered.yielded(&line(&["1.7:return"]), plain), " 2) ");
        let both = line(&["array#3[1]", "array#3[2]"]);
        assert_eq!(numbered.yielded(&both, plain), " 3) ");
        let pointed = numbered.variables(&words(&["3", "this.size", "1"]));
        let all = ["array#3[1]", "array#3[2]", "this.size", "object#1.top"];
        assert_eq!(pointed, Ok(words(&all)));
        for bad in ["0", "4", "99999999999999999999999"] {
            let error = numbered.variables(&words(&[bad])).unwrap_err();
            assert!(
                error.contains(bad) && error.ends_with("from 1 to 3"),
                "{error}"
            );
        }
        let none = Numbered::default().variables(&words(&["1"])).unwrap_err();
        assert!(none.contains("none is numbered"), "{none}");
    }

    #[test]
    fn there_are_no_more_numbers_than_fit() {
        let mut numbered = Numbered::default();
        let plain = Paint::new(false);
        let margins: Vec<String> = (0..120)
            .map(|at| numbered.yielded(&line(&[&format!("array#1[{at}]")]), plain))
            .collect();
        assert_eq!(
            (margins[98].as_str(), margins[99].as_str()),
            ("99) ", "    ")
        );
        assert!(margins.iter().all(|margin| margin.len() == MARGIN));
    }
}

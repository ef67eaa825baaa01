//! Somebody who has the file of expenses on the desk, and knows what a report of it should say.

use jhyde_integration::person::{Line, Question, inside, value_of};

/// Hundredths of each expense, by its number.
const CENTS: [i64; 7] = [8490, 2350, 124_000, 21_200, 1825, 49_000, 3175];

/// The number that a text begins with.
fn number(text: &str) -> Option<i64> {
    let digits = text.find(|c: char| !c.is_ascii_digit());
    text[..digits.unwrap_or(text.len())].parse().ok()
}

/// Hundredths in an amount as it is written: `12`, `12.5` or `12.50`.
fn hundredths(amount: &str) -> Option<i64> {
    let (whole, rest) = amount.split_once('.').unwrap_or((amount, ""));
    let rest = format!("{rest:0<2}");
    Some(100 * number(whole)? + number(&rest)?)
}

fn euros(cents: i64, currency: &str) -> Option<i64> {
    let worth = match currency.rsplit('.').next()? {
        "EUR" => 1000,
        "CHF" => 1050,
        "GBP" => 1180,
        _ => return None,
    };
    Some((cents * worth + 500) / 1000)
}

/// An expense that stands opened in these lines, by the names of its components.
fn component<'a>(lines: &'a [Line], name: &str) -> Option<&'a Line> {
    lines.iter().find(|line| line.name == name)
}

/// Expenses that were yielded, each with its number and the line of its amount.
fn yielded(question: &Question) -> Vec<(i64, &Line)> {
    let lines = &question.yielded;
    let opened = (0..lines.len()).filter_map(|at| {
        let inside = inside(lines, at);
        // Of a list the components of its items lie one level deeper.
        let is_own = |line: &&Line| {
            inside
                .first()
                .is_some_and(|first| first.indent == line.indent)
        };
        let of = |name: &str| inside.iter().filter(is_own).find(|line| line.name == name);
        Some((number(&of("id")?.value)?, of("cents")?))
    });
    opened.collect()
}

/// What is wrong of what a call yielded: the line of a wrong amount, or the result.
fn wrong(question: &Question) -> Option<&Line> {
    let result = component(&question.yielded, "return");
    let differs = |expected: Option<i64>| {
        let told = number(question.result());
        result.filter(|_| expected.is_some() && expected != told)
    };
    match question.method() {
        "cents" => differs(hundredths(question.given("amount").trim_matches('"'))),
        "toEuros" => differs(euros(
            number(question.given("cents"))?,
            question.given("this").split(' ').next()?,
        )),
        "inEuros" => {
            let this = question.below("this");
            differs(euros(
                number(value_of(this, "cents"))?,
                value_of(this, "currency"),
            ))
        }
        _ => {
            let expenses = yielded(question).into_iter();
            let right = |id: i64| CENTS.get(usize::try_from(id).ok()?.checked_sub(1)?);
            let mut wrong =
                expenses.filter(|(id, cents)| right(*id).copied() != number(&cents.value));
            wrong.next().map(|(_, cents)| cents)
        }
    }
}

/// Did the call do right?
pub(super) fn judge(question: &Question) -> bool {
    // It prints totals, of which one is wrong.
    question.method() != "main" && wrong(question).is_none()
}

/// The number of what is wrong, by which an answer points at it.
pub(super) fn point(question: &Question) -> Option<u32> {
    wrong(question)?.number
}

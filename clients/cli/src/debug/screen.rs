//! What a debugging session shows.

use std::collections::HashSet;

use jhyde_proto::v1::{
    AnswerKind, Call, CallInput, CallResult, NodeState, Session, SessionStatistics, ValueQuestion,
};

use super::known;
use crate::commands::call::{given, given_and_yielded, source_of};
use crate::commands::notes;
use crate::commands::numbered::Numbered;
use crate::error::Error;
use crate::json::answer_word;
use crate::output::{Look, Output};
use crate::text::{
    Cell, Detail, Listing, Table, call_line, call_name, call_place, clean, count, head, plural,
    value,
};

/// The first lines: what is searched, and how.
pub(super) fn opening(session: &Session, resumed: bool, out: &mut Output) -> Result<(), Error> {
    let verb = if resumed { "goes on" } else { "begins" };
    let mut line = format!(
        "Session {} {verb}: {}, {}",
        session.id,
        session.strategy,
        plural(session.suspicious, "suspicious call")
    );
    if !session.restricted_to.is_empty() {
        line.push_str(&format!(", only below {}", session.restricted_to));
    }
    out.line(line)?;
    if !session.against.is_empty() {
        let against = clean(&session.against);
        out.line(format!("Held against {against}, as a run that was right"))?;
    }
    known::newly(session, 0, out)?;
    if !session.pointing {
        let text = "What is wrong cannot be pointed at, for that takes a recording at level full.";
        let text = out.paint.text(Look::ChangedBelow, text);
        out.line(text)?;
    }
    let hint = "Was the call right? valid, invalid, trusted, unknown (v i t u); help tells more.";
    let hint = out.paint.text(Look::Faint, hint);
    out.line(hint)?;
    notes(&session.notes, out)
}

/// A call with all that is needed to say whether it was right.
pub(super) fn question(
    call: &Call,
    (input, outcome): &(CallInput, CallResult),
    (source, source_notes): (Option<&Listing>, &[String]),
    session: &Session,
    (told, numbered): (&mut HashSet<String>, Option<&mut Numbered>),
    out: &mut Output,
) -> Result<(), Error> {
    let paint = out.paint;
    out.line("")?;
    let proposed = session
        .question
        .as_ref()
        .is_some_and(|question| question.id == call.id);
    let mark = if proposed { "?" } else { "·" };
    out.line(format!(
        "{} {}",
        paint.text(Look::Hint, mark),
        head(call, Detail::alone(out.width).indented(2), paint)
    ))?;
    let below = plural(call.descendants, "call");
    let mut facts = vec![
        format!("[{}]", call.id),
        call_place(call),
        format!("{below} below"),
    ];
    if let Some(given) = session
        .answers
        .iter()
        .rev()
        .find(|answer| answer.call == call.id)
    {
        facts.push(format!("answered {}", answer_word(given.answer())));
    }
    facts.retain(|fact| !fact.is_empty());
    let facts = paint.text(Look::Faint, facts.join(" · "));
    out.line(format!("  {facts}"))?;
    if proposed {
        why(session, out)?;
    }
    source_of(source, source_notes, out)?;
    match session.value.as_ref().filter(|_| proposed) {
        Some(value) => {
            given(input, told, None, out)?;
            one_value(call, value, out)
        }
        None => given_and_yielded(call, (input, outcome), told, numbered, out),
    }
}

/// How a value that is asked about is called: by the way to it, which people write, or by its form.
pub(super) fn value_name(value: &ValueQuestion) -> String {
    let name = match value.way.as_str() {
        "" => &value.variable,
        way => way,
    };
    clean(name).into_owned()
}

/// The one value that is asked about.
fn one_value(call: &Call, asked: &ValueQuestion, out: &mut Output) -> Result<(), Error> {
    let paint = out.paint;
    let name = value_name(asked);
    let shown = asked.value.as_ref().map(value).unwrap_or_default();
    let when = format!("when {} ended", call_name(call));
    out.line(format!("  {}", paint.text(Look::Hint, when)))?;
    out.line(format!("    {name}  {}", paint.text(Look::Changed, shown)))?;
    let hints = [
        format!("Given that, was {name} right? right, wrong, unknown (r w u)."),
        format!(
            "What happened here reached what is wrong through it alone, so that the other {} need no look;",
            plural(asked.instead.saturating_sub(1), "value")
        ),
        "valid and invalid answer for the call (call shows all of it).".to_owned(),
    ];
    hints
        .iter()
        .try_for_each(|hint| out.line(format!("  {}", paint.text(Look::Faint, hint))))
}

/// Why the proposed call is asked, and what is still to come, if the strategy tells.
fn why(session: &Session, out: &mut Output) -> Result<(), Error> {
    let expected = session.expected.map(|number| {
        let number = number.round().max(1.0) as u64;
        format!("about {} left", plural(number, "question"))
    });
    let lines = [Some(session.why.clone()), expected].into_iter().flatten();
    for line in lines.filter(|line| !line.is_empty()) {
        out.line(format!("  {}", out.paint.text(Look::Faint, line)))?;
    }
    Ok(())
}

/// What an answer did.
pub(super) fn answered(
    call: &str,
    answer: AnswerKind,
    session: &Session,
    out: &mut Output,
) -> Result<(), Error> {
    let look = match answer {
        AnswerKind::Valid | AnswerKind::Right => Look::Good,
        AnswerKind::Invalid | AnswerKind::Wrong => Look::Bad,
        _ => Look::ChangedBelow,
    };
    let word = out.paint.text(look, answer_word(answer));
    out.line(format!("{call} is {word}; {}", left(session)))
}

/// How many calls are suspicious now.
pub(super) fn left(session: &Session) -> String {
    match session.suspicious {
        1 => "1 call is suspicious".to_owned(),
        n => format!("{} calls are suspicious", count(n)),
    }
}

/// The end: this is the buggy call.
pub(super) fn found(
    call: &Call,
    suspects: &[String],
    session: &Session,
    recording: &str,
    out: &mut Output,
) -> Result<(), Error> {
    let paint = out.paint;
    out.line("")?;
    const TITLE: &str = "The buggy call: ";
    let title = paint.text(Look::Bad, TITLE);
    let detail = Detail::alone(out.width).indented(TITLE.len());
    out.line(format!("{title}{}", head(call, detail, paint)))?;
    let place = match call_place(call) {
        place if place.is_empty() => clean(&call.class).into_owned(),
        place => place,
    };
    let method = format!("{}.{}{}", call.class, call.method, call.descriptor);
    out.line(format!(
        "  {}  {}",
        paint.text(Look::Strong, place),
        paint.text(Look::Faint, clean(&method))
    ))?;
    out.line("  It was wrong, and every call that it made was right: the mistake is in")?;
    let from = call.line.map(|line| format!(", from line {line} on"));
    out.line(format!("  its own code{}.", from.unwrap_or_default()))?;
    let questions = plural(session.answers.len() as u64, "answer");
    let known = match session.known.len() as u64 {
        0 => String::new(),
        known => format!(", and {} known without asking", plural(known, "call")),
    };
    let facts = paint.text(Look::Faint, format!("  Found with {questions}{known}."));
    out.line(facts)?;
    out.line("Look next:")?;
    let recording = shell_word(recording);
    let mut next = Table::new(&[]).indented(2);
    let mut hint = |command: String, why: &str| {
        next.row(vec![
            Cell::with(Look::Hint, command),
            Cell::with(Look::Faint, why),
        ]);
    };
    hint(
        format!("jhyde events {recording} {}", call.id),
        "what it did, line by line",
    );
    hint(
        format!("jhyde state {recording} {} --depth 1", call.id),
        "its variables before and after",
    );
    for variable in suspects {
        hint(
            format!("jhyde history {recording} '{variable}'"),
            "who wrote what it changed",
        );
    }
    hint(
        come_back(&recording, &session.id),
        "to undo an answer or ask on",
    );
    next.write(out)
}

/// Variables that the buggy call changed: those whose history is worth a look, a few of them. What it
/// changed outside itself comes first, then its own locals.
pub(super) fn suspects(outcome: &CallResult, state: Option<&NodeState>) -> Vec<String> {
    /// More would hide them all.
    const SHOWN: usize = 2;
    let objects = outcome.objects.iter().flat_map(|object| &object.rows);
    let locals = state.into_iter().flat_map(|state| &state.rows);
    let mut variables = Vec::new();
    for row in objects.chain(&outcome.rows).chain(locals) {
        let name = clean(&row.variable).into_owned();
        let is_one = row.changed && row.start.is_some() && row.start != row.end && !name.is_empty();
        if is_one && !variables.contains(&name) && variables.len() < SHOWN {
            variables.push(name);
        }
    }
    variables
}

/// The end: nothing is wrong.
pub(super) fn none(session: &Session, recording: &str, out: &mut Output) -> Result<(), Error> {
    out.line("")?;
    let title = out.paint.text(Look::Good, "No buggy call:");
    if session.restricted_to.is_empty() {
        out.line(format!(
            "{title} no suspicious call is left, and none was answered invalid."
        ))?;
    } else {
        let within = clean(&session.restricted_to);
        out.line(format!(
            "{title} no suspicious call is left inside of call {within}, which the search is restricted to, and none \
             of those was answered invalid. Outside of it nothing was looked for."
        ))?;
    }
    let text = "If the program's result is still wrong, the mistake may be in a trusted method, in a call \
                answered valid, or outside the recorded classes.";
    let text = out.paint.text(Look::Faint, text);
    out.line(text)?;
    notes(&session.notes, out)?;
    left_behind(session, recording, out)
}

/// The end as far as answers go: it is one of these.
pub(super) fn undecided(session: &Session, out: &mut Output) -> Result<(), Error> {
    const SHOWN: usize = 20;
    let paint = out.paint;
    out.line("")?;
    let title = paint.text(Look::ChangedBelow, "Undecided:");
    let total = session.suspicious.max(session.candidates.len() as u64);
    out.line(format!(
        "{title} with the answers left open, the buggy call is one of {}:",
        count(total)
    ))?;
    for call in session.candidates.iter().take(SHOWN) {
        out.line(format!(
            "  {}",
            call_line(call, Detail::list(out.width), 0, paint)
        ))?;
    }
    if session.candidates.len() > SHOWN {
        out.line(format!("  … {} more", session.candidates.len() - SHOWN))?;
    }
    let text = paint.text(
        Look::Hint,
        "Answer one of them (such as `merge#3 invalid`), or quit.",
    );
    out.line(text)
}

/// The program still runs.
pub(super) fn waiting(out: &mut Output) -> Result<(), Error> {
    let text = "The program still runs, and no call that has ended is left to ask about now.";
    let text = out.paint.text(Look::ChangedBelow, text);
    out.line(text)
}

/// How to come back.
pub(super) fn left_behind(
    session: &Session,
    recording: &str,
    out: &mut Output,
) -> Result<(), Error> {
    let command = out
        .paint
        .text(Look::Hint, come_back(&shell_word(recording), &session.id));
    out.line(format!("The session is kept: {command}"))
}

fn come_back(recording: &str, session: &str) -> String {
    format!("jhyde debug {recording} --session {session}")
}

/// As a shell takes it.
fn shell_word(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_.+:/@".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", clean(word).replace('\'', "'\\''"))
}

/// Calls per class and how they stand.
pub(super) fn statistics(statistics: &SessionStatistics, out: &mut Output) -> Result<(), Error> {
    let mut table = Table::new(&[
        "CLASS",
        "CALLS",
        "SUSPICIOUS",
        "VALID",
        "INVALID",
        "TRUSTED",
        "UNKNOWN",
    ])
    .indented(2);
    for class in &statistics.classes {
        let mut cells = vec![Cell::new(clean(&class.class))];
        let numbers = [
            class.calls,
            class.suspicious,
            class.valid,
            class.invalid,
            class.trusted,
            class.unknown,
        ];
        cells.extend(numbers.map(|n| Cell::number(count(n))));
        table.row(cells);
    }
    table.write(out)?;
    out.line(format!(
        "  {}, {} suspicious, {} so far",
        plural(statistics.calls, "call"),
        count(statistics.suspicious),
        plural(statistics.answered, "answer"),
    ))
}

/// The answers, in the order in which they were given.
pub(super) fn answers(session: &Session, out: &mut Output) -> Result<(), Error> {
    if session.answers.is_empty() {
        return out.line("  no answers yet");
    }
    session
        .answers
        .iter()
        .enumerate()
        .try_for_each(|(n, given)| {
            let about = match given.value.as_str() {
                "" => given.call.clone(),
                value => format!("{} of {}", clean(value), given.call),
            };
            let from = match given.remembered.as_str() {
                "" => String::new(),
                told => format!("  (remembered: {})", clean(told)),
            };
            let word = answer_word(given.answer());
            out.line(format!("  {:>3}  {word:8} {about}{from}", n + 1))
        })
}

/// `merge #3`, for prompts.
pub(super) fn prompt(call: Option<&Call>) -> String {
    match call {
        Some(call) => format!("{}> ", call_name(call)),
        None => "jhyde> ".to_owned(),
    }
}

pub(super) const HELP: &str = "\
Answers (of the call shown, or of any other: merge#3 invalid, invalid 1.7)
  valid    v    it did what it should, and so did all that it called
  invalid  i    it did not: the search goes on inside
  trusted  t    never ask about this method
  unknown  u    decide later
  i 2 4         it did not, and the values numbered 2 and 4 are wrong
  wrong    w    the same by name: wrong result, wrong a[2] this.size, wrong 2 this.size
                (only what that came from is asked about then; why VARIABLE shows it)
  right, wrong  r w  of one value, where that is asked: given what the call was given
  inadmissible x  it should never have been called so
  known           what was answered without asking, and why;  doubt CALL: ask it
  assert METHOD: EXPRESSION  what calls must do (jhyde help properties);  retract …: not
  trust CLASSES   never ask about methods of these (shop.util.*, lib/gson.jar);  distrust CLASSES: do
  passing RECORDING  of a run that passed: what it ran, too, is asked last;  passing none: not
Search
  undo, redo              take the last answer back, or give it again
  strategy [NAME]         ask in another order
  restrict [CALL]         search only below this call; everywhere lifts that
  stats, answers          how far it is
Look around (what is red was written, yellow holds something that was)
  at CALL, or just CALL   look at any call (and answer it); up: its caller; question: back
  call, path              everything about the call shown, and the way to it
  tree [CALL] [--depth N] what it called;  tree all: the whole recording
  state [CALL] [--at T] [--depth N]
  events [CALL] [--mark VARIABLE] [--unfold LEVELS] [--inside ROW]
  step T [--back] [--over | --out | --write VARIABLE | --line CLASS:LINE]
  history VARIABLE        who wrote it: lc, c[2], this.size, array#3[2], pkg.Main.COUNT
  why VARIABLE [--at T]   what its value came from
  coverage [CALL]         which conditions went which way, which writes reached which reads
  threads, where, classes
quit (Ctrl-D)             leave; the session is kept";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_for_the_shell() {
        assert_eq!(shell_word("demo-1"), "demo-1");
        assert_eq!(shell_word("my run"), "'my run'");
        assert_eq!(shell_word("it's"), "'it'\\''s'");
    }
}

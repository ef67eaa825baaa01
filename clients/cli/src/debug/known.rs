//! What was answered without asking, as a debugging session shows it.

use jhyde_proto::v1::{KnownAnswer, KnownFrom, Session};

use crate::error::Error;
use crate::json::answer_word;
use crate::output::{Look, Output};
use crate::text::{clean, plural};

/// What was found to be known behind so many known answers: a few by name.
pub(super) fn newly(session: &Session, before: usize, out: &mut Output) -> Result<(), Error> {
    /// More would hide the question.
    const NAMED: usize = 3;
    let new = session.known.get(before..).unwrap_or_default();
    for known in new.iter().take(NAMED) {
        let text = format!("  not asked: {}", known_line(known));
        let text = out.paint.text(Look::Faint, text);
        out.line(text)?;
    }
    if new.len() > NAMED {
        let more = plural((new.len() - NAMED) as u64, "call");
        let text = format!("  not asked: {more} more (known lists them)");
        let text = out.paint.text(Look::Faint, text);
        out.line(text)?;
    }
    Ok(())
}

/// `1.9 is valid, as 1.7`.
fn known_line(known: &KnownAnswer) -> String {
    let from = match known.from() {
        KnownFrom::EqualCall => format!("equal to {}", known.equal_to),
        KnownFrom::Recording => format!("equal to {} of {}", known.equal_to, known.recording),
        KnownFrom::Memory => known.told.clone(),
        KnownFrom::Property => format!("it does not have {}", known.told),
        KnownFrom::Program => format!("said by {}, confirmed by nobody", known.told),
        KnownFrom::Unspecified => "known".to_owned(),
    };
    let answer = answer_word(known.answer());
    format!("{} is {answer}: {}", known.call, clean(&from))
}

/// What was answered without asking.
pub(super) fn all(session: &Session, out: &mut Output) -> Result<(), Error> {
    if !session.knowing && session.known.is_empty() {
        return out
            .line("  nothing is looked up in this session (--known begins one in which it is)");
    }
    if session.known.is_empty() {
        return out.line("  every answer was given by somebody");
    }
    let mut known = session.known.iter();
    known.try_for_each(|known| out.line(format!("  {}", known_line(known))))
}

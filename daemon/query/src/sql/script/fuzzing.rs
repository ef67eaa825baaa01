//! An entry point for fuzzers: texts are taken apart and written out, however hostile they are.

use std::ops::Range;

use super::expand::LONGEST;
use super::token::{Kind, tokens};
use super::{Expanded, Problem, Script, Source, Step};
use crate::sql::library::MODULES;

/// What texts are put together of, between bars: a fuzzer would hardly guess it.
const WORDS: &str = "CREATE MACRO m(a) AS |CREATE MACRO n() AS |CREATE FUNCTION f(a INTEGER) RETURNS TABLE(b TEXT) AS SELECT |\
    INCLUDE MODULE std.calls;|CREATE|MACRO|FUNCTION|RETURNS|TABLE|AS|INCLUDE|MODULE|SELECT|FROM|INTEGER|TEXT|std.calls|around!(|\
    m|m!(|m!(m!(|n!()|f(|a|$a|$b|(|)|,|;|'|'x;'|\"|[|--|\n|/*|*/|?|1|é";

/// So many bytes are written out and looked at: a text of many statements may write as many for each of them.
const ENOUGH: usize = 4 << 20;

/// Goes through hostile bytes: as a text, and as numbers of words.
pub fn go_through_script(bytes: &[u8]) {
    if let Ok(text) = std::str::from_utf8(bytes) {
        go_through(text);
    }
    go_through(&of_words(bytes));
}

/// A text of a word for each byte, mostly with blanks between.
fn of_words(bytes: &[u8]) -> String {
    let words: Vec<&str> = WORDS.split('|').collect();
    let mut text = String::new();
    for byte in bytes {
        text.push_str(words[usize::from(byte % 64) % words.len()]);
        if *byte >= 64 {
            text.push(' ');
        }
    }
    text
}

/// It ends, each part of what comes out is where it was written, what is wrong lies in the text, and what neither defines nor uses
/// anything is what it was.
pub(super) fn go_through(text: &str) {
    let mut script = Script::new(text);
    // A statement takes at least a byte of the text, and gives one step, unless a module comes in.
    let mut left = text.len() + defined_by_modules();
    let mut written = 0;
    let mut ran = Vec::new();
    let wrong = loop {
        let step = match script.next() {
            Ok(Some(step)) => step,
            Ok(None) => break None,
            Err(problem) => break Some(problem),
        };
        assert!(left > 0, "it does not end");
        left -= 1;
        written += match step {
            Step::Run(expanded) => {
                ran.extend(from_where(&expanded, text));
                expanded.text.len()
            }
            Step::Define(function) => {
                lies_in(&function.source, function.at, text);
                from_where(&function.body, text);
                function.body.text.len()
            }
        };
        if written > ENOUGH {
            return;
        }
    };
    if let Some(Problem { source, at, reason }) = &wrong {
        assert!(!reason.is_empty(), "what is wrong is said");
        lies_in(source, *at, text);
    }
    if is_plain(text) && text.len() <= LONGEST {
        assert!(wrong.is_none(), "nothing of it is ours: {wrong:?}");
        is_the_text(&ran, text);
    }
}

fn defined_by_modules() -> usize {
    let modules = MODULES.iter();
    modules
        .map(|module| module.text.matches("FUNCTION").count())
        .sum()
}

/// The text that a source is: a module's own, or that of the user.
fn text_of<'a>(source: &'a Source, user: &'a str) -> &'a str {
    match source.module {
        Some(_) => &source.text,
        None => user,
    }
}

fn lies_in(source: &Source, at: usize, user: &str) {
    let text = text_of(source, user);
    assert!(
        text.is_char_boundary(at),
        "{at} is no place in {:?}",
        source.module
    );
}

/// Each byte is where it is said to come from. Gives the stretch of the user's text, if it is one and whole.
fn from_where(expanded: &Expanded, user: &str) -> Option<Range<usize>> {
    assert!(expanded.text.len() <= LONGEST, "what is written out ends");
    let mut stretch: Option<Range<usize>> = None;
    let mut is_whole = true;
    for (at, byte) in expanded.text.bytes().enumerate() {
        let origin = expanded.origin(at);
        let Some((source, origin)) = origin else {
            panic!("byte {at} comes from nowhere");
        };
        assert_eq!(
            text_of(&source, user).as_bytes().get(origin),
            Some(&byte),
            "byte {at} is what stands there"
        );
        let stretch = stretch.get_or_insert(origin..origin);
        is_whole &= source.module.is_none() && stretch.end == origin;
        stretch.end = origin + 1;
    }
    stretch.filter(|_| is_whole)
}

/// Does it neither define nor use anything?
fn is_plain(text: &str) -> bool {
    tokens(text).all(|token| {
        token.kind != Kind::Bang && !token.is(text, "create") && !token.is(text, "include")
    })
}

/// What ran is all of the text, in its order, but for what says nothing.
fn is_the_text(ran: &[Range<usize>], text: &str) {
    let says_nothing =
        |part: &str| tokens(part).all(|token| token.is_blank() || token.kind == Kind::Semicolon);
    let mut at = 0;
    for stretch in ran {
        assert!(
            says_nothing(&text[at..stretch.start]),
            "left out before {stretch:?}"
        );
        at = stretch.end;
    }
    assert!(says_nothing(&text[at..]), "left out behind {at}");
}

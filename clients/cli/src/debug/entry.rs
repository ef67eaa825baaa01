//! What somebody types in a debugging session.

use jhyde_proto::v1::AnswerKind;

use super::STRATEGIES;
use super::evidence::Said;
use crate::commands::call_argument;
use crate::commands::numbered::is_number;

/// Words that begin a line, for completion and for "did you mean".
pub(super) const WORDS: [&str; 40] = [
    "right",
    "valid",
    "invalid",
    "trusted",
    "trust",
    "distrust",
    "assert",
    "retract",
    "changed",
    "passing",
    "unknown",
    "inadmissible",
    "wrong",
    "undo",
    "redo",
    "known",
    "doubt",
    "strategy",
    "at",
    "question",
    "up",
    "tree",
    "call",
    "state",
    "events",
    "step",
    "history",
    "why",
    "coverage",
    "path",
    "threads",
    "where",
    "classes",
    "restrict",
    "stats",
    "answers",
    "help",
    "quit",
    "exit",
    "everywhere",
];

/// One line of input, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The proposed call, or the one that is looked at, or a named one, was right or wrong.
    Answer {
        answer: AnswerKind,
        call: Option<String>,
    },
    /// The call shown was wrong, and this of its result is what was wrong: by name, or by the numbers that stand before
    /// values.
    Wrong(Vec<String>),
    /// The one value that is asked about was right or wrong.
    Value(AnswerKind),
    Undo,
    Redo,
    /// List what was answered without asking.
    Known,
    /// What is known of this call may be wrong.
    Doubt(String),
    /// Something of many calls at once.
    Say(Said),
    /// Another strategy; without one: which there are.
    Strategy(Option<String>),
    /// Look at another call.
    At(String),
    /// Look at the caller.
    Up,
    /// Back to the question.
    Question,
    /// Search only below a call (the one that is looked at).
    Restrict(Option<String>),
    /// Search everywhere again.
    Everywhere,
    /// A command of `jhyde` about the same recording.
    Look(Vec<String>),
    Statistics,
    Answers,
    Help,
    Quit,
    /// An empty line.
    Nothing,
}

/// Understands a line, or says what is wrong with it.
pub(super) fn parse(line: &str) -> Result<Entry, String> {
    let words = words(line);
    let Some((first, rest)) = words.split_first() else {
        return Ok(Entry::Nothing);
    };
    if let Some(said) = Said::typed(line, &words, is_call) {
        return Ok(Entry::Say(said));
    }
    if let Some(answer) = answer(first) {
        return match rest {
            [] => Ok(Entry::Answer { answer, call: None }),
            numbers if numbers.iter().all(|word| is_number(word)) => match answer {
                AnswerKind::Invalid => Ok(Entry::Wrong(numbers.to_vec())),
                _ => Err(format!(
                    "numbers point at what is wrong: invalid {}",
                    numbers.join(" ")
                )),
            },
            [call] => Ok(Entry::Answer {
                answer,
                call: Some(call_argument(call)),
            }),
            _ => Err(format!("'{first}' takes one call at most: {first} merge#3")),
        };
    }
    if let [last] = rest
        && let Some(answer) = answer(last)
        && is_call(first)
    {
        return Ok(Entry::Answer {
            answer,
            call: Some(call_argument(first)),
        });
    }
    let alone = |entry| {
        if rest.is_empty() {
            Ok(entry)
        } else {
            Err(format!("'{first}' stands alone"))
        }
    };
    match first.as_str() {
        "right" | "r" => alone(Entry::Value(AnswerKind::Right)),
        "wrong" | "w" => match rest {
            [] => Ok(Entry::Value(AnswerKind::Wrong)),
            wrong => Ok(Entry::Wrong(wrong.to_vec())),
        },
        "undo" => alone(Entry::Undo),
        "redo" => alone(Entry::Redo),
        "known" => alone(Entry::Known),
        "doubt" => match rest {
            [call] => Ok(Entry::Doubt(call_argument(call))),
            _ => Err(
                "doubt takes a call: doubt merge#3 (known lists those that are known)".to_owned(),
            ),
        },
        "strategy" | "s" => strategy(rest),
        "at" | "jump" | "j" | "go" => match rest {
            [call] => Ok(Entry::At(call_argument(call))),
            _ => Err("at takes a call: at merge#3, or at 1.7".to_owned()),
        },
        "up" => alone(Entry::Up),
        "question" | "back" => alone(Entry::Question),
        "restrict" => match rest {
            [] => Ok(Entry::Restrict(None)),
            [call] => Ok(Entry::Restrict(Some(call_argument(call)))),
            _ => Err("restrict takes one call at most: restrict merge#3".to_owned()),
        },
        "everywhere" => alone(Entry::Everywhere),
        "tree" | "call" | "state" | "events" | "step" | "history" | "why" | "coverage"
        | "threads" | "where" | "classes" => Ok(Entry::Look(words)),
        "path" => alone(Entry::Look(vec!["call".to_owned()])),
        "stats" | "statistics" => alone(Entry::Statistics),
        "answers" => alone(Entry::Answers),
        "help" | "h" | "?" => Ok(Entry::Help),
        "quit" | "q" | "exit" => alone(Entry::Quit),
        call if rest.is_empty() && is_call(call) => Ok(Entry::At(call_argument(call))),
        other => Err(unknown(other)),
    }
}

fn unknown(word: &str) -> String {
    let near = WORDS
        .iter()
        .find(|known| known.starts_with(word) && word.len() > 1);
    match near {
        Some(known) => format!("'{word}' is not known; did you mean {known}? (help shows all)"),
        None => format!(
            "'{word}' is not known; answer valid, invalid, trusted or unknown, or type help"
        ),
    }
}

fn strategy(rest: &[String]) -> Result<Entry, String> {
    match rest {
        [] => Ok(Entry::Strategy(None)),
        [name] => {
            let fits = |known: &&str| known.starts_with(name.as_str());
            let fitting = STRATEGIES.into_iter().filter(fits).collect::<Vec<_>>();
            match fitting.as_slice() {
                [one] => Ok(Entry::Strategy(Some((*one).to_owned()))),
                [] => Err(format!(
                    "there is no strategy '{name}'; there are {}",
                    STRATEGIES.join(", ")
                )),
                several => Err(format!("'{name}' may be {}", several.join(" or "))),
            }
        }
        _ => Err("strategy takes one name".to_owned()),
    }
}

/// An answer's word or its first letter.
pub(super) fn answer(word: &str) -> Option<AnswerKind> {
    match word {
        "valid" | "v" => Some(AnswerKind::Valid),
        "invalid" | "i" => Some(AnswerKind::Invalid),
        "trusted" | "trust" | "t" => Some(AnswerKind::Trusted),
        "unknown" | "u" => Some(AnswerKind::Unknown),
        "inadmissible" | "x" => Some(AnswerKind::Inadmissible),
        _ => None,
    }
}

/// `1.7` or `merge#3`: nothing else that is typed looks like one.
fn is_call(word: &str) -> bool {
    let numbers = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let id = word.trim_matches(['[', ']']);
    let by_id = id
        .split_once('.')
        .is_some_and(|(thread, number)| numbers(thread) && numbers(number));
    by_id
        || word
            .rsplit_once('#')
            .is_some_and(|(name, number)| !name.is_empty() && numbers(number))
}

/// The words of a line. `merge #3`, as calls are shown, is one; quotes that a shell would want are taken
/// off.
fn words(line: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        let word = word.trim_matches(['\'', '"']);
        match words.last_mut() {
            Some(last) if word.starts_with('#') && !last.starts_with('-') => last.push_str(word),
            _ => words.push(word.to_owned()),
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(answer: AnswerKind, call: Option<&str>) -> Result<Entry, String> {
        Ok(Entry::Answer {
            answer,
            call: call.map(str::to_owned),
        })
    }

    #[test]
    fn answers() {
        assert_eq!(parse("valid"), answered(AnswerKind::Valid, None));
        assert_eq!(parse(" i "), answered(AnswerKind::Invalid, None));
        assert_eq!(parse("t"), answered(AnswerKind::Trusted, None));
        assert_eq!(parse("u"), answered(AnswerKind::Unknown, None));
        for line in [
            "merge#3 invalid",
            "merge #3 invalid",
            "invalid merge #3",
            "i 'merge#3'",
        ] {
            assert_eq!(
                parse(line),
                answered(AnswerKind::Invalid, Some("merge#3")),
                "{line}"
            );
        }
        assert_eq!(parse("1.7 v"), answered(AnswerKind::Valid, Some("1.7")));
        assert_eq!(parse("[1.7] v"), answered(AnswerKind::Valid, Some("1.7")));
    }

    #[test]
    fn what_is_wrong_is_named_or_numbered() {
        let wrong = |words: &[&str]| {
            let words = words.iter().map(|&word| word.to_owned());
            Ok(Entry::Wrong(words.collect()))
        };
        assert_eq!(parse("i 2"), wrong(&["2"]));
        assert_eq!(parse("invalid 2 4"), wrong(&["2", "4"]));
        assert_eq!(parse("w 2 this.size"), wrong(&["2", "this.size"]));
        assert!(parse("v 2").unwrap_err().contains("invalid 2"));
        assert_eq!(parse("w"), Ok(Entry::Value(AnswerKind::Wrong)));
        assert_eq!(parse("right"), Ok(Entry::Value(AnswerKind::Right)));
        assert!(parse("r merge#3").is_err());
    }

    #[test]
    fn what_is_known() {
        assert_eq!(parse("known"), Ok(Entry::Known));
        assert_eq!(
            parse("doubt merge #3"),
            Ok(Entry::Doubt("merge#3".to_owned()))
        );
        assert!(parse("doubt").is_err() && parse("known 1.7").is_err());
    }

    #[test]
    fn going_to_calls() {
        for line in ["at 1.7", "1.7", "[1.7]", "jump 1.7"] {
            assert_eq!(parse(line), Ok(Entry::At("1.7".to_owned())), "{line}");
        }
        assert_eq!(
            parse("MergeSort.merge #3"),
            Ok(Entry::At("MergeSort.merge#3".to_owned()))
        );
    }

    #[test]
    fn looking_around_takes_flags() {
        let words = |line: &str| match parse(line) {
            Ok(Entry::Look(words)) => words.join("|"),
            other => panic!("{other:?}"),
        };
        assert_eq!(words("tree --depth 2"), "tree|--depth|2");
        assert_eq!(words("history 'array#3[2]'"), "history|array#3[2]");
        assert_eq!(words("state merge #3 --at 12"), "state|merge#3|--at|12");
    }

    #[test]
    fn strategies_may_be_cut_short() {
        assert_eq!(parse("strategy"), Ok(Entry::Strategy(None)));
        assert_eq!(
            parse("strategy top"),
            Ok(Entry::Strategy(Some("top-down".to_owned())))
        );
        assert!(parse("strategy coverage").unwrap_err().contains(" or "));
        assert!(
            parse("strategy fast")
                .unwrap_err()
                .contains("divide-and-query")
        );
    }

    #[test]
    fn everything_else_is_refused_with_a_hint() {
        assert_eq!(parse(""), Ok(Entry::Nothing));
        assert!(parse("vali").unwrap_err().contains("did you mean valid"));
        for line in [
            "yes",
            "undo it",
            "at",
            "invalid a#1 b#2",
            "restrict a b",
            "merge",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}

//! What can be said of a statement without understanding it: where it ends, which parameters it has, what its first comment says.

/// A character of a text that is in no quotes and in no comment, or what stands for those.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Sign {
    Plain(usize, char),
    /// Quotes that are closed.
    Quoted,
    /// Quotes or a comment that the text does not close.
    Open,
}

/// The signs of a text, one after another; comments are none.
fn signs(text: &str) -> impl Iterator<Item = Sign> {
    let mut rest = text.char_indices().peekable();
    std::iter::from_fn(move || {
        loop {
            let (at, c) = rest.next()?;
            match c {
                '\'' | '"' | '`' | '[' => {
                    let end = if c == '[' { ']' } else { c };
                    let closed = rest.by_ref().any(|(_, inside)| inside == end);
                    return Some(if closed { Sign::Quoted } else { Sign::Open });
                }
                '-' if rest.next_if(|(_, next)| *next == '-').is_some() => {
                    rest.by_ref().any(|(_, inside)| inside == '\n');
                }
                '/' if rest.next_if(|(_, next)| *next == '*').is_some() => {
                    let mut before = ' ';
                    if !rest.by_ref().any(|(_, inside)| {
                        std::mem::replace(&mut before, inside) == '*' && inside == '/'
                    }) {
                        return Some(Sign::Open);
                    }
                }
                c => return Some(Sign::Plain(at, c)),
            }
        }
    })
}

/// Does it end with a `;`?
pub(super) fn is_whole(text: &str) -> bool {
    let mut last = None;
    for sign in signs(text) {
        match sign {
            Sign::Open => return false,
            Sign::Plain(_, c) if c.is_whitespace() => {}
            sign => last = Some(sign),
        }
    }
    matches!(last, Some(Sign::Plain(_, ';')))
}

/// The `$name`s of its statements, in the order in which they come first. Those of functions and macros that it defines are their own.
pub(in crate::commands) fn parameters(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let (mut begin, mut of_this): (usize, Vec<String>) = (0, Vec::new());
    let mut words: Vec<String> = Vec::new();
    let mut end = |words: &mut Vec<String>, of_this: &mut Vec<String>| {
        let defines = words.first().is_some_and(|word| word == "create")
            && words
                .get(1)
                .is_some_and(|word| word == "function" || word == "macro");
        for name in of_this.drain(..) {
            if !defines && !names.contains(&name) {
                names.push(name);
            }
        }
        words.clear();
    };
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for sign in signs(text) {
        let Sign::Plain(at, c) = sign else { continue };
        match c {
            ';' => end(&mut words, &mut of_this),
            _ if at < begin => {}
            // In a word it is a part of it.
            '$' if text[..at].ends_with(is_part) => {}
            '$' => {
                let name: String = text[at + 1..].chars().take_while(|c| is_part(*c)).collect();
                begin = at + 1 + name.len();
                if !name.is_empty() {
                    of_this.push(name);
                }
            }
            c if is_part(c) && words.len() < 2 => {
                let word: String = text[at..].chars().take_while(|c| is_part(*c)).collect();
                begin = at + word.len();
                words.push(word.to_ascii_lowercase());
            }
            _ => {}
        }
    }
    end(&mut words, &mut of_this);
    names
}

/// The comment that it begins with, in one line.
pub(in crate::commands) fn comment(text: &str) -> String {
    let lines = text
        .trim_start()
        .lines()
        .map_while(|line| line.trim().strip_prefix("--"));
    lines.map(str::trim).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_ends_with_a_semicolon_outside_of_quotes_and_comments() {
        for whole in [
            "SELECT 1;",
            "SELECT ';' ; ",
            "SELECT 1; -- that is it",
            "/* ; */ SELECT 1;\n",
            "SELECT 'it''s';",
            ";",
        ] {
            assert!(is_whole(whole), "{whole}");
        }
        for open in [
            "SELECT 1",
            "SELECT ';",
            "SELECT 1 -- ;",
            "SELECT 1 /* ;",
            "SELECT \";\"",
            "SELECT 'it''s;",
            "",
            "SELECT 1; SELECT 2",
        ] {
            assert!(!is_whole(open), "{open}");
        }
    }

    #[test]
    fn parameters_are_those_of_the_statements() {
        for (text, names) in [
            ("SELECT $b, $a, '$c', $b -- $d", &["b", "a"][..]),
            ("CREATE MACRO m(x) AS $x; SELECT m!($y)", &["y"]),
            (
                "create /* a */ function f(x TEXT) RETURNS TABLE(z TEXT) AS SELECT $x;\nSELECT * FROM f($q1)",
                &["q1"],
            ),
            ("CREATE TEMP VIEW v AS SELECT $x; SELECT $", &["x"]),
            ("SELECT 1 AS a$b, [$c], \"$d\", `$e`", &[]),
            ("SELECT 1", &[]),
        ] {
            assert_eq!(parameters(text), names, "{text}");
        }
        assert_eq!(
            comment("\n-- Calls of\n-- a method\nSELECT 1 -- no"),
            "Calls of a method"
        );
        assert_eq!(comment("SELECT 1"), "");
    }
}

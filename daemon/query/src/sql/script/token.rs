//! The words of a text in SQL, as SQLite takes them apart. No more is understood here than where each begins, and what it is.

use std::ops::Range;

use logos::Logos;

/// What a word is.
#[derive(Logos, Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    #[regex(r"[ \t\r\n\f]+")]
    Space,
    // SQLite lets the last comment of a text end with it.
    #[regex(r"--[^\n]*", allow_greedy = true)]
    #[regex(r"/\*([^*]|\*+[^*/])*(\*+/|\**)", allow_greedy = true)]
    Comment,
    #[regex(r"[A-Za-z_\u{80}-\u{10FFFF}][A-Za-z0-9_$\u{80}-\u{10FFFF}]*")]
    Word,
    // One that is not closed goes to the end: SQLite says what is wrong with it, and nothing is gone through again.
    #[regex(r"'([^']|'')*'?")]
    Text,
    #[regex(r#""([^"]|"")*"?"#)]
    #[regex(r"`([^`]|``)*`?")]
    #[regex(r"\[[^\]]*\]?")]
    Quoted,
    #[regex(r"[$:@#][A-Za-z0-9_$\u{80}-\u{10FFFF}]+")]
    #[regex(r"\?[0-9]*")]
    Parameter,
    #[regex(r"[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]+)?")]
    #[regex(r"\.[0-9]+([eE][+-]?[0-9]+)?")]
    #[regex(r"0[xX][0-9A-Fa-f]+")]
    Number,
    #[token("(")]
    Open,
    #[token(")")]
    Close,
    #[token(",")]
    Comma,
    #[token(";")]
    Semicolon,
    #[token("!")]
    Bang,
    /// Anything else, and what is not closed: SQLite says what is wrong with it.
    #[regex(r"[^A-Za-z0-9_\s]", priority = 0)]
    Other,
}

/// A word, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

impl Token {
    pub(super) fn of<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.at.clone()).unwrap_or_default()
    }

    /// Is it this word of SQL, in whatever case?
    pub(super) fn is(&self, text: &str, word: &str) -> bool {
        self.kind == Kind::Word && self.of(text).eq_ignore_ascii_case(word)
    }

    /// Does it say nothing to SQLite?
    pub(super) fn is_blank(&self) -> bool {
        matches!(self.kind, Kind::Space | Kind::Comment)
    }
}

/// All words of a text: together they are the text.
pub(super) fn tokens(text: &str) -> impl Iterator<Item = Token> {
    let lexer = Kind::lexer(text).spanned();
    lexer.map(|(kind, at)| Token {
        kind: kind.unwrap_or(Kind::Other),
        at,
    })
}

/// Where a name stands first in a text, as it is or in quotes: not in texts and comments.
pub(in crate::sql) fn word(text: &str, name: &str) -> Option<usize> {
    let is_it = |token: &Token| {
        let written = token.of(text);
        match token.kind {
            Kind::Word => written.eq_ignore_ascii_case(name),
            Kind::Quoted => {
                let mut inside = written.chars();
                inside.next();
                inside.next_back();
                inside.as_str().eq_ignore_ascii_case(name)
            }
            _ => false,
        }
    };
    tokens(text).find(is_it).map(|token| token.at.start)
}

/// Where the first statement of a text ends, behind its `;`.
pub(super) fn statement(text: &str) -> usize {
    let end = tokens(text).find(|token| token.kind == Kind::Semicolon);
    end.map_or(text.len(), |token| token.at.end)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn kinds(text: &str) -> Vec<(Kind, &str)> {
        tokens(text)
            .filter(|token| token.kind != Kind::Space)
            .map(|token| (token.kind, token.of(text)))
            .collect()
    }

    #[test]
    fn words_are_those_of_sqlite() {
        use Kind::*;
        assert_eq!(
            kinds("f!(a.b, 'it''s; --', \"x\"\"y\", [q r], $n, 1.5e-3, .5) != 0x1F;"),
            [
                (Word, "f"),
                (Bang, "!"),
                (Open, "("),
                (Word, "a"),
                (Other, "."),
                (Word, "b"),
                (Comma, ","),
                (Text, "'it''s; --'"),
                (Comma, ","),
                (Quoted, "\"x\"\"y\""),
                (Comma, ","),
                (Quoted, "[q r]"),
                (Comma, ","),
                (Parameter, "$n"),
                (Comma, ","),
                (Number, "1.5e-3"),
                (Comma, ","),
                (Number, ".5"),
                (Close, ")"),
                (Bang, "!"),
                (Other, "="),
                (Number, "0x1F"),
                (Semicolon, ";"),
            ]
        );
        assert_eq!(
            kinds("a -- b ; c\n/* d ; ** */ e"),
            [
                (Word, "a"),
                (Comment, "-- b ; c"),
                (Comment, "/* d ; ** */"),
                (Word, "e")
            ]
        );
        assert_eq!(kinds("a /* b ; "), [(Word, "a"), (Comment, "/* b ; ")]);
        assert_eq!(kinds("größe"), [(Word, "größe")]);
    }

    #[test]
    fn names_are_found_as_words_of_their_own() {
        for (text, found) in [
            ("calls.call_x, call", Some(14)),
            ("'call' -- call\n, CALL", Some(17)),
            ("a, [call]", Some(3)),
            ("a, \"call\"", Some(3)),
            ("calls", None),
        ] {
            assert_eq!(word(text, "call"), found, "{text}");
        }
    }

    proptest! {
        #[test]
        fn the_words_of_a_text_are_the_text(text in "[a-z'\"`\\[\\]();,!$?:@.\\-/* \n0-9é\u{1F600}]{0,60}") {
            let mut at = 0;
            for token in tokens(&text) {
                prop_assert_eq!(token.at.start, at);
                prop_assert!(text.is_char_boundary(token.at.end));
                at = token.at.end;
            }
            prop_assert_eq!(at, text.len());
        }
    }
}

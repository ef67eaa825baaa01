//! What somebody wrote, in the message that says what is wrong with it: whoever wrote a megabyte need not read it again.

use std::borrow::Cow;
use std::ffi::OsStr;

/// So many characters are repeated at most.
pub const MOST: usize = 200;

/// A message in which words of a command line stand, however it came by them. Those that are too long are cut.
pub fn without_long_words<W: AsRef<OsStr>>(
    message: String,
    words: impl IntoIterator<Item = W>,
) -> String {
    let cut = |message: String, text: &str| match text.len() > MOST {
        true => message.replace(text, &shown(text)),
        false => message,
    };
    words.into_iter().fold(message, |message, word| {
        let word = word.as_ref().to_string_lossy();
        let message = cut(message, &word);
        match word.split_once('=') {
            Some((_, value)) => cut(message, value),
            None => message,
        }
    })
}

/// The text as a message shows it.
pub fn shown(text: &str) -> Cow<'_, str> {
    let Some((cut, _)) = text.char_indices().nth(MOST) else {
        return Cow::Borrowed(text);
    };
    let head = text.get(..cut).unwrap_or_default();
    let all = text.chars().count();
    Cow::Owned(format!("{head}… ({all} characters)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut() {
        let short = "ü".repeat(MOST);
        assert_eq!(shown(&short), short);
        let long = "ü".repeat(MOST + 1);
        assert_eq!(shown(&long), format!("{short}… (201 characters)"));
    }

    #[test]
    fn words_are_cut_wherever_they_stand() {
        let (long, value) = ("x".repeat(300), "y".repeat(300));
        let words = ["tree".to_owned(), long.clone(), format!("--limit={value}")];
        let message = format!("no '{long}', and '{value}' is no number");
        let told = without_long_words(message, &words);
        let (x, y) = ("x".repeat(MOST), "y".repeat(MOST));
        let cut = "… (300 characters)";
        assert_eq!(told, format!("no '{x}{cut}', and '{y}{cut}' is no number"));
    }
}

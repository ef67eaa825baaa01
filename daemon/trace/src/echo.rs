//! What somebody wrote, in the message that says what is wrong with it: whoever wrote a megabyte need not read it again.

use std::borrow::Cow;

/// So many characters are repeated at most.
pub const MOST: usize = 200;

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
}

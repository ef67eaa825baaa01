//! Patterns of class names, as people write them for scopes and for trust.
//!
//! A pattern is `org.foo` (the class of that name, or the package and all below it), or has `*` for
//! any text, dots included: `org.foo.*`, `*Service`, `org.*.impl.*`.

use thiserror::Error;

use crate::echo::shown;

/// A pattern makes no sense.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "'{}' is no class pattern: write a class, a package, or either with * for any text, such as org.foo or org.foo.*Service",
    shown(.0)
)]
pub struct PatternError(pub String);

/// Can a pattern match class names at all?
///
/// # Errors
/// [`PatternError`] if it cannot.
pub fn check(pattern: &str) -> Result<(), PatternError> {
    let fits = !pattern.is_empty()
        && !pattern.starts_with('.')
        && !pattern.contains("..")
        && !pattern.ends_with('.')
        && pattern
            .chars()
            .all(|c| !c.is_whitespace() && !c.is_control() && !";[/\\<>(),".contains(c));
    match fits {
        true => Ok(()),
        false => Err(PatternError(pattern.to_owned())),
    }
}

/// Does a pattern cover a dotted class name?
pub fn matches(pattern: &str, name: &str) -> bool {
    if !pattern.contains('*') {
        return name == pattern
            || name
                .strip_prefix(pattern)
                .is_some_and(|rest| rest.starts_with(['.', '$']));
    }
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else {
        return false;
    };
    let mut pieces: Vec<&str> = pieces.collect();
    let last = pieces.pop().unwrap_or_default();
    for piece in pieces {
        match rest.find(piece) {
            Some(at) => rest = &rest[at + piece.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_cover_what_they_say() {
        for (pattern, name, covered) in [
            ("org.foo", "org.foo", true),
            ("org.foo", "org.foo.Bar", true),
            ("org.foo", "org.foo$Inner", true),
            ("org.foo", "org.foobar.Baz", false),
            ("org.foo.*", "org.foo.a.B", true),
            ("org.foo.*", "org.foo", false),
            ("*Service", "a.b.UserService", true),
            ("*Service", "a.b.ServiceImpl", false),
            ("org.*.impl.*", "org.x.y.impl.Z", true),
            ("org.*.impl.*", "org.impl.Z", false),
            ("*", "X", true),
            ("a*a", "a", false),
        ] {
            assert_eq!(matches(pattern, name), covered, "{pattern} {name}");
        }
    }
}

//! Small things that recordings are called by: words for states, made names, the time.

use std::time::{SystemTime, UNIX_EPOCH};

use jhyde_trace::State;

/// All words that [`state`] says.
pub const STATES: &[&str] = &[
    "waiting",
    "running",
    "complete",
    "detached",
    "stopped",
    "connection lost",
    "cut",
    "failed",
];

/// A state in one word, as people read it.
pub fn state(state: &State) -> &'static str {
    match state {
        State::ConnectionLost { .. } => "connection lost",
        state => state.word(),
    }
}

/// A name for a recording made from a word (a class, an address): only letters, digits, `-`, `_`, `.`
/// and `$`, not too long, beginning with a letter or digit.
pub fn name_from(word: &str) -> String {
    let mut name: String = word
        .chars()
        .map(|c| {
            if c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '$') {
                c
            } else {
                '-'
            }
        })
        .skip_while(|c| !c.is_alphanumeric())
        .take(60)
        .collect();
    if name.is_empty() {
        name.push_str("recording");
    }
    name
}

/// Wall clock, in milliseconds since 1970-01-01 UTC.
pub fn now_ms() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn made_names_are_harmless() {
        assert_eq!(name_from("Main$Inner"), "Main$Inner");
        assert_eq!(name_from("localhost:5005"), "localhost-5005");
        assert_eq!(name_from("../../etc"), "etc");
        assert_eq!(name_from("///"), "recording");
        assert_eq!(name_from(&"x".repeat(500)).len(), 60);
    }
}

//! What every client of ours says of a recording: how much there is, what to do next.

use crate::v1::Recording;

/// `13,204`.
pub fn count(n: u64) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// `1 call`, `7 calls`.
pub fn plural(n: u64, one: &str) -> String {
    let ending = match one {
        _ if n == 1 => "",
        "class" => "es",
        _ => "s",
    };
    format!("{} {one}{ending}", count(n))
}

/// All gaps of a recording, whatever the reason.
pub fn gaps(recording: &Recording) -> u64 {
    recording.gaps.iter().map(|gap| gap.count).sum()
}

/// What there is, in few words: `1,063 calls, 5,442 events, 2 gaps`.
pub fn amounts(recording: &Recording) -> String {
    format!(
        "{}, {}, {}",
        plural(recording.calls, "call"),
        plural(recording.events, "event"),
        plural(gaps(recording), "gap"),
    )
}

/// The line at the end of a recording that somebody waited for: `recorded main-2: 1,063 calls, 5,442 events, 2 gaps;
/// jhyde tree main-2`. A program that ended with another code than 0 says so.
pub fn recorded(recording: &Recording) -> String {
    let name = &recording.name;
    let (code, why) = match recording.exit_code {
        None | Some(0) => (String::new(), String::new()),
        Some(code) => (
            format!(", exit code {code}"),
            format!(", jhyde where {name}"),
        ),
    };
    format!(
        "recorded {name}: {}{code}; jhyde tree {name}{why}",
        amounts(recording)
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::v1::GapCount;

    fn recording(events: u64) -> Recording {
        Recording {
            name: "main-2".to_owned(),
            calls: 1063,
            events,
            ..Recording::default()
        }
    }

    #[test]
    fn counts_are_readable() {
        assert_eq!(count(0), "0");
        assert_eq!(count(999), "999");
        assert_eq!(count(1000), "1,000");
        assert_eq!(count(1_234_567), "1,234,567");
        assert_eq!(plural(1, "call"), "1 call");
        assert_eq!(plural(2, "class"), "2 classes");
    }

    #[test]
    fn the_last_line_says_how_much_there_is_and_what_to_do() {
        let mut made = recording(5442);
        let gap = |count| GapCount {
            reason: "x".to_owned(),
            count,
        };
        made.gaps = vec![gap(1), gap(1)];
        made.exit_code = Some(0);
        assert_eq!(
            recorded(&made),
            "recorded main-2: 1,063 calls, 5,442 events, 2 gaps; jhyde tree main-2"
        );
        made.exit_code = Some(3);
        assert_eq!(
            recorded(&made),
            "recorded main-2: 1,063 calls, 5,442 events, 2 gaps, exit code 3; jhyde tree main-2, jhyde where main-2"
        );
    }
}

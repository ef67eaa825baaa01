//! Counts, sizes and times for people.

use std::time::{SystemTime, UNIX_EPOCH};

pub use jhyde_proto::words::{count, plural};

/// Bytes: `512 B`, `3.4 MB`.
pub fn size(bytes: u64) -> String {
    const UNITS: [&str; 5] = ["kB", "MB", "GB", "TB", "PB"];
    if bytes < 1000 {
        return format!("{bytes} B");
    }
    let mut amount = bytes as f64;
    let mut name = "B";
    for unit in UNITS {
        if amount < 999.95 {
            break;
        }
        amount /= 1000.0;
        name = unit;
    }
    format!("{amount:.1} {name}")
}

/// The time, in milliseconds since 1970-01-01 UTC.
pub fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| {
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    })
}

/// How long ago: `just now`, `5 min ago`, `3 days ago`.
pub fn age(ms: u64) -> String {
    let seconds = (now_ms() / 1000).saturating_sub(ms / 1000);
    match seconds {
        0..10 => "just now".to_owned(),
        10..60 => format!("{seconds} s ago"),
        60..3600 => format!("{} min ago", seconds / 60),
        3600..86_400 => format!("{} h ago", seconds / 3600),
        _ => format!("{} ago", plural(seconds / 86_400, "day")),
    }
}

/// Milliseconds since 1970 as `2026-03-01 12:30:05 UTC`.
pub fn date(ms: u64) -> String {
    let seconds = ms / 1000;
    let (days, rest) = (seconds / 86_400, seconds % 86_400);
    let (year, month, day) = civil(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02} {hour:02}:{minute:02}:{second:02} UTC")
}

/// The proleptic Gregorian date of a number of days since 1970-01-01: counted in eras of 400 years that
/// begin on a 1st of March, so that the leap day is a year's last.
fn civil(days: u64) -> (u64, u64, u64) {
    const ERA: u64 = 146_097;
    let shifted = days + 719_468;
    let (era, day) = (shifted / ERA, shifted % ERA);
    let year = (day - day / 1460 + day / 36_524 - day / (ERA - 1)) / 365;
    let day_of_year = day - (365 * year + year / 4 - year / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day_of_month = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 {
        shifted_month + 3
    } else {
        shifted_month - 9
    };
    (
        era * 400 + year + u64::from(month <= 2),
        month,
        day_of_month,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes() {
        assert_eq!(size(0), "0 B");
        assert_eq!(size(999), "999 B");
        assert_eq!(size(3_400_000), "3.4 MB");
        assert_eq!(size(999_999), "1.0 MB");
    }

    #[test]
    fn dates() {
        assert_eq!(date(0), "1970-01-01 00:00:00 UTC");
        assert_eq!(date(951_782_399_000), "2000-02-28 23:59:59 UTC");
        assert_eq!(date(951_782_400_000), "2000-02-29 00:00:00 UTC");
        assert_eq!(date(1_772_323_200_000), "2026-03-01 00:00:00 UTC");
    }
}

//! Dates, times and spans of `java.time` as their `toString` writes them (ISO 8601).

use jdwp::{ObjectId, ReferenceTypeId, Value};

use super::plain::{Date, Plain};
use super::read::{ReadError, Reader, gone, renamed, unknown};

impl Reader<'_> {
    pub(super) fn date(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        date: Date,
    ) -> Result<String, ReadError> {
        Ok(match date {
            Date::Instant => {
                let [seconds, nanos] = self.numbers(object, class, ["seconds", "nanos"])?;
                match instant(seconds, nanos) {
                    Some(text) => text,
                    None => return unknown("it lies outside of the years 0 to 9999"),
                }
            }
            Date::Duration => {
                let [seconds, nanos] = self.numbers(object, class, ["seconds", "nanos"])?;
                duration(seconds, nanos)
            }
            Date::Period => {
                let [years, months, days] =
                    self.numbers(object, class, ["years", "months", "days"])?;
                period(years, months, days)
            }
            Date::Day => {
                let [year, month, day] = self.numbers(object, class, ["year", "month", "day"])?;
                local_date(year, month, day)
            }
            Date::LocalTime => {
                let names = ["hour", "minute", "second", "nano"];
                let [hour, minute, second, nano] = self.numbers(object, class, names)?;
                local_time(hour, minute, second, nano)
            }
            Date::Local => {
                format!(
                    "{}T{}",
                    self.part(object, class, "date")?,
                    self.part(object, class, "time")?
                )
            }
            Date::Offset => self.parts(object, class, ["dateTime", "offset"])?.concat(),
            Date::Zoned => {
                let [local, offset, zone] =
                    self.parts(object, class, ["dateTime", "offset", "zone"])?;
                let [of, at] = self.some(object, class, ["offset", "zone"])?;
                match of.object() == at.object() {
                    true => format!("{local}{offset}"),
                    false => format!("{local}{offset}[{zone}]"),
                }
            }
            Date::Year => {
                let [year] = self.numbers(object, class, ["year"])?;
                year.to_string()
            }
            Date::YearMonth => {
                let [year, month] = self.numbers(object, class, ["year", "month"])?;
                let day = local_date(year, month, 1);
                day.trim_end_matches("-01").to_owned() + if month == 1 { "-01" } else { "" }
            }
        })
    }

    fn parts<const N: usize>(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        names: [&'static str; N],
    ) -> Result<[String; N], ReadError> {
        let parts: Result<Vec<_>, _> = names
            .iter()
            .map(|name| self.part(object, class, name))
            .collect();
        parts?.try_into().or_else(|_| gone())
    }

    /// How the object in a field is shown.
    fn part(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        name: &str,
    ) -> Result<String, ReadError> {
        let [part] = self.some(object, class, [name])?;
        let Some(part) = part.object() else {
            return gone();
        };
        let class = self.class_of(part.id)?;
        let Some(plain) = Plain::of(&self.program.name(self.link, class)?) else {
            return renamed();
        };
        let units = self.shown(part.id, class, plain)?;
        String::from_utf16(&units).or_else(|_| gone())
    }

    fn numbers<const N: usize>(
        &mut self,
        object: ObjectId,
        class: ReferenceTypeId,
        names: [&str; N],
    ) -> Result<[i64; N], ReadError> {
        let values = self.some(object, class, names)?;
        let mut numbers = [0; N];
        for (number, value) in numbers.iter_mut().zip(values) {
            *number = match value {
                Value::Byte(value) => value.into(),
                Value::Short(value) => value.into(),
                Value::Int(value) => value.into(),
                Value::Long(value) => value,
                _ => return renamed(),
            };
        }
        Ok(numbers)
    }
}

fn local_date(year: i64, month: i64, day: i64) -> String {
    let year = match year {
        ..0 => format!("-{:04}", -year),
        0..=9999 => format!("{year:04}"),
        _ => format!("+{year}"),
    };
    format!("{year}-{month:02}-{day:02}")
}

fn local_time(hour: i64, minute: i64, second: i64, nano: i64) -> String {
    let mut text = format!("{hour:02}:{minute:02}");
    if second > 0 || nano > 0 {
        text += &format!(":{second:02}{}", fraction(nano));
    }
    text
}

/// Of a second: nothing, or three, six or nine digits.
fn fraction(nano: i64) -> String {
    match nano {
        0 => String::new(),
        _ if nano % 1_000_000 == 0 => format!(".{:03}", nano / 1_000_000),
        _ if nano % 1_000 == 0 => format!(".{:06}", nano / 1_000),
        _ => format!(".{nano:09}"),
    }
}

fn instant(seconds: i64, nano: i64) -> Option<String> {
    let (days, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // Days are counted from 1 March of the year 0 here, so that a leap day is the last of its year; 400 years have
    // 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (day - day / 1_460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = year + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (second / 3_600, second / 60 % 60, second % 60);
    (0..=9999).contains(&year).then(|| {
        let date = local_date(year, month, day);
        format!(
            "{date}T{hour:02}:{minute:02}:{second:02}{}Z",
            fraction(nano)
        )
    })
}

fn duration(seconds: i64, nano: i64) -> String {
    // Nanoseconds count upwards also from negative seconds.
    let lifted = seconds < 0 && nano > 0;
    let whole = if lifted { seconds + 1 } else { seconds };
    let (hours, minutes, rest) = (whole / 3_600, whole % 3_600 / 60, whole % 60);
    let mut text = "PT".to_owned();
    if hours != 0 {
        text += &format!("{hours}H");
    }
    if minutes != 0 {
        text += &format!("{minutes}M");
    }
    if rest == 0 && nano == 0 && text.len() > 2 {
        return text;
    }
    text += &if lifted && rest == 0 {
        "-0".to_owned()
    } else {
        rest.to_string()
    };
    if nano > 0 {
        let nano = if seconds < 0 {
            1_000_000_000 - nano
        } else {
            nano
        };
        text.push('.');
        text += format!("{nano:09}").trim_end_matches('0');
    }
    text + "S"
}

fn period(years: i64, months: i64, days: i64) -> String {
    let mut text = "P".to_owned();
    for (count, unit) in [(years, 'Y'), (months, 'M'), (days, 'D')] {
        if count != 0 {
            text += &format!("{count}{unit}");
        }
    }
    if text.len() == 1 {
        "P0D".to_owned()
    } else {
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_java_writes_them() {
        assert_eq!(local_date(2024, 2, 29), "2024-02-29");
        assert_eq!(local_date(-44, 3, 15), "-0044-03-15");
        assert_eq!(local_date(12_345, 1, 1), "+12345-01-01");
        assert_eq!(local_time(9, 5, 0, 0), "09:05");
        assert_eq!(local_time(9, 5, 0, 120_000_000), "09:05:00.120");
        assert_eq!(instant(0, 0).as_deref(), Some("1970-01-01T00:00:00Z"));
        let leap = instant(951_827_696, 789_000);
        assert_eq!(leap.as_deref(), Some("2000-02-29T12:34:56.000789Z"));
        assert_eq!(
            instant(-1, 5).as_deref(),
            Some("1969-12-31T23:59:59.000000005Z")
        );
        assert_eq!(instant(1 << 50, 0), None);
    }

    #[test]
    fn spans_are_written_as_java_writes_them() {
        let all = [
            (0, 0, "PT0S"),
            (3_661, 0, "PT1H1M1S"),
            (7_200, 0, "PT2H"),
            (1, 500_000_000, "PT1.5S"),
            (-1, 500_000_000, "PT-0.5S"),
            (-2, 1, "PT-1.999999999S"),
            (-90, 0, "PT-1M-30S"),
        ];
        for (seconds, nano, text) in all {
            assert_eq!(duration(seconds, nano), text, "{seconds} {nano}");
        }
        assert_eq!(period(0, 0, 0), "P0D");
        assert_eq!(period(1, -2, 3), "P1Y-2M3D");
    }
}

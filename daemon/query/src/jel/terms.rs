//! Prolog terms.

use std::fmt::{self, Display, Write as _};

use jhyde_trace::text::{Text, characters};

/// A quoted atom (ISO 6.4.2): every character that could end it, or a line, is escaped.
pub(super) struct Atom<'a>(pub(super) &'a str);

impl Display for Atom<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('\'')?;
        self.0.chars().try_for_each(|c| escaped(c, f))?;
        f.write_char('\'')
    }
}

/// A text as a quoted atom. With halves of surrogate pairs, which no atom can hold, it is `units(Numbers)`, its UTF-16 units.
pub(super) struct Units<'a>(pub(super) &'a [u16]);

impl<'a> Units<'a> {
    /// A text as far as it was recorded: a pair that the limit cut in two is left out.
    pub(super) fn of(text: &'a Text) -> Self {
        const HIGH: std::ops::RangeInclusive<u16> = 0xd800..=0xdbff;
        match text.prefix.split_last() {
            Some((last, before)) if text.is_cut() && HIGH.contains(last) => Self(before),
            _ => Self(&text.prefix),
        }
    }
}

impl Display for Units<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Ok(whole) = characters(self.0).collect::<Result<String, u16>>() else {
            let units: Vec<_> = self.0.iter().map(u16::to_string).collect();
            return write!(f, "units([{}])", units.join(", "));
        };
        Atom(&whole).fmt(f)
    }
}

fn escaped(c: char, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match c {
        '\'' => f.write_str("\\'"),
        '\\' => f.write_str("\\\\"),
        '\n' => f.write_str("\\n"),
        '\t' => f.write_str("\\t"),
        c if c.is_control() => write!(f, "\\x{:x}\\", u32::from(c)),
        c => f.write_char(c),
    }
}

/// A floating-point number, as it reads back to the bit; what is no number is an atom.
pub(super) fn real(value: f64) -> String {
    if value.is_nan() {
        return "'NaN'".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 {
            "'Infinity'"
        } else {
            "'-Infinity'"
        }
        .to_owned();
    }
    // Prolog wants digits on both sides of the point, also before an exponent.
    let text = format!("{value:?}");
    match text.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn atoms_hold_on_one_line_whatever_they_are() {
        assert_eq!(Atom("a'b\\c\n\u{0}").to_string(), r"'a\'b\\c\n\x0\'");
        assert_eq!(Units(&[0x61, 0xd800]).to_string(), "units([97, 55296])");
        let pair = [0xd83d, 0xde00];
        assert_eq!(Units(&pair).to_string(), "'\u{1f600}'");
        let cut = |units: &[u16]| Text {
            prefix: units.to_vec().into(),
            length: 9,
        };
        assert_eq!(Units::of(&cut(&[0x61, 0xd83d])).to_string(), "'a'");
        assert_eq!(Units::of(&cut(&pair)).to_string(), "'\u{1f600}'");
        let whole = Text::whole(vec![0x61, 0xd83d]);
        assert_eq!(Units::of(&whole).to_string(), "units([97, 55357])");
    }

    #[test]
    fn numbers_are_prolog_s() {
        for (value, text) in [
            (1.0, "1.0"),
            (-0.0, "-0.0"),
            (1e300, "1.0e300"),
            (f64::NAN, "'NaN'"),
        ] {
            assert_eq!(real(value), text);
        }
        assert_eq!(real(1.5e-10), "1.5e-10");
    }
}

//! Long numbers in decimal digits, as `BigInteger` and `BigDecimal` print them.

/// A magnitude, given by its 32-bit digits, the most significant one first.
pub(super) fn magnitude(mut digits: Vec<u32>) -> String {
    const GROUP: u64 = 1_000_000_000;
    let mut groups = Vec::new();
    while digits.iter().any(|&digit| digit != 0) {
        let mut rest = 0;
        for digit in &mut digits {
            let value = rest << 32 | u64::from(*digit);
            *digit = (value / GROUP) as u32;
            rest = value % GROUP;
        }
        groups.push(rest);
    }
    match groups.split_last() {
        None => "0".to_owned(),
        Some((first, others)) => {
            let others = others.iter().rev().map(|group| format!("{group:09}"));
            std::iter::once(first.to_string()).chain(others).collect()
        }
    }
}

/// `unscaled * 10^-scale`, as `BigDecimal.toString` writes it.
pub(super) fn decimal(unscaled: &str, scale: i32) -> String {
    let (sign, digits) = match unscaled.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", unscaled),
    };
    if scale == 0 {
        return unscaled.to_owned();
    }
    let count = digits.len() as i64;
    let exponent = count - 1 - i64::from(scale);
    if scale > 0 && exponent >= -6 {
        let places = scale as usize;
        let padded = format!("{digits:0>width$}", width = places + 1);
        let (whole, part) = padded.split_at(padded.len() - places);
        return format!("{sign}{whole}.{part}");
    }
    let (first, rest) = digits.split_at(1);
    let point = if rest.is_empty() { "" } else { "." };
    match exponent {
        0 => format!("{sign}{first}{point}{rest}"),
        _ => format!("{sign}{first}{point}{rest}E{exponent:+}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn magnitudes_have_all_their_digits() {
        assert_eq!(magnitude(vec![]), "0");
        assert_eq!(magnitude(vec![7]), "7");
        assert_eq!(magnitude(vec![1, 0]), "4294967296");
        let two_to_the_96 = "79228162514264337593543950336";
        assert_eq!(magnitude(vec![1, 0, 0, 0]), two_to_the_96);
        // 10^18 has groups of nothing but zeros.
        let digits = 1_000_000_000_000_000_000_u64;
        let digits = vec![(digits >> 32) as u32, digits as u32];
        assert_eq!(magnitude(digits), "1000000000000000000");
    }

    #[test]
    fn decimals_are_written_as_java_writes_them() {
        // From the documentation of `BigDecimal.toString`.
        let all = [
            ("123", 0, "123"),
            ("-123", 0, "-123"),
            ("123", -1, "1.23E+3"),
            ("123", -3, "1.23E+5"),
            ("123", 1, "12.3"),
            ("123", 5, "0.00123"),
            ("123", 10, "1.23E-8"),
            ("-123", 12, "-1.23E-10"),
            ("0", 2, "0.00"),
            ("5", -2, "5E+2"),
            ("0", 7, "0E-7"),
        ];
        for (unscaled, scale, text) in all {
            assert_eq!(decimal(unscaled, scale), text, "{unscaled} {scale}");
        }
    }
}

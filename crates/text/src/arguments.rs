//! How whole numbers are written on a command line: `1000`, `1_000`, `2^20`, `1e6`, `0xff`.

/// The number that `text` spells, if it is not above `most`.
pub fn number(text: &str, most: u64) -> Option<u64> {
    let digits = |text: &str, radix: u32| {
        let plain = text.replace('_', "");
        let is_number = !plain.is_empty() && plain.chars().all(|c| c.is_digit(radix));
        if is_number { u64::from_str_radix(&plain, radix).ok() } else { None }
    };
    let power = |base: u64, exponent: &str| base.checked_pow(digits(exponent, 10)?.try_into().ok()?);
    let value = if let Some(hex) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        digits(hex, 16)?
    } else if let Some((base, exponent)) = text.split_once('^') {
        power(digits(base, 10)?, exponent)?
    } else if let Some((factor, exponent)) = text.split_once(['e', 'E']) {
        digits(factor, 10)?.checked_mul(power(10, exponent)?)?
    } else {
        digits(text, 10)?
    };
    (value <= most).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_read_as_people_write_them() {
        for (text, expected) in [
            ("0", 0),
            ("1000", 1000),
            ("65_553", 65_553),
            ("2^20", 1 << 20),
            ("1e6", 1_000_000),
            ("0xff_FF", 65_535),
            ("0X10", 16),
            ("18446744073709551615", u64::MAX),
        ] {
            assert_eq!(number(text, u64::MAX), Some(expected), "{text}");
        }
        for wrong in [
            "",
            "_",
            "-1",
            "+1",
            "2^",
            "^2",
            "2^64",
            "2^99999999999",
            "1e20",
            "e6",
            "1e",
            "1.5e3",
            "0x",
            "0x-1",
            "٣",
        ] {
            assert_eq!(number(wrong, u64::MAX), None, "{wrong}");
        }
        assert_eq!((number("2^10", 1024), number("1025", 1024)), (Some(1024), None));
    }
}

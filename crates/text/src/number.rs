//! How numbers are written: one function for each format that the terminal, the charts and the book use.
//!
//! A power is written with a caret, `2^20`, where plain characters have to do; [`raised`] makes it `2²⁰`.

/// `-1,234,567`
pub fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut text = if number < 0 { "-".to_string() } else { String::new() };
    for (position, digit) in digits.chars().enumerate() {
        if position > 0 && (digits.len() - position).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Three significant digits of a measurement: `1,234`, `123`, `12.3`, `1.23`; below 1 two: `0.57`, `0.0072`.
/// For a `number` not below 0.
pub fn three_digits(number: f64) -> String {
    match number {
        ..1e-4 => scientific(number),
        ..0.995 => format!("{number:.*}", (1.0 - number.log10().floor()) as usize),
        ..9.995 => format!("{number:.2}"),
        ..99.95 => format!("{number:.1}"),
        _ => thousands(number.round() as i64),
    }
}

/// Two significant digits of a ratio: `25,000`, `25`, `3.7`, `0.12`.
pub fn two_digits(ratio: f64) -> String {
    // Rounded first: 9.96 is then 10 and has its digits counted as such.
    let rounded: f64 = format!("{ratio:.1e}").parse().unwrap_or(ratio);
    if rounded == 0.0 || rounded >= 10.0 {
        return thousands(rounded as i64);
    }
    format!("{rounded:.*}", (1.0 - rounded.log10().floor()).max(0.0) as usize)
}

/// Nine significant digits at most, as many as tell two `f32` apart: `-1234.5`, `0.100000001`,
/// `2.57236300e13`.
pub fn nine_digits(number: f64) -> String {
    match number.abs() {
        0.0 => "0".to_string(),
        size @ 1e-3..1e9 => trimmed(format!("{number:.*}", (8.0 - size.log10().floor()).max(0.0) as usize)),
        _ => format!("{number:.8e}"),
    }
}

/// Two significant digits and an exponent: `1.6e-4`.
pub fn scientific(number: f64) -> String {
    if number == 0.0 { "0".to_string() } else { format!("{number:.1e}") }
}

/// The same as a page has it: `1.6·10⁻⁴`.
pub fn power_of_ten(number: f64) -> String {
    raised(&scientific(number).replace('e', "·10^"))
}

/// The share that `part` is of `whole`: `97.3%`.
pub fn percent(part: f64, whole: f64) -> String {
    format!("{:.1}%", 100.0 * part / whole)
}

/// `449 ms`, from microseconds.
pub fn time(microseconds: f64) -> String {
    in_unit(microseconds, three_digits)
}

/// `449 ms [430 .. 470]`, from microseconds, all in the unit of the median.
pub fn time_range(median: f64, min: f64, max: f64) -> String {
    let (scale, _) = unit_of(median);
    format!("{} [{} .. {}]", time(median), three_digits(min / scale), three_digits(max / scale))
}

/// A value at an axis, as short as can be: `0.1`, `20`, `10,000`, `2·10^6`, `10^-7`.
pub fn tick(value: f64) -> String {
    match value {
        ..=0.0 => "0".to_string(),
        1e-3..1e6 => trimmed(three_digits(value)),
        _ => power_tick(value),
    }
}

/// The same as a power of ten, whatever its size: `10^-1`, `2·10^6`.
pub fn power_tick(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_string();
    }
    let power = (value * 1.0001).log10().floor();
    match (value / 10_f64.powi(power as i32)).round() {
        1.0 => format!("10^{power}"),
        digit => format!("{digit}·10^{power}"),
    }
}

/// A time at an axis, from microseconds: `20 ns`, `1 µs`.
pub fn time_tick(microseconds: f64) -> String {
    in_unit(microseconds, tick)
}

/// The power of two nearest to `value`: `2^20`.
pub fn power_of_two(value: f64) -> String {
    if value <= 0.0 { "0".to_string() } else { format!("2^{}", value.log2().round()) }
}

/// A number of elements: `2^20` where it is a power of two of some size, else with separators.
pub fn size(n: u64) -> String {
    if n >= 8192 && n.is_power_of_two() { power_of_two(n as f64) } else { thousands(n as i64) }
}

/// `text` with its powers raised: `2²⁰` for `2^20`, `10⁻⁷` for `10^-7`.
pub fn raised(text: &str) -> String {
    let raise =
        |c: char| c.to_digit(10).and_then(|digit| "⁰¹²³⁴⁵⁶⁷⁸⁹".chars().nth(digit as usize)).unwrap_or('⁻');
    let piece =
        |(base, exponent): (&str, &str)| base.chars().chain(exponent.chars().map(raise)).collect::<String>();
    powers(text).map(piece).collect()
}

/// The pieces of `text`, each with the exponent that follows it after a caret: of `2·10^6 ns` it is
/// `("2·10", "6")` and `(" ns", "")`.
pub fn powers(text: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let is_end = rest.is_empty();
        let (base, after) = rest.split_once('^').unwrap_or((rest, ""));
        let end = after.find(|c: char| !c.is_ascii_digit() && c != '-').unwrap_or(after.len());
        let (exponent, remainder) = after.split_at(end);
        rest = remainder;
        (!is_end).then_some((base, exponent))
    })
}

/// `microseconds`, written by `number` in the unit that leaves one to three digits before the point.
fn in_unit(microseconds: f64, number: fn(f64) -> String) -> String {
    let (scale, unit) = unit_of(microseconds);
    if microseconds <= 0.0 { "0".to_string() } else { format!("{} {unit}", number(microseconds / scale)) }
}

/// That unit, and its size in microseconds. 999.6 µs are 1.00 ms.
fn unit_of(microseconds: f64) -> (f64, &'static str) {
    match microseconds {
        ..0.9995 => (1e-3, "ns"),
        ..999.5 => (1.0, "µs"),
        ..999.5e3 => (1e3, "ms"),
        _ => (1e6, "s"),
    }
}

/// Without trailing zeros after the point.
fn trimmed(text: String) -> String {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_have_separators() {
        assert_eq!([0, 999, 1000, -2_147_483_648].map(thousands), ["0", "999", "1,000", "-2,147,483,648"]);
    }

    #[test]
    fn measurements_have_three_digits_and_two_below_1() {
        let numbers = [1234.4, 123.4, 99.96, 12.34, 9.996, 1.234, 0.996, 0.5712, 0.00717, 0.0];
        let texts = ["1,234", "123", "100", "12.3", "10.0", "1.23", "1.00", "0.57", "0.0072", "0"];
        assert_eq!(numbers.map(three_digits), texts);
    }

    #[test]
    fn ratios_have_two_digits() {
        let numbers = [25_449.0, 24.6, 3.66, 9.96, 1.0, 0.1234, 0.00456, 0.0];
        assert_eq!(numbers.map(two_digits), ["25,000", "25", "3.7", "10", "1.0", "0.12", "0.0046", "0"]);
    }

    #[test]
    fn floats_have_nine_digits() {
        let numbers = [0.1f32.into(), 2.0, -1234.5, 123_456_789.0, 2.572_363e13, 1e-9, 0.0];
        let texts = ["0.100000001", "2", "-1234.5", "123456789", "2.57236300e13", "1.00000000e-9", "0"];
        assert_eq!(numbers.map(nine_digits), texts);
    }

    #[test]
    fn times_are_in_the_unit_that_reads_best() {
        let times = [0.25, 17.3, 999.6, 449_000.0, 3_631_000.0];
        assert_eq!(times.map(time), ["250 ns", "17.3 µs", "1.00 ms", "449 ms", "3.63 s"]);
        assert_eq!(time_range(4.0, 0.5, 1234.0), "4.00 µs [0.50 .. 1,234]");
        assert_eq!([0.0, 0.02, 1.0, 5e6].map(time_tick), ["0", "20 ns", "1 µs", "5 s"]);
    }

    #[test]
    fn ticks_are_short() {
        let ticks = [0.0, 1e-7, 0.05, 1.0, 20.0, 100_000.0, 1e6, 2e7];
        assert_eq!(ticks.map(tick), ["0", "10^-7", "0.05", "1", "20", "100,000", "10^6", "2·10^7"]);
    }

    #[test]
    fn powers_are_raised() {
        assert_eq!([1024, 65_536, 65_537].map(size), ["1,024", "2^16", "65,537"]);
        assert_eq!(raised("2^20 of 10^-7"), "2²⁰ of 10⁻⁷");
        assert_eq!(powers("2·10^6 ns").collect::<Vec<_>>(), [("2·10", "6"), (" ns", "")]);
        let errors = [1.6e-4, 0.0, 24.0, 2.5e-10];
        assert_eq!(errors.map(power_of_ten), ["1.6·10⁻⁴", "0", "2.4·10¹", "2.5·10⁻¹⁰"]);
    }
}

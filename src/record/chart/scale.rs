//! Logarithmic axes: where a value stands, which values are labelled, and how numbers are written.

use crate::record::table::thousands;

/// A logarithmic axis. Zero has no place on one, so where the data has a zero the axis has a row of its own for
/// it, before the smallest positive value.
#[derive(Clone)]
pub struct Scale {
    /// Ends of the logarithmic part; 0 < low < high.
    low: f64,
    high: f64,
    pub has_zero: bool,
    pub ticks: Vec<f64>,
    pub label: fn(f64) -> String,
}

/// Part of an axis that the row for zero takes.
const ZERO_ROW: f64 = 0.1;

impl Scale {
    /// An axis for sizes: a tick at every power of two, or at every second, fourth … one, nine at most.
    pub fn powers_of_two(values: impl Iterator<Item = f64>) -> Scale {
        let (low, high, has_zero) = extent(values, 1.0);
        let (low, high) = if high / low < 2.0 { (low / 2.0, high * 2.0) } else { (low, high) };
        let margin = (high / low).powf(0.025).max(1.25);
        let (low, high) = (low / margin, high * margin);
        let (first, last) = (low.log2().ceil().max(0.0) as i32, high.log2().floor() as i32);
        let step = [1, 2, 4, 8].into_iter().find(|step| (last - first) / step < 9).unwrap_or(16);
        // Multiples of the step, counted from 0, so that two charts of a chapter label the same sizes.
        let ticks = (first..=last).filter(|power| power % step == 0).map(|power| f64::from(power).exp2());
        let label = if high < 8192.0 { plain } else { power_of_two };
        Scale { low, high, has_zero, ticks: with_zero(ticks.collect(), has_zero), label }
    }

    /// An axis for measurements: a tick at every power of ten, and at twice and five times it where there are few.
    pub fn decades(values: impl Iterator<Item = f64>, label: fn(f64) -> String) -> Scale {
        let (low, high, has_zero) = extent(values, 1.0);
        let middle = (low * high).sqrt();
        let (low, high) = ((low / 1.3).min(middle / 3.0), (high * 1.3).max(middle * 3.0));
        let mut ticks = Vec::new();
        let decades = (high / low).log10();
        let step = if decades > 9.0 { 2 } else { 1 };
        for power in low.log10().floor() as i32..=high.log10().ceil() as i32 {
            for digit in if decades < 2.5 { &[1, 2, 5][..] } else { &[1] } {
                // Parsed, not computed: 10^-1 is then the very 0.1 that is printed.
                let tick: f64 = format!("{digit}e{power}").parse().unwrap_or(f64::NAN);
                if tick >= low && tick <= high && power % step == 0 {
                    ticks.push(tick);
                }
            }
        }
        Scale { low, high, has_zero, ticks: with_zero(ticks, has_zero), label }
    }

    /// An axis for ratios around 1: a tick at every tenth, or at every half, while there are few.
    pub fn ratios(values: impl Iterator<Item = f64>, label: fn(f64) -> String) -> Scale {
        let (low, high, has_zero) = extent(values.chain([1.0]), 1.0);
        let (low, high) = (low.min(0.95) / 1.03, high.max(1.1) * 1.03);
        let step = [1, 2, 5, 10, 100].into_iter().find(|step| (high - low) * 10.0 / f64::from(*step) < 12.0);
        let tenths = (1..).step_by(step.unwrap_or(1000) as usize).map(|tenths| f64::from(tenths - 1) / 10.0);
        let ticks = tenths.take_while(|tick| *tick <= high).filter(|tick| *tick >= low).collect();
        Scale { low, high, has_zero, ticks: with_zero(ticks, has_zero), label }
    }

    /// Where `value` stands, from 0 to 1.
    pub fn position(&self, value: f64) -> f64 {
        let zero_row = if self.has_zero { ZERO_ROW } else { 0.0 };
        if value <= 0.0 {
            return zero_row / 2.0;
        }
        zero_row + (1.0 - zero_row) * (value / self.low).ln() / (self.high / self.low).ln()
    }

    /// Where the logarithmic part ends and the row for zero begins, from 0 to 1, if there is one.
    pub fn gap(&self) -> Option<f64> {
        self.has_zero.then_some(ZERO_ROW)
    }
}

fn with_zero(mut ticks: Vec<f64>, has_zero: bool) -> Vec<f64> {
    if has_zero {
        ticks.insert(0, 0.0);
    }
    ticks
}

/// Smallest and largest positive value (`none` for both if there is no positive one), and whether there is a zero.
fn extent(values: impl Iterator<Item = f64>, none: f64) -> (f64, f64, bool) {
    let (mut low, mut high, mut has_zero) = (f64::INFINITY, 0.0_f64, false);
    for value in values.filter(|value| value.is_finite()) {
        if value <= 0.0 {
            has_zero = true;
        } else {
            low = low.min(value);
            high = high.max(value);
        }
    }
    if high > 0.0 { (low, high, has_zero) } else { (none, none, has_zero) }
}

/// Microseconds in the unit that reads best: `31 ns`, `4.2 µs`, `449 ms`, `3.63 s`.
pub fn time(microseconds: f64) -> String {
    if microseconds <= 0.0 {
        return "0".to_string();
    }
    let (factor, unit) = match microseconds {
        us if us < 0.9995 => (1e3, "ns"),
        us if us < 999.5 => (1.0, "µs"),
        us if us < 999.5e3 => (1e-3, "ms"),
        _ => (1e-6, "s"),
    };
    format!("{} {unit}", three_digits(microseconds * factor))
}

/// Three significant digits, without trailing zeros behind the point, with separators: `0.0231`, `17.5`, `4,654`.
pub fn three_digits(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        return "0".to_string();
    }
    let magnitude = value.abs().log10().floor() as i32;
    if magnitude >= 2 {
        return thousands(value.round() as i64);
    }
    let text = format!("{value:.*}", (2 - magnitude) as usize);
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A tick as a plain number: `0.1`, `20`, `1,000`.
pub fn plain(value: f64) -> String {
    three_digits(value)
}

/// A tick of a count: plain up to 100,000, then as a multiple of a power of ten, `2·10^6`.
pub fn count(value: f64) -> String {
    if value < 1e6 {
        return plain(value);
    }
    let power = (value * 1.0001).log10().floor();
    match (value / 10_f64.powf(power)).round() as u32 {
        1 => format!("10^{power}"),
        digit => format!("{digit}·10^{power}"),
    }
}

/// A tick of a small share: `10^-7`, `2·10^-8`.
pub fn power(value: f64) -> String {
    if value <= 0.0 {
        return "0".to_string();
    }
    let power = (value * 1.0001).log10().floor();
    match (value / 10_f64.powf(power)).round() as u32 {
        1 => format!("10^{power}"),
        digit => format!("{digit}·10^{power}"),
    }
}

fn power_of_two(value: f64) -> String {
    if value <= 0.0 { "0".to_string() } else { format!("2^{}", value.log2().round()) }
}

/// A number of elements: `2^20` where it is a power of two of some size, else with separators.
pub fn size(n: u64) -> String {
    if n >= 8192 && n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { thousands(n as i64) }
}

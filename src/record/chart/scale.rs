//! Axes, logarithmic or from zero: where a value stands, and which values are labelled.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use text::number::{power_of_two, power_tick, tick, time_tick};

/// How a vertical axis counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vertical {
    /// Equal factors are equally far apart.
    Logarithmic,
    /// Equal differences are, from zero on.
    Linear,
}

/// An axis, logarithmic unless [`Scale::from_zero`] has made it linear. Zero has no place on a logarithmic
/// one, so where the data has a zero the axis has a row of its own for it, before the smallest positive
/// value.
#[derive(Clone)]
pub struct Scale {
    /// Ends of the logarithmic part; 0 < low < high. A linear axis has no low.
    low: f64,
    high: f64,
    linear: bool,
    /// Whether the axis has a row for zero.
    pub has_zero: bool,
    /// The values that are labelled.
    pub ticks: Vec<f64>,
    /// How they are written.
    pub label: fn(f64) -> String,
}

/// Part of an axis that the row for zero takes.
const ZERO_ROW: f64 = 0.1;

impl Scale {
    /// An axis for sizes: a tick at every power of two, or at every second, fourth … one, nine at most.
    pub fn powers_of_two(values: &[f64]) -> Scale {
        let (low, high, has_zero) = extent(values.iter().copied());
        let (low, high) = if high / low < 2.0 { (low / 2.0, high * 2.0) } else { (low, high) };
        let margin = ((high / low).ln() / 40.0).exp().max(1.25);
        let low = low / margin;
        let high = high * margin;
        let first = low.log2().ceil().max(0.0) as i32;
        let last = high.log2().floor() as i32;
        let step = [1, 2, 4, 8].into_iter().find(|step| (last - first) / step < 9).unwrap_or(16);
        // Multiples of the step, counted from 0, so that two charts of a chapter label the same sizes.
        let ticks = (first..=last).filter(|power| power % step == 0).map(|power| 2f64.powi(power));
        let label = if high < 8192.0 { tick } else { power_of_two };
        Scale { low, high, linear: false, has_zero, ticks: with_zero(ticks.collect(), has_zero), label }
    }

    /// An axis for measurements: a tick at every power of ten, and at twice and five times it where there are
    /// few.
    pub fn decades(values: &[f64]) -> Scale {
        let (low, high, has_zero) = extent(values.iter().copied());
        let middle = (low * high).sqrt();
        let low = (low / 1.3).min(middle / 3.0);
        let high = (high * 1.3).max(middle * 3.0);
        let mut ticks = Vec::new();
        let decades = (high / low).log10();
        let step = if decades > 9.0 { 2 } else { 1 };
        for power in low.log10().floor() as i32..=high.log10().ceil() as i32 {
            for digit in if decades < 2.5 { &[1, 2, 5][..] } else { &[1] } {
                let tick = decimal(*digit, power);
                if tick >= low && tick <= high && power % step == 0 {
                    ticks.push(tick);
                }
            }
        }
        let label = if low < 1e-3 { power_tick } else { tick };
        Scale { low, high, linear: false, has_zero, ticks: with_zero(ticks, has_zero), label }
    }

    /// The same for times in microseconds.
    pub fn times(values: &[f64]) -> Scale {
        Scale { label: time_tick, ..Scale::decades(values) }
    }

    /// An axis for ratios around 1: a tick at every tenth, or at every half, while there are few.
    pub fn ratios(values: &[f64]) -> Scale {
        let (low, high, has_zero) = extent(values.iter().copied().chain([1.0]));
        let low = low.min(0.95) / 1.03;
        let high = high.max(1.1) * 1.03;
        let step = [1, 2, 5, 10, 100].into_iter().find(|step| (high - low) * 10.0 / f64::from(*step) < 12.0);
        let tenths = (1..).step_by(step.unwrap_or(1000) as usize).map(|tenths| f64::from(tenths - 1) / 10.0);
        let ticks = tenths.take_while(|tick| *tick <= high).filter(|tick| *tick >= low).collect();
        Scale { low, high, linear: false, has_zero, ticks: with_zero(ticks, has_zero), label: tick }
    }

    /// The same axis for these values, linear from zero on: a tick at every one, two or five of a power of
    /// ten, eight at most.
    pub fn from_zero(self, values: &[f64]) -> Scale {
        let high = extent(values.iter().copied()).1 * 1.06;
        let power = high.log10().floor() as i32;
        let mut steps = (power - 1..=power).flat_map(|power| [1, 2, 5].map(|digit| decimal(digit, power)));
        let step = steps.find(|step| high / step <= 8.0).unwrap_or(high);
        let ticks = (0..=8).map(|count| f64::from(count) * step).filter(|tick| *tick <= high).collect();
        Scale { high, linear: true, has_zero: false, ticks, ..self }
    }

    /// The same axis with every second, third … tick, as many as have room for their labels on this many
    /// pixels, where a character takes this many.
    pub fn thinned(mut self, room: f64, character: f64) -> Scale {
        let widest = self.ticks.iter().map(|tick| (self.label)(*tick).chars().count()).max().unwrap_or(0);
        let most = (room / (character * (widest + 1) as f64)).max(1.0);
        let step = (self.ticks.len() as f64 / most).ceil().max(1.0) as usize;
        self.ticks = self.ticks.into_iter().step_by(step).collect();
        self
    }

    /// Where `value` stands, from 0 to 1.
    pub fn position(&self, value: f64) -> f64 {
        if self.linear {
            return (value / self.high).max(0.0);
        }
        let zero_row = if self.has_zero { ZERO_ROW } else { 0.0 };
        if value <= 0.0 {
            return zero_row / 2.0;
        }
        zero_row + (1.0 - zero_row) * (value / self.low).ln() / (self.high / self.low).ln()
    }

    /// Whether the axis has a place for `value`, from which a line can go on.
    pub fn holds(&self, value: f64) -> bool {
        self.linear || value > 0.0
    }

    /// Where the logarithmic part ends and the row for zero begins, from 0 to 1, if there is one.
    pub fn gap(&self) -> Option<f64> {
        self.has_zero.then_some(ZERO_ROW)
    }
}

impl Ranged for &Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        limit.0 + (self.position(*value) * f64::from(limit.1 - limit.0)).round() as i32
    }

    fn key_points<Hint: KeyPointHint>(&self, _: Hint) -> Vec<f64> {
        self.ticks.clone()
    }

    fn range(&self) -> Range<f64> {
        0.0..f64::MAX
    }
}

impl ValueFormatter<f64> for &Scale {
    fn format_ext(&self, value: &f64) -> String {
        (self.label)(*value)
    }
}

fn with_zero(mut ticks: Vec<f64>, has_zero: bool) -> Vec<f64> {
    if has_zero {
        ticks.insert(0, 0.0);
    }
    ticks
}

/// Smallest and largest positive value (1 for both if there is no positive one), and whether there is a zero.
fn extent(values: impl Iterator<Item = f64>) -> (f64, f64, bool) {
    let mut low = f64::INFINITY;
    let mut high = 0.0_f64;
    let mut has_zero = false;
    for value in values.filter(|value| value.is_finite()) {
        if value <= 0.0 {
            has_zero = true;
        } else {
            low = low.min(value);
            high = high.max(value);
        }
    }
    if high > 0.0 { (low, high, has_zero) } else { (1.0, 1.0, has_zero) }
}

/// `digit` · 10^`power`, the very number that a parsed `5e-1` would be: divided, since 10^-1 is no binary
/// number.
fn decimal(digit: u32, power: i32) -> f64 {
    let size = 10f64.powi(power.abs());
    if power < 0 { f64::from(digit) / size } else { f64::from(digit) * size }
}

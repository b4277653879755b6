//! Times of repeated runs: median, minimum, maximum.

use std::fmt;

use serde::{Deserialize, Serialize};
use text::number;

/// Microseconds over `repeats` measured runs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Timing {
    /// The middle one, or the mean of the two in the middle.
    pub median: f64,
    /// The shortest.
    pub min: f64,
    /// The longest.
    pub max: f64,
    /// How many were measured.
    pub repeats: u32,
}

impl Timing {
    /// Median, minimum and maximum of `samples` (microseconds); `None` if there are none.
    pub fn of(mut samples: Vec<f64>) -> Option<Timing> {
        samples.sort_by(f64::total_cmp);
        let min = *samples.first()?;
        let max = *samples.last()?;
        let middle = samples.len() / 2;
        let median = if samples.len() % 2 == 1 {
            samples[middle]
        } else {
            (samples[middle - 1] + samples[middle]) / 2.0
        };
        Some(Timing { median, min, max, repeats: samples.len() as u32 })
    }
}

/// `449 ms [430 .. 470]`; a single run says so.
impl fmt::Display for Timing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.repeats {
            1 => write!(f, "{}, one run", number::time(self.median)),
            _ => f.write_str(&number::time_range(self.median, self.min, self.max)),
        }
    }
}

//! What an exercise computes, and when a result is right.

use clap::ValueEnum;
use reduction::serial::recursive_reduce;
use text::number::{nine_digits, thousands};

use super::each::Each;

/// What is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Op {
    #[default]
    Sum,
    /// The sum of `input[i] * input[i]`.
    Squares,
    Max,
    Min,
    /// The largest less the smallest; 0 for no numbers.
    Range,
    /// The sum of `float`s, which are bits in the buffers; the same bits in every order of turns.
    Floats,
    /// How many are odd.
    Odd,
    /// A number for each number.
    #[value(skip)]
    Each(Each),
}

/// More than any tree of an answer has levels, with a thread's own additions.
const ROUNDINGS: f64 = 64.0;

impl Op {
    /// The result for `input`, by the serial recursion. All of it wraps in 32 bits. Of [`Op::Each`] there is
    /// no single one.
    pub fn expected(self, input: &[i32]) -> i32 {
        match self {
            Op::Sum => recursive_reduce(&mut input.to_vec()),
            Op::Squares => {
                let mut squares: Vec<i32> = input.iter().map(|number| number.wrapping_mul(*number)).collect();
                recursive_reduce(&mut squares)
            }
            Op::Max => input.iter().copied().max().unwrap_or(i32::MIN),
            Op::Min => input.iter().copied().min().unwrap_or(i32::MAX),
            Op::Range => {
                let ends = input.iter().max().zip(input.iter().min());
                ends.map_or(0, |(largest, smallest)| largest.wrapping_sub(*smallest))
            }
            Op::Floats => (input.iter().map(|bits| float(*bits)).sum::<f64>() as f32).to_bits() as i32,
            Op::Odd => input.iter().filter(|number| **number % 2 != 0).count() as i32,
            Op::Each(_) => 0,
        }
    }

    /// What changes no result: an element with this value counts as if it were not there. `None` if there is
    /// no such value.
    pub fn identity(self) -> Option<i32> {
        match self {
            Op::Sum | Op::Squares | Op::Odd => Some(0),
            Op::Max => Some(i32::MIN),
            Op::Min => Some(i32::MAX),
            Op::Range | Op::Floats | Op::Each(_) => None,
        }
    }

    /// Whether the result depends on the order of the operations.
    pub fn rounds(self) -> bool {
        self == Op::Floats
    }

    /// Whether it compares numbers that have a sign.
    pub fn compares(self) -> bool {
        matches!(self, Op::Max | Op::Min | Op::Range)
    }

    /// Whether `result` is right for `input`. Floats may go through [`ROUNDINGS`] additions, each off by
    /// 2^-24 of its result at most, and no result is above the sum of all absolute values (N. J. Higham,
    /// *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 4.2).
    pub fn agrees(self, result: i32, expected: i32, input: &[i32]) -> bool {
        if !self.rounds() {
            return result == expected;
        }
        let most: f64 = input.iter().map(|bits| float(*bits).abs()).sum();
        (float(result) - float(expected)).abs() <= ROUNDINGS / f64::from(1 << 24) * most
    }

    /// As text, of the type that the kernels have: sums are unsigned.
    pub fn show(self, result: i32) -> String {
        match self {
            Op::Floats => nine_digits(float(result)),
            Op::Max | Op::Min | Op::Range | Op::Odd | Op::Each(_) => thousands(result.into()),
            Op::Sum | Op::Squares => thousands((result as u32).into()),
        }
    }

    /// The results of several blocks as one.
    pub fn combined(self, partials: &[i32]) -> i32 {
        if matches!(self, Op::Squares | Op::Odd) {
            Op::Sum.expected(partials)
        } else {
            self.expected(partials)
        }
    }

    /// What the host does with those.
    pub fn combining(self) -> &'static str {
        match self {
            Op::Sum | Op::Squares | Op::Floats | Op::Odd | Op::Each(_) => "adds them up",
            Op::Max | Op::Range => "takes the largest of them",
            Op::Min => "takes the smallest of them",
        }
    }

    /// `the sum is`
    pub fn noun(self) -> &'static str {
        match self {
            Op::Sum | Op::Floats => "sum",
            Op::Squares => "sum of squares",
            Op::Range => "range",
            Op::Max => "maximum",
            Op::Min => "minimum",
            Op::Odd => "count",
            Op::Each(_) => "result",
        }
    }
}

fn float(bits: i32) -> f64 {
    f32::from_bits(bits as u32).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_unsigned_and_extremes_are_not() {
        assert_eq!(Op::Sum.show(-1), "4,294,967,295");
        assert_eq!(Op::Min.show(-1), "-1");
    }
}

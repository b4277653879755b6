//! One input of an exercise.

use std::fmt;

use text::number::thousands;

/// From this order of turns on, numbers that cancel each other are added.
pub const CANCELLING: u64 = 3;

/// One input: numbers, threads per block, the order of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    pub n: usize,
    pub block: u32,
    pub schedule: u64,
}

impl Case {
    /// The smallest one that computes something.
    pub const SMALLEST: Case = Case { n: 1, block: 32, schedule: 0 };

    /// Rows, where the numbers stand in rows: as near to a square as `n` lets them, and no more than columns.
    pub fn rows(self) -> usize {
        let is_root = |rows: &usize| rows * rows <= self.n;
        let fitting = (1..).take_while(is_root).filter(|rows| self.n.is_multiple_of(*rows));
        fitting.last().unwrap_or(1)
    }

    /// Columns of each.
    pub fn columns(self) -> usize {
        self.n / self.rows()
    }

    /// The same numbers in the order that others are compared with.
    pub fn plain(self) -> Case {
        Case { schedule: if self.schedule < CANCELLING { 0 } else { CANCELLING }, ..self }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n = {}", thousands(self.n as i64))?;
        if self.block > 0 {
            write!(f, ", {} threads per block", thousands(self.block.into()))?;
        }
        match self.schedule {
            0 => Ok(()),
            schedule if schedule % 4 == 2 => {
                write!(f, ", in order of turns number {schedule} (the last threads and blocks first)")
            }
            schedule => write!(f, ", in the shuffled order of turns number {schedule}"),
        }
    }
}

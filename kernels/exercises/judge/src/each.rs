//! What an exercise computes that leaves a number for each number.

use clap::ValueEnum;

use super::case::Case;

/// One number for each number of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Each {
    /// Twice the number.
    Doubled,
    /// The number and the number of its row.
    PlusRow,
    /// The number and its neighbours on both sides, where it has them.
    Neighbours,
    /// The number as far from the end of its block's numbers as this one is from their beginning.
    Reversed,
    /// The number and the first one of its block.
    PlusFirst,
    /// Only for the first half: the number and the one half of the array further on, where there is one.
    Halves,
    /// The sum of each row of a ragged array whose rows come in groups with these lengths, the last ones cut
    /// off; and 0 where there are no more rows.
    #[value(skip)]
    RowSums([u16; GROUP]),
}

/// Rows of a group.
pub const GROUP: usize = 8;
/// Sums that there are more than numbers: those of the group that is cut off, and of one after it.
const MORE: usize = 2 * GROUP;

/// The sums of the rows of `input`, which come in groups with these lengths.
fn row_sums(input: &[i32], lengths: [u16; GROUP]) -> Vec<i32> {
    let mut left = input;
    let sums = lengths.into_iter().cycle().map(|length| {
        let (row, rest) = left.split_at(left.len().min(length.into()));
        left = rest;
        row.iter().sum()
    });
    sums.take(input.len() + MORE).collect()
}

impl Each {
    /// All of them.
    pub fn expected(self, input: &[i32], case: Case) -> Vec<i32> {
        if let Each::RowSums(lengths) = self {
            return row_sums(input, lengths);
        }
        let half = input.len().div_ceil(2);
        let chunk = (case.block as usize).max(1);
        let columns = case.columns().max(1);
        let one = |i: usize| {
            let first = i / chunk * chunk;
            let last = (first + chunk).min(input.len()) - 1;
            match self {
                Each::Doubled => 2 * input[i],
                Each::PlusRow => input[i] + (i / columns) as i32,
                Each::Neighbours => input[i.saturating_sub(1)..input.len().min(i + 2)].iter().sum(),
                Each::Reversed => input[first + last - i],
                Each::PlusFirst => input[i] + input[first],
                Each::RowSums(_) => 0,
                Each::Halves => input[i] + input.get(half + i).copied().unwrap_or(0),
            }
        };
        let count = if self == Each::Halves { half } else { input.len() };
        (0..count).map(one).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_element_has_its_own_number() {
        let case = Case { n: 6, block: 4, schedule: 0 };
        assert_eq!((case.rows(), case.columns()), (2, 3));
        let expected = |each: Each| each.expected(&[5, 1, 2, 8, 3, 4], case);
        assert_eq!(expected(Each::Doubled), [10, 2, 4, 16, 6, 8]);
        assert_eq!(expected(Each::PlusRow), [5, 1, 2, 9, 4, 5]);
        assert_eq!(expected(Each::Neighbours), [6, 8, 11, 13, 15, 7]);
        assert_eq!(expected(Each::Reversed), [8, 2, 1, 5, 4, 3]);
        assert_eq!(expected(Each::PlusFirst), [10, 6, 7, 13, 6, 7]);
        assert_eq!(expected(Each::Halves), [13, 4, 6]);
        assert_eq!(Each::Halves.expected(&[5, 1, 2], case), [7, 1]);
        let rows = Each::RowSums([2, 0, 1, 0, 0, 0, 0, 1]).expected(&[5, 1, 2, 8, 3, 4], case);
        assert_eq!(rows[..12], [6, 0, 2, 0, 0, 0, 0, 8, 7, 0, 0, 0]);
        assert_eq!(rows.len(), 6 + 16);
    }
}

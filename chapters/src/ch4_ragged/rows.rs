//! Ragged arrays: rows of several kinds, and their sums on the CPU.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Result, ensure};
use rayon::prelude::*;
use workbook::reduction::data::bits;
use workbook::reduction::operation::Operation;
use workbook::reduction::operator::{Operator, SumF32, SumI32};
use workbook::reduction::value::{Array, Expected};
use workbook::text::number::thousands;

/// Elements and rows that the kernels count in 32 bits, with room for the last tile.
const MOST: u64 = u32::MAX as u64 - 8;
/// The kinds that are drawn are drawn from this.
const SEED: u64 = 4;

/// How long the rows are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// All of them have so many elements; the last one may be shorter.
    Equal(u32),
    /// Twice as long, half as often, as the degrees of a graph's vertices: at least 2, on average some 30.
    Power,
    /// One with half of the elements, among many with 16.
    Giant,
    /// Nine of ten have no element, the others 40.
    Empty,
    /// One with half of the elements, among others with 1,024: its mean misleads.
    Misleading,
}

/// The kinds of the chapter's variants, by their number.
pub const KINDS: [Kind; 4] = [Kind::Equal(64), Kind::Power, Kind::Giant, Kind::Empty];

impl Kind {
    /// What the names of its variants end in.
    pub const fn suffix(self) -> &'static str {
        match self {
            Kind::Equal(64) => "equal",
            Kind::Equal(1024) => "equal1024",
            Kind::Equal(_) => "equal65536",
            Kind::Power => "power",
            Kind::Giant => "giant",
            Kind::Empty => "empty",
            Kind::Misleading => "misleading",
        }
    }

    /// The kind in words.
    pub const fn words(self) -> &'static str {
        match self {
            Kind::Equal(64) => "equal, 64",
            Kind::Equal(1024) => "equal, 1,024",
            Kind::Equal(_) => "equal, 65,536",
            Kind::Power => "power law",
            Kind::Giant => "one giant",
            Kind::Empty => "mostly empty",
            Kind::Misleading => "one giant among rows of 1,024",
        }
    }

    /// The length of row `row`, of an array of `n` elements, if there are as many left.
    fn length(self, row: u64, n: u64) -> u64 {
        match self {
            Kind::Equal(length) => length.into(),
            Kind::Power => {
                let drawn = bits(SEED, row);
                let least = 2u64 << drawn.trailing_ones().min(22);
                least + (drawn >> 32) % least
            }
            Kind::Giant if row == n / 64 => n / 2,
            Kind::Giant => 16,
            Kind::Empty => 40 * u64::from(bits(SEED, row).is_multiple_of(10)),
            Kind::Misleading if row == n / 4096 => n / 2,
            Kind::Misleading => 1024,
        }
    }

    /// The rows of an array of `n` elements.
    ///
    /// # Errors
    /// There are too many.
    pub fn rows(self, n: u64) -> Result<Arc<Rows>> {
        // A run asks several times for the same ones, and a chapter for those of every kind in turn.
        static LAST: Mutex<Vec<(Kind, u64, Arc<Rows>)>> = Mutex::new(Vec::new());
        let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((.., rows)) = last.iter().find(|(kind, size, _)| (*kind, *size) == (self, n)) {
            return Ok(rows.clone());
        }
        ensure!(
            n <= MOST,
            "{} elements are more than the kernels can count; give --n {MOST} or less",
            thousands(n as i64)
        );
        let mut offsets = vec![0u32];
        let mut end = 0;
        for row in 0.. {
            if end == n {
                break;
            }
            end = (end + self.length(row, n)).min(n);
            offsets.push(end as u32);
        }
        if self == Kind::Empty {
            offsets.extend([end as u32; 3]); // rows without elements come last too
        }
        let rows = Arc::new(Rows::new(offsets, n)?);
        last.retain(|(_, size, _)| *size == n);
        last.push((self, n, rows.clone()));
        Ok(rows)
    }
}

/// The rows of an array: row r has the elements `offsets[r]` up to `offsets[r + 1]`.
#[derive(Debug)]
pub struct Rows {
    offsets: Vec<u32>,
}

impl Rows {
    /// Rows that begin and end at `offsets`, of an array of `n` elements.
    ///
    /// # Errors
    /// The offsets do not begin with 0, decrease, or do not end at `n`; there are too many.
    pub fn new(offsets: Vec<u32>, n: u64) -> Result<Rows> {
        ensure!(
            offsets.len() as u64 <= MOST + 1,
            "{} rows are more than the kernels can count; divide the array",
            thousands(offsets.len() as i64 - 1)
        );
        let first = offsets.first();
        ensure!(
            first == Some(&0),
            "the first offset is {}, and has to be 0: that is where row 0 begins",
            first.map_or("missing".to_string(), |first| thousands(i64::from(*first)))
        );
        if let Some(row) = offsets.windows(2).position(|row| row[1] < row[0]) {
            anyhow::bail!(
                "row {} would end before it begins: offset {} is {}, and the next one {}; offsets may not \
                 decrease",
                thousands(row as i64),
                thousands(row as i64),
                thousands(offsets[row].into()),
                thousands(offsets[row + 1].into())
            );
        }
        let end = u64::from(offsets[offsets.len() - 1]);
        ensure!(
            end == n,
            "the last offset is {}, and there are {} elements: the last row has to end where the array does",
            thousands(end as i64),
            thousands(n as i64)
        );
        Ok(Rows { offsets })
    }

    /// Where each begins, and where the last one ends.
    pub fn offsets(&self) -> &[u32] {
        &self.offsets
    }

    /// How many.
    pub fn count(&self) -> u32 {
        self.offsets.len() as u32 - 1
    }

    /// The length of each.
    pub fn lengths(&self) -> impl Iterator<Item = u32> {
        self.offsets.windows(2).map(|row| row[1] - row[0])
    }

    /// The sum of each, by the serial recursion.
    pub fn sums<T: Summand>(&self, elements: &[T]) -> Vec<T> {
        let rows = self.offsets.par_windows(2);
        let sum = |row: &[u32]| T::recursive_reduce(&elements[row[0] as usize..row[1] as usize]);
        rows.with_min_len(1 << 10).map(sum).collect()
    }
}

/// What is added up: `i32`, which wrap, or `f32` that are whole numbers, whose sums are exact.
pub trait Summand: bytemuck::Pod + PartialEq + Send + Sync {
    /// What the names of its kernels end in.
    const SUFFIX: &'static str;
    /// The elements that the chapter's numbers stand for.
    fn elements(numbers: &[i32]) -> Vec<Self>;
    /// The sum by the serial recursion.
    fn recursive_reduce(row: &[Self]) -> Self;
    /// The result of a run.
    fn array(sums: Vec<Self>) -> Array;
}

impl Summand for i32 {
    const SUFFIX: &'static str = "";
    fn elements(numbers: &[i32]) -> Vec<i32> {
        numbers.to_vec()
    }
    fn recursive_reduce(row: &[i32]) -> i32 {
        reduce::<SumI32>(row)
    }
    fn array(sums: Vec<i32>) -> Array {
        Array::I32(sums)
    }
}

impl Summand for f32 {
    const SUFFIX: &'static str = "F32";
    fn elements(numbers: &[i32]) -> Vec<f32> {
        numbers.iter().enumerate().map(|(index, &number)| SumF32::element(number, index)).collect()
    }
    fn recursive_reduce(row: &[f32]) -> f32 {
        reduce::<SumF32>(row)
    }
    fn array(sums: Vec<f32>) -> Array {
        Array::F32(sums)
    }
}

/// By a recursion like chapter 1's that needs no copy of the row: each half, then the sum of both.
fn reduce<O: Operator>(row: &[O::Element]) -> O::Element {
    match row {
        [] => O::IDENTITY,
        [last] => *last,
        _ => {
            let (first, second) = row.split_at(row.len().div_ceil(2));
            O::combine(reduce::<O>(first), reduce::<O>(second))
        }
    }
}

/// The sums of the rows of kind `KINDS[KIND]`.
pub const fn of<const KIND: usize>() -> Operation {
    let name = match KIND {
        0 => "sums of equal rows of i32",
        1 => "sums of rows of i32 by a power law",
        2 => "sums of rows of i32, one of them giant",
        _ => "sums of mostly empty rows of i32",
    };
    Operation { name, expected: |numbers| expected::<i32>(KINDS[KIND], numbers), ..Operation::SUM }
}

/// The same of `f32`.
pub const fn of_f32<const KIND: usize>() -> Operation {
    let name = match KIND {
        0 => "sums of equal rows of f32",
        1 => "sums of rows of f32 by a power law",
        2 => "sums of rows of f32, one of them giant",
        _ => "sums of mostly empty rows of f32",
    };
    Operation {
        name,
        expected: |numbers| expected::<f32>(KINDS[KIND], numbers),
        ..workbook::reduction::operation::SUM_F32
    }
}

/// What is right. Where the rows cannot be had, no run gets as far as a result.
pub fn expected<T: Summand>(kind: Kind, numbers: &[i32]) -> Expected {
    let rows = kind.rows(numbers.len() as u64);
    let sums = rows.map(|rows| rows.sums::<T>(&T::elements(numbers)));
    Expected::exactly(T::array(sums.unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use workbook::reduction::data;
    use workbook::reduction::serial::recursive_reduce;

    use super::*;

    #[test]
    fn offsets_that_are_no_rows_are_a_sentence() {
        let refused = |offsets: &[u32], n| Rows::new(offsets.to_vec(), n).unwrap_err().to_string();
        assert!(refused(&[], 0).contains("the first offset is missing"));
        assert!(refused(&[1, 5], 5).contains("the first offset is 1, and has to be 0"));
        let decreasing = refused(&[0, 7, 5, 9], 9);
        assert!(decreasing.contains("row 1 would end before it begins: offset 1 is 7, and the next one 5"));
        assert!(refused(&[0, 5, 12], 10).contains("the last offset is 12, and there are 10 elements"));
        assert!(refused(&[0, 5], 10).contains("has to end where the array does"));
        let many = Kind::Power.rows(1 << 33).unwrap_err().to_string();
        assert!(many.contains("8,589,934,592 elements are more than the kernels can count"), "{many}");
    }

    #[test]
    fn every_kind_has_all_elements_and_its_shape() {
        for n in [0, 1, 63, 1000, 1 << 16, (1 << 20) + 1] {
            for kind in
                [KINDS.to_vec(), vec![Kind::Equal(1024), Kind::Equal(65536), Kind::Misleading]].concat()
            {
                let rows = kind.rows(n).unwrap();
                assert_eq!(rows.lengths().map(u64::from).sum::<u64>(), n, "{kind:?} {n}");
            }
        }
        let lengths = |kind: Kind| kind.rows(1 << 20).unwrap().lengths().collect::<Vec<_>>();
        assert!(lengths(Kind::Equal(64)).iter().all(|length| *length == 64));
        let power = lengths(Kind::Power);
        let longer = |than: u32| power.iter().filter(|length| **length >= than).count();
        assert!(longer(2) == power.len() && longer(1000) > 20 && longer(8) * 3 < power.len());
        assert_eq!(lengths(Kind::Giant).iter().max(), Some(&(1 << 19)));
        let empty = lengths(Kind::Empty);
        assert!(empty.iter().filter(|length| **length == 0).count() * 10 > empty.len() * 8);
        assert!(empty.ends_with(&[0, 0, 0]) && (2..40).contains(&((1 << 20) / power.len())));
    }

    #[test]
    fn rows_are_added_up_as_chapter_1_does_it() {
        let numbers = data::numbers(5000, 1);
        let rows = Kind::Power.rows(5000).unwrap();
        let by_hand = rows
            .offsets()
            .windows(2)
            .map(|row| recursive_reduce(&mut numbers[row[0] as usize..row[1] as usize].to_vec()));
        assert_eq!(rows.sums(&numbers), by_hand.collect::<Vec<_>>());
    }
}

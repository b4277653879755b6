//! Products of small matrices (tensor cores): which lane holds which element, and how products are added up.

use std::borrow::Borrow;
use std::iter::zip;

use super::lanes::{Lanes, WARP};
use super::rounding::{self, Format};

/// Which matrix of `d = a * b + c` a tile is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    A,
    B,
    /// Also `d`.
    C,
}

/// What the registers of a warp hold of a matrix. The layout is that of PTX ISA 9.7.14.5, "Matrix fragments
/// for mma.m16n8k8" and "m16n8k16"; that of `wmma`, which PTX leaves open, is the same with a second `n8`
/// behind the first, as an H200 has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tile {
    /// `ldmatrix` and `stmatrix`: a matrix of 8 x 8 halves in each register, whose rows the lanes point to.
    Rows { transposed: bool },
    /// `wmma`: 16 x 16 elements, of 4 bytes if `wide`, in rows or columns a stride apart.
    Fragment { role: Role, wide: bool, by_rows: bool },
}

impl Tile {
    /// Bytes of an element.
    pub fn bytes(self) -> u32 {
        if matches!(self, Tile::Fragment { wide: true, .. }) { 4 } else { 2 }
    }

    /// Row and column of what a lane holds in (one half of) a register.
    pub fn place(self, register: usize, half: usize, lane: usize) -> (usize, usize) {
        let group = lane / 4;
        let pair = 2 * (lane % 4) + half;
        // Eight further down or to the right, by bits of the register's number.
        let down = |bit: usize| 8 * (register >> bit & 1);
        match self {
            Tile::Rows { transposed: false } => (group, pair),
            Tile::Rows { transposed: true } => (pair, group),
            Tile::Fragment { role: Role::A, .. } => (group + down(0), pair + down(1)),
            Tile::Fragment { role: Role::B, .. } => (pair + down(0), group + down(1)),
            Tile::Fragment { role: Role::C, wide: false, .. } => (group + down(0), pair + down(1)),
            Tile::Fragment { role: Role::C, wide: true, .. } => {
                (group + down(1), pair + (register & 1) + down(2))
            }
        }
    }
}

/// `mma`: 16 x `n` elements, each the sum of `k` products and one of `c`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mma {
    /// Of the factors.
    pub format: Format,
    pub k: usize,
    pub n: usize,
    /// Whether `c` and `d` are single precision; otherwise they are halves.
    pub wide_c: bool,
    pub wide_d: bool,
}

impl Mma {
    /// Registers of `a`, `b`, `c` and `d`.
    pub fn registers(self) -> [usize; 4] {
        let sums = |wide: bool| self.n / 8 * if wide { 4 } else { 2 };
        [self.k / 4, self.k * self.n / 64, sums(self.wide_c), sums(self.wide_d)]
    }

    /// Where an element of `c` or `d` is: register, lane, and by how many bits it is shifted.
    fn sum_at(wide: bool, row: usize, column: usize) -> (usize, usize, usize) {
        let lane = row % 8 * 4 + column % 8 / 2;
        let odd = column & 1;
        if wide {
            (column / 8 * 4 + row / 8 * 2 + odd, lane, 0)
        } else {
            (column / 8 * 2 + row / 8, lane, 16 * odd)
        }
    }

    /// The registers of `d`, from the row, the column and the bits of `c` of each element.
    fn sums<L: Borrow<Lanes>>(self, c: &[L], sum: impl Fn(usize, usize, u64) -> u64) -> Vec<Lanes> {
        let mut d = vec![[0; WARP]; self.registers()[3]];
        let kept = |wide: bool| if wide { u64::MAX } else { 0xffff };
        for (row, column) in (0..16).flat_map(|row| (0..self.n).map(move |column| (row, column))) {
            let (register, lane, shift) = Mma::sum_at(self.wide_c, row, column);
            let of_c = c[register].borrow()[lane] >> shift & kept(self.wide_c);
            let (register, lane, shift) = Mma::sum_at(self.wide_d, row, column);
            d[register][lane] |= (sum(row, column, of_c) & kept(self.wide_d)) << shift;
        }
        d
    }

    /// The registers of `d`.
    pub fn compute(self, a: &[&Lanes], b: &[&Lanes], c: &[&Lanes]) -> Vec<Lanes> {
        let factor = |from: &[&Lanes], (register, lane): (usize, usize), k: usize| {
            self.format.decode(from[register][lane] >> (16 * (k & 1)) & 0xffff)
        };
        let of_sum = |wide: bool| if wide { Format::F32 } else { Format::F16 };
        let from = of_sum(self.wide_c);
        let to = of_sum(self.wide_d);
        let decoded = |of: usize, at: &dyn Fn(usize, usize) -> f64| -> Vec<Vec<f64>> {
            (0..of).map(|number| (0..self.k).map(|k| at(number, k)).collect()).collect()
        };
        let rows = decoded(16, &|row, k| factor(a, (row / 8 + k / 8 * 2, row % 8 * 4 + k % 8 / 2), k));
        let columns = decoded(self.n, &|column, k| {
            factor(b, (column / 8 * (self.k / 8) + k / 8, column % 8 * 4 + k % 8 / 2), k)
        });
        self.sums(c, |row, column, c| {
            let factors: Vec<(f64, f64)> = zip(&rows[row], &columns[column]).map(|(a, b)| (*a, *b)).collect();
            to.encode(rounding::sum_of_products((from.decode(c), from), (&factors, self.format), to))
        })
    }

    /// The same of undefined bits: an element is undefined where `c`, or anything in its row of `a` or its
    /// column of `b` is.
    pub fn undefined(self, a: &[Lanes], b: &[Lanes], c: &[Lanes]) -> Vec<Lanes> {
        let any = |of: &Lanes, group: usize| of[4 * group..][..4].iter().any(|bits| *bits != 0);
        self.sums(c, |row, column, c| {
            let mut of_a = a.iter().skip(row / 8).step_by(2);
            let mut of_b = b[column / 8 * (self.k / 8)..][..self.k / 8].iter();
            let is = c != 0 || of_a.any(|a| any(a, row % 8)) || of_b.any(|b| any(b, column % 8));
            if is { u64::MAX } else { 0 }
        })
    }
}

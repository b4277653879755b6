//! Opcodes of tensor cores -> operations (PTX ISA 9.7.14): `mma.sync` and `wmma` of halves, `ldmatrix` and
//! `stmatrix`.

use super::names::Names;
use super::op::*;
use crate::arith::{Format, Mma, Role as Matrix, Tile};
use crate::ptx::Operand;

impl Names<'_> {
    /// All lanes of the warp have to come.
    fn all_lanes(&mut self) -> Reg {
        self.constant(u32::MAX.into())
    }

    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c`
    pub fn mma(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ["mma", "sync", "aligned", shape, "row", "col", of_d, of_a, of_b, of_c] = words else {
            return None;
        };
        let k = match *shape {
            "m16n8k8" => 8,
            "m16n8k16" => 16,
            _ => return None,
        };
        self.product([of_d, of_a, of_b, of_c], (8, k), o)
    }

    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    pub fn wmma(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        match words {
            ["wmma", "load" | "store", matrix, "sync", "aligned", order, "m16n16k16", space @ .., ty] => {
                let role = match *matrix {
                    "a" => Matrix::A,
                    "b" => Matrix::B,
                    _ => Matrix::C,
                };
                let wide = match (*ty, role) {
                    ("f16", _) | ("bf16", Matrix::A | Matrix::B) => false,
                    ("f32", Matrix::C) => true,
                    _ => return None,
                };
                let by_rows = order_of(order)?;
                let tile = Tile::Fragment { role, wide, by_rows };
                let (memory, registers, stride) = match (words[1], o) {
                    ("load", [registers, memory, stride @ ..]) => (memory, registers, stride),
                    ("store", [memory, registers, stride @ ..]) => (memory, registers, stride),
                    _ => return None,
                };
                let stride = match stride {
                    [] => self.constant(16),
                    [stride] => self.source(stride)?,
                    _ => return None,
                };
                let count = match (role, *ty) {
                    (Matrix::C, "f16") | (_, "bf16") => 4,
                    _ => 8,
                };
                self.tile((tile, count), space, memory, registers, stride, words[1] == "store")
            }
            ["wmma", "mma", "sync", "aligned", of_a, of_b, "m16n16k16", types @ ..] => {
                let _known = (order_of(of_a)?, order_of(of_b)?);
                let types = match types {
                    [d, c] => [*d, "f16", "f16", *c],
                    [d, a @ "bf16", b, c] => [*d, *a, *b, *c],
                    _ => return None,
                };
                self.product(types, (16, 16), o)
            }
            _ => None,
        }
    }

    fn product(&mut self, types: [&str; 4], (n, k): (usize, usize), o: &[Operand]) -> Option<Op> {
        let format = Format::parse(types[1]).filter(|_| matches!(types[1], "f16" | "bf16"))?;
        let wide = |ty: &str| match ty {
            "f32" => Some(true),
            "f16" if format == Format::F16 => Some(false),
            _ => None,
        };
        let how = Mma { format, k, n, wide_c: wide(types[3])?, wide_d: wide(types[0])? };
        if types[1] != types[2] || n == 8 && how.wide_c != how.wide_d {
            return None;
        }
        let [d, a, b, c] = o else { return None };
        let d = self.destinations(d)?;
        let mut a = self.sources(a)?;
        let mut b = self.sources(b)?;
        let c = self.sources(c)?;
        let [of_a, of_b, of_c, of_d] = how.registers();
        if n == 16 && format == Format::F16 && a.len() == 2 * of_a && b.len() == 2 * of_b {
            // `wmma` has each half twice.
            a.truncate(of_a);
            b.truncate(of_b);
        }
        let mask = self.all_lanes();
        let fits = [a.len(), b.len(), c.len(), d.len()] == [of_a, of_b, of_c, of_d];
        fits.then_some(Op::Mma { how, d, a, b, c, mask })
    }

    /// `ldmatrix` and `stmatrix`.
    pub fn matrix_rows(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let [name, "sync", "aligned", "m8n8", count, rest @ .., "b16"] = words else { return None };
        let count = match *count {
            "x1" => 1,
            "x2" => 2,
            "x4" => 4,
            _ => return None,
        };
        let transposed = rest.first() == Some(&"trans");
        let space = &rest[usize::from(transposed)..];
        let (memory, registers) = match (*name, o) {
            ("ldmatrix", [registers, memory]) => (memory, registers),
            ("stmatrix", [memory, registers]) => (memory, registers),
            _ => return None,
        };
        let tile = (Tile::Rows { transposed }, count);
        let stride = self.constant(0);
        self.tile(tile, space, memory, registers, stride, *name == "stmatrix")
    }

    fn tile(
        &mut self,
        (tile, count): (Tile, usize),
        space: &[&str],
        memory: &Operand,
        registers: &Operand,
        stride: Reg,
        stores: bool,
    ) -> Option<Op> {
        let known = ["global", "shared", "shared::cta"];
        let (at, space) = match space {
            [] => (self.address(memory)?, Self::space_of(&[])),
            [word] if known.contains(word) => (self.address(memory)?, Self::space_of(space)),
            _ => return None,
        };
        let (s, d) = if stores {
            (self.sources(registers)?, Vec::new())
        } else {
            (Vec::new(), self.destinations(registers)?)
        };
        let halves = [self.scratch(), self.scratch()];
        let mask = self.all_lanes();
        (s.len() + d.len() == count).then_some(Op::Tile { tile, space, d, s, at, stride, halves, mask })
    }
}

/// Whether a layout is one of rows.
fn order_of(word: &str) -> Option<bool> {
    match word {
        "row" => Some(true),
        "col" => Some(false),
        _ => None,
    }
}

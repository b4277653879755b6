//! Opcodes of tensor cores -> operations (PTX ISA 9.7.14): `mma.sync` and `wmma` of halves, `ldmatrix` and
//! `stmatrix`.

use super::modifiers::Modifiers;
use super::names::Names;
use super::op::*;
use crate::arith::{Format, Mma, Role as Matrix, Tile};
use crate::ptx::{Operand, Space};

impl Names<'_> {
    /// All lanes of the warp have to come.
    fn all_lanes(&mut self) -> Reg {
        self.constant(u32::MAX.into())
    }

    /// `mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 d, a, b, c`
    pub fn mma(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let k = words.choose(&[("m16n8k8", 8), ("m16n8k16", 16)]);
        let types = [words.ty(), words.ty(), words.ty(), words.ty()];
        words.eat_all(&["sync", "aligned", "row", "col"])?;
        let [Some(of_d), Some(of_a), Some(of_b), Some(of_c)] = types else { return None };
        self.product([of_d, of_a, of_b, of_c], (8, k?), o)
    }

    /// `wmma.load`, `wmma.store` and `wmma.mma`.
    pub fn wmma(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let what = words.one_of(&["load", "store", "mma"]);
        let order = words.choose(&BY_ROWS);
        let fixed = words.eat_all(&["sync", "aligned", "m16n16k16"]);
        match (what?, fixed.and(order)) {
            ("mma", order) => self.wmma_product(words, order, o),
            (what, order) => self.wmma_tile(what, words, order, o),
        }
    }

    fn wmma_tile(
        &mut self,
        what: &str,
        words: &mut Modifiers,
        by_rows: Option<bool>,
        o: &[Operand],
    ) -> Option<Op> {
        let stores = what == "store";
        let role = words.choose(if stores {
            &[("d", Matrix::C)]
        } else {
            &[("a", Matrix::A), ("b", Matrix::B), ("c", Matrix::C)]
        });
        let space = words.space(&["global", "shared", "shared::cta"]);
        let ty = words.ty();
        let (Some(role), Some(ty), Some(by_rows)) = (role, ty, by_rows) else { return None };
        let wide = match (ty, role) {
            ("f16", _) | ("bf16", Matrix::A | Matrix::B) => false,
            ("f32", Matrix::C) => true,
            _ => return None,
        };
        let count = match (role, ty) {
            (Matrix::C, "f16") | (_, "bf16") => 4,
            _ => 8,
        };
        let (memory, registers, stride) = match o {
            [memory, registers, stride @ ..] if stores => (memory, registers, stride),
            [registers, memory, stride @ ..] => (memory, registers, stride),
            _ => return None,
        };
        let stride = match stride {
            [] => self.constant(16),
            [stride] => self.source(stride)?,
            _ => return None,
        };
        let tile = Tile::Fragment { role, wide, by_rows };
        self.tile((tile, count), space, memory, registers, stride, stores)
    }

    /// The orders of `a` and `b` say what their fragments were loaded with.
    fn wmma_product(&mut self, words: &mut Modifiers, of_a: Option<bool>, o: &[Operand]) -> Option<Op> {
        let of_b = words.choose(&BY_ROWS);
        let types = [words.ty(), words.ty(), words.ty(), words.ty()];
        let types = match types {
            [Some(d), Some(c), None, None] => [d, "f16", "f16", c],
            [Some(d), Some(a @ "bf16"), Some(b), Some(c)] => [d, a, b, c],
            _ => return None,
        };
        of_a.and(of_b)?;
        self.product(types, (16, 16), o)
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
    pub fn matrix_rows(&mut self, name: &str, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let count = words.choose(&[("x1", 1), ("x2", 2), ("x4", 4)]);
        let transposed = words.eat("trans");
        let space = words.space(&["shared", "shared::cta"]);
        words.eat_all(&["sync", "aligned", "m8n8", "b16"])?;
        let (memory, registers) = match (name, o) {
            ("ldmatrix", [registers, memory]) => (memory, registers),
            ("stmatrix", [memory, registers]) => (memory, registers),
            _ => return None,
        };
        let tile = (Tile::Rows { transposed }, count?);
        let stride = self.constant(0);
        self.tile(tile, space, memory, registers, stride, name == "stmatrix")
    }

    fn tile(
        &mut self,
        (tile, count): (Tile, usize),
        space: Option<Space>,
        memory: &Operand,
        registers: &Operand,
        stride: Reg,
        stores: bool,
    ) -> Option<Op> {
        let at = self.address(memory)?;
        let space = space.unwrap_or(Space::Generic);
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
const BY_ROWS: [(&str, bool); 2] = [("row", true), ("col", false)];

//! How far undefined source bits spread into the result of an arithmetic instruction.

/// Which bits of a result change with undefined bits of the sources.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spread {
    /// Each comes from single bits of the first this many sources, which the other sources choose.
    Bits(u8),
    /// Those from the lowest undefined one on: carries go up.
    Up,
    /// Those of the same 16 bits.
    Halves,
    /// All.
    Whole,
}

impl Spread {
    /// Of the instruction that `words` spell.
    pub fn of(words: &[&str]) -> Spread {
        let is_integer = |word: &&str| matches!(word.as_bytes(), [b'b' | b's' | b'u', b'0'..=b'9', ..]);
        let last = words.last().copied().unwrap_or_default();
        let is_packed = last.ends_with("x2") || words.iter().any(|word| word.ends_with("16x2"));
        match words[0] {
            _ if is_packed => Spread::Halves,
            "mov" | "not" | "shl" | "shr" | "brev" | "bfe" | "szext" => Spread::Bits(1),
            "and" | "or" | "xor" | "bfi" | "shf" | "prmt" => Spread::Bits(2),
            "lop3" => Spread::Bits(3),
            "cvt" if words[1..].iter().all(is_integer) => Spread::Bits(1),
            "add" | "sub" | "neg" if words.len() == 2 && is_integer(&last) => Spread::Up,
            "mul" | "mad" if words[1] == "lo" && words.len() == 3 => Spread::Up,
            _ => Spread::Whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn what_moves_bits_is_told_from_what_computes() {
        for (opcode, spread) in [
            ("cvt.u32.u64", Spread::Bits(1)),
            ("cvt.sat.u8.s32", Spread::Whole),
            ("cvt.rn.f32.u32", Spread::Whole),
            ("cvt.rn.f16x2.f32", Spread::Halves),
            ("and.b32", Spread::Bits(2)),
            ("add.s64", Spread::Up),
            ("add.sat.s32", Spread::Whole),
            ("add.f32", Spread::Whole),
            ("fma.rn.bf16x2", Spread::Halves),
            ("add.u16x2", Spread::Halves),
            ("mad.lo.s32", Spread::Up),
            ("mul.wide.s32", Spread::Whole),
        ] {
            let words: Vec<&str> = opcode.split('.').collect();
            assert_eq!(Spread::of(&words), spread, "{opcode}");
        }
    }
}

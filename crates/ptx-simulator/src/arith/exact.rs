//! Which instructions an index is made by, so that it can be told whether 32 bits were too few for it.

/// What an instruction does with the number that becomes an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exact {
    /// In 32 bits.
    Move,
    Add,
    Sub,
    Mul,
    MulAdd,
    Shift,
    /// Makes 64 bits of the first two sources, which have 32; a third has 64.
    Widens {
        signed: bool,
    },
    /// In 64 bits, of sources that have 64.
    Wide,
}

impl Exact {
    /// That of the instruction that `words` spell.
    pub fn of(words: &[&str]) -> Option<Exact> {
        Some(match words {
            ["mov" | "cvta", .., "u64" | "s64" | "b64"] => Exact::Wide,
            ["mov", ..] => Exact::Move,
            ["add", "u32" | "s32"] => Exact::Add,
            ["sub", "u32" | "s32"] => Exact::Sub,
            ["mul", "lo", "u32" | "s32"] => Exact::Mul,
            ["mad", "lo", "u32" | "s32"] => Exact::MulAdd,
            ["shl", "b32"] => Exact::Shift,
            ["cvt", "s64" | "u64", "s32"] | ["mul" | "mad", "wide", "s32"] => Exact::Widens { signed: true },
            ["cvt", "s64" | "u64", "u32"] | ["mul" | "mad", "wide", "u32"] => Exact::Widens { signed: false },
            ["add" | "sub", "u64" | "s64"] | ["mul" | "mad", "lo", "u64" | "s64"] | ["shl", "b64"] => {
                Exact::Wide
            }
            _ => return None,
        })
    }
}

//! Addition, subtraction and multiplication with the carry flag (PTX ISA 9.7.2).

/// As in hardware, a subtraction is the addition of the
/// complement: its flag says that there was *no* borrow. Only `addc` behind `sub.cc` shows it, and nvcc's
/// 128-bit division does that.
#[derive(Clone, Copy, Debug)]
pub struct Extended {
    step: Step,
    wide: bool,
    signed: bool,
    /// It reads the carry flag, and it leaves one behind.
    pub takes: bool,
    pub leaves: bool,
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Add,
    Sub,
    MulLow,
    MulHigh,
}

impl Extended {
    /// `add.cc`, `addc`, `addc.cc`, `sub…`, `mad.lo.cc`, `madc.hi` and the like; with the number of sources.
    pub fn parse(words: &[&str]) -> Option<(Extended, usize)> {
        let &name = words.first()?;
        let &ty = words.last()?;
        let options = words.get(1..words.len() - 1)?;
        let leaves = options.last() == Some(&"cc");
        let options = &options[..options.len() - leaves as usize];
        let takes = name.ends_with('c');
        let (step, sources) = match (name.trim_end_matches('c'), options) {
            ("add", []) => (Step::Add, 2),
            ("sub", []) => (Step::Sub, 2),
            ("mad", ["lo"]) => (Step::MulLow, 3),
            ("mad", ["hi"]) => (Step::MulHigh, 3),
            _ => return None,
        };
        if !(leaves || takes) || !matches!(ty, "u32" | "s32" | "u64" | "s64") {
            return None;
        }
        let wide = ty.ends_with("64");
        let signed = ty.starts_with('s');
        Some((Extended { step, wide, signed, takes, leaves }, sources))
    }

    /// The result and the carry that it leaves.
    pub fn compute(&self, [a, b, c]: [u64; 3], carry: u64) -> (u64, u64) {
        let bits = if self.wide { 64 } else { 32 };
        let mask = u64::MAX >> (64 - bits);
        let a = a & mask;
        let b = b & mask;
        let c = c & mask;
        let carry = if self.takes { carry & 1 } else { matches!(self.step, Step::Sub) as u64 };
        let product = |high: bool| {
            let product = match (self.signed, self.wide) {
                (false, _) => a as u128 * b as u128,
                (true, true) => (a as i64 as i128 * b as i64 as i128) as u128,
                (true, false) => (a as i32 as i128 * b as i32 as i128) as u128,
            };
            (product >> if high { bits } else { 0 }) as u64 & mask
        };
        let (x, y) = match self.step {
            Step::Sub => (a, !b & mask),
            Step::Add => (a, b),
            Step::MulLow => (product(false), c),
            Step::MulHigh => (product(true), c),
        };
        let sum = x as u128 + y as u128 + carry as u128;
        (sum as u64 & mask, (sum >> bits) as u64)
    }
}

//! Addition, subtraction and multiplication with the carry flag (PTX ISA 9.7.2).

/// Arithmetic with the carry flag (PTX ISA 9.7.2). As in hardware, a subtraction is the addition of the
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
        let (&name, &ty) = (words.first()?, words.last()?);
        let options = words.get(1..words.len() - 1)?;
        let leaves = options.last() == Some(&"cc");
        let options = &options[..options.len() - leaves as usize];
        let (step, takes) = match (name, options) {
            ("add", []) => (Step::Add, false),
            ("addc", []) => (Step::Add, true),
            ("sub", []) => (Step::Sub, false),
            ("subc", []) => (Step::Sub, true),
            ("mad", ["lo"]) => (Step::MulLow, false),
            ("madc", ["lo"]) => (Step::MulLow, true),
            ("mad", ["hi"]) => (Step::MulHigh, false),
            ("madc", ["hi"]) => (Step::MulHigh, true),
            _ => return None,
        };
        if !(leaves || takes) || !matches!(ty, "u32" | "s32" | "u64" | "s64") {
            return None;
        }
        let sources = if matches!(step, Step::Add | Step::Sub) { 2 } else { 3 };
        Some((
            Extended { step, wide: ty.ends_with("64"), signed: ty.starts_with('s'), takes, leaves },
            sources,
        ))
    }

    /// The result and the carry that it leaves.
    pub fn compute(&self, [a, b, c]: [u64; 3], carry: u64) -> (u64, u64) {
        let bits = if self.wide { 64 } else { 32 };
        let mask = u64::MAX >> (64 - bits);
        let (a, b, c) = (a & mask, b & mask, c & mask);
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

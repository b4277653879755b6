//! What each arithmetic instruction does, to 32 lanes at once: PTX ISA 9.7.1 to 9.7.9.
//!
//! An opcode is looked up once, when the program is decoded, and becomes a plain function over lanes, or over
//! the sources of one lane where it is rare. Every operand is 64 bits a lane; an operation reads the low bits
//! that its type has and ignores the rest.

use super::carry::Extended;
use super::compare::SetHalves;
use super::conversions::{self, Conversion};
use super::exact::Exact;
use super::float::{self, Float};
use super::integers;
use super::lanes::{AluFn, LaneFn, Lanes, lanes};

/// What an arithmetic instruction computes.
#[derive(Clone, Copy, Debug)]
pub enum Alu {
    Plain(AluFn),
    Rare(LaneFn),
    Float(Float),
    Halves(SetHalves),
    Convert(Conversion),
}

impl Alu {
    #[inline(always)]
    pub fn apply(&self, out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
        match self {
            Alu::Plain(f) => (f.all)(out, source, mask),
            Alu::Rare(f) => lane_by_lane(*f, out, source, mask),
            Alu::Float(float) => float.apply(out, [source[0], source[1], source[2]], mask),
            Alu::Halves(set) => set.apply(out, [source[0], source[1]], mask),
            Alu::Convert(conversion) => conversion.apply(out, [source[0], source[1]], mask),
        }
    }

    /// The same for one lane.
    pub fn one(&self, source: [u64; 4]) -> u64 {
        let [a, b, c, _] = source;
        match self {
            Alu::Plain(f) => (f.one)(a, b, c),
            Alu::Rare(f) => f(source),
            Alu::Float(float) => float.register([a, b, c]),
            Alu::Halves(set) => set.one(a, b),
            Alu::Convert(conversion) => conversion.one(a, b),
        }
    }
}

/// The computation that an arithmetic opcode stands for and how many sources it takes; `None` for one that is
/// not known.
pub fn select(words: &[&str]) -> Option<(Alu, usize)> {
    let plain = |f: AluFn| Alu::Plain(AluFn { exact: Exact::of(words), ..f });
    if words.first() == Some(&"cvt") {
        let (conversion, sources) = conversions::select(words)?;
        return Some((conversion.plain().map_or(Alu::Convert(conversion), plain), sources));
    }
    integers::select(words)
        .or_else(|| float::native(words))
        .map(|(f, sources)| (plain(f), sources))
        .or_else(|| integers::select_rare(words).map(|(f, sources)| (Alu::Rare(f), sources)))
        .or_else(|| float::select(words).map(|(float, sources)| (Alu::Float(float), sources)))
}

/// The word without which the others spell an arithmetic instruction.
pub fn odd_word<'a>(words: &[&'a str]) -> Option<&'a str> {
    let spell = |words: &[&str]| Extended::parse(words).is_some() || select(words).is_some();
    let odd = (1..words.len()).find(|&odd| spell(&[&words[..odd], &words[odd + 1..]].concat()))?;
    Some(words[odd])
}

#[inline(never)]
fn lane_by_lane(f: LaneFn, out: &mut Lanes, source: [&Lanes; 4], mask: u32) {
    for lane in lanes(mask) {
        out[lane] = f([source[0][lane], source[1][lane], source[2][lane], source[3][lane]]);
    }
}

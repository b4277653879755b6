//! Seeded random numbers, and the values at which arithmetic goes wrong.

use reduction::data::GOLDEN_GAMMA;
pub use reduction::data::mix;

/// SplitMix64, number by number.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(GOLDEN_GAMMA);
        mix(self.0)
    }

    /// A number below `n`, which is not 0.
    pub fn below(&mut self, n: usize) -> usize {
        (((self.bits() >> 32) * n as u64) >> 32) as usize
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn pick<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// A 32-bit integer: an edge, a small number, or any bits.
    pub fn int_32(&mut self) -> u32 {
        match self.below(8) {
            0..4 => self.pick(&INT_32),
            4..6 => (self.below(21) as u32).wrapping_sub(10),
            _ => self.bits() as u32,
        }
    }

    pub fn int_64(&mut self) -> u64 {
        match self.below(8) {
            0..4 => self.pick(&INT_64),
            4 => (self.below(21) as u64).wrapping_sub(10),
            5 => self.bits() >> self.below(64),
            _ => self.bits(),
        }
    }

    /// The bits of a single: an edge, a number near 1, or any bits.
    pub fn single(&mut self) -> u32 {
        match self.below(8) {
            0..3 => self.pick(&SINGLE),
            3..6 => self.number_32(),
            _ => self.bits() as u32,
        }
    }

    pub fn double(&mut self) -> u64 {
        match self.below(8) {
            0..3 => self.pick(&DOUBLE),
            3..6 => self.number_64(),
            _ => self.bits(),
        }
    }

    /// The bits of a number between 2^-20 and 2^20, of either sign; never 1, which leaves things as they are.
    pub fn number_32(&mut self) -> u32 {
        let exponent = 127 - 20 + self.below(40) as u32;
        // One in four has few digits, so that sums and products are exact or ties.
        let fraction = self.bits() as u32 & if self.chance(25) { 0x70_0000 } else { 0x7f_ffff };
        (self.bits() as u32 & 1 << 31) | exponent << 23 | fraction | if exponent == 127 { 1 << 20 } else { 0 }
    }

    pub fn number_64(&mut self) -> u64 {
        let exponent = 1023 - 20 + self.below(40) as u64;
        let fraction = self.bits() & if self.chance(25) { 0xe << 48 } else { (1 << 52) - 1 };
        (self.bits() & 1 << 63) | exponent << 52 | fraction | if exponent == 1023 { 1 << 49 } else { 0 }
    }
}

const INT_32: [u32; 24] = [
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    0xff,
    0x7f,
    0x80,
    0x7fff,
    0x8000,
    0xffff,
    0x1_0000,
    0x00ff_00ff,
    0x5555_5555,
    0xaaaa_aaaa,
    0x7fff_fffe,
    0x7fff_ffff,
    0x8000_0000,
    0x8000_0001,
    0xffff_fffe,
    0xffff_ffff,
];

const INT_64: [u64; 20] = [
    0,
    1,
    2,
    63,
    64,
    65,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x1_0000_0001,
    0x001f_ffff_ffff_ffff,
    0x0020_0000_0000_0001,
    0x5555_5555_5555_5555,
    0x7fff_ffff_ffff_fffe,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    0x8000_0000_0000_0001,
    0xffff_ffff_0000_0000,
    0xffff_ffff_ffff_ffff,
];

/// Zeros, denormals, the ends of the normal numbers, infinities, quiet and signalling NaNs with payloads, and
/// the limits of the integers.
const SINGLE: [u32; 26] = [
    0x0000_0000,
    0x8000_0000,
    0x0000_0001,
    0x8000_0001,
    0x007f_ffff,
    0x807f_ffff,
    0x0080_0000,
    0x0080_0001,
    0x3f80_0000,
    0xbf80_0000,
    0x3f80_0001,
    0x3f7f_ffff,
    0x3f00_0000,
    0xbf00_0000,
    0x4b80_0001,
    0x4eff_ffff,
    0x4f00_0000,
    0xcf00_0000,
    0x5f00_0000,
    0x7f7f_ffff,
    0xff7f_ffff,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0001,
    0xff80_1234,
    0x7f80_0001,
];

const DOUBLE: [u64; 26] = [
    0x0000_0000_0000_0000,
    0x8000_0000_0000_0000,
    0x0000_0000_0000_0001,
    0x8000_0000_0000_0001,
    0x000f_ffff_ffff_ffff,
    0x800f_ffff_ffff_ffff,
    0x0010_0000_0000_0000,
    0x0010_0000_0000_0001,
    0x3ff0_0000_0000_0000,
    0xbff0_0000_0000_0000,
    0x3ff0_0000_0000_0001,
    0x3fef_ffff_ffff_ffff,
    0x3fe0_0000_0000_0000,
    0xbfe0_0000_0000_0000,
    0x4340_0000_0000_0001,
    0x41df_ffff_ffff_ffff,
    0xc1e0_0000_0000_0000,
    0x43e0_0000_0000_0000,
    0x36a0_0000_0000_0000,
    0x47ef_ffff_f000_0000,
    0x7fef_ffff_ffff_ffff,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0001,
    0xfff0_0000_0000_1234,
    0x7ff0_0000_0000_0001,
];

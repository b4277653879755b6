//! The floats of 16 bits, `f16` (5 bits of exponent, 10 of fraction) and `bf16` (8 and 7).

/// How the bits of a float are shared out.
#[derive(Clone, Copy)]
pub struct Layout {
    exponent: u32,
    fraction: u32,
}

pub const F16: Layout = Layout { exponent: 5, fraction: 10 };
pub const BF16: Layout = Layout { exponent: 8, fraction: 7 };

impl Layout {
    fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The nearest of these floats, the even one of two that are as near; infinite where that is too large.
    pub fn narrow(self, number: f64) -> u64 {
        let sign = u64::from(number.is_sign_negative()) << (self.exponent + self.fraction);
        let infinite = ((1 << self.exponent) - 1) << self.fraction;
        if number.is_nan() {
            return sign | infinite | 1 << (self.fraction - 1);
        }
        let size = number.abs();
        // The exponent of the number, or of the smallest that is normal.
        let exponent = ((size.to_bits() >> 52) as i32 - 1023).max(1 - self.bias());
        if exponent > self.bias() {
            return sign | infinite;
        }
        // In units of the last place: exact, but for the rounding.
        let units = (size * 2f64.powi(self.fraction as i32 - exponent)).round_ties_even() as u64;
        let above = (exponent + self.bias() - 1) as u64;
        sign | ((above << self.fraction) + units).min(infinite)
    }

    /// The number that the bits stand for.
    pub fn widen(self, bits: u64) -> f64 {
        let fraction = bits & ((1 << self.fraction) - 1);
        let exponent = (bits >> self.fraction & ((1 << self.exponent) - 1)) as i32;
        let (last, most) = (2f64.powi(1 - self.bias() - self.fraction as i32), (1 << self.exponent) - 1);
        let size = match exponent {
            0 => fraction as f64 * last,
            all if all == most && fraction == 0 => f64::INFINITY,
            all if all == most => f64::NAN,
            _ => (fraction | 1 << self.fraction) as f64 * last * 2f64.powi(exponent - 1),
        };
        if bits >> (self.exponent + self.fraction) & 1 == 1 { -size } else { size }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_float_of_16_bits_survives() {
        for layout in [F16, BF16] {
            for bits in 0..1 << 16 {
                let number = layout.widen(bits);
                let back = layout.narrow(number);
                assert!(back == bits || number.is_nan() && layout.widen(back).is_nan(), "{bits:#x}");
            }
        }
    }

    #[test]
    fn what_lies_between_goes_to_the_nearer_and_then_to_the_even() {
        for (number, bits) in [
            (1.0, 0x3c00),
            (-2.0, 0xc000),
            (1.0 + 1.0 / 2048.0, 0x3c00),
            (1.0 + 3.0 / 2048.0, 0x3c02),
            (65504.0, 0x7bff),
            (65519.0, 0x7bff),
            (65520.0, 0x7c00),
            (2f64.powi(-24), 1),
            (2f64.powi(-25), 0),
            (2f64.powi(-25) * 1.5, 1),
            (f64::INFINITY, 0x7c00),
        ] {
            assert_eq!(F16.narrow(number), bits, "{number}");
        }
        assert_eq!(BF16.narrow(3.140625), 0x4049);
        for bits in [0x3f80_8000u32, 0x3f81_8000, 0x0000_ffff, 0x7f7f_ffff, 0x8000_8001] {
            let (high, low) = (bits >> 16, bits & 0xffff);
            let up = low > 0x8000 || low == 0x8000 && high & 1 == 1;
            assert_eq!(BF16.narrow(f32::from_bits(bits).into()), u64::from(high + up as u32), "{bits:#x}");
        }
    }
}

//! Which bytes have been written.

/// A bit for each byte; what lies behind them has not been written.
#[derive(Clone, Debug, Default)]
pub struct Written {
    bits: Vec<u64>,
}

/// The words with the bits of `bytes` bytes from `at` on, and which bits those are.
#[inline(always)]
fn parts(at: usize, bytes: usize) -> impl Iterator<Item = (usize, u64)> {
    let end = at + bytes;
    (at / 64..end.div_ceil(64)).map(move |word| {
        let first = at.max(64 * word) % 64;
        let last = (end - 1).min(64 * word + 63) % 64;
        (word, u64::MAX << first & u64::MAX >> (63 - last))
    })
}

impl Written {
    /// Whether any of these bytes has been written.
    #[inline]
    pub fn any(&self, at: usize, bytes: usize) -> bool {
        parts(at, bytes).any(|(word, bits)| self.bits.get(word).is_some_and(|all| all & bits != 0))
    }

    /// Whether all of them have.
    pub fn all(&self, at: usize, bytes: usize) -> bool {
        parts(at, bytes).all(|(word, bits)| self.bits.get(word).is_some_and(|all| all & bits == bits))
    }

    /// Says of these bytes whether they have been written.
    #[inline]
    pub fn set(&mut self, at: usize, bytes: usize, written: bool) {
        let end = (at + bytes).div_ceil(64);
        if self.bits.len() < end {
            self.bits.resize(end, 0);
        }
        for (word, bits) in parts(at, bytes) {
            if written {
                self.bits[word] |= bits;
            } else {
                self.bits[word] &= !bits;
            }
        }
    }

    /// [`Written::set`] of at most eight bytes that have been written.
    #[inline(always)]
    pub fn set_few(&mut self, at: usize, bytes: usize) {
        let shift = at % 64;
        let bits = (1u64 << bytes) - 1;
        match self.bits.get_mut(at / 64) {
            Some(word) if shift + bytes <= 64 => *word |= bits << shift,
            _ => self.set(at, bytes, true),
        }
    }

    /// Which of at most eight bytes have not been written, a bit each.
    #[inline(always)]
    pub fn missing(&self, at: usize, bytes: usize) -> u8 {
        let word = |number: usize| self.bits.get(number).copied().unwrap_or(0);
        let shift = at % 64;
        let mut has = word(at / 64) >> shift;
        if shift + bytes > 64 {
            has |= word(at / 64 + 1) << (64 - shift);
        }
        (!has & ((1u64 << bytes) - 1)) as u8
    }

    /// What is known of these bytes alone, the first at 0.
    pub fn part(&self, at: usize, bytes: usize) -> Written {
        let bits = (0..bytes).step_by(64).map(|start| self.word(at + start, bytes - start)).collect();
        Written { bits }
    }

    /// Takes over from `part` which of its first `bytes` bytes have been written, as that of those from `at` on.
    pub fn take_over(&mut self, at: usize, bytes: usize, part: &Written) {
        self.set(at, bytes, false);
        for start in (0..bytes).step_by(64) {
            let bits = part.word(start, bytes - start);
            let shift = (at + start) % 64;
            let word = (at + start) / 64;
            self.bits[word] |= bits << shift;
            // What the shift has pushed out belongs to the next word, which is there if it is not all zeros.
            if let (true, Some(next)) = (shift > 0, self.bits.get_mut(word + 1)) {
                *next |= bits >> (64 - shift);
            }
        }
    }

    /// The bits of up to 64 bytes from `at` on; those behind `bytes` bytes are 0.
    fn word(&self, at: usize, bytes: usize) -> u64 {
        let word = |number: usize| self.bits.get(number).copied().unwrap_or(0);
        let shift = at % 64;
        let low = word(at / 64) >> shift;
        let high = if shift > 0 { word(at / 64 + 1) << (64 - shift) } else { 0 };
        let kept = if bytes < 64 { (1 << bytes) - 1 } else { u64::MAX };
        (low | high) & kept
    }

    /// None has been written.
    pub fn clear(&mut self) {
        self.bits.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_told_apart() {
        let mut written = Written::default();
        written.set(60, 8, true);
        assert!(written.all(60, 8) && written.any(0, 61) && !written.any(0, 60) && !written.any(68, 1000));
        written.set(63, 2, false);
        assert!(!written.all(60, 8) && !written.any(63, 2) && written.all(60, 3) && written.all(65, 3));
        written.set(0, 1000, true);
        assert!(written.all(0, 1000) && !written.any(1000, 64));
        written.clear();
        assert!(!written.any(0, 1000));
    }

    #[test]
    fn a_part_is_taken_over_to_any_place() {
        let mut from = Written::default();
        for byte in (0..300).filter(|byte| byte % 3 == 0 || byte % 7 == 1) {
            from.set(byte, 1, true);
        }
        for (at, to, bytes) in
            [(0, 0, 64), (5, 70, 200), (64, 3, 61), (63, 127, 2), (10, 64, 256), (290, 1, 40)]
        {
            let mut into = Written::default();
            into.set(0, 400, true);
            into.take_over(to, bytes, &from.part(at, bytes));
            for byte in 0..400 {
                let is_taken = (to..to + bytes).contains(&byte);
                let expected = if is_taken { from.any(at + byte - to, 1) } else { true };
                assert_eq!(into.any(byte, 1), expected, "byte {byte} of {bytes} from {at} to {to}");
            }
        }
    }
}

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
}

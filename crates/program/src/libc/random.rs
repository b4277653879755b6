//! `<stdlib.h>`: random numbers, those that glibc gives.

use ptx_simulator::host::{Call, Given, Stop};

use crate::runtime::{Natives_, Runtime, bytes, put};

pub const NATIVES: &Natives_ = &[
    ("rand", |runtime, _| Ok(Given::Word(runtime.libc.random.next()))),
    ("random", |runtime, _| Ok(Given::Long(runtime.libc.random.next().into()))),
    ("srand", seed),
    ("srandom", seed),
    ("rand_r", |_, call| {
        let address = call.long(0);
        let mut state = bytes(call, address, 4)?.try_into().map_or(0, u32::from_le_bytes);
        let number = next_of(&mut state);
        put(call, address, &state.to_le_bytes())?;
        Ok(Given::Word(number))
    }),
    ("drand48", |runtime, _| Ok(Given::Double(fraction(step(&mut runtime.libc.random.of_48_bits))))),
    ("lrand48", |runtime, _| Ok(Given::Long(step(&mut runtime.libc.random.of_48_bits) >> 17))),
    ("mrand48", |runtime, _| {
        let high = (step(&mut runtime.libc.random.of_48_bits) >> 16) as u32 as i32;
        Ok(Given::Long(i64::from(high) as u64))
    }),
    ("erand48", |_, call| {
        let address = call.long(0);
        let held = bytes(call, address, 6)?;
        let mut state = held.iter().rev().fold(0, |state, byte| state << 8 | u64::from(*byte));
        let given = fraction(step(&mut state));
        put(call, address, &state.to_le_bytes()[..6])?;
        Ok(Given::Double(given))
    }),
    ("srand48", |runtime, call| {
        runtime.libc.random.of_48_bits = u64::from(call.word(0)) << 16 | 0x330e;
        Ok(Given::Nothing)
    }),
    // Of its own, and the same in each run.
    ("__wb_random", |runtime, _| Ok(Given::Word((step(&mut runtime.libc.random.of_device) >> 16) as u32))),
];

/// The generators.
#[derive(Clone, Debug)]
pub struct Random {
    /// An additive feedback generator, `x^31 + x^3 + 1` (glibc, `random_r.c`, `TYPE_3`).
    state: [u32; 31],
    at: usize,
    of_48_bits: u64,
    of_device: u64,
}

impl Default for Random {
    fn default() -> Random {
        let of_device = 0x1234_5678_9abc;
        let mut random = Random { state: [0; 31], at: 0, of_48_bits: 0, of_device };
        random.seed(1);
        random
    }
}

impl Random {
    fn seed(&mut self, seed: u32) {
        let mut word = seed.max(1) as i32;
        for state in &mut self.state {
            *state = word as u32;
            // 16807 * word modulo 2^31 - 1, with the sign of C's division.
            let next = i64::from(word) * 16807 % 0x7fff_ffff;
            word = (if next < 0 { next + 0x7fff_ffff } else { next }) as i32;
        }
        self.at = 0;
        for _ in 0..310 {
            self.next();
        }
    }

    fn next(&mut self) -> u32 {
        let front = (self.at + 3) % 31;
        self.state[front] = self.state[front].wrapping_add(self.state[self.at]);
        self.at = (self.at + 1) % 31;
        self.state[front] >> 1
    }
}

fn seed(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    runtime.libc.random.seed(call.word(0));
    Ok(Given::Nothing)
}

/// `rand_r` (glibc, `rand_r.c`).
fn next_of(state: &mut u32) -> u32 {
    let mut number = 0;
    for bits in [11, 10, 10] {
        *state = state.wrapping_mul(1_103_515_245).wrapping_add(12345);
        number = (number << bits) | ((*state >> 16) % (1 << bits));
    }
    number
}

/// The next of the generator of 48 bits that POSIX has.
fn step(state: &mut u64) -> u64 {
    *state = state.wrapping_mul(0x5_deec_e66d).wrapping_add(0xb) & ((1 << 48) - 1);
    *state
}

fn fraction(number: u64) -> f64 {
    number as f64 / (1u64 << 48) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_glibc() {
        let mut random = Random::default();
        let first: [u32; 5] = std::array::from_fn(|_| random.next());
        assert_eq!(first, [1804289383, 846930886, 1681692777, 1714636915, 1957747793]);
        random.seed(42);
        assert_eq!([random.next(), random.next()], [71876166, 708592740]);
    }
}

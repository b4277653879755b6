//! What the race check takes for each word, pattern by pattern, of a kernel that touches many words.

use super::super::order::Order;
use super::Shadow;
use super::tests::{actor, grid, random};
use crate::observe::{Access, Request};
use crate::ptx::{Order as MemoryOrder, Scope, Space};

/// Words, and warps that touch 32 of them each.
const WORDS: u64 = 1 << 17;
const WARPS: u64 = WORDS / 32;

const LOAD: (Access, MemoryOrder) = (Access::Load, MemoryOrder::Weak);
const STORE: (Access, MemoryOrder) = (Access::Store, MemoryOrder::Weak);
const ATOMIC: (Access, MemoryOrder) = (Access::Atomic { returns: false }, MemoryOrder::Relaxed);

struct Kernel {
    order: Order,
    shadow: Shadow,
}

impl Kernel {
    /// A warp accesses this many bytes a lane, of units of this size, by their numbers.
    fn warp(&mut self, warp: u64, how: (Access, MemoryOrder), bytes: u64, unit: impl Fn(u64) -> u64) {
        let addresses = std::array::from_fn(|lane| (1 << 36) + bytes * unit(lane as u64));
        self.lanes(warp, how, bytes, !0, &addresses);
    }

    fn lanes(
        &mut self,
        warp: u64,
        (access, order): (Access, MemoryOrder),
        bytes: u64,
        mask: u32,
        at: &[u64; 32],
    ) {
        let request = Request::new(access, Space::Global, mask, at, bytes as u32, order, Scope::Gpu);
        self.shadow.request(&mut self.order, actor(warp as u32), &request);
    }

    /// Each warp accesses what lies side by side.
    fn in_line(&mut self, how: (Access, MemoryOrder), bytes: u64) {
        for warp in 0..4 * WARPS / bytes {
            self.warp(warp, how, bytes, |lane| 32 * warp + lane);
        }
    }

    /// A matrix of units, 1024 in a row: each warp accesses 32 rows' elements of one column.
    fn in_columns(&mut self, how: (Access, MemoryOrder), bytes: u64) {
        for warp in 0..4 * WARPS / bytes {
            self.warp(warp, how, bytes, |lane| (warp / 1024 * 32 + lane) * 1024 + warp % 1024);
        }
    }

    /// Each thread accesses an element that no other does, somewhere.
    fn scattered(&mut self, how: (Access, MemoryOrder), bytes: u64, key: u64) {
        let units = WORDS * 4 / bytes;
        for warp in 0..units / 32 {
            self.warp(warp, how, bytes, |lane| scatter(32 * warp + lane, key, units));
        }
    }
}

/// A permutation of the numbers below a power of two.
fn scatter(number: u64, key: u64, units: u64) -> u64 {
    (0..3).fold(number, |x, round| {
        let x = x.wrapping_mul(2 * (key + round) + 0x9e37_79b1) & (units - 1);
        x ^ x >> 9
    })
}

type Pattern = (&'static str, f64, fn(&mut Kernel));

/// With the bytes that a word may take. Beyond 24 are words whose bytes many threads have accessed, each of
/// them alone and none beside its neighbour in a way that repeats (`shadow/mod.rs` counts), and words that a
/// lane has written alone and another has read alone, with 7 bytes for each.
const PATTERNS: &[Pattern] = &[
    ("read in line", 24.0, |k| k.in_line(LOAD, 4)),
    ("read in line, 16 bytes a lane", 24.0, |k| k.in_line(LOAD, 16)),
    ("read by 32 warps of 16 blocks", 24.0, |k| {
        for warp in 0..32 * WARPS {
            k.warp(warp, LOAD, 4, |lane| 32 * (warp / 32) + lane);
        }
    }),
    ("read in columns", 24.0, |k| k.in_columns(LOAD, 4)),
    ("read in rows and in columns", 24.0, |k| {
        k.in_line(LOAD, 4);
        k.in_columns(LOAD, 4);
    }),
    ("scattered reads", 24.0, |k| k.scattered(LOAD, 4, 1)),
    ("scattered reads, 8 of each word", 24.0, |k| (0..8).for_each(|key| k.scattered(LOAD, 4, key))),
    ("write in line", 24.0, |k| k.in_line(STORE, 4)),
    ("write in columns", 24.0, |k| k.in_columns(STORE, 4)),
    ("scattered writes, 8 of each word", 24.0, |k| (0..8).for_each(|key| k.scattered(STORE, 4, key))),
    ("written by one, read by others", 24.0, |k| {
        for block in 0..WARPS {
            k.warp(2 * block, STORE, 4, |lane| 32 * block + lane);
            k.order.block((0, block)).barrier_opens(0, true);
            k.warp(2 * block + 1, LOAD, 4, |lane| 32 * block + lane);
        }
    }),
    ("written in line, scattered reads", 24.0, |k| {
        k.in_line(STORE, 4);
        (0..8).for_each(|key| k.scattered(LOAD, 4, key));
    }),
    ("copy of bytes", 24.0, |k| {
        k.in_line(LOAD, 1);
        k.in_line(STORE, 1);
    }),
    ("copy of shorts", 24.0, |k| {
        k.in_line(LOAD, 2);
        k.in_line(STORE, 2);
    }),
    ("four bytes by one thread, one by one", 24.0, |k| {
        for warp in 0..WARPS {
            (0..4).for_each(|byte| k.warp(warp, LOAD, 1, |lane| 4 * (32 * warp + lane) + byte));
        }
    }),
    ("bytes read in columns", 24.0, |k| k.in_columns(LOAD, 1)),
    ("bytes written in columns", 24.0, |k| k.in_columns(STORE, 1)),
    ("bytes written and read in columns", 24.0, |k| {
        k.in_columns(STORE, 1);
        k.in_columns(LOAD, 1);
    }),
    ("shorts read in columns", 24.0, |k| k.in_columns(LOAD, 2)),
    ("shorts written and read in columns", 24.0, |k| {
        k.in_columns(STORE, 2);
        k.in_columns(LOAD, 2);
    }),
    ("scattered reads of bytes", 24.0, |k| k.scattered(LOAD, 1, 1)),
    ("scattered reads of bytes, 8 of each", 49.0, |k| (0..8).for_each(|key| k.scattered(LOAD, 1, key))),
    ("scattered writes of bytes", 24.0, |k| k.scattered(STORE, 1, 1)),
    ("scattered writes and reads of bytes", 38.0, |k| {
        k.scattered(STORE, 1, 1);
        k.scattered(LOAD, 1, 2);
    }),
    ("atomics in line", 24.0, |k| k.in_line(ATOMIC, 4)),
    ("scattered atomics, 8 of each word", 24.0, |k| (0..8).for_each(|key| k.scattered(ATOMIC, 4, key))),
    ("written, then atomics, in line", 24.0, |k| {
        k.in_line(STORE, 4);
        k.in_line(ATOMIC, 4);
    }),
    ("written, then scattered atomics, 8 of each word", 24.0, |k| {
        k.in_line(STORE, 4);
        (0..8).for_each(|key| k.scattered(ATOMIC, 4, key));
    }),
    ("scattered writes, scattered atomics", 24.0, |k| {
        k.scattered(STORE, 4, 1);
        (2..8).for_each(|key| k.scattered(ATOMIC, 4, key));
    }),
    ("a mixture of words", 24.0, |k| {
        let mut below = random();
        for _ in 0..8 * WARPS {
            let how = [LOAD, LOAD, LOAD, STORE, ATOMIC][below(5) as usize];
            let (warp, start) = (below(WARPS), below(WORDS));
            let words: Vec<u64> = (0..32).map(|_| below(WORDS)).collect();
            let in_line = below(2) == 0;
            k.warp(warp, how, 4, |lane| match in_line {
                true => (start + lane) % WORDS,
                false => words[lane as usize],
            });
        }
    }),
    ("a mixture of everything", 42.0, |k| {
        let mut below = random();
        for _ in 0..8 * WARPS {
            let how = [LOAD, LOAD, LOAD, STORE, ATOMIC][below(5) as usize];
            let bytes = if how == ATOMIC { 4 } else { 1 << below(3) };
            let units = WORDS * 4 / bytes;
            let (warp, start) = (below(WARPS), below(units));
            let places: Vec<u64> = (0..32).map(|_| below(units)).collect();
            let in_line = below(2) == 0;
            k.warp(warp, how, bytes, |lane| match in_line {
                true => (start + lane) % units,
                false => places[lane as usize],
            });
        }
    }),
    ("one lane of a warp writes", 24.0, |k| {
        for word in 0..WORDS {
            k.lanes(word, STORE, 4, 1, &[(1 << 36) + 4 * word; 32]);
        }
    }),
    ("two lanes of a warp write", 24.0, |k| {
        for word in (0..WORDS).step_by(2) {
            k.lanes(word, STORE, 4, 3, &std::array::from_fn(|lane| (1 << 36) + 4 * (word + lane as u64)));
        }
    }),
    ("one lane writes, one of another block reads", 31.0, |k| {
        for word in 0..WORDS {
            k.lanes(word, STORE, 4, 1, &[(1 << 36) + 4 * word; 32]);
            k.lanes((word + WORDS / 2) % WORDS, LOAD, 4, 1, &[(1 << 36) + 4 * word; 32]);
        }
    }),
];

/// Bytes of words, and of what these have in common; without what small kernels may take besides.
#[test]
fn a_word_takes_little_room_whatever_is_done_with_it() {
    let mut beyond = 0;
    for (name, most, pattern) in PATTERNS {
        let mut kernel = Kernel { order: grid(WORDS as u32), shadow: Shadow::default() };
        kernel.shadow.nodes.besides = 0;
        pattern(&mut kernel);
        let bytes = kernel.shadow.bytes() as f64 / WORDS as f64;
        println!("{name:50} {bytes:6.2} of {most}");
        beyond += (bytes > *most) as u32;
    }
    assert_eq!(beyond, 0, "patterns that take more than they may, see above");
}

#[test]
fn the_appendix_says_what_each_pattern_may_take() {
    let page = concat!(env!("CARGO_MANIFEST_DIR"), "/../../book/src/appendix_simulator.md");
    let page = std::fs::read_to_string(page).unwrap();
    let part = page.split_once("The checks remember 16 bytes").unwrap().1.split_once("\n## ").unwrap().0;
    let told: Vec<&str> = part.split(|c: char| !c.is_ascii_digit()).collect();
    for (name, most, _) in PATTERNS {
        // That of shorts is below that of bytes.
        let is_told = told.contains(&most.to_string().as_str()) || name.starts_with("shorts");
        assert!(is_told, "appendix_simulator.md does not say {most}, for: {name}");
    }
}

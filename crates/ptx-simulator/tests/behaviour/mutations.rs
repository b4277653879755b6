//! Broken PTX does no harm: thousands of variants of the committed files, with tokens and lines taken out,
//! doubled, swapped and replaced, and texts cut off, are read and, where that works, launched. None panics,
//! none hangs.
//!
//! The variants are the same in every run. One that fails is named by its file and number;
//! `variant(text, number)` makes it again.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::Instant;

use ptx_simulator::{LaunchConfig, Module, Simulator};

/// xorshift64*: the same numbers for the same seed (Marsaglia 2003, Vigna 2016).
struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n.max(1)
    }
}

/// Words, numbers and single characters, with the spaces between them.
fn tokens(text: &str) -> Vec<&str> {
    let word = |c: char| c.is_alphanumeric() || "_$%.".contains(c);
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else if first.is_whitespace() {
            rest.find(|c: char| !c.is_whitespace()).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = &rest[length..];
    }
    tokens
}

const EXTREMES: [&str; 12] = [
    "0",
    "-1",
    "1",
    "65535",
    "2147483648",
    "0xffffffff",
    "0x7fffffffffffffff",
    "18446744073709551615",
    "0f7FC00000",
    "_",
    "%tid.x",
    ".v4",
];

/// Variant `number` of a text: one to four changes.
fn variant(text: &str, number: u64) -> String {
    let mut random = Random((number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut text = text.to_string();
    for _ in 0..=random.below(4) {
        text = change(&text, &mut random);
    }
    text
}

fn change(text: &str, random: &mut Random) -> String {
    let kind = random.below(20);
    if kind == 0 {
        let mut end = random.below(text.len());
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        return text[..end].to_string();
    }
    let lines = kind < 4;
    let mut parts: Vec<&str> = if lines { text.split_inclusive('\n').collect() } else { tokens(text) };
    if parts.is_empty() {
        return String::new();
    }
    let at = random.below(parts.len());
    let other = random.below(parts.len());
    match kind {
        1 | 4 => _ = parts.remove(at),
        2 | 5 => parts.insert(at, parts[at]),
        3 | 6 => parts.swap(at, other),
        7 => parts[at] = parts[other],
        8 => parts[at] = EXTREMES[random.below(EXTREMES.len())],
        9 => {
            let neighbour = (at + 2).min(parts.len() - 1);
            parts.swap(at, neighbour);
        }
        _ => {
            // A register for a register, a label for a label, a number for a number: what can still be read.
            let alike = |word: &&str| match parts[at].as_bytes()[0] {
                b'0'..=b'9' => word.as_bytes()[0].is_ascii_digit(),
                first => word.as_bytes()[0] == first && word.len() > 1,
            };
            let candidates: Vec<&str> = parts.iter().copied().filter(alike).collect();
            if !candidates.is_empty() {
                parts[at] = candidates[random.below(candidates.len())];
            }
        }
    }
    parts.concat()
}

/// Reads a text and launches its kernels, for a few instructions each; whether any of them ran, if only for a
/// while.
fn try_out(text: &str) -> bool {
    let Ok(module) = Module::parse(text, "variant.ptx") else { return false };
    let mut ran = false;
    for kernel in module.kernels().iter().take(4) {
        let mut sim = Simulator::new();
        sim.set_step_limit(Some(2_000));
        sim.set_pending_launch_limit(20);
        let params = module.params(kernel).unwrap_or(&[]);
        let mut args = Vec::new();
        for param in params {
            let address = if param.bytes == 8 { sim.alloc(1024).unwrap() } else { 0 };
            let _ = sim.write(address, &[0; 1024]);
            args.push(if address == 0 { 40 } else { address });
        }
        let config = LaunchConfig { grid_dim: (2, 1, 1), block_dim: (33, 1, 1), shared_mem_bytes: 64 };
        ran |= match sim.launch(&module, kernel, config, &args) {
            Ok(_) => true,
            Err(diagnostic) => !diagnostic.to_string().is_empty() && diagnostic.thread.is_some(),
        };
    }
    ran
}

fn ptx_files(directory: &str) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(directory).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|e| e == "ptx"));
    files.sort();
    files
}

fn survives(directory: &str, variants: u64) {
    let files = ptx_files(directory);
    assert!(!files.is_empty());
    let mut slowest = (std::time::Duration::ZERO, String::new());
    let mut tried = 0;
    let mut ran = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).unwrap();
        for number in 0..variants {
            let started = Instant::now();
            let broken = variant(&text, number);
            let name = format!("{}, variant {number}", path.display());
            match catch_unwind(AssertUnwindSafe(|| try_out(&broken))) {
                Ok(launched) => ran += launched as u32,
                Err(_) => panic!("{name} panics:\n{broken}"),
            }
            tried += 1;
            slowest = slowest.max((started.elapsed(), name));
        }
    }
    assert!(slowest.0.as_secs() < 10, "{} took {:?}", slowest.1, slowest.0);
    assert!(ran > tried / 4, "only {ran} of {tried} variants came as far as running");
}

/// Variants of each file of this crate, of the kernels of the repository around it, and of its single
/// instructions.
fn all_survive(own: u64, kernels: u64, instructions: u64) {
    for (directory, variants) in [
        ("tests/kernels", own),
        ("tests/kernels/cdp1", own),
        ("../../kernels/prebuilt", kernels),
        ("../launch/tests/simulator/ptx", instructions),
    ] {
        if Path::new(directory).exists() {
            survives(directory, variants);
        }
    }
}

#[test]
fn variants_do_no_harm() {
    all_survive(60, 60, 2);
}

#[test]
#[ignore = "takes most of a minute"]
fn many_variants_do_no_harm_nightly() {
    all_survive(300, 400, 10);
}

#[test]
fn deep_nesting_does_no_harm() {
    for (open, close) in [("{", "}"), ("(", ")"), ("[", "]")] {
        let many = open.repeat(100_000);
        let back = close.repeat(100_000);
        try_out(&format!(".entry k()\n{{\n mov.b64 {many}%r1{back}, 1;\n}}"));
        try_out(&format!(".global .u32 x[1] = {many}1{back};"));
        try_out(&format!(".entry k()\n{{\n{many}\n ret;\n{back}\n}}"));
    }
}

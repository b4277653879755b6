//! 10,000 random PTX programs, the same ones every time: what they are, how they run, and what a GPU made of
//! them.
//!
//! | file | job |
//! | --- | --- |
//! | `rng.rs` | random numbers and edge values |
//! | `operations.rs` | the instructions, as patterns |
//! | `generate.rs` | patterns, branches, loops and functions -> a program; `generate/` holds its parts |
//! | `assembler.rs` | mistakes of ptxas, and the few that the programs keep clear of |
//! | `program.rs` | a program as a tree, and its text |
//! | `run.rs` | programs on the simulator and on a GPU |
//! | `unoptimised.rs` | machine code by the driver's assembler, with its optimiser off |
//! | `results.rs` | the recorded results: `h200.txt` |

pub mod assembler;
pub mod generate;
pub mod operations;
pub mod program;
pub mod results;
pub mod rng;
pub mod run;
pub mod unoptimised;

use generate::{DOUBLES, LONGS, PAIRS, ROW, SINGLES};
use program::{CELLS, HEADER, Program};
use rng::{Random, mix};

/// Raise it with every change of the programs or of their inputs: the recorded results are then those of
/// others.
pub const VERSION: u32 = 3;
pub const PROGRAMS: usize = 10_000;
/// Programs in one module, which a GPU's driver compiles as a whole.
pub const PER_MODULE: usize = 50;
pub const MODULES: usize = PROGRAMS / PER_MODULE;
pub const MAX_THREADS: usize = 96;
const MAX_WORDS: usize = 8;

/// Programs that share their inputs.
pub struct Module {
    pub programs: Vec<Program>,
    pub inputs: Vec<u64>,
    /// What the results are before a program runs.
    pub initial: Vec<u64>,
}

fn seed(kind: u64, number: usize) -> u64 {
    mix((VERSION as u64) << 48 | kind << 32 | number as u64)
}

impl Module {
    /// Module `number`, below [`MODULES`].
    pub fn new(number: usize) -> Module {
        let first = number * PER_MODULE;
        let programs = (first..first + PER_MODULE).map(|n| generate::program(n, seed(1, n))).collect();
        let mut random = Random::new(seed(2, number));
        let mut inputs = Vec::with_capacity(MAX_THREADS * ROW);
        for _ in 0..MAX_THREADS {
            for slot in 0..ROW {
                inputs.push(match slot {
                    _ if PAIRS.contains(&slot) => (random.int_32() as u64) << 32 | random.int_32() as u64,
                    _ if LONGS.contains(&slot) => random.int_64(),
                    _ if SINGLES.contains(&slot) => (random.single() as u64) << 32 | random.single() as u64,
                    _ if DOUBLES.contains(&slot) => random.double(),
                    _ => 0,
                });
            }
        }
        let initial = (0..MAX_THREADS * MAX_WORDS + CELLS).map(|_| random.int_64()).collect();
        Module { programs, inputs, initial }
    }

    pub fn text(&self) -> String {
        self.programs.iter().fold(HEADER.to_string(), |text, program| text + &program.text())
    }
}

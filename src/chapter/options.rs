//! The options that every chapter shares, and what they mean for the shape of a launch.

use anyhow::{Result, bail, ensure};
use clap::{CommandFactory, FromArgMatches, Parser};

use crate::arguments::number;
use crate::device::{DeviceChoice, MAX_BLOCK, MAX_GRID};
use crate::record::table::thousands;

/// Elements, at most: kernels count them in 32 bits.
pub const MAX_N: u64 = i32::MAX as u64;

/// Room for device launches, at most: the driver sets memory aside for each.
const MAX_PENDING_LAUNCHES: u64 = 1 << 20;

/// The options of a chapter.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// Where the kernels run; auto: a GPU if one is usable, else the simulator
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,
    /// Elements to add up: 1000, 1_000, 2^20 or 1e6; the sweep goes no further
    #[arg(long, value_name = "N", value_parser = elements, allow_hyphen_values = true)]
    pub n: Option<u64>,
    /// Threads a block, 1 to 1024
    #[arg(long, value_name = "B", value_parser = threads, allow_hyphen_values = true)]
    pub block: Option<u32>,
    /// Blocks; without --block, each takes an equal share of the elements
    #[arg(long, value_name = "G", value_parser = blocks, allow_hyphen_values = true)]
    pub grid: Option<u32>,
    /// Chapter 4: room for N pending device launches, be it too little; a launch without room is dropped
    #[arg(long, value_name = "N", value_parser = pending_launches, allow_hyphen_values = true)]
    pub pending_launches: Option<u64>,
    /// Chapter 4: the nested kernel as the posts wrote it for the CUDA of 2020, beside its port; on the simulator
    #[arg(long)]
    pub museum: bool,
    /// Seed of the data
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Print one JSON object on stdout, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Write the record that the book shows, book/records/, instead of book/records/local/
    #[arg(long)]
    pub record: bool,
}

impl Options {
    /// The options of this process; a wrong one ends it with exit status 2 and a message.
    pub fn parse_for(stem: &'static str, about: &'static str) -> Options {
        let usage = format!("cargo run --example {stem} --");
        let command = Options::command().name(stem).bin_name(usage).about(about);
        match Options::from_arg_matches(&command.get_matches()) {
            Ok(options) => options,
            Err(error) => error.exit(),
        }
    }
}

/// Threads a block and blocks for `n` elements, a thread an element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub block: u32,
    pub grid: u32,
}

impl Shape {
    /// `--block` alone: as many blocks as the elements need. `--grid` alone: the block that divides the elements
    /// among the blocks. Both: they must hold the elements. Neither: `default_block`.
    pub fn new(n: u64, block: Option<u32>, grid: Option<u32>, default_block: u32) -> Result<Shape> {
        match (block, grid) {
            (None, Some(grid)) => {
                let block = n.div_ceil(grid.into()).max(1);
                if block > MAX_BLOCK.into() {
                    bail!(
                        "--grid {grid} leaves {} elements to a block, and a block has at most {MAX_BLOCK} \
                         threads; give --grid {} or more",
                        thousands(block as i64),
                        n.div_ceil(MAX_BLOCK.into())
                    );
                }
                Ok(Shape { block: block as u32, grid })
            }
            (Some(block), Some(grid)) => {
                let threads = u64::from(block) * u64::from(grid);
                ensure!(
                    threads >= n,
                    "--grid {grid} --block {block} makes {} threads, and there are {} elements; leave one of the \
                     two out, or give --grid {} or more",
                    thousands(threads as i64),
                    thousands(n as i64),
                    n.div_ceil(block.into())
                );
                Ok(Shape { block, grid })
            }
            (block, None) => Ok(Shape::of_blocks(n, block.unwrap_or(default_block))),
        }
    }

    /// Blocks of `block` threads, as many as `n` elements need, at least 1.
    pub fn of_blocks(n: u64, block: u32) -> Shape {
        Shape { block, grid: n.div_ceil(block.into()).max(1) as u32 }
    }
}

fn elements(text: &str) -> Result<u64, String> {
    number(text, MAX_N)
        .ok_or(format!("the number of elements is 0 to {MAX_N}, written like 1000, 1_000, 2^20 or 1e6"))
}

fn threads(text: &str) -> Result<u32, String> {
    match number(text, MAX_BLOCK.into()) {
        Some(threads @ 1..) => Ok(threads as u32),
        _ => Err(format!("a block has 1 to {MAX_BLOCK} threads; try 256")),
    }
}

fn blocks(text: &str) -> Result<u32, String> {
    match number(text, MAX_GRID.into()) {
        Some(blocks @ 1..) => Ok(blocks as u32),
        _ => {
            Err(format!("a grid has 1 to {MAX_GRID} blocks; leave --grid out to have as many as are needed"))
        }
    }
}

fn pending_launches(text: &str) -> Result<u64, String> {
    match number(text, MAX_PENDING_LAUNCHES) {
        Some(launches @ 1..) => Ok(launches),
        _ => Err(format!("there can be room for 1 to {MAX_PENDING_LAUNCHES} launches; try 64")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_out_of_range_is_refused_with_the_range() {
        assert_eq!((elements("0"), elements("1e6")), (Ok(0), Ok(1_000_000)));
        for wrong in ["-1", "2^31", "2147483648", "1e10", "x", ""] {
            assert!(elements(wrong).unwrap_err().contains("2147483647"), "{wrong}");
        }
        assert_eq!(threads("1024"), Ok(1024));
        assert!(threads("0").is_err() && threads("2000").is_err() && blocks("0").is_err());
        assert!(pending_launches("2048") == Ok(2048) && pending_launches("0").is_err());
    }

    #[test]
    fn shapes_follow_the_options() {
        let shape = |n, block, grid| Shape::new(n, block, grid, 512).map(|s| (s.block, s.grid));
        assert_eq!(shape(1000, None, None).unwrap(), (512, 2));
        assert_eq!(shape(0, None, None).unwrap(), (512, 1), "a grid is never empty");
        assert_eq!(shape(1000, Some(96), None).unwrap(), (96, 11));
        assert_eq!(shape(65_536, None, Some(128)).unwrap(), (512, 128), "the post's choice");
        assert_eq!(shape(0, None, Some(4)).unwrap(), (1, 4));
        assert_eq!(shape(100, Some(32), Some(8)).unwrap(), (32, 8), "more blocks than needed");
        let few = shape(65_536, None, Some(4)).unwrap_err().to_string();
        assert!(few.contains("--grid 64 or more"), "{few}");
        let small = shape(1000, Some(32), Some(8)).unwrap_err().to_string();
        assert!(small.contains("256 threads") && small.contains("--grid 32 or more"), "{small}");
    }
}

//! The command line of a chapter.

use std::ffi::OsString;
use std::ops::RangeInclusive;

use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use clap::{CommandFactory, FromArgMatches, Parser};
use device::{DeviceChoice, MAX_BLOCK, MAX_GRID};
use kernel_compiler::compiler::Maker;
use ptx_simulator::{Budget, DEFAULT_STEP_LIMIT};
use text::arguments::number;
use text::say;

use super::variant::Chapter;

/// The most elements: kernels count them in 32 bits.
pub const MAX_N: u64 = i32::MAX as u64;
/// The most room for device launches: the driver sets memory aside for each.
const MAX_PENDING_LAUNCHES: u64 = 1 << 20;
/// The most GPUs that work together.
const MAX_GPUS: u64 = 64;
/// In place of a variant's name: all of them.
const ALL: &str = "all";

/// The options of a chapter.
#[derive(Clone, Debug, Parser)]
pub struct Options {
    /// Where the kernels run; auto: a GPU if one is usable, else the simulator
    #[arg(long, value_enum, default_value_t = DeviceChoice::Auto)]
    pub device: DeviceChoice,
    /// Run just this kernel; may be repeated. Without it: the chapter's story; `all`: everything
    #[arg(long = "kernel", id = "kernel", value_name = "NAME")]
    pub kernels: Vec<String>,
    /// Elements to add up: 1000, 1_000, 1e6 or 2^20; the sweep goes no further
    #[arg(long, value_name = "N", value_parser = elements, allow_hyphen_values = true)]
    pub n: Option<u64>,
    /// Threads per block, 1 to 1024
    #[arg(long, value_name = "B", value_parser = threads, allow_hyphen_values = true)]
    pub block: Option<u32>,
    /// Blocks; without --block, each takes an equal share of the elements
    #[arg(long, value_name = "G", value_parser = blocks, allow_hyphen_values = true)]
    pub grid: Option<u32>,
    /// Run kernels with an edit of kernels/what_ifs.edits, on the simulator: `no-barrier`
    #[arg(long, value_name = "NAME", conflicts_with = "record")]
    pub what_if: Option<String>,
    /// Compile the kernels with nvcc or with clang, and run that on the simulator, not the committed build
    #[arg(long, value_name = "nvcc|clang", conflicts_with_all = ["record", "what_if"])]
    pub compiler: Option<Maker>,
    /// Seed of the data
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// Print a table of what each warp did, step by step, on the simulator; for small sizes
    #[arg(long)]
    pub steps: bool,
    /// The order in which blocks and warps have their turns on the simulator: 0 the plain one, 2
    /// the last ones first, 1 or 3 a shuffled one
    #[arg(long, value_name = "SEED", default_value_t = 0)]
    pub schedule: u64,
    /// Run each launch on the simulator in every order of its atomic and volatile operations that matters, or
    /// in at most N orders; for small sizes
    #[arg(long, value_name = "all|N", allow_hyphen_values = true,
        conflicts_with_all = ["schedule", "record"])]
    pub orders: Option<Budget>,
    /// Run at the requested size alone: no other sizes, no other blocks
    #[arg(long, conflicts_with = "record")]
    pub no_sweep: bool,
    /// Print one JSON object on stdout, and nothing else there
    #[arg(long)]
    pub json: bool,
    /// Run all kernels and write the book's record, book/records/, instead of book/records/local/
    #[arg(long, conflicts_with = "kernel")]
    pub record: bool,
    /// Room for N pending device launches, even too little; a launch without room is dropped
    #[arg(long, value_name = "N", value_parser = pending_launches, allow_hyphen_values = true)]
    pub pending_launches: Option<u64>,
    /// GPUs that work together, 1 to 64; default: all there are, or 2 simulated ones
    #[arg(long, value_name = "K", value_parser = gpus, allow_hyphen_values = true)]
    pub gpus: Option<usize>,
    /// As if no GPU could reach the memory of another
    #[arg(long, conflicts_with = "record")]
    pub no_peers: bool,
    /// Instructions that the warps of one launch may execute on the simulator before it counts as endless
    #[arg(long = "steps-limit", value_name = "N", value_parser = steps, default_value_t = DEFAULT_STEP_LIMIT,
        allow_hyphen_values = true)]
    pub step_limit: u64,
}

impl Options {
    /// The options of this process; a wrong one ends it with exit status 2 and a message.
    pub fn parse_for(chapter: &Chapter) -> Options {
        Options::try_parse_for(chapter, std::env::args_os())
            .unwrap_or_else(|error| say::usage(&error, error.exit_code()))
    }

    /// The options on the command line `arguments`, whose first word is the program's name.
    ///
    /// # Errors
    /// What clap says of a wrong one.
    pub(super) fn try_parse_for<A: Into<OsString> + Clone>(
        chapter: &Chapter,
        arguments: impl IntoIterator<Item = A>,
    ) -> Result<Options, clap::Error> {
        let names = chapter.variants.iter().map(|variant| variant.name).chain([ALL]);
        let names = PossibleValuesParser::new(names);
        let mut command = Options::command()
            .name(chapter.stem)
            .bin_name(format!("cargo run --example {} --", chapter.stem))
            .about(chapter.about)
            .mut_arg("kernel", |arg| arg.value_parser(names));
        let foreign = [
            ("pending_launches", chapter.pending_launches),
            ("gpus", chapter.many_gpus),
            ("no_peers", chapter.many_gpus),
        ];
        let foreign = foreign.into_iter().filter(|(_, has)| !has).map(|(name, _)| name);
        for name in foreign.clone() {
            command = command.mut_arg(name, |arg| arg.hide(true));
        }
        let matches = command.try_get_matches_from_mut(arguments)?;
        for name in foreign {
            if matches.value_source(name) == Some(ValueSource::CommandLine) {
                let unexpected = format!("unexpected argument '--{}' found", name.replace('_', "-"));
                return Err(command.error(ErrorKind::UnknownArgument, unexpected));
            }
        }
        Options::from_arg_matches(&matches).map_err(|error| error.format(&mut command))
    }

    /// Whether the reader asks for the variant of that name, which may be part of the chapter's story.
    pub(super) fn asks_for(&self, name: &str, story: bool) -> bool {
        if self.kernels.is_empty() {
            story || self.record
        } else {
            self.kernels.iter().any(|asked| asked == name || asked == ALL)
        }
    }

    /// Whether only some variants are asked for, by name.
    pub(super) fn names_kernels(&self) -> bool {
        !self.kernels.is_empty() && !self.kernels.iter().any(|name| name == ALL)
    }
}

fn elements(text: &str) -> Result<u64, String> {
    let wrong = format!("the number of elements is 0 to {MAX_N}, written like 1000, 1_000, 1e6 or 2^20");
    within(text, 0..=MAX_N, wrong)
}

fn threads(text: &str) -> Result<u32, String> {
    let wrong = format!("a block has 1 to {MAX_BLOCK} threads; try 256");
    within(text, 1..=MAX_BLOCK.into(), wrong)
}

fn blocks(text: &str) -> Result<u32, String> {
    let wrong = format!("a grid has 1 to {MAX_GRID} blocks; leave --grid out to have as many as are needed");
    within(text, 1..=MAX_GRID.into(), wrong)
}

fn gpus(text: &str) -> Result<usize, String> {
    within(text, 1..=MAX_GPUS, format!("1 to {MAX_GPUS} GPUs can work together; try 2"))
}

fn pending_launches(text: &str) -> Result<u64, String> {
    let wrong = format!("there can be room for 1 to {MAX_PENDING_LAUNCHES} launches; try 64");
    within(text, 1..=MAX_PENDING_LAUNCHES, wrong)
}

fn steps(text: &str) -> Result<u64, String> {
    within(text, 1..=u64::MAX, "a number of instructions, like 1e9 or 2^30".to_string())
}

/// The number that `text` spells, or what is `wrong`.
fn within<T: TryFrom<u64>>(text: &str, range: RangeInclusive<u64>, wrong: String) -> Result<T, String> {
    let number = number(text, *range.end()).filter(|number| range.contains(number));
    number.and_then(|number| number.try_into().ok()).ok_or(wrong)
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
}

//! How the host launches an answer, what it should give, and for which inputs.
//!
//! `//@ launch reduce(data, partials, n) grid=n/block` names the arguments in order:
//!
//! | argument | is |
//! | --- | --- |
//! | `input`, `other` | `n` numbers that must not be changed |
//! | `data` | the same numbers as `input`, in a copy that the kernel may change |
//! | `partials` | an `int` for each block of the first launch, not initialised |
//! | `out` | one `int`, not initialised |
//! | `total`, `ticket` | one `int` that is 0 |
//! | `n`, `blocks` | how many numbers there are, and blocks in the first launch |
//!
//! The grid is a number, or a division that rounds up and is at least 1: `n/block`, `n/(4*block)`; or both,
//! whichever is larger: `max(7,n/block)`.

use std::fmt;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::ValueEnum;

use workbook::build::prebuilt::text_hash;
use workbook::number::{nine_digits, thousands};
use workbook::reduction::data::{bits, numbers as numbers_from};
use workbook::reduction::serial::recursive_reduce;
use workbook::sim::Counters;

/// The host's side of an exercise.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub launches: Vec<Launch>,
    pub result: Place,
    pub op: Op,
    sizes: Vec<usize>,
    blocks: Vec<u32>,
    one_block: bool,
    most_blocks: Option<u32>,
    /// Of the inputs; see [`Plan::for_text`].
    seed: u64,
}

/// One launch.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    pub args: Vec<Arg>,
    pub grid: Grid,
}

/// Named in lower case where it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, ValueEnum)]
pub enum Arg {
    Input,
    Other,
    Data,
    Partials,
    Out,
    Total,
    Ticket,
    N,
    Blocks,
}

#[derive(Clone, Copy, Debug)]
pub enum Grid {
    Fixed(u32),
    /// A thread for this many numbers, and at least this many blocks.
    Share {
        items: u32,
        least: u32,
    },
}

/// Where the result is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Place {
    /// In `partials`: the host combines them.
    #[default]
    Partials,
    Out,
    Total,
}

/// What is computed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Op {
    #[default]
    Sum,
    /// The sum of `input[i] * input[i]`.
    Squares,
    Max,
    Min,
    /// The largest less the smallest; 0 for no numbers.
    Range,
    /// The sum of `input[i] * other[i]`.
    Dot,
    /// The sum of `float`s, which are bits in the buffers; the same bits in every order of turns.
    Floats,
}

/// An upper bound of a counter at one size.
#[derive(Clone, Debug)]
pub struct Goal {
    field: String,
    pub most: u64,
    pub n: usize,
    pub block: u32,
}

/// The most numbers that one block loads from global memory.
pub const BLOCK_NUMBERS: &str = "block_numbers";
/// What a goal may bound besides the simulator's counters: allocations and calls are those of a Rust
/// function.
const OTHERS: [&str; 3] = ["allocations", "calls", BLOCK_NUMBERS];
/// More than any tree of an answer has levels, with a thread's own additions.
const ROUNDINGS: f64 = 64.0;

/// One input: numbers, threads per block, the order of turns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    pub n: usize,
    pub block: u32,
    pub schedule: u64,
}

/// Threads per block, at least, for [`Plan::unlisted`]: there is a tree of some height.
const TALL: u32 = 64;
/// Empty, single, around a warp, around a block, and long, with odd ones at every level of the tree.
const SIZES: &[usize] = &[0, 1, 2, 3, 31, 32, 33, 1000, 1025, 4097, 100_003];
/// From one warp to the largest block.
const BLOCKS: &[u32] = &[32, 96, 256, 1024];
/// The plain order of turns, a shuffled one, and one that takes the last warps and blocks first.
const SCHEDULES: &[u64] = &[0, 1, 2];
/// Where results round: those, and as many again with numbers that cancel each other.
const MORE_SCHEDULES: &[u64] = &[0, 1, 2, CANCELLING, 4, 5];
const CANCELLING: u64 = 3;

impl Plan {
    /// Takes in one `//@ word rest` line.
    pub fn mark(&mut self, word: &str, rest: &str) -> Result<()> {
        match (word, rest) {
            ("launch", _) => self.launches.push(Launch::parse(rest)?),
            ("result", _) => self.result = named("place", rest)?,
            ("op", _) => self.op = named("operation", rest)?,
            ("sizes", _) => self.sizes = numbers(rest)?,
            ("blocks", _) => self.blocks = numbers(rest)?,
            ("most-blocks", _) => self.most_blocks = numbers(rest)?.first().copied(),
            ("one-block", "") => self.one_block = true,
            _ => bail!("there is no such line; crates/exercise/src/source.rs lists them"),
        }
        Ok(())
    }

    /// All inputs that an answer is checked with, the simplest first.
    pub fn cases(&self) -> Vec<Case> {
        let sizes = if self.sizes.is_empty() { SIZES } else { &self.sizes };
        let blocks = if self.blocks.is_empty() { BLOCKS } else { &self.blocks };
        let mut cases = Vec::new();
        for &n in sizes {
            for &block in blocks.iter().filter(|block| !self.one_block || n <= **block as usize) {
                let schedules = if self.op.rounds() { MORE_SCHEDULES } else { SCHEDULES };
                cases.extend(schedules.iter().map(|&schedule| Case { n, block, schedule }));
            }
        }
        cases.retain(|case| self.has_room(*case));
        cases
    }

    /// The plan for an answer's file: another text gets other numbers and other [`Plan::unlisted`] lengths,
    /// the same text the same ones again. So no answer can hold a table of results: it would be another text.
    pub fn for_text(&self, text: &str) -> Plan {
        // 16 hexadecimal digits.
        let seed = u64::from_str_radix(&text_hash(text), 16).unwrap_or_default();
        Plan { seed, ..self.clone() }
    }

    /// Both inputs of `case`: the same in every order of turns but for [`Case::plain`]. Other lengths and
    /// blocks have other numbers.
    pub fn inputs(&self, case: Case) -> [Vec<i32>; 2] {
        let numbers = self.seeds(case).map(|seed| numbers_from(case.n, seed));
        if self.op.rounds() { numbers.map(|numbers| floats(&numbers, case)) } else { numbers }
    }

    /// Where the two inputs of `case` begin.
    pub fn seeds(&self, case: Case) -> [u64; 2] {
        [0, 1].map(|input| bits(self.seed, 2 * (u64::from(case.block) << 32 | case.n as u64) + input))
    }

    /// Lengths that no file names, one for each size of block: what is right or cheap only for the lengths
    /// that are listed, or where a goal is measured, is found there. And a short one.
    pub fn unlisted(&self) -> Vec<Case> {
        let blocks = if self.blocks.is_empty() { BLOCKS } else { &self.blocks };
        let some = |block: u32, from: usize, below: usize| Case {
            n: from + bits(self.seed, block.into()) as usize % (below - from),
            block,
            schedule: 0,
        };
        let long = blocks.iter().filter(|block| !self.one_block || **block >= TALL).map(|&block| {
            let most = block as usize;
            if self.one_block { some(block, most / 2 + 1, most) } else { some(block, 1100, 4000) }
        });
        let short = blocks.first().map(|&block| some(block, 5, 31));
        short.into_iter().chain(long).filter(|case| self.has_room(*case)).collect()
    }

    /// The inputs for which an answer's work is compared with the solution's: the longest, with the largest
    /// and with the smallest blocks.
    pub fn work_cases(&self) -> Vec<Case> {
        let cases: Vec<Case> = self.cases().into_iter().filter(|case| case.schedule == 0).collect();
        let blocks = cases.iter().map(|case| case.block);
        let longest = |block| cases.iter().rfind(|case| Some(case.block) == block).copied();
        let mut found: Vec<Case> =
            [blocks.clone().max(), blocks.min()].into_iter().filter_map(longest).collect();
        found.dedup();
        found
    }

    /// The input that is timed on a GPU: long, as far as the blocks may go; or what fits one block.
    pub fn timed(&self) -> Option<Case> {
        let last = Case { schedule: 0, ..*self.cases().last()? };
        let mut lengths = (10..=24).rev().map(|power| 1 << power);
        let long = lengths.find_map(|n| Some(Case { n, ..last }).filter(|case| self.has_room(*case)));
        if self.one_block { Some(last) } else { long.or(Some(last)) }
    }

    fn has_room(&self, case: Case) -> bool {
        let most = self.most_blocks.unwrap_or(u32::MAX);
        self.launches.iter().all(|launch| launch.grid.blocks(case) <= most)
    }

    /// The kernels' names, each once.
    pub fn kernels(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.launches.iter().map(|launch| launch.kernel.as_str()).collect();
        names.dedup();
        names
    }

    /// What is done on the host, in words.
    pub fn sentences(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.launches.iter().map(|launch| format!("The host launches {launch}.")).collect();
        let uses = |arg| self.launches.iter().any(|launch| launch.args.contains(&arg));
        let combined = match self.op {
            Op::Sum | Op::Squares | Op::Dot | Op::Floats => "adds them up",
            Op::Max | Op::Range => "takes the largest of them",
            Op::Min => "takes the smallest of them",
        };
        if self.result == Place::Partials {
            lines.push(format!("Each block leaves its result in `partials`, and the host {combined}."));
        }
        if uses(Arg::Total) {
            lines.push("`total` is 0 at the start, and holds the result at the end.".into());
        }
        if uses(Arg::Ticket) {
            lines.push("`ticket` is 0 at the start.".into());
        }
        lines
    }
}

impl Launch {
    /// `reduce(data, partials, n) grid=n/block`
    fn parse(text: &str) -> Result<Launch> {
        let (kernel, rest) = text.split_once('(').context("KERNEL(ARGS) grid=GRID")?;
        let (args, grid) = rest.split_once(") grid=").context("KERNEL(ARGS) grid=GRID")?;
        let args = args.split(',').map(|name| named("argument", name.trim())).collect::<Result<_>>()?;
        Ok(Launch { kernel: kernel.trim().to_string(), args, grid: Grid::parse(grid)? })
    }
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(|arg| format!("{arg:?}").to_lowercase()).collect();
        write!(f, "`{}({})` with {}", self.kernel, args.join(", "), self.grid)
    }
}

impl Arg {
    /// Bytes of the parameter.
    pub fn bytes(self) -> usize {
        if matches!(self, Arg::N | Arg::Blocks) { 4 } else { 8 }
    }
}

impl Grid {
    fn parse(text: &str) -> Result<Grid> {
        let forms = "the grid is a number, n/block or n/(4*block)";
        let larger = text.strip_prefix("max(").and_then(|text| text.strip_suffix(')')?.split_once(','));
        if let Some((least, share)) = larger {
            let Grid::Share { items, .. } = Grid::parse(share)? else { bail!(forms) };
            return Ok(Grid::Share { items, least: least.parse().context(forms)? });
        }
        if text == "n/block" {
            return Ok(Grid::Share { items: 1, least: 1 });
        }
        let share = text.strip_prefix("n/(").and_then(|text| text.strip_suffix("*block)"));
        let number = share.unwrap_or(text).parse().context(forms)?;
        ensure!(number > 0, "the grid is not empty");
        Ok(if share.is_some() { Grid::Share { items: number, least: 1 } } else { Grid::Fixed(number) })
    }

    pub fn blocks(self, case: Case) -> u32 {
        match self {
            Grid::Fixed(blocks) => blocks,
            Grid::Share { items, least } => {
                let share = case.n.div_ceil(items as usize * case.block as usize);
                share.max(least as usize) as u32
            }
        }
    }
}

impl fmt::Display for Grid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Grid::Fixed(1) => f.write_str("one block"),
            Grid::Fixed(blocks) => write!(f, "{blocks} blocks"),
            Grid::Share { items, least: least @ 2.. } => {
                let share = Grid::Share { items: *items, least: 1 };
                write!(f, "{least} blocks, or, where those are more, {share}")
            }
            Grid::Share { items: 1, .. } => f.write_str("a thread for each of the `n` numbers"),
            Grid::Share { items, .. } => write!(f, "a thread for every {items} of the `n` numbers"),
        }
    }
}

impl Op {
    /// The result for `input` (and `other`), by the serial recursion. All of it wraps in 32 bits.
    pub fn expected(self, input: &[i32], other: &[i32]) -> i32 {
        match self {
            Op::Sum => recursive_reduce(&mut input.to_vec()),
            Op::Squares => Op::Dot.expected(input, input),
            Op::Max => input.iter().copied().max().unwrap_or(i32::MIN),
            Op::Min => input.iter().copied().min().unwrap_or(i32::MAX),
            Op::Range => {
                let ends = input.iter().max().zip(input.iter().min());
                ends.map_or(0, |(largest, smallest)| largest.wrapping_sub(*smallest))
            }
            Op::Dot => {
                let mut products: Vec<i32> =
                    input.iter().zip(other).map(|(a, b)| a.wrapping_mul(*b)).collect();
                recursive_reduce(&mut products)
            }
            Op::Floats => {
                let sum: f64 = input.iter().map(|bits| f64::from(f32::from_bits(*bits as u32))).sum();
                (sum as f32).to_bits() as i32
            }
        }
    }

    /// What changes no result: an element with this value counts as if it were not there. `None` if there is
    /// no such value.
    pub fn identity(self) -> Option<i32> {
        match self {
            Op::Sum | Op::Squares | Op::Dot => Some(0),
            Op::Max => Some(i32::MIN),
            Op::Min => Some(i32::MAX),
            Op::Range | Op::Floats => None,
        }
    }

    /// Whether the result depends on the order of the operations.
    pub fn rounds(self) -> bool {
        self == Op::Floats
    }

    /// Whether `result` is right for `input`. Floats may go through [`ROUNDINGS`] additions, each off by
    /// 2^-24 of its result at most, and no result is above the sum of all absolute values (N. J. Higham,
    /// *Accuracy and Stability of Numerical Algorithms*, 2nd edition, section 4.2).
    pub fn agrees(self, result: i32, expected: i32, input: &[i32]) -> bool {
        if !self.rounds() {
            return result == expected;
        }
        let float = |bits: i32| f64::from(f32::from_bits(bits as u32));
        let most: f64 = input.iter().map(|bits| float(*bits).abs()).sum();
        (float(result) - float(expected)).abs() <= ROUNDINGS / f64::from(1 << 24) * most
    }

    /// As text, of the type that the kernels have: sums are unsigned.
    pub fn show(self, result: i32) -> String {
        match self {
            Op::Floats => nine_digits(f32::from_bits(result as u32).into()),
            Op::Max | Op::Min | Op::Range => thousands(result.into()),
            Op::Sum | Op::Squares | Op::Dot => thousands((result as u32).into()),
        }
    }

    /// The results of several blocks as one.
    pub fn combined(self, partials: &[i32]) -> i32 {
        let op = if matches!(self, Op::Dot | Op::Squares) { Op::Sum } else { self };
        op.expected(partials, &[])
    }

    /// `the sum is`
    pub fn noun(self) -> &'static str {
        match self {
            Op::Sum => "sum",
            Op::Squares => "sum of squares",
            Op::Range => "range",
            Op::Max => "maximum",
            Op::Min => "minimum",
            Op::Dot => "dot product",
            Op::Floats => "sum",
        }
    }
}

impl Goal {
    /// `divergent_branches <= 6 n=512 block=512`
    pub fn parse(text: &str) -> Result<Goal> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [field, "<=", most, rest @ ..] = &words[..] else { bail!("FIELD <= N n=N block=B") };
        let given = |name: &str| {
            let value = rest.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or("0").parse().with_context(|| format!("{name}=N"))
        };
        let goal = Goal {
            field: field.to_string(),
            most: most.parse().context("the bound is a number")?,
            n: given("n")?,
            block: given("block")? as u32,
        };
        let is_known = counter(&Counters::default(), field).is_some() || OTHERS.contains(field);
        ensure!(is_known, "no counter {field}");
        Ok(goal)
    }

    /// As [`Counters`] calls it, or one of [`OTHERS`].
    pub fn field(&self) -> &str {
        &self.field
    }

    /// Whether it counts allocations of a Rust function, all sizes together.
    pub fn is_allocations(&self) -> bool {
        self.field == "allocations"
    }

    /// `divergent branches`
    pub fn name(&self) -> String {
        name(&self.field)
    }

    pub fn case(&self) -> Case {
        Case { n: self.n, block: self.block, schedule: 0 }
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = thousands(self.most as i64);
        let (name, unit) = self
            .name()
            .split_once(" (")
            .map_or((self.name(), String::new()), |(name, unit)| (name.to_string(), format!(" ({unit}")));
        match self.most {
            0 => write!(f, "no {name}")?,
            1 => write!(f, "at most one {}{unit}", name.trim_end_matches('s'))?,
            _ => write!(f, "at most {most} {name}{unit}")?,
        }
        if self.is_allocations() { Ok(()) } else { write!(f, " at {}", self.case()) }
    }
}

impl Case {
    /// The same numbers in the order that others are compared with.
    pub fn plain(self) -> Case {
        Case { schedule: if self.schedule < CANCELLING { 0 } else { CANCELLING }, ..self }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "n = {}", thousands(self.n as i64))?;
        if self.block > 0 {
            write!(f, ", {} threads per block", thousands(self.block.into()))?;
        }
        match self.schedule {
            0 => Ok(()),
            schedule if schedule % 4 == 2 => {
                write!(f, ", in order of turns number {schedule} (the last warps and blocks first)")
            }
            schedule => write!(f, ", in the shuffled order of turns number {schedule}"),
        }
    }
}

/// The counter `field`, if there is such a counter.
pub fn counter(counters: &Counters, field: &str) -> Option<u64> {
    serde_json::to_value(counters).ok()?.get(field)?.as_u64()
}

/// What a counter is called: `barrier arrivals (one per warp)`.
pub fn name(field: &str) -> String {
    match field {
        "barriers" => "barrier arrivals (one per warp)".into(),
        "global_load_requests" => "global load requests (one per warp)".into(),
        "global_store_requests" => "global store requests (one per warp)".into(),
        "atomics" => "atomic operations".into(),
        BLOCK_NUMBERS => "numbers loaded by one block".into(),
        _ => field.replace('_', " "),
    }
}

fn named<T: ValueEnum>(what: &str, name: &str) -> Result<T> {
    T::from_str(name, false).map_err(|_| anyhow!("there is no {what} {name}"))
}

fn numbers<T: std::str::FromStr>(text: &str) -> Result<Vec<T>> {
    let number = |word: &str| word.parse().ok().with_context(|| format!("`{word}` is no number"));
    text.split_whitespace().map(number).collect()
}

/// Numbers from 0 up to below 1, of 24 bits, as bits. Where they cancel, the first 1,024, as many as the
/// largest block has threads, are 2^60 times as large, and the next 1,024 the same below 0: what is added
/// between the two is lost, in a double too, and what is added before or after them is not.
fn floats(numbers: &[i32], case: Case) -> Vec<i32> {
    let most = *BLOCKS.last().unwrap_or(&1) as usize;
    let float = |i: usize| {
        let float = |number: i32| (number as u32 >> 8) as f32 / (1 << 24) as f32;
        let large = 2f32.powi(60);
        match i / most {
            _ if case.plain().schedule != CANCELLING => float(numbers[i]),
            0 => large * float(numbers[i]),
            1 => -large * float(numbers[i - most]),
            _ => float(numbers[i]),
        }
    };
    (0..numbers.len()).map(|i| float(i).to_bits() as i32).collect()
}

/// The sizes that a Rust function is checked with.
pub fn sizes() -> &'static [usize] {
    SIZES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_gets_other_numbers_and_lengths_and_the_same_text_the_same() {
        let plan = |text: &str| Plan::default().for_text(text);
        let case = Case { n: 1000, block: 96, schedule: 0 };
        let (one, other) = (plan("int x;\n"), plan("int y;\n"));
        assert_eq!(one.seeds(case), plan("int x;\r\n").seeds(case));
        assert_ne!(one.seeds(case), other.seeds(case));
        assert_ne!(one.seeds(case), one.seeds(Case { block: 32, ..case }));
        assert_eq!(one.seeds(case), one.seeds(Case { schedule: 2, ..case }));
        assert_eq!(one.unlisted(), plan("int x;\n").unlisted());
        assert_ne!(one.unlisted(), other.unlisted());
        assert!(one.unlisted().iter().all(|case| !SIZES.contains(&case.n)));
        let block = Plan { one_block: true, ..one };
        assert!(block.unlisted().iter().all(|case| (5..=case.block as usize).contains(&case.n)));
    }

    /// Right at the listed lengths alone is not right, whatever an exercise lists.
    #[test]
    fn every_kernel_is_tried_at_a_length_that_no_file_names() {
        use super::super::source::Kind;
        for exercise in super::super::catalogue::read(std::path::Path::new(workbook::ROOT)).unwrap() {
            let Kind::Kernel(plan) = &exercise.kind else { continue };
            let plan = plan.for_text("int x;");
            let listed: Vec<usize> = plan.cases().iter().map(|case| case.n).collect();
            assert!(plan.unlisted().iter().any(|case| !listed.contains(&case.n)), "{}", exercise.id);
        }
    }

    #[test]
    fn sums_are_unsigned_and_extremes_are_not() {
        assert_eq!(Op::Sum.show(-1), "4,294,967,295");
        assert_eq!(Op::Min.show(-1), "-1");
    }
}

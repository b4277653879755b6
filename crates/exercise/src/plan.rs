//! How the host launches an answer, what it should give, and for which inputs.
//!
//! `//@ launch reduce<<<n/block, block>>> @data @partials u32:n` is a launch as `workbook::launch` has it, on
//! these buffers:
//!
//! | buffer | holds |
//! | --- | --- |
//! | `input`, `other` | `n` numbers that must not be changed |
//! | `data` | the same numbers as `input`, in a copy that the kernel may change |
//! | `partials` | an `int` for each block of the first launch, not initialised |
//! | `out` | one `int`, not initialised |
//! | `total`, `ticket` | one `int` that is 0 |
//!
//! `n` is how many numbers there are, `block` the threads per block, and `blocks` the blocks in the first
//! launch. The grid is a number, or a division: `n/block`, `n/(4*block)`; or both, whichever is larger:
//! `max(7,n/block)`. There is at least one block.

use std::fmt;

use anyhow::{Context, Result, anyhow, bail, ensure};
use clap::ValueEnum;
use workbook::launch::{self, Script, Spec, Step};

use workbook::build::prebuilt::text_hash;
use workbook::number::{nine_digits, thousands};
use workbook::reduction::data::{bits, numbers as numbers_from};
use workbook::reduction::serial::recursive_reduce;
use workbook::sim::Counters;

/// The host's side of an exercise.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    pub launches: Vec<Launch>,
    /// The buffer with the result, if it is not `partials`, which the host combines.
    result: Option<String>,
    pub op: Op,
    sizes: Vec<usize>,
    blocks: Vec<u32>,
    one_block: bool,
    most_blocks: Option<u32>,
    /// Of the inputs; see [`Plan::for_text`].
    seed: u64,
}

/// The buffers, a line for each. Whoever runs a plan writes the numbers to `input`, `other` and `data`.
const BUFFERS: &str = "\
buffer input = i32:uninit*n
buffer other = i32:uninit*n
buffer data = i32:uninit*n
buffer partials = i32:uninit*blocks
buffer out = i32:uninit*1
buffer total = i32:zeros*1
buffer ticket = i32:zeros*1";
pub const PARTIALS: &str = "partials";

/// One launch, of which everything but the numbers is known.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    /// As it is written.
    line: String,
    pub args: Vec<Spec>,
    /// The grid in words.
    grid: String,
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
/// Arrays up to this length are checked before longer ones, and in every order of turns; among them are parts
/// of a warp and of a block, and many blocks.
pub const SHORT: usize = 5000;
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
            ("result", _) => self.result = Some(buffer(rest)?.to_string()),
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
                let orders = schedules.iter().map(|&schedule| Case { n, block, schedule });
                cases.extend(orders.filter(|case| n <= SHORT || *case == case.plain()));
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
        self.launches.iter().all(|launch| launch.blocks(case) <= most)
    }

    /// The buffer that the result is in.
    pub fn result(&self) -> &str {
        self.result.as_deref().unwrap_or(PARTIALS)
    }

    /// Whether a launch gets this buffer.
    fn uses(&self, buffer: &str) -> bool {
        let name = |arg: &Spec| arg.to_string().strip_prefix('@') == Some(buffer);
        self.launches.iter().any(|launch| launch.args.iter().any(name))
    }

    /// The buffers and launches for one input.
    pub fn script(&self, case: Case) -> Result<Script> {
        let blocks = self.launches.first().map_or(1, |launch| launch.blocks(case));
        let names = names(case, blocks);
        let mut script = Script::default();
        for line in BUFFERS.lines().filter(|line| self.uses(buffer_of(line))) {
            script.add_lines(line, &names)?;
        }
        for launch in &self.launches {
            script.add("launch", &launch.line, &names)?;
        }
        for step in &mut script.steps {
            let Step::Launch(launch) = step else { continue };
            launch.config.grid_dim.0 = launch.config.grid_dim.0.max(1);
        }
        Ok(script)
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
        let combined = match self.op {
            Op::Sum | Op::Squares | Op::Dot | Op::Floats => "adds them up",
            Op::Max | Op::Range => "takes the largest of them",
            Op::Min => "takes the smallest of them",
        };
        if self.result() == PARTIALS {
            lines.push(format!("Each block leaves its result in `partials`, and the host {combined}."));
        }
        if self.uses("total") {
            lines.push("`total` is 0 at the start, and holds the result at the end.".into());
        }
        if self.uses("ticket") {
            lines.push("`ticket` is 0 at the start.".into());
        }
        lines
    }
}

/// What the names in a launch stand for.
fn names(case: Case, blocks: u32) -> [(&'static str, u64); 3] {
    [("n", case.n as u64), ("block", case.block.into()), ("blocks", blocks.into())]
}

/// The buffer that a line of [`BUFFERS`] makes.
fn buffer_of(line: &str) -> &str {
    line.split(' ').nth(1).unwrap_or_default()
}

/// The buffer called `name`, of those that there are.
fn buffer(name: &str) -> Result<&str> {
    let mut buffers = BUFFERS.lines().map(buffer_of);
    let all = || BUFFERS.lines().map(buffer_of).collect::<Vec<_>>().join(", ");
    buffers
        .find(|known| *known == name)
        .with_context(|| format!("there is no buffer {name}; there are: {}", all()))
}

impl Launch {
    fn parse(line: &str) -> Result<Launch> {
        let launch = launch::Launch::parse(line, &names(Case { n: 1, block: 1, schedule: 0 }, 1))?;
        for arg in &launch.args {
            arg.to_string().strip_prefix('@').map(buffer).transpose()?;
        }
        let inside = line.split_once("<<<").and_then(|(_, rest)| rest.split_once(", block>>>"));
        let (grid, _) = inside.context("the launch is KERNEL<<<GRID, block>>>")?;
        let kernel = launch.kernel.context("the launch has no kernel")?;
        Ok(Launch { kernel, line: line.to_string(), args: launch.args, grid: said(grid)? })
    }

    /// Blocks of its grid.
    pub fn blocks(&self, case: Case) -> u32 {
        launch::Launch::parse(&self.line, &names(case, 1)).map_or(1, |launch| launch.config.grid_dim.0.max(1))
    }
}

/// A grid in words.
fn said(grid: &str) -> Result<String> {
    let share = grid.strip_prefix("n/(").and_then(|rest| rest.strip_suffix("*block)"));
    let larger = grid.strip_prefix("max(").and_then(|rest| rest.strip_suffix(')')?.split_once(','));
    Ok(match (grid, share, larger) {
        ("1", ..) => "one block".to_string(),
        ("n/block", ..) => "a thread for each of the `n` numbers".to_string(),
        (_, Some(items), _) => format!("a thread for every {items} of the `n` numbers"),
        (_, _, Some((least, share))) => format!("{least} blocks, or, where those are more, {}", said(share)?),
        _ if grid.parse::<u32>().is_ok_and(|blocks| blocks > 0) => format!("{grid} blocks"),
        _ => bail!("the grid is a number, n/block or n/(4*block)"),
    })
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(Spec::to_string).collect();
        let args: Vec<&str> = args.iter().map(|arg| arg.rsplit(['@', ':']).next().unwrap_or(arg)).collect();
        write!(f, "`{}({})` with {}", self.kernel, args.join(", "), self.grid)
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

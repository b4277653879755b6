//! How the host launches an answer, and for which inputs.
//!
//! `reduce<<<ceil_div(n,block), block>>> @data @partials u32:n` is a launch as `launch` has it, on these
//! buffers:
//!
//! | buffer | holds |
//! | --- | --- |
//! | `input` | `n` numbers that must not be changed |
//! | `data` | the same numbers, in a copy that the kernel may change |
//! | `partials` | an `int` for each block of the first launch, not initialised |
//! | `out` | one `int`, not initialised |
//! | `results`, `halves` | `n` `int`s, and half as many, not initialised |
//! | `sums` | `n` + 16 `int`s that are 0 |
//! | `total`, `ticket` | one `int` that is 0 |
//!
//! `n` is how many numbers there are, `block` the threads per block, and `blocks` the blocks in the first
//! launch. The grid is a number, or a division: `ceil_div(n,block)`, `ceil_div(n,4*block)`; or the larger of
//! both: `max(7,ceil_div(n,block))`. There is at least one block. Or the numbers stand in `rows` and
//! `columns`:
//! `<<<dim3(ceil_div(columns,16),ceil_div(rows,block/16)), dim3(16,block/16)>>>`.

use std::fmt;

use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use kernel_compiler::hash::text_hash;
use launch::{self, Scope, Script, Spec, Value};
use reduction::data::{bits, numbers as numbers_from};

use super::case::{CANCELLING, Case};
use super::each::Each;
use super::info::Host;
use super::op::Op;

/// The host's side of an exercise.
#[derive(Clone, Debug)]
pub struct Plan {
    pub launches: Vec<Launch>,
    /// The buffer with the result; if it is `partials`, the host combines them.
    pub result: String,
    pub op: Op,
    sizes: Vec<usize>,
    blocks: Vec<u32>,
    one_block: bool,
    exact: bool,
    small: bool,
    most_blocks: u32,
    /// Of the inputs; see [`Plan::for_text`].
    seed: u64,
}

/// The buffers, a line for each. Whoever runs a plan writes the numbers to `input` and `data`.
const BUFFERS: &str = "\
buffer input = i32:uninit*n
buffer data = i32:uninit*n
buffer partials = i32:uninit*blocks
buffer out = i32:uninit*1
buffer results = i32:uninit*n
buffer halves = i32:uninit*ceil_div(n,2)
buffer sums = i32:zeros*n,zeros*16
buffer total = i32:zeros*1
buffer ticket = i32:zeros*1";
pub const PARTIALS: &str = "partials";

/// One launch, of which everything but the numbers is known.
#[derive(Clone, Debug)]
pub struct Launch {
    pub kernel: String,
    /// As it is written, with at least one block.
    line: String,
    pub args: Vec<Spec>,
    /// The grid in words.
    grid: String,
}

/// Threads per block, at least, for [`Plan::unlisted`]: there is a tree of some height.
const TALL: u32 = 64;
/// Empty, single, around a warp, around a block, and long, with odd ones at every level of the tree.
pub const SIZES: &[usize] = &[0, 1, 2, 3, 31, 32, 33, 1000, 1025, 4097, 100_003];
/// Arrays up to this length are checked before longer ones, and in every order of turns; among them are parts
/// of a warp and of a block, and many blocks.
pub const SHORT: usize = 5000;
/// The longest arrays of [`Plan::unlisted`].
const LONG: usize = 1 << 17;
/// From one warp to the largest block.
const BLOCKS: &[u32] = &[32, 96, 256, 1024];
/// The plain order of turns, a shuffled one, and one that takes the last warps and blocks first.
pub const SCHEDULES: &[u64] = &[0, 1, 2];
/// Where results round, each order of turns comes twice: from [`CANCELLING`] on with numbers that cancel each
/// other.
const MORE_SCHEDULES: &[u64] = &[0, 1, 2, CANCELLING, CANCELLING + 1, CANCELLING + 2];

impl Default for Plan {
    fn default() -> Plan {
        Plan {
            launches: Vec::new(),
            result: PARTIALS.into(),
            op: Op::Sum,
            sizes: SIZES.into(),
            blocks: BLOCKS.into(),
            one_block: false,
            exact: false,
            small: false,
            most_blocks: u32::MAX,
            seed: 0,
        }
    }
}

impl Plan {
    /// The plan that an exercise's file says.
    ///
    /// # Errors
    /// What of it cannot be.
    pub fn new(host: &Host) -> Result<Plan> {
        let usual = Plan::default();
        let result = host.result.clone().unwrap_or(usual.result);
        buffers(Case::SMALLEST, 1)?.buffer(&result)?;
        let op = match (&host.op, host.rows) {
            (_, Some(lengths)) => Op::Each(Each::RowSums(lengths)),
            (Some(op), None) => Each::from_str(op, false)
                .map(Op::Each)
                .or(Op::from_str(op, false))
                .map_err(|_| anyhow!("there is no operation {op}"))?,
            (None, None) => usual.op,
        };
        Ok(Plan {
            launches: host.launches.iter().map(|launch| Launch::parse(launch)).collect::<Result<_>>()?,
            result,
            op,
            sizes: host.sizes.clone().unwrap_or(usual.sizes),
            blocks: host.blocks.clone().unwrap_or(usual.blocks),
            one_block: host.one_block || host.exact,
            exact: host.exact,
            small: host.small || matches!(op, Op::Each(_)),
            most_blocks: host.most_blocks.unwrap_or(usual.most_blocks),
            seed: usual.seed,
        })
    }

    /// The plan with this one launch, for tests.
    #[cfg(test)]
    pub fn of_launch(launch: &str) -> Plan {
        Plan::new(&Host { launches: vec![launch.to_string()], ..Host::default() }).unwrap()
    }

    /// All inputs that an answer is checked with, the simplest first.
    pub fn cases(&self) -> Vec<Case> {
        let schedules = if self.op.rounds() { MORE_SCHEDULES } else { SCHEDULES };
        let mut cases = Vec::new();
        for &n in &self.sizes {
            for &block in self.blocks.iter().filter(|block| !self.one_block || n <= **block as usize) {
                let orders = schedules.iter().map(|&schedule| Case { n, block, schedule });
                cases.extend(orders.filter(|case| n <= SHORT || *case == case.plain()));
            }
        }
        cases.extend(self.full_blocks());
        cases.sort_by_key(|case| case.n);
        cases.retain(|case| self.has_room(*case));
        self.fitted(cases)
    }

    /// A single block is full once for each size; of several blocks the first one is full anyway.
    fn full_blocks(&self) -> impl Iterator<Item = Case> {
        let blocks =
            self.blocks.iter().filter(|block| self.one_block && !self.sizes.contains(&(**block as usize)));
        blocks.map(|&block| Case { n: block as usize, block, schedule: 0 })
    }

    /// `cases` with as many threads as numbers, each once, where the launch is so.
    fn fitted(&self, mut cases: Vec<Case>) -> Vec<Case> {
        if self.exact {
            cases.iter_mut().for_each(|case| case.block = case.n as u32);
            cases.dedup();
            cases.sort();
            cases.dedup();
        }
        cases
    }

    /// [`Plan::cases`] in the plain order of turns.
    pub fn plain_cases(&self) -> Vec<Case> {
        let mut cases = self.cases();
        cases.retain(|case| case.schedule == 0);
        cases
    }

    /// The plan for an answer's file: another text gets other numbers and other [`Plan::unlisted`] lengths,
    /// the same text the same ones again. So no answer can hold a table of results: it would be another text.
    pub fn for_text(&self, text: &str) -> Plan {
        // 16 hexadecimal digits.
        let seed = u64::from_str_radix(&text_hash(text), 16).unwrap_or_default();
        Plan { seed, ..self.clone() }
    }

    /// The numbers of `case`: the same in every order of turns but for [`Case::plain`]. Other lengths and
    /// blocks have other numbers.
    pub fn input(&self, case: Case) -> Vec<i32> {
        let which = u64::from(case.block) << 32 | case.n as u64;
        // Another factor would change every sum in `mistakes.txt`.
        let numbers = numbers_from(case.n, bits(self.seed, 2 * which));
        if self.op.rounds() {
            floats(&numbers, case)
        } else if self.small {
            numbers.into_iter().map(|number| number.rem_euclid(100)).collect()
        } else {
            numbers
        }
    }

    /// Lengths that no file names, one for each size of block: what is right or cheap only for the lengths
    /// that are listed, or where a goal is measured, is found there. And a short one, and a long one.
    pub fn unlisted(&self) -> Vec<Case> {
        let some = |block: u32, from: usize, below: usize| Case {
            n: from + (bits(self.seed, block.into()) % (below - from) as u64) as usize,
            block,
            schedule: 0,
        };
        let long = self.blocks.iter().filter(|block| !self.one_block || **block >= TALL).map(|&block| {
            let most = block as usize;
            if self.one_block { some(block, most / 2 + 1, most) } else { some(block, 1100, 4000) }
        });
        let short = self.blocks.first().map(|&block| some(block, 5, 31));
        let known = short.into_iter().chain(long).filter(|case| self.has_room(*case));
        self.fitted(known.chain(self.unlisted_long()).collect())
    }

    /// A length up to [`LONG`], as far as the blocks may go: for the solution that is a few milliseconds.
    fn unlisted_long(&self) -> Option<Case> {
        if self.one_block || self.blocks.is_empty() {
            return None;
        }
        let drawn = bits(self.seed, LONG as u64);
        let block = self.blocks[(drawn % self.blocks.len() as u64) as usize];
        let mut case = Case { n: SHORT + 1 + (drawn >> 32) as usize % (LONG - SHORT), block, schedule: 0 };
        while case.n > SHORT && !self.has_room(case) {
            case.n -= case.n / 4;
        }
        (case.n > SHORT).then_some(case)
    }

    /// The inputs for which an answer's work is compared with the solution's: the longest, with the largest
    /// and with the smallest blocks.
    pub fn work_cases(&self) -> Vec<Case> {
        let cases = self.plain_cases();
        let blocks = cases.iter().map(|case| case.block);
        let longest = |block| cases.iter().rfind(|case| Some(case.block) == block).copied();
        let mut found: Vec<Case> =
            [blocks.clone().max(), blocks.min()].into_iter().filter_map(longest).collect();
        found.dedup();
        found
    }

    /// The input that is timed on a GPU: long, as far as the blocks may go; or what fits one block.
    pub fn timed(&self) -> Option<Case> {
        let last = *self.plain_cases().last()?;
        let mut lengths = (10..=24).rev().map(|power| 1 << power).filter(|_| !self.one_block);
        let long = lengths.find_map(|n| Some(Case { n, ..last }).filter(|case| self.has_room(*case)));
        long.or(Some(last))
    }

    /// `case` in words, with its rows where there are some.
    pub fn said(&self, case: Case) -> String {
        let rows = if self.has_rows() {
            format!("{} × {} numbers, ", case.rows(), case.columns())
        } else {
            String::new()
        };
        format!("{rows}{case}")
    }

    fn has_rows(&self) -> bool {
        self.launches.iter().any(|launch| launch.line.contains(GRID_OF_ROWS))
    }

    fn has_room(&self, case: Case) -> bool {
        self.launches.iter().all(|launch| launch.blocks(case) <= self.most_blocks)
    }

    /// Whether a launch gets this buffer.
    fn uses(&self, buffer: &str) -> bool {
        let is_it = |arg: &Spec| matches!(&arg.value, Value::Pointer(to) if to.buffer == buffer);
        self.launches.iter().any(|launch| launch.args.iter().any(is_it))
    }

    /// The buffers and launches for one input.
    pub fn script(&self, case: Case) -> Result<Script> {
        let blocks = self.launches.first().map_or(1, |launch| launch.blocks(case));
        let mut script = buffers(case, blocks)?;
        script.buffers.retain(|buffer| self.uses(&buffer.name));
        for launch in &self.launches {
            script.add("launch", &launch.line, Scope::of(&names(case, blocks)))?;
        }
        Ok(script)
    }

    /// What is done on the host, in words.
    pub fn sentences(&self) -> Vec<String> {
        let mut lines: Vec<String> =
            self.launches.iter().map(|launch| format!("The host launches {launch}.")).collect();
        if self.result == PARTIALS {
            let combines = self.op.combining();
            lines.push(format!("Each block leaves its result in `partials`, and the host {combines}."));
        }
        if self.uses("results") {
            lines.push(
                "`results` has room for as many numbers; what is in it at the start is undefined.".into(),
            );
        }
        if self.uses("halves") {
            lines.push("`halves` has room for half as many numbers, rounded up.".into());
        }
        if self.uses("total") {
            lines.push("`total` is 0 at the start, and holds the result at the end.".into());
        }
        if self.uses("sums") {
            lines.push("`sums` has room for more rows than there are, and is 0 at the start.".into());
        }
        if self.uses("ticket") {
            lines.push("`ticket` is 0 at the start.".into());
        }
        lines
    }
}

/// What the names in a launch stand for.
fn names(case: Case, blocks: u32) -> [(&'static str, u64); 5] {
    let [rows, columns] = [case.rows(), case.columns()].map(|count| count as u64);
    let threads = case.block.into();
    [
        ("n", case.n as u64),
        ("block", threads),
        ("blocks", blocks.into()),
        ("rows", rows),
        ("columns", columns),
    ]
}

/// All buffers that there are.
fn buffers(case: Case, blocks: u32) -> Result<Script> {
    Script::parse(BUFFERS, Scope::of(&names(case, blocks)))
}

impl Launch {
    fn parse(line: &str) -> Result<Launch> {
        let launch = launch::Launch::parse(line, Scope::of(&names(Case::SMALLEST, 1)))?;
        let buffers = buffers(Case::SMALLEST, 1)?;
        for arg in &launch.args {
            if let Value::Pointer(to) = &arg.value {
                buffers.buffer(&to.buffer)?;
            }
        }
        let parts = line.split_once("<<<").and_then(|(_, rest)| rest.split_once(">>>"));
        let (grid, threads, args) = parts
            .and_then(|(sizes, args)| {
                let (grid, threads) = sizes.split_once(", ")?;
                Some((grid, threads, args))
            })
            .context("the launch is KERNEL<<<GRID, block>>>")?;
        let kernel = launch.kernel.context("the launch has no kernel")?;
        let least = if grid == GRID_OF_ROWS { grid.to_string() } else { format!("max(1,{grid})") };
        let line = format!("{kernel}<<<{least}, {threads}>>>{args}");
        Ok(Launch { kernel, line, args: launch.args, grid: said(grid)? })
    }

    /// Blocks of its grid.
    pub fn blocks(&self, case: Case) -> u32 {
        launch::Launch::parse(&self.line, Scope::of(&names(case, 1)))
            .map_or(1, |launch| launch.config.grid_dim.0 * launch.config.grid_dim.1)
    }
}

/// The grid of numbers in rows and columns, in blocks of 16 columns.
const GRID_OF_ROWS: &str = "dim3(ceil_div(columns,16),ceil_div(rows,block/16))";

/// A grid in words.
fn said(grid: &str) -> Result<String> {
    let share = grid.strip_prefix("ceil_div(n,").and_then(|rest| rest.strip_suffix("*block)"));
    let larger = grid.strip_prefix("max(").and_then(|rest| rest.strip_suffix(')')?.split_once(','));
    Ok(match (grid, share, larger) {
        ("1", ..) => "one block".to_string(),
        (GRID_OF_ROWS, ..) => {
            "as many blocks as give each number of `rows` rows and `columns` columns a thread".to_string()
        }
        ("ceil_div(n,block)", ..) => "as many blocks as give each of the `n` numbers a thread".to_string(),
        (_, Some(items), _) => format!("as many blocks as give every {items} of the `n` numbers a thread"),
        (_, _, Some((least, share))) => format!("{least} blocks, or, where those are more, {}", said(share)?),
        _ if grid.parse::<u32>().is_ok_and(|blocks| blocks > 0) => format!("{grid} blocks"),
        _ => bail!("the grid is a number, ceil_div(n,block) or ceil_div(n,4*block)"),
    })
}

impl fmt::Display for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let args: Vec<String> = self.args.iter().map(Spec::to_string).collect();
        let args: Vec<&str> = args.iter().map(|arg| arg.rsplit(['@', ':']).next().unwrap_or(arg)).collect();
        write!(f, "`{}({})` with {}", self.kernel, args.join(", "), self.grid)
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_text_gets_other_numbers_and_lengths_and_the_same_text_the_same() {
        let plan = |text: &str| Plan::default().for_text(text);
        let case = Case { n: 1000, block: 96, schedule: 0 };
        let one = plan("int x;\n");
        let other = plan("int y;\n");
        assert_eq!(one.input(case), plan("int x;\r\n").input(case));
        assert_ne!(one.input(case), other.input(case));
        assert_ne!(one.input(case), one.input(Case { block: 32, ..case }));
        assert_eq!(one.input(case), one.input(Case { schedule: 2, ..case }));
        assert_eq!(one.unlisted(), plan("int x;\n").unlisted());
        assert_ne!(one.unlisted(), other.unlisted());
        assert!(one.unlisted().iter().all(|case| !SIZES.contains(&case.n)));
        let block = Plan { one_block: true, ..one };
        assert!(block.unlisted().iter().all(|case| (5..=case.block as usize).contains(&case.n)));
    }

    /// What compares numbers by their difference is wrong for some of them.
    #[test]
    fn numbers_that_are_compared_lie_further_apart_than_an_int_holds() {
        use super::super::source::Kind;
        let mut plans = 0;
        for exercise in super::super::catalogue::read(kernel_compiler::root().unwrap()).unwrap() {
            let Kind::Kernel(plan) = &exercise.kind else { continue };
            if !plan.op.compares() {
                continue;
            }
            for text in ["int x;", "int y;", "int z;"] {
                let plan = plan.for_text(text);
                for case in plan.cases().into_iter().filter(|case| (31..=SHORT).contains(&case.n)) {
                    let input = plan.input(case);
                    let largest = i64::from(*input.iter().max().unwrap());
                    let smallest = i64::from(*input.iter().min().unwrap());
                    assert!(largest - smallest > i32::MAX.into(), "{} {text}: {case}", exercise.id);
                }
            }
            plans += 1;
        }
        assert!(plans >= 4, "{plans}");
    }

    /// Right at the listed lengths alone is not right, whatever an exercise lists.
    #[test]
    fn every_kernel_is_tried_at_a_length_that_no_file_names() {
        use super::super::source::Kind;
        for exercise in super::super::catalogue::read(kernel_compiler::root().unwrap()).unwrap() {
            let Kind::Kernel(plan) = &exercise.kind else { continue };
            let plan = plan.for_text("int x;");
            let listed: Vec<usize> = plan.cases().iter().map(|case| case.n).collect();
            assert!(plan.unlisted().iter().any(|case| !listed.contains(&case.n)), "{}", exercise.id);
        }
    }
}

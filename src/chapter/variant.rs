//! A chapter and its variants: each is a kernel with its host side, its shape and its expected failures.

use std::hint::black_box;
use std::time::Instant;

use anyhow::{Context, Result};
use device::measure::{self, Measurement};
use device::{Device, DeviceKind, Function, Module};
use ptx_simulator::Diagnostic;
use reduction::operation::Operation;
use reduction::value::Answer;
use text::columns::Column;

use super::shape::{Place, Shape};
use crate::figure::Figure;
use crate::record::chart::{self, Chart, Vertical};
use crate::record::{Dropped, Failure, Record};

/// A chapter: its variants, and where they run.
pub struct Chapter {
    /// `ch3_blocks`: names the kernel's source, the example, the record and the page.
    pub stem: &'static str,
    /// One line for `--help`.
    pub about: &'static str,
    /// Where its kernels run.
    pub place: Place,
    /// In the order of the table.
    pub variants: &'static [Variant],
    /// The host code's text, where there is no kernel: its hash then identifies the code.
    pub source: &'static str,
    /// Elements, where the reader does not say.
    pub default_n: fn(DeviceKind) -> u64,
    /// Whether `--pending-launches` is one of its options.
    pub pending_launches: bool,
    /// Whether it runs on several devices at a time, and `--gpus` is one of its options.
    pub many_gpus: bool,
    /// Why it runs on the simulator alone, if so.
    pub simulator_only: Option<&'static str>,
    /// What it has beyond its variants.
    pub extras: Extras,
}

impl Chapter {
    /// `variants` in as many blocks as the elements need: 2^24 elements on a GPU, 2^16 on the simulator.
    pub const fn new(stem: &'static str, about: &'static str, variants: &'static [Variant]) -> Chapter {
        Chapter {
            stem,
            about,
            place: Place::ManyBlocks,
            variants,
            source: "",
            default_n: |device| if matches!(device, DeviceKind::Gpu) { 1 << 24 } else { 1 << 16 },
            pending_launches: false,
            many_gpus: false,
            simulator_only: None,
            extras: Extras::NONE,
        }
    }
}

/// A measurement on a GPU, which adds sections to the record: the device, the chapter's module, and the
/// reader's `--n`.
pub type Measure = fn(&Device, &Module, n: Option<u64>, &mut Record) -> Result<()>;

/// What one chapter has beyond its variants: a measurement of its own, how that is shown, and figures.
#[derive(Clone, Copy)]
pub struct Extras {
    /// Measures after the variants, with the device's [`Effort`](device::measure::Effort);
    /// [`Extras::on_a_gpu`] makes it.
    pub measure: Measure,
    /// The tables of those sections, each as its columns.
    pub tables: fn(&Record) -> Result<Vec<Vec<Column>>>,
    /// All charts of the record.
    pub charts: fn(&Record, Vertical) -> Result<Vec<Chart>>,
    /// The figures that its pages show; [`Extras::in_the_book`] makes them.
    pub figures: &'static [Figure],
}

impl Extras {
    /// Nothing but the charts that every record has.
    pub const NONE: Extras = Extras {
        measure: |_, _, _, _| Ok(()),
        tables: |_| Ok(Vec::new()),
        charts: |record, vertical| chart::charts(record, &[], vertical),
        figures: &[],
    };

    /// The measurement, where there may be a GPU. A page has none, and does not fetch the code.
    pub const fn on_a_gpu(measure: Measure) -> Measure {
        if cfg!(target_family = "wasm") { Extras::NONE.measure } else { measure }
    }

    /// The figures, where the book is built. A page has them drawn, and does not fetch the code.
    pub const fn in_the_book(figures: &'static [Figure]) -> &'static [Figure] {
        if cfg!(target_family = "wasm") { Extras::NONE.figures } else { figures }
    }
}

const NO_KERNELS: &str = "a chapter of the CPU has no kernels";

/// One way to reduce: a kernel, its host side, and what to expect of it.
#[derive(Clone, Copy)]
pub struct Variant {
    /// What the reader calls it.
    pub name: &'static str,
    /// What it does, in a sentence: its line in the book's map of kernels.
    pub idea: &'static str,
    /// The kernel's name in the source.
    pub symbol: &'static str,
    /// The host side, called once per run.
    pub host: fn(&Case) -> Result<Outcome>,
    /// What it computes.
    pub operation: Operation,
    /// The first grid for `n` elements, where this one was requested, on a device of so many multiprocessors.
    pub shape: fn(n: u64, Shape, multiprocessors: u32) -> Shape,
    /// The fewest threads per block with which several blocks come to one sum: 1, unless the host launches
    /// the kernel again over its partial sums, and a block of one thread would leave as many as there were.
    pub least_block: u32,
    /// What device code launches, where the first grid has this shape.
    pub launches: fn(n: u64, Shape) -> Launches,
    /// What a wrong run of `n` elements in this shape is kept to show.
    pub expected_failure: fn(n: u64, Shape) -> Option<Failure>,
    /// Error-bound factor for `n` elements in this shape: 1, unless the order of additions matters.
    pub error_factor: fn(n: u64, Shape) -> f64,
    /// Whether it is part of the chapter's story, which runs where no kernel is asked for by name.
    pub story: bool,
    /// Which sweeps run it.
    pub sweep: Sweep,
    /// Further runs beside the sweep's, of one that no sweep runs too: elements and threads per block.
    pub also: fn(DeviceKind) -> &'static [(u64, u32)],
    /// The lowest compute capability of a GPU that can run it, if it is not the lowest of all kernels.
    pub least_capability: Option<(u32, u32)>,
    /// Whether the simulator can run it.
    pub simulated: bool,
}

/// Which sweeps run a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sweep {
    /// On every device.
    Everywhere,
    /// On a GPU: the simulator's counts are those of another variant.
    TimesOnly,
    /// None: it runs at the requested size alone.
    Never,
}

impl Variant {
    /// A kernel that adds up `i32`, runs in the requested shape and launches nothing.
    pub const fn new(name: &'static str, host: fn(&Case) -> Result<Outcome>) -> Variant {
        Variant {
            name,
            idea: "",
            symbol: name,
            host,
            operation: Operation::SUM,
            shape: |_, shape, _| shape,
            least_block: 1,
            launches: |_, _| Launches::NONE,
            expected_failure: |_, _| None,
            error_factor: |_, _| 1.0,
            story: true,
            sweep: Sweep::Everywhere,
            also: |_| &[],
            least_capability: None,
            simulated: true,
        }
    }

    /// The variant, with what it does.
    pub const fn does(self, idea: &'static str) -> Variant {
        Variant { idea, ..self }
    }
}

/// Launches made by device code in one run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Launches {
    /// All of them.
    pub total: u64,
    /// How many may be waiting or running at a time.
    pub pending: u64,
    /// Blocks of the first grid that the host launches at once.
    pub blocks_at_once: u32,
    /// Microseconds that one costs on a GPU, about.
    pub microseconds: f64,
}

impl Launches {
    /// A kernel that launches nothing.
    pub const NONE: Launches = Launches { total: 0, pending: 0, blocks_at_once: u32::MAX, microseconds: 0.0 };

    /// `total` launches, each when the one before has ended: a tail launch costs about 10 µs on an H200.
    pub const fn one_after_another(total: u64) -> Launches {
        Launches { total, pending: 2, blocks_at_once: u32::MAX, microseconds: 10.0 }
    }

    /// Microseconds that all of them cost on a GPU, about.
    pub(super) fn all_microseconds(self) -> f64 {
        self.total as f64 * self.microseconds
    }
}

/// One run of one variant on a device.
pub struct Case<'a> {
    /// Where it runs.
    pub device: &'a Device,
    /// What runs.
    pub variant: &'a Variant,
    /// The chapter's numbers, of which an operation on another type makes its elements.
    pub data: &'a [i32],
    /// Threads per block.
    pub block: u32,
    /// Blocks of the first grid.
    pub grid: u32,
    /// What device code will launch.
    pub launches: Launches,
    /// The room for pending device launches that the reader asks for, where that is not simply enough.
    pub pending_launches: Option<u64>,
    /// The other devices of a chapter that runs on several, with its kernels there.
    pub(super) others: &'a [(Device, Module)],
    /// None where the chapter runs on the CPU.
    pub(super) module: Option<&'a Module>,
}

impl Case<'_> {
    /// The variant's kernel.
    ///
    /// # Errors
    /// If the chapter's source has no kernel of that name.
    pub fn kernel(&self) -> Result<Function> {
        self.load_function(self.variant.symbol)
    }

    /// Another kernel of the chapter.
    ///
    /// # Errors
    /// If the chapter's source has no kernel of that name.
    pub fn load_function(&self, name: &str) -> Result<Function> {
        let module = self.module.context(NO_KERNELS)?;
        match self.variant.least_capability {
            None => module.load_function(name),
            Some(_) => module.load_newer_function(name),
        }
    }

    /// All devices of a chapter that runs on several.
    pub fn devices(&self) -> Vec<&Device> {
        std::iter::once(self.device).chain(self.others.iter().map(|(device, _)| device)).collect()
    }

    /// The variant's kernel on each of [`Case::devices`].
    ///
    /// # Errors
    /// If the chapter's source has no kernel of that name.
    pub fn kernels(&self) -> Result<Vec<Function>> {
        let others = self.others.iter().map(|(_, module)| module.load_function(self.variant.symbol));
        std::iter::once(self.kernel()).chain(others).collect()
    }

    /// Elements, as kernels count them.
    pub fn size(&self) -> u32 {
        self.data.len() as u32
    }

    /// What `work` computes of a copy of the numbers on the CPU, with its time; without one beside the
    /// simulator, which has no clock, and in a browser, whose clock is coarse. Copying is not timed.
    ///
    /// # Errors
    /// None of its own.
    pub fn on_cpu<T: Into<Answer>>(&self, mut work: impl FnMut(&mut [i32]) -> T) -> Result<Outcome> {
        let mut copy = self.data.to_vec();
        if self.device.info().kind == DeviceKind::Sim || cfg!(target_family = "wasm") {
            return Ok(Outcome::new(work(&mut copy), Measurement::default()));
        }
        let mut result = None;
        let time = measure::repeat(measure::CPU_BUDGET, || {
            copy.copy_from_slice(self.data);
            let start = Instant::now();
            result = Some(black_box(work(black_box(&mut copy))));
            Ok(start.elapsed().as_secs_f64() * 1e6)
        })?;
        let result = result.context("nothing was computed")?;
        Ok(Outcome::new(result, Measurement { time, ..Default::default() }))
    }
}

/// The result of a run.
pub struct Outcome {
    /// What the variant's operation gave.
    pub answer: Answer,
    /// A time, or counts, and what the checks found.
    pub cost: Measurement,
    /// Device launches that did not happen.
    pub dropped: Option<Dropped>,
    /// The library that did part of the work, and how: `NCCL 2.28.9, algorithm RING, protocol LL`.
    pub library: Option<String>,
}

impl Outcome {
    /// A run that came to its end.
    pub fn new(answer: impl Into<Answer>, cost: Measurement) -> Outcome {
        Outcome { answer: answer.into(), cost, dropped: None, library: None }
    }

    /// A run that `diagnostic` stopped, and that is kept to show it.
    pub fn stopped(answer: impl Into<Answer>, diagnostic: Diagnostic) -> Outcome {
        Outcome::new(answer, Measurement { found: vec![diagnostic], ..Default::default() })
    }
}

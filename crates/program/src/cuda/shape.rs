//! Whether the numbers of a launch look exchanged: only if they fit its data exactly the other way round.

use ptx_simulator::host::Call;
use ptx_simulator::{LaunchConfig, Module, count_in};
use text::number::thousands;

use super::covered::{axes, uncovered};
use super::queue::Kernel;
use crate::runtime::Runtime;

/// A launch, as far as its sizes go.
#[derive(Clone, Debug)]
pub struct Shape {
    pub name: String,
    pub config: LaunchConfig,
    /// The numbers that it was given.
    pub numbers: Vec<u64>,
    pub place: Option<(String, u32)>,
    /// Whether the launch failed, so that it wrote nothing.
    pub failed: bool,
}

/// Threads of the smallest block that looks like one.
const WARP: u64 = 32;

/// Three numbers, as `dim3` has them.
type Three = (u32, u32, u32);

/// `128`, `(16, 8)` or `(4, 4, 2)`
fn said(three: Three) -> String {
    match three {
        (x, 1, 1) => thousands(x.into()),
        (x, y, 1) => format!("({x}, {y})"),
        (x, y, z) => format!("({x}, {y}, {z})"),
    }
}

/// What each parameter is given, where that is at most eight bytes.
pub fn numbers(module: &Module, kernel: &Kernel) -> impl Iterator<Item = Option<u64>> {
    let params = module.params(&kernel.name).unwrap_or_default();
    params.iter().map(|param| {
        let mut number = [0; 8];
        let given = kernel.params.get(param.offset..param.offset + param.bytes)?;
        number.get_mut(..given.len())?.copy_from_slice(given);
        Some(u64::from_le_bytes(number))
    })
}

impl Shape {
    /// What is launched with these parameters.
    pub fn of(runtime: &Runtime, call: &Call, kernel: &Kernel, place: Option<&(String, u32)>) -> Shape {
        let mut numbers: Vec<u64> = numbers(runtime.module, kernel).flatten().collect();
        numbers.retain(|number| *number > 1 && call.simulator.allocation(*number).is_none());
        Shape {
            name: kernel.name.clone(),
            config: kernel.config,
            numbers,
            place: place.cloned(),
            failed: false,
        }
    }

    /// The numbers that it was given, and the threads of each axis.
    pub fn sizes(&self) -> Vec<u64> {
        let [grid, block] = [self.config.grid_dim, self.config.block_dim].map(axes);
        let threads = grid.into_iter().zip(block).map(|(blocks, threads)| blocks * threads);
        self.numbers.iter().copied().chain(threads.filter(|threads| *threads > 1)).collect()
    }

    pub fn threads(&self) -> u64 {
        count_in(self.config.grid_dim).saturating_mul(count_in(self.config.block_dim))
    }

    /// `<<<(4, 2), 256>>>`
    pub fn said(&self) -> String {
        format!("<<<{}, {}>>>", said(self.config.grid_dim), said(self.config.block_dim))
    }

    /// Whether each axis has the blocks that one of these numbers needs.
    fn fits(&self, numbers: &[u64]) -> bool {
        let [grid, block] = [self.config.grid_dim, self.config.block_dim].map(axes);
        let has_blocks = |axis: usize| {
            let is_one = grid[axis] == 1 && block[axis] == 1;
            is_one || numbers.iter().any(|number| number.div_ceil(block[axis]) == grid[axis])
        };
        block.iter().all(|threads| *threads > 0) && (0..3).all(has_blocks)
    }

    /// The same launch with `grid` and `block` for its own.
    fn with(&self, grid_dim: Three, block_dim: Three) -> Shape {
        Shape { config: LaunchConfig { grid_dim, block_dim, ..self.config }, ..self.clone() }
    }

    /// This launch with its grid and block exchanged, if that fits its numbers.
    pub fn grid_for_block(&self) -> Option<Shape> {
        let exchanged = self.with(self.config.block_dim, self.config.grid_dim);
        let is_block = count_in(exchanged.config.block_dim) >= WARP;
        (is_block && exchanged.fits(&self.numbers)).then_some(exchanged)
    }

    /// What to say of a launch whose grid and block look exchanged: its own do not fit what it is given.
    pub fn exchanged_help(&self) -> Option<String> {
        let exchanged = self.grid_for_block().filter(|_| !self.fits(&self.numbers))?;
        Some(format!(
            "grid and block look exchanged: {} fits what `{}` is given",
            exchanged.said(),
            self.name
        ))
    }

    /// This launch with x and y of its grid exchanged, if it then covers `elements` exactly that are as wide
    /// and high as two of its numbers say.
    fn x_for_y(&self, elements: u64) -> Option<Shape> {
        let (x, y, z) = self.config.grid_dim;
        let exchanged = self.with((y, x, z), self.config.block_dim);
        let [grid, block] = [exchanged.config.grid_dim, self.config.block_dim].map(axes);
        // Which of the two is the width, only the kernel knows.
        let fits = self.numbers.iter().any(|width| {
            let height = elements / width;
            let is_plane = width * height == elements && *width != height;
            let fits = [*width, height].iter().zip(block).zip(grid).all(|((n, b), g)| n.div_ceil(b) == g);
            is_plane && self.numbers.contains(&height) && fits
        });
        (fits && x != y).then_some(exchanged)
    }

    /// Whether this launch and `other` have the grids that the other one needs.
    fn is_for(&self, other: &Shape) -> bool {
        let mine = self.with(other.config.grid_dim, self.config.block_dim);
        let others = other.with(self.config.grid_dim, other.config.block_dim);
        let is_other = self.config.grid_dim != other.config.grid_dim;
        let fits_now = self.fits(&self.numbers) || other.fits(&other.numbers);
        is_other && !fits_now && mine.fits(&self.numbers) && others.fits(&other.numbers)
    }

    /// What to do about an element of `elements` that this launch has not written; `launches` are all.
    pub fn help(&self, elements: u64, launches: &[Shape]) -> String {
        let name = &self.name;
        if self.failed {
            return format!("the launch of `{name}` failed, and it wrote nothing");
        }
        if let Some(exchanged) = self.x_for_y(elements) {
            return format!(
                "x and y of the grid look exchanged: {} covers the {} elements",
                exchanged.said(),
                thousands(elements as i64)
            );
        }
        if let Some(other) = launches.iter().find(|other| self.is_for(other)) {
            return format!(
                "the grids of two launches look exchanged: {} fits what `{name}` is given, and {} what `{}` \
                 is",
                self.with(other.config.grid_dim, self.config.block_dim).said(),
                other.with(self.config.grid_dim, other.config.block_dim).said(),
                other.name
            );
        }
        if let Some(uncovered) = uncovered(self.config, &self.numbers, elements) {
            return format!("{} has {uncovered}", self.said());
        }
        let threads = self.threads();
        if threads < elements {
            let [threads, elements] = [threads, elements].map(|count| thousands(count as i64));
            return format!(
                "{} has {threads} threads for {elements} elements: launch one for each, or let each write \
                 several",
                self.said()
            );
        }
        format!("look at the index and the condition in `{name}`: no thread writes this element")
    }
}

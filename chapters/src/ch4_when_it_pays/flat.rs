//! Levels and passes: launched by the host, as a graph, and nested, each from its parent.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::measure::Measurement;
use workbook::device::{Buffer, DEFAULT_PENDING_LAUNCHES, Function, Graph, LaunchConfig};
use workbook::record::Dropped;

use super::plan::{self, Level, Pass, partial_sums};

/// One launch per level, in a loop or in a graph.
pub fn levels(case: &Case, in_a_graph: bool) -> Result<Outcome> {
    let Case { device, data, block, .. } = *case;
    let kernel = case.kernel()?;
    let input = device.clone_htod(data)?;
    let g_data = device.alloc::<i32>(data.len())?;
    let g_odata = device.alloc_zeros::<i32>(1)?;
    let all = || {
        let levels = plan::levels(data.len() as u64, block);
        levels.into_iter().try_for_each(|Level { size, grid }| {
            let mut launch = device.launch_builder(&kernel);
            launch.arg(&g_data).arg(&g_odata).arg(&size).launch(LaunchConfig::new(grid, block))
        })
    };
    let graph = if in_a_graph { Some(device.capture(all)?) } else { None };
    let cost = device.measure(
        || device.memcpy_dtod(&input, &g_data), // the kernel works in place
        || graph.as_ref().map_or_else(all, Graph::launch),
    )?;
    Ok(Outcome::new(device.clone_dtoh(&g_odata)?[0], cost))
}

/// One launch per pass, in a loop.
pub fn passes(case: &Case) -> Result<Outcome> {
    let passes = Passes::new(case)?;
    let all = || (0..passes.list.len()).try_for_each(|i| passes.launch(i, None));
    let cost = case.device.measure(|| passes.copy_input(), all)?;
    passes.outcome(cost)
}

pub fn passes_in_a_graph(case: &Case) -> Result<Outcome> {
    let passes = Passes::new(case)?;
    let graph = case.device.capture(|| (0..passes.list.len()).try_for_each(|i| passes.launch(i, None)))?;
    let cost = case.device.measure(|| passes.copy_input(), || graph.launch())?;
    passes.outcome(cost)
}

/// A graph must exist before the graph whose kernel launches it, so the last pass is captured first.
pub fn passes_in_graphs_of_the_device(case: &Case) -> Result<Outcome> {
    let passes = Passes::new(case)?;
    let cost = passes.measure_graphs(passes.list.len() - 1, None)?;
    passes.outcome(cost)
}

/// Nested: each child adds up its parent's partial sums, until one block is enough.
pub fn nested_passes(case: &Case) -> Result<Outcome> {
    let device = case.device;
    device.set_pending_launch_limit(case.pending_launches.unwrap_or(DEFAULT_PENDING_LAUNCHES))?;
    let passes = Passes::new(case)?;
    let cost = device.measure(
        || {
            device.memset_zeros(&passes.g_odata)?; // clear the sum of the run before
            passes.copy_input()
        },
        || {
            let Passes { kernel, g_data, partials, g_odata, failure, .. } = &passes;
            let mut launch = device.launch_builder(kernel);
            launch.arg(g_data).arg(partials).arg(g_odata).arg(&case.size()).arg(failure);
            launch.launch(LaunchConfig::new(case.grid, case.block))
        },
    )?;
    passes.outcome(cost)
}

/// The passes of a case, with their buffers.
struct Passes<'a> {
    case: &'a Case<'a>,
    list: Vec<Pass>,
    kernel: Function,
    input: Buffer<i32>,
    g_data: Buffer<i32>,
    partials: Buffer<i32>,
    g_odata: Buffer<i32>,
    /// The first cudaError_t, and launches that did not happen.
    failure: Buffer<u32>,
}

impl Passes<'_> {
    fn new<'a>(case: &'a Case) -> Result<Passes<'a>> {
        let Case { device, data, block, .. } = *case;
        let n = data.len() as u64;
        Ok(Passes {
            case,
            list: plan::passes(n, block),
            kernel: case.kernel()?,
            input: device.clone_htod(data)?,
            g_data: device.alloc(data.len())?,
            partials: device.alloc(partial_sums(n, block))?,
            g_odata: device.alloc_zeros(1)?,
            failure: device.alloc_zeros(2)?,
        })
    }

    /// So that the caches are as in chapter 3 when a repeat begins.
    fn copy_input(&self) -> Result<()> {
        self.case.device.memcpy_dtod(&self.input, &self.g_data)
    }

    /// Captures passes i to 0, pass i to launch `next`, and measures them.
    fn measure_graphs(&self, i: usize, next: Option<&Graph>) -> Result<Measurement> {
        let device = self.case.device;
        if i == 0 {
            let first = device.capture(|| self.launch(0, Some(next)))?;
            return device.measure(|| self.copy_input(), || first.launch());
        }
        let graph = device.capture_for_device(|| self.launch(i, Some(next)))?;
        self.measure_graphs(i - 1, Some(&graph))
    }

    /// Pass i reads the sums of pass i-1 and stores its own after them; the last pass stores the result. A
    /// kernel that launches the next pass takes its graph, or 0, and sets `failure` if the launch fails.
    fn launch(&self, i: usize, next: Option<Option<&Graph>>) -> Result<()> {
        let Passes { case, list, .. } = self;
        let mut launch = case.device.launch_builder(&self.kernel);
        if i == 0 {
            launch.arg(&self.g_data);
        } else {
            launch.arg(&self.partials.slice(list[i - 1].sums..));
        }
        if i + 1 == list.len() {
            launch.arg(&self.g_odata);
        } else {
            launch.arg(&self.partials.slice(list[i].sums..));
        }
        launch.arg(&list[i].size);
        match next {
            Some(Some(graph)) => launch.arg(graph).arg(&self.failure),
            Some(None) => launch.arg(&0u64).arg(&self.failure),
            None => &mut launch,
        };
        launch.launch(LaunchConfig::new(list[i].grid, case.block))
    }

    fn outcome(&self, cost: Measurement) -> Result<Outcome> {
        let device = self.case.device;
        let dropped = Dropped::from_words(&device.clone_dtoh(&self.failure)?);
        Ok(Outcome { dropped, ..Outcome::new(device.clone_dtoh(&self.g_odata)?[0], cost) })
    }
}

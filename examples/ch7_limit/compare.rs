//! The chapter's kernels, CUB, Thrust and the CPU add up the same arrays in one process, in turns, and each
//! is timed in the three ways of [`workbook::chapters::ch7_limit::timing`]. Needs a GPU.

use std::io::Write;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use rayon::prelude::*;
use workbook::chapter::Shape;
use workbook::chapters::ch7_limit::comparison::{NOTHING, TYPES};
use workbook::chapters::ch7_limit::libraries::{Libraries, Summed};
use workbook::chapters::ch7_limit::timing::{self, Cache, Contender, Flush, Rotation};
use workbook::chapters::ch7_limit::{SumF32, SumI64, kernel};
use workbook::device::measure::{self, CPU_BUDGET};
use workbook::device::{Device, LaunchConfig, Module};
use workbook::record::{Record, Run, Timing, Timings};
use workbook::reduction::data;
use workbook::reduction::operator::{Operator, SumI32, elements};
use workbook::reduction::value::{Expected, Value};

use crate::RUNGS;
use crate::chain::Chain;

/// Sizes: powers of 4 from 2^10 to this.
const LARGEST: u64 = 1 << 30;
/// Threads per block of the kernels that have no choice of their own.
const BLOCK: u32 = 512;

/// Adds the comparison to `record`, at all sizes up to `n` for which there is memory.
pub fn measure(device: &Device, module: &Module, n: Option<u64>, record: &mut Record) -> Result<()> {
    let powers = (10..).step_by(2).map(|exponent| 1u64 << exponent);
    let sizes: Vec<_> = powers.take_while(|&size| size <= n.unwrap_or(LARGEST).min(LARGEST)).collect();
    let Some(&most) = sizes.last() else { return Ok(()) };
    let data = data::numbers(most as usize, record.seed);
    let libraries = match Libraries::open(device, Path::new(env!("CARGO_MANIFEST_DIR")))? {
        Ok(opened) => Some(opened),
        Err(note) => {
            let _ = writeln!(std::io::stderr(), "note: {note}");
            None
        }
    };
    let stage = Stage { device, module, libraries, data: &data };
    for &n in &sizes {
        record.comparison.extend(stage.runs::<SumI32>(n)?);
    }
    for &n in &sizes {
        record.comparison.extend(stage.runs::<SumF32>(n)?);
    }
    for &n in &sizes {
        record.comparison.extend(stage.runs::<SumI64>(n)?);
    }
    record.ok &= record.comparison.iter().all(Run::as_expected);
    Ok(())
}

/// Where the comparison takes place.
struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    libraries: Option<Libraries>,
    data: &'a [i32],
}

impl Stage<'_> {
    /// The rungs for the elements of `O` and the libraries at `n` elements; `None` if memory runs out.
    fn runs<O: Operator>(&self, n: u64) -> Result<Vec<Run>>
    where
        O::Element: Summed + PartialEq + Send + Sync,
    {
        let names = TYPES.iter().find(|names| names.type_name == O::Element::SUFFIX);
        let names = names.context("a type without names")?;
        let rungs = RUNGS.iter().filter(|rung| rung.operation.name == names.operation.name);
        let rungs: Vec<_> = rungs.collect();
        let (device, operation) = (self.device, &names.operation);
        let bytes = n as usize * size_of::<O::Element>();
        if 4 * bytes as u64 > device.info().gpu.map_or(0, |gpu| gpu.memory_bytes) {
            return Ok(Vec::new());
        }
        let n = n as usize;
        let expected = (operation.expected)(&self.data[..n]);
        let mut host = elements::<O>(&self.data[..n]);
        let (cpu_sum, cpu_time) = on_cpu::<O>(&host)?;

        // Copies begin at multiples of 256 bytes, as allocations do.
        let stride = n.next_multiple_of(256 / size_of::<O::Element>());
        host.resize(stride, O::IDENTITY);
        let copies = (2 * timing::FLUSH_BYTES / bytes).clamp(if bytes < 1 << 32 { 2 } else { 1 }, 1 << 16);
        let input = device.clone_htod(&host.repeat(copies))?;
        drop(host);

        let functions = rungs.iter().map(|rung| kernel(rung.symbol, operation, n as u64));
        let functions = functions.map(|name| self.module.load_function(name)).collect::<Result<Vec<_>>>()?;
        let mut chains = Vec::new();
        for (rung, function) in rungs.iter().zip(&functions) {
            let shape = |n| (rung.shape)(n, Shape::of_blocks(n, BLOCK), device.multiprocessors());
            chains.push(Chain::new(device, function, &input, n as u64, shape(n as u64), shape)?);
        }
        let nothing = self.module.load_function(NOTHING)?;
        let nothing = device.launch_builder(&nothing).prepare(LaunchConfig::new(1, 32))?;
        let cub = self.libraries.as_ref().map(|library| library.cub::<O::Element>(device, n)).transpose()?;

        let at = |copy: usize| input.slice(copy * stride..);
        let of_chains: Vec<_> = chains.iter().map(|chain| |copy| chain.launch(&at(copy))).collect();
        let do_nothing = |_| nothing.launch();
        let of_cub = |copy| cub.as_ref().map_or(Ok(()), |cub| cub.launch(&at(copy)));
        let of_thrust = |copy| match &self.libraries {
            Some(library) => library.thrust(&at(copy), n).map(drop),
            None => Ok(()),
        };
        // Thrust, which allocates and waits, comes before the empty kernel, and so before nobody whose time
        // it could spoil. Without libraries both calls do nothing.
        let in_graph = |call| Contender { call, in_graph: true };
        let mut contenders = vec![Contender { call: &of_thrust, in_graph: false }, in_graph(&do_nothing)];
        contenders.extend(of_chains.iter().map(|call| in_graph(call)));
        contenders.push(Contender { call: &of_cub, in_graph: cub.is_some() });

        let samples = if bytes > 1 << 27 { 15 } else { 201 };
        let rotation = Rotation::new(copies);
        let calls = ((1 << 26) / bytes).clamp(if copies > 1 { 2 } else { 1 }, 64);
        let flush = Flush::new(device, self.module)?;
        let cold = timing::one_call(device, &contenders, &rotation, Cache::Cold, samples)?;
        let warm = timing::one_call(device, &contenders, &rotation, Cache::Warm, samples)?;
        let alone = timing::work_alone(device, &contenders, &rotation, calls, samples, || flush.run())?;
        let timings = |i: usize| {
            let of = |times: &[Option<Timing>]| times.get(i).copied().flatten();
            Some(Timings { one_call_cold: of(&cold), one_call_warm: of(&warm), work_alone: of(&alone) })
        };

        let run =
            |kernel, sum, expected: &Expected| Run::of(kernel, n as u64, operation, sum, expected.clone());
        let mut runs = Vec::new();
        for (i, (rung, chain)) in rungs.iter().zip(&chains).enumerate() {
            chain.launch(&at(0))?;
            let LaunchConfig { grid_dim, block_dim, .. } = chain.config();
            let shape = Run {
                block: block_dim.0,
                grid: grid_dim.0,
                ..run(rung.name, O::value(chain.sum()?), &expected)
            };
            runs.push(Run { timings: timings(2 + i), ..shape });
        }
        let none = Expected::exactly(Value::Text("none".to_string()));
        let launch = run(names.nothing, none.value.clone(), &none);
        runs.push(Run { block: 32, grid: 1, timings: timings(1), ..launch });
        if let (Some(library), Some(cub)) = (&self.libraries, &cub) {
            cub.launch(&at(0))?;
            for (i, name, library, sum) in [
                (2 + rungs.len(), names.cub, format!("CUB {}", library.version), cub.sum()?),
                (0, names.thrust, "Thrust".to_string(), library.thrust(&at(0), n)?),
            ] {
                let rival = run(name, O::value(sum), &expected);
                runs.push(Run { timings: timings(i), library: Some(library), ..rival });
            }
        }
        let library = Some(format!("rayon, {} CPU threads", rayon::current_num_threads()));
        let cpu = run(names.cpu, O::value(cpu_sum), &expected);
        runs.push(Run { time_us: cpu_time, library, ..cpu });
        Ok(runs)
    }
}

/// The sum by all threads of the CPU, and its time.
fn on_cpu<O: Operator>(host: &[O::Element]) -> Result<(O::Element, Option<Timing>)>
where
    O::Element: Send + Sync,
{
    let mut sum = O::IDENTITY;
    let time = measure::repeat(CPU_BUDGET, || {
        let start = Instant::now();
        sum = host.par_iter().copied().reduce(|| O::IDENTITY, O::combine);
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    Ok((sum, time))
}

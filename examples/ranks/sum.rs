//! What a rank does: its share of the sum on its GPU, then the all-reduce.

use std::time::Instant;

use anyhow::{Result, ensure};
use workbook::build::kernels;
use workbook::device::collective::{Collective, Ranks, Reduce, UniqueId};
use workbook::device::{Device, DeviceChoice, LaunchConfig, Module, NoGpu};
use workbook::number::{thousands, time};
use workbook::record::Timing;
use workbook::reduction::data;
use workbook::say;

use super::meeting::{Fault, Hello, Meeting};
use super::{Engine, Options, Place};

/// Threads per block: the kernel is compiled for it.
const BLOCK: u32 = 512;

/// What a rank needs before it meets the others.
struct Tools {
    device: Device,
    module: Module,
    nccl: Option<Ranks>,
}

impl Tools {
    fn find(place: &Place, options: &Options) -> Result<Tools> {
        let wants_nccl = match options.engine {
            Engine::Auto => options.device != DeviceChoice::Sim,
            engine => engine == Engine::Nccl,
        };
        let nccl = if wants_nccl { Some(Ranks::load()?) } else { None };
        ensure!(
            nccl.is_none() || options.device != DeviceChoice::Sim,
            "NCCL reduces on GPUs alone; leave --engine nccl out"
        );
        // Another rank may have a GPU, so none falls back to the simulator on its own.
        let device = Device::open_number(options.device, place.local_rank)?;
        let module = device.load_module(kernels::get("ch8_many_gpus")?)?;
        Ok(Tools { device, module, nccl })
    }
}

/// Meets the others, adds up the shares, and prints the sum.
pub fn run(place: &Place, options: &Options) -> Result<(), Fault> {
    let tools = Tools::find(place, options).map_err(|error| in_one_sentence(place.rank, error));
    let alike = vec![
        format!("{} ranks", place.ranks),
        format!("--n {}", options.n),
        format!("--seed {}", options.seed),
        format!("--repeats {}", options.repeats),
        format!(
            "{} for the shares",
            if tools.as_ref().is_ok_and(|tools| tools.nccl.is_some()) { "NCCL" } else { "rank 0" }
        ),
    ];
    let hello = Hello {
        rank: place.rank,
        alike,
        gpu: tools.as_ref().ok().and_then(|tools| tools.device.identity()),
        fault: tools.as_ref().err().cloned(),
    };
    let id = || match tools.as_ref().ok().and_then(|tools| tools.nccl.as_ref()) {
        Some(nccl) => nccl.unique_id().map(|id| id.to_vec()),
        None => Ok(Vec::new()),
    };
    let (mut meeting, id) = Meeting::open(place, hello, id, options.timeout)?;
    let worked = tools.and_then(|tools| work(place, options, tools, &id, &mut meeting));
    match worked {
        Ok(()) => {
            meeting.close();
            Ok(())
        }
        Err(fault) => Err(meeting.stop(fault)),
    }
}

// ANCHOR: work
fn work(
    place: &Place,
    options: &Options,
    tools: Tools,
    id: &[u8],
    meeting: &mut Meeting,
) -> Result<(), Fault> {
    let Tools { device, module, nccl } = tools;
    let collective = match nccl {
        None => None,
        Some(nccl) => {
            let id = UniqueId::try_from(id)
                .map_err(|_| lost(place, anyhow::anyhow!("rank 0 sent no id of NCCL")))?;
            let joined = nccl.join(&device, id, place.rank, place.ranks);
            Some(joined.map_err(|error| lost(place, error))?)
        }
    };
    wait_for(meeting, &device, collective.as_ref(), "NCCL to connect")?;
    if place.rank == 0 {
        let engine = collective.as_ref().map_or(Ok("rank 0, over TCP".into()), Collective::name);
        say::out(&format!(
            "{} rank{}, rank 0 on {}; the shares are added by {}\n",
            place.ranks,
            if place.ranks == 1 { "" } else { "s" },
            device.info().name,
            engine.map_err(|error| lost(place, error))?
        ));
    }

    let all = data::numbers(options.n as usize, options.seed);
    let each = all.len().div_ceil(place.ranks);
    let [start, end] = [place.rank, place.rank + 1].map(|k| (k * each).min(all.len()));
    let made = || -> Result<_> {
        let (input, output) = (device.clone_htod(&all[start..end])?, device.alloc_zeros::<i32>(1)?);
        let blocks = (end - start).div_ceil(16 * BLOCK as usize).clamp(1, 4224) as u32;
        Ok((input, output, blocks, device.alloc::<i32>(blocks as usize)?, device.alloc_zeros::<u32>(1)?))
    };
    let (input, output, blocks, partials, ticket) = made().map_err(|error| lost(place, error))?;
    let kernel = module.load_function("reduceShare").map_err(|error| lost(place, error))?;

    let (mut sum, mut times) = (0, Vec::new());
    for _ in 0..=options.repeats {
        let begin = Instant::now();
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&output).arg(&((end - start) as u32)).arg(&partials).arg(&ticket);
        launch.launch(LaunchConfig::new(blocks, BLOCK)).map_err(|error| lost(place, error))?;
        if let Some(collective) = &collective {
            let begun = collective.all_reduce(&[&output], Reduce::Sum);
            begun.map_err(|error| meeting.explain(error))?;
            wait_for(meeting, &device, Some(collective), "the all-reduce")?;
        }
        sum = device.clone_dtoh(&output).map_err(|error| lost(place, error))?[0];
        if collective.is_none() {
            sum = meeting.all_reduce(sum, |a, b| Ok(a.wrapping_add(b)))?;
        }
        times.push(begin.elapsed().as_secs_f64() * 1e6);
    }

    // None ends before all have the sum, and the same one.
    let expected = all.iter().fold(0, |sum: i32, number| sum.wrapping_add(*number));
    meeting.all_reduce(sum, |sum, other| match sum == other {
        true => Ok(sum),
        false => Err(Fault { status: 1, sentence: format!("one rank has the sum {sum}, another {other}") }),
    })?;
    if sum != expected {
        let sentence = format!("rank {}: the sum is {sum}, and should be {expected}", place.rank);
        return Err(Fault { status: 1, sentence });
    }
    if place.rank == 0 {
        times.remove(0); // the first call loads the code
        let median =
            Timing::of(times).map_or(String::new(), |timing| format!(", {} each", time(timing.median)));
        let n = thousands(options.n as i64);
        say::out(&format!("sum of {n} elements: {sum}, as expected{median}\n"));
    }
    Ok(())
}
// ANCHOR_END: work

/// Until what is put into the stream is done, and NCCL has nothing to do any more.
fn wait_for(
    meeting: &mut Meeting,
    device: &Device,
    collective: Option<&Collective>,
    what: &str,
) -> Result<(), Fault> {
    meeting.wait(what, |meeting| {
        let going_on = collective.map_or(Ok(false), Collective::in_progress);
        let ready = going_on.and_then(|going_on| Ok(!going_on && device.is_idle()?));
        ready.map_err(|error| meeting.explain(error))
    })
}

fn lost(place: &Place, error: anyhow::Error) -> Fault {
    Fault { status: 1, ..in_one_sentence(place.rank, error) }
}

/// Which rank, and why.
fn in_one_sentence(rank: usize, error: anyhow::Error) -> Fault {
    let why =
        error.downcast_ref().map_or_else(|| format!("{error:#}"), |no_gpu: &NoGpu| no_gpu.reason.clone());
    Fault { status: 2, sentence: format!("rank {rank}: {why}") }
}

//! What a rank does: its share of the sum on its GPU, then the all-reduce.

use std::cell::RefCell;
use std::time::Instant;

use anyhow::{Context, Result, ensure};
use workbook::device::collective::{Collective, Nccl};
use workbook::device::{Device, DeviceChoice, LaunchConfig, Module, Timing};
use workbook::kernels;
use workbook::reduction::data;
use workbook::reduction::operator::SumI32;
use workbook::text::number::{thousands, time};
use workbook::text::say;

use super::Options;
use super::meeting::{Id, Meeting};
use super::place::Place;

/// Threads per block: the kernel is compiled for it.
const BLOCK: u32 = 512;
/// The most elements of a share: the kernel's indices go on for a tile behind the last, in 32 bits.
const MAX_SHARE: u64 = (1 << 32) - (1 << 25);

/// Rounds that are not timed. On two H200s the first three launches of the graph took 0.1 to 1 ms each in
/// every run, whatever ran before, and the others 20 µs.
const WARM_UP: u64 = 10;

/// What a rank needs before it meets the others.
pub struct Tools {
    device: Device,
    module: Module,
    nccl: Option<Nccl>,
}

impl Tools {
    pub fn find(place: &Place, options: &Options) -> Result<Tools> {
        let is_simulated = options.device == DeviceChoice::Sim;
        let each = options.n.div_ceil(place.ranks.into());
        ensure!(
            each <= MAX_SHARE,
            "its share has {each} elements, and a kernel counts {MAX_SHARE}: give a smaller --n, or start \
             more ranks"
        );
        let nccl = if is_simulated { None } else { Some(Nccl::load()?) };
        // Another rank may have a GPU, so none falls back to the simulator on its own.
        let device = Device::open_number(options.device, place.local_rank.into())?;
        let module = kernels::load(&device, "ch8_many_gpus")?;
        Ok(Tools { device, module, nccl })
    }
}

/// Meets the others, adds up the shares, and prints the sum.
pub fn run(place: &Place, options: &Options, tools: Tools) -> Result<()> {
    let gpus = if tools.nccl.is_some() { "GPUs" } else { "simulated GPUs" };
    let Options { n, seed, repeats, .. } = options;
    let settings = format!("--n {n}, --seed {seed}, --repeats {repeats}, {gpus}");
    let id = match &tools.nccl {
        Some(nccl) if place.rank == 0 => nccl.unique_id()?,
        _ => [0; 128],
    };
    let (mut meeting, id) = Meeting::open(place, &settings, id, options.timeout)?;
    work(place, options, tools, id, &mut meeting)
}

fn work(place: &Place, options: &Options, tools: Tools, id: Id, meeting: &mut Meeting) -> Result<()> {
    let Tools { device, module, nccl } = tools;
    let each = options.n.div_ceil(place.ranks.into());
    let bound = |rank: u16| u64::from(rank).saturating_mul(each).min(options.n);
    let own = bound(place.rank)..bound(place.rank + 1);
    let size = (own.end - own.start) as u32;
    let mut numbers = Vec::new();
    numbers.try_reserve_exact(size as usize).context("not enough memory for its share")?;
    numbers.extend(data::numbers_in(own, options.seed));
    let blocks = size.div_ceil(16 * BLOCK).clamp(1, 4224);
    // All memory is there before what uses it: NCCL is aborted before it is given back, which would wait for
    // a kernel that waits for another rank.
    let input = device.clone_htod(&numbers)?;
    let partials = device.alloc::<i32>(blocks as usize)?;
    let ticket = device.alloc_zeros::<u32>(1)?;
    let output = device.alloc_zeros::<i32>(1)?;
    let landed = device.alloc_host::<i32>(1)?;

    let join = |nccl: Nccl| Collective::join(nccl, &device, id, place.rank.into(), place.ranks.into());
    let collective = nccl.map(join).transpose()?;
    // Until what is put into the stream is done, and NCCL has nothing to do any more.
    let wait_for = |meeting: &mut Meeting, what: &str| {
        meeting.wait(what, |_| {
            let going_on = collective.as_ref().map_or(Ok(false), Collective::in_progress)?;
            Ok(!going_on && device.is_idle()?)
        })
    };
    wait_for(meeting, "NCCL to connect")?;
    if place.rank == 0 {
        let s = if place.ranks == 1 { "" } else { "s" };
        let adds = collective.as_ref().map_or(Ok("rank 0, over TCP".into()), Collective::name)?;
        let ranks = place.ranks;
        let gpu = device.info().name;
        say::out(&format!("{ranks} rank{s}, rank 0 on {gpu}; the shares are added by {adds}\n"));
    }

    let kernel = module.load_function("reduceShare")?;
    // What is right: each rank has generated its share alone.
    let expected = meeting.all_reduce(numbers.iter().copied().fold(0, i32::wrapping_add))?;

    let round = |meeting: &mut Meeting| -> Result<()> {
        let mut launch = device.launch_builder(&kernel);
        launch.arg(&input).arg(&output).arg(&size).arg(&partials).arg(&ticket);
        launch.launch(LaunchConfig::new(blocks, BLOCK))?;
        if let Some(collective) = &collective {
            collective.all_reduce::<SumI32>(&[&output])?;
            // NCCL puts it into the stream in a thread of its own; what comes next has to come behind it.
            meeting.wait("NCCL to begin", |_| Ok(!collective.in_progress()?))?;
        }
        device.memcpy_async(&output.slice(0..), &landed, 1)
    };
    let check = |meeting: &mut Meeting| -> Result<()> {
        wait_for(meeting, "the all-reduce")?;
        let own = device.clone_dtoh(&landed)?[0];
        let sum = if collective.is_some() { own } else { meeting.all_reduce(own)? };
        ensure!(sum == expected, "the sum is {sum}, and should be {expected}");
        Ok(())
    };
    // The first round loads the code and makes NCCL's connections. The others are a graph: NCCL prepares an
    // all-reduce that must not block in a new thread each time, which takes longer than the all-reduce.
    round(meeting)?;
    check(meeting)?;
    let meeting = RefCell::new(meeting); // the graph borrows what its work does
    let graph = device.capture(|| round(&mut meeting.borrow_mut()))?;
    let mut times = Vec::new();
    let untimed = if collective.is_some() { WARM_UP } else { 0 };
    for number in 0..untimed.saturating_add(options.repeats) {
        let begin = Instant::now();
        graph.launch()?;
        check(&mut meeting.borrow_mut())?;
        if number >= untimed {
            times.push(begin.elapsed().as_secs_f64() * 1e6);
        }
    }

    // No rank ends before all have the sum.
    ensure!(meeting.borrow_mut().all_reduce(0)? == 0, "the ranks do not end together");
    if place.rank == 0 {
        let median =
            Timing::of(times).map_or(String::new(), |timing| format!(", {} each", time(timing.median)));
        let n = thousands(options.n as i64);
        say::out(&format!("sum of {n} elements: {expected}, as expected{median}\n"));
    }
    Ok(())
}

//! Chapter 8.1: each GPU has n numbers, and they are added, number by number. What does that cost alone?

use anyhow::{Result, ensure};
use workbook::chapter::{Case, Chapter, Outcome, Shape, Variant};
use workbook::device::collective::Collective;
use workbook::device::{Buffer, DeviceKind, LaunchConfig};
use workbook::reduction::operator::SumI32;

pub const CHAPTER: Chapter = Chapter {
    many_gpus: true,
    ..Chapter::new(
        "ch8_combine",
        "n numbers on each GPU become their sums: by the host, by NCCL, by one GPU",
        &[
            variant("combineOnHost", on_host).does("The host copies the numbers of each GPU, and adds them."),
            variant("combineAllReduce", all_reduce).does("NCCL adds them; each GPU has the sums."),
            variant("combineFromPeer", from_peer)
                .does("The first GPU reads those of the others, and adds them to its own."),
        ],
    )
};

const fn variant(name: &'static str, host: fn(&Case) -> Result<Outcome>) -> Variant {
    Variant { symbol: "addFromPeer", shape, also: few, ..Variant::new(name, host) }
}

/// Threads per block: the kernel is compiled for it.
const BLOCK: u32 = 512;

/// Four numbers per thread, until the GPU is full.
fn shape(n: u64, _: Shape, _: u32) -> Shape {
    Shape { block: BLOCK, grid: n.div_ceil(4 * u64::from(BLOCK)).clamp(1, 528) as u32 }
}

/// From one number on.
fn few(kind: DeviceKind) -> &'static [(u64, u32)] {
    match kind {
        DeviceKind::Gpu => &[(1, 512), (16, 512), (256, 512)],
        _ => &[(1, 512), (64, 512)],
    }
}

/// The numbers of each GPU. Their sums are the chapter's numbers.
fn vectors(case: &Case) -> Result<Vec<Vec<i32>>> {
    let others = case.devices().len() as i32 - 1;
    let of = |gpu: i32| move |number: &i32| number.wrapping_mul(2 * gpu + 3);
    let mut vectors: Vec<Vec<i32>> = vec![case.data.to_vec()];
    for gpu in 0..others {
        vectors.push(case.data.iter().map(of(gpu)).collect());
        let (first, rest) = vectors.split_at_mut(1);
        for (own, other) in first[0].iter_mut().zip(&rest[gpu as usize]) {
            *own = own.wrapping_sub(*other);
        }
    }
    Ok(vectors)
}

fn on_gpus(case: &Case) -> Result<Vec<Buffer<i32>>> {
    case.devices().iter().zip(vectors(case)?).map(|(device, vector)| device.clone_htod(&vector)).collect()
}

/// The sum of the sums, which have to be the chapter's numbers.
fn outcome(case: &Case, sums: &[i32], cost: workbook::device::measure::Measurement) -> Result<Outcome> {
    ensure!(sums == case.data, "{}: some of the {} sums are wrong", case.variant.name, sums.len());
    Ok(Outcome::new(sums.iter().fold(0, |sum: i32, number| sum.wrapping_add(*number)), cost))
}

// ANCHOR: on_host
fn on_host(case: &Case) -> Result<Outcome> {
    let devices = case.devices();
    let vectors = on_gpus(case)?;
    let mut landed = Vec::new();
    for device in &devices {
        landed.push(device.alloc_host::<i32>(case.data.len())?);
    }
    let mut sums = vec![0; case.data.len()];
    let cost = case.device.measure_until_done(|| {
        for ((device, vector), landed) in devices.iter().zip(&vectors).zip(&landed) {
            device.memcpy_async(&vector.slice(0..), landed, vector.len())?; // all at the same time
        }
        sums.fill(0);
        for (device, landed) in devices.iter().zip(&mut landed) {
            device.on_host(landed, |numbers| {
                for (sum, number) in sums.iter_mut().zip(numbers) {
                    *sum = i32::wrapping_add(*sum, *number);
                }
            })?;
        }
        Ok(())
    })?;
    outcome(case, &sums, cost)
}
// ANCHOR_END: on_host

fn all_reduce(case: &Case) -> Result<Outcome> {
    let devices = case.devices();
    let vectors = on_gpus(case)?;
    let collective = Collective::new(&devices)?;
    let all_reduce = |vectors: &[Buffer<i32>]| {
        collective.all_reduce::<SumI32>(&vectors.iter().collect::<Vec<_>>())?;
        devices.iter().try_for_each(|device| device.synchronize())
    };
    let cost = case.device.measure_until_done(|| all_reduce(&vectors))?;
    let once = on_gpus(case)?; // the vectors above have been added many times
    all_reduce(&once)?;
    let outcome = outcome(case, &case.device.clone_dtoh(&once[0])?, cost)?;
    Ok(Outcome { library: Some(collective.name()?), ..outcome })
}

fn from_peer(case: &Case) -> Result<Outcome> {
    if case.device.no_peers.is_some() {
        return on_host(case);
    }
    let kernel = case.kernel()?;
    let vectors = on_gpus(case)?;
    let sums = case.device.clone_htod(&case.device.clone_dtoh(&vectors[0])?)?;
    let config = LaunchConfig::new(case.grid, case.block);
    let cost = case.device.measure_until_done(|| {
        for (number, vector) in vectors.iter().enumerate().skip(1) {
            let mine = if number == 1 { &vectors[0] } else { &sums };
            let mut launch = case.device.launch_builder(&kernel);
            launch.arg(mine).arg(vector).arg(&sums).arg(&case.size());
            launch.launch(config)?;
        }
        case.device.synchronize()
    })?;
    outcome(case, &case.device.clone_dtoh(&sums)?, cost)
}

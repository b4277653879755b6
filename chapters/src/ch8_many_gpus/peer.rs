//! The kernels finish the sum themselves: all blocks add to words in the memory of one GPU.

use anyhow::Result;
use bytemuck::Pod;
use workbook::chapter::{Case, Outcome};
use workbook::device::measure::Measurement;
use workbook::device::{Buffer, Device, Launchers, launch_together};
use workbook::reduction::operator::{Operator, SumI32};

use super::shares::{Share, shares};

/// The first GPU alone.
pub fn on_one_gpu(case: &Case) -> Result<Outcome> {
    add_into_peer::<SumI32>(case, &[case.device], Launched::InTurn)
}

/// All of them, into the memory of the first.
pub fn into_peer<O: Operator>(case: &Case) -> Result<Outcome> {
    add_into_peer::<O>(case, &case.devices(), Launched::InTurn)
}

/// The same, each GPU launched by a thread of its own.
pub fn into_peer_by_threads(case: &Case) -> Result<Outcome> {
    add_into_peer::<SumI32>(case, &case.devices(), Launched::ByThreads)
}

/// Who launches the kernels.
#[derive(PartialEq)]
enum Launched {
    InTurn,
    ByThreads,
}

/// Where blocks meet: the words that they add to, and in the host's memory the sum, and whether it is there.
struct Target<T> {
    words: Buffer<u64>,
    sum: Buffer<T>,
    done: Buffer<u32>,
    blocks: u32,
}

fn add_into_peer<O: Operator>(case: &Case, devices: &[&Device], launched: Launched) -> Result<Outcome> {
    let shares = shares::<O>(case, devices)?;
    let targets = targets(case, &shares)?;
    let cost = add_shares(case, &shares, &targets, launched)?;
    let mut result = O::IDENTITY;
    for target in &targets {
        result = O::combine(result, case.device.clone_dtoh(&target.sum)?[0]);
    }
    Ok(Outcome::new(O::value(result), cost))
}

/// One launch per GPU, and no second step: the block that is last among those of all GPUs stores the sum, and
/// the host looks at one word until it is there.
fn add_shares<T>(
    case: &Case,
    shares: &[Share<T>],
    targets: &[Target<T>],
    launched: Launched,
) -> Result<Measurement> {
    let kernels = case.kernels()?;
    let devices = shares.iter().map(|share| share.device).collect::<Vec<_>>();
    let mut launches = Vec::new();
    for (number, (share, kernel)) in shares.iter().zip(&kernels).enumerate() {
        let target = targets.get(number).unwrap_or(&targets[0]);
        let mut launch = share.device.launch_builder(kernel);
        launch.arg(&share.input).arg(&target.sum).arg(&share.size);
        launch.arg(&target.words).arg(&target.blocks).arg(&target.done);
        launches.push(launch.prepare(share.config)?);
    }
    let launchers = (launched == Launched::ByThreads).then(|| Launchers::new(&launches));
    case.device.measure_until_done(|| {
        targets.iter().try_for_each(|target| case.device.clear_word(&target.done))?;
        launchers.as_ref().map_or_else(|| launch_together(&launches), Launchers::launch)?;
        targets.iter().try_for_each(|target| Device::wait_for_word(&target.done, &devices))
    })
}

/// One target for all GPUs; or one for each, where atomics on one are not atomic in the memory of another:
/// then the host adds.
fn targets<T: Pod>(case: &Case, shares: &[Share<T>]) -> Result<Vec<Target<T>>> {
    let together = case.device.no_peer_atomics.is_none();
    let groups: Vec<&[Share<T>]> = if together { vec![shares] } else { shares.chunks(1).collect() };
    let target = |group: &[Share<T>]| {
        let home = group[0].device;
        let words = home.alloc_zeros(2)?;
        let sum = home.alloc_host(1)?;
        let done = home.alloc_host(1)?;
        Ok(Target { words, sum, done, blocks: group.iter().map(Share::blocks).sum() })
    };
    groups.into_iter().map(target).collect()
}

//! The kernels finish the sum themselves: all blocks add to words in the memory of one GPU.

use anyhow::Result;
use bytemuck::Pod;
use workbook::chapter::{Case, Outcome};
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
struct Place<E> {
    words: Buffer<u64>,
    sum: Buffer<E>,
    done: Buffer<u32>,
    blocks: u32,
}

// ANCHOR: into_peer
/// One launch per GPU, and no second step: the block that is last among those of all GPUs stores the sum, and the
/// host looks at one word until it is there.
fn add_into_peer<O: Operator>(case: &Case, devices: &[&Device], launched: Launched) -> Result<Outcome> {
    let (kernels, shares) = (case.kernels()?, shares::<O>(case, devices)?);
    let places = places(case, &shares)?;

    let mut launches = Vec::new();
    for (number, (share, kernel)) in shares.iter().zip(&kernels).enumerate() {
        let place = places.get(number).unwrap_or(&places[0]);
        let mut launch = share.device.launch_builder(kernel);
        launch.arg(&share.input).arg(&place.sum).arg(&share.size());
        launch.arg(&place.words).arg(&place.blocks).arg(&place.done);
        launches.push(launch.prepare(share.config)?);
    }
    let launchers = (launched == Launched::ByThreads).then(|| Launchers::new(&launches));
    let cost = case.device.measure_until_done(|| {
        places.iter().try_for_each(|place| case.device.clear_word(&place.done))?;
        launchers.as_ref().map_or_else(|| launch_together(&launches), Launchers::launch)?;
        places.iter().try_for_each(|place| Device::wait_for_word(&place.done, devices))
    })?;
    let mut result = O::IDENTITY;
    for place in &places {
        result = O::combine(result, case.device.clone_dtoh(&place.sum)?[0]);
    }
    Ok(Outcome::new(O::value(result), cost))
}
// ANCHOR_END: into_peer

/// One place for all GPUs; or one for each, where none reaches the memory of another: then the host adds.
fn places<O: Pod>(case: &Case, shares: &[Share<O>]) -> Result<Vec<Place<O>>> {
    let together = case.device.no_peers().is_none();
    let groups: Vec<&[Share<O>]> = if together { vec![shares] } else { shares.chunks(1).collect() };
    let place = |group: &[Share<O>]| {
        let home = group[0].device;
        let (words, sum, done) = (home.alloc_zeros(2)?, home.alloc_host(1)?, home.alloc_host(1)?);
        Ok(Place { words, sum, done, blocks: group.iter().map(Share::blocks).sum() })
    };
    groups.into_iter().map(place).collect()
}

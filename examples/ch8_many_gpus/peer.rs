//! The kernels finish the sum themselves: all blocks add to words in the memory of one GPU.

use anyhow::Result;
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
struct Place {
    words: Buffer<u64>,
    sum: Buffer<u8>,
    done: Buffer<u32>,
    blocks: u32,
}

fn add_into_peer<O: Operator>(case: &Case, devices: &[&Device], launched: Launched) -> Result<Outcome> {
    let shares = shares::<O>(case, devices)?;
    let places = places(case, &shares, size_of::<O::Element>())?;
    let cost = add_shares(case, &shares, &places, launched)?;
    let mut result = O::IDENTITY;
    for place in &places {
        let sum = case.device.clone_dtoh(&place.sum)?;
        result = O::combine(result, bytemuck::pod_read_unaligned(&sum));
    }
    Ok(Outcome::new(O::value(result), cost))
}

/// One launch per GPU, and no second step: the block that is last among those of all GPUs stores the sum, and
/// the host looks at one word until it is there.
fn add_shares(case: &Case, shares: &[Share], places: &[Place], launched: Launched) -> Result<Measurement> {
    let (kernels, devices) = (case.kernels()?, shares.iter().map(|share| share.device).collect::<Vec<_>>());
    let mut launches = Vec::new();
    for (number, (share, kernel)) in shares.iter().zip(&kernels).enumerate() {
        let place = places.get(number).unwrap_or(&places[0]);
        let mut launch = share.device.launch_builder(kernel);
        launch.arg(&share.input).arg(&place.sum).arg(&share.size);
        launch.arg(&place.words).arg(&place.blocks).arg(&place.done);
        launches.push(launch.prepare(share.config)?);
    }
    let launchers = (launched == Launched::ByThreads).then(|| Launchers::new(&launches));
    case.device.measure_until_done(|| {
        places.iter().try_for_each(|place| case.device.clear_word(&place.done))?;
        launchers.as_ref().map_or_else(|| launch_together(&launches), Launchers::launch)?;
        places.iter().try_for_each(|place| Device::wait_for_word(&place.done, &devices))
    })
}

/// One place for all GPUs; or one for each, where atomics on one are not atomic in the memory of another:
/// then the host adds.
fn places(case: &Case, shares: &[Share], bytes: usize) -> Result<Vec<Place>> {
    let together = case.device.no_peer_atomics().is_none();
    let groups: Vec<&[Share]> = if together { vec![shares] } else { shares.chunks(1).collect() };
    let place = |group: &[Share]| {
        let home = group[0].device;
        let (words, sum, done) = (home.alloc_zeros(2)?, home.alloc_host(bytes)?, home.alloc_host(1)?);
        Ok(Place { words, sum, done, blocks: group.iter().map(Share::blocks).sum() })
    };
    groups.into_iter().map(place).collect()
}

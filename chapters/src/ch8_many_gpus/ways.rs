//! One number per GPU is left: who adds them, the host or NCCL?

use anyhow::Result;
use bytemuck::Pod;
use workbook::chapter::{Case, Outcome};
use workbook::device::collective::{Collective, Reduces};
use workbook::device::{Buffer, Device, Function, Prepared, launch_together};
use workbook::reduction::operator::{Operator, SumI32};

use super::shares::{Share, shares};

// ANCHOR: host_adds
/// Each GPU leaves one number in its memory; the host copies these, one after the other, and adds them.
pub fn host_adds<O: Operator>(case: &Case) -> Result<Outcome> {
    let kernels = case.kernels()?;
    let sums = Sums::new::<O>(case, |device| device.alloc_zeros(1))?;
    let launches = sums.launches(&kernels)?;
    let mut result = O::IDENTITY;
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        result = sums.on_host::<O>()?;
        Ok(())
    })?;
    Ok(Outcome::new(O::value(result), cost))
}
// ANCHOR_END: host_adds

/// Each GPU stores its number in memory of the host: there is nothing to copy, only to wait.
pub fn through_host_memory(case: &Case) -> Result<Outcome> {
    let devices = case.devices();
    let kernels = case.kernels()?;
    let sums = Sums::new::<SumI32>(case, |device| device.alloc_host(1))?;
    let launches = sums.launches(&kernels)?;
    let mut result = 0;
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        wait_for(&devices)?;
        result = sums.on_host::<SumI32>()?;
        Ok(())
    })?;
    Ok(Outcome::new(result, cost))
}

/// NCCL makes one number per GPU their sum, minimum or maximum, on every GPU.
pub fn all_reduce<O: Reduces>(case: &Case) -> Result<Outcome> {
    let devices = case.devices();
    let kernels = case.kernels()?;
    let sums = Sums::new::<O>(case, |device| device.alloc_zeros(1))?;
    let launches = sums.launches(&kernels)?;
    let collective = Collective::new(&devices)?;
    let buffers: Vec<_> = sums.0.iter().map(|part| &part.output).collect();
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        collective.all_reduce::<O>(&buffers)?;
        wait_for(&devices)
    })?;
    let outcome = Outcome::new(O::value(devices[0].clone_dtoh(buffers[0])?[0]), cost);
    Ok(Outcome { library: Some(collective.name()?), ..outcome })
}

fn wait_for(devices: &[&Device]) -> Result<()> {
    devices.iter().try_for_each(|device| device.synchronize())
}

/// One number per GPU.
struct Sums<'a, T>(Vec<Part<'a, T>>);

/// A GPU's share, its launch's partial results and ticket, and where the kernel leaves the result.
struct Part<'a, T> {
    share: Share<'a, T>,
    partials: Buffer<T>,
    ticket: Buffer<u32>,
    output: Buffer<T>,
}

impl<'a, T: Pod> Sums<'a, T> {
    fn new<O: Operator<Element = T>>(
        case: &'a Case,
        output: impl Fn(&Device) -> Result<Buffer<T>>,
    ) -> Result<Self> {
        let part = |share: Share<'a, T>| {
            let partials = share.device.alloc(share.blocks() as usize)?;
            let ticket = share.device.alloc_zeros(1)?;
            let output = output(share.device)?;
            Ok(Part { share, partials, ticket, output })
        };
        shares::<O>(case, &case.devices())?.into_iter().map(part).collect::<Result<_>>().map(Sums)
    }

    fn launches<'k>(&'k self, kernels: &'k [Function]) -> Result<Vec<Prepared<'k>>> {
        let launch = |(Part { share, partials, ticket, output }, kernel): (&'k Part<T>, &'k Function)| {
            let mut launch = share.device.launch_builder(kernel);
            launch.arg(&share.input).arg(output).arg(&share.size).arg(partials).arg(ticket);
            launch.prepare(share.config)
        };
        self.0.iter().zip(kernels).map(launch).collect()
    }

    fn on_host<O: Operator<Element = T>>(&self) -> Result<T> {
        let mut result = O::IDENTITY;
        for Part { share, output, .. } in &self.0 {
            result = O::combine(result, share.device.clone_dtoh(output)?[0]);
        }
        Ok(result)
    }
}

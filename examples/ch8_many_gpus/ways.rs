//! One number per GPU is left: who adds them, the host or NCCL?

use anyhow::Result;
use workbook::chapter::{Case, Outcome};
use workbook::device::collective::{Collective, Reduce, Reducible};
use workbook::device::{Buffer, Device, Function, Prepared, launch_together};
use workbook::reduction::operator::{Operator, SumI32};

use super::shares::{Share, shares};

// ANCHOR: host_adds
/// Each GPU leaves one number in its memory; the host copies these, one after the other, and adds them.
pub fn host_adds<O: Operator>(case: &Case) -> Result<Outcome> {
    let (devices, kernels) = (case.devices(), case.kernels()?);
    let sums = Sums::<O>::new(case, &devices, |device| device.alloc_zeros(1))?;
    let launches = sums.launches(&kernels)?;
    let mut result = O::IDENTITY;
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        result = sums.on_host()?;
        Ok(())
    })?;
    Ok(Outcome::new(O::value(result), cost))
}
// ANCHOR_END: host_adds

// ANCHOR: through_host_memory
/// Each GPU stores its number in memory of the host: there is nothing to copy, only to wait.
pub fn through_host_memory(case: &Case) -> Result<Outcome> {
    let (devices, kernels) = (case.devices(), case.kernels()?);
    let sums = Sums::<SumI32>::new(case, &devices, |device| device.alloc_host(1))?;
    let launches = sums.launches(&kernels)?;
    let mut result = 0;
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        wait_for(&devices)?;
        result = sums.on_host()?;
        Ok(())
    })?;
    Ok(Outcome::new(result, cost))
}
// ANCHOR_END: through_host_memory

// ANCHOR: all_reduce
/// NCCL makes one number per GPU their sum, minimum or maximum, on every GPU.
pub fn all_reduce<O: Operator<Element: Reducible> + Named>(case: &Case) -> Result<Outcome> {
    let (devices, kernels) = (case.devices(), case.kernels()?);
    let sums = Sums::<O>::new(case, &devices, |device| device.alloc_zeros(1))?;
    let launches = sums.launches(&kernels)?;
    let (collective, buffers) = (Collective::new(&devices)?, sums.outputs.iter().collect::<Vec<_>>());
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        collective.all_reduce(&buffers, O::REDUCE)?;
        wait_for(&devices)
    })?;
    Ok(Outcome::new(O::value(devices[0].clone_dtoh(&sums.outputs[0])?[0]), cost))
}
// ANCHOR_END: all_reduce

fn wait_for(devices: &[&Device]) -> Result<()> {
    devices.iter().try_for_each(|device| device.synchronize())
}

/// One number per GPU: its share, and where the kernel leaves the result.
struct Sums<'a, O: Operator> {
    shares: Vec<Share<'a, O::Element>>,
    outputs: Vec<Buffer<O::Element>>,
    /// Partial results and ticket of each GPU's launch.
    scratch: Vec<(Buffer<O::Element>, Buffer<u32>)>,
}

impl<'a, O: Operator> Sums<'a, O> {
    fn new(
        case: &'a Case,
        devices: &[&'a Device],
        output: impl Fn(&Device) -> Result<Buffer<O::Element>>,
    ) -> Result<Self> {
        let shares = shares::<O>(case, devices)?;
        let outputs = devices.iter().map(|device| output(device)).collect::<Result<_>>()?;
        let scratch = shares.iter().map(|share| {
            let blocks = share.blocks() as usize;
            Ok((share.device.alloc(blocks)?, share.device.alloc_zeros(1)?))
        });
        Ok(Sums { scratch: scratch.collect::<Result<_>>()?, shares, outputs })
    }

    fn launches<'k>(&'k self, kernels: &'k [Function]) -> Result<Vec<Prepared<'k>>> {
        let parts = self.shares.iter().zip(&self.outputs).zip(&self.scratch).zip(kernels);
        let launches = parts.map(|(((share, output), (partials, ticket)), kernel)| {
            let mut launch = share.device.launch_builder(kernel);
            launch.arg(&share.input).arg(output).arg(&share.size()).arg(partials).arg(ticket);
            launch.prepare(share.config)
        });
        launches.collect()
    }

    fn on_host(&self) -> Result<O::Element> {
        let mut result = O::IDENTITY;
        for (share, output) in self.shares.iter().zip(&self.outputs) {
            result = O::combine(result, share.device.clone_dtoh(output)?[0]);
        }
        Ok(result)
    }
}

/// What NCCL calls an operator.
pub trait Named {
    const REDUCE: Reduce;
}

macro_rules! named {
    ($($operator:ty, $reduce:ident;)*) => {$(
        impl Named for $operator {
            const REDUCE: Reduce = Reduce::$reduce;
        }
    )*};
}
named! {
    SumI32, Sum;
    workbook::chapters::ch7_limit::SumI64, Sum;
    workbook::chapters::ch7_limit::SumF32, Sum;
    super::shares::SumF64, Sum;
    workbook::reduction::operator::Min<i32>, Min;
    workbook::reduction::operator::Max<i32>, Max;
}

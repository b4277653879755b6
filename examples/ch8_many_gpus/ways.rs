//! One number per GPU is left: who adds them, the host or NCCL?

use anyhow::Result;
use bytemuck::Pod;
use workbook::chapter::{Case, Outcome};
use workbook::device::collective::{Collective, Reduce, Reducible};
use workbook::device::{Arg, Buffer, Device, Function, KernelArg, Prepared, launch_together};
use workbook::reduction::operator::{Max, Min, Operator, SumF32, SumF64, SumI32, SumI64};
use workbook::reduction::value::Value;

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
    let (devices, kernels) = (case.devices(), case.kernels()?);
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
pub fn all_reduce<O: Operator<Element: Reducible + Into<Value>> + Named>(case: &Case) -> Result<Outcome> {
    let sums = Sums::new::<O>(case, |device| device.alloc_zeros(1))?;
    all_reduced(case, &sums, O::REDUCE)
}

fn all_reduced<T: Reducible + Into<Value>>(case: &Case, sums: &Sums<T>, reduce: Reduce) -> Result<Outcome> {
    let (devices, kernels) = (case.devices(), case.kernels()?);
    let launches = sums.launches(&kernels)?;
    let (collective, buffers) = (Collective::new(&devices)?, sums.outputs.iter().collect::<Vec<_>>());
    let cost = case.device.measure_until_done(|| {
        launch_together(&launches)?;
        collective.all_reduce(&buffers, reduce)?;
        wait_for(&devices)
    })?;
    let outcome = Outcome::new(devices[0].clone_dtoh(&sums.outputs[0])?[0], cost);
    Ok(Outcome { library: Some(collective.name()?), ..outcome })
}

fn wait_for(devices: &[&Device]) -> Result<()> {
    devices.iter().try_for_each(|device| device.synchronize())
}

/// One number per GPU: its share, and where the kernel leaves the result.
struct Sums<'a, T> {
    parts: Vec<Part<'a>>,
    outputs: Vec<Buffer<T>>,
}

/// A GPU's share, and its launch's partial results and ticket.
struct Part<'a> {
    share: Share<'a>,
    partials: Buffer<u8>,
    ticket: Buffer<u32>,
}

impl<'a, T: Pod> Sums<'a, T> {
    fn new<O: Operator<Element = T>>(
        case: &'a Case,
        output: impl Fn(&Device) -> Result<Buffer<T>>,
    ) -> Result<Self> {
        let parts = parts(shares::<O>(case, &case.devices())?, size_of::<T>())?;
        let outputs = parts.iter().map(|part| output(part.share.device)).collect::<Result<_>>()?;
        Ok(Sums { parts, outputs })
    }

    fn launches<'k>(&'k self, kernels: &'k [Function]) -> Result<Vec<Prepared<'k>>> {
        let outputs = self.outputs.iter().map(KernelArg::arg).collect::<Vec<_>>();
        launches(&self.parts, &outputs, kernels)
    }

    fn on_host<O: Operator<Element = T>>(&self) -> Result<T> {
        let mut result = O::IDENTITY;
        for (part, output) in self.parts.iter().zip(&self.outputs) {
            result = O::combine(result, part.share.device.clone_dtoh(output)?[0]);
        }
        Ok(result)
    }
}

fn parts<'a>(shares: Vec<Share<'a>>, bytes: usize) -> Result<Vec<Part<'a>>> {
    let part = |share: Share<'a>| {
        let partials = share.device.alloc(share.blocks() as usize * bytes)?;
        Ok(Part { ticket: share.device.alloc_zeros(1)?, partials, share })
    };
    shares.into_iter().map(part).collect()
}

fn launches<'k>(parts: &'k [Part], outputs: &[Arg], kernels: &'k [Function]) -> Result<Vec<Prepared<'k>>> {
    let all = parts.iter().zip(outputs).zip(kernels);
    let launches = all.map(|((Part { share, partials, ticket }, output), kernel)| {
        let mut launch = share.device.launch_builder(kernel);
        launch.arg(&share.input).arg(output).arg(&share.size).arg(partials).arg(ticket);
        launch.prepare(share.config)
    });
    launches.collect()
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
    SumI64, Sum;
    SumF32, Sum;
    SumF64, Sum;
    Min<i32>, Min;
    Max<i32>, Max;
}

//! [`Collective`]: one number per device becomes their sum, minimum or maximum on all of them.

use std::rc::Rc;

use anyhow::{Context, Result, bail, ensure};
use reduction::operator::{Max, Min, Operator, SumF32, SumF64, SumI32, SumI64};

use super::buffer::Buffer;
use super::cuda;
use super::device::{Device, OTHER_DEVICE};
pub use super::nccl::{Nccl, Numbers, UniqueId};

/// Devices that reduce together: GPUs through NCCL; simulated ones through the host, since NCCL has machine
/// code alone.
pub struct Collective<'a> {
    devices: Vec<&'a Device>,
    nccl: Option<Rc<Nccl>>,
}

/// An operator that NCCL has too.
///
/// # Safety
/// An element of NCCL's has as many bytes as one of the operator's.
pub unsafe trait Reduces: Operator {
    /// What NCCL calls its elements and itself, in numbers (NCCL User Guide, "Types").
    const NCCL: Numbers;
}

macro_rules! reduces {
    ($($operator:ty: $element:expr, $operation:expr;)*) => {$(
        // SAFETY: both are called after their type, whose size is in its name.
        unsafe impl Reduces for $operator {
            const NCCL: Numbers = ($element, $operation);
        }
    )*};
}
reduces! {
    SumI32: 2, 0;
    SumI64: 4, 0;
    SumF32: 7, 0;
    SumF64: 8, 0;
    Max<i32>: 2, 2;
    Min<i32>: 2, 3;
}

impl<'a> Collective<'a> {
    /// Connects `devices`, which are all GPUs or all simulated.
    ///
    /// # Errors
    /// NCCL is missing or too old, by name and version, or cannot connect them.
    pub fn new(devices: &[&'a Device]) -> Result<Collective<'a>> {
        let gpus = gpus(devices);
        let nccl = if gpus.is_empty() { None } else { Some(Rc::new(Nccl::open(&gpus)?)) };
        Ok(Collective { devices: devices.to_vec(), nccl })
    }

    /// Begins to connect `device` with those of the other processes, of which it is `rank`; that goes on
    /// until [`Collective::in_progress`] says no.
    ///
    /// # Errors
    /// The device is no GPU; what NCCL reports.
    pub fn join(
        mut nccl: Nccl,
        device: &'a Device,
        id: UniqueId,
        rank: usize,
        ranks: usize,
    ) -> Result<Collective<'a>> {
        let Some(gpu) = device.gpu() else {
            bail!("NCCL reduces on GPUs alone, and this is {}", device.info().name)
        };
        nccl.join(gpu, id, rank, ranks)?;
        Ok(Collective { devices: vec![device], nccl: Some(Rc::new(nccl)) })
    }

    /// `NCCL 2.28.9`, or who does its work; with algorithm and protocol of the last all-reduce, where NCCL
    /// logs them to the file that `NCCL_DEBUG_FILE` names.
    ///
    /// # Errors
    /// NCCL does not say.
    pub fn name(&self) -> Result<String> {
        match &self.nccl {
            Some(nccl) => nccl.name(),
            None => Ok("the host, in place of NCCL".into()),
        }
    }

    /// Whether something that was asked for is still being prepared. A collective of ranks never blocks,
    /// since another process may have ended: ask until it says no, after [`Collective::join`] and after each
    /// all-reduce.
    ///
    /// # Errors
    /// What has gone wrong meanwhile, with another rank too.
    pub fn in_progress(&self) -> Result<bool> {
        self.nccl.as_ref().map_or(Ok(false), |nccl| nccl.in_progress())
    }

    /// Reduces `buffers`, one per device, all of one length, in place and in the order of each device's work.
    ///
    /// # Errors
    /// Buffers of other devices, or of different lengths; what NCCL reports.
    pub fn all_reduce<O: Reduces>(&self, buffers: &[&Buffer<O::Element>]) -> Result<()> {
        let count = buffers.first().map_or(0, |buffer| buffer.len());
        ensure!(buffers.iter().all(|buffer| buffer.len() == count), "the buffers differ in their lengths");
        ensure!(
            buffers.len() == self.devices.len(),
            "{} buffers for {} devices",
            buffers.len(),
            self.devices.len()
        );
        if let Some(nccl) = &self.nccl {
            let memories: Option<Vec<_>> = buffers.iter().map(|buffer| buffer.memory.on_gpu()).collect();
            let memories = memories.context(OTHER_DEVICE)?;
            // SAFETY: there are as many elements of `O` in each buffer.
            unsafe { nccl.all_reduce(&gpus(&self.devices), &memories, count, O::NCCL)? };
            for (device, buffer) in self.devices.iter().zip(buffers) {
                device.keep(&buffer.memory);
                device.keep(nccl);
            }
            return Ok(());
        }
        let mut all: Option<Vec<O::Element>> = None;
        for (device, buffer) in self.devices.iter().zip(buffers) {
            let own = device.clone_dtoh(buffer)?;
            all = Some(match all {
                None => own,
                Some(all) => all.iter().zip(&own).map(|(a, b)| O::combine(*a, *b)).collect(),
            });
        }
        let Some(all) = all else { bail!(OTHER_DEVICE) };
        self.devices.iter().zip(buffers).try_for_each(|(device, buffer)| device.memcpy_htod(&all, buffer))
    }
}

fn gpus<'a>(devices: &[&'a Device]) -> Vec<&'a cuda::Gpu> {
    devices.iter().filter_map(|device| device.gpu()).collect()
}

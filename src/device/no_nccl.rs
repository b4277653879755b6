//! In place of `nccl.rs` where there are no GPUs: in a browser. [`Nccl`] has no values.

use anyhow::{Result, bail};

use super::cuda::Gpu;
use super::element::{Element, Reduce};

/// No such thing.
pub enum Nccl {}

impl Nccl {
    pub fn open(_: &[&Gpu]) -> Result<Nccl> {
        bail!("a page has no access to NCCL")
    }

    pub fn version_name(&self) -> Result<String> {
        match *self {}
    }

    pub fn all_reduce(&self, _: &[&Gpu], _: &[u64], _: usize, _: Element, _: Reduce) -> Result<()> {
        match *self {}
    }
}

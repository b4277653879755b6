//! In place of `nccl.rs` where there are no GPUs: in a browser. [`Nccl`] has no values.

use anyhow::{Result, bail};

use super::cuda::Gpu;
use super::element::{Element, Reduce};

/// What the processes of a group share; here nobody makes one.
pub type UniqueId = [u8; 128];

/// No such thing.
pub enum Nccl {}

impl Nccl {
    pub fn load() -> Result<Nccl> {
        bail!("a page has no access to NCCL")
    }

    pub fn open(_: &[&Gpu]) -> Result<Nccl> {
        Nccl::load()
    }

    pub fn unique_id(&self) -> Result<UniqueId> {
        match *self {}
    }

    pub fn join(&mut self, _: &Gpu, _: UniqueId, _: usize, _: usize) -> Result<()> {
        match *self {}
    }

    pub fn in_progress(&self) -> Result<bool> {
        match *self {}
    }

    pub fn name(&self) -> Result<String> {
        match *self {}
    }

    pub fn all_reduce(&self, _: &[&Gpu], _: &[u64], _: usize, _: Element, _: Reduce) -> Result<()> {
        match *self {}
    }
}

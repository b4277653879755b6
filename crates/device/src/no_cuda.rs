//! In place of `cuda/` where there are no GPUs: in a browser. [`Gpu`] has no values, so nothing here can be
//! reached but what opens one.

use std::sync::atomic::AtomicU32;

use anyhow::Result;
use ptx_simulator::LaunchConfig;

use super::fault::{How, NoGpu};
use super::measure::Limit;
use crate::info::DeviceInfo;

/// No such thing.
#[derive(Clone)]
pub enum Gpu {}
pub type Memory = Gpu;
pub type Module = Gpu;
pub type Function = Gpu;
pub type Graph = Gpu;

pub fn load_function(module: &Module, _: &str) -> Result<Function> {
    match *module {}
}

/// Verbs that nobody can call.
macro_rules! unreachable_verbs {
    (unsafe $of:ty: $(fn $name:ident($($argument:ty),*) -> $result:ty;)*) => {
        impl $of {$(
            /// # Safety
            /// It is never called.
            pub unsafe fn $name(&self, $(_: $argument),*) -> $result {
                match *self {}
            }
        )*}
    };
    ($of:ty: $(fn $name:ident($($argument:ty),*) -> $result:ty;)*) => {
        impl $of {$(
            pub fn $name(&self, $(_: $argument),*) -> $result {
                match *self {}
            }
        )*}
    };
}

unreachable_verbs! { Gpu:
    fn bind() -> Result<()>;
    fn info() -> DeviceInfo;
    fn multiprocessors() -> u32;
    fn limits() -> Vec<Limit>;
    fn alloc(usize) -> Result<Memory>;
    fn address() -> u64;
    fn host_bytes() -> Result<Option<&mut [u8]>>;
    fn word() -> Option<&AtomicU32>;
    fn uses(&Memory) -> Result<()>;
    fn memset_zeros(&Memory) -> Result<()>;
    fn memcpy_async(&Memory, usize, &Memory, usize) -> Result<()>;
    fn write(&[u8], &Memory, usize) -> Result<()>;
    fn read(&Memory, usize, &mut [u8]) -> Result<()>;
    fn raw_stream() -> *mut std::ffi::c_void;
    fn resident_blocks(&Function, u32, u32) -> Result<u32>;
    fn synchronize() -> Result<()>;
    fn time(&mut dyn FnMut() -> Result<()>) -> Result<f64>;
    fn capture(bool, &mut dyn FnMut() -> Result<()>) -> Result<Graph>;
    fn launch_graph(&Graph) -> Result<()>;
    fn graph_handle(&Graph) -> u64;
    fn capture_while(&mut dyn FnMut(u64) -> Result<()>) -> Result<Graph>;
    fn set_pending_launch_limit(u64) -> Result<()>;
    fn ordinal() -> i32;
    fn reach(&Gpu) -> Result<()>;
    fn has_native_atomics_on(&Gpu) -> Result<bool>;
    fn alloc_host(usize) -> Result<Memory>;
    fn another_stream() -> Result<Gpu>;
    fn is_idle() -> Result<bool>;
}

unreachable_verbs! { unsafe Gpu:
    fn load_module(&[u8]) -> Result<Module>;
    fn launch(&Function, LaunchConfig, &[u64], How) -> Result<()>;
    fn launcher(&Function, LaunchConfig, Vec<u64>, How) -> Box<dyn Fn() -> Result<()> + Send>;
}

impl Gpu {
    pub fn open_number(_: usize) -> std::result::Result<Gpu, NoGpu> {
        Gpu::open_some(1).map(|mut gpus| gpus.remove(0))
    }

    pub fn open_some(_: usize) -> std::result::Result<Vec<Gpu>, NoGpu> {
        let looked_for = vec!["nothing: a browser runs no CUDA".to_string()];
        Err(NoGpu { reason: "a page has no access to CUDA".to_string(), looked_for })
    }
}

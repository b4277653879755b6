//! What has been launched.

use ptx_simulator::{Counters, LaunchConfig};

/// The launches of a program.
#[derive(Debug, Default)]
pub struct Launches {
    /// By kernel, in the order of their first launches.
    pub kernels: Vec<KernelRun>,
    /// Whether the host can know anything that a kernel has done.
    pub is_heard: bool,
    /// Where the first kernel was launched that ran and that was given something.
    pub first: Option<(String, u32)>,
}

/// The launches of a kernel.
#[derive(Clone, Debug)]
pub struct KernelRun {
    /// As PTX calls it.
    pub kernel: String,
    /// The first launch.
    pub config: LaunchConfig,
    /// What that gave to each parameter, where it is a number of at most eight bytes and no address.
    pub numbers: Vec<Option<u64>>,
    /// How many there were, and how many of these had another shape.
    pub launches: u64,
    /// What they counted together.
    pub counters: Counters,
}

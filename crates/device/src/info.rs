//! What a device says of itself: its kind, its name, and what its times depend on.

use serde::{Deserialize, Serialize};

/// What a device says of itself.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct DeviceInfo {
    /// Its kind.
    pub kind: DeviceKind,
    /// `NVIDIA H200`, `workbook simulator 0.1.0`, or the CPU's model name.
    pub name: String,
    /// The GPU, if it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpu: Option<GpuInfo>,
    /// Worker threads, for a CPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threads: Option<usize>,
    /// How many of them work together, if more than one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub gpus: Option<usize>,
    /// The CPU's model name where the serial recursion was timed beside a GPU.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu: Option<String>,
}

impl GpuInfo {
    /// What the memory's clock and its bus allow, in GB/s: two transfers per clock.
    pub fn datasheet(&self) -> f64 {
        f64::from(self.memory_clock_mhz) * 2.0 * f64::from(self.memory_bus_bits) / 8.0 / 1e3
    }
}

impl DeviceInfo {
    /// A device of this kind and name, of which nothing else is known.
    pub fn new(kind: DeviceKind, name: impl Into<String>) -> DeviceInfo {
        DeviceInfo { kind, name: name.into(), gpu: None, threads: None, gpus: None, cpu: None }
    }

    /// `NVIDIA H200`; `2 × NVIDIA H200` where two work together.
    pub fn title(&self) -> String {
        self.gpus.map_or(self.name.clone(), |gpus| format!("{gpus} × {}", self.name))
    }

    /// `(9, 0)`; none without a GPU.
    pub fn compute_capability(&self) -> Option<(u32, u32)> {
        let (major, minor) = self.gpu.as_ref()?.compute_capability.split_once('.')?;
        Some((major.parse().ok()?, minor.parse().ok()?))
    }
}

/// The properties of a GPU that its times depend on, as its driver reports them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GpuInfo {
    /// Driver version as the kernel module reports it (`580.159.04`), if it can be read.
    pub driver: Option<String>,
    /// CUDA version that the driver supports, `13.0`.
    pub cuda: String,
    /// `9.0`.
    pub compute_capability: String,
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Maximum clocks in MHz, as the driver reports them.
    pub sm_clock_mhz: u32,
    /// MHz, as above.
    pub memory_clock_mhz: u32,
    /// Width of the memory bus, in bits.
    pub memory_bus_bits: u32,
    /// Bytes of the second-level cache.
    pub l2_bytes: u64,
    /// Bytes of global memory.
    pub memory_bytes: u64,
}

/// What kind of device it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DeviceKind {
    /// A GPU, through its driver.
    Gpu,
    /// The simulator.
    Sim,
    /// The CPU: a chapter without a kernel.
    Cpu,
}

impl DeviceKind {
    /// The word used in file names and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            DeviceKind::Gpu => "gpu",
            DeviceKind::Sim => "sim",
            DeviceKind::Cpu => "cpu",
        }
    }
}

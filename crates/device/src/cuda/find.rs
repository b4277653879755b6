//! Which GPUs can run the kernels, and in words what is missing where none can.

use std::cell::Cell;
use std::fmt;
use std::ops::Range;

use cudarc::driver::sys::{self, CUdevice_attribute as Attribute};
use cudarc::driver::{CudaContext, DriverError, result};
use kernel_compiler::prebuilt;

use super::Gpu;
use super::error::message;
use crate::fault::NoGpu;
use crate::info::{DeviceInfo, DeviceKind, GpuInfo};

/// The PTX of every kernel is made for compute_75 (Turing), and so is the oldest machine code.
const OLDEST_COMPUTE_CAPABILITY: (i32, i32) = (7, 5);
#[cfg(windows)]
const LIBRARY: &str = "nvcuda.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libcuda.so or libcuda.so.1";

impl Gpu {
    /// The first GPUs that can run the kernels: at least one, at most `most`.
    pub fn open_some(most: usize) -> Result<Vec<Gpu>, NoGpu> {
        Gpu::open_among(|count| 0..count, most)
    }

    /// GPU `number`; where there is only one, that one, since a launcher may show each process its own GPU
    /// alone.
    pub fn open_number(number: usize) -> Result<Gpu, NoGpu> {
        let number = number as i32;
        let among = |count: i32| if count == 1 { 0..1 } else { number..count.min(number + 1) };
        Gpu::open_among(among, 1).map(|mut gpus| gpus.remove(0)).map_err(|no_gpu| NoGpu {
            reason: format!("GPU {number} was asked for: {}", no_gpu.reason),
            ..no_gpu
        })
    }

    /// GPUs out of those `among` so many that can run the kernels: at least one, at most `most`.
    fn open_among(among: impl FnOnce(i32) -> Range<i32>, most: usize) -> Result<Vec<Gpu>, NoGpu> {
        let mut search = Search { looked_for: Vec::new() };
        let driver = driver_version();

        // SAFETY: loads and unloads the driver library, whose initialisers have no preconditions. Asked
        // first, because every other call of cudarc panics where the library is missing.
        if !unsafe { sys::is_culib_present() } {
            search.saw("driver library", format!("{LIBRARY}: not found"));
            search.saw("driver", driver.unwrap_or_else(|| "none".into()));
            return Err(search.failed("the CUDA driver library was not found"));
        }
        search.saw("driver library", "found");

        let mut version = 0;
        // SAFETY: writes one int to the address of one int; may be called before cuInit.
        let asked = unsafe { sys::cuDriverGetVersion(&mut version) }.result();
        let cuda = if asked.is_ok() && version > 0 { dotted(version) } else { "(unknown)".into() };
        let name = driver.as_deref().unwrap_or("(version unknown)");
        search.saw("driver", format!("{name}, supports CUDA {cuda}"));
        // Machine code runs on drivers of its compiler's major version or newer (CUDA Compatibility guide).
        let needed = prebuilt::CUDA_MAJOR;
        if version < needed * 1000 {
            let oldest = oldest_driver(needed);
            search.saw("needed", format!("driver {oldest} or newer (CUDA {needed}.0)"));
            return Err(search.failed(&format!(
                "driver {name} supports CUDA {cuda}; the kernels were built by nvcc {needed} and need \
                 driver {oldest} or newer"
            )));
        }

        let count = match CudaContext::device_count() {
            Ok(count) => count,
            Err(error) => {
                search.saw("devices", message(error));
                return Err(search.failed(&format!("the driver found no device ({})", message(error))));
            }
        };
        let mut gpus = Vec::new();
        let among = among(count);
        if among.is_empty() && count > 0 {
            return Err(search.failed(&format!("this host has {count}, counted from 0")));
        }
        for ordinal in among {
            if gpus.len() == most {
                break;
            }
            match Gpu::open_device(ordinal, &driver, &cuda) {
                Ok(Ok(gpu)) => gpus.push(gpu),
                Ok(Err(unusable)) => search.saw(&format!("device {ordinal}"), unusable),
                Err(error) => search.saw(&format!("device {ordinal}"), message(error)),
            }
        }
        if !gpus.is_empty() {
            return Ok(gpus);
        }
        if count == 0 {
            search.saw("devices", "none");
        }
        Err(search.failed("no device can run the kernels"))
    }

    /// Device `ordinal`, or in words why it will not do.
    fn open_device(
        ordinal: i32,
        driver: &Option<String>,
        cuda: &str,
    ) -> Result<Result<Gpu, String>, DriverError> {
        let device = result::device::get(ordinal)?;
        let name = result::device::get_name(device)?;
        // SAFETY: `device` is a handle that the driver has just given.
        let ask = |attribute| unsafe { result::device::get_attribute(device, attribute) };
        let capability = (
            ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            ask(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        );
        if capability < OLDEST_COMPUTE_CAPABILITY {
            let (major, minor) = OLDEST_COMPUTE_CAPABILITY;
            return Ok(Err(format!(
                "{name}: compute capability {}.{}, {major}.{minor} or higher is needed",
                capability.0, capability.1
            )));
        }

        let context = CudaContext::new(ordinal as usize)?;
        // SAFETY: [`Memory`](super::Memory) notes the streams whose work uses it: they wait for its
        // allocation, and it is freed after their work. Without this every buffer carries two events that a
        // timed region would pay for.
        unsafe { context.disable_event_tracking() };
        // 0 where the driver does not report one.
        let reported = |attribute| ask(attribute).unwrap_or(0).max(0) as u32;
        let gpu = GpuInfo {
            driver: driver.clone(),
            cuda: cuda.to_string(),
            compute_capability: format!("{}.{}", capability.0, capability.1),
            multiprocessors: reported(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT),
            sm_clock_mhz: reported(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE) / 1000,
            memory_clock_mhz: reported(Attribute::CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE) / 1000,
            memory_bus_bits: reported(Attribute::CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH),
            l2_bytes: reported(Attribute::CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE).into(),
            memory_bytes: context.total_mem()? as u64,
        };
        let info = DeviceInfo { gpu: Some(gpu), ..DeviceInfo::new(DeviceKind::Gpu, name) };
        let stream = context.new_stream()?;
        Ok(Ok(Gpu { context, stream, info, pending_launch_limit: Cell::new(0) }))
    }
}

/// The list of what was looked for, as it grows.
struct Search {
    looked_for: Vec<String>,
}

impl Search {
    fn saw(&mut self, what: &str, found: impl fmt::Display) {
        self.looked_for.push(format!("{:<16}{found}", format!("{what}:")));
    }
    fn failed(self, reason: &str) -> NoGpu {
        NoGpu { reason: reason.to_string(), looked_for: self.looked_for }
    }
}

/// 13000 -> `13.0`, as `cuDriverGetVersion` counts.
fn dotted(version: i32) -> String {
    format!("{}.{}", version / 1000, version % 1000 / 10)
}

/// The first driver branch of a CUDA major version (CUDA release notes, table of driver versions).
fn oldest_driver(cuda: i32) -> &'static str {
    match cuda {
        ..=11 => "450",
        12 => "525",
        _ => "580",
    }
}

/// The version of the kernel module, `580.159.04`, where the system says it.
fn driver_version() -> Option<String> {
    let text = std::fs::read_to_string("/proc/driver/nvidia/version").ok()?;
    module_version(&text)
}

fn module_version(text: &str) -> Option<String> {
    let dotted_number =
        |word: &&str| word.contains('.') && word.chars().all(|c| c.is_ascii_digit() || c == '.');
    text.lines().next()?.split_whitespace().find(dotted_number).map(str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn driver_version_is_read_from_both_kinds_of_kernel_module() {
        let closed =
            "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.14  Thu Feb 22 01:44:30 UTC 2024";
        let open = "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build\n\
                    GCC version: 12.2.0";
        assert_eq!(module_version(closed).as_deref(), Some("550.54.14"));
        assert_eq!(module_version(open).as_deref(), Some("580.159.04"));
        assert_eq!(module_version(""), None);
    }

    #[test]
    fn cuda_version_is_read_as_the_driver_counts() {
        assert_eq!(dotted(12040), "12.4");
        assert_eq!(dotted(13000), "13.0");
    }
}

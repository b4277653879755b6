//! The lines that a run prints before and after its tables.

use device::{DeviceInfo, DeviceKind};
use kernel_compiler::build::{State, WhatIf};

use super::needs::Stage;
use super::options::Options;
use super::variant::Chapter;
use crate::record::Run;

/// Where the kernels run, and why there; and who compiled them, if that was now.
pub fn place(chapter: &Chapter, stage: &Stage, info: &DeviceInfo) -> String {
    let place = device(chapter, stage, info);
    match &stage.build {
        Some(build) if build.state == State::Built => {
            format!("{place}; kernels compiled by {}", build.compiler)
        }
        _ => place,
    }
}

fn device(chapter: &Chapter, stage: &Stage, info: &DeviceInfo) -> String {
    if let Some(WhatIf { label, .. }) = stage.build.as_ref().and_then(|build| build.what_if.as_ref()) {
        return format!("On the simulator, what if: {label}");
    }
    if info.kind == DeviceKind::Cpu {
        return format!("On the CPU: {}, {} threads", info.name, info.threads.unwrap_or(1));
    }
    if let Some(gpu) = &info.gpu {
        return format!(
            "On the GPU: {} (compute capability {}, driver {}, CUDA {})",
            info.title(),
            gpu.compute_capability,
            gpu.driver.as_deref().unwrap_or("unknown"),
            gpu.cuda
        );
    }
    if let Some(no_gpu) = &stage.device.no_gpu {
        return format!("On the simulator, since there is no usable GPU: {}", no_gpu.reason);
    }
    if let Some(why) = chapter.simulator_only {
        return format!("On the simulator: {why}");
    }
    match info.gpus {
        Some(gpus) => format!("On {gpus} simulated GPUs"),
        None => "On the simulator".to_string(),
    }
}

/// On how many orders each kernel's row rests, where others were asked for.
pub fn orders(runs: &[Run]) -> Option<String> {
    let line = |run: &Run| Some(format!("{}: {}", run.kernel, run.orders.as_ref()?));
    let lines: Vec<String> = runs.iter().filter_map(line).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// How many kernels the story leaves out, where none were asked for by name.
pub fn more_kernels(chapter: &Chapter, options: &Options) -> Option<String> {
    let is_left = |name, story| !options.asks_for(name, story);
    let left = chapter.variants.iter().filter(|variant| is_left(variant.name, variant.story)).count();
    if left == 0 || !options.kernels.is_empty() {
        return None;
    }
    let kernels = if left == 1 { "kernel" } else { "kernels" };
    Some(format!("{left} more {kernels}: --kernel NAME, or --kernel all; --help names them"))
}

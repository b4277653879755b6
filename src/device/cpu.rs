//! The CPU, as far as a record names it.

use crate::record::{DeviceInfo, DeviceKind};

/// The CPU's model name where the system says it.
pub fn name() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    model.map_or(format!("CPU ({})", std::env::consts::ARCH), |(_, name)| name.trim().to_string())
}

/// Its name, and the threads that rayon uses.
pub fn info() -> DeviceInfo {
    let threads = Some(rayon::current_num_threads());
    DeviceInfo { kind: DeviceKind::Cpu, name: name(), gpu: None, threads, cpu: None }
}

//! The museum: the nested kernel of before CUDA 12, `kernels/museum/`, which chapter 4 runs with `--museum`.
//!
//! It runs on the simulator alone: no GPU of compute capability 9.0 or newer lets device code wait for its children,
//! and for older ones no machine code is committed.

use anyhow::{Result, ensure};

use crate::chapter::options::Options;
use crate::device::DeviceChoice;

/// Names the kernel's source, its PTX and its record.
pub const STEM: &str = "ch4_legacy";
/// The example that runs it, and the option.
const EXAMPLE: &str = "ch4_nested";
const OPTION: &str = "--museum";

/// The first line of a visit.
pub const WHY_THE_SIMULATOR: &str =
    "On the simulator: no GPU of compute capability 9.0 or newer lets device code wait for its children";

/// The options of a visit: those of the reader, on the simulator. An error if a GPU is asked for.
pub fn visit(options: &Options) -> Result<Options> {
    ensure!(
        options.device != DeviceChoice::Gpu,
        "the museum's kernel waits for its children in device code (cudaDeviceSynchronize). No GPU of compute \
         capability 9.0 or newer can do that, and for older ones there is no build of it here; leave --device gpu out, \
         and it runs on the simulator"
    );
    Ok(Options { device: DeviceChoice::Sim, ..options.clone() })
}

/// An error if `options` ask chapter `stem` for a museum that it does not have.
pub fn check(stem: &str, options: &Options) -> Result<()> {
    ensure!(
        !options.museum || stem == STEM,
        "only chapter 4 has a museum; leave {OPTION} out, or go there: {}",
        command(STEM, "")
    );
    Ok(())
}

/// The example that runs the kernels of `stem`.
pub fn example(stem: &str) -> &str {
    if stem == STEM { EXAMPLE } else { stem }
}

/// The command that runs the kernels of `stem`, with more options if there are any:
/// `cargo run --example ch4_nested -- --museum --record`.
pub fn command(stem: &str, options: &str) -> String {
    let museum = if stem == STEM { OPTION } else { "" };
    let options: Vec<_> = [museum, options].into_iter().filter(|options| !options.is_empty()).collect();
    let dashes = if options.is_empty() { "" } else { " -- " };
    format!("cargo run --example {}{dashes}{}", example(stem), options.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_as_a_reader_types_them() {
        assert_eq!(command("ch3_blocks", ""), "cargo run --example ch3_blocks");
        assert_eq!(command("ch3_blocks", "--record"), "cargo run --example ch3_blocks -- --record");
        assert_eq!(command(STEM, ""), "cargo run --example ch4_nested -- --museum");
        assert_eq!(command(STEM, "--record"), "cargo run --example ch4_nested -- --museum --record");
    }
}

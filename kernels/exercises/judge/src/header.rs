//! What stands above the PTX of an answer that is a whole program.

use kernel_compiler::call::Ptx;
use kernel_compiler::program::Program;

/// What stands above a program's PTX: the names of its variables, which running it takes.
pub const DEVICE: &str = "// device:";
/// Of managed memory.
pub const MANAGED: &str = "// managed:";

/// `program` as PTX below the names of its variables.
pub fn as_ptx(program: Program) -> Ptx {
    let Program { ptx, device_variables, managed_variables, said } = program;
    let line = |of: &str, names: Vec<String>| format!("{of} {}\n", names.join(" "));
    let text = line(DEVICE, device_variables) + &line(MANAGED, managed_variables) + &ptx;
    Ptx { text, warnings: said }
}

/// The lines above a program's PTX; nothing above that of kernels.
pub fn variables(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines().take_while(|line| line.starts_with(DEVICE) || line.starts_with(MANAGED))
}

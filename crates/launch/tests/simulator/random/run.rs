//! Programs on the simulator and on a GPU.

use device::Device;
use ptx_simulator::{self as sim, LaunchConfig, Simulator};

use super::program::Program;
use super::unoptimised;

/// Runs `programs`, all of them kernels of `text`, under the simulator's checks. Each starts from the same
/// inputs, with results that hold `initial`. Returns the results, or what is wrong, which for these programs
/// is never their fault.
pub fn on_simulator(
    text: &str,
    programs: &[Program],
    inputs: &[u64],
    initial: &[u64],
) -> Result<Vec<Vec<u64>>, String> {
    let said = |what: Box<sim::Diagnostic>| format!("the simulator says: {what}");
    let module = sim::Module::parse(text, "random.ptx").map_err(said)?;
    let mut simulator = Simulator::new();
    let given = simulator.alloc(8 * inputs.len() as u64).map_err(said)?;
    simulator.write(given, bytemuck::cast_slice(inputs)).map_err(said)?;
    let mut all = Vec::new();
    for program in programs {
        let mut results = initial[..program.results()].to_vec();
        let address = simulator.alloc(8 * results.len() as u64).map_err(said)?;
        simulator.write(address, bytemuck::cast_slice(&results)).map_err(said)?;
        let config = LaunchConfig::new(1, program.threads as u32);
        let launched = simulator.launch_checked(&module, &program.kernel(), config, &[given, address]);
        // What is merely odd, like a value that nobody reads or a shuffle by 32, is usual in a program made
        // by chance.
        let is_odd = |one: &sim::Diagnostic| match one.severity {
            sim::Severity::Error => false,
            sim::Severity::Warning => one.kind == sim::Kind::WarpCollective,
            sim::Severity::Note => true,
        };
        let is_wrong = |one: &&sim::Diagnostic| !is_odd(one);
        if let Some(diagnostic) = launched.diagnostics.iter().find(is_wrong) {
            return Err(format!("program {}: the simulator says: {diagnostic}", program.number));
        }
        simulator.read(address, bytemuck::cast_slice_mut(&mut results)).map_err(said)?;
        simulator.free(address);
        all.push(results);
    }
    Ok(all)
}

/// How a GPU's machine code is made of the text: by the driver's assembler, with its optimiser or without.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Assembly {
    Plain,
    Optimised,
}

/// The same on a GPU.
pub fn on_gpu(
    device: &Device,
    assembly: Assembly,
    text: &str,
    programs: &[Program],
    inputs: &[u64],
    initial: &[u64],
) -> Result<Vec<Vec<u64>>, String> {
    let wrong = |what: anyhow::Error| format!("{what:#}");
    let code = match assembly {
        Assembly::Plain => unoptimised::assemble(text).map_err(|what| what.to_string())?,
        // The driver takes the text as the compiler would, with a zero at its end.
        Assembly::Optimised => format!("{text}\0").into_bytes(),
    };
    // SAFETY: the text ends with a zero, or it is what the driver has made of it. The programs are generated
    // to read their inputs and to write their results alone.
    let module = unsafe { device.load_code("random", text, &code) }.map_err(wrong)?;
    let given = device.clone_htod(inputs).map_err(wrong)?;
    let mut all = Vec::new();
    for program in programs {
        let kernel = module.load_function(&program.kernel()).map_err(wrong)?;
        let results = device.clone_htod(&initial[..program.results()]).map_err(wrong)?;
        let config = LaunchConfig::new(1, program.threads as u32);
        device.launch_builder(&kernel).arg(&given).arg(&results).launch(config).map_err(wrong)?;
        all.push(
            device.clone_dtoh(&results).map_err(|what| format!("program {}: {what:#}", program.number))?,
        );
    }
    Ok(all)
}

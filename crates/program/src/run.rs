//! Runs a program to its end.

use device::Simulator as Device;
use ptx_simulator::host::{Host, Natives, Stop};
use ptx_simulator::{Diagnostic, Kind, Module, Owner};

use crate::cuda::{Allocations, KernelRun, Launches};
use crate::kept::Kept;
use crate::libc::Ends;
use crate::outside::Outside;
use crate::runtime::Runtime;

/// How a program is run.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// `argv`, the program's name first.
    pub args: Vec<String>,
    /// Instructions that the host may execute; `None`: any number.
    pub step_limit: Option<u64>,
    /// Instructions that the warps of all launches may execute together; `None`: any number.
    pub warp_limit: Option<u64>,
    /// The variables that are the device's (`__device__`, `__constant__`), and those that are managed, by the
    /// names in the PTX.
    pub device_variables: Vec<String>,
    /// Those that are managed (`__managed__`).
    pub managed_variables: Vec<String>,
}

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// It returned from `main`, or called `exit`, with this status.
    Status(i32),
    /// Something that is wrong stopped it.
    Stopped,
}

/// What came of a program.
#[derive(Debug)]
pub struct Ran {
    /// How it ended.
    pub ended: Ended,
    /// What is wrong with it, in the order of its time: what a kernel or a copy shows counts from when the
    /// host asked for it.
    pub found: Vec<Diagnostic>,
    /// Its kernels, in the order of their first launches.
    pub kernels: Vec<KernelRun>,
    /// Whether it asked for times.
    pub asked_for_times: bool,
    /// Instructions that the host has executed.
    pub steps: u64,
}

/// Runs the program in `module` on a simulated device.
///
/// # Errors
/// There is no `main`, or it calls a function that is nowhere.
pub fn run(
    device: &Device,
    module: &Module,
    options: &Options,
    outside: &mut dyn Outside,
) -> Result<Ran, Box<Diagnostic>> {
    let mut core = device.core.borrow_mut();
    core.foresee();
    let mut runtime = Runtime {
        outside,
        device,
        module,
        kept: Kept::default(),
        found: Vec::new(),
        now: 0,
        asked_for_times: false,
        step_limit: options.step_limit,
        warp_limit: options.warp_limit,
        outside_is_silent: false,
        lost_output: false,
    };
    runtime.kept.get::<Launches>().is_heard = !options.managed_variables.is_empty();
    runtime.kept.get::<Allocations>().variables.clone_from(&options.device_variables);
    let has = |names: &[String], name: &str| names.iter().any(|known| known == name);
    let owner = |name: &str| match name {
        name if has(&options.device_variables, name) => Owner::Device,
        name if has(&options.managed_variables, name) => Owner::Managed,
        // The compiler's own names have a dollar sign.
        name if name.contains('$') => Owner::Constant,
        _ => Owner::Static,
    };
    let mut host = Host::new(&mut core, module, |name| Natives::find(&runtime, name), owner)?;
    let (main, count) = host.function("main").ok_or_else(|| {
        let help = "a program begins in `int main()`";
        Box::new(Diagnostic::of_host(Kind::LaunchLimit, None, "the program has no `main`", help))
    })?;
    if let Some((name, place)) = host.missing("main").into_iter().next() {
        let what = format!("the host calls `{name}`, which the simulator does not have");
        let help = "do without it, or define it in the program";
        let mut found = Diagnostic::of_host(Kind::UnsupportedInstruction, None, what, help);
        (found.file, found.line) = place.unzip();
        return Err(Box::new(found));
    }
    let mut status = initialise(&mut host, &mut core, &mut runtime);
    if status.is_ok() {
        let args = arguments(&mut core, &options.args);
        status =
            host.invoke(&mut core, &mut runtime, main, &args[..count.min(3)]).map(|status| status as i32);
    }
    let status = match status {
        Err(Stop::Exit(status)) => Ok(status),
        other => other,
    };
    let ended = match status.and_then(|status| {
        runtime.at_exit(&mut host, &mut core)?;
        Ok(status)
    }) {
        Ok(status) | Err(Stop::Exit(status)) => Ended::Status(status),
        Err(Stop::Fault(found)) => {
            runtime.now = host.steps();
            let found = runtime.with_allocation(*found);
            runtime.found_now(found);
            Ended::Stopped
        }
    };
    runtime.save_files();
    runtime.end(&mut host, &mut core, ended);
    let Runtime { mut kept, mut found, asked_for_times, .. } = runtime;
    found.sort_by_key(|one| one.at);
    let found = found.into_iter().map(|one| one.found).collect();
    let kernels = std::mem::take(&mut kept.get::<Launches>().kernels);
    Ok(Ran { ended, found, kernels, asked_for_times, steps: host.steps() })
}

/// Runs the initialisers of global variables.
fn initialise(
    host: &mut Host,
    core: &mut ptx_simulator::Simulator,
    runtime: &mut Runtime,
) -> Result<i32, Stop> {
    let mut names: Vec<String> =
        host.functions().filter(|name| name.starts_with("__wb_init_")).map(str::to_string).collect();
    names.sort();
    for name in names {
        if let Some((function, _)) = host.function(&name) {
            host.invoke(core, runtime, function, &[])?;
        }
    }
    Ok(0)
}

/// `argc`, `argv` and `envp`.
fn arguments(core: &mut ptx_simulator::Simulator, args: &[String]) -> [u64; 3] {
    let mut pointers = Vec::new();
    for arg in args {
        let bytes = [arg.as_bytes(), &[0]].concat();
        let address =
            core.alloc_for(Owner::Heap, bytes.len() as u64, "an argument of the program").unwrap_or(0);
        _ = core.host_write(address, &bytes);
        pointers.extend(address.to_le_bytes());
    }
    pointers.extend([0; 16]);
    let argv = core.alloc_for(Owner::Heap, pointers.len() as u64, "argv").unwrap_or(0);
    _ = core.host_write(argv, &pointers);
    [args.len() as u64, argv, argv + pointers.len() as u64 - 8]
}

impl Runtime<'_> {
    /// Runs the functions of `atexit`, the last first.
    fn at_exit(&mut self, host: &mut Host, core: &mut ptx_simulator::Simulator) -> Result<(), Stop> {
        while let Some(last) = self.kept.get::<Ends>().at_exit.pop() {
            host.invoke(core, self, last.function, &[last.argument])?;
        }
        Ok(())
    }

    /// What is left when the program has ended.
    fn end(&mut self, host: &mut Host, core: &mut ptx_simulator::Simulator, ended: Ended) {
        self.say_counts();
        let mut call = ptx_simulator::host::Call::at_end(host, core);
        self.take_unwritten(&mut call);
        if ended != Ended::Stopped {
            self.now = call.host.steps();
            if let Err(Stop::Fault(found)) = self.at_end(&mut call, ended != Ended::Status(0)) {
                self.found_now(*found);
            }
        }
        self.forget_what_follows();
    }
}

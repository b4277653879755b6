//! [`Module`] and [`Function`]: kernels, ready to be launched on a device.

use std::rc::Rc;
use std::sync::Arc;

use anyhow::{Result, bail};
use cuda_source::misfit::{self, Given, Misfit};
use kernel_compiler::build::{Build, Text};
use ptx_simulator as sim;

use super::cuda;
use super::device::{Device, Kind};
use super::simulator::found;

/// A chapter's kernels on a device. Those of a simulator run on every simulator.
#[derive(Clone)]
pub struct Module {
    name: String,
    ptx: sim::Module,
    /// Kernels for newer GPUs alone, on the simulator.
    newer: Option<sim::Module>,
    gpu: Option<cuda::Module>,
    source: Option<Arc<Source>>,
}

/// What kernels were made from, of which somebody may have edited the names and the parameters.
struct Source {
    path: Text,
    text: Text,
    /// What it was edited from, if that is known.
    printed: Text,
}

/// One kernel.
pub struct Function {
    /// Its name in the source.
    pub name: String,
    pub(super) params: Vec<sim::Param>,
    pub(super) code: Code,
    source: Option<Arc<Source>>,
    /// What an edit has made of the order of its parameters, if that is another one.
    reordered: Option<Misfit>,
}

impl Function {
    /// Why it cannot be launched with what is `given`, which does not fit, if its source is known.
    pub(super) fn misfit(&self, given: &[Given]) -> Option<Misfit> {
        let Source { path, text, printed } = self.source.as_deref()?;
        Some(misfit::other_parameters(text, &self.name, given, printed).of(path, text))
    }

    /// # Errors
    /// An edit has changed the order of its parameters, and what the host gives fits all the same.
    pub(super) fn check_order(&self) -> Result<()> {
        self.reordered.clone().map_or(Ok(()), |misfit| Err(misfit.into()))
    }
}

pub(super) enum Code {
    Gpu(Rc<cuda::Function>),
    Sim(sim::Module),
}

impl Device {
    /// Makes the kernels of `build` ready to launch: the fatbin on a GPU, the PTX on the simulator.
    ///
    /// # Errors
    /// Of [`Device::load_code`].
    ///
    /// # Safety
    /// Of [`Device::load_code`].
    pub unsafe fn load_module(&self, build: &Build) -> Result<Module> {
        if self.is_simulated() {
            return Module::simulated(build);
        }
        // SAFETY: the caller's.
        let module = unsafe { self.load(&build.stem, (&build.ptx, &build.registers), &build.fatbin)? };
        Ok(Module { source: Some(Source::of(build)), ..module })
    }

    /// [`Device::load_module`] for code that is no chapter's; `name` stands in messages.
    ///
    /// # Errors
    /// PTX that cannot be read, as a [`sim::Diagnostic`]; a fatbin without code for this GPU; the CPU, which
    /// runs no kernels.
    ///
    /// # Safety
    /// The simulator checks what kernels do. On a GPU nothing does, so this is where it is promised: `fatbin`
    /// is what a compiler has made, of the kernels of `ptx`; and each launch that the program makes of them
    /// reaches no memory but the buffers that it is given, within their lengths, and what addresses stored in
    /// those lead to.
    pub unsafe fn load_code(&self, name: &str, ptx: &str, fatbin: &[u8]) -> Result<Module> {
        // SAFETY: the caller's.
        unsafe { self.load(name, (ptx, &[]), fatbin) }
    }

    /// # Safety
    /// Of [`Device::load_code`].
    unsafe fn load(&self, name: &str, ptx: (&str, &[(Text, u32)]), fatbin: &[u8]) -> Result<Module> {
        let gpu = match &self.kind {
            // SAFETY: the caller's.
            Kind::Gpu(gpu) => Some(unsafe { gpu.load_module(fatbin)? }),
            Kind::Sim(_) => None,
            Kind::Cpu => bail!("the CPU runs no kernels, and {name} has some; use a GPU or the simulator"),
        };
        let ptx = parse(name, ptx)?;
        Ok(Module { name: name.to_string(), ptx, newer: None, gpu, source: None })
    }
}

/// PTX for the simulator, and the registers per thread that its kernels take on a GPU.
fn parse(name: &str, (ptx, registers): (&str, &[(Text, u32)])) -> Result<sim::Module> {
    sim::Module::with_registers(ptx, name, registers).map_err(found)
}

impl Source {
    fn of(build: &Build) -> Arc<Source> {
        let Build { source_path, source, printed, .. } = build;
        Arc::new(Source { path: source_path.clone(), text: source.clone(), printed: printed.clone() })
    }
}

impl Module {
    /// The kernels of `build` for every simulator.
    ///
    /// # Errors
    /// Of [`Module::of_ptx`].
    pub fn simulated(build: &Build) -> Result<Module> {
        let ptx = parse(&build.stem, (&build.ptx, &build.registers))?;
        let newer = (!build.newer.is_empty()).then(|| parse(&build.stem, (&build.newer, &build.registers)));
        let newer = newer.transpose()?;
        Ok(Module { name: build.stem.to_string(), ptx, newer, gpu: None, source: Some(Source::of(build)) })
    }

    /// The kernels of `ptx` for every simulator; `name` stands in messages.
    ///
    /// # Errors
    /// PTX that cannot be read, as a [`sim::Diagnostic`].
    pub fn of_ptx(name: &str, ptx: &str) -> Result<Module> {
        let ptx = parse(name, (ptx, &[]))?;
        Ok(Module { name: name.to_string(), ptx, newer: None, gpu: None, source: None })
    }

    /// The names of its kernels.
    pub fn kernels(&self) -> &[String] {
        self.ptx.kernels()
    }

    /// Its PTX, as the simulator reads it: parameters and source lines.
    pub fn ptx(&self) -> &sim::Module {
        &self.ptx
    }

    /// The kernel called `name`.
    ///
    /// # Errors
    /// There is no such kernel; the error says which there are.
    pub fn load_function(&self, name: &str) -> Result<Function> {
        self.load_from(&self.ptx, name)
    }

    /// The same for a kernel whose body is empty on older GPUs.
    ///
    /// # Errors
    /// There is no such kernel; the simulator was not given the build for newer GPUs.
    pub fn load_newer_function(&self, name: &str) -> Result<Function> {
        match &self.newer {
            Some(newer) => self.load_from(newer, name),
            None if self.gpu.is_some() => self.load_function(name),
            None => bail!("{name} is for newer GPUs alone, and the simulator has no build of it here"),
        }
    }

    fn load_from(&self, ptx: &sim::Module, name: &str) -> Result<Function> {
        let Some(params) = ptx.params(name) else {
            if let Some(Source { path, text, printed }) = self.source.as_deref() {
                return Err(misfit::missing(text, name, printed).of(path, text).into());
            }
            let kernels = ptx.kernels().join(", ");
            bail!("{} has no kernel named {name}; there are: {kernels}", self.name);
        };
        let code = match &self.gpu {
            Some(module) => Code::Gpu(Rc::new(cuda::load_function(module, name)?)),
            None => Code::Sim(ptx.clone()),
        };
        let source = self.source.clone();
        let reordered = source.as_deref().and_then(|Source { path, text, printed }| {
            Some(misfit::reordered(text, name, printed)?.of(path, text))
        });
        Ok(Function { name: name.to_string(), params: params.to_vec(), code, source, reordered })
    }
}

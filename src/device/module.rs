//! [`Module`] and [`Function`]: kernels, ready to be launched on a device.

use anyhow::{Result, bail};

use super::cuda;
use super::device::{Device, Kind};
use super::simulator::found;
use crate::build::kernels::Build;
use crate::sim;

/// A chapter's kernels on a device. Those of a simulator run on every simulator.
pub struct Module {
    name: String,
    ptx: sim::Module,
    gpu: Option<cuda::Module>,
}

/// One kernel.
pub struct Function {
    pub(super) name: String,
    pub(super) params: Vec<sim::Param>,
    pub(super) code: Code,
}

pub(super) enum Code {
    Gpu(cuda::Function),
    Sim(sim::Module),
}

impl Device {
    /// Makes the kernels of `build` ready to launch: the fatbin on a GPU, the PTX on the simulator.
    ///
    /// # Errors
    /// Of [`Device::load_code`].
    pub fn load_module(&self, build: &Build) -> Result<Module> {
        self.load_code(build.stem, build.ptx, build.fatbin)
    }

    /// [`Device::load_module`] where `first` has the same kernels on another device: simulated ones share it.
    ///
    /// # Errors
    /// Of [`Device::load_code`].
    pub fn load_module_beside(&self, first: &Module, build: &Build) -> Result<Module> {
        match &self.kind {
            Kind::Sim(_) => Ok(Module { name: first.name.clone(), ptx: first.ptx.clone(), gpu: None }),
            _ => self.load_module(build),
        }
    }

    /// [`Device::load_module`] for code that is no chapter's; `name` stands in messages.
    ///
    /// # Errors
    /// PTX that cannot be read, as a [`sim::Diagnostic`]; a fatbin without code for this GPU; the CPU, which
    /// runs no kernels.
    pub fn load_code(&self, name: &str, ptx: &str, fatbin: &[u8]) -> Result<Module> {
        let gpu = match &self.kind {
            Kind::Gpu(gpu) => Some(gpu.load_module(fatbin)?),
            Kind::Sim(_) => None,
            Kind::Cpu => bail!("the CPU runs no kernels, and {name} has some; use a GPU or the simulator"),
        };
        let ptx = sim::Module::parse(ptx, name).map_err(found)?;
        Ok(Module { name: name.to_string(), ptx, gpu })
    }
}

impl Function {
    /// Its name in the source.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many arguments it takes.
    pub fn arguments(&self) -> usize {
        self.params.len()
    }
}

impl Module {
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
        let Some(params) = self.ptx.params(name) else {
            let kernels = self.ptx.kernels().join(", ");
            bail!("{} has no kernel named {name}; there are: {kernels}", self.name);
        };
        let code = match &self.gpu {
            Some(module) => Code::Gpu(cuda::load_function(module, name)?),
            None => Code::Sim(self.ptx.clone()),
        };
        Ok(Function { name: name.to_string(), params: params.to_vec(), code })
    }
}

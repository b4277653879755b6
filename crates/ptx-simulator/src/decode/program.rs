//! The typed program: names are register numbers here, and opcodes are operations.

use rustc_hash::FxHashMap;
use std::sync::Arc;

use super::exchange::Common;
use super::op::{Op, Pred, Reg};
use super::special::Special;
use crate::arith::Lanes;
use crate::device::{DeviceProperties, LaunchConfig, check_config, count_in};
use crate::diagnostic::Diagnostic;
use crate::memory::shared;
use crate::ptx::{Bounds, Init, Variable};
use crate::what::Limit;

/// A decoded module.
#[derive(Debug, Default)]
pub struct Program {
    pub name: String,
    pub functions: Vec<Function>,
    pub by_name: FxHashMap<String, usize>,
    /// Kernels in the order of the text.
    pub kernels: Vec<String>,
    /// Functions that are called, or whose address is taken, and that the module does not define. Their
    /// addresses follow those of `functions`.
    pub externals: Vec<String>,
    /// Module variables in global and constant memory, in the order of their numbers.
    pub globals: Vec<Variable>,
    /// The branches that decide whether a barrier is reached, by their numbers.
    pub watches: Vec<Watched>,
    /// Whether some function has to do with clusters.
    pub has_clusters: bool,
    /// Line table: what [`Inst::loc`] points into.
    pub locs: Vec<Loc>,
}

impl Program {
    /// File and line that stand in messages: of the source or, without a line table, of the PTX. Neither for
    /// an instruction that the compiler has put into the PTX of a source without saying for which line.
    pub fn place(&self, loc: u32, line: u32) -> (Option<String>, Option<u32>) {
        let loc = self.locs.get(loc as usize);
        if self.name.ends_with(".cu") && loc.is_none_or(|loc| loc.is_ptx) {
            return (None, None);
        }
        let file = loc.map_or(self.name.clone(), |loc| loc.file.to_string());
        (Some(file), Some(loc.map_or(line, |loc| loc.line)))
    }

    /// The source line of the instruction in a line of the PTX, if that is known.
    pub fn source_of(&self, line: u32) -> Option<(String, u32)> {
        let mut code = self.functions.iter().flat_map(|function| &function.code);
        let inst = code.find(|inst| inst.line == line)?;
        let loc = self.locs.get(inst.loc as usize)?;
        Some((loc.file.to_string(), loc.line))
    }
}

/// A branch that decides whether a barrier is reached: its source line, and whether it is the barrier of a
/// cluster.
#[derive(Clone, Copy, Debug)]
pub struct Watched {
    pub loc: u32,
    pub of_cluster: bool,
}

/// A source line, or a line of the PTX where there is no line table.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Loc {
    pub file: Arc<str>,
    pub line: u32,
    /// NVIDIA's header that this comes from, if it is one that relies on more than the rules promise.
    pub header: Option<Arc<str>>,
    /// Whether it is a line of the PTX, for want of a line table.
    pub is_ptx: bool,
}

/// A function, or a kernel.
#[derive(Debug, Default)]
pub struct Function {
    pub name: String,
    pub is_entry: bool,
    /// Name, offset and bytes of each parameter, and the bytes of all.
    pub params: Vec<Param>,
    pub param_bytes: usize,
    pub returns: Option<Param>,
    pub bounds: Bounds,
    pub code: Vec<Inst>,
    pub registers: usize,
    pub predicates: usize,
    pub constants: Vec<Lanes>,
    /// Registers that hold special registers, filled when a warp starts: `%tid.x` and the like.
    pub specials: Vec<(Special, Reg)>,
    /// Bytes of local memory and of call parameters that an activation needs, a lane.
    pub local_bytes: usize,
    pub frame_bytes: usize,
    /// Bytes of static shared memory, and the alignment the dynamic part needs.
    pub shared_bytes: usize,
    /// Registers per thread in machine code, if they are known.
    pub machine_registers: Option<u32>,
    /// The shared variables that the kernel sees, by the numbers that their addresses have.
    pub shared: Vec<shared::Variable>,
    pub uses_grid_workspace: bool,
    /// For a barrier, or a call of a function with one, by its place: the watched branches that it lies
    /// behind, and whether on the taken side.
    pub barrier_sites: FxHashMap<u32, Vec<(u32, bool)>>,
    /// The warp-level instructions whose mask comes from `activemask`, by their places.
    pub active_masks: FxHashMap<usize, ActiveMask>,
    /// Where its exchanges between lanes meet, if it has several.
    pub common: Option<Common>,
    /// Functions called directly.
    pub calls: Vec<usize>,
    /// The first thing that could not be decoded.
    pub unsupported: Option<Diagnostic>,
}

impl Function {
    /// The clusters of a launch: blocks in x, y, z. `asked`: what the launch itself says.
    pub fn cluster_dim(&self, config: &LaunchConfig, asked: Option<[u32; 3]>) -> Result<[u32; 3], String> {
        let name = &self.name;
        let dim = match (self.bounds.cluster, asked) {
            (Some(own), Some(asked)) if own != asked => {
                return Err(format!(
                    "clusters of {} blocks; {name} is compiled for {} (__cluster_dims__)",
                    show(asked),
                    show(own)
                ));
            }
            (None, None) if self.bounds.explicit_cluster => {
                return Err(format!("{name} needs clusters, and the launch does not say of how many blocks"));
            }
            (own, asked) => own.or(asked).unwrap_or([1; 3]),
        };
        let blocks = count_in(dim);
        let most = u64::from(self.bounds.most_in_cluster.unwrap_or(MAX_IN_CLUSTER));
        if blocks == 0 || blocks > most.min(MAX_IN_CLUSTER.into()) {
            return Err(format!(
                "clusters of {} blocks; 1 to {} are possible (more only by \
                 cudaFuncAttributeNonPortableClusterSizeAllowed, which the simulator does not have)",
                show(dim),
                most.min(MAX_IN_CLUSTER.into())
            ));
        }
        let (x, y, z) = config.grid_dim;
        if [x, y, z].iter().zip(dim).any(|(blocks, of)| !blocks.is_multiple_of(of)) {
            let grid = show([x, y, z]);
            return Err(format!("a grid of {grid} blocks, not a whole number of clusters of {}", show(dim)));
        }
        Ok(dim)
    }

    /// Checks what a launch of this kernel asks for, with at most `most_shared` bytes of shared memory.
    pub fn check(
        &self,
        device: &DeviceProperties,
        config: &LaunchConfig,
        cluster: Option<[u32; 3]>,
        most_shared: usize,
    ) -> Result<(), (Limit, String)> {
        let shape = |why| (Limit::Shape, why);
        check_config(config).map_err(shape)?;
        self.cluster_dim(config, cluster).map_err(shape)?;
        let (x, y, z) = config.block_dim;
        let asked = show([x, y, z]);
        let name = &self.name;
        if let Some(most) =
            self.bounds.most_threads.map(count_in).filter(|most| count_in(config.block_dim) > *most)
        {
            let why = format!(
                "a block of {asked} threads; {name} is compiled for at most {most} (__launch_bounds__)"
            );
            return Err((Limit::CompiledFor, why));
        }
        if let Some(block) = self.bounds.block.filter(|block| *block != [x, y, z]) {
            let why = format!("a block of {asked} threads; {name} is compiled for {} alone", show(block));
            return Err((Limit::CompiledFor, why));
        }
        let fixed = self.shared_bytes;
        let most = device.shared_per_block;
        if fixed > most {
            let why = format!(
                "{fixed} bytes of static shared memory; at most {most} are possible, more only as dynamic \
                 shared memory (`extern __shared__`)"
            );
            return Err((Limit::SharedMemory, why));
        }
        let shared = fixed.saturating_add(config.shared_mem_bytes as usize);
        let why = || format!("{shared} bytes of shared memory per block; at most {most_shared} are possible");
        if shared > most_shared { Err((Limit::SharedMemory, why())) } else { Ok(()) }
    }
}

fn show([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

/// Blocks that every GPU with clusters can have in one (CUDA C++ Programming Guide, "Thread Block Clusters").
const MAX_IN_CLUSTER: u32 = 8;

/// A parameter of a kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Param {
    /// As PTX calls it.
    pub name: String,
    /// Where it lies among the parameters, in bytes.
    pub offset: usize,
    /// Its size in bytes.
    pub bytes: usize,
    /// The PTX type without the dot (`u64`); of one element where the parameter is an array.
    pub kind: String,
}

impl Param {
    /// Pieces of eight bytes that a launch is given for it.
    pub fn pieces(&self) -> usize {
        self.bytes.div_ceil(8).max(1)
    }

    pub(super) fn new(variable: &Variable, offset: usize) -> Param {
        Param { name: variable.name.clone(), offset, bytes: variable.bytes(), kind: variable.kind.clone() }
    }
}

/// The bytes at the start of a module variable that its initialiser gives, the others being 0; symbols are
/// filled in when the module is loaded.
pub fn initial_bytes(variable: &Variable, resolve: impl Fn(&str, bool) -> Option<u64>) -> Vec<u8> {
    let scalar = if variable.init.len() > variable.count {
        variable.element / (variable.init.len() / variable.count.max(1)).max(1)
    } else {
        variable.element
    };
    let mut bytes = vec![0u8; (variable.init.len() * scalar).min(variable.bytes())];
    for (i, init) in variable.init.iter().enumerate() {
        let value = match init {
            Init::Number(value) => *value,
            Init::Symbol { name, offset, generic } => {
                resolve(name, *generic).unwrap_or(0).wrapping_add(*offset as u64)
            }
        };
        let start = i * scalar;
        let width = scalar.min(8);
        if let Some(slot) = bytes.get_mut(start..start + width) {
            slot.copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    bytes
}

/// Addresses of functions: this plus the function's number. Nothing else lies there.
pub const FUNCTION_WINDOW: u64 = 0x08 << 56;

#[derive(Debug)]
pub struct Inst {
    pub op: Op,
    /// The predicate that guards it, or [`NONE`].
    pub guard: Pred,
    pub negated: bool,
    /// Numbers of the branch among those that decide whether a barrier is reached, of the block and of the
    /// cluster, or [`NONE`].
    pub watch: [u32; 2],
    /// Line in the PTX text.
    pub line: u32,
    /// Index into [`Program::locs`], or [`NONE`].
    pub loc: u32,
}

/// The `activemask` that the mask of an instruction is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveMask {
    /// Where that stands.
    pub pc: usize,
    /// Whether it only says who exchanges values: nothing chooses a leader by it, or counts its lanes.
    pub only_names: bool,
}

//! Launches as host code.

use anyhow::{Context, Result, bail, ensure};
use cuda_source::parameters::{Kernel, source_name};

use super::Program;
use super::types::{Declared, declared, literal, pointer};
use crate::fill::Pointer;
use crate::number::Type;
use crate::script::{Dimensions, Launch, Spec, Value};

/// Bytes of dynamic shared memory that a kernel gets without asking.
const MAX_SHARED: u32 = 48 << 10;

impl Program<'_> {
    /// The statements of a launch.
    pub(super) fn launch(&mut self, launch: &Launch) -> Result<String> {
        let kernel = kernel(launch, &self.kernels)?;
        let parameters = declared(&self.kernels, &kernel);
        if let Some(all) = parameters.as_ref().filter(|all| all.len() != launch.args.len()) {
            bail!("{kernel} has {} parameters, and is given {} arguments", all.len(), launch.args.len());
        }
        let mut args = Vec::new();
        for (number, arg) in launch.args.iter().enumerate() {
            let declared = parameters.as_ref().and_then(|all| all[number].as_ref());
            let text = self.argument(arg, declared).with_context(|| format!("argument {number} of {kernel}"));
            args.push(text?);
        }
        let check = self.check();
        let shared = launch.config.shared_mem_bytes;
        let attribute = "cudaFuncAttributeMaxDynamicSharedMemorySize";
        let mut text = String::new();
        if shared > MAX_SHARED {
            text += &format!("{check}(cudaFuncSetAttribute({kernel}, {attribute}, {shared}));\n");
        }
        text += &match launch.cluster {
            Some(cluster) => clustered(launch, cluster, &kernel, &args, &check),
            None => format!("{};\n{check}(cudaGetLastError());\n", plain(launch, &kernel, &args)),
        };
        Ok(text + &format!("{check}(cudaDeviceSynchronize());\n"))
    }

    /// What is given for a parameter.
    fn argument(&self, arg: &Spec, declared: Option<&Declared>) -> Result<String> {
        if let Some(Declared { text, .. }) = declared.filter(|declared| is_other(arg, declared)) {
            bail!("the parameter is `{text}`, and {arg} is given");
        }
        match &arg.value {
            Value::Number(kind, bits) => {
                self.exported(*kind)?;
                let number = literal(*kind, *bits);
                let other = declared.filter(|to| to.stars > 0 || to.number().is_none());
                Ok(other.map_or(number.clone(), |to| format!("({}){number}", to.cast())))
            }
            Value::Pointer(to) => self.pointer(to, declared),
            Value::Struct(_, pointers) => {
                let to = declared.filter(|to| to.stars == 0);
                let name = &to.context("the source does not name the structure's type")?.words;
                Ok(format!("{name}{{{}}}", self.fields(arg, pointers)?))
            }
            Value::Buffer(_) => bail!("its buffer is not one of the script's"),
        }
    }

    /// The fields of a structure.
    fn fields(&self, arg: &Spec, pointers: &[(usize, Pointer)]) -> Result<String> {
        let mut pointers = pointers.iter();
        let field = |(kind, number): (Type, &str)| {
            if kind == Type::Ptr {
                let (_, pointer) = pointers.next().context("a pointer is missing")?;
                return self.pointer(pointer, None);
            }
            self.exported(kind)?;
            Ok(literal(kind, kind.number(number, &[])?))
        };
        Ok(arg.fields()?.into_iter().map(field).collect::<Result<Vec<_>>>()?.join(", "))
    }

    /// The address of a buffer or of a place in it, as a pointer of the type that is declared.
    pub(super) fn pointer(&self, to: &Pointer, declared: Option<&Declared>) -> Result<String> {
        let buffer = &self.buffers[self.export.script.buffer(&to.buffer)?];
        let size = buffer.kind.bytes() as u64;
        let is_whole = to.offset.is_multiple_of(size);
        let start = &buffer.device;
        let place = match to.offset {
            0 => start.clone(),
            offset if is_whole => format!("{start} + {}", offset / size),
            offset => format!("(char *){start} + {offset}"),
        };
        let is_own = |to: &Declared| to.stars == 1 && to.words == buffer.host.cpp || to.cast() == "void *";
        let own = pointer(&buffer.host.cpp, "");
        let cast = match declared {
            Some(to) if is_whole && is_own(to) => return Ok(place),
            Some(to) => to.cast(),
            None if is_whole => return Ok(place),
            None => own,
        };
        let place = if to.offset == 0 { place } else { format!("({place})") };
        Ok(format!("({cast}){place}"))
    }
}

/// The kernel as the source calls it.
pub(super) fn kernel(launch: &Launch, all: &[Kernel]) -> Result<String> {
    let name = match (&launch.kernel, all) {
        (Some(name), _) => source_name(name),
        (None, [only]) => only.name,
        (None, _) => bail!("the launch names no kernel, and the source has {}", all.len()),
    };
    let is_template = all.iter().any(|kernel| kernel.is_template && kernel.name == name);
    ensure!(!is_template, "{name} is a template: the launch has to say for what, like {name}<float><<<…>>>");
    Ok(name.to_owned())
}

/// Whether a parameter is a number of another kind or size than what is given.
fn is_other(arg: &Spec, declared: &Declared) -> bool {
    let Some(number) = declared.number().filter(|_| declared.stars == 0) else { return false };
    let is_float = |kind: Type| matches!(kind, Type::Float(_));
    let given = if let Value::Number(kind, _) = arg.value { kind } else { Type::Ptr };
    number.bytes() != arg.bytes() || is_float(number) != is_float(given)
}

/// `sum<<<4, 256>>>(d_in, 1000)`
fn plain(launch: &Launch, kernel: &str, args: &[String]) -> String {
    let config = &launch.config;
    let mut sizes = format!("{}, {}", size(config.grid_dim), size(config.block_dim));
    if config.shared_mem_bytes > 0 {
        sizes += &format!(", {}", config.shared_mem_bytes);
    }
    format!("{kernel}<<<{sizes}>>>({})", args.join(", "))
}

/// The same with clusters, in a scope of its own.
fn clustered(launch: &Launch, cluster: Dimensions, kernel: &str, args: &[String], check: &str) -> String {
    let (x, y, z) = cluster;
    let config = &launch.config;
    let args: String = args.iter().map(|arg| format!(", {arg}")).collect();
    let lines = [
        "cudaLaunchAttribute cluster = {};".to_owned(),
        "cluster.id = cudaLaunchAttributeClusterDimension;".to_owned(),
        format!("cluster.val.clusterDim.x = {x};"),
        format!("cluster.val.clusterDim.y = {y};"),
        format!("cluster.val.clusterDim.z = {z};"),
        "cudaLaunchConfig_t config = {};".to_owned(),
        format!("config.gridDim = {};", size(config.grid_dim)),
        format!("config.blockDim = {};", size(config.block_dim)),
        format!("config.dynamicSmemBytes = {};", config.shared_mem_bytes),
        "config.attrs = &cluster;".to_owned(),
        "config.numAttrs = 1;".to_owned(),
        format!("{check}(cudaLaunchKernelEx(&config, {kernel}{args}));"),
    ];
    format!("{{\n    {}\n}}\n", lines.join("\n    "))
}

fn size((x, y, z): Dimensions) -> String {
    match (y, z) {
        (1, 1) => x.to_string(),
        (_, 1) => format!("dim3({x}, {y})"),
        _ => format!("dim3({x}, {y}, {z})"),
    }
}

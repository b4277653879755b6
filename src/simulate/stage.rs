//! The device with the buffers and variables of a plan, where its steps are done.

use anyhow::{Context, Error, Result, bail};

use super::files;
use super::fill::{Content, Fill, Pointer};
use super::names;
use super::plan::{Check, Launch, Named, Plan, Save, Step};
use super::spec::{Spec, Value};
use super::types::Type;
use super::values::Held;
use workbook::device::{Arg, Buffer, Device, Module};
use workbook::number::thousands;
use workbook::sim::Diagnostic;

pub struct Stage<'a> {
    device: &'a Device,
    module: &'a Module,
    /// With their names; those that are arguments are called by number.
    buffers: Vec<Placed>,
    /// Variables of the module that are shown: as they were called, type, address and bytes.
    symbols: Vec<(String, Type, u64, u64)>,
}

struct Placed {
    name: String,
    arg: Option<usize>,
    kind: Type,
    buffer: Buffer<u8>,
}

impl<'a> Stage<'a> {
    /// Makes and fills all buffers.
    pub fn new(device: &'a Device, module: &'a Module, plan: &Plan) -> Result<Stage<'a>> {
        let mut stage = Stage { device, module, buffers: Vec::new(), symbols: Vec::new() };
        let mut fills = Vec::new();
        for Named { name, kind, fill } in &plan.buffers {
            stage.place(name.clone(), None, *kind, fill)?;
            fills.push(fill);
        }
        let launches = plan.steps.iter().filter_map(|step| match step {
            Step::Launch(launch) => Some(launch),
            _ => None,
        });
        for (number, spec) in launches.flat_map(|launch| launch.args.iter().enumerate()) {
            if let Value::Buffer(fill) = &spec.value {
                stage.place(number.to_string(), Some(number), spec.kind, fill)?;
                fills.push(fill);
            }
        }
        // One at a time, since each is in the host's memory meanwhile.
        for (placed, fill) in stage.buffers.iter().zip(fills) {
            stage.fill(placed.buffer.addresses().start, fill.content(placed.kind))?;
        }
        Ok(stage)
    }

    fn place(&mut self, name: String, arg: Option<usize>, kind: Type, fill: &Fill) -> Result<()> {
        if self.buffers.iter().any(|placed| placed.name == name) {
            bail!("two buffers are called {name}");
        }
        let buffer = self.device.alloc::<u8>(fill.len(kind) as usize * kind.bytes())?;
        self.buffers.push(Placed { name, arg, kind, buffer });
        Ok(())
    }

    fn buffer(&self, name: &str) -> Result<&Placed> {
        let names = || self.buffers.iter().map(|placed| format!("@{}", placed.name)).collect::<Vec<_>>();
        let found = self.buffers.iter().find(|placed| placed.name == name);
        found.with_context(|| format!("no buffer is called @{name}; there are: {}", names().join(", ")))
    }

    fn address(&self, pointer: &Pointer) -> Result<u64> {
        Ok(self.buffer(&pointer.buffer)?.buffer.addresses().start.wrapping_add(pointer.offset))
    }

    /// The bytes with their addresses.
    fn resolved(&self, mut content: Content) -> Result<Content> {
        for (at, pointer) in std::mem::take(&mut content.pointers) {
            content.bytes[at..at + 8].copy_from_slice(&self.address(&pointer)?.to_le_bytes());
        }
        Ok(content)
    }

    /// Writes all but what nobody is to have written.
    fn fill(&self, address: u64, content: Content) -> Result<()> {
        let Content { bytes, unwritten, .. } = self.resolved(content)?;
        let mut core = self.device.core()?;
        let mut start = 0;
        for part in unwritten.into_iter().chain(std::iter::once(bytes.len()..bytes.len())) {
            core.write(address + start as u64, &bytes[start..part.start]).map_err(|wrong| *wrong)?;
            start = part.end;
        }
        Ok(())
    }

    /// Starts a kernel; whether it ran to its end.
    pub fn launch(&self, launch: &Launch) -> Result<bool> {
        let function = self.module.load_function(launch.kernel.as_deref().unwrap_or_default())?;
        let mut builder = self.device.launch_builder(&function);
        for (number, Spec { kind, value, .. }) in launch.args.iter().enumerate() {
            match value {
                Value::Number(bits) => builder.arg(&Arg::number(*bits, kind.bytes())),
                Value::Pointer(pointer) => builder.arg(&Arg::number(self.address(pointer)?, 8)),
                Value::Struct(content) => builder.arg(&Arg::bytes(&self.resolved(content.clone())?.bytes)),
                Value::Buffer(_) => builder.arg(&self.buffer(&number.to_string())?.buffer),
            };
        }
        self.device.core()?.set_cluster(launch.cluster);
        match builder.launch(launch.config) {
            Ok(()) => Ok(true),
            // It is among the findings.
            Err(error) if error.is::<Diagnostic>() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The type of the elements that an argument is, or points to.
    pub fn kind_of(&self, arg: &Spec) -> Type {
        match &arg.value {
            Value::Pointer(pointer) => self.buffer(&pointer.buffer).map_or(arg.kind, |placed| placed.kind),
            _ => arg.kind,
        }
    }

    /// Sets a variable of the module, from its start.
    pub fn set_symbol(&mut self, symbol: &Named) -> Result<()> {
        let variables = self.module.ptx().variables();
        let named = |name: &&str| *name == symbol.name || names::is_named(name, &symbol.name);
        let name = variables.iter().copied().find(named).with_context(|| {
            let all = if variables.is_empty() { "none".to_string() } else { variables.join(", ") };
            format!("there is no variable {}; there are: {all}", symbol.name)
        })?;
        let (address, bytes) =
            self.device.core()?.variable(self.module.ptx(), name).map_err(|wrong| *wrong)?;
        let content = symbol.fill.content(symbol.kind);
        if content.bytes.len() as u64 > bytes {
            bail!("{} has {bytes} bytes, and {} are given", symbol.name, content.bytes.len());
        }
        self.fill(address, content)?;
        self.symbols.retain(|(known, ..)| *known != symbol.name);
        self.symbols.push((symbol.name.clone(), symbol.kind, address, bytes));
        Ok(())
    }

    /// What is wrong with a buffer, if something is.
    pub fn check(&self, Check { expected, within }: &Check) -> Result<Option<String>> {
        let Named { name, kind, fill } = expected;
        let held = self.hold(self.buffer(name)?)?;
        let Content { bytes: content, unwritten, .. } = self.resolved(fill.content(*kind))?;
        if content.len() != held.bytes.len() || held.kind != *kind {
            let (are, be) = (held.count(), content.len() / kind.bytes());
            return Ok(Some(format!(
                "@{name} has {are} elements of {}, and {be} of {} are expected",
                held.kind.name(),
                kind.name()
            )));
        }
        let expected = Held { bytes: content, unwritten: Vec::new(), ..held.clone() };
        // Nothing is expected of an element that is `uninit`.
        let is_open = |index: usize| unwritten.iter().any(|part| part.contains(&(index * kind.bytes())));
        let wrong = |index: &usize| held.differs(&expected, *index, *within) && !is_open(*index);
        let all: Vec<usize> = (0..held.count()).filter(wrong).collect();
        Ok(all.first().map(|first| {
            let (is, be) = (held.shown(*first), expected.shown(*first));
            let (count, of) = (thousands(all.len() as i64), thousands(held.count() as i64));
            format!(
                "@{name} holds {is} in element {first}, where {be} is expected; {count} of {of} are wrong"
            )
        }))
    }

    /// Writes a buffer to a file.
    pub fn save(&self, save: &Save) -> Result<()> {
        let held = self.hold(self.buffer(&save.name)?)?;
        files::write(&save.file, held.kind, &held.bytes).map_err(Error::msg)
    }

    fn hold(&self, placed: &Placed) -> Result<Held> {
        let addresses = placed.buffer.addresses();
        self.hold_at(
            placed.name.clone(),
            placed.arg,
            placed.kind,
            addresses.start,
            placed.buffer.len() as u64,
        )
    }

    fn hold_at(&self, name: String, arg: Option<usize>, kind: Type, start: u64, len: u64) -> Result<Held> {
        let core = self.device.core()?;
        let width = kind.bytes();
        let mut bytes = vec![0; len as usize / width * width];
        core.read(start, &mut bytes).map_err(|wrong| *wrong)?;
        let is_unwritten = |element: usize| !core.is_defined(start + (element * width) as u64, width);
        let unwritten = match core.is_defined(start, bytes.len()) {
            true => Vec::new(),
            false => (0..bytes.len() / width).map(is_unwritten).collect(),
        };
        Ok(Held { name, arg, kind, bytes, unwritten })
    }

    /// What all buffers hold, and the variables that were named.
    pub fn held(&self) -> Result<Vec<Held>> {
        let buffers = self.buffers.iter().map(|placed| self.hold(placed));
        let symbols = self
            .symbols
            .iter()
            .map(|(name, kind, address, bytes)| self.hold_at(name.clone(), None, *kind, *address, *bytes));
        buffers.chain(symbols).collect()
    }
}

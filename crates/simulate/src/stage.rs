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
use workbook::sim::{Diagnostic, Written};

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
        for (placed, fill) in stage.buffers.iter().zip(fills) {
            stage.fill(placed.buffer.addresses().start, placed.kind, fill)?;
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
    fn fill(&self, address: u64, kind: Type, fill: &Fill) -> Result<()> {
        for piece in fill.pieces(kind) {
            let (start, content) = piece.map_err(Error::msg)?;
            let Content { bytes, unwritten, .. } = self.resolved(content)?;
            if unwritten.is_empty() {
                self.device.core()?.write(address + start, &bytes).map_err(|wrong| *wrong)?;
            }
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
        let given = symbol.fill.bytes(symbol.kind);
        if given > bytes {
            bail!("{} has {bytes} bytes, and {given} are given", symbol.name);
        }
        self.fill(address, symbol.kind, &symbol.fill)?;
        self.symbols.retain(|(known, ..)| *known != symbol.name);
        self.symbols.push((symbol.name.clone(), symbol.kind, address, bytes));
        Ok(())
    }

    /// What is wrong with a buffer, if something is.
    pub fn check(&self, Check { expected, within }: &Check) -> Result<Option<String>> {
        let Named { name, kind, fill } = expected;
        let placed = self.buffer(name)?;
        let (are, be) = (placed.buffer.len() / placed.kind.bytes(), fill.len(*kind));
        if are as u64 != be || placed.kind != *kind {
            return Ok(Some(format!(
                "@{name} has {are} elements of {}, and {be} of {} are expected",
                placed.kind.name(),
                kind.name()
            )));
        }
        let (mut count, mut first) = (0, String::new());
        for piece in fill.pieces(*kind) {
            let (start, content) = piece.map_err(Error::msg)?;
            let Content { bytes, unwritten, .. } = self.resolved(content)?;
            if !unwritten.is_empty() {
                continue; // nothing is expected of what is `uninit`
            }
            let address = placed.buffer.addresses().start + start;
            let held = self.hold_at(String::new(), *kind, address, bytes.len() as u64)?;
            let expected = Held { name: String::new(), arg: None, kind: *kind, bytes, written: None };
            for index in (0..held.count()).filter(|index| held.differs(&expected, *index, *within)) {
                count += 1;
                if count == 1 {
                    let (is, be) = (held.shown(index), expected.shown(index));
                    let element = start as usize / kind.bytes() + index;
                    first = format!("@{name} holds {is} in element {element}, where {be} is expected");
                }
            }
        }
        let of = thousands(are as i64);
        Ok((count > 0).then(|| format!("{first}; {} of {of} are wrong", thousands(count))))
    }

    /// Writes a buffer to a file.
    pub fn save(&self, save: &Save) -> Result<()> {
        let Placed { kind, buffer, .. } = self.buffer(&save.name)?;
        let core = self.device.core()?;
        let bytes = core.bytes(buffer.addresses().start, buffer.len()).map_err(|wrong| *wrong)?;
        files::write(&save.file, *kind, bytes).map_err(Error::msg)
    }

    /// A copy of what lies there.
    fn hold_at(&self, name: String, kind: Type, start: u64, len: u64) -> Result<Held> {
        let core = self.device.core()?;
        let len = len as usize / kind.bytes() * kind.bytes();
        let bytes = core.bytes(start, len).map_err(|wrong| *wrong)?.to_vec();
        let mut written = None;
        if !core.is_defined(start, len) {
            let own = written.insert(Written::default());
            let defined = (0..len).filter(|byte| core.is_defined(start + *byte as u64, 1));
            defined.for_each(|byte| own.set(byte, 1, true));
        }
        Ok(Held { name, arg: None, kind, bytes, written })
    }

    /// What all buffers hold, which go from the device, and the variables that were named.
    pub fn held(self) -> Result<Vec<Held>> {
        let mut all = Vec::new();
        for Placed { name, arg, kind, buffer } in &self.buffers {
            let (bytes, written) = self.device.core()?.take(buffer.addresses().start);
            all.push(Held { name: name.clone(), arg: *arg, kind: *kind, bytes, written });
        }
        for (name, kind, address, bytes) in &self.symbols {
            all.push(self.hold_at(name.clone(), *kind, *address, *bytes)?);
        }
        Ok(all)
    }
}

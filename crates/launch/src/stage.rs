//! The buffers of a script on a device, where its steps are done.

use std::ops::Range;
use std::path::PathBuf;

use anyhow::{Context, Result, bail, ensure};
use bytemuck::Pod;
use device::{Arg, Buffer, Called, Device, Function, LaunchArgs, Module};
use ptx_simulator::{Counters, Diagnostic, Written};
use text::files::{write_new, write_whole};
use text::number::thousands;

use super::buffers::Named;
use super::drawn::shape_of_launch;
use super::fill::{Fill, Pointer};
use super::held::{Element, Held};
use super::number::Type;
use super::scope::Output;
use super::script::{Launch, Place, Script, Step, Value};

/// A device with the buffers of a script.
pub struct Stage<'a> {
    device: &'a Device,
    /// What it is made for.
    pub script: Script,
    /// In the script's order.
    buffers: Vec<Buffer<u8>>,
    /// Variables of the module that are shown: name, type, address and bytes.
    symbols: Vec<(String, Type, u64, u64)>,
}

/// What the steps of a script have left.
#[derive(Default)]
pub struct Ran {
    /// Whether all launches ran to their end; if not, the device's last finding says why.
    pub completed: bool,
    /// The cell that was stopped, where that is one that only comes first.
    pub stopped_in: Option<usize>,
    /// Launches that only came first, of which nothing is said.
    pub skipped: usize,
    /// What each of the launches counted, on the simulator.
    pub counters: Vec<Counters>,
    /// What they hold afterwards: the script's buffers, then the variables that it names.
    pub buffers: Vec<Held>,
    /// Buffers that do not hold what is expected, a sentence for each.
    pub wrong: Vec<String>,
    /// Where each of those is expected to hold something else.
    pub wrong_at: Vec<Place>,
    /// Why outputs could not be written, a sentence for each.
    pub lost: Vec<String>,
    /// What a text inside a file wanted to write, and was not allowed to: a sentence for each.
    pub withheld: Vec<String>,
}

/// Does what `script` says with the kernels of `module`, up to a launch that does not run to its end.
///
/// # Errors
/// A kernel that is not there, or that takes other arguments; buffers for which there is no room. What the
/// simulator finds is not an error.
pub fn run(device: &Device, module: &Module, script: &Script) -> Result<Ran> {
    let mut stage = Stage::new(device, script.clone())?;
    let mut ran = Ran { completed: true, ..Ran::default() };
    for (number, step) in script.steps.iter().enumerate() {
        if number == script.before && number > 0 {
            // What the steps before have shown is no concern of these.
            let skipped = ran.counters.len();
            device.take_seen();
            device.take_printed();
            device.take_trace();
            ran = Ran { completed: true, skipped, ..Ran::default() };
        }
        match step {
            Step::Symbol { named, variable } => stage.set_symbol(module, named, variable)?,
            Step::Launch(launch) => {
                let function = module.load_function(launch.kernel.as_deref().unwrap_or_default())?;
                ran.completed = stage.launch(launch, &function)?;
                ran.counters.push(device.take_counters());
            }
            Step::Check { .. } | Step::Same { .. } => {
                if let Some(wrong) = stage.compared(step)? {
                    ran.wrong.push(wrong);
                    ran.wrong_at.push(script.places.get(number).copied().unwrap_or_default());
                }
            }
            Step::Save { name, output } => {
                if let Output::Withheld(file) = output {
                    ran.withheld.push(stage.withheld(name, file)?);
                } else if let Err(why) = stage.save(name, output) {
                    ran.lost.push(format!("{why:#}"));
                }
            }
        }
        if !ran.completed {
            let is_before = number < script.before;
            ran.stopped_in = script.places.get(number).filter(|_| is_before).map(|place| place.cell);
            break;
        }
    }
    ran.buffers = stage.held()?;
    Ok(ran)
}

impl<'a> Stage<'a> {
    /// Makes and fills all buffers of `script`.
    ///
    /// # Errors
    /// There is no room for them; a file of elements that cannot be read.
    pub fn new(device: &'a Device, script: Script) -> Result<Stage<'a>> {
        let mut buffers = Vec::new();
        for Named { fill, .. } in script.buffers.iter() {
            buffers.push(device.alloc(fill.bytes() as usize)?);
        }
        let stage = Stage { device, script, buffers, symbols: Vec::new() };
        stage.fill()?;
        Ok(stage)
    }

    /// Writes to the buffers what they hold before the first launch; elements that are `uninit` are left
    /// alone.
    ///
    /// # Errors
    /// Of [`Stage::new`].
    pub fn fill(&self) -> Result<()> {
        for (named, buffer) in self.script.buffers.iter().zip(&self.buffers) {
            self.write(&named.fill, |start, bytes| self.device.write_at(bytes, buffer, start as usize))?;
        }
        Ok(())
    }

    fn write(&self, fill: &Fill, to: impl Fn(u64, &[u8]) -> Result<()>) -> Result<()> {
        for piece in fill.pieces(&|pointer| self.address(pointer)) {
            if let (start, _, Some(bytes)) = piece? {
                to(start, &bytes)?;
            }
        }
        Ok(())
    }

    /// The buffer with this name.
    ///
    /// # Errors
    /// There is none; says which there are.
    pub fn buffer(&self, name: &str) -> Result<&Buffer<u8>> {
        Ok(&self.buffers[self.script.buffer(name)?])
    }

    /// Writes `data` to the start of a buffer, which has room for it.
    ///
    /// # Errors
    /// There is no such buffer, or no room.
    pub fn give<T: Pod>(&self, name: &str, data: &[T]) -> Result<()> {
        self.device.write_at(bytemuck::cast_slice(data), self.buffer(name)?, 0)
    }

    /// What a buffer holds; `None` if not all of it has been written.
    ///
    /// # Errors
    /// There is no such buffer; a kernel went wrong on a GPU.
    pub fn elements<T: Pod>(&self, name: &str) -> Result<Option<Vec<T>>> {
        let buffer = self.buffer(name)?;
        let is_defined = self.device.is_defined(buffer, 0..buffer.len());
        let elements = || Ok(bytemuck::pod_collect_to_vec(&self.device.clone_dtoh(buffer)?));
        is_defined.then(elements).transpose()
    }

    /// What each element of a buffer holds; `None` of one that has not been written.
    ///
    /// # Errors
    /// Of [`Stage::elements`].
    pub fn written<T: Pod>(&self, name: &str) -> Result<Vec<Option<T>>> {
        let buffer = self.buffer(name)?;
        let bytes = size_of::<T>();
        let elements: Vec<T> = bytemuck::pod_collect_to_vec(&self.device.read_at(buffer, 0..buffer.len())?);
        let is_defined = |at: usize| self.device.is_defined(buffer, at * bytes..(at + 1) * bytes);
        let written = elements.into_iter().enumerate().map(|(at, element)| is_defined(at).then_some(element));
        Ok(written.collect())
    }

    fn address(&self, pointer: &Pointer) -> Result<u64> {
        Ok(self.buffer(&pointer.buffer)?.addresses().start.wrapping_add(pointer.offset))
    }

    /// The launch of `function`, put together for `device`, which may be another that reaches the buffers.
    ///
    /// # Errors
    /// A pointer to a buffer that is not there; a cluster that another device than the simulator cannot make.
    pub fn arguments<'f>(
        &'f self,
        launch: &Launch,
        device: &'f Device,
        function: &'f Function,
    ) -> Result<LaunchArgs<'f>> {
        let mut builder = device.launch_builder(function);
        for arg in &launch.args {
            match &arg.value {
                Value::Number(kind, bits) => builder.arg(&Arg::number(*bits, kind.bytes())),
                Value::Pointer(pointer) => {
                    builder.arg(&Arg::pointer(self.buffer(&pointer.buffer)?, pointer.offset))
                }
                Value::Struct(bytes, pointers) => {
                    let mut bytes = bytes.clone();
                    for (at, pointer) in pointers {
                        bytes[*at..at + 8].copy_from_slice(&self.address(pointer)?.to_le_bytes());
                    }
                    builder.arg(&Arg::bytes(&bytes))
                }
                Value::Buffer(_) => bail!("the buffer of argument {arg} is not one of the script's"),
            };
        }
        if device.is_simulated() {
            device.core()?.set_cluster(launch.cluster);
        } else {
            ensure!(launch.cluster.is_none(), "cluster= works only on the simulator");
        }
        Ok(builder)
    }

    /// Starts a kernel. Whether it ran to its end: what stopped it on the simulator is among the device's
    /// findings.
    ///
    /// # Errors
    /// Of [`Stage::arguments`]; arguments that do not fit; what stops it on a GPU.
    pub fn launch(&self, launch: &Launch, function: &Function) -> Result<bool> {
        if let Some(simulator) = self.device.simulated() {
            simulator.call_arguments(launch.args.iter().map(|arg| self.called(&arg.value)).collect());
        }
        match self.arguments(launch, self.device, function)?.launch(launch.config) {
            Ok(()) => Ok(true),
            Err(error) if error.is::<Diagnostic>() => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// What an argument points to is called; nothing, if it is a number.
    fn called(&self, value: &Value) -> Option<Called> {
        let Value::Pointer(pointer) = value else { return None };
        let Named { name, fill, .. } = &self.script.buffers[self.script.buffer(&pointer.buffer).ok()?];
        // What an argument has made is called as that.
        let is_named = self.script.names_buffers && name.parse::<usize>().is_err();
        let name = is_named.then(|| name.clone());
        Some(Called { name, kind: Some(fill.kind.name()), element: Some(fill.kind.bytes() as u32) })
    }

    /// Sets a variable of the module, from its start.
    fn set_symbol(
        &mut self,
        module: &Module,
        Named { name, fill, .. }: &Named,
        variable: &str,
    ) -> Result<()> {
        let core = || self.device.core();
        let (address, bytes) = core()?.variable(module.ptx(), variable).map_err(|wrong| *wrong)?;
        let given = fill.bytes();
        ensure!(given <= bytes, "{name} has {bytes} bytes, and {given} are given");
        self.write(fill, |start, bytes| {
            Ok(core()?.write(address + start, bytes).map_err(|wrong| *wrong)?)
        })?;
        self.symbols.retain(|(known, ..)| known != name);
        self.symbols.push((name.clone(), fill.kind, address, bytes));
        Ok(())
    }

    /// What is wrong with the buffers after all launches, a sentence for each that does not hold what the
    /// script expects.
    ///
    /// # Errors
    /// A check of a buffer that there is not.
    pub fn checks(&self) -> Result<Vec<String>> {
        let mut wrong = Vec::new();
        for step in &self.script.steps {
            wrong.extend(self.compared(step)?);
        }
        Ok(wrong)
    }

    /// What is wrong with the buffer that a step compares, if something is.
    fn compared(&self, step: &Step) -> Result<Option<String>> {
        match step {
            Step::Check { expected, within } => self.check(expected, *within),
            Step::Same { name, other, within } => self.same(name, other, *within),
            Step::Symbol { .. } | Step::Launch(_) | Step::Save { .. } => Ok(None),
        }
    }

    /// What is wrong with a buffer, if something is. Nothing is expected of an element that the check calls
    /// `uninit`.
    fn check(&self, Named { name, fill, .. }: &Named, within: f64) -> Result<Option<String>> {
        let number = self.script.buffer(name)?;
        let own = &self.script.buffers[number].fill;
        let kind = fill.kind;
        if let Some(other) = of_another_kind(name, own, fill) {
            return Ok(Some(other));
        }
        let mut differing = Differing::default();
        for piece in fill.pieces(&|pointer| self.address(pointer)) {
            let (start, len, Some(bytes)) = piece? else { continue };
            let held = self.part(number, start as usize..(start + len) as usize)?;
            if held.written.is_none() && held.bytes == bytes {
                continue;
            }
            let expected = Held { name: String::new(), kind, bytes, written: None, shape: None };
            differing.compare(start as usize / kind.bytes(), &held, &expected, within);
        }
        let said = |wanted: Element| format!("where {wanted} is expected");
        Ok(differing.said(name, own.count(), said))
    }

    /// What is wrong with a buffer that is to hold what another one holds, if something is.
    fn same(&self, name: &str, other: &str, within: f64) -> Result<Option<String>> {
        let number = self.script.buffer(name)?;
        let number_of_other = self.script.buffer(other)?;
        let own = &self.script.buffers[number].fill;
        if let Some(other) = of_another_kind(name, own, &self.script.buffers[number_of_other].fill) {
            return Ok(Some(other));
        }
        let all = 0..own.bytes() as usize;
        let mut differing = Differing::default();
        differing.compare(0, &self.part(number, all.clone())?, &self.part(number_of_other, all)?, within);
        Ok(differing.said(name, own.count(), |wanted| format!("where @{other} holds {wanted}")))
    }

    /// A copy of some bytes of a buffer.
    fn part(&self, number: usize, part: Range<usize>) -> Result<Held> {
        let buffer = &self.buffers[number];
        let bytes = self.device.read_at(buffer, part.clone())?;
        let written = written(bytes.len(), |start, len| {
            self.device.is_defined(buffer, part.start + start..part.start + start + len)
        });
        let kind = self.script.buffers[number].fill.kind;
        Ok(Held { name: String::new(), kind, bytes, written, shape: None })
    }

    /// Writes a buffer to a file, if it is to be written.
    fn save(&self, name: &str, output: &Output) -> Result<()> {
        let bytes = self.device.clone_dtoh(self.buffer(name)?)?;
        let cannot = |file: &PathBuf| format!("cannot write {}", file.display());
        match output {
            Output::Replaced(file) => write_whole(file, bytes).with_context(|| cannot(file)),
            Output::New(file) => write_new(file, &bytes).with_context(|| cannot(file)),
            Output::Withheld(_) => Ok(()),
        }
    }

    /// What would have been written to `file`.
    fn withheld(&self, name: &str, file: &str) -> Result<String> {
        let fill = &self.script.buffers[self.script.buffer(name)?].fill;
        let kind = fill.kind.name();
        let count = thousands(fill.count() as i64);
        let bytes = thousands(fill.bytes() as i64);
        Ok(format!(
            "@{name} was not saved as {file} ({count} × {kind}, {bytes} bytes): --out FOLDER allows it"
        ))
    }

    /// Takes all buffers off the device: what they hold, and then what the variables hold that were named.
    ///
    /// # Errors
    /// A kernel went wrong on a GPU.
    pub fn held(self) -> Result<Vec<Held>> {
        let mut all = Vec::new();
        for (Named { name, fill, .. }, buffer) in self.script.buffers.iter().zip(self.buffers) {
            let (bytes, written) = self.device.take(buffer)?;
            let shape = fill.shape.or_else(|| shape_of_launch(&self.script, name, fill.count()));
            all.push(Held { name: name.clone(), kind: fill.kind, bytes, written, shape });
        }
        for (name, kind, address, len) in self.symbols {
            let core = self.device.core()?;
            let bytes = core.bytes(address, len as usize / kind.bytes() * kind.bytes());
            let bytes = bytes.map_err(|wrong| *wrong)?.to_vec();
            let written = written(bytes.len(), |start, len| core.is_defined(address + start as u64, len));
            all.push(Held { name, kind, bytes, written, shape: None });
        }
        Ok(all)
    }
}

/// That a buffer, `own`, has other elements than what it is compared with, if it has.
fn of_another_kind(name: &str, own: &Fill, other: &Fill) -> Option<String> {
    let is_alike = own.count() == other.count() && own.kind == other.kind;
    let [(has, kind), (count, expected)] = [own, other].map(|fill| (fill.count(), fill.kind.name()));
    (!is_alike)
        .then(|| format!("@{name} has {has} elements of {kind}, and {count} of {expected} are expected"))
}

/// Elements that are not what they are to be.
#[derive(Default)]
struct Differing {
    count: i64,
    /// The first: its index, what it is, and what it is to be.
    first: Option<(usize, Element, Element)>,
}

impl Differing {
    /// Compares elements, of which the first is number `start` of its buffer.
    fn compare(&mut self, start: usize, held: &Held, expected: &Held, within: f64) {
        for index in 0..held.count() {
            let actual = held.element(index);
            let wanted = expected.element(index);
            if !actual.is(wanted, within) {
                self.first.get_or_insert((start + index, actual, wanted));
                self.count += 1;
            }
        }
    }

    /// The first of them, of `all` elements of the buffer `name`, and how many there are.
    fn said(self, name: &str, all: u64, wanted: impl Fn(Element) -> String) -> Option<String> {
        let (index, actual, be) = self.first?;
        let count = thousands(self.count);
        let of = thousands(all as i64);
        let wanted = wanted(be);
        Some(format!("@{name} holds {actual} in element {index}, {wanted}; {count} of {of} are wrong"))
    }
}

/// Which of `len` bytes have been written, as `defined` knows it; `None` if all have.
fn written(len: usize, defined: impl Fn(usize, usize) -> bool) -> Option<Written> {
    if defined(0, len) {
        return None;
    }
    let mut written = Written::default();
    for byte in (0..len).filter(|byte| defined(*byte, 1)) {
        written.set(byte, 1, true);
    }
    Some(written)
}

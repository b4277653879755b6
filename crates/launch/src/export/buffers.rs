//! The buffers of an exported program: declared, filled and copied to the device.

use std::collections::HashMap;

use anyhow::{Result, anyhow};

use super::call::kernel;
use super::elements::{Array, filled, run_of, written};
use super::types::{cpp, declared, pointer};
use super::{Program, Variables, called, variable};
use crate::buffers::Named;
use crate::fill::{Fill, Part};
use crate::number::Type;
use crate::script::{Spec, Value};

impl Program<'_> {
    /// Declares, fills and copies all buffers; those that hold addresses after those that these point to.
    pub(super) fn buffers(&mut self) -> Result<()> {
        let script = self.export.script;
        self.declare()?;
        let all = || script.buffers.iter().enumerate();
        let (tables, plain): (Vec<_>, Vec<_>) = all().partition(|(_, named)| named.fill.kind == Type::Ptr);
        for (number, named) in plain {
            self.allocate(number, named);
            self.fill(number, named).map_err(|why| self.at(named.line, why))?;
        }
        tables.iter().for_each(|(number, named)| self.allocate(*number, named));
        tables
            .into_iter()
            .try_for_each(|(number, named)| self.fill(number, named).map_err(|why| self.at(named.line, why)))
    }

    /// Gives each buffer its variables.
    fn declare(&mut self) -> Result<()> {
        let mut words = self.words();
        let mut types = Vec::new();
        for Named { name, line, fill, .. } in self.export.script.buffers.iter() {
            let own = self.exported(fill.kind).map_err(|why| self.at(*line, why))?;
            types.push(words.remove(&**name).unwrap_or(own.to_owned()));
        }
        for (Named { name, fill, .. }, cpp) in self.export.script.buffers.iter().zip(types) {
            let named = |what| format!("{what}_{}", variable(name));
            let [count, host, device] = ["n", "h", "d"].map(|what| self.names.free(&named(what)));
            let host = Array { name: host, cpp, count };
            self.buffers.push(Variables { kind: fill.kind, host, device });
        }
        Ok(())
    }

    /// The types of elements as the first kernel that gets a buffer declares them, where they mean the same.
    fn words(&self) -> HashMap<&str, String> {
        let mut words = HashMap::new();
        for launch in self.export.script.launches() {
            let called = kernel(launch, &self.kernels).unwrap_or_default();
            let parameters = declared(&self.kernels, &called).unwrap_or_default();
            for (parameter, arg) in parameters.into_iter().zip(&launch.args) {
                let (Some(parameter), Value::Pointer(to)) = (parameter, &arg.value) else { continue };
                let own = self.export.script.buffers.called(&to.buffer).map(|buffer| buffer.fill.kind);
                if parameter.stars == 1 && parameter.words != "bool" && parameter.number() == own {
                    words.entry(&*to.buffer).or_insert(parameter.words);
                }
            }
        }
        words
    }

    /// The type of C++ for these elements.
    pub(super) fn exported(&self, kind: Type) -> Result<&'static str> {
        let name = kind.name();
        cpp(kind).ok_or_else(|| anyhow!("{name}: 16-bit floats cannot be exported; use f32"))
    }

    /// Makes a buffer on the device.
    fn allocate(&mut self, number: usize, named: &Named) {
        let comment = self.origin(named);
        let check = self.check();
        let Variables { host: Array { cpp, count, .. }, device, .. } = &self.buffers[number];
        let size = named.fill.count();
        let declared = pointer(cpp, device);
        let text = format!(
            "\n// {comment}\nconst size_t {count} = {size};\n{declared};\n\
             {check}(cudaMalloc(&{device}, {count} * sizeof({cpp})));\n"
        );
        self.add(&text);
    }

    /// What has made a buffer: a line of its own, or an argument.
    fn origin(&self, Named { name, line, .. }: &Named) -> String {
        if let Some(line) = self.line(*line).filter(|line| line.starts_with("buffer")) {
            return line;
        }
        let mut args = self.export.script.launches().flat_map(|launch| &launch.args);
        let makes_it = |arg: &&Spec| {
            let is_it = matches!(&arg.value, Value::Pointer(to) if to.buffer == *name);
            is_it && arg.to_string().starts_with("buf:")
        };
        match args.find(makes_it) {
            Some(arg) => format!("{}: {arg}", called(name)),
            None => format!("buffer {name}"),
        }
    }

    /// Fills the array of a buffer, and copies what is not `uninit`.
    fn fill(&mut self, number: usize, named: &Named) -> Result<()> {
        let addresses = self.addresses(&named.fill)?;
        let check = self.check();
        let Variables { host, device, .. } = &self.buffers[number];
        let mut text = filled(host, &named.fill, &mut self.names, &addresses);
        for run in written(&named.fill) {
            let (from, count) = run_of(run, &named.fill, host);
            let Array { name, cpp, .. } = host;
            text += &format!(
                "{check}(cudaMemcpy({device}{from}, {name}.data(){from}, {count} * sizeof({cpp}), \
                 cudaMemcpyHostToDevice));\n"
            );
        }
        self.add(&text);
        Ok(())
    }

    /// What stands for the address of each part that is one.
    pub(super) fn addresses(&self, fill: &Fill) -> Result<Vec<String>> {
        let address = |(part, _): &(Part, u64)| match part {
            Part::Pointer(to) => self.pointer(to, None),
            _ => Ok(String::new()),
        };
        fill.parts().iter().map(address).collect()
    }
}

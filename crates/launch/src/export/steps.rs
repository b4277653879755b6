//! What an exported program does with its buffers, and what it says of them.

use anyhow::{Result, ensure};
use cuda_source::parameters::source_name;

use super::elements::{Array, filled, run_of, written};
use super::helpers::Helper;
use super::types::quoted;
use super::{Program, Variables, called, variable};
use crate::buffers::Named;
use crate::fill::Fill;
use crate::number::Type;
use crate::scope::Output;
use crate::script::Step;

impl Program<'_> {
    /// What is done, step by step; of what only comes first nothing is expected and nothing saved.
    pub(super) fn steps(&mut self) -> Result<()> {
        let script = self.export.script;
        for (number, (step, place)) in script.steps.iter().zip(&script.places).enumerate() {
            let text = match step {
                Step::Launch(launch) => {
                    self.fetched.clear();
                    self.launch(launch)
                }
                Step::Symbol { named, variable } => self.symbol(named, variable),
                Step::Check { .. } | Step::Same { .. } | Step::Save { .. } if number < script.before => {
                    continue;
                }
                Step::Check { expected, within } => self.expect(expected, *within),
                Step::Same { name, other, within } => self.expect_same(name, other, *within),
                Step::Save { name, output } => self.save(name, output),
            };
            let text = text.map_err(|why| self.at(place.line, why))?;
            if text.is_empty() {
                continue;
            }
            let comment = self.line(place.line).map_or(String::new(), |line| format!("// {line}\n"));
            self.add(&format!("\n{comment}{text}"));
        }
        Ok(())
    }

    /// Sets a variable of the device, if there are elements for it.
    fn symbol(&mut self, Named { name, fill, .. }: &Named, variable: &str) -> Result<String> {
        let cpp = self.exported(fill.kind)?.to_owned();
        if fill.count() == 0 {
            return Ok(String::new());
        }
        let addresses = self.addresses(fill)?;
        let [count, host] = ["n", "h"].map(|what| self.names.free(&format!("{what}_{name}")));
        let array = Array { name: host, cpp, count };
        let Array { name: host, cpp, count } = &array;
        let mut text = format!("const size_t {count} = {};\n", fill.count());
        text += &filled(&array, fill, &mut self.names, &addresses);
        let check = self.check();
        for run @ (first, _) in written(fill) {
            let (from, count) = run_of(run, fill, &array);
            let at = if first == 0 { String::new() } else { format!(", {first} * sizeof({cpp})") };
            let symbol = source_name(variable);
            text += &format!(
                "{check}(cudaMemcpyToSymbol({symbol}, {host}.data(){from}, {count} * sizeof({cpp}){at}));\n"
            );
        }
        Ok(text)
    }

    /// Compares a buffer with what it is to hold, but for what is `uninit` there.
    fn expect(&mut self, Named { name, fill, .. }: &Named, within: f64) -> Result<String> {
        let (number, within) = self.compared(name, fill, within)?;
        let mut text = self.fetch(number);
        let differing = self.names.helper(Helper::Differing);
        let wrong = self.wrong();
        let expected = self.names.free(&format!("expected_{}", variable(name)));
        let Variables { host: Array { name: host, cpp, count }, .. } = &self.buffers[number];
        let array = Array { name: expected.clone(), cpp: cpp.clone(), count: count.clone() };
        text += &filled(&array, fill, &mut self.names, &[]);
        let called = quoted(&called(name));
        for (first, end) in written(fill) {
            let end = if end == fill.count() { count.clone() } else { end.to_string() };
            text += &format!(
                "{wrong} += {differing}({called}, {host}, {expected}, {first}, {end}, {within:?});\n"
            );
        }
        Ok(text)
    }

    /// Compares two buffers.
    fn expect_same(&mut self, name: &str, other: &str, within: f64) -> Result<String> {
        let other = self.export.script.buffer(other)?;
        let (number, within) = self.compared(name, &self.export.script.buffers[other].fill, within)?;
        let fetched = self.fetch(number) + &self.fetch(other);
        let differing = self.names.helper(Helper::Differing);
        let wrong = self.wrong();
        let [Variables { host: is, .. }, Variables { host: be, .. }] =
            [&self.buffers[number], &self.buffers[other]];
        let called = quoted(&called(name));
        let Array { name: is, count, .. } = is;
        Ok(fetched
            + &format!("{wrong} += {differing}({called}, {is}, {}, 0, {count}, {within:?});\n", be.name))
    }

    /// The number of a buffer that is compared with such elements, and within which part they may differ.
    fn compared(&self, name: &str, fill: &Fill, within: f64) -> Result<(usize, f64)> {
        let number = self.export.script.buffer(name)?;
        let own = &self.export.script.buffers[number].fill;
        let fits = own.count() == fill.count() && own.kind == fill.kind;
        let [has, wants] = [own, fill].map(|fill| format!("{} of {}", fill.count(), fill.kind.name()));
        ensure!(fits, "@{name} has {has} elements, and {wants} are expected");
        ensure!(own.kind != Type::Ptr, "@{name} holds addresses, which differ from run to run");
        Ok((number, if let Type::Float(_) = own.kind { within } else { 0.0 }))
    }

    fn save(&mut self, name: &str, output: &Output) -> Result<String> {
        let number = self.export.script.buffer(name)?;
        let text = self.fetch(number);
        let write = self.names.helper(Helper::Write);
        let host = &self.buffers[number].host.name;
        let file = match output {
            Output::Replaced(file) | Output::New(file) => file.display().to_string(),
            Output::Withheld(file) => file.clone(),
        };
        Ok(text + &format!("{write}({}, {host});\n", quoted(&file)))
    }

    /// Copies a buffer back, unless nothing has changed since that was done last.
    fn fetch(&mut self, number: usize) -> String {
        if !self.fetched.insert(number) {
            return String::new();
        }
        let check = self.check();
        let Variables { host: Array { name, cpp, count }, device, .. } = &self.buffers[number];
        format!(
            "{check}(cudaMemcpy({name}.data(), {device}, {count} * sizeof({cpp}), cudaMemcpyDeviceToHost));\n"
        )
    }

    /// Prints the first elements of what is shown: buffers, then variables. Addresses differ from run to run.
    pub(super) fn show(&mut self) -> Result<()> {
        let show = self.names.helper(Helper::Show);
        let mut text = String::from("\n");
        let shown = self.export.shown;
        let is_shown = |named: &&Named| {
            named.fill.kind != Type::Ptr && shown.is_none_or(|shown| shown.contains(&named.name))
        };
        for named in self.export.script.buffers.iter().filter(is_shown) {
            let number = self.export.script.buffer(&named.name)?;
            text += &self.fetch(number);
            let host = &self.buffers[number].host.name;
            text += &format!("{show}({}, {host});\n", quoted(&called(&named.name)));
        }
        for (name, kind, symbol) in self.symbols() {
            let cpp = self.exported(kind)?;
            let check = self.check();
            let host = self.names.free(&format!("now_{name}"));
            text += &format!(
                "std::vector<{cpp}> {host}(sizeof({symbol}) / sizeof({cpp}));\n\
                 {check}(cudaMemcpyFromSymbol({host}.data(), {symbol}, {host}.size() * sizeof({cpp})));\n\
                 {show}({}, {host});\n",
                quoted(&name)
            );
        }
        self.add(&text);
        Ok(())
    }

    /// The variables that the script names, as it has named each of them last.
    fn symbols(&self) -> Vec<(String, Type, String)> {
        let mut symbols: Vec<(String, Type, String)> = Vec::new();
        for step in &self.export.script.steps {
            if let Step::Symbol { named: Named { name, fill, .. }, variable } = step {
                symbols.retain(|(known, ..)| known != name);
                symbols.push((name.clone(), fill.kind, source_name(variable).to_owned()));
            }
        }
        symbols
    }

    /// Frees the buffers, and returns.
    pub(super) fn end(&mut self) {
        let check = self.check();
        let free = |buffer: &Variables| format!("{check}(cudaFree({}));\n", buffer.device);
        let frees: String = self.buffers.iter().map(free).collect();
        let status = match &self.wrong {
            None => "return 0;\n".to_owned(),
            Some(wrong) => format!(
                "\nstd::cout << ({wrong} == 0 ? \"ok\" : \"wrong\") << '\\n';\nreturn {wrong} == 0 ? 0 : 1;\n"
            ),
        };
        self.add(&format!("\n{frees}{status}"));
    }
}

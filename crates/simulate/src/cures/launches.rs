//! The launches of a script, as what is edited and run again.

use std::path::Path;
use std::time::Duration;

use ::launch::{Script, Spec, Value};
use anyhow::Result;
use cuda_source::parameters::source_name;
use kernel_compiler::in_page::Compiled;

use super::slips::slip;
use super::subject::{How, Outcome, Subject, named};
use super::tries::cures;
use super::ways::{Compile, Way, ways};
use crate::cure::Cure;
use crate::input::Sources;
use crate::launch::{Launched, device, launch};
use crate::options::{Checks, Cures, Options, Steps};

/// Tries edits of the source for what was `launched`, and gives what cures it.
pub fn of_launches(
    options: &Options,
    script: &Script,
    (ptx, sources): (&str, &Sources),
    launched: &mut Launched,
) -> Vec<Cure> {
    let is_of_the_launch = options.checks == Checks::On && launched.ran.stopped_in.is_none();
    let file = options.file.display().to_string();
    let Some(source) = sources.text(&file).filter(|_| options.cures == Cures::On && is_of_the_launch) else {
        return Vec::new();
    };
    let script = &script.without_outputs();
    let is_unexpected = !launched.ran.wrong.is_empty();
    let found = &mut launched.diagnostics;
    let tried = ways(options, sources, ptx).into_iter().find_map(|Way { compile, built, limits }| {
        let subject = Launches { options, script, sources, file: &file, compile };
        let cures = cures(&subject, (source, built.clone()), limits, found)?;
        let slip = || slip(&subject, (source, built), limits);
        Some(if cures.is_empty() && is_unexpected { slip().into_iter().collect() } else { cures })
    });
    tried.unwrap_or_default()
}

/// The launches of a script.
struct Launches<'a> {
    options: &'a Options,
    script: &'a Script,
    sources: &'a Sources,
    file: &'a str,
    compile: Compile<'a>,
}

impl Subject for Launches<'_> {
    fn file(&self) -> &Path {
        &self.options.file
    }

    fn says_what_is_right(&self) -> bool {
        true
    }

    fn numbers(&self, source: &str, kernel: &str) -> Vec<(String, u64)> {
        let launches = self.script.launches().filter(|launch| {
            let is_it = |name: &str| source_name(name) == source_name(kernel);
            launch.kernel.as_deref().is_none_or(is_it)
        });
        let number = |argument: &Spec| match argument.value {
            Value::Number(_, value) => Some(value),
            _ => None,
        };
        named(source, kernel, launches.map(|launch| launch.args.iter().map(number).collect()))
    }

    fn compiled(&self, text: &str, limit: Duration) -> Result<Compiled> {
        (self.compile)(text, limit)
    }

    fn run(&self, built: &Compiled, text: &str, how: &How) -> Result<Outcome> {
        let options = as_asked(self.options, how);
        let device = device(&options, None)?;
        let module = ::device::Module::of_ptx(self.file, &built.ptx)?;
        let templates = self.sources.templates(&self.options.file);
        let Launched { ran, diagnostics, .. } =
            launch(&device, &module, &options, self.script, (text, &templates[..]))?;
        let expects = self.script.steps.iter().any(|step| step.compared().is_some());
        Ok(Outcome {
            found: diagnostics,
            completed: ran.completed,
            is_right: expects.then_some(ran.wrong.is_empty()),
            left: ran.buffers,
            instructions: ran.counters.iter().map(|launch| launch.warp_instructions).sum(),
        })
    }
}

/// The reader's options, but for how a try runs.
pub fn as_asked(options: &Options, how: &How) -> Options {
    Options {
        schedule: how.schedule.or(options.schedule),
        orders: Some(how.orders.clone()),
        order: None,
        steps_limit: Some(Steps(Some(how.steps))),
        ..options.clone()
    }
}

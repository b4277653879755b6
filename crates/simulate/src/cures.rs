//! Edits of the reader's source that may cure what was found: each is compiled and run as the launch was, and
//! only what leaves less wrong than before, and nothing new, is advised.

use kernel_compiler::cures::Change;
use serde::Serialize;

#[cfg(not(target_family = "wasm"))]
pub use tries::tried;

/// What cures a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Cure {
    /// Which finding, from 0.
    #[serde(skip)]
    pub finding: usize,
    /// What to do, in a sentence.
    pub says: String,
    /// Whether nothing at all is wrong after it.
    pub cures_all: bool,
    /// The lines of the reader's file that change, from the top.
    pub edits: Vec<Change>,
}

#[cfg(not(target_family = "wasm"))]
mod tries {
    use std::time::{Duration, Instant};

    use anyhow::{Context, Result, ensure};
    use kernel_compiler::compiler::{Compiler, Maker};
    use kernel_compiler::cures::{Candidate, Finding, Mistake, Sides, candidates};
    use launch::{Held, Script};
    use ptx_simulator::{Budget, Diagnostic, Kind, Severity, Shape};

    use super::Cure;
    use crate::input::Sources;
    use crate::launch::{Launched, device, launch};
    use crate::options::{Checks, Cures, Options, Steps};

    /// How long tries may begin.
    const LIMIT: Duration = Duration::from_secs(2);
    /// Edits that are tried, at most.
    const MAX_TRIES: usize = 8;
    /// The same with nvcc, which takes a second for each.
    const MAX_TRIES_OF_NVCC: usize = 3;
    /// Work for the orders of a try, of which there are several in a second.
    const ORDERS_WORK: u64 = 1 << 20;
    /// A try may execute so many instructions for each of the launch's own, and some more.
    const MORE_STEPS: u64 = 8;
    const FEW_STEPS: u64 = 1 << 16;

    /// Tries edits of the source for what was `launched`. The help of what is cured says how; where edits were
    /// tried in vain for a finding, its help says no more what to put.
    pub fn tried(options: &Options, script: &Script, sources: &Sources, launched: &mut Launched) {
        let is_of_the_launch = options.checks == Checks::On && launched.ran.stopped_in.is_none();
        let compiler = sources.compiler.as_ref().filter(|_| options.cures == Cures::On && is_of_the_launch);
        let file = options.file.display().to_string();
        let (Some(compiler), Some(source)) = (compiler, sources.text(&file)) else { return };
        let found = launched.diagnostics.iter().map(|found| finding(found, &file));
        let targets: Vec<Target> = found
            .enumerate()
            .filter_map(|(number, finding)| Target::new(number, source, &finding?))
            .collect();
        if targets.is_empty() {
            return;
        }
        let script = script.without_outputs();
        let bench = Bench { options, script: &script, file: &file, source, sources, started: Instant::now() };
        let Some(mut tries) = Tries::new(&bench, compiler, launched) else { return };
        tries.all(targets, launched);
    }

    /// What the simulator has found, as an edit may cure it: an error or a warning in the reader's file.
    fn finding(found: &Diagnostic, file: &str) -> Option<Finding> {
        let mistake = mistake(found)?;
        let lines = lines(found, file);
        let is_serious = found.severity != Severity::Note;
        (is_serious && !lines.is_empty()).then_some(Finding { mistake, lines })
    }

    /// The lines of `file` that a finding names, its own first.
    fn lines(found: &Diagnostic, file: &str) -> Vec<u32> {
        let own = found.line.filter(|_| found.file.as_deref() == Some(file));
        let related = found.related().into_iter().filter(|site| site.file == file).map(|site| site.line);
        own.into_iter().chain(related).collect()
    }

    fn mistake(found: &Diagnostic) -> Option<Mistake> {
        let sides = match found.shape {
            Some(Shape::SameWarp) => Sides::Lanes,
            Some(Shape::SameBlock | Shape::Overlap) => Sides::Block,
            Some(Shape::SameCluster) => Sides::Cluster,
            Some(Shape::OtherBlock) => Sides::Blocks,
            Some(Shape::TwoWriters) => Sides::Writers,
            Some(Shape::OtherGrid) => Sides::Grids,
            Some(Shape::ParentAndChild) => Sides::Family,
            Some(Shape::OtherGpu) | None => return kind(found.kind),
        };
        Some(Mistake::Race(sides))
    }

    /// The mistake of what is no race.
    fn kind(kind: Kind) -> Option<Mistake> {
        match kind {
            Kind::BarrierDivergence => Some(Mistake::Divergence),
            Kind::OutOfBounds => Some(Mistake::OutOfBounds),
            Kind::UninitializedRead => Some(Mistake::Uninitialized),
            _ => None,
        }
    }

    /// A finding, with the edits that are still to be tried for it.
    struct Target {
        number: usize,
        candidates: std::vec::IntoIter<Candidate>,
        tried: usize,
    }

    impl Target {
        fn new(number: usize, source: &str, finding: &Finding) -> Option<Target> {
            let candidates = candidates(source, finding);
            (!candidates.is_empty()).then(|| Target { number, candidates: candidates.into_iter(), tried: 0 })
        }
    }

    /// Where a source is compiled and run again.
    struct Bench<'a> {
        options: &'a Options,
        script: &'a Script,
        file: &'a str,
        source: &'a str,
        sources: &'a Sources,
        started: Instant,
    }

    impl Bench<'_> {
        fn compiled(&self, compiler: &Compiler, text: &str) -> Result<String> {
            let rest = LIMIT.saturating_sub(self.started.elapsed());
            ensure!(!rest.is_zero(), "the time is over");
            let compiler = compiler.clone().within(2 * LIMIT);
            let Options { file, .. } = self.options;
            let given = self.options.for_compiler();
            Ok(compiler.ptx_of_text(file, text.to_string(), self.options.capability(), given)?.text)
        }

        /// What the launch does with this PTX, in the order of a schedule.
        fn run(&self, ptx: &str, text: &str, schedule: Option<u64>, steps: Option<u64>) -> Result<Launched> {
            let options = Options {
                schedule: schedule.or(self.options.schedule),
                orders: Some(Budget { work: ORDERS_WORK, ..Budget::default() }),
                order: None,
                steps_limit: steps.map(|steps| Steps(Some(steps))).or(self.options.steps_limit),
                ..self.options.clone()
            };
            let device = device(&options, None)?;
            let module = device.load_code(self.file, ptx, &[])?;
            let templates = self.sources.templates(&self.options.file);
            launch(&device, &module, &options, self.script, (text, &templates[..]))
        }

        /// What is wrong: its kind and its lines, in their order.
        fn wrong(&self, launched: &Launched) -> Vec<Wrong> {
            let serious = launched.diagnostics.iter().filter(|found| found.severity != Severity::Note);
            serious.map(|found| self.identity(found)).collect()
        }

        fn identity(&self, found: &Diagnostic) -> Wrong {
            let mut lines = lines(found, self.file);
            lines.sort_unstable();
            lines.dedup();
            (found.kind, lines)
        }
    }

    /// A finding as it is found again in another run.
    type Wrong = (Kind, Vec<u32>);

    /// What the launch was before any edit.
    struct Tries<'a> {
        bench: &'a Bench<'a>,
        compiler: Compiler,
        ptx: String,
        wrong: Vec<Wrong>,
        before: Launched,
        steps: u64,
        left: usize,
    }

    /// What came of a try: what is still wrong.
    struct Outcome {
        wrong: Vec<Wrong>,
    }

    impl<'a> Tries<'a> {
        /// With clang where there is one: it is the faster one. It has to find the same.
        fn new(bench: &'a Bench<'a>, own: &Compiler, launched: &Launched) -> Option<Tries<'a>> {
            let clang = || Compiler::of(Maker::Clang, kernel_compiler::root().ok()?).ok().flatten();
            let here = std::env::current_dir().ok()?;
            let others = (own.maker == Maker::Nvcc).then(clang).flatten().map(|clang| clang.run_in(&here));
            let wrong = bench.wrong(launched);
            let of = |compiler: Compiler| {
                let ptx = bench.compiled(&compiler, bench.source).ok()?;
                let before = bench.run(&ptx, bench.source, None, None).ok()?;
                let found = bench.wrong(&before);
                let same = wrong.iter().all(|one| found.contains(one));
                let counted: u64 = before.ran.counters.iter().map(|launch| launch.warp_instructions).sum();
                let steps = counted * MORE_STEPS + FEW_STEPS;
                let left = if compiler.maker == Maker::Nvcc { MAX_TRIES_OF_NVCC } else { MAX_TRIES };
                same.then_some(Tries { bench, compiler, ptx, wrong: found, before, steps, left })
            };
            others.and_then(of).or_else(|| of(own.clone()))
        }

        /// One edit for each finding in turn, until all are cured or the budget is spent.
        fn all(&mut self, mut targets: Vec<Target>, launched: &mut Launched) {
            let mut cures: Vec<Cure> = Vec::new();
            let mut texts: Vec<String> = Vec::new();
            while self.left > 0 && self.bench.started.elapsed() < LIMIT {
                let open = |target: &&mut Target| {
                    !cures.iter().any(|cure| cure.finding == target.number)
                        && !target.candidates.as_slice().is_empty()
                };
                let Some(target) = targets.iter_mut().filter(open).min_by_key(|target| target.tried) else {
                    break;
                };
                target.tried += 1;
                let Some(candidate) = target.candidates.next() else { break };
                let text = candidate.tried(self.bench.source);
                if texts.contains(&text) {
                    continue;
                }
                self.left -= 1;
                let outcome = self.outcome(&candidate, &text);
                texts.push(text);
                let Ok(Some(outcome)) = outcome else { continue };
                self.keep(&candidate, &outcome, launched, &mut cures);
            }
            for cure in &cures {
                launched.diagnostics[cure.finding].help = cure.says.clone();
            }
            let is_open = |target: &&Target| !cures.iter().any(|cure| cure.finding == target.number);
            for target in targets.iter().filter(is_open) {
                in_vain(&mut launched.diagnostics[target.number], target.tried);
            }
            launched.cures = cures;
        }

        /// Keeps a candidate as the cure of all that it cures.
        fn keep(&self, candidate: &Candidate, outcome: &Outcome, launched: &Launched, cures: &mut Vec<Cure>) {
            let cures_all = outcome.wrong.is_empty();
            for (finding, found) in launched.diagnostics.iter().enumerate() {
                let is_cured =
                    cures.iter().any(|cure| cure.finding == finding && (cure.cures_all || !cures_all));
                let is_gone = !outcome.wrong.contains(&self.bench.identity(found));
                if found.severity == Severity::Note || is_cured || !is_gone {
                    continue;
                }
                cures.retain(|cure| cure.finding != finding);
                let then = if cures_all { "nothing is wrong" } else { "this is gone" };
                let says = format!("{} (tried: then {then})", candidate.says);
                let edits = candidate.changes(self.bench.source);
                cures.push(Cure { finding, says, cures_all, edits });
            }
        }

        /// What is wrong after an edit; nothing, if it is no cure whatever is gone.
        fn outcome(&self, candidate: &Candidate, text: &str) -> Result<Option<Outcome>> {
            let ptx = self.bench.compiled(&self.compiler, text)?;
            let plain = self.bench.run(&ptx, text, None, Some(self.steps))?;
            let wrong = self.bench.wrong(&plain);
            let is_new = wrong.iter().any(|one| !self.wrong.contains(one));
            if is_new || wrong.len() >= self.wrong.len() || !self.is_as_good(&plain) {
                return Ok(None);
            }
            // The last threads first: the same, or the order decides.
            let reversed = self.bench.run(&ptx, text, Some(2), Some(self.steps))?;
            let is_new = self.bench.wrong(&reversed).iter().any(|one| !wrong.contains(one));
            let same = wrong.len() > 1 || holds_the_same(&plain.ran.buffers, &reversed.ran.buffers);
            let allowed = !candidate.selects || self.was_possible(&plain)?;
            Ok((!is_new && same && allowed).then_some(Outcome { wrong }))
        }

        /// All launches ran to their end, left what is expected, and wrote what was written before.
        fn is_as_good(&self, cured: &Launched) -> bool {
            let pairs = self.before.ran.buffers.iter().zip(&cured.ran.buffers);
            let writes = |(before, after): (&Held, &Held)| {
                let unwritten = crate::buffers::unwritten;
                unwritten(after) <= unwritten(before)
            };
            let ended = cured.ran.completed && cured.ran.wrong.is_empty();
            ended && (!self.before.ran.completed || pairs.into_iter().all(writes))
        }

        /// Whether the source without the edit can leave the same.
        fn was_possible(&self, cured: &Launched) -> Result<bool> {
            let is_it = |before: &Launched| holds_the_same(&before.ran.buffers, &cured.ran.buffers);
            if is_it(&self.before) {
                return Ok(true);
            }
            let text = self.bench.source;
            let reversed = self.bench.run(&self.ptx, text, Some(2), Some(self.steps));
            Ok(is_it(&reversed.context("it does not run")?))
        }
    }

    fn holds_the_same(a: &[Held], b: &[Held]) -> bool {
        let same = |(a, b): (&Held, &Held)| {
            a.count() == b.count()
                && (0..a.count()).all(|index| {
                    let (a, b) = (a.element(index), b.element(index));
                    a == b || a.is(b, 0.0)
                })
        };
        a.len() == b.len() && a.iter().zip(b).all(same)
    }

    /// The help of what edits were tried for in vain: what is wrong, and no more what to put.
    fn in_vain(found: &mut Diagnostic, tried: usize) {
        let says = match found.kind {
            Kind::DataRace => "nothing orders these two accesses",
            Kind::BarrierDivergence => "not every thread of the block reaches this barrier",
            _ => return,
        };
        let edits = if tried == 1 { "1 edit was" } else { &format!("{tried} edits were") };
        if tried > 0 && ["__sync", "move the barrier"].iter().any(|words| found.help.contains(words)) {
            found.help = format!("{says}; {edits} tried here, and none of them makes it go away");
        }
    }
}

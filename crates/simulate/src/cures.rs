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
    use std::path::Path;
    use std::time::{Duration, Instant};

    use anyhow::{Result, ensure};
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

    /// The schedule in which the last threads have their turns first.
    const LAST_FIRST: u64 = 2;

    /// Tries edits of the source for what was `launched`. The help of what is cured says how; where edits
    /// were tried in vain for a finding, its help says no more what to put.
    pub fn tried(
        options: &Options,
        script: &Script,
        (ptx, sources): (&str, &Sources),
        launched: &mut Launched,
    ) {
        let is_of_the_launch = options.checks == Checks::On && launched.ran.stopped_in.is_none();
        let compiler = sources.compiler.as_ref().filter(|_| options.cures == Cures::On && is_of_the_launch);
        let file = options.file.display().to_string();
        let (Some(compiler), Some(source)) = (compiler, sources.text(&file)) else { return };
        let found = launched.diagnostics.iter().map(|found| finding(found, &options.file));
        let mut targets: Vec<Target> = found
            .enumerate()
            .filter_map(|(number, finding)| Target::new(number, source, &finding?))
            .collect();
        if targets.is_empty() {
            return;
        }
        let script = script.without_outputs();
        let bench = Bench { options, script: &script, file: &file, source, sources, started: Instant::now() };
        let cures = Tries::new(&bench, (compiler, ptx), launched).all(&mut targets);
        for cure in &cures {
            launched.diagnostics[cure.finding].help = cure.says.clone();
        }
        for target in targets.iter().filter(|target| !target.is_cured(&cures)) {
            in_vain(&mut launched.diagnostics[target.number], target.tried);
        }
        launched.cures = cures;
    }

    /// What the simulator has found, as an edit may cure it: an error or a warning in the reader's file.
    fn finding(found: &Diagnostic, file: &Path) -> Option<Finding> {
        let mistake = mistake(found)?;
        let lines = lines(found, file);
        let is_serious = found.severity != Severity::Note;
        (is_serious && !lines.is_empty()).then_some(Finding { mistake, lines })
    }

    /// The lines of `file` that a finding names, its own first.
    fn lines(found: &Diagnostic, file: &Path) -> Vec<u32> {
        // The compiler names a file from the working directory, whatever the reader does.
        let whole = |path: &Path| std::path::absolute(path).unwrap_or_default();
        let is_here = |name: &str| whole(Path::new(name)) == whole(file);
        let own = found.line.filter(|_| found.file.as_deref().is_some_and(is_here));
        let related = found.related().into_iter().filter(|site| is_here(&site.file)).map(|site| site.line);
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

        fn is_cured(&self, cures: &[Cure]) -> bool {
            cures.iter().any(|cure| cure.finding == self.number)
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
            Ok(compiler.ptx_of_text(file, text.to_string(), Some(&self.options.capability()), given)?.text)
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
            let mut lines = lines(found, &self.options.file);
            lines.sort_unstable();
            lines.dedup();
            (found.kind, lines)
        }
    }

    /// A finding as it is found again in another run.
    type Wrong = (Kind, Vec<u32>);

    /// What the launch was before any edit, and what is tried on it.
    struct Tries<'a> {
        bench: &'a Bench<'a>,
        launched: &'a Launched,
        /// The same with another compiler, if that is the one that compiles the tries.
        again: Option<Launched>,
        compiler: Compiler,
        ptx: String,
        left: usize,
    }

    impl<'a> Tries<'a> {
        fn new(bench: &'a Bench<'a>, (own, ptx): (&Compiler, &str), launched: &'a Launched) -> Tries<'a> {
            let by_clang = (own.maker == Maker::Nvcc).then(|| Tries::by_clang(bench, launched)).flatten();
            by_clang.unwrap_or_else(|| {
                let left = if own.maker == Maker::Nvcc { MAX_TRIES_OF_NVCC } else { MAX_TRIES };
                Tries { bench, launched, again: None, compiler: own.clone(), ptx: ptx.to_string(), left }
            })
        }

        /// With clang, which is the faster one, if there is one and it shows the same.
        fn by_clang(bench: &'a Bench<'a>, launched: &'a Launched) -> Option<Tries<'a>> {
            let clang = Compiler::of(Maker::Clang, kernel_compiler::root().ok()?).ok()??;
            let compiler = clang.run_in(&std::env::current_dir().ok()?);
            let ptx = bench.compiled(&compiler, bench.source).ok()?;
            let again = bench.run(&ptx, bench.source, None, None).ok()?;
            let found = bench.wrong(&again);
            let shows_the_same = bench.wrong(launched).iter().all(|one| found.contains(one));
            let left = MAX_TRIES;
            shows_the_same.then_some(Tries { bench, launched, again: Some(again), compiler, ptx, left })
        }

        fn before(&self) -> &Launched {
            self.again.as_ref().unwrap_or(self.launched)
        }

        /// Instructions that a try may execute.
        fn steps(&self) -> Option<u64> {
            let counters = self.before().ran.counters.iter();
            let executed: u64 = counters.map(|launch| launch.warp_instructions).sum();
            Some(executed.saturating_mul(MORE_STEPS).saturating_add(FEW_STEPS))
        }

        /// One edit for each finding in turn, until all are cured or the budget is spent.
        fn all(&mut self, targets: &mut [Target]) -> Vec<Cure> {
            let mut cures: Vec<Cure> = Vec::new();
            let mut texts: Vec<String> = Vec::new();
            while self.left > 0 && self.bench.started.elapsed() < LIMIT {
                // One edit for all that is wrong is better than one for each.
                let cures_all = |cure: &Cure| cure.cures_all;
                if cures.iter().any(cures_all) {
                    break;
                }
                let is_open = |target: &&mut Target| !target.candidates.as_slice().is_empty();
                let open = targets.iter_mut().filter(is_open).min_by_key(|target| target.tried);
                let Some((target, candidate)) = open.and_then(|target| {
                    let candidate = target.candidates.next()?;
                    Some((target, candidate))
                }) else {
                    break;
                };
                target.tried += 1;
                let text = candidate.tried(self.bench.source);
                if texts.contains(&text) {
                    continue;
                }
                self.left -= 1;
                let left = self.left_by(&candidate, &text);
                texts.push(text);
                if let Ok(Some(left)) = left {
                    self.keep(&candidate, &left, &mut cures);
                }
            }
            cures
        }

        /// Keeps a candidate as the cure of all that it cures.
        fn keep(&self, candidate: &Candidate, left: &[Wrong], cures: &mut Vec<Cure>) {
            let cures_all = left.is_empty();
            for (finding, found) in self.launched.diagnostics.iter().enumerate() {
                let is_cured =
                    cures.iter().any(|cure| cure.finding == finding && (cure.cures_all || !cures_all));
                let is_gone = !left.contains(&self.bench.identity(found));
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

        /// What is wrong after an edit; `None`, if it is no cure whatever is gone.
        fn left_by(&self, candidate: &Candidate, text: &str) -> Result<Option<Vec<Wrong>>> {
            let ptx = self.bench.compiled(&self.compiler, text)?;
            let plain = self.bench.run(&ptx, text, None, self.steps())?;
            let known = self.bench.wrong(self.before());
            let wrong = self.bench.wrong(&plain);
            let is_new = |one: &Wrong| !known.contains(one);
            if wrong.iter().any(is_new) || wrong.len() >= known.len() || !self.is_as_good(&plain) {
                return Ok(None);
            }
            // The last threads first: the same, or the order decides.
            let reversed = self.bench.run(&ptx, text, Some(LAST_FIRST), self.steps())?;
            let shows_more = self.bench.wrong(&reversed).iter().any(|one| !wrong.contains(one));
            let differs = wrong.is_empty() && !holds_the_same(&plain.ran.buffers, &reversed.ran.buffers);
            let is_cure = !shows_more && !differs && (!candidate.selects || self.was_possible(&plain)?);
            Ok(is_cure.then_some(wrong))
        }

        /// All launches ran to their end, left what is expected, and wrote what was written before.
        fn is_as_good(&self, cured: &Launched) -> bool {
            let before = &self.before().ran;
            let left_out = |all: &[Held]| all.iter().map(crate::buffers::unwritten).sum::<usize>();
            let writes = !before.completed || left_out(&cured.ran.buffers) <= left_out(&before.buffers);
            cured.ran.completed && cured.ran.wrong.is_empty() && writes
        }

        /// Whether the source without the edit can leave the same.
        fn was_possible(&self, cured: &Launched) -> Result<bool> {
            let is_it = |before: &Launched| holds_the_same(&before.ran.buffers, &cured.ran.buffers);
            if is_it(self.before()) {
                return Ok(true);
            }
            let source = self.bench.source;
            Ok(is_it(&self.bench.run(&self.ptx, source, Some(LAST_FIRST), self.steps())?))
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

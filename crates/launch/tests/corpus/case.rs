//! One kernel of the corpus: what the comments of its source say of its launch and of what is wrong with it.
//! The comments' language is described in crates/launch/tests/corpus/README.md.

use std::path::{Path, PathBuf};

use device::{Device, DeviceChoice, Module, Peers, SimulatorOptions, launch_together};
use launch::{self, Ran, Scope, Script, Stage};
use ptx_simulator::{Budget, DEFAULT_PENDING_LAUNCHES, Diagnostic, Kind, Severity};

/// Kernels of the corpus; one that is added or taken out counts here.
const KERNELS: usize = 440;
/// Instructions that the launch of a kernel with a mistake may execute.
const STEPS: u64 = 1 << 21;

/// A kernel with its launch and its verdict.
pub struct Case {
    /// `data-race/lock`
    pub name: String,
    pub source: String,
    /// The compute capability that it is compiled for: `75`
    pub capability: String,
    /// Whether nothing is wrong with it. If something is, nothing is promised about its results.
    pub clean: bool,
    /// Whether the simulator is known not to find what is wrong with it.
    pub missed: bool,
    /// Whether some orders of its operations show it, and others do not.
    some_orders: bool,
    script: Script,
    pending_launches: u64,
    /// How many make the launch at the same time.
    gpus: usize,
    expected: Vec<Expected>,
    allowed: Vec<(Option<u32>, Kind)>,
}

/// In which order a kernel's operations come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Order {
    /// As a schedule has it.
    Schedule(u64),
    /// In every order that matters, one after the other.
    Every,
}

/// A line has to have a diagnostic of one of these kinds.
struct Expected {
    /// `None`: the launch itself, a diagnostic without a line.
    line: Option<u32>,
    kinds: Vec<Kind>,
    /// A word that its message has to hold.
    word: Option<String>,
}

/// What a launch has left, and what was found.
pub struct Outcome {
    pub ran: Ran,
    pub diagnostics: Vec<Diagnostic>,
}

pub fn root() -> &'static Path {
    kernel_compiler::root().unwrap()
}

/// Every kernel of the corpus, by name.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in subdirectories(&root().join("crates/launch/tests/corpus")) {
        let folder = kind.file_name().unwrap().to_str().unwrap().to_owned();
        for file in std::fs::read_dir(&kind).unwrap() {
            let path = file.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "cu") {
                let name = format!("{folder}/{}", path.file_stem().unwrap().to_str().unwrap());
                let source = std::fs::read_to_string(&path).unwrap();
                cases.push(Case::read(&name, source).unwrap_or_else(|error| panic!("{name}.cu: {error}")));
            }
        }
    }
    assert_eq!(cases.len(), KERNELS, "kernels of the corpus; KERNELS in case.rs counts them");
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
}

/// The kinds that `cases` are about, in the order of [`Kind`]; each is the name of a folder.
pub fn kinds(cases: &[Case]) -> Vec<&str> {
    let mut kinds: Vec<&str> = cases.iter().map(Case::kind).collect();
    kinds.sort_by_key(|kind| {
        read_kind(kind).unwrap_or_else(|| panic!("the folder {kind} is not named after a kind"))
    });
    kinds.dedup();
    kinds
}

fn subdirectories(of: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(of).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.is_dir() && !path.ends_with("sanitize")).collect()
}

impl Case {
    fn read(name: &str, source: String) -> Result<Case, String> {
        let head = |key: &'static str| {
            let lines = source.lines().filter_map(move |line| line.strip_prefix("// ")?.strip_prefix(key));
            lines.map(|rest| rest.split("  //").next().unwrap_or_default().trim())
        };
        let constants = launch::constants(&source);
        let script = Script::parse(&launch::in_comments(&source), Scope::of(&constants));
        let script = script.map_err(|why| format!("{why:#}"))?;
        if script.launches().next().is_none() {
            return Err("has no line `//@ launch …`".to_owned());
        }
        let pending_launches = match head("pending-launches: ").next() {
            Some(text) => text.parse().map_err(|_| format!("cannot read `{text}`"))?,
            None => DEFAULT_PENDING_LAUNCHES,
        };
        let gpus =
            head("gpus: ").next().map_or(Some(1), |text| text.parse().ok()).ok_or("cannot read `gpus`")?;
        let capability = head("arch: ").next().unwrap_or("75").to_owned();
        let clean = head("expect: ").any(|text| text == "clean");
        let missed = head("missed: ").next().is_some();
        let some_orders = head("in some orders").next().is_some();
        let mut expected = Vec::new();
        let mut allowed = Vec::new();
        for (number, line) in (1u32..).zip(source.lines()) {
            // Behind a launch, a comment of the launch language.
            let (mark, place) =
                if line.starts_with("//@ launch") { ("# ", None) } else { ("// ", Some(number)) };
            let Some(at) = line.find(&format!("{mark}expect")).filter(|at| *at > 0) else { continue };
            for part in line[at + mark.len()..].split("  ").map(str::trim).filter(|part| !part.is_empty()) {
                let wrong = || format!("line {number}: cannot read `{part}`");
                if let Some(kinds) = part.strip_prefix("expect-also: ") {
                    for kind in kinds.split(", ") {
                        allowed.push((place, read_kind(kind).ok_or_else(wrong)?));
                    }
                } else {
                    let rest = part.strip_prefix("expect: ").ok_or_else(wrong)?;
                    let (kinds, word) = match rest.split_once(" \"") {
                        Some((kinds, word)) => (kinds, Some(one_word(word.trim_end_matches('"'))?)),
                        None => (rest, None),
                    };
                    let kinds =
                        kinds.split('|').map(read_kind).collect::<Option<Vec<_>>>().ok_or_else(wrong)?;
                    allowed.extend(kinds.iter().map(|kind| (place, *kind)));
                    expected.push(Expected { line: place, kinds, word });
                }
            }
        }
        if clean != expected.is_empty() {
            return Err("expects something on a line, or says `// expect: clean` in its head".to_owned());
        }
        Ok(Case {
            name: name.to_owned(),
            capability,
            clean,
            missed,
            some_orders,
            script,
            pending_launches,
            gpus,
            expected,
            allowed,
            source,
        })
    }

    /// `data-race`: the diagnostic that the kernel is about.
    pub fn kind(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The orders that it is tried in.
    pub fn orders(&self, schedules: u64) -> Vec<Order> {
        let schedules = (0..schedules).map(Order::Schedule);
        schedules.filter(|_| !self.some_orders).chain([Order::Every]).collect()
    }

    /// The source or its PTX, from the root of the repository.
    pub fn path(&self, extension: &str) -> String {
        format!("crates/launch/tests/corpus/{}.{extension}", self.name)
    }

    /// The committed PTX, read.
    pub fn module(&self) -> Module {
        let path = self.path("ptx");
        let ptx = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        self.module_of(&ptx).unwrap_or_else(|error| panic!("{path}: {error:#}"))
    }

    /// The kernel as another compiler has it.
    pub fn module_of(&self, ptx: &str) -> anyhow::Result<Module> {
        Module::of_ptx(&self.path("ptx"), ptx)
    }

    /// Launches it under the checks, on a device of its own, or on several at the same time.
    pub fn run(&self, module: &Module, schedule: u64) -> Outcome {
        self.run_in(module, Order::Schedule(schedule))
    }

    /// The same in one order, or in all.
    pub fn run_in(&self, module: &Module, order: Order) -> Outcome {
        let (schedule, every_order) = match order {
            Order::Schedule(schedule) => (schedule, None),
            Order::Every => (0, Some(Budget::default())),
        };
        let step_limit = (!self.clean).then_some(STEPS);
        let options =
            SimulatorOptions { schedule, every_order, step_limit, keep_printed: true, ..Default::default() };
        let gpus = Some(self.gpus);
        let devices = Device::open_some(DeviceChoice::Sim, gpus, Peers::Connected, options).unwrap();
        let ran = if self.gpus > 1 {
            self.run_together(module, &devices)
        } else {
            devices[0].set_pending_launch_limit(self.pending_launches).unwrap();
            launch::run(&devices[0], module, &self.script)
        };
        let ran = ran.unwrap_or_else(|error| panic!("{}: {error:#}", self.name));
        Outcome { ran, diagnostics: devices[0].take_seen().found }
    }

    /// The same launch on several GPUs at the same time, on the same buffers.
    fn run_together(&self, module: &Module, devices: &[Device]) -> anyhow::Result<Ran> {
        let stage = Stage::new(&devices[0], self.script.clone())?;
        let launch = self.script.launches().next().expect("a launch");
        let function = module.load_function(launch.kernel.as_deref().unwrap_or_default())?;
        let prepared = |device| stage.arguments(launch, device, &function)?.prepare(launch.config);
        let launches = devices.iter().map(prepared).collect::<anyhow::Result<Vec<_>>>()?;
        let completed = launch_together(&launches).is_ok();
        drop(launches);
        let wrong = stage.checks()?;
        Ok(Ran { completed, buffers: stage.held()?, wrong, ..Ran::default() })
    }

    /// What differs from what its comments say; nothing if all is as expected.
    pub fn disagreements(&self, outcome: &Outcome) -> Vec<String> {
        let mut out = Vec::new();
        // A note that is a finding of its own is as surprising as an error.
        let is_own = |kind: Kind| matches!(kind, Kind::NeverRead | Kind::RepeatedLaunch);
        let counts = |found: &&Diagnostic| found.severity != Severity::Note || is_own(found.kind);
        let found: Vec<&Diagnostic> = outcome.diagnostics.iter().filter(counts).collect();
        for expected in &self.expected {
            let fits = |found: &&&Diagnostic| {
                expected.kinds.contains(&found.kind)
                    && self.places(found).contains(&expected.line)
                    && expected.word.as_ref().is_none_or(|word| holds(&found.message(), word))
            };
            if !found.iter().any(|diagnostic| fits(&diagnostic)) {
                let kinds = expected.kinds.iter().map(Kind::to_string).collect::<Vec<_>>().join(" or ");
                let word = expected.word.as_ref().map_or(String::new(), |word| format!(" with `{word}`"));
                out.push(format!("{}: {kinds}{word} is missing", self.shown(expected.line)));
            }
        }
        for found in found {
            let places = self.places(found);
            if !self.allowed.iter().any(|(line, kind)| *kind == found.kind && places.contains(line)) {
                out.push(format!("not expected: {found}").replace('\n', "\n    "));
            }
        }
        if self.clean {
            if !outcome.ran.completed {
                out.push("did not run to its end".to_owned());
            }
            out.extend(outcome.ran.wrong.iter().cloned());
        }
        out
    }

    /// The lines of this kernel that a diagnostic names: its own and the related ones.
    fn places(&self, found: &Diagnostic) -> Vec<Option<u32>> {
        let path = self.path("cu");
        let own = match (&found.file, found.line) {
            (Some(file), Some(line)) if *file == path => Some(Some(line)),
            (None, None) => Some(None),
            _ => None,
        };
        let related =
            found.related().into_iter().filter(|site| site.file == path).map(|site| Some(site.line));
        own.into_iter().chain(related).collect()
    }

    fn shown(&self, line: Option<u32>) -> String {
        line.map_or("the launch".to_owned(), |line| format!("line {line}"))
    }
}

/// What `holds` looks for.
fn one_word(word: &str) -> Result<String, String> {
    let is_one = !word.is_empty() && word.chars().all(char::is_alphanumeric);
    if is_one {
        Ok(word.to_owned())
    } else {
        Err(format!("\"{word}\" is not one word of letters and digits"))
    }
}

/// Whether `word` stands in `text` by itself: `16` does not stand in `160`.
fn holds(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

fn read_kind(text: &str) -> Option<Kind> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).ok()
}

//! One kernel of the corpus: what the comments of its source say of its launch and of what is wrong with it.
//! The comments' language is described in tests/corpus/README.md.

use std::path::{Path, PathBuf};

use simulate::{Held, Launched, Spec, Value, run_kernel};
use workbook::device::{Device, DeviceChoice, LaunchConfig, Module, SimulatorOptions, launch_together};
use workbook::sim::{DEFAULT_PENDING_LAUNCHES, Diagnostic, Kind, Severity};

/// Instructions that the launch of a kernel with a mistake may execute.
const STEPS: u64 = 1 << 20;

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
    kernel: String,
    config: LaunchConfig,
    cluster: Option<(u32, u32, u32)>,
    arguments: Vec<Spec>,
    pending_launches: u64,
    /// How many make the launch at the same time.
    gpus: usize,
    expected: Vec<Expected>,
    allowed: Vec<(Option<u32>, Kind)>,
    results: Vec<Expectation>,
}

/// A line has to have a diagnostic of one of these kinds.
struct Expected {
    /// `None`: the launch itself, a diagnostic without a line.
    line: Option<u32>,
    kinds: Vec<Kind>,
    /// A word that its message has to hold.
    word: Option<String>,
}

/// The first bytes that a buffer has to hold after the launch.
struct Expectation {
    argument: usize,
    text: String,
    bytes: Vec<u8>,
}

pub fn root() -> &'static Path {
    Path::new(workbook::ROOT)
}

/// Every kernel of the corpus, by name.
pub fn all() -> Vec<Case> {
    let mut cases = Vec::new();
    for kind in subdirectories(&root().join("tests/corpus")) {
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
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    cases
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
        let launch = head("launch: ").next().ok_or("has no line `// launch: …`")?;
        let wrong = |why| format!("cannot read `{launch}`: {why}");
        let (kernel, config, arguments) = read_launch(launch).map_err(wrong)?;
        let cluster = match head("cluster: ").next() {
            Some(text) => Some(read_dim(text).ok_or_else(|| format!("cannot read `{text}`"))?),
            None => None,
        };
        let pending_launches = match head("pending-launches: ").next() {
            Some(text) => text.parse().map_err(|_| format!("cannot read `{text}`"))?,
            None => DEFAULT_PENDING_LAUNCHES,
        };
        let gpus =
            head("gpus: ").next().map_or(Some(1), |text| text.parse().ok()).ok_or("cannot read `gpus`")?;
        let capability = head("arch: ").next().unwrap_or("75").to_owned();
        let clean = head("expect: ").any(|text| text == "clean");
        let missed = head("missed: ").next().is_some();
        let results = head("result: ")
            .map(|text| read_result(text, &arguments).ok_or(format!("cannot read `{text}`")))
            .collect::<Result<_, _>>()?;

        let (mut expected, mut allowed) = (Vec::new(), Vec::new());
        for (number, line) in (1u32..).zip(source.lines()) {
            let Some(at) = line.find("// expect").filter(|at| *at > 0) else { continue };
            let place = if line.starts_with("// launch: ") { None } else { Some(number) };
            for part in line[at + 3..].split("  ").map(str::trim).filter(|part| !part.is_empty()) {
                let wrong = || format!("line {number}: cannot read `{part}`");
                if let Some(kinds) = part.strip_prefix("expect-also: ") {
                    for kind in kinds.split(", ") {
                        allowed.push((place, read_kind(kind).ok_or_else(wrong)?));
                    }
                } else {
                    let rest = part.strip_prefix("expect: ").ok_or_else(wrong)?;
                    let (kinds, word) = match rest.split_once(" \"") {
                        Some((kinds, word)) => (kinds, Some(word.trim_end_matches('"').to_owned())),
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
            kernel,
            config,
            cluster,
            arguments,
            pending_launches,
            gpus,
            expected,
            allowed,
            results,
            source,
        })
    }

    /// `data-race`: the diagnostic that the kernel is about.
    pub fn kind(&self) -> &str {
        self.name.split('/').next().unwrap_or_default()
    }

    /// The source or its PTX, from the root of the repository.
    pub fn path(&self, extension: &str) -> String {
        format!("tests/corpus/{}.{extension}", self.name)
    }

    /// The committed PTX, read.
    pub fn module(&self) -> Module {
        let path = self.path("ptx");
        let ptx = std::fs::read_to_string(root().join(&path)).unwrap_or_else(|e| panic!("{path}: {e}"));
        self.module_of(&ptx).unwrap_or_else(|error| panic!("{path}: {error:#}"))
    }

    /// The kernel as another compiler has it.
    pub fn module_of(&self, ptx: &str) -> anyhow::Result<Module> {
        let device = Device::simulator(SimulatorOptions::default());
        device.load_code(&self.path("ptx"), ptx, &[])
    }

    /// Launches it under the checks, on a device of its own.
    pub fn run(&self, module: &Module, schedule: u64) -> Launched {
        let step_limit = (!self.clean).then_some(STEPS);
        let options = SimulatorOptions { schedule, step_limit, keep_printed: true, ..Default::default() };
        if self.gpus > 1 {
            return self
                .run_together(module, options)
                .unwrap_or_else(|error| panic!("{}: {error:#}", self.name));
        }
        let device = Device::simulator(options);
        device.set_pending_launch_limit(self.pending_launches).unwrap();
        let launched = run_kernel(&device, module, &self.kernel, self.config, self.cluster, &self.arguments);
        launched.unwrap_or_else(|error| panic!("{}: {error:#}", self.name))
    }

    /// The same launch on several GPUs at the same time, on the same buffers, which hold zeros.
    fn run_together(&self, module: &Module, options: SimulatorOptions) -> anyhow::Result<Launched> {
        let devices = Device::open_some(DeviceChoice::Sim, Some(self.gpus), true, options)?;
        let function = module.load_function(&self.kernel)?;
        let buffer = |argument: &Spec| devices[0].alloc_zeros::<u8>(argument.buffer_bytes() as usize);
        let buffers = self.arguments.iter().map(buffer).collect::<anyhow::Result<Vec<_>>>()?;
        let mut launches = Vec::new();
        for device in &devices {
            let mut launch = device.launch_builder(&function);
            for buffer in &buffers {
                launch.arg(buffer);
            }
            launches.push(launch.prepare(self.config)?);
        }
        let completed = launch_together(&launches).is_ok();
        let mut held = Vec::new();
        for (number, (buffer, argument)) in buffers.iter().zip(&self.arguments).enumerate() {
            let (name, bytes) = (format!("arg{number}"), devices[0].clone_dtoh(buffer)?);
            held.push(Held { name, arg: Some(number), kind: argument.kind, bytes, written: None });
        }
        let diagnostics = devices[0].take_seen().found;
        Ok(Launched { completed, diagnostics, buffers: held, ..Launched::default() })
    }

    /// What differs from what its comments say; nothing if all is as expected.
    pub fn disagreements(&self, outcome: &Launched) -> Vec<String> {
        let mut out = Vec::new();
        let found: Vec<&Diagnostic> =
            outcome.diagnostics.iter().filter(|found| found.severity != Severity::Note).collect();
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
            if !outcome.completed {
                out.push("did not run to its end".to_owned());
            }
            for result in &self.results {
                let buffer = outcome.buffers.iter().find(|buffer| buffer.arg == Some(result.argument));
                let held = &buffer.unwrap().bytes;
                if !held.starts_with(&result.bytes) {
                    let held = &held[..result.bytes.len()];
                    out.push(format!("arg{} does not begin with {}: {held:?}", result.argument, result.text));
                }
            }
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

/// Whether `word` stands in `text` by itself: `16` does not stand in `160`.
fn holds(text: &str, word: &str) -> bool {
    text.split(|c: char| !c.is_alphanumeric()).any(|part| part == word)
}

fn read_kind(text: &str) -> Option<Kind> {
    serde_json::from_value(serde_json::Value::String(text.to_owned())).ok()
}

/// `sum<<<2x2, 64, 128>>> i32:5 buf:i32:zeros*16`
fn read_launch(text: &str) -> Result<(String, LaunchConfig, Vec<Spec>), String> {
    let (kernel, rest) = text.split_once("<<<").ok_or("KERNEL<<<GRID, BLOCK>>>")?;
    let (config, arguments) = rest.split_once(">>>").ok_or("KERNEL<<<GRID, BLOCK>>>")?;
    let mut parts = config.split(',').map(str::trim);
    let mut dim = || parts.next().and_then(read_dim).ok_or("a grid and a block, like 4x2");
    let (grid_dim, block_dim) = (dim()?, dim()?);
    let shared_mem_bytes =
        parts.next().map_or(Ok(0), |text| text.parse().map_err(|_| "bytes of shared memory"))?;
    let config = LaunchConfig { grid_dim, block_dim, shared_mem_bytes };
    let arguments = arguments.split_whitespace().map(Spec::parse).collect::<Result<_, _>>()?;
    Ok((kernel.to_owned(), config, arguments))
}

/// `4`, `4x2` or `4x2x1`
fn read_dim(text: &str) -> Option<(u32, u32, u32)> {
    let mut axes = text.split('x').map(|axis| axis.parse().ok());
    Some((axes.next()??, axes.next().unwrap_or(Some(1))?, axes.next().unwrap_or(Some(1))?))
}

/// `arg1 = 1,2,3`
fn read_result(text: &str, arguments: &[Spec]) -> Option<Expectation> {
    let (argument, values) = text.split_once(" = ")?;
    let argument: usize = argument.strip_prefix("arg")?.parse().ok()?;
    let buffer = arguments.get(argument)?;
    let expected = Spec::parse(&format!("buf:{}:{values}", buffer.kind.name())).ok()?;
    let Value::Buffer(fill) = expected.value else { return None };
    let pieces: Result<Vec<_>, _> = fill.pieces(buffer.kind).collect();
    let bytes = pieces.ok()?.into_iter().flat_map(|(_, piece)| piece.bytes).collect::<Vec<_>>();
    if bytes.len() as u64 > buffer.buffer_bytes() {
        return None;
    }
    Some(Expectation { argument, text: values.to_owned(), bytes })
}

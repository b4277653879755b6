//! One kernel of the corpus: what the comments of its source say of its launch and of what is wrong with it.
//! The comments' language is described in tests/corpus/README.md.

use std::path::{Path, PathBuf};

use workbook::sim::{Diagnostic, Kind, LaunchConfig, Launched, Module, Severity, Simulator};

/// Instructions that a launch of the corpus may execute. The longest that ends needs a twentieth of it.
const STEPS: u64 = 1 << 20;

/// A kernel with its launch and its verdict.
pub struct Case {
    /// `data-race/lock`
    pub name: String,
    pub source: String,
    /// The option for nvcc.
    pub arch: String,
    /// Whether nothing is wrong with it. If something is, nothing is promised about its results.
    pub clean: bool,
    /// Whether the simulator is known not to find what is wrong with it.
    pub missed: bool,
    kernel: String,
    config: LaunchConfig,
    arguments: Vec<Argument>,
    pending_launches: Option<u64>,
    expected: Vec<Expected>,
    allowed: Vec<(Option<u32>, Kind)>,
    results: Vec<Expectation>,
}

enum Argument {
    Value(u64),
    Buffer { bytes: usize, contents: Option<Vec<u8>>, kind: String },
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

/// What came of running a case.
pub struct Outcome {
    pub launched: Launched,
    /// What the buffers hold, in the order of the arguments.
    pub buffers: Vec<Vec<u8>>,
}

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
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
        let (kernel, config, arguments) = read_launch(launch).ok_or(format!("cannot read `{launch}`"))?;
        let pending_launches = match head("pending-launches: ").next() {
            Some(text) => Some(text.parse().map_err(|_| format!("cannot read `{text}`"))?),
            None => None,
        };
        let arch = format!("-arch=compute_{}", head("arch: ").next().unwrap_or("75"));
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
            arch,
            clean,
            missed,
            kernel,
            config,
            arguments,
            pending_launches,
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
        Module::parse(&ptx, &path).unwrap_or_else(|diagnostic| panic!("{path}: {diagnostic}"))
    }

    /// Launches it under the checks, on a device of its own.
    pub fn run(&self, module: &Module, schedule: u64) -> Outcome {
        let mut sim = Simulator::new();
        sim.set_schedule(schedule);
        sim.set_step_limit(STEPS);
        if let Some(launches) = self.pending_launches {
            sim.set_pending_launch_limit(launches);
        }
        let (mut cells, mut buffers) = (Vec::new(), Vec::new());
        for argument in &self.arguments {
            cells.push(match argument {
                Argument::Value(bits) => *bits,
                Argument::Buffer { bytes, contents, .. } => {
                    let address = sim.alloc(*bytes as u64).unwrap();
                    // A buffer that nobody has written stays so.
                    if let Some(contents) = contents {
                        sim.write(address, contents).unwrap();
                    }
                    buffers.push((address, vec![0; *bytes]));
                    address
                }
            });
        }
        let launched = sim.launch_checked(module, &self.kernel, self.config, &cells);
        let read = |(address, mut bytes): (u64, Vec<u8>)| {
            sim.read(address, &mut bytes).unwrap();
            bytes
        };
        Outcome { launched, buffers: buffers.into_iter().map(read).collect() }
    }

    /// What differs from what its comments say; nothing if all is as expected.
    pub fn disagreements(&self, outcome: &Outcome) -> Vec<String> {
        let mut out = Vec::new();
        let found: Vec<&Diagnostic> =
            outcome.launched.diagnostics.iter().filter(|found| found.severity != Severity::Note).collect();
        for expected in &self.expected {
            let fits = |found: &&&Diagnostic| {
                expected.kinds.contains(&found.kind)
                    && self.places(found).contains(&expected.line)
                    && expected.word.as_ref().is_none_or(|word| holds(&found.message, word))
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
            if !outcome.launched.completed {
                out.push("did not run to its end".to_owned());
            }
            let buffers = self.arguments.iter().enumerate();
            let buffers: Vec<usize> =
                buffers.filter(|(_, a)| matches!(a, Argument::Buffer { .. })).map(|(i, _)| i).collect();
            for result in &self.results {
                let held = &outcome.buffers[buffers.iter().position(|at| *at == result.argument).unwrap()];
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
        let related = found.related.iter().filter(|site| site.file == path).map(|site| Some(site.line));
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
fn read_launch(text: &str) -> Option<(String, LaunchConfig, Vec<Argument>)> {
    let (kernel, rest) = text.split_once("<<<")?;
    let (config, arguments) = rest.split_once(">>>")?;
    let mut parts = config.split(',').map(str::trim);
    let (grid, block) = (read_dim(parts.next()?)?, read_dim(parts.next()?)?);
    let shared = parts.next().map_or(Some(0), |text| text.parse().ok())?;
    let config = LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: shared };
    let arguments = arguments.split_whitespace().map(read_argument).collect::<Option<_>>()?;
    Some((kernel.to_owned(), config, arguments))
}

/// `4`, `4x2` or `4x2x1`
fn read_dim(text: &str) -> Option<(u32, u32, u32)> {
    let mut axes = text.split('x').map(|axis| axis.parse().ok());
    Some((axes.next()??, axes.next().unwrap_or(Some(1))?, axes.next().unwrap_or(Some(1))?))
}

/// `i32:5`, `buf:i32:1,2,3`, `buf:f32:zeros*16`, `buf:i32:iota*16`, `buf:u8:uninit*16`
fn read_argument(text: &str) -> Option<Argument> {
    let Some(buffer) = text.strip_prefix("buf:") else {
        let (kind, value) = text.split_once(':')?;
        let mut bits = read_values(kind, value)?;
        bits.resize(8, 0);
        return Some(Argument::Value(u64::from_le_bytes(bits.try_into().ok()?)));
    };
    let (kind, contents) = buffer.split_once(':')?;
    let width = read_values(kind, "0")?.len();
    let (bytes, contents) = match contents.split_once('*') {
        Some((what, count)) => {
            let count: usize = count.parse().ok()?;
            let contents = match what {
                "zeros" => Some(vec![0; count * width]),
                "iota" => Some(
                    (0..count)
                        .map(|i| read_values(kind, &i.to_string()))
                        .collect::<Option<Vec<_>>>()?
                        .concat(),
                ),
                "uninit" => None,
                _ => return None,
            };
            (count * width, contents)
        }
        None => read_values(kind, contents).map(|bytes| (bytes.len(), Some(bytes)))?,
    };
    Some(Argument::Buffer { bytes, contents, kind: kind.to_owned() })
}

/// The bytes of `1,2,3` as numbers of one type, little-endian.
fn read_values(kind: &str, text: &str) -> Option<Vec<u8>> {
    let one = |text: &str| -> Option<Vec<u8>> {
        Some(match kind {
            "i8" => text.parse::<i8>().ok()?.to_le_bytes().to_vec(),
            "u8" => text.parse::<u8>().ok()?.to_le_bytes().to_vec(),
            "i16" => text.parse::<i16>().ok()?.to_le_bytes().to_vec(),
            "u16" => text.parse::<u16>().ok()?.to_le_bytes().to_vec(),
            "i32" => text.parse::<i32>().ok()?.to_le_bytes().to_vec(),
            "u32" => text.parse::<u32>().ok()?.to_le_bytes().to_vec(),
            "i64" => text.parse::<i64>().ok()?.to_le_bytes().to_vec(),
            "u64" => text.parse::<u64>().ok()?.to_le_bytes().to_vec(),
            "f32" => text.parse::<f32>().ok()?.to_le_bytes().to_vec(),
            "f64" => text.parse::<f64>().ok()?.to_le_bytes().to_vec(),
            _ => return None,
        })
    };
    Some(text.split(',').map(one).collect::<Option<Vec<_>>>()?.concat())
}

/// `arg1 = 1,2,3`
fn read_result(text: &str, arguments: &[Argument]) -> Option<Expectation> {
    let (argument, values) = text.split_once(" = ")?;
    let argument: usize = argument.strip_prefix("arg")?.parse().ok()?;
    let Argument::Buffer { kind, bytes: most, .. } = arguments.get(argument)? else { return None };
    let bytes = read_values(kind, values).filter(|bytes| bytes.len() <= *most)?;
    Some(Expectation { argument, text: values.to_owned(), bytes })
}

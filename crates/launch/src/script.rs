//! What is launched on what: the lines of a script, read.

use std::collections::HashSet;

use anyhow::{Context, Result, anyhow, bail, ensure};
use ptx_simulator::LaunchConfig;
use text::expression::{expression, split};

use super::buffers::{Buffers, Named};
use super::fill::{Fill, Pointer};
use super::nearest;
use super::number::Type;
use super::scope::{Names, Output, Scope};

/// One argument of a launch.
#[derive(Clone, Debug)]
pub struct Spec {
    /// As it was given.
    text: String,
    /// What the kernel gets.
    pub value: Value,
}

/// What a kernel gets.
#[derive(Clone, Debug)]
pub enum Value {
    /// A number, in the low bytes.
    Number(Type, u64),
    /// The address of a buffer.
    Pointer(Pointer),
    /// A structure: its bytes, and the addresses in it by where they stand.
    Struct(Vec<u8>, Vec<(usize, Pointer)>),
    /// The address of a buffer that this argument makes. In a [`Script`] it is one of the script's.
    Buffer(Fill),
}

impl Spec {
    /// Reads an argument; the error says what is wrong with which part.
    pub fn parse(text: &str, scope: Scope) -> Result<Spec> {
        let (first, rest) = text.split_once(':').unwrap_or((text, ""));
        let value = match first {
            pointer if pointer.starts_with('@') => Value::Pointer(Pointer::parse(text)?),
            _ if !text.contains(':') => bail!(nearest::argument(text)),
            "buf" => Value::Buffer(Fill::parse(rest, scope)?),
            "ptr" => Value::Pointer(Pointer::parse(rest)?),
            "struct" => structure(rest, scope.names)?,
            kind => {
                let kind = Type::parse(kind)?;
                Value::Number(kind, kind.number(rest, scope.names)?)
            }
        };
        Ok(Spec { text: text.to_string(), value })
    }

    /// How many bytes the kernel gets.
    pub fn bytes(&self) -> usize {
        match &self.value {
            Value::Number(kind, _) => kind.bytes(),
            Value::Struct(bytes, _) => bytes.len(),
            Value::Pointer(_) | Value::Buffer(_) => Type::Ptr.bytes(),
        }
    }
}

impl Spec {
    /// The types of a structure's fields and what stands for their values; none of anything else.
    pub(super) fn fields(&self) -> Result<Vec<(Type, &str)>> {
        self.text.strip_prefix("struct:").map_or(Ok(Vec::new()), fields)
    }

    fn names(&self) -> Vec<&String> {
        match &self.value {
            Value::Number(..) => Vec::new(),
            Value::Pointer(pointer) => vec![&pointer.buffer],
            Value::Struct(_, pointers) => pointers.iter().map(|(_, pointer)| &pointer.buffer).collect(),
            Value::Buffer(fill) => fill.names(),
        }
    }

    fn names_mut(&mut self) -> Vec<&mut String> {
        match &mut self.value {
            Value::Number(..) => Vec::new(),
            Value::Pointer(pointer) => vec![&mut pointer.buffer],
            Value::Struct(_, pointers) => {
                pointers.iter_mut().map(|(_, pointer)| &mut pointer.buffer).collect()
            }
            Value::Buffer(fill) => fill.names_mut(),
        }
    }
}

/// As it was given, cut off where it is long.
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MAX_CHARACTERS: usize = 32;
        let start: String = self.text.chars().take(MAX_CHARACTERS).collect();
        let more = if start.len() < self.text.len() { "…" } else { "" };
        write!(f, "{start}{more}")
    }
}

/// Fields side by side, each at a multiple of its size, as a compiler lays them out.
fn structure(text: &str, names: Names) -> Result<Value> {
    let mut bytes = Vec::new();
    let mut pointers = Vec::new();
    let mut align = 1;
    for (of, number) in fields(text)? {
        bytes.resize(bytes.len().next_multiple_of(of.bytes()), 0);
        let bits = match of {
            Type::Ptr => {
                pointers.push((bytes.len(), Pointer::parse(number)?));
                0
            }
            _ => of.number(number, names)?,
        };
        bytes.extend(&bits.to_le_bytes()[..of.bytes()]);
        align = align.max(of.bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(align), 0);
    Ok(Value::Struct(bytes, pointers))
}

/// The fields of a structure: their types, and what stands for their values. A field without a type has that
/// of the one before.
fn fields(text: &str) -> Result<Vec<(Type, &str)>> {
    let mut kind = None;
    let field = |field| {
        let (of, number) = match str::split_once(field, ':') {
            Some((name, number)) => (Some(Type::parse(name.trim())?), number),
            None => (kind, field),
        };
        let of = of.with_context(|| format!("`{field}`: the first field needs a type, like i32:{field}"))?;
        kind = Some(of);
        Ok((of, number))
    };
    text.split(',').map(field).collect()
}

/// `NAME=TYPE:ELEMENTS`
fn named(text: &str, scope: Scope) -> Result<Named> {
    let (name, elements) = pair(text)?;
    Ok(Named { name, cell: 1, line: 0, fill: Fill::parse(elements, scope)? })
}

/// `NAME` of `@NAME`, a whole buffer.
fn buffer_called(text: &str) -> Result<String> {
    let Pointer { buffer, offset } = Pointer::parse(text)?;
    ensure!(offset == 0, "`{text}`: whole buffers are compared; write @{buffer}");
    Ok(buffer)
}

fn pair(text: &str) -> Result<(String, &str)> {
    let (name, rest) = text.split_once('=').with_context(|| nearest::assignment(text))?;
    let name = name.trim().trim_start_matches('@');
    // A name has to stand in an address, too: `@NAME+16`.
    let is_name = !name.is_empty()
        && !name.contains(|c: char| c.is_whitespace() || "+,@#".contains(c))
        && !name.ends_with(']');
    ensure!(is_name, nearest::name(name, rest.trim()));
    Ok((name.to_string(), rest.trim()))
}

/// X, Y, Z.
pub type Dimensions = (u32, u32, u32);

/// `X`, `X,Y` or `X,Y,Z`, each an expression; what is left out is 1. The limits of a launch are checked with
/// the launch; here it is an error if there are more than three, or one is not a number.
pub fn dimensions(text: &str, names: Names) -> Result<Dimensions> {
    let size = |text| u32::try_from(expression(text, names)?).ok();
    match split(text, ',').map(size).collect::<Option<Vec<u32>>>().as_deref() {
        Some(&[x]) => Ok((x, 1, 1)),
        Some(&[x, y]) => Ok((x, y, 1)),
        Some(&[x, y, z]) => Ok((x, y, z)),
        _ => bail!("`{text}`: one to three sizes of at least 1, X[,Y[,Z]], like 256 or 16,16"),
    }
}

/// One launch.
#[derive(Clone, Debug)]
pub struct Launch {
    /// As the source or PTX names it; may be left out if there is only one.
    pub kernel: Option<String>,
    /// Blocks, threads per block, and bytes of dynamic shared memory.
    pub config: LaunchConfig,
    /// Blocks of a cluster, if the launch says it.
    pub cluster: Option<Dimensions>,
    /// One for each parameter.
    pub args: Vec<Spec>,
}

impl Launch {
    /// Reads `KERNEL<<<GRID, BLOCK, SHARED>>> cluster=BLOCKS ARG ARG …`; the error says what is wrong with
    /// it.
    pub fn parse(text: &str, scope: Scope) -> Result<Launch> {
        let (kernel, rest) = text.split_once("<<<").with_context(|| nearest::launch(text))?;
        let (sizes, args) = rest.split_once(">>>").with_context(|| nearest::launch(text))?;
        let config = config(sizes, scope.names)?;
        if let Some(wrong) = nearest::arguments(args, &format!("{}<<<{sizes}>>>", kernel.trim())) {
            bail!(wrong);
        }
        let mut args = args.trim_end().trim_end_matches(';').split_whitespace().peekable();
        let cluster = args.next_if(|arg| arg.starts_with("cluster="));
        let cluster = cluster.map(|arg| dimensions(&arg["cluster=".len()..], scope.names)).transpose()?;
        let args = args.map(|arg| Spec::parse(arg, scope)).collect::<Result<_>>()?;
        let kernel = Some(kernel.trim().to_string()).filter(|name| !name.is_empty());
        Ok(Launch { kernel, config, cluster, args })
    }
}

/// What stands between `<<<` and `>>>`. Where a blank follows a comma, it parts the sizes there alone, so
/// that `2,2, 64` has a grid of two rows; `4,256`, without a blank, can only be as in CUDA.
fn config(text: &str, names: Names) -> Result<LaunchConfig> {
    let packed = text.split_whitespace().collect::<Vec<_>>().join(" ").replace(" ,", ",");
    let mut parts: Vec<String> = vec![String::new()];
    for part in split(&packed, ',') {
        match parts.last_mut() {
            Some(last) if !part.starts_with(' ') && !last.is_empty() => *last += &format!(",{part}"),
            Some(last) if last.is_empty() => *last = part.to_string(),
            _ => parts.push(part.to_string()),
        }
    }
    if parts.len() == 1 {
        parts = split(&packed, ',').map(str::to_string).collect();
    }
    let parts: Vec<String> = parts.iter().map(|part| part.replace(' ', "")).collect();
    let (grid, block, more) = match &parts[..] {
        [_] | [] => {
            bail!(nearest::without_comma(text).unwrap_or_else(|| format!(
                "`<<<{text}>>>`: the threads per block are missing; write <<<{}, 256>>>",
                or_one(text)
            )))
        }
        [grid, block, more @ ..] => (grid, block, more),
    };
    let (shared, stream) = match more {
        [] => (None, None),
        [shared] => (Some(shared), None),
        [shared, stream] => (Some(shared), Some(stream)),
        _ => bail!(
            "`<<<{text}>>>`: blocks, threads per block and bytes of shared memory are all that there is; of \
             several dimensions write dim3(2, 2)"
        ),
    };
    if let [x, y, block_x, block_y] = &parts[..]
        && let Some(wrong) = nearest::dimensions([x, y, block_x, block_y])
    {
        bail!(wrong);
    }
    if let Some(stream) = stream.filter(|stream| *stream != "0") {
        bail!("`{stream}`: there are no streams here, launches come one after another; leave it out");
    }
    let shared_mem_bytes = match shared {
        None => 0,
        Some(shared) => {
            expression(shared, names).and_then(|bytes| bytes.try_into().ok()).with_context(|| {
                format!("`{shared}` is not a number of bytes of shared memory; write one, like 1024")
            })?
        }
    };
    let sizes = |text: &str| dimensions(bare(text), names).map_err(|_| anyhow!(nearest::size(text, names)));
    Ok(LaunchConfig { grid_dim: sizes(grid)?, block_dim: sizes(block)?, shared_mem_bytes })
}

fn or_one(text: &str) -> &str {
    if text.trim().is_empty() { "1" } else { text.trim() }
}

/// `2,2` of `dim3(2,2)` and of `(2,2)`.
fn bare(text: &str) -> &str {
    let list = text.strip_prefix("dim3").unwrap_or(text);
    let inside = list.strip_prefix('(').and_then(|list| list.strip_suffix(')'));
    let is_list =
        |inside: &str| split(list, ',').count() == 1 && (list != text || split(inside, ',').count() > 1);
    inside.filter(|inside| is_list(inside)).unwrap_or(text)
}

/// The script in the comments of `source`, the text after each `//@`, in the line where it stands there; and
/// `%%` where a cell begins.
pub fn in_comments(source: &str) -> String {
    let line = |line: &str| {
        let is_mark = line.starts_with("// %%") || line.starts_with("//%%");
        let text = if is_mark { CELL } else { in_comment(line).unwrap_or_default() };
        format!("{text}\n")
    };
    source.lines().map(line).collect()
}

/// The text after `//@`; after `// @` too if it begins with the name of a step, as `// @param` does not.
fn in_comment(line: &str) -> Option<&str> {
    let comment = line.trim_start().strip_prefix("//")?;
    let text = comment.trim_start().strip_prefix('@')?;
    let is_step = || nearest::STEPS.iter().any(|step| text.split_whitespace().next() == Some(step));
    (comment.starts_with('@') || is_step()).then_some(text)
}

/// The lines of a script in comments down to the end of a cell, from 1.
pub fn down_to_cell(script: &str, cell: usize) -> String {
    let mut cells = 1;
    let is_before = |(number, line): &(usize, &str)| {
        cells += usize::from(*line == CELL && *number > 0);
        cells <= cell
    };
    script.lines().enumerate().take_while(is_before).map(|(_, line)| format!("{line}\n")).collect()
}

/// The line that begins a cell.
pub(super) const CELL: &str = "%%";

/// Where a step stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Its line, from 1; 0 of one that stands in no text.
    pub line: usize,
    /// Its cell of a notebook, from 1.
    pub cell: usize,
}

/// One thing that is done after the others.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the fields are those of the line")]
pub enum Step {
    /// A variable of the module, by its name in PTX, is set, or only shown if there are no elements.
    Symbol { named: Named, variable: String },
    /// A kernel runs.
    Launch(Launch),
    /// A buffer is compared with what it is to hold, floats within a part of the larger of 1 and that.
    Check { expected: Named, within: f64 },
    /// A buffer is compared with what another one holds.
    Same { name: String, other: String, within: f64 },
    /// A buffer is written to a file: as raw bytes.
    Save { name: String, output: Output },
}

impl Step {
    /// The buffers that it names.
    pub fn names(&self) -> Vec<&String> {
        match self {
            Step::Symbol { named, .. } => named.fill.names(),
            Step::Launch(launch) => launch.args.iter().flat_map(Spec::names).collect(),
            Step::Check { expected: Named { name, fill, .. }, .. } => {
                std::iter::once(name).chain(fill.names()).collect()
            }
            Step::Same { name, other, .. } => vec![name, other],
            Step::Save { name, .. } => vec![name],
        }
    }

    /// The buffer that it compares, if it does.
    pub fn compared(&self) -> Option<&String> {
        match self {
            Step::Check { expected: Named { name, .. }, .. } | Step::Same { name, .. } => Some(name),
            Step::Symbol { .. } | Step::Launch(_) | Step::Save { .. } => None,
        }
    }

    fn names_mut(&mut self) -> Vec<&mut String> {
        match self {
            Step::Symbol { named, .. } => named.fill.names_mut(),
            Step::Launch(launch) => launch.args.iter_mut().flat_map(Spec::names_mut).collect(),
            Step::Check { expected: Named { name, fill, .. }, .. } => {
                std::iter::once(name).chain(fill.names_mut()).collect()
            }
            Step::Same { name, other, .. } => vec![name, other],
            Step::Save { name, .. } => vec![name],
        }
    }
}

/// Buffers, and what is done with them one after another.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// With those that arguments make, which are called by the argument's number.
    pub buffers: Buffers,
    /// In their order.
    pub steps: Vec<Step>,
    /// Where each of them stands.
    pub places: Vec<Place>,
    /// Steps before the first of those whose result is wanted.
    pub before: usize,
    /// Whether what is found calls buffers by their names here, and not as the kernel's parameters.
    pub names_buffers: bool,
    /// Cells that have begun.
    cells: usize,
    /// The line that is read.
    line: usize,
}

impl Script {
    /// Reads the lines of a script; the error begins with the line's number and a colon.
    pub fn parse(text: &str, scope: Scope) -> Result<Script> {
        let mut script = Script::default();
        script.add_lines(text, scope)?;
        Ok(script)
    }

    /// The same script, which writes no file.
    pub fn without_outputs(&self) -> Script {
        let mut script = self.clone();
        script.keep(|step, _| !matches!(step, Step::Save { .. }));
        script
    }

    /// Leaves out the other steps.
    fn keep(&mut self, is_kept: impl Fn(&Step, &Place) -> bool) {
        let all =
            std::mem::take(&mut self.steps).into_iter().zip(std::mem::take(&mut self.places)).enumerate();
        let before = std::mem::take(&mut self.before);
        for (number, (step, place)) in all.filter(|(_, (step, place))| is_kept(step, place)) {
            self.before += usize::from(number < before);
            self.steps.push(step);
            self.places.push(place);
        }
    }

    /// What the last cell asks for. What stands in the cells before it comes first if the cell works on their
    /// buffers or `needs_all`; the names of what is to be shown are the second.
    ///
    /// # Errors
    /// The cell asks for nothing.
    pub fn of_cell(&self, cell: usize, needs_all: bool) -> Result<(Script, Vec<String>)> {
        let mut script = self.clone();
        let first = script.places.iter().position(|place| place.cell == cell);
        let first = first.with_context(|| format!("cell {cell} has no line `//@ launch …`"))?;
        let mut named: Vec<String> =
            script.buffers.iter().filter(|buffer| buffer.cell == cell).map(|one| one.name.clone()).collect();
        let mut known: HashSet<String> = named.iter().cloned().collect();
        let mut names_earlier = false;
        let own = script.buffers.iter().filter(|buffer| buffer.cell == cell).flat_map(|one| one.fill.names());
        for name in own.chain(script.steps[first..].iter().flat_map(Step::names)) {
            names_earlier |= script.buffers.called(name).is_some_and(|buffer| buffer.cell < cell);
            if known.insert(name.clone()) {
                named.push(name.clone());
            }
        }
        if !(names_earlier || needs_all) {
            script.keep(|_, place| place.cell == cell);
            script.buffers.retain(|buffer| buffer.cell == cell);
            return Ok((script, named));
        }
        script.before = first;
        Ok((script, named))
    }

    /// The cell in which the next line stands.
    fn cell(&self) -> usize {
        self.cells.max(1)
    }

    /// [`Script::parse`], behind what it says already.
    pub fn add_lines(&mut self, text: &str, scope: Scope) -> Result<()> {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line == CELL {
                // What stands before the first mark is a cell too.
                self.cells = if number == 1 { 1 } else { self.cell() + 1 };
                continue;
            }
            self.line = number;
            let (what, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if !line.is_empty() {
                self.add(what, rest.trim(), scope)
                    .map_err(|why| anyhow!("{number}: {:#}", self.meant(line, scope).unwrap_or(why)))?;
            }
        }
        self.line = 0;
        Ok(())
    }

    /// What is wrong with a line that only ends as one of C++ does.
    fn meant(&self, line: &str, scope: Scope) -> Option<anyhow::Error> {
        let is_right = |line: &str| {
            let (what, rest) = line.split_once(char::is_whitespace)?;
            self.clone().add(what, rest.trim(), scope).ok()
        };
        let mut ends = nearest::without_ends_of_cpp(line);
        let (_, advice) = ends.find(|(line, _)| is_right(line).is_some())?;
        Some(anyhow!("`{line}`: {advice}"))
    }

    /// Adds one line: its first word, and the rest.
    pub fn add(&mut self, what: &str, rest: &str, scope: Scope) -> Result<()> {
        match what {
            "buffer" => {
                let named = named(rest, scope)?;
                let is_taken = self.is_taken(&named.name);
                ensure!(!is_taken, "two buffers are named {0}; give this one another name", named.name);
                self.buffer_of_this_cell(named);
            }
            "symbol" => {
                let named = named(rest, scope)?;
                self.step(Step::Symbol { variable: named.name.clone(), named });
            }
            "launch" => self.launch(Launch::parse(rest, scope)?)?,
            "expect" => {
                let (rest, within) = rest.rsplit_once(" within ").unwrap_or((rest, "0"));
                let part = within.trim().parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0);
                let within = part.with_context(|| format!("`{within}` is not a number of at least 0"))?;
                if let Some(wrong) = nearest::expected_element(rest) {
                    bail!(wrong);
                }
                let other = pair(rest).ok().filter(|(_, value)| value.starts_with('@'));
                self.step(match other {
                    Some((name, other)) => Step::Same { name, other: buffer_called(other)?, within },
                    None => Step::Check { expected: named(rest, scope)?, within },
                });
            }
            "save" => {
                let (name, file) = pair(rest)?;
                let output = scope.files.to_write(file)?;
                self.step(Step::Save { name, output });
            }
            _ => bail!(nearest::step(what, rest)),
        }
        Ok(())
    }

    /// Adds a launch; the buffers that its arguments make become the script's.
    ///
    /// # Errors
    /// A buffer is named after the number of such an argument.
    pub fn launch(&mut self, mut launch: Launch) -> Result<()> {
        for (number, arg) in launch.args.iter_mut().enumerate() {
            let Value::Buffer(fill) = &arg.value else { continue };
            let name = number.to_string();
            ensure!(
                !self.is_taken(&name),
                "two buffers are named {name}, the number of the argument that makes one: name one of them \
                 with a line `buffer NAME = …`, and write @NAME for the argument"
            );
            self.buffer_of_this_cell(Named { name: name.clone(), cell: 1, line: 0, fill: fill.clone() });
            arg.value = Value::Pointer(Pointer { buffer: name, offset: 0 });
        }
        self.step(Step::Launch(launch));
        Ok(())
    }

    /// Whether a buffer of the cell that is read has this name.
    fn is_taken(&self, name: &str) -> bool {
        let cell = self.cell();
        self.buffers.called(name).is_some_and(|buffer| buffer.cell == cell)
    }

    fn step(&mut self, step: Step) {
        self.steps.push(step);
        self.places.push(Place { line: self.line, cell: self.cell() });
    }

    /// Adds a buffer of the cell that is read; one of an earlier cell loses its name to it.
    fn buffer_of_this_cell(&mut self, named: Named) {
        let cell = self.cell();
        let earlier = self.buffers.called(&named.name).filter(|buffer| buffer.cell < cell);
        if let Some(of) = earlier.map(|buffer| buffer.cell) {
            let is_number = named.name.bytes().all(|byte| byte.is_ascii_digit());
            let what = if is_number { "argument " } else { "" };
            self.rename(&named.name, &format!("{what}{} of cell {of}", named.name));
        }
        self.buffers.push(Named { cell, line: self.line, ..named });
    }

    fn rename(&mut self, from: &str, to: &str) {
        self.buffers.rename(from, to);
        let names = self.steps.iter_mut().flat_map(Step::names_mut);
        for name in names.filter(|name| *name == from) {
            *name = to.to_string();
        }
    }

    /// The launches, in their order.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.steps.iter().filter_map(|step| if let Step::Launch(launch) = step { Some(launch) } else { None })
    }

    /// Those whose result is wanted.
    pub fn own_launches(&self) -> impl Iterator<Item = &Launch> {
        let own = self.steps.get(self.before..).unwrap_or_default();
        own.iter().filter_map(|step| if let Step::Launch(launch) = step { Some(launch) } else { None })
    }

    /// The number of the buffer that is called so; the error lists what there is.
    pub fn buffer(&self, name: &str) -> Result<usize> {
        self.buffers.number(name).with_context(|| {
            let all: Vec<String> = self.buffers.iter().map(|buffer| format!("@{}", buffer.name)).collect();
            format!("no buffer is called @{name}; there are: {}", all.join(", "))
        })
    }
}

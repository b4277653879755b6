//! What is launched on what: the lines of a script, read.

use anyhow::{Context, Result, anyhow, bail, ensure};
use ptx_simulator::LaunchConfig;

use super::fill::{FORMS, Fill, Pointer};
use super::number::{Names, Type, expression, split};
use super::scope::{Output, Scope};

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
            _ if !text.contains(':') => bail!(FORMS),
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

/// As it was given, cut off where it is long.
impl std::fmt::Display for Spec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        const MAX_CHARACTERS: usize = 32;
        let start: String = self.text.chars().take(MAX_CHARACTERS).collect();
        let more = if start.len() < self.text.len() { "…" } else { "" };
        write!(f, "{start}{more}")
    }
}

/// Fields side by side, each at a multiple of its size, as a compiler lays them out. A field without a type
/// has that of the one before.
fn structure(text: &str, names: Names) -> Result<Value> {
    let mut bytes = Vec::new();
    let mut pointers = Vec::new();
    let mut kind = None;
    let mut align = 1;
    for field in text.split(',') {
        let (of, number) = match field.split_once(':') {
            Some((name, number)) => (Some(Type::parse(name.trim())?), number),
            None => (kind, field),
        };
        let of = of.with_context(|| format!("`{field}`: the first field needs a type, like i32:{field}"))?;
        bytes.resize(bytes.len().next_multiple_of(of.bytes()), 0);
        let bits = match of {
            Type::Ptr => {
                pointers.push((bytes.len(), Pointer::parse(number)?));
                0
            }
            _ => of.number(number, names)?,
        };
        bytes.extend(&bits.to_le_bytes()[..of.bytes()]);
        kind = Some(of);
        align = align.max(of.bytes());
    }
    bytes.resize(bytes.len().next_multiple_of(align), 0);
    Ok(Value::Struct(bytes, pointers))
}

/// Elements with a name: a buffer, a variable of the module, or what one of them is to hold.
#[derive(Clone, Debug)]
pub struct Named {
    /// Of the buffer or the variable.
    pub name: String,
    /// What it holds or is to hold.
    pub fill: Fill,
}

impl Named {
    /// `NAME=TYPE:ELEMENTS`
    fn parse(text: &str, scope: Scope) -> Result<Named> {
        let (name, elements) = pair(text)?;
        Ok(Named { name, fill: Fill::parse(elements, scope)? })
    }
}

fn pair(text: &str) -> Result<(String, &str)> {
    let (name, rest) = text.split_once('=').with_context(|| format!("`{text}`: write NAME=…"))?;
    let name = name.trim().trim_start_matches('@');
    // A name has to stand in an address, too: `@NAME+16`.
    let is_name = !name.is_empty() && !name.contains(|c: char| c.is_whitespace() || "+,@#".contains(c));
    ensure!(is_name, "`{text}`: `{name}` is not a name; take letters and digits");
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
        let wrong =
            || format!("`{text}`: write KERNEL<<<GRID, BLOCK>>> ARG …, like sum<<<4, 256>>> @in i32:1024");
        let (kernel, rest) = text.split_once("<<<").with_context(wrong)?;
        let (config, args) = rest.split_once(">>>").with_context(wrong)?;
        // `<<<2,2, 64>>>` has a grid of two rows; `<<<4,256>>>`, without a blank, can only be as in CUDA.
        let at_blanks = split(config, ' ').map(|part| part.trim_end_matches(','));
        let at_blanks: Vec<&str> = at_blanks.filter(|part| !part.is_empty()).collect();
        let parts = if at_blanks.len() > 1 { at_blanks } else { split(config, ',').collect() };
        let ([grid, block] | [grid, block, _]) = parts[..] else { bail!(wrong()) };
        let shared = parts.get(2).map_or(Some(0), |text| expression(text, scope.names));
        let config = LaunchConfig {
            grid_dim: dimensions(grid, scope.names)?,
            block_dim: dimensions(block, scope.names)?,
            shared_mem_bytes: shared.and_then(|bytes| bytes.try_into().ok()).with_context(wrong)?,
        };
        let mut args = args.split_whitespace().peekable();
        let cluster = args.next_if(|arg| arg.starts_with("cluster="));
        let cluster = cluster.map(|arg| dimensions(&arg["cluster=".len()..], scope.names)).transpose()?;
        let args = args.map(|arg| Spec::parse(arg, scope)).collect::<Result<_>>()?;
        let kernel = Some(kernel.trim().to_string()).filter(|name| !name.is_empty());
        Ok(Launch { kernel, config, cluster, args })
    }
}

/// The script in the comments of `source`, the text behind each `//@`, in the line where it stands there.
pub fn in_comments(source: &str) -> String {
    let line = |line: &str| line.trim_start().strip_prefix("//@").unwrap_or_default().to_string() + "\n";
    source.lines().map(line).collect()
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
    /// A buffer is written to a file: as raw bytes.
    Save { name: String, output: Output },
}

/// Buffers, and what is done with them one after another.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// With those that arguments make, which are called by the argument's number.
    pub buffers: Vec<Named>,
    /// In their order.
    pub steps: Vec<Step>,
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
        script.steps.retain(|step| !matches!(step, Step::Save { .. }));
        script
    }

    /// [`Script::parse`], behind what it says already.
    pub fn add_lines(&mut self, text: &str, scope: Scope) -> Result<()> {
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.split('#').next().unwrap_or_default().trim();
            let (what, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            if !line.is_empty() {
                self.add(what, rest.trim(), scope).map_err(|why| anyhow!("{number}: {why:#}"))?;
            }
        }
        Ok(())
    }

    /// Adds one line: its first word, and the rest.
    pub fn add(&mut self, what: &str, rest: &str, scope: Scope) -> Result<()> {
        match what {
            "buffer" => self.buffers.push(Named::parse(rest, scope)?),
            "symbol" => {
                let named = Named::parse(rest, scope)?;
                self.steps.push(Step::Symbol { variable: named.name.clone(), named });
            }
            "launch" => self.launch(Launch::parse(rest, scope)?),
            "expect" => {
                let (rest, within) = rest.rsplit_once(" within ").unwrap_or((rest, "0"));
                let part = within.trim().parse().ok().filter(|part: &f64| part.is_finite() && *part >= 0.0);
                let within = part.with_context(|| format!("`{within}` is not a number of at least 0"))?;
                self.steps.push(Step::Check { expected: Named::parse(rest, scope)?, within });
            }
            "save" => {
                let (name, file) = pair(rest)?;
                let output = scope.files.to_write(file)?;
                self.steps.push(Step::Save { name, output });
            }
            _ => bail!("`{what}` is not one of buffer, symbol, launch, expect, save"),
        }
        Ok(())
    }

    /// Adds a launch; the buffers that its arguments make become the script's.
    pub fn launch(&mut self, mut launch: Launch) {
        for (number, arg) in launch.args.iter_mut().enumerate() {
            let Value::Buffer(fill) = &arg.value else { continue };
            let name = number.to_string();
            self.buffers.push(Named { name: name.clone(), fill: fill.clone() });
            arg.value = Value::Pointer(Pointer { buffer: name, offset: 0 });
        }
        self.steps.push(Step::Launch(launch));
    }

    /// The launches, in their order.
    pub fn launches(&self) -> impl Iterator<Item = &Launch> {
        self.steps.iter().filter_map(|step| if let Step::Launch(launch) = step { Some(launch) } else { None })
    }

    /// The number of the buffer that is called so; the error lists what there is.
    pub fn buffer(&self, name: &str) -> Result<usize> {
        self.buffers.iter().position(|buffer| buffer.name == name).with_context(|| {
            let all: Vec<String> = self.buffers.iter().map(|buffer| format!("@{}", buffer.name)).collect();
            format!("no buffer is called @{name}; there are: {}", all.join(", "))
        })
    }
}

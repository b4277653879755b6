//! What the simulator says when something is wrong: what, where, and what to do.

use serde::{Deserialize, Serialize};

/// The kinds of diagnostic. The words are stable: tests, `--json` and the book use them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two accesses to a byte, one of them a write, that nothing orders.
    DataRace,
    /// Threads of a block that do not agree on which barrier comes next.
    BarrierDivergence,
    /// Threads that wait for others that never come.
    Deadlock,
    /// An access outside of every allocation or variable.
    OutOfBounds,
    /// An access that is not aligned to its size.
    Misaligned,
    /// A value that nobody has written decides something.
    UninitializedRead,
    /// A warp-level instruction whose mask is not that of the lanes that come.
    WarpCollective,
    /// A launch that the device cannot do.
    LaunchLimit,
    /// Device launches dropped because too many were pending.
    PendingLaunchOverflow,
    /// A parent and a child grid that do not see each other's memory.
    ChildVisibility,
    /// PTX that the simulator does not know.
    UnsupportedInstruction,
    /// A loop that does not end.
    StepLimit,
    /// A launch that needs more of this machine's memory than it may have.
    MemoryLimit,
    /// The kernel stopped itself: `trap`, a failed `assert`.
    Trap,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The kernel is wrong.
    Error,
    /// It may be right all the same.
    Warning,
    /// It breaks a rule that most code breaks.
    Note,
}

/// Who the two threads of a race are to each other, or what is wrong with what they do: it decides what to
/// ask and what to advise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Shape {
    /// A reader and a writer of one warp.
    SameWarp,
    /// A reader and a writer of two warps of a block.
    SameBlock,
    /// A reader and a writer of two blocks of a cluster.
    SameCluster,
    /// A reader and a writer of two blocks of a grid.
    OtherBlock,
    /// A reader and a writer of two grids, neither of which launched the other.
    OtherGrid,
    /// A reader and a writer on two GPUs.
    OtherGpu,
    /// A grid reads what one that it launched writes, or the other way round.
    ParentAndChild,
    /// Two plain writes, whoever the writers are.
    TwoWriters,
    /// Accesses of different width, which share some of their bytes: elements that overlap.
    Overlap,
}

/// A place in a source file, with what happened there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Site {
    /// As the compiler was given it: `kernels/ch2_parallel.cu`. The PTX itself where there is no line table.
    pub file: String,
    /// From 1.
    pub line: u32,
    /// What happened there.
    pub message: String,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Diagnostic {
    /// What kind of mistake it is.
    pub kind: Kind,
    /// How bad it is.
    pub severity: Severity,
    /// Of a race, what shape it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub shape: Option<Shape>,
    /// The kernel that was running, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kernel: Option<String>,
    /// The source file, as in [`Site`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// Its line, from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// The block to blame, if there is one, in x, y, z.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub block: Option<[u32; 3]>,
    /// The thread in that block.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<[u32; 3]>,
    /// What is wrong, in one sentence.
    pub message: String,
    /// What to do, in one sentence.
    pub help: String,
    /// Other places that belong to it: the other side of a race.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Site>,
}

impl Diagnostic {
    /// An error at no place.
    pub(crate) fn new(kind: Kind, message: String, help: &str) -> Diagnostic {
        Diagnostic {
            kind,
            severity: Severity::Error,
            shape: None,
            kernel: None,
            file: None,
            line: None,
            block: None,
            thread: None,
            message,
            help: help.to_string(),
            related: Vec::new(),
        }
    }

    /// An error at no place in a kernel: a call of the host that cannot be done. `kernel` is the one that was
    /// to run.
    pub fn of_host(kind: Kind, kernel: Option<&str>, message: String, help: &str) -> Diagnostic {
        Diagnostic { kernel: kernel.map(str::to_string), ..Diagnostic::new(kind, message, help) }
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Kind::DataRace => "data-race",
            Kind::BarrierDivergence => "barrier-divergence",
            Kind::Deadlock => "deadlock",
            Kind::OutOfBounds => "out-of-bounds",
            Kind::Misaligned => "misaligned",
            Kind::UninitializedRead => "uninitialized-read",
            Kind::WarpCollective => "warp-collective",
            Kind::LaunchLimit => "launch-limit",
            Kind::PendingLaunchOverflow => "pending-launch-overflow",
            Kind::ChildVisibility => "child-visibility",
            Kind::UnsupportedInstruction => "unsupported-instruction",
            Kind::StepLimit => "step-limit",
            Kind::MemoryLimit => "memory-limit",
            Kind::Trap => "trap",
        })
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.message)?;
        if let (Some(file), Some(line)) = (&self.file, self.line) {
            write!(f, "\n  at {file}:{line}")?;
        }
        if let Some(kernel) = &self.kernel {
            write!(f, "\n  in {kernel}")?;
            if let (Some(b), Some(t)) = (self.block, self.thread) {
                write!(f, ", block ({}, {}, {}), thread ({}, {}, {})", b[0], b[1], b[2], t[0], t[1], t[2])?;
            }
        }
        write!(f, "\n  help: {}", self.help)
    }
}

impl std::error::Error for Diagnostic {}

/// What to do about the shared memory of a block that has ended, or may have.
pub(crate) const KEEP_ALIVE: &str = "let all blocks of the cluster wait for each other (cluster.sync()) \
                                     after the last access to another one's shared memory";

/// `1 byte`, `4 bytes`
pub(crate) fn bytes(number: u64) -> String {
    if number == 1 { "1 byte".to_string() } else { format!("{number} bytes") }
}

/// `67,108,864`
pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

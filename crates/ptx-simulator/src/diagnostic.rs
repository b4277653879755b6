//! What the simulator finds when something is wrong, as data: what, where, and what to do.

use serde::{Deserialize, Serialize};

use crate::what::{Apart, Site, Spot, What, Words};

/// The kinds of diagnostic. Their names are stable: programs read them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Two accesses to a byte, one of them a write, that nothing orders.
    DataRace,
    /// Two orders of atomic and other strong operations that leave different results.
    OrderDependent,
    /// Threads of a block that do not agree on which barrier comes next.
    BarrierDivergence,
    /// Threads that wait for others that never come.
    Deadlock,
    /// An access outside of every allocation or variable.
    OutOfBounds,
    /// An access that is not aligned to its size.
    Misaligned,
    /// A value that was never written decides something.
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
    /// Host and device in memory of the other one, or a copy or a call of the runtime that is wrong.
    HostAccess,
    /// Memory, a stream or an event that has been freed or destroyed.
    UseAfterFree,
    /// A value that was stored in shared memory, or left in an array by a launch, and that nothing reads.
    NeverRead,
    /// Every thread of a warp launches the same grid with the same arguments; or a program that fails makes a
    /// launch again, which begins with what the first one has left.
    RepeatedLaunch,
}

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Hash)]
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
    /// Two plain writes of threads that differ only in an index which the kernel does not read.
    UnreadIndex,
    /// Two threads that take the same lock.
    Lock,
    /// Accesses of different width, which share some of their bytes: elements that overlap.
    Overlap,
    /// An access, and an asynchronous copy that has not been waited for.
    AsyncCopy,
    /// Both are inside of NVIDIA's headers, where the reader can do nothing.
    InHeader,
}

/// One finding. As JSON it has the `message` and the `related` places of its [`Words`].
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
    /// What is wrong.
    #[serde(flatten)]
    pub what: What,
    /// What to do, in one sentence.
    pub help: String,
}

impl Diagnostic {
    /// An error at no place.
    pub(crate) fn new(kind: Kind, what: impl Into<What>, help: &str) -> Diagnostic {
        Diagnostic {
            kind,
            severity: Severity::Error,
            shape: None,
            kernel: None,
            file: None,
            line: None,
            block: None,
            thread: None,
            what: what.into(),
            help: help.to_string(),
        }
    }

    /// An error at no place in a kernel: a call of the host that cannot be done. `kernel` is the one that was
    /// to run.
    pub fn of_host(kind: Kind, kernel: Option<&str>, what: impl Into<What>, help: &str) -> Diagnostic {
        Diagnostic { kernel: kernel.map(str::to_string), ..Diagnostic::new(kind, what, help) }
    }

    /// What is wrong, in one sentence.
    pub fn message(&self) -> String {
        self.what.message()
    }

    /// Other places that belong to it: the other side of a race.
    pub fn related(&self) -> Vec<Site> {
        self.what.related()
    }

    /// The values that it names are elements of this type: `f32`.
    pub fn show_as(&mut self, kind: &str) {
        if let What::OrderDecides { spot, values, .. }
        | What::ActiveMask { apart: Some(Apart::Result(spot, values)), .. } = &mut self.what
            && let Some((elements, before)) = values.as_elements(kind)
        {
            *values = elements;
            spot.byte += i64::from(before);
        }
    }

    /// The same, with another place that belongs to it.
    pub fn at(self, site: Site) -> Diagnostic {
        let mut words = Words::from(self.what.clone());
        words.related.push(site);
        self.told(words)
    }

    /// The same in other words.
    pub fn told(self, words: Words) -> Diagnostic {
        Diagnostic { what: What::Told(words, Box::new(self.what)), ..self }
    }

    /// Where in memory it is about.
    pub fn spot_mut(&mut self) -> Option<&mut Spot> {
        self.what.spot_mut()
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl std::fmt::Display for Shape {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl std::fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.kind, self.message())?;
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

//! What is wrong, as data: accesses, places in memory, and why nothing orders them. `words.rs` says it.

use serde::{Deserialize, Serialize};

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

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads.
    Load,
    /// Writes.
    Store,
    /// An atomic read-modify-write.
    Atomic {
        /// Whether its result is used.
        returns: bool,
    },
}

impl Access {
    /// Whether it is an atomic one.
    pub fn is_atomic(self) -> bool {
        matches!(self, Access::Atomic { .. })
    }

    /// Whether it writes, or may.
    pub fn writes(self) -> bool {
        self != Access::Load
    }
}

/// A thread that touches memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Side {
    /// What it does.
    pub does: Access,
    /// Its index in its block, in x, y, z.
    pub thread: [u32; 3],
    /// That of the block in its grid.
    pub block: [u32; 3],
    /// Number of the grid in this launch; those that the host launched come first.
    pub grid: u32,
    /// The GPU.
    pub gpu: u32,
    /// Source file and line.
    pub at: Option<(String, u32)>,
}

/// The memory in which a [`Spot`] lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Region {
    /// What this argument of the launch points to.
    Argument(usize),
    /// A variable in global or constant memory.
    Variable(String),
    /// An allocation that is no argument of the launch.
    Buffer,
    /// A shared variable or, without a name, all dynamic shared memory.
    Shared {
        /// Its first byte.
        start: u64,
        /// The block whose memory it is, where blocks of a cluster see each other's.
        block: Option<[u32; 3]>,
    },
}

/// A byte of memory, which may lie outside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// Of what.
    pub region: Region,
    /// Which: from 0, negative in front of it.
    pub byte: i64,
    /// Bytes that there are, if that is known.
    pub size: Option<u64>,
    /// What the source calls it, if that is known.
    pub name: Option<String>,
    /// Bytes of an element, where elements are to be named instead of bytes.
    pub element: Option<u32>,
    /// The extents of an array of several dimensions, without the first: of `float tile[16][17]` 17.
    pub inner: Vec<u64>,
}

impl Spot {
    /// A byte of what has no name yet.
    pub fn new(region: Region, byte: i64, size: Option<u64>) -> Spot {
        Spot { region, byte, size, name: None, element: None, inner: Vec::new() }
    }
}

/// Why nothing orders two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Disorder {
    /// There is nothing that could.
    Nothing,
    /// Nothing does, and one of them is atomic, but the other one, which is plain, is not.
    Beside,
    /// Nothing does, but both write the same value.
    SameValue,
    /// The first read of a loop that swaps: the compare-and-swap checks again.
    FirstGuess,
    /// The later thread has seen a flag, and has no fence behind it.
    NoFence,
    /// Another thread has seen it and handed that on at a barrier, and has no fence behind it.
    FenceElsewhere,
    /// It has a fence, at a scope that leaves out the other thread: the block, or the cluster.
    NarrowFence {
        /// Whether the grid has clusters.
        clusters: bool,
    },
    /// One is a load of what no thread of the grid may write (PTX ISA, `ld.global.nc`).
    ReadOnly,
    /// Both are strong, and something depends on which of them comes first.
    Turns {
        /// They are volatile; else relaxed.
        volatile: bool,
        /// What.
        depends: Depends,
    },
    /// The other side is an asynchronous copy that has not been waited for; there may be a wait after it that
    /// leaves it out.
    Copy(Option<ShortWait>),
    /// The other side is an asynchronous copy, whose start nothing orders with this access.
    CopyAtAnyTime,
    /// The other side is a child grid, which may not have run yet.
    Child,
    /// The two grids were launched into two streams, and neither launched the other.
    Streams,
    /// A lock is there, which does not exclude the two from each other.
    Lock {
        /// The line in which it is taken.
        line: u32,
        /// Why it does not.
        why: Loophole,
    },
    /// The thread has waited at an mbarrier, in a phase in which the other one has not arrived.
    NotArrived {
        /// Which phase, from 0.
        phase: u32,
        /// How many arrivals have completed it.
        arrivals: u32,
        /// The first thread that has arrived, in x, y, z.
        first: [u32; 3],
        /// Whether the other thread arrives later.
        comes_later: bool,
    },
}

/// How a thread gets around a lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loophole {
    /// The later thread has found the lock taken, and goes on all the same.
    NotWaited,
    /// Both have taken one in the same line: each block has its own, in shared memory.
    InShared,
    /// Both have taken one in the same line, and these are two words.
    Two,
    /// One of the two has taken it by a compare-and-swap that leaves it as it was.
    Unmarked,
    /// The later thread has released it, in this line.
    Released(Option<u32>),
    /// The earlier thread did not hold it, and the later one does.
    Outside,
    /// The later thread takes none, and the earlier one holds it.
    Ignored,
    /// One of the two releases it by a plain store.
    StoredFree,
    /// One of the two sets it by a plain store, which it does not hold.
    Set,
}

/// A wait for asynchronous copies that leaves one out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortWait {
    /// Its line.
    pub line: u32,
    /// How many of the newest groups it does not wait for.
    pub groups: u32,
    /// Whether the copy was committed before it.
    pub committed: bool,
}

/// Accesses that nothing orders, where the result of a launch depends on the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unordered {
    /// None but atomic operations, which are made for that.
    No,
    /// The two operations themselves, of which one is no atomic.
    These,
    /// Two accesses that a lock or a flag would order, with a fence; the later one comes first.
    Unfenced([Side; 2]),
}

/// What depends on which of two strong accesses comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depends {
    /// A value that becomes part of a result.
    Result,
    /// Whether something is stored.
    Storing,
    /// Which of two values stays.
    Kept,
}

/// To what a value matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matters {
    /// It decides a branch.
    Branch,
    /// It is part of an address.
    Address,
    /// It is stored to global memory.
    Stored,
    /// It is the operand of an atomic operation.
    Operand,
    /// It is an argument of a function that the program calls.
    Argument,
}

/// What the bits of an element are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Number {
    /// A whole number with a sign.
    Signed,
    /// A whole number without.
    Unsigned,
    /// A floating-point number of IEEE 754 with so many bits.
    Float,
    /// A `bfloat16`.
    Bfloat,
}

/// What an element holds after two orders of a launch, which is not the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Values {
    /// The bits after the plain order, and after the other one.
    pub bits: [u64; 2],
    /// Bytes of each, at most 8.
    pub bytes: u32,
    /// What they are.
    pub number: Number,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Words", from = "Words")]
pub enum What {
    /// In words alone.
    Said(Words),
    /// Something that is told in these words.
    Told(Words, Box<What>),
    /// Two accesses to a byte; the thread to blame comes first.
    Race {
        /// Who.
        sides: [Side; 2],
        /// Where.
        spot: Spot,
        /// Why nothing orders them.
        order: Disorder,
        /// NVIDIA's header, if both stand in one.
        header: Option<String>,
    },
    /// Two orders of the launch leave different values.
    OrderDecides {
        /// The two operations that change places, if it is known which; the one that is first in the plain
        /// order comes last.
        sides: Option<[Side; 2]>,
        /// Where.
        spot: Spot,
        /// What is there after the plain order, and after the other one.
        values: Values,
        /// Whether both are additions of floating-point numbers.
        is_sum: bool,
        /// Whether the same elements are there either way, in another order.
        is_rearranged: bool,
        /// What is unordered besides.
        unordered: Unordered,
    },
    /// An access to the shared memory of a block that may have ended.
    Outlived(Side, Spot),
    /// An access of so many bytes that are not all there.
    Outside {
        /// What was tried.
        does: Access,
        /// Its width.
        bytes: u32,
        /// Where.
        spot: Spot,
    },
    /// A value matters that nobody has written.
    Unwritten {
        /// To what.
        matters: Matters,
        /// Where it was read.
        read: Option<(String, u32)>,
        /// Which byte, if this thread has read it there itself.
        spot: Option<Spot>,
        /// The thread that should have written it, and where, if its neighbours show that.
        writer: Option<Side>,
    },
    /// An atomic operation on what nobody has written.
    UnwrittenAtomic(Spot),
    /// A thread takes a lock by a compare-and-swap that leaves the word as it was.
    LooksFree {
        /// Who.
        by: Side,
        /// Where the lock lies.
        spot: Spot,
        /// What says that it is free.
        free: u64,
        /// Where that thread gives it back.
        given_back: Option<(String, u32)>,
    },
    /// A value in shared memory that no thread has read when the block ends.
    NeverRead {
        /// Who has stored it.
        by: Side,
        /// Where.
        spot: Spot,
    },
    /// A thread comes to a barrier that another one goes past.
    Divergence {
        /// Block and thread that come to it.
        at: [[u32; 3]; 2],
        /// Block and thread that do not.
        past: [[u32; 3]; 2],
        /// Whether it is a barrier of a cluster.
        cluster: bool,
        /// Where they went different ways.
        branch: Option<(String, u32)>,
    },
    /// A barrier opened without threads that had left.
    LeftBefore {
        /// How many.
        exited: u32,
        /// Of how many.
        threads: u32,
        /// Whether it is a barrier of a cluster.
        cluster: bool,
    },
    /// A launch that was stopped early, since it would execute many times its limit.
    TooLong {
        /// Warp instructions that it would execute, about.
        expected: u64,
    },
    /// Device launches that never ran.
    Dropped {
        /// How many.
        count: u64,
        /// Launches that may be pending.
        limit: u64,
    },
    /// The mask of a warp-level instruction is made of the lanes that happen to be together.
    ActiveMask {
        /// Where that instruction is.
        names: Option<(String, u32)>,
        /// What comes of it where lanes that have diverged stay apart, if that was seen.
        apart: Option<Apart>,
    },
    /// A loop goes on for ever.
    Endless(Endless),
    /// A launch that the device cannot do, in words.
    Refused(Limit, String),
}

/// Why a loop goes on for ever.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Endless {
    /// What its condition compares, each time the same; if there is none, no way leads out of the loop.
    pub compared: Option<[i64; 2]>,
    /// The condition as the source has it, if that is known.
    pub condition: Option<String>,
    /// The variable in it that keeps its value, if it is known which: with the value, where that is known.
    pub stays: Option<(String, Option<i64>)>,
}

/// What comes of lanes that stay apart after they have diverged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Apart {
    /// Another result: where, and what is there if they meet again, and if they don't.
    Result(Spot, Values),
    /// Another finding, in words.
    Finds(String),
}

/// What of a launch is too large.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Its grid, blocks or clusters, or something else.
    Shape,
    /// The shared memory of a block.
    SharedMemory,
    /// Blocks for which the kernel is not compiled.
    CompiledFor,
    /// Calls of device functions that are open at the same time.
    Calls,
}

/// What is wrong, as it is shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// In one sentence.
    pub message: String,
    /// Other places that belong to it: the other side of a race.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Site>,
}

impl What {
    /// What it is, whatever the words.
    pub fn plain(&self) -> &What {
        match self {
            What::Told(_, what) => what.plain(),
            what => what,
        }
    }

    pub(crate) fn spot_mut(&mut self) -> Option<&mut Spot> {
        match self {
            What::Told(_, what) => what.spot_mut(),
            What::Race { spot, .. }
            | What::OrderDecides { spot, .. }
            | What::ActiveMask { apart: Some(Apart::Result(spot, _)), .. }
            | What::Outlived(_, spot)
            | What::UnwrittenAtomic(spot)
            | What::LooksFree { spot, .. }
            | What::NeverRead { spot, .. }
            | What::Unwritten { spot: Some(spot), .. }
            | What::Outside { spot, .. } => Some(spot),
            _ => None,
        }
    }
}

impl<S: Into<String>> From<S> for What {
    fn from(message: S) -> What {
        What::Said(Words { message: message.into(), related: Vec::new() })
    }
}

impl From<Words> for What {
    fn from(words: Words) -> What {
        What::Said(words)
    }
}

impl From<What> for Words {
    fn from(what: What) -> Words {
        Words { message: what.message(), related: what.related() }
    }
}

/// What to do about the shared memory of a block that has ended, or may have.
pub(crate) const KEEP_ALIVE: &str = "let all blocks of the cluster wait for each other (cluster.sync()) \
                                     after the last access to another one's shared memory";

/// `1 byte`, `4 bytes`
pub(crate) fn bytes(number: u64) -> String {
    if number == 1 { "1 byte".to_string() } else { format!("{number} bytes") }
}

/// `67,108,864`
pub(crate) fn thousands(number: u64) -> String {
    match number {
        ..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

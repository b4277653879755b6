//! The words by which PTX says where memory lies and how it is accessed.

/// State spaces (PTX ISA 5.1). `Generic` is an address without one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Space {
    /// Any of the others, told apart by its address.
    Generic,
    /// Device memory.
    Global,
    /// Memory of a block.
    Shared,
    /// Memory of a thread.
    Local,
    /// Constants of the module.
    Const,
    /// Parameters of a kernel or of a call.
    Param,
}

impl Space {
    /// Of a word that may say more behind `::`, as `shared::cta` does.
    pub(crate) fn parse(word: &str) -> Option<Space> {
        Some(match word.split("::").next().unwrap_or(word) {
            "global" => Space::Global,
            "shared" => Space::Shared,
            "local" => Space::Local,
            "const" => Space::Const,
            "param" => Space::Param,
            _ => return None,
        })
    }
}

/// Memory order and scope of an access (PTX ISA 8).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// A weak load of what no thread of the grid writes (`.nc`).
    ReadOnly,
    /// Orders nothing; what plain loads and stores are.
    Weak,
    /// `.volatile`: relaxed, for the whole system.
    Volatile,
    /// Strong, but orders nothing else.
    Relaxed,
    /// What comes after it stays after it.
    Acquire,
    /// What comes before it stays before it.
    Release,
    /// Both.
    AcquireRelease,
}

/// Who takes part in the order that an access makes (PTX ISA 8.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// The threads of the block.
    Cta,
    /// Those of the cluster.
    Cluster,
    /// Those of the device.
    Gpu,
    /// Those of the host too.
    System,
}

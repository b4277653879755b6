//! What a GPU may be missing, and how it fails, in words.

use std::fmt;

/// What a launch on a GPU asks for beyond its shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Nothing.
    Plain,
    /// All blocks under way at the same time.
    Cooperative,
    /// To start before what is in front of it in the stream has ended.
    Dependent,
}

/// Why there is no usable GPU, and what was looked for.
#[derive(Debug)]
pub struct NoGpu {
    /// In one line.
    pub reason: String,
    /// What was looked for, and what was found, one thing a line.
    pub looked_for: Vec<String>,
}

impl fmt::Display for NoGpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no usable GPU: {}\nlooked for:", self.reason)?;
        self.looked_for.iter().try_for_each(|line| write!(f, "\n  {line}"))?;
        write!(f, "\nwithout a GPU the same kernels run on the simulator: --device sim")
    }
}

impl std::error::Error for NoGpu {}

/// A kernel that went wrong on the device, found at the next synchronisation. The context is lost with it.
#[derive(Debug)]
pub struct Fault(pub(super) String);

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the kernel failed on the GPU: {}\n--device sim runs the same kernel and names the source line",
            self.0
        )
    }
}

impl std::error::Error for Fault {}

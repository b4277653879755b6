//! What natives share: the world outside, findings, access to the program's memory.

use device::Simulator as Device;
use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::observe::Access;
use ptx_simulator::{Diagnostic, Kind, Module, Severity, Site, Words, Wrong};

use crate::kept::Kept;
use crate::outside::{Outside, Standard};

/// A function of the C library or of the CUDA runtime.
pub type Native = fn(&mut Runtime, &mut Call) -> Result<Given, Stop>;
/// Functions by their names.
pub type Natives_ = [(&'static str, Native)];

/// What a program runs on.
pub struct Runtime<'r> {
    pub outside: &'r mut dyn Outside,
    pub device: &'r Device,
    pub module: &'r Module,
    /// What the libraries keep.
    pub kept: Kept,
    /// What was found.
    pub found: Vec<Timed>,
    /// When it is, in steps of the host; while an operation of a stream is done, when that was issued.
    pub now: u64,
    /// Whether the program asked what time it is, or how long something took.
    pub asked_for_times: bool,
    /// Most steps of the host, and of the warps of all launches together.
    pub step_limit: Option<u64>,
    pub warp_limit: Option<u64>,
    /// Whether what is printed is lost, since the program has ended; and whether something was.
    pub outside_is_silent: bool,
    pub lost_output: bool,
}

/// Something that was found, and when.
#[derive(Clone, Debug)]
pub struct Timed {
    pub at: u64,
    pub found: Diagnostic,
}

impl Runtime<'_> {
    /// Something is wrong with what the program does here.
    pub fn find(&mut self, call: &Call, kind: Kind, severity: Severity, what: impl Into<String>, help: &str) {
        self.add(Diagnostic { severity, ..*call.host.fault(kind, what.into(), help) });
    }

    /// Something was found: once for its kind and line.
    pub fn add(&mut self, found: Diagnostic) {
        self.add_timed(Timed { at: self.now, found });
    }

    /// The same of what was found at its own time.
    pub fn add_timed(&mut self, new: Timed) {
        let about = |Timed { found, .. }: &Timed| (found.kind, found.line, found.file.clone());
        if !self.found.iter().any(|known| about(known) == about(&new)) {
            self.found.push(new);
        }
    }

    /// Something was found now, which is kept without a look at what is known.
    pub fn found_now(&mut self, found: Diagnostic) {
        self.found.push(Timed { at: self.now, found });
    }

    /// Something is wrong at a place, to which other ones belong.
    pub fn find_at(
        &mut self,
        kind: Kind,
        message: String,
        place: Option<(String, u32)>,
        related: Vec<Site>,
        help: &str,
    ) {
        let what = Words { message, related };
        let mut found = Diagnostic::of_host(kind, None, what, help);
        (found.file, found.line) = place.unzip();
        self.add(found);
    }

    /// Writes what the program or a kernel prints.
    pub fn print(&mut self, to: Standard, bytes: &[u8]) {
        if self.outside_is_silent {
            self.lost_output |= !bytes.is_empty();
        } else {
            self.outside.write(to, bytes);
        }
    }
}

/// Bytes that the program points to.
///
/// # Errors
/// The host does not reach all of them.
pub fn bytes(call: &Call, address: u64, count: usize) -> Result<Vec<u8>, Stop> {
    let bytes = call.simulator.host_bytes(address, count).map(<[u8]>::to_vec);
    bytes.map_err(|wrong| call.wrong(Access::Load, address, count, wrong).into())
}

/// The text that the program points to, without the zero behind it.
///
/// # Errors
/// It leads outside of what the host reaches.
pub fn text(call: &Call, address: u64) -> Result<Vec<u8>, Stop> {
    let text = call.simulator.host_text(address).map(<[u8]>::to_vec);
    text.map_err(|wrong| no_text(call, address, wrong))
}

/// What is said of a text that leads outside of what the host reaches.
pub fn no_text(call: &Call, address: u64, wrong: Wrong) -> Stop {
    if matches!(wrong, Wrong::Outside { .. }) && !call.simulator.is_written(address, 1) {
        let what = "the text that is read here was never written";
        let help = "write it before this line, with a zero at its end";
        return call.host.fault(Kind::UninitializedRead, what, help).into();
    }
    call.wrong(Access::Load, address, 1, wrong).into()
}

/// Writes to where the program points.
///
/// # Errors
/// The host does not reach all of it.
pub fn put(call: &mut Call, address: u64, bytes: &[u8]) -> Result<(), Stop> {
    let written = call.simulator.host_write(address, bytes);
    written.map_err(|wrong| call.wrong(Access::Store, address, bytes.len(), wrong).into())
}

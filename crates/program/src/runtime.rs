//! What natives share: the world outside, findings, access to the program's memory.

use std::sync::LazyLock;

use device::Simulator as Device;
use ptx_simulator::host::{Call, Given, Host, Math, Natives, Stop};
use ptx_simulator::observe::Access;
use ptx_simulator::{Diagnostic, Kind, Module, Severity, Site, Words, Wrong};
use rustc_hash::FxHashMap;

use crate::cuda::{self, Cuda};
use crate::libc::{self, Libc};
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
    pub libc: Libc,
    pub cuda: Cuda,
    /// What was found about the host.
    pub found: Vec<Diagnostic>,
    /// Most steps of the host, and of the warps of all launches together.
    pub step_limit: Option<u64>,
    pub warp_limit: Option<u64>,
    /// Whether what is printed is lost, since the program has ended; and whether something was.
    pub outside_is_silent: bool,
    pub lost_output: bool,
}

static ALL: LazyLock<(Vec<Native>, FxHashMap<&'static str, u32>)> = LazyLock::new(|| {
    let groups = libc::NATIVES.iter().chain(cuda::NATIVES);
    let all: Vec<(&str, Native)> = groups.flat_map(|group| group.iter().copied()).collect();
    let by_name = (0..).zip(&all).map(|(number, (name, _))| (*name, number)).collect();
    (all.into_iter().map(|(_, native)| native).collect(), by_name)
});

/// The names of all functions that a program can call without defining them.
pub fn native_names() -> impl Iterator<Item = String> {
    ALL.1.keys().map(|name| name.to_string()).chain(Math::names())
}

/// The functions of `<math.h>` have numbers behind those of the others.
const FIRST_OF_MATH: u32 = 1 << 16;

impl Natives for Runtime<'_> {
    fn find(&self, name: &str) -> Option<u32> {
        let math = || Some(FIRST_OF_MATH + u32::from(Math::parse(name)?.number()));
        ALL.1.get(name).copied().or_else(math)
    }

    fn call(&mut self, native: u32, call: &mut Call) -> Result<Given, Stop> {
        if let Some(found) = call.unwritten_argument() {
            self.add(found);
        }
        match native.checked_sub(FIRST_OF_MATH) {
            Some(number) => libc::compute(call, Math::numbered(number as u16)),
            None => ALL.0[native as usize](self, call),
        }
    }

    fn tick(&mut self, host: &Host, steps: u64) -> Result<(), Stop> {
        let Some(limit) = self.step_limit.filter(|limit| steps > *limit) else { return Ok(()) };
        let line =
            host.busiest().map_or(String::new(), |(file, line)| format!(", most of them at {file}:{line}"));
        let what =
            format!("the host has executed {} million instructions, its limit{line}", limit / 1_000_000);
        let help = "make the constant smaller that decides how much is done there";
        Err(host.fault(Kind::StepLimit, what, help).into())
    }
}

impl Runtime<'_> {
    /// Something is wrong with what the program does here.
    pub fn find(&mut self, call: &Call, kind: Kind, severity: Severity, what: impl Into<String>, help: &str) {
        self.add(Diagnostic { severity, ..*call.host.fault(kind, what.into(), help) });
    }

    /// Something was found: once for its kind and line.
    fn add(&mut self, found: Diagnostic) {
        let is_known = |known: &Diagnostic| {
            (known.kind, known.line, &known.file) == (found.kind, found.line, &found.file)
        };
        if !self.found.iter().any(is_known) {
            self.found.push(found);
        }
    }

    /// Something is wrong at a place, to which another one belongs.
    pub fn find_at(
        &mut self,
        kind: Kind,
        message: String,
        place: Option<(String, u32)>,
        other: Option<(String, u32)>,
        help: &str,
    ) {
        let related = other.map(|(file, line)| Site { file, line, message: "the other one".to_string() });
        let what = Words { message, related: related.into_iter().collect() };
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

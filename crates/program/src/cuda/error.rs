//! Errors of the runtime: their names, which of them stay, and whether the program asked.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Diagnostic, Kind, Owner, Severity};

use super::launches::Launches;
use crate::runtime::{Natives_, Runtime, Timed};

/// An error of the runtime (`cudaError_t`, `driver_types.h`), its number, name and text.
macro_rules! errors {
    ($($(#[$doc:meta])* $variant:ident = $number:literal, $name:literal, $text:literal;)*) => {
        /// An error of the runtime.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(dead_code)] // what the program gets is the number
        pub enum Error {
            $($(#[$doc])* $variant = $number,)*
        }

        /// All numbers, names and texts.
        const ALL: &[(u32, &str, &str)] = &[$(($number, $name, $text),)*];
    };
}

errors! {
    Success = 0, "cudaSuccess", "no error";
    InvalidValue = 1, "cudaErrorInvalidValue", "invalid argument";
    MemoryAllocation = 2, "cudaErrorMemoryAllocation", "out of memory";
    Initialization = 3, "cudaErrorInitializationError", "initialization error";
    InvalidConfiguration = 9, "cudaErrorInvalidConfiguration", "invalid configuration argument";
    InvalidPitchValue = 12, "cudaErrorInvalidPitchValue", "invalid pitch argument";
    InvalidSymbol = 13, "cudaErrorInvalidSymbol", "invalid device symbol";
    InvalidMemcpyDirection = 21, "cudaErrorInvalidMemcpyDirection", "invalid copy direction for memcpy";
    LaunchPendingCountExceeded = 69, "cudaErrorLaunchPendingCountExceeded",
        "launch would exceed cudaLimitDevRuntimePendingLaunchCount";
    InvalidDeviceFunction = 98, "cudaErrorInvalidDeviceFunction", "invalid device function";
    NoDevice = 100, "cudaErrorNoDevice", "no CUDA-capable device is detected";
    InvalidDevice = 101, "cudaErrorInvalidDevice", "invalid device ordinal";
    InvalidResourceHandle = 400, "cudaErrorInvalidResourceHandle", "invalid resource handle";
    NotReady = 600, "cudaErrorNotReady", "device not ready";
    IllegalAddress = 700, "cudaErrorIllegalAddress", "an illegal memory access was encountered";
    LaunchOutOfResources = 701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch";
    LaunchTimeout = 702, "cudaErrorLaunchTimeout", "the launch timed out and was terminated";
    PeerAccessAlreadyEnabled = 704, "cudaErrorPeerAccessAlreadyEnabled", "peer access is already enabled";
    PeerAccessNotEnabled = 705, "cudaErrorPeerAccessNotEnabled", "peer access has not been enabled";
    Assert = 710, "cudaErrorAssert", "device-side assert triggered";
    HostMemoryAlreadyRegistered = 712, "cudaErrorHostMemoryAlreadyRegistered",
        "part or all of the requested memory range is already mapped";
    HostMemoryNotRegistered = 713, "cudaErrorHostMemoryNotRegistered",
        "pointer does not correspond to a registered memory region";
    IllegalInstruction = 715, "cudaErrorIllegalInstruction", "an illegal instruction was encountered";
    MisalignedAddress = 716, "cudaErrorMisalignedAddress", "misaligned address";
    LaunchFailure = 719, "cudaErrorLaunchFailure", "unspecified launch failure";
    CooperativeLaunchTooLarge = 720, "cudaErrorCooperativeLaunchTooLarge",
        "too many blocks in cooperative launch";
    NotSupported = 801, "cudaErrorNotSupported", "operation not supported";
    StreamCaptureInvalidated = 901, "cudaErrorStreamCaptureInvalidated",
        "operation failed due to a previous error during capture";
    Unknown = 999, "cudaErrorUnknown", "unknown error";
}

impl Error {
    /// Its name, with its number: `cudaErrorInvalidValue (1)`.
    pub fn said(self) -> String {
        let number = self as u32;
        format!("{} ({number})", row(number).map_or("an error", |row| row.1))
    }
}

fn row(number: u32) -> Option<&'static (u32, &'static str, &'static str)> {
    ALL.iter().find(|row| row.0 == number)
}

/// A launch that failed, and that the program has not asked about so far.
#[derive(Clone, Debug)]
pub struct Unasked {
    found: Timed,
    error: Error,
    /// Whether another launch came after it, which the program would blame.
    is_overtaken: bool,
}

impl Unasked {
    /// What was `found` wrong with a launch that gives `error`.
    pub fn new(found: Timed, error: Error) -> Unasked {
        Unasked { found, error, is_overtaken: false }
    }

    /// What is said if the program does not ask in time.
    pub fn said(self) -> Timed {
        let Unasked { found: Timed { at, found }, error, .. } = self;
        let help = format!(
            "ask after each launch: cudaGetLastError() gives {} here; and {}",
            error.said(),
            found.help
        );
        Timed { at, found: Diagnostic { help, ..found } }
    }

    /// The same where the program asks: it knows that something is wrong, if not what.
    fn asked(self) -> Timed {
        if self.is_overtaken {
            return self.said();
        }
        let Timed { at, found } = self.found;
        Timed { at, found: Diagnostic { severity: Severity::Note, ..found } }
    }
}

/// The errors of a program.
#[derive(Debug, Default)]
pub struct Errors {
    /// What `cudaGetLastError` gives.
    last: Option<Error>,
    /// An error of a kernel: the context is broken, and every call gives it.
    pub sticky: Option<Error>,
    pub unasked: Vec<Unasked>,
}

impl Errors {
    /// A call ends with an error, or without.
    pub fn give(&mut self, error: Error) -> Given {
        if error != Error::Success && error != Error::NotReady {
            self.last = Some(error);
        }
        Given::Word(error as u32)
    }

    /// A launch has failed, which only `cudaGetLastError` tells.
    pub fn keep(&mut self, error: Error) {
        self.last = Some(error);
    }

    /// A launch has not failed.
    pub fn launched(&mut self) {
        self.unasked.iter_mut().for_each(|failed| failed.is_overtaken = true);
    }
}

/// The program asks for the last error.
fn ask(runtime: &mut Runtime, forgets: bool) -> Given {
    let errors = runtime.kept.get::<Errors>();
    let error = errors.sticky.or(errors.last).unwrap_or(Error::Success);
    if forgets {
        errors.last = None;
    }
    let unasked = std::mem::take(&mut errors.unasked);
    unasked.into_iter().for_each(|failed| runtime.add_timed(failed.asked()));
    Given::Word(error as u32)
}

pub const NATIVES: &Natives_ = &[
    ("cudaGetLastError", |runtime, _| Ok(ask(runtime, true))),
    ("cudaPeekAtLastError", |runtime, _| Ok(ask(runtime, false))),
    ("cudaGetErrorName", |runtime, call| text(runtime, call, |row| row.1)),
    ("cudaGetErrorString", |runtime, call| text(runtime, call, |row| row.2)),
];

/// The address of a text about an error.
fn text(
    _: &mut Runtime,
    call: &mut Call,
    of: fn(&(u32, &'static str, &'static str)) -> &'static str,
) -> Result<Given, Stop> {
    let text = row(call.word(0)).map_or("unrecognized error code", of);
    let bytes = [text.as_bytes(), &[0]].concat();
    let address =
        call.simulator.alloc_for(Owner::Static, bytes.len() as u64, "the error's text").unwrap_or(0);
    crate::runtime::put(call, address, &bytes)?;
    Ok(Given::Long(address))
}

impl Runtime<'_> {
    /// What a call gives that is fine: nothing, or the error that has broken the context.
    pub fn fine(&mut self) -> Given {
        let error = self.kept.get::<Errors>().sticky.unwrap_or(Error::Success);
        Given::Word(error as u32)
    }

    /// A call of the runtime is wrong: it is said, and the call gives `error`.
    pub fn refuse(&mut self, call: &Call, error: Error, what: String, help: &str) -> Given {
        self.find(call, Kind::HostAccess, Severity::Error, what, help);
        // It may have been the copy that brings the results back.
        self.kept.get::<Launches>().is_heard = true;
        self.kept.get::<Errors>().give(error)
    }
}

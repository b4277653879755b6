//! Errors of the runtime: their names, which of them stay, and whether the program asked.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Kind, Owner, Severity};

use crate::runtime::{Natives_, Runtime};

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

/// A launch that failed, and that nobody has asked about so far.
#[derive(Clone, Debug)]
pub struct Unasked {
    pub found: ptx_simulator::Diagnostic,
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

    /// The program asks for the last error.
    fn ask(&mut self, forgets: bool) -> Given {
        let error = self.sticky.or(self.last).unwrap_or(Error::Success);
        self.unasked.clear();
        if forgets {
            self.last = None;
        }
        Given::Word(error as u32)
    }
}

pub const NATIVES: &Natives_ = &[
    ("cudaGetLastError", |runtime, _| Ok(runtime.cuda.errors.ask(true))),
    ("cudaPeekAtLastError", |runtime, _| Ok(runtime.cuda.errors.ask(false))),
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
        let error = self.cuda.errors.sticky.unwrap_or(Error::Success);
        Given::Word(error as u32)
    }

    /// A call of the runtime is wrong: it is said, and the call gives `error`.
    pub fn refuse(&mut self, call: &Call, error: Error, what: String, help: &str) -> Given {
        self.find(call, Kind::HostAccess, Severity::Error, what, help);
        self.cuda.errors.give(error)
    }
}

//! NCCL: the all-reduce of several GPUs, from the library that the system has.
//!
//! It is loaded when it is asked for, and by its own name, `libnccl.so.2`: cudarc's bindings look for the
//! names of CUDA's libraries, which end in CUDA's version, and panic where they find none. The functions and
//! constants are those of NCCL 2 (NCCL User Guide, "NCCL API").

use std::ffi::{CStr, c_char, c_int, c_void};

use anyhow::{Context, Result, bail, ensure};

use super::cuda::{Gpu, Memory};
use super::libloading::Library;

#[cfg(windows)]
const LIBRARY: &str = "nccl.dll";
#[cfg(not(windows))]
const LIBRARY: &str = "libnccl.so.2";

/// The oldest version that serves: the first that is built for compute capability 9.0.
const OLDEST: c_int = 21500;

type Communicator = *mut c_void;

/// `ncclInProgress`: what is asked of a communicator that does not block goes on.
const IN_PROGRESS: c_int = 7;

/// What elements are (`ncclDataType_t`), and what is done with them (`ncclRedOp_t`).
pub type Numbers = (c_int, c_int);

/// What all ranks need to find each other (`ncclUniqueId`).
pub type UniqueId = [u8; 128];

/// `ncclUniqueId`, which functions take by value.
#[repr(C)]
struct Id(UniqueId);

/// `ncclConfig_t` as of NCCL 2.14, whose `size` and `version` tell the library that there is no more of it.
#[repr(C)]
struct Config {
    size: usize,
    magic: u32,
    version: u32,
    blocking: c_int,
}

/// One communicator per GPU of this process: for all of its GPUs, or for one that is a rank among processes.
pub struct Nccl {
    library: Library,
    communicators: Vec<Communicator>,
    /// Whether other processes take part. They may end before this one, so it never blocks, and does not say
    /// goodbye.
    among_processes: bool,
}

/// Functions of the library, with the types of their declarations. One that it lacks is an error.
macro_rules! functions {
    ($($name:ident($($argument:ident: $type:ty),*) -> $returned:ty;)*) => {
        #[allow(non_snake_case, clippy::too_many_arguments)]
        impl Nccl {$(
            unsafe fn $name(&self, $($argument: $type),*) -> Result<$returned> {
                let name = stringify!($name);
                // SAFETY: the type is that of the declaration; the rest is the caller's.
                unsafe {
                    let function = self.library.get::<unsafe extern "C" fn($($type),*) -> $returned>(name);
                    let function = function.with_context(|| format!("{LIBRARY} has no {name}"))?;
                    Ok(function($($argument),*))
                }
            }
        )*}
    };
}
functions! {
    ncclGetVersion(version: *mut c_int) -> c_int;
    ncclGetUniqueId(id: *mut Id) -> c_int;
    ncclCommInitAll(all: *mut Communicator, count: c_int, ordinals: *const c_int) -> c_int;
    ncclCommInitRankConfig(
        one: *mut Communicator, ranks: c_int, id: Id, rank: c_int, config: *mut Config
    ) -> c_int;
    ncclCommGetAsyncError(communicator: Communicator, state: *mut c_int) -> c_int;
    ncclCommDestroy(communicator: Communicator) -> c_int;
    ncclCommAbort(communicator: Communicator) -> c_int;
    ncclGroupStart() -> c_int;
    ncclGroupEnd() -> c_int;
    ncclAllReduce(
        from: *const c_void, to: *mut c_void, count: usize, element: c_int, operation: c_int,
        communicator: Communicator, stream: *mut c_void
    ) -> c_int;
    ncclGetErrorString(status: c_int) -> *const c_char;
}

impl Nccl {
    /// The library, if the system has one that serves.
    pub fn load() -> Result<Nccl> {
        // SAFETY: NCCL's initialisers have no preconditions.
        let library = unsafe { Library::new(LIBRARY) }.with_context(|| {
            format!("NCCL was not found ({LIBRARY}); install it (Debian: libnccl2), or leave this kernel out")
        })?;
        let nccl = Nccl { library, communicators: Vec::new(), among_processes: false };
        let version = nccl.version()?;
        ensure!(
            version >= OLDEST,
            "NCCL {} is too old; {} or newer is needed",
            dotted(version),
            dotted(OLDEST)
        );
        Ok(nccl)
    }

    /// Connects `gpus`.
    pub fn open(gpus: &[&Gpu]) -> Result<Nccl> {
        let mut nccl = Nccl::load()?;
        let ordinals: Vec<c_int> = gpus.iter().map(|gpu| gpu.ordinal()).collect();
        let mut communicators = vec![std::ptr::null_mut(); gpus.len()];
        let all = communicators.as_mut_ptr();
        let count = ordinals.len() as c_int;
        // SAFETY: it reads as many ordinals and writes as many communicators as there are.
        let status = unsafe { nccl.ncclCommInitAll(all, count, ordinals.as_ptr())? };
        nccl.check("cannot connect the GPUs", status)?;
        nccl.communicators = communicators;
        Ok(nccl)
    }

    /// What rank 0 makes, and tells the others.
    pub fn unique_id(&self) -> Result<UniqueId> {
        let mut id = Id([0; 128]);
        // SAFETY: it writes one id.
        let status = unsafe { self.ncclGetUniqueId(&mut id)? };
        self.check("cannot make an id", status)?;
        Ok(id.0)
    }

    /// Begins to connect `gpu`, as `rank` of this many processes, with all others that have the same id. It
    /// goes on until [`Nccl::in_progress`] says no.
    pub fn join(&mut self, gpu: &Gpu, id: UniqueId, rank: usize, ranks: usize) -> Result<()> {
        gpu.bind()?;
        let mut communicator = std::ptr::null_mut();
        let mut config =
            Config { size: size_of::<Config>(), magic: 0xcafe_beef, version: 21400, blocking: 0 };
        let ranks = ranks as c_int;
        let id = Id(id);
        let rank = rank as c_int;
        // SAFETY: it reads the configuration, whose size stands in it, and writes one communicator, on the
        // GPU of this thread's context.
        let status = unsafe { self.ncclCommInitRankConfig(&mut communicator, ranks, id, rank, &mut config)? };
        self.among_processes = true;
        if !communicator.is_null() {
            self.communicators = vec![communicator];
        }
        self.check("cannot connect the GPUs", status)
    }

    /// Whether an operation is still in progress; if one has failed, its error is returned here.
    pub fn in_progress(&self) -> Result<bool> {
        let mut going_on = false;
        for communicator in &self.communicators {
            let mut state = 0;
            // SAFETY: the communicator is live, and one int is written.
            let status = unsafe { self.ncclCommGetAsyncError(*communicator, &mut state)? };
            self.check("cannot say how far it is", status)?;
            self.check("was interrupted", state)?;
            going_on |= state == IN_PROGRESS;
        }
        Ok(going_on)
    }

    /// `NCCL 2.28.9`; `NCCL 2.28.9, algorithm RING, protocol LL` where it logs how it made its last
    /// all-reduce.
    pub fn name(&self) -> Result<String> {
        let log = std::env::var_os("NCCL_DEBUG_FILE").and_then(|path| std::fs::read(path).ok());
        let how = log.and_then(|log| how(&String::from_utf8_lossy(&log))).unwrap_or_default();
        Ok(format!("NCCL {}{how}", dotted(self.version()?)))
    }

    fn version(&self) -> Result<c_int> {
        let mut version = 0;
        // SAFETY: it writes one int.
        let status = unsafe { self.ncclGetVersion(&mut version)? };
        self.check("cannot ask for the version", status)?;
        Ok(version)
    }

    /// Puts the all-reduce of `count` elements at the start of each of `memories`, in place, into the GPUs'
    /// streams.
    ///
    /// # Safety
    /// There are this many elements of this kind.
    pub unsafe fn all_reduce(
        &self,
        gpus: &[&Gpu],
        memories: &[&Memory],
        count: usize,
        (element, operation): Numbers,
    ) -> Result<()> {
        ensure!(gpus.len() == self.communicators.len() && gpus.len() == memories.len(), "one buffer per GPU");
        for (gpu, memory) in gpus.iter().zip(memories) {
            gpu.uses(memory)?;
        }
        // SAFETY: the communicators are live; each buffer has `count` elements, and is freed after the work
        // of the streams that it is noted for.
        unsafe {
            self.check("cannot begin an all-reduce", self.ncclGroupStart()?)?;
            for ((gpu, communicator), memory) in gpus.iter().zip(&self.communicators).zip(memories) {
                let at = memory.address() as *mut c_void;
                let stream = gpu.raw_stream();
                let status = self.ncclAllReduce(at, at, count, element, operation, *communicator, stream)?;
                self.check("cannot start an all-reduce", status)?;
            }
            self.check("cannot start an all-reduce", self.ncclGroupEnd()?)
        }
    }

    fn check(&self, doing: &str, status: c_int) -> Result<()> {
        if status == 0 || status == IN_PROGRESS {
            return Ok(());
        }
        // SAFETY: it returns a string that lives as long as the library.
        let said = unsafe { CStr::from_ptr(self.ncclGetErrorString(status)?) }.to_string_lossy();
        bail!("NCCL {doing}: {said} (NCCL_DEBUG=WARN says more)");
    }
}

impl Drop for Nccl {
    fn drop(&mut self) {
        for communicator in &self.communicators {
            // SAFETY: it is live, and used no more. An error here has nobody to be told to.
            let _ = unsafe {
                match self.among_processes {
                    // Destroying waits for the other ranks, which may be gone; by now all work is done, or
                    // nobody wants it.
                    true => self.ncclCommAbort(*communicator),
                    false => self.ncclCommDestroy(*communicator),
                }
            };
        }
    }
}

/// What NCCL logs of each all-reduce (`NCCL_DEBUG=INFO`, `NCCL_DEBUG_SUBSYS=TUNING`; NCCL User Guide,
/// "Environment Variables"), of the last: `AllReduce: 4 Bytes -> Algo RING proto LL channel{Lo..Hi}={0..0}`.
fn how(log: &str) -> Option<String> {
    let (_, last) = log.rsplit_once("AllReduce: ")?;
    let (algorithm, rest) = last.lines().next()?.split_once(" -> Algo ")?.1.split_once(" proto ")?;
    Some(format!(", algorithm {algorithm}, protocol {}", rest.split_whitespace().next()?))
}

/// 22809 -> `2.28.9`, as `ncclGetVersion` counts since 2.9.
fn dotted(version: c_int) -> String {
    format!("{}.{}.{}", version / 10000, version / 100 % 100, version % 100)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_says_how_the_last_all_reduce_was_made() {
        let of = |bytes: u64, how: &str| {
            format!("host:1:1 [0] NCCL INFO AllReduce: {bytes} Bytes -> {how} channel{{Lo..Hi}}={{0..0}}\n")
        };
        let log =
            of(4, "Algo RING proto LL") + &of(1 << 30, "Algo NVLS proto SIMPLE") + "host:1:1 [1] more\n";
        assert_eq!(how(&log).as_deref(), Some(", algorithm NVLS, protocol SIMPLE"));
        assert_eq!(how("host:1:1 [0] NCCL INFO AllReduce: opCount 0\n"), None);
        assert_eq!(how(""), None);
    }
}

//! Ends a program with all that it has started, when it is told to, or when this program is gone: a Ctrl-C
//! does not reach another process group, and nothing reaches one whose starter is killed.

use std::io::Result;
use std::path::Path;
use std::process::Child;

/// Bytes of address space that each process of a program may have. A compiler of kernels takes a quarter of
/// that for CUB; an `#include` without an end takes all there is.
pub const MAX_MEMORY: u64 = 4 << 30;

#[cfg(unix)]
pub use group::Watcher;
#[cfg(windows)]
pub use job::Watcher;
#[cfg(not(any(unix, windows)))]
pub use nothing::Watcher;

/// A shell at the other end of a pipe, which closes when this program ends.
#[cfg(unix)]
mod group {
    use super::*;
    use std::io::Write;
    use std::os::unix::process::CommandExt;
    use std::process::{Command, Stdio};

    /// `$0` is the process group, `$1` the folder that goes with this program. A process that is about to die
    /// may still make a file there, which keeps the folder from being removed: then it is removed once more.
    const SCRIPT: &str = "trap '' HUP INT QUIT TERM
read -r _; told=$?
kill -s KILL -- \"-$0\"
[ \"$told\" = 0 ] || [ -z \"$1\" ] || rm -rf -- \"$1\" || { sleep 1; rm -rf -- \"$1\"; }";

    /// Watches a process group.
    pub struct Watcher(Child);

    impl Watcher {
        /// Watches the group of `leader`, and `folder`, which is removed if this program ends first.
        ///
        /// # Errors
        /// There is no shell.
        pub fn new(leader: &Child, folder: Option<&Path>) -> Result<Watcher> {
            let mut shell = Command::new("sh");
            shell.args(["-c", SCRIPT, &leader.id().to_string()]);
            shell.arg(folder.unwrap_or(Path::new(""))).current_dir("/");
            shell.process_group(0).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
            shell.spawn().map(Watcher)
        }

        /// Ends the group, and waits for that.
        pub fn end(mut self) {
            if let Some(mut pipe) = self.0.stdin.take() {
                let _ = pipe.write_all(b"\n"); // a closed pipe tells it too
            }
            let _ = self.0.wait();
        }
    }
}

/// A job, whose processes Windows ends when the last handle to it is closed, as at the end of this program.
#[cfg(windows)]
mod job {
    use super::*;
    use std::io::Error;
    use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};

    use windows_sys::Win32::System::JobObjects::{
        AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
        JOB_OBJECT_LIMIT_PROCESS_MEMORY, JOBOBJECT_EXTENDED_LIMIT_INFORMATION,
        JobObjectExtendedLimitInformation, SetInformationJobObject,
    };

    /// Watches a job.
    pub struct Watcher(OwnedHandle);

    impl Watcher {
        /// Puts `leader`, and all that it will start, into a job of limited memory.
        ///
        /// # Errors
        /// Of the system.
        pub fn new(leader: &Child, _: Option<&Path>) -> Result<Watcher> {
            // SAFETY: both arguments may be null: no attributes, no name.
            let job = unsafe { CreateJobObjectW(std::ptr::null(), std::ptr::null()) };
            if job.is_null() {
                return Err(Error::last_os_error());
            }
            // SAFETY: a new handle, which nothing else owns.
            let job = unsafe { OwnedHandle::from_raw_handle(job) };
            let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
            limits.BasicLimitInformation.LimitFlags =
                JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_PROCESS_MEMORY;
            limits.ProcessMemoryLimit = usize::try_from(MAX_MEMORY).unwrap_or(usize::MAX);
            let size = size_of_val(&limits) as u32;
            // SAFETY: `limits` is what this kind of information is, and `size` its length; both handles are
            // open.
            let is_done = unsafe {
                let limits = std::ptr::from_ref(&limits).cast();
                SetInformationJobObject(job.as_raw_handle(), JobObjectExtendedLimitInformation, limits, size)
                    != 0
                    && AssignProcessToJobObject(job.as_raw_handle(), leader.as_raw_handle()) != 0
            };
            if is_done { Ok(Watcher(job)) } else { Err(Error::last_os_error()) }
        }

        /// Ends the job.
        pub fn end(self) {
            drop(self.0);
        }
    }
}

/// A page starts no program.
#[cfg(not(any(unix, windows)))]
mod nothing {
    use super::*;

    /// Watches nothing.
    pub struct Watcher;

    impl Watcher {
        /// There is nothing to watch.
        ///
        /// # Errors
        /// None.
        pub fn new(_: &Child, _: Option<&Path>) -> Result<Watcher> {
            Ok(Watcher)
        }

        /// There is nothing to end.
        pub fn end(self) {}
    }
}

//! Temporary folders, which go with the value; and with the program, if Ctrl-C or a signal ends that.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use tempfile::TempDir;

/// The folders that there are. A signal knows nothing else of the program.
static FOLDERS: Mutex<Vec<PathBuf>> = Mutex::new(Vec::new());
/// 128 and the number of SIGINT, as shells have it.
const INTERRUPTED: i32 = 130;

/// A temporary folder with nothing else in it.
pub struct Scratch(TempDir);

impl Scratch {
    /// Makes one.
    ///
    /// # Errors
    /// Of the file system: there is no room, or the folder that `TMPDIR` names is not there.
    pub fn new() -> io::Result<Scratch> {
        static HANDLER: Once = Once::new();
        HANDLER.call_once(|| {
            // An error: the program has a handler of its own, and the system's folder gets tidied by others.
            let _ = ctrlc::set_handler(|| {
                for folder in folders().iter() {
                    let _ = std::fs::remove_dir_all(folder);
                }
                kernel_compiler::staging::remove_folders();
                std::process::exit(INTERRUPTED);
            });
        });
        let mut folders = folders();
        let own = TempDir::new()?;
        folders.push(own.path().into());
        Ok(Scratch(own))
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        folders().retain(|folder| folder != self.path());
    }
}

fn folders() -> MutexGuard<'static, Vec<PathBuf>> {
    FOLDERS.lock().unwrap_or_else(PoisonError::into_inner)
}

//! Files that are written whole: whoever looks at one sees all of the old contents or all of the new.

use std::fs::{File, Metadata, TryLockError};
use std::hash::{BuildHasher, RandomState};
use std::io::{Error, ErrorKind, Read, Result, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::number::thousands;
use crate::say;

/// Replaces the contents of the file at `path`, or creates it.
///
/// # Errors
/// Of the file system; the file at `path` is then as it was.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    replace(path, |file| file.write_all(contents.as_ref())).map(drop)
}

/// [`write_whole`], with the contents that `write` gives. They go to a new file beside `path`, of a name that
/// nobody else has, which then takes the place of the one at `path` in one step, with its permissions. A link
/// stays a link. What is no regular file (`/dev/stdout`) is written to and not replaced.
///
/// # Errors
/// Those of `write` and of the file system; `path` is read-only, a named pipe, which may never have a reader,
/// or a link to nothing. The file at `path` is then as it was.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<File> {
    let own = std::fs::symlink_metadata(path).ok();
    let about = std::fs::metadata(path).ok();
    if own.as_ref().and_then(no_file) == Some(PIPE) {
        return Err(Error::other("it is a pipe"));
    }
    if own.is_some() && about.is_none() {
        return Err(Error::other("it is a link to nothing"));
    }
    if about.as_ref().is_some_and(|about| about.is_file() && about.permissions().readonly()) {
        return Err(Error::other("it is read-only"));
    }
    if about.as_ref().is_some_and(|about| !about.is_file()) {
        let mut file = File::options().write(true).open(path)?;
        return write(&mut file).map(|()| file);
    }
    let path = &path.canonicalize().unwrap_or_else(|_| path.into());
    let (unfinished, mut file) = unfinished(path)?;
    let keep = |file: &File| about.map_or(Ok(()), |about| file.set_permissions(about.permissions()));
    let done = keep(&file).and_then(|()| write(&mut file)).and_then(|()| std::fs::rename(&unfinished, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    done.map(|()| file)
}

/// Creates the file at `path`, where nothing lies, with the contents that `write` gives: nobody sees it
/// without them. On a file system without hard links it is empty for a moment.
///
/// # Errors
/// Something lies at `path`, which stays as it is; those of `write` and of the file system.
pub fn create(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<File> {
    let (unfinished, mut file) = unfinished(path)?;
    let done = write(&mut file).and_then(|()| match std::fs::hard_link(&unfinished, path) {
        Err(error) if error.kind() != ErrorKind::AlreadyExists => {
            File::create_new(path)?;
            std::fs::rename(&unfinished, path)
        }
        linked => linked,
    });
    let _ = std::fs::remove_file(&unfinished); // a second name, or what could not be finished
    done.map(|()| file)
}

/// A new file beside `path`, of a name that nobody else has.
fn unfinished(path: &Path) -> Result<(PathBuf, File)> {
    loop {
        let random = RandomState::new().hash_one(std::process::id());
        let name = path.with_file_name(format!(".{random:016x}.unfinished"));
        match File::create_new(&name) {
            Ok(file) => return Ok((name, file)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// The contents of the regular file at `path`, of at most this many bytes.
///
/// # Errors
/// Of the file system; the file has more bytes, or it is none: a pipe, or a device such as `/dev/zero`, may
/// have no end.
pub fn read_at_most(path: &Path, bytes: u64) -> Result<Vec<u8>> {
    if let Some(what) = no_file(&std::fs::metadata(path)?) {
        return Err(Error::other(format!("it is not a file but {what}")));
    }
    let mut contents = Vec::new();
    File::open(path)?.take(bytes.saturating_add(1)).read_to_end(&mut contents)?;
    if contents.len() as u64 > bytes {
        return Err(Error::other(format!("it has more than {} bytes", thousands(bytes as i64))));
    }
    Ok(contents)
}

/// [`read_at_most`] as text.
///
/// # Errors
/// Those, and what is there is no UTF-8.
pub fn read_text(path: &Path, bytes: u64) -> Result<String> {
    String::from_utf8(read_at_most(path, bytes)?).map_err(|_| Error::other("it is no UTF-8 text"))
}

/// Keeps other programs that take the same lock from changing the file at `path`, until the value is dropped.
/// The file itself is replaced with each change, so the lock is on another beside it, `path` with `.lock`. If
/// another program holds it for long, that is said.
///
/// # Errors
/// Of the file system. That it has no locks, as on some networks, is none.
pub fn lock(path: &Path) -> Result<File> {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    let file = File::create(name)?;
    let start = Instant::now();
    let locked = loop {
        match file.try_lock() {
            Err(TryLockError::WouldBlock) if start.elapsed() < SILENT => std::thread::sleep(SILENT / 50),
            Err(TryLockError::WouldBlock) => {
                say::err(&format!(
                    "waiting for another program, which holds the lock of {} …\n",
                    path.display()
                ));
                break file.lock();
            }
            Err(TryLockError::Error(error)) => break Err(error),
            Ok(()) => break Ok(()),
        }
    };
    match locked {
        Err(error) if error.kind() != ErrorKind::Unsupported => Err(error),
        _ => Ok(file),
    }
}

/// How long a lock is waited for in silence.
const SILENT: Duration = Duration::from_secs(1);
const PIPE: &str = "a pipe";

/// What else than a regular file this is about: a directory, a pipe, a device …
pub fn no_file(about: &Metadata) -> Option<&'static str> {
    let kind = about.file_type();
    #[cfg(unix)]
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a directory"),
        #[cfg(unix)]
        kind if kind.is_fifo() => Some(PIPE),
        #[cfg(unix)]
        kind if kind.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

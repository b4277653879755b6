//! Files that are written atomically: a reader sees all of the old contents or all of the new.

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
/// stays a link. What is no regular file is written to and not replaced, nor is a file by a name that it has
/// because it is open (`/dev/stdout`).
///
/// # Errors
/// Those of `write` and of the file system; `path` is read-only, a named pipe, which may never have a reader,
/// or a link to nothing. The file at `path` is then as it was.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<File> {
    let about = check_place(path)?;
    if about.as_ref().is_some_and(|about| !about.is_file()) {
        let mut file = File::options().write(true).open(path)?;
        return write(&mut file).map(|()| file);
    }
    if let Some(open) = already_open(path) {
        let mut open = open?;
        return write(&mut open).map(|()| open);
    }
    let path = &path.canonicalize().unwrap_or_else(|_| path.into());
    let (unfinished, mut file) = unfinished(path)?;
    let about = about.filter(|_| HAS_PERMISSIONS);
    let keep = |file: &File| about.map_or(Ok(()), |about| file.set_permissions(about.permissions()));
    let done = keep(&file)
        .and_then(|()| write(&mut file))
        .and_then(|()| while_held(|| std::fs::rename(&unfinished, path)));
    if done.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    done.map(|()| file)
}

/// Does `work` with a file; again for about two seconds while another program has the file open. Scanners for
/// viruses and editors of Windows do so for a moment, with each new file.
///
/// # Errors
/// Of `work`.
pub fn while_held<T>(work: impl FnMut() -> Result<T>) -> Result<T> {
    patiently(work, is_held)
}

/// [`while_held`], where `is_held` knows the errors that say so.
fn patiently<T>(mut work: impl FnMut() -> Result<T>, is_held: impl Fn(&Error) -> bool) -> Result<T> {
    for pause in PAUSES {
        match work() {
            Err(error) if is_held(&error) => std::thread::sleep(pause),
            done => return done,
        }
    }
    work().map_err(|error| {
        if !is_held(&error) {
            return error;
        }
        let why = format!("another program has it open, or it may not be replaced ({error})");
        Error::new(error.kind(), why)
    })
}

/// Whether this is what Windows says of a file that another program has open: `ERROR_ACCESS_DENIED`,
/// `ERROR_SHARING_VIOLATION` or `ERROR_LOCK_VIOLATION`. Elsewhere such a file can be replaced.
fn is_held(error: &Error) -> bool {
    cfg!(windows) && matches!(error.raw_os_error(), Some(5 | 32 | 33))
}

/// The file at `path`, if that is a name that it has because it is open. What it holds stays, and what this
/// process is yet to say on stdout comes behind.
fn already_open(path: &Path) -> Option<Result<File>> {
    let names = ["/dev/stdout", "/dev/stderr", "/dev/fd", "/proc"];
    if !names.iter().any(|name| path.starts_with(name)) || !path.is_file() {
        return None;
    }
    #[cfg(unix)]
    if matches!(path.to_str(), Some("/dev/stdout" | "/dev/fd/1" | "/proc/self/fd/1")) {
        use std::os::fd::AsFd;
        return Some(std::io::stdout().as_fd().try_clone_to_owned().map(File::from));
    }
    Some(File::options().append(true).open(path))
}

/// Writes a new file. One that is there already is left as it is, and is fine if it holds just these bytes.
///
/// # Errors
/// Of the file system; a file, a link or anything else lies at `path`.
pub fn write_new(path: &Path, contents: &[u8]) -> Result<()> {
    // Follows no link, and lets nobody slip a file in between a look and the writing.
    match File::create_new(path) {
        Ok(mut file) => {
            let written = file.write_all(contents);
            if written.is_err() {
                let _ = std::fs::remove_file(path); // this very call has made it
            }
            written
        }
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            let is_file = std::fs::symlink_metadata(path)?.is_file();
            if is_file && read_at_most(path, contents.len() as u64).is_ok_and(|held| held == contents) {
                return Ok(());
            }
            Err(Error::other("something else is there already; remove it, or write to another folder"))
        }
        Err(error) => Err(error),
    }
}

/// Renames what lies at `path` to that with `.word` appended, and a number if there is such a file already:
/// the new path, or `None` where nothing lies. Of two programs that do so at once, each has a name of its
/// own.
///
/// # Errors
/// Of the file system; what lies at `path` is then as it was.
pub fn set_aside(path: &Path, word: &str) -> Result<Option<PathBuf>> {
    let Ok(about) = std::fs::symlink_metadata(path) else { return Ok(None) };
    for number in 1..u32::MAX {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { format!(".{word}") } else { format!(".{word}-{number}") });
        let aside = PathBuf::from(name);
        if aside.symlink_metadata().is_ok() {
            continue;
        }
        // An empty file holds the name. A directory takes the place of none, and so needs no such file.
        if !about.is_dir() {
            match File::create_new(&aside) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => continue,
                held => drop(held?),
            }
        }
        let done = while_held(|| std::fs::rename(path, &aside));
        if done.is_err() && !about.is_dir() {
            let _ = std::fs::remove_file(&aside);
        }
        return match done {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None), // another program was first
            done => done.map(|()| Some(aside)),
        };
    }
    Err(Error::other("every name for it is taken"))
}

/// What lies at `path`, if something does and [`replace`] may take its place: to be asked before the work.
///
/// # Errors
/// Of [`replace`], as far as they are known without writing.
pub fn check_place(path: &Path) -> Result<Option<Metadata>> {
    let about = std::fs::metadata(path).ok();
    match &about {
        None if path.is_symlink() => Err(Error::other("it is a link to nothing")),
        Some(about) if about.is_dir() => Err(Error::other("it is a directory")),
        // What the shell makes of >(…) is one, behind a link, and has a reader.
        Some(about) if no_file(about) == Some(PIPE) && !path.is_symlink() => {
            Err(Error::other("it is a pipe"))
        }
        Some(about) if about.is_file() && HAS_PERMISSIONS && about.permissions().readonly() => {
            Err(Error::other("it is read-only"))
        }
        _ => Ok(about),
    }
}

/// A new file beside `path`, of a name that nobody else has.
fn unfinished(path: &Path) -> Result<(PathBuf, File)> {
    loop {
        let random = RandomState::new().hash_one(());
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
    String::from_utf8(read_at_most(path, bytes)?).map_err(|_| Error::other("it is not UTF-8 text"))
}

/// The text of a file of the repository, each line ending in `\n` alone: Git or an editor on Windows may have
/// put `\r\n` there.
///
/// # Errors
/// Of the file system; what is there is not UTF-8.
pub fn read_lines(path: &Path) -> Result<String> {
    std::fs::read_to_string(path).map(|text| text.replace("\r\n", "\n"))
}

/// Keeps other programs that take the same lock from changing the file at `path`, until the value is dropped.
/// The file itself is replaced with each change, so the lock is on another beside it, [`lock_name`], which
/// may be removed by who holds it. If another program holds it for long, that is said.
///
/// # Errors
/// Of the file system; what lies there is no file, or a link. That it has no locks, as on some networks, is
/// none.
pub fn lock(path: &Path) -> Result<File> {
    let name = lock_name(path);
    loop {
        let file = match File::create_new(&name) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => match open_unlinked(&name, true) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                file => file?,
            },
            file => file?,
        };
        wait_for_lock(&file, path)?;
        // Whoever held it may have removed the file.
        if is_named(&file, &name) {
            return Ok(file);
        }
    }
}

/// The file whose lock stands for that of the file at `path`.
pub fn lock_name(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn wait_for_lock(file: &File, path: &Path) -> Result<()> {
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
        _ => Ok(()),
    }
}

/// The contents of the regular file at `path`, which is no link, as text of at most this many bytes.
///
/// # Errors
/// Those of [`read_text`]; there is a link.
pub fn read_unlinked(path: &Path, bytes: u64) -> Result<String> {
    let mut contents = Vec::new();
    open_unlinked(path, false)?.take(bytes.saturating_add(1)).read_to_end(&mut contents)?;
    if contents.len() as u64 > bytes {
        return Err(Error::other(format!("it has more than {} bytes", thousands(bytes as i64))));
    }
    String::from_utf8(contents).map_err(|_| Error::other("it is not UTF-8 text"))
}

/// [`write_whole`], which follows no link.
///
/// # Errors
/// Of the file system; a link lies at `path`, or what is no file. What lies there is then as it was.
pub fn write_unlinked(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    check_unlinked(path)?;
    let (unfinished, mut file) = unfinished(path)?;
    let written = file.write_all(contents.as_ref());
    // Should a link have come there meanwhile, this takes the place of the link itself.
    let done = written.and_then(|()| while_held(|| std::fs::rename(&unfinished, path)));
    if done.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    done
}

/// Opens the regular file at `path`, which is no link.
fn open_unlinked(path: &Path, is_to_write: bool) -> Result<File> {
    check_unlinked(path)?;
    let file = File::options().read(!is_to_write).write(is_to_write).open(path)?;
    if is_named(&file, path) { Ok(file) } else { Err(Error::other("another file has taken its place")) }
}

/// That nothing lies at `path`, or a regular file.
fn check_unlinked(path: &Path) -> Result<()> {
    match std::fs::symlink_metadata(path).ok().as_ref().and_then(no_file) {
        Some(what) => Err(Error::other(format!("{} is {what}", path.display()))),
        None => Ok(()),
    }
}

/// Whether `file` is the one at `path` itself, and not behind a link there.
fn is_named(file: &File, path: &Path) -> bool {
    let Ok(named) = std::fs::symlink_metadata(path) else { return false };
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt;
        file.metadata().is_ok_and(|own| (own.dev(), own.ino()) == (named.dev(), named.ino()))
    }
    // The identity of a file is not to be had there.
    #[cfg(not(unix))]
    {
        let _ = file;
        named.is_file()
    }
}

/// How long a file that another program has open is waited for, time after time.
const PAUSES: [Duration; 6] = [
    Duration::from_millis(10),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_millis(1000),
];
/// Whether a file has permissions; in a page it has none.
const HAS_PERMISSIONS: bool = !cfg!(target_family = "wasm");
/// How long a lock is waited for in silence.
const SILENT: Duration = Duration::from_secs(1);
const PIPE: &str = "a pipe";

/// What else than a regular file this is about: a directory, a link, a pipe, a device …
pub fn no_file(about: &Metadata) -> Option<&'static str> {
    let kind = about.file_type();
    #[cfg(unix)]
    use std::os::unix::fs::FileTypeExt;
    match kind {
        kind if kind.is_file() => None,
        kind if kind.is_dir() => Some("a directory"),
        kind if kind.is_symlink() => Some("a link"),
        #[cfg(unix)]
        kind if kind.is_fifo() => Some(PIPE),
        #[cfg(unix)]
        kind if kind.is_socket() => Some("a socket"),
        _ => Some("a device"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_another_program_has_open_is_tried_again() {
        let held = || Error::other("held");
        let is_held = |error: &Error| error.to_string() == "held";
        let mut tries = 0;
        let opens_later = patiently(
            || {
                tries += 1;
                if tries < 4 { Err(held()) } else { Ok(tries) }
            },
            is_held,
        );
        assert_eq!(opens_later.unwrap(), 4);

        let mut tries = 0;
        let refused: Result<()> = patiently(
            || {
                tries += 1;
                Err(Error::other("no such folder"))
            },
            is_held,
        );
        assert_eq!((tries, refused.unwrap_err().to_string()), (1, "no such folder".into()));

        let never: Result<()> = patiently(|| Err(held()), is_held);
        let said = never.unwrap_err().to_string();
        assert_eq!(said, "another program has it open, or it may not be replaced (held)");
    }

    #[test]
    fn what_is_set_aside_at_once_by_several_programs_is_all_kept() {
        let folder = std::env::temp_dir().join(format!("workbook-aside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let path = folder.join("answer.cu");
        let put = |text: &str| std::fs::write(&path, text).unwrap();
        const TURNS: usize = 50;
        for turn in 0..TURNS {
            put(&format!("first {turn}"));
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        if set_aside(&path, "backup").unwrap().is_some() {
                            put(&format!("second {turn}"));
                        }
                    });
                }
            });
            // The last one's text, which nobody has set aside, would be overwritten in the next turn.
            set_aside(&path, "backup").unwrap();
        }
        let names = std::fs::read_dir(&folder).unwrap().map(|file| file.unwrap().path());
        let kept: Vec<String> = names.map(|name| std::fs::read_to_string(name).unwrap()).collect();
        for turn in 0..TURNS {
            assert!(kept.contains(&format!("first {turn}")), "{kept:?}");
            assert!(kept.contains(&format!("second {turn}")), "{kept:?}");
        }
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[cfg(windows)]
    #[test]
    fn a_file_that_an_editor_has_open_for_a_moment_is_replaced() {
        use std::os::windows::fs::OpenOptionsExt;
        let path = std::env::temp_dir().join(format!("workbook-held-{}", std::process::id()));
        std::fs::write(&path, "old").unwrap();
        let editor = File::options().read(true).share_mode(0).open(&path).unwrap();
        let closes = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(200));
            drop(editor);
        });
        write_whole(&path, "new").unwrap();
        closes.join().unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"new");
        std::fs::remove_file(path).unwrap();
    }
}

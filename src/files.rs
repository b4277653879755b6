//! Files that are written whole: whoever looks at one sees all of the old contents or all of the new.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::{ErrorKind, Result, Write};
use std::path::Path;

/// Replaces the contents of the file at `path`, or creates it.
///
/// # Errors
/// Of the file system; the file at `path` is then as it was.
pub fn write_whole(path: &Path, contents: impl AsRef<[u8]>) -> Result<()> {
    replace(path, |file| file.write_all(contents.as_ref())).map(drop)
}

/// [`write_whole`], with the contents that `write` gives. They go to a new file beside `path`, of a name that
/// nobody else has, which then takes the place of the one at `path` in one step. A link stays a link. What
/// is no regular file (`/dev/stdout`) is written to and not replaced.
///
/// # Errors
/// Those of `write` and of the file system; the file at `path` is then as it was.
pub fn replace(path: &Path, write: impl FnOnce(&mut File) -> Result<()>) -> Result<File> {
    if std::fs::metadata(path).is_ok_and(|about| !about.is_file()) {
        let mut file = File::options().write(true).open(path)?;
        return write(&mut file).map(|()| file);
    }
    let path = &path.canonicalize().unwrap_or_else(|_| path.into());
    let (unfinished, mut file) = loop {
        let random = RandomState::new().hash_one(std::process::id());
        let name = path.with_file_name(format!(".{random:016x}.unfinished"));
        match File::create_new(&name) {
            Ok(file) => break (name, file),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    };
    let done = write(&mut file).and_then(|()| std::fs::rename(&unfinished, path));
    if done.is_err() {
        let _ = std::fs::remove_file(&unfinished);
    }
    done.map(|()| file)
}

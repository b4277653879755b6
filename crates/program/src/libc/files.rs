//! `<stdio.h>`: files. A file is in memory as a whole while it is open; it is written when it is closed or
//! flushed, or when the program ends.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Kind, Severity};

use super::scan::Source;
use super::variables::{EACCES, ENOENT};
use crate::outside::{Outside, Standard};
use crate::runtime::{Natives_, Runtime, bytes, put, text};

pub const NATIVES: &Natives_ = &[
    ("fopen", |runtime, call| Ok(Given::Long(open(runtime, call, None)?))),
    ("freopen", |runtime, call| {
        let handle = call.long(2);
        save(runtime, call, handle, "freopen")?;
        Ok(Given::Long(open(runtime, call, Some(handle))?))
    }),
    ("tmpfile", |runtime, _| {
        Ok(Given::Long(runtime.kept.get::<Files>().add(File::new(Stands::Nowhere, Vec::new()), None)))
    }),
    ("fclose", close),
    ("fflush", flush),
    ("setvbuf", |_, _| Ok(Given::Word(0))),
    ("setbuf", |_, _| Ok(Given::Nothing)),
    ("fread", read),
    ("fwrite", write),
    ("fseek", |runtime, call| seek(runtime, call, call.long(1) as i64, call.word(2))),
    ("rewind", |runtime, call| {
        seek(runtime, call, 0, 0)?;
        runtime.file(call, 0, "rewind")?.has_failed = false;
        Ok(Given::Nothing)
    }),
    ("ftell", |runtime, call| Ok(Given::Long(runtime.file(call, 0, "ftell")?.position()))),
    ("fgetpos", |runtime, call| {
        let position = runtime.file(call, 0, "fgetpos")?.position();
        put(call, call.long(1), &position.to_le_bytes())?;
        Ok(Given::Word(0))
    }),
    ("fsetpos", |runtime, call| {
        let position = bytes(call, call.long(1), 8)?;
        let position = position.try_into().map_or(0, i64::from_le_bytes);
        seek(runtime, call, position, 0)
    }),
    ("feof", |runtime, call| Ok(Given::Word(runtime.file(call, 0, "feof")?.is_at_end.into()))),
    ("ferror", |runtime, call| Ok(Given::Word(runtime.file(call, 0, "ferror")?.has_failed.into()))),
    ("clearerr", |runtime, call| {
        let file = runtime.file(call, 0, "clearerr")?;
        file.is_at_end = false;
        file.has_failed = false;
        Ok(Given::Nothing)
    }),
    ("fileno", |_, call| Ok(Given::Word(call.word(0).wrapping_sub(1)))),
    ("remove", refuse),
    ("unlink", refuse),
    ("rename", refuse),
    ("mkstemp", refuse),
    ("access", access),
];

/// The handles of `stdin`, `stdout` and `stderr`; others follow.
pub const STDIN: u64 = 1;
pub const STDOUT: u64 = 2;
pub const STDERR: u64 = 3;

/// Most bytes that a file may have: it is in memory.
const MAX_BYTES: usize = 1 << 28;

/// Where what a file holds comes from and goes to.
#[derive(Debug, PartialEq, Eq)]
enum Stands {
    In,
    Stream(Standard),
    Path(String),
    /// A temporary file.
    Nowhere,
}

/// A file that is open.
#[derive(Debug)]
pub struct File {
    stands: Stands,
    bytes: Vec<u8>,
    at: usize,
    /// What `ungetc` has given back, the next one last.
    pushed_back: Vec<u8>,
    reads: bool,
    writes: bool,
    appends: bool,
    is_changed: bool,
    pub is_at_end: bool,
    pub has_failed: bool,
}

impl File {
    fn new(stands: Stands, bytes: Vec<u8>) -> File {
        File {
            stands,
            bytes,
            at: 0,
            pushed_back: Vec::new(),
            reads: true,
            writes: true,
            appends: false,
            is_changed: false,
            is_at_end: false,
            has_failed: false,
        }
    }

    fn position(&self) -> u64 {
        self.at.saturating_sub(self.pushed_back.len()) as u64
    }

    /// Gives a byte back, to be read next; whether there is room for it.
    pub fn push_back(&mut self, byte: u8) -> bool {
        const ROOM: usize = 64;
        let has_room = self.pushed_back.len() < ROOM;
        if has_room {
            self.pushed_back.push(byte);
            self.is_at_end = false;
        }
        has_room
    }

    /// Whether there is room for it.
    fn write(&mut self, bytes: &[u8]) -> bool {
        if self.appends {
            self.at = self.bytes.len();
        }
        self.pushed_back.clear();
        let end = self.at + bytes.len();
        if end > MAX_BYTES {
            self.has_failed = true;
            return false;
        }
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[self.at..end].copy_from_slice(bytes);
        self.at = end;
        self.is_changed = true;
        true
    }
}

/// All files, by their handles.
#[derive(Debug)]
pub struct Files(Vec<Option<File>>);

impl Default for Files {
    fn default() -> Files {
        let standard = [Stands::In, Stands::Stream(Standard::Out), Stands::Stream(Standard::Error)];
        let standard = standard.map(|stands| Some(File::new(stands, Vec::new())));
        Files([None].into_iter().chain(standard).collect())
    }
}

impl Files {
    /// Bytes that they take.
    pub fn held_bytes(&self) -> u64 {
        let open = self.0.iter().flatten();
        (open.map(|file| file.bytes.capacity()).sum::<usize>() + self.0.len() * size_of::<File>()) as u64
    }

    fn add(&mut self, file: File, handle: Option<u64>) -> u64 {
        if let Some((handle, slot)) =
            handle.and_then(|handle| Some((handle, self.0.get_mut(handle as usize)?)))
        {
            *slot = Some(file);
            return handle;
        }
        self.0.push(Some(file));
        self.0.len() as u64 - 1
    }
}

/// A file, and what `stdin` reads from.
pub struct Reader<'r> {
    pub file: &'r mut File,
    outside: &'r mut dyn Outside,
}

impl Source for Reader<'_> {
    fn peek(&mut self) -> Option<u8> {
        if let Some(byte) = self.file.pushed_back.last() {
            return Some(*byte);
        }
        let is_through = self.file.at >= self.file.bytes.len() && self.file.bytes.len() < MAX_BYTES;
        if is_through && self.file.stands == Stands::In && !self.file.is_at_end {
            self.outside.read(&mut self.file.bytes);
        }
        let byte = self.file.bytes.get(self.file.at).copied();
        self.file.is_at_end |= byte.is_none();
        byte
    }

    fn take(&mut self) {
        if self.file.pushed_back.pop().is_none() {
            self.file.at += 1;
        }
    }
}

impl Reader<'_> {
    /// The next byte.
    pub fn next(&mut self) -> Option<u8> {
        let byte = self.peek()?;
        self.take();
        Some(byte)
    }
}

impl Runtime<'_> {
    /// The file that an argument means.
    ///
    /// # Errors
    /// It is not open.
    pub fn file(&mut self, call: &Call, argument: usize, does: &str) -> Result<&mut File, Stop> {
        Ok(self.reader(call, call.long(argument), does)?.file)
    }

    /// The same, to read.
    ///
    /// # Errors
    /// As [`Runtime::file`].
    pub fn reader(&mut self, call: &Call, handle: u64, does: &str) -> Result<Reader<'_>, Stop> {
        let file = self.kept.get::<Files>().0.get_mut(handle as usize).and_then(Option::as_mut);
        let Some(file) = file else {
            let (what, help) = match handle {
                0 => ("a null pointer", "look at what fopen returns: null, if the file cannot be opened"),
                _ => ("a file that is not open", "close it after its last use"),
            };
            let what = format!("`{does}` of {what}");
            return Err(call.host.fault(Kind::OutOfBounds, what, help).into());
        };
        Ok(Reader { file, outside: &mut *self.outside })
    }

    /// Writes to a file.
    ///
    /// # Errors
    /// As [`Runtime::file`].
    pub fn write(&mut self, call: &Call, handle: u64, bytes: &[u8], does: &str) -> Result<bool, Stop> {
        let file = self.reader(call, handle, does)?.file;
        if !file.writes || file.stands == Stands::In {
            file.has_failed = true;
            return Ok(false);
        }
        if let Stands::Stream(to) = file.stands {
            self.print(to, bytes);
            return Ok(true);
        }
        let had = file.bytes.len();
        let is_written = file.write(bytes);
        call.simulator.moves(file.bytes.len() - had);
        Ok(is_written)
    }

    /// Writes all files at the end of the program.
    pub fn save_files(&mut self) {
        for file in self.kept.get::<Files>().0.iter_mut().flatten().filter(|file| file.is_changed) {
            if let Stands::Path(path) = &file.stands {
                self.outside.write_file(path, &file.bytes);
            }
        }
    }
}

/// `(path, mode)`: the handle, or null.
fn open(runtime: &mut Runtime, call: &mut Call, handle: Option<u64>) -> Result<u64, Stop> {
    let path = String::from_utf8_lossy(&text(call, call.long(0))?).into_owned();
    let mode = text(call, call.long(1))?;
    let also = mode.contains(&b'+');
    let kind = mode.first().copied().unwrap_or(b'r');
    let held = if kind == b'w' { None } else { runtime.outside.read_file(&path) };
    let opened = match (kind, held) {
        (b'r', None) => Err(ENOENT),
        (b'r', Some(bytes)) => Ok(bytes),
        (_, held) => {
            let bytes = held.unwrap_or_default();
            if runtime.outside.write_file(&path, &bytes) { Ok(bytes) } else { Err(EACCES) }
        }
    };
    match opened {
        Ok(bytes) => {
            call.simulator.moves(bytes.len());
            let file = File {
                reads: kind == b'r' || also,
                writes: kind != b'r' || also,
                appends: kind == b'a',
                ..File::new(Stands::Path(path), bytes)
            };
            Ok(runtime.kept.get::<Files>().add(file, handle))
        }
        Err(number) => {
            let (what, help) = match number {
                ENOENT => ("read", "put the file beside the program, or say where the program's files are"),
                _ => ("write", "write below the folder that is for what the program writes"),
            };
            let what = format!("fopen gives null: the program cannot {what} `{path}`");
            runtime.find(call, Kind::HostAccess, Severity::Warning, what, help);
            runtime.set_errno(call, number)?;
            Ok(0)
        }
    }
}

/// Writes what a file holds.
fn save(runtime: &mut Runtime, call: &Call, handle: u64, does: &str) -> Result<bool, Stop> {
    let Reader { file, outside } = runtime.reader(call, handle, does)?;
    let was_changed = std::mem::take(&mut file.is_changed);
    Ok(match &file.stands {
        Stands::Path(path) if was_changed => outside.write_file(path, &file.bytes),
        _ => true,
    })
}

/// 0, or `EOF`.
fn done(is_done: bool) -> Given {
    Given::Word(if is_done { 0 } else { u32::MAX })
}

fn close(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let handle = call.long(0);
    let is_saved = save(runtime, call, handle, "fclose")?;
    runtime.kept.get::<Files>().0[handle as usize] = None;
    Ok(done(is_saved))
}

fn flush(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    match call.long(0) {
        0 => {
            runtime.save_files();
            Ok(done(true))
        }
        handle => Ok(done(save(runtime, call, handle, "fflush")?)),
    }
}

/// `(to, size, count, file)`
fn read(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [to, size, count] = [0, 1, 2].map(|number| call.long(number));
    let wanted = size.saturating_mul(count) as usize;
    let mut reader = runtime.reader(call, call.long(3), "fread")?;
    if !reader.file.reads || wanted == 0 {
        reader.file.has_failed |= wanted > 0;
        return Ok(Given::Long(0));
    }
    let mut read = Vec::new();
    while read.len() < wanted {
        let Some(byte) = reader.next() else { break };
        read.push(byte);
    }
    put(call, to, &read)?;
    Ok(Given::Long(read.len() as u64 / size))
}

/// `(from, size, count, file)`
fn write(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [from, size, count] = [0, 1, 2].map(|number| call.long(number));
    let length = size.saturating_mul(count) as usize;
    let content = if length == 0 { Vec::new() } else { bytes(call, from, length)? };
    if !call.simulator.is_written(from, content.len()) {
        runtime.find_unwritten(call, "what `fwrite` writes");
    }
    let is_written = runtime.write(call, call.long(3), &content, "fwrite")?;
    Ok(Given::Long(if is_written && size > 0 { count } else { 0 }))
}

/// `(file, offset, from)`
fn seek(runtime: &mut Runtime, call: &mut Call, offset: i64, from: u32) -> Result<Given, Stop> {
    let file = runtime.file(call, 0, "fseek")?;
    let base = match from {
        0 => 0,
        1 => file.position() as i64,
        _ => file.bytes.len() as i64,
    };
    let to = base.saturating_add(offset);
    if !(0..MAX_BYTES as i64).contains(&to) || matches!(file.stands, Stands::In | Stands::Stream(_)) {
        return Ok(done(false));
    }
    file.at = to as usize;
    file.pushed_back.clear();
    file.is_at_end = false;
    Ok(done(true))
}

fn access(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let path = String::from_utf8_lossy(&text(call, call.long(0))?).into_owned();
    let is_there = runtime.outside.has_file(&path);
    if !is_there {
        runtime.set_errno(call, ENOENT)?;
    }
    Ok(done(is_there))
}

/// What the simulator lets no program do to files.
fn refuse(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    runtime.set_errno(call, EACCES)?;
    Ok(done(false))
}

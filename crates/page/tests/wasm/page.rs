//! A page: the WebAssembly, interpreted, and as much of the WASI (preview 1) as its program asks for:
//! arguments, three streams, and files in one directory.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use wasmi::{Caller, Engine, Extern, Linker, Module, Store};

/// Errors of the WASI, and kinds of files.
const BAD_FILE: i32 = 8;
const NO_ENTRY: i32 = 44;
const NOT_SUPPORTED: i32 = 58;
const DIRECTORY: u8 = 3;
const FILE: u8 = 4;
/// The descriptor of the directory; the files that are open come after it.
const ROOT: i32 = 3;

/// What a program has around it, and what it has left there.
#[derive(Default)]
struct World {
    args: Vec<u8>,
    count: usize,
    files: BTreeMap<String, Vec<u8>>,
    /// The open files, from [`ROOT`] + 1 on, and how much of each has been read.
    open: Vec<(String, usize)>,
    stdout: Vec<u8>,
    stderr: Vec<u8>,
}

impl World {
    /// What lies at `path`; a directory is there with what is in it.
    fn kind(&self, path: &str) -> Option<u8> {
        let is_below = |file: &String| file.strip_prefix(path).is_some_and(|rest| rest.starts_with('/'));
        let directory = self.files.keys().any(is_below).then_some(DIRECTORY);
        if self.files.contains_key(path) { Some(FILE) } else { directory }
    }
}

type Wasi<'a> = Caller<'a, World>;

/// The memory of the program, and its surroundings.
fn both<'a>(caller: &'a mut Wasi) -> (&'a mut [u8], &'a mut World) {
    let memory = caller.get_export("memory").and_then(Extern::into_memory).expect("a memory");
    memory.data_and_store_mut(caller)
}

fn word(memory: &[u8], at: i32) -> usize {
    u32::from_le_bytes(memory[at as usize..][..4].try_into().unwrap()) as usize
}

fn set(memory: &mut [u8], at: i32, bytes: &[u8]) {
    memory[at as usize..][..bytes.len()].copy_from_slice(bytes);
}

fn set_word(memory: &mut [u8], at: i32, value: usize) {
    set(memory, at, &(value as u32).to_le_bytes());
}

fn name(memory: &[u8], at: i32, length: i32) -> String {
    String::from_utf8_lossy(&memory[at as usize..][..length as usize]).into_owned()
}

/// The places and lengths of `count` pieces of memory.
fn pieces(memory: &[u8], at: i32, count: i32) -> Vec<(usize, usize)> {
    (0..count).map(|i| (word(memory, at + 8 * i), word(memory, at + 8 * i + 4))).collect()
}

fn args_get(mut caller: Wasi, places: i32, text: i32) -> i32 {
    let (memory, world) = both(&mut caller);
    set(memory, text, &world.args);
    let mut at = text;
    for (i, arg) in (0..).zip(world.args.split_inclusive(|byte| *byte == 0)) {
        set_word(memory, places + 4 * i, at as usize);
        at += arg.len() as i32;
    }
    0
}

fn fd_write(mut caller: Wasi, file: i32, at: i32, count: i32, written: i32) -> i32 {
    let (memory, world) = both(&mut caller);
    let pieces = pieces(memory, at, count);
    let bytes: Vec<u8> =
        pieces.into_iter().flat_map(|(at, length)| &memory[at..][..length]).copied().collect();
    set_word(memory, written, bytes.len());
    let to = match file {
        1 => &mut world.stdout,
        2 => &mut world.stderr,
        _ => match world.open.get((file - ROOT - 1) as usize).and_then(|(name, _)| world.files.get_mut(name))
        {
            Some(file) => file,
            None => return BAD_FILE,
        },
    };
    to.extend(bytes);
    0
}

fn fd_read(mut caller: Wasi, file: i32, at: i32, count: i32, read: i32) -> i32 {
    let (memory, world) = both(&mut caller);
    let Some((name, done)) = world.open.get_mut((file - ROOT - 1) as usize) else { return BAD_FILE };
    let before = *done;
    for (at, length) in pieces(memory, at, count) {
        let rest = &world.files[name][*done..];
        let length = length.min(rest.len());
        set(memory, at as i32, &rest[..length]);
        *done += length;
    }
    set_word(memory, read, *done - before);
    0
}

#[expect(clippy::too_many_arguments, reason = "the WASI has them")]
fn path_open(
    mut caller: Wasi,
    _: i32,
    _: i32,
    path: i32,
    length: i32,
    how: i32,
    _: i64,
    _: i64,
    _: i32,
    opened: i32,
) -> i32 {
    let (memory, world) = both(&mut caller);
    let name = name(memory, path, length);
    let is_new = how & 1 != 0;
    if is_new {
        world.files.insert(name.clone(), Vec::new());
    } else if world.kind(&name).is_none() {
        return NO_ENTRY;
    }
    world.open.push((name, 0));
    set_word(memory, opened, ROOT as usize + world.open.len());
    0
}

/// What lies directly in an open directory; all of it fits, or is asked for once more with more room.
fn fd_readdir(mut caller: Wasi, file: i32, at: i32, room: i32, from: i64, used: i32) -> i32 {
    let (memory, world) = both(&mut caller);
    let Some((directory, _)) = world.open.get((file - ROOT - 1) as usize) else { return BAD_FILE };
    let prefix = format!("{directory}/");
    let below = world.files.keys().filter_map(|path| path.strip_prefix(&prefix)?.split('/').next());
    let names: BTreeSet<&str> = below.collect();
    let mut bytes = Vec::new();
    for (name, next) in names.into_iter().zip(1u64..).skip(from as usize) {
        let kind = world.kind(&format!("{prefix}{name}")).unwrap_or(FILE);
        bytes.extend([next, next].map(u64::to_le_bytes).concat());
        bytes.extend([(name.len() as u32).to_le_bytes(), [kind, 0, 0, 0]].concat());
        bytes.extend(name.as_bytes());
    }
    bytes.truncate(room as usize);
    set(memory, at, &bytes);
    set_word(memory, used, bytes.len());
    0
}

fn path_filestat_get(mut caller: Wasi, _: i32, _: i32, path: i32, length: i32, about: i32) -> i32 {
    let (memory, world) = both(&mut caller);
    let name = name(memory, path, length);
    let Some(kind) = world.kind(&name) else { return NO_ENTRY };
    let size = world.files.get(&name).map_or(0, Vec::len) as u64;
    set(memory, about, &[[0; 8], [0; 8], [kind, 0, 0, 0, 0, 0, 0, 0], [1; 8], size.to_le_bytes()].concat());
    set(memory, about + 40, &[0; 24]);
    0
}

fn path_rename(mut caller: Wasi, _: i32, from: i32, long: i32, _: i32, to: i32, length: i32) -> i32 {
    let (memory, world) = both(&mut caller);
    let Some(contents) = world.files.remove(&name(memory, from, long)) else { return NO_ENTRY };
    world.files.insert(name(memory, to, length), contents);
    0
}

/// What a run has left.
#[derive(Debug, PartialEq)]
pub struct Ran {
    pub status: i32,
    pub stdout: String,
    /// Without what it tells of its progress.
    pub stderr: String,
    /// The percentages that it has told.
    pub progress: Vec<u8>,
    /// `shown.json`, if it was written.
    pub shown: Option<Value>,
    /// All files, those that it was given among them.
    pub files: BTreeMap<String, Vec<u8>>,
}

pub struct Page {
    module: Module,
    linker: Linker<World>,
}

impl Page {
    /// `wasm`, ready to be run.
    pub fn new(wasm: &[u8]) -> Result<Page> {
        let engine = Engine::default();
        let module = Module::new(&engine, wasm)?;
        let mut linker = Linker::new(&engine);
        let wasi = "wasi_snapshot_preview1";
        linker.func_wrap(wasi, "args_get", args_get)?;
        linker.func_wrap(wasi, "args_sizes_get", |mut caller: Wasi, count: i32, length: i32| {
            let (memory, world) = both(&mut caller);
            set_word(memory, count, world.count);
            set_word(memory, length, world.args.len());
            0
        })?;
        linker.func_wrap(wasi, "environ_get", |_: i32, _: i32| 0)?;
        linker.func_wrap(wasi, "environ_sizes_get", |mut caller: Wasi, count: i32, length: i32| {
            let (memory, _) = both(&mut caller);
            set_word(memory, count, 0);
            set_word(memory, length, 0);
            0
        })?;
        linker.func_wrap(wasi, "clock_time_get", |mut caller: Wasi, _: i32, _: i64, time: i32| {
            set(both(&mut caller).0, time, &0u64.to_le_bytes());
            0
        })?;
        linker.func_wrap(wasi, "fd_write", fd_write)?;
        linker.func_wrap(wasi, "fd_read", fd_read)?;
        linker.func_wrap(wasi, "path_open", path_open)?;
        linker.func_wrap(wasi, "path_filestat_get", path_filestat_get)?;
        linker.func_wrap(wasi, "path_rename", path_rename)?;
        linker.func_wrap(wasi, "path_create_directory", |_: i32, _: i32, _: i32| 0)?;
        linker.func_wrap(wasi, "fd_readdir", fd_readdir)?;
        linker.func_wrap(wasi, "random_get", |_: i32, _: i32| 0)?;
        linker.func_wrap(wasi, "fd_prestat_get", |mut caller: Wasi, file: i32, about: i32| {
            if file != ROOT {
                return BAD_FILE;
            }
            let (memory, _) = both(&mut caller);
            set_word(memory, about, 0); // a directory
            set_word(memory, about + 4, 1); // the length of its name
            0
        })?;
        linker.func_wrap(wasi, "fd_prestat_dir_name", |mut caller: Wasi, _: i32, name: i32, _: i32| {
            set(both(&mut caller).0, name, b"/");
            0
        })?;
        linker.func_wrap(wasi, "fd_fdstat_get", |mut caller: Wasi, _: i32, about: i32| {
            // The kind of a file, its flags, and all rights to it.
            set(both(&mut caller).0, about, &[[0; 8], [0xFF; 8], [0xFF; 8]].concat());
            0
        })?;
        linker.func_wrap(wasi, "fd_close", |_: i32| 0)?;
        linker.func_wrap(wasi, "proc_exit", |status: i32| -> Result<(), wasmi::Error> {
            Err(wasmi::Error::i32_exit(status))
        })?;
        // What else the program could ask for, and doesn't.
        for import in module.imports() {
            if let Some(of) = import.ty().func() {
                // Refused where it is there already.
                let _ = linker.func_new(wasi, import.name(), of.clone(), |_, _, results| {
                    results.iter_mut().for_each(|result| *result = NOT_SUPPORTED.into());
                    Ok(())
                });
            }
        }
        Ok(Page { module, linker })
    }

    /// Runs the program of the chapter `words[0]` with the other words as its command line.
    pub fn run(&self, words: &[&str], build: &str, show: &Value) -> Result<Ran> {
        self.run_with(words, &[("build.json", build), ("show.json", &show.to_string())])
    }

    /// [`Page::run`] with these files.
    pub fn run_with(&self, words: &[&str], files: &[(&str, &str)]) -> Result<Ran> {
        let world = World {
            args: words.iter().flat_map(|word| [word.as_bytes(), b"\0"].concat()).collect(),
            count: words.len(),
            files: files.iter().map(|(name, text)| (name.to_string(), text.as_bytes().to_vec())).collect(),
            ..World::default()
        };
        let mut store = Store::new(self.module.engine(), world);
        let instance = self.linker.instantiate_and_start(&mut store, &self.module)?;
        let ended = instance.get_typed_func::<(), ()>(&store, "_start")?.call(&mut store, ());
        let World { files, stdout, stderr, .. } = store.into_data();
        let [stdout, said] = [stdout, stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        let status = match ended {
            Ok(()) => 0,
            Err(error) => match error.i32_exit_status() {
                Some(status) => status,
                None => bail!("{words:?}: {error}: {said}"),
            },
        };
        let (mut stderr, mut progress) = (String::new(), Vec::new());
        for (i, piece) in said.split("\x1b]9;4;1;").enumerate() {
            match piece.split_once('\x07').filter(|_| i > 0) {
                Some((percent, rest)) => {
                    progress.push(percent.parse()?);
                    stderr += rest;
                }
                None => stderr += piece,
            }
        }
        let shown = files.get("shown.json").map(|json| serde_json::from_slice(json).context("shown.json"));
        Ok(Ran { status, stdout, stderr, progress, shown: shown.transpose()?, files })
    }
}

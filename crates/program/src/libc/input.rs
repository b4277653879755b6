//! `<stdio.h>`: reading. `scanf` and its like, lines and characters.

use ptx_simulator::host::{Call, Given, Stop};

use super::files::STDIN;
use super::heap;
use super::scan::{Scanned, scan};
use crate::runtime::{Natives_, Runtime, bytes, put, text};

pub const NATIVES: &Natives_ = &[
    ("scanf", |runtime, call| scan_file(runtime, call, STDIN, 0)),
    ("vscanf", |runtime, call| scan_file(runtime, call, STDIN, 0)),
    ("fscanf", |runtime, call| scan_file(runtime, call, call.long(0), 1)),
    ("vfscanf", |runtime, call| scan_file(runtime, call, call.long(0), 1)),
    ("sscanf", scan_text),
    ("vsscanf", scan_text),
    ("getchar", |runtime, call| character(runtime, call, STDIN)),
    ("getc", |runtime, call| character(runtime, call, call.long(0))),
    ("fgetc", |runtime, call| character(runtime, call, call.long(0))),
    ("ungetc", unget),
    ("fgets", line),
    ("getline", whole_line),
    ("read", read),
];

/// `EOF`.
const EOF: Given = Given::Word(u32::MAX);

/// Format and arguments begin at argument `number`.
fn scan_file(runtime: &mut Runtime, call: &mut Call, handle: u64, number: usize) -> Result<Given, Stop> {
    let format = text(call, call.long(number))?;
    let scanned = scan(&format, &mut runtime.reader(call, handle, "scanf")?);
    store(call, scanned, number + 1)
}

fn scan_text(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let from = text(call, call.long(0))?;
    let format = text(call, call.long(1))?;
    let scanned = scan(&format, &mut &from[..]);
    store(call, scanned, 2)
}

/// Writes what was read to where the pointers lead that argument `number` points to.
fn store(call: &mut Call, scanned: Scanned, number: usize) -> Result<Given, Stop> {
    let mut at = call.long(number).wrapping_add(7) & !7;
    for value in scanned.values {
        let pointer = bytes(call, at, 8)?.try_into().map_or(0, u64::from_le_bytes);
        put(call, pointer, &value)?;
        at = at.wrapping_add(8);
    }
    Ok(Given::Word(scanned.count as u32))
}

fn character(runtime: &mut Runtime, call: &mut Call, handle: u64) -> Result<Given, Stop> {
    let byte = runtime.reader(call, handle, "getc")?.next();
    Ok(byte.map_or(EOF, |byte| Given::Word(byte.into())))
}

fn unget(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let byte = call.word(0);
    let is_kept = byte != u32::MAX && runtime.file(call, 1, "ungetc")?.push_back(byte as u8);
    Ok(if is_kept { Given::Word(byte) } else { EOF })
}

/// Reads up to the end of a line, and that; at most `most` bytes.
fn read_line(runtime: &mut Runtime, call: &Call, handle: u64, most: usize) -> Result<Vec<u8>, Stop> {
    let mut reader = runtime.reader(call, handle, "fgets")?;
    let mut line = Vec::new();
    while line.len() < most && line.last() != Some(&b'\n') {
        let Some(byte) = reader.next() else { break };
        line.push(byte);
    }
    Ok(line)
}

/// `(to, size, file)`
fn line(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let most = (call.word(1) as i32).max(1) as usize - 1;
    let mut line = read_line(runtime, call, call.long(2), most)?;
    if line.is_empty() {
        return Ok(Given::Long(0));
    }
    line.push(0);
    put(call, call.long(0), &line)?;
    Ok(Given::Long(call.long(0)))
}

/// `(line *, size *, file)`
fn whole_line(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let mut line = read_line(runtime, call, call.long(2), usize::MAX)?;
    if line.is_empty() {
        return Ok(Given::Long(u64::MAX));
    }
    let length = line.len() as u64;
    line.push(0);
    let word =
        |call: &Call, at: u64| Ok::<u64, Stop>(bytes(call, at, 8)?.try_into().map_or(0, u64::from_le_bytes));
    let mut to = word(call, call.long(0))?;
    if to == 0 || word(call, call.long(1))? <= length {
        to = heap::resize(runtime, call, to, length + 1)?;
        put(call, call.long(0), &to.to_le_bytes())?;
        put(call, call.long(1), &(length + 1).to_le_bytes())?;
    }
    put(call, to, &line)?;
    Ok(Given::Long(length))
}

/// `(number of the file, to, bytes)`
fn read(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let most = call.long(2) as usize;
    let read = read_line(runtime, call, u64::from(call.word(0)) + STDIN, most)?;
    put(call, call.long(1), &read)?;
    Ok(Given::Long(read.len() as u64))
}

//! `<stdio.h>`: writing. `printf` and its like, texts and characters.

use std::cell::{Cell, RefCell};

use ptx_simulator::Kind;
use ptx_simulator::host::{Call, Given, Stop, format};

use super::files::{STDERR, STDIN, STDOUT};
use crate::runtime::{Natives_, Runtime, bytes, no_text, put, text};

pub const NATIVES: &Natives_ = &[
    ("printf", |runtime, call| print(runtime, call, STDOUT, 0)),
    ("vprintf", |runtime, call| print(runtime, call, STDOUT, 0)),
    ("fprintf", |runtime, call| print(runtime, call, call.long(0), 1)),
    ("vfprintf", |runtime, call| print(runtime, call, call.long(0), 1)),
    ("dprintf", |runtime, call| print(runtime, call, u64::from(call.word(0)) + STDIN, 1)),
    ("puts", puts),
    ("fputs", fputs),
    ("putchar", |runtime, call| character(runtime, call, STDOUT)),
    ("putc", |runtime, call| character(runtime, call, call.long(1))),
    ("fputc", |runtime, call| character(runtime, call, call.long(1))),
    ("snprintf", snprintf),
    ("vsnprintf", snprintf),
    ("sprintf", sprintf),
    ("vsprintf", sprintf),
    ("write", write),
    ("perror", perror),
];

/// Renders the format that argument `number` is, with the arguments that the next one points to.
pub fn formatted(runtime: &mut Runtime, call: &mut Call, number: usize) -> Result<Vec<u8>, Stop> {
    let format_text = text(call, call.long(number))?;
    let mut at = call.long(number + 1);
    let wrong = RefCell::new(None);
    let lost = Cell::new(None);
    let lose = |address: u64, bytes: usize| lost.set(lost.get().or(Some((address, bytes as u8))));
    let (rendered, _) = format(
        &format_text,
        |bytes| {
            at = at.wrapping_add(bytes as u64 - 1) & !(bytes as u64 - 1);
            let (word, missing) = call.simulator.host_word(at, bytes).ok()?;
            if missing != 0 {
                lose(at, bytes);
            }
            at = at.wrapping_add(bytes as u64);
            Some(word)
        },
        |address| match call.simulator.host_text(address) {
            _ if address == 0 => Some(b"(null)".to_vec()),
            Ok(text) => {
                if !call.simulator.is_written(address, text.len() + 1) {
                    lose(address, 1);
                }
                Some(text.to_vec())
            }
            Err(why) => {
                wrong.borrow_mut().get_or_insert((address, why));
                Some(Vec::new())
            }
        },
    );
    if let Some((address, why)) = wrong.into_inner() {
        return Err(no_text(call, address, why));
    }
    if let Some((address, bytes)) = lost.get() {
        let what = "a value is printed that was never written";
        let help = "write the memory before it is printed: copy the result back with cudaMemcpy, or \
                    initialise the variable";
        let found = *call.host.fault(Kind::UninitializedRead, what, help);
        let found = runtime.traced(call, found, call.host.origin(address, bytes));
        runtime.add(found);
    }
    Ok(rendered)
}

/// Format and arguments begin at argument `number`.
fn print(runtime: &mut Runtime, call: &mut Call, handle: u64, number: usize) -> Result<Given, Stop> {
    let text = formatted(runtime, call, number)?;
    let is_written = runtime.write(call, handle, &text, "fprintf")?;
    Ok(Given::Word(if is_written { text.len() as u32 } else { u32::MAX }))
}

fn puts(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let text = text(call, call.long(0))?;
    runtime.write(call, STDOUT, &[&text[..], b"\n"].concat(), "puts")?;
    Ok(Given::Word(text.len() as u32 + 1))
}

fn fputs(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let text = text(call, call.long(0))?;
    let is_written = runtime.write(call, call.long(1), &text, "fputs")?;
    Ok(Given::Word(if is_written { 1 } else { u32::MAX }))
}

fn character(runtime: &mut Runtime, call: &mut Call, handle: u64) -> Result<Given, Stop> {
    let byte = call.word(0) as u8;
    let is_written = runtime.write(call, handle, &[byte], "putc")?;
    Ok(Given::Word(if is_written { byte.into() } else { u32::MAX }))
}

/// `(number of the file, from, bytes)`
fn write(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let content = bytes(call, call.long(1), call.long(2) as usize)?;
    let is_written = runtime.write(call, u64::from(call.word(0)) + STDIN, &content, "write")?;
    Ok(Given::Long(if is_written { content.len() as u64 } else { u64::MAX }))
}

fn perror(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let before = match call.long(0) {
        0 => Vec::new(),
        address => [&text(call, address)?[..], b": "].concat(),
    };
    let error = super::string::error_text(runtime.errno(call));
    runtime.write(call, STDERR, &[&before[..], error.as_bytes(), b"\n"].concat(), "perror")?;
    Ok(Given::Nothing)
}

fn snprintf(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let room = call.long(1);
    let text = formatted(runtime, call, 2)?;
    if room > 0 {
        let kept = text.len().min(room as usize - 1);
        put(call, call.long(0), &[&text[..kept], &[0]].concat())?;
    }
    Ok(Given::Word(text.len() as u32))
}

fn sprintf(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let text = formatted(runtime, call, 1)?;
    put(call, call.long(0), &[&text[..], &[0]].concat())?;
    Ok(Given::Word(text.len() as u32))
}

//! `<string.h>` and `<strings.h>`: bytes and strings. What is copied takes along which bytes have been
//! written.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::observe::Access;
use ptx_simulator::{Kind, Wrong};

use super::heap;
use crate::runtime::{Natives_, Runtime, bytes, put, text};

/// Where `strtok` goes on.
#[derive(Debug, Default)]
struct Strtok {
    rest: u64,
}

pub const NATIVES: &Natives_ = &[
    ("memcpy", |_, call| copy(call, "memcpy", call.long(0), call.long(1), call.long(2))),
    ("memmove", |_, call| copy(call, "memmove", call.long(0), call.long(1), call.long(2))),
    ("bcopy", |_, call| copy(call, "bcopy", call.long(1), call.long(0), call.long(2))),
    ("memset", |_, call| fill(call, "memset", call.word(1) as u8, call.long(2))),
    ("bzero", |_, call| fill(call, "bzero", 0, call.long(1))),
    ("memcmp", |runtime, call| {
        let [one, other] = both(runtime, call, call.long(2))?;
        Ok(difference(&one, &other))
    }),
    ("memchr", |runtime, call| {
        let text = reach(runtime, call, 0, call.long(2))?;
        Ok(at(call, text.iter().position(|byte| *byte == call.word(1) as u8)))
    }),
    ("memrchr", |runtime, call| {
        let text = reach(runtime, call, 0, call.long(2))?;
        Ok(at(call, text.iter().rposition(|byte| *byte == call.word(1) as u8)))
    }),
    ("memmem", |runtime, call| {
        let text = reach(runtime, call, 0, call.long(1))?;
        let wanted = reach(runtime, call, 2, call.long(3))?;
        Ok(at(call, find(&text, &wanted)))
    }),
    ("strlen", |runtime, call| Ok(Given::Long(string(runtime, call, 0)?.len() as u64))),
    ("strnlen", |_, call| Ok(Given::Long(limited(call, 0, call.long(1))?.len() as u64))),
    ("strcmp", |runtime, call| compare(runtime, call, u64::MAX, |byte| byte)),
    ("strcoll", |runtime, call| compare(runtime, call, u64::MAX, |byte| byte)),
    ("strncmp", |runtime, call| compare(runtime, call, call.long(2), |byte| byte)),
    ("strcasecmp", |runtime, call| compare(runtime, call, u64::MAX, |byte| byte.to_ascii_lowercase())),
    ("strncasecmp", |runtime, call| compare(runtime, call, call.long(2), |byte| byte.to_ascii_lowercase())),
    ("strcpy", |_, call| {
        copy_string(call, "strcpy", call.long(0))?;
        Ok(Given::Long(call.long(0)))
    }),
    ("stpcpy", |_, call| Ok(Given::Long(copy_string(call, "stpcpy", call.long(0))?))),
    ("strcat", |_, call| {
        let end = call.long(0) + text(call, call.long(0))?.len() as u64;
        copy_string(call, "strcat", end)?;
        Ok(Given::Long(call.long(0)))
    }),
    ("strncpy", |_, call| {
        let mut text = limited(call, 1, call.long(2))?;
        // Zeros fill the rest: as many as there is room for, and one more to be told of.
        text.resize((call.long(2) as usize).min(text.len().max(room(call, call.long(0)) + 1)), 0);
        place(call, "strncpy", call.long(0), &text)
    }),
    ("strncat", |_, call| {
        let end = call.long(0) + text(call, call.long(0))?.len() as u64;
        let text = [&limited(call, 1, call.long(2))?[..], &[0]].concat();
        place(call, "strncat", end, &text)
    }),
    ("strxfrm", |_, call| {
        let text = text(call, call.long(1))?;
        let kept = [&text[..], &[0]].concat();
        let kept = &kept[..kept.len().min(call.long(2) as usize)];
        put(call, call.long(0), kept)?;
        Ok(Given::Long(text.len() as u64))
    }),
    ("strdup", |runtime, call| duplicate(runtime, call, u64::MAX)),
    ("strndup", |runtime, call| duplicate(runtime, call, call.long(1))),
    ("strchr", |runtime, call| {
        let text = [&string(runtime, call, 0)?[..], &[0]].concat();
        Ok(at(call, text.iter().position(|byte| *byte == call.word(1) as u8)))
    }),
    ("strrchr", |runtime, call| {
        let text = [&string(runtime, call, 0)?[..], &[0]].concat();
        Ok(at(call, text.iter().rposition(|byte| *byte == call.word(1) as u8)))
    }),
    ("strstr", |runtime, call| {
        let text = string(runtime, call, 0)?;
        let wanted = string(runtime, call, 1)?;
        Ok(at(call, find(&text, &wanted)))
    }),
    ("strcasestr", |runtime, call| {
        let text = string(runtime, call, 0)?.to_ascii_lowercase();
        let wanted = string(runtime, call, 1)?.to_ascii_lowercase();
        Ok(at(call, find(&text, &wanted)))
    }),
    ("strpbrk", |runtime, call| {
        let text = string(runtime, call, 0)?;
        let wanted = string(runtime, call, 1)?;
        Ok(at(call, text.iter().position(|byte| wanted.contains(byte))))
    }),
    ("strspn", |runtime, call| span(runtime, call, true)),
    ("strcspn", |runtime, call| span(runtime, call, false)),
    ("strtok", |runtime, call| {
        let start = if call.long(0) == 0 { runtime.kept.get::<Strtok>().rest } else { call.long(0) };
        let separators = text(call, call.long(1))?;
        let (token, rest) = token(call, start, &separators)?;
        runtime.kept.get::<Strtok>().rest = rest;
        Ok(Given::Long(token))
    }),
    ("strtok_r", |_, call| {
        let start = if call.long(0) == 0 { pointer(call, call.long(2))? } else { call.long(0) };
        let separators = text(call, call.long(1))?;
        let (token, rest) = token(call, start, &separators)?;
        put(call, call.long(2), &rest.to_le_bytes())?;
        Ok(Given::Long(token))
    }),
    ("strsep", separate),
    ("strerror", |runtime, call| {
        let text = error_text(call.word(0) as i32);
        Ok(Given::Long(runtime.keep(call, "strerror", &[text.as_bytes(), &[0]].concat())?))
    }),
];

/// What is said of an access that a function of the C library does for the program.
fn wrong(call: &Call, name: &str, does: Access, (address, bytes): (u64, usize), wrong: Wrong) -> Stop {
    let mut found = call.wrong(does, address, bytes, wrong);
    match found.kind {
        Kind::HostAccess => {
            found.help = format!("use cudaMemcpy or cudaMemset: `{name}` reaches host memory only")
        }
        Kind::OutOfBounds => {
            let place = if does == Access::Load { "reads" } else { "writes" };
            found.help =
                format!("`{name}` {place} {bytes} bytes here: compare that with the size of the memory");
        }
        _ => {}
    }
    found.into()
}

/// Bytes that argument `number` points to; it is said if they have not been written.
fn reach(runtime: &mut Runtime, call: &Call, number: usize, count: u64) -> Result<Vec<u8>, Stop> {
    let address = call.long(number);
    if count == 0 {
        return Ok(Vec::new());
    }
    let bytes = bytes(call, address, usize::try_from(count).unwrap_or(usize::MAX))?;
    if !call.simulator.is_written(address, bytes.len()) {
        runtime.find_unwritten(call, "what is compared or searched here");
    }
    Ok(bytes)
}

fn both(runtime: &mut Runtime, call: &Call, count: u64) -> Result<[Vec<u8>; 2], Stop> {
    Ok([reach(runtime, call, 0, count)?, reach(runtime, call, 1, count)?])
}

/// The string that argument `number` points to; it is said if it has not been written.
fn string(runtime: &mut Runtime, call: &Call, number: usize) -> Result<Vec<u8>, Stop> {
    let address = call.long(number);
    let text = text(call, address)?;
    if !call.simulator.is_written(address, text.len() + 1) {
        runtime.find_unwritten(call, "a string that is used here");
    }
    Ok(text)
}

/// The same up to a number of bytes, which no zero has to follow.
fn limited(call: &Call, number: usize, count: u64) -> Result<Vec<u8>, Stop> {
    let address = call.long(number);
    let there = (room(call, address) as u64).min(count) as usize;
    if there == 0 && count > 0 {
        return text(call, address);
    }
    let mut text = bytes(call, address, there)?;
    match text.iter().position(|byte| *byte == 0) {
        Some(end) => text.truncate(end),
        // It goes on behind the allocation.
        None if (there as u64) < count => return self::text(call, address),
        None => {}
    }
    Ok(text)
}

/// Bytes from an address to the end of its allocation.
fn room(call: &Call, address: u64) -> usize {
    call.simulator.allocation(address).map_or(0, |(_, bytes, at)| bytes.saturating_sub(at) as usize)
}

fn pointer(call: &Call, address: u64) -> Result<u64, Stop> {
    Ok(bytes(call, address, 8)?.try_into().map_or(0, u64::from_le_bytes))
}

fn copy(call: &mut Call, name: &str, to: u64, from: u64, count: u64) -> Result<Given, Stop> {
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(Given::Long(to));
    }
    for (does, address) in [(Access::Load, from), (Access::Store, to)] {
        let reached = call.simulator.host_bytes(address, count).map(|_| ());
        reached.map_err(|why| wrong(call, name, does, (address, count), why))?;
        call.note(does, address, count);
    }
    let copied = call.simulator.copy(to, from, count);
    copied.map_err(|(writes, why)| {
        let (does, address) = if writes { (Access::Store, to) } else { (Access::Load, from) };
        wrong(call, name, does, (address, count), why)
    })?;
    Ok(Given::Long(to))
}

fn fill(call: &mut Call, name: &str, value: u8, count: u64) -> Result<Given, Stop> {
    let to = call.long(0);
    let count = usize::try_from(count).unwrap_or(usize::MAX);
    if count > 0 {
        let reached = call.simulator.host_bytes(to, count).map(|_| ());
        let filled =
            reached.and_then(|()| call.simulator.content_mut(to, count).map(|bytes| bytes.fill(value)));
        filled.map_err(|why| wrong(call, name, Access::Store, (to, count), why))?;
        call.note(Access::Store, to, count);
    }
    Ok(Given::Long(to))
}

/// Writes a text, for a function that gives back its first argument.
fn place(call: &mut Call, name: &str, to: u64, text: &[u8]) -> Result<Given, Stop> {
    let written = call.simulator.host_write(to, text);
    written.map_err(|why| wrong(call, name, Access::Store, (to, text.len()), why))?;
    Ok(Given::Long(call.long(0)))
}

/// Copies the string of argument 1: where its zero is then.
fn copy_string(call: &mut Call, name: &str, to: u64) -> Result<u64, Stop> {
    let length = text(call, call.long(1))?.len() as u64;
    copy(call, name, to, call.long(1), length + 1)?;
    Ok(to + length)
}

fn duplicate(runtime: &mut Runtime, call: &mut Call, most: u64) -> Result<Given, Stop> {
    let mut text = limited(call, 0, most)?;
    text.push(0);
    let to = heap::give(runtime, call, text.len() as u64)?;
    if to != 0 {
        put(call, to, &text)?;
    }
    Ok(Given::Long(to))
}

/// The first difference, as `memcmp` gives it.
fn difference(one: &[u8], other: &[u8]) -> Given {
    let differs = one.iter().zip(other).find(|(one, other)| one != other);
    Given::Word(differs.map_or(0, |(one, other)| i32::from(*one) - i32::from(*other)) as u32)
}

fn compare(runtime: &mut Runtime, call: &Call, most: u64, kind: fn(u8) -> u8) -> Result<Given, Stop> {
    let mut texts = [Vec::new(), Vec::new()];
    for (number, text) in texts.iter_mut().enumerate() {
        *text = if most == u64::MAX { string(runtime, call, number)? } else { limited(call, number, most)? };
        text.push(0);
        text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
        for byte in text.iter_mut() {
            *byte = kind(*byte);
        }
    }
    Ok(difference(&texts[0], &texts[1]))
}

/// Where in argument 0 something is; null: nowhere.
fn at(call: &Call, found: Option<usize>) -> Given {
    Given::Long(found.map_or(0, |at| call.long(0) + at as u64))
}

fn find(text: &[u8], wanted: &[u8]) -> Option<usize> {
    match wanted {
        [] => Some(0),
        wanted => text.windows(wanted.len()).position(|part| part == wanted),
    }
}

/// How many characters at the start are among those of argument 1, or are not.
fn span(runtime: &mut Runtime, call: &Call, accepts: bool) -> Result<Given, Stop> {
    let text = string(runtime, call, 0)?;
    let set = string(runtime, call, 1)?;
    let length = text.iter().take_while(|byte| set.contains(byte) == accepts).count();
    Ok(Given::Long(length as u64))
}

/// The next word from `start`, which a zero ends then, and where the one behind it is looked for. Null: none.
fn token(call: &mut Call, start: u64, separators: &[u8]) -> Result<(u64, u64), Stop> {
    if start == 0 {
        return Ok((0, 0));
    }
    let text = text(call, start)?;
    let is_separator = |byte: &u8| separators.contains(byte);
    let Some(begin) = text.iter().position(|byte| !is_separator(byte)) else { return Ok((0, 0)) };
    let first = start + begin as u64;
    let Some(length) = text[begin..].iter().position(is_separator) else { return Ok((first, 0)) };
    let end = first + length as u64;
    put(call, end, &[0])?;
    Ok((first, end + 1))
}

/// `(text *, separators)`: words may be empty.
fn separate(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let start = pointer(call, call.long(0))?;
    if start == 0 {
        return Ok(Given::Long(0));
    }
    let text = text(call, start)?;
    let separators = self::text(call, call.long(1))?;
    let rest = match text.iter().position(|byte| separators.contains(byte)) {
        Some(end) => {
            put(call, start + end as u64, &[0])?;
            start + end as u64 + 1
        }
        None => 0,
    };
    put(call, call.long(0), &rest.to_le_bytes())?;
    Ok(Given::Long(start))
}

/// What Linux calls an error.
pub fn error_text(number: i32) -> String {
    let text = match number {
        0 => "Success",
        1 => "Operation not permitted",
        2 => "No such file or directory",
        4 => "Interrupted system call",
        5 => "Input/output error",
        7 => "Argument list too long",
        9 => "Bad file descriptor",
        11 => "Resource temporarily unavailable",
        12 => "Cannot allocate memory",
        13 => "Permission denied",
        16 => "Device or resource busy",
        17 => "File exists",
        20 => "Not a directory",
        21 => "Is a directory",
        22 => "Invalid argument",
        32 => "Broken pipe",
        33 => "Numerical argument out of domain",
        34 => "Numerical result out of range",
        75 => "Value too large for defined data type",
        84 => "Invalid or incomplete multibyte or wide character",
        95 => "Operation not supported",
        110 => "Connection timed out",
        number => return format!("Unknown error {number}"),
    };
    text.to_string()
}

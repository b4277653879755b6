//! Elements given for bytes, and pointers given for what they point to.

use std::collections::BTreeMap;

use ptx_simulator::host::Call;
use ptx_simulator::{Diagnostic, Kind, Owner, Region, Severity, Site, What, Words};
use rustc_hash::FxHashSet;
use text::number::thousands;

use super::allocations::Allocations;
use super::names::{launch_arguments, target, user_line};
use super::shape::Shape;
use crate::runtime::{Runtime, Timed};

/// Copies of a fourth or an eighth of an array: of so many elements, or in so many parts?
#[derive(Debug, Default)]
struct Counts {
    /// What is said of an array and a line if it is copied to from its start only.
    suspects: BTreeMap<(u64, Option<u32>), Timed>,
    /// Arrays that are also copied to elsewhere.
    in_parts: FxHashSet<u64>,
}

/// Elements given for bytes, or the size of a pointer for that of an array. What a line computes by `sizeof`
/// may be a part of the array, and so may what others complete.
pub fn check_count(runtime: &mut Runtime, call: &mut Call, (to, from, bytes): (u64, u64, u64)) {
    let left = |address: u64| call.simulator.allocation(address).map_or(0, |(_, size, offset)| size - offset);
    let [has_to, has_from] = [left(to), left(from)];
    // Of the stack nobody knows which part an array is.
    let owner = call.simulator.allocation(from).map(|(owner, ..)| owner);
    let is_on_the_stack = owner == Some(Owner::Stack);
    let is_part = |factor: u64| {
        bytes > 1 && has_to == factor * bytes && (has_from == factor * bytes || is_on_the_stack)
    };
    let base = |address: u64| address - call.simulator.allocation(address).map_or(0, |(_, _, offset)| offset);
    let whole = base(to);
    if to != whole {
        runtime.kept.get::<Counts>().in_parts.insert(whole);
    }
    let is_pointer = bytes == 8 && has_to == has_from && has_to > 64;
    let what = format!(
        "a copy of {} bytes, and {} {}",
        thousands(bytes as i64),
        if is_on_the_stack { "there is room for" } else { "both sides have" },
        thousands(has_to as i64)
    );
    if is_pointer {
        let help = "8 bytes are what a pointer has: sizeof of a pointer is not that of the array";
        runtime.find(call, Kind::HostAccess, Severity::Warning, what, help);
    } else if (is_part(4) || is_part(8)) && !user_line(runtime, call).contains("sizeof") {
        let help = "cudaMemcpy counts bytes, not elements: multiply by sizeof of an element";
        let found =
            Diagnostic { severity: Severity::Warning, ..*call.host.fault(Kind::HostAccess, what, help) };
        let at = runtime.now;
        runtime.kept.get::<Counts>().suspects.insert((whole, found.line), Timed { at, found });
    }
}

/// A memset of what looks like numbers of several bytes: each byte gets the value, and not each number.
pub fn check_value(runtime: &mut Runtime, call: &mut Call, value: u8) {
    let line = user_line(runtime, call);
    let is_of_bytes = ["char", "bool", "int8", "byte"].iter().any(|kind| line.contains(kind));
    if matches!(value, 0 | 0xff) || !line.contains("sizeof") || is_of_bytes {
        return;
    }
    let four = thousands(i64::from(u32::from_ne_bytes([value; 4])));
    let what =
        format!("cudaMemset sets each byte to {value}, and four bytes of {value} are {four} as an int");
    let help = "set numbers other than 0 by a kernel, or by cudaMemcpy from the host";
    runtime.find(call, Kind::HostAccess, Severity::Note, what, help);
}

impl Runtime<'_> {
    /// Copies that look as if they counted elements, unless others have brought the rest.
    pub fn say_counts(&mut self) {
        let Counts { suspects, in_parts } = std::mem::take(self.kept.get());
        let alone = suspects.into_iter().filter(|((whole, _), _)| !in_parts.contains(whole));
        alone.for_each(|(_, found)| self.add_timed(found));
    }
}

/// What a pointer is called that is copied itself, instead of what it points to: it lies on the host's side,
/// and what it points to has exactly as many bytes as the copy.
pub fn pointer_itself(call: &Call, address: u64, bytes: u64) -> Option<String> {
    let (pointed, _, size) = pointed(call, address)?;
    let is_it = bytes > POINTER && bytes == size;
    is_it.then(|| call.simulator.name_of(pointed)).filter(|name| !name.is_empty())
}

/// What a std::vector is called that is copied itself, instead of its elements, which have exactly as many
/// bytes as the copy. It begins with the addresses of its first element and of its end.
pub fn vector_itself(runtime: &Runtime, call: &Call, address: u64, bytes: u64) -> Option<String> {
    let (first, owner, size) = pointed(call, address)?;
    let (end, _) = call.simulator.host_word(address + POINTER, POINTER as usize).ok()?;
    let is_it = bytes == size && owner == Owner::Heap && end == first + size;
    let line = user_line(runtime, call);
    let (_, rest) = line.split_once('&').filter(|_| is_it)?;
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let name: String = rest.trim_start().chars().take_while(|c| is_part(*c)).collect();
    (!name.is_empty()).then_some(name)
}

/// What a pointer of the host's is called that lies at `address`, and points to memory of the device.
pub fn pointer_to_device(call: &Call, address: u64) -> Option<String> {
    let (pointed, owner, _) = pointed(call, address)?;
    let is_it = owner == Owner::Device;
    is_it.then(|| call.simulator.name_of(pointed)).filter(|name| !name.is_empty())
}

/// Where a variable of the host's at `address` points to, if that is where an allocation begins: with its
/// owner and its bytes.
fn pointed(call: &Call, address: u64) -> Option<(u64, Owner, u64)> {
    let (owner, ..) = call.simulator.allocation(address)?;
    let (pointed, 0) = call.simulator.host_word(address, POINTER as usize).ok()? else { return None };
    let (whose, size, 0) = call.simulator.allocation(pointed)? else { return None };
    matches!(owner, Owner::Stack | Owner::Static).then_some((pointed, whose, size))
}

/// Bytes of a pointer.
const POINTER: u64 = 8;

/// Whether the line of an allocation counts elements, by its looks.
fn counts_elements(line: &str) -> bool {
    const OF_BYTES: [&str; 8] = ["sizeof", "byte", "size", "calloc", "* 4", "4 *", "* 8", "8 *"];
    let line = line.to_lowercase();
    line.contains("alloc") && !OF_BYTES.iter().any(|word| line.contains(word))
}

const MULTIPLY: &str = "an allocation counts bytes, not elements: multiply by sizeof of an element there";

impl Runtime<'_> {
    /// What has stopped the host outside of an array, with the line that allocates too few bytes for it.
    pub fn with_allocation(&self, found: Diagnostic) -> Diagnostic {
        let What::Outside { spot, bytes: 2.., .. } = &found.what else { return found };
        let (Region::Variable(name), Some(file), Some(line)) = (&spot.region, &found.file, found.line) else {
            return found;
        };
        let allocates = |line: &u32| {
            let text = self.outside.source_line(file, *line).unwrap_or_default();
            text.split(';').any(|part| target(part).as_ref() == Some(name) && counts_elements(part))
        };
        let Some(line) = (1..line).rev().find(allocates) else { return found };
        let message =
            format!("it is allocated here, with {} bytes", thousands(spot.size.unwrap_or(0) as i64));
        let site = Site { file: file.clone(), line, message };
        with(found, site, MULTIPLY)
    }

    /// What has stopped a kernel outside of an array that has as many bytes as the kernel is told elements,
    /// or as it has threads.
    pub fn with_count(
        &mut self,
        call: &Call,
        found: Diagnostic,
        (shape, args): (&Shape, &[u64]),
    ) -> Diagnostic {
        let What::Outside { spot, bytes: bytes @ 2.., .. } = &found.what else { return found };
        let Region::Argument(place) = spot.region else { return found };
        let Some(address) = args.get(place) else { return found };
        let Some((_, size, offset)) = call.simulator.allocation(*address) else { return found };
        let help = match size {
            POINTER => "8 bytes are what a pointer has: sizeof of a pointer is not that of the array",
            size if shape.numbers.contains(&size) || shape.threads() == size => MULTIPLY,
            _ => return found,
        };
        let made = self.kept.get::<Allocations>().made.get(&(address - offset));
        let Some((file, line)) = made.and_then(|made| made.place.clone()) else { return found };
        let text = self.outside.source_line(&file, line).unwrap_or_default();
        // An index that the kernel's own number allows says enough.
        let index = spot.byte / i64::from(*bytes);
        let is_allowed =
            shape.numbers.contains(&size) && u64::try_from(index).is_ok_and(|index| index < size);
        let counts = counts_elements(&text) || is_allowed && !text.contains("sizeof");
        if size != POINTER && !counts {
            return found;
        }
        let message = format!("it is allocated here, with {} bytes", thousands(size as i64));
        with(found, Site { file, line, message }, help)
    }

    /// What has stopped a kernel in memory of the host, with what the launch gives it there.
    pub fn with_arguments(
        &mut self,
        call: &Call,
        found: Diagnostic,
        (shape, args): (&Shape, &[u64]),
    ) -> Diagnostic {
        let Some((file, line)) = &shape.place else { return found };
        let text = self.outside.source_line(file, *line).unwrap_or_default();
        let written = launch_arguments(&text);
        let is_host = |address: u64| {
            let owner = call.simulator.allocation(address).map(|(owner, ..)| owner);
            matches!(owner, Some(Owner::Heap | Owner::Stack | Owner::Static))
        };
        let of_host: Vec<(&String, u64)> =
            written.iter().zip(args.iter().copied()).filter(|(_, address)| is_host(*address)).collect();
        let Some((first, address)) = of_host.first() else { return found };
        let names: Vec<String> = of_host.iter().map(|(name, _)| format!("`{name}`")).collect();
        let (last, others) = names.split_last().unwrap_or((first, &[]));
        let names =
            if others.is_empty() { last.clone() } else { format!("{} and {last}", others.join(", ")) };
        let message = format!(
            "`{}` is given {names} of the host: a kernel does not reach the host's memory",
            shape.name
        );
        let first = first.trim_start_matches('&');
        let first = first.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
        let pointed = call.simulator.host_word(*address, 8).map_or(0, |(word, _)| word);
        let help = if self.kept.get::<Allocations>().made.contains_key(&pointed) {
            format!("what cudaMalloc gave lies in `{first}[0]`: give it the address of the pointer, &{first}")
        } else {
            format!(
                "copy it to the device first, and give the kernel that: cudaMalloc(&d_{first}, …), then \
                 cudaMemcpy(d_{first}, {first}, …, cudaMemcpyHostToDevice); or allocate it by \
                 cudaMallocManaged"
            )
        };
        let related = found.related();
        Diagnostic { what: Words { message, related }.into(), help, ..found }
    }
}

fn with(found: Diagnostic, site: Site, help: &str) -> Diagnostic {
    Diagnostic { help: help.to_string(), ..found.at(site) }
}

//! What the host reads that was never written: which copy has brought it, and which kernel was to write it.

use std::collections::VecDeque;

use ptx_simulator::host::Call;
use ptx_simulator::{Diagnostic, Kind, Owner, Region, Site, Words};
use rustc_hash::FxHashMap;
use text::number::thousands;

use super::allocations::Allocations;
use super::queue::{Operation, Queue, Rows, Work};
use super::shape::Shape;
use crate::runtime::{Runtime, Timed};

/// Copies and launches, as far as they say where something comes from that was never written.
#[derive(Debug, Default)]
pub struct Never {
    /// Copies of what was not written as a whole, the last ones.
    copies: VecDeque<Brought>,
    /// The last copy or memset to each allocation: its bytes, and where it was asked for.
    filled: FxHashMap<u64, (u64, Option<(String, u32)>)>,
    /// Launches that were the first to be given something, and by the starts of allocations which.
    launches: Vec<Shape>,
    first: FxHashMap<u64, usize>,
}

/// A copy of what was not written as a whole.
#[derive(Debug, PartialEq)]
struct Brought {
    to: Rows,
    from: Rows,
    bytes: u64,
    rows: u64,
    place: Option<(String, u32)>,
}

impl Brought {
    /// Where an address of its destination was copied from.
    fn source(&self, address: u64) -> Option<u64> {
        let offset = address.checked_sub(self.to.address)?;
        let row = offset.checked_div(self.to.pitch).unwrap_or(0);
        let column = offset - row * self.to.pitch;
        (row < self.rows && column < self.bytes).then(|| self.from.at(row) + column)
    }
}

/// Copies that are followed back, and that are kept.
const MAX_COPIES: usize = 8;
const MAX_KEPT: usize = 256;

impl Never {
    /// Where what lies at an address comes from, and the line of the copy that has brought it to the host.
    fn source(&self, address: u64) -> (u64, Option<(String, u32)>) {
        let mut source = address;
        let mut place = None;
        for _ in 0..MAX_COPIES {
            let copy = self.copies.iter().rev().find_map(|copy| Some((copy.source(source)?, &copy.place)));
            let Some((from, copied)) = copy else { break };
            source = from;
            place = place.or(copied.clone());
        }
        (source, place)
    }
}

impl Runtime<'_> {
    /// A copy or a memset is about to be done.
    pub fn brings(&mut self, call: &Call, operation: &Operation) {
        let (Work::Copy { to, bytes, rows, .. } | Work::Set { to, bytes, rows, .. }) = operation.work else {
            return;
        };
        let place = operation.issued.place.clone();
        let never = self.kept.get::<Never>();
        if let Some((Owner::Device | Owner::Managed, _, offset)) = call.simulator.allocation(to.address) {
            never.filled.insert(to.address - offset, (bytes * rows, place.clone()));
        }
        let Work::Copy { from, .. } = operation.work else { return };
        let brought = Brought { to, from, bytes, rows, place };
        let is_whole = (0..rows).all(|row| call.simulator.is_written(from.at(row), bytes as usize));
        if is_whole || never.copies.contains(&brought) {
            return;
        }
        if never.copies.len() == MAX_KEPT {
            never.copies.pop_front();
        }
        never.copies.push_back(brought);
    }

    /// What a kernel has found, with what has filled the array before that has an element which was never
    /// written.
    pub fn with_what_filled(&mut self, call: &Call, mut found: Diagnostic) -> Diagnostic {
        let is_unwritten = found.kind == Kind::UninitializedRead;
        let spot = found.spot_mut().filter(|spot| is_unwritten && matches!(spot.region, Region::Argument(_)));
        let Some(name) = spot.and_then(|spot| spot.name.clone()) else { return found };
        let made = &self.kept.get::<Allocations>().made;
        let mut of_this_name = made.iter().filter(|(_, made)| made.name == name);
        let (Some((start, made)), None) = (of_this_name.next(), of_this_name.next()) else { return found };
        let (start, allocated) = (*start, made.place.clone());
        let size = call.simulator.allocation(start).map_or(0, |(_, size, _)| size);
        let is_filled_later = |one: &Operation| match one.work {
            Work::Copy { to, .. } | Work::Set { to, .. } => (start..start + size).contains(&to.address),
            _ => false,
        };
        let pending = self.kept.get::<Queue>().pending().any(is_filled_later);
        let never = self.kept.get::<Never>();
        let first = never.first.get(&start).map(|number| &never.launches[*number]);
        let first = first.filter(|first| Some(&first.name) != found.kernel.as_ref());
        let (place, message) = match (never.filled.get(&start), first) {
            _ if pending => return found,
            (Some((bytes, place)), _) if *bytes < size => {
                let [bytes, size] = [*bytes, size].map(|bytes| thousands(bytes as i64));
                (place.clone(), format!("this writes {bytes} of the {size} bytes of `{name}`"))
            }
            (None, Some(first)) => (
                first.place.clone(),
                format!("`{}` was given `{name}` here, and did not write this", first.name),
            ),
            (None, None) => (allocated, format!("`{name}` is allocated here, and nothing is copied to it")),
            _ => return found,
        };
        let help = match (never.filled.get(&start), first) {
            (None, None) => format!(
                "copy to `{name}` before the launch: cudaMemcpy({name}, …, cudaMemcpyHostToDevice), or fill \
                 it by a kernel or by cudaMemset"
            ),
            _ => found.help.clone(),
        };
        let mut words = Words::from(found.what.clone());
        words.related.extend(place.map(|place| site((place, message))));
        Diagnostic { what: words.into(), help, ..found }
    }

    /// A launch gives a kernel these arguments.
    pub fn gives(&mut self, call: &Call, shape: impl FnOnce(&Self) -> Shape, args: &[u64]) {
        let start = |address: &u64| {
            let (owner, _, offset) = call.simulator.allocation(*address)?;
            matches!(owner, Owner::Device | Owner::Managed | Owner::Pinned).then_some(address - offset)
        };
        let known = &self.kept.get::<Never>().first;
        let new: Vec<u64> =
            args.iter().filter_map(start).filter(|start| !known.contains_key(start)).collect();
        if new.is_empty() {
            return;
        }
        let shape = shape(self);
        let never = self.kept.get::<Never>();
        let number = never.launches.len();
        never.launches.push(shape);
        never.first.extend(new.into_iter().map(|start| (start, number)));
    }

    /// Takes what the host's thread has found, while what it is about is still there.
    pub fn take_unwritten(&mut self, call: &mut Call) {
        for lost in call.host.take_found() {
            let found = self.traced(call, lost.found, lost.read);
            self.found.push(Timed { at: lost.at, found });
        }
    }

    /// What was found about a value that was never written and that the host has read there, with where it
    /// should come from.
    pub fn traced(&mut self, call: &Call, found: Diagnostic, (address, bytes): (u64, u8)) -> Diagnostic {
        let never = self.kept.get::<Never>();
        let (source, copied) = never.source(address);
        let Some((owner, size, offset)) = call.simulator.allocation(source) else { return found };
        if !matches!(owner, Owner::Device | Owner::Managed | Owner::Pinned) {
            return found;
        }
        let name = match call.simulator.name_of(source) {
            name if name.is_empty() => "memory".to_string(),
            name => name,
        };
        let width = u64::from(bytes).max(1);
        let from = if copied.is_some() { ", from which it was copied" } else { "" };
        let spot = format!("`{name}[{}]`{from}", offset / width);
        let launch = never.first.get(&(source - offset)).map(|number| &never.launches[*number]);
        let mut words = Words::from(found.what.clone());
        let copied = copied.map(|place| (place, "it was copied here".to_string()));
        let Some(launch) = launch else {
            words.message += &format!(": nothing has written {spot}");
            words.related.extend(copied.map(site));
            return Diagnostic { what: words.into(), ..found };
        };
        words.message += &format!(": `{}` never wrote {spot}", launch.name);
        let launched = launch.place.clone().map(|place| (place, "it was launched here".to_string()));
        words.related.extend(launched.into_iter().chain(copied).map(site));
        let help = launch.help(size / width, &never.launches);
        Diagnostic { what: words.into(), help, ..found }
    }
}

fn site(((file, line), message): ((String, u32), String)) -> Site {
    Site { file, line, message }
}

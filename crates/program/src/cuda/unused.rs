//! never-read, in a program that fails though nothing else is wrong: what it has copied to the device and no
//! thread reads, and what the last launch has left in an array and nothing reads. An index that stops too
//! early is like that, a wrong argument, and a copy of the wrong one of two arrays that change places. And a
//! launch that is made again, and finds what the first one has left. In a program that does not fail: what no
//! thread reads since the number of blocks was rounded down.

use std::collections::BTreeMap;

use ptx_simulator::host::Call;
use ptx_simulator::{Diagnostic, Kind, Owner, Severity, Site, address_of};
use text::number::thousands;

use super::queue::{Kernel, Operation, Work};
use super::touched::{Touched, Way, Words, line};
use crate::runtime::Runtime;

type Place = (String, u32);

/// What became of the arrays of the device, by the numbers of their allocations.
#[derive(Debug, Default)]
pub struct Unused {
    arrays: BTreeMap<u64, Array>,
    /// Whether a launch was not listened to, or not to its end.
    has_gap: bool,
    /// The first launch that was made again and read that.
    again: Option<Again>,
}

/// A launch that begins with what the same launch has left before.
#[derive(Debug)]
struct Again {
    kernel: String,
    array: String,
    place: Option<Place>,
}

#[derive(Debug, Default)]
struct Array {
    name: String,
    /// What was copied there, and where last.
    given: Words,
    given_at: Option<Place>,
    /// What threads have read of it, and what they have written.
    read: Words,
    written: Words,
    /// The threads of the last launch that has read it, if they and their blocks have one dimension.
    read_by: Option<Row>,
    /// Whether a launch has read what it wrote there, and wrote to another array too.
    is_scratch: bool,
    left: Option<Left>,
    /// What the last launch that wrote there has changed, unless the host has written there since.
    changed: Option<Changed>,
}

/// A launch of blocks side by side.
#[derive(Clone, Debug)]
struct Row {
    blocks: u64,
    block: u64,
    place: Option<Place>,
}

impl Row {
    fn of(kernel: &Kernel, place: Option<&Place>) -> Option<Row> {
        let ((blocks, 1, 1), (block, 1, 1)) = (kernel.config.grid_dim, kernel.config.block_dim) else {
            return None;
        };
        Some(Row { blocks: blocks.into(), block: block.into(), place: place.cloned() })
    }
}

/// What a launch has changed.
#[derive(Debug)]
struct Changed {
    kernel: String,
    params: Vec<u8>,
    words: Words,
}

/// What the last launch that wrote to an array has left there, as long as nothing has read any of it.
#[derive(Debug)]
struct Left {
    by: String,
    place: Option<Place>,
    words: Words,
}

impl Array {
    fn is_read(&mut self, words: &Words) {
        self.left.take_if(|left| left.words.meets(words));
    }
}

impl Unused {
    /// A kernel has run, and has `touched` so much.
    fn launched(&mut self, call: &Call, kernel: &Kernel, touched: &Touched, place: Option<&Place>) {
        let mut changed: BTreeMap<u64, Words> = BTreeMap::new();
        for (number, words) in touched.all(Way::Writes).into_iter().chain(touched.all(Way::Atomic)) {
            changed.entry(number).or_default().join(words);
        }
        let is_again = |number: &u64| {
            let known = self.arrays.get(number).and_then(|array| array.changed.as_ref());
            known.is_some_and(|known| known.is_of(kernel) && begins_with(touched, *number, &known.words))
        };
        if self.again.is_none()
            && let Some(number) = changed.keys().find(|number| is_again(number))
        {
            let array = call.simulator.name_of(address_of(*number, 0));
            self.again = Some(Again { kernel: kernel.name.clone(), array, place: place.cloned() });
        }
        let is_one_of_several = changed.len() > 1;
        for (number, words) in changed {
            let array = self.arrays.entry(number).or_default();
            let read = [Way::Reads, Way::Atomic].map(|way| touched.of(number, way));
            let has_read = read.into_iter().flatten().any(|read| read.meets(&words));
            array.is_scratch |= is_one_of_several && has_read;
            array.changed =
                Some(Changed { kernel: kernel.name.clone(), params: kernel.params.clone(), words });
        }
    }
}

impl Changed {
    fn is_of(&self, kernel: &Kernel) -> bool {
        (&self.kernel, &self.params) == (&kernel.name, &kernel.params)
    }
}

/// Whether a launch takes something from what was `left` in an array before it.
fn begins_with(touched: &Touched, number: u64, left: &Words) -> bool {
    // What it reads and doesn't write was there before it.
    let own = touched.of(number, Way::Writes).cloned().unwrap_or_default();
    let reads = touched.of(number, Way::Reads).filter(|read| read.without(&own).is_some());
    [reads, touched.of(number, Way::Atomic)].into_iter().flatten().any(|words| words.meets(left))
}

impl Runtime<'_> {
    /// An operation is done that has `touched` so much; `None`: nobody knows.
    pub fn uses(&mut self, call: &Call, operation: &Operation, touched: Option<&Touched>) {
        let unused = self.kept.get::<Unused>();
        let Some(touched) = touched else {
            unused.has_gap = true;
            return;
        };
        let is_of_device = |number: &u64| {
            let owner = call.simulator.allocation(address_of(*number, 0)).map(|found| found.0);
            owner == Some(Owner::Device)
        };
        let of_device = |way| touched.all(way).into_iter().filter(|(number, _)| is_of_device(number));
        if let Work::Kernel(kernel) = &operation.work {
            unused.launched(call, kernel, touched, operation.issued.place.as_ref());
        }
        for (number, words) in of_device(Way::Reads).chain(of_device(Way::Atomic)) {
            let array = unused.arrays.entry(number).or_default();
            array.is_read(words);
            if let Work::Kernel(kernel) = &operation.work {
                array.read.join(words);
                array.read_by = Row::of(kernel, operation.issued.place.as_ref());
            }
        }
        for (number, words) in of_device(Way::Writes).chain(of_device(Way::Atomic)) {
            let array = unused.arrays.entry(number).or_default();
            if array.name.is_empty() {
                array.name = call.simulator.name_of(address_of(number, 0));
            }
            let place = operation.issued.place.clone();
            match &operation.work {
                Work::Kernel(kernel) => {
                    array.written.join(words);
                    let by = kernel.name.clone();
                    array.left = Some(Left { by, place, words: words.clone() });
                }
                Work::Copy { from, .. } => {
                    (array.left, array.changed) = (None, None);
                    if call.simulator.allocation(from.address).is_none_or(|from| from.0 != Owner::Device) {
                        array.given.join(words);
                        array.given_at = place;
                    }
                }
                _ => (array.left, array.changed) = (None, None),
            }
        }
    }

    /// The program has failed, and nothing says why.
    pub fn say_unused(&mut self) {
        let Unused { arrays, has_gap, again, .. } = std::mem::take(self.kept.get::<Unused>());
        let known = self.found.len();
        // A launch that failed, and that the program has asked about, reads nothing either.
        let is_wrong =
            |found: &Diagnostic| found.severity != Severity::Note || found.kind == Kind::LaunchLimit;
        if has_gap || self.found.iter().any(|timed| is_wrong(&timed.found)) {
            return;
        }
        for array in arrays.into_values().filter(|array| !array.name.is_empty()) {
            self.say_unread_input(&array);
            if let Some(left) = array.left.as_ref().filter(|_| !array.is_scratch) {
                let message = format!("nothing reads what `{}` has left in `{}`", left.by, array.name);
                let help = format!("copy back `{}`, or give it to what comes next", array.name);
                self.note_unused(message, left.place.clone(), Vec::new(), &help);
            }
        }
        if let Some(Again { kernel, array, place }) = again.filter(|_| self.found.len() == known) {
            let message = format!(
                "this launch of `{kernel}` begins with what the same launch has left before in `{array}`"
            );
            let help = format!("if each is to begin alike, set `{array}` again before it");
            self.note(Kind::RepeatedLaunch, message, place, Vec::new(), &help);
        }
    }

    /// The program has not failed, and nothing is wrong: of what was copied to the device no thread reads the
    /// last elements, fewer than a block has threads, since each thread reads one. One element may be meant:
    /// the zero that ends a text.
    pub fn say_rounded_down(&mut self) {
        let Unused { arrays, has_gap, .. } = std::mem::take(self.kept.get::<Unused>());
        if has_gap || !self.found.is_empty() {
            return;
        }
        for array in arrays.into_values() {
            let Some(row) = &array.read_by else { continue };
            let width = array.read.width().max(1);
            let (threads, all) = (row.blocks * row.block, array.given.bytes() / width);
            let unread = array.given.without(&array.read);
            let is_rest = unread == Some((all.saturating_sub(threads) * width, threads * width));
            if array.name.is_empty() || !is_rest || !(2..row.block).contains(&(all - threads)) {
                continue;
            }
            let [blocks, block] = [row.blocks, row.block].map(|number| thousands(number as i64));
            let message = format!(
                "{} of the {} elements that are copied to `{}` are read by no thread: {blocks} blocks of \
                 {block} threads are {} threads",
                all - threads,
                thousands(all as i64),
                array.name,
                thousands(threads as i64)
            );
            let help = format!("round the quotient up: (n + {}) / {} blocks", row.block - 1, row.block);
            return self.note_unused(message, row.place.clone(), Vec::new(), &help);
        }
    }

    fn say_unread_input(&mut self, array: &Array) {
        let Array { name, given, read, written, given_at, .. } = array;
        // What is overwritten was no input: programs copy results to the device, too, before there are any.
        let mut used = written.clone();
        used.join(read);
        let Some((bytes, first)) = given.without(&used) else { return };
        if read.is_empty() {
            let message = format!("`{name}` is copied to the device here, and no thread reads it");
            let help = "check the arguments of the launches: is another array given there? Or is nothing \
                        stored of what is computed from it? Then the compiler leaves the reads out";
            return self.note_unused(message, given_at.clone(), Vec::new(), help);
        }
        let width = read.width().max(1);
        let [all, unread] = [given.bytes(), bytes].map(|bytes| thousands((bytes / width) as i64));
        let message = format!(
            "{unread} of the {all} elements that are copied to `{name}` are read by no thread, `{name}[{}]` \
             first",
            first / width
        );
        let copied = given_at.clone().map(|(file, line)| {
            let message = format!("`{name}` is copied to the device here");
            Site { file, line, message }
        });
        let help = "check what this line is guarded by, and its index: does it come to the last element?";
        self.note_unused(message, line(self.module, read.loc()), copied.into_iter().collect(), help);
    }

    fn note_unused(&mut self, message: String, place: Option<Place>, related: Vec<Site>, help: &str) {
        self.note(Kind::NeverRead, message, place, related, help);
    }

    fn note(&mut self, kind: Kind, message: String, place: Option<Place>, related: Vec<Site>, help: &str) {
        let what = ptx_simulator::Words { message, related };
        let mut found = Diagnostic::of_host(kind, None, what, help);
        (found.file, found.line) = place.unzip();
        self.found_now(Diagnostic { severity: Severity::Note, ..found });
    }
}

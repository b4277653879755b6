//! never-read, in a program that fails though nothing else is wrong: what it has copied to the device and no
//! thread reads, and what the last launch has left in an array and nothing reads. An index that stops too
//! early is like that, a wrong argument, and a copy of the wrong one of two arrays that change places.

use std::collections::BTreeMap;

use ptx_simulator::host::Call;
use ptx_simulator::{Diagnostic, Kind, Owner, Severity, Site, address_of};
use text::number::thousands;

use super::queue::{Operation, Work};
use super::touched::{Touched, Way, Words, line};
use crate::runtime::Runtime;

type Place = (String, u32);

/// What became of the arrays of the device, by the numbers of their allocations.
#[derive(Debug, Default)]
pub struct Unused {
    arrays: BTreeMap<u64, Array>,
    /// Whether a launch was not listened to, or not to its end.
    has_gap: bool,
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
    left: Option<Left>,
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
        for (number, words) in of_device(Way::Reads).chain(of_device(Way::Atomic)) {
            let array = unused.arrays.entry(number).or_default();
            array.is_read(words);
            if matches!(operation.work, Work::Kernel(_)) {
                array.read.join(words);
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
                    array.left = None;
                    if call.simulator.allocation(from.address).is_none_or(|from| from.0 != Owner::Device) {
                        array.given.join(words);
                        array.given_at = place;
                    }
                }
                _ => array.left = None,
            }
        }
    }

    /// The program has failed, and nothing says why.
    pub fn say_unused(&mut self) {
        let Unused { arrays, has_gap } = std::mem::take(self.kept.get::<Unused>());
        // A launch that failed, and that the program has asked about, reads nothing either.
        let is_wrong =
            |found: &Diagnostic| found.severity != Severity::Note || found.kind == Kind::LaunchLimit;
        if has_gap || self.found.iter().any(|timed| is_wrong(&timed.found)) {
            return;
        }
        for array in arrays.into_values().filter(|array| !array.name.is_empty()) {
            self.say_unread_input(&array);
            if let Some(left) = &array.left {
                let message = format!("nothing reads what `{}` has left in `{}`", left.by, array.name);
                let help = format!("copy back `{}`, or give it to what comes next", array.name);
                self.note_unused(message, left.place.clone(), Vec::new(), &help);
            }
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
            let help = "check the arguments of the launches: is another array given in its place?";
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
        let what = ptx_simulator::Words { message, related };
        let mut found = Diagnostic::of_host(Kind::NeverRead, None, what, help);
        (found.file, found.line) = place.unzip();
        self.found_now(Diagnostic { severity: Severity::Note, ..found });
    }
}

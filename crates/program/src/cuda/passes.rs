//! never-read: what a launch has left in an array, and nothing reads, though a later launch is for so many
//! elements. A reduction in two passes is like that whose second pass is given the input again.
//!
//! Much is left and not read, and nothing is wrong: the result of a launch that warms up or is timed, of one
//! block size that is tried after another, of a step of many. So three things have to come together: a later
//! launch has a number, or as many threads, as elements were left, which the earlier one does not have; it
//! reads an array that the earlier one has read too; and what was left is overwritten by it, or it is never
//! read until it is freed.

use ptx_simulator::host::Call;
use ptx_simulator::{Diagnostic, Kind, Owner, Severity, Site, Words, address_of, number_and_offset};
use rustc_hash::FxHashMap;
use text::number::thousands;

use super::error::Errors;
use super::queue::{Operation, Work};
use super::shape::Shape;
use super::touched::{Listener, Touched, Way};
use crate::runtime::Runtime;

/// Accesses of warps that are listened to, of all launches together.
const MOST: u64 = 1 << 18;

/// What launches have left that nothing has read yet.
#[derive(Debug)]
pub struct Passes {
    /// By the numbers of allocations.
    left: FxHashMap<u64, Left>,
    /// Accesses that are still listened to.
    hears: u64,
}

impl Default for Passes {
    fn default() -> Passes {
        Passes { left: FxHashMap::default(), hears: MOST }
    }
}

/// What a launch has left in an array.
#[derive(Debug)]
struct Left {
    by: Shape,
    words: super::touched::Words,
    elements: u64,
    /// The arrays that it has read.
    inputs: Vec<u64>,
    /// The launch that is for so many elements, and the array that both have read.
    pass: Option<(Shape, u64)>,
}

impl Left {
    /// Whether an operation reads any of it.
    fn is_read(&self, number: u64, touched: &Touched) -> bool {
        let ways = [Way::Reads, Way::Atomic].into_iter();
        ways.filter_map(|way| touched.of(number, way)).any(|words| words.meets(&self.words))
    }

    fn is_overwritten(&self, number: u64, touched: &Touched) -> bool {
        touched.of(number, Way::Writes).is_some_and(|words| words.meets(&self.words))
    }

    /// The array that a later launch has read instead, if it is for as many elements as this has.
    fn input_of(&self, later: &Shape, touched: &Touched) -> Option<u64> {
        let is_for_it = later.sizes().contains(&self.elements) && !self.by.sizes().contains(&self.elements);
        let is_read = |input: &&u64| touched.of(**input, Way::Reads).is_some();
        self.inputs.iter().find(is_read).copied().filter(|_| is_for_it)
    }
}

impl Runtime<'_> {
    /// How many accesses of the next launch are listened to.
    pub fn hears_passes(&mut self) -> u64 {
        if self.device.has_checks() { self.kept.get::<Passes>().hears } else { 0 }
    }

    /// A kernel has run.
    pub fn passed(&mut self, call: &Call, operation: &Operation, listener: &Listener) {
        let Work::Kernel(kernel) = &operation.work else { return };
        let passes = self.kept.get::<Passes>();
        passes.hears = passes.hears.min(listener.left());
        if passes.hears == 0 {
            passes.left.clear();
            return;
        }
        let touched = &listener.touched;
        let shape = Shape::of(self, call, kernel, operation.issued.place.as_ref());
        let mut lost = Vec::new();
        self.kept.get::<Passes>().left.retain(|number, left| {
            if left.is_read(*number, touched) {
                return false;
            }
            if left.pass.is_none() {
                left.pass = left.input_of(&shape, touched).map(|input| (shape.clone(), input));
            }
            let is_overwritten = left.is_overwritten(*number, touched);
            let by_it = left.pass.as_ref().filter(|(pass, _)| is_overwritten && pass.place == shape.place);
            lost.extend(by_it.map(|pass| (*number, said(left, pass))));
            !is_overwritten
        });
        for (number, lost) in lost {
            self.say_lost(call, number, lost);
        }
        let is_of_device = |number: u64| {
            let owner = call.simulator.allocation(address_of(number, 0)).map(|found| found.0);
            owner == Some(Owner::Device)
        };
        let inputs: Vec<u64> = touched.all(Way::Reads).into_iter().map(|(number, _)| number).collect();
        for (number, words) in touched.all(Way::Writes) {
            let elements = words.elements().filter(|elements| *elements > 1 && is_of_device(number));
            let Some(elements) = elements else { continue };
            let inputs = inputs.iter().copied().filter(|input| *input != number).collect();
            let left = Left { by: shape.clone(), words: words.clone(), elements, inputs, pass: None };
            if !left.is_read(number, touched) {
                self.kept.get::<Passes>().left.insert(number, left);
            }
        }
    }

    /// Something else than a kernel has been done: a copy, a memset.
    pub fn passes_by(&mut self, touched: &Touched) {
        let left = &mut self.kept.get::<Passes>().left;
        left.retain(|number, left| !left.is_read(*number, touched) && !left.is_overwritten(*number, touched));
    }

    /// An allocation is given back, or the program ends: what was left there and never read.
    pub fn say_left(&mut self, call: &Call, address: Option<u64>) {
        let number = address.map(|address| number_and_offset(address).0);
        let left = &mut self.kept.get::<Passes>().left;
        let is_meant = |known: &u64| number.is_none_or(|number| number == *known);
        let mut numbers: Vec<u64> = left.keys().copied().filter(is_meant).collect();
        numbers.sort_unstable();
        for number in numbers {
            let left = self.kept.get::<Passes>().left.remove(&number);
            if let Some(left) = left
                && let Some(pass) = &left.pass
            {
                self.say_lost(call, number, said(&left, pass));
            }
        }
    }

    fn say_lost(&mut self, call: &Call, number: u64, lost: Lost) {
        if self.kept.get::<Errors>().sticky.is_some() {
            return;
        }
        let [name, input] = [number, lost.input].map(|number| call.simulator.name_of(address_of(number, 0)));
        if name.is_empty() || input.is_empty() {
            return;
        }
        let elements = thousands(lost.elements as i64);
        let is_one_line = lost.by.place == lost.place;
        let message = format!(
            "what `{}` left in `{name}`, {elements} elements, is never read: this launch is for {elements} \
             elements, and reads `{input}` again",
            lost.by.name
        );
        let launched = lost.by.place.map(|(file, line)| {
            let message = format!("`{}` is launched here, and leaves {elements} in `{name}`", lost.by.name);
            Site { file, line, message }
        });
        let help = if is_one_line {
            format!(
                "let the next turn read what this one leaves: exchange the pointers to `{input}` and \
                 `{name}` after this launch, and take the result from `{input}` after the loop"
            )
        } else {
            format!("let this launch read `{name}`, in place of `{input}`")
        };
        let what = Words { message, related: launched.into_iter().collect() };
        let mut found = Diagnostic::of_host(Kind::NeverRead, None, what, &help);
        (found.file, found.line) = lost.place.unzip();
        self.add(Diagnostic { severity: Severity::Note, ..found });
    }
}

/// What is lost: who has left it, where the later pass is launched, and which array that reads again.
struct Lost {
    by: Shape,
    elements: u64,
    place: Option<(String, u32)>,
    input: u64,
}

fn said(left: &Left, (pass, input): &(Shape, u64)) -> Lost {
    Lost { by: left.by.clone(), elements: left.elements, place: pass.place.clone(), input: *input }
}

//! What a program calls and does not define: the functions that stand for it, and what a call of one sees.

use super::thread::Host;
use super::undefined::{Lost, Origin, Undefined};
use crate::diagnostic::Diagnostic;
use crate::memory::{Wrong, read, span};
use crate::simulator::Simulator;
use crate::what::{Access, Matters};

/// Why the thread stopped.
#[derive(Debug)]
pub enum Stop {
    /// The program has ended itself: `exit`, with its status.
    Exit(i32),
    /// Something is wrong that ends it.
    Fault(Box<Diagnostic>),
}

impl From<Box<Diagnostic>> for Stop {
    fn from(found: Box<Diagnostic>) -> Stop {
        Stop::Fault(found)
    }
}

/// What a native gives back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Given {
    /// Nothing.
    Nothing,
    /// 32 bits, of whatever type.
    Word(u32),
    /// 64 bits.
    Long(u64),
    /// A `float`.
    Float(f32),
    /// A `double`.
    Double(f64),
    /// A structure of two words of 64 bits.
    Pair([u64; 2]),
}

impl Given {
    /// The bytes of it, and how many there are.
    pub(super) fn words(self) -> ([u64; 2], usize) {
        match self {
            Given::Nothing => ([0; 2], 0),
            Given::Word(word) => ([u64::from(word), 0], 4),
            Given::Long(long) => ([long, 0], 8),
            Given::Float(value) => ([u64::from(value.to_bits()), 0], 4),
            Given::Double(value) => ([value.to_bits(), 0], 8),
            Given::Pair(words) => (words, 16),
        }
    }
}

/// The functions that the program calls and does not define.
pub trait Natives {
    /// The number of the function that has this name, if there is one.
    fn find(&self, name: &str) -> Option<u32>;

    /// Calls one.
    ///
    /// # Errors
    /// The program ends by it.
    fn call(&mut self, native: u32, call: &mut Call) -> Result<Given, Stop>;

    /// Is called now and then while the program runs.
    ///
    /// # Errors
    /// The program has run for long enough, or has what it may not.
    fn tick(&mut self, host: &Host, simulator: &Simulator) -> Result<(), Stop>;
}

/// A call of a native.
pub struct Call<'c> {
    /// The thread that calls.
    pub host: &'c mut Host,
    /// The memory.
    pub simulator: &'c mut Simulator,
    /// Where the arguments lie in the caller's frame.
    pub(super) args: &'c [usize],
}

impl<'c> Call<'c> {
    /// What is done at the end of the program, as a call without arguments.
    pub fn at_end(host: &'c mut Host, simulator: &'c mut Simulator) -> Call<'c> {
        Call { host, simulator, args: &[] }
    }
}

impl Call<'_> {
    /// How many arguments there are.
    pub fn count(&self) -> usize {
        self.args.len()
    }

    /// `bytes` bytes (at most eight) of argument `number`, from `offset` on. An argument that is not there is
    /// 0.
    pub fn part(&self, number: usize, offset: usize, bytes: usize) -> u64 {
        let Some(start) = self.args.get(number) else { return 0 };
        self.host.frames.get(span((self.host.frame + start + offset) as u64, bytes)).map_or(0, read)
    }

    /// An argument of 64 bits.
    pub fn long(&self, number: usize) -> u64 {
        self.part(number, 0, 8)
    }

    /// An argument of 32 bits.
    pub fn word(&self, number: usize) -> u32 {
        self.part(number, 0, 4) as u32
    }

    /// A `float`.
    pub fn float(&self, number: usize) -> f32 {
        f32::from_bits(self.word(number))
    }

    /// A `double`.
    pub fn double(&self, number: usize) -> f64 {
        f64::from_bits(self.long(number))
    }

    /// An access that a native does for the program is wrong: what is said, at the line of the call.
    pub fn wrong(&self, does: Access, address: u64, bytes: usize, wrong: Wrong) -> Box<Diagnostic> {
        self.host.wrong(&self.simulator.memory, does, (address, bytes), wrong)
    }

    /// Notes what a native does to memory for the program, as the thread's own accesses are noted.
    pub fn note(&mut self, does: Access, address: u64, bytes: usize) {
        let memory = &mut self.simulator.memory;
        if !memory.noting {
            return;
        }
        let (function, pc) = self.host.here;
        let inst = self.host.program.functions.get(function).and_then(|open| open.code.get(pc as usize));
        let loc = inst.map_or(0, |inst| inst.loc);
        memory.note(address, bytes as u64, does != Access::Load, loc);
    }

    /// Whether the first `bytes` bytes of an argument have been written; else where they were read.
    fn undefined(&self, number: usize, bytes: usize) -> Option<Origin> {
        let start = self.host.frame + self.args.get(number)?;
        (start..start + bytes).find_map(|byte| self.host.undefined.in_frames(byte))
    }

    /// What is said of an argument that was never written, if there is one.
    pub fn unwritten_argument(&self) -> Option<Lost> {
        if !self.host.undefined.is_any() {
            return None;
        }
        // No argument is shorter.
        let read = (0..self.count()).find_map(|number| self.undefined(number, 4))?;
        let found = Undefined::said(Matters::Argument, self.host.place(), self.host.place_at(read.loc));
        Some(Lost { found, read: (read.address, read.bytes), at: self.host.steps })
    }
}

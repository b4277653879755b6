//! Where the thread is: lines of the reader's program before lines of a library's header.

use std::cell::OnceCell;
use std::rc::Rc;

use super::code::Code;
use super::thread::{Activation, Host};
use crate::decode::Program;
use crate::decode::lines::is_header;

/// The place of a line of the program's line table.
pub(super) fn place_at(program: &Program, loc: u32) -> Option<(String, u32)> {
    let (file, line) = program.place(loc, 0);
    file.zip(line)
}

/// The places of the calls that are open, the innermost first, which is at `here`.
pub(super) fn open_places<'h>(
    program: &'h Program,
    codes: &'h [OnceCell<Rc<Code>>],
    calls: &'h [Activation],
    here: (usize, u32),
) -> impl Iterator<Item = (String, u32)> + 'h {
    let callers = calls.iter().rev().skip(1).filter_map(|open| {
        let code = codes[open.function].get()?;
        let pc = code.from.get(open.at.saturating_sub(1))?;
        Some((open.function, *pc))
    });
    [here].into_iter().chain(callers).filter_map(|(function, pc)| {
        let inst = program.functions.get(function)?.code.get(pc as usize)?;
        let (file, line) = program.place(inst.loc, inst.line);
        file.zip(line)
    })
}

/// The innermost place that is not in a header of a library; the innermost if all are.
pub(super) fn own(places: impl Iterator<Item = (String, u32)>) -> Option<(String, u32)> {
    let mut innermost = None;
    for place in places {
        if !is_header(&place.0) {
            return Some(place);
        }
        innermost = innermost.or(Some(place));
    }
    innermost
}

impl Host {
    /// Where the program is: file and line, in a header of a library only if nothing else has called it.
    pub fn place(&self) -> Option<(String, u32)> {
        own(self.places())
    }

    /// The place of a line of the program's line table.
    pub fn place_at(&self, loc: u32) -> Option<(String, u32)> {
        place_at(&self.program, loc)
    }

    /// The places of all calls that are open, the innermost first.
    pub fn places(&self) -> impl Iterator<Item = (String, u32)> + '_ {
        open_places(&self.program, &self.codes, &self.calls, self.here)
    }

    /// The line at which the thread has been most often: for what takes long.
    pub fn busiest(&self) -> Option<(String, u32)> {
        let (loc, _) = self.ticks.iter().max_by_key(|(_, count)| **count)?;
        let (file, line) = self.program.place(*loc, 0);
        file.zip(line)
    }

    /// The line where the thread is.
    pub(super) fn loc(&self) -> u32 {
        let (function, pc) = self.here;
        self.program.functions[function].code[pc as usize].loc
    }
}

//! The loop that does the program's steps.

use std::rc::Rc;

use super::code::{Code, Rare, Step};
use super::natives::Stop;
use super::places::{open_places, own, place_at};
use super::thread::Host;
use super::undefined::{Lost, Origin, Undefined};
use crate::arith::combine;
use crate::memory::{extend, read, write};
use crate::simulator::Simulator;
use crate::what::Access;

/// Steps between two looks at [`Natives::tick`].
pub(super) const TICK: u32 = 1 << 20;

/// Why the loop was left.
pub(super) enum Done {
    /// It calls: the step.
    Calls(Rc<Code>, usize),
    Returns,
    Ticks,
    /// A value that was never written was read, or is followed no more.
    Follows,
}

impl Host {
    /// Runs the function on top until it calls, returns, or is to be looked at; with `FOLLOWS`, values that
    /// were never written are followed.
    pub(super) fn run_function<const FOLLOWS: bool>(
        &mut self,
        simulator: &mut Simulator,
    ) -> Result<Done, Stop> {
        let Some(open) = self.calls.last().copied() else { return Ok(Done::Returns) };
        let code = self.code(open.function);
        let memory = &mut simulator.memory;
        let values = &mut self.values[open.values..];
        let steps = &code.steps[..];
        let mut at = open.at;
        let mut left = TICK;
        macro_rules! get {
            ($slot:expr) => {
                values[*$slot as usize]
            };
        }
        // Leaves the loop: where the thread is has to be known to whoever comes next.
        macro_rules! stop {
            ($next:expr, $done:expr) => {{
                self.steps += u64::from(TICK - left);
                self.here = (open.function, code.from[at]);
                let last = self.calls.len() - 1;
                self.calls[last].at = $next;
                return $done;
            }};
        }
        macro_rules! loc {
            () => {
                self.program.functions[open.function].code[code.from[at] as usize].loc
            };
        }
        macro_rules! load {
            ($base:expr, $offset:expr, $bytes:expr, $d:expr, $signed:expr) => {{
                let address = get!($base).wrapping_add(*$offset as u64);
                if memory.noting {
                    memory.note(address, $bytes as u64, false, loc!());
                }
                match memory.host_load(address, $bytes) {
                    Ok((value, 0)) => {
                        get!($d) = if $signed { extend(value, $bytes as u32, true) } else { value };
                        if FOLLOWS {
                            self.undefined.clear(open.values + *$d as usize);
                        }
                    }
                    Ok((value, lost)) => {
                        get!($d) = if $signed { extend(value, $bytes as u32, true) } else { value };
                        let read = Origin { loc: loc!(), address, bytes: $bytes as u8 };
                        self.undefined.load(open.values + *$d as usize, lost, $signed, read);
                        if !FOLLOWS {
                            stop!(at + 1, Ok(Done::Follows));
                        }
                    }
                    Err(wrong) => {
                        stop!(at, Err(self.wrong(memory, Access::Load, (address, $bytes), wrong).into()))
                    }
                }
            }};
        }
        macro_rules! store {
            ($base:expr, $offset:expr, $bytes:expr, $s:expr) => {{
                let address = get!($base).wrapping_add(*$offset as u64);
                if memory.noting {
                    memory.note(address, $bytes as u64, true, loc!());
                }
                let lost = if FOLLOWS { self.undefined.bytes(open.values + *$s as usize) } else { 0 };
                if lost != 0 {
                    self.undefined.store(open.values + *$s as usize, address);
                }
                if let Err(wrong) = memory.host_store(address, $bytes, get!($s), lost) {
                    stop!(at, Err(self.wrong(memory, Access::Store, (address, $bytes), wrong).into()))
                }
            }};
        }
        loop {
            if left == 0 {
                stop!(at, Ok(Done::Ticks));
            }
            left -= 1;
            let step = &steps[at];
            if FOLLOWS {
                if !self.undefined.is_any() {
                    stop!(at, Ok(Done::Follows));
                }
                let function = &self.program.functions[open.function];
                if let Some((matters, read)) =
                    self.undefined.follow(function, &code, at, values, (open.values, self.frame))
                {
                    self.here = (open.function, code.from[at]);
                    if self.said.insert(self.here) {
                        let place = own(open_places(&self.program, &self.codes, &self.calls, self.here));
                        let found = Undefined::said(matters, place, place_at(&self.program, read.loc));
                        // A loop that the compiler has unrolled has several instructions for a line.
                        if !self.found.iter().any(|known| known.found == found) {
                            let at = self.steps + u64::from(TICK - left);
                            self.found.push(Lost { found, read: (read.address, read.bytes), at });
                        }
                    }
                }
            }
            match step {
                Step::Move { d, a } => get!(d) = get!(a),
                Step::Add64 { d, a, b } => get!(d) = get!(a).wrapping_add(get!(b)),
                Step::Add32 { d, a, b } => get!(d) = u64::from((get!(a) as u32).wrapping_add(get!(b) as u32)),
                Step::Alu { f, d, a, b, c } => get!(d) = f(get!(a), get!(b), get!(c)),
                Step::Load4 { base, d, offset } => load!(base, offset, 4, d, false),
                Step::Load8 { base, d, offset } => load!(base, offset, 8, d, false),
                Step::Load { base, d, offset, bytes, signed } => {
                    load!(base, offset, usize::from(*bytes), d, *signed)
                }
                Step::Store4 { base, s, offset } => store!(base, offset, 4, s),
                Step::Store8 { base, s, offset } => store!(base, offset, 8, s),
                Step::Store { base, s, offset, bytes } => store!(base, offset, usize::from(*bytes), s),
                Step::Test { f, d, a, b, negated } => get!(d) = u64::from(f(get!(a), get!(b)) != *negated),
                Step::TestJump { f, d, a, b, to, negated, if_not } => {
                    let holds = f(get!(a), get!(b)) != *negated;
                    get!(d) = u64::from(holds);
                    if holds != *if_not {
                        at = *to as usize;
                        continue;
                    }
                }
                Step::Jump { to } => {
                    at = *to as usize;
                    continue;
                }
                Step::JumpIf { p, negated, to } => {
                    if (get!(p) != 0) != *negated {
                        at = *to as usize;
                        continue;
                    }
                }
                Step::SkipUnless { p, negated, to } => {
                    if (get!(p) != 0) == *negated {
                        at = *to as usize;
                        continue;
                    }
                }
                Step::Select { d, a, b, p, negated } => {
                    get!(d) = if (get!(p) != 0) != *negated { get!(a) } else { get!(b) };
                }
                Step::LoadParam { d, offset, bytes, signed } => {
                    let start = self.frame + *offset as usize;
                    let value = read(&self.frames[start..start + usize::from(*bytes)]);
                    get!(d) = extend(value, u32::from(*bytes), *signed);
                }
                Step::StoreParam { s, offset, bytes } => {
                    let start = self.frame + *offset as usize;
                    write(&mut self.frames[start..start + usize::from(*bytes)], get!(s));
                }
                Step::Rare(rare) => match &**rare {
                    Rare::Switch { index, to } => match to.get(get!(index) as u32 as usize) {
                        Some(to) => {
                            at = *to as usize;
                            continue;
                        }
                        None => stop!(at, Err(self.lost_way().into())),
                    },
                    Rare::LoadMany { base, offset, d, bytes, signed } => {
                        for (number, d) in d.iter().enumerate() {
                            let offset = offset + (number * bytes) as i64;
                            load!(base, &offset, *bytes, d, *signed);
                        }
                    }
                    Rare::StoreMany { base, offset, s, bytes } => {
                        for (number, s) in s.iter().enumerate() {
                            let offset = offset + (number * bytes) as i64;
                            store!(base, &offset, *bytes, s);
                        }
                    }
                    Rare::Atomic { base, offset, op, bytes, d, b, c } => {
                        let address = get!(base).wrapping_add(*offset as u64);
                        let width = *bytes as usize;
                        let loaded = memory.host_load(address, width).map(|(old, _)| {
                            let new = combine(*op, *bytes, old, get!(b), get!(c));
                            (old, memory.host_store(address, width, new, 0))
                        });
                        match loaded {
                            Ok((old, Ok(()))) => get!(d) = old,
                            Ok((_, Err(wrong))) | Err(wrong) => {
                                let does = Access::Atomic { returns: true };
                                stop!(at, Err(self.wrong(memory, does, (address, width), wrong).into()))
                            }
                        }
                    }
                    Rare::Trap => stop!(at, Err(self.trap().into())),
                    Rare::Exit => stop!(at, Err(Stop::Exit(0))),
                    Rare::Unsupported(opcode) => stop!(at, Err(self.unsupported(opcode).into())),
                    rare => {
                        let inst = &self.program.functions[open.function].code[code.from[at] as usize];
                        let function = &self.program.functions[open.function];
                        let frame = &mut self.frames[self.frame..];
                        super::values::execute(rare, &inst.op, function, values, frame, self.steps);
                    }
                },
                Step::Call(_) => stop!(at + 1, Ok(Done::Calls(code.clone(), at))),
                Step::Return => stop!(at, Ok(Done::Returns)),
            }
            at += 1;
        }
    }
}

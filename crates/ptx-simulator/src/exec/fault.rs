//! What is said where an instruction goes wrong, and at which line.

use std::ops::RangeInclusive;

use super::context::{At, Context};
use super::forever::Forever;
use super::overflow::Overflow;
use super::split::Split;
use super::still::Cycle;
use super::warp::Warp;
use crate::arith::WARP;
use crate::decode::{Inst, Op};
use crate::device::{DeviceProperties, Residency, Scarce, count_in, index_in};
use crate::diagnostic::{Diagnostic, Kind};
use crate::memory::{Owner, Wrong};
use crate::observe::{Access, Event, Request};
use crate::ptx::Space;
use crate::what::{Endless, Region, Site, Spot, What, Words, thousands};
use crate::words::of_bytes;

/// Blocks of a grid that cannot start, since those that wait leave no room.
pub struct Unstarted {
    /// Blocks of the grid, and how many have started and not ended.
    pub blocks: u64,
    pub started: u64,
    pub under_way: u64,
    pub residency: Residency,
}

/// Below this address lies what a null pointer and an index lead to.
const NULL: u64 = 1 << 20;

impl Unstarted {
    /// What is wrong, and what to do.
    fn said(&self, device: &DeviceProperties) -> (String, String) {
        let Residency { per_multiprocessor, blocks: fit, scarce, counts_registers } = self.residency;
        let limit = match scarce {
            Scarce::Blocks => format!("{} blocks", device.blocks_per_multiprocessor),
            Scarce::Threads => {
                format!("{} threads", thousands(u64::from(device.warps_per_multiprocessor) * WARP as u64))
            }
            Scarce::Registers => {
                format!("{} registers", thousands(u64::from(device.registers_per_multiprocessor)))
            }
            Scarce::SharedMemory => {
                format!("{} bytes of shared memory", thousands(device.shared_per_multiprocessor as u64))
            }
        };
        let what = format!(
            "a loop waits for blocks that cannot start: {} of the grid's {} blocks fit at a time on the {} \
             ({per_multiprocessor} on each of {} multiprocessors, which hold {limit}); the {} under way all \
             wait, and leave no room for the other {}",
            thousands(fit.into()),
            thousands(self.blocks),
            device.name,
            device.multiprocessors,
            thousands(self.under_way),
            thousands(self.blocks - self.started)
        );
        let registers = if counts_registers {
            ""
        } else {
            "; registers, which PTX does not tell, may leave room for fewer"
        };
        let help = format!(
            "launch at most {} blocks and let each take several shares of the work, or let no block wait for \
             one that comes later{registers}",
            thousands(fit.into())
        );
        (what, help)
    }
}

impl Context<'_> {
    /// A diagnostic at an instruction, blaming the first of its lanes.
    pub fn fault(
        &self,
        warp: &Warp,
        at: At,
        kind: Kind,
        what: impl Into<What>,
        help: &str,
    ) -> Box<Diagnostic> {
        let lane = at.mask.trailing_zeros().min(WARP as u32 - 1);
        let (file, line) = self.program.place(at.inst.loc, at.inst.line);
        Box::new(Diagnostic {
            kernel: Some(self.kernel.to_string()),
            file,
            line,
            block: Some(self.block.index),
            thread: Some(index_in(self.block_dim, (warp.index * WARP as u32 + lane).into())),
            ..Diagnostic::new(kind, what, help)
        })
    }

    /// Something is wrong at an instruction that does not stop the launch.
    pub fn find(&mut self, warp: &Warp, at: At, kind: Kind, what: impl Into<What>, help: &str) {
        let finding = self.fault(warp, at, kind, what, help);
        self.tell(&finding);
    }

    /// Tells the checks of what is wrong.
    pub fn tell(&mut self, found: &Diagnostic) {
        let grid = self.grid;
        let block = self.block.linear;
        self.observer.event(&Event::Finding { grid, block, found });
    }

    /// The launch has used up its instructions.
    #[cold]
    pub fn endless(&self, warp: &Warp, at: At) -> Box<Diagnostic> {
        if let Some(found) = warp.running().find_map(|split| self.forever(warp, split, false)) {
            return found;
        }
        if let Some(expected) = self.progress.expected {
            let at = At { inst: Context::busiest(at), ..at };
            let help = "run a smaller problem";
            return self.fault(warp, at, Kind::StepLimit, What::TooLong { expected }, help);
        }
        let what = format!(
            "the launch has executed {} warp instructions, its limit: a loop or a recursion does not \
             end, or needs more",
            thousands(self.progress.executed)
        );
        let help = "look at what the loop waits for, and whether some thread can still bring it about; a \
                    launch that does end may be given a higher limit";
        self.fault(warp, at, Kind::StepLimit, what, help)
    }

    /// An instruction of the line that has most of the innermost loop that an instruction is in, or of the
    /// longest loop if it is in none.
    fn busiest<'e>(At { inst, function, .. }: At<'e>) -> &'e Inst {
        let Some(pc) = function.code.iter().position(|one| std::ptr::eq(one, inst)) else { return inst };
        let back = |(end, one): (usize, &Inst)| match one.op {
            Op::Branch { target, .. } if target as usize <= end => Some(target as usize..=end),
            _ => None,
        };
        let loops = || function.code.iter().enumerate().filter_map(back);
        let length = |one: &RangeInclusive<usize>| one.end() - one.start();
        let inner = loops().filter(|one| one.contains(&pc)).min_by_key(length);
        let Some(inner) = inner.or_else(|| loops().max_by_key(length)) else { return inst };
        let body = &function.code[inner];
        let count = |one: &&Inst| body.iter().filter(|other| other.loc == one.loc).count();
        body.iter().max_by_key(count).unwrap_or(inst)
    }

    /// What is wrong where lanes are in a loop that never ends. `frozen`: memory no longer changes.
    #[cold]
    pub fn forever(&self, warp: &Warp, split: &Split, frozen: bool) -> Option<Box<Diagnostic>> {
        let Forever { pc, compared } = warp.forever(split, self.program, frozen)?;
        let at = self.at_split(warp, split);
        let at = At { inst: &at.function.code[pc], ..at };
        let what = What::Endless(Endless { compared, ..Endless::default() });
        let help = "look at the condition that ends the loop, and at what changes the variables in it";
        Some(self.fault(warp, at, Kind::StepLimit, what, help))
    }

    /// Somebody wants the launch to stop.
    #[cold]
    pub fn stopped(&self) -> Box<Diagnostic> {
        let what = format!(
            "stopped after {} warp instructions, before the launch had ended",
            thousands(self.progress.executed)
        );
        let help = "what is said here holds for what was executed until then";
        Box::new(Diagnostic::of_host(Kind::StepLimit, Some(self.kernel), what, help))
    }

    /// What the checks remember has no room any more.
    #[cold]
    pub fn out_of_memory(&self) -> Box<Diagnostic> {
        let launches = match self.launches.bytes {
            0 => String::new(),
            bytes => format!(", {} for launches by device code that have not ended", thousands(bytes)),
        };
        let checks =
            if self.checks { ", and the rest for what the checks remember about accesses" } else { "" };
        let what = format!(
            "the launch needs more memory than its limit of {} bytes: {} for buffers and \
             variables{launches}{checks}",
            thousands(self.memory.most_bytes),
            thousands(self.memory.live_bytes)
        );
        let help = if self.launches.bytes > self.memory.most_bytes / 2 {
            "look at what ends the recursion of launches, and launch every parameter buffer"
        } else {
            "run a smaller problem"
        };
        Box::new(Diagnostic::of_host(Kind::MemoryLimit, Some(self.kernel), what, help))
    }

    /// No warp can get on any more: this one runs in a cycle.
    #[cold]
    pub fn livelock(&self, warp: &Warp, cycle: Cycle, unstarted: Option<Unstarted>) -> Box<Diagnostic> {
        let split = warp.running().last().unwrap_or(&warp.splits[warp.splits.len() - 1]);
        let at = self.at_split(warp, split);
        if let Some(found) = self.forever(warp, split, true) {
            return found;
        }
        let Cycle::Waits(function, pc) = cycle else {
            let what = "a loop does not end: every thread is spinning or waiting, and nothing in memory \
                        changes any more";
            let help = "look at the condition that ends the loop: nothing that it is computed from changes";
            return self.fault(warp, at, Kind::StepLimit, what, help);
        };
        let function = &self.program.functions[function];
        let inst = &function.code[pc as usize];
        let at = At { inst, function, ..at };
        if let Some(unstarted) = unstarted {
            let (what, help) = unstarted.said(self.device);
            return self.fault(warp, at, Kind::Deadlock, what, &help);
        }
        let said = self.waits_for_the_grid(warp, split, (function, inst));
        if let Some((what, help)) = said.or_else(|| self.held(warp, split, (function, inst))) {
            return self.fault(warp, at, Kind::Deadlock, what, help);
        }
        let what = "a loop waits for a value that is not stored any more: every thread that has not exited \
                    is spinning or waiting, and nothing in memory changes any more";
        let help = "look at what the loop waits for: nobody stores it, or it was overwritten before this \
                    thread looked, as a flag or a counter is that the next round uses again; give each round \
                    a number or a word of its own";
        self.fault(warp, at, Kind::Deadlock, what, help)
    }

    #[cold]
    pub fn misaligned(&self, warp: &Warp, at: At, lane: usize, request: &Request) -> Box<Diagnostic> {
        self.fault(
            warp,
            at.lane(lane),
            Kind::Misaligned,
            format!(
                "{} at address {:#x}, which is not a multiple of {}",
                of_bytes(request.access, request.bytes),
                request.addresses[lane],
                request.bytes
            ),
            "an access must be aligned to its own size: check the pointer's type and the index arithmetic",
        )
    }

    #[cold]
    pub fn outside(&self, warp: &Warp, at: At, lane: usize, request: &Request) -> Box<Diagnostic> {
        let address = request.addresses[lane];
        let lane_at = at.lane(lane);
        let what = of_bytes(request.access, request.bytes);
        let outside = |spot| What::Outside { does: request.access, bytes: request.bytes, spot };
        let what: What = match request.space {
            Space::Shared => {
                let block = request.owner.map(|peer| [peer.block as u32, 0, 0]);
                match self.shared.outside(address, block) {
                    Ok(spot) => outside(spot),
                    Err(at) => {
                        let message =
                            format!("{what} at {at:#x} in shared memory, where there is no variable");
                        let help = "an array that is `extern __shared__` has the bytes that the launch gives \
                                    it: <<<blocks, threads, bytes>>>";
                        return self.fault(warp, lane_at, Kind::OutOfBounds, message, help);
                    }
                }
            }
            Space::Local => format!("{what} at offset {address} of local memory").into(),
            Space::Param if request.access == Access::Load => {
                format!("{what} at offset {address} of the parameters").into()
            }
            Space::Param => format!("{what} to the kernel's parameters, which are constant").into(),
            Space::Const if request.access.writes() => {
                format!("{what} to constant memory, which a kernel cannot change").into()
            }
            _ => match self.memory.slice(address, request.bytes as usize) {
                Err(Wrong::Outside { number, offset: byte, bytes: size }) => {
                    let region = self.memory.name(number);
                    outside(Spot::new(region, byte, Some(size)))
                }
                Err(Wrong::Freed) => return self.freed(warp, lane_at, what, address),
                Err(Wrong::OtherSide { number, owner, .. }) => {
                    return self.host_memory(warp, lane_at, &what, (number, owner));
                }
                _ if address < NULL => {
                    let message = format!("{what} at address {address:#x}, through a null pointer");
                    let help = "let the pointer point to a buffer or a variable before this line";
                    return self.fault(warp, lane_at, Kind::OutOfBounds, message, help);
                }
                _ => format!("{what} at address {address:#x}, where nothing has been allocated").into(),
            },
        };
        let help = match self.overflow(warp, lane_at) {
            Some(overflow) => overflow_help(overflow),
            None => index_help(&what, count_in(self.block_dim)).to_string(),
        };
        self.fault(warp, lane_at, Kind::OutOfBounds, what, &help)
    }
}

impl Context<'_> {
    /// A kernel goes through a pointer to memory that has been freed.
    fn freed(&self, warp: &Warp, at: At, what: String, address: u64) -> Box<Diagnostic> {
        let by = self.memory.freed_by(address);
        let is_of_another_grid = by.is_some_and(|by| by.grid != self.grid);
        let before = if is_of_another_grid { ", before this grid ran" } else { "" };
        let site = by.and_then(|by| self.program.locs.get(by.loc as usize));
        let related = site.map(|loc| Site {
            file: loc.file.to_string(),
            line: loc.line,
            message: "it was freed here".to_string(),
        });
        let message = format!("{what} in a buffer that has been freed{before}");
        let words = Words { message, related: related.into_iter().collect() };
        let help = if is_of_another_grid {
            "a launch by device code does not wait for the child: let the child free the memory when it is \
             done, or read and free it in a tail launch after the child"
        } else {
            "free memory after its last use, by all threads that use it"
        };
        self.fault(warp, at, Kind::UseAfterFree, words, help)
    }

    /// A kernel goes through a pointer to memory of the host.
    fn host_memory(&self, warp: &Warp, at: At, what: &str, (number, owner): (u64, Owner)) -> Box<Diagnostic> {
        let name = match self.memory.name(number) {
            Region::Variable(name) => format!(" (`{name}`)"),
            _ => String::new(),
        };
        let whose = match owner {
            Owner::Stack => "a variable in a function of the host",
            Owner::Static => "a variable of the host",
            _ => "memory of the host, which malloc or new gave",
        };
        let message = format!("{what} in {whose}{name}: a kernel does not reach it");
        let help = "give the kernel device memory: cudaMalloc, then cudaMemcpy with cudaMemcpyHostToDevice; \
                    or allocate it by cudaMallocManaged";
        self.fault(warp, at, Kind::HostAccess, message, help)
    }
}

/// What to do about an index that 32 bits were too few for.
fn overflow_help(Overflow { exact, became }: Overflow) -> String {
    let shown = |number: i64| {
        let sign = if number < 0 { "-" } else { "" };
        format!("{sign}{}", thousands(number.unsigned_abs()))
    };
    format!(
        "the index is {}, which does not fit into 32 bits and became {}: compute it in 64 bits, for example \
         with (size_t) before the first factor",
        shown(exact),
        shown(became)
    )
}

/// What to do about an index that leads outside, in a block of so many threads.
fn index_help(what: &What, threads: u64) -> &'static str {
    let index = match what {
        What::Outside { spot, bytes, .. } => spot.byte.div_euclid(i64::from(*bytes)),
        _ => 0,
    };
    match index {
        0.. if counts_elements(what, index, threads) => {
            "the third number of a launch counts bytes of dynamic shared memory, not elements: multiply by \
             sizeof of an element there"
        }
        0.. if dynamic(what).is_some() => {
            "this index takes a larger array than the launch gives: does the kernel count on a block of more \
             threads? Launch that many, and give their bytes as the third number of the launch; or fix the \
             index"
        }
        ..0 => "the index is below 0 here: compare it before this line",
        WRAPPED..=MAX_INDEX => {
            "an unsigned number that goes below 0 wraps to a huge one: compare the two numbers before you \
             subtract"
        }
        _ => {
            "compare the index with the number of elements before this line, also in the last block (of a \
             matrix, row and column each), or fix the index"
        }
    }
}

/// Bytes of the dynamic shared memory that an index leads out of.
fn dynamic(what: &What) -> Option<u64> {
    let What::Outside { spot: Spot { region: Region::Shared { .. }, name: None, size, .. }, .. } = what
    else {
        return None;
    };
    *size
}

/// Whether a launch looks as if it counted the elements of its dynamic shared memory: the one at `index`
/// would be there then, and now there is not even one for each thread.
fn counts_elements(what: &What, index: i64, threads: u64) -> bool {
    let What::Outside { bytes: bytes @ 2.., .. } = what else { return false };
    dynamic(what).is_some_and(|size| index < size as i64 && size < threads * u64::from(*bytes))
}

/// The largest index of 32 bits, and where one begins that has gone a little below 0.
const MAX_INDEX: i64 = u32::MAX as i64;
const WRAPPED: i64 = MAX_INDEX - (1 << 20);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::what::Region;

    #[test]
    fn an_index_below_0_is_told_so_signed_or_not() {
        let help = |index: i64| {
            let spot = Spot::new(Region::Buffer, 4 * index, Some(64));
            index_help(&What::Outside { does: Access::Load, bytes: 4, spot }, 256)
        };
        let shared = |byte: i64, threads: u64| {
            let spot = Spot::new(Region::Shared { start: 0, block: None }, byte, Some(256));
            index_help(&What::Outside { does: Access::Store, bytes: 4, spot }, threads)
        };
        assert!(shared(256, 256).contains("counts bytes of dynamic shared memory"));
        assert!(shared(1020, 256).contains("counts bytes of dynamic shared memory"));
        assert!(shared(1024, 256).contains("a block of more threads"));
        assert!(shared(256, 64).contains("a block of more threads"), "it has an element for each thread");
        assert!(help(-1).contains("below 0 here"));
        assert!(help(0xffff_ffff).contains("wraps to a huge one"));
        assert!(help(16).contains("number of elements"));
        assert!(help(1 << 31).contains("number of elements"));
    }
}

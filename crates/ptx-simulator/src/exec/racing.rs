//! Values from reads that race: which registers and which memory hold them, and where they are used. The
//! checks know the reads by numbers, and what to say (`check/reads.rs`).
//!
//! Used is what decides a branch or a predicate, is part of an address, is stored to global memory or to
//! the shared memory of another block, is an operand of an atomic, of a barrier or of an asynchronous copy,
//! or goes to a function of the runtime. Shared and local memory and parameters of calls keep it, byte by
//! byte.

use rustc_hash::FxHashMap;

use super::context::{At, Context};
use super::follow::{follow_collective, in_local};
use super::undefined::{Origin, RacingReads, of_byte};
use super::warp::Warp;
use crate::arith::{AtomOp, lanes};
use crate::decode::{Callee, Op, Reg};
use crate::observe::{Actor, Given, Request};
use crate::ptx::Space;

impl Context<'_> {
    /// Lanes use what these registers hold.
    #[inline(always)]
    pub fn use_values(&mut self, warp: &mut Warp, at: At, registers: &[Reg]) {
        if warp.activations[at.slot as usize].racing.is_any() {
            self.use_racing_values(warp, at, registers);
        }
    }

    #[cold]
    fn use_racing_values(&mut self, warp: &mut Warp, at: At, registers: &[Reg]) {
        let racing = &warp.activations[at.slot as usize].racing;
        for register in registers {
            let (held, reads) = racing.source(*register);
            if held & at.mask != 0 {
                self.observer.used(reads.numbers(), held & at.mask);
            }
        }
    }

    /// The guard of an instruction decides for lanes whether they execute it.
    #[inline(always)]
    pub fn use_guard(&mut self, warp: &mut Warp, at: At) {
        if warp.activations[at.slot as usize].racing.is_any() {
            self.use_racing_guard(warp, at);
        }
    }

    #[cold]
    fn use_racing_guard(&mut self, warp: &mut Warp, at: At) {
        let (held, reads) = warp.activations[at.slot as usize].racing.predicate(at.inst.guard);
        if held & at.mask != 0 {
            self.observer.used(reads.numbers(), held & at.mask);
        }
    }

    /// Lanes execute an instruction that uses its operands, whatever comes of them.
    #[cold]
    pub fn use_operands(&mut self, warp: &mut Warp, at: At) {
        match &at.inst.op {
            Op::Barrier { .. }
            | Op::Mbarrier { .. }
            | Op::CopyAsync { .. }
            | Op::BranchIndexed { .. }
            | Op::WarpBarrier { .. } => {}
            Op::Call { callee, .. } => {
                if matches!(callee, Callee::External { .. }) {
                    for ((lane, _), reads) in &warp.racing {
                        if at.mask >> lane & 1 == 1 {
                            self.observer.used(reads.numbers(), 1 << lane);
                        }
                    }
                }
            }
            _ => return,
        }
        let (held, reads) = warp.activations[at.slot as usize].racing.read(&at.inst.op);
        if held & at.mask != 0 {
            self.observer.used(reads.numbers(), held & at.mask);
        }
    }

    /// Lanes have loaded: which of the values are followed.
    pub fn racing_load(&mut self, warp: &mut Warp, at: At, request: &Request, d: &[Reg], bytes: u32) {
        let given = self.observer.given();
        let in_memory = match request.space {
            Space::Shared => request.owner.is_none() && !self.block.racing.is_empty(),
            Space::Local | Space::Param => !warp.racing.is_empty(),
            _ => false,
        };
        let racing = &mut warp.activations[at.slot as usize].racing;
        if given.is_empty() && !in_memory && !racing.is_any() {
            return;
        }
        if racing.is_any() {
            for register in d {
                racing.set(*register, request.mask, (0, RacingReads::NOWHERE));
            }
        }
        for Given { read, part, lanes } in given {
            for (number, register) in d.iter().enumerate() {
                if part.is_none_or(|part| part == number) {
                    racing.add(at.function, *register, lanes, RacingReads::one(read));
                }
            }
        }
        if !in_memory {
            return;
        }
        for (number, register) in d.iter().enumerate() {
            for lane in lanes(request.mask) {
                let address = request.addresses[lane] + (number as u32 * bytes) as u64;
                for at_byte in address..address + u64::from(bytes) {
                    let reads = match request.space {
                        Space::Shared => self.block.racing.get(&(at_byte as usize)),
                        _ => warp.racing.get(&(lane, in_local(at_byte))),
                    };
                    if let Some(reads) = reads.cloned() {
                        racing.add(at.function, *register, 1 << lane, reads);
                    }
                }
            }
        }
    }

    /// Lanes store values.
    pub fn racing_store(&mut self, warp: &mut Warp, at: At, request: &Request, s: &[Reg], bytes: u32) {
        let is_any = warp.activations[at.slot as usize].racing.is_any();
        if !is_any && warp.racing.is_empty() && self.block.racing.is_empty() {
            return;
        }
        for (number, register) in s.iter().enumerate() {
            self.racing_part(warp, at, request, *register, (number as u32 * bytes, bytes));
        }
    }

    /// One element of what lanes store, which lies so many bytes from the first.
    fn racing_part(
        &mut self,
        warp: &mut Warp,
        at: At,
        request: &Request,
        register: Reg,
        (offset, bytes): (u32, u32),
    ) {
        let racing = &mut warp.activations[at.slot as usize].racing;
        let (held, reads) = racing.source(register);
        let held = held & request.mask;
        let stays = match request.space {
            Space::Shared => request.owner.is_none(),
            space => matches!(space, Space::Local | Space::Param),
        };
        if !stays {
            if held != 0 {
                self.observer.used(reads.numbers(), held);
            }
            return;
        }
        if held != 0 && request.space == Space::Shared {
            let done = self.observer.moved(reads.numbers(), held);
            racing.forget(&done, held);
        }
        let (held, reads) = racing.source(register);
        let held = held & request.mask;
        let bits = racing.bits_of(register);
        for byte in 0..bytes {
            let of_byte = of_byte(&bits, byte as usize) & held;
            for lane in lanes(request.mask) {
                let address = request.addresses[lane] + u64::from(offset + byte);
                let is_held = of_byte >> lane & 1 == 1;
                if request.space == Space::Shared {
                    put(&mut self.block.racing, address as usize, is_held.then(|| reads.clone()));
                } else {
                    put(&mut warp.racing, (lane, in_local(address)), is_held.then(|| reads.clone()));
                }
            }
        }
    }

    /// Lanes make an atomic access with operands `b` and `c`, which uses them and what was there; but a
    /// compare-and-swap may find out what a value is worth that was read from the same word.
    pub fn racing_atomic(&mut self, warp: &mut Warp, at: At, request: &Request, d: Reg, [b, c]: [Reg; 2]) {
        if request.space == Space::Shared && request.owner.is_none() && !self.block.racing.is_empty() {
            for lane in lanes(request.mask) {
                for byte in request.addresses[lane]..request.addresses[lane] + u64::from(request.bytes) {
                    if let Some(reads) = self.block.racing.remove(&(byte as usize)) {
                        self.observer.used(reads.numbers(), 1 << lane);
                    }
                }
            }
        }
        let racing = &warp.activations[at.slot as usize].racing;
        if !racing.is_any() {
            return;
        }
        let (held, reads) = racing.source(b);
        let compared = held & request.mask;
        if matches!(at.inst.op, Op::Atomic { op: AtomOp::CompareSwap, .. }) && compared != 0 {
            let grid = self.grid;
            let block = self.block.linear;
            let actor = Actor { grid, block, warp: warp.index, loc: at.inst.loc, kernel: self.kernel };
            let looks_at = Request { mask: compared, ..*request };
            let reads = reads.numbers();
            let again = self.observer.guesses(actor, reads, &looks_at);
            warp.activations[at.slot as usize].racing.forget(reads, again);
        }
        self.use_values(warp, At { mask: request.mask, ..at }, &[b, c]);
        warp.activations[at.slot as usize].racing.set(d, request.mask, (0, RacingReads::NOWHERE));
    }

    /// Lanes exchange values, before they do.
    pub fn racing_collective(&mut self, warp: &mut Warp, at: At, op: &Op) {
        let activation = &mut warp.activations[at.slot as usize];
        if !activation.racing.is_any() {
            return;
        }
        let (held, reads) = activation.racing.read(op);
        if held & at.mask != 0 {
            let done = self.observer.moved(reads.numbers(), held & at.mask);
            activation.racing.forget(&done, held & at.mask);
        }
        follow_collective::<RacingReads>(activation, at.function, op, at.mask);
    }
}

impl Warp {
    /// Bytes of a lane's local memory get the values of other ones, or new ones.
    pub fn move_racing(&mut self, lane: usize, from: Option<usize>, to: usize, bytes: usize) {
        if self.racing.is_empty() {
            return;
        }
        for byte in 0..bytes {
            let reads = from.and_then(|from| self.racing.get(&(lane, from + byte)).cloned());
            put(&mut self.racing, (lane, to + byte), reads);
        }
    }
}

fn put<P: Eq + std::hash::Hash>(all: &mut FxHashMap<P, RacingReads>, place: P, reads: Option<RacingReads>) {
    match reads {
        Some(reads) => _ = all.insert(place, reads),
        None => _ = all.remove(&place),
    }
}

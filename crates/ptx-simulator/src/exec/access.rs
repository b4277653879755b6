//! Loads, stores and atomics: addresses, bounds, alignment, and the bytes moved.

use super::activation::{FRAME_WINDOW, source};
use super::cluster::shared_in;
use super::context::{At, Context, Executed};
use super::warp::Warp;
use crate::arith::{AtomOp, Lanes, WARP, combine, each, groups, lanes};
use crate::decode::*;
use crate::diagnostic::Diagnostic;
use crate::memory::shared::{self, Layout};
use crate::memory::{self, extend, span};
use crate::observe::{Act, Peer, Request};
use crate::ptx::{Order, Space};

impl Context<'_> {
    /// The address of every lane. A module variable's or a local variable's address is the same for all.
    pub fn addresses(&self, warp: &Warp, at: At, to: &Address) -> Lanes {
        let activation = &warp.activations[at.slot as usize];
        let offset = to.offset as u64;
        match to.base {
            Base::Zero => [offset; WARP],
            Base::Local => [offset.wrapping_add(activation.local_base as u64); WARP],
            Base::Frame => [offset.wrapping_add(FRAME_WINDOW + activation.frame_base as u64); WARP],
            Base::Global(variable) => [self.globals[variable as usize].wrapping_add(offset); WARP],
            Base::Register(register) => {
                let mut out = *source(activation, at.function, register);
                if offset != 0 {
                    for a in &mut out {
                        *a = a.wrapping_add(offset);
                    }
                }
                out
            }
            Base::Narrow(register) => {
                let base = source(activation, at.function, register);
                base.map(|a| a.wrapping_add(offset) & u64::from(u32::MAX))
            }
        }
    }

    /// The same, under the checks: an address must not depend on what nobody has written.
    #[inline(always)]
    pub fn checked_addresses(&mut self, warp: &mut Warp, at: At, to: &Address) -> Lanes {
        if self.checks {
            self.check_address(warp, at, to);
        }
        self.addresses(warp, at, to)
    }

    /// Turns a request into one or more with a definite space, since a generic address may lie in any. What
    /// lies in shared memory has offsets there in place of addresses.
    pub fn split_spaces(
        shared: Layout,
        own_rank: Option<u32>,
        request: &Request,
        mut f: impl FnMut(&Request) -> Executed<()>,
    ) -> Executed<()> {
        if !matches!(request.space, Space::Generic | Space::Shared) {
            return f(request);
        }
        let place = |lane: usize| {
            let (space, address) = match request.space {
                Space::Generic => memory::resolve(request.addresses[lane]),
                space => (space, request.addresses[lane]),
            };
            match own_rank {
                Some(own) if space == Space::Shared => {
                    let (rank, address) = shared::rank(address);
                    (space, rank.filter(|rank| *rank != own), address)
                }
                _ => (space, None, address),
            }
        };
        let key = |lane: usize| {
            let (space, rank, _) = place(lane);
            (space, rank)
        };
        for ((space, rank), mask) in groups(request.mask, key) {
            let mut addresses = [0; WARP];
            each(mask, |lane| {
                let (.., address) = place(lane);
                let in_shared = space == Space::Shared;
                addresses[lane] = if in_shared { shared.offset(address, request.bytes) } else { address };
            });
            let owner = rank.map(|rank| Peer { rank, block: 0 });
            f(&Request { space, owner, mask, addresses: &addresses, ..*request })?;
        }
        Ok(())
    }

    /// Whether an address lies behind the local variables of the function that runs.
    fn is_past_locals(&self, warp: &Warp, at: At, address: u64, bytes: usize) -> bool {
        let locals = warp.activations[at.slot as usize].local_base + at.function.local_bytes;
        address.saturating_add(bytes as u64) > locals as u64
    }

    /// A lane's address is not aligned, or not one of something that it may access.
    #[cold]
    pub fn refused(&self, warp: &Warp, at: At, lane: usize, request: &Request) -> Box<Diagnostic> {
        if is_aligned(request.addresses[lane], request.bytes) {
            self.outside(warp, at, lane, request)
        } else {
            self.misaligned(warp, at, lane, request)
        }
    }

    /// The bytes that a lane stores to, if it may.
    #[inline(always)]
    pub fn writable<'a>(
        &'a mut self,
        warp: &'a mut Warp,
        at: At,
        request: &Request,
        lane: usize,
    ) -> Option<&'a mut [u8]> {
        let address = request.addresses[lane];
        let bytes = request.bytes as usize;
        match request.space {
            _ if !is_aligned(address, request.bytes) => None,
            Space::Shared => self.shared_mut(request.owner).bytes.get_mut(span(address, bytes)),
            Space::Local if self.is_past_locals(warp, at, address, bytes) => None,
            Space::Local => warp.local_of(lane, address, bytes),
            Space::Param => warp.local_of(lane, address.wrapping_sub(FRAME_WINDOW), bytes),
            Space::Const => None,
            _ if address >> 56 != 0 => self.launches.buffer(address, bytes),
            _ => self.memory.slice_mut(address, bytes).ok(),
        }
    }

    /// A number for the memory that a request goes to: that of the device, or the shared memory of this
    /// block.
    fn memory_of(&self, request: &Request) -> Option<u64> {
        match request.space {
            Space::Shared if request.owner.is_some() => None,
            Space::Shared => Some(1 + (u64::from(self.grid) << 40 | self.block.linear)),
            Space::Local | Space::Param => None,
            _ => Some(0),
        }
    }

    /// Bytes in that memory have changed.
    #[inline]
    fn changed(&mut self, memory: Option<u64>) {
        match memory {
            Some(_) => self.progress.stored(),
            None => self.progress.changed(),
        }
    }

    pub fn load(
        &mut self,
        warp: &mut Warp,
        at: At,
        request: &Request,
        d: &[Reg],
        bytes: u32,
        signed: bool,
    ) -> Executed<()> {
        warp.spin.watches |= !matches!(request.order, Order::Weak | Order::ReadOnly);
        Self::split_spaces(self.shared, self.own_rank(), request, |request| {
            let request = &self.reach(warp, at, request)?;
            // Lanes mostly read the same allocation: it is looked up once.
            let (start, near) = match request.space {
                Space::Shared => (0, &shared_in(self.block, &self.cluster, request.owner).bytes[..]),
                Space::Param => (0, self.params),
                Space::Local => (0, &[][..]),
                _ => self.memory.around(request.addresses[request.mask.trailing_zeros() as usize]),
            };
            let mut rest = request.mask;
            while rest != 0 {
                let lane = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let address = request.addresses[lane];
                let total = request.bytes as usize;
                if !is_aligned(address, request.bytes) {
                    return Err(self.misaligned(warp, at, lane, request));
                }
                let local;
                let mut from = near.get(span(address.wrapping_sub(start), total));
                if from.is_none() {
                    from = match request.space {
                        Space::Shared => None,
                        Space::Local if self.is_past_locals(warp, at, address, total) => None,
                        Space::Local | Space::Param => {
                            let window = if request.space == Space::Param { FRAME_WINDOW } else { 0 };
                            local = warp.local_of(lane, address.wrapping_sub(window), total);
                            local.as_deref()
                        }
                        _ if address >> 56 != 0 => self.launches.buffer(address, total).map(|b| &*b),
                        _ => self.memory.slice(address, total).ok(),
                    };
                }
                let Some(from) = from else { return Err(self.outside(warp, at, lane, request)) };
                let mut values = [0; 4];
                for (i, value) in values[..d.len()].iter_mut().enumerate() {
                    let part = &from[i * bytes as usize..][..bytes as usize];
                    *value = extend(memory::read(part), bytes, signed);
                }
                let registers = &mut warp.activations[at.slot as usize].registers;
                for (&d, &value) in d.iter().zip(&values) {
                    registers[d as usize][lane] = value;
                }
            }
            if self.checks {
                self.follow_load(warp, at, request, d, bytes);
            }
            let registers = &warp.activations[at.slot as usize].registers;
            let values: [&Lanes; 4] = std::array::from_fn(|i| &registers[d[i.min(d.len() - 1)] as usize]);
            self.act(warp, at, Act::Access(&Request { values: &values[..d.len()], ..*request }));
            if self.checks {
                self.racing_load(warp, at, request, d, bytes);
            }
            Ok(())
        })
    }

    pub fn store(
        &mut self,
        warp: &mut Warp,
        at: At,
        request: &Request,
        s: &[Reg],
        bytes: u32,
    ) -> Executed<()> {
        Self::split_spaces(self.shared, self.own_rank(), request, |request| {
            let request = &self.reach(warp, at, request)?;
            // A loop that only waits may still count in local memory, and call functions.
            warp.spin.changes |= !matches!(request.space, Space::Local | Space::Param);
            let mut unchanged = 0;
            let checks = self.checks;
            let space = self.memory_of(request);
            let mut recording = self.progress.recording.take();
            for lane in lanes(request.mask) {
                let mut values = [0u64; 4];
                for (value, s) in values.iter_mut().zip(s) {
                    *value = at.source(warp, *s)[lane];
                }
                let Some(to) = self.writable(warp, at, request, lane) else {
                    return Err(self.refused(warp, at, lane, request));
                };
                if let (Some(recording), Some(space)) = (&mut recording, space) {
                    let now =
                        values.iter().flat_map(|value| value.to_le_bytes().into_iter().take(bytes as usize));
                    for (place, (before, now)) in (0..).zip(to.iter().zip(now)) {
                        recording.byte(space, request.addresses[lane] + place, *before, now);
                    }
                }
                let mut same = true;
                for (i, &value) in values[..s.len()].iter().enumerate() {
                    let part = &mut to[i * bytes as usize..][..bytes as usize];
                    same &= checks && memory::read(part) == value & (u64::MAX >> (64 - 8 * bytes));
                    memory::write(part, value);
                }
                unchanged |= (same as u32) << lane;
            }
            self.progress.recording = recording;
            if unchanged != request.mask && !matches!(request.space, Space::Local | Space::Param) {
                self.changed(space);
            }
            if checks {
                self.follow_store(warp, at, request, s, bytes);
                self.racing_store(warp, at, request, s, bytes);
            }
            let values: [&Lanes; 4] = std::array::from_fn(|i| at.source(warp, s[i.min(s.len() - 1)]));
            let values = &values[..s.len()];
            let changed = request.mask & !unchanged;
            self.act(warp, at, Act::Access(&Request { unchanged, changed, values, ..*request }));
            Ok(())
        })
    }

    pub fn atomic(&mut self, warp: &mut Warp, at: At, request: &Request) -> Executed<()> {
        let Op::Atomic { op, d, b, c, .. } = at.inst.op else { return Ok(()) };
        warp.spin.watches = true;
        Self::split_spaces(self.shared, self.own_rank(), request, |request| {
            let request = &self.reach(warp, at, request)?;
            let op = match op {
                AtomOp::AddFloat(float) if request.space == Space::Global => {
                    AtomOp::AddFloat(float.in_global_memory())
                }
                op => op,
            };
            let mut unchanged = 0;
            let mut changed = 0;
            let mut before = [0; WARP];
            let space = self.memory_of(request);
            let turns = self.lane_order();
            for lane in turns.of(request.mask) {
                let b = at.source(warp, b)[lane];
                let c = at.source(warp, c)[lane];
                let word = self.writable(warp, at, request, lane);
                let Some(word) = word.filter(|_| !matches!(request.space, Space::Local | Space::Param))
                else {
                    return Err(self.refused(warp, at, lane, request));
                };
                let old = memory::read(word);
                before[lane] = old;
                let new = combine(op, request.bytes, old, b, c);
                memory::write(word, new);
                let swapped = old == b & (u64::MAX >> (64 - 8 * request.bytes));
                unchanged |= ((op == AtomOp::CompareSwap && !swapped) as u32) << lane;
                if new != old {
                    changed |= 1 << lane;
                    warp.spin.changes = true;
                    self.changed(space);
                    if let (Some(recording), Some(space)) = (&mut self.progress.recording, space) {
                        let bytes = old.to_le_bytes().into_iter().zip(new.to_le_bytes());
                        for (place, (before, now)) in (0..).zip(bytes).take(request.bytes as usize) {
                            recording.byte(space, request.addresses[lane] + place, before, now);
                        }
                    }
                }
                if d != NONE {
                    warp.activations[at.slot as usize].registers[d as usize][lane] = old;
                }
            }
            if self.checks {
                self.follow_atomic(warp, at, request, d, &[b, c]);
                self.racing_atomic(warp, at, request, d, [b, c]);
            }
            let values = &[&before, at.source(warp, b)];
            self.act(warp, at, Act::Access(&Request { turns, unchanged, changed, values, ..*request }));
            Ok(())
        })
    }
}

/// Whether an address is a multiple of so many bytes: a power of two, as PTX has it.
#[inline(always)]
fn is_aligned(address: u64, bytes: u32) -> bool {
    address & (u64::from(bytes) - 1) == 0
}

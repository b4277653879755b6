//! Barriers in shared memory: `mbarrier` (PTX ISA 9.7.13.15).
//!
//! An mbarrier is 8 bytes. PTX leaves open what stands in them; here, from the lowest bit on: 20 bits of
//! arrivals that are missing in this phase, 20 of those expected in each phase, and uppermost two that say
//! that this is an mbarrier, and one that is the parity of the phase. The state that an arrival gives is the
//! mbarrier before it.
//!
//! An arrival releases and a successful wait acquires, at the scope of the block (PTX ISA 9.7.13.15.13 and
//! 16), unless they are `.relaxed`. There is no time here, so `try_wait` never waits.

use super::context::{At, Context, Executed};
use super::warp::Warp;
use crate::arith::{Lanes, WARP, groups, lanes};
use crate::decode::{Address, MOST_ARRIVALS as MOST, Mbarrier, NONE, Op, Reg};
use crate::diagnostic::{Diagnostic, Kind};
use crate::memory::{self, shared, span};
use crate::observe::{Access, Act, MbarrierUse, Peer, Request};
use crate::ptx::{Order, Scope, Space};

const EXPECTED: u32 = 20;
const MARK: u32 = 61;
const PARITY: u32 = 63;

/// An mbarrier, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    missing: u64,
    expected: u64,
    parity: u64,
}

impl State {
    fn read(word: u64) -> Option<State> {
        (word >> MARK & 3 == 1).then_some(State {
            missing: word & MOST,
            expected: word >> EXPECTED & MOST,
            parity: word >> PARITY,
        })
    }

    fn word(self) -> u64 {
        self.missing | self.expected << EXPECTED | 1 << MARK | self.parity << PARITY
    }

    /// Nobody is missing: the next phase begins.
    fn settle(&mut self) {
        if self.missing == 0 {
            self.missing = self.expected;
            self.parity ^= 1;
        }
    }
}

/// What an operation changes.
#[derive(Clone, Copy, Debug)]
pub struct Change {
    /// Arrivals that this phase waits for besides, before those of the operation itself.
    pub more: u64,
    /// Arrivals now, and how many fewer the next phases wait for.
    pub arrivals: u64,
    pub fewer: u64,
}

impl Context<'_> {
    pub fn mbarrier(&mut self, warp: &mut Warp, at: At) -> Executed<()> {
        let Op::Mbarrier { how, space, d, done: p, at: to, a, relaxed } = &at.inst.op else { return Ok(()) };
        let a = *at.source(warp, *a);
        let place = (*space, to);
        match how {
            Mbarrier::Init | Mbarrier::Invalidate => {
                let (addresses, _) = self.mbarrier_addresses(warp, at, place, false)?;
                for lane in lanes(at.mask) {
                    if *how == Mbarrier::Init && !(1..=MOST).contains(&(a[lane] & 0xffff_ffff)) {
                        let what = format!("an mbarrier is to wait for {} arrivals", a[lane] as u32);
                        let help = "1 to 1,048,575 are possible";
                        return Err(self.mbarrier_fault(warp, at.lane(lane), what, help));
                    }
                    let count = a[lane] & MOST;
                    let new = State { missing: count, expected: count, parity: 0 };
                    let word = if *how == Mbarrier::Init { new.word() } else { 0 };
                    self.put(None, addresses[lane], word);
                }
                self.progress.changed();
                let request = request(Access::Store, at.mask, &addresses, Order::Weak);
                self.act(warp, at, Act::Access(&request));
                Ok(())
            }
            Mbarrier::Test { parity } => {
                let (addresses, _) = self.mbarrier_addresses(warp, at, place, false)?;
                warp.spin.watches = true;
                let (mut done, mut odd) = (0u32, 0u32);
                for lane in lanes(at.mask) {
                    let state = self.state(warp, at, lane, (None, addresses[lane]))?;
                    let phase = if *parity { a[lane] & 1 } else { a[lane] >> PARITY };
                    done |= ((state.parity != phase) as u32) << lane;
                    odd |= (phase as u32) << lane;
                }
                let activation = &mut warp.activations[at.slot as usize];
                activation.set_predicate(*p, at.mask, done);
                let order = if *relaxed { Order::Relaxed } else { Order::Acquire };
                let request = request(Access::Load, at.mask, &addresses, order);
                self.act(warp, at, Act::Mbarrier(&request, MbarrierUse { odd, done }));
                Ok(())
            }
            Mbarrier::Arrive { drop } => {
                let changes = a.map(|count| {
                    let arrivals = count & 0xffff_ffff;
                    Change { more: 0, arrivals, fewer: arrivals * *drop as u64 }
                });
                let order = if *relaxed { Order::Relaxed } else { Order::Release };
                self.change_mbarrier(warp, at, place, (&changes, *d, order))
            }
        }
    }

    /// Lanes arrive. The state before goes to the register `d`, if there is one.
    pub fn change_mbarrier(
        &mut self,
        warp: &mut Warp,
        at: At,
        place: (Space, &Address),
        (changes, d, order): (&[Change; WARP], Reg, Order),
    ) -> Executed<()> {
        let (addresses, owners) = self.mbarrier_addresses(warp, at, place, true)?;
        warp.spin.changes = true;
        self.progress.changed();
        let (mut odd, mut arrived) = (0u32, 0u32);
        for lane in lanes(at.mask) {
            let mut state = self.state(warp, at, lane, (owners[lane], addresses[lane]))?;
            let Change { more, arrivals, fewer } = changes[lane];
            if arrivals > state.missing + more || fewer > state.expected {
                let what =
                    format!("{arrivals} arrivals at an mbarrier that waits for {} more", state.missing);
                let help = "initialise it with the number of all arrivals of a phase, and let each thread \
                            wait before it arrives again";
                return Err(self.mbarrier_fault(warp, at.lane(lane), what, help));
            }
            let before = state.word();
            odd |= (state.parity as u32) << lane;
            arrived |= ((arrivals > 0) as u32) << lane;
            state.missing = state.missing + more - arrivals;
            state.expected -= fewer;
            state.settle();
            self.put(owners[lane], addresses[lane], state.word());
            if d != NONE {
                warp.activations[at.slot as usize].registers[d as usize][lane] = before;
            }
        }
        for (owner, mask) in groups(at.mask, |lane| owners[lane]) {
            let request = request(Access::Atomic { returns: d != NONE }, mask, &addresses, order);
            let by = MbarrierUse { odd: odd & mask, done: arrived & mask };
            self.act(warp, at, Act::Mbarrier(&Request { owner, ..request }, by));
        }
        Ok(())
    }

    /// Where the mbarrier of each lane lies in shared memory, and in whose: only an arrival may be at that of
    /// another block.
    fn mbarrier_addresses(
        &mut self,
        warp: &mut Warp,
        at: At,
        (space, to): (Space, &Address),
        reaches: bool,
    ) -> Executed<(Lanes, [Option<Peer>; WARP])> {
        let mut addresses = self.checked_addresses(warp, at, to);
        let mut owners = [None; WARP];
        for lane in lanes(at.mask) {
            if space == Space::Generic {
                let (space, address) = memory::resolve(addresses[lane]);
                if space != Space::Shared {
                    let what =
                        format!("an mbarrier at {:#x}, which is not in shared memory", addresses[lane]);
                    return Err(self.mbarrier_fault(warp, at.lane(lane), what, "declare it __shared__"));
                }
                addresses[lane] = address;
            }
            let (rank, address) = shared::rank(addresses[lane]);
            let rank = rank.filter(|rank| *rank != self.block.rank);
            if rank.is_some() && !reaches {
                let what = "an mbarrier of another block is waited for, or initialised".to_string();
                let help =
                    "other blocks of the cluster can arrive at an mbarrier; its own block waits for it";
                return Err(self.mbarrier_fault(warp, at.lane(lane), what, help));
            }
            addresses[lane] = self.shared.offset(address, 8);
            let mut request = request(Access::Atomic { returns: false }, at.mask, &addresses, Order::Relaxed);
            if let Some(rank) = rank {
                let peer =
                    self.peer(rank).map_err(|why| self.out_of_reach(warp, at.lane(lane), &request, why))?;
                (owners[lane], request.owner) = (Some(peer), Some(peer));
            }
            if !addresses[lane].is_multiple_of(8) {
                return Err(self.misaligned(warp, at, lane, &request));
            }
            if self.shared_of(owners[lane]).bytes.get(span(addresses[lane], 8)).is_none() {
                return Err(self.outside(warp, at, lane, &request));
            }
        }
        Ok((addresses, owners))
    }

    fn state(
        &self,
        warp: &Warp,
        at: At,
        lane: usize,
        (owner, address): (Option<Peer>, u64),
    ) -> Executed<State> {
        let word = self.shared_of(owner).bytes.get(span(address, 8)).map_or(0, memory::read);
        State::read(word).ok_or_else(|| {
            let what = "an mbarrier is used that nobody has initialised";
            let help = "let one thread initialise it, and all wait at __syncthreads() before they use it";
            self.fault(warp, at.lane(lane), Kind::UninitializedRead, what, help)
        })
    }

    fn put(&mut self, owner: Option<Peer>, address: u64, word: u64) {
        let at = span(address, 8);
        let checks = self.checks;
        let shared = self.shared_mut(owner);
        memory::write(&mut shared.bytes[at], word);
        if checks {
            shared.written.set(address as usize, 8, true);
        }
    }

    fn mbarrier_fault(&self, warp: &Warp, at: At, what: String, help: &str) -> Box<Diagnostic> {
        self.fault(warp, at, Kind::BarrierDivergence, what, help)
    }
}

fn request(access: Access, mask: u32, addresses: &Lanes, order: Order) -> Request<'_> {
    // Other blocks of a cluster arrive by instructions that mostly name no scope, and so that of the block.
    Request::new(access, Space::Shared, mask, addresses, 8, order, Scope::Cluster)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_what_was_written() {
        let state = State { missing: 3, expected: MOST, parity: 1 };
        assert_eq!(State::read(state.word()), Some(state));
        assert_eq!(State::read(0xcdcd_cdcd_cdcd_cdcd), None);
        assert_eq!(State::read(0), None);
    }

    #[test]
    fn a_phase_ends_when_nobody_is_missing() {
        let mut state = State { missing: 1, expected: 5, parity: 0 };
        state.settle();
        assert_eq!(state.parity, 0);
        state.missing = 0;
        state.settle();
        assert_eq!((state.parity, state.missing), (1, 5));
    }
}

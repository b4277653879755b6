//! Barriers in shared memory: `mbarrier` (PTX ISA 9.7.13.15).
//!
//! An mbarrier is 8 bytes. PTX leaves open what stands in them; here, from the lowest bit on: 20 bits of
//! arrivals that are missing in this phase, 20 of those expected in each phase, and uppermost two that say
//! that this is an mbarrier, and one that is the parity of the phase. The state that an arrival gives is the
//! mbarrier before it.
//!
//! An arrival releases and a successful wait acquires, at the scope of the block (PTX ISA 9.7.13.15.13 and
//! 16), unless they are `.relaxed`. There is no time here, so `try_wait` never waits; but a warp that finds
//! no phase over gives way to the others, as one that is suspended does.

use super::context::{At, Context, Executed};
use super::warp::Warp;
use crate::arith::{WARP, each, lanes};
use crate::decode::{Address, MAX_ARRIVALS, Mbarrier, NONE, Op};
use crate::diagnostic::Kind;
use crate::memory;
use crate::observe::{Access, Act, MbarrierUse, Request};
use crate::ptx::{Order, Scope, Space};

const EXPECTED: u32 = 20;
const MARK: u32 = 61;
const PARITY: u32 = 63;

/// What is wrong about a use of an mbarrier, and what helps.
type Wrong = (Kind, String, &'static str);

/// An mbarrier, read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct State {
    missing: u64,
    expected: u64,
    parity: u64,
}

impl State {
    fn read(word: u64) -> Result<State, Wrong> {
        if word >> MARK & 3 != 1 {
            let what = "an mbarrier is used before it is initialised".to_string();
            let help = "let one thread initialise it, and all wait at __syncthreads() before they use it";
            return Err((Kind::UninitializedRead, what, help));
        }
        Ok(State {
            missing: word & MAX_ARRIVALS,
            expected: word >> EXPECTED & MAX_ARRIVALS,
            parity: word >> PARITY,
        })
    }

    fn word(self) -> u64 {
        self.missing | self.expected << EXPECTED | 1 << MARK | self.parity << PARITY
    }

    /// One that waits for so many arrivals in each phase.
    fn new(count: u64) -> Result<State, Wrong> {
        if !(1..=MAX_ARRIVALS).contains(&count) {
            let what = format!("an mbarrier is initialised with a count of {count}");
            return Err((Kind::BarrierDivergence, what, "the count must be 1 to 1,048,575"));
        }
        Ok(State { missing: count, expected: count, parity: 0 })
    }

    /// So many arrivals in this phase, which it waits for besides if there are `more`; and so many `fewer` in
    /// the next ones. Where nobody is missing then, the next phase begins.
    fn arrive(mut self, arrivals: u64, more: u64, fewer: u64) -> Result<State, Wrong> {
        if arrivals > self.missing + more || fewer > self.expected {
            let what = format!("{arrivals} arrivals at an mbarrier that waits for {} more", self.missing);
            let help = "initialise it with the number of all arrivals of a phase, and let each thread \
                        wait before it arrives again";
            return Err((Kind::BarrierDivergence, what, help));
        }
        self.missing = self.missing + more - arrivals;
        self.expected -= fewer;
        if self.missing == 0 {
            self.missing = self.expected;
            self.parity ^= 1;
        }
        Ok(self)
    }
}

impl Context<'_> {
    pub fn mbarrier(&mut self, warp: &mut Warp, at: At) -> Executed<()> {
        let Op::Mbarrier { how, space, d, done, at: to, a, relaxed } = &at.inst.op else { return Ok(()) };
        let a = *at.source(warp, *a);
        let place = (*space, to);
        let order = |strong: Order| if *relaxed { Order::Relaxed } else { strong };
        let mut before = [0; WARP];
        let mut over = 0u32;
        if let Mbarrier::ArriveAfterCopies { .. } = how {
            self.copies_done(warp, at, None);
        }
        match how {
            Mbarrier::Init | Mbarrier::Invalidate => {
                self.progress.changed();
                self.on_mbarriers(warp, at, place, (Access::Store, Order::Weak), |lane, _| {
                    let is_init = *how == Mbarrier::Init;
                    Ok((if is_init { State::new(a[lane] & 0xffff_ffff)?.word() } else { 0 }, false, false))
                })?;
            }
            Mbarrier::Test { parity } => {
                warp.spin.watches = true;
                self.on_mbarriers(warp, at, place, (Access::Load, order(Order::Acquire)), |lane, word| {
                    let phase = if *parity { a[lane] & 1 } else { a[lane] >> PARITY };
                    let is_over = State::read(word)?.parity != phase;
                    over |= u32::from(is_over) << lane;
                    Ok((word, phase == 1, is_over))
                })?;
                warp.spin.gives_way = over == 0;
            }
            Mbarrier::Arrive { .. } | Mbarrier::ArriveAfterCopies { .. } => {
                let (drop, more) = match how {
                    Mbarrier::ArriveAfterCopies { counted } => (false, u64::from(!counted)),
                    how => (*how == Mbarrier::Arrive { drop: true }, 0),
                };
                warp.spin.changes = true;
                self.progress.changed();
                let access = Access::Atomic { returns: *d != NONE };
                self.on_mbarriers(warp, at, place, (access, order(Order::Release)), |lane, word| {
                    let state = State::read(word)?;
                    let count = a[lane] & 0xffff_ffff;
                    before[lane] = word;
                    let after = state.arrive(count, more, if drop { count } else { 0 })?;
                    Ok((after.word(), state.parity == 1, count > 0))
                })?;
            }
        }
        let activation = &mut warp.activations[at.slot as usize];
        activation.set_predicate(*done, at.mask, over);
        if let Some(d) = activation.registers.get_mut(*d as usize) {
            each(at.mask, |lane| d[lane] = before[lane]);
        }
        Ok(())
    }

    /// Does something with the mbarrier of each lane: `one` gets the lane and the word that is there, gives
    /// the new one, whether the phase that the lane means is odd, and whether the lane has arrived or the
    /// phase is over. Only an arrival may be at an mbarrier of another block.
    fn on_mbarriers(
        &mut self,
        warp: &mut Warp,
        at: At,
        (space, to): (Space, &Address),
        (access, order): (Access, Order),
        mut one: impl FnMut(usize, u64) -> Result<(u64, bool, bool), Wrong>,
    ) -> Executed<()> {
        let addresses = self.checked_addresses(warp, at, to);
        // Other blocks of a cluster arrive by instructions that mostly name no scope, and so that of the
        // block.
        let request = Request::new(access, space, at.mask, &addresses, 8, order, Scope::Cluster);
        Self::split_spaces(self.shared, self.own_rank(), &request, |request| {
            let at = At { mask: request.mask, ..at };
            let request = &self.reach(warp, at, request)?;
            if request.space != Space::Shared {
                let first = request.addresses[at.mask.trailing_zeros() as usize];
                let what = format!("an mbarrier at {first:#x}, which is not in shared memory");
                return Err(self.fault(warp, at, Kind::BarrierDivergence, what, "declare it __shared__"));
            }
            if request.owner.is_some() && matches!(access, Access::Load | Access::Store) {
                let what = "an mbarrier of another block is waited for, or initialised";
                let help =
                    "other blocks of the cluster can arrive at an mbarrier; its own block waits for it";
                return Err(self.fault(warp, at, Kind::BarrierDivergence, what, help));
            }
            let mut odd = 0u32;
            let mut done = 0u32;
            for lane in lanes(at.mask) {
                let Some(word) = self.writable(warp, at, request, lane) else {
                    return Err(self.refused(warp, at, lane, request));
                };
                match one(lane, memory::read(word)) {
                    Ok((new, is_odd, is_done)) => {
                        memory::write(word, new);
                        odd |= u32::from(is_odd) << lane;
                        done |= u32::from(is_done) << lane;
                    }
                    Err((kind, what, help)) => return Err(self.fault(warp, at.lane(lane), kind, what, help)),
                }
                if self.checks {
                    let place = (Space::Shared, request.owner);
                    self.set_written(warp, place, lane, request.addresses[lane], 8, true);
                }
            }
            let used = Act::Mbarrier(request, MbarrierUse { odd, done });
            self.act(warp, at, if access == Access::Store { Act::Access(request) } else { used });
            Ok(())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_what_was_written() {
        let state = State { missing: 3, expected: MAX_ARRIVALS, parity: 1 };
        assert_eq!(State::read(state.word()).ok(), Some(state));
        assert!(State::read(0xcdcd_cdcd_cdcd_cdcd).is_err());
        assert!(State::read(0).is_err());
    }

    #[test]
    fn a_phase_ends_when_nobody_is_missing() {
        let state = State { missing: 2, expected: 5, parity: 0 };
        assert_eq!(state.arrive(1, 0, 0).unwrap(), State { missing: 1, ..state });
        assert_eq!(state.arrive(2, 0, 1).unwrap(), State { missing: 4, expected: 4, parity: 1 });
        assert_eq!(state.arrive(1, 1, 0).unwrap(), state);
        assert!(state.arrive(3, 0, 0).is_err());
    }
}

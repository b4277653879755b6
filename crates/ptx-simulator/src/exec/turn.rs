//! Lanes that come to an operation whose order matters wait for their turn, where the order is chosen
//! (`explore/`).

use super::context::{At, Context};
use super::split::Wait;
use super::step::Place;
use super::warp::Warp;
use crate::arith::{LaneOrder, lanes};
use crate::decode::{Address, Mbarrier, NONE, Op};
use crate::explore::{Does, Operation, WORD, Word};
use crate::memory::{resolve, shared};
use crate::observe::Use;
use crate::ptx::{Order, Space};

/// A strong access: what it does, where, how many bytes per lane, and whether its thread waits in a loop.
type Strong<'a> = (Does, Space, &'a Address, u32, bool);

/// `op`, if its order matters.
fn strong(op: &Op) -> Option<Strong<'_>> {
    let is_strong = |order: &Order| !matches!(order, Order::Weak | Order::ReadOnly);
    match op {
        Op::Load { space, d, bytes, at, order, used, .. } if is_strong(order) => {
            Some((Does::Read, *space, at, bytes * d.len() as u32, *used == Use::Waits))
        }
        Op::Store { space, s, bytes, at, order, .. } if is_strong(order) => {
            Some((Does::Write, *space, at, bytes * s.len() as u32, false))
        }
        Op::Atomic { space, op, bytes, d, at, .. } => {
            Some((Does::Update { op: *op, returns: *d != NONE }, *space, at, *bytes, false))
        }
        Op::Mbarrier { how, space, at, .. } => match how {
            Mbarrier::Test { .. } => Some((Does::Read, *space, at, 8, true)),
            Mbarrier::Arrive { .. } | Mbarrier::ArriveAfterCopies { .. } => {
                Some((Does::Arrive, *space, at, 8, false))
            }
            Mbarrier::Init | Mbarrier::Invalidate => None,
        },
        _ => None,
    }
}

impl Context<'_> {
    /// Whether lanes have come to such an operation, and it is not their turn: then they wait for it.
    #[cold]
    pub fn waits_for_turn(&mut self, warp: &mut Warp, place: Place, at: At) -> bool {
        let Some(turns) = self.turns else { return false };
        let Some((does, space, to, bytes, waits)) = strong(&at.inst.op) else { return false };
        let process = self.process(warp, place.mask);
        if turns.borrow_mut().has_turn(process) {
            return false;
        }
        let words = self.words(warp, at, (space, to), bytes);
        if words.is_empty() {
            return false;
        }
        // An atomic may wait too: an exchange or a compare-and-swap that has taken nothing is tried again.
        let (does, waits) = match does {
            Does::Update { op, returns } => {
                let returns = returns && matches!(at.inst.op, Op::Atomic { looks: true, .. });
                (Does::Update { op, returns }, returns)
            }
            does => (does, waits),
        };
        let site = (warp.activations[at.slot as usize].function, place.pc);
        let loc = at.inst.loc;
        turns.borrow_mut().wait(Operation { process, mask: at.mask, site, loc, does, bytes, words, waits });
        let split = &mut warp.splits[place.split];
        split.pc = place.pc;
        split.wait = Wait::Turn;
        true
    }

    /// The words of shared and global memory that lanes are about to access.
    fn words(&self, warp: &Warp, at: At, (space, to): (Space, &Address), bytes: u32) -> Vec<Word> {
        let addresses = self.addresses(warp, at, to);
        let mut words = Vec::new();
        for lane in lanes(at.mask) {
            let (space, address) = match space {
                Space::Generic => resolve(addresses[lane]),
                space => (space, addresses[lane]),
            };
            let (place, address) = match space {
                Space::Global => (None, address),
                Space::Shared => self.in_shared(address, bytes),
                _ => continue,
            };
            let first = address / WORD;
            let last = address.saturating_add(u64::from(bytes) - 1) / WORD;
            words.extend((first..=last).map(|word| (place, word)));
        }
        words.sort_unstable();
        words.dedup();
        words
    }

    /// Whose shared memory an address lies in, and where.
    fn in_shared(&self, address: u64, bytes: u32) -> (Option<(u32, u64)>, u64) {
        let own = (self.grid, self.block.linear);
        let Some(cluster) = &self.cluster else {
            return (Some(own), self.shared.offset(address, bytes));
        };
        let (rank, address) = shared::rank(address);
        let member = rank.and_then(|rank| cluster.members.get(rank as usize));
        let place = member.map_or(own, |member| (self.grid, member.block));
        (Some(place), self.shared.offset(address, bytes))
    }

    /// The order of the lanes of an atomic operation: they have none, and several are tried.
    #[inline(always)]
    pub fn lane_order(&self) -> LaneOrder {
        self.turns.map_or(LaneOrder::Forwards, |turns| turns.borrow().lanes)
    }
}

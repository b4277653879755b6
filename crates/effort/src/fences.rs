//! Reads of what another block has left, by atomic operations that change nothing, without the fences that
//! order them. Two atomic operations at one word do not race, whatever their order; but a relaxed one orders
//! nothing else, so that a counter that says "it is there" does not make it so (PTX ISA, Memory Consistency
//! Model: causality order needs release and acquire patterns).

use ptx_simulator::Order;
use ptx_simulator::observe::{Access, Actor, Request};
use rustc_hash::FxHashMap as HashMap;

use crate::place::{NUMBER, lanes};

/// A read of what another block has written, that nothing orders after the write: the first that was seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unfenced {
    /// The block that reads.
    pub reader: u64,
    /// Index into the line table.
    pub loc: u32,
    /// The block that has written, and its index into the line table.
    pub writer: u64,
    /// Of the write.
    pub written: u32,
}

/// A block, by its grid and its number.
type Block = (u32, u64);

/// What a block has fenced.
#[derive(Clone, Copy, Default)]
struct Known {
    /// Its fences so far.
    fences: u32,
    /// Those of them before its last change of a word: a fence after that tells nobody anything.
    told: u32,
    /// Whether there is one after its last atomic operation at a word that another block has changed.
    is_after: bool,
}

/// The last change of a word.
#[derive(Clone, Copy)]
struct Change {
    by: Block,
    /// The fences of that block before.
    fences: u32,
    loc: u32,
    /// Whether other blocks have changed it too: then it is a counter, or a sum.
    is_shared: bool,
}

/// Listens to global memory.
#[derive(Default)]
pub struct Fences {
    blocks: HashMap<Block, Known>,
    words: HashMap<u64, Change>,
    pub found: Option<Unfenced>,
}

impl Fences {
    /// A fence that other blocks see.
    pub fn fence(&mut self, actor: Actor) {
        let block = self.blocks.entry((actor.grid, actor.block)).or_default();
        block.fences += 1;
        block.is_after = true;
    }

    /// An access to global memory. Where `wide` is false, no other block sees its order.
    pub fn access(&mut self, actor: Actor, request: &Request, wide: bool) {
        let by = (actor.grid, actor.block);
        let is_atomic = request.access.is_atomic();
        let is_ordered = wide && is_atomic;
        if is_ordered && matches!(request.order, Order::Release | Order::AcquireRelease) {
            self.fence(actor);
        }
        let written = match request.access {
            Access::Load => 0,
            Access::Store => request.mask,
            Access::Atomic { .. } => request.changed,
        };
        let operand = |lane: u32| request.values.get(1).map_or(0, |operands| operands[lane as usize]);
        for lane in lanes(request.mask) {
            let word = request.addresses[lane as usize] / NUMBER;
            let before = self.words.get(&word).copied();
            let others = before.filter(|change| change.by.0 == by.0 && change.by != by);
            if written >> lane & 1 == 1 {
                let known = self.blocks.entry(by).or_default();
                known.is_after &= !(is_atomic && others.is_some());
                known.told = known.fences;
                let is_shared = others.is_some() || before.is_some_and(|change| change.is_shared);
                let change = Change { by, fences: known.fences, loc: actor.loc, is_shared };
                self.words.insert(word, change);
            } else if let Some(change) = others.filter(|change| !change.is_shared)
                && request.looks
                && request.unchanged >> lane & 1 == 0 // who swaps in vain tries again
                && operand(lane) == 0
            {
                self.read(actor, change);
            }
        }
        if is_ordered && matches!(request.order, Order::Acquire | Order::AcquireRelease) {
            self.fence(actor);
        }
    }

    /// An atomic operation finds what another block has left there.
    fn read(&mut self, actor: Actor, change: Change) {
        let known = |block| self.blocks.get(&block).copied().unwrap_or_default();
        let is_released = known(change.by).told > change.fences;
        let is_acquired = known((actor.grid, actor.block)).is_after;
        if !(is_released && is_acquired) {
            let written = change.loc;
            let Change { by: (_, writer), .. } = change;
            self.found.get_or_insert(Unfenced { reader: actor.block, loc: actor.loc, writer, written });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heard::request;

    const PARTIAL: [u64; 32] = [4096; 32];
    const TICKET: [u64; 32] = [8192; 32];
    const ATOMIC: Access = Access::Atomic { returns: true };

    fn block(block: u64) -> Actor<'static> {
        Actor { grid: 0, block, warp: 0, loc: block as u32, kernel: "k" }
    }

    /// Block 0 leaves a partial sum and draws a ticket, then block 1 draws one and reads. All are atomic
    /// operations, with or without a fence before and after the ticket.
    fn is_found(before: bool, after: bool, order: Order) -> bool {
        is_found_by(true, before, after, order)
    }

    /// The same where block 1 looks at what it finds there, or adds nothing and does not look.
    fn is_found_by(looks: bool, before: bool, after: bool, order: Order) -> bool {
        let mut fences = Fences::default();
        let zeros = [0; 32];
        let ones = [1; 32];
        let add: [&[u64; 32]; 2] = [&zeros, &ones];
        fences.access(block(0), &Request { changed: 1, ..request(ATOMIC, &PARTIAL, &add) }, true);
        for number in 0..2 {
            if before {
                fences.fence(block(number));
            }
            let draws = Request { changed: 1, order, ..request(ATOMIC, &TICKET, &add) };
            fences.access(block(number), &draws, true);
            if after {
                fences.fence(block(number));
            }
        }
        let values: [&[u64; 32]; 2] = [&ones, &zeros];
        fences.access(block(1), &Request { looks, ..request(ATOMIC, &PARTIAL, &values) }, true);
        fences.found.is_some()
    }

    #[test]
    fn a_relaxed_counter_orders_nothing_without_both_fences() {
        assert!(is_found(false, false, Order::Relaxed));
        assert!(is_found(true, false, Order::Relaxed), "the reader's is missing");
        assert!(is_found(false, true, Order::Relaxed), "that of the last block comes too late for the first");
        assert!(!is_found(true, true, Order::Relaxed));
        assert!(!is_found_by(false, false, false, Order::Relaxed), "who adds nothing reads nothing");
        assert!(!is_found(false, false, Order::AcquireRelease), "the counter orders by itself");
    }
}

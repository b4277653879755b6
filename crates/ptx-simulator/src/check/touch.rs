//! One request and what memory remembers: which of its lanes race with whom, and what is remembered now.
//!
//! Lanes of a warp mostly do the same to words that were accessed alike. So what becomes of a word is
//! computed once, and the words after it with the same past become the same ([`Step`]).

use std::ops::Range;

use super::conflict::{Race, Strength, Why, morally_strong, strength};
use super::lanes::{Lanes, ascends, equal};
use super::order::{Before, Gap, Here, Past};
use super::shadow::{
    Cell, Content, History, Id, Link, NOBODY, Node, Nodes, Pools, Reader, Region, Seen, Spread, WORD, What,
    Who,
};
use crate::arith::lanes;
use crate::observe::{Access, Request};
use crate::ptx::Scope;

/// What becomes of words with the same past.
#[derive(Clone, Copy)]
struct Step {
    write: Id,
    reads: Id,
    /// Whether only lanes that have written it themselves do not race.
    own_write: bool,
    /// The lanes, relative to those that have read, if there are any.
    further: Option<i8>,
    mask: u32,
    new: Id,
    /// Whether the lanes that read now are the only ones.
    alone: bool,
    /// Words that have become so.
    times: u32,
}

/// A request that is under way.
pub struct Touch<'a> {
    here: Here<'a>,
    request: &'a Request<'a>,
    nodes: &'a mut Nodes,
    reader: Reader,
    strength: Strength,
    writes: bool,
    /// The node of its writes.
    write: Id,
    step: Option<Step>,
    found: Option<Race>,
    /// Where another block has written what is seen now by a strong read.
    flag: Option<u32>,
}

impl<'a> Touch<'a> {
    pub fn new(here: Here<'a>, loc: u32, request: &'a Request<'a>, nodes: &'a mut Nodes) -> Touch<'a> {
        let strength = strength(request);
        let atomic = matches!(request.access, Access::Atomic { .. });
        let what = What::new(loc, strength, atomic);
        let (block, warp) = (here.first_warp, 1 << (here.warp - here.first_warp));
        let (warps, who) = (here.warps as u8, Who { further: 0, mask: 1 });
        let reader = Reader { block, warp, warps, time: here.now(), what, who };
        let writes = request.access != Access::Load;
        let write = if writes { nodes.one(reader) } else { NOBODY };
        nodes.hold(write, 1);
        Touch { here, request, nodes, reader, strength, writes, write, step: None, found: None, flag: None }
    }

    /// The worst race, and the line of a flag that has been seen.
    pub fn end(mut self) -> (Option<Race>, Option<u32>) {
        self.settle();
        self.nodes.release(self.write, 1);
        (self.found, self.flag)
    }

    /// The lanes of `mask` access `region`, which starts at address `start`.
    pub fn lanes(&mut self, region: &mut Region, mask: u32, start: u64) {
        let Request { addresses, bytes, .. } = *self.request;
        if bytes < WORD as u32 {
            return self.parts_of_words(region, mask, start);
        }
        let words = addresses.map(|address| (address.wrapping_sub(start) / WORD) as u32);
        let shared = !self.writes && !ascends(&words, mask);
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            // Several lanes that read the same go on as one.
            let same = if shared { rest & equal(&words, words[lane]) } else { 1 << lane };
            rest &= !same;
            let who = Lanes { first: Spread::new(lane, bytes), mask: same >> lane };
            for word in 0..bytes / WORD as u32 {
                let (cell, pools) = region.word((words[lane] + word) as u64, self.nodes);
                self.word(cell, pools, who, addresses[lane] + word as u64 * WORD);
            }
        }
    }

    /// Accesses of 1 or 2 bytes: neighbouring lanes that share a whole word go on as one.
    fn parts_of_words(&mut self, region: &mut Region, mask: u32, start: u64) {
        let Request { addresses, bytes, .. } = *self.request;
        let a_word = (WORD as u32 / bytes) as usize;
        let mut rest = mask;
        while rest != 0 {
            let lane = rest.trailing_zeros() as usize;
            let address = addresses[lane];
            let is_word = address % WORD == 0
                && (1..a_word).all(|next| {
                    rest >> lane >> next & 1 == 1
                        && addresses[lane + next] == address + (next as u32 * bytes) as u64
                });
            let (cell, pools) = region.word((address - start) / WORD, self.nodes);
            if is_word {
                rest &= !(((1 << a_word) - 1) << lane);
                self.word(cell, pools, Lanes::one(lane, bytes), address);
            } else {
                rest &= rest - 1;
                let who = Lanes::one(lane, WORD as u32);
                let first = (address % WORD) as usize;
                self.slowly(cell, pools, who, first..first + bytes as usize, address);
            }
        }
    }

    /// A whole word is accessed.
    #[inline(always)]
    fn word(&mut self, cell: &mut Cell, pools: &mut Pools, who: Lanes, address: u64) {
        if let Some(step) = &mut self.step
            && (cell.reads, cell.more) == (step.reads, 0)
            && (who.mask == step.mask)
            && match cell.write == step.write {
                true => !step.own_write || who == Lanes { first: cell.wrote, mask: 1 },
                // Lanes that read a column of what other warps have written in rows.
                false => !self.writes && is_past(self.nodes, self.here, self.strength, cell.write),
            }
            && (step.further.is_none() || step.further == who.first.relative_to(cell.read))
        {
            step.times += 1;
            let (new, alone) = (step.new, step.alone);
            return self.become_(cell, who, new, alone);
        }
        self.slowly(cell, pools, who, 0..WORD as usize, address);
    }

    /// The word now has these readers, or this write.
    #[inline(always)]
    fn become_(&self, cell: &mut Cell, who: Lanes, new: Id, alone: bool) {
        cell.reads = new;
        if self.writes {
            (cell.write, cell.wrote) = (self.write, who.first);
        } else if alone {
            cell.read = who.first;
        }
    }

    /// Counts the nodes that have become more or fewer by a step.
    fn settle(&mut self) {
        let Some(Step { write, reads, new, times, .. }) = self.step.take() else { return };
        self.nodes.hold(new, times);
        self.nodes.release(reads, times + 1);
        self.nodes.release(new, 1);
        if self.writes {
            self.nodes.hold(self.write, times);
            self.nodes.release(write, times);
        }
        self.nodes.release(write, 1);
    }

    /// A word is accessed, or a part of it, of which `address` is the first byte's.
    #[inline(never)]
    fn slowly(&mut self, cell: &mut Cell, pools: &mut Pools, who: Lanes, part: Range<usize>, address: u64) {
        self.settle();
        let content = match (pools.open(cell), part.len() as u64) {
            (Content::Word(mut word), WORD) if self.is_as_one(&word, who) => {
                // What has been must stay as long as a step looks for it.
                let past = [word.write.0, word.reads.0];
                past.into_iter().for_each(|id| self.nodes.hold(id, 1));
                self.step = self.happens(&mut word, who, address);
                match &self.step {
                    Some(step) => self.nodes.hold(step.new, 1),
                    None => past.into_iter().for_each(|id| self.nodes.release(id, 1)),
                }
                Content::Word(word)
            }
            (content, _) => self.apart(content, who, part, address),
        };
        *cell = pools.close(content);
    }

    /// Whether the bytes of a word have no other histories and will have none.
    fn is_as_one(&self, word: &History, who: Lanes) -> bool {
        self.writes || word.reads.0 == NOBODY || who.relative_to(word.reads.1).is_some()
    }

    /// What becomes of a word, or of a byte, and of those like it, if there can be any.
    fn happens(&mut self, history: &mut History, who: Lanes, address: u64) -> Option<Step> {
        let past = *history;
        let mut alike = (past.weak.0, past.second.0) == (NOBODY, NOBODY);
        let mut own_write = false;
        for write in [past.write, past.weak] {
            match self.meets(write, who, true, address) {
                Meets::Own => own_write = true,
                Meets::Anyone => {}
                Meets::Some => alike = false,
            }
        }
        let (new, alone) = if self.writes {
            for reads in [past.reads, past.second] {
                alike &= self.meets(reads, who, false, address) != Meets::Some;
            }
            alike &= self.write(history, who.first);
            (history.reads.0, true)
        } else {
            let (new, alone) = self.with_reader(history, who)?;
            self.nodes.hold(new, 1);
            self.nodes.release(past.reads.0, 1);
            history.reads.0 = new;
            if alone {
                history.reads.1 = who.first;
            }
            (new, alone)
        };
        let (write, reads) = (past.write.0, past.reads.0);
        let further = if reads == NOBODY { None } else { who.first.relative_to(past.reads.1) };
        alike.then_some(Step { write, reads, own_write, further, mask: who.mask, new, alone, times: 0 })
    }

    /// A write takes place. Whether it is the only one that is remembered.
    fn write(&mut self, history: &mut History, spread: Spread) -> bool {
        self.nodes.hold(self.write, 1);
        let past = std::mem::replace(&mut history.write, (self.write, spread));
        if self.strength == Strength::Weak {
            let gone = [past, history.weak, history.reads, history.second];
            gone.into_iter().for_each(|(id, _)| self.nodes.release(id, 1));
            *history = History { write: history.write, ..History::default() };
        } else if past.0 != NOBODY && self.nodes.get(past.0).first().what.strength() == Strength::Weak {
            history.weak = past;
        } else {
            self.nodes.release(past.0, 1);
        }
        history.weak.0 == NOBODY
    }

    /// A read takes place: the readers with it, and whether it is the only one; `None` if there is no room
    /// for all.
    fn with_reader(&mut self, history: &mut History, who: Lanes) -> Option<(Id, bool)> {
        let first = Who { further: 0, mask: who.mask };
        let (reads, spread) = history.reads;
        let lanes = who.relative_to(spread).filter(|_| reads != NOBODY).unwrap_or(first);
        let reader = Reader { who: lanes, ..self.reader };
        let with_me = self.nodes.with(reads, reader, self.here.barrier());
        if with_me.is_none() {
            // Two readers from two blocks, if possible.
            let block = |id: Id| self.nodes.get(id).first().block;
            let second = history.second.0;
            let farther =
                second == NOBODY || (block(second) == block(reads) && block(reads) != self.reader.block);
            if farther {
                let mine = self.nodes.one(Reader { who: first, ..self.reader });
                self.nodes.hold(mine, 1);
                self.nodes.release(second, 1);
                history.second = (mine, who.first);
            }
        }
        with_me
    }

    /// The same, byte by byte.
    fn apart(&mut self, content: Content, who: Lanes, part: Range<usize>, address: u64) -> Content {
        let mut all = match content {
            Content::Bytes(all) => all,
            Content::Word(word) => {
                word.links().into_iter().for_each(|(id, _)| self.nodes.hold(id, 3));
                std::array::from_fn(|byte| word.byte(byte))
            }
        };
        for (byte, address) in part.zip(address..) {
            self.happens(&mut all[byte], who.of_byte(byte), address);
        }
        let [word, others @ ..] = all;
        if others != [word; 3] {
            return Content::Bytes(all);
        }
        word.links().into_iter().for_each(|(id, _)| self.nodes.release(id, 3));
        Content::Word(word)
    }

    /// How an earlier access, or all in a set, stand to this one. Races among them are kept.
    fn meets(&mut self, (id, spread): Link, who: Lanes, writes: bool, address: u64) -> Meets {
        let mut meets = Meets::Anyone;
        let mut next = id;
        while next != NOBODY {
            let node = self.nodes.get(next);
            next = node.rest;
            let strength = node.first().what.strength();
            let own_block = node.is_of_block(self.here.first_warp);
            if writes && strength > Strength::Weak && !own_block && self.sees() {
                self.flag = Some(node.seen(0, 0).loc);
            }
            let read_only = [strength, self.strength].contains(&Strength::ReadOnly);
            let in_order = node.is_before(self.here.first_warp, self.here.barrier());
            let both = if own_block { Scope::Cta } else { self.here.scope_with_others() };
            if !read_only && (in_order || morally_strong(strength, self.strength, both)) {
                continue;
            }
            let own = node.is_of(self.reader.block, self.reader.warp)
                && who.mask == 1
                && who.relative_to(spread) == Some(node.first().who);
            if own && !read_only {
                meets = meets.max(Meets::Own);
                continue;
            }
            self.judge(&node, spread, who, writes, address);
            meets = Meets::Some;
        }
        meets
    }

    /// Whether this is a read that threads can synchronise by.
    fn sees(&self) -> bool {
        self.strength > Strength::Weak && self.request.access != Access::Store
    }

    /// Looks for races with the threads of a node, thread by thread.
    fn judge(&mut self, node: &Node, spread: Spread, who: Lanes, earlier_writes: bool, address: u64) {
        let mut pairs = (0, 0);
        for byte in 0..WORD as usize {
            // Bytes of the same threads are judged once.
            if std::mem::replace(&mut pairs, (who.at(byte), node.first().who.lanes(spread.lane(byte))))
                == pairs
            {
                continue;
            }
            for warp in node.warps() {
                for (lane, other) in
                    lanes(pairs.0).flat_map(|lane| lanes(pairs.1).map(move |other| (lane, other)))
                {
                    let earlier = node.seen(warp, other);
                    let Some(why) = self.why(&earlier, lane) else { continue };
                    let rank =
                        |why, past: Past| (why != Why::Almost(Gap::Fence), past.warp != self.here.warp);
                    let mine = rank(why, earlier.past);
                    if self.found.is_some_and(|found| mine <= rank(found.why, found.earlier)) {
                        continue;
                    }
                    self.found = Some(Race {
                        why,
                        lane,
                        address: address + byte as u64,
                        earlier: earlier.past,
                        earlier_loc: earlier.loc,
                        earlier_writes,
                        earlier_atomic: earlier.atomic,
                        same_value: self.writes && earlier_writes && self.request.unchanged >> lane & 1 == 1,
                    });
                    if mine == (true, true) {
                        return;
                    }
                }
            }
        }
    }

    /// Why a lane races with an earlier access, if it does.
    fn why(&self, earlier: &Seen, lane: usize) -> Option<Why> {
        let read_only = [earlier.strength, self.strength].contains(&Strength::ReadOnly);
        if read_only && self.here.is_own_grid(earlier.past) {
            return Some(Why::ReadOnly);
        }
        match self.here.before(earlier.past, lane) {
            Before::Yes => None,
            _ if morally_strong(earlier.strength, self.strength, self.here.scope_with(earlier.past)) => None,
            Before::Almost(gap) => Some(Why::Almost(gap)),
            Before::No => Some(Why::Unordered),
        }
    }
}

/// Whether a write is before what the block does now, whatever lane does it.
#[inline(always)]
fn is_past(nodes: &Nodes, here: Here, strength: Strength, write: Id) -> bool {
    write == NOBODY
        || strength != Strength::ReadOnly && nodes.get(write).is_before(here.first_warp, here.barrier())
}

/// How an access stands to earlier ones.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Meets {
    /// In order, whatever lane it is of.
    Anyone,
    /// In order, since the same lanes made them.
    Own,
    /// That depends on the lanes.
    Some,
}

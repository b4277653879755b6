//! How the work is shared out among the threads, heard from the simulator's events.

use std::ops::Range;

use ptx_simulator::observe::{Access, Act, Actor, After, Event, Observer, Request};
use ptx_simulator::{Order, Scope, Space};
use rustc_hash::{FxHashMap as HashMap, FxHashSet as HashSet};

use crate::fences::{Fences, Unfenced};
use crate::place::{NUMBER, Number, Place, WARP, Warp, lanes};
use crate::sums::{Sums, Unordered};
use crate::words::{Word, Words};

/// What no counter says.
#[derive(Clone, Debug, Default)]
pub struct Effort {
    /// The thread with the most loads.
    pub busiest: Busiest,
    /// Per launch by the host, with all that it launches in turn: its threads, and all loads.
    pub launches: Vec<(u64, u64)>,
    /// Children that were launched into the tail stream.
    pub tail_launches: u64,
    /// The first barrier that opened when others had left with what they had written since their last one:
    /// how many, and its index into the line table.
    pub left: Option<(u32, u32)>,
    /// The first barrier that opened when others had left at all.
    pub exited: Option<(u32, u32)>,
    /// The most children that one grid launched.
    pub most_children: u64,
    /// Children that loaded something that may have reached the result.
    pub working_children: u64,
    /// Words that they were the first to load; a word that is loaded again is no work.
    pub child_words: u64,
    /// The most warps of one block that loaded something that may have reached the result, each at least a
    /// quarter of what those warps load on average.
    pub working_warps: u32,
    /// The most 4-byte numbers that one block loaded from global memory.
    pub block_numbers: u64,
    /// Atomic operations of lanes on global memory.
    pub global_atomics: u64,
    /// Compare-and-swaps of lanes that found another value, and swapped nothing.
    pub swaps_in_vain: u64,
    /// The most atomic operations of one block, but for those that draw tickets.
    pub block_atomics: u64,
    /// The most atomic operations at one address.
    pub longest_queue: u64,
    /// A wait for another block: the first that was seen.
    pub wait: Option<Wait>,
    /// A read of what another block has left that nothing orders: the first that was seen.
    pub unfenced: Option<Unfenced>,
    /// Floats added at one address by several threads, whose sum depends on their order: the first that were
    /// found.
    pub unordered: Option<Unordered>,
    /// Index into the line table, of the last store to the watched addresses.
    pub last_store: Option<u32>,
}

/// A block that reads a word again and again until another block has changed it.
#[derive(Clone, Copy, Debug)]
pub struct Wait {
    /// The one that waits.
    pub block: u64,
    /// Index into the line table.
    pub loc: u32,
}

/// A thread, and its loads from global and shared memory.
#[derive(Clone, Copy, Debug, Default)]
pub struct Busiest {
    /// By the thread.
    pub loads: u64,
    /// By all threads of its block.
    pub of_block: u64,
    /// The launch by the host that it belongs to.
    pub launch: usize,
    /// Its number in its block.
    pub thread: u32,
    /// The block's number in its grid.
    pub block: u64,
}

impl Busiest {
    /// Whether it makes more loads than all other threads of its block together.
    pub fn is_most_of_block(&self) -> bool {
        2 * self.loads > self.of_block
    }
}

impl Effort {
    /// Whether the average thread that the host has launched with the busiest one makes less than half as
    /// many loads.
    pub fn is_uneven(&self) -> bool {
        let launch = self.launches.get(self.busiest.launch);
        launch.is_some_and(|(threads, loads)| self.busiest.loads * threads > 2 * loads)
    }
}

/// Listens to a run.
#[derive(Default)]
pub struct Watcher {
    /// Stores here are remembered.
    pub result: Range<u64>,
    pub effort: Effort,
    blocks: HashMap<(u32, u64), Block>,
    /// The grids that launched grids, by launch by the host.
    parents: HashMap<(usize, u32), u32>,
    /// How many grids each of those launched.
    children: HashMap<(usize, u32), u64>,
    warps: Warps,
    /// Of global memory, and of the shared memory of each block.
    words: HashMap<Option<Warp>, Words>,
    /// Atomic operations at each address: how many, and the operand of the first.
    queues: HashMap<Place, (u64, u64)>,
    /// Words that were read several times in a row.
    polled: Vec<(Place, Wait, Warp)>,
    fences: Fences,
    /// Additions of floats by atomic operations; `None` if nobody asks for them.
    sums: Option<Sums>,
}

/// The warps that have accessed memory.
#[derive(Default)]
struct Warps {
    /// By number.
    all: Vec<Reader>,
    numbers: HashMap<Warp, Number>,
}

/// What a warp has read.
struct Reader {
    warp: Warp,
    /// Of how many words it was the first to load what is there; `None` if it has loaded nothing. A word that
    /// is loaded again and again is no work.
    first_loads: Option<u64>,
    /// The writers of the memory that it has read.
    sources: HashSet<Number>,
    /// What it has looked at last, and how many times in a row.
    looks: Option<(Read, u32)>,
}

impl Warps {
    fn number(&mut self, warp: Warp) -> Number {
        let all = &mut self.all;
        *self.numbers.entry(warp).or_insert_with(|| {
            all.push(Reader { warp, first_loads: None, sources: HashSet::default(), looks: None });
            (all.len() - 1) as Number
        })
    }

    fn reader(&mut self, warp: Warp) -> &mut Reader {
        let number = self.number(warp);
        &mut self.all[number as usize]
    }
}

/// A strong load of a word of global memory, or an atomic operation that changed nothing.
#[derive(Clone, Copy, PartialEq)]
struct Read {
    /// Index into the line table.
    loc: u32,
    address: u64,
    /// What was there.
    value: u64,
    /// Of an atomic operation.
    operand: u64,
}

/// A word that is read so often in a row, and is the same every time, is waited for.
const POLLS: u32 = 3;

/// A block that is under way.
#[derive(Default)]
struct Block {
    /// Of each thread.
    loads: Vec<u64>,
    /// Bytes from global memory.
    bytes: u64,
    atomics: u64,
    /// Threads that have written since their last barrier, by warp.
    wrote: Vec<u32>,
    /// At the barrier that is about to open: its number, warp and lanes.
    arrived: Vec<(u32, u32, u32)>,
    /// Of the last arrival.
    loc: u32,
}

impl Watcher {
    /// `rounds`: the order of additions matters.
    pub fn new(result: Range<u64>, rounds: bool) -> Watcher {
        Watcher { result, sums: rounds.then(Sums::default), ..Watcher::default() }
    }

    /// The launch by the host that is under way.
    fn launch(&self) -> usize {
        self.effort.launches.len().saturating_sub(1)
    }

    /// All that was heard.
    pub fn take(&mut self) -> Effort {
        let mut blocks: HashMap<Warp, Vec<u64>> = HashMap::default();
        let mut children = HashSet::default();
        for number in self.reaching() {
            let reader = &self.warps.all[number as usize];
            let Some(words) = reader.first_loads else { continue };
            let (launch, grid, block, _) = reader.warp;
            blocks.entry((launch, grid, block, 0)).or_default().push(words);
            if self.parents.contains_key(&(launch, grid)) {
                children.insert((launch, grid));
                self.effort.child_words += words;
            }
        }
        self.effort.working_warps = blocks.values().map(|words| working(words)).max().unwrap_or(0);
        self.effort.working_children = children.len() as u64;
        self.effort.longest_queue = self.queues.values().map(|(count, _)| *count).max().unwrap_or(0);
        let is_by_another = |((owner, number), _, reader): &&(Place, Wait, Warp)| {
            let writer = self.words.get(owner).and_then(|words| words.writer(*number));
            writer.is_some_and(|writer| {
                let writer = self.warps.all[writer as usize].warp;
                (writer.0, writer.1, writer.2) != (reader.0, reader.1, reader.2)
            })
        };
        self.effort.wait = self.polled.iter().find(is_by_another).map(|(_, wait, _)| *wait);
        self.effort.unfenced = self.fences.found;
        self.effort.unordered = self.sums.as_ref().and_then(Sums::unordered);
        std::mem::take(&mut self.effort)
    }

    /// The warps from which something may have come to the result: those that have written it, those whose
    /// words these have read, at whatever time, and so on. The parameters of a child come from its parent.
    fn reaching(&self) -> HashSet<Number> {
        let of_result = self.result.start.div_ceil(NUMBER)..self.result.end.div_ceil(NUMBER);
        let global = self.words.get(&None);
        let mut found: Vec<Number> = global
            .into_iter()
            .flat_map(|words| of_result.clone().filter_map(|number| words.writer(number)))
            .collect();
        let mut reaching = HashSet::default();
        let mut of_grid: HashMap<(usize, u32), Vec<Number>> = HashMap::default();
        for (number, reader) in (0..).zip(&self.warps.all) {
            if reader.first_loads.is_some() {
                of_grid.entry((reader.warp.0, reader.warp.1)).or_default().push(number);
            }
        }
        while let Some(number) = found.pop() {
            if !reaching.insert(number) {
                continue;
            }
            let Reader { warp, sources, .. } = &self.warps.all[number as usize];
            found.extend(sources);
            let parent = self.parents.get(&(warp.0, warp.1)).map(|parent| (warp.0, *parent));
            found.extend(parent.and_then(|parent| of_grid.remove(&parent)).into_iter().flatten());
        }
        reaching
    }

    /// Follows words from warp to warp. A plain store of what is there already hands on nothing.
    fn flow(&mut self, actor: Actor, request: &Request) {
        let owner = self.owner(actor, request);
        let me = self.warps.number(self.warp(actor));
        let reader = &mut self.warps.all[me as usize];
        let words = self.words.entry(owner).or_default();
        let bytes = u64::from(request.bytes.max(1));
        let numbers = |mask: u32| {
            let addresses = lanes(mask).map(|lane| request.addresses[lane as usize]);
            addresses.flat_map(move |at| at / NUMBER..(at + bytes).div_ceil(NUMBER))
        };
        if request.access != Access::Store {
            let mut first = 0;
            for number in numbers(request.mask) {
                let word = words.at(number);
                reader.sources.extend(word.writer.filter(|writer| *writer != me));
                first += u64::from(!word.is_loaded);
                word.is_loaded = true;
            }
            if request.access == Access::Load {
                *reader.first_loads.get_or_insert(0) += first;
            }
        }
        let written = if request.access == Access::Load { 0 } else { request.changed };
        for number in numbers(written) {
            *words.at(number) = Word { writer: Some(me), is_loaded: false };
        }
        for number in numbers(outdone(request)) {
            if let Some(writer) = words.at(number).writer {
                self.warps.all[writer as usize].sources.insert(me);
            }
        }
    }

    fn warp(&self, actor: Actor) -> Warp {
        (self.launch(), actor.grid, actor.block, actor.warp)
    }

    /// Whose memory it is, if it is that of a block.
    fn owner(&self, actor: Actor, request: &Request) -> Option<Warp> {
        let block = request.owner.map_or(actor.block, |peer| peer.block);
        (request.space == Space::Shared).then_some((self.launch(), actor.grid, block, 0))
    }

    /// Whether the warp waits for a word in global memory to change: it looks at nothing else meanwhile.
    fn poll(&mut self, actor: Actor, request: &Request) {
        let me = self.warp(actor);
        let looks = match request.access {
            Access::Load => request.order != Order::Weak,
            Access::Atomic { returns } => returns,
            Access::Store => false,
        };
        let lane = lanes(request.mask & !request.changed).next().map(|lane| lane as usize);
        let Some(lane) = lane.filter(|_| looks && request.space == Space::Global) else {
            self.warps.reader(me).looks = None;
            return;
        };
        let of = |number: usize| request.values.get(number).map_or(0, |values| values[lane]);
        let now = Read { loc: actor.loc, address: request.addresses[lane], value: of(0), operand: of(1) };
        let (last, times) = self.warps.reader(me).looks.get_or_insert((now, 0));
        if *last != now {
            (*last, *times) = (now, 0);
        }
        *times += 1;
        if *times == POLLS {
            let wait = Wait { block: actor.block, loc: actor.loc };
            self.polled.push(((None, now.address / NUMBER), wait, me));
        }
    }

    fn atomic(&mut self, actor: Actor, request: &Request) {
        let owner = self.owner(actor, request);
        if request.space == Space::Global {
            self.effort.global_atomics += u64::from(request.mask.count_ones());
        }
        // Of an atomic operation only those lanes are held to be unchanged that swap in vain.
        let in_vain = request.mask & request.unchanged;
        self.effort.swaps_in_vain += u64::from(in_vain.count_ones());
        let draws = request.access == Access::Atomic { returns: true };
        let block = self.blocks.entry((actor.grid, actor.block)).or_default();
        for lane in lanes(request.mask & !in_vain).map(|lane| lane as usize) {
            let operand = request.values.get(1).map_or(0, |operands| operands[lane]);
            let (count, first) = self.queues.entry((owner, request.addresses[lane])).or_insert((0, operand));
            *count += 1;
            // Who adds what all others add, and looks at what was there, draws a ticket.
            block.atomics += u64::from(!draws || operand != *first);
        }
        let warp = self.warp(actor);
        if let Some(sums) = &mut self.sums {
            sums.add(owner, warp, request);
        }
    }

    fn access(&mut self, actor: Actor, request: &Request) {
        self.poll(actor, request);
        self.flow(actor, request);
        if request.space == Space::Global {
            self.fences.access(actor, request, is_wide(request.scope));
        }
        if request.access.is_atomic() {
            self.atomic(actor, request);
        }
        let is_store = request.access != Access::Load;
        let block = self.blocks.entry((actor.grid, actor.block)).or_default();
        let to = |lane: u32| self.result.contains(&request.addresses[lane as usize]);
        if is_store {
            let warp = actor.warp as usize;
            block.wrote.resize(block.wrote.len().max(warp + 1), 0);
            block.wrote[warp] |= request.mask;
            if request.space == Space::Global && lanes(request.mask).any(to) {
                self.effort.last_store = Some(actor.loc);
            }
            return;
        }
        if request.space == Space::Global {
            block.bytes += u64::from(request.bytes * request.mask.count_ones());
        }
        let first = (actor.warp * WARP) as usize;
        block.loads.resize(block.loads.len().max(first + WARP as usize), 0);
        for lane in lanes(request.mask) {
            block.loads[first + lane as usize] += 1;
        }
    }

    fn barrier_opens(&mut self, grid: u32, block: u64, id: u32, all: bool, exited: u32) {
        let Some(block) = self.blocks.get_mut(&(grid, block)) else { return };
        if exited > 0 {
            self.effort.exited.get_or_insert((exited, block.loc));
        }
        for (_, warp, mask) in block.arrived.extract_if(.., |(other, ..)| *other == id) {
            if let Some(wrote) = block.wrote.get_mut(warp as usize) {
                *wrote &= !mask;
            }
        }
        // All that have not left are here: those who still have writes of their own to show have left.
        let threads = block.wrote.iter().map(|mask| mask.count_ones()).sum();
        if all && threads > 0 {
            self.effort.left.get_or_insert((threads, block.loc));
        }
    }

    fn block_end(&mut self, grid: u32, number: u64) {
        // Its shared memory goes with it.
        self.words.remove(&Some((self.launch(), grid, number, 0)));
        let Some(block) = self.blocks.remove(&(grid, number)) else { return };
        let most = block.loads.iter().copied().max().unwrap_or(0);
        let of_block = block.loads.iter().sum();
        let launch = self.launch();
        if let Some((_, loads)) = self.effort.launches.last_mut() {
            *loads += of_block;
        }
        self.effort.block_atomics = self.effort.block_atomics.max(block.atomics);
        self.effort.block_numbers = self.effort.block_numbers.max(block.bytes / NUMBER);
        if most > self.effort.busiest.loads {
            let thread = block.loads.iter().position(|loads| *loads == most).unwrap_or(0) as u32;
            self.effort.busiest = Busiest { loads: most, of_block, launch, thread, block: number };
        }
    }
}

impl Observer for Watcher {
    fn event(&mut self, event: &Event) {
        match *event {
            Event::Grid(start) => {
                let Some(parent) = start.parent else {
                    let (x, y, z) = start.config.grid_dim;
                    let (u, v, w) = start.config.block_dim;
                    let threads = [x, y, z, u, v, w].map(u64::from).iter().product();
                    self.effort.launches.push((threads, 0));
                    return;
                };
                self.effort.tail_launches += u64::from(start.after == After::Parent);
                let launch = self.launch();
                self.parents.insert((launch, start.grid), parent);
                let children = self.children.entry((launch, parent)).or_default();
                *children += 1;
                self.effort.most_children = self.effort.most_children.max(*children);
            }
            Event::BlockEnd { grid, block } => self.block_end(grid, block),
            Event::BarrierOpens { grid, block, id, all, exited } => {
                self.barrier_opens(grid, block, id, all, exited);
            }
            Event::By(actor, &Act::Access(request))
                if matches!(request.space, Space::Global | Space::Shared) =>
            {
                self.access(actor, request);
            }
            Event::By(actor, &Act::Fence { scope, .. }) if is_wide(scope) => self.fences.fence(actor),
            Event::By(actor, &Act::CopyStarts(copy)) => {
                self.flow(actor, &copy.side(Access::Load, Space::Global, copy.mask, copy.bytes));
                let to = copy.side(Access::Store, Space::Shared, copy.mask, copy.bytes);
                self.flow(actor, &Request { changed: copy.mask, ..to });
            }
            Event::By(actor, &Act::Barrier { mask, id, .. }) => {
                let block = self.blocks.entry((actor.grid, actor.block)).or_default();
                block.arrived.push((id, actor.warp, mask));
                block.loc = actor.loc;
            }
            _ => {}
        }
    }
}

/// Whether other blocks of the grid are in a scope.
fn is_wide(scope: Scope) -> bool {
    matches!(scope, Scope::Gpu | Scope::System)
}

/// Lanes of an atomic operation that left what was there, as an `atomicMax` does with a larger number: theirs
/// was compared with it. An addition of 0 takes no part, nor does a swap that was not made.
fn outdone(request: &Request) -> u32 {
    let [_, operands] = request.values else { return 0 };
    if !request.access.is_atomic() {
        return 0;
    }
    let left = request.mask & !request.changed & !request.unchanged;
    lanes(left).filter(|lane| operands[*lane as usize] != 0).fold(0, |mask, lane| mask | 1 << lane)
}

/// How many of a block's warps work, by the words that each was the first to load.
fn working(words: &[u64]) -> u32 {
    let all: u64 = words.iter().sum();
    let warps = words.len() as u64;
    words.iter().filter(|own| 4 * **own * warps >= all.max(1)).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heard::request;

    const RESULT: u64 = 4096;

    /// Warps that each load a number of their own and update the result, the first of them with a change, the
    /// others with this operand in vain.
    fn working_warps(warps: u32, operand: u64, is_swap: bool) -> u32 {
        let mut watcher = Watcher::new(RESULT..RESULT + 4, false);
        for warp in 0..warps {
            let actor = Actor { grid: 0, block: 0, warp, loc: 0, kernel: "k" };
            let own = [u64::from(warp) * 128; 32];
            let result = [RESULT; 32];
            watcher.event(&Event::By(actor, &Act::Access(&request(Access::Load, &own, &[]))));
            let before = [7; 32];
            let operands = [operand; 32];
            let values = [&before, &operands];
            let update = request(Access::Atomic { returns: false }, &result, &values);
            let changed = u32::from(warp == 0);
            let unchanged = if is_swap { 1 - changed } else { 0 };
            watcher.event(&Event::By(actor, &Act::Access(&Request { changed, unchanged, ..update })));
        }
        watcher.take().working_warps
    }

    /// Each lane swaps until it succeeds.
    #[test]
    fn a_swap_that_is_tried_again_is_one_operation() {
        let mut watcher = Watcher::new(RESULT..RESULT + 4, false);
        let actor = Actor { grid: 0, block: 0, warp: 0, loc: 0, kernel: "k" };
        let swap = request(Access::Atomic { returns: false }, &[RESULT; 32], &[]);
        for done in 0..32 {
            let mask = u32::MAX << done;
            let changed = 1 << done;
            let act = Act::Access(&Request { mask, changed, unchanged: mask & !changed, ..swap });
            watcher.event(&Event::By(actor, &act));
        }
        watcher.event(&Event::BlockEnd { grid: 0, block: 0 });
        let effort = watcher.take();
        assert_eq!((effort.block_atomics, effort.longest_queue), (32, 32));
        assert_eq!(effort.swaps_in_vain, 31 * 32 / 2);
    }

    #[test]
    fn a_maximum_that_is_outdone_was_work_and_an_addition_of_0_was_none() {
        assert_eq!(working_warps(8, 5, false), 8, "smaller numbers");
        assert_eq!(working_warps(8, 0, false), 1, "additions of 0");
        assert_eq!(working_warps(8, 5, true), 1, "swaps that were not made");
    }
}

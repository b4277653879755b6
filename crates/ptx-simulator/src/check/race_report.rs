//! What is said of a race: how far apart its two threads are, what could have ordered them, and what to do.

use super::conflict::{Between, Later, Race, Who};
use super::handoff::{self, Uncovered};
use super::locks::{Around, How, Stored};
use super::order::BlockId;
use super::{About, Checker, Late, Place};
use crate::arith::WARP;
use crate::decode::Op;
use crate::diagnostic::{Diagnostic, Kind, Severity, Shape};
use crate::observe::Access;
use crate::ptx::Space;
use crate::what::{Depends, Disorder, Loophole, What};
use crate::words::index;

/// Bytes of an mbarrier.
const MBARRIER: u32 = 8;

/// What to do where a parent and its child touch the same memory.
const NOBODY_WAITS: &str = "nothing in device code waits for a child, which sees what its parent did before \
    the launch: do what comes after the child in another kernel, launched into cudaStreamTailLaunch or from \
    the host";

/// What to do where threads of the same number, in two blocks, write one element.
const SAME_IN_EVERY_BLOCK: &str = "threads of two blocks use the same element. The index of a thread among \
    all is blockIdx.x * blockDim.x + threadIdx.x, and a loop over more elements steps by gridDim.x * \
    blockDim.x. Else give each block an element of its own, or use an atomic";

/// What to do where blocks read and write one array, plainly.
const OTHER_BLOCKS: &str = "blocks run in any order, and __syncthreads() waits for its own block alone: \
    write to another array than the blocks read, or do what comes after in a launch of its own";

/// What to do about a write of several threads of a block.
const SAME_IN_EVERY_THREAD: &str = "these threads write the same element: let one of them do it, for example \
    by if (threadIdx.x == 0), or give each an element of its own. A barrier between the two helps only if \
    one is to write after the other";

/// What to do where a statement by which each thread writes its own element has two write one.
const SAME_FOR_TWO: &str = "other threads write elements of their own here, so look at the index: which one \
    do these two get? Element (row, column) is number row * columns + column, and a loop in which threads \
    share the elements steps by the number of all of them";

/// What orders accesses of two lanes of a warp, as the help on a race says it.
pub const BARRIER_OF_WARP: &str = "a barrier that every lane of the warp reaches (they do not run in \
    lockstep), or every thread of the block,";

/// What orders accesses of two threads of a block.
pub const BARRIER_OF_BLOCK: &str = "a barrier that every thread of the block reaches";

/// What to do about a write of threads that differ in an index which the kernel does not look at.
fn same_in_every_row(axis: usize, threads: u32) -> String {
    let (name, rows) = [("y", "rows"), ("z", "layers")][axis - 1];
    format!(
        "the kernel does not read threadIdx.{name}, and the block has {threads} {rows} of threads, all of \
         which do the same work: launch a one-dimensional block, or use threadIdx.{name} in the index"
    )
}

/// What to do about a statement by which several threads update one element.
const UPDATED_BY_SEVERAL: &str = "each thread reads the element, changes it and writes it back, and what \
    another one writes in between is lost. No barrier helps: make it one atomic operation, such as \
    atomicAdd, at a scope that includes both threads, or give each thread an element of its own";

/// Whether one side is an atomic operation, and the other one is none.
fn is_beside(me: &Later, race: &Race) -> bool {
    me.access.is_atomic() != race.earlier_access.is_atomic()
}

/// What to do about a lock that threads get around.
fn around_help(why: Loophole) -> &'static str {
    match why {
        Loophole::NotWaited => {
            "an atomicCAS that finds the lock taken does not wait: repeat it until it returns the number \
             that says that the lock is free, and only then go in"
        }
        Loophole::InShared => "a lock for global memory has to lie in global memory, one for all blocks",
        Loophole::Two => "threads that use the same element have to take the same lock",
        Loophole::Unmarked => {
            "let each thread swap in a number that never says that the lock is free, such as its own + 1"
        }
        Loophole::StoredFree => {
            "release a lock by an atomic operation, `atomicExch(&lock, 0);`, with `__threadfence();` before \
             it, and another one after the lock is taken"
        }
        Loophole::Set => {
            "initialise a lock before any thread can take it: one in global memory before the launch, by \
             cudaMemset or its initialiser; one in shared memory by one thread, and then `__syncthreads();`"
        }
        Loophole::Released(_) | Loophole::Outside | Loophole::Ignored => {
            "take the lock before the first access to what it guards, and release it after the last one, \
             with `__threadfence();` before the release"
        }
    }
}

impl Checker<'_> {
    /// Who made the earlier access of a race.
    fn earlier(&self, race: &Race) -> Who {
        let ((grid, block), warp) = self.order.locate(race.earlier.warp);
        Who { grid, block, thread: warp * WARP as u32 + u32::from(race.earlier.lane), loc: race.earlier_loc }
    }

    /// NVIDIA's header, if both sides stand in one.
    fn header(&self, me: &Later, race: &Race) -> Option<&str> {
        let [mine, other] = [me.who.loc, race.earlier_loc]
            .map(|loc| self.program.locs.get(loc as usize).and_then(|loc| loc.header.as_deref()));
        mine.filter(|_| other.is_some())
    }

    /// Which finding a race belongs to, and how far apart its threads are.
    fn about_race(&self, me: &Later, race: &Race) -> (About, Between) {
        let between = self.between(me, race);
        let is_family = between == Between::ParentAndChild;
        let kind = if is_family { Kind::ChildVisibility } else { Kind::DataRace };
        let severity = match race.why {
            _ if self.header(me, race).is_some() => Severity::Note,
            Disorder::FirstGuess => Severity::Note,
            _ if race.same_value => Severity::Warning,
            Disorder::Turns { volatile: true, depends: Depends::Result } => Severity::Error,
            Disorder::Turns { .. } => Severity::Warning,
            _ => Severity::Error,
        };
        let place = Place::of(me.who.loc, race.earlier_loc);
        (About { kind, severity, place }, between)
    }

    /// Whether a finding says so already.
    pub fn is_said(&self, me: &Later, race: &Race) -> bool {
        let (about, between) = self.about_race(me, race);
        self.said.get(&about).is_some_and(|(_, farthest)| between <= *farthest)
    }

    /// Two accesses race. `flag`: where another block has last written what the later thread's block has
    /// seen.
    pub fn race(&mut self, me: Later, race: Race, flag: Option<u32>) {
        let who = me.who;
        let earlier = self.earlier(&race);
        let (about, between) = self.about_race(&me, &race);
        // The advice has to fit all the pairs that race at these lines.
        let known = self.said.get(&about).copied();
        if known.is_some_and(|(_, farthest)| between <= farthest) {
            return;
        }
        let header = self.header(&me, &race).map(str::to_string);
        let shape = match header {
            Some(_) => Shape::InHeader,
            None => self.shape(&me, &race, between),
        };
        let help = match race.why {
            _ if header.is_some() => "nothing: the header relies on the order that its own warp-level \
                                      instructions give in practice, which PTX does not promise"
                .into(),
            Disorder::FirstGuess => "right as long as the value is only the compare-and-swap's first guess; \
                                     an atomic or volatile read would say so"
                .into(),
            _ => self.race_help(&me, &race, between, flag),
        };
        if let Some((at, _)) = known {
            self.said.insert(about, (at, between));
            self.found[at].help = help;
            self.found[at].shape = Some(shape);
            return;
        }
        let order = self.disorder(&me, &race, between);
        let mut sides = [(me.access, who), (race.earlier_access, earlier)];
        let is_atomic = order == Disorder::Beside && me.access.is_atomic();
        if order == Disorder::Child && me.access.writes() || is_atomic {
            sides.reverse();
        }
        let what = What::Race {
            sides: sides.map(|(access, who)| self.side(access, who)),
            spot: self.spot(me.space, race.address, me.place, me.element),
            order,
            header,
        };
        if let (Disorder::NotArrived { .. }, Some(uncovered)) = (order, self.uncovered(&me, &race)) {
            let finding = self.found.len();
            self.late.push(Late { finding, mbarrier: uncovered.mbarrier, who: earlier });
        }
        let found = self.diagnostic(about.kind, sides[0].1, what, "");
        let severity = about.severity;
        self.add(about, between, Diagnostic { severity, help, shape: Some(shape), ..found });
    }

    /// Why nothing orders the two, as far as that depends on who they are.
    fn disorder(&self, me: &Later, race: &Race, between: Between) -> Disorder {
        if let Some(lock) = self.stored_plainly(me, race) {
            return lock;
        }
        let around = self.around(me, race);
        match (race.why, between) {
            _ if race.same_value => Disorder::SameValue,
            (Disorder::NoFence | Disorder::FenceElsewhere, _) => around.unwrap_or(race.why),
            (Disorder::Nothing, Between::ParentAndChild) => Disorder::Child,
            (Disorder::Nothing, Between::Grids) if self.are_siblings(me, race) => Disorder::Streams,
            (Disorder::Nothing, _) => {
                let known = self.not_arrived(me, race).or(around);
                known.unwrap_or(if is_beside(me, race) { Disorder::Beside } else { Disorder::Nothing })
            }
            (why, _) => why,
        }
    }

    /// Whether both grids were launched by device code, and neither within the other.
    fn are_siblings(&self, me: &Later, race: &Race) -> bool {
        let grids = [me.who.grid, self.earlier(race).grid];
        let is_child = |grid: u32| self.order.grids[grid as usize].parent.is_some();
        let [a, b] = grids;
        a != b && grids.into_iter().all(is_child) && !self.order.within(a, b) && !self.order.within(b, a)
    }

    /// How the two get around a lock that both know, where that explains the race. A missing fence explains
    /// it unless the thread has entered without the lock: then no fence helps.
    fn around(&self, me: &Later, race: &Race) -> Option<Disorder> {
        let unmarked = [me.who, self.earlier(race)].into_iter().find_map(|who| self.unmarked.inside(who));
        let unmarked = unmarked.filter(|_| race.why == Disorder::Nothing);
        if let Some((_, line)) = unmarked.and_then(|taking| self.site(taking)) {
            return Some(Disorder::Lock { line, why: Loophole::Unmarked });
        }
        let Around { taking, how } = self.locks.around(me.who, self.earlier(race))?;
        let line_of = |loc| self.site(loc).map(|(_, line)| line);
        let why = match how {
            How::NotWaited => Loophole::NotWaited,
            How::InShared => Loophole::InShared,
            How::Two => Loophole::Two,
            How::Released(at) => Loophole::Released(line_of(at)),
            How::Outside => Loophole::Outside,
            How::Ignored => Loophole::Ignored,
        };
        let explains = match race.why {
            Disorder::Nothing => true,
            Disorder::NoFence | Disorder::FenceElsewhere => why == Loophole::NotWaited,
            _ => false,
        };
        Some(Disorder::Lock { line: line_of(taking)?, why }).filter(|_| explains)
    }

    /// How a plain store to the lock itself gets around it.
    fn stored_plainly(&self, me: &Later, race: &Race) -> Option<Disorder> {
        let earlier = self.earlier(race);
        let word = ((me.space == Space::Shared).then_some(me.place), race.address);
        let Stored { taking, releases } = match [me.access, race.earlier_access] {
            [Access::Store, Access::Load] | [Access::Load, _] => None,
            [Access::Store, _] => self.locks.stored(me.who, earlier, word),
            _ => self.locks.stored(earlier, me.who, word),
        }?;
        let (_, line) = self.site(taking)?;
        let why = if releases { Loophole::StoredFree } else { Loophole::Set };
        Some(Disorder::Lock { line, why })
    }

    /// The phase of an mbarrier that the later thread has waited for, if it does not cover the earlier one.
    fn uncovered(&self, me: &Later, race: &Race) -> Option<Uncovered> {
        self.handoffs.uncovered(me.who, self.earlier(race), race.earlier.time)
    }

    fn not_arrived(&self, me: &Later, race: &Race) -> Option<Disorder> {
        let Uncovered { phase, arrivals, first, .. } = self.uncovered(me, race)?;
        let (_, first) = self.place(first);
        Some(Disorder::NotArrived { phase, arrivals, first, comes_later: false })
    }

    /// The block `of` has ended, or all have: of the threads that had not arrived at an mbarrier, some have
    /// come later.
    pub(super) fn settle_arrivals(&mut self, of: Option<BlockId>) {
        let is_settled = |late: &Late| of.is_none_or(|of| of == late.mbarrier.0);
        for late in self.late.extract_if(.., |late| is_settled(late)).collect::<Vec<_>>() {
            if !self.handoffs.has_come(late.mbarrier, late.who) {
                continue;
            }
            let name = self.mbarrier(late.mbarrier);
            let Some(found) = self.found.get_mut(late.finding) else { continue };
            if let What::Race { order: Disorder::NotArrived { comes_later, .. }, .. } = &mut found.what {
                *comes_later = true;
                found.help = format!(
                    "more threads arrive at {name} than it is initialised for: initialise it with the number \
                     of all arrivals of a phase"
                );
            }
        }
    }

    /// What the source calls an mbarrier.
    fn mbarrier(&self, (place, address): handoff::Place) -> String {
        let name = self.spot(Space::Shared, address, place, MBARRIER).name;
        name.map_or("the mbarrier".to_string(), |name| format!("`{name}`"))
    }

    /// What to do where a phase of an mbarrier does not cover a thread.
    fn arrival_help(&self, Uncovered { mbarrier, first, .. }: Uncovered) -> String {
        let name = self.mbarrier(mbarrier);
        let thread = index(self.place(first).1);
        format!(
            "an arrival covers only what its own thread has done before: let every thread that takes part \
             arrive at {name}, and initialise it with their number, or let them wait for each other \
             (__syncwarp()) before thread {thread} arrives for all"
        )
    }

    /// Whether both take one lock, and nobody gets around it.
    fn is_locked(&self, me: &Later, race: &Race) -> bool {
        if let Some(Disorder::Lock { why, .. }) = self.stored_plainly(me, race) {
            return why == Loophole::StoredFree;
        }
        let is_open = race.why == Disorder::Nothing && self.around(me, race).is_some();
        !is_open && self.locks.both_take(me.who, self.earlier(race)).is_some()
    }

    /// How far apart the threads of a race are.
    fn between(&self, me: &Later, race: &Race) -> Between {
        let who = me.who;
        let earlier = self.earlier(race);
        // An ancestor reads what a descendant writes: seen from whichever side came later in this run.
        let visibility = match (race.earlier_access.writes(), me.access.writes()) {
            (true, false) => self.order.within(earlier.grid, who.grid),
            (false, true) => self.order.within(who.grid, earlier.grid),
            _ => false,
        };
        match () {
            _ if earlier.grid != who.grid && visibility => Between::ParentAndChild,
            _ if self.order.device_of(earlier.grid) != self.order.device_of(who.grid) => Between::Devices,
            _ if earlier.grid != who.grid => Between::Grids,
            _ if earlier.block != who.block => {
                let [a, b] = [earlier, who].map(|who| self.order.cluster_of((who.grid, who.block)));
                if a == b { Between::Cluster } else { Between::Blocks }
            }
            _ if earlier.thread / 32 != who.thread / 32 => Between::Warps,
            _ => Between::Lanes,
        }
    }

    /// What shape a race has between threads that are so far apart.
    fn shape(&self, me: &Later, race: &Race, between: Between) -> Shape {
        let code = self.program.functions.iter().flat_map(|function| &function.code);
        let mut widths = code.filter(|inst| inst.loc == race.earlier_loc).filter_map(|inst| match &inst.op {
            Op::Load { d, bytes, .. } if !race.earlier_access.writes() => Some(bytes * d.len() as u32),
            Op::Store { s, bytes, .. } if race.earlier_access.writes() => Some(bytes * s.len() as u32),
            Op::Atomic { bytes, .. } if race.earlier_access.is_atomic() => Some(*bytes),
            _ => None,
        });
        // Accesses are aligned to their width: two of one width share all of their bytes or none.
        let overlap =
            widths.next().is_some_and(|width| width != me.bytes) && widths.all(|width| width != me.bytes);
        let plain = [me.access, race.earlier_access] == [Access::Store; 2];
        let grid = me.who.grid;
        let earlier = self.earlier(race).grid;
        let within = |grid, root| self.order.within(grid, root);
        match between {
            _ if overlap => Shape::Overlap,
            _ if self.is_locked(me, race) => Shape::Lock,
            Between::ParentAndChild => Shape::ParentAndChild,
            Between::Lanes | Between::Warps if plain && self.same_rows(me, race).is_some() => {
                Shape::UnreadIndex
            }
            _ if plain => Shape::TwoWriters,
            Between::Lanes => Shape::SameWarp,
            Between::Warps => Shape::SameBlock,
            Between::Cluster => Shape::SameCluster,
            Between::Blocks => Shape::OtherBlock,
            Between::Grids if within(grid, earlier) || within(earlier, grid) => Shape::ParentAndChild,
            Between::Grids => Shape::OtherGrid,
            Between::Devices => Shape::OtherGpu,
        }
    }

    /// What has to hold of two accesses that race. What to put where is known once it was tried.
    fn race_help(&self, me: &Later, race: &Race, between: Between, flag: Option<u32>) -> String {
        if let (Disorder::Nothing, Some(uncovered)) = (race.why, self.uncovered(me, race)) {
            return self.arrival_help(uncovered);
        }
        if let Some(Disorder::Lock { why, .. }) = self.stored_plainly(me, race) {
            return around_help(why).into();
        }
        if let Some(Disorder::Lock { why, .. }) = self.around(me, race) {
            return around_help(why).into();
        }
        if let Some(loc) = self.locks.both_take(me.who, self.earlier(race)) {
            let line = self.site(loc).map_or(String::new(), |(_, line)| format!(" in line {line}"));
            return format!(
                "the lock that is taken{line} orders nothing without fences: put `__threadfence();` after it \
                 is taken, and before it is released"
            );
        }
        if between == Between::ParentAndChild {
            return NOBODY_WAITS.into();
        }
        if between == Between::Grids && self.are_siblings(me, race) {
            return "two child grids run in any order, or at the same time, unless one block launches both \
                    into one stream (each block has a default stream of its own): do that, or give each grid \
                    memory of its own"
                .into();
        }
        if race.why == Disorder::ReadOnly {
            return "such a read, by __ldg or a const __restrict__ pointer, promises that nothing writes \
                    there while the grid runs: the read has to be a plain one, or the write has to come \
                    from before the launch"
                .into();
        }
        let order = self.order_of(me.who.grid, between);
        let has_atomic = [race.earlier_access, me.access].into_iter().any(Access::is_atomic);
        let are_stores = [race.earlier_access, me.access] == [Access::Store; 2];
        let is_same_thread = between == Between::Blocks && self.earlier(race).thread == me.who.thread;
        let is_one_statement = are_stores && race.earlier_loc == me.who.loc;
        let is_same_index =
            is_one_statement && !race.updates || is_same_thread && (are_stores || race.updates);
        let is_one_update =
            race.updates && !has_atomic && self.site(race.earlier_loc) == self.site(me.who.loc);
        let unread_axis = self.same_rows(me, race).filter(|_| are_stores);
        if let (Between::Lanes | Between::Warps, Some(axis)) = (between, unread_axis) {
            return same_in_every_row(axis, self.order.grids[me.who.grid as usize].block_dim[axis]);
        }
        // Who has seen what another block has left, takes turns with it, by a lock.
        match between {
            Between::Blocks if is_same_index && flag.is_none() => return SAME_IN_EVERY_BLOCK.into(),
            Between::Lanes | Between::Warps if is_one_statement && !race.updates => {
                let help = if me.is_spread { SAME_FOR_TWO } else { SAME_IN_EVERY_THREAD };
                return help.into();
            }
            Between::Lanes | Between::Warps | Between::Blocks if is_one_update => {
                return UPDATED_BY_SEVERAL.into();
            }
            _ => {}
        }
        let plain = if me.access.is_atomic() { race.earlier_access } else { me.access };
        let how = match plain {
            _ if !is_beside(me, race) => "",
            Access::Store => " (in place of the plain write atomicExch)",
            _ => {
                " (in place of the plain read atomicAdd(&…, 0), or a volatile one; where the thread writes \
                  afterwards what it has made of that, one atomic operation that does both)"
            }
        };
        let both = format!("both have to be atomic at a scope that includes both threads{how}");
        let wants_atomic = has_atomic || race.updates;
        // Threads of a block have a barrier, and what comes before it is then known.
        if wants_atomic && matches!(between, Between::Lanes | Between::Warps | Between::Cluster) {
            return format!("{order} has to come between the two; where it can't, {both}");
        }
        if between == Between::Blocks && !wants_atomic && flag.is_none() {
            return OTHER_BLOCKS.into();
        }
        let atomic = if wants_atomic { format!("{both}, or ") } else { String::new() };
        let flag = flag.filter(|_| between == Between::Blocks && !has_atomic);
        let seen = flag.and_then(|loc| self.site(loc)).map_or(String::new(), |(_, line)| {
            format!("what this block has seen of another one in line {line} orders nothing without fences: ")
        });
        format!("{seen}{atomic}{order} has to come between the two")
    }

    /// The axis along which alone the two threads of a block differ that execute one statement, if no
    /// function reads that index.
    fn same_rows(&self, me: &Later, race: &Race) -> Option<usize> {
        if me.who.loc != race.earlier_loc {
            return None;
        }
        let [one, other] = [me.who, self.earlier(race)].map(|who| self.place(who).1);
        let is_read = |axis: usize| {
            let mut functions = self.program.functions.iter();
            functions.any(|one| one.specials.iter().any(|(special, _)| special.is_thread_index(axis)))
        };
        (1..3).find(|axis| {
            let is_alone =
                (0..3).all(|other_axis| (one[other_axis] == other[other_axis]) == (other_axis != *axis));
            is_alone && !is_read(*axis)
        })
    }

    /// What orders accesses of threads that are so far apart.
    fn order_of(&self, grid: u32, between: Between) -> &'static str {
        match between {
            Between::Lanes => BARRIER_OF_WARP,
            Between::Warps => BARRIER_OF_BLOCK,
            Between::Cluster => "a barrier that every thread of the cluster reaches",
            Between::Blocks => {
                "an atomic flag with a fence of the GPU's scope on each side, or the end of the launch, \
                 since blocks run in any order and __syncthreads() waits for its own block alone,"
            }
            Between::Grids if self.order.is_dependent(grid) => {
                "the end of the grid that this one depends on, for which cudaGridDependencySynchronize() \
                 waits,"
            }
            Between::Grids => "the end of one of the two grids",
            Between::Devices => {
                "the end of one of the two kernels, or an atomic flag of scope system (_system) with a fence \
                 of that scope on each side,"
            }
            Between::ParentAndChild => "the end of the child",
        }
    }
}

//! The observers that judge: what they hear of an execution becomes diagnostics.
//!
//! | file | kinds |
//! | --- | --- |
//! | `race.rs`, `order/`, `shadow.rs`, `touch.rs`, `conflict.rs` | data-race, child-visibility |
//! | `reads.rs` | which racing reads count |
//! | `handoff.rs` | data-race of threads that have waited at an mbarrier |
//! | `strong.rs` | data-race of volatile and relaxed accesses |
//! | `copies.rs` | data-race with asynchronous copies |
//! | `barrier.rs` | barrier-divergence |
//! | `peers.rs` | out-of-bounds in the shared memory of another block |
//! | `decides.rs` | order-dependent |
//! | `locks.rs` | deadlock: who holds a lock |
//! | `unmarked.rs` | data-race of threads in a lock that looks free |
//! | `missing.rs` | uninitialized-read: who should have written |
//! | `unread.rs` | never-read |
//! | `repeated.rs` | repeated-launch |
//! | `report.rs` | the findings, and what to do |
//! | `race_report.rs` | the same of races |
//! | `causes.rs` | findings that follow from others |
//! | here | pending-launch-overflow, launch-limit of device launches, pointers that a child cannot use |
//!
//! The others show where an instruction is executed (`exec/`): out-of-bounds, misaligned,
//! uninitialized-read, warp-collective, step-limit, and deadlock where turns are given (`grid/`).

mod barrier;
mod causes;
mod conflict;
mod copies;
mod decides;
mod grid_sync;
mod grid_wait;
mod handoff;
mod locks;
mod missing;
mod order;
mod peers;
mod race;
mod race_report;
mod reads;
mod repeated;
mod report;
mod shadow;
mod strong;
mod touch;
mod unmarked;
mod unread;

pub use decides::{give_numbers, rearranged};
pub use race_report::{BARRIER_OF_BLOCK, BARRIER_OF_WARP};

use barrier::{Branches, Group};
use conflict::{Between, Later, Race, Who};
use copies::UnderWay;
use grid_sync::GridSyncs;
use handoff::Handoffs;
use locks::Locks;
use order::Order;
use peers::Visits;
use race::Shadow;
use reads::{Pending, Reads};
use repeated::Repeated;
use strong::{Doubt, Strong};
use unmarked::Unmarked;
use unread::Unread;

use rustc_hash::FxHashMap;

use crate::decode::Program;
use crate::device::index_in;
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::observe::{Access, Act, Actor, CopyRequest, Event, Given, Observer, Request, Watch};
use crate::ptx::Space;
use crate::what::{Disorder, Region, Side, What, Words};

/// Diagnostics of one launch, at most.
const MAX_DIAGNOSTICS: usize = 64;

/// All checks of one launch.
pub struct Checker<'p> {
    program: &'p Program,
    /// What the allocations are called in messages, by their numbers.
    names: Vec<(u64, Region)>,
    order: Order,
    shadow: Shadow,
    reads: Reads,
    strong: Strong,
    copies: UnderWay,
    visits: Visits,
    handoffs: Handoffs,
    late: Vec<Late>,
    locks: Locks,
    unmarked: Unmarked,
    grid_syncs: GridSyncs,
    unread: Unread,
    repeated: Repeated,
    branches: Branches,
    kernels: Vec<String>,
    /// Which warp has last come to a barrier, by its first thread there.
    last_arrival: Option<Who>,
    /// The first mask of a warp-level instruction that comes from `activemask`.
    pub active_mask: Option<Diagnostic>,
    found: Vec<Diagnostic>,
    /// Which finding says it; of races, the farthest that two of the threads are apart.
    said: FxHashMap<About, (usize, Between)>,
}

/// A thread that had not arrived at an mbarrier when its access raced, and the finding that says so.
#[derive(Clone, Copy, Debug)]
struct Late {
    finding: usize,
    mbarrier: handoff::Place,
    who: Who,
}

/// What a finding is about: of several that are about the same, one is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct About {
    kind: Kind,
    severity: Severity,
    place: Place,
}

/// Where the threads are that a finding is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Place {
    /// At one or two entries of the program's line table, whichever comes first.
    Entries(u32, u32),
    /// In this line of the source, as what executes the program has found it; or in none.
    Line(Option<u32>),
}

impl Place {
    fn of(one: u32, other: u32) -> Place {
        Place::Entries(one.min(other), one.max(other))
    }
}

impl<'p> Checker<'p> {
    pub fn new(program: &'p Program, names: Vec<(u64, Region)>) -> Checker<'p> {
        Checker {
            program,
            names,
            order: Order::default(),
            shadow: Shadow::default(),
            reads: Reads::default(),
            strong: Strong::new(program),
            copies: UnderWay::default(),
            visits: Visits::default(),
            handoffs: Handoffs::default(),
            late: Vec::new(),
            locks: Locks::new(program),
            unmarked: Unmarked::new(program),
            grid_syncs: GridSyncs::default(),
            unread: Unread::new(program),
            repeated: Repeated::default(),
            branches: Branches::default(),
            kernels: Vec::new(),
            last_arrival: None,
            active_mask: None,
            found: Vec::new(),
            said: FxHashMap::default(),
        }
    }

    /// What was found; causes before what follows from them. `stop` is what has stopped the launch.
    pub fn into_found(mut self, stop: Option<&Diagnostic>) -> Vec<Diagnostic> {
        // Strong reads whose threads have gone on with the value.
        for Doubt { later, race, flag, .. } in
            std::mem::take(&mut self.strong).into_doubts(&self.order, &self.reads)
        {
            self.race(later, race, flag);
        }
        self.settle_arrivals(None);
        causes::without_consequences(self.found, stop)
    }

    /// A finding about a thread, and maybe another one in line `other`.
    fn tell(&mut self, kind: Kind, who: Who, other: u32, what: impl Into<What>, help: &str) {
        let finding = self.diagnostic(kind, who, what, help);
        self.say(finding, Place::of(who.loc, other));
    }

    /// A finding at `place`, if that is not said yet; one without a thread, too.
    fn say(&mut self, finding: Diagnostic, place: Place) {
        let about = About { kind: finding.kind, severity: finding.severity, place };
        if !self.said.contains_key(&about) {
            self.add(about, Between::ParentAndChild, finding);
        }
    }

    fn add(&mut self, about: About, between: Between, finding: Diagnostic) {
        if self.found.len() < MAX_DIAGNOSTICS {
            self.said.insert(about, (self.found.len(), between));
            self.found.push(finding);
        }
    }

    fn site(&self, loc: u32) -> Option<(String, u32)> {
        let loc = self.program.locs.get(loc as usize)?;
        Some((loc.file.to_string(), loc.line))
    }

    /// Index of a block in its grid, and of a thread in its block.
    fn place(&self, who: Who) -> ([u32; 3], [u32; 3]) {
        let grid = &self.order.grids[who.grid as usize];
        (index_in(grid.grid_dim, who.block), index_in(grid.block_dim, who.thread.into()))
    }

    /// A finding about a thread.
    fn diagnostic(&self, kind: Kind, who: Who, what: impl Into<What>, help: &str) -> Diagnostic {
        let (block, thread) = self.place(who);
        let site = self.site(who.loc);
        Diagnostic {
            kernel: self.kernels.get(who.grid as usize).cloned(),
            file: Some(site.as_ref().map_or(self.program.name.clone(), |site| site.0.clone())),
            line: site.map(|site| site.1),
            block: Some(block),
            thread: Some(thread),
            ..Diagnostic::new(kind, what, help)
        }
    }

    /// The halves of asynchronous copies, as a load and a store at this moment.
    fn copy(&mut self, actor: Actor, copy: &CopyRequest) {
        let halves = copies::by_given(copy)
            .map(|(mask, bytes)| copy.side(Access::Load, Space::Global, mask, bytes))
            .chain([copy.side(Access::Store, Space::Shared, copy.mask, copy.bytes)]);
        for request in halves {
            self.access(actor, &request);
        }
    }
}

/// The checks, and an observer beside them.
impl Watch for (&mut dyn Observer, Checker<'_>) {
    fn remembers(&self) -> Option<usize> {
        let Checker { order, shadow, strong, reads, .. } = &self.1;
        Some(order.bytes() + shadow.bytes() + strong.bytes() + reads.bytes())
    }

    fn given(&mut self) -> Vec<Given> {
        self.1.reads.take_given()
    }

    fn used(&mut self, reads: &[u32], mask: u32) {
        let shown = self.1.reads.used(reads, mask);
        self.1.show(shown);
    }

    fn moved(&mut self, reads: &[u32], mask: u32) -> Vec<u32> {
        let ahead = self.1.reads.handed_on(reads, mask);
        let shown = self.1.reads.used(&ahead, mask);
        self.1.show(shown);
        ahead
    }

    fn holder(&self, actor: Actor, request: &Request, lane: usize) -> Option<Side> {
        let who = self.1.locks.holder(actor, request, lane)?;
        Some(self.1.side(Access::Atomic { returns: true }, who))
    }

    fn waits_for_the_grid(&self, actor: Actor, request: &Request, lane: usize) -> Option<Words> {
        self.1.waits_for_the_grid(actor, request, lane)
    }

    fn guesses(&mut self, actor: Actor, reads: &[u32], request: &Request) -> u32 {
        self.1.reads.guesses(actor, reads, request)
    }
}

impl Observer for Checker<'_> {
    #[inline]
    fn event(&mut self, event: &Event) {
        match event {
            Event::By(actor, act) => self.act(*actor, act),
            event => self.other(event),
        }
    }
}

impl Checker<'_> {
    #[inline(never)]
    fn other(&mut self, event: &Event) {
        match *event {
            Event::Executed { .. } | Event::Underway { .. } | Event::By(..) | Event::LaunchesDone { .. } => {}
            Event::Grid(start) => {
                self.order.grid(&start);
                self.grid_syncs.grid(&start);
                self.kernels.push(start.kernel.to_string());
            }
            Event::BlockEnd { grid, block } => {
                if let Some(visit) = self.visits.block_end(&mut self.order, (grid, block)) {
                    self.outlived((grid, block), visit);
                }
                let guesses = self.reads.block_end((grid, block));
                self.show(guesses);
                self.left_unread((grid, block));
                self.order.block_end((grid, block));
                self.shadow.block_end(grid, block);
                self.strong.block_end((grid, block));
                self.copies.block_end(grid, block);
                self.settle_arrivals(Some((grid, block)));
                self.handoffs.block_end((grid, block));
                self.locks.block_end((grid, block));
                self.repeated.block_end((grid, block));
                self.grid_syncs.block_end((grid, block));
                let blocks = self.order.grids[grid as usize].cluster_dim.iter().product();
                let (_, cluster) = self.order.cluster_of((grid, block));
                self.branches.block_end(grid, block, (cluster, blocks));
            }
            Event::ClusterOpens { grid, cluster, threads, exited } => {
                self.order.cluster_opens((grid, cluster));
                if exited > 0 {
                    self.opens_without(grid, None, (exited, threads));
                }
            }
            Event::BarrierOpens { grid, block, id, all, exited } => {
                self.order.block((grid, block)).barrier_opens(id, all);
                if exited > 0 {
                    let threads = self.order.grids[grid as usize].threads();
                    self.opens_without(grid, Some(block), (exited, threads));
                }
            }
            Event::Finding { grid, block, found } => {
                let mut found = found.clone();
                if let What::ActiveMask { .. } = found.what {
                    self.active_mask.get_or_insert_with(|| found.clone());
                    if found.severity == Severity::Note {
                        return;
                    }
                }
                if let What::Unwritten { spot: Some(spot), writer, .. } = &mut found.what {
                    *writer = self.writer((grid, block), spot);
                }
                if let What::Unwritten { spot: Some(spot), writer: None, .. } | What::UnwrittenAtomic(spot) =
                    &found.what
                    && let Some((site, threads)) = self.row_of_all_threads((grid, block), spot)
                {
                    let mut words = Words::from(found.what);
                    let row =
                        format!("; line {} writes one per thread, and the block has {threads}", site.line);
                    words.message += &row;
                    words.related.push(site);
                    found.what = words.into();
                }
                let place = Place::Line(found.line);
                self.say(found, place);
            }
        }
    }

    #[inline(never)]
    fn act(&mut self, actor: Actor, act: &Act) {
        let Actor { warp, loc, .. } = actor;
        match *act {
            Act::Access(request) => self.access(actor, request),
            Act::CopyStarts(copy) => {
                self.copy(actor, copy);
                let here = self.order.here(actor);
                let now = (here.warp, here.now());
                self.copies.starts(actor, copy, now);
            }
            Act::CopyLeftOut(copy, wait) => self.copies.left_out(actor, copy, wait),
            Act::CopyEnds(copy) => {
                self.copies.ends(actor, copy);
                self.copy(actor, copy);
            }
            Act::Mbarrier(request, by) => {
                let time = self.order.here(actor).now();
                self.handoffs.used(actor, request, &by, time);
                self.visits.access(&mut self.order, actor, request);
                for race in self.shadow.mbarrier(&mut self.order, actor, request, &by) {
                    self.meets(actor, request, race);
                }
            }
            Act::Branch { watch, taken, rest } => {
                let at = self.place_at_barrier(actor, watch);
                if let Some(found) = self.branches.branch(at, watch, taken, rest) {
                    self.divergence(actor, found);
                }
            }
            Act::BarrierSite { mask, sites } => {
                for &(watch, taken) in sites {
                    let at = self.place_at_barrier(actor, watch);
                    if let Some(found) = self.branches.barrier(at, mask, loc, watch, taken) {
                        self.divergence(actor, found);
                    }
                }
            }
            Act::Barrier { mask, id, waits } => {
                self.last_arrival = Some(Who::new(actor, mask.trailing_zeros() as usize));
                self.order.block_of(actor).arrives(warp, mask, id, waits);
            }
            Act::ClusterArrive { mask, releases } => {
                self.last_arrival = Some(Who::new(actor, mask.trailing_zeros() as usize));
                self.order.cluster_arrive(actor, mask, releases);
            }
            Act::ClusterWait(mask) => self.order.cluster_wait(actor, mask),
            Act::WarpBarrier(mask) => self.order.block_of(actor).meet(&[(warp, mask)]),
            Act::Fence { mask, scope, kind } => self.order.fence(actor, mask, scope, kind),
            Act::Launch(launch) => self.launch(actor, launch),
            Act::GridWait(mask) => self.order.grid_wait(actor, mask),
            Act::ChildrenDone(mask) => self.order.children_done(actor, mask),
            Act::Diverge { .. } | Act::BarrierStall => {}
        }
    }

    /// Who agrees with whom about a watched branch, the block or the cluster, and the warp among theirs.
    fn place_at_barrier(&self, actor: Actor, watch: u32) -> (Group, u32) {
        let grid = actor.grid;
        let block = actor.block;
        if !self.program.watches.get(watch as usize).is_some_and(|watched| watched.of_cluster) {
            return (Group::Block(grid, block), actor.warp);
        }
        let cluster = self.order.cluster_of((grid, block));
        let rank = self.order.blocks_of(cluster).iter().position(|other| *other == block).unwrap_or(0);
        let warps = self.order.grids[grid as usize].threads().div_ceil(32);
        (Group::Cluster(grid, cluster.1), rank as u32 * warps + actor.warp)
    }

    fn access(&mut self, actor: Actor, request: &Request) {
        self.locks.request(actor, request);
        for found in self.unmarked.request(actor, request) {
            self.looks_free(found);
        }
        self.grid_syncs.request(actor, request);
        self.visits.access(&mut self.order, actor, request);
        if let Some(meeting) = self.copies.meets(actor, request) {
            self.meeting(actor, request, meeting);
        }
        // What a write releases comes after it, and what a read acquires before.
        let writes = request.access.writes();
        if writes {
            self.strong.request(&mut self.order, actor, request);
        }
        let numbered;
        let request = if request.follows {
            numbered = Request { read: self.reads.ahead(actor, request), ..*request };
            &numbered
        } else {
            request
        };
        for race in self.shadow.request(&mut self.order, actor, request) {
            self.meets(actor, request, race);
        }
        if !writes {
            self.strong.request(&mut self.order, actor, request);
        }
    }

    /// A request races with an earlier one: if one of the two reads, it is told when the value is used.
    fn meets(&mut self, actor: Actor, request: &Request, race: Race) {
        let later = Later::new(actor, request, race.lane);
        let flag = self.order.block_of(actor).flag;
        // The values of copies, which are not followed, have no register.
        let is_followed = request.access == Access::Load && !request.values.is_empty();
        if is_followed {
            if !self.is_said(&later, &race) {
                self.reads.races(actor, request, race, flag);
            }
        } else if race.read == 0 {
            self.race(later, race, flag);
        } else if let Some(shown) = self.reads.overtaken(later, race, flag) {
            self.show(vec![shown]);
        }
    }

    fn show(&mut self, shown: Vec<Pending>) {
        for Pending { later, race, flag, is_guess, .. } in shown {
            let why = if is_guess { Disorder::FirstGuess } else { race.why };
            self.race(later, Race { why, ..race }, flag);
        }
    }
}

//! The observers that judge: what they hear of an execution becomes diagnostics.
//!
//! | file | kinds |
//! | --- | --- |
//! | `race.rs`, `order/`, `shadow.rs` | data-race, child-visibility |
//! | `copies.rs` | data-race with asynchronous copies |
//! | `barrier.rs` | barrier-divergence |
//! | here | pending-launch-overflow, launch-limit of device launches, pointers that a child cannot use |
//!
//! The others show where an instruction is executed (`exec.rs`): out-of-bounds, misaligned,
//! uninitialized-read, warp-collective, step-limit, and deadlock in `launch.rs`.

mod barrier;
mod copies;
mod order;
mod race;
mod shadow;

use rustc_hash::{FxHashMap, FxHashSet};

use barrier::{Branches, Divergence};
use copies::{Meeting, UnderWay};
use order::{Gap, Order, Past};
use race::{Race, Shadow, Why};

use crate::decode::{Program, runtime};
use crate::device::thread_index;
use crate::diagnostic::{Diagnostic, Kind, Severity, Site};
use crate::memory;
use crate::observe::{Access, Act, Actor, CopyRequest, DeviceLaunch, Event, Observer, Request, Watch};
use crate::ptx::Space;

/// Diagnostics of one launch, at most.
const MOST: usize = 64;

/// All checks of one launch.
pub struct Checker<'p> {
    program: &'p Program,
    /// What the allocations are called in messages, by their numbers.
    names: FxHashMap<u64, String>,
    order: Order,
    shadow: Shadow,
    copies: UnderWay,
    branches: Branches,
    kernels: Vec<String>,
    /// Where a warp has last come to a barrier: grid, block, thread and line; and at which lines one has opened
    /// without threads that had exited.
    last_arrival: Option<(u32, u64, u32, u32)>,
    opened_without: FxHashSet<u32>,
    /// Launches that were refused, by the line they stand on.
    refused: FxHashMap<u32, (usize, u64)>,
    found: Vec<Diagnostic>,
    /// What has been said: kind, severity, line, and the other line.
    said: FxHashSet<(Kind, Severity, u32, u32)>,
}

impl<'p> Checker<'p> {
    pub fn new(program: &'p Program, names: FxHashMap<u64, String>) -> Checker<'p> {
        Checker {
            program,
            names,
            order: Order::default(),
            shadow: Shadow::default(),
            copies: UnderWay::default(),
            branches: Branches::default(),
            kernels: Vec::new(),
            last_arrival: None,
            opened_without: FxHashSet::default(),
            refused: FxHashMap::default(),
            found: Vec::new(),
            said: FxHashSet::default(),
        }
    }

    /// What was found, in the order in which it was found.
    pub fn into_found(mut self) -> Vec<Diagnostic> {
        for (at, count) in self.refused.into_values() {
            let finding = &mut self.found[at];
            let (one, many) = ("1 device launch was".to_string(), format!("{count} device launches were"));
            let what = if count == 1 { one } else { many };
            finding.message = finding.message.replacen("device launches were", &what, 1);
        }
        self.found
    }

    fn say(&mut self, finding: Diagnostic, line: u32, other: u32) {
        if self.found.len() < MOST && self.said.insert((finding.kind, finding.severity, line, other)) {
            self.found.push(finding);
        }
    }

    fn site(&self, loc: u32) -> Option<(String, u32)> {
        let loc = self.program.locs.get(loc as usize)?;
        Some((loc.file.to_string(), loc.line))
    }

    /// Index of a block in its grid, and of a thread in its block.
    fn place(&self, grid: u32, block: u64, thread: u32) -> ([u32; 3], [u32; 3]) {
        let grid = &self.order.grids[grid as usize];
        let [x, y, _] = grid.grid_dim.map(u64::from);
        let index = [(block % x) as u32, (block / x % y) as u32, (block / (x * y)) as u32];
        (index, thread_index(thread, grid.block_dim))
    }

    fn diagnostic(&self, kind: Kind, grid: u32, block: u64, thread: u32, loc: u32) -> Diagnostic {
        let (block, thread) = self.place(grid, block, thread);
        let site = self.site(loc);
        Diagnostic {
            kernel: self.kernels.get(grid as usize).cloned(),
            file: Some(site.as_ref().map_or(self.program.name.clone(), |site| site.0.clone())),
            line: site.map(|site| site.1),
            block: Some(block),
            thread: Some(thread),
            ..Diagnostic::new(kind, String::new(), "")
        }
    }

    /// `byte 24 of argument 0`
    fn what(&self, space: Space, address: u64) -> String {
        if space == Space::Shared {
            return format!("byte {address} of shared memory");
        }
        let (number, offset) = memory::number_and_offset(address);
        match self.names.get(&number) {
            Some(name) => format!("byte {offset} of {name}"),
            None => format!("byte {offset} of a buffer"),
        }
    }

    fn race(&mut self, actor: Actor, request: &Request, race: Race) {
        let Past { warp, lane, .. } = race.earlier;
        let (grid, block, warp) = self.order.locate(warp);
        let writes = !matches!(request.access, Access::Load);
        // An ancestor reads what a descendant writes: seen from whichever side came later in this run.
        let visibility = grid != actor.grid
            && ((self.order.within(grid, actor.grid) && race.earlier_writes && !writes)
                || (self.order.within(actor.grid, grid) && !race.earlier_writes && writes));
        let kind = if visibility { Kind::ChildVisibility } else { Kind::DataRace };
        let mut finding =
            self.diagnostic(kind, actor.grid, actor.block, actor.warp * 32 + race.lane as u32, actor.loc);
        if race.same_value {
            finding.severity = Severity::Warning;
        }
        if race.why == Why::Almost(Gap::Fence) {
            finding.severity = Severity::Note;
        }
        let (other_block, other_thread) = self.place(grid, block, warp * 32 + lane as u32);
        let verb = verb(request.access);
        let other_verb = match (race.earlier_atomic, race.earlier_writes) {
            (true, _) => "atomically updates",
            (_, true) => "writes",
            _ => "reads",
        };
        let who = if grid != actor.grid {
            format!("thread {} of block {} of grid {grid}", show(other_thread), show(other_block))
        } else if block != actor.block {
            format!("thread {} of block {}", show(other_thread), show(other_block))
        } else {
            format!("thread {} of its block", show(other_thread))
        };
        let me = finding.thread.map(show).unwrap_or_default();
        let order = match race.why {
            Why::Almost(Gap::Fence) => "has seen the flag that orders the two, but has no fence behind it",
            Why::Almost(Gap::Scope) => {
                "has seen the flag that orders the two, but its fence is for its block alone"
            }
            Why::Unordered => "nothing orders the two",
            Why::ReadOnly => "the read is by __ldg (ld.global.nc), which may miss any write of its own grid",
        };
        finding.message = format!(
            "thread {me} {verb} {}, which {who} {other_verb}, and {order}",
            self.what(request.space, race.address)
        );
        let same_block = grid == actor.grid && block == actor.block;
        finding.help = match () {
            _ if race.why == Why::Almost(Gap::Fence) => {
                "put __threadfence() between the atomic that sees the flag or the ticket and this line, or \
                 let the atomic acquire; the rules ask for it, though most code does without"
            }
            _ if race.why == Why::Almost(Gap::Scope) => {
                "__threadfence_block() orders for threads of one block: use __threadfence(), or scope gpu"
            }
            _ if race.why == Why::ReadOnly => {
                "read it by a plain load: __ldg, or a const __restrict__ pointer, promises that nobody writes \
                 there while the grid runs"
            }
            _ if visibility => {
                "the parent does not wait for its child: read what it writes in a tail \
                                launch, or on the host"
            }
            _ if grid != actor.grid => {
                "let the launching thread see the writes first (a barrier before the launch), or use a tail \
                 launch"
            }
            _ if same_block && warp == actor.warp => {
                "lanes of a warp do not move in step: put __syncwarp() or __syncthreads() between the two"
            }
            _ if same_block => {
                "put __syncthreads() between the two, where every thread of the block \
                                reaches it"
            }
            _ => {
                "blocks run in any order: use an atomic, a fence with an atomic flag, or another launch for \
                 what comes \
                 after"
            }
        }
        .to_string();
        if let Some((file, line)) = self.site(race.earlier_loc) {
            let message = format!("{who} {other_verb} it here");
            finding.related.push(Site { file, line, message });
        }
        let header = |loc: u32| self.program.locs.get(loc as usize)?.header.as_deref();
        if let (Some(header), Some(_)) = (header(actor.loc), header(race.earlier_loc)) {
            finding.severity = Severity::Note;
            finding.message += &format!("; both are in NVIDIA's <{header}>");
            finding.help =
                "nothing: this header relies on what shuffles and matches order in practice".to_string();
        }
        let (low, high) = (actor.loc.min(race.earlier_loc), actor.loc.max(race.earlier_loc));
        self.say(finding, low, high);
    }

    /// An access to what an asynchronous copy is about to write or to read.
    fn meeting(&mut self, actor: Actor, request: &Request, meeting: Meeting) {
        let thread = actor.warp * 32 + meeting.lane as u32;
        let mut finding = self.diagnostic(Kind::DataRace, actor.grid, actor.block, thread, actor.loc);
        let owner = meeting.owner;
        let (block, thread) = self.place(owner.grid, owner.block, owner.warp * 32 + owner.lane as u32);
        let whose = match () {
            _ if meeting.is_own(actor) => "its own asynchronous copy".to_string(),
            _ if (owner.grid, owner.block) == (actor.grid, actor.block) => {
                format!("an asynchronous copy of thread {} of its block", show(thread))
            }
            _ => format!("an asynchronous copy of thread {} of block {}", show(thread), show(block)),
        };
        let does = if request.space == Space::Shared { "writes" } else { "reads" };
        finding.message = format!(
            "thread {} {} {}, which {whose} {does}, and the copy has not been waited for",
            finding.thread.map(show).unwrap_or_default(),
            verb(request.access),
            self.what(request.space, meeting.address)
        );
        finding.help =
            "let the thread that copies wait for its copies (__pipeline_wait_prior, cp.async.wait_all), and \
                        then the block at a barrier"
                .to_string();
        if let Some((file, line)) = self.site(owner.loc) {
            finding.related.push(Site { file, line, message: "the copy starts here".to_string() });
        }
        self.say(finding, actor.loc.min(owner.loc), actor.loc.max(owner.loc));
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

    fn divergence(&mut self, actor: Actor, divergence: Divergence) {
        let Divergence { watch, barrier_loc, at, past } = divergence;
        let mut finding = self.diagnostic(Kind::BarrierDivergence, actor.grid, actor.block, at, barrier_loc);
        let (_, past) = self.place(actor.grid, actor.block, past);
        let other = show(past);
        let me = finding.thread.map_or(0, |thread| thread[0]);
        finding.message =
            format!("thread {me} comes to this barrier, and thread {other} of its block goes past it");
        finding.help =
            "move the barrier out of the branch or loop, to where every thread of the block comes, the same \
                        number of times"
                .to_string();
        let branch = self.program.watches.get(watch as usize).copied().unwrap_or(u32::MAX);
        if let Some((file, line)) = self.site(branch) {
            let message = "here the threads of the block go different ways".to_string();
            finding.related.push(Site { file, line, message });
        }
        self.say(finding, barrier_loc, barrier_loc);
    }

    /// A barrier opens that threads which have exited did not come to. That is how an early return looks, and
    /// how a barrier in an `if` at a kernel's end does, which PTX does not tell apart.
    fn opens_without(&mut self, grid: u32, block: u64, exited: u32) {
        let arrival = self.last_arrival.filter(|(g, b, ..)| (*g, *b) == (grid, block));
        let Some((.., thread, loc)) = arrival.filter(|(.., loc)| self.opened_without.insert(*loc)) else {
            return;
        };
        let mut finding = self.diagnostic(Kind::BarrierDivergence, grid, block, thread, loc);
        let threads: u32 = self.order.grids[grid as usize].block_dim.iter().product();
        finding.severity = Severity::Note;
        finding.message =
            format!("{exited} of the block's {threads} threads had already left when this barrier opened");
        finding.help =
            "allowed after an early return; in an `if`, move the barrier to where all come".to_string();
        // Once for a kernel: what leaves before its first barrier leaves before all.
        let said_of_kernel = self.found.iter().any(|earlier| {
            let is_same = (earlier.kind, earlier.severity) == (finding.kind, finding.severity);
            is_same && earlier.kernel == finding.kernel
        });
        if !said_of_kernel && !self.said.contains(&(Kind::BarrierDivergence, Severity::Error, loc, loc)) {
            self.say(finding, loc, loc);
        }
    }

    /// A pointer among a launch's arguments that leads into memory of the launching thread or block.
    fn pointers(&mut self, actor: Actor, launch: &DeviceLaunch) {
        for word in launch.params.chunks_exact(8) {
            let (space, _) = memory::resolve(memory::read(word));
            let (what, whose) = match space {
                Space::Local => ("a local variable", "thread"),
                Space::Shared => ("shared memory", "block"),
                _ => continue,
            };
            let thread = actor.warp * 32 + launch.lane as u32;
            let mut finding =
                self.diagnostic(Kind::ChildVisibility, actor.grid, actor.block, thread, actor.loc);
            finding.message =
                format!("the child is given a pointer to {what}, which is its parent {whose}'s alone");
            finding.help = "pass a pointer to global memory, or the value itself".to_string();
            self.say(finding, actor.loc, 0);
        }
    }
}

/// `5`, or `(5, 1, 0)` where there are more dimensions.
fn show([x, y, z]: [u32; 3]) -> String {
    if y == 0 && z == 0 { x.to_string() } else { format!("({x}, {y}, {z})") }
}

fn verb(access: Access) -> &'static str {
    match access {
        Access::Load => "reads",
        Access::Store => "writes",
        Access::Atomic { .. } => "atomically updates",
    }
}

/// The checks, and an observer beside them.
impl Watch for (&mut dyn Observer, Checker<'_>) {
    const CHECKS: bool = true;
}

impl Observer for Checker<'_> {
    #[inline]
    fn event(&mut self, event: &Event) {
        match event {
            Event::Instruction { .. } => {}
            Event::By(actor, act) => self.act(*actor, act),
            event => self.other(event),
        }
    }
}

impl Checker<'_> {
    #[inline(never)]
    fn other(&mut self, event: &Event) {
        match *event {
            Event::Instruction { .. } | Event::By(..) | Event::LaunchesDone { .. } => {}
            Event::Grid(start) => {
                self.order.grid(&start);
                self.kernels.push(start.kernel.to_string());
            }
            Event::BlockEnd { grid, block } => {
                self.order.block_end((grid, block));
                self.shadow.block_end(grid, block);
                self.copies.block_end(grid, block);
                self.branches.block_end(grid, block);
            }
            Event::BarrierOpens { grid, block, id, all, exited } => {
                self.order.block((grid, block)).barrier_opens(id, all);
                if exited > 0 {
                    self.opens_without(grid, block, exited);
                }
            }
            Event::Finding(diagnostic) => {
                self.say(diagnostic.clone(), u32::MAX, diagnostic.line.unwrap_or(0));
            }
        }
    }

    #[inline(never)]
    fn act(&mut self, actor: Actor, act: &Act) {
        let Actor { grid, block, warp, loc, .. } = actor;
        match *act {
            Act::Access(request) => self.access(actor, request),
            Act::CopyStarts(copy) => {
                self.copy(actor, copy);
                self.copies.starts(actor, copy);
            }
            Act::CopyEnds(copy) => {
                self.copies.ends(actor, copy);
                self.copy(actor, copy);
            }
            Act::Mbarrier(request, by) => {
                if let Some(race) = self.shadow.mbarrier(&mut self.order, actor, request, &by) {
                    self.race(actor, request, race);
                }
            }
            Act::Branch { watch, taken, rest } => {
                if let Some(found) = self.branches.branch((grid, block), warp, watch, taken, rest) {
                    self.divergence(actor, found);
                }
            }
            Act::BarrierSite { mask, sites } => {
                for &(watch, taken) in sites {
                    if let Some(found) = self.branches.barrier((grid, block), warp, mask, loc, watch, taken) {
                        self.divergence(actor, found);
                    }
                }
            }
            Act::Barrier { mask, id } => {
                self.last_arrival = Some((grid, block, warp * 32 + mask.trailing_zeros(), loc));
                self.order.clock(actor).arrives(warp, mask, id);
            }
            Act::WarpBarrier { mask } => self.order.clock(actor).warp_barrier(warp, mask),
            Act::Fence { mask, scope } => self.order.fence(actor, mask, scope),
            Act::Launch(launch) => self.launch(actor, launch),
            Act::ChildrenDone { mask } => self.order.children_done(actor, mask),
            Act::Diverge { .. } | Act::BarrierStall => {}
        }
    }

    fn access(&mut self, actor: Actor, request: &Request) {
        if let Some(meeting) = self.copies.meets(actor, request) {
            self.meeting(actor, request, meeting);
        }
        if let Some(race) = self.shadow.request(&mut self.order, actor, request) {
            self.race(actor, request, race);
        }
    }

    fn launch(&mut self, actor: Actor, launch: &DeviceLaunch) {
        let thread = actor.warp * 32 + launch.lane as u32;
        let Some(error) = launch.refused else {
            self.order.launch(actor, launch.lane);
            self.pointers(actor, launch);
            return;
        };
        if error != runtime::PENDING_COUNT_EXCEEDED {
            let mut finding = self.diagnostic(Kind::LaunchLimit, actor.grid, actor.block, thread, actor.loc);
            finding.message =
                "a launch by device code is refused: its grid, block or shared memory is not possible".into();
            finding.help =
                "a child block has 1 to 1,024 threads, a grid at least one block; check cudaGetLastError() \
                            after the launch"
                    .into();
            self.say(finding, actor.loc, 0);
            return;
        }
        if let Some((_, count)) = self.refused.get_mut(&actor.loc) {
            *count += 1;
            return;
        }
        let mut finding =
            self.diagnostic(Kind::PendingLaunchOverflow, actor.grid, actor.block, thread, actor.loc);
        finding.message = format!(
            "device launches were dropped, since {} were pending: these children never ran",
            launch.limit
        );
        finding.help =
            "raise cudaLimitDevRuntimePendingLaunchCount, launch fewer blocks at a time, or one child"
                .to_string();
        if self.found.len() < MOST {
            self.refused.insert(actor.loc, (self.found.len(), 1));
            self.found.push(finding);
        }
    }
}

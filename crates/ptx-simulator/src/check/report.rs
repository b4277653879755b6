//! What the findings say: who, what, where, and what to do.

use super::barrier::{Divergence, Group};
use super::conflict::{Race, Why};
use super::copies::Meeting;
use super::order::Gap;
use super::peers::Visit;
use super::race::place_of;
use super::strong::Doubt;
use super::{Checker, MOST};
use crate::arith::{AtomOp, WARP};
use crate::decode::{Op, runtime};
use crate::diagnostic::{KEEP_ALIVE, Kind, Severity, Shape, Site};
use crate::memory;
use crate::observe::{Access, Actor, DeviceLaunch, Request};
use crate::ptx::{Order, Scope, Space};

/// How far apart two threads that race are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Between {
    Lanes,
    Warps,
    Cluster,
    Blocks,
    Grids,
    Devices,
    ParentAndChild,
}

impl Checker<'_> {
    /// `byte 24 of argument 0`; in shared memory that of a `block` of the cluster, if there are several.
    fn what(&self, space: Space, address: u64, (grid, block): (u32, u64)) -> String {
        if space == Space::Shared {
            return match self.order.has_clusters(grid) {
                true => format!("byte {address} of the shared memory of block {}", self.block(grid, block)),
                false => format!("byte {address} of shared memory"),
            };
        }
        let (number, offset) = memory::number_and_offset(address);
        format!(
            "byte {offset} of {}",
            self.names.iter().find(|(known, _)| *known == number).map_or("a buffer", |(_, name)| name)
        )
    }

    /// `5`, or `(5, 1, 0)`: the index of a block in its grid.
    fn block(&self, grid: u32, block: u64) -> String {
        show(self.place(grid, block, 0).0)
    }

    pub fn race(&mut self, actor: Actor, request: &Request, race: Race) {
        let (grid, block, warp) = self.order.locate(race.earlier.warp);
        let writes = request.access != Access::Load;
        // An ancestor reads what a descendant writes: seen from whichever side came later in this run.
        let visibility = grid != actor.grid
            && ((self.order.within(grid, actor.grid) && race.earlier_writes && !writes)
                || (self.order.within(actor.grid, grid) && !race.earlier_writes && writes));
        let kind = if visibility { Kind::ChildVisibility } else { Kind::DataRace };
        let headers = [actor.loc, race.earlier_loc]
            .map(|loc| self.program.locs.get(loc as usize).and_then(|loc| loc.header.as_deref()));
        let in_header = headers[0].filter(|_| headers[1].is_some());
        let guess = self.is_first_guess((actor.loc, is_atomic(request)), &race);
        let severity = match race.why {
            _ if in_header.is_some() || guess || race.why == Why::Almost(Gap::Fence) => Severity::Note,
            _ if race.same_value => Severity::Warning,
            Why::Turns { volatile, decides } if decides || !volatile => Severity::Warning,
            _ => Severity::Error,
        };
        let between = match () {
            _ if visibility => Between::ParentAndChild,
            _ if self.order.device_of(grid) != self.order.device_of(actor.grid) => Between::Devices,
            _ if grid != actor.grid => Between::Grids,
            _ if block != actor.block => {
                let cluster = |block| self.order.cluster_of((grid, block));
                if cluster(block) == cluster(actor.block) { Between::Cluster } else { Between::Blocks }
            }
            _ if warp != actor.warp => Between::Warps,
            _ => Between::Lanes,
        };
        // The advice has to fit all the pairs that race at these lines.
        let lines = (actor.loc.min(race.earlier_loc), actor.loc.max(race.earlier_loc));
        let pair = (kind, severity, lines.0, lines.1);
        let known = self.races.iter().position(|(known, ..)| *known == pair);
        if known.is_some_and(|known| between <= self.races[known].2) {
            return;
        }
        let shape = self.shape(actor, request, &race, between);
        let help = match in_header {
            Some(_) => {
                "nothing: this header relies on what shuffles and matches order in practice".to_string()
            }
            None if guess => "right as long as the value is only what the compare-and-swap starts from; an \
                              atomic or volatile read would say so"
                .to_string(),
            None => self.race_help(actor, request, &race, (between, shape)),
        };
        if let Some(known) = known {
            let (_, at, farthest) = &mut self.races[known];
            *farthest = between;
            (self.found[*at].help, self.found[*at].shape) = (help, Some(shape));
            return;
        }
        let thread = actor.warp * 32 + race.lane as u32;
        let mut finding = self.diagnostic(kind, actor.grid, actor.block, thread, actor.loc);
        let (other_block, other_thread) = self.place(grid, block, warp * 32 + race.earlier.lane as u32);
        let (me, other) = (finding.thread.map(show).unwrap_or_default(), show(other_thread));
        let who = match between {
            Between::Lanes | Between::Warps => format!("thread {other} of its block"),
            Between::Cluster | Between::Blocks => format!("thread {other} of block {}", show(other_block)),
            Between::Devices => {
                let device = self.order.device_of(grid);
                format!("thread {other} of block {} on GPU {device}", show(other_block))
            }
            _ => format!("thread {other} of block {} of grid {grid}", show(other_block)),
        };
        let other_verb = match (race.earlier_atomic, race.earlier_writes) {
            (true, _) => "atomically updates",
            (_, true) => "writes",
            _ => "reads",
        };
        let order = match race.why {
            _ if guess => "which the compare-and-swap checks again".to_string(),
            _ if race.same_value => "the same value, and nothing orders the two".to_string(),
            Why::Almost(Gap::Fence) => {
                "and has seen the flag that orders the two, but has no fence behind it".to_string()
            }
            Why::Almost(Gap::Scope) => {
                let whose = if self.order.has_clusters(actor.grid) { "block or cluster" } else { "block" };
                format!("and has seen the flag that orders the two, but its fence is for its {whose} alone")
            }
            Why::Unordered => "and nothing orders the two".to_string(),
            Why::Turns { volatile, decides } => {
                let word = if volatile { "volatile" } else { "relaxed" };
                let what = if decides { "whether something is stored" } else { "the result" };
                format!(
                    "and nothing orders the two: {word} accesses come in no particular order, and {what} \
                         depends on which comes first"
                )
            }
            Why::ReadOnly => {
                "and the read is by __ldg (ld.global.nc), which may miss any write of its own grid"
                    .to_string()
            }
        };
        let (verb, what) =
            (verb(request.access), self.what(request.space, race.address, place_of(actor, request)));
        finding.message = format!("thread {me} {verb} {what}, which {who} {other_verb}, {order}");
        if let Some(header) = in_header {
            finding.message += &format!("; both are in NVIDIA's <{header}>");
        }
        (finding.severity, finding.help, finding.shape) = (severity, help, Some(shape));
        if let Some((file, line)) = self.site(race.earlier_loc) {
            let message = format!("{who} {other_verb} it here");
            finding.related.push(Site { file, line, message });
        }
        if self.found.len() < MOST {
            self.races.push((pair, self.found.len(), between));
            self.found.push(finding);
        }
    }

    /// A strong read whose thread has gone on with the value.
    pub fn doubt(&mut self, doubt: Doubt) {
        let Doubt { grid, block, warp, loc, access, space, owner, mask, bytes, race, flag, .. } = doubt;
        let actor = Actor { grid, block, warp, loc, kernel: "" };
        self.order.clock(actor).flag = flag;
        let (addresses, order) = ([0; WARP], Order::Volatile);
        let request = Request::new(access, space, mask, &addresses, bytes, order, Scope::System);
        self.race(actor, &Request { owner, ..request }, race);
    }

    /// What shape a race has between threads that are so far apart.
    fn shape(&self, actor: Actor, request: &Request, race: &Race, between: Between) -> Shape {
        let code = self.program.functions.iter().flat_map(|function| &function.code);
        let mut widths = code.filter(|inst| inst.loc == race.earlier_loc).filter_map(|inst| match &inst.op {
            Op::Load { d, bytes, .. } if !race.earlier_writes => Some(bytes * d.len() as u32),
            Op::Store { s, bytes, .. } if race.earlier_writes => Some(bytes * s.len() as u32),
            Op::Atomic { bytes, .. } if race.earlier_atomic => Some(*bytes),
            _ => None,
        });
        // Accesses are aligned to their width: two of one width share all of their bytes or none.
        let overlap = widths.next().is_some_and(|width| width != request.bytes)
            && widths.all(|width| width != request.bytes);
        let plain = request.access == Access::Store && race.earlier_writes && !race.earlier_atomic;
        let (earlier, ..) = self.order.locate(race.earlier.warp);
        match between {
            _ if overlap => Shape::Overlap,
            Between::ParentAndChild => Shape::ParentAndChild,
            _ if plain => Shape::TwoWriters,
            Between::Lanes => Shape::SameWarp,
            Between::Warps => Shape::SameBlock,
            Between::Cluster => Shape::SameCluster,
            Between::Blocks => Shape::OtherBlock,
            Between::Grids if self.order.within(actor.grid, earlier) => Shape::ParentAndChild,
            Between::Grids if self.order.within(earlier, actor.grid) => Shape::ParentAndChild,
            Between::Grids => Shape::OtherGrid,
            Between::Devices => Shape::OtherGpu,
        }
    }

    /// Whether some threads of the warp are not at this access: it stands in an `if` or a loop, in which a
    /// barrier would diverge.
    fn is_in_a_branch(&self, actor: Actor, request: &Request) -> bool {
        let threads = self.order.grids[actor.grid as usize].threads() - actor.warp * WARP as u32;
        request.mask.count_ones() < threads.min(WARP as u32)
    }

    /// Whether a plain read and a compare-and-swap race of which the first is the start: the loop of the CUDA
    /// C++ Programming Guide ("Atomic Functions"), which reads a value, and swaps it if it is still there.
    fn is_first_guess(&self, (loc, atomic): (u32, bool), race: &Race) -> bool {
        let at = |loc: u32| {
            self.program.functions.iter().flat_map(|f| &f.code).filter(move |inst| inst.loc == loc)
        };
        let reads = |read: u32, swap: u32| {
            at(read).any(|inst| {
                let Op::Load { at: from, order: Order::Weak, space: near, .. } = &inst.op else {
                    return false;
                };
                at(swap).any(|inst| {
                    let Op::Atomic { op: AtomOp::CompareSwap, at, space, .. } = &inst.op else {
                        return false;
                    };
                    // A generic address stands in another register than a global one.
                    at == from || space != near && at.offset == from.offset
                })
            })
        };
        match (race.earlier_atomic, atomic) {
            (false, true) => reads(race.earlier_loc, loc),
            (true, false) => reads(loc, race.earlier_loc),
            _ => false,
        }
    }

    fn race_help(
        &mut self,
        actor: Actor,
        request: &Request,
        race: &Race,
        (between, shape): (Between, Shape),
    ) -> String {
        let atomics = [race.earlier_atomic, is_atomic(request)];
        let flag = self.order.clock(actor).flag.and_then(|loc| self.site(loc));
        if let (Between::Blocks, Why::Unordered | Why::Turns { .. }, [false, false], Some((_, line))) =
            (between, race.why, atomics, &flag)
        {
            return format!(
                "this block has seen what another one wrote in line {line}: put __threadfence() in front of \
                 that write, and one after the read that sees it"
            );
        }
        let help = match (race.why, between) {
            (Why::Almost(_), Between::Devices) => {
                "this fence orders for threads of one GPU: use __threadfence_system(), or scope sys"
            }
            (Why::Almost(Gap::Fence), _) => {
                "put __threadfence() between the atomic that sees the flag or the ticket and this line, or \
                 let the atomic acquire; the rules ask for it, though most code does without"
            }
            (Why::Almost(Gap::Scope), _) => {
                "__threadfence_block() orders for threads of one block: use __threadfence(), or scope gpu"
            }
            (Why::ReadOnly, _) => {
                "read it by a plain load: __ldg, or a const __restrict__ pointer, promises that nobody \
                 writes there while the grid runs"
            }
            (_, Between::ParentAndChild) => {
                "the parent does not wait for its child: read what it writes in a tail launch, or on the host"
            }
            (_, Between::Grids) if self.order.is_dependent(actor.grid) => {
                "this grid may start before the one it depends on has ended: call \
                 cudaGridDependencySynchronize() in front of this line, in the threads that touch what that \
                 one does"
            }
            (_, Between::Grids) => {
                "let the launching thread see the writes first (a barrier before the launch), or use a tail \
                 launch"
            }
            (_, Between::Devices) if atomics == [true; 2] => {
                "another GPU takes part: an atomic without _system in its name is atomic among the threads \
                 of one GPU alone; use atomicAdd_system and its like, or thread_scope_system"
            }
            (_, Between::Devices) if !atomics.contains(&true) => {
                "nothing orders kernels that run on two GPUs at the same time: use an atomic of scope \
                 system, or let the host wait for one before it launches the other"
            }
            _ if atomics == [true; 2] => {
                "both are atomic, but not at a scope that includes both threads: leave _block out of the \
                 name, or use thread_scope_device"
            }
            _ if atomics.contains(&true) => {
                "an atomic protects from other atomics alone: let the other side be one too, or lie behind a \
                 barrier"
            }
            _ if race.same_value => {
                "it is the same value only this time, as far as the rules go: let one thread write it, or \
                 use an atomic"
            }
            (_, Between::Cluster) => {
                "put cluster.sync() between the two, where every thread of the cluster reaches it"
            }
            (_, Between::Blocks) => {
                "blocks run in any order: use an atomic, a fence with an atomic flag, or another launch for \
                 what comes after"
            }
            _ if shape == Shape::Overlap => {
                "the two accesses are of different width, and share bytes: let the elements be of one type, \
                 or put __syncthreads() between the two, where every thread of the block reaches it"
            }
            _ if shape == Shape::TwoWriters => {
                "let only one of the two write this element, or give each an element of its own; \
                 __syncthreads() between the two helps only if the second value is to stay"
            }
            _ => {
                let out = match self.is_in_a_branch(actor, request) {
                    true => "outside the branch that this line is in, ",
                    false => "",
                };
                let (why, or) = match between {
                    Between::Lanes => (
                        "lanes of a warp do not move in step: ",
                        "; __syncwarp() is enough if no other warp ever touches it",
                    ),
                    _ => ("", ""),
                };
                return format!(
                    "{why}put __syncthreads() between the two, {out}where every thread of the block reaches \
                     it{or}"
                );
            }
        };
        help.to_string()
    }

    /// An access to what an asynchronous copy is about to write or to read.
    pub fn meeting(&mut self, actor: Actor, request: &Request, meeting: Meeting) {
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
            self.what(request.space, meeting.address, place_of(actor, request))
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

    /// An access to the shared memory of a block that may have ended by then.
    pub fn outlived(&mut self, grid: u32, block: u64, visit: Visit) {
        let Visit { actor_block, warp, lane, loc, address, access } = visit;
        let thread = warp * 32 + lane as u32;
        let mut finding = self.diagnostic(Kind::OutOfBounds, grid, actor_block, thread, loc);
        finding.message = format!(
            "thread {} {} {}, and nothing keeps that block from ending before",
            finding.thread.map(show).unwrap_or_default(),
            verb(access),
            self.what(Space::Shared, address, (grid, block))
        );
        finding.help = KEEP_ALIVE.to_string();
        self.say(finding, loc, loc);
    }

    pub fn divergence(&mut self, actor: Actor, divergence: Divergence) {
        let Divergence { watch, barrier_loc, group, at, past } = divergence;
        let grid = actor.grid;
        // Threads of a cluster are numbered block by block.
        let in_block = |number: u32| match group {
            Group::Block(_, block) => (block, number),
            Group::Cluster(_, cluster) => {
                let threads = self.order.grids[grid as usize].threads().next_multiple_of(32);
                let blocks = self.order.blocks_of((grid, cluster));
                (blocks[(number / threads) as usize], number % threads)
            }
        };
        let ((block, at), (other_block, past)) = (in_block(at), in_block(past));
        let mut finding = self.diagnostic(Kind::BarrierDivergence, grid, block, at, barrier_loc);
        let (_, past) = self.place(grid, other_block, past);
        let other = show(past);
        let me = finding.thread.map_or(0, |thread| thread[0]);
        finding.message = match group {
            Group::Block(..) => {
                format!("thread {me} comes to this barrier, and thread {other} of its block goes past it")
            }
            Group::Cluster(..) => format!(
                "thread {me} of block {} comes to this barrier of the cluster, and thread {other} of block \
                 {} goes past it",
                self.block(grid, block),
                self.block(grid, other_block)
            ),
        };
        finding.help =
            "move the barrier out of the branch or loop, to where every thread of the block comes, the same \
                        number of times"
                .to_string();
        let of = if matches!(group, Group::Block(..)) { "block" } else { "cluster" };
        finding.help = finding.help.replace("of the block", &format!("of the {of}"));
        let branch = self.program.watches.get(watch as usize).map_or(u32::MAX, |watched| watched.loc);
        if let Some((file, line)) = self.site(branch) {
            let message = format!("here the threads of the {of} go different ways");
            finding.related.push(Site { file, line, message });
        }
        self.say(finding, barrier_loc, barrier_loc);
    }

    /// A barrier opens that threads which have exited did not come to. That is how an early return looks, and
    /// how a barrier in an `if` at a kernel's end does, which PTX does not tell apart.
    /// `block`: whose; else it is that of a cluster.
    pub fn opens_without(&mut self, grid: u32, block: Option<u64>, (exited, threads): (u32, u32)) {
        let is_here = |(g, b, ..): &(u32, u64, u32, u32)| *g == grid && block.is_none_or(|block| *b == block);
        let arrival = self.last_arrival.filter(is_here);
        let Some((_, at, thread, loc)) = arrival.filter(|(.., loc)| !self.opened_without.contains(loc))
        else {
            return;
        };
        self.opened_without.push(loc);
        let mut finding = self.diagnostic(Kind::BarrierDivergence, grid, at, thread, loc);
        let of = if block.is_some() { "block" } else { "cluster" };
        finding.severity = Severity::Note;
        finding.message =
            format!("{exited} of the {of}'s {threads} threads had already left when this barrier opened");
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

    pub fn launch(&mut self, actor: Actor, launch: &DeviceLaunch) {
        let thread = actor.warp * 32 + launch.lane as u32;
        let Some(error) = launch.refused else {
            self.order.launch(actor, launch.lane);
            self.pointers(actor, launch);
            return;
        };
        if error != runtime::PENDING_COUNT_EXCEEDED {
            let mut finding = self.diagnostic(Kind::LaunchLimit, actor.grid, actor.block, thread, actor.loc);
            let why = launch.why.unwrap_or("its grid, block or shared memory is not possible");
            finding.message = format!("a launch by device code is refused: {why}");
            finding.help =
                "a child block has 1 to 1,024 threads, a grid at least one block; check cudaGetLastError() \
                            after the launch"
                    .into();
            self.say(finding, actor.loc, 0);
            return;
        }
        if let Some((.., count)) = self.refused.iter_mut().find(|(loc, ..)| *loc == actor.loc) {
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
            self.refused.push((actor.loc, self.found.len(), 1));
            self.found.push(finding);
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

fn is_atomic(request: &Request) -> bool {
    matches!(request.access, Access::Atomic { .. })
}

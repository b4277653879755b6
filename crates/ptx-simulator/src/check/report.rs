//! From what the checks have seen to findings: who, what, where, and what to do. `words.rs` says the rest.

use super::barrier::{Divergence, Group};
use super::conflict::{Between, Race, Why};
use super::copies::Meeting;
use super::order::Gap;
use super::peers::Visit;
use super::race::place_of;
use super::strong::Doubt;
use super::{Checker, MOST};
use crate::arith::{AtomOp, WARP};
use crate::decode::{Op, runtime};
use crate::diagnostic::{
    Diagnostic, Disorder, Does, KEEP_ALIVE, Kind, Region, Severity, Shape, Side, Spot, What,
};
use crate::memory;
use crate::observe::{Access, Actor, DeviceLaunch, Request};
use crate::ptx::{Order, Scope, Space};

impl Checker<'_> {
    /// A byte that was touched. In shared memory it is that of a `block` of the cluster, if there are several.
    fn spot(&self, space: Space, address: u64, (grid, block): (u32, u64)) -> Spot {
        if space == Space::Shared {
            let kernel = self.kernels.get(grid as usize).and_then(|name| self.program.by_name.get(name));
            let variables = kernel.map_or(&[][..], |kernel| &self.program.functions[*kernel].shared);
            let lies_in = |at: usize, bytes: usize| (at..at + bytes).contains(&(address as usize));
            let variable = variables.iter().find(|variable| lies_in(variable.start, variable.bytes));
            let start = variable.map_or(0, |variable| variable.start as u64);
            let block = self.order.has_clusters(grid).then(|| self.place(grid, block, 0).0);
            return Spot {
                region: Region::Shared { start, block },
                byte: (address - start) as i64,
                size: variable.map(|variable| variable.bytes as u64),
                name: variable.map(|variable| variable.source_name().to_string()),
                element: None,
            };
        }
        let (number, offset) = memory::number_and_offset(address);
        let known = self.names.iter().find(|(known, _)| *known == number);
        Spot {
            region: known.map_or(Region::Buffer, |(_, region)| region.clone()),
            byte: offset as i64,
            size: None,
            name: None,
            element: None,
        }
    }

    /// A thread of a block, and what it does in a line.
    fn side(&self, does: Does, (grid, block): (u32, u64), thread: u32, loc: u32) -> Side {
        let (block, thread) = self.place(grid, block, thread);
        Side { does, thread, block, grid, gpu: self.order.device_of(grid), at: self.site(loc) }
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
        let me = actor.warp * 32 + race.lane as u32;
        let them = warp * 32 + race.earlier.lane as u32;
        let earlier = match (race.earlier_atomic, race.earlier_writes) {
            (true, _) => Does::Updates,
            (_, true) => Does::Writes,
            _ => Does::Reads,
        };
        let order = match race.why {
            _ if guess => Disorder::FirstGuess,
            _ if race.same_value => Disorder::SameValue,
            Why::Unordered => Disorder::Nothing,
            Why::Almost(Gap::Fence) => Disorder::NoFence,
            Why::Almost(Gap::Scope) => {
                Disorder::NarrowFence { clusters: self.order.has_clusters(actor.grid) }
            }
            Why::ReadOnly => Disorder::ReadOnly,
            Why::Turns { volatile, decides } => Disorder::Turns { volatile, decides },
        };
        let what = What::Race {
            sides: [
                self.side(request.access.into(), (actor.grid, actor.block), me, actor.loc),
                self.side(earlier, (grid, block), them, race.earlier_loc),
            ],
            spot: self.spot(request.space, race.address, place_of(actor, request)),
            order,
            header: in_header.map(str::to_string),
        };
        let found = self.diagnostic(kind, (actor.grid, actor.block, me), actor.loc, what, "");
        if self.found.len() < MOST {
            self.races.push((pair, self.found.len(), between));
            self.found.push(Diagnostic { severity, help, shape: Some(shape), ..found });
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
        let (owner, thread) = (meeting.owner, actor.warp * 32 + meeting.lane as u32);
        let does = if request.space == Space::Shared { Does::Writes } else { Does::Reads };
        let copies = owner.warp * 32 + owner.lane as u32;
        let what = What::Race {
            sides: [
                self.side(request.access.into(), (actor.grid, actor.block), thread, actor.loc),
                self.side(does, (owner.grid, owner.block), copies, owner.loc),
            ],
            spot: self.spot(request.space, meeting.address, place_of(actor, request)),
            order: Disorder::Copy,
            header: None,
        };
        let help = "let the thread that copies wait for its copies (__pipeline_wait_prior, \
                    cp.async.wait_all), and then the block at a barrier";
        let at = (actor.grid, actor.block, thread);
        let finding = self.diagnostic(Kind::DataRace, at, actor.loc, what, help);
        self.say(finding, actor.loc.min(owner.loc), actor.loc.max(owner.loc));
    }

    /// An access to the shared memory of a block that may have ended by then.
    pub fn outlived(&mut self, grid: u32, block: u64, visit: Visit) {
        let Visit { actor_block, warp, lane, loc, address, access } = visit;
        let thread = warp * 32 + lane as u32;
        let what = What::Outlived(
            self.side(access.into(), (grid, actor_block), thread, loc),
            self.spot(Space::Shared, address, (grid, block)),
        );
        let finding = self.diagnostic(Kind::OutOfBounds, (grid, actor_block, thread), loc, what, KEEP_ALIVE);
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
        let cluster = matches!(group, Group::Cluster(..));
        let place = |block, thread| -> [[u32; 3]; 2] { self.place(grid, block, thread).into() };
        let branch = self.program.watches.get(watch as usize).and_then(|watched| self.site(watched.loc));
        let what = What::Divergence { at: place(block, at), past: place(other_block, past), cluster, branch };
        let help = match cluster {
            false => {
                "move the barrier out of the branch or loop, to where every thread of the block comes, the \
                 same number of times"
            }
            true => {
                "move the barrier out of the branch or loop, to where every thread of the cluster comes, the \
                 same number of times"
            }
        };
        let finding = self.diagnostic(Kind::BarrierDivergence, (grid, block, at), barrier_loc, what, help);
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
        let what = What::LeftBefore { exited, threads, cluster: block.is_none() };
        let help = "allowed after an early return; in an `if`, move the barrier to where all come";
        let found = self.diagnostic(Kind::BarrierDivergence, (grid, at, thread), loc, what, help);
        let finding = Diagnostic { severity: Severity::Note, ..found };
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
            let what = format!("the child is given a pointer to {what}, which is its parent {whose}'s alone");
            let (at, help) =
                ((actor.grid, actor.block, thread), "pass a pointer to global memory, or the value itself");
            let finding = self.diagnostic(Kind::ChildVisibility, at, actor.loc, what, help);
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
        let at = (actor.grid, actor.block, thread);
        if error != runtime::PENDING_COUNT_EXCEEDED {
            let why = launch.why.unwrap_or("its grid, block or shared memory is not possible");
            let what = format!("a launch by device code is refused: {why}");
            let help = "a child block has 1 to 1,024 threads, a grid at least one block; check \
                        cudaGetLastError() after the launch";
            let finding = self.diagnostic(Kind::LaunchLimit, at, actor.loc, what, help);
            self.say(finding, actor.loc, 0);
            return;
        }
        if let Some((_, found)) = self.refused.iter().find(|(loc, _)| *loc == actor.loc) {
            if let What::Dropped { count, .. } = &mut self.found[*found].what {
                *count += 1;
            }
            return;
        }
        let what = What::Dropped { count: 1, limit: launch.limit };
        let help = "raise cudaLimitDevRuntimePendingLaunchCount, launch fewer blocks at a time, or one child";
        let finding = self.diagnostic(Kind::PendingLaunchOverflow, at, actor.loc, what, help);
        if self.found.len() < MOST {
            self.refused.push((actor.loc, self.found.len()));
            self.found.push(finding);
        }
    }
}

impl From<Access> for Does {
    fn from(access: Access) -> Does {
        match access {
            Access::Load => Does::Reads,
            Access::Store => Does::Writes,
            Access::Atomic { .. } => Does::Updates,
        }
    }
}

fn is_atomic(request: &Request) -> bool {
    matches!(request.access, Access::Atomic { .. })
}

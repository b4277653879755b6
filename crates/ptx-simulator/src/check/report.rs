//! From what the checks have seen to findings: who, what, where, and what to do. `words.rs` says the rest.

use super::barrier::{Divergence, Group};
use super::conflict::{Who, place_of};
use super::copies::Meeting;
use super::order::{Before, BlockId};
use super::peers::Visit;
use super::race::Left;
use super::repeated::Again;
use super::unmarked::LooksFree;
use super::unread::{Lost, lost};
use super::{About, Checker, Place};
use crate::arith::WARP;
use crate::decode::runtime;
use crate::diagnostic::{Diagnostic, Kind, Severity, Shape};
use crate::memory;
use crate::memory::shared::Layout;
use crate::observe::{Access, Actor, CopyWait, DeviceLaunch, Request};
use crate::ptx::Space;
use crate::what::{Disorder, KEEP_ALIVE, Region, ShortWait, Side, Spot, What};

impl Checker<'_> {
    /// A byte that was touched, by an access of so many bytes. In shared memory it is that of a `block` of
    /// the cluster, if there are several.
    pub(super) fn spot(&self, space: Space, address: u64, (grid, block): (u32, u64), bytes: u32) -> Spot {
        if space == Space::Shared {
            let block =
                self.order.has_clusters(grid).then(|| self.place(Who { grid, block, thread: 0, loc: 0 }).0);
            let mut spot = self.layout(grid).spot(address, block);
            // How many bytes a launch has asked for, nobody knows here.
            spot.size = spot.size.filter(|_| spot.name.is_some());
            spot.element = Some(bytes);
            return spot;
        }
        let (number, offset) = memory::number_and_offset(address);
        let known = self.names.iter().find(|(known, _)| *known == number);
        let region = known.map_or(Region::Buffer, |(_, region)| region.clone());
        let variable = self.elements_of(&region).filter(|(element, _)| *element == u64::from(bytes));
        let mut spot = Spot::new(region, offset as i64, None);
        if let (Some((_, size)), Region::Variable(name)) = (variable, &spot.region) {
            spot.name = Some(name.clone());
            spot.element = Some(bytes);
            spot.size = Some(size);
        }
        spot
    }

    /// The shared memory of a grid's kernel. Dynamic memory begins after all static variables.
    fn layout(&self, grid: u32) -> Layout<'_> {
        let kernel = self.kernels.get(grid as usize).and_then(|name| self.program.by_name.get(name));
        let function = kernel.map(|kernel| &self.program.functions[*kernel]);
        let variables = function.map_or(&[][..], |function| &function.shared);
        Layout { variables, dynamic: (function.map_or(0, |function| function.shared_bytes), 0) }
    }

    /// Bytes of an element of a variable, and of all of it, as PTX declares it. An array of bytes may be of
    /// anything.
    fn elements_of(&self, region: &Region) -> Option<(u64, u64)> {
        let Region::Variable(name) = region else { return None };
        let variable = self.program.globals.iter().find(|variable| variable.name == *name)?;
        let is_known = variable.element > 1 || variable.count == 1;
        is_known.then_some((variable.element as u64, variable.bytes() as u64))
    }

    /// A thread, and what it does.
    pub(super) fn side(&self, does: Access, who: Who) -> Side {
        let (block, thread) = self.place(who);
        let grid = who.grid;
        let gpu = self.order.device_of(who.grid);
        Side { does, thread, block, grid, gpu, at: self.site(who.loc) }
    }

    /// A block ends: says what it has left that is never read.
    pub(super) fn left_unread(&mut self, id: BlockId) {
        if !self.unread.looks_at_another() {
            return;
        }
        let layout = self.layout(id.0);
        let in_array = |left: Left| {
            let start = layout.start(left.offset);
            let is_whole = (left.offset - start).is_multiple_of(left.width.into());
            is_whole.then_some((start, left))
        };
        for one in lost(self.shadow.left(id).filter_map(in_array)) {
            self.never_read(id, one);
        }
    }

    fn never_read(&mut self, id: BlockId, Lost { past, loc, offset, width }: Lost) {
        let ((grid, block), warp) = self.order.locate(past.warp);
        let who = Who { grid, block, thread: warp * WARP as u32 + u32::from(past.lane), loc };
        let spot = self.spot(Space::Shared, offset, id, width.into());
        let what = What::NeverRead { by: self.side(Access::Store, who), spot };
        let help = "is an element lost? A tree that halves its length needs a power of two, or a middle \
                    element that waits for the next step: (length + 1) / 2, and a guard";
        let found = self.diagnostic(Kind::NeverRead, who, what, help);
        self.say(Diagnostic { severity: Severity::Note, ..found }, Place::of(loc, loc));
    }

    /// A lock that a thread has taken without a mark, and that others take too.
    pub fn looks_free(&mut self, found: LooksFree) {
        let LooksFree { taken, word: (place, address), bytes, free, given_back } = found;
        let space = if place.is_some() { Space::Shared } else { Space::Global };
        let what = What::LooksFree {
            by: self.side(Access::Atomic { returns: true }, taken),
            spot: self.spot(space, address, place.unwrap_or((taken.grid, taken.block)), bytes),
            free,
            given_back: self.site(given_back),
        };
        let help = format!(
            "let each thread swap in a number that is never {free}, such as its own + 1, and compare with \
             the same one where it looks who has the lock"
        );
        let shown = self.diagnostic(Kind::DataRace, taken, what, &help);
        self.say(Diagnostic { shape: Some(Shape::Lock), ..shown }, Place::of(taken.loc, taken.loc));
    }

    /// The wait that leaves out the copy of a meeting.
    fn short_wait(&self, meeting: Meeting) -> Option<ShortWait> {
        let CopyWait { loc, groups, committed } = meeting.wait?;
        let (_, line) = self.site(loc)?;
        Some(ShortWait { line, groups, committed })
    }

    /// An access to what an asynchronous copy is about to write or to read.
    pub fn meeting(&mut self, actor: Actor, request: &Request, meeting: Meeting) {
        let owner = meeting.owner;
        let who = Who::new(actor, meeting.lane);
        let does = if request.space == Space::Shared { Access::Store } else { Access::Load };
        // A wait is of no use to who does not know that the copy has started.
        let has_started = self.order.here(actor).before(meeting.start, meeting.lane) == Before::Yes;
        let order =
            if has_started { Disorder::Copy(self.short_wait(meeting)) } else { Disorder::CopyAtAnyTime };
        let what = What::Race {
            sides: [self.side(request.access, who), self.side(does, owner)],
            spot: self.spot(
                request.space,
                meeting.address,
                place_of(actor, request),
                request.element_bytes(),
            ),
            order,
            header: None,
        };
        let help = match meeting.wait {
            _ if !has_started => {
                "a barrier that every thread of the block reaches has to come between the two: after this \
                 access, where the copy is for a later step; where this is to see what the copy brings, \
                 before it, and before the barrier the wait for the copy"
            }
            None => {
                "let the thread that copies commit its copies (__pipeline_commit, cp.async.commit_group) and \
                 wait for them (__pipeline_wait_prior, cp.async.wait_group), and then the block wait at a \
                 barrier"
            }
            Some(CopyWait { committed: false, .. }) => {
                "a wait is for copies that are committed: put the commit (__pipeline_commit, \
                 cp.async.commit_group) between the copy and the wait"
            }
            Some(_) => {
                "let the wait leave out fewer groups; or commit before the wait what is committed after it, \
                 so that this copy is in an older group by then"
            }
        };
        let found = self.diagnostic(Kind::DataRace, who, what, help);
        let place = Place::of(who.loc, owner.loc);
        self.say(Diagnostic { shape: Some(Shape::AsyncCopy), ..found }, place);
    }

    /// An access to the shared memory of a block that may have ended by then.
    pub fn outlived(&mut self, place: BlockId, visit: Visit) {
        let Visit { who, address, access, bytes } = visit;
        let what = What::Outlived(self.side(access, who), self.spot(Space::Shared, address, place, bytes));
        self.tell(Kind::OutOfBounds, who, who.loc, what, KEEP_ALIVE);
    }

    pub fn divergence(&mut self, actor: Actor, divergence: Divergence) {
        let Divergence { watch, barrier_loc, group, at, past } = divergence;
        let grid = actor.grid;
        // Threads of a cluster are numbered block by block.
        let [at, past] = [at, past].map(|number| {
            let (block, thread) = match group {
                Group::Block(_, block) => (block, number),
                Group::Cluster(_, cluster) => {
                    let threads = self.order.grids[grid as usize].threads().next_multiple_of(32);
                    let blocks = self.order.blocks_of((grid, cluster));
                    (blocks[(number / threads) as usize], number % threads)
                }
            };
            Who { grid, block, thread, loc: barrier_loc }
        });
        let cluster = matches!(group, Group::Cluster(..));
        let branch = self.program.watches.get(watch as usize).and_then(|watched| self.site(watched.loc));
        let what =
            What::Divergence { at: self.place(at).into(), past: self.place(past).into(), cluster, branch };
        let group = if cluster { "cluster" } else { "block" };
        // The tail of a tree that the first warp adds up.
        let is_of_one_warp = at.thread < WARP as u32 && past.thread >= WARP as u32;
        let lanes = match is_of_one_warp && !cluster {
            true => "; where only lanes of the first warp have to wait, __syncwarp() is enough",
            false => "",
        };
        let help =
            format!("every thread of the {group} has to reach this barrier the same number of times{lanes}");
        self.tell(Kind::BarrierDivergence, at, barrier_loc, what, &help);
    }

    /// A barrier opens that threads which have exited did not come to. That is how an early return looks, and
    /// how a barrier in an `if` at a kernel's end does, which PTX does not tell apart.
    /// `block`: whose; else it is that of a cluster.
    pub fn opens_without(&mut self, grid: u32, block: Option<u64>, (exited, threads): (u32, u32)) {
        let is_here = |who: &Who| who.grid == grid && block.is_none_or(|block| who.block == block);
        let Some(who) = self.last_arrival.filter(is_here) else { return };
        let place = Place::of(who.loc, who.loc);
        let error = About { kind: Kind::BarrierDivergence, severity: Severity::Error, place };
        // Once for a kernel: what leaves before its first barrier leaves before all.
        let kernel = self.kernels.get(grid as usize);
        let is_note = |found: &Diagnostic| {
            (found.kind, found.severity) == (Kind::BarrierDivergence, Severity::Note)
                && found.kernel.as_ref() == kernel
        };
        if self.said.contains_key(&error) || self.found.iter().any(is_note) {
            return;
        }
        let what = What::LeftBefore { exited, threads, cluster: block.is_none() };
        let help = "allowed after an early return, if those threads have no work behind the barrier; in an \
                    `if`, move the barrier to where all reach it";
        let found = self.diagnostic(Kind::BarrierDivergence, who, what, help);
        self.say(Diagnostic { severity: Severity::Note, ..found }, place);
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
            let what = format!("the child is given a pointer to {what}, private to its parent {whose}");
            let help = "pass a pointer to global memory, or the value itself";
            self.tell(Kind::ChildVisibility, Who::new(actor, launch.lane), actor.loc, what, help);
        }
    }

    /// Each thread of a warp has launched the same grid.
    fn launched_again(&mut self, Again { who, threads, kernel }: Again) {
        let name = self.program.functions.get(kernel).map_or("a child", |function| &*function.name);
        let what = format!(
            "each of the {threads} threads of this warp launches `{name}` with the same grid and the same \
             arguments, so that it runs {threads} times"
        );
        let help = "if it is to run once, let one thread launch it: if (threadIdx.x == 0)";
        let found = self.diagnostic(Kind::RepeatedLaunch, who, what, help);
        self.say(Diagnostic { severity: Severity::Note, ..found }, Place::of(who.loc, who.loc));
    }

    pub fn launch(&mut self, actor: Actor, launch: &DeviceLaunch) {
        let Some(error) = launch.refused else {
            self.order.launch(actor, launch.lane);
            self.pointers(actor, launch);
            let threads = self.order.grids[actor.grid as usize].threads();
            if let Some(again) = self.repeated.launch(actor, launch, threads) {
                self.launched_again(again);
            }
            return;
        };
        let who = Who::new(actor, launch.lane);
        if error != runtime::PENDING_COUNT_EXCEEDED {
            let why = launch.why.unwrap_or("its grid, block or shared memory size is invalid");
            let what = format!("a launch by device code is refused: {why}");
            let help = "a child block has 1 to 1,024 threads, a grid at least one block; check \
                        cudaGetLastError() after the launch";
            self.tell(Kind::LaunchLimit, who, actor.loc, what, help);
            return;
        }
        let place = Place::of(actor.loc, actor.loc);
        let about = About { kind: Kind::PendingLaunchOverflow, severity: Severity::Error, place };
        if let Some((known, _)) = self.said.get(&about) {
            if let What::Dropped { count, .. } = &mut self.found[*known].what {
                *count += 1;
            }
            return;
        }
        let what = What::Dropped { count: 1, limit: launch.limit };
        let help = "raise cudaLimitDevRuntimePendingLaunchCount, launch fewer blocks at a time, or one child";
        self.tell(Kind::PendingLaunchOverflow, who, actor.loc, what, help);
    }
}

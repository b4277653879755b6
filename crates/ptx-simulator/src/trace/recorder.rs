//! The observer that records events.

use rustc_hash::FxHashMap;

use super::buffers::Buffers;
use super::form::{Did, Event, Touch, Trace};
use crate::device::LaunchConfig;
use crate::diagnostic::Diagnostic;
use crate::observe::{self, Access, Act, Actor, Observer, Request};
use crate::simulator::Module;

/// Remembers launches, up to this many events.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    trace: Trace,
    buffers: Buffers,
    module: Option<Module>,
    limit: usize,
    /// Grids of earlier launches, and of this one.
    before: u32,
    started: u32,
    /// Barriers that a block has passed.
    steps: FxHashMap<(u32, u64), u32>,
}

impl Recorder {
    /// Keeps at most `limit` events; further ones are counted.
    pub fn new(limit: usize) -> Recorder {
        Recorder { limit, ..Recorder::default() }
    }

    /// A launch of the host begins: whose lines, which kernel, in which shape.
    pub fn begin(&mut self, module: &Module, kernel: &str, config: &LaunchConfig) {
        if self.module.is_none() {
            let grid = config.grid_dim;
            let block = config.block_dim;
            self.trace.kernel = kernel.to_string();
            self.trace.grid = grid.into();
            self.trace.block = block.into();
        }
        self.module = Some(module.clone());
        self.before += self.started;
        self.started = 0;
        self.steps.clear();
    }

    /// What the allocation at `address` is called, and the type of its elements, if that is known.
    pub fn name(&mut self, address: u64, name: &str, kind: Option<&str>) {
        self.buffers.name(address, name, kind);
    }

    /// What the checks have found.
    pub fn found(&mut self, found: &[Diagnostic]) {
        self.trace.findings.extend_from_slice(found);
    }

    /// What it has remembered; it goes on from nothing.
    pub fn take(&mut self) -> Trace {
        let Recorder { trace, buffers, .. } = std::mem::replace(self, Recorder::new(self.limit));
        Trace { buffers: buffers.used, ..trace }
    }

    fn keep(&mut self, event: Event) {
        if self.trace.events.len() < self.limit {
            self.trace.events.push(event);
        } else {
            self.trace.left_out += 1;
        }
    }

    fn of_block(&mut self, grid: u32, block: u64, did: Did) {
        let step = self.steps.get(&(grid, block)).copied().unwrap_or(0);
        let grid = self.before + grid;
        self.keep(Event { step, grid, block, warp: 0, line: None, file: 0, lanes: 0, did });
    }

    fn by(&mut self, actor: Actor, lanes: u32, did: Did) {
        let Actor { grid, block, warp, loc, .. } = actor;
        let step = self.steps.get(&(grid, block)).copied().unwrap_or(0);
        let (file, line) = self.place(loc);
        self.keep(Event { step, grid: self.before + grid, block, warp, line, file, lanes, did });
    }

    /// The source file and line of an event.
    fn place(&mut self, loc: u32) -> (u32, Option<u32>) {
        let Some((file, line)) = self.module.as_ref().and_then(|module| module.source_line(loc)) else {
            return (0, None);
        };
        let files = &mut self.trace.files;
        let number = files.iter().position(|known| known == file).unwrap_or_else(|| {
            files.push(file.to_string());
            files.len() - 1
        });
        (number as u32, Some(line))
    }

    fn access(&mut self, actor: Actor, request: &Request) {
        for (lanes, touch) in self.buffers.touches(request) {
            let did = match request.access {
                Access::Load => Did::Read(touch),
                Access::Store => Did::Write(touch),
                Access::Atomic { .. } => atomic(touch),
            };
            self.by(actor, lanes, did);
        }
    }

    fn act(&mut self, actor: Actor, act: &Act) {
        match *act {
            Act::Access(request) => self.access(actor, request),
            Act::CopyStarts(copy) => {
                let side = copy.side(Access::Load, crate::ptx::Space::Global, copy.mask, copy.bytes);
                self.access(actor, &side);
            }
            Act::CopyEnds(copy) => {
                let side = copy.side(Access::Store, crate::ptx::Space::Shared, copy.mask, copy.bytes);
                self.access(actor, &side);
            }
            Act::Diverge { taken, rest } => self.by(actor, taken, Did::Diverge { rest }),
            Act::Barrier { mask, id, .. } => self.by(actor, mask, Did::Arrive { id }),
            Act::ClusterArrive { mask, .. } => self.by(actor, mask, Did::ArriveInCluster),
            Act::ClusterWait(mask) => self.by(actor, mask, Did::PassInCluster),
            Act::WarpBarrier(mask) => self.by(actor, mask, Did::Meet),
            Act::Fence { mask, .. } => self.by(actor, mask, Did::Fence),
            Act::ChildrenDone(mask) => self.by(actor, mask, Did::ChildrenDone),
            Act::Launch(launch) => {
                let pending = launch.pending;
                let limit = launch.limit;
                let refused = launch.refused;
                self.by(actor, 1 << launch.lane, Did::Launch { pending, limit, refused });
            }
            Act::Branch { .. }
            | Act::CopyLeftOut(..)
            | Act::Mbarrier(..)
            | Act::BarrierSite { .. }
            | Act::BarrierStall
            | Act::GridWait(_) => {}
        }
    }
}

/// What was there before comes first, then the operands.
fn atomic(touch: Touch) -> Did {
    let (values, with) = touch.values.chunks_exact(2).map(|pair| (pair[0], pair[1])).unzip();
    Did::Atomic { touch: Touch { values, ..touch }, with }
}

impl Observer for Recorder {
    fn event(&mut self, event: &observe::Event) {
        match *event {
            observe::Event::Executed { .. }
            | observe::Event::Underway { .. }
            | observe::Event::Finding { .. } => {}
            observe::Event::Grid(start) => {
                self.started = self.started.max(start.grid + 1);
                let (x, y, z) = start.config.grid_dim;
                let (bx, by, bz) = start.config.block_dim;
                let did = Did::Start {
                    parent: start.parent.map(|parent| self.before + parent),
                    depth: start.depth,
                    kernel: start.kernel.to_string(),
                    blocks: u64::from(x) * u64::from(y) * u64::from(z),
                    threads: bx * by * bz,
                };
                self.of_block(start.grid, 0, did);
            }
            observe::Event::BlockEnd { grid, block } => self.of_block(grid, block, Did::End),
            observe::Event::BarrierOpens { grid, block, id, all, exited } => {
                self.of_block(grid, block, Did::Open { id, all, exited });
                *self.steps.entry((grid, block)).or_default() += 1;
            }
            observe::Event::ClusterOpens { .. } => {}
            observe::Event::LaunchesDone { pending } => self.of_block(0, 0, Did::Freed { pending }),
            observe::Event::By(actor, act) => self.act(actor, act),
        }
    }
}

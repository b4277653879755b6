//! repeated-launch: every thread of a warp launches the same grid with the same arguments, and one of them
//! would do.
//!
//! Some lanes of a warp may well do so: those that have found work, for a child that takes it from a queue.
//! So this speaks only where all threads of a warp do it in one turn of one line.

use rustc_hash::FxHashMap;

use super::conflict::Who;
use crate::arith::WARP;
use crate::device::LaunchConfig;
use crate::observe::{Actor, Child, DeviceLaunch};

/// Lines of warps that are kept.
const MAX_LINES: usize = 1 << 12;

/// A warp and a line: grid, block, warp, and entry of the line table.
type Line = (u32, u64, u32, u32);

#[derive(Debug, Default)]
pub struct Repeated {
    open: FxHashMap<Line, Turn>,
}

/// What the lanes of a warp have launched in a line, each once.
#[derive(Debug)]
struct Turn {
    kernel: usize,
    config: LaunchConfig,
    params: Vec<u8>,
    lanes: u32,
    is_same: bool,
}

/// A grid that each thread of a warp has launched: the first of them, and how many they are.
#[derive(Clone, Copy, Debug)]
pub struct Again {
    pub who: Who,
    pub threads: u32,
    pub kernel: usize,
}

impl Repeated {
    /// A launch by a lane. `threads`: of the block.
    pub fn launch(&mut self, actor: Actor, launch: &DeviceLaunch, threads: u32) -> Option<Again> {
        let Child { kernel, config } = launch.child?;
        let line = (actor.grid, actor.block, actor.warp, actor.loc);
        let lane = 1u32 << launch.lane;
        let is_new_turn = self.open.get(&line).is_none_or(|turn| turn.lanes & lane != 0);
        if is_new_turn {
            if self.open.len() >= MAX_LINES && !self.open.contains_key(&line) {
                return None;
            }
            let params = launch.params.to_vec();
            self.open.insert(line, Turn { kernel, config, params, lanes: 0, is_same: true });
        }
        let turn = self.open.get_mut(&line)?;
        turn.lanes |= lane;
        turn.is_same &= (turn.kernel, turn.config, &*turn.params) == (kernel, config, launch.params);
        let there = threads.saturating_sub(actor.warp * WARP as u32).min(WARP as u32);
        let are_all = turn.lanes.count_ones() == there && there > 1;
        let first = turn.lanes.trailing_zeros() as usize;
        (are_all && turn.is_same).then(|| Again { who: Who::new(actor, first), threads: there, kernel })
    }

    /// A block has ended.
    pub fn block_end(&mut self, (grid, block): (u32, u64)) {
        if !self.open.is_empty() {
            self.open.retain(|line, _| (line.0, line.1) != (grid, block));
        }
    }
}

//! In which order blocks, warps and diverged lanes have their turns. The plain schedule is fixed; a seed
//! gives another one, in small random turns. A kernel whose result depends on it is wrong.
//!
//! Where an odd seed is given, child grids start as early as they may: before the grid that launches them
//! goes on.

/// Instructions a warp, and a block, may execute before the next has its turn.
const WARP_TURN: u32 = 2_048;
const BLOCK_TURN: u32 = 131_072;

/// A source of choices. Seed 0 always takes the first.
#[derive(Clone, Debug)]
pub struct Schedule {
    state: Option<u64>,
    /// Whether child grids start as early as they may, and not as late.
    pub children_first: bool,
    /// The plain schedule for now, whatever the seed.
    pub settled: bool,
}

impl Schedule {
    pub fn new(seed: u64) -> Schedule {
        Schedule { state: (seed != 0).then_some(seed), children_first: seed % 2 == 1, settled: false }
    }

    /// A number below `count`; SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number
    /// generators", OOPSLA 2014).
    pub fn choose(&mut self, count: usize) -> usize {
        let Some(state) = self.state.as_mut().filter(|_| !self.settled) else { return 0 };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % count.max(1) as u64) as usize
    }

    pub fn is_plain(&self) -> bool {
        self.settled || self.state.is_none()
    }

    pub fn warp_turn(&mut self) -> u32 {
        if self.is_plain() { WARP_TURN } else { 1 + self.choose(64) as u32 }
    }

    pub fn block_turn(&mut self) -> u32 {
        if self.is_plain() { BLOCK_TURN } else { 1 + self.choose(1024) as u32 }
    }
}

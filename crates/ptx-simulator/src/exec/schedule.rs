//! In which order blocks, warps and diverged lanes take turns. The plain schedule is fixed; a seed
//! gives another one. A kernel whose result depends on it is wrong.
//!
//! The plain schedule takes blocks and warps by their numbers, so the last ones come late. Seed 2, and every
//! fourth from there on, takes the last ones first. Any other seed gives small random turns; with seed 4, and
//! every fourth from there on, lanes that have diverged stay apart. Where a seed is odd, child grids start as
//! early as they may, before the grid that launches them goes on; else as late.

/// Instructions a warp, and a block, may execute before the next has its turn.
const WARP_TURN: u32 = 2_048;
const BLOCK_TURN: u32 = 131_072;

/// A source of choices. Seed 0 always takes the first.
#[derive(Clone, Debug)]
pub struct Schedule {
    state: Option<u64>,
    /// Whether child grids start as early as they may, and not as late.
    pub children_first: bool,
    /// Whether the last blocks and warps come first, in turns as long as the plain ones.
    pub last_first: bool,
    /// Whether lanes that have diverged meet again only where they wait for each other.
    pub keeps_apart: bool,
    /// The plain schedule for now, whatever the seed.
    pub settled: bool,
}

/// A seed that keeps diverged lanes apart.
pub const APART: u64 = 4;

impl Schedule {
    pub fn new(seed: u64) -> Schedule {
        Schedule {
            state: (seed != 0).then_some(seed),
            children_first: seed % 2 == 1,
            last_first: seed % 4 == 2,
            keeps_apart: seed != 0 && seed.is_multiple_of(4),
            settled: false,
        }
    }

    /// The plain one for all that goes on between operations whose order is chosen. Children start at once.
    pub fn of_turns() -> Schedule {
        Schedule { children_first: true, ..Schedule::new(0) }
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

    /// Whether blocks and warps are taken at random, in small turns.
    pub fn shuffles(&self) -> bool {
        !self.is_plain() && !self.last_first
    }

    pub fn warp_turn(&mut self) -> u32 {
        if !self.shuffles() { WARP_TURN } else { 1 + self.choose(64) as u32 }
    }

    /// Of a block of so many warps: with few of them it is short, so that blocks of one warp meet, too.
    pub fn block_turn(&mut self, warps: usize) -> u32 {
        if !self.shuffles() { BLOCK_TURN } else { 1 + self.choose((64 * warps).min(1024)) as u32 }
    }
}

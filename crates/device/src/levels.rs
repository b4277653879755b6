//! How a nested run unfolds: what each level of launches consists of. The host's launch is level 0, what its
//! grid launches is level 1, and so on.

use ptx_simulator::observe::{Event, Observer};

/// All grids of one level together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Level {
    /// Grids of the level.
    pub grids: u64,
    /// Blocks of all of them.
    pub blocks: u64,
    /// Threads of all of them.
    pub threads: u64,
}

/// Listens to launches on the simulator and sorts their grids into levels, that of the host's launch first.
#[derive(Clone, Debug, Default)]
pub struct Levels(pub Vec<Level>);

impl Observer for Levels {
    fn event(&mut self, event: &Event) {
        let Event::Grid(start) = event else { return };
        let level = start.depth as usize;
        if self.0.len() == level {
            self.0.push(Level::default());
        }
        let product = |(x, y, z): (u32, u32, u32)| u64::from(x) * u64::from(y) * u64::from(z);
        let blocks = product(start.config.grid_dim);
        let level = &mut self.0[level];
        level.grids += 1;
        level.blocks = level.blocks.saturating_add(blocks);
        let threads = blocks.saturating_mul(product(start.config.block_dim));
        level.threads = level.threads.saturating_add(threads);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ptx_simulator::LaunchConfig;
    use ptx_simulator::observe::{After, Start};

    #[test]
    fn children_of_children_are_a_level_further() {
        let mut levels = Levels::default();
        for (grid, parent, depth, blocks) in
            [(0, None, 0, 4), (1, Some(0), 1, 1), (2, Some(1), 2, 1), (3, Some(0), 1, 2)]
        {
            let config = LaunchConfig::new(blocks, 32);
            let after = After::Host;
            levels.event(&Event::Grid(Start {
                grid,
                parent,
                depth,
                device: 0,
                kernel: "k",
                config: &config,
                cluster: [1; 3],
                after,
                workspace: 0,
            }));
        }
        let level = |grids, blocks| Level { grids, blocks, threads: blocks * 32 };
        assert_eq!(levels.0, [level(1, 4), level(2, 3), level(1, 1)]);
    }
}

//! The nodes of the tree of intervals, for the kernels that go level by level: two lists, used in turn.

use anyhow::Result;
use workbook::chapter::Case;
use workbook::device::{Buffer, Function, LaunchConfig};

use super::area::{FIRST_NODES, LAST_LEVEL, most_nodes};

/// The most levels that there can be.
pub const LEVELS: usize = (LAST_LEVEL - FIRST_NODES.ilog2() + 1) as usize;

/// The nodes of one level and of the next, the number of nodes in each level, and the area so far.
pub struct Tree<'a> {
    case: &'a Case<'a>,
    first: Buffer<u64>,
    pub lists: [Buffer<u64>; 2],
    no_counts: Buffer<u32>,
    pub counts: Buffer<u32>,
    pub total: Buffer<i64>,
}

impl Tree<'_> {
    pub fn new<'a>(case: &'a Case) -> Result<Tree<'a>> {
        let device = case.device;
        let places = most_nodes(case.size().into()); // of which the first FIRST_NODES count
        let first: Vec<u64> = (0..places as u64).map(|i| u64::from(FIRST_NODES) + i).collect();
        let mut no_counts = vec![0u32; LEVELS + 1];
        no_counts[0] = FIRST_NODES;
        Ok(Tree {
            case,
            first: device.clone_htod(&first)?,
            lists: [device.alloc(places)?, device.alloc(places)?],
            no_counts: device.clone_htod(&no_counts)?,
            counts: device.alloc(LEVELS + 1)?,
            total: device.alloc_zeros(1)?,
        })
    }

    /// Restores the first nodes, and an area of 0.
    pub fn reset(&self) -> Result<()> {
        self.case.device.memset_zeros(&self.total)?;
        self.case.device.memcpy_dtod(&self.no_counts, &self.counts)?;
        self.case.device.memcpy_dtod(&self.first, &self.lists[0])
    }

    /// Divides those nodes of `level` that need it.
    pub fn divide(&self, kernel: &Function, level: usize, grid: u32) -> Result<()> {
        let nodes = &self.lists[level % 2];
        let halves = &self.lists[(level + 1) % 2];
        let mut launch = self.case.device.launch_builder(kernel);
        launch
            .arg(nodes)
            .arg(halves)
            .arg(&self.counts.slice(level..))
            .arg(&self.total)
            .arg(&self.case.size());
        launch.launch(LaunchConfig::new(grid, self.case.block))
    }

    /// The area that the last run found.
    pub fn area(&self) -> Result<i64> {
        Ok(self.case.device.clone_dtoh(&self.total)?[0])
    }
}

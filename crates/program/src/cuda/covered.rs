//! Whether the threads of a launch of two dimensions cover what it writes.

use ptx_simulator::LaunchConfig;

/// The three numbers of a `dim3`.
pub fn axes((x, y, z): (u32, u32, u32)) -> [u64; 3] {
    [x, y, z].map(u64::from)
}

/// A plane of elements of which a launch covers only a part. Each pair counts columns, then rows: of the
/// elements, of all threads, and of the threads of one block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Uncovered {
    elements: [u64; 2],
    threads: [u64; 2],
    block: [u64; 2],
}

/// What a launch leaves of so many elements, which are as wide and high as two of its `numbers` say.
pub fn uncovered(config: LaunchConfig, numbers: &[u64], elements: u64) -> Option<Uncovered> {
    let [grid, block] = [config.grid_dim, config.block_dim].map(axes);
    let threads = [0, 1].map(|axis| grid[axis].saturating_mul(block[axis]));
    if grid[2] * block[2] > 1 || threads.contains(&1) {
        return None;
    }
    let planes = numbers.iter().filter_map(|width| {
        let height = elements.checked_div(*width)?;
        (width * height == elements && numbers.contains(&height)).then_some([*width, height])
    });
    let left = |plane: &[u64; 2]| {
        let covered = [0, 1].map(|axis| plane[axis].min(threads[axis]));
        elements - covered[0] * covered[1]
    };
    let plane = planes.min_by_key(left).filter(|plane| left(plane) > 0)?;
    Some(Uncovered { elements: plane, threads, block: [block[0], block[1]] })
}

/// `96 × 48 threads for 100 × 60 elements: …`
impl std::fmt::Display for Uncovered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let [across, down] = self.threads;
        let [width, height] = self.elements;
        write!(f, "{across} × {down} threads for {width} × {height} elements")?;
        let axes = [("x", 0), ("y", 1)].into_iter().filter(|(_, at)| self.threads[*at] < self.elements[*at]);
        let needed: Vec<String> = axes
            .map(|(name, at)| {
                let (elements, block) = (self.elements[at], self.block[at]);
                let blocks = elements.div_ceil(block);
                format!("{blocks} blocks in {name}, ({elements} + {}) / {block}", block - 1)
            })
            .collect();
        write!(f, "; it takes {}", needed.join(", and "))
    }
}

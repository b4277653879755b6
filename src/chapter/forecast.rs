//! What is said of how long a chapter will take, where the simulator will be busy.

use super::plan::Planned;
use super::shape::Shape;

/// Elements over all runs from which on there may be something to say.
const LONG: u64 = 1 << 22;
/// Elements of the runs from which the time of the others is estimated.
const FEW: u64 = 1 << 10;
/// The same of a second run, which has more.
pub const MOST: u64 = 1 << 13;
/// Blocks by which another run has more, where many more are asked for than the elements need.
const MORE_BLOCKS: u32 = 64;
/// Warp instructions per second under checks on one core of 2024, about (`benches/simulator.md`). A
/// constant, so that a busy machine says the same as an idle one.
const RATE: f64 = 10e6;
/// Seconds that nobody needs to be told of.
const SHORT: f64 = 5.0;

/// Whether there may be something to say of these runs.
pub fn may_be_long(cases: &[Planned]) -> bool {
    let threads = |case: &Planned| u64::from(case.shape.grid) * u64::from(case.shape.block);
    cases.iter().map(|case| case.n.max(threads(case))).sum::<u64>() >= LONG
}

/// The warp instructions that `cases` of the variants of `runs` take, estimated from those that `count`
/// counts in three small runs per variant: the second has more elements, the third more blocks than is
/// `usual` for its elements.
pub fn instructions(
    runs: &[Planned],
    cases: &[Planned],
    usual: impl Fn(&Planned, u64) -> Shape,
    count: impl Fn(&Planned) -> f64,
) -> f64 {
    let of_run = |run: &Planned| {
        let count = |n: u64, more_blocks: u32| {
            let shape = usual(run, n);
            count(&Planned { n, shape: Shape { grid: shape.grid + more_blocks, ..shape }, ..*run })
        };
        let small = count(FEW, 0);
        let per_element = (count(MOST, 0) - small).max(0.0) / (MOST - FEW) as f64;
        let of_variant = || cases.iter().filter(|case| case.variant.name == run.variant.name);
        let more_blocks = |case: &Planned| f64::from(case.shape.grid.saturating_sub(usual(run, case.n).grid));
        let per_block = match of_variant().any(|case| more_blocks(case) > 0.0) {
            true => (count(FEW, MORE_BLOCKS) - small).max(0.0) / f64::from(MORE_BLOCKS),
            false => 0.0,
        };
        let of_case = |case: &Planned| small + per_element * case.n as f64 + per_block * more_blocks(case);
        of_variant().map(of_case).sum::<f64>()
    };
    runs.iter().map(of_run).sum()
}

/// What is said before the simulator executes this many warp `instructions`; nothing if that is not long.
pub fn forecast(instructions: f64) -> Option<String> {
    let seconds = instructions / RATE;
    let about = match seconds {
        ..SHORT => return None,
        ..90.0 => format!("{:.0} s", (seconds / 5.0).ceil() * 5.0),
        _ => format!("{:.0} minutes", (seconds / 60.0).ceil()),
    };
    Some(format!(
        "the simulator will be busy for about {about}; a smaller --n or --grid, or --kernel NAME, takes less"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_run_is_forecast() {
        assert_eq!(forecast(49e6), None);
        assert!(forecast(170e6).unwrap().contains("about 20 s"));
        assert!(forecast(4e9).unwrap().contains("about 7 minutes"));
    }
}

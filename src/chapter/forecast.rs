//! What is said of how long a chapter will take, where the simulator will be busy.

use super::plan::Planned;

/// Elements over all runs from which on there may be something to say.
const LONG: f64 = (1 << 22) as f64;
/// Elements of the runs from which the time of the others is estimated: one run has few, another more.
const FEW: u64 = 1 << 10;
pub const MOST: u64 = 1 << 13;
/// Warp instructions per second under checks on one core of 2024, about (`benches/simulator.md`). A
/// constant, so that a busy machine says the same as an idle one.
const RATE: f64 = 10e6;
/// Seconds that nobody needs to be told of.
const SHORT: f64 = 5.0;

/// What a run goes through: its elements, or the threads of its grid where those are more.
fn work(case: &Planned) -> f64 {
    case.n.max(u64::from(case.shape.grid) * u64::from(case.shape.block)) as f64
}

/// Whether there may be something to say of these runs.
pub fn may_be_long(cases: &[Planned]) -> bool {
    cases.iter().map(work).sum::<f64>() >= LONG
}

/// The warp instructions that `cases` of the variants of `runs` take, estimated from those that `count`
/// counts in a run of a variant over so many elements.
pub fn instructions(runs: &[Planned], cases: &[Planned], count: impl Fn(&Planned, u64) -> f64) -> f64 {
    let of_variant = |run: &Planned| {
        let few = count(run, FEW);
        let each = (count(run, MOST) - few).max(0.0) / (MOST - FEW) as f64;
        let cases = cases.iter().filter(|case| case.variant.name == run.variant.name);
        cases.map(|case| few + each * work(case)).sum::<f64>()
    };
    runs.iter().map(of_variant).sum()
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

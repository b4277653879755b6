//! What is said of how long a chapter will take, where the simulator will be busy.

/// Elements over all runs from which on there may be something to say.
pub const LONG: u64 = 1 << 22;
/// Elements of the runs from which the time of the others is estimated.
pub const PROBES: [u64; 2] = [1 << 10, 1 << 13];
/// Blocks by which another run has more, where many more are asked for than the elements need.
pub const MORE_BLOCKS: u32 = 64;
/// Warp instructions per second under checks on one core of 2024, about (`benches/simulator.json`). A
/// constant, so that a busy machine says the same as an idle one.
const RATE: f64 = 10e6;
/// Seconds that nobody needs to be told of.
const SHORT: f64 = 5.0;

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

//! What is said of how long a chapter will take, where the simulator will be busy.

/// Elements over all runs from which on there may be something to say.
pub const LONG: u64 = 1 << 22;
/// Elements of the runs from which the time of the others is estimated.
pub const PROBES: [u64; 2] = [1 << 10, 1 << 13];
/// Seconds that nobody needs to be told of.
const SHORT: f64 = 10.0;

/// What is said before the simulator is busy for `seconds`; nothing if that is not long.
pub fn forecast(seconds: f64) -> Option<String> {
    let about = match seconds {
        ..SHORT => return None,
        ..90.0 => format!("{:.0} s", (seconds / 5.0).ceil() * 5.0),
        _ => format!("{:.0} minutes", (seconds / 60.0).ceil()),
    };
    Some(format!("the simulator will be busy for about {about}; a smaller --n, or --kernel NAME, takes less"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_long_run_is_forecast() {
        assert_eq!(forecast(4.9), None);
        assert!(forecast(17.0).unwrap().contains("about 20 s"));
        assert!(forecast(400.0).unwrap().contains("about 7 minutes"));
    }
}

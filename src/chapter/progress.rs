//! How long a chapter will take: a forecast where the simulator will be busy, and a bar on stderr once a run
//! has taken more than a second and somebody watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

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

/// How far a chapter is with its runs.
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
    done: usize,
    all: usize,
}

impl Progress {
    /// `all` runs are to be made.
    pub fn new(all: usize) -> Progress {
        Progress { started: Instant::now(), bar: None, done: 0, all }
    }

    /// A run begins; `run` says which.
    pub fn step(&mut self, run: String) {
        if self.bar.is_none() && self.started.elapsed() > Duration::from_secs(1) {
            let style = ProgressStyle::with_template("{wide_bar} {pos}/{len}  {msg}");
            self.bar = Some(
                ProgressBar::new(self.all as u64).with_style(style.unwrap_or(ProgressStyle::default_bar())),
            );
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.done as u64);
            bar.set_message(run);
        }
        self.done += 1;
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
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

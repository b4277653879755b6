//! A bar on stderr, once a run has taken more than a second and somebody watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

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

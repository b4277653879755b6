//! A bar on stderr, once a run has taken more than a second and somebody watches.

use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

/// How far a chapter is with its runs.
pub struct Progress {
    started: Instant,
    bar: Option<ProgressBar>,
    all: u64,
}

impl Progress {
    /// `all` elements are to be added up.
    pub fn new(all: u64) -> Progress {
        Progress { started: Instant::now(), bar: None, all }
    }

    /// A run begins, `done` elements after the start; `run` says which.
    pub fn step(&mut self, run: &str, done: u64) {
        if self.bar.is_none() && self.started.elapsed() > Duration::from_secs(1) {
            let style = ProgressStyle::with_template("{wide_bar} {percent} %  {msg}");
            self.bar =
                Some(ProgressBar::new(self.all).with_style(style.unwrap_or(ProgressStyle::default_bar())));
        }
        if let Some(bar) = &self.bar {
            bar.set_position(done);
            bar.set_message(run.to_string());
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

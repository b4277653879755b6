//! A line on stderr that says how far a run is: after a second, and only where somebody watches.

use std::io::{Write, stderr};
use std::time::{Duration, Instant};

use crate::say;

/// The bar's length, which leaves 45 columns of 80 for words.
const CELLS: u64 = 28;

/// Clears the line.
const CLEAR: &str = "\r\x1b[2K";
/// A terminal that is narrower than the line cuts it, in place of going on below where nobody clears it
/// (DECAWM: ECMA-48 has no such mode, terminals since the VT100 do).
const CUT: &str = "\x1b[?7l";
const WRAP: &str = "\x1b[?7h";

/// How far a run is. The line goes when this is dropped.
pub struct Progress {
    /// When the line is drawn next; `None` where nobody watches.
    next: Option<Instant>,
    drawn: bool,
    all: u64,
}

impl Progress {
    /// `all` things are to be done.
    pub fn new(all: u64) -> Progress {
        let next = say::is_lively(&stderr()).then(|| Instant::now() + Duration::from_secs(1));
        Progress { next, drawn: false, all }
    }

    /// `done` of them are; `words` says more. The line is drawn ten times per second at most, however often
    /// this is called.
    pub fn show(&mut self, done: u64, words: impl FnOnce() -> String) {
        if self.next.is_some_and(|next| Instant::now() >= next) {
            let _ = write!(stderr(), "{CLEAR}{CUT}{}{WRAP}", line(done, self.all, &words()));
            self.next = Some(Instant::now() + Duration::from_millis(100));
            self.drawn = true;
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.drawn {
            let _ = write!(stderr(), "{CLEAR}");
        }
    }
}

fn line(done: u64, all: u64, words: &str) -> String {
    let part = done.min(all) as f64 / all.max(1) as f64;
    let full = (part * CELLS as f64) as usize;
    let bar = "█".repeat(full) + &"░".repeat(CELLS as usize - full);
    format!("{bar} {:.0} %  {words}", part * 100.0)
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn the_bar_is_as_full_as_the_run_is_far() {
        for (done, full, percent) in
            [(0, 0, "0 %"), (500, 14, "50 %"), (1000, 28, "100 %"), (2000, 28, "100 %")]
        {
            let line = line(done, 1000, "n = 2^20");
            assert_eq!(line.matches('█').count(), full, "{line}");
            assert!(line.ends_with(&format!(" {percent}  n = 2^20")) && line.chars().count() < 80, "{line}");
        }
        assert!(line(0, 0, "").contains("0 %"), "an empty run has a line as well");
    }
}

//! A long run says how far it is, and goes on.

use std::time::{Duration, Instant};

use workbook::number::thousands;
use workbook::say;
use workbook::sim::observe::{Act, Event, Observer};

/// Says on stderr how far a launch is, when it has executed 2^26 instructions, and again whenever they are
/// twice as many.
pub struct Patience {
    started: Instant,
    ended: u64,
    /// Blocks of the grids so far. A launch by device code counts as one until its grid starts.
    known: u64,
}

impl Patience {
    pub fn new() -> Patience {
        Patience { started: Instant::now(), ended: 0, known: 0 }
    }

    fn line(&self, by_warps: u64, elapsed: Duration) -> String {
        let more = match self.ended {
            0 => String::new(),
            ended => {
                let rest = elapsed.as_secs_f64() * self.known.saturating_sub(ended) as f64 / ended as f64;
                format!(", about {rest:.0} s more if the others take as long")
            }
        };
        format!(
            "still running: {} instructions of warps, {} of {} blocks have ended{more} (--steps-limit N sets \
             an end)",
            thousands(by_warps as i64),
            thousands(self.ended as i64),
            thousands(self.known as i64)
        )
    }
}

impl Observer for Patience {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Grid(start) => {
                let (x, y, z) = start.config.grid_dim;
                let blocks = u64::from(x) * u64::from(y) * u64::from(z);
                self.known += if start.parent.is_some() { blocks - 1 } else { blocks };
            }
            Event::By(_, Act::Launch(launch)) if launch.refused.is_none() => self.known += 1,
            Event::BlockEnd { .. } => self.ended += 1,
            Event::Underway { by_warps } => {
                say::err(&format!("{}\n", self.line(*by_warps, self.started.elapsed())));
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_says_how_long_the_rest_takes() {
        let line =
            |ended| Patience { ended, known: 8, ..Patience::new() }.line(1 << 26, Duration::from_secs(12));
        assert!(
            line(0).contains("67,108,864 instructions of warps, 0 of 8 blocks have ended (--"),
            "{}",
            line(0)
        );
        assert!(line(2).contains("2 of 8 blocks have ended, about 36 s more"), "{}", line(2));
    }
}

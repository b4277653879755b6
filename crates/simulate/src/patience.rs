//! Progress messages of a long run.

use std::time::{Duration, Instant};

use device::Blocks;
use ptx_simulator::observe::{Event, Observer};
use text::number::thousands;
use text::say;

/// Says on stderr how far a launch is, when it has executed 2^26 instructions, and again whenever they are
/// twice as many.
pub struct Patience {
    started: Instant,
    blocks: Blocks,
}

impl Patience {
    pub fn new() -> Patience {
        Patience { started: Instant::now(), blocks: Blocks::default() }
    }

    fn line(&self, by_warps: u64, elapsed: Duration) -> String {
        let Blocks { ended, known } = self.blocks;
        let more = match ended {
            0 => String::new(),
            ended => {
                let rest = elapsed.as_secs_f64() * known.saturating_sub(ended) as f64 / ended as f64;
                format!(", about {rest:.0} s more if the others take as long")
            }
        };
        format!(
            "still running: {} warp instructions, {} of {} blocks have ended{more} (--steps-limit N sets \
             an end)",
            thousands(by_warps as i64),
            thousands(ended as i64),
            thousands(known as i64)
        )
    }
}

impl Observer for Patience {
    fn event(&mut self, event: &Event) {
        self.blocks.event(event);
        if let Event::Underway { by_warps } = event {
            say::err(&format!("{}\n", self.line(*by_warps, self.started.elapsed())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_says_how_long_the_rest_takes() {
        let line = |ended| {
            let blocks = Blocks { ended, known: 8 };
            Patience { blocks, ..Patience::new() }.line(1 << 26, Duration::from_secs(12))
        };
        assert!(
            line(0).contains("67,108,864 warp instructions, 0 of 8 blocks have ended (--"),
            "{}",
            line(0)
        );
        assert!(line(2).contains("2 of 8 blocks have ended, about 36 s more"), "{}", line(2));
    }
}

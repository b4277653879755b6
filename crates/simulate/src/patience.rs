//! Progress messages of a long run.

use std::time::{Duration, Instant};

use device::Blocks;
use ptx_simulator::observe::{Act, Event, Observer};
use text::number::thousands;
use text::say;

/// Nobody wants to hear of a run that takes no longer, and executes no more instructions.
const SHORT: Duration = Duration::from_secs(2);
const FEW: u64 = 1 << 26;

/// Says on stderr how far a launch is, when it isn't short any more, and again whenever it has executed twice
/// as many instructions.
pub struct Patience {
    started: Instant,
    blocks: Blocks,
    /// Whether grids have launched grids since it was last said: then nobody knows how many are to come.
    grows: bool,
}

impl Patience {
    pub fn new() -> Patience {
        Patience { started: Instant::now(), blocks: Blocks::default(), grows: false }
    }

    fn line(&self, by_warps: u64, elapsed: Duration) -> String {
        let Blocks { ended, known } = self.blocks;
        let more = match ended {
            0 => String::new(),
            _ if self.grows => ", and they launch more".to_string(),
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
        self.grows |= matches!(event, Event::By(_, Act::Launch(_)));
        let Event::Underway { by_warps } = event else { return };
        let elapsed = self.started.elapsed();
        if elapsed > SHORT || *by_warps >= FEW {
            say::err(&format!("{}\n", self.line(*by_warps, elapsed)));
            self.grows = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_ended_says_how_long_the_rest_takes() {
        let line_of = |ended, grows| {
            let blocks = Blocks { ended, known: 8 };
            Patience { blocks, grows, ..Patience::new() }.line(1 << 26, Duration::from_secs(12))
        };
        let line = |ended| line_of(ended, false);
        assert!(
            line(0).contains("67,108,864 warp instructions, 0 of 8 blocks have ended (--"),
            "{}",
            line(0)
        );
        assert!(line(2).contains("2 of 8 blocks have ended, about 36 s more"), "{}", line(2));
        assert!(line_of(2, true).contains("2 of 8 blocks have ended, and they launch more (--"));
    }
}

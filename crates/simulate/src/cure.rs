//! What cures a finding, and how much is tried to find that.

use std::time::Duration;

use cuda_source::cures::Change;
use serde::Serialize;

/// What cures a finding.
#[derive(Clone, Debug, Serialize)]
pub struct Cure {
    /// Which finding, from 0; none where it cures a result that is not the expected one.
    #[serde(skip)]
    pub finding: Option<usize>,
    /// What to do, in a sentence.
    pub says: String,
    /// Whether nothing at all is wrong after it.
    pub cures_all: bool,
    /// The lines of the reader's file that change, from the top.
    pub edits: Vec<Change>,
}

/// How much is tried.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Edits, at most.
    pub edits: usize,
    /// How long tries may begin.
    pub time: Duration,
}

/// A busy machine compiles slowly: a reader's tries may take as long as so many times the first compilation.
const COMPILATIONS: u32 = 5;
/// At most.
const PATIENCE: Duration = Duration::from_secs(30);

impl Limits {
    /// The same, where compiling what is edited took so long.
    pub fn after(self, compiling: Duration) -> Limits {
        Limits { time: self.time.max((COMPILATIONS * compiling).min(PATIENCE)), ..self }
    }
}

impl Default for Limits {
    /// That of a reader.
    fn default() -> Limits {
        Limits { edits: 8, time: Duration::from_secs(2) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_more_time_where_compiling_takes_long_but_not_for_ever() {
        let time = |millis| Limits::default().after(Duration::from_millis(millis)).time.as_millis();
        assert_eq!([100, 400, 2_000, 60_000].map(time), [2_000, 2_000, 10_000, 30_000]);
    }
}

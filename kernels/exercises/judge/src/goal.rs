//! What an answer may cost: a bound of a counter at one size.

use std::fmt;

use anyhow::{Context, Result, bail, ensure};
use ptx_simulator::Counters;
use text::number::thousands;

use super::case::Case;

/// An upper bound of a counter at one size.
#[derive(Clone, Debug)]
pub struct Goal {
    /// As [`Counters`] calls it, or one of [`OTHERS`].
    pub field: String,
    pub most: u64,
    pub case: Case,
}

/// The most numbers that one block loads from global memory.
pub const BLOCK_NUMBERS: &str = "block_numbers";
/// Atomic operations on global memory.
pub const GLOBAL_ATOMICS: &str = "global_atomics";
/// What a goal may bound besides the simulator's counters: allocations are those of a Rust function.
const OTHERS: [&str; 3] = ["allocations", BLOCK_NUMBERS, GLOBAL_ATOMICS];

impl Goal {
    /// `divergent_branches <= 6 n=512 block=512`
    pub fn parse(text: &str) -> Result<Goal> {
        let words: Vec<&str> = text.split_whitespace().collect();
        let [field, "<=", most, rest @ ..] = &words[..] else { bail!("FIELD <= N n=N block=B") };
        let given = |name: &str| {
            let value = rest.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.unwrap_or("0").parse().with_context(|| format!("{name}=N"))
        };
        let goal = Goal {
            field: field.to_string(),
            most: most.parse().context("the bound is a number")?,
            case: Case { n: given("n")?, block: given("block")? as u32, schedule: 0 },
        };
        let is_known = counter(&Counters::default(), field).is_some() || OTHERS.contains(field);
        ensure!(is_known, "no counter {field}");
        Ok(goal)
    }

    /// Whether it counts allocations of a Rust function, all sizes together.
    pub fn is_allocations(&self) -> bool {
        self.field == "allocations"
    }

    /// `divergent branches`
    pub fn name(&self) -> String {
        name(&self.field)
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let most = thousands(self.most as i64);
        let whole = self.name();
        // `barrier arrivals`, ` (one per warp)`
        let (name, unit) = whole.split_at(whole.find(" (").unwrap_or(whole.len()));
        match self.most {
            0 => write!(f, "no {name}")?,
            1 => write!(f, "at most one {}{unit}", name.trim_end_matches('s'))?,
            _ => write!(f, "at most {most} {name}{unit}")?,
        }
        if self.is_allocations() { Ok(()) } else { write!(f, " at {}", self.case) }
    }
}

/// The counter `field`, if there is such a counter.
pub fn counter(counters: &Counters, field: &str) -> Option<u64> {
    serde_json::to_value(counters).ok()?.get(field)?.as_u64()
}

/// What a counter is called: `barrier arrivals (one per warp)`.
pub fn name(field: &str) -> String {
    match field {
        "barriers" => "barrier arrivals (one per warp)".into(),
        "global_load_requests" => "global load requests (one per warp)".into(),
        "global_store_requests" => "global store requests (one per warp)".into(),
        "atomics" => "atomic operations".into(),
        BLOCK_NUMBERS => "numbers loaded by one block".into(),
        GLOBAL_ATOMICS => "atomic operations (on global memory)".into(),
        _ => field.replace('_', " "),
    }
}

//! What a wrong run is kept to show.

use std::fmt;

use ptx_simulator::Kind;
use serde::{Deserialize, Serialize};

/// What a wrong run is kept to show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Failure {
    /// What the simulator's checks find.
    Found(Kind),
    /// A result that is wrong, though nothing is found.
    Result(Wrong),
}

/// Why a result is wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Wrong {
    /// Halving an odd length leaves an element out.
    DropsOddElement,
    /// An operator for which the order matters gets its operands in another one.
    OperandsOutOfOrder,
    /// Many additions to one number of few bits.
    AccumulatedRounding,
    /// The result is larger than its type holds.
    Overflow,
    /// A library's, for no reason that is known.
    WrongSum,
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Found(kind) => kind.fmt(f),
            Failure::Result(Wrong::DropsOddElement) => f.write_str("drops-odd-element"),
            Failure::Result(Wrong::OperandsOutOfOrder) => f.write_str("operands-out-of-order"),
            Failure::Result(Wrong::AccumulatedRounding) => f.write_str("accumulated-rounding"),
            Failure::Result(Wrong::Overflow) => f.write_str("overflow"),
            Failure::Result(Wrong::WrongSum) => f.write_str("wrong-sum"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_is_called_in_text_as_in_json() {
        for failure in [
            Failure::Found(Kind::BarrierDivergence),
            Failure::Result(Wrong::DropsOddElement),
            Failure::Result(Wrong::OperandsOutOfOrder),
            Failure::Result(Wrong::AccumulatedRounding),
            Failure::Result(Wrong::Overflow),
            Failure::Result(Wrong::WrongSum),
        ] {
            let json = serde_json::to_value(failure).unwrap();
            assert_eq!(json, failure.to_string());
            assert_eq!(serde_json::from_value::<Failure>(json).unwrap(), failure);
        }
    }
}

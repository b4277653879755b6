//! Why an answer does not pass.

use ptx_simulator::Kind;
use serde::{Deserialize, Serialize};

/// Why an answer does not pass. Its name, `wrong-result`, is what an exercise's mutants and `[think]`
/// write, and what progress remembers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// The file is not there, or cannot be read.
    MissingFile,
    /// It holds what the task does not allow.
    NotAllowed,
    CompileError,
    /// It has no kernel of the right name and parameters.
    MissingKernel,
    /// It has no function of the right name and type.
    MissingFunction,
    /// The function panics.
    Panic,
    /// The program ends in the middle.
    Crash,
    StackOverflow,
    /// The function does not come back in time.
    TimeLimit,
    WrongResult,
    NothingWritten,
    InputChanged,
    /// Atomic operations read what other blocks have left, and nothing orders that.
    Unfenced,
    /// The result depends on the order of turns.
    NotReproducible,
    /// A second launch finds what the first has left in the module's variables.
    NotReset,
    /// A block waits for another one, which may not run meanwhile.
    Waits,
    /// It relies on what the compiler makes of a difference that does not fit an `int`.
    Overflow,
    /// A number that was asked for.
    WrongNumber,
    /// A line that was asked for.
    WrongLine,
    /// One thread does the work of others.
    OneThread,
    /// The threads of one block do the work of others.
    OneBlock,
    /// Too many atomic operations.
    Atomics,
    /// Too few children, or idle ones.
    Launches,
    /// A tail launch where a fire-and-forget launch was asked for.
    TailLaunch,
    /// Too many instructions.
    Work,
    /// Threads that leave before a barrier that was to order what they wrote.
    LeftEarly,
    /// A whole program prints what its host has computed.
    FromTheHost,
    /// A goal of the exercise is missed.
    Goal,
    /// The simulator found it.
    #[serde(untagged)]
    Found(Kind),
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.serialize(f)
    }
}

impl Fault {
    /// The fault of this name.
    pub fn named(name: &str) -> Option<Fault> {
        serde_json::from_value(name.into()).ok()
    }
}

/// Their names, as progress remembers them.
pub fn names(faults: &[Fault]) -> Vec<String> {
    faults.iter().map(Fault::to_string).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fault_is_written_as_it_is_read() {
        for name in ["wrong-result", "one-thread", "data-race", "memory-limit"] {
            assert_eq!(Fault::named(name).map(|fault| fault.to_string()).as_deref(), Some(name));
        }
        assert_eq!(Fault::named("data-race"), Some(Fault::Found(Kind::DataRace)));
        assert_eq!(Fault::named("data-rase"), None);
    }
}

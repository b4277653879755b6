//! Grids: blocks and child grids, in turns.

mod arguments;
mod before;
mod engine;
mod launch;
mod order;
mod recurrence;
mod turn;

pub use arguments::parameters;
pub use engine::{Engine, Limits, Together};

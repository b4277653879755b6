//! Statements → the typed program that runs.

mod active_mask;
mod addressed;
pub mod exchange;
pub mod flow;
pub(crate) mod lines;
mod modifiers;
mod module;
mod names;
mod op;
mod opcodes;
mod opcodes_async;
mod opcodes_matrix;
mod opcodes_memory;
mod program;
pub mod runtime;
mod special;
#[cfg(test)]
mod tests;
pub mod unknown;
mod updates;
mod uses;

pub use module::decode;
pub use op::*;
pub use program::*;
pub use special::Position;

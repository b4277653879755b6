//! The verbs of a device, as chapters and exercises use them: on the simulator, and on a GPU where there is
//! one: `cargo test --test device -- --ignored`.

mod graphs;
mod launches;
mod memory;
mod options;

//! How a run on the simulator looks.
//!
//! | file | job |
//! | --- | --- |
//! | `diagnostics.rs` | what the simulator found, as rustc would print it |
//! | `orders.rs` | how many orders were tried |
//! | `steps.rs` | any trace as a table, for the terminal |
//! | `launch.rs` | any small launch as a film |
//! | `found.rs` | where in a launch that happens which was found |
//! | `film.rs` | a drawing in several frames, as HTML that also stands still; as a page of its own |
//! | `drawing.rs` | shapes and texts, and how they look in a frame |
#![warn(missing_docs)]

pub mod diagnostics;
mod drawing;
mod film;
mod found;
mod launch;
pub mod orders;
mod steps;

pub use drawing::{Drawing, Look, Looks, arrow, short};
pub use film::{Film, Frame, PLAYER, STYLES, Track, lines, page};
pub use launch::launch;
pub use steps::{lanes, table};

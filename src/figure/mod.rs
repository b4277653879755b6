//! Figures drawn from what a run did: traces of the simulator, and records. Those of a chapter lie in
//! `examples/`, beside its host code.
//!
//! | file | job |
//! | --- | --- |
//! | `drawing.rs` | shapes and texts, and how they look in a frame |
//! | `film.rs` | a drawing in several frames, as HTML that also stands still |
//! | `sources.rs` | a figure of the book, and what it is drawn from |
//! | `steps.rs` | any trace as a table, for the terminal |
//! | `launch.rs` | any small launch as a film |
//! | `page.rs` | a film as a page of its own |

mod drawing;
mod film;
mod launch;
mod page;
mod sources;
mod steps;

pub use drawing::{Drawing, Looks, arrow, short};
pub use film::{Film, Frame, Track, lines};
pub use launch::launch;
pub use page::page;
pub use sources::{Figure, Sources};
pub use steps::{lanes, table};

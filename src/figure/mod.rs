//! Figures drawn from what a run did: traces of the simulator, and records.
//!
//! | file | job |
//! | --- | --- |
//! | `drawing.rs` | shapes and texts, and how they look in a frame |
//! | `film.rs` | a drawing in several frames, as HTML that also stands still |
//! | `moments.rs` | a small trace as moments |
//! | `block.rs` | a small block at work: threads, elements, arrows |
//! | `steps.rs` | any trace as a table, for the terminal |
//! | `launch.rs` | any small launch as a film |
//! | `page.rs` | a film as a page of its own |
//! | `race.rs` | chapter 2: the race, and the barrier |
//! | `divergence.rs` | chapter 3: which warps split |
//! | `sectors.rs` | chapter 3: what a load moves |
//! | `banks.rs` | chapter 5: which words lie in one bank |
//! | `grids.rs` | chapter 4: grids that launch grids |
//! | `pending.rs` | chapter 4: the slots of pending launches |
//! | `axis.rs` | chapter 4: times on one axis, at several scales |
//! | `flight.rs` | chapter 7: loads in flight |
//! | `ladder.rs` | chapter 7: the rungs against the data sheet |

mod axis;
mod banks;
mod block;
mod divergence;
mod drawing;
mod film;
mod flight;
mod grids;
mod ladder;
mod launch;
mod moments;
mod page;
mod pending;
mod race;
mod sectors;
mod steps;

pub use axis::{Bar, axis};
pub use banks::banks;
pub use divergence::divergence;
pub use drawing::{Drawing, Looks, short};
pub use film::{Film, Frame, Track};
pub use flight::flight;
pub use grids::{WAYS, grids};
pub use ladder::{Rung, ladder};
pub use launch::launch;
pub use page::page;
pub use pending::pending;
pub use race::{barrier, race};
pub use sectors::sectors;
pub use steps::table;

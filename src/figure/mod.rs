//! Figures drawn from what a run did: traces of the simulator, and records.
//!
//! | file | job |
//! | --- | --- |
//! | `drawing.rs` | shapes and texts, and how they look in a frame |
//! | `film.rs` | a drawing in several frames, as HTML that also stands still |
//! | `moments.rs` | a small trace as moments |
//! | `block.rs` | a small block at work: threads, elements, arrows |
//! | `race.rs` | chapter 2: the race, and the barrier |
//! | `divergence.rs` | chapter 3: which warps split |
//! | `sectors.rs` | chapter 3: what a load moves |
//! | `banks.rs` | chapter 5: which words lie in one bank |
//! | `grids.rs` | chapter 4: grids that launch grids, and the slots of pending launches |

mod banks;
mod block;
mod divergence;
mod drawing;
mod film;
mod grids;
mod moments;
mod pending;
mod race;
mod sectors;

pub use banks::banks;
pub use divergence::divergence;
pub use film::Film;
pub use grids::grids;
pub use pending::pending;
pub use race::{barrier, race};
pub use sectors::sectors;

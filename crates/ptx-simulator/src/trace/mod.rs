//! Remembers a small launch: who touched what, in which order, with which values.
//!
//! [`Recorder`] listens and keeps at most so many events; [`Trace`] is what it has kept, and its JSON is the
//! one form from which tables and figures can be made:
//!
//! ```json
//! {
//!   "kernel": "reduceNeighbored", "grid": [1,1,1], "block": [8,1,1],
//!   "files": ["kernels/ch2_parallel.cu"],
//!   "buffers": [{"name": "g_data", "space": "global", "element": 4}],
//!   "events": [
//!     {"step": 0, "grid": 0, "block": 0, "warp": 0, "line": 40, "lanes": 85, "do": "diverge", "rest": 170},
//!     {"step": 0, "grid": 0, "block": 0, "warp": 0, "line": 41, "lanes": 85, "do": "read",
//!      "buffer": 0, "at": [1,3,5,7], "values": [2,4,6,8]}
//!   ],
//!   "findings": [],
//!   "left_out": 0
//! }
//! ```
//!
//! - `step` counts the barriers that the block has passed: within a step nothing orders the threads of
//!   different warps but what the events say.
//! - `lanes` is a mask: bit *k* is lane *k* of the warp. The lanes that a warp has and an event doesn't name
//!   are idle.
//! - `at` are elements of the buffer, one for each lane of the mask, lowest first; `values` are their bits as
//!   whole numbers. With `parts`, each lane has this many elements from `at` on, and this many values. A byte
//!   offset that is no whole number of elements is in `at` as the element that it lies in.
//! - `do` says what: see [`Did`]. Grids are numbered through; what device code has launched has a `parent`.
//! - `line` is a line of `files[file]`, where `file` is 0 unless it is said.
//!
//! | file | job |
//! | --- | --- |
//! | `form.rs` | what a trace holds, and its JSON |
//! | `recorder.rs` | the observer |
//! | `buffers.rs` | addresses as buffers and elements |

mod buffers;
mod form;
mod recorder;

pub use form::{Buffer, Did, Event, Touch, Trace};
pub use recorder::Recorder;

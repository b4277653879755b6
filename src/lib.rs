//! What the chapters of the workbook share: rooms, each of which answers one question.
//!
//! | room | question | uses |
//! | --- | --- | --- |
//! | [`sim`] | what does this PTX do, and what is wrong with it? (a crate) | |
//! | [`reduction`] | what is summed, by what, and what is right? (a crate) | |
//! | [`arguments`], [`number`] | how are numbers read and written? | |
//! | [`files`] | how is a file written whole? | |
//! | [`say`] | how do words reach a reader, and what if they don't? | |
//! | [`build`] | how does a `.cu` file become PTX and machine code? | |
//! | [`record`] | what does a run leave, and how is that shown? | reduction, numbers, build, the simulator |
//! | [`device`] | where does a kernel run? | record, build, the simulator, reduction |
//! | [`launch`] | which launches with which buffers? | device, reduction, numbers, the simulator |
//! | [`chapter`] | what does a run of a chapter do? | device, figure, record, reduction, build |
//! | [`figure`] | how does a run look? | record, numbers, the simulator |
//! | `exercise` | is an answer right, and what helps? (a crate) | as `simulate`, and reduction |
//! | `simulate` | what does a reader's own kernel do? (a crate) | launch, device, figure, record, build |
//!
//! No room uses one that uses it; `tests/rooms.rs` holds that. The examples lie above all of them: they
//! declare a chapter's variants and hold its host code, its own measurement, charts and figures. The crate
//! `chapters` gathers them for the book and its pages.
#![warn(missing_docs)]

pub mod arguments;
pub mod build;
pub mod chapter;
pub mod device;
pub mod figure;
pub mod files;
pub mod launch;
pub mod record;
pub mod say;

/// The repository that this was built in; in a page, the root of what that has of it.
pub const ROOT: &str = if cfg!(target_family = "wasm") { "/" } else { env!("CARGO_MANIFEST_DIR") };

pub use ptx_simulator as sim;
pub use reduction;
pub use reduction::number;

//! What the chapters of the workbook share. Below it lie crates that know nothing of chapters; Cargo keeps
//! them from importing what lies above.
//!
//! | crate | question | uses |
//! | --- | --- | --- |
//! | [`text`] | how are words, numbers, tables and files written so that nothing is lost? | |
//! | [`reduction`] | what is summed, by what, and what is right? | text |
//! | [`sim`] | what does this PTX do, and what is wrong with it? | |
//! | [`cuda_source`] | what does a CUDA source say, and what is wrong with its text? | text |
//! | [`kernel_compiler`] | how does a `.cu` file become PTX and machine code? | cuda_source |
//! | [`device`] | where does a kernel run? | cuda_source, kernel_compiler, reduction, the simulator |
//! | [`view`] | how does a run look: findings, tables of steps, films? | text, the simulator |
//! | `launch` | which launches with which buffers? | device, reduction |
//! | `program` | what does the host of a whole program do? | device, the simulator |
//! | `simulate` | what does a reader's own kernel or program do? | launch, program, view, kernel_compiler |
//!
//! | module here | question | uses |
//! | --- | --- | --- |
//! | [`kernels`] | which builds of the chapters' kernels are there? | |
//! | [`library`] | which sums of NVIDIA's are ours measured against? | |
//! | [`what_if`] | which small edits of them can a reader try? | |
//! | [`record`] | what does a run leave, and how is that shown? | |
//! | [`figure`] | what does a chapter draw, and from what? | record |
//! | [`chapter`] | what does a run of a chapter do? | kernels, record, figure |
//!
//! Above it lie the crate `chapters`, which declares each chapter's variants and holds its host code, its own
//! measurement, charts and figures, for an example, for the book and its pages; and `exercise`, which judges
//! answers.
#![warn(missing_docs)]

pub mod chapter;
pub mod figure;
pub mod kernels;
pub mod library;
pub mod record;
pub mod what_if;

pub use cuda_source;
pub use device;
pub use kernel_compiler::{self, root};
pub use ptx_simulator as sim;
pub use reduction;
pub use text;
pub use view;

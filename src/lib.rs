//! The shared lab bench of the workbook: what every chapter's example uses to run its kernel on a GPU or
//! on the simulator, to check the sum, and to leave a record behind.
//!
//! | file | job |
//! | --- | --- |
//! | [`backend`] | [`Device`](backend::Device): a GPU or the simulator behind one set of verbs, named as cudarc names them; its `launch.rs` checks launches |
//! | `gpu` | the GPU; the only file that names cudarc |
//! | `graph` | launches captured once, launched again with one call |
//! | [`sim`] | the simulator, a crate of its own: reads PTX, executes it, counts |
//! | [`kernels`] | every chapter's kernel as built by `build.rs`: PTX, fatbin, source, hashes |
//! | [`nvcc`] | finds and calls nvcc; used by `build.rs` too |
//! | [`data`] | the numbers that every chapter adds up |
//! | [`prebuilt`] | the committed builds, and the choice between them and the reader's nvcc; used by `build.rs` too |
//! | [`serial`] | the recursions that every result is checked against |
//! | [`operator`] | what an array can be reduced by: a sum, or any associative operation with an identity |
//! | [`value`] | a result of any type, and what it should have been |
//! | [`bound`] | how far a sum of floats may be from the exact one |
//! | [`height`] | how many additions an element of chapter 6 passes through, on which that depends |
//! | [`measure`] | how a time is taken: warm-up, repeats, median |
//! | [`spaces`] | what a load from each memory space of a GPU costs |
//! | [`chapter`] | what a chapter does with its kernels: runs, checks, record, exit status |
//! | [`contest`] | chapter 7's kernels beside CUB, Thrust and the CPU, on the same arrays and in turns |
//! | [`timing`] | how short work is timed: one call or the work alone, with a cold cache or a warm one |
//! | [`limit`] | chapter 7's types, and what its last rung runs for which size |
//! | [`peers`] | CUB and Thrust, built by nvcc and loaded when the program runs |
//! | [`plan`] | which runs those are: the asked size, then a sweep |
//! | [`nested`] | how chapter 4's kernels unfold: blocks of a grid, launches by device code |
//! | [`quadrature`] | the area under a curve, which chapter 4 finds by dividing intervals |
//! | [`cli`] | the options that every chapter shares |
//! | [`museum`] | the nested kernel of before CUDA 12, `kernels/museum/`, which chapter 4 runs with `--museum` |
//! | [`levels`] | how a nested run unfolds, level by level |
//! | `progress` | a bar on stderr, once a chapter takes its time |
//! | [`sweep`] | the sweep that chose them: what `cargo bench --bench limit` has measured |
//! | [`table`] | a record as text, in the terminal and in the book |
//! | [`simulate`] | a reader's own kernel on the simulator, from the command line |
//! | [`exercise`] | the exercises: checks, hints, solutions, progress |
//! | [`report`] | a diagnostic of the simulator with its source lines |
//! | [`record`] | what a run leaves behind, as JSON |
//! | [`speed`] | how fast the simulator is: what `cargo bench` measures |
//! | [`chart`] | a record as SVG; its `draw.rs` is the only file that names plotters |

pub mod arguments;
pub mod build;
pub mod chapter;
pub mod chapters;
pub mod device;
pub mod exercise;
pub mod number;
pub mod record;
pub mod reduction;
pub mod simulate;

pub use ptx_simulator as sim;

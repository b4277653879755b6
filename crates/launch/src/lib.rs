//! What is launched with which buffers, as a text: the one language of `simulate`, of the corpus, of the
//! exercises and of the figures.
//!
//! ```text
//! buffer in   = f32:random*4096            # a buffer with a name: a type, and elements
//! buffer sums = f32:uninit*16
//! symbol scale = f32:0.5                    # a variable of the module is set
//! launch blockSums<<<16, 256>>> @in @sums i32:4096
//! expect sums = f32:file=sums.bin within 1e-5   # or `expect sums = @others`: what another buffer holds
//! save sums   = out.bin
//! ```
//!
//! | word | is |
//! | --- | --- |
//! | `i32:5`, `f32:-0.5` | a number |
//! | `@in`, `@in+16` | the address of a buffer, or some bytes further |
//! | `struct:i32:4,f32:0,1,ptr:@in` | a structure, laid out as a compiler does it |
//! | `buf:i32:iota*64` | as an argument: a buffer that is called by the argument's number, `@0` |
//! | `zeros*N`, `uninit*N`, `iota*N`, `iota:1*N`, `random*N`, `random:SEED*N`, `5*N` | N elements |
//! | `1,2,zeros*8` | parts, side by side |
//! | `file=in.bin` | what a file holds, raw bytes |
//! | `f32 64x48`, `f32 64x48:random` | a buffer of 64 rows of 48: `uninit`, or of what stands there |
//! | `KERNEL<<<GRID, BLOCK, SHARED>>>` | a launch |
//! | `<<<dim3(2, 2), dim3(32, 8)>>>` | several dimensions; also `<<<(2,2), (32,8)>>>` or `<<<2,2, 32,8>>>` |
//! | `cluster=4` | before the arguments: blocks of a cluster |
//!
//! Wherever a whole number stands may stand a small expression of C, with names that the caller gives:
//! `reduce<<<(n+block-1)/block, block>>>`. In the comments of a source those are its constants. A `#` begins
//! a comment.
//!
//! In the comments of a source, a line `// %%` begins a cell. A buffer of a later cell takes the name of one
//! of an earlier cell from it.
//!
//! | file | job |
//! | --- | --- |
//! | `number.rs` | types, numbers and expressions |
//! | `constants.rs` | the names that a source gives to numbers |
//! | `nearest.rs` | what was meant by a word that is none of the language |
//! | `fill.rs` | the elements of a buffer |
//! | `scope.rs` | what a text may name: numbers and files |
//! | `script.rs`, `buffers.rs` | the lines; the buffers that they make |
//! | `stage.rs` | the buffers on a device, and the steps |
//! | `shape.rs` | rows and columns of a buffer |
//! | `drawn.rs` | the same of a launch of two dimensions |
//! | `held.rs` | what a buffer holds afterwards |
//! | `export/` | the same as a CUDA program with a `main` |

#![warn(missing_docs)]

mod buffers;
mod constants;
mod drawn;
mod export;
mod fill;
mod held;
mod nearest;
mod number;
mod scope;
mod script;
mod shape;
mod stage;
#[cfg(test)]
mod tests;

pub use buffers::{Buffers, Named};
pub use constants::constants;
pub use export::{Export, program};
pub use fill::{Fill, Pointer};
pub use held::{Element, Held, fewest};
pub use number::Type;
pub use scope::{Files, Names, Output, Scope};
pub use script::{
    Dimensions, Launch, Place, Script, Spec, Step, Value, dimensions, down_to_cell, in_comments,
};
pub use shape::Shape;
pub use stage::{Ran, Stage, run};

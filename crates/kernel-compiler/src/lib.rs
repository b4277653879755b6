//! From a `.cu` file to PTX and machine code. The workbook's build script uses it, and whatever compiles a
//! reader's text.
//!
//! | file | job |
//! | --- | --- |
//! | [`compiler`] | the reader's compiler, nvcc or clang: found and called |
//! | [`nvcc`], [`clang`] | what is one compiler's own: options, words |
//! | [`in_page`] | clang in a page, where it has no driver: its arguments, its answer |
//! | [`staging`] | a source as a compiler gets it: a plainly named copy in a folder of its own |
//! | [`includes`] | what a source includes: regular files only |
//! | [`within`] | runs a program for a limited time and in limited memory |
//! | `watcher` | ends a program with this one |
//! | [`refusal`] | why a compiler failed: the source is wrong, or the compiler could not do its work |
//! | [`call`] | what all calls have in common: messages, file names |
//! | [`explain`] | the messages in better words, at the reader's own lines |
//! | [`braces`] | where a brace is missing |
//! | [`mistakes`] | a beginner's mistakes in CUDA |
//! | [`unnamed`] | mistakes that no compiler names |
//! | [`overlaid`] | arrays of dynamic shared memory that lie on each other |
//! | [`functions`] | the host's functions in a source |
//! | [`capability`] | for which GPUs a source is compiled |
//! | [`build`] | what a kernel file becomes: source, PTX, machine code |
//! | [`hash`] | identity of sources and of compiled code |
//! | [`prebuilt`] | the committed builds, and the choice between them and the reader's compiler |
//! | [`renew`] | committed files that tests make: compared, or written again |
//! | [`example`] | programs that tests start: an example's, and scripts in place of a compiler |
//! | [`program`] | a whole program, with `main`, to PTX |
//! | [`lex`] | the tokens of a source |
//! | [`parameters`] | what a source calls its kernels and their parameters |
//! | [`misfit`] | why the host cannot launch a kernel that somebody has edited |
//! | [`edit`] | edits of a source |
//! | [`cures`] | edits that may cure what a run has found |
#![warn(missing_docs)]

pub mod braces;
pub mod build;
pub mod call;
pub mod capability;
pub mod clang;
pub mod compiler;
pub mod cures;
pub mod edit;
#[cfg(not(target_family = "wasm"))]
pub mod example;
pub mod explain;
pub mod functions;
pub mod hash;
pub mod in_page;
pub mod includes;
pub mod lex;
mod maker;
pub mod misfit;
pub mod mistakes;
mod names;
pub mod nvcc;
pub mod overlaid;
pub mod parameters;
pub mod prebuilt;
pub mod program;
pub mod refusal;
pub mod renew;
mod root;
pub mod staging;
pub mod unnamed;
mod watcher;
pub mod within;

pub use root::root;

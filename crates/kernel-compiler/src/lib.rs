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
//! | [`capability`] | for which GPUs a source is compiled |
//! | [`build`] | what a kernel file becomes: source, PTX, machine code |
//! | [`hash`] | identity of sources and of compiled code |
//! | [`prebuilt`] | the committed builds, and the choice between them and the reader's compiler |
//! | [`program`] | a whole program, with `main`, to PTX |
#![warn(missing_docs)]

pub mod build;
pub mod call;
pub mod capability;
pub mod clang;
pub mod compiler;
pub mod hash;
pub mod in_page;
pub mod includes;
mod maker;
mod names;
pub mod nvcc;
pub mod prebuilt;
pub mod program;
pub mod refusal;
mod root;
pub mod staging;
mod watcher;
pub mod within;

pub use root::root;

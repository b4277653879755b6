//! From a `.cu` file to PTX and machine code.
//!
//! | file | job |
//! | --- | --- |
//! | [`kernels`] | the build of each kernel, by stem, for the rest of the workbook |
//! | [`prebuilt`] | the committed builds, and the choice between them and the reader's compiler |
//! | [`compiler`] | the reader's compiler, nvcc or clang: found and called |
//! | [`nvcc`], [`clang`] | what is one compiler's own: options, words |
//! | [`in_page`] | clang in a page, where it has no driver: its arguments, its answer |
//! | [`within`] | runs a program for a limited time |
//! | [`refusal`] | why a compiler failed: the source is wrong, or the compiler could not do its work |
//! | [`path`] | paths as texts: printed, and in committed files |
//! | [`call`] | what both calls have in common: messages, paths |
//! | [`renew`] | committed files that tests make: compared, or written anew |
//! | [`parameters`] | what a source calls the parameters of its kernels |
//! | [`edit`] | edits of a source |
//! | [`what_if`] | small edits of the chapters' kernels, for a reader to try |
//!
//! `build.rs` includes all but `kernels.rs`, `renew.rs`, `in_page.rs`, `parameters.rs`, `edit.rs` and
//! `what_if.rs`.

pub mod call;
pub mod clang;
pub mod compiler;
pub mod edit;
pub mod in_page;
pub mod kernels;
pub mod nvcc;
pub mod parameters;
pub mod path;
pub mod prebuilt;
pub mod refusal;
pub mod renew;
pub mod what_if;
pub mod within;

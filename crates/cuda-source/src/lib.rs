//! Reads CUDA C++ without compiling it: what a source calls its kernels and their parameters, what a beginner
//! got wrong in it, and how it is edited.
//!
//! | file | job |
//! | --- | --- |
//! | [`lex`] | the tokens of a source |
//! | [`parameters`] | what a source calls its kernels and their parameters |
//! | [`functions`] | the host's functions in a source |
//! | [`misfit`] | why the host cannot launch a kernel that somebody has edited |
//! | [`explain`] | a compiler's messages in better words, at the reader's own lines |
//! | [`libraries`] | NVIDIA's libraries, by their headers |
//! | [`braces`] | where a brace is missing |
//! | [`mistakes`] | a beginner's mistakes in CUDA |
//! | [`unnamed`] | mistakes that no compiler names |
//! | [`overlaid`] | arrays of dynamic shared memory that lie on each other |
//! | [`edit`] | edits of a source |
//! | [`cures`] | edits that may cure what a run has found |
#![warn(missing_docs)]

pub mod braces;
pub mod cures;
pub mod edit;
pub mod explain;
pub mod functions;
pub mod lex;
pub mod libraries;
pub mod misfit;
pub mod mistakes;
pub mod overlaid;
pub mod parameters;
pub mod unnamed;

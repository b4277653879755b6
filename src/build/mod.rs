//! From a `.cu` file to PTX and machine code.
//!
//! | file | job |
//! | --- | --- |
//! | [`kernels`] | the build of each kernel, by stem, for the rest of the workbook |
//! | [`prebuilt`] | the committed builds, and the choice between them and the reader's nvcc |
//! | [`nvcc`] | finds nvcc and calls it |
//! | [`what_if`] | small edits of the chapters' kernels, for a reader to try |
//!
//! `build.rs` includes `prebuilt.rs` and `nvcc.rs`.

pub mod kernels;
pub mod nvcc;
pub mod prebuilt;
pub mod what_if;

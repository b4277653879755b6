//! The simulator on the workbook's kernels, beside what a GPU gives. What needs nothing of the workbook lies
//! in `crates/ptx-simulator/tests` and `crates/launch/tests`.

mod cooperative;
mod kernels;
mod ncu;

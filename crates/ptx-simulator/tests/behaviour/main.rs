//! What a user of the simulator relies on: results, order, counts, and what is said when something is wrong.
//! The kernels lie in `tests/kernels`, with what nvcc and clang made of them.

mod cuda;
mod dependent;
mod ends;
mod errors;
mod memory;
mod mutations;
mod nested;
mod warps;
mod words;

//! What is summed, by what, and what is right.
//!
//! | file | job |
//! | --- | --- |
//! | `data.rs` | the numbers that every chapter adds up |
//! | `value.rs` | [`Value`](value::Value), [`Expected`](value::Expected): a result, and the right one |
//! | `operator/` | [`Operator`](operator::Operator): what an array can be reduced by |
//! | `error_bound.rs` | how far a sum of floats may be from the exact one |
//! | `serial.rs` | the recursions that every result is checked against |
//! | `operation.rs` | [`Operation`](operation::Operation): what a kernel computes, with its reference |
#![warn(missing_docs)]

pub mod data;
pub mod error_bound;
pub mod operation;
pub mod operator;
pub mod serial;
pub mod value;

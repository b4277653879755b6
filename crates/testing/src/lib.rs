//! What tests share.
//!
//! | file | job |
//! | --- | --- |
//! | [`renew`] | committed files that tests make: compared, or written again |
//! | [`example`] | programs that tests start: an example's, and scripts in place of a compiler |
#![warn(missing_docs)]

pub mod example;
pub mod renew;

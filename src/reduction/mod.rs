pub mod data;
pub mod error_bound;
pub mod operator;
pub mod serial;
pub mod value;

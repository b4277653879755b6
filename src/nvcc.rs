//! Finds and calls nvcc.
pub const HOW_TO_GET_NVCC: &str = "";

pub mod legacy;
pub mod limit;
pub mod memory_spaces;
pub mod nested;
pub mod quadrature;
pub mod summation_depth;

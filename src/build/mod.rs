pub mod kernels;
pub mod nvcc;
pub mod prebuilt;

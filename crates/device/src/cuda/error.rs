//! What the driver says when something fails, and what to do.

use anyhow::anyhow;
use cudarc::driver::DriverError;
use cudarc::driver::sys::CUresult;

use crate::fault::Fault;

/// A driver error in words: what was being done, what the driver says, and what to do where it is known.
pub fn failed(doing: &str, error: DriverError) -> anyhow::Error {
    match error.0 {
        CUresult::CUDA_ERROR_ILLEGAL_ADDRESS
        | CUresult::CUDA_ERROR_MISALIGNED_ADDRESS
        | CUresult::CUDA_ERROR_INVALID_ADDRESS_SPACE
        | CUresult::CUDA_ERROR_ILLEGAL_INSTRUCTION
        | CUresult::CUDA_ERROR_INVALID_PC
        | CUresult::CUDA_ERROR_HARDWARE_STACK_ERROR
        | CUresult::CUDA_ERROR_LAUNCH_FAILED
        | CUresult::CUDA_ERROR_LAUNCH_TIMEOUT
        | CUresult::CUDA_ERROR_ASSERT => anyhow::Error::new(Fault(message(error))),
        CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
            anyhow!("{doing}: {}; a smaller problem needs less memory", message(error))
        }
        CUresult::CUDA_ERROR_NO_BINARY_FOR_GPU
        | CUresult::CUDA_ERROR_INVALID_PTX
        | CUresult::CUDA_ERROR_UNSUPPORTED_PTX_VERSION => anyhow!(
            "{doing}: {}; the build has no code for this GPU: rebuild with an nvcc that supports it, or \
             use --device sim",
            message(error)
        ),
        _ => anyhow!("{doing}: {}", message(error)),
    }
}

/// `CUDA_ERROR_NO_DEVICE: no CUDA-capable device is detected`
pub fn message(error: DriverError) -> String {
    match error.error_string() {
        Ok(text) => format!("{:?}: {}", error.0, text.to_string_lossy()),
        Err(_) => format!("{:?}", error.0),
    }
}

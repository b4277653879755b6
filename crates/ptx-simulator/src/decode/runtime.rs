//! The functions that compiled kernels call without defining them: the device runtime (launches), `malloc`
//! and `printf`, and mathematics.

use crate::arith::math::Math;

/// A known function. The names are those that nvcc writes, before and since CUDA 12 (CDP1 and CDP2), and
/// those of the first device runtime for a launch, which clang writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `(kernel, grid, block, shared bytes) -> parameter buffer, or null`
    GetParameterBuffer,
    /// `(parameter buffer, stream) -> error`. Before CUDA 12 a launch beyond the pending limit was kept in a
    /// second, slower pool; since then it is refused.
    LaunchDevice {
        second_pool: bool,
    },
    /// As clang has it: `(alignment, bytes) -> parameter buffer`
    GetBuffer,
    /// As clang has it: `(kernel, parameter buffer, grid, block, shared bytes, stream) -> error`. A launch
    /// beyond the pending limit is refused, as it is today.
    LaunchKernel,
    GetLastError,
    PeekAtLastError,
    /// `() -> error`: waits for the block's children. Device code of CUDA 12 and later can no longer call it.
    DeviceSynchronize,
    /// `(stream*, flags) -> error`
    StreamCreate,
    StreamDestroy,
    /// `(bytes) -> address, or null`, and `(address)`
    Malloc,
    Free,
    /// `(address*, bytes) -> error`, `(address) -> error`, `(address, int, bytes, stream) -> error`
    CudaMalloc,
    CudaFree,
    CudaMemset,
    /// `(format, arguments) -> int`
    Printf,
    /// `(message, file, line, function, size)`
    AssertFail,
    /// A function of `<math.h>`, from a compiler that brings no body of it.
    Math(Math),
}

impl Call {
    pub fn parse(name: &str) -> Option<Call> {
        let today = name.strip_prefix("__cudaCDP2");
        Some(match today.or(name.strip_prefix("cuda")).unwrap_or(name) {
            "GetParameterBufferV2" => Call::GetParameterBuffer,
            "LaunchDeviceV2" => Call::LaunchDevice { second_pool: today.is_none() },
            "GetParameterBuffer" => Call::GetBuffer,
            "LaunchDevice" => Call::LaunchKernel,
            "GetLastError" => Call::GetLastError,
            "PeekAtLastError" => Call::PeekAtLastError,
            "DeviceSynchronize" => Call::DeviceSynchronize,
            "StreamCreateWithFlags" => Call::StreamCreate,
            "StreamDestroy" => Call::StreamDestroy,
            "Malloc" => Call::CudaMalloc,
            "Free" => Call::CudaFree,
            "MemsetAsync" => Call::CudaMemset,
            "malloc" => Call::Malloc,
            "free" => Call::Free,
            // clang passes variadic arguments as nvcc does those of `vprintf`.
            "vprintf" | "printf" => Call::Printf,
            "__assertfail" => Call::AssertFail,
            _ => Call::Math(Math::parse(name)?),
        })
    }
}

/// Streams with a meaning of their own (`cuda_device_runtime_api.h`); others are ordered queues.
pub const STREAM_TAIL: u64 = 3;
pub const STREAM_FIRE_AND_FORGET: u64 = 4;
/// First handle that `cudaStreamCreateWithFlags` gives.
pub const FIRST_STREAM: u64 = 16;

/// Errors that a device launch, or waiting for one, can give (`cudaError_t`).
pub const INVALID_VALUE: u32 = 1;
pub const MEMORY_ALLOCATION: u32 = 2;
pub const INVALID_CONFIGURATION: u32 = 9;
pub const SYNC_DEPTH_EXCEEDED: u32 = 68;
pub const PENDING_COUNT_EXCEEDED: u32 = 69;
pub const INVALID_DEVICE_FUNCTION: u32 = 98;

//! The sums of NVIDIA's libraries, to measure ours against: `kernels/libraries/cub.cu`, built by nvcc when
//! there is one, and loaded into this process. It works in the same context, stream and buffers.
//!
//! Calls across the boundary to C++ are unsafe; they are all here, each with its reason.

use std::ffi::{c_int, c_void};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use bytemuck::Pod;
use workbook::device::libloading::{Library, Symbol};
use workbook::device::{Buffer, Device, View};
use workbook::library::{self, CUB, Loaded, checked};

/// `(temporary, bytes, input, output, size, stream)`; without temporary memory it stores the bytes needed.
type CubSum = unsafe extern "C" fn(u64, *mut usize, u64, u64, c_int, *mut c_void) -> c_int;
/// `(input, output on the host, size, stream)`
type ThrustSum = unsafe extern "C" fn(u64, *mut c_void, c_int, *mut c_void) -> c_int;

/// The loaded library.
pub struct Libraries {
    library: Library,
    stream: *mut c_void,
    /// Of CUB: `2.8.0`.
    pub version: String,
}

/// A type that the library has sums of.
pub trait Summed: Pod {
    /// The end of the functions' names.
    const SUFFIX: &'static str;
}
macro_rules! summed {
    ($($element:ident)*) => {$(
        impl Summed for $element {
            const SUFFIX: &'static str = stringify!($element);
        }
    )*};
}
summed!(i32 f32 i64);

/// `cub::DeviceReduce::Sum` of `size` elements, with its temporary memory.
pub struct Cub<'a, T> {
    device: &'a Device,
    libraries: &'a Libraries,
    function: Symbol<'a, CubSum>,
    temporary: Buffer<u8>,
    output: Buffer<T>,
    size: c_int,
}

impl Libraries {
    /// The library for `device`, a GPU, built if need be.
    pub fn open(device: &Device, root: &Path) -> Result<Libraries> {
        let Loaded { library, stream, version } = library::open(device, root, CUB)?;
        Ok(Libraries { library, stream, version })
    }

    /// Prepares `cub::DeviceReduce::Sum` of `size` elements, in the order that `promise` allows: `sum`, the
    /// same in every run on one GPU; `not_guaranteed`, any; `gpu_to_gpu`, one with the same bits on every
    /// GPU. `None` if this CUB has no such sum.
    pub fn cub<'a, T: Summed>(
        &'a self,
        device: &'a Device,
        promise: &str,
        size: usize,
    ) -> Result<Option<Cub<'a, T>>> {
        // SAFETY: a function of `CUB` with this signature.
        let function = unsafe { self.library.get::<CubSum>(&format!("cub_{promise}_{}", T::SUFFIX)) };
        let Ok(function) = function else { return Ok(None) };
        let size = c_int::try_from(size).context("too many elements for CUB to count in an int")?;
        let output = device.alloc::<T>(1)?;
        let mut bytes = 0;
        // SAFETY: without temporary memory it writes the number of bytes and touches no other memory.
        checked("cub::DeviceReduce::Sum", unsafe { function(0, &mut bytes, 0, 0, size, self.stream) })?;
        let temporary = device.alloc::<u8>(bytes.max(1))?;
        Ok(Some(Cub { device, libraries: self, function, temporary, output, size }))
    }

    /// `thrust::reduce` of the first `size` elements of `input`: allocates, copies the sum back and waits.
    pub fn thrust<T: Summed>(&self, input: &View<T>, size: usize) -> Result<T> {
        let name = format!("thrust_sum_{}", T::SUFFIX);
        // SAFETY: a function of `CUB` with this signature.
        let function = unsafe { self.library.get::<ThrustSum>(&name) }
            .with_context(|| format!("the library of {} has no {name}", CUB.path))?;
        ensure!(
            size <= input.len() && size <= c_int::MAX as usize,
            "{size} elements are more than there are"
        );
        let mut sum = T::zeroed();
        // SAFETY: reads `size` elements at `input`, which has as many, in the stream in which they were
        // written, and writes one element to `sum` before it returns.
        let error = unsafe { function(input.address(), (&raw mut sum).cast(), size as c_int, self.stream) };
        checked("thrust::reduce", error)?;
        Ok(sum)
    }
}

impl<T: Summed> Cub<'_, T> {
    /// CUB's version.
    pub fn version(&self) -> &str {
        &self.libraries.version
    }

    /// Puts the sum of the first elements of `input` into the stream.
    pub fn launch(&self, input: &View<T>) -> Result<()> {
        ensure!(self.size as usize <= input.len(), "{} elements are more than there are", self.size);
        let mut bytes = self.temporary.len();
        // SAFETY: it reads `size` elements at `input`, which has as many, and writes one to `output` and at
        // most `bytes` to the temporary memory, all in the stream in which these buffers are freed.
        let error = unsafe {
            (self.function)(
                self.temporary.slice(0..).address(),
                &mut bytes,
                input.address(),
                self.output.slice(0..).address(),
                self.size,
                self.libraries.stream,
            )
        };
        checked("cub::DeviceReduce::Sum", error)
    }

    /// Waits for the last launch and returns its sum.
    pub fn sum(&self) -> Result<T> {
        Ok(self.device.clone_dtoh(&self.output)?[0])
    }
}

//! CUB's sums of rows, to measure ours against: `kernels/libraries/cub_rows.cu`.
//!
//! Calls across the boundary to C++ are unsafe; they are all here, each with its reason.

use std::ffi::{c_int, c_void};
use std::path::Path;

use anyhow::{Context, Result, ensure};
use workbook::device::libloading::Symbol;
use workbook::device::{Buffer, Device, View};
use workbook::library::{self, Loaded, Source, checked};

use super::rows::Summand;

const SOURCE: Source = Source { path: "kernels/libraries/cub_rows.cu", variable: "WORKBOOK_CUB_ROWS" };

/// `(temporary, bytes, values, offsets, sums, rows, stream)`; without temporary memory it stores the bytes
/// needed.
type RowSums = unsafe extern "C" fn(u64, *mut usize, u64, u64, u64, c_int, *mut c_void) -> c_int;

/// The loaded library.
pub struct Cub(Loaded);

/// `cub::DeviceSegmentedReduce::Sum` of an array's rows, with its temporary memory.
pub struct CubRowSums<'a> {
    function: Symbol<'a, RowSums>,
    stream: *mut c_void,
    temporary: Buffer<u8>,
    rows: u32,
    elements: usize,
}

impl Cub {
    /// The library for `device`, a GPU, built if need be.
    pub fn open(device: &Device, root: &Path) -> Result<Cub> {
        library::open(device, root, SOURCE).map(Cub)
    }

    /// `CUB 3.0.1`
    pub fn name(&self) -> String {
        format!("CUB {}", self.0.version)
    }

    /// Prepares the sums of `rows` rows with `elements` elements in all.
    pub fn row_sums<T: Summand>(
        &self,
        device: &Device,
        rows: u32,
        elements: usize,
    ) -> Result<CubRowSums<'_>> {
        let suffix = if T::SUFFIX.is_empty() { "i32" } else { "f32" };
        // SAFETY: a function of `SOURCE` with this signature.
        let function = unsafe { self.0.library.get::<RowSums>(&format!("cub_row_sums_{suffix}")) };
        let function =
            function.with_context(|| format!("the library of {} has no sums of {suffix}", SOURCE.path))?;
        let count = c_int::try_from(rows).context("too many rows for CUB to count in an int")?;
        let mut bytes = 0;
        // SAFETY: without temporary memory it writes the number of bytes and touches no other memory.
        checked("cub::DeviceSegmentedReduce::Sum", unsafe {
            function(0, &mut bytes, 0, 0, 0, count, self.0.stream)
        })?;
        let temporary = device.alloc::<u8>(bytes.max(1))?;
        Ok(CubRowSums { function, stream: self.0.stream, temporary, rows, elements })
    }
}

impl CubRowSums<'_> {
    /// Puts the sums into the stream.
    pub fn launch<T: Summand>(&self, values: &View<T>, offsets: &View<u32>, sums: &Buffer<T>) -> Result<()> {
        let rows = self.rows as usize;
        ensure!(
            self.elements <= values.len() && rows < offsets.len() && rows <= sums.len(),
            "{rows} rows are more than there are"
        );
        let mut bytes = self.temporary.len();
        // SAFETY: it reads `rows + 1` offsets and the elements that they delimit, which `Rows` has checked to
        // be `elements`; it writes `rows` sums and at most `bytes` to the temporary memory, all in the stream
        // in which these buffers are freed.
        let error = unsafe {
            (self.function)(
                self.temporary.slice(0..).address(),
                &mut bytes,
                values.address(),
                offsets.address(),
                sums.slice(0..).address(),
                self.rows as c_int,
                self.stream,
            )
        };
        checked("cub::DeviceSegmentedReduce::Sum", error)
    }
}

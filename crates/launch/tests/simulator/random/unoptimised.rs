//! Machine code by the driver's assembler with its optimiser off, which no build of a chapter wants.

use std::ptr;
use std::slice;

use cudarc::driver::{DriverError, sys};

/// Machine code of the PTX text `ptx` for the GPU of this thread, whose context a device has opened.
pub fn assemble(ptx: &str) -> Result<Vec<u8>, DriverError> {
    // The driver takes the text with a zero at its end.
    let mut text = ptx.as_bytes().to_vec();
    text.push(0);
    let mut options = [sys::CUjit_option::CU_JIT_OPTIMIZATION_LEVEL];
    // An option's value stands in the place of a pointer: level 0.
    let mut values = [ptr::null_mut()];
    let mut linker = ptr::null_mut();
    // SAFETY: one option with its value, as the count says; both outlive the linker, which is destroyed
    // below.
    unsafe { sys::cuLinkCreate_v2(1, options.as_mut_ptr(), values.as_mut_ptr(), &mut linker) }.result()?;
    let mut image = ptr::null_mut();
    let mut size = 0;
    // SAFETY: `text` is there until the end of the call, with its length; the name ends with a zero; no
    // options.
    let added = unsafe {
        sys::cuLinkAddData_v2(
            linker,
            sys::CUjitInputType::CU_JIT_INPUT_PTX,
            text.as_mut_ptr().cast(),
            text.len(),
            c"kernels.ptx".as_ptr(),
            0,
            ptr::null_mut(),
            ptr::null_mut(),
        )
    };
    // SAFETY: `linker` is the one made above, to which everything has been added.
    let linked =
        added.result().and_then(|()| unsafe { sys::cuLinkComplete(linker, &mut image, &mut size) }.result());
    // SAFETY: the image is the linker's, `size` bytes long, until the linker is destroyed.
    let code = linked.map(|()| unsafe { slice::from_raw_parts(image.cast::<u8>(), size) }.to_vec());
    // SAFETY: destroyed once, and not used after.
    let destroyed = unsafe { sys::cuLinkDestroy(linker) }.result();
    destroyed.and(code)
}

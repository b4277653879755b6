//! The chapters for a page, as WebAssembly: the simulator, and the host code of the examples as it stands
//! there. Texts go in and out as JSON; `live.rs` says which.
//!
//! A page calls `alloc`, writes a text there, calls `load` with a build of a chapter's kernels and then
//! `run`, frees its text with `free`, reads the answer and gives that back with `release`. An answer is its
//! length as four bytes, lowest first, and that many bytes of UTF-8.
#![cfg(target_family = "wasm")]

mod live;

use chapters::CHAPTERS;

mod page {
    #[link(wasm_import_module = "env")]
    unsafe extern "C" {
        /// `done` of `of` elements are added up.
        pub safe fn progress(done: f64, of: f64);
        /// The run ends here; `length` bytes from `message` on say why.
        pub fn panicked(message: *const u8, length: usize);
    }
}

/// Room for a text of `length` bytes.
#[unsafe(no_mangle)]
pub extern "C" fn alloc(length: usize) -> *mut u8 {
    Box::leak(vec![0; length].into_boxed_slice()).as_mut_ptr()
}

/// Gives back what [`alloc`] gave.
///
/// # Safety
/// `text` is from `alloc(length)`, and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(text: *mut u8, length: usize) {
    // SAFETY: as the caller says.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(text, length)) });
}

/// Takes a build of a chapter's kernels.
///
/// # Safety
/// `length` bytes are at `build`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn load(build: *const u8, length: usize) -> *mut u8 {
    // SAFETY: as the caller says.
    unsafe { answer(build, length, live::load) }
}

/// Makes the runs of a request.
///
/// # Safety
/// `length` bytes are at `request`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn run(request: *const u8, length: usize) -> *mut u8 {
    // SAFETY: as the caller says.
    unsafe {
        answer(request, length, |request| live::run(CHAPTERS, request, |done, of| page::progress(done, of)))
    }
}

/// What each chapter's command line allows.
#[unsafe(no_mangle)]
pub extern "C" fn describe() -> *mut u8 {
    answer_of(live::describe(CHAPTERS))
}

/// Gives back an answer.
///
/// # Safety
/// `answer` is from [`load`], [`run`] or [`describe`], and nobody uses it any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn release(answer: *mut u8) {
    // SAFETY: an answer begins with its length.
    unsafe {
        let length = u32::from_le_bytes(*answer.cast::<[u8; 4]>()) as usize;
        free(answer, 4 + length);
    }
}

/// What `work` says of the text of `length` bytes at `text`.
unsafe fn answer(text: *const u8, length: usize, work: impl Fn(&str) -> String) -> *mut u8 {
    std::panic::set_hook(Box::new(|panic| {
        let message = panic.to_string();
        // SAFETY: the page reads the message before it returns.
        unsafe { page::panicked(message.as_ptr(), message.len()) };
    }));
    // SAFETY: as the caller says.
    let text = String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(text, length) });
    answer_of(work(&text))
}

fn answer_of(answer: String) -> *mut u8 {
    let mut bytes = (answer.len() as u32).to_le_bytes().to_vec();
    bytes.extend(answer.into_bytes());
    Box::leak(bytes.into_boxed_slice()).as_mut_ptr()
}

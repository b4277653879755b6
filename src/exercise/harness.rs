//! Compiled beside an exercise in Rust, as a program of its own: calls the learner's function for each input.
//!
//! stdin: for each input its length (`u32`), then the numbers (`i32`), little-endian. stdout: a line for each
//! input, `ok RESULT ALLOCATIONS` or `panic`. If the program ends earlier, the input after the last line is
//! to blame.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};

/// Stack of the thread that calls the function, in bytes: enough for a depth of the logarithm of any length.
const STACK: usize = 256 * 1024;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);

struct Counting;

// SAFETY: all is left to the system's allocator; counting touches no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes).expect("the inputs");
    let word = |word: &[u8]| i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    let mut words = bytes.chunks_exact(4).map(word);
    while let Some(length) = words.next() {
        let mut data: Vec<i32> = words.by_ref().take(length as usize).collect();
        let work = move || {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let result = answer::FUNCTION(&mut data);
            (result, ALLOCATIONS.load(Ordering::Relaxed) - before)
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
        match thread.join() {
            Ok((result, allocations)) => println!("ok {result} {allocations}"),
            Err(_) => println!("panic"),
        }
        let _ = std::io::stdout().flush();
    }
}

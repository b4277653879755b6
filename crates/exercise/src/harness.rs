//! Compiled beside an exercise in Rust, as a program of its own: calls the learner's function for each input.
//!
//! Arguments: two files. The first has, for each input, its length (`u32`), then the numbers (`i32`),
//! little-endian. Into the second it writes a line for each input, `WORD ok RESULT ALLOCATIONS CALLS DEPTH`
//! or `WORD panic WHY`, and `WORD end`; if the program ends earlier, the input after the last line is to
//! blame. The word comes from stdin, before the function is called: no line without it counts. What the
//! function itself prints goes to stdout and stderr, and means nothing here.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// Stack of the thread that calls the function, in bytes: enough for a depth of the logarithm of any length.
const STACK: usize = 256 * 1024;

static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
/// What the last panic said, and where.
static PANIC: Mutex<String> = Mutex::new(String::new());

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
    let mut files = std::env::args_os().skip(1);
    let mut file = || files.next().expect("two files");
    let bytes = std::fs::read(file()).expect("the inputs");
    let mut results = std::fs::File::create(file()).expect("the results");
    let key = std::io::read_to_string(std::io::stdin()).expect("a word");
    // Its buffer is not the learner's.
    let _ = std::io::stdout();
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload().downcast_ref::<&str>().map(ToString::to_string);
        let what = text.or(panic.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
        let at = panic.location().map(ToString::to_string).unwrap_or_default();
        *PANIC.lock().unwrap() = format!("at {at}: {what}").replace('\n', " ");
    }));
    let word = |word: &[u8]| i32::from_le_bytes([word[0], word[1], word[2], word[3]]);
    let mut words = bytes.chunks_exact(4).map(word);
    while let Some(length) = words.next() {
        let mut data: Vec<i32> = words.by_ref().take(length as usize).collect();
        let work = move || {
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            let result = answer::FUNCTION(&mut data);
            let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
            let (calls, depth): (u64, u64) = COUNTS;
            (result, allocations, calls, depth)
        };
        let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
        let line = match thread.join() {
            Ok((result, allocations, calls, depth)) => format!("ok {result} {allocations} {calls} {depth}"),
            Err(_) => format!("panic {}", PANIC.lock().unwrap()),
        };
        writeln!(results, "{key} {line}").expect("a result");
    }
    writeln!(results, "{key} end").expect("a result");
}

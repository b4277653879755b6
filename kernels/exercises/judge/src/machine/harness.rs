//! Compiled beside an exercise in Rust, as a program of its own: calls the learner's function for one input.
//!
//! On stdin come a word and the numbers. To the file that is its argument it writes one line, `WORD ok RESULT
//! ALLOCATIONS` or `WORD panic WHY`; none if the program ends before. The word is read before the
//! function is called: no line without it counts. What the function itself prints goes to stdout and stderr,
//! and means nothing here.

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
    let mut result = std::fs::File::create(std::env::args_os().nth(1).expect("a file")).expect("the result");
    let given = std::io::read_to_string(std::io::stdin()).expect("a word and numbers");
    let (key, numbers) = given.split_once(' ').expect("a word and numbers");
    let mut data: Vec<i32> =
        numbers.split_whitespace().map(|number| number.parse().expect("a number")).collect();
    // Its buffer is not the learner's.
    let _ = std::io::stdout();
    std::panic::set_hook(Box::new(|panic| {
        let text = panic.payload().downcast_ref::<&str>().map(ToString::to_string);
        let what = text.or(panic.payload().downcast_ref::<String>().cloned()).unwrap_or_default();
        let at = panic.location().map(ToString::to_string).unwrap_or_default();
        *PANIC.lock().unwrap() = format!("at {at}: {what}").replace('\n', " ");
    }));
    let work = move || {
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        // Of this type, whatever the answer gives: no `Display` of its own says what the result is.
        let result: i32 = answer::FUNCTION(&mut data);
        let allocations = ALLOCATIONS.load(Ordering::Relaxed) - before;
        format!("ok {result} {allocations}")
    };
    let thread = std::thread::Builder::new().stack_size(STACK).spawn(work).expect("a thread");
    let line = thread.join().unwrap_or_else(|_| format!("panic {}", PANIC.lock().unwrap()));
    writeln!(result, "{key} {line}").expect("a result");
}

//! Ctrl-C: what runs stops, and what is known by then is printed. The second one ends the program at once.

use std::sync::atomic::{AtomicBool, Ordering};

/// 128 and the number of SIGINT, as shells have it.
pub const STATUS: u8 = 130;

/// Whether somebody has asked for it.
pub static ASKED: AtomicBool = AtomicBool::new(false);

/// Whether somebody has asked for it.
pub fn is_asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

/// From now on the first Ctrl-C, or the first signal that asks a program to end, only asks for it.
pub fn listen() {
    #[cfg(not(target_family = "wasm"))]
    {
        // An error: the program has a handler of its own, which ends it.
        let _ = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                kernel_compiler::staging::remove_folders();
                std::process::exit(STATUS.into());
            }
        });
    }
}

//! The C library, by the headers of C.
//!
//! | file | header |
//! | --- | --- |
//! | `heap.rs` | `<stdlib.h>`: `malloc` and its like; `new` and `delete` |
//! | `numbers.rs` | `<stdlib.h>`: numbers in text |
//! | `random.rs` | `<stdlib.h>`: random numbers |
//! | `sort.rs` | `<stdlib.h>`: `qsort`, `bsearch` |
//! | `ends.rs` | `<stdlib.h>`, `<assert.h>`: how a program ends itself |
//! | `output.rs` | `<stdio.h>`: `printf` and its like |
//! | `input.rs` | `<stdio.h>`: `scanf` and its like |
//! | `scan.rs` | what `scanf` reads by a format |
//! | `files.rs` | `<stdio.h>`: files |
//! | `string.rs` | `<string.h>` |
//! | `ctype.rs` | `<ctype.h>` |
//! | `math.rs` | `<math.h>` |
//! | `time.rs` | `<time.h>` |
//! | `process.rs` | `<errno.h>`, `<unistd.h>`, `<locale.h>`: the process and its machine |

mod ctype;
mod ends;
mod files;
mod heap;
mod input;
mod math;
mod numbers;
mod output;
mod process;
mod random;
mod scan;
mod sort;
mod string;
mod time;

pub use heap::Heap;
pub use math::compute;

use ptx_simulator::host::{Call, Stop};
use ptx_simulator::{Kind, Owner, Severity};
use rustc_hash::FxHashMap;

use crate::runtime::{Natives_, Runtime, put};

/// All functions; those of the table of `<math.h>` are not among them.
pub const NATIVES: &[&Natives_] = &[
    ctype::NATIVES,
    ends::NATIVES,
    files::NATIVES,
    heap::NATIVES,
    input::NATIVES,
    math::NATIVES,
    numbers::NATIVES,
    output::NATIVES,
    process::NATIVES,
    random::NATIVES,
    sort::NATIVES,
    string::NATIVES,
    time::NATIVES,
];

/// Values of `errno`, as Linux has them.
const ENOENT: i32 = 2;
const EACCES: i32 = 13;
const EINVAL: i32 = 22;
const ERANGE: i32 = 34;

/// What the C library keeps.
#[derive(Debug, Default)]
pub struct Libc {
    pub heap: Heap,
    /// Functions that are called at the end, the last first.
    pub at_exit: Vec<ends::AtExit>,
    at_quick_exit: Vec<ends::AtExit>,
    /// Whether the program asked what time it is.
    pub asked_for_times: bool,
    /// Nanoseconds that the program has slept, and that its questions for the time took.
    waited: u64,
    files: files::Files,
    random: random::Random,
    /// Variables of the library: their addresses.
    variables: FxHashMap<&'static str, u64>,
    /// Where `strtok` goes on.
    token: u64,
    /// Where in a word of letters `getopt` goes on.
    in_option: usize,
    /// What `alloca` has given: the number of the call that it is for, and the address.
    rooms: Vec<(u64, u64)>,
}

impl Runtime<'_> {
    /// The address of a variable of the library, which holds `first` at first.
    fn variable(&mut self, call: &mut Call, name: &'static str, first: &[u8]) -> Result<u64, Stop> {
        if let Some(address) = self.libc.variables.get(name) {
            return Ok(*address);
        }
        let Some(address) = call.simulator.alloc_for(Owner::Static, first.len() as u64, name) else {
            let what = "no room for what the C library keeps";
            return Err(call.host.fault(Kind::MemoryLimit, what, "run a smaller problem").into());
        };
        put(call, address, first)?;
        self.libc.variables.insert(name, address);
        Ok(address)
    }

    /// Keeps bytes in a variable of the library until the next call that does so: its address.
    fn keep(&mut self, call: &mut Call, name: &'static str, bytes: &[u8]) -> Result<u64, Stop> {
        /// More than any of them is.
        const ROOM: usize = 128;
        let address = self.variable(call, name, &[0; ROOM])?;
        put(call, address, &bytes[..bytes.len().min(ROOM)])?;
        Ok(address)
    }

    fn errno_address(&mut self, call: &mut Call) -> Result<u64, Stop> {
        self.variable(call, "errno", &[0; 4])
    }

    fn set_errno(&mut self, call: &mut Call, number: i32) -> Result<(), Stop> {
        let address = self.errno_address(call)?;
        put(call, address, &number.to_le_bytes())
    }

    fn errno(&self, call: &Call) -> i32 {
        let address = self.libc.variables.get("errno").copied().unwrap_or(0);
        call.simulator.host_word(address, 4).map_or(0, |(word, _)| word as i32)
    }

    /// Something is used that was never written.
    fn find_unwritten(&mut self, call: &Call, what: &str) {
        let what = format!("{what} was never written");
        let help = "write the memory before it is used: malloc, new and variables in functions hold nothing \
                    until the program has written it";
        self.find(call, Kind::UninitializedRead, Severity::Error, what, help);
    }
}

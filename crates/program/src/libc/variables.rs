//! `errno` and the library's other variables, which lie in the program's memory.

use ptx_simulator::host::{Call, Stop};
use ptx_simulator::{Kind, Owner, Severity};
use rustc_hash::FxHashMap;

use crate::runtime::{Runtime, put};

/// Values of `errno`, as Linux has them.
pub const ENOENT: i32 = 2;
pub const EACCES: i32 = 13;
pub const EINVAL: i32 = 22;
pub const ERANGE: i32 = 34;

/// The variables that have been asked for.
#[derive(Debug, Default)]
struct Variables {
    addresses: FxHashMap<&'static str, u64>,
}

impl Runtime<'_> {
    /// The address of a variable of the library, which holds `first` at first.
    pub fn variable(&mut self, call: &mut Call, name: &'static str, first: &[u8]) -> Result<u64, Stop> {
        if let Some(address) = self.kept.get::<Variables>().addresses.get(name) {
            return Ok(*address);
        }
        let Some(address) = call.simulator.alloc_for(Owner::Static, first.len() as u64, name) else {
            let what = "no room for what the C library keeps";
            return Err(call.host.fault(Kind::MemoryLimit, what, "run a smaller problem").into());
        };
        put(call, address, first)?;
        self.kept.get::<Variables>().addresses.insert(name, address);
        Ok(address)
    }

    /// Keeps bytes in a variable of the library until the next call that does so: its address.
    pub fn keep(&mut self, call: &mut Call, name: &'static str, bytes: &[u8]) -> Result<u64, Stop> {
        /// More than any of them is.
        const ROOM: usize = 128;
        let address = self.variable(call, name, &[0; ROOM])?;
        put(call, address, &bytes[..bytes.len().min(ROOM)])?;
        Ok(address)
    }

    pub fn errno_address(&mut self, call: &mut Call) -> Result<u64, Stop> {
        self.variable(call, "errno", &[0; 4])
    }

    pub fn set_errno(&mut self, call: &mut Call, number: i32) -> Result<(), Stop> {
        let address = self.errno_address(call)?;
        put(call, address, &number.to_le_bytes())
    }

    pub fn errno(&mut self, call: &Call) -> i32 {
        let address = self.kept.get::<Variables>().addresses.get("errno").copied().unwrap_or(0);
        call.simulator.host_word(address, 4).map_or(0, |(word, _)| word as i32)
    }

    /// Something is used that was never written.
    pub fn find_unwritten(&mut self, call: &Call, what: &str) {
        let what = format!("{what} was never written");
        let help = "write the memory before it is used: malloc, new and variables in functions hold nothing \
                    until the program has written it";
        self.find(call, Kind::UninitializedRead, Severity::Error, what, help);
    }
}

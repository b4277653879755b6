//! What is said of the host's own mistakes.

use super::thread::Host;
use crate::diagnostic::{Diagnostic, Kind};
use crate::memory::{Memory, Wrong};
use crate::what::{Access, Region, Spot, What};
use crate::words::of_bytes;

impl Host {
    /// A diagnostic where the thread is.
    pub fn fault(&self, kind: Kind, what: impl Into<What>, help: &str) -> Box<Diagnostic> {
        let (file, line) = self.place().unzip();
        let found = Diagnostic { file, line, ..Diagnostic::new(kind, what, help) };
        Box::new(found)
    }

    pub(super) fn trap(&self) -> Box<Diagnostic> {
        let help = "an assertion failed here, or the compiler has put this in place of what is undefined: an \
                    access through a null pointer, a function that returns nothing";
        self.fault(Kind::Trap, "the program stopped itself with `trap`", help)
    }

    pub(super) fn lost_way(&self) -> Box<Diagnostic> {
        let help = "this is a compiler's jump table: the program went wrong earlier";
        self.fault(Kind::OutOfBounds, "an indexed branch leads nowhere", help)
    }

    pub(super) fn unsupported(&self, opcode: &str) -> Box<Diagnostic> {
        let what = format!("the simulator does not know `{opcode}` in the host's code");
        self.fault(Kind::UnsupportedInstruction, what, "write this line another way")
    }

    /// An access of the host that is wrong.
    #[cold]
    pub(super) fn wrong(
        &self,
        memory: &Memory,
        does: Access,
        (address, bytes): (u64, usize),
        wrong: Wrong,
    ) -> Box<Diagnostic> {
        let words = of_bytes(does, bytes as u32);
        match wrong {
            Wrong::OtherSide { number, .. } => {
                let name = match memory.name(number) {
                    Region::Variable(name) => format!(" (`{name}`)"),
                    _ => String::new(),
                };
                let help = "copy it into host memory first: cudaMemcpy with cudaMemcpyDeviceToHost, of a \
                            __device__ variable cudaMemcpyFromSymbol; or allocate it by cudaMallocManaged";
                let what = format!("{words} by the host in device memory{name}, which it does not reach");
                self.fault(Kind::HostAccess, what, help)
            }
            Wrong::Outside { number, offset, bytes: size } => {
                let spot = Spot::new(memory.name(number), offset, Some(size));
                let what = What::Outside { does, bytes: bytes as u32, spot };
                let help = "compare the index with the number of elements before this line";
                self.fault(Kind::OutOfBounds, what, help)
            }
            Wrong::Freed => {
                let what = format!("{words} in memory that has been freed");
                self.fault(Kind::UseAfterFree, what, "free it after its last use")
            }
            Wrong::NoAllocation if address >> 20 == 0 => {
                let what = format!("{words} at address {address:#x}, through a null pointer");
                self.fault(Kind::OutOfBounds, what, "let the pointer point to something before this line")
            }
            Wrong::NoAllocation => {
                let what = format!("{words} at address {address:#x}, where nothing has been allocated");
                self.fault(Kind::OutOfBounds, what, "let the pointer point to something before this line")
            }
        }
    }
}

//! Every function that a program can call without defining it.

use std::sync::LazyLock;

use ptx_simulator::host::{Call, Given, Host, Math, Natives, Stop};
use ptx_simulator::{Kind, Simulator};
use rustc_hash::FxHashMap;
use text::number::thousands;

use crate::constants::{constant_behind, make_smaller};
use crate::runtime::{Native, Runtime};
use crate::{cuda, libc};

static ALL: LazyLock<(Vec<Native>, FxHashMap<&'static str, u32>)> = LazyLock::new(|| {
    let groups = libc::NATIVES.iter().chain(cuda::NATIVES);
    let all: Vec<(&str, Native)> = groups.flat_map(|group| group.iter().copied()).collect();
    let by_name = (0..).zip(&all).map(|(number, (name, _))| (*name, number)).collect();
    (all.into_iter().map(|(_, native)| native).collect(), by_name)
});

/// The names of all functions that a program can call without defining them.
pub fn native_names() -> impl Iterator<Item = String> {
    ALL.1.keys().map(|name| name.to_string()).chain(Math::names())
}

/// The functions of `<math.h>` have numbers behind those of the others.
const FIRST_OF_MATH: u32 = 1 << 16;

impl Natives for Runtime<'_> {
    fn find(&self, name: &str) -> Option<u32> {
        let math = || Some(FIRST_OF_MATH + u32::from(Math::parse(name)?.number()));
        ALL.1.get(name).copied().or_else(math)
    }

    fn call(&mut self, native: u32, call: &mut Call) -> Result<Given, Stop> {
        self.now = call.host.steps();
        self.take_unwritten(call);
        if let Some(lost) = call.unwritten_argument() {
            let found = self.traced(call, lost.found, lost.read);
            self.add(found);
        }
        match native.checked_sub(FIRST_OF_MATH) {
            Some(number) => libc::compute(call, Math::numbered(number as u16)),
            None => ALL.0[native as usize](self, call),
        }
    }

    fn tick(&mut self, host: &Host, simulator: &Simulator) -> Result<(), Stop> {
        let (used, allowed) = simulator.used_and_allowed();
        let held = self.held_bytes();
        if used + held > allowed {
            let what = format!(
                "no room for what the libraries keep for the program: {} bytes of files, of functions for \
                 its end, and of operations that streams and graphs have",
                thousands(held as i64)
            );
            let help = "close files and destroy graphs after their last use, and wait for streams";
            return Err(host.fault(Kind::MemoryLimit, what, help).into());
        }
        if simulator.is_to_stop() {
            let millions = host.steps() / 1_000_000;
            let what = format!(
                "stopped after {millions} million instructions of the host, before the program had ended"
            );
            let help = "what is said here holds for what was executed until then";
            return Err(host.fault(Kind::StepLimit, what, help).into());
        }
        let Some(limit) = self.step_limit.filter(|limit| host.steps() > *limit) else { return Ok(()) };
        let busiest = host.busiest();
        let line =
            busiest.as_ref().map_or(String::new(), |(file, line)| format!(", most of them at {file}:{line}"));
        let what =
            format!("the host has executed {} million instructions, its limit{line}", limit / 1_000_000);
        let constant = busiest.and_then(|place| constant_behind(self.outside, &place));
        let help = make_smaller(constant, "decides how much is done there");
        Err(host.fault(Kind::StepLimit, what, &help).into())
    }
}

impl Runtime<'_> {
    /// Bytes that the libraries keep besides the program's memory, about.
    fn held_bytes(&mut self) -> u64 {
        self.kept.get::<libc::Files>().held_bytes()
            + self.kept.get::<libc::Ends>().held_bytes()
            + self.kept.get::<cuda::Queue>().held_bytes()
            + self.kept.get::<cuda::Graphs>().held_bytes()
    }
}

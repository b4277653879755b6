//! Litmus tests of the memory model (PTX ISA, chapter "Memory Consistency Model"): for each rule threads
//! that it orders, and the same threads with something missing, under every schedule.
//!
//! A test is a list of threads. `wait LOAD, PLACE, N` reads again until there is N; `use R` stores a
//! register as a result; all other lines are PTX. The places x, y, z, a, b, f and w lie in global memory
//! and hold 0, and so do s and t in shared memory; `out` is memory that nobody else touches.

mod barriers;
mod fences;
mod messages;
mod reads;
mod sizes;
mod strong;

use ptx_simulator::{Diagnostic, LaunchConfig, Module, Severity, Simulator};

/// Places in global memory, a line of L2 each.
const GLOBAL: [&str; 7] = ["x", "y", "z", "a", "b", "f", "w"];
/// Threads of a block: two warps.
const BLOCK: u32 = 64;
/// Schedules that each test runs under.
const SCHEDULES: u64 = 8;

/// Who executes a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Who {
    /// A thread of a block.
    Thread(u32, u32),
    /// All threads of a warp of a block; `%first` holds in the first of them.
    Warp(u32, u32),
}

/// What is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Nothing.
    Fine,
    /// Nothing but notes, and a note under some schedule.
    Note,
    /// A warning under every schedule, and no error.
    Warning,
    /// No error, whatever else is found.
    NoError,
    /// An error under every schedule.
    Race,
    /// An error under some.
    RaceInSome,
}

/// A body as PTX, with labels and registers of its own.
fn expand(body: &str, number: usize) -> String {
    let label = &format!("AGAIN{number}");
    let mut text = String::new();
    for (number, line) in body.lines().flat_map(|line| line.split(';')).map(str::trim).enumerate() {
        if line.is_empty() {
            continue;
        }
        if let Some(wait) = line.strip_prefix("wait ") {
            let [load, place, value] = wait.split(", ").collect::<Vec<_>>()[..] else { panic!("{line}") };
            let label = format!("{label}_{number}");
            text += &format!(
                "{label}: {load} %w, [{place}]; setp.ne.u32 %again, %w, {value}; @%again bra {label};\n"
            );
        } else if let Some(register) = line.strip_prefix("use ") {
            text += &format!("st.global.u32 [%out], {register};\n");
        } else {
            text += &format!("{line};\n");
        }
    }
    for kind in ["%r", "%d", "%p"] {
        text = text.replace(kind, &format!("{kind}{number}_"));
    }
    // Places stand in brackets.
    for (number, place) in GLOBAL.iter().enumerate() {
        text = text.replace(&format!("[{place}]"), &format!("[%m+{}]", 128 * number));
    }
    text
}

/// A kernel whose threads execute these bodies.
fn kernel(threads: &[(Who, &str)]) -> String {
    let mut bodies = String::new();
    for (number, (who, body)) in threads.iter().enumerate() {
        let (block, index, one) = match who {
            Who::Thread(block, thread) => (block, thread, "%tid.x"),
            Who::Warp(block, warp) => (block, warp, "%warp"),
        };
        let index_register = if one == "%warp" { "%warp" } else { "%thread" };
        bodies += &format!(
            "setp.ne.u32 %other, %block, {block}; @%other bra PAST{number};\n\
             setp.ne.u32 %other, {index_register}, {index}; @%other bra PAST{number};\n{}bra.uni DONE;\n\
             PAST{number}:\n",
            expand(body, number),
        );
    }
    let registers: String = (0..threads.len())
        .map(|n| format!(".reg .b64 %d{n}_<8>; .reg .b32 %r{n}_<8>; .reg .pred %p{n}_<8>;\n"))
        .collect();
    format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n\
         .visible .entry litmus(.param .u64 memory)\n{{\n\
         {registers}.reg .b64 %m, %out; .reg .b32 %w, %thread, %warp, %block, %lane;\n\
         .reg .pred %again, %other, %first;\n\
         .shared .align 8 .b32 s; .shared .align 8 .b32 t;\n\
         mov.u32 %thread, %tid.x; mov.u32 %block, %ctaid.x;\n\
         shr.u32 %warp, %thread, 5; and.b32 %lane, %thread, 31; setp.eq.u32 %first, %lane, 0;\n\
         ld.param.u64 %m, [memory]; mad.lo.u32 %w, %block, {BLOCK}, %thread; mad.wide.u32 %out, %w, 4, %m;\n\
         add.u64 %out, %out, 4096;\n\
         setp.ne.u32 %other, %thread, 0; mov.u32 %w, 0;\n\
         @!%other st.shared.u32 [s], %w; @!%other st.shared.u32 [t], %w; bar.sync 0;\n\
         {bodies}DONE:\nret;\n}}\n"
    )
}

/// What is found under each schedule.
fn findings(threads: &[(Who, &str)]) -> Vec<Vec<Diagnostic>> {
    let module = Module::parse(&kernel(threads), "litmus").unwrap_or_else(|why| panic!("{why}"));
    let blocks = threads.iter().map(|(who, _)| match who {
        Who::Thread(block, _) | Who::Warp(block, _) => block + 1,
    });
    let config = LaunchConfig::new(blocks.max().unwrap(), BLOCK);
    let run = |schedule| {
        let mut simulator = Simulator::new();
        simulator.set_schedule(schedule);
        simulator.set_step_limit(Some(1 << 20));
        let memory = simulator.alloc(8192).unwrap();
        simulator.write(memory, &[0; 8192]).unwrap();
        let launched = simulator.launch_checked(&module, "litmus", config, &[memory]);
        assert!(launched.completed, "{:?}", launched.diagnostics);
        launched.diagnostics
    };
    (0..SCHEDULES).map(run).collect()
}

fn verdict(found: &[Vec<Diagnostic>]) -> Verdict {
    let has = |severity| move |found: &Vec<Diagnostic>| found.iter().any(|one| one.severity == severity);
    match () {
        () if found.iter().all(has(Severity::Error)) => Verdict::Race,
        () if found.iter().any(has(Severity::Error)) => Verdict::RaceInSome,
        () if found.iter().all(has(Severity::Warning)) => Verdict::Warning,
        () if found.iter().all(Vec::is_empty) => Verdict::Fine,
        () => Verdict::Note,
    }
}

/// What a test shows, its threads, and what is found.
type Test<'a> = (&'a str, &'a [(Who, &'a str)], Verdict);

/// Each test of a table gets its verdict.
pub fn check(tests: &[Test]) {
    let mut wrong = String::new();
    for (name, threads, expected) in tests {
        let found = findings(threads);
        let got = verdict(&found);
        let is_error = matches!(got, Verdict::Race | Verdict::RaceInSome);
        if got != *expected && (is_error || *expected != Verdict::NoError) {
            wrong += &format!("{name}: {got:?}, not {expected:?}\n");
            for one in found.iter().flatten().take(2) {
                wrong += &format!("  {one}\n");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

//! Every launch ends, or is seen never to.

use ptx_simulator::{DeviceProperties, Diagnostic, Kind, LaunchConfig, Module, Scarce, Simulator};

/// A kernel `k` of a pointer and a number, whose body has what most need: the pointer in `%p`, the number in
/// `%n`. Line 8 is the first of `body`.
fn kernel(body: &str) -> Module {
    kernel_with(body, &[])
}

/// The same, with so many registers per thread in machine code.
fn kernel_with(body: &str, registers: &[(&str, u32)]) -> Module {
    let text = format!(
        ".version 8.0\n.target sm_75\n.address_size 64\n\
         .visible .entry k(.param .u64 p, .param .u32 n)\n{{\n .reg .b32 %r<9>, %n; .reg .b64 %rd<9>, %p; \
         .reg .pred %q<9>; .local .align 4 .b8 tries[4];\n ld.param.u64 %p, [p]; ld.param.u32 %n, [n];\n\
         {body}\n ret;\n}}\n"
    );
    Module::with_registers(&text, "ends.ptx", registers).unwrap()
}

/// Launches it on `words` words of zeros; `limit` is there to end what is not found.
fn launch(body: &str, config: LaunchConfig, n: u64, checks: bool) -> Result<(), Box<Diagnostic>> {
    let module = kernel(body);
    let mut sim = Simulator::new();
    sim.set_step_limit(Some(1 << 26));
    let address = sim.alloc(64).unwrap();
    sim.write(address, &[0; 64]).unwrap();
    if !checks {
        return sim.launch(&module, "k", config, &[address, n]).map(drop);
    }
    let launched = sim.launch_checked(&module, "k", config, &[address, n]);
    if launched.completed { Ok(()) } else { Err(Box::new(launched.diagnostics.last().unwrap().clone())) }
}

fn one() -> LaunchConfig {
    LaunchConfig::new(1, 1)
}

/// Kind, line and message of what stops it, with the checks and without.
#[track_caller]
fn stops(body: &str, config: LaunchConfig, n: u64, kind: Kind, line: u32, words: &str) {
    for checks in [true, false] {
        let found = launch(body, config, n, checks).unwrap_err();
        assert_eq!((found.kind, found.line), (kind, Some(line)), "checks {checks}: {found}");
        assert!(found.message().contains(words), "checks {checks}: {found}");
    }
}

#[track_caller]
fn ends(body: &str, config: LaunchConfig, n: u64) {
    for checks in [true, false] {
        launch(body, config, n, checks).unwrap_or_else(|found| panic!("checks {checks}: {found}"));
    }
}

const COUNTS: &str = "again: add.u32 %r1, %r1, 1;\n ld.volatile.global.u32 %r2, [%p];\n \
                      setp.eq.u32 %q1, %r2, 0;\n @%q1 bra again;\n st.global.u32 [%p+4], %r1;";

#[test]
fn a_count_of_tries_does_not_hide_that_nobody_is_left_to_store() {
    stops(&format!(" mov.u32 %r1, 0;\n{COUNTS}"), one(), 0, Kind::Deadlock, 10, "not stored any more");
    stops(
        &format!(" mov.u32 %r1, 0;\n{COUNTS}"),
        LaunchConfig::new(3, 96),
        0,
        Kind::Deadlock,
        10,
        "not stored any more",
    );
}

#[test]
fn a_count_that_ends_the_wait_is_waited_for() {
    let body = " mov.u32 %r1, 0;\nagain: add.u32 %r1, %r1, 1;\n ld.volatile.global.u32 %r2, [%p];\n \
                setp.eq.u32 %q1, %r2, 0;\n setp.lt.and.u32 %q2, %r1, %n, %q1;\n @%q2 bra again;";
    ends(body, one(), 400_000);
    // The same where the count is kept in local memory, and where every second round takes another way.
    let body = " mov.u32 %r1, 0; st.local.u32 [tries], %r1;\nagain: ld.local.u32 %r1, [tries]; \
                add.u32 %r1, %r1, 1; st.local.u32 [tries], %r1;\n ld.volatile.global.u32 %r2, [%p];\n \
                setp.eq.u32 %q1, %r2, 0;\n setp.lt.and.u32 %q2, %r1, %n, %q1;\n @%q2 bra again;";
    ends(body, one(), 200_000);
}

#[test]
fn a_count_in_local_memory_does_not_hide_it_either() {
    let body = " mov.u32 %r1, 0; st.local.u32 [tries], %r1;\nagain: ld.local.u32 %r1, [tries]; \
                add.u32 %r1, %r1, 1; st.local.u32 [tries], %r1;\n ld.volatile.global.u32 %r2, [%p];\n \
                setp.eq.u32 %q1, %r2, 0;\n @%q1 bra again;";
    let found = launch(body, one(), 0, true).unwrap_err();
    assert_eq!((found.kind, found.line), (Kind::Deadlock, Some(10)), "{found}");
}

#[test]
fn a_wait_that_looks_at_a_clock_is_a_deadlock_when_it_has_looked_for_long() {
    let body = " mov.u64 %rd1, %clock64;\nagain: ld.volatile.global.u32 %r2, [%p];\n \
                setp.ne.u32 %q1, %r2, 0;\n @%q1 bra over;\n \
                mov.u64 %rd2, %clock64;\n sub.u64 %rd2, %rd2, %rd1;\n \
                setp.lt.u64 %q2, %rd2, LIMIT;\n @%q2 bra again;\nover:";
    let body = |limit: &str| body.replace("LIMIT", limit);
    stops(&body("1000000000000"), one(), 0, Kind::Deadlock, 9, "not stored any more");
    ends(&body("3000000"), one(), 0);
}

#[test]
fn a_loop_that_looks_at_nothing_is_no_wait() {
    let no_way_out = "a loop does not end: no way leads out of it";
    stops("again: add.u32 %r1, %n, 1;\n bra again;", one(), 0, Kind::StepLimit, 9, no_way_out);
    // It ends when the count has gone round.
    ends("again: sub.u32 %n, %n, 1;\n setp.ne.u32 %q1, %n, 0;\n @%q1 bra again;", one(), 600_000);
}

/// Two threads hand a turn to each other, and count how often.
const TURNS: &str = " mov.u32 %r1, %ctaid.x; mov.u32 %r2, 0; xor.b32 %r4, %r1, 1;\nagain: \
                     atom.global.cas.b32 %r3, [%p], %r1, %r4;\n setp.eq.u32 %q1, %r3, %r1;\n \
                     @%q1 add.u32 %r2, %r2, 1;\n setp.lt.u32 %q2, %r2, %n;\n";

#[test]
fn a_state_that_comes_again_is_a_livelock() {
    let stopped = "ld.volatile.global.u32 %r5, [%p+4]; setp.eq.u32 %q3, %r5, 0; @%q3 bra again;";
    stops(&format!("{TURNS} {stopped}"), LaunchConfig::new(2, 1), 0, Kind::Deadlock, 13, "a livelock: after");
    ends(&format!("{TURNS} @%q2 bra again;"), LaunchConfig::new(2, 1), 150_000);
}

#[test]
fn barriers_in_an_endless_loop_do_not_hide_it() {
    let body = "again: bar.sync 0;\n ld.volatile.global.u32 %r2, [%p];\n add.u32 %r1, %n, 1;\n bar.sync 0;\n \
                setp.eq.u32 %q1, %r2, 0;\n @%q1 bra again;";
    stops(body, LaunchConfig::new(2, 64), 0, Kind::Deadlock, 9, "a livelock: after");
    let body = "again: bar.sync 0;\n bra again;";
    stops(body, LaunchConfig::new(1, 64), 0, Kind::StepLimit, 8, "a loop does not end");
}

/// All blocks wait until all have come.
const MEETS: &str = " atom.global.add.u32 %r1, [%p], 1;\nagain: ld.volatile.global.u32 %r2, [%p];\n \
                     setp.lt.u32 %q1, %r2, %n;\n @%q1 bra again;";

#[test]
fn blocks_that_do_not_fit_cannot_be_waited_for() {
    let with_shared = |blocks| LaunchConfig { shared_mem_bytes: 40 << 10, ..LaunchConfig::new(blocks, 1) };
    ends(MEETS, with_shared(5 * 132), 5 * 132);
    let words = "660 of the grid's 661 blocks fit at a time on the H200 (5 on each of 132 \
                 multiprocessors, which hold 233,472 bytes of shared memory); the 660 under way all wait, \
                 and leave no room for the other 1";
    stops(MEETS, with_shared(661), 661, Kind::Deadlock, 9, words);
    // Those that do not wait make room.
    ends(MEETS, with_shared(700), 600);
}

#[test]
fn registers_leave_room_for_fewer_blocks_where_machine_code_is_known() {
    let module = kernel_with(MEETS, &[("k", 255)]);
    let launch = |blocks: u32| {
        let mut sim = Simulator::new();
        let address = sim.alloc(64).unwrap();
        sim.write(address, &[0; 64]).unwrap();
        sim.launch(&module, "k", LaunchConfig::new(blocks, 1), &[address, blocks.into()]).map(drop)
    };
    launch(8 * 132).unwrap();
    let found = launch(8 * 132 + 1).unwrap_err();
    let words = "1,056 of the grid's 1,057 blocks fit at a time on the H200 (8 on each of 132 \
                 multiprocessors, which hold 65,536 registers)";
    assert!(found.message().contains(words) && !found.to_string().contains("PTX does not tell"), "{found}");
    // Without machine code there is room for more.
    ends(MEETS, LaunchConfig::new(8 * 132 + 1, 1), 8 * 132 + 1);
}

/// As `cudaOccupancyMaxActiveBlocksPerMultiprocessor` says of kernels on an H200, in blocks of 256 threads.
#[test]
fn registers_are_given_to_warps_as_a_gpu_does() {
    let gpu = DeviceProperties::H200;
    for (registers, blocks) in
        [(32, 8), (40, 6), (48, 5), (56, 4), (60, 4), (64, 4), (72, 3), (79, 3), (113, 2)]
    {
        let residency = gpu.residency(&LaunchConfig::new(1, 256), 0, Some(registers));
        assert_eq!(residency.per_multiprocessor, blocks, "{registers} registers");
    }
}

#[test]
fn how_many_blocks_fit_depends_on_the_device() {
    let fits = |name: &str, threads, shared| {
        let residency =
            DeviceProperties::named(name).unwrap().residency(&LaunchConfig::new(1, threads), shared, None);
        (residency.per_multiprocessor, residency.blocks, residency.scarce)
    };
    assert_eq!(fits("H200", 1024, 0), (2, 264, Scarce::Threads));
    assert_eq!(fits("h100", 33, 0), (32, 4224, Scarce::Blocks));
    // 1 KiB of each block is reserved.
    assert_eq!(fits("H200", 32, 113 << 10), (2, 264, Scarce::SharedMemory));
    assert_eq!(fits("H200", 32, (113 << 10) + 1), (1, 132, Scarce::SharedMemory));
    assert_eq!(fits("T4", 1024, 0), (1, 40, Scarce::Threads));
    assert_eq!(fits("T4", 32, 32 << 10), (2, 80, Scarce::SharedMemory));
    assert_eq!(fits("rtx4090", 1024, 0), (1, 128, Scarce::Threads));
    assert_eq!(fits("RTX 4090", 32, 0), (24, 3072, Scarce::Blocks));
    assert_eq!(fits("A100", 256, 0), (8, 864, Scarce::Threads));
    assert!(DeviceProperties::named("H3").is_none());
}

/// Otherwise a warp would look again for the rest of its turn, and what it counts would be no cost of the
/// kernel.
#[test]
fn a_warp_that_waits_at_an_mbarrier_gives_way_to_those_that_have_to_arrive() {
    let body = ".shared .align 8 .b64 bar;\n .reg .b32 %at; mov.u32 %at, bar; mov.u32 %r1, %tid.x;\n \
                setp.ne.u32 %q1, %r1, 0;\n @!%q1 mbarrier.init.shared.b64 [%at], 1024;\n bar.sync 0;\n \
                mbarrier.arrive.shared.b64 %rd1, [%at];\nagain:\n \
                mbarrier.test_wait.shared.b64 %q2, [%at], %rd1;\n @!%q2 bra again;";
    let mut sim = Simulator::new();
    let address = sim.alloc(64).unwrap();
    let counters = sim.launch(&kernel(body), "k", LaunchConfig::new(1, 1024), &[address, 0]).unwrap();
    // 32 warps, each of which executes a dozen instructions, and looks in vain once.
    assert!(counters.warp_instructions < 32 * 20, "{counters:?}");
}

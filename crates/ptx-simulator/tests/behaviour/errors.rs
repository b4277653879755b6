//! What a user sees when something is wrong: the kind, the kernel, the file and the line, and a sentence that
//! helps.
//!
//! A line of `tests/kernels/*.cu` that a diagnostic must name says `// expect: KIND`.

use crate::cuda::{Bench, Source};
use ptx_simulator::{Diagnostic, Kind, LaunchConfig, Module, Simulator};

/// Launches a kernel that must fail, and checks where: at the line with `// expect: KIND` behind `function`.
fn fails_at(
    bench: &mut Bench,
    path: &str,
    (kernel, function): (&str, &str),
    config: LaunchConfig,
    args: &[u64],
) -> Diagnostic {
    let source = Source::load(path);
    let diagnostic = match bench.try_launch(&source, kernel, config, args) {
        Err(diagnostic) => *diagnostic,
        Ok(_) => panic!("{kernel} ran to its end"),
    };
    let line = source.line(function, &format!("// expect: {}", diagnostic.kind));
    assert_eq!(diagnostic.file.as_deref(), Some(path), "{diagnostic}");
    assert_eq!(diagnostic.line, Some(line), "{diagnostic}");
    assert!(!diagnostic.help.is_empty());
    diagnostic
}

/// [`fails_at`] in the kernel itself, with one block.
fn fails(bench: &mut Bench, path: &str, kernel: &str, block: u32, args: &[u64]) -> Diagnostic {
    let config = LaunchConfig::new(1, block);
    let diagnostic = fails_at(bench, path, (kernel, &format!(" {kernel}(")), config, args);
    assert_eq!(diagnostic.kernel.as_deref(), Some(kernel), "{diagnostic}");
    diagnostic
}

fn says(diagnostic: &Diagnostic, words: &str) {
    assert!(diagnostic.message().contains(words), "`{}` does not say `{words}`", diagnostic.message());
}

const BOUNDS: &str = "tests/kernels/bounds.cu";
const ALIGNMENT: &str = "tests/kernels/alignment.cu";
const PROGRESS: &str = "tests/kernels/progress.cu";
const UNKNOWN: &str = "tests/kernels/unknown.cu";

#[test]
fn an_index_one_too_far_names_buffer_thread_and_line() {
    let mut bench = Bench::default();
    let a = bench.upload(&[1; 40]);
    let b = bench.upload(&[0; 40]);
    let config = LaunchConfig::new(2, 32);
    let diagnostic = fails_at(&mut bench, BOUNDS, ("oneTooFar", "oneTooFar"), config, &[a, b, 40]);
    assert_eq!(diagnostic.kind, Kind::OutOfBounds);
    assert_eq!((diagnostic.block, diagnostic.thread), (Some([1, 0, 0]), Some([7, 0, 0])));
    says(&diagnostic, "a load of 4 bytes at byte 160 of argument 0, which has 160 bytes: element 40 of 40");
}

#[test]
fn an_index_one_too_low_is_in_front_of_the_buffer_and_not_in_its_neighbour() {
    let mut bench = Bench::default();
    let a = bench.upload(&[1; 40]);
    let b = bench.upload(&[0; 40]);
    let diagnostic = fails(&mut bench, BOUNDS, "oneBefore", 32, &[a, b, 40]);
    assert_eq!(diagnostic.thread, Some([0, 0, 0]));
    says(&diagnostic, "a store of 4 bytes, 4 bytes before argument 1, which has 160 bytes: element -1 of 40");
}

#[test]
fn an_access_that_is_half_outside_is_outside() {
    let mut bench = Bench::default();
    let a = bench.upload(&[1; 3]);
    let b = bench.upload(&[0; 32]);
    let diagnostic = fails(&mut bench, BOUNDS, "halfOutside", 1, &[a, b, 3]);
    says(&diagnostic, "a load of 8 bytes at byte 8 of argument 0, which has 12 bytes");
}

#[test]
fn far_away_there_is_nothing() {
    for offset in
        [1i64 << 20, -(1 << 20), 1 << 30, -(1 << 30), 1 << 40, -(1 << 40), i64::MAX / 4, i64::MIN / 4]
    {
        let mut bench = Bench::default();
        let buffers = [bench.upload(&[1; 40]), bench.upload(&[2; 40]), bench.upload(&[3; 40])];
        let diagnostic = fails(&mut bench, BOUNDS, "farAway", 32, &[buffers[1], offset as u64]);
        assert_eq!(diagnostic.kind, Kind::OutOfBounds, "offset {offset}");
        for (address, value) in buffers.into_iter().zip(1..) {
            assert_eq!(bench.download::<i32>(address, 40), vec![value; 40], "offset {offset}");
        }
    }
}

#[test]
fn a_null_pointer_and_a_freed_buffer_are_named() {
    let mut bench = Bench::default();
    says(&fails(&mut bench, BOUNDS, "nullPointer", 32, &[0]), "at address 0x0, through a null pointer");
    let address = bench.upload(&[1; 40]);
    bench.sim.free(address);
    bench.upload(&[1; 40]);
    says(&fails(&mut bench, BOUNDS, "useAfterFree", 32, &[address]), "in a buffer that has been freed");
}

#[test]
fn the_line_is_that_of_the_helper_but_not_that_of_a_header() {
    let mut bench = Bench::default();
    let a = bench.upload(&[1; 40]);
    let b = bench.upload(&[0; 40]);
    let config = LaunchConfig::new(1, 1);
    let diagnostic = fails_at(&mut bench, BOUNDS, ("inAHelper", "int at("), config, &[a, b, 40]);
    assert_eq!(diagnostic.kernel.as_deref(), Some("inAHelper"));
    says(&fails(&mut bench, BOUNDS, "inAHeader", 1, &[a, 40]), "an atomic of 4 bytes at byte 160");
}

#[test]
fn shared_memory_has_its_bounds() {
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 64]);
    let diagnostic = fails(&mut bench, BOUNDS, "sharedTooFar", 64, &[out]);
    assert_eq!(diagnostic.thread, Some([63, 0, 0]));
    says(&diagnostic, "at byte 256 of the shared variable `tile` of 256 bytes");
    let config = LaunchConfig { shared_mem_bytes: 128, ..LaunchConfig::new(1, 64) };
    let kernel = "dynamicSharedTooFar";
    let diagnostic = fails_at(&mut bench, BOUNDS, (kernel, kernel), config, &[out]);
    says(&diagnostic, "a store of 4 bytes at byte 128 of the block's 128 bytes of dynamic shared memory");
}

#[test]
fn a_variable_is_named_by_its_name() {
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 32]);
    says(
        &fails(&mut bench, BOUNDS, "variableTooFar", 32, &[out]),
        "at byte 16 of `table`, which has 16 bytes: element 4 of 4",
    );
}

#[test]
fn misaligned_accesses_are_named_in_every_space() {
    let mut bench = Bench::default();
    let bytes = bench.upload(&[1u8; 256]);
    let out = bench.upload(&[0; 64]);
    let diagnostic = fails(&mut bench, ALIGNMENT, "misalignedInt", 32, &[bytes, out]);
    assert_eq!((diagnostic.kind, diagnostic.thread), (Kind::Misaligned, Some([0, 0, 0])));
    says(&diagnostic, "a load of 4 bytes");
    says(&fails(&mut bench, ALIGNMENT, "misalignedVector", 4, &[bytes, out]), "a load of 16 bytes");
    says(&fails(&mut bench, ALIGNMENT, "misalignedShared", 32, &[out]), "a load of 2 bytes");
    says(&fails(&mut bench, ALIGNMENT, "misalignedAtomic", 1, &[bytes]), "an atomic of 8 bytes");
}

#[test]
fn an_endless_loop_ends_at_the_step_limit() {
    for (kernel, words) in [("waitsForAFlag", [0]), ("neverEnds", [0]), ("lockedForEver", [0])] {
        let mut bench = Bench::default();
        bench.sim.set_step_limit(Some(100_000));
        let source = Source::load(PROGRESS);
        let address = bench.upload(&[words[0]; 64]);
        let diagnostic =
            *bench.try_launch(&source, kernel, LaunchConfig::new(2, 64), &[address]).unwrap_err();
        assert_eq!((diagnostic.kind, diagnostic.kernel.as_deref()), (Kind::StepLimit, Some(kernel)));
        assert_eq!(diagnostic.file.as_deref(), Some(PROGRESS));
        // The instruction at which the limit is met may be any of the loop's.
        let line = source.line(&format!(" {kernel}("), "// expect: step-limit");
        let at = diagnostic.line.unwrap();
        assert!(at.abs_diff(line) <= 2, "{kernel}: line {at}, the loop is at {line}");
    }
    // Under checks a loop that changes nothing ends soon.
    for kernel in ["waitsForAFlag", "lockedForEver"] {
        let mut bench = Bench::default();
        let address = bench.upload(&[0; 1 << 12]);
        let module = &Source::load(PROGRESS).module;
        let launched = bench.sim.launch_checked(module, kernel, LaunchConfig::new(16, 64), &[address]);
        let last = launched.diagnostics.last().unwrap();
        assert_eq!(last.kind, Kind::Deadlock, "{last}");
        says(last, "is spinning or waiting");
        assert!(launched.counters.warp_instructions < 1 << 20, "{kernel}: {:?}", launched.counters);
    }
    // So it does without checks, and where turns are shuffled.
    for (kernel, schedule) in [("waitsForAFlag", 0), ("waitsForAFlag", 3), ("lanesWaitForever", 3)] {
        let mut bench = Bench::default();
        bench.sim.set_schedule(schedule);
        let flag = bench.upload(&[0; 64]);
        let diagnostic =
            bench.try_launch(&Source::load(PROGRESS), kernel, LaunchConfig::new(1, 64), &[flag]).unwrap_err();
        assert_eq!(diagnostic.kind, Kind::Deadlock, "{kernel}");
        says(&diagnostic, "is spinning or waiting, and nothing in memory changes any more");
    }
}

#[test]
fn a_block_that_waits_for_ever_is_a_deadlock() {
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 64]);
    let diagnostic = fails(&mut bench, PROGRESS, "differentBarriers", 64, &[out]);
    assert_eq!(diagnostic.kind, Kind::Deadlock);
    says(&diagnostic, "64 of the block's 64 threads wait at a barrier that cannot open");
    says(&fails(&mut bench, PROGRESS, "tooFewForTheBarrier", 64, &[out]), "at a barrier");
    let diagnostic = fails(&mut bench, PROGRESS, "halfAtTheBarrier", 32, &[out]);
    assert_eq!(diagnostic.kind, Kind::Deadlock);
    says(&diagnostic, "16 of the block's 32 threads wait at a barrier that the others never reach");
    says(&diagnostic, "16 wait for lanes of their warp");
    let diagnostic = fails(&mut bench, PROGRESS, "lanesThatNeverCome", 32, &[out]);
    assert_eq!(diagnostic.kind, Kind::WarpCollective);
    says(&diagnostic, "for lanes of their warp that never come");
}

#[test]
fn a_kernel_that_stops_itself_says_so() {
    let mut bench = Bench::default();
    let values: Vec<i32> = (0..32).collect();
    let input = bench.upload(&values);
    let diagnostic = fails(&mut bench, PROGRESS, "trapped", 32, &[input]);
    assert_eq!((diagnostic.kind, diagnostic.thread), (Kind::Trap, Some([7, 0, 0])));
    let diagnostic = fails(&mut bench, PROGRESS, "asserted", 32, &[input]);
    says(&diagnostic, "assertion `in[threadIdx.x] < 7` failed in void asserted(const int *)");
    assert_eq!(diagnostic.thread, Some([7, 0, 0]));
}

#[test]
fn recursion_without_an_end_has_one() {
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 2]);
    let kernel = "callsItselfForEver";
    let diagnostic = fails_at(&mut bench, PROGRESS, (kernel, kernel), LaunchConfig::new(1, 32), &[out]);
    assert_eq!(diagnostic.kind, Kind::LaunchLimit);
    says(&diagnostic, "more than 1024 nested calls");
}

#[test]
fn an_unknown_instruction_stops_the_kernels_that_use_it_and_no_other() {
    let mut bench = Bench::default();
    let out = bench.upload(&[0u32; 32]);
    let source = Source::load(UNKNOWN);
    bench.launch(&source, "known", 1, 32, &[out]);
    let before = bench.download::<u32>(out, 32);
    assert_eq!(before, (1..=32).collect::<Vec<u32>>());
    for kernel in ["unknownInstruction", "unknownInAFunction", "unknownBehindAPointer"] {
        let config = LaunchConfig::new(1, 32);
        let diagnostic = fails_at(&mut bench, UNKNOWN, (kernel, "difference("), config, &[out]);
        assert_eq!(diagnostic.kind, Kind::UnsupportedInstruction);
        says(&diagnostic, "does not know `vabsdiff.u32.u32.u32.sat` (line ");
        assert_eq!(bench.download::<u32>(out, 32), before, "{kernel} has run before it failed");
    }
}

#[test]
fn a_function_of_another_module_stops_the_kernel_that_calls_it() {
    let text = ".version 8.0\n.target sm_75\n.address_size 64\n.extern .func elsewhere;\n\
                .visible .entry k(.param .u64 p)\n{\n call elsewhere;\n ret;\n}\n";
    let module = Module::parse(text, "bare.ptx").unwrap();
    let diagnostic = Simulator::new().launch(&module, "k", LaunchConfig::new(1, 1), &[0]).unwrap_err();
    assert_eq!((diagnostic.kind, diagnostic.line), (Kind::UnsupportedInstruction, Some(7)));
    says(&diagnostic, "this calls `elsewhere`, which is not defined in bare.ptx");
}

#[test]
fn a_launch_that_cannot_be_says_what_there_is() {
    let mut bench = Bench::default();
    let source = Source::load(BOUNDS);
    let out = bench.upload(&[0; 64]);
    let mut refused = |kernel: &str, config: LaunchConfig, args: &[u64], words: &str| {
        let diagnostic = *bench.try_launch(&source, kernel, config, args).unwrap_err();
        assert_eq!(diagnostic.kind, Kind::LaunchLimit);
        says(&diagnostic, words);
    };
    let one = LaunchConfig::new(1, 1);
    refused("nothing", one, &[], "has no kernel `nothing`; it has: oneTooFar, oneBefore, ");
    refused("at", one, &[], "has no kernel `at`");
    refused("nullPointer", one, &[], "nullPointer takes 1 arguments, 0 were given");
    refused("nullPointer", one, &[out, out], "nullPointer takes 1 arguments, 2 were given");
    let config = |grid, block| LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: 0 };
    refused("nullPointer", config((0, 1, 1), (1, 1, 1)), &[out], "has no block");
    refused("nullPointer", config((1, 1, 1), (32, 0, 1)), &[out], "has no thread");
    refused("nullPointer", config((1, 1, 1), (1025, 1, 1)), &[out], "at most 1,024 are possible");
    refused("nullPointer", config((1, 1, 1), (32, 33, 1)), &[out], "at most 1,024 are possible");
    refused("nullPointer", config((1, 1, 1), (1, 1, 65)), &[out], "64 are possible in z");
    refused("nullPointer", config((1, 65_536, 1), (1, 1, 1)), &[out], "at most 2147483647 x 65535 x 65535");
    refused("nullPointer", config((u32::MAX, 1, 1), (1, 1, 1)), &[out], "at most 2147483647");
    refused("nullPointer", config((1, 1, 1), (u32::MAX, u32::MAX, u32::MAX)), &[out], "at most 1,024");
    let shared = LaunchConfig { shared_mem_bytes: u32::MAX, ..one };
    refused(
        "dynamicSharedTooFar",
        shared,
        &[out],
        "bytes of shared memory per block; at most 232448 are possible",
    );
    assert_eq!(bench.download::<i32>(out, 64), [0; 64], "nothing has run");
}

#[test]
fn copies_and_allocations_have_their_bounds() {
    let mut sim = Simulator::new();
    let address = sim.alloc(16).unwrap();
    assert_eq!(address % 256, 0);
    assert!(sim.write(address, &[0; 16]).is_ok());
    let text = sim.write(address, &[0; 17]).unwrap_err().to_string();
    assert!(text.contains("a copy of 17 bytes to device address"), "{text}");
    assert!(sim.read(address + 8, &mut [0; 16]).is_err());
    assert!(sim.read(0, &mut [0; 1]).is_err());
    assert!(sim.read(u64::MAX, &mut [0; 2]).is_err());
    assert!(sim.alloc(5 << 30).is_err(), "more than the simulated device has");
    assert!(sim.alloc(u64::MAX).is_err());
    sim.free(address);
    sim.free(address);
    sim.free(12345);
    let text = sim.read(address, &mut [0; 1]).unwrap_err().to_string();
    assert!(text.contains("has been freed"), "{text}");
}

#[test]
fn ptx_that_cannot_be_read_says_where() {
    let bad = [
        ("", 0, ""),
        (".version 9.0\nnonsense", 2, "`nonsense` is not known at the top level"),
        (".version 9.0\n.entry k() {\n  add.u32 %r1, %r2", 3, "found the end of the text"),
        (".entry k() {\n ret;\n", 2, "a function is not closed with `}`"),
        (".entry k(.param .u64 p {\n ret; }", 1, "expected a name, found `{`"),
        (".entry k() {\n .reg .nothing %r<2>;\n}", 2, "registers of type `.nothing`"),
        (".entry k() {\n .reg .b32 %r<99999999>;\n}", 2, "99999999 registers are too many"),
        (".global .u32 x[99999999999999];", 1, "`x` has an impossible size"),
        (".global .align 3 .u32 x;", 1, "the impossible alignment 3"),
        ("/* never closed", 1, "a comment is not closed"),
        (".file 1 \"never closed\n\"", 1, "a string is not closed"),
        (".entry k() {\n é ret;\n}", 2, "a character that is not ASCII"),
    ];
    for (text, line, words) in bad {
        match Module::parse(text, "bad.ptx") {
            Ok(module) => assert!(text.is_empty() && module.kernels().is_empty(), "{text}"),
            Err(diagnostic) => {
                assert_eq!(diagnostic.kind, Kind::UnsupportedInstruction, "{text}");
                assert_eq!(
                    (diagnostic.file.as_deref(), diagnostic.line),
                    (Some("bad.ptx"), Some(line)),
                    "{text}"
                );
                says(&diagnostic, words);
            }
        }
    }
}

#[test]
fn without_a_line_table_the_line_is_that_of_the_ptx() {
    let text = ".entry k(.param .u64 p)\n{\n .reg .b64 %a;\n ld.param.u64 %a, [p];\n st.global.u32 [%a], \
                1;\n ret;\n}";
    let module = Module::parse(text, "bare.ptx").unwrap();
    let mut sim = Simulator::new();
    let diagnostic = sim.launch(&module, "k", LaunchConfig::new(1, 1), &[0]).unwrap_err();
    assert_eq!((diagnostic.file.as_deref(), diagnostic.line), (Some("bare.ptx"), Some(5)));
}

/// `.loc 1 0` says "no line": what stands there belongs to the line before.
#[test]
fn a_place_without_a_line_has_that_before_it() {
    let ptx = ".version 7.0\n.target sm_75\n.address_size 64\n.file 1 \"k.cu\"\n\
        .visible .entry k() { .reg .b64 %a; .loc 1 7 5\n mov.u64 %a, 64; .loc 1 0 0\n st.global.u32 [%a], 1; \
        ret; }";
    let module = Module::parse(ptx, "k.ptx").unwrap();
    let found = Simulator::new().launch(&module, "k", LaunchConfig::new(1, 1), &[]).unwrap_err();
    assert_eq!((found.file.as_deref(), found.line), (Some("k.cu"), Some(7)), "{found}");
}

/// Line 7 reads memory that was never written, a function gives the value back, and line 8 stores it.
#[test]
fn an_uninitialized_value_that_goes_through_a_call_comes_from_the_line_that_reads_it() {
    let ptx = ".file 1 \"k.cu\"\n\
        .func (.param .b32 r) same(.param .b32 x) { .reg .b32 %v; .loc 1 4 5\n\
        ld.param.b32 %v, [x]; st.param.b32 [r], %v; ret; }\n\
        .entry k(.param .u64 p) { .reg .b64 %a; .reg .b32 %v; .loc 1 7 5\n\
        ld.param.u64 %a, [p]; ld.global.b32 %v, [%a]; .loc 1 8 5\n\
        { .param .b32 in; .param .b32 out; st.param.b32 [in], %v;\n\
        call (out), same, (in); ld.param.b32 %v, [out]; }\n\
        st.global.b32 [%a], %v; ret; }";
    let module = Module::parse(ptx, "k.ptx").unwrap();
    let mut sim = Simulator::new();
    let address = sim.alloc(4).unwrap();
    let found = sim.launch_checked(&module, "k", LaunchConfig::new(1, 1), &[address]).diagnostics;
    let [stored] = &found[..] else { panic!("{found:?}") };
    assert_eq!((stored.kind, stored.line), (Kind::UninitializedRead, Some(8)), "{stored}");
    let [read] = &stored.related()[..] else { panic!("no line for the value: {stored}") };
    assert_eq!((read.file.as_str(), read.line), ("k.cu", 7), "{stored}");
    assert!(read.message.starts_with("the value is read here"), "{stored}");
}

/// A function stores its local variable only where it is told to; its memory is that of the call before.
#[test]
fn a_local_variable_is_new_in_every_call() {
    let ptx = ".func (.param .b32 r) own(.param .b32 stores) { .local .b32 own; .reg .b32 %v;\n\
        .reg .pred %p; ld.param.b32 %v, [stores]; setp.ne.b32 %p, %v, 0; @%p st.local.b32 [own], %v;\n\
        ld.local.b32 %v, [own]; st.param.b32 [r], %v; ret; }\n\
        .entry k(.param .u64 p, .param .b32 again) { .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [p];\n\
        { .param .b32 in; .param .b32 out; st.param.b32 [in], 1; call (out), own, (in); }\n\
        ld.param.b32 %v, [again];\n\
        { .param .b32 in; .param .b32 out; st.param.b32 [in], %v; call (out), own, (in);\n\
        ld.param.b32 %v, [out]; }\n\
        st.global.b32 [%a], %v; ret; }";
    let module = Module::parse(ptx, "k.ptx").unwrap();
    for (again, kinds) in [(1, vec![]), (0, vec![Kind::UninitializedRead])] {
        let mut sim = Simulator::new();
        let address = sim.alloc(4).unwrap();
        let found = sim.launch_checked(&module, "k", LaunchConfig::new(1, 1), &[address, again]).diagnostics;
        assert_eq!(found.iter().map(|found| found.kind).collect::<Vec<_>>(), kinds, "{found:?}");
    }
}

/// A block of 64 threads comes to a barrier of `count`.
fn barrier_for(count: &str) -> Result<(), Box<Diagnostic>> {
    let ptx = format!(
        ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{{\n.reg .b32 %r;\n\
         mov.u32 %r, {count};\nbar.sync 3, %r;\nret;\n}}\n"
    );
    let module = Module::parse(&ptx, "k.ptx")?;
    Simulator::new().launch(&module, "k", LaunchConfig::new(1, 64), &[]).map(|_| ())
}

#[test]
fn a_barrier_is_for_whole_warps() {
    barrier_for("64").unwrap();
    for count in ["48", "1", "65"] {
        let diagnostic = barrier_for(count).unwrap_err();
        assert_eq!((diagnostic.kind, diagnostic.line), (Kind::BarrierDivergence, Some(8)), "{count}");
        let words =
            format!("a barrier for {count} threads: their number has to be a multiple of the warp size, 32");
        assert!(diagnostic.message().contains(&words), "{diagnostic}");
    }
}

//! Kernels that launch kernels: in which order grids run, and what the launching threads learn.

use crate::cuda::{Bench, Source};
use ptx_simulator::{Kind, LaunchConfig, Severity};

const NESTED: &str = "tests/kernels/nested.cu";
const BY_CLANG: &str = "tests/kernels/nested.clang.ptx";

/// As nvcc has it, and as clang does: the two launch in different ways.
fn both() -> [Source; 2] {
    [Source::load(NESTED), Source::compiled(NESTED, BY_CLANG)]
}

/// Runs `kernel(log, …)` and gives what the grids have noted, in their order: by nvcc, then by clang.
fn logs(kernel: &str, grid: u32, block: u32, more: &[u64]) -> [Vec<i32>; 2] {
    both().map(|nested| {
        let mut bench = Bench::default();
        let log = bench.upload(&[0; 256]);
        let args: Vec<u64> = [log].iter().chain(more).copied().collect();
        bench.launch(&nested, kernel, grid, block, &args);
        let entries = bench.download::<i32>(log, 256);
        entries[1..=entries[0] as usize].to_vec()
    })
}

#[test]
fn children_of_a_block_in_the_default_stream_run_in_their_order() {
    for ran in logs("inOrder", 1, 64, &[20]) {
        assert_eq!(ran, (0..=20).collect::<Vec<i32>>());
    }
    // Blocks have a default stream each.
    for mut ran in logs("inOrder", 2, 64, &[5]) {
        ran.sort();
        assert_eq!(ran, [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }
}

#[test]
fn every_child_that_is_fired_and_forgotten_runs() {
    for mut ran in logs("fireAndForget", 3, 40, &[0]) {
        ran.sort();
        assert_eq!(ran, (0..120).collect::<Vec<i32>>());
    }
}

#[test]
fn tails_run_one_after_the_other_each_with_all_that_it_launches() {
    // The parent and its ordinary child come first, in either order; then the first tail with its child and
    // its own tail; then the second tail.
    for mut ran in logs("tails", 1, 1, &[]) {
        ran[..2].sort();
        ran[2..4].sort();
        assert_eq!(ran, [1, 10, 20, 21, 22, 30]);
    }
}

#[test]
fn each_named_stream_keeps_its_order() {
    for ran in logs("namedStreams", 1, 1, &[]) {
        let of = |ten: i32| ran.iter().copied().filter(|what| what / 10 == ten).collect::<Vec<i32>>();
        assert_eq!(of(1), [10, 11, 12, 13]);
        assert_eq!(of(2), [20, 21, 22, 23]);
    }
}

#[test]
fn a_recursion_of_tail_launches_goes_as_deep_as_it_likes() {
    for source in both() {
        let mut bench = Bench::default();
        let out = bench.upload(&[0]);
        let counters = bench.launch(&source, "countDown", 1, 32, &[1000, out]);
        assert_eq!(bench.download::<i32>(out, 1), [500_500]);
        assert_eq!((counters.device_launches, counters.dropped_launches), (999, 0));
    }
}

#[test]
fn a_recursion_that_does_not_end_is_named_at_its_launch() {
    for source in both() {
        let line = source.line("halveForEver", "// for ever");
        let ran = Bench::default().try_launch(&source, "halveForEver", LaunchConfig::new(1, 32), &[9]);
        let found = *ran.expect_err("it does not end");
        assert_eq!((found.kind, found.line), (Kind::StepLimit, Some(line)), "{found}");
        assert!(
            found.message().contains("`halveForEver` has launched itself 131,072 times in a row"),
            "{found}"
        );
    }
}

#[test]
fn a_tail_sees_all_that_its_parent_has_written() {
    for source in both() {
        let mut bench = Bench::default();
        let values = bench.upload(&vec![0; 40 * 96]);
        let out = bench.upload(&[0]);
        bench.launch(&source, "writeThenSum", 40, 96, &[values, out]);
        assert_eq!(bench.download::<i32>(out, 1), [(0..40 * 96).sum::<i32>()]);
    }
}

#[test]
fn arguments_lie_at_their_natural_places() {
    for source in both() {
        let mut bench = Bench::default();
        let out = bench.upload(&[0f64]);
        bench.launch(&source, "givesManyKinds", 1, 1, &[out]);
        assert_eq!(bench.download::<f64>(out, 1), [1.0 + 0.5 + 2.0 + 300.0 + 40000.0 + 0.25]);
    }
}

#[test]
fn a_launch_that_cannot_be_is_an_error_for_the_launching_thread_alone() {
    for source in both() {
        let mut bench = Bench::default();
        let log = bench.upload(&[0; 256]);
        let errors = bench.upload(&[-1; 5]);
        bench.launch(&source, "refused", 1, 1, &[log, errors, 2000]);
        // cudaErrorInvalidConfiguration, which cudaGetLastError forgets; then too much shared memory; then
        // none.
        assert_eq!(bench.download::<i32>(errors, 5), [9, 9, 0, 9, 0]);
        assert_eq!(bench.download::<i32>(log, 2), [1, 3], "only the last child has run");
    }
}

#[test]
fn launches_beyond_the_limit_are_dropped_and_counted() {
    for source in both() {
        let mut bench = Bench::default();
        bench.sim.set_pending_launch_limit(10);
        let log = bench.upload(&[0; 256]);
        let dropped = bench.upload(&[0]);
        let counters = bench.launch(&source, "tooMany", 1, 64, &[log, dropped]);
        let ran = bench.download::<i32>(log, 1)[0];
        let lost = bench.download::<i32>(dropped, 1)[0];
        assert!(lost > 0 && ran > 0);
        assert_eq!(ran + lost, 64);
        assert_eq!((counters.device_launches, counters.dropped_launches), (64, lost as u64));
    }
}

#[test]
fn a_child_that_goes_wrong_is_named() {
    for source in both() {
        let mut bench = Bench::default();
        let data = bench.upload(&[0; 32]);
        let diagnostic =
            bench.try_launch(&source, "faultyFamily", LaunchConfig::new(1, 1), &[data, 8]).unwrap_err();
        assert_eq!((diagnostic.kind, diagnostic.kernel.as_deref()), (Kind::OutOfBounds, Some("faultyChild")));
        assert_eq!(diagnostic.line, Some(source.line("void faultyChild(", "// expect: out-of-bounds")));
        assert_eq!(diagnostic.thread, Some([24, 0, 0]));
    }
}

/// The names that device code called before CUDA 12, with a parent that waits for its children.
#[test]
fn a_parent_of_before_cuda_12_waits_for_its_children() {
    let source = Source::load("tests/kernels/cdp1/synchronise.cu");
    let mut bench = Bench::default();
    let data = bench.upload(&(0..32).collect::<Vec<i32>>());
    let out = bench.upload(&[0; 64]);
    let config = LaunchConfig::new(1, 32);
    let launched = bench.sim.launch_checked(&source.module, "rounds", config, &[data, out, 3]);
    // Who has waited sees what the children wrote, and so does who has met it at a barrier.
    assert_eq!(launched.diagnostics, []);
    let mut expected = vec![2 + 33, 4 + 35, 6 + 37];
    expected.extend((0..32).map(|i| i + 6));
    assert_eq!(bench.download::<i32>(out, 35), expected);
    for size in [1, 2, 64, 1024] {
        let values: Vec<i32> = (0..size).map(|i| i * i + 3).collect();
        let data = bench.upload(&values);
        let out = bench.upload(&[0]);
        let counters = bench.launch(&source, "nestedSum", 1, size as u32, &[data, out, size as u64]);
        assert_eq!(bench.download::<i32>(out, 1), [values.iter().sum::<i32>()], "size {size}");
        assert_eq!(counters.device_launches, (size as u64).ilog2() as u64);
    }
}

/// `cudaLimitDevRuntimeSyncDepth`: two levels of grids may wait, unless the host asks for more.
#[test]
fn a_grid_that_lies_too_deep_does_not_wait() {
    let source = Source::load("tests/kernels/cdp1/synchronise.cu");
    let run = |levels: Option<u32>| {
        let mut bench = Bench::default();
        if let Some(levels) = levels {
            bench.sim.set_sync_depth_limit(levels);
        }
        let errors = bench.upload(&[-1; 5]);
        let out = bench.upload(&[0; 5]);
        let launched = bench.sim.launch_checked(
            &source.module,
            "waitsAtEveryDepth",
            LaunchConfig::new(1, 1),
            &[errors, out, 4],
        );
        let found: Vec<_> =
            launched.diagnostics.iter().map(|found| (found.kind, found.severity, found.line)).collect();
        (bench.download::<i32>(errors, 5), bench.download::<i32>(out, 5), found)
    };
    let line = |marker| Some(source.line("void waitsAtEveryDepth(", marker));
    let too_deep = (Kind::LaunchLimit, Severity::Warning, line("// expect: launch-limit"));
    let not_waited = (Kind::ChildVisibility, Severity::Error, line("// expect: child-visibility"));
    // cudaErrorSyncDepthExceeded comes back, and cudaGetLastError has it too. Levels 2 and 3 read what their
    // children have not written yet.
    assert_eq!(run(None), (vec![0, 0, 68_068, 68_068, -1], vec![3, 2, 1, 1, 1], vec![too_deep, not_waited]));
    assert_eq!(run(Some(4)), (vec![0, 0, 0, 0, -1], vec![5, 4, 3, 2, 1], vec![]));
}

/// Before CUDA 12 there was a second pool for launches beyond the limit.
#[test]
fn a_launch_of_before_cuda_12_is_never_dropped() {
    let source = Source::load("tests/kernels/cdp1/synchronise.cu");
    let mut bench = Bench::default();
    bench.sim.set_pending_launch_limit(10);
    let counter = bench.upload(&[0]);
    let errors = bench.upload(&[0]);
    let counters = bench.launch(&source, "launchOfEachThread", 1, 32, &[counter, errors]);
    assert_eq!((bench.download::<i32>(counter, 1), bench.download::<i32>(errors, 1)), (vec![32], vec![0]));
    assert_eq!((counters.device_launches, counters.dropped_launches), (32, 0));
}

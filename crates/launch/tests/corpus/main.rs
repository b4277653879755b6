//! The checks against a corpus of small kernels, each with what is wrong with it: README.md beside it.
//!
//! After an edit of a kernel, this compiles it anew:
//! `cargo xtask renew`

mod case;
mod compilers;
mod cures;
mod table;

use std::collections::BTreeMap;

use case::{Case, Order, Outcome, root};
use kernel_compiler::compiler::{Compiler, HOW_TO_GET_NVCC, Maker};
use kernel_compiler::hash;
use kernel_compiler::staging::Given;
use ptx_simulator::{Diagnostic, Kind, Severity, Shape};
use rayon::prelude::*;
use testing::renew::{HOW, committed, is_wanted, renewing};

#[test]
fn each_kernel_gets_its_verdict_in_four_schedules_and_in_every_order() {
    let wrong = check(4);
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
#[ignore = "takes minutes"]
fn a_hundred_schedules_nightly() {
    let wrong = check(100);
    assert!(wrong.is_empty(), "\n{wrong}");
}

/// What differs from the kernels' verdicts under schedules 0 to `schedules` - 1, and in every order; a clean
/// one has to leave the same bits in each.
fn check(schedules: u64) -> String {
    case::all().par_iter().map(|case| differences(case, schedules)).collect()
}

fn differences(case: &Case, schedules: u64) -> String {
    let module = case.module();
    let mut first = None;
    // All disagreements, with the orders that show them.
    let mut seen: BTreeMap<String, Vec<Order>> = BTreeMap::new();
    for order in case.orders(schedules) {
        let outcome = case.run_in(&module, order);
        let mut disagreements = case.disagreements(&outcome);
        if case.missed {
            let found = "is found now: take out its line `// missed: …`".to_owned();
            disagreements = if disagreements.is_empty() { vec![found] } else { Vec::new() };
        }
        if case.clean && *first.get_or_insert_with(|| bytes(&outcome)) != bytes(&outcome) {
            disagreements.push("the buffers hold something else than under schedule 0".to_owned());
        }
        for disagreement in disagreements {
            seen.entry(disagreement).or_default().push(order);
        }
    }
    let line = |(disagreement, at)| format!("{}, {at:?}:\n  {disagreement}\n", case.path("cu"));
    seen.into_iter().map(line).collect()
}

/// What the buffers hold, in the order of the arguments.
fn bytes(outcome: &Outcome) -> Vec<Vec<u8>> {
    outcome.ran.buffers.iter().map(|buffer| buffer.bytes.clone()).collect()
}

/// The definitions in full; the book's page has them in short.
const RULES: &str = "crates/ptx-simulator/RULES.md";

#[test]
fn every_kind_is_shown_has_look_alikes_and_a_definition() {
    let cases = case::all();
    let texts = [table::PAGE, RULES].map(|path| (path, std::fs::read_to_string(root().join(path)).unwrap()));
    for kind in case::kinds(&cases) {
        let of_kind = cases.iter().filter(|case| case.kind() == kind);
        let (clean, wrong): (Vec<&Case>, Vec<&Case>) = of_kind.partition(|case| case.clean);
        assert!(wrong.len() >= 4, "{kind}: {} kernels show it, not four", wrong.len());
        assert!(clean.len() >= 2, "{kind}: {} look-alikes, not two", clean.len());
        for (path, text) in &texts {
            assert!(text.contains(&format!("\n**{kind}**: ")), "{path} does not define {kind}");
        }
    }
    for case in &cases {
        let about = case.source.lines().next().unwrap_or_default();
        assert!(about.starts_with("// ") && !about.contains(": clean"), "{}: say what it shows", case.name);
    }
}

/// Kernels that are clean but for a note: its line, and words of its message.
#[test]
fn what_may_be_right_gets_a_note() {
    let notes = |name: &str| {
        let case = case::all().into_iter().find(|case| case.name == name).unwrap();
        let found = case.run(&case.module(), 0).diagnostics;
        found.into_iter().filter(|found| found.severity == Severity::Note).collect::<Vec<_>>()
    };
    for (name, line, words) in [
        ("data-race/add_by_swaps", "atomicCAS", "which the compare-and-swap checks again"),
        (
            "barrier-divergence/in_the_last_if",
            "__sync",
            "16 of the block's 32 threads had left or passed by when this barrier opened",
        ),
    ] {
        let notes = notes(name);
        let file = root().join(format!("crates/launch/tests/corpus/{name}.cu"));
        let source = std::fs::read_to_string(file).unwrap();
        let at = source.lines().position(|text| text.contains(line)).unwrap() as u32 + 1;
        let found: Vec<_> = notes.iter().map(|note| note.line).collect();
        assert_eq!(found, [Some(at)], "{name}");
        assert!(notes[0].message().contains(words), "{name}: {}", notes[0].message());
    }
    for name in ["last_block", "message_passing", "release_acquire"] {
        assert_eq!(notes(&format!("data-race/{name}")).len(), 0, "{name}");
    }
}

/// What is found in a kernel of `data-race/`, by schedule.
fn found_in_four_schedules(name: &str) -> Vec<(u64, Vec<Diagnostic>)> {
    let case = case::all().into_iter().find(|case| case.name == format!("data-race/{name}")).unwrap();
    (0..4).map(|schedule| (schedule, case.run(&case.module(), schedule).diagnostics)).collect()
}

/// Words of a message, or of the advice, whatever the schedule.
#[test]
fn the_advice_fits_all_that_races() {
    for (name, words) in [
        ("warp_tree", "every lane of the warp reaches"),
        ("shared_missing_barrier", "a barrier that every thread of the block reaches"),
        ("tile_loop_missing_barrier", "a barrier that every thread of the block reaches"),
        ("message_passing_no_fence", "orders nothing without fences"),
        ("last_block_no_fence", "orders nothing without fences"),
        ("across_blocks", "blocks run in any order"),
        ("atomic_and_plain_write", "both have to be atomic"),
        ("message_passing_plain_flag", "both have to be atomic"),
        ("atomic_ref_block_scope", "at a scope that includes both threads"),
        ("same_value", "the same value"),
        ("rows_that_do_the_same", "does not read threadIdx.y, and the block has 4 rows"),
        ("atomic_and_plain_read", "has to come between the two; where it can't, both have to be atomic"),
    ] {
        for (schedule, found) in found_in_four_schedules(name) {
            let said = |text: &str| text.contains(words);
            let fits = found.iter().any(|found| said(&found.message()) || said(&found.help));
            assert!(fits, "{name}, schedule {schedule}: {found:#?}");
        }
    }
}

/// The cause of what is found, in one report: words of its message, its other places or its advice.
#[test]
fn the_report_names_the_cause_once() {
    for (name, count, words) in [
        ("child-visibility/parent_reads_what_is_unwritten", 1, "child, which may not have run yet"),
        ("child-visibility/freed_before_the_child", 1, "does not wait for the child"),
        ("out-of-bounds/index_of_32_bits", 1, "is 2,800,000,000, which does not fit into 32 bits"),
        ("out-of-bounds/block_of_the_template", 1, "a block of more threads"),
        ("uninitialized-read/more_bins_than_threads", 1, "writes one per thread, and the block has 64"),
        ("data-race/tile_read_too_early", 1, "nothing orders the two"),
        ("out-of-bounds/unsigned_below_zero", 1, "wraps to a huge one"),
        ("out-of-bounds/before_the_start", 1, "below 0 here"),
        ("data-race/two_children", 1, "memory of its own"),
        (
            "data-race/mbarrier_one_lane_arrives",
            1,
            "phase 0 was complete after 1 arrival, the first by thread 0",
        ),
        ("data-race/mbarrier_one_lane_arrives", 1, "__syncwarp()) before thread 0 arrives for all"),
        ("barrier-divergence/tail_of_the_first_warp", 1, "__syncwarp() is enough"),
        ("deadlock/lock_never_released", 1, "thread 0 of block 0 holds it"),
        ("deadlock/lock_never_released", 1, "thread 0 of block 0 took it here"),
        ("uninitialized-read/two_loads_in_a_line", 2, "`b[0]` is uninitialized"),
        ("uninitialized-read/left_out_by_a_guard", 1, "thread 63 of block 1 does not write it here"),
        (
            "order-dependent/lock_without_a_second_fence",
            1,
            "and no fence orders the write by thread 0 of block",
        ),
        ("order-dependent/write_and_atomic", 1, "nothing orders these two accesses"),
        ("order-dependent/last_writer", 1, "expect either result"),
        ("data-race/device_variable", 1, "writes `total`, which thread 1 of its block reads"),
        ("data-race/copy_into_the_stage_that_is_read", 1, "the copy may start at any time"),
        ("data-race/lock_with_the_mark_of_free", 1, "puts 0 where 0 was: the lock looks free"),
        ("never-read/tree_of_48", 1, "what thread 2 left in `cache[2]` is never read"),
    ] {
        let case = case::all().into_iter().find(|case| case.name == name).unwrap();
        let found = case.run_in(&case.module(), Order::Every).diagnostics;
        let said = |one: &Diagnostic| {
            let related = one.related().into_iter().map(|site| site.message);
            related.chain([one.message(), one.help.clone()]).any(|text| text.contains(words))
        };
        assert!(found.len() == count && found.iter().any(said), "{name}: {words}: {found:#?}");
    }
}

/// Under an odd seed children start early: a sum that depends on when they do comes out wrong.
#[test]
fn a_child_that_starts_early_misses_what_its_parent_has_yet_to_write() {
    for (name, depends) in [("volatile_child", true), ("volatile_child_tail", false)] {
        let case = case::all().into_iter().find(|case| case.name == format!("data-race/{name}")).unwrap();
        let sum = |schedule| case.run(&case.module(), schedule).ran.buffers[1].bytes.clone();
        assert_eq!(sum(0), 130816u32.to_le_bytes(), "{name}");
        assert_eq!(sum(1) != sum(0), depends, "{name}");
    }
}

/// The plain order takes the last blocks and warps last, seed 2 and every fourth from there on
/// takes them first: who reads ahead of them gets something else.
#[test]
fn what_reads_ahead_of_late_blocks_and_warps_comes_out_different() {
    for name in ["volatile_read_too_early", "shared_missing_barrier", "across_blocks"] {
        let case = case::all().into_iter().find(|case| case.name == format!("data-race/{name}")).unwrap();
        let left = |schedule| bytes(&case.run(&case.module(), schedule));
        assert!([2, 6, 10, 14, 18, 22].iter().all(|&seed| left(seed) != left(0)), "{name}");
    }
}

/// What a race is between decides what to ask and to advise; as data, whatever the schedule.
#[test]
fn a_race_has_the_shape_of_its_threads() {
    for (name, shape) in [
        ("warp_tree", Shape::SameWarp),
        ("tile_loop_missing_barrier", Shape::SameBlock),
        ("cluster_missing_barrier", Shape::SameCluster),
        ("across_blocks", Shape::OtherBlock),
        ("children_of_two_blocks", Shape::OtherGrid),
        ("atomic_of_one_gpu", Shape::OtherGpu),
        ("child_of_a_child", Shape::ParentAndChild),
        ("same_value", Shape::TwoWriters),
        ("byte_within_a_word", Shape::Overlap),
    ] {
        for (schedule, found) in found_in_four_schedules(name) {
            let shapes: Vec<_> = found.iter().filter(|found| found.kind == Kind::DataRace).collect();
            let fits = !shapes.is_empty() && shapes.iter().any(|found| found.shape == Some(shape));
            assert!(fits, "{name}, schedule {schedule}: {found:#?}");
        }
    }
}

/// Two threads that update one element need an atomic operation, whatever else they read in that line; where
/// one reads what another updates, something has to come between the two.
#[test]
fn the_advice_on_a_race_says_what_has_to_hold() {
    for (name, cure) in [
        (
            "histogram",
            "make it one atomic operation, such as atomicAdd, at a scope that includes both threads",
        ),
        ("histogram_of_blocks", "at a scope that includes both threads, or"),
        ("warp_tree", "or every thread of the block, has to come between the two"),
        ("across_blocks", "write to another array than the blocks read"),
        ("scan_without_barrier", "every thread of the block"),
        ("scan_in_place", "every thread of the block"),
        ("blocks_at_one_element", "Else give each block an element of its own, or use an atomic"),
    ] {
        for (schedule, found) in found_in_four_schedules(name) {
            let races: Vec<_> = found.iter().filter(|found| found.kind == Kind::DataRace).collect();
            let is_cured = races.iter().all(|race| race.help.contains(cure));
            assert!(!races.is_empty() && is_cured, "{name}, schedule {schedule}: {found:#?}");
        }
    }
}

/// Nothing in device code waits for a child, and no atomic stands for that.
#[test]
fn who_reads_before_a_child_is_told_of_a_tail_launch() {
    let read = ["another_block_reads", "parent_reads", "grandparent_reads"];
    for name in read.map(|name| format!("child-visibility/{name}")) {
        let case = case::all().into_iter().find(|case| case.name == name).unwrap();
        let found = case.run(&case.module(), 0).diagnostics;
        let told: Vec<_> = found.iter().filter(|found| found.kind == Kind::ChildVisibility).collect();
        let says = |found: &&Diagnostic| found.help.contains("launched into cudaStreamTailLaunch");
        assert!(!told.is_empty() && told.iter().all(says), "{name}: {found:#?}");
    }
}

#[test]
fn the_appendix_is_renewed_by_a_run() {
    let (_, made) = table::on_the_page();
    committed(table::PAGE, made);
}

#[test]
fn the_appendix_on_cures_is_renewed_by_a_run() {
    committed(cures::PAGE, cures::on_the_page());
}

// ---- the committed PTX --------------------------------------------------------------------------------

/// First line of a committed PTX: the hash of the source that it was made from.
fn stamp(case: &Case) -> String {
    format!("// {} {}\n", case.path("cu"), hash::source_hash(&case.source))
}

#[test]
fn every_ptx_belongs_to_its_source_and_names_no_machine() {
    for case in case::all() {
        let path = case.path("ptx");
        let ptx = std::fs::read_to_string(root().join(&path)).unwrap_or_default();
        assert!(ptx.starts_with(&stamp(&case)), "{path} is not made from this source; run `{HOW}`");
        for entry in ptx.lines().filter(|line| line.trim_start().starts_with(".file")) {
            let relative = entry.contains("\"crates/launch/tests/corpus/") || entry.contains("\"include/");
            assert!(relative, "{path}: {entry}");
        }
    }
}

/// Where files are renewed, those are compiled whose sources have changed.
#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt, and minutes"]
fn the_ptx_is_renewed_by_nvcc_nightly() {
    let nvcc = Compiler::of(Maker::Nvcc, root()).unwrap_or_else(|error| panic!("{error:#}"));
    let nvcc = nvcc.unwrap_or_else(|| panic!("no nvcc was found.\n{HOW_TO_GET_NVCC}"));
    for case in case::all() {
        let path = case.path("ptx");
        let held = std::fs::read_to_string(root().join(&path)).unwrap_or_default();
        if !is_wanted(&case.name) || renewing() && held.starts_with(&stamp(&case)) {
            continue;
        }
        let source = root().join(case.path("cu"));
        let compiled = nvcc.ptx_with(&source, Some(&case.capability), Given::default());
        committed(path, stamp(&case) + &compiled.unwrap_or_else(|error| panic!("{error:#}")).text);
    }
}

//! Whole programs: what each prints and returns, and what is found in it, by the words in its own source:
//! `// expect: error host-access`, `// prints: 6 1488`, `// returns: 7`, with commas between them.
//!
//! The programs run as clang has compiled them, which is committed beside them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use device::{Device, SimulatorOptions};
use program::{Ended, Options, Outside, Ran, Standard};
use ptx_simulator::{Budget, Cut, Diagnostic, Kind, Module, Orders, Severity};
use reduction::serial::recursive_reduce;

/// How many programs with mistakes there are.
const COUNT: usize = 97;

/// Instructions that the warps of a program may execute; of the host 64 times as many.
const WARP_STEPS: u64 = 1 << 18;
/// Bytes of memory that a program may have.
const MEMORY: u64 = 64 << 20;

/// Programs with their mistakes, and those of the book's chapters, from the root of the repository.
const MISTAKES: &str = "crates/program/tests/programs";
const CHAPTERS: &str = "kernels/programs";

fn path_of(folder: &str) -> PathBuf {
    kernel_compiler::root().unwrap().join(folder)
}

fn names(folder: &str) -> Vec<String> {
    let files = std::fs::read_dir(path_of(folder)).unwrap().map(|file| file.unwrap().path());
    let sources = files.filter(|file| file.extension().is_some_and(|extension| extension == "cu"));
    let mut names: Vec<String> =
        sources.map(|file| file.file_stem().unwrap().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// What a source says of itself.
#[derive(Debug, Default, PartialEq, Eq)]
struct Says {
    /// Line, severity and kind.
    found: BTreeSet<(u32, String)>,
    prints: String,
    returns: i32,
}

fn says(source: &str) -> Says {
    let mut says = Says::default();
    for (number, line) in (1..).zip(source.lines()) {
        let Some((_, words)) = line.split_once("// ").filter(|(_, words)| words.contains(": ")) else {
            continue;
        };
        for word in words.split(", ").collect::<Vec<_>>() {
            match word.split_once(": ") {
                Some(("expect", what)) => _ = says.found.insert((number, what.to_string())),
                Some(("prints", _)) => {}
                Some(("returns", status)) => says.returns = status.parse().unwrap(),
                _ => {}
            }
        }
        if let Some((_, printed)) = words.split_once("prints: ") {
            says.prints += &format!("{printed}\n");
        }
    }
    says
}

/// Keeps what a program prints.
struct Paper {
    name: String,
    source: String,
    printed: Vec<u8>,
}

impl Outside for Paper {
    fn write(&mut self, to: Standard, bytes: &[u8]) {
        if to == Standard::Out {
            self.printed.extend(bytes);
        }
    }

    fn read(&mut self, _: &mut Vec<u8>) {}

    fn read_file(&mut self, _: &str) -> Option<Vec<u8>> {
        None
    }

    fn write_file(&mut self, _: &str, _: &[u8]) -> bool {
        false
    }

    fn source_line(&self, file: &str, line: u32) -> Option<String> {
        let is_own = file.ends_with(&format!("{}.cu", self.name));
        is_own.then(|| self.source.lines().nth(line as usize - 1).unwrap_or_default().to_string())
    }
}

/// What programs are called with: those of the chapters choose their sizes themselves.
fn arguments_in(folder: &str) -> &'static [&'static str] {
    if folder == CHAPTERS { &[] } else { &["first", "last"] }
}

/// Runs a program: what it printed, how it ended, what was found in it, and which orders of its launches were
/// tried.
fn run(name: &str) -> (String, Ran, Vec<Diagnostic>, Vec<Orders>) {
    run_in(MISTAKES, name)
}

/// The same of a program in that folder.
fn run_in(folder: &str, name: &str) -> (String, Ran, Vec<Diagnostic>, Vec<Orders>) {
    run_until(folder, name, None)
}

/// The same, until `stop` is set.
fn run_until(
    folder: &str,
    name: &str,
    stop: Option<&'static AtomicBool>,
) -> (String, Ran, Vec<Diagnostic>, Vec<Orders>) {
    let path = path_of(folder).join(name);
    let read = |extension: &str| std::fs::read_to_string(path.with_extension(extension)).unwrap();
    let ptx = read("ptx");
    let variables = |of: &str| {
        let line = ptx.lines().find_map(|line| line.strip_prefix(&format!("// {of}:")));
        line.unwrap().split_whitespace().map(str::to_string).collect()
    };
    let options = Options {
        args: [&[name], arguments_in(folder)].concat().into_iter().map(str::to_string).collect(),
        step_limit: Some(64 * WARP_STEPS),
        warp_limit: Some(WARP_STEPS),
        device_variables: variables("device"),
        managed_variables: variables("managed"),
    };
    let module = Module::parse(&ptx, &format!("{name}.cu")).unwrap();
    let budget = Budget { work: 1 << 12, ..Budget::default() };
    let device = Device::simulator(SimulatorOptions {
        every_order: Some(budget),
        memory: MEMORY,
        stop,
        keep_printed: true,
        ..SimulatorOptions::default()
    });
    let mut paper = Paper { name: name.to_string(), source: read("cu"), printed: Vec::new() };
    let ran = program::run(device.simulated().unwrap(), &module, &options, &mut paper).unwrap();
    let seen = device.take_seen();
    let found = ran.found.clone();
    (String::from_utf8(paper.printed).unwrap(), ran, found, seen.orders)
}

#[test]
fn each_program_prints_and_returns_what_it_says_and_its_mistakes_are_named_at_their_lines() {
    let names = names(MISTAKES);
    assert_eq!(names.len(), COUNT);
    let mut wrong = Vec::new();
    for name in &names {
        let expected =
            says(&std::fs::read_to_string(path_of(MISTAKES).join(name).with_extension("cu")).unwrap());
        let (prints, ran, found, _) = run(name);
        let of_host = || found.iter().filter(|one| one.kernel.is_none());
        let once: BTreeSet<_> = of_host().map(|one| (&one.file, one.line, one.message())).collect();
        assert_eq!(once.len(), of_host().count(), "{name} says something twice: {found:?}");
        let severity = |found: &Diagnostic| match found.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        };
        let found =
            found.iter().map(|one| (one.line.unwrap_or(0), format!("{} {}", severity(one), one.kind)));
        let returns = match ran.ended {
            Ended::Status(status) => status,
            Ended::Stopped => 0,
        };
        let told = Says { found: found.collect(), prints, returns };
        if told != expected {
            wrong.push(format!("{name}:\n  expected {expected:?}\n  told     {told:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The only finding of this kind.
fn only(name: &str, kind: Kind) -> Diagnostic {
    let (_, _, found, _) = run(name);
    let mut found = found.into_iter().filter(|found| found.kind == kind);
    let only = found.next().unwrap();
    assert!(found.next().is_none());
    only
}

/// The related places of the only finding of this kind: line and message.
fn related(name: &str, kind: Kind) -> Vec<(u32, String)> {
    only(name, kind).related().into_iter().map(|site| (site.line, site.message)).collect()
}

#[test]
fn memory_that_nothing_is_copied_to_says_what_to_copy() {
    let help = only("memset_of_ones", Kind::UninitializedRead).help;
    assert!(help.starts_with("copy to `in` before the launch: cudaMemcpy(in, …"), "{help}");
    let note = only("memset_of_ones", Kind::HostAccess).message();
    let expected = "cudaMemset sets each byte to 1, and four bytes of 1 are 16,843,009 as an int";
    assert_eq!(note, expected);
}

#[test]
fn a_number_of_bytes_with_sizeof_is_not_blamed() {
    let help = only("bytes_that_are_right", Kind::OutOfBounds).help;
    assert!(help.starts_with("compare the index with the number of elements"), "{help}");
}

#[test]
fn a_grid_of_too_few_columns_is_told_with_what_it_takes() {
    let help = only("too_few_columns", Kind::UninitializedRead).help;
    let expected = "<<<(6, 3), (16, 16)>>> has 96 × 48 threads for 100 × 60 elements; it takes 7 blocks \
                    in x, (100 + 15) / 16, and 4 blocks in y, (60 + 15) / 16";
    assert_eq!(help, expected);
}

#[test]
fn memory_that_is_freed_at_once_names_who_uses_it_and_the_call_that_waits() {
    let freed = only("freed_without_waiting", Kind::DataRace);
    assert!(freed.message().starts_with("cudaFree frees `early`, which `_Z4fillPi` writes"), "{freed:?}");
    assert!(freed.help.starts_with("use cudaFreeAsync in the stream of the last use"), "{freed:?}");
    let early = only("allocated_in_another_stream", Kind::DataRace).message();
    assert!(early.contains("writes `a`, which cudaMallocAsync allocates in another stream"), "{early}");
}

#[test]
fn a_race_of_streams_has_the_lines_where_both_were_launched() {
    let related = related("copy_within_the_device", Kind::DataRace);
    let expected = [(22, "launched here"), (21, "the other one")];
    assert_eq!(related, expected.map(|(line, message)| (line, message.to_string())));
}

#[test]
fn a_kernel_that_is_stopped_has_the_line_of_its_launch_and_what_later_calls_give() {
    let [(line, message)] = &related("assertion_behind_a_broken_kernel", Kind::OutOfBounds)[..] else {
        panic!("no launch")
    };
    let expected = "launched here; the calls that come after it give cudaErrorIllegalAddress (700)";
    assert_eq!((*line, &**message), (22, expected));
}

#[test]
fn an_array_is_named_as_the_program_names_it_and_its_elements_are_counted() {
    let message = only("two_allocations_in_a_line", Kind::OutOfBounds).message();
    assert!(message.contains("of `d_out`, which has 240 bytes: element 60 of 60"), "{message}");
    let before = only("before_the_first", Kind::OutOfBounds).message();
    assert!(before.contains("`d_in`"), "{before}");
}

#[test]
fn an_array_that_is_freed_twice_has_the_line_that_freed_it_first() {
    let (_, _, found, _) = run("freed");
    let twice = found.iter().find(|found| found.line == Some(14)).unwrap();
    let first: Vec<u32> = twice.related().into_iter().map(|site| site.line).collect();
    assert_eq!(first, [13]);
}

#[test]
fn a_second_pass_over_the_input_names_both_launches_and_both_arrays() {
    let (message, lines, help) = at_line("second_pass_over_the_input", 32, Kind::NeverRead);
    assert!(message.contains("left in `sums`, 16 elements, is never read"), "{message}");
    assert!(message.contains("reads `in` again"), "{message}");
    assert_eq!((&lines[..], &*help), (&[31][..], "let this launch read `sums`, in place of `in`"));
    let (message, lines, _) = at_line("second_pass_over_the_input", 36, Kind::NeverRead);
    assert!(message.contains("left in `parts`, 16 elements, is never read"), "{message}");
    assert_eq!(lines, [35], "what was left is not overwritten, and freed");
    let (_, lines, help) = at_line("second_pass_over_the_input", 42, Kind::NeverRead);
    assert!(help.contains("exchange the pointers to `in` and `levels` after this launch"), "{help}");
    assert_eq!(lines, [42]);
}

#[test]
fn too_much_shared_memory_names_the_call_that_allows_more() {
    let (_, _, found, _) = run("launches_that_fail");
    let shared = found.iter().find(|found| found.line == Some(16)).unwrap();
    assert!(shared.help.contains("cudaFuncSetAttribute"), "{shared:?}");
}

#[test]
fn an_uninitialized_value_that_came_through_shared_memory_has_the_line_that_read_it() {
    let [(line, message), (allocated, nothing)] =
        &related("unwritten_through_shared", Kind::UninitializedRead)[..]
    else {
        panic!("not two lines")
    };
    assert_eq!((*line, *allocated), (9, 25));
    assert!(message.ends_with("byte 128 of `d_in` is uninitialized"), "{message}");
    assert!(nothing.contains("`d_in`"), "{nothing}");
}

/// What is said at a line: message, related lines, help.
fn at_line(name: &str, line: u32, kind: Kind) -> (String, Vec<u32>, String) {
    let (_, _, found, _) = run(name);
    let found = found.into_iter().find(|found| (found.line, found.kind) == (Some(line), kind)).unwrap();
    (found.message(), found.related().into_iter().map(|site| site.line).collect(), found.help)
}

#[test]
fn what_was_never_written_names_the_element_the_kernel_and_the_copy() {
    let (message, lines, _) = at_line("sizes_exchanged", 47, Kind::UninitializedRead);
    assert!(message.contains("planePiii` never wrote `d_plane[32]`"), "{message}");
    assert_eq!(lines, [32, 46, 29], "where it was read, launched and copied");
    let (message, lines, help) = at_line("in_order_of_time", 27, Kind::UninitializedRead);
    assert!(message.contains("fillPii` never wrote `d[5]`"), "{message}");
    assert_eq!(lines, [27, 25, 26]);
    assert!(help.contains("failed"), "{help}");
}

#[test]
fn numbers_of_launches_look_exchanged_if_they_fit_the_other_way_round() {
    let help = |line, kind| at_line("sizes_exchanged", line, kind).2;
    let plane = help(47, Kind::UninitializedRead);
    assert!(plane.contains("x and y of the grid look exchanged: <<<(4, 2), (16, 16)>>>"), "{plane}");
    let two = help(52, Kind::UninitializedRead);
    assert!(two.contains("grids of two launches look exchanged: <<<8, 128>>>"), "{two}");
    let block = help(55, Kind::LaunchLimit);
    assert!(block.contains("grid and block look exchanged: <<<2,048, 32>>>"), "{block}");
    let other = at_line("in_order_of_time", 25, Kind::LaunchLimit).2;
    assert!(!other.contains("exchanged"), "{other}");
    let beyond = at_line("blocks_for_threads", 8, Kind::OutOfBounds).2;
    assert!(beyond.contains("grid and block look exchanged: <<<16, 64>>>"), "{beyond}");
}

#[test]
fn a_wait_for_what_is_recorded_later_is_named_beside_the_race() {
    let (_, lines, help) = at_line("waits_for_nothing", 11, Kind::DataRace);
    assert_eq!(lines[0], 29, "{lines:?}");
    assert!(help.starts_with("call cudaEventRecord before cudaStreamWaitEvent"), "{help}");
}

#[test]
fn an_event_that_is_recorded_again_is_named_beside_the_race() {
    let (_, lines, help) = at_line("event_recorded_again", 11, Kind::DataRace);
    assert_eq!(lines[0], 33, "{lines:?}");
    assert!(help.starts_with("an event keeps its last record only"), "{help}");
}

#[test]
fn a_lock_that_does_not_wait_is_named_before_the_fences_that_it_lacks() {
    let race = only("lock_the_wrong_way_round", Kind::DataRace);
    assert!(race.message().contains("this thread found the lock of line 7 taken, and went on"), "{race}");
    assert!(race.help.contains("until it returns the number that says that the lock is free"), "{race}");
}

#[test]
fn a_launch_that_begins_with_what_the_same_one_has_left_is_noted() {
    let note = only("launched_again", Kind::RepeatedLaunch);
    let says =
        "this launch of `_Z10sumInPlacePiS_S_S_i` begins with what the same launch has left before in `data`";
    assert_eq!(
        (&*note.message(), &*note.help),
        (says, "if each is to begin alike, set `data` again before it")
    );
}

#[test]
fn what_a_program_that_fails_never_reads_is_named() {
    let (_, _, found, _) = run("read_by_nobody");
    let messages: Vec<String> = found.iter().map(Diagnostic::message).collect();
    assert_eq!(
        messages,
        [
            "32 of the 64 elements that are copied to `x` are read by no thread, `x[32]` first",
            "`weights` is copied to the device here, and no thread reads it",
            "nothing reads what `_Z4stepPKfPf` has left in `now`",
        ]
    );
}

#[test]
fn what_is_wrong_first_is_named_first() {
    let (_, _, found, _) = run("in_order_of_time");
    let lines: Vec<_> = found.iter().filter_map(|found| found.line).collect();
    assert_eq!(lines, [15, 25, 27]);
}

#[test]
fn a_number_of_elements_for_one_of_bytes_is_named_where_it_is_given() {
    for (name, line, allocated) in [
        ("too_few_bytes_for_the_kernel", 8, 15),
        ("too_few_bytes_for_the_host", 10, 8),
        ("bytes_in_a_variable", 8, 17),
    ] {
        let (_, lines, help) = at_line(name, line, Kind::OutOfBounds);
        assert!(
            lines.contains(&allocated) && help.contains("counts bytes, not elements"),
            "{lines:?} {help}"
        );
    }
}

#[test]
fn an_ampersand_too_many_or_too_few_is_named() {
    let (_, _, help) = at_line("pointer_itself", 15, Kind::HostAccess);
    assert!(help.contains("`d` without `&`"), "{help}");
    let (_, _, help) = at_line("pointer_itself", 30, Kind::OutOfBounds);
    assert!(help.contains("&none"), "{help}");
}

#[test]
fn a_copy_that_goes_the_wrong_way_is_told_both_ways_to_mend_it() {
    let help = |line| at_line("direction_of_a_copy", line, Kind::HostAccess).2;
    let both = help(13);
    assert!(both.contains("from the host to the device: exchange the two pointers, or,"), "{both}");
    assert!(both.ends_with("write cudaMemcpyHostToDevice"), "{both}");
    let both = help(14);
    assert!(both.contains("from the device to the host: write cudaMemcpyDeviceToHost, or,"), "{both}");
    assert!(both.ends_with("exchange the two pointers"), "{both}");
    assert_eq!(help(15), "write cudaMemcpyDeviceToHost");
    assert_eq!(help(16), "write `sum` without `&`");
}

#[test]
fn memory_of_the_host_in_a_kernel_has_its_name_and_what_to_do() {
    let (message, lines, help) = at_line("host_pointer_in_kernel", 9, Kind::HostAccess);
    assert!(message.contains("is given `h_data` of the host"), "{message}");
    assert_eq!(lines, [17]);
    assert!(help.contains("cudaMemcpy(d_h_data, h_data"), "{help}");
}

#[test]
fn the_launches_of_a_program_share_the_time_to_try_orders() {
    let (_, _, _, orders) = run("many_launches_with_atomics");
    let spent = orders.iter().position(|one| one.cut == Some(Cut::Spent)).unwrap();
    assert!(spent > 0 && orders[..spent].iter().all(|one| one.cut.is_none()), "{orders:?}");
    assert!(orders[spent..].iter().all(|one| one.tried == 1), "{orders:?}");
    let said = view::orders::said(&orders).unwrap();
    assert!(said.ends_with("; later launches in one order only, to save time"), "{said}");
}

#[test]
fn a_program_that_is_to_stop_says_how_far_it_was() {
    static STOP: AtomicBool = AtomicBool::new(true);
    let (_, ran, found, _) = run_until(MISTAKES, "too_much_work_on_the_host", Some(&STOP));
    assert_eq!((ran.ended, found.len()), (Ended::Stopped, 1), "{found:?}");
    let message = found[0].message();
    assert!(
        message.starts_with("stopped after ") && message.ends_with("before the program had ended"),
        "{message}"
    );
}

#[test]
fn work_that_takes_too_long_is_named_with_what_to_make_smaller() {
    let message = |name: &str| {
        let (_, ran, found, _) = run(name);
        assert_eq!((ran.ended, found.len()), (Ended::Stopped, 1), "{found:?}");
        found[0].message()
    };
    let early = message("plainly_too_much");
    assert!(early.contains(" would execute about 5 million warp instructions, "), "{early}");
    let (_, lines, help) = at_line("plainly_too_much", 27, Kind::StepLimit);
    assert_eq!((&lines[..], &*help), (&[13][..], "make `N` in line 5 smaller"));
    let launches = message("too_much_work");
    assert!(launches.contains("has a grid of 1 block of 1 thread"), "{launches}");
    let host = message("too_much_work_on_the_host");
    assert!(host.contains("too_much_work_on_the_host.cu:14"), "{host}");
}

/// What the book's programs add up.
fn numbers(n: usize) -> Vec<i32> {
    (0..n as u64).map(|i| (i * i % 1013) as i32).collect()
}

/// The sum that the serial recursion makes of them.
fn sum_of(n: usize) -> i32 {
    recursive_reduce(&mut numbers(n))
}

/// What each of the book's programs prints, computed here: its name, and a line of it.
fn printed_by_the_chapters() -> Vec<(&'static str, String)> {
    let sums = |n| format!("{n} elements: the GPU's sum is {0}, the recursion's {0}", sum_of(n));
    let weighted = numbers(50 * 70).into_iter().zip((0..70).cycle()).map(|(x, column)| x * (column % 4 + 1));
    let cells = recursive_reduce(&mut weighted.collect::<Vec<i32>>());
    let letters = numbers(3000).into_iter().map(|x| u32::from(b'a') + x as u32 % 26);
    let hash = letters.fold(0u32, |hash, letter| hash.wrapping_mul(31).wrapping_add(letter));
    let greatest = numbers(3000).into_iter().max().unwrap();
    vec![
        ("ch1_serial", format!("1000 elements: the loop's sum is {0}, the recursion's {0}", sum_of(1000))),
        ("ch2_parallel", sums(1000)),
        ("ch3_blocks", sums(10_000)),
        (
            "ch3_dimensions",
            format!("3500 cells: rows add up to {cells}, columns to {cells}, the host has {cells}"),
        ),
        ("ch4_nested", sums(2000)),
        ("ch5_shared", format!("the recursion's {:.3}", dot_product(33 * 1024))),
        ("ch6_operators", format!("greatest: {greatest} and {greatest}; hash: {hash} and {hash}")),
    ]
}

/// Of chapter 5's floats, in double precision.
fn dot_product(n: usize) -> f64 {
    let terms = (0..n).map(|i| {
        let sign = if i % 2 == 0 { 1.0 } else { -1.0 };
        f64::from(1.0 / (i % 7 + 1) as f32) * sign * (i % 1013) as f64
    });
    terms.sum()
}

/// The book's programs are right, and compute what the serial recursion does.
#[test]
fn the_programs_of_the_chapters_are_right() {
    let all = printed_by_the_chapters();
    assert_eq!(names(CHAPTERS), all.iter().map(|(name, _)| *name).collect::<Vec<_>>());
    let on_a_gpu = std::fs::read_to_string(path_of(CHAPTERS).join("on_a_gpu.txt")).unwrap();
    for (name, line) in all {
        let (printed, ran, found, _) = run_in(CHAPTERS, name);
        let (_, part) = on_a_gpu.split_once(&format!("// ANCHOR: {name}\n")).unwrap();
        let (there, _) = part.split_once("// ANCHOR_END").unwrap();
        // All but times, and in any order: on a GPU blocks print as they come.
        let sorted = |text: &str| {
            let mut lines: Vec<String> =
                text.lines().filter(|line| !line.ends_with(" us")).map(str::to_string).collect();
            lines.sort_unstable();
            lines
        };
        assert_eq!(sorted(&printed), sorted(there), "{name}: the simulator and the GPU");
        assert_eq!((ran.ended, found), (Ended::Status(0), Vec::new()), "{name}: {printed}");
        assert!(printed.contains(&line), "{name}: no {line} in: {printed}");
    }
}

/// `ptx` with variables that stand side by side sorted: clang writes them in an order that differs from one
/// machine to another.
fn with_sorted_variables(ptx: &str) -> String {
    let is_variable = |line: &&str| line.starts_with('.') && line.contains(".global .align ");
    let lines: Vec<&str> = ptx.lines().collect();
    let parts = lines.chunk_by(|one, next| is_variable(one) && is_variable(next));
    let sorted = parts.flat_map(|part| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part
    });
    sorted.map(|line| format!("{line}\n")).collect()
}

/// Compiled by clang, each program is what is committed.
#[test]
#[ignore = "needs clang"]
fn the_programs_are_renewed_by_clang() {
    use kernel_compiler::compiler::{Compiler, Maker};
    use kernel_compiler::program::compile;
    use kernel_compiler::staging::Given;
    let root = kernel_compiler::root().unwrap();
    let all = |folder| names(folder).into_iter().map(move |name| (folder, name));
    for (folder, name) in all(MISTAKES).chain(all(CHAPTERS)) {
        let clang = Compiler::require(Maker::Clang, root).unwrap().run_in(&path_of(folder));
        let file = Path::new(&name).with_extension("cu");
        let kept = root.join("target");
        let made = compile(&clang, &[path_of(folder).join(&file)], "80", &Given::default(), &kept).unwrap();
        let device = made.device_variables.join(" ");
        let managed = made.managed_variables.join(" ");
        let ptx = with_sorted_variables(&made.ptx);
        let text = format!("// device: {device}\n// managed: {managed}\n{ptx}");
        let path = Path::new(folder).join(file).with_extension("ptx");
        testing::renew::committed(path, text);
    }
}

//! Numbers in prose; what the book says of itself.

use super::*;

#[test]
fn numbers_of_a_record_in_prose() {
    let repository = Repository::new();
    for (directive, text) in [
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 time", "449\u{a0}ms"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=1048576 block=512 time", "449\u{a0}ms"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 time/18432", "24.4\u{a0}µs"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 block=32 dropped", "92,166"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 block=32 sum", "8,350,141"),
        ("value ch4_nested.gpu gpuRecursiveReduce n=2^20 expected", "133,693,243"),
        ("value ch4_nested.gpu gpuRecursiveReducePasses n=2^20 gbps", "182\u{a0}GB/s"),
        ("value ch4_nested.gpu recursiveReduceAnyLength n=2^20 time", "629\u{a0}µs"),
        ("value ch3_blocks.sim reduceNeighbored n=2^16 divergent_branches", "320"),
        ("value ch4_nested.gpu gpuRecursiveReduce over=gpuRecursiveReducePasses n=2^20 time", "19,000"),
        ("value ch4_nested.gpu recursiveReduceAnyLength over=gpuRecursiveReducePasses n=2^20 time", "27"),
        ("value ch3_blocks.sim reduceNeighboredLess over=reduceNeighbored n=2^16 divergent_branches", "0.40"),
    ] {
        assert_eq!(repository.page(&format!("It is {{{{#{directive}}}}}.")), format!("It is {text}."));
    }
}

#[test]
fn a_library_in_prose() {
    let repository = Repository::new();
    let mut record = fixtures::contest_on_gpu();
    let run = record.runs.iter_mut().find(|run| run.kernel == "reduceLimit").unwrap();
    run.library = Some("NCCL 2.28.3, algorithm RING, protocol LL".into());
    let n = run.n;
    repository.add(&record, "book/records");
    let text = repository.page(&format!("It is {{{{#value ch7_limit.gpu reduceLimit n={n} library}}}}."));
    assert_eq!(text, "It is NCCL 2.28.3, algorithm RING, protocol LL.");
    let error = repository.error("{{#value ch4_nested.gpu gpuRecursiveReduce n=2^20 library}}\n");
    assert!(error.contains("gpuRecursiveReduce at n = 1048576 has no library in this record"), "{error}");
}

#[test]
fn a_contest_in_prose() {
    let repository = Repository::new();
    repository.add(&fixtures::contest_on_gpu(), "book/records");
    for (directive, text) in [
        ("value ch7_limit.gpu reduceLimit n=2^20 alone", "2.00\u{a0}µs"),
        ("value ch7_limit.gpu cub n=2^20 cold", "7.00\u{a0}µs"),
        ("value ch7_limit.gpu reduceLimit n=2^30 alone-gbps", "4,295\u{a0}GB/s"),
        ("value ch7_limit.gpu reduceLimit n=2^20 time", "5.00\u{a0}µs"),
        ("value ch7_limit.gpu cub over=reduceLimit n=2^20 warm", "1.20"),
    ] {
        assert_eq!(repository.page(&format!("It is {{{{#{directive}}}}}.")), format!("It is {text}."));
    }
    for (directive, missing) in [
        ("value ch7_limit.gpu cub n=2^24 alone", "no alone of cub at n = 16777216"),
        ("value ch7_limit.gpu cub n=2^20 alone-share", "alone-gbps, alone-datasheet"),
        (
            "value ch7_limit.gpu thrust over=reduceLimit n=untuned alone",
            "no alone of both thrust and reduceLimit at n=untuned",
        ),
    ] {
        let error = repository.error(&format!("{{{{#{directive}}}}}\n"));
        assert!(error.contains(missing), "{error}");
    }
}

#[test]
fn errors_memory_spaces_and_limits_in_prose() {
    let repository = Repository::new();
    repository.add(&fixtures::shared_on_gpu(), "book/records");
    for (directive, text) in [
        ("value ch5_shared.gpu dotLoop n=2^20 error", "1.0·10⁻⁴"),
        ("value ch5_shared.gpu dot n=2^20 error", "0"),
        ("value ch5_shared.gpu dot n=33792 bound", "3.4·10¹"),
        ("value ch5_shared.gpu dot n=33792 grid", "132"),
        ("value ch5_shared.gpu dotLoop over=dot n=33792 error", "10"),
        ("value ch5_shared.gpu shared clocks", "23.0"),
        ("value ch5_shared.gpu global gbps", "4,211\u{a0}GB/s"),
        // 612.3 clocks at 1,980 MHz; 4,917 GB/s over 132 multiprocessors.
        ("value ch5_shared.gpu global ns", "309\u{a0}ns"),
        ("value ch5_shared.gpu global in-flight", "11,500\u{a0}bytes"),
        ("value ch5_shared.gpu global rate/65536", "212\u{a0}GB/s"),
        ("value ch5_shared.gpu global share/2^16", "4.3%"),
        ("value ch5_shared.gpu max_threads_per_block", "1,024"),
        ("value ch5_shared.gpu multiprocessors", "132"),
        ("value ch5_shared.gpu sm_clock_mhz", "1,980\u{a0}MHz"),
        ("value ch5_shared.gpu datasheet", "4,917\u{a0}GB/s"),
    ] {
        assert_eq!(repository.page(&format!("It is {{{{#{directive}}}}}.")), format!("It is {text}."));
    }
    for (directive, missing) in [
        ("value ch5_shared.gpu local clocks", "no memory space `local`; there are: shared, global"),
        ("value ch5_shared.gpu shared time", "no field `time`; there are: clocks, gbps"),
        ("value ch5_shared.gpu shared rate/many", "wants bytes after the slash"),
        ("value ch5_shared.gpu shared", "no limit `shared`; there are: max_threads_per_block"),
        ("value ch5_shared.gpu max_grid", "no limit `max_grid`; there are: max_threads_per_block"),
        ("value ch5_shared.gpu", "wants arguments: {{#value STEM.KIND [KERNEL] FIELD"),
        ("value ch5_shared.gpu dotBarriersMispaired n=33792 error", "no error of a right result"),
    ] {
        let error = repository.error(&format!("{{{{#{directive}}}}}\n"));
        assert!(error.contains(missing), "{error}");
    }
}

#[test]
fn minutes_are_those_that_the_pages_state() {
    let repository = Repository::new();
    let pages = repository.root.join("book/src");
    fs::write(pages.join("SUMMARY.md"), "[A](a.md)\n\n- [B](b.md)\n  - [C](c.md)\n").unwrap();
    fs::write(pages.join("a.md"), "# A\n\n*For a start. About 5 minutes.*\n").unwrap();
    fs::write(pages.join("b.md"), "# B\n\n*After this page you know. About 55\nminutes.*\n").unwrap();
    fs::write(pages.join("c.md"), "# C\n\nTo look up.\n").unwrap();
    let page =
        repository.page("{{#minutes all}}, {{#minutes a}}, {{#minutes b a}}, {{#minutes exercises}}.\n");
    assert!(page.ends_with("1\u{a0}hour, 5\u{a0}minutes, 1\u{a0}hour, 10\u{a0}minutes.\n"), "{page}");
    let error = repository.error("{{#minutes a c}}\n");
    assert!(error.contains("book/src/c.md does not say how long it takes"), "{error}");
}

#[test]
fn of_a_repository_without_an_address_nothing_is_said() {
    assert_eq!(Repository::new().page("The repository{{#repository}}.\n"), "The repository.\n");
}

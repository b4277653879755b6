//! The launch with cudarc alone refuses in a sentence where there is no GPU.

use crate::run;

#[test]
fn without_a_gpu_it_says_what_runs_without_one() {
    let run = run("first-launch", "first_launch", "");
    assert_eq!(run.status(), Some(2), "{}", run.stdout());
    let error = run.stderr();
    assert!(error.starts_with("error: ") && error.lines().count() == 1, "{error}");
    assert!(error.contains("cargo run --example ch3_blocks needs no GPU"), "{error}");
}

//! Compilers and GPUs that are missing, broken, or have doings of their own.

#[cfg(unix)]
use super::learner::fake_nvcc;
use super::learner::{Learner, exercise, mutant, shown};

#[test]
fn a_text_that_nobody_has_built_needs_a_compiler_and_nothing_is_lost() {
    let learner = Learner::new("no-compiler");
    let exercise = exercise("2.1");
    let mine = exercise.solution() + "// mine\n";
    learner.write(&exercise, &mine);
    let requirements = shown("kernels/requirements.txt");
    let how = ["CLANG to a clang", "mdbook serve book", &requirements, "check again"];
    learner
        .says("2.1")
        .exits(2, &["2_1_barrier.cu has to be compiled, and no compiler for CUDA C++ was found"])
        .says(&how);
    assert_eq!(learner.read(&exercise.path), mine);
    learner.says("2.2").exits(1, &["2.2 Any length: not yet"]);
}

/// A compiler that is none is said where one is needed.
#[test]
fn what_needs_no_compiler_asks_for_none() {
    let learner = Learner::new("nonexistent");
    let says = |words: &str| {
        let output = learner.command(words).env("NVCC", "/nonexistent").output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).to_string())
    };
    for id in ["1.1", "2.1", "2.4", "3.6", "3.7"] {
        let (status, said) = says(id);
        assert!(status == Some(1) && !said.contains("/nonexistent"), "{id}: {said}");
    }
    let exercise = exercise("2.1");
    learner.write(&exercise, &format!("{}// more\n", exercise.solution()));
    let (status, said) = says("2.1");
    assert!(status == Some(2) && said.contains("/nonexistent"), "{said}");
}

/// What a full disk does to a compiler is no verdict on the answer.
#[cfg(unix)]
#[test]
fn a_compiler_that_cannot_do_its_work_is_no_wrong_answer() {
    let learner = Learner::new("disk");
    let exercise = exercise("2.1");
    learner.write(&exercise, &format!("{}// more\n", exercise.solution()));
    let says = |work: &str| {
        let nvcc = fake_nvcc(&learner, work);
        let output = learner.command("2.1").env("NVCC", nvcc).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).to_string())
    };
    let full = "<built-in>: fatal error: when writing output to /tmp/x.ii: No space left on device";
    for work in [
        &*format!("echo '{full}' >&2; exit 1"),
        "kill -9 $$",
        "echo \"Cannot find compiler 'cl.exe'\"; exit 1",
    ] {
        let (status, said) = says(work);
        assert!(status == Some(2) && said.contains("error: nvcc 13.0.88 failed"), "{work}: {said}");
        assert!(!said.contains("not yet"), "{work}: {said}");
    }
    let (status, said) =
        says("echo 'kernels/exercises/2_1_barrier.cu(7): error: expected a \";\"' >&2; exit 1");
    assert!(status == Some(1) && said.contains("not yet") && said.contains("(7): error"), "{said}");
    // rustc's, of which only the folder for temporary files is known.
    let output = learner.command("1.1").env("TMPDIR", "/nonexistent").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("cannot make a temporary folder"), "{said}");
}

/// As on Windows outside Visual Studio's prompt: the only nvcc answers to --version, and compiles nothing.
#[cfg(unix)]
#[test]
fn an_nvcc_that_cannot_run_is_not_taken_and_what_it_lacks_is_said() {
    let learner = Learner::new("no_host_compiler");
    let exercise = exercise("2.1");
    learner.write(&exercise, &format!("{}// more\n", exercise.solution()));
    let nvcc = fake_nvcc(&learner, "exit 0");
    let script = std::fs::read_to_string(&nvcc).unwrap();
    let missing = "{ echo \"nvcc fatal   : Cannot find compiler 'cl.exe' in PATH\"; exit 1; }";
    std::fs::write(&nvcc, script.replace("-E ] && exit\n", &format!("-E ] && {missing}\n"))).unwrap();
    let others = learner.path_without_compilers();
    let path = std::iter::once(learner.root.clone()).chain(std::env::split_paths(&others));
    let path = std::env::join_paths(path).unwrap();
    let output = learner.command("2.1").env("PATH", path).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("no compiler for CUDA C++ was found"), "{said}");
    assert!(said.contains("nvcc 13.0.88 cannot run: nvcc needs cl.exe"), "{said}");
}

#[test]
fn rust_that_does_not_compile_or_never_ends() {
    let learner = Learner::new("rust");
    let exercise = exercise("1.2");
    let solution = exercise.solution();
    for (from, to, parts) in [
        ("let half =", "let half", &["error: expected", "kernels/exercises/1_2_in_place.rs:"][..]),
        (
            "pub fn reduce_in_place",
            "pub fn renamed",
            &["pub fn reduce_in_place(data: &mut [i32])", "calls the function by its name"],
        ),
        ("let half =", "loop {} #[allow(unreachable_code)] let half =", &["n = 2:", "after 3 seconds"]),
        (
            "let half =",
            "loop { println!(\"again\") } #[allow(unreachable_code)] let half =",
            &["n = 2:", "after 3 seconds"],
        ),
        (
            "let half =",
            "std::process::exit(0); #[allow(unreachable_code)] let half =",
            &["n = 2: the program ended in the middle"],
        ),
        (
            "let half =",
            "struct D; impl Drop for D { fn drop(&mut self) { panic!() } }
             if true { let _d = D; panic!() } let half =",
            &["n = 2: the program ended in the middle", "What ends the whole program"],
        ),
    ] {
        assert!(solution.contains(from));
        let mut text = solution.replacen(from, to, 1);
        if to == "pub fn renamed" {
            text = text.replace("    reduce_in_place(", "    renamed(");
        }
        learner.write(&exercise, &text);
        learner.says("1.2").exits(1, parts).exits(1, &["1.2 In place, with an odd middle: not yet"]);
    }
    learner.write(&exercise, &solution);
    learner.says("1.2").exits(0, &["passed", "allocations"]);
    // What the function prints is shown, and nothing but that.
    learner.write(&exercise, &mutant("1.2", "prints"));
    learner.says("1.2").exits(0, &["passed", "It printed, for n = 3:\n  ok 1 0\n"]);
    let wrong = mutant("1.2", "drops-the-last").replacen("let half", "println!(\"here\"); let half", 1);
    learner.write(&exercise, &wrong);
    learner.says("1.2").exits(1, &["Element 2 is left out", "It printed, for n = 3:\n  here\n"]);
}

#[test]
fn a_gpu_that_is_not_there_is_said_before_anything_is_checked() {
    use device::{Device, DeviceChoice};
    let learner = Learner::new("no-gpu");
    let exercise = exercise("2.1");
    learner.write(&exercise, &exercise.solution());
    if Device::open(DeviceChoice::Gpu).is_err() {
        let said = learner.says("2.1 --device gpu").exits(2, &["GPU"]);
        assert!(!said.text.contains("passed"), "{}", said.text);
        learner.says("2.1 --device auto").exits(0, &["passed"]);
    }
}

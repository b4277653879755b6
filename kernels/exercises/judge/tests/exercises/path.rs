//! The exercises as a new user goes through them: with the terminal alone, on a machine without a GPU and
//! without nvcc. What a learner types is a text that has a committed build: a wrong answer, then the
//! solution. What is said of each wrong answer stands in `mistakes.txt`; here is what is said around it.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use exercise::catalogue;
use exercise::id::Id;
use exercise::source::Exercise;
use kernel_compiler::compiler::{Compiler, Maker};

use super::root;

/// A path of the repository, as the platform writes it.
fn shown(path: &str) -> String {
    path.replace('/', std::path::MAIN_SEPARATOR_STR)
}

pub fn exercise(id: &str) -> Exercise {
    let exercises = catalogue::read(root()).unwrap();
    catalogue::find(&exercises, id.parse().unwrap()).unwrap().clone()
}

/// The wrong answer `name` to an exercise.
pub fn mutant(id: &str, name: &str) -> String {
    let exercise = exercise(id);
    let mutant = exercise.mutants.iter().find(|mutant| mutant.name == name);
    exercise.mutated(mutant.unwrap_or_else(|| panic!("{id} has no mutant {name}"))).unwrap()
}

/// A repository of this test's own, with nothing in it but the exercises.
pub struct Learner {
    root: PathBuf,
    /// The compiler that may be found.
    compiler: Option<Maker>,
}

/// What the terminal shows.
pub struct Said {
    pub text: String,
    status: i32,
}

impl Learner {
    pub fn new(name: &str) -> Learner {
        Learner { root: super::scratch(name), compiler: None }
    }

    pub fn with(maker: Maker, name: &str) -> Learner {
        Learner { compiler: Some(maker), ..Learner::new(name) }
    }

    pub fn write(&self, exercise: &Exercise, text: &str) {
        self.put(&exercise.path, text);
    }

    pub fn put(&self, path: &str, text: &str) {
        std::fs::write(self.root.join(path), text).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    /// The program, started in the learner's repository.
    fn command(&self, words: &str) -> Command {
        let test = std::env::current_exe().unwrap();
        let profile = test.parent().and_then(Path::parent).unwrap();
        let program = profile.join("examples").join(format!("exercise{}", std::env::consts::EXE_SUFFIX));
        assert!(program.exists(), "{} is not built; run `cargo test`, which builds it", program.display());
        let mut command = Command::new(program);
        command.args(words.split_whitespace()).current_dir(&self.root).stdin(Stdio::null());
        for name in ["NVCC", "CUDA_HOME", "CUDA_PATH", "CLANG", "VIRTUAL_ENV"] {
            command.env_remove(name);
        }
        command.env("RUST_BACKTRACE", "0");
        command.env("PATH", self.path_without_compilers());
        if let Some(maker) = self.compiler {
            let compiler = Compiler::of(maker, root()).unwrap().expect("a compiler");
            command.env(if maker == Maker::Nvcc { "NVCC" } else { "CLANG" }, &compiler.path);
        }
        command
    }

    /// PATH, where a directory that has a compiler is replaced by links to all that is in it but compilers.
    fn path_without_compilers(&self) -> std::ffi::OsString {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let compilers = ["nvcc", "clang"].map(|name| format!("{name}{}", std::env::consts::EXE_SUFFIX));
        let without = std::env::split_paths(&path).enumerate().map(|(number, directory)| {
            if !compilers.iter().any(|name| directory.join(name).exists()) {
                return directory;
            }
            let links = self.root.join(format!("bin-{number}"));
            #[cfg(unix)]
            if std::fs::create_dir(&links).is_ok() {
                for file in std::fs::read_dir(&directory).into_iter().flatten().flatten() {
                    if !compilers.iter().any(|name| file.file_name() == name.as_str()) {
                        let _ = std::os::unix::fs::symlink(file.path(), links.join(file.file_name()));
                    }
                }
            }
            links
        });
        std::env::join_paths(without).unwrap()
    }

    /// What a check says on stdout, and its exit status.
    pub fn checks(&self, words: &str) -> (i32, String) {
        let output = self.command(words).output().unwrap();
        assert!(output.stderr.is_empty(), "{words}: {}", String::from_utf8_lossy(&output.stderr));
        (output.status.code().unwrap_or(-1), String::from_utf8(output.stdout).unwrap())
    }

    /// Forgets all progress.
    pub fn start_over(&self) {
        let _ = std::fs::remove_file(self.root.join(".exercises.json"));
    }

    /// The kinds of the last failure, sorted.
    pub fn failed(&self, id: Id) -> Vec<String> {
        let progress: serde_json::Value = serde_json::from_str(&self.read(".exercises.json")).unwrap();
        let kinds = &progress["exercises"][id.to_string()]["failed"];
        let mut kinds: Vec<String> = serde_json::from_value(kinds.clone()).unwrap();
        kinds.sort();
        kinds.dedup();
        kinds
    }

    pub fn says(&self, words: &str) -> Said {
        let output = self.command(words).output().unwrap();
        let text = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap()).concat();
        Said { text, status: output.status.code().unwrap_or(-1) }
    }
}

impl Said {
    #[track_caller]
    pub fn exits(self, status: i32, parts: &[&str]) -> Said {
        assert_eq!(self.status, status, "{}", self.text);
        self.says(parts)
    }

    #[track_caller]
    fn says(self, parts: &[&str]) -> Said {
        for part in parts {
            assert!(self.text.contains(part), "no {part:?} in\n{}", self.text);
        }
        self
    }
}

/// Hints one by one, a solution and its question once they are earned, and what comes next.
#[test]
fn a_learner_is_led_from_the_first_exercise_to_the_last() {
    let learner = Learner::new("whole");
    let edit = format!("Next: edit {} and check again", shown("kernels/exercises/1_1_any_length.rs"));
    let next = [&*edit, "exercise -- hint 1.1"];
    learner.says("").exits(0, &["Exercises: 0 of 34 done.", "next  1.1  Any length  (5 min)", "Next: 1.1"]);
    learner.says("1.1").exits(1, &["1.1 Any length: not yet.", "Think about:", "(3 hints left)"]).says(&next);
    learner.says("hint").exits(0, &["Hint 1 of 3: Take three numbers", "(2 hints left)"]).says(&next);
    learner.says("solution 1.1").exits(1, &["shown once yours has passed", "--give-up"]).says(&next);
    learner.says("why 1.1").exits(1, &["asked once your answer has passed"]).says(&next);
    learner.write(&exercise("1.1"), &exercise("1.1").solution());
    let next = "Next: 1.2 In place, with an odd middle, about 5 minutes.";
    learner
        .says("1.1")
        .exits(0, &["1.1 Any length: passed.", "Can you explain it?", "exercise -- why 1.1", next]);
    learner.says("why 1.1").exits(0, &["Halving takes 17 nested calls", next]);
    learner.says("solution 1.1").exits(0, &["pub fn recursive_sum(data: &[i32]) -> i32 {\n    match", next]);

    // One kind of failure: the second time there is help. Then all hints, and all of them again.
    learner.says("2.1").exits(1, &["2.1 One barrier is enough: not yet.", "It fails for 65 of 89 inputs"]);
    learner.write(&exercise("2.1"), &mutant("2.1", "thread-0-alone"));
    learner.says("2.1").exits(1, &["right, but not a tree", "In the solution no thread makes more than 22."]);
    for number in 1..=3 {
        learner.says("hint 2.1").exits(0, &[&format!("Hint {number} of 3: ")]);
    }
    learner
        .says("hint 2.1")
        .exits(0, &["These were all the hints:\n\n1. ", "exercise -- solution 2.1 --give-up"]);
    learner.says("solution 3.4 --give-up").exits(0, &["A solution to 3.4"]);
    learner.write(&exercise("2.1"), &exercise("2.1").solution());
    learner.says("2.1").exits(0, &["yours  solution   goal", "Compare with a solution:"]);
    let list = learner.says("").exits(0, &["Exercises: 2 of 34 done.", "next  1.2"]);
    list.says(&["done  1.1  Any length  (5 min, hints: 1 of 3)", "(10 min, hints: 3 of 3)", "solution seen"]);

    // As if the others had passed too.
    let file = learner.root.join(".exercises.json");
    let mut progress: serde_json::Value = serde_json::from_str(&learner.read(".exercises.json")).unwrap();
    let done = progress["exercises"]["2.1"].clone();
    for exercise in catalogue::read(root()).unwrap() {
        progress["exercises"][exercise.id.to_string()] = done.clone();
    }
    std::fs::write(file, progress.to_string()).unwrap();
    learner
        .says("")
        .exits(0, &["Exercises: 34 of 34 done.", "All exercises are done. Take a kernel of your own"]);
}

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

#[test]
fn a_deleted_file_is_said_and_brought_back() {
    let learner = Learner::new("deleted");
    let exercise = exercise("2.1");
    std::fs::remove_file(learner.root.join(&exercise.path)).unwrap();
    learner.says("2.1").exits(1, &["2_1_barrier.cu cannot be read", "reset 2.1"]);
    learner.says("reset 2.1").exits(0, &["is the task again"]);
    assert_eq!(learner.read(&exercise.path), exercise.stub());
    learner.says("2.1").exits(1, &["data-race"]);
}

/// Editors write more than what one types.
#[test]
fn a_byte_order_mark_line_endings_and_bytes_that_are_no_text() {
    let learner = Learner::new("bytes");
    for id in ["1.1", "2.1", "2.4"] {
        let exercise = exercise(id);
        let passing = exercise.solution();
        for text in [passing.replace('\n', "\r\n"), format!("\u{feff}{passing}")] {
            learner.write(&exercise, &text);
            learner.says(id).exits(0, &["passed"]);
        }
        std::fs::write(learner.root.join(&exercise.path), [passing.as_bytes(), b"// na\xefve\n"].concat())
            .unwrap();
        let (status, part) = match id {
            "1.1" => (1, "1_1_any_length.rs"),
            "2.1" => (2, "has to be compiled"),
            _ => (1, "Change only the answers"),
        };
        let said = learner.says(id).exits(status, &[part]);
        assert!(!said.text.contains("reset 1.1"), "{}", said.text);
    }
}

#[test]
fn a_figure_that_cannot_be_drawn_does_not_hide_the_check() {
    let learner = Learner::new("figure");
    let exercise = exercise("2.1");
    learner.says("2.1 --figure").exits(1, &["error[data-race]", "figure  ", "exercise-2.1.html"]);
    std::fs::remove_file(learner.root.join(&exercise.path)).unwrap();
    learner.says("2.1 --figure").exits(1, &["cannot be read", "reset 2.1", "no figure: cannot read"]);
    learner.says("2.4 --figure").exits(1, &["no answer yet", "figure  ", "exercise-2.4.html"]);
    learner.says("1.1 --figure").exits(1, &["Element 2 is left out", "no figure: 1.1 has no kernel"]);
}

#[test]
fn numbers_that_no_counter_has_are_marked_like_others() {
    let learner = Learner::new("numbers");
    let exercise = exercise("3.6");
    for (number, part) in [
        ("99999999999999999999999", "9,223,372,036,854,775,807 are too many"),
        ("18446744073709551615", "9,223,372,036,854,775,807 are too many"),
        ("0", "0 are too few"),
    ] {
        learner.write(&exercise, &exercise.stub().replace('?', number));
        learner.says("3.6").exits(1, &[part]);
    }
    learner.write(&exercise, &exercise.stub().replace('?', "-1"));
    learner.says("3.6").exits(1, &["barrier arrivals: `-1` cannot be read"]);
    learner.write(&exercise, &exercise.solution());
    learner.says("3.6").exits(0, &["your first answer", "9,223,372,036,854,775,807"]);
}

/// With a hint for each number, what is already right gets none.
#[test]
fn after_three_tries_the_hint_is_about_the_wrong_number() {
    let learner = Learner::new("tries");
    let exercise = exercise("3.7");
    let passing = exercise.solution();
    for size in ["512", "1024", "100"] {
        learner.write(&exercise, &passing.replace("fastest 128;", &format!("fastest {size};")));
        learner.says("3.7").exits(1, &["the fastest:"]);
    }
    learner.write(&exercise, &passing.replace("fastest 128;", "fastest 32;"));
    let said = learner.says("3.7").exits(1, &["4 answers were wrong", "Run the check"]);
    assert!(!said.text.contains("At most 32 blocks"), "{}", said.text);
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

/// A shell script that says it is nvcc 13.0.88, preprocesses, and then does `work`.
#[cfg(unix)]
fn fake_nvcc(learner: &Learner, work: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt;
    let path = learner.root.join("nvcc");
    let version = "echo 'Cuda compilation tools, release 13.0, V13.0.88'";
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then {version}; exit 0; fi\n[ \"$1\" = -E ] && exit\n{work}\n"
    );
    std::fs::write(&path, script).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    path
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

/// No file may be longer than 0 bytes here: a full disk, without one.
#[cfg(target_os = "linux")]
#[test]
fn a_reset_that_cannot_be_written_leaves_the_learners_file() {
    let learner = Learner::new("full_reset");
    let exercise = exercise("2.1");
    learner.write(&exercise, "mine\n");
    let folder = learner.root.join("kernels/exercises");
    let names = || {
        let entries = std::fs::read_dir(&folder).unwrap();
        let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let before = names();
    let program = learner.command("").get_program().to_owned();
    let mut shell = Command::new("sh");
    shell.args(["-c", "trap '' XFSZ; ulimit -f 0; exec \"$0\" reset 2.1 2>&1 | cat"]).arg(program);
    let output = shell.current_dir(&learner.root).output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(
        said.contains("error: cannot write kernels/exercises/2_1_barrier.cu, which is as it was"),
        "{said}"
    );
    assert_eq!(learner.read(&exercise.path), "mine\n");
    assert_eq!(names(), before);
}

/// Ctrl-C in the middle of a check.
#[cfg(unix)]
#[test]
fn a_check_that_is_interrupted_leaves_nothing_behind() {
    let learner = Learner::new("interrupted");
    let exercise = exercise("2.1");
    learner.write(&exercise, &format!("{}// more\n", exercise.solution()));
    let temporary = learner.root.join("tmp");
    std::fs::create_dir(&temporary).unwrap();
    let nvcc = fake_nvcc(&learner, "sleep 60");
    let mut command = learner.command("2.1");
    command.env("NVCC", nvcc).env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let is_empty = || std::fs::read_dir(&temporary).unwrap().next().is_none();
    let begin = Instant::now();
    while is_empty() {
        assert!(begin.elapsed() < Duration::from_secs(60) && child.try_wait().unwrap().is_none());
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(is_empty());
}

#[cfg(unix)]
#[test]
fn an_answer_that_is_a_pipe_or_a_device_is_refused() {
    let learner = Learner::new("pipe");
    let exercise = exercise("2.1");
    let path = learner.root.join(&exercise.path);
    std::fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    learner.says("2.1").exits(1, &["it is a device", "reset 2.1"]);
    learner.says("reset 2.1").exits(0, &["is the task again"]);
    std::fs::remove_file(&path).unwrap();
    assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
    learner.says("2.1").exits(1, &["it is a pipe", "reset 2.1"]);
    learner.says("reset 2.1").exits(0, &["is the task again"]);
}

/// What was not shown is not held against the learner.
#[cfg(target_os = "linux")]
#[test]
fn a_hint_that_nobody_saw_is_not_counted() {
    let learner = Learner::new("unseen");
    learner.says("");
    for words in ["hint 2.1", "solution 2.1 --give-up"] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let status = learner.command(words).stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(2), "{words}");
    }
    let said = learner.says("").exits(0, &["2.1"]).text;
    assert!(!said.contains("hints: 1") && !said.contains("solution seen"), "{said}");
}

/// Neither is waited for.
#[cfg(unix)]
#[test]
fn progress_or_its_lock_that_is_no_file_is_said() {
    let learner = Learner::new("no-progress");
    let pipe = |name: &str| {
        assert!(Command::new("mkfifo").arg(learner.root.join(name)).status().unwrap().success());
    };
    pipe(".exercises.json");
    learner
        .says("")
        .exits(0, &["is damaged (it is not a file but a pipe). It is now .exercises.json.damaged"]);
    pipe(".exercises.json.lock");
    learner.says("hint 2.1").exits(0, &["your progress is not remembered: ", ".lock is a pipe"]);
}

/// A wrong answer is told the right sum: in the next text it is another.
#[test]
fn results_cannot_be_learned_by_heart() {
    let learner = Learner::new("by-heart");
    let exercise = exercise("1.1");
    let text = |known: &str| {
        let known = format!("if data.len() == 2 {{ return {known}; }}");
        format!("pub fn recursive_sum(data: &[i32]) -> i32 {{\n    {known}\n    0\n}}\n")
    };
    learner.write(&exercise, &text("0"));
    let said = learner.says("1.1").exits(1, &["n = 2: the sum is 0, and should be "]).text;
    let right = said.split("and should be ").nth(1).unwrap().split(['.', '\n']).next().unwrap();
    learner.write(&exercise, &text(&right.replace(',', "")));
    learner.says("1.1").exits(1, &[&format!("n = 2: the sum is {right}, and should be ")]);
    // The same text has the same numbers again.
    learner.write(&exercise, &text("0"));
    learner.says("1.1").exits(1, &[&format!("n = 2: the sum is 0, and should be {right}.")]);
}

#[test]
fn an_answer_stands_in_its_own_file_alone() {
    let learner = Learner::new("own");
    let exercise = exercise("2.1");
    for name in ["solutions/2_1_barrier.cu", "../exercises/solutions/2_1_barrier.cu"] {
        learner.write(&exercise, &format!("#include \"{name}\"\n"));
        learner.says("2.1").exits(1, &["stands in its own file alone", "not yet"]);
    }
}

#[test]
fn lines_that_are_tried_one_by_one_are_counted() {
    let learner = Learner::new("tries");
    let exercise = exercise("2.4");
    for (line, part) in
        [(14, ""), (15, ""), (15, ""), (16, "3 answers were wrong"), (17, "4 answers were wrong")]
    {
        learner.write(&exercise, &exercise.stub().replace("line ?;", &format!("line {line};")));
        let said = learner.says("2.4").exits(1, &["not yet", part]);
        assert_eq!(said.text.contains("answers were wrong"), !part.is_empty(), "{}", said.text);
    }
    learner.says("").exits(0, &["2.4  Find the race  (10 min, 4 wrong answers)"]);
    learner.write(&exercise, &exercise.solution());
    learner.says("2.4").exits(0, &["That is the line, after 4 others."]);
    learner.says("").exits(0, &["done  2.4  Find the race  (10 min, 4 wrong answers)"]);
}

#[test]
fn a_readers_fence_that_is_missing_is_shown() {
    let learner = Learner::new("fence");
    let exercise = exercise("6.3");
    learner.write(&exercise, &mutant("6.3", "without-the-readers-fence"));
    let said = learner.says("6.3").exits(0, &["passed", "One thing to look", "note[data-race]", "no fence"]);
    assert!(!said.text.contains("nothing was found wrong"), "{}", said.text);
    let exercise = self::exercise("2.1");
    learner.write(&exercise, &exercise.solution());
    learner.says("2.1").exits(0, &["nothing was found wrong"]);
}

/// What a wrong task costs is no measure for an answer.
#[test]
fn counts_of_the_task_are_shown_where_the_task_is_right() {
    let learner = Learner::new("as-given");
    for (id, is_shown) in [("3.2", true), ("3.4", false)] {
        let exercise = exercise(id);
        learner.write(&exercise, &exercise.solution());
        let said = learner.says(id).exits(0, &["solution"]);
        assert_eq!(said.text.contains("as given"), is_shown, "{}", said.text);
    }
}

#[test]
fn how_far_a_number_is_off_does_not_give_a_few_away() {
    let learner = Learner::new("few");
    let exercise = exercise("8.2");
    learner.write(&exercise, &exercise.solution().replace("first 3;", "first 4;"));
    let said = learner.says("8.2").exits(1, &["first: not 4."]);
    assert!(!said.text.contains("too many"), "{}", said.text);
}

/// What an editor does to the ends of lines and of the file is no change.
#[test]
fn numbers_are_read_whatever_an_editor_does_to_ends_of_lines() {
    let learner = Learner::new("ends");
    for id in ["2.4", "3.6"] {
        let exercise = exercise(id);
        let passing = exercise.solution();
        for text in [
            passing.replace('\n', "  \r\n"),
            passing.replace('\n', "\t\n"),
            format!("{passing}\n\n"),
            passing.trim_end().to_string(),
        ] {
            learner.write(&exercise, &text);
            learner.says(id).exits(0, &["passed"]);
        }
        learner.write(&exercise, &format!("{passing}// more\n"));
        learner.says(id).exits(1, &["Change only the answers"]);
    }
}

/// What a program says is shown, and obeyed by no terminal.
#[test]
fn escapes_are_shown_and_not_sent() {
    let learner = Learner::new("escapes");
    let exercise = exercise("1.2");
    let prints = |what: &str| exercise.solution().replacen("let half", &format!("{what} let half"), 1);
    for (what, status, part) in [
        ("println!(\"\\x1b[2J\\x07gone\");", 0, "\\u{1b}[2J\\u{7}gone"),
        ("panic!(\"\\x1b]0;title\");", 1, "\\u{1b}]0;title"),
        ("compile_error!(\"\\x1b[31mred\");", 1, "red"),
    ] {
        learner.write(&exercise, &prints(what));
        let said = learner.says("1.2").exits(status, &[part]);
        assert!(!said.text.contains(['\u{1b}', '\u{7}']), "{:?}", said.text);
    }
}

#[test]
fn reset_keeps_what_the_learner_wrote() {
    let learner = Learner::new("reset");
    let exercise = exercise("3.1");
    for (text, backup) in [("first", "backup"), ("second", "backup-2")] {
        learner.write(&exercise, text);
        let name = format!("{}.{backup}", exercise.path);
        learner.says("reset 3.1").exits(0, &[&format!("Your file is now {}.", shown(&name))]);
        assert_eq!(learner.read(&name), text);
        assert_eq!(learner.read(&exercise.path), exercise.stub());
    }
    learner.says("reset 3.1").exits(0, &["nothing is changed"]);
}

#[test]
fn a_damaged_state_is_said_and_set_aside() {
    let learner = Learner::new("damaged");
    let exercise = exercise("2.1");
    learner.write(&exercise, &exercise.solution());
    learner.says("2.1").exits(0, &["passed"]);
    learner.says("").exits(0, &["Exercises: 1 of", "done  2.1"]);

    let unknown = b"{\"exercises\": {\"2.1x\": {}}}";
    for (bytes, aside) in [
        (&b"{\"exerc"[..], "damaged"),
        (b"\xff\xfe\x00", "damaged-2"),
        (b"{}", "damaged-3"),
        (unknown, "damaged-4"),
    ] {
        std::fs::write(learner.root.join(".exercises.json"), bytes).unwrap();
        let name = format!(".exercises.json.{aside}");
        learner.says("").exits(0, &["is damaged", &name, "Exercises: 0 of"]);
        assert_eq!(std::fs::read(learner.root.join(&name)).unwrap(), bytes);
        learner.says("2.1").exits(0, &["passed"]);
        learner.says("").exits(0, &["Exercises: 1 of"]);
    }
    std::fs::remove_file(learner.root.join(".exercises.json")).unwrap();
    std::fs::create_dir(learner.root.join(".exercises.json")).unwrap();
    learner.says("").exits(0, &["is damaged", "damaged-5", "Exercises: 0 of"]);
}

#[test]
fn kernels_that_go_astray_are_said_clearly_and_the_next_exercise_works() {
    let learner = Learner::new("astray");
    for (id, name, parts) in [
        ("2.2", "endless", &["error[step-limit]", "2_2_any_length.cu", "Which condition ends this loop"][..]),
        ("3.1", "no-guard", &["error[out-of-bounds]", "What is the largest index"]),
        (
            "1.1",
            "one-by-one",
            &["2 of 16 inputs: every n from 4,097 on", "deeper than the stack", "n = 4,097"],
        ),
        (
            "3.1",
            "too-much-shared-memory",
            &["error[launch-limit]", "How much shared memory does the block need"],
        ),
        (
            "3.1",
            "for-64-threads",
            &["error[launch-limit]", "For how many threads per block is the kernel compiled"],
        ),
    ] {
        learner.write(&exercise(id), &mutant(id, name));
        learner.says(id).exits(1, parts).exits(1, &["not yet", "Next: edit"]);
        assert_eq!(learner.read(&exercise(id).path), mutant(id, name));
    }
    learner.says("2.3").exits(1, &["the maximum is ", "and should be "]);
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
fn what_is_not_understood_says_what_there_is() {
    let learner = Learner::new("words");
    for (words, part) in [
        ("9.9", "there is no exercise 9.9; there are: 1.1 1.2 2.1"),
        ("3.x", "`3.x` is not an exercise's number"),
        ("hint 0", "`0` is not an exercise's number"),
        ("hint 1.1 1.2", "unexpected argument '1.2'"),
        ("reset", "not provided:\n  <N.M>"),
        ("fix 1.1", "unrecognized subcommand 'fix'"),
        ("hnt 1.1", "a similar subcommand exists: 'hint'"),
        ("1.1 hint", "unexpected argument 'hint'"),
        ("--device sim 3.x", "`3.x` is not an exercise's number"),
        ("--hint", "unexpected argument"),
        ("1.1 --device tpu", "possible values: auto, gpu, sim"),
        ("2.1 --compiler gcc", "it is nvcc or clang"),
        ("2.1 --compiler clang", "no clang that runs was found"),
    ] {
        learner.says(words).exits(2, &[part]);
    }
}

#[test]
fn the_other_files_need_not_be_answered_for_a_line() {
    let learner = Learner::new("line");
    let exercise = exercise("2.4");
    let line = |text: &str| exercise.stub().replace("line ?;", text);
    for (answer, part) in [
        ("line ?;", "There is no answer yet"),
        ("line 12;", "It is not line 12, which is empty"),
        ("line 9999;", "There is no line 9999: the file has 23"),
        ("line 0;", "There is no line 0"),
        ("line 18446744073709551616;", "There is no line 9223372036854775807"),
        ("line ?;", "There is no answer yet"),
        ("line -1;", "line: `-1` cannot be read. Write a whole number in digits"),
        ("line x;", "as in `// The answer: line 12;`"),
        ("lone 5;", "There is no line `// The answer: line NUMBER;`"),
        ("line 5; // ", "It is not line 5"),
    ] {
        learner.write(&exercise, &line(answer));
        learner.says("2.4").exits(1, &[part]);
    }
    learner.write(&exercise, &format!("\n{}", exercise.solution()));
    learner.says("2.4").exits(1, &["Change only the answers", "reset 2.4"]);
}

/// Ended when the test ends.
struct Watch(Child);

impl Drop for Watch {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn watch_checks_what_is_saved_and_moves_on() {
    let learner = Learner::new("watch");
    let mut watch = Watch(learner.command("watch 2.1").stdout(Stdio::piped()).spawn().unwrap());
    let mut out = watch.0.stdout.take().unwrap();
    let (send, receive) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = [0; 4096];
        while let Ok(count @ 1..) = out.read(&mut bytes) {
            let _ = send.send(String::from_utf8_lossy(&bytes[..count]).into_owned());
        }
    });
    let mut seen = String::new();
    let mut wait_for = |part: &str| {
        let started = Instant::now();
        while !seen.contains(part) {
            assert!(started.elapsed() < Duration::from_secs(60), "no {part:?} in\n{seen}");
            seen += &receive.recv_timeout(Duration::from_secs(1)).unwrap_or_default();
        }
        seen = seen.split_once(part).unwrap().1.to_string();
    };
    wait_for(&format!("Watching {}", shown("kernels/exercises/2_1_barrier.cu")));
    learner.write(&exercise("2.1"), &mutant("2.1", "in-the-if"));
    wait_for("error[barrier-divergence]");
    // Another file is checked, too, and this one stays the one that is waited for.
    learner.write(&exercise("3.2"), &mutant("3.2", "as-before"));
    wait_for("3.2 No divergence before 32: not yet");
    learner.write(&exercise("2.1"), &exercise("2.1").solution());
    wait_for("2.1 One barrier is enough: passed");
    wait_for(&format!("Watching {}", shown("kernels/exercises/2_2_any_length.cu")));
    // Whoever solves another one first goes on from there; 2.2 stays open, and so does 1.2.
    learner.write(&exercise("3.2"), &exercise("3.2").solution());
    wait_for("3.2 No divergence before 32: passed");
    wait_for(&format!("Watching {}", shown("kernels/exercises/3_3_one_load_fewer.cu")));
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

/// A message says what to do only when it comes again, and names what the source names.
#[test]
fn the_cure_is_said_at_the_second_failure() {
    let learner = Learner::new("cure");
    let first = learner.says("2.1").exits(1, &["`g_data[1]`", "once more"]);
    assert!(!first.text.contains("= help:"), "{}", first.text);
    learner.says("2.1").exits(1, &["`g_data[1]`", "= help:"]);
    // Another failure, and the one before again.
    learner.write(&exercise("2.1"), &mutant("2.1", "guard-off-by-one"));
    let other = learner.says("2.1").exits(1, &["error[out-of-bounds]", "once more"]);
    assert!(!other.text.contains("= help:"), "{}", other.text);
}

/// Thread 0 needs no barrier there, but nvcc lets all threads load what only thread 0 uses.
#[test]
fn a_race_of_the_compiler_is_said_and_not_held_against_the_answer() {
    let learner = Learner::new("speculated");
    learner.write(&exercise("5.2"), &mutant("5.2", "by-thread-0"));
    let said =
        learner.says("5.2").exits(0, &["passed", "is not in your source: nvcc 13.0.88 moves a load ahead"]);
    assert!(!said.text.contains("nothing was found wrong"), "{}", said.text);
}

#[test]
fn whoever_has_seen_the_solution_may_ask_why() {
    let learner = Learner::new("why");
    learner.says("solution 2.2 --give-up").exits(0, &[]);
    learner.says("why 2.2").exits(0, &["2 > 1"]);
}

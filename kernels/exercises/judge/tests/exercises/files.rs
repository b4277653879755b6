//! What a learner's files and progress may be, and that nothing of theirs is lost.

#[cfg(unix)]
use std::process::{Command, Stdio};
#[cfg(unix)]
use std::time::{Duration, Instant};

#[cfg(unix)]
use super::learner::fake_nvcc;
use super::learner::{Learner, exercise, shown};

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
    learner
        .says("1.1 --figure")
        .exits(1, &["Element 2 is left out", "no figure: 1.1 has no kernel: there is no figure of it"]);
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
    // Tests that a shell has started in the background ignore the signal, and the compiler sleeps to its end.
    let nvcc = fake_nvcc(&learner, "sleep 20");
    let mut command = learner.command("2.1");
    command.env("NVCC", nvcc).env("TMPDIR", &temporary).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let names = || {
        let entries = std::fs::read_dir(&temporary).unwrap().map(|entry| entry.unwrap().file_name());
        entries.map(|name| name.to_string_lossy().into_owned()).collect::<Vec<_>>()
    };
    let begin = Instant::now();
    let pause = || {
        assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", names());
        std::thread::sleep(Duration::from_millis(5));
    };
    // The answer has a folder of its own, where its compiler's is there too.
    while names().len() < 2 {
        assert!(child.try_wait().unwrap().is_none());
        pause();
    }
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap().success());
    assert_eq!(child.wait().unwrap().code(), Some(130));
    // The compiler's goes when that has ended.
    while !names().is_empty() {
        pause();
    }
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
        learner
            .says("reset 3.1")
            .exits(0, &[&format!("Your file is now {}. To have it back, give it its old", shown(&name))]);
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

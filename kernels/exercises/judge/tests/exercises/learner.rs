//! A learner at a terminal: a folder with the tasks, the commands, and what they say.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use exercise::catalogue;
use exercise::id::Id;
use exercise::source::Exercise;
use kernel_compiler::compiler::{Compiler, Maker};

use super::root;

/// A path of the repository, as the platform writes it.
pub fn shown(path: &str) -> String {
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
    pub root: PathBuf,
    /// The compiler that may be found.
    pub compiler: Option<Maker>,
}

/// What the terminal shows.
pub struct Said {
    pub text: String,
    pub status: i32,
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
    pub fn command(&self, words: &str) -> Command {
        let mut command = Command::new(testing::example::program("exercise"));
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
    pub fn path_without_compilers(&self) -> std::ffi::OsString {
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
    pub fn says(self, parts: &[&str]) -> Said {
        for part in parts {
            assert!(self.text.contains(part), "no {part:?} in\n{}", self.text);
        }
        self
    }

    /// The numbers in the line of a table that begins with `name`.
    #[track_caller]
    pub fn row(&self, name: &str) -> Vec<String> {
        let row = self.text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix("  "));
        let row = row.unwrap_or_else(|| panic!("no line {name:?} in\n{}", self.text));
        row.split_whitespace().map(str::to_string).collect()
    }
}

/// A shell script that says it is nvcc 13.0.88, preprocesses, and then does `work`.
#[cfg(unix)]
pub fn fake_nvcc(learner: &Learner, work: &str) -> PathBuf {
    let path = learner.root.join("nvcc");
    let version = "echo 'Cuda compilation tools, release 13.0, V13.0.88'";
    let script = format!(
        "#!/bin/sh\nif [ \"$1\" = --version ]; then {version}; exit 0; fi\n[ \"$1\" = -E ] && exit\n{work}\n"
    );
    testing::example::script(&path, &script);
    path
}

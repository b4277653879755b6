//! The directives, through the program that mdBook calls, over a book of one page in a temporary directory.
//!
//! The simplest to copy: `a_listing_comes_from_its_anchor`.

#[path = "../../../../tests/fixtures/mod.rs"]
mod fixtures;

mod cells;
mod figures;
mod listings;
mod mistakes;
mod records;
mod values;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};

use mdbook_preprocessor::PreprocessorContext;
use mdbook_preprocessor::book::{Book, BookItem, Chapter};
use mdbook_preprocessor::config::Config;
use workbook::device::DeviceKind;
use workbook::record::Record;

/// A repository with a book: `kernels/k.cu`, `chapters/src/ch1_serial.rs`, and records for chapters 1, 3
/// and 4.
struct Repository {
    root: PathBuf,
}

const KERNEL: &str = "// about it\n\
    // ANCHOR: sum\n\
    __global__ void sum(int *data)\n\
    {\n\
    \x20   // ANCHOR: body\n\
    \x20   data[0] += data[1];\n\
    \n\
    \x20   data[0] += data[2];\n\
    \x20   // ANCHOR_END: body\n\
    }\n\
    // ANCHOR_END: sum\n\
    // ANCHOR: less\n\
    __global__ void sum(int *data)\n\
    {\n\
    \x20       data[0] += data[1];\n\
    }\n\
    // ANCHOR_END: less\n\
    // ANCHOR: open\n\
    // ANCHOR: empty\n\
    // ANCHOR_END: empty\n";

const HEADER: &str = "#define __global__ __attribute__((global))\n";

const GLOSSARY: &str = "# Glossary\n\n## Warp\n\nUp to 32 threads; see [`lane`](#lane).\n\nMore.\n\n\
    ## Compute capability\n\nWhat a GPU can do.\n";

const EXAMPLE: &str = "fn main() {}\n";

const EXERCISE: &str = "void sum(int *data)\n\
    {\n\
    \x20   //@ begin\n\
    \x20   data[0] += data[2];\n\
    \x20   //@ stub\n\
    \x20   //| // Here.\n\
    \x20   //@ end\n\
    }\n";

const ABOUT_EXERCISE: &str = r#"
id = "3.1"
title = "Add them up"
task = "All **three** of them."
learn = "to add up"
minutes = 10
difficulty = "takes thought"
goals = ["barriers <= 0 n=96 block=96"]
hints = ["Which one is missing?"]
why = "Why up?"
because = "Down is subtraction."

[host]
launches = ["sum<<<1, block>>> @data @out u32:n"]
result = "out"
"#;

impl Repository {
    fn new() -> Repository {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{}-{number}", std::process::id()));
        let directories = [
            "kernels/clang/host",
            "kernels/exercises/solutions",
            "chapters/src",
            "book/src/live/clang",
            "book/records",
            "book/theme",
        ];
        for directory in directories {
            fs::create_dir_all(root.join(directory)).unwrap();
        }
        fs::write(root.join("kernels/k.cu"), KERNEL).unwrap();
        fs::write(root.join("kernels/clang/cuda.h"), HEADER).unwrap();
        fs::write(root.join("kernels/clang/host/program.h"), HEADER).unwrap();
        let solutions = root.join("kernels/exercises/solutions");
        fs::write(solutions.join("3_1_add.cu"), EXERCISE).unwrap();
        fs::write(solutions.join("3_1_add.toml"), ABOUT_EXERCISE).unwrap();
        fs::write(solutions.join("mutants.toml"), "").unwrap();
        fs::write(root.join("chapters/src/ch1_serial.rs"), EXAMPLE).unwrap();
        fs::write(root.join("book/src/glossary.md"), GLOSSARY).unwrap();
        fs::write(root.join("book/src/live/clang/clang.json"), r#"{"version": "22.1.8"}"#).unwrap();
        let repository = Repository { root };
        for record in [
            fixtures::serial_on_cpu(),
            fixtures::blocks_on_gpu(),
            fixtures::blocks_on_simulator(),
            fixtures::nested_on_gpu(),
        ] {
            repository.add(&record, "book/records");
        }
        repository
    }

    /// Writes `record` as if it had been made with the present code.
    fn add(&self, record: &Record, directory: &str) {
        let kernels = workbook::kernels::all();
        let kernel = kernels.iter().find(|build| build.stem == record.stem);
        let source_hash = match kernel {
            Some(build) => build.code_hash.to_string(),
            None => workbook::kernel_compiler::hash::text_hash(EXAMPLE),
        };
        Record { source_hash, ..record.clone() }.write(&self.root.join(directory)).unwrap();
    }

    /// Exit status, the page, standard error.
    fn run(&self, page: &str) -> (i32, String, String) {
        preprocess(&self.root, page)
    }

    /// What `page` becomes.
    fn page(&self, page: &str) -> String {
        let (status, content, errors) = self.run(page);
        assert_eq!((status, errors.as_str()), (0, ""), "{page}");
        content
    }

    /// What is said of `page`, which cannot be built.
    fn error(&self, page: &str) -> String {
        let (status, content, errors) = self.run(page);
        assert_eq!(status, 2, "{page}\n{errors}");
        assert_eq!(content, "", "no page comes out of a failed build");
        errors
    }
}

impl Drop for Repository {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.root);
    }
}

/// Runs the preprocessor over a book with this one page, in the repository at `root`: exit status, the page
/// it made, standard error.
fn preprocess(root: &Path, page: &str) -> (i32, String, String) {
    let chapter = Chapter::new("A page", page.to_string(), "page.md", Vec::new());
    let book = Book::new_with_items(vec![BookItem::Chapter(chapter)]);
    let context = PreprocessorContext::new(root.join("book"), Config::default(), "html".to_string());
    let mut program = Command::new(env!("CARGO_BIN_EXE_mdbook-workbook"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let input = serde_json::to_vec(&(context, book)).unwrap();
    program.stdin.take().unwrap().write_all(&input).unwrap();
    let output = program.wait_with_output().unwrap();
    let content = serde_json::from_slice::<Book>(&output.stdout)
        .ok()
        .and_then(|book| book.chapters().next().map(|chapter| chapter.content.clone()));
    (output.status.code().unwrap(), content.unwrap_or_default(), String::from_utf8(output.stderr).unwrap())
}

/// `page` without the marks that keep what is covered out of the search's snippets.
fn unmarked(page: &str) -> String {
    let marks =
        ["<span hidden>\u{2063}</span>", "<span hidden>\u{2064}</span>", "<div hidden>\u{2064}</div>\n"];
    marks.iter().fold(page.to_string(), |page, mark| page.replace(mark, ""))
}

/// The places of `pieces` on `page`, which stand there in this order.
fn in_order(page: &str, pieces: &[&str]) {
    let mut from = 0;
    for piece in pieces {
        match page[from..].find(piece) {
            Some(at) => from += at,
            None => panic!("not on the page after what comes before: {piece}\n{page}"),
        }
    }
}

//! `cargo xtask renew` renews the files that are made from others and committed.
//!
//! Tests make these files. `cargo test` and `.ci/run` compare what they make with what is committed; here
//! they write it (`src/build/renew.rs`). Such a test's name ends with what it needs, `…_renewed_by_nvcc`, and
//! that is all that this program knows of it.

use std::io::{Write, stderr};
use std::process::{Command, ExitCode};

/// Makers in the order in which one needs what another has made; what each makes, and what it needs.
const MAKERS: [(&str, &str, &str); 5] = [
    (
        "nvcc",
        "PTX and fatbins of the chapters, the what-ifs, the exercises, the tests' kernels",
        "the nvcc of kernels/requirements.txt: .venv/bin/pip install -r kernels/requirements.txt",
    ),
    (
        "nvrtc",
        "the PTX of chapter 4's kernel of 2020",
        "NVRTC 12.9: python3 -m pip install --target target/nvrtc -r kernels/legacy/requirements.txt",
    ),
    (
        "clang",
        "the tests' kernels as clang has them, the appendix' verdicts, the arguments of the page's clang",
        "the clang of kernels/requirements.txt: pip install its wheel ziglang, set CLANG to its program zig",
    ),
    (
        "a_run",
        "the exercises' stubs, traces, transcripts, the appendix' tables, the simulator's records",
        "only what builds; a test that fails says the rest",
    ),
    ("rustc", "the page's WebAssembly", "rustc's target for it: rustup target add wasm32-wasip1"),
];

const USAGE: &str = "\
usage: cargo xtask renew [MAKER]...

Renews the files that are made from others and committed; all of them, or those of a MAKER:
";

const REST: &str = "\
Records with times need a GPU or an idle machine; CONTRIBUTING.md has their commands, and those of benches/.
Read the difference before you commit it.
";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let known = |word: &String| MAKERS.iter().any(|(maker, ..)| maker == word);
    let (Some("renew"), true) = (words.first().map(String::as_str), words.iter().skip(1).all(known)) else {
        say(USAGE);
        for (maker, what, _) in &MAKERS {
            say(&format!("  {maker:6} {what}\n"));
        }
        return ExitCode::from(2);
    };
    let wanted = |maker: &str| words.len() == 1 || words[1..].iter().any(|word| word == maker);
    let mut said = String::new();
    let mut all = true;
    for (maker, what, needs) in MAKERS.iter().filter(|(maker, ..)| wanted(maker)) {
        say(&format!("==== by {}: {what}\n", maker.replace('_', " ")));
        let done = renew(maker);
        all &= done;
        said += &if done {
            format!("renewed: {what}\n")
        } else {
            format!("not renewed, or not all: {what}\n    its tests say why (above); they need {needs}\n")
        };
    }
    say(&format!("\n{said}{REST}"));
    ExitCode::from(u8::from(!all))
}

/// Has the tests of `maker` write what they make; whether all of them could.
fn renew(maker: &str) -> bool {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."));
    // Without `--tests`, which leaves out the programs that tests run.
    cargo.args(["test", "--quiet", "--workspace", "--no-fail-fast", "--"]);
    cargo.args(["--include-ignored", &format!("renewed_by_{maker}")]);
    cargo.env("WORKBOOK_RENEW", "1").env("PYTHONPATH", "target/nvrtc");
    cargo.status().is_ok_and(|status| status.success())
}

fn say(text: &str) {
    let _ = stderr().write_all(text.as_bytes());
}

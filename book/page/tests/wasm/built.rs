//! The committed WebAssembly and its manifest: what it was made from, and how it is made.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};
use testing::renew::{HOW, committed, renewing};
use workbook::kernel_compiler::compiler::{Compiler, Maker};
use workbook::kernel_compiler::hash;
use workbook::kernel_compiler::program::headers_in_page;
use workbook::kernels;

use super::page::{Page, Ran};
use super::{read, root, text};

const TARGET: &str = "wasm32-wasip1";
const FLAGS: &str = "CARGO_TARGET_WASM32_WASIP1_RUSTFLAGS";

const PACKED: &str = "book/src/live/workbook.wasm.zst";
const MANIFEST: &str = "book/src/live/manifest.json";

fn manifest() -> Value {
    serde_json::from_str(&text(MANIFEST)).unwrap()
}

/// Bytes of the packed program: at 20 Mbit/s half a second. An eighth of them is the host of whole programs.
const MAX_PACKED: usize = 1_225_000;

#[test]
fn the_wasm_belongs_to_its_manifest() {
    let packed = read(PACKED);
    let manifest = manifest();
    assert_eq!(
        manifest["wasm"]["hash"],
        hash::hash(&packed),
        "{PACKED} is not that of {MANIFEST}: run `{HOW}`"
    );
    assert_eq!(manifest["wasm"]["bytes"], packed.len());
    assert!(
        packed.len() <= MAX_PACKED,
        "{} bytes are to be fetched at a reader's first run; at most {MAX_PACKED} are allowed: leave \
         something out of the page, as `cfg(target_family = \"wasm\")` does, or argue for more here",
        packed.len()
    );
}

#[test]
#[ignore = "needs node"]
fn every_chapter_with_a_kernel_is_in_it() {
    let known = manifest()["chapters"].clone();
    assert_eq!(
        json!(chapters(&Page::committed())),
        known,
        "{MANIFEST} has other chapters than {PACKED}: run `{HOW}`"
    );
    for build in kernels::all() {
        assert!(known.as_array().unwrap().contains(&json!(build.stem)), "no {}: run `{HOW}`", build.stem);
    }
}

/// The stems of the chapters that it runs.
fn chapters(page: &Page) -> Vec<String> {
    let ran = page.run(&[], "", &json!({})).unwrap();
    ran.stdout.lines().map(str::to_string).collect()
}

#[test]
fn it_names_no_machine() {
    let wasm = zstd::decode_all(&*read(PACKED)).unwrap();
    let has = |words: &str| wasm.windows(words.len()).any(|part| part == words.as_bytes());
    assert!(!has("/.cargo/") && !has("/home/") && !has("/Users/") && !has("C:\\"));
}

/// Makes the WebAssembly; where it is.
fn build() -> PathBuf {
    let root = root().canonicalize().unwrap();
    let home = std::env::home_dir().unwrap_or_default().join(".cargo");
    let home = std::env::var_os("CARGO_HOME").map_or(home, PathBuf::from);
    let test = std::env::current_exe().unwrap();
    let target = test.ancestors().nth(3).unwrap();
    let remap = |from: &Path, to: &str| format!("--remap-path-prefix={}={to}", from.display());
    // By these names copies of one function stand side by side, which makes what is fetched smaller by a
    // hundredth.
    let names = "-Csymbol-mangling-version=v0".to_string();
    // Numbers that the linker fills in take the bytes that they need, in place of five: a fiftieth less.
    let short = "-Clink-arg=--compress-relocations".to_string();
    let flags = [remap(&root, "."), remap(&home.join("registry").join("src"), "crates"), names, short];
    let given = std::env::var(FLAGS).unwrap_or_default();
    let status = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "page", "--profile", "live"])
        .args(["--target", TARGET, "--target-dir"])
        .arg(target)
        .env(FLAGS, given + " " + &flags.join(" "))
        .current_dir(&root)
        .status()
        .expect("cargo starts");
    assert!(status.success(), "it cannot be built; is the target there? rustup target add {TARGET}");
    target.join(TARGET).join("live/page.wasm")
}

fn rustc() -> String {
    let rustc = std::env::var_os("RUSTC").unwrap_or("rustc".into());
    let version = Command::new(rustc).arg("--version").current_dir(root()).output().expect("rustc starts");
    String::from_utf8(version.stdout).unwrap().trim().to_string()
}

/// What a run says at any time of the day.
fn said(ran: Ran) -> (i32, String, String, Value) {
    let mut shown = ran.shown.unwrap();
    shown["record"]["date"].take();
    (ran.status, ran.stdout, ran.stderr, shown)
}

/// Where files are renewed, writes the WebAssembly, packed, and its manifest; else proves that what the
/// sources give behaves as the committed one does. The bytes may depend on the compiler.
#[test]
#[ignore = "needs the target wasm32-wasip1, and node"]
fn the_wasm_is_renewed_by_rustc() {
    let wasm = build();
    let built = Page::new(&wasm);
    if renewing() {
        let packed = zstd::bulk::compress(&std::fs::read(&wasm).unwrap(), 22).unwrap();
        let about = json!({"hash": hash::hash(&packed), "bytes": packed.len(), "rustc": rustc()});
        let manifest = json!({"chapters": chapters(&built), "wasm": about});
        committed(MANIFEST, serde_json::to_string_pretty(&manifest).unwrap() + "\n");
        return committed(PACKED, packed);
    }
    let held = Page::committed();
    assert_eq!(chapters(&held), chapters(&built), "run `{HOW}`");
    for build in kernels::all() {
        let json = serde_json::to_string(build).unwrap();
        let words = [&*build.stem, "--device", "sim", "--no-sweep", "--n", "100", "--schedule", "3"];
        let [one, other] = [&held, &built].map(|page| said(page.run(&words, &json, &json!({})).unwrap()));
        assert!(one == other, "{}: run `{HOW}`", build.stem);
    }
}

const CPP_HEADERS: &str = "book/src/live/cpp_headers.json.zst";
/// Bytes of the packed headers of C++: at 20 Mbit/s 0.3 s.
const MAX_HEADERS: usize = 700_000;

/// The headers of C++ that a page fetches for a program that includes one. Packed, they depend on who packs.
#[test]
#[ignore = "needs the clang of kernels/requirements.txt"]
fn the_headers_of_cpp_are_renewed_by_clang() {
    let clang = Compiler::require(Maker::Clang, &root()).unwrap();
    let headers = serde_json::to_vec(&headers_in_page(&clang.path).unwrap()).unwrap();
    let is_held = || zstd::decode_all(&*read(CPP_HEADERS)).is_ok_and(|held| held == headers);
    if !root().join(CPP_HEADERS).exists() || !is_held() {
        committed(CPP_HEADERS, zstd::bulk::compress(&headers, 22).unwrap());
    }
    assert!(read(CPP_HEADERS).len() <= MAX_HEADERS);
}

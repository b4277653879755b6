//! Lists the chapters: every example `ch….rs` or `ch…/main.rs`.

// Cargo reads what a build script prints.
#![allow(clippy::print_stdout)]

use std::path::Path;

fn main() {
    // Asked for now: the clone may have been moved since this script was compiled.
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo says where the package is");
    let root = Path::new(&package).join("../..");
    let root = dunce::canonicalize(root).expect("the repository");
    let examples = root.join("examples");
    println!("cargo::rerun-if-changed={}", examples.display());
    let mut chapters = Vec::new();
    for entry in std::fs::read_dir(&examples).expect("examples/").flatten() {
        let path = entry.path();
        let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let main = if path.is_dir() { path.join("main.rs") } else { path };
        if stem.starts_with("ch") && main.is_file() {
            chapters.push((stem, main));
        }
    }
    chapters.sort();
    let mut code = String::new();
    for (stem, main) in &chapters {
        code += &format!("#[path = {main:?}]\n#[allow(dead_code, missing_docs)]\npub mod {stem};\n");
    }
    let names: Vec<_> = chapters.iter().map(|(stem, _)| format!("&{stem}::CHAPTER")).collect();
    code += "/// All chapters, in the order of their names.\n";
    code += &format!("pub static CHAPTERS: &[&workbook::chapter::Chapter] = &[{}];\n", names.join(", "));
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    std::fs::write(Path::new(&out).join("chapters.rs"), code).expect("chapters.rs can be written");
}

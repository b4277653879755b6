//! The builds that a page fetches: each chapter's as it stands, and with each edit of
//! `kernels/what_ifs.diff`.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};
use workbook::build::compiler::{Compiler, Maker};
use workbook::build::kernels::{self, BuildFile, WhatIf};
use workbook::build::prebuilt::{self, LEGACY};
use workbook::build::what_if::{self, DIRECTORY, Edit};

use workbook::build::renew::{HOW, committed};

use crate::{pinned_nvcc, read, root, scratch, write};

/// A file: its path, and what it must be but for the PTX.
struct Page {
    path: String,
    build: BuildFile,
}

/// All files; `ptx` stands for the PTX.
fn pages() -> Vec<Page> {
    let edits = what_if::all(root()).unwrap();
    let mut pages = Vec::new();
    for source_path in prebuilt::sources(root()).unwrap() {
        let source = read(&root().join(&source_path)).replace("\r\n", "\n");
        let stem = source_path.rsplit(['/', '.']).nth(1).unwrap().to_string();
        let mut page = |edit: Option<&Edit>| {
            let what_if = edit.map(|edit| WhatIf { name: edit.name.clone(), label: edit.label.clone() });
            let source = edit.map_or(source.clone(), |edit| edit.apply(&source).unwrap().0);
            let path = what_if::path(&stem, edit.map(|edit| &edit.name[..]));
            let (stem, source_path) = (stem.clone(), source_path.clone());
            let [ptx, newer, code_hash, compiler] = [(); 4].map(|()| String::new());
            let build = BuildFile { stem, source_path, source, ptx, newer, code_hash, compiler, what_if };
            pages.push(Page { path: path.display().to_string().replace('\\', "/"), build });
        };
        page(None);
        edits.iter().filter(|edit| edit.stem == stem).for_each(|edit| page(Some(edit)));
    }
    pages
}

/// What the book's manifest says of the edits.
fn what_ifs() -> Value {
    let mut of_stems: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for edit in what_if::all(root()).unwrap() {
        let source = read(&root().join(format!("kernels/{}.cu", edit.stem)));
        let line = |(line, text)| json!({"line": line, "text": text});
        let lines: Vec<_> = edit.apply(&source).unwrap().1.into_iter().map(line).collect();
        let Edit { stem, name, label, kernels, .. } = edit;
        let entry = json!({"name": name, "label": label, "kernels": kernels, "lines": lines});
        of_stems.entry(stem).or_default().push(entry);
    }
    json!(of_stems)
}

fn manifest() -> Value {
    serde_json::from_str(&read(&root().join(DIRECTORY).join("manifest.json"))).unwrap()
}

#[test]
fn every_edit_is_of_a_chapter_and_has_a_name_of_its_own() {
    let edits = what_if::all(root()).unwrap();
    let names: BTreeSet<_> = edits.iter().map(|edit| (&edit.stem, &edit.name)).collect();
    assert_eq!(names.len(), edits.len());
    for edit in &edits {
        assert!(kernels::find(&edit.stem).unwrap().is_some(), "{}", edit.stem);
        assert!(!edit.kernels.is_empty() && !edit.label.is_empty(), "{} {}", edit.stem, edit.name);
    }
}

#[test]
fn the_pages_builds_belong_to_their_sources() {
    let mut known = BTreeSet::from(["manifest.json".to_string()]);
    for Page { path, build } in pages() {
        let file: BuildFile = serde_json::from_str(&read(&root().join(&path))).unwrap();
        assert_eq!(prebuilt::code_hash(&file.ptx), file.code_hash, "{path} is damaged");
        let (code_hash, compiler) = (file.code_hash.clone(), file.compiler.clone());
        let (ptx, newer) = (file.ptx.clone(), file.newer.clone());
        assert_eq!(newer.is_empty(), prebuilt::newer_arch(&build.source, Maker::Nvcc).is_none(), "{path}");
        let expected = BuildFile { ptx, newer, code_hash, compiler, ..build };
        assert_eq!(file, expected, "{path} is not of this source; run `{HOW}`");
        if file.what_if.is_none() {
            let directory = if file.source_path.starts_with(LEGACY) { LEGACY } else { prebuilt::DIRECTORY };
            let committed = &prebuilt::manifest(root(), directory).unwrap()[&file.stem];
            assert_eq!(file.code_hash, committed.code_hash, "{path} is another build; run `{HOW}`");
        }
        known.insert(path.rsplit('/').next().unwrap().to_string());
    }
    for file in std::fs::read_dir(root().join(DIRECTORY)).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        assert!(!name.ends_with(".json") || known.contains(&name), "{DIRECTORY}/{name} belongs to nothing");
    }
    assert_eq!(manifest()["what_ifs"], what_ifs(), "manifest.json is of other edits; run `{HOW}`");
}

#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn the_pages_builds_are_renewed_by_nvcc() {
    for Page { path, build } in pages() {
        let (ptx, newer, compiler) = if build.source_path.starts_with(LEGACY) {
            // No nvcc makes it.
            let committed = prebuilt::manifest(root(), LEGACY).unwrap().remove(&build.stem).unwrap();
            let ptx = read(&root().join(LEGACY).join(&build.stem).with_extension("ptx"));
            (ptx, String::new(), committed.compiler)
        } else {
            let pinned = pinned_nvcc().path;
            let copy = scratch("what-if");
            write(&copy.join(&build.source_path), &build.source);
            let here = |name: &str| (name == "NVCC").then(|| pinned.clone().into());
            let nvcc = Compiler::of_with(Maker::Nvcc, &copy, here).unwrap().unwrap();
            let file = copy.join(&build.source_path);
            let newer = prebuilt::newer_arch(&build.source, Maker::Nvcc);
            let newer = newer
                .map_or(String::new(), |arch| nvcc.ptx_with(&file, &copy, Some(arch), &[]).unwrap().text);
            (nvcc.ptx(&file, &copy).unwrap().text, newer, nvcc.name())
        };
        let code_hash = prebuilt::code_hash(&ptx);
        let file = BuildFile { ptx, newer, code_hash, compiler, ..build };
        committed(path, serde_json::to_string(&file).unwrap() + "\n");
    }
    let mut manifest = manifest();
    manifest["what_ifs"] = what_ifs();
    let text = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
    committed(format!("{DIRECTORY}/manifest.json"), text);
}

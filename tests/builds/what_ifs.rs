//! The builds of the chapters' kernels with each edit of `kernels/what_ifs.edits`.

use std::collections::BTreeSet;

use rayon::prelude::*;
use testing::renew::{HOW, committed, is_wanted};
use workbook::kernel_compiler::build::{Build, WhatIf};
use workbook::kernel_compiler::compiler::{Compiler, Maker};
use workbook::kernel_compiler::{hash, prebuilt};
use workbook::kernels;
use workbook::what_if::{self, DIRECTORY, Edit};

use crate::{pinned_nvcc, read, root, scratch, write};

/// The path of an edit's file, and what that must be but for the PTX.
fn file(edit: &Edit) -> (String, Build) {
    let source_path = format!("kernels/{}.cu", edit.stem);
    let source = read(&root().join(&source_path)).replace("\r\n", "\n");
    let path = workbook::text::path::committed(&what_if::path(&edit.stem, &edit.name).to_string_lossy());
    let build = Build {
        stem: edit.stem.clone().into(),
        source_path: source_path.into(),
        source: edit.apply(&source).unwrap().0.into(),
        what_if: Some(WhatIf { name: edit.name.clone().into(), label: edit.label.clone().into() }),
        ..Build::default()
    };
    (path, build)
}

/// Edits of all chapters; one that is added or taken out counts here.
const EDITS: usize = 14;

fn edits() -> Vec<Edit> {
    let edits = what_if::all(root()).unwrap();
    assert_eq!(
        edits.len(),
        EDITS,
        "edits in {}; EDITS in tests/builds/what_ifs.rs counts them",
        what_if::FILE
    );
    edits
}

#[test]
fn every_edit_is_of_a_chapter_and_has_a_name_of_its_own() {
    let edits = edits();
    let names: BTreeSet<_> = edits.iter().map(|edit| (&edit.stem, &edit.name)).collect();
    assert_eq!(names.len(), edits.len());
    for edit in &edits {
        assert!(kernels::find(&edit.stem).unwrap().is_some(), "{}", edit.stem);
        assert!(!edit.kernels.is_empty() && !edit.label.is_empty(), "{} {}", edit.stem, edit.name);
    }
}

#[test]
fn the_edits_builds_belong_to_their_sources() {
    let mut known = BTreeSet::new();
    for (path, build) in edits().iter().map(file) {
        let file: Build = serde_json::from_str(&read(&root().join(&path))).unwrap();
        assert_eq!(hash::code_hash(&file.ptx), file.code_hash, "{path} is damaged");
        // Its comments may be older.
        let [made, is] = [&file.source, &build.source].map(|source| hash::source_hash(source));
        assert_eq!(made, is, "{path} is not of this source; run `{HOW}`");
        let needs_newer = prebuilt::newer_arch(&file.source, Maker::Nvcc).is_some();
        assert_eq!(!file.newer.is_empty(), needs_newer, "{path}");
        let identity = |build: &Build| (build.stem.clone(), build.source_path.clone(), build.what_if.clone());
        assert_eq!(identity(&file), identity(&build), "{path} is of another edit; run `{HOW}`");
        known.insert(path.rsplit('/').next().unwrap().to_string());
    }
    for file in std::fs::read_dir(root().join(DIRECTORY)).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        let is_edits = name.strip_suffix(".json").is_some_and(|name| name.contains('.'));
        assert!(!is_edits || known.contains(&name), "{DIRECTORY}/{name} belongs to nothing");
    }
}

#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn the_edits_builds_are_renewed_by_nvcc() {
    let nvcc = pinned_nvcc();
    let edits = edits();
    let wanted: Vec<&Edit> = edits.iter().filter(|edit| is_wanted(&edit.stem)).collect();
    wanted.par_iter().for_each(|edit| renewed(edit, &nvcc));
}

/// Proves that the committed build of `edit` is what `nvcc` gives.
fn renewed(edit: &Edit, nvcc: &Compiler) {
    let (path, build) = file(edit);
    let copy = scratch(&format!("what-if-{}-{}", edit.stem, edit.name));
    write(&copy.join(&*build.source_path), &build.source);
    let nvcc = nvcc.clone().run_in(&copy);
    let file = copy.join(&*build.source_path);
    let (ptx, newer) = prebuilt::both_ptx(&nvcc, &file, &build.source).unwrap();
    let file = Build {
        code_hash: hash::code_hash(&ptx.text).into(),
        ptx: ptx.text.into(),
        newer: newer.into(),
        compiler: nvcc.name().into(),
        ..build
    };
    committed(path, serde_json::to_string(&file).unwrap() + "\n");
}

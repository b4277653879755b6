//! The committed builds belong to their sources, and edits are noticed.

use std::collections::BTreeSet;
use std::path::Path;

use rayon::prelude::*;
use testing::renew::{committed, is_wanted, renewing};
use workbook::kernel_compiler::compiler::{Compiler, Maker, nested};
use workbook::kernel_compiler::hash;
use workbook::kernel_compiler::prebuilt::{self, Entry, LEGACY, Manifest};
use workbook::kernel_compiler::staging::Given;
use workbook::kernels;

use crate::{committed_manifest, pinned_nvcc, read, root};

/// Files of the committed builds; what is added or taken out counts here.
const FILES: usize = 36;

#[test]
fn committed_builds_name_no_machine() {
    let in_folder = |folder| std::fs::read_dir(root().join(folder)).unwrap().map(|file| file.unwrap().path());
    let files: BTreeSet<_> = [prebuilt::DIRECTORY, LEGACY].into_iter().flat_map(in_folder).collect();
    assert_eq!(files.len(), FILES, "committed builds; FILES in tests/builds/prebuilt.rs counts them");
    for path in files {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for trace in [
            "/home/",
            "/root/",
            "/tmp/",
            "/usr/",
            "site-packages",
            "\\Users\\",
            &root().display().to_string(),
        ] {
            assert!(!text.contains(trace), "{} holds {trace}", path.display());
        }
        for entry in text.lines().filter(|line| line.trim_start().starts_with(".file")) {
            let relative = entry.contains("\"kernels/") || entry.contains("\"include/");
            assert!(relative, "{}: {entry}", path.display());
        }
    }
}

/// A program of a chapter is a kernel, its build, an example, a record and a listing on a page, all under one
/// stem. A chapter may have further pages, which have no program of their own.
#[test]
fn every_piece_of_a_chapter_is_there() {
    let stem = |path: &Path| path.file_stem().unwrap().to_string_lossy().into_owned();
    let stems_in = |directory: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(root().join(directory)).unwrap();
        let stems = files.map(|file| stem(&file.unwrap().path()));
        stems.filter(|stem| stem.starts_with("ch") && stem.as_bytes()[2].is_ascii_digit()).collect()
    };
    let kernels: BTreeSet<_> =
        prebuilt::sources(root()).unwrap().iter().map(|path| stem(Path::new(path))).collect();
    let manifest = |directory| prebuilt::manifest(root(), directory).unwrap().into_keys();
    let builds: BTreeSet<_> = manifest(prebuilt::DIRECTORY).chain(manifest(LEGACY)).collect();
    let examples = stems_in("examples");
    let pages = stems_in("book/src");
    let is_page = |path: &Path| path.extension().is_some_and(|extension| extension == "md");
    let pages_text = std::fs::read_dir(root().join("book/src")).unwrap().map(|page| page.unwrap().path());
    let book: String = pages_text.filter(|path| is_page(path)).map(|path| read(&path)).collect();
    let summary = read(&root().join("book/src/SUMMARY.md"));
    let readme = read(&root().join("README.md"));
    let records: BTreeSet<_> = stems_in("book/records")
        .iter()
        .map(|name| name.split('.').next().unwrap_or_default().to_owned())
        .collect();

    let mut missing = Vec::new();
    for stem in [&kernels, &builds, &examples, &records].into_iter().flatten().collect::<BTreeSet<_>>() {
        let on_the_cpu = stem == "ch1_serial";
        for (there, piece) in [
            (on_the_cpu || kernels.contains(stem), "its kernel"),
            (on_the_cpu || builds.contains(stem), "its line in a manifest.json"),
            (examples.contains(stem), "its example"),
            (book.contains(&format!("/{stem}.")), "a listing on a page"),
            (records.contains(stem), "a record in book/records"),
            (readme.contains(&format!("`{stem}`")), "its line in README.md"),
        ] {
            if !there {
                missing.push(format!("{stem}: {piece}"));
            }
        }
    }
    for page in pages.iter().filter(|page| !summary.contains(&format!("({page}.md)"))) {
        missing.push(format!("{page}: its line in SUMMARY.md"));
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

/// A record tells by this hash that the kernel has changed since: code counts, comments and lines do not.
#[test]
fn the_code_hash_follows_the_code_alone() {
    let ptx = kernels::get("ch3_blocks").unwrap().ptx.into_owned();
    let hash = hash::code_hash(&ptx);
    let moved = ptx.replace("\t.loc\t1 ", "\t.loc\t1 1").replace("release 13.0", "release 13.9");
    assert_ne!(moved, ptx);
    assert_eq!(hash::code_hash(&moved), hash);
    assert_eq!(hash::code_hash(&ptx.replace('\n', "\r\n")), hash);
    let changed = ptx.replacen("add.s32", "sub.s32", 1);
    assert_ne!(hash::code_hash(&changed), hash);
}

#[test]
fn the_hash_is_fnv_1a() {
    // Test vectors of the definition.
    assert_eq!(hash::hash(b""), "cbf29ce484222325");
    assert_eq!(hash::hash(b"a"), "af63dc4c8601ec8c");
    assert_eq!(hash::hash(b"foobar"), "85944171f73967e8");
    assert_eq!(hash::text_hash("a\r\nb"), hash::text_hash("a\nb"));
}

/// Comments can be edited without a compiler, as long as the code stays in its lines.
#[test]
fn the_source_hash_is_that_of_the_code_in_its_lines() {
    let source =
        "int a; // one\n/* two\n */ char b = '\"', c[] = \"//\\\" /*\"; // three\nint d = 1'000; // 'four\n";
    let hash = hash::source_hash(source);
    for (from, to, counts) in [
        ("one", "another", false),
        ("; // three", ";", false),
        ("two", "'\"", false),
        ("\n", "\r\n", false),
        ("four", "four's", false),
        ("two", "two\n", true),
        ("int a", "long a", true),
        ("//\\", "/\\", true),
        ("/*\"", "/* \"", true),
        ("1'000", "1'001", true),
    ] {
        assert!(source.contains(from), "{from}");
        assert_eq!(hash::source_hash(&source.replace(from, to)) != hash, counts, "{from:?}: {to:?}");
    }
}

#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn the_chapters_builds_are_renewed_by_nvcc() {
    let nvcc = pinned_nvcc();
    let mut manifest = Manifest::new();
    if renewing() {
        manifest = prebuilt::manifest(root(), prebuilt::DIRECTORY).unwrap();
        manifest.retain(|stem, _| !is_wanted(stem));
    }
    let sources = prebuilt::sources(root()).unwrap();
    let wanted = |path: &&String| !path.starts_with(LEGACY) && is_wanted(&stem(path));
    let wanted: Vec<&String> = sources.iter().filter(wanted).collect();
    manifest.par_extend(wanted.par_iter().map(|path| (stem(path), renewed(&nvcc, path))));
    committed_manifest(prebuilt::DIRECTORY, &manifest);
}

fn stem(path: &str) -> String {
    Path::new(path).file_stem().unwrap().to_str().unwrap().to_owned()
}

/// Proves that the committed builds of the source at `path` are what `nvcc` gives; their manifest entry.
fn renewed(nvcc: &Compiler, path: &str) -> Entry {
    let file = root().join(path);
    let built = format!("{}/{}", prebuilt::DIRECTORY, stem(path));
    let ptx = nvcc.ptx(&file).unwrap_or_else(|error| panic!("{error:#}"));
    let fatbin = nvcc.fatbin(&file).unwrap_or_else(|error| panic!("{error:#}"));
    assert_eq!(ptx.warnings, "", "{path}");
    committed(format!("{built}.ptx"), &ptx.text);
    committed(format!("{built}.fatbin"), &fatbin.code);
    assert!(!fatbin.registers.is_empty(), "{path}: ptxas names no registers");
    let source = read(&file);
    let mut newer_hash = String::new();
    if let Some(arch) = prebuilt::newer_arch(&source, Maker::Nvcc) {
        let newer = nvcc.ptx_with(&file, Some(arch), Given::default());
        let newer = newer.unwrap_or_else(|error| panic!("{error:#}"));
        committed(format!("{built}.{}", prebuilt::NEWER), &newer.text);
        newer_hash = hash::code_hash(&newer.text);
    }
    let registers = fatbin.registers.iter().map(|(kernel, count)| (kernel.to_string(), *count));
    Entry {
        source_hash: hash::source_hash(&source),
        code_hash: hash::code_hash(&ptx.text),
        compiler: nvcc.name(),
        flags: workbook::kernel_compiler::nvcc::flags(&nvcc.version, nested(&source)),
        fatbin_bytes: fatbin.code.len(),
        fatbin_hash: hash::hash(&fatbin.code),
        registers: registers.collect(),
        newer_hash,
    }
}

#[test]
fn every_kernel_of_the_workbook_can_be_asked_for() {
    for path in prebuilt::sources(root()).unwrap() {
        let build = kernels::get(Path::new(&path).file_stem().unwrap().to_str().unwrap()).unwrap();
        assert_eq!(build.source_path, path);
        assert!(build.ptx.contains(".entry"), "{path}");
        assert_eq!(build.fatbin.is_empty(), path.starts_with(LEGACY), "{path}");
    }
    let error = kernels::get("ch0_none").unwrap_err().to_string();
    assert!(error.contains("no kernel named ch0_none; there are: ch2_parallel"), "{error}");
}

#[cfg(unix)]
mod with_a_fake_nvcc {
    use super::*;
    use crate::fake::{KERNEL, repository, script, with_nvcc};
    use crate::write;
    use workbook::kernel_compiler::build::{Build, State};

    #[test]
    fn an_unedited_kernel_uses_the_committed_build() {
        let (root, nvcc) = repository("unedited");
        for nvcc in [None, Some(&nvcc)] {
            let kernel = prebuilt::kernel(&root, KERNEL, nvcc).unwrap();
            assert_eq!((kernel.state, kernel.warnings.as_str()), (State::Prebuilt, ""));
            assert_eq!(kernel.ptx, read(&root.join("kernels/prebuilt/ch9_fake.ptx")));
        }
        // Line endings are not an edit.
        write(&root.join(KERNEL), "int sum;\r\n");
        assert_eq!(prebuilt::kernel(&root, KERNEL, None).unwrap().state, State::Prebuilt);

        let other = with_nvcc(&root, "4.5.6");
        let kernel = prebuilt::kernel(&root, KERNEL, Some(&other)).unwrap();
        assert_eq!((kernel.state, &*kernel.compiler), (State::Built, "nvcc 4.5.6"));

        // Another version that cannot compile it is no reason to stop.
        script(&other.path, "echo 'gcc: unsupported version' >&2; exit 1");
        let kernel = prebuilt::kernel(&root, KERNEL, Some(&other)).unwrap();
        assert_eq!((kernel.state, &*kernel.compiler), (State::Prebuilt, "nvcc 1.2.3"));
        assert!(kernel.warnings.contains("gcc: unsupported version"), "{}", kernel.warnings);
    }

    #[test]
    fn another_nvcc_makes_no_warnings_on_an_unedited_checkout() {
        let (root, _) = repository("unedited-other");
        let other = with_nvcc(&root, "4.5.6");
        let built = || prebuilt::kernel(&root, KERNEL, Some(&other)).unwrap();
        let warns =
            "echo 'kernels/ch9_fake.cu(1): warning: unused' >&2\nfor out; do :; done; echo > \"$out\"";
        script(&other.path, warns);
        assert_eq!(built().state, State::Built);
        assert_eq!(prebuilt::said(&[built()], true), [""; 0]);
        // It cannot: one line for all kernels, if this nvcc was asked for.
        script(
            &other.path,
            "printf 'kernels/ch9_fake.cu(1): error: no such thing\\n  sum\\n  ^\\n' >&2; exit 1",
        );
        let kernels = [built(), built()];
        assert_eq!(prebuilt::said(&kernels, false), [""; 0]);
        let said = prebuilt::said(&kernels, true);
        assert!(said.len() == 1 && said[0].starts_with("nvcc 4.5.6 could not compile"), "{said:?}");
        assert!(said[0].ends_with("The committed build by nvcc 1.2.3 is used."), "{said:?}");
        // A kernel that was edited is the reader's, and so are its warnings.
        write(&root.join(KERNEL), "int sum = 1;\n");
        script(&other.path, warns);
        let said = prebuilt::said(&[built()], false);
        assert_eq!(said, ["kernels/ch9_fake.cu(1): warning: unused"]);
    }

    /// The build goes on, and the chapter's run says why.
    #[test]
    fn an_edited_kernel_whose_compiler_cannot_do_its_work_waits() {
        let (root, nvcc) = repository("no-space");
        write(&root.join(KERNEL), "int sum = 1;\n");
        script(&nvcc.path, "echo 'fatal error: when writing output: No space left on device' >&2; exit 1");
        let kernel = prebuilt::kernel(&root, KERNEL, Some(&nvcc)).unwrap();
        assert_eq!(kernel.state, State::Stale);
        let why = kernel.check().unwrap_err().to_string();
        assert!(why.starts_with("nvcc 1.2.3 failed") && why.contains("No space left"), "{why}");
        let said = prebuilt::said(&[kernel.clone(), kernel], false);
        assert!(said.len() == 1 && said[0].starts_with("nvcc 1.2.3 failed"), "{said:?}");
        assert!(said[0].ends_with("(So too kernels/ch9_fake.cu.) A run of the chapter says what to do."));
    }

    #[test]
    fn an_edited_kernel_is_built_or_stale() {
        let (root, nvcc) = repository("edited");
        write(&root.join(KERNEL), "int sum = 1;\n");
        let built = prebuilt::kernel(&root, KERNEL, Some(&nvcc)).unwrap();
        assert_eq!(built.state, State::Built);

        let stale = prebuilt::kernel(&root, KERNEL, None).unwrap();
        assert_eq!(stale.state, State::Stale);
        assert!(!stale.ptx.is_empty());
        let message = build(KERNEL, "older", State::Stale).check().unwrap_err().to_string();
        for part in [
            "kernels/ch9_fake.cu has been edited",
            "python3 -m venv .venv\n",
            "pip install -r kernels/requirements.txt",
        ] {
            assert!(message.contains(part) && stale.warnings.contains(part), "{message}");
        }
        assert!(build(KERNEL, "", State::Built).check().is_ok());
    }

    #[test]
    fn a_new_kernel_needs_nvcc_to_run_but_not_to_build_the_crate() {
        const NEW: &str = "kernels/ch9_new.cu";
        let (root, nvcc) = repository("new");
        write(&root.join(NEW), "int more;\n");
        assert_eq!(prebuilt::sources(&root).unwrap(), [KERNEL, NEW]);
        let kernel = prebuilt::kernel(&root, NEW, None).unwrap();
        assert_eq!((kernel.state, &*kernel.ptx), (State::Stale, ""));
        let message = build(NEW, "", State::Stale).check().unwrap_err().to_string();
        assert!(message.contains("kernels/ch9_new.cu has never been built"), "{message}");
        assert_eq!(prebuilt::kernel(&root, NEW, Some(&nvcc)).unwrap().state, State::Built);
    }

    #[test]
    fn a_syntax_error_comes_back_whole() {
        let (root, nvcc) = repository("syntax");
        write(&root.join(KERNEL), "an error\n");
        let error = prebuilt::kernel(&root, KERNEL, Some(&nvcc)).unwrap_err().to_string();
        let expected = "kernels/ch9_fake.cu(3): error: expected a \";\"\n      sum = 1\n             ^";
        assert!(error.contains(expected), "{error}");
        assert!(error.starts_with("nvcc 1.2.3 could not compile kernels/ch9_fake.cu"), "{error}");
    }

    #[test]
    fn a_damaged_committed_build_is_refused_or_made_anew() {
        let (root, nvcc) = repository("damaged");
        write(&root.join("kernels/prebuilt/ch9_fake.fatbin"), "version https://git-lfs.github.com/spec/v1\n");
        let error = prebuilt::kernel(&root, KERNEL, None).unwrap_err().to_string();
        assert!(error.contains("git checkout kernels/prebuilt"), "{error}");
        let kernel = prebuilt::kernel(&root, KERNEL, Some(&nvcc)).unwrap();
        assert_eq!(kernel.state, State::Built);
        assert!(kernel.warnings.contains("git checkout kernels/prebuilt"), "{}", kernel.warnings);
    }

    fn build(source_path: &'static str, ptx: &'static str, state: State) -> Build {
        Build {
            stem: "ch9_fake".into(),
            source_path: source_path.into(),
            ptx: ptx.into(),
            code_hash: "0123456789abcdef".into(),
            compiler: "nvcc 1.2.3".into(),
            state,
            ..Build::default()
        }
    }
}

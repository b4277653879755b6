//! The kernels' builds: the committed ones belong to their sources, edits are noticed, and nvcc is found.
//!
//! Two tests need a real nvcc and are ignored by default. After an edit of a kernel, this makes the committed
//! builds anew: `WORKBOOK_BLESS=1 cargo test --test prebuilt -- --ignored`

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use workbook::build::prebuilt::{self, Entry, Manifest};

const BLESS: &str = "WORKBOOK_BLESS=1 cargo test --test prebuilt -- --ignored";

/// Chapters that have no kernel.
const WITHOUT_KERNEL: &[&str] = &["ch1_serial"];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn prebuilt_file(stem: &str, extension: &str) -> PathBuf {
    root().join(prebuilt::DIRECTORY).join(stem).with_extension(extension)
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

// ---- the committed builds -----------------------------------------------------------------------------

#[test]
fn every_committed_build_belongs_to_its_source() {
    let manifest = prebuilt::manifest(root()).unwrap();
    for stem in prebuilt::stems(root()).unwrap() {
        let path = prebuilt::source_path(&stem);
        let entry =
            manifest.get(&stem).unwrap_or_else(|| panic!("{path} has no committed build; run\n{BLESS}"));
        assert_eq!(
            entry.source_hash,
            prebuilt::source_hash(&read(&root().join(&path))),
            "{path} was edited after its build in kernels/prebuilt/ was made; run\n{BLESS}"
        );
        let ptx = read(&prebuilt_file(&stem, "ptx"));
        let fatbin = std::fs::read(prebuilt_file(&stem, "fatbin")).unwrap();
        assert_eq!(entry.code_hash, prebuilt::code_hash(&ptx), "{stem}.ptx is not the one in the manifest");
        assert_eq!(
            entry.fatbin_hash,
            prebuilt::hash(&fatbin),
            "{stem}.fatbin is not the one in the manifest"
        );
        assert_eq!(entry.fatbin_bytes, fatbin.len(), "{stem}.fatbin");
    }
}

#[test]
fn committed_builds_name_no_machine() {
    for file in std::fs::read_dir(root().join(prebuilt::DIRECTORY)).unwrap() {
        let path = file.unwrap().path();
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for trace in
            ["/home/", "/root/", "/tmp/", "/usr/", "site-packages", "\\Users\\", env!("CARGO_MANIFEST_DIR")]
        {
            assert!(!text.contains(trace), "{} holds {trace}", path.display());
        }
        for entry in text.lines().filter(|line| line.trim_start().starts_with(".file")) {
            let relative = entry.contains("\"kernels/") || entry.contains("\"include/");
            assert!(relative, "{}: {entry}", path.display());
        }
    }
}

/// A chapter is a kernel, its build, an example, a page and a SUMMARY line, all under one stem.
#[test]
fn every_piece_of_a_chapter_is_there() {
    let stems_in = |directory: &str, extension: &str| -> BTreeSet<String> {
        let files = std::fs::read_dir(root().join(directory)).into_iter().flatten().flatten();
        let names = files.filter_map(|file| file.file_name().into_string().ok());
        let is_chapter =
            |stem: &&str| stem.starts_with("ch") && stem.as_bytes().get(2).is_some_and(u8::is_ascii_digit);
        names.filter_map(|name| name.strip_suffix(extension).filter(is_chapter).map(str::to_owned)).collect()
    };
    let (kernels, examples) = (stems_in("kernels", ".cu"), stems_in("examples", ".rs"));
    let (ptx, fatbins) = (stems_in("kernels/prebuilt", ".ptx"), stems_in("kernels/prebuilt", ".fatbin"));
    let pages = stems_in("book/src", ".md");
    let listed: BTreeSet<String> = prebuilt::manifest(root()).unwrap().into_keys().collect();
    let summary = std::fs::read_to_string(root().join("book/src/SUMMARY.md")).unwrap_or_default();

    let mut missing = Vec::new();
    let all: BTreeSet<&String> =
        [&kernels, &examples, &ptx, &fatbins, &pages, &listed].into_iter().flatten().collect();
    for stem in all {
        let mut want = |there: bool, piece: String| {
            if !there {
                missing.push(format!("{stem}: {piece}"));
            }
        };
        if !WITHOUT_KERNEL.contains(&stem.as_str()) {
            want(kernels.contains(stem), format!("kernels/{stem}.cu"));
            want(ptx.contains(stem), format!("kernels/prebuilt/{stem}.ptx"));
            want(fatbins.contains(stem), format!("kernels/prebuilt/{stem}.fatbin"));
            want(listed.contains(stem), "its line in kernels/prebuilt/manifest.json".to_owned());
        }
        want(examples.contains(stem), format!("examples/{stem}.rs"));
        want(pages.contains(stem), format!("book/src/{stem}.md"));
        want(summary.contains(&format!("({stem}.md)")), "its line in book/src/SUMMARY.md".to_owned());
    }
    assert!(missing.is_empty(), "missing:\n{}", missing.join("\n"));
}

/// A record tells by this hash that the kernel has changed since: code counts, comments and lines do not.
#[test]
fn the_code_hash_follows_the_code_alone() {
    let ptx = read(&prebuilt_file("ch3_blocks", "ptx"));
    let hash = prebuilt::code_hash(&ptx);
    let moved = ptx.replace("\t.loc\t1 ", "\t.loc\t1 1").replace("release 13.0", "release 13.9");
    assert_ne!(moved, ptx);
    assert_eq!(prebuilt::code_hash(&moved), hash);
    assert_eq!(prebuilt::code_hash(&ptx.replace('\n', "\r\n")), hash);
    let changed = ptx.replacen("add.s32", "sub.s32", 1);
    assert_ne!(prebuilt::code_hash(&changed), hash);
}

#[test]
fn the_hash_is_fnv_1a() {
    // Test vectors of the definition.
    assert_eq!(prebuilt::hash(b""), "cbf29ce484222325");
    assert_eq!(prebuilt::hash(b"a"), "af63dc4c8601ec8c");
    assert_eq!(prebuilt::hash(b"foobar"), "85944171f73967e8");
    assert_eq!(prebuilt::source_hash("a\r\nb"), prebuilt::source_hash("a\nb"));
}

// ---- with a real nvcc ---------------------------------------------------------------------------------

/// With `WORKBOOK_BLESS` set, writes the committed builds; else proves that they are what the sources give.
#[test]
#[ignore = "needs nvcc of the version in kernels/requirements.txt"]
fn nvcc_gives_the_committed_builds() {
    let nvcc = workbook::build::nvcc::Nvcc::find(root()).unwrap().unwrap_or_else(|| {
        panic!("no nvcc was found.\n{}", workbook::build::nvcc::HOW_TO_GET_NVCC);
    });
    let pinned = format!("nvidia-cuda-nvcc=={}", nvcc.version);
    assert!(
        read(&root().join("kernels/requirements.txt")).lines().any(|line| line == pinned),
        "{} has version {}; the committed builds are made by the one that kernels/requirements.txt pins.\n{}",
        nvcc.path.display(),
        nvcc.version,
        workbook::build::nvcc::HOW_TO_GET_NVCC
    );
    let bless = std::env::var_os("WORKBOOK_BLESS").is_some();
    if bless {
        std::fs::create_dir_all(root().join(prebuilt::DIRECTORY)).unwrap();
    }
    let scratch = scratch("real");
    let (mut manifest, mut changed) = (Manifest::new(), Vec::new());
    for stem in prebuilt::stems(root()).unwrap() {
        let path = root().join(prebuilt::source_path(&stem));
        let ptx = nvcc.ptx(&path, &scratch).unwrap_or_else(|error| panic!("{error:#}"));
        let fatbin = nvcc.fatbin(&path, &scratch).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(ptx.warnings, "", "{stem}");
        let source = read(&path);
        let nested = workbook::build::nvcc::nested(&source);
        for (extension, bytes) in [("ptx", ptx.text.as_bytes()), ("fatbin", &fatbin)] {
            let committed = prebuilt_file(&stem, extension);
            if bless {
                std::fs::write(&committed, bytes).unwrap();
            } else if std::fs::read(&committed).ok().as_deref() != Some(bytes) {
                changed.push(format!("kernels/prebuilt/{stem}.{extension}"));
            }
        }
        let entry = Entry {
            source_hash: prebuilt::source_hash(&source),
            code_hash: prebuilt::code_hash(&ptx.text),
            compiler: nvcc.compiler(),
            flags: nvcc.flags(nested),
            fatbin_bytes: fatbin.len(),
            fatbin_hash: prebuilt::hash(&fatbin),
        };
        manifest.insert(stem, entry);
    }
    if bless {
        let text = serde_json::to_string_pretty(&manifest).unwrap() + "\n";
        std::fs::write(root().join(prebuilt::DIRECTORY).join("manifest.json"), text).unwrap();
    }
    assert!(changed.is_empty(), "not what the sources give: {}; run\n{BLESS}", changed.join(", "));
    assert_eq!(prebuilt::manifest(root()).unwrap(), manifest, "the manifest; run\n{BLESS}");
}

#[test]
#[ignore = "needs nvcc"]
fn ptx_does_not_depend_on_where_the_repository_lies() {
    let nvcc = |root: &Path| {
        let real = workbook::build::nvcc::Nvcc::find(self::root()).unwrap().expect("an nvcc");
        let here = move |name: &str| (name == "NVCC").then(|| real.path.clone().into());
        workbook::build::nvcc::Nvcc::find_with(root, here).unwrap().unwrap()
    };
    // A static function that stays a function, and a header: both carry paths.
    let source = "static __device__ __noinline__ int twice(int x) { return 2 * x; }\n\
                  extern \"C\" __global__ void k(int *p) { atomicAdd(p, twice(*p)); }\n";
    let [near, far] = ["near", "far/away"].map(|place| {
        let root = scratch("place").join(place);
        write(&root.join("kernels/ch9_place.cu"), source);
        nvcc(&root).ptx(&root.join("kernels/ch9_place.cu"), &root).unwrap().text
    });
    assert!(near.contains("_00000000_12_ch9_place_cu_"), "{near}");
    assert!(
        near.contains("\"kernels/ch9_place.cu\"") && near.contains("\"include/device_atomic_functions.hpp\""),
        "{near}"
    );
    assert_eq!(near, far);
}

fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}

/// An empty directory of this test's own.
fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("prebuilt").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

// ---- with an nvcc that is a shell script --------------------------------------------------------------

#[cfg(unix)]
mod with_a_fake_nvcc {
    use super::{prebuilt, read, root, scratch, write};
    use std::ffi::OsString;
    use std::os::unix::fs::PermissionsExt;
    use std::path::{Path, PathBuf};
    use std::sync::{Mutex, MutexGuard};
    use workbook::build::kernels::Build;
    use workbook::build::nvcc::Nvcc;
    use workbook::build::prebuilt::State;

    /// A script cannot be started while another thread's child still holds it open for writing, so these tests
    /// go one at a time.
    fn one_at_a_time() -> MutexGuard<'static, ()> {
        static TURN: Mutex<()> = Mutex::new(());
        TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    fn script(path: &Path, body: &str) {
        write(path, &format!("#!/bin/sh\n{body}\n"));
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    /// Answers `--version`, and compiles to a few lines that hold what nvcc's would: its own options and paths,
    /// and the hash before the file's name. A source with an `error` in it is refused in three lines.
    fn fake(path: &Path, version: &str) {
        let body = format!(
            r#"if [ "$1" = --version ]; then echo "Cuda compilation tools, release 1.2, V{version}"; exit; fi
options=
while [ $# -gt 0 ]; do
    case "$1" in -o) out=$2; shift ;; -*) options="$options $1" ;; *) source=$1 ;; esac
    shift
done
if grep -q error "$source"; then
    printf '%s(3): error: expected a ";"\n      sum = 1\n             ^\n' "$source" >&2; exit 2
fi
printf '// %s\n.func _ZN_INTERNAL_0123abcd_11_ch9_fake_cu_f()\n' "$options" > "$out"
printf '.file 1 "%s/%s"\n.file 2 "/opt/cuda/bin/..//include/crt/math.hpp"\n' "$PWD" "$source" >> "$out"
printf '.b8 95,48,49,50,51\n.b8 97,98,99,100,95,49,49,95,99,104,57,95,102,97,107,101,95,99,117,95,0\n' >> "$out""#
        );
        script(path, &body);
    }

    fn find(root: &Path, variables: &[(&str, &Path)]) -> anyhow::Result<Option<Nvcc>> {
        Nvcc::find_with(root, |name| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| OsString::from(value))
        })
    }

    /// A repository with the kernel `ch9_fake`, built and committed by a fake nvcc 1.2.3.
    fn repository(name: &str) -> (PathBuf, Nvcc) {
        let root = scratch(name);
        write(&root.join("kernels/ch9_fake.cu"), "int sum;\n");
        let nvcc = with_nvcc(&root, "1.2.3");
        let kernel = prebuilt::kernel(&root, "ch9_fake", Some(&nvcc), &root).unwrap();
        let directory = root.join(prebuilt::DIRECTORY);
        write(&directory.join("ch9_fake.ptx"), &kernel.ptx);
        std::fs::write(directory.join("ch9_fake.fatbin"), &kernel.fatbin).unwrap();
        let manifest = serde_json::json!({ "ch9_fake": {
            "source_hash": prebuilt::source_hash("int sum;\n"),
            "code_hash": kernel.code_hash, "compiler": kernel.compiler, "flags": [],
            "fatbin_bytes": kernel.fatbin.len(), "fatbin_hash": prebuilt::hash(&kernel.fatbin),
        }});
        write(&directory.join("manifest.json"), &manifest.to_string());
        (root, nvcc)
    }

    fn with_nvcc(root: &Path, version: &str) -> Nvcc {
        let path = root.join(format!("nvcc-{version}"));
        fake(&path, version);
        find(root, &[("NVCC", &path)]).unwrap().unwrap()
    }

    #[test]
    fn nvcc_is_looked_for_in_order() {
        let _turn = one_at_a_time();
        let root = scratch("order");
        assert!(find(&root, &[]).unwrap().is_none());

        let wheel = "lib/python3.12/site-packages/nvidia/cu13/bin/nvcc";
        let places = [
            ("VIRTUAL_ENV", "active", "active".to_owned() + "/" + wheel),
            ("", "", ".venv/".to_owned() + wheel),
            ("PATH", "bin", "bin/nvcc".to_owned()),
            ("CUDA_PATH", "cuda-path", "cuda-path/bin/nvcc".to_owned()),
            ("CUDA_HOME", "cuda-home", "cuda-home/bin/nvcc".to_owned()),
            ("NVCC", "my nvcc", "my nvcc".to_owned()),
        ];
        // From the last place to look at to the first: each hides those before it.
        let mut variables: Vec<(&str, PathBuf)> = Vec::new();
        for (variable, value, program) in &places {
            fake(&root.join(program), "1.2.3");
            variables.push((variable, root.join(value)));
            let variables: Vec<_> = variables.iter().map(|(name, value)| (*name, value.as_path())).collect();
            let found = find(&root, &variables).unwrap().unwrap();
            assert_eq!((found.path, found.version.as_str()), (root.join(program), "1.2.3"), "{variable}");
        }
    }

    #[test]
    fn an_nvcc_that_does_not_run_is_an_error_only_where_it_was_asked_for() {
        let _turn = one_at_a_time();
        let root = scratch("broken");
        script(&root.join("broken/nvcc"), "echo no; exit 1");
        fake(&root.join(".venv/lib/python3.9/site-packages/nvidia/cu13/bin/nvcc"), "1.2.3");
        let found = find(&root, &[("PATH", &root.join("broken"))]).unwrap().unwrap();
        assert!(found.path.starts_with(root.join(".venv")));
        assert!(find(&root, &[("NVCC", Path::new(""))]).unwrap().is_some());

        for path in ["broken/nvcc", "absent/nvcc", "nvcc-99"] {
            let error = find(&root, &[("NVCC", Path::new(path))]).unwrap_err();
            assert!(format!("{error:#}").contains(&format!("NVCC is set to {path}, which does not run")));
        }
        // A bare name is looked for in PATH.
        let found = find(&root, &[("NVCC", Path::new("nvcc-1")), ("PATH", &root.join("bin"))]);
        assert!(found.is_err());
        fake(&root.join("bin/nvcc-1"), "1.0.0");
        let found = find(&root, &[("NVCC", Path::new("nvcc-1")), ("PATH", &root.join("bin"))]);
        assert_eq!(found.unwrap().unwrap().version, "1.0.0");
    }

    #[test]
    fn ptx_holds_no_path_of_the_machine() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("paths");
        let ptx = nvcc.ptx(&root.join("kernels/ch9_fake.cu"), &root).unwrap();
        let expected = "//  -ptx -O3 -lineinfo -arch=compute_75\n\
                        .func _ZN_INTERNAL_00000000_11_ch9_fake_cu_f()\n\
                        .file 1 \"kernels/ch9_fake.cu\"\n\
                        .file 2 \"include/crt/math.hpp\"\n\
                        .b8 95,48,48,48,48\n\
                        .b8 48,48,48,48,95,49,49,95,99,104,57,95,102,97,107,101,95,99,117,95,0\n";
        assert_eq!(ptx.text, expected);
    }

    #[test]
    fn a_kernel_that_launches_kernels_is_linked_with_the_device_runtime() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("nested");
        let source = root.join("kernels/ch9_fake.cu");
        let options = |nvcc: &Nvcc| {
            let fatbin = String::from_utf8(nvcc.fatbin(&source, &root).unwrap()).unwrap();
            [nvcc.ptx(&source, &root).unwrap().text, fatbin]
                .map(|text| text.lines().next().unwrap().to_owned())
        };
        write(&source, "// child<<<1, 1>>>(); only a comment\n");
        assert!(options(&nvcc).iter().all(|options| !options.contains("rdc")));
        write(&source, "child<<<1, 1>>>();\n");
        let [ptx, fatbin] = options(&nvcc);
        assert!(ptx.ends_with("-rdc=true"), "{ptx}");
        assert!(fatbin.ends_with("-dlink -lcudadevrt"), "{fatbin}");
        // Before CUDA 12.8 there is no --compress-mode.
        assert!(fatbin.contains("-Xfatbin=-compress-all"), "{fatbin}");
        let [_, fatbin] = options(&with_nvcc(&root, "12.8.61"));
        assert!(fatbin.contains("--compress-mode=size"), "{fatbin}");
    }

    #[test]
    fn an_unedited_kernel_uses_the_committed_build() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("unedited");
        for nvcc in [None, Some(&nvcc)] {
            let kernel = prebuilt::kernel(&root, "ch9_fake", nvcc, &root).unwrap();
            assert_eq!((kernel.state, kernel.warnings.as_str()), (State::Prebuilt, ""));
            assert_eq!(kernel.ptx, read(&root.join("kernels/prebuilt/ch9_fake.ptx")));
        }
        // Line endings are not an edit.
        write(&root.join("kernels/ch9_fake.cu"), "int sum;\r\n");
        assert_eq!(prebuilt::kernel(&root, "ch9_fake", None, &root).unwrap().state, State::Prebuilt);

        let other = with_nvcc(&root, "4.5.6");
        let kernel = prebuilt::kernel(&root, "ch9_fake", Some(&other), &root).unwrap();
        assert_eq!((kernel.state, kernel.compiler.as_str()), (State::Built, "nvcc 4.5.6"));

        // Another version that cannot compile it is no reason to stop.
        script(&other.path, "echo 'gcc: unsupported version' >&2; exit 1");
        let kernel = prebuilt::kernel(&root, "ch9_fake", Some(&other), &root).unwrap();
        assert_eq!((kernel.state, kernel.compiler.as_str()), (State::Prebuilt, "nvcc 1.2.3"));
        assert!(kernel.warnings.contains("gcc: unsupported version"), "{}", kernel.warnings);
    }

    #[test]
    fn an_edited_kernel_is_built_or_stale() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("edited");
        write(&root.join("kernels/ch9_fake.cu"), "int sum = 1;\n");
        let built = prebuilt::kernel(&root, "ch9_fake", Some(&nvcc), &root).unwrap();
        assert_eq!(built.state, State::Built);

        let stale = prebuilt::kernel(&root, "ch9_fake", None, &root).unwrap();
        assert_eq!(stale.state, State::Stale);
        assert!(!stale.ptx.is_empty());
        let message = build("kernels/ch9_fake.cu", "older", State::Stale).check().unwrap_err().to_string();
        for part in [
            "kernels/ch9_fake.cu has been edited",
            "python3 -m venv .venv\n",
            "pip install -r kernels/requirements.txt",
        ] {
            assert!(message.contains(part) && stale.warnings.contains(part), "{message}");
        }
        assert!(build("kernels/ch9_fake.cu", "", State::Built).check().is_ok());
    }

    #[test]
    fn a_new_kernel_needs_nvcc_to_run_but_not_to_build_the_crate() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("new");
        write(&root.join("kernels/ch9_new.cu"), "int more;\n");
        assert_eq!(prebuilt::stems(&root).unwrap(), ["ch9_fake", "ch9_new"]);
        let kernel = prebuilt::kernel(&root, "ch9_new", None, &root).unwrap();
        assert_eq!((kernel.state, kernel.ptx.as_str()), (State::Stale, ""));
        let message = build("kernels/ch9_new.cu", "", State::Stale).check().unwrap_err().to_string();
        assert!(message.contains("kernels/ch9_new.cu has never been built"), "{message}");
        assert_eq!(prebuilt::kernel(&root, "ch9_new", Some(&nvcc), &root).unwrap().state, State::Built);
    }

    #[test]
    fn a_syntax_error_comes_back_whole() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("syntax");
        write(&root.join("kernels/ch9_fake.cu"), "an error\n");
        let error = prebuilt::kernel(&root, "ch9_fake", Some(&nvcc), &root).unwrap_err().to_string();
        let expected = "kernels/ch9_fake.cu(3): error: expected a \";\"\n      sum = 1\n             ^";
        assert!(error.contains(expected), "{error}");
        assert!(error.starts_with("nvcc 1.2.3 could not compile kernels/ch9_fake.cu"), "{error}");
    }

    #[test]
    fn a_damaged_committed_build_is_refused_or_made_anew() {
        let _turn = one_at_a_time();
        let (root, nvcc) = repository("damaged");
        write(&root.join("kernels/prebuilt/ch9_fake.fatbin"), "version https://git-lfs.github.com/spec/v1\n");
        let error = prebuilt::kernel(&root, "ch9_fake", None, &root).unwrap_err().to_string();
        assert!(error.contains("git checkout kernels/prebuilt"), "{error}");
        let kernel = prebuilt::kernel(&root, "ch9_fake", Some(&nvcc), &root).unwrap();
        assert_eq!(kernel.state, State::Built);
        assert!(kernel.warnings.contains("git checkout kernels/prebuilt"), "{}", kernel.warnings);
    }

    fn build(source_path: &'static str, ptx: &'static str, state: State) -> Build {
        let (code_hash, compiler) = ("0123456789abcdef", "nvcc 1.2.3");
        Build { stem: "ch9_fake", source_path, source: "", ptx, fatbin: &[], code_hash, compiler, state }
    }

    #[test]
    fn every_kernel_of_the_workbook_can_be_asked_for() {
        for stem in prebuilt::stems(root()).unwrap() {
            let build = workbook::build::kernels::get(&stem).unwrap();
            assert!(build.ptx.contains(".entry") && !build.fatbin.is_empty(), "{stem}");
        }
        let error = workbook::build::kernels::get("ch0_none").unwrap_err().to_string();
        assert!(error.contains("no kernel named ch0_none; there are: ch2_parallel"), "{error}");
    }
}

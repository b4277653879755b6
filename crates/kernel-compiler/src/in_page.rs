//! clang in a page: its front end and its back end, without the driver, which translates a command line's
//! options into those of the front end. That is done here, by what the driver gives for each kind of build
//! (`cc1.json`). What becomes of the answer is as for any clang.
//!
//! In a page the repository lies in `/`.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context, Result};
use serde::{Deserialize, Serialize};

use super::compiler::{Maker, nested};
use super::explain::explained;
use super::{call, capability, clang, prebuilt};

/// The front end's arguments by kind of build; `{path}`, `{name}` and `{capability}` stand for a call's own.
const ARGUMENTS: &str = include_str!("cc1.json");

/// A source that a page wants compiled.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Request {
    /// From the repository root: `kernels/ch3_blocks.cu`.
    pub path: String,
    /// Its text.
    pub source: String,
    /// None: that of [`capability::of`], and 9.0 too where the source has kernels for it alone.
    #[serde(default)]
    pub capability: Option<String>,
}

/// What clang answers to one call.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// 0: it compiled.
    pub status: i32,
    /// What it wrote to stdout.
    pub ptx: String,
    /// What it wrote to stderr.
    pub said: String,
}

/// What came of a request.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub struct Compiled {
    /// 0: it compiled.
    pub status: i32,
    /// PTX; empty if it did not compile.
    pub ptx: String,
    /// The same for newer GPUs, where the source has kernels for them alone; else empty.
    pub newer: String,
    /// clang's messages, as a terminal shows them; empty if there are none.
    pub said: String,
}

/// The arguments of each call of clang's front end that `request` takes.
///
/// # Errors
/// A path or a capability that is none.
pub fn calls(request: &Request) -> Result<Vec<Vec<String>>> {
    let Request { path, source, capability } = request;
    let name = path.rsplit('/').next().unwrap_or_default();
    anyhow::ensure!(name.ends_with(".cu"), "{path} is not the path of a kernel file");
    let capabilities = match capability {
        Some(one) => vec![one.as_str()],
        None => {
            [capability::of(source)].into_iter().chain(prebuilt::newer_arch(source, Maker::Clang)).collect()
        }
    };
    let kinds: BTreeMap<String, String> =
        serde_json::from_str(ARGUMENTS).context("cc1.json is not a list of arguments")?;
    let kind = kind(nested(source));
    let arguments = kinds.get(kind).with_context(|| format!("cc1.json has no {kind}"))?;
    let call = |capability: &str| {
        anyhow::ensure!(
            !capability.is_empty() && capability.bytes().all(|byte| byte.is_ascii_digit()),
            "{capability} is not a compute capability: 75 is one"
        );
        let of = |argument: &str| {
            argument.replace("{path}", path).replace("{name}", name).replace("{capability}", capability)
        };
        Ok(arguments.split(' ').map(of).collect())
    };
    capabilities.into_iter().map(call).collect()
}

/// What came of the request for `path`, whose text is `source`, by the answers to its calls.
pub fn compiled(path: &str, source: &str, answers: Vec<Answer>) -> Compiled {
    let mut ptx = Vec::new();
    let mut first_said = None;
    for Answer { status, ptx: text, said } in answers {
        let mut said = explained(&call::messages(&said, path), path, source);
        if status != 0 {
            said.extend(clang::what_is_lacking(&said).map(|lacking| format!("\n{lacking}\n")));
            return Compiled { status, ptx: String::new(), newer: String::new(), said };
        }
        ptx.push(call::with_files(&text, |entry| call::file_entry(Path::new("/"), entry, path)));
        first_said.get_or_insert(said);
    }
    let mut ptx = ptx.into_iter();
    let mut next = || ptx.next().unwrap_or_default();
    Compiled { status: 0, ptx: next(), newer: next(), said: first_said.unwrap_or_default() }
}

fn kind(nested: bool) -> &'static str {
    if nested { "nested" } else { "plain" }
}

#[cfg(test)]
mod tests {

    use super::super::compiler::{Compiler, Maker};
    use super::super::renew::committed;
    use super::*;

    fn request(source: &str, capability: Option<&str>) -> Request {
        let capability = capability.map(str::to_owned);
        Request { path: "kernels/x.cu".into(), source: source.into(), capability }
    }

    #[test]
    fn a_request_takes_a_call_for_each_capability() {
        let of = |source: &str, capability| {
            let calls = calls(&request(source, capability)).unwrap();
            calls.into_iter().map(|call| call.join(" ")).collect::<Vec<_>>()
        };
        let plain = &of("int i;", None)[..];
        assert!(
            matches!(plain, [one] if one.contains("-target-cpu sm_75") && one.contains(" -O2 ")),
            "{plain:?}"
        );
        assert!(plain[0].ends_with(" -x cuda kernels/x.cu") && plain[0].contains("-main-file-name x.cu"));
        assert!(plain[0].contains(" -include /kernels/clang/cuda.h ") && !plain[0].contains("-fgpu-rdc"));
        assert!(of("k<<<1, 1>>>();", None)[0].contains(" -fgpu-rdc "));
        let newer = of("#if __CUDA_ARCH__ >= 900", None);
        assert!(matches!(&newer[..], [_, newer] if newer.contains("sm_90") && newer.contains("LIST__=900")));
        assert_eq!(of("#if __CUDA_ARCH__ >= 900", Some("90")), newer[1..]);
        for (path, capability) in [("kernels/x", None), ("x.cu", Some("7.5")), ("x.cu", Some("{path}"))] {
            let request = Request { path: path.into(), ..request("", capability) };
            assert!(calls(&request).is_err(), "{request:?}");
        }
    }

    #[test]
    fn an_answer_becomes_what_a_terminal_has() {
        let answer = |status, ptx: &str, said: &str| Answer { status, ptx: ptx.into(), said: said.into() };
        let ptx = ".file 1 \"/kernels/x.cu\"\n.file 2 \"/kernels/clang/cuda.h\"\n";
        let warned = "kernels/x.cu(1): warning: unused\n1 warning generated when compiling for sm_75.\n";
        let held =
            compiled("kernels/x.cu", "", vec![answer(0, ptx, warned), answer(0, "// newer\n", warned)]);
        assert_eq!(held.ptx, ".file 1 \"kernels/x.cu\"\n.file 2 \"kernels/clang/cuda.h\"\n");
        assert_eq!((held.status, &*held.newer), (0, "// newer\n"));
        assert_eq!(held.said, "kernels/x.cu(1): warning: unused\n");
        let said = "kernels/x.cu(1): error: use of undeclared identifier '__vadd4'\n";
        let held = compiled("kernels/x.cu", "", vec![answer(1, "", said)]);
        assert_eq!((held.status, &*held.ptx), (1, ""));
        assert!(held.said.starts_with(said) && held.said.contains("If __vadd4 is CUDA's"), "{}", held.said);
    }

    /// What the driver of `clang` calls its front end with, as `cc1.json` has it: without the output, and
    /// without where clang itself lies.
    fn driven(clang: &Compiler, options: &[&str], nested: bool) -> String {
        let path = "kernels/ch3_blocks.cu";
        let mut command = clang.command(clang::flags(options, "75", nested), path);
        let command = command.current_dir(crate::root().unwrap()).args(["-###", "-o", "out.ptx"]);
        let said = command.output().expect("clang starts").stderr;
        let said = String::from_utf8(said).unwrap();
        let line = said.lines().find(|line| line.contains("\"-cc1\"")).unwrap_or_else(|| panic!("{said}"));
        let mut words =
            line.trim().trim_matches('"').split("\" \"").skip_while(|word| *word != "-cc1").skip(1);
        let root = crate::root().unwrap().display().to_string();
        let mut kept = Vec::new();
        while let Some(word) = words.next() {
            if ["-o", "-resource-dir", "-internal-isystem"].contains(&word) {
                words.next();
                continue;
            }
            assert!(!word.contains([' ', '{']), "{word:?} cannot stand in cc1.json");
            let word = match word {
                "sm_75" => "sm_{capability}",
                "-D__CUDA_ARCH_LIST__=750" => "-D__CUDA_ARCH_LIST__={capability}0",
                word if word == path => "{path}",
                word if path.ends_with(&format!("/{word}")) => "{name}",
                word => word,
            };
            kept.push(match word.strip_suffix(&root[..]) {
                Some(before) => format!("{before}/"),
                None => word.replace(&format!("{root}/"), "/"),
            });
        }
        kept.join(" ")
    }

    #[test]
    #[ignore = "needs clang"]
    fn the_arguments_of_the_front_end_are_renewed_by_clang() {
        let clang = Compiler::require(Maker::Clang, crate::root().unwrap()).unwrap();
        let mut kinds = BTreeMap::new();
        for nested in [false, true] {
            kinds.insert(kind(nested), driven(&clang, clang::OPTIMISED, nested));
        }
        committed(
            "crates/kernel-compiler/src/cc1.json",
            serde_json::to_string_pretty(&kinds).unwrap() + "\n",
        );
    }
}

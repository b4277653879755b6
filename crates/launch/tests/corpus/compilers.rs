//! The corpus as clang compiles it: what its code shows that nvcc's hides, and the other way round.
//!
//! `cargo xtask renew clang` writes the list in the appendix.

use std::collections::BTreeSet;
use std::fmt::Write;

use device::Module;
use kernel_compiler::compiler::{Compiler, Maker};
use kernel_compiler::staging::Given;
use ptx_simulator::Severity;
use rayon::prelude::*;
use testing::renew::committed;

use super::case::{self, Case, root};

const PAGE: &str = "book/src/appendix_building.md";
/// The kernels that clang does not compile.
const REFUSED: &str = "crates/launch/tests/corpus/refused_by_clang.txt";
const BEGIN: &str = "<!-- compilers: begin -->\n";
const END: &str = "<!-- compilers: end -->\n";
/// Orders of turns.
const SCHEDULES: u64 = 4;

/// What is found under some of the orders of turns, by kind and line; notes apart.
fn found(case: &Case, module: &Module) -> BTreeSet<(String, Option<u32>)> {
    let runs = (0..SCHEDULES).flat_map(|schedule| case.run(module, schedule).diagnostics);
    let findings = runs.filter(|found| found.severity != Severity::Note);
    findings.map(|found| (found.kind.to_string(), found.line)).collect()
}

/// Whether the verdict is that of the comments, under every order of turns.
fn as_expected(case: &Case, module: &Module) -> bool {
    (0..SCHEDULES).all(|schedule| case.disagreements(&case.run(module, schedule)).is_empty())
}

fn kinds(found: &BTreeSet<(String, Option<u32>)>) -> BTreeSet<&str> {
    found.iter().map(|(kind, _)| kind.as_str()).collect()
}

fn shown(found: &BTreeSet<(String, Option<u32>)>) -> String {
    if found.is_empty() {
        return "nothing".into();
    }
    let line = |line: Option<u32>| line.map_or(String::new(), |line| format!(", line {line}"));
    let all: Vec<_> = found.iter().map(|(kind, at)| format!("{kind}{}", line(*at))).collect();
    all.join("; ")
}

/// What clang's code of a case shows, beside nvcc's.
enum Compared {
    /// clang does not compile it.
    Refused,
    Same,
    /// The same kinds, at other lines or in other orders.
    Elsewhere,
    Differs {
        nvcc: String,
        by_clang: String,
    },
}

impl Compared {
    fn of(case: &Case, clang: &Compiler) -> Compared {
        let source = root().join(case.path("cu"));
        let Ok(ptx) = clang.ptx_with(&source, Some(&case.capability), Given::default()) else {
            return Compared::Refused;
        };
        let clangs = case.module_of(&ptx.text).unwrap_or_else(|error| panic!("{}: {error:#}", case.name));
        let modules = [case.module(), clangs];
        let [nvcc, by_clang] = modules.each_ref().map(|module| as_expected(case, module));
        if nvcc == by_clang {
            return Compared::Same;
        }
        let [nvcc, by_clang] = modules.each_ref().map(|module| found(case, module));
        if kinds(&nvcc) == kinds(&by_clang) {
            return Compared::Elsewhere;
        }
        Compared::Differs { nvcc: shown(&nvcc), by_clang: shown(&by_clang) }
    }
}

#[test]
#[ignore = "needs clang of the version in kernels/requirements.txt"]
fn the_appendix_on_its_code_is_renewed_by_clang() {
    let clang = Compiler::of(Maker::Clang, root()).unwrap().expect("a clang in CLANG: .ci/run says how");
    let cases = case::all();
    let compared: Vec<Compared> = cases.par_iter().map(|case| Compared::of(case, &clang)).collect();
    let mut same = 0;
    let mut rows = String::new();
    let mut elsewhere = Vec::new();
    let mut refused = Vec::new();
    for (case, compared) in cases.iter().zip(compared) {
        match compared {
            Compared::Refused => refused.push(&*case.name),
            Compared::Same => same += 1,
            Compared::Elsewhere => elsewhere.push(format!("`{}`", case.name)),
            Compared::Differs { nvcc, by_clang } => {
                let what = if case.clean { "nothing" } else { "something" };
                writeln!(rows, "| `{}` | {what} | {nvcc} | {by_clang} |", case.name).unwrap();
            }
        }
    }
    let mut list = format!("The same verdict with {} and with nvcc: {same} kernels.\n", clang.name());
    if !rows.is_empty() {
        list +=
            "\n| kernel | is wrong | nvcc's code shows | clang's code shows |\n| --- | --- | --- | --- |\n";
        list += &rows;
    }
    if !elsewhere.is_empty() {
        list += &format!(
            "\nThe same mistake, at another line of the loop or the branch, or not in every order of turns: \
             {}.\n",
            elsewhere.join(", ")
        );
    }
    if !refused.is_empty() {
        list += &format!(
            "\n{} kernels use more of CUDA than `kernels/clang` declares, so clang doesn't compile them: \
             `{REFUSED}`.\n",
            refused.len()
        );
    }
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap();
    let (before, rest) = page.split_once(BEGIN).unwrap_or_else(|| panic!("{PAGE} lacks {BEGIN}"));
    let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{PAGE} lacks {END}"));
    let made = format!("{before}{BEGIN}{list}{END}{after}");
    committed(REFUSED, refused.join("\n") + "\n");
    committed(PAGE, made);
}

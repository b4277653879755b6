//! The verdicts of the simulator beside those of compute-sanitizer on a GPU, as the appendix shows them.

use std::collections::BTreeMap;
use std::fmt::Write;

use kernel_compiler::compiler::nested;

use super::case::{self, Case, Order, root};

/// What `crates/launch/tests/corpus/sanitize/run.sh` wrote on the GPU named in its first line.
pub const MEASURED: &str = "crates/launch/tests/corpus/sanitize/h200.csv";
pub const PAGE: &str = "book/src/appendix_simulator.md";
const BEGIN: &str = "<!-- corpus: begin -->\n";
const END: &str = "<!-- corpus: end -->\n";
/// The columns: the GPU alone, then the tools.
const TOOLS: [&str; 5] = ["none", "memcheck", "racecheck", "initcheck", "synccheck"];

/// Verdicts on the GPU, by kernel and tool, and the line that says on which.
pub struct Measured {
    machine: Option<String>,
    verdicts: BTreeMap<(String, String), String>,
}

impl Measured {
    /// Empty if the corpus has not been run on a GPU yet.
    pub fn read() -> Measured {
        let text = std::fs::read_to_string(root().join(MEASURED)).unwrap_or_default();
        let machine = text.lines().next().map(|line| line.trim_start_matches("# ").to_owned());
        let mut verdicts = BTreeMap::new();
        for line in text.lines().skip(2) {
            let [kernel, tool, verdict, ..] = line.split(',').collect::<Vec<_>>()[..] else {
                panic!("{MEASURED}: cannot read {line}")
            };
            verdicts.insert((kernel.to_owned(), tool.to_owned()), verdict.to_owned());
        }
        Measured { machine, verdicts }
    }

    /// What the GPU or a tool says of a kernel: `None` if it has not been run there.
    fn verdict(&self, case: &Case, tool: &str) -> Option<&str> {
        self.verdicts.get(&(case.name.clone(), tool.to_owned())).map(String::as_str)
    }

    /// Whether anybody who looks would notice that something is wrong.
    fn notices(&self, case: &Case, tool: &str) -> bool {
        match self.verdict(case, tool) {
            Some("found") => true,
            // Without a tool: an error from the driver, or no end. With one, that is not the tool's merit.
            Some("error" | "hang") => tool == "none",
            _ => false,
        }
    }
}

/// The part of the page between the markers, as it is and as it should be.
pub fn on_the_page() -> (String, String) {
    let page = std::fs::read_to_string(root().join(PAGE)).unwrap_or_default();
    let (before, rest) = page.split_once(BEGIN).unwrap_or_else(|| panic!("{PAGE} lacks {BEGIN}"));
    let (_, after) = rest.split_once(END).unwrap_or_else(|| panic!("{PAGE} lacks {END}"));
    let made = format!("{before}{BEGIN}{}{END}{after}", tables());
    (page, made)
}

fn tables() -> String {
    let cases = case::all();
    let measured = Measured::read();
    // Whether the simulator's verdict under the plain schedule is the expected one.
    let agrees: Vec<bool> = cases
        .iter()
        .map(|case| case.disagreements(&case.run_in(&case.module(), Order::Every)).is_empty())
        .collect();
    let mut out = String::new();
    match &measured.machine {
        Some(machine) => writeln!(out, "The GPU and the tools: {machine}.\n").unwrap(),
        None => out.push_str("The tools have not been run on a GPU yet.\n\n"),
    }
    summary(&mut out, &cases, &agrees, &measured);
    out
}

/// How many of the kernels that show something are noticed, by kind; and how many look-alikes are blamed.
fn summary(out: &mut String, cases: &[Case], agrees: &[bool], measured: &Measured) {
    out.push_str(
        "| what is wrong | kernels | simulator | the GPU alone | memcheck | racecheck | initcheck | \
                  synccheck | any tool |\n",
    );
    out.push_str("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    let mut row = |name: &str, rows: Vec<(&Case, &bool)>, clean: bool| {
        let count = |noticed: &dyn Fn(&Case) -> bool| {
            let run = rows.iter().any(|(case, _)| measured.verdict(case, "none").is_some());
            if run {
                rows.iter().filter(|(case, _)| noticed(case)).count().to_string()
            } else {
                "–".to_owned()
            }
        };
        let simulator = rows.iter().filter(|(_, agrees)| **agrees != clean).count();
        write!(out, "| {name} | {} | {simulator} |", rows.len()).unwrap();
        for tool in TOOLS {
            write!(out, " {} |", count(&|case| measured.notices(case, tool))).unwrap();
        }
        let any = count(&|case| TOOLS[1..].iter().any(|tool| measured.notices(case, tool)));
        writeln!(out, " {any} |").unwrap();
    };
    let select = |kind: Option<&str>, clean: bool| -> Vec<(&Case, &bool)> {
        let all = cases.iter().zip(agrees);
        all.filter(|(case, _)| case.clean == clean && kind.is_none_or(|kind| case.kind() == kind)).collect()
    };
    for kind in case::kinds(cases) {
        row(kind, select(Some(kind), false), false);
    }
    let all = select(None, false);
    let look_alikes = select(None, true);
    row("**all of these**", all.clone(), false);
    row("those launched by the host alone", by_the_host(all), false);
    row("**look-alikes that were blamed**", look_alikes.clone(), true);
    row("those launched by the host alone", by_the_host(look_alikes), true);
    out.push('\n');
}

/// Those without a launch by device code: the tools do not support dynamic parallelism, and what they say of
/// such kernels tells little.
fn by_the_host<'a>(mut cases: Vec<(&'a Case, &'a bool)>) -> Vec<(&'a Case, &'a bool)> {
    cases.retain(|(case, _)| !nested(&case.source));
    cases
}

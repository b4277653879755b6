//! What is advised of the edits that were tried, where no compiler is needed: what a text shows is given.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use kernel_compiler::in_page::Compiled;
use ptx_simulator::{Access, Diagnostic, Disorder, Kind, Region, Shape, Side, Spot, What};

use super::slips::slip;
use super::{How, Outcome, Subject, cures, printed};
use crate::cure::Limits;

/// Two steps in place, which race in lines 3 and 4.
const SOURCE: &str = "\
__global__ void k(int *a, int *b) {
    for (int d = 1; d < 64; d *= 2) {
        a[t] += a[t - d];
        b[t] += b[t + d];
        __syncthreads();
    }
}
";
const LINES: [u32; 2] = [3, 4];

/// Races in a line until that reads before it writes.
struct Steps {
    /// Whether the result is right without a race; none: nobody says.
    is_right: Option<bool>,
    /// Whether a line that races no more depends on the order.
    depends: bool,
}

impl Subject for Steps {
    fn file(&self) -> &Path {
        Path::new("x.cu")
    }

    fn says_what_is_right(&self) -> bool {
        false
    }

    fn numbers(&self, _: &str, _: &str) -> Vec<(String, u64)> {
        Vec::new()
    }

    fn compiled(&self, text: &str, _: Duration) -> Result<Compiled> {
        Ok(Compiled { ptx: text.to_string(), ..Compiled::default() })
    }

    fn run(&self, built: &Compiled, _: &str, _: &How) -> Result<Outcome> {
        let races = |line: &u32| !built.ptx.lines().nth(*line as usize - 1).unwrap().contains("auto value");
        let mut found: Vec<Diagnostic> = LINES.into_iter().filter(races).map(race).collect();
        if self.depends {
            let cured = LINES.into_iter().filter(|line| !races(line));
            found.extend(cured.map(|line| Diagnostic { kind: Kind::OrderDependent, ..race(line) }));
        }
        let is_right = self.is_right.map(|is_right| is_right && found.is_empty());
        let left = vec![printed(&format!("{} races", found.len()))];
        Ok(Outcome { found, completed: true, is_right, left, instructions: 1 })
    }
}

fn race(line: u32) -> Diagnostic {
    let at = Some(("x.cu".to_string(), line));
    let side = |does| Side { does, thread: [0; 3], block: [0; 3], grid: 0, gpu: 0, at: at.clone() };
    let what = What::Race {
        sides: [side(Access::Load), side(Access::Store)],
        spot: Spot::new(Region::Variable("a".to_string()), 0, None),
        order: Disorder::Nothing,
        header: None,
    };
    Diagnostic {
        shape: Some(Shape::SameBlock),
        file: Some("x.cu".to_string()),
        line: Some(line),
        ..Diagnostic::of_host(Kind::DataRace, Some("k"), what, "wait")
    }
}

/// The helps, and how many edits each cure has.
fn helps(is_right: Option<bool>, edits: usize) -> (Vec<String>, Vec<usize>) {
    helps_of(&Steps { is_right, depends: false }, edits)
}

/// The same of other steps.
fn helps_of(steps: &Steps, edits: usize) -> (Vec<String>, Vec<usize>) {
    let mut found = LINES.map(race);
    let limits = Limits { edits, time: Duration::from_secs(600) };
    let cures = cures(steps, (SOURCE, None), limits, &mut found).unwrap();
    assert!(cures.iter().all(|cure| found[cure.finding.unwrap()].help == cure.says));
    (found.into_iter().map(|found| found.help).collect(), cures.iter().map(|cure| cure.edits.len()).collect())
}

const A: &str = "read first, then wait at a barrier, and then write: put `{ auto value = a[t] + a[t - d]; \
                 __syncthreads(); a[t] = value; } __syncthreads();` in line 3, in place of the update";
const B: &str = "read first, then wait at a barrier, and then write: put `{ auto value = b[t] + b[t + d]; \
                 __syncthreads(); b[t] = value; }` in line 4, in place of the update";

#[test]
fn what_only_cures_together_is_advised_together() {
    let ends = [(Some(true), ""), (None, "; nothing says whether the result is right")];
    for (is_right, end) in ends {
        let together = format!("together: {A}; and {B} (tried: then nothing is wrong{end})");
        assert_eq!(helps(is_right, 64), (vec![together; 2], vec![2; 2]), "{is_right:?}");
    }
}

#[test]
fn what_races_no_more_may_still_depend_on_the_order() {
    let (helps, cures) = helps_of(&Steps { is_right: None, depends: true }, 64);
    assert_eq!(cures.len(), 2);
    assert!(helps.iter().all(|help| help.ends_with("(tried: then this is gone)")), "{helps:?}");
}

#[test]
fn an_edit_that_leaves_another_result_is_not_said_to_be_in_vain() {
    let (helps, cures) = helps(Some(false), 64);
    let but = "wait; this was tried and makes it go away, though the result is still not right: something \
               else is wrong too, or this is the wrong place:";
    assert_eq!((helps, cures), (vec![format!("{but} {A}"), format!("{but} {B}")], vec![]));
}

/// A guard could not be compared with anything: one that keeps all threads out would pass.
#[test]
fn of_a_program_an_index_beyond_an_array_gets_no_guard() {
    let mut found = [Diagnostic { kind: Kind::OutOfBounds, ..race(LINES[0]) }];
    let limits = Limits { edits: 64, time: Duration::from_secs(600) };
    let tried =
        cures(&Steps { is_right: Some(true), depends: false }, (SOURCE, None), limits, &mut found).unwrap();
    assert_eq!((tried.len(), &*found[0].help), (0, "wait"));
}

#[test]
fn edits_that_change_nothing_are_not_named() {
    // The first one is for both.
    let (helps, _) = helps(Some(true), 2);
    assert_eq!(helps, ["wait", "wait"]);
}

/// A tree whose last step is left out, and whose result is right with it; its loop stands in line 2.
const SLIP: &str = "\
__global__ void k(int *a) {
    for (int d = 16; d > 1; d /= 2) {
        a[t] += a[t + d];
        __syncthreads();
    }
}
";

/// Gives the right result, or prints nothing, if the text has `right`; with `races` it races in some order.
struct Slip {
    right: &'static str,
    is_program: bool,
    races: bool,
    instructions: u64,
}

const TREE: Slip = Slip { right: "d >= 1;", is_program: false, races: false, instructions: 1 };

impl Subject for Slip {
    fn file(&self) -> &Path {
        Path::new("x.cu")
    }

    fn says_what_is_right(&self) -> bool {
        !self.is_program
    }

    fn right(&self) -> &'static str {
        if self.is_program { "the program returns 0" } else { "the result is as expected" }
    }

    fn numbers(&self, _: &str, _: &str) -> Vec<(String, u64)> {
        Vec::new()
    }

    fn compiled(&self, text: &str, _: Duration) -> Result<Compiled> {
        Ok(Compiled { ptx: text.to_string(), ..Compiled::default() })
    }

    fn run(&self, built: &Compiled, _: &str, how: &How) -> Result<Outcome> {
        let has_it = built.ptx.contains(self.right);
        // A program that returns 0 says nothing of its result.
        let is_right = if has_it && self.is_program { None } else { Some(has_it) };
        let found = if self.races && how.schedule.is_some() { vec![race(3)] } else { Vec::new() };
        let left = Vec::new();
        Ok(Outcome { found, completed: true, is_right, left, instructions: self.instructions })
    }
}

fn says_of(slipped: &Slip) -> Option<String> {
    let limits = Limits { edits: 0, time: Duration::from_secs(600) };
    let cure = slip(slipped, (SLIP, None), limits)?;
    assert_eq!((cure.finding, cure.edits.len(), cure.cures_all), (None, 1, true));
    Some(cure.says)
}

#[test]
fn a_slip_that_only_the_result_shows_is_found_by_trying() {
    let says = "put `d >= 1` in line 2, in place of `d > 1`";
    assert_eq!(says_of(&TREE).unwrap(), format!("{says} (tried: then the result is as expected)"));
    let program = Slip { is_program: true, ..TREE };
    assert_eq!(says_of(&program).unwrap(), format!("{says} (tried: then the program returns 0)"));
}

#[test]
fn no_slip_is_told_where_no_edit_helps_or_it_brings_a_mistake_or_no_kernel_ran() {
    assert_eq!(says_of(&Slip { right: "nowhere", ..TREE }), None);
    assert_eq!(says_of(&Slip { races: true, ..TREE }), None);
    assert_eq!(says_of(&Slip { instructions: 0, ..TREE }), None);
    // Nothing is to be put right.
    assert_eq!(says_of(&Slip { right: "a[t]", ..TREE }), None);
}

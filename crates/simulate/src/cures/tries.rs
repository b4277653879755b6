//! The edits that may cure what was found, one after the other, within a budget.

use std::cell::OnceCell;
use std::time::Instant;

use anyhow::Result;
use kernel_compiler::cures::{Candidate, candidates};
use kernel_compiler::in_page::Compiled;
use ptx_simulator::{Budget, Diagnostic};

use super::findings::{Wrong, finding, identity, is_serious, wrong};
use super::results::{Compared, counts, is_as_good, is_same};
use super::subject::{How, Outcome, Subject};
use crate::cure::{Cure, Limits};
use crate::stop;

/// Work for the orders of a try, of which there are several in a second.
const ORDERS_WORK: u64 = 1 << 20;
/// A try may execute so many instructions for each of those before the edit, and some more.
const MORE_STEPS: u64 = 8;
/// Instructions before the edit, at most: what takes about a second.
const MAX_STEPS: u64 = 1 << 22;
const FEW_STEPS: u64 = 1 << 16;

/// The schedules in which the last threads have their turns first, and two shuffled ones.
const OTHERS: [u64; 3] = [2, 1, 3];

/// Tries edits of `source` for what `found` says of it; it `built` what shows that, if that is
/// known. The help of what is cured says how; where edits were tried in vain for a finding, its help says so.
pub fn cures(
    subject: &dyn Subject,
    (source, built): (&str, Option<Compiled>),
    limits: Limits,
    found: &mut [Diagnostic],
) -> Option<Vec<Cure>> {
    let mut targets = targets(subject, source, found);
    if targets.is_empty() {
        return Some(Vec::new());
    }
    let cures = Tries::new(subject, (source, built), limits, found)?.all(&mut targets, found);
    for cure in &cures {
        found[cure.finding].help = cure.says.clone();
    }
    for target in targets.iter().filter(|target| !target.is_cured(&cures)) {
        in_vain(&mut found[target.number], target.tried);
    }
    Some(cures)
}

/// A finding, with the edits that are still to be tried for it.
struct Target {
    number: usize,
    candidates: std::vec::IntoIter<Candidate>,
    tried: usize,
}

/// What of `found` there are edits for.
fn targets(subject: &dyn Subject, source: &str, found: &[Diagnostic]) -> Vec<Target> {
    let target = |(number, found)| {
        let candidates = candidates(source, &finding(found, subject.file())?);
        let candidates = (!candidates.is_empty()).then(|| candidates.into_iter())?;
        Some(Target { number, candidates, tried: 0 })
    };
    found.iter().enumerate().filter_map(target).collect()
}

impl Target {
    fn is_cured(&self, cures: &[Cure]) -> bool {
        cures.iter().any(|cure| cure.finding == self.number)
    }
}

/// A source before any edit, and what is tried on it.
struct Tries<'a> {
    subject: &'a dyn Subject,
    source: &'a str,
    built: Compiled,
    before: Outcome,
    /// What is wrong before.
    known: Vec<Wrong>,
    /// What it leaves in other orders, as far as that counts.
    others: OnceCell<Vec<Outcome>>,
    limits: Limits,
    started: Instant,
}

/// A source after an edit that cures something.
struct Cured {
    /// What is still wrong.
    left: Vec<Wrong>,
    compared: Compared,
}

impl<'a> Tries<'a> {
    /// Nothing, if the source does not show again what was `found`.
    fn new(
        subject: &'a dyn Subject,
        (source, built): (&'a str, Option<Compiled>),
        limits: Limits,
        found: &[Diagnostic],
    ) -> Option<Tries<'a>> {
        let built = built.map_or_else(|| subject.compiled(source, 2 * limits.time), Ok).ok()?;
        let before = subject.run(&built, source, &how(None, MAX_STEPS)).ok()?;
        let known = wrong(&before.found, subject.file());
        let found = wrong(found, subject.file());
        let shows_the_same =
            found.iter().all(|one| known.contains(one)) && known.iter().all(|one| found.contains(one));
        // On a busy machine too there is time for the first one.
        let started = Instant::now();
        let tries = Tries { subject, source, built, before, known, others: OnceCell::new(), limits, started };
        shows_the_same.then_some(tries)
    }

    /// One edit for each finding in turn, until all are cured or the budget is spent.
    fn all(&mut self, targets: &mut [Target], found: &[Diagnostic]) -> Vec<Cure> {
        let mut cures: Vec<Cure> = Vec::new();
        let mut texts: Vec<String> = Vec::new();
        // One edit for all that is wrong is better than one for each.
        while self.has_time() && !cures.iter().any(|cure| cure.cures_all) {
            let is_open = |target: &&mut Target| !target.candidates.as_slice().is_empty();
            let open = targets.iter_mut().filter(is_open).min_by_key(|target| target.tried);
            let Some((target, candidate)) =
                open.and_then(|target| target.candidates.next().map(|candidate| (target, candidate)))
            else {
                break;
            };
            target.tried += 1;
            let text = candidate.tried(self.source);
            if texts.contains(&text) {
                continue;
            }
            self.limits.edits -= 1;
            let cured = self.cured_by(&candidate, &text);
            texts.push(text);
            if let Ok(Some(cured)) = cured {
                self.keep(&candidate, &cured, found, &mut cures);
            }
        }
        cures
    }

    fn has_time(&self) -> bool {
        self.limits.edits > 0 && self.started.elapsed() < self.limits.time && !stop::is_asked()
    }

    /// Keeps a candidate as the cure of all that it cures.
    fn keep(&self, candidate: &Candidate, cured: &Cured, found: &[Diagnostic], cures: &mut Vec<Cure>) {
        let cures_all = cured.left.is_empty();
        let then = if cures_all { cured.compared.says() } else { "this is gone" };
        let says = format!("{} (tried: then {then})", candidate.says);
        for (finding, found) in found.iter().enumerate() {
            let is_cured = cures.iter().any(|cure| cure.finding == finding && (cure.cures_all || !cures_all));
            let is_gone = !cured.left.contains(&identity(found, self.subject.file()));
            if !is_serious(found) || is_cured || !is_gone {
                continue;
            }
            cures.retain(|cure| cure.finding != finding);
            let edits = candidate.changes(self.source);
            cures.push(Cure { finding, says: says.clone(), cures_all, edits });
        }
    }

    /// What an edit leaves; `None`, if it is no cure whatever is gone.
    fn cured_by(&self, candidate: &Candidate, text: &str) -> Result<Option<Cured>> {
        let built = self.subject.compiled(text, 2 * self.limits.time)?;
        let run = |schedule| self.subject.run(&built, text, &how(schedule, self.steps()));
        let plain = run(None)?;
        let left = wrong(&plain.found, self.subject.file());
        let is_known = |one: &Wrong| self.known.contains(one);
        if !left.iter().all(is_known) || left.len() >= self.known.len() || !is_as_good(&plain, &self.before) {
            return Ok(None);
        }
        for schedule in OTHERS {
            let other = run(Some(schedule))?;
            let shows_more = wrong(&other.found, self.subject.file()).iter().any(|one| !left.contains(one));
            let differs = match other.is_right {
                Some(is_right) => !is_right,
                None => left.is_empty() && !is_same(&plain.left, &other.left),
            };
            if shows_more || differs {
                return Ok(None);
            }
        }
        // A result counts where nothing is wrong.
        let is_judged = left.is_empty() || candidate.selects;
        let compared = if is_judged { self.compared(candidate, &plain) } else { Some(Compared::Nothing) };
        Ok(compared.map(|compared| Cured { left, compared }))
    }

    /// What the result of an edited source is compared with; `None`, if the edit decides for a result that
    /// the source does not leave without it.
    fn compared(&self, candidate: &Candidate, cured: &Outcome) -> Option<Compared> {
        let runs = || [&self.before].into_iter().chain(self.others());
        // A program may say itself that it has failed; after the edit it does not.
        if cured.is_right.is_some() || runs().any(|run| run.is_right == Some(false)) {
            return Some(Compared::Expected);
        }
        if runs().any(|run| counts(run) && is_same(&run.left, &cured.left)) {
            return Some(Compared::Before);
        }
        // What only orders accesses leaves what some order leaves, which need not be one of those.
        (!candidate.selects).then_some(Compared::Nothing)
    }

    /// The runs of the source without an edit in other orders.
    fn others(&self) -> &[Outcome] {
        self.others.get_or_init(|| {
            let run = |schedule| {
                self.subject.run(&self.built, self.source, &how(Some(schedule), self.steps())).ok()
            };
            OTHERS.into_iter().filter_map(run).collect()
        })
    }

    /// Instructions that a try may execute.
    fn steps(&self) -> u64 {
        self.before.instructions.saturating_mul(MORE_STEPS).saturating_add(FEW_STEPS)
    }
}

fn how(schedule: Option<u64>, steps: u64) -> How {
    How { schedule, orders: Budget { work: ORDERS_WORK, ..Budget::default() }, steps }
}

/// Says of what edits were tried for in vain.
fn in_vain(found: &mut Diagnostic, tried: usize) {
    match tried {
        0 => {}
        1 => found.help += "; 1 edit was tried here, and it does not make this go away",
        _ => found.help += &format!("; {tried} edits were tried here, and none of them makes this go away"),
    }
}

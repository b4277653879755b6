//! The edits that may cure what was found, one after the other, within a budget.

use std::cell::OnceCell;
use std::time::Instant;

use anyhow::Result;
use cuda_source::cures::{Candidate, candidates};
use kernel_compiler::in_page::Compiled;
use ptx_simulator::{Budget, Diagnostic, Kind};

use super::findings::{Wrong, finding, identity, is_serious, more_threads, number_beyond, wrong};
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
pub const OTHERS: [u64; 3] = [2, 1, 3];

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
    let mut tries = Tries::new(subject, (source, built), limits, found)?;
    tries.all(&mut targets);
    let cures = tries.kept(found);
    for cure in &cures {
        let finding = cure.finding.and_then(|number| found.get_mut(number));
        finding.into_iter().for_each(|finding| finding.help = cure.says.clone());
    }
    for target in targets.iter().filter(|target| !target.is_cured(&cures)) {
        let found = &mut found[target.number];
        if let Some(says) = more_threads(found) {
            found.help = says;
            continue;
        }
        if let Some(asks) = &target.asks {
            found.help = format!("{asks} Else {}", found.help);
        }
        found.help += &tries.in_vain(target);
    }
    Some(cures)
}

/// A finding, with the edits that are still to be tried for it, and which attempts these were.
struct Target {
    number: usize,
    wrong: Wrong,
    /// What to ask first, if no edit cures it.
    asks: Option<String>,
    candidates: std::vec::IntoIter<Candidate>,
    tried: Vec<usize>,
}

/// What of `found` there are edits for. If a kernel was stopped and the program returns 0 all the same, there
/// is nothing that a guard could be compared with: one that keeps all threads out would pass.
fn targets(subject: &dyn Subject, source: &str, found: &[Diagnostic]) -> Vec<Target> {
    let target = |(number, found): (usize, &Diagnostic)| {
        if found.kind == Kind::OutOfBounds && !subject.says_what_is_right() {
            return None;
        }
        let numbers = found.kernel.as_deref().map(|kernel| subject.numbers(source, kernel));
        let numbers = numbers.unwrap_or_default();
        let finding = finding(found, subject.file(), &numbers)?;
        let line = *finding.lines.first()?;
        let asks = number_beyond(found, (source, line), &numbers);
        let candidates = candidates(source, &finding);
        let candidates = (!candidates.is_empty()).then(|| candidates.into_iter())?;
        Some(Target { number, wrong: identity(found, subject.file()), asks, candidates, tried: Vec::new() })
    };
    found.iter().enumerate().filter_map(target).collect()
}

/// The next edit, for the finding that the fewest were tried for.
fn next(targets: &mut [Target]) -> Option<(&mut Target, Candidate)> {
    let is_open = |target: &&mut Target| !target.candidates.as_slice().is_empty();
    let target = targets.iter_mut().filter(is_open).min_by_key(|target| target.tried.len())?;
    let candidate = target.candidates.next()?;
    Some((target, candidate))
}

impl Target {
    fn is_cured(&self, cures: &[Cure]) -> bool {
        cures.iter().any(|cure| cure.finding == Some(self.number))
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
    attempts: Vec<Attempt>,
}

/// An edit that was tried.
struct Attempt {
    candidate: Candidate,
    /// The source with it.
    text: String,
    shows: Shows,
}

/// What a source shows after an edit.
enum Shows {
    /// The time was over before it was known.
    Nothing,
    /// It doesn't compile or run, or all that was wrong still is, or something new is.
    NoCure,
    /// Nothing new is wrong, and this still is; but the result is not right.
    OtherResult(Vec<Wrong>),
    /// Only this is still wrong.
    Less(Vec<Wrong>, Compared),
}

impl Attempt {
    /// Whether nothing new is wrong, and this no longer is.
    fn removes(&self, wrong: &Wrong) -> bool {
        match &self.shows {
            Shows::Nothing | Shows::NoCure => false,
            Shows::OtherResult(left) | Shows::Less(left, _) => !left.contains(wrong),
        }
    }

    fn cures_all(&self) -> bool {
        matches!(&self.shows, Shows::Less(left, _) if left.is_empty())
    }
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
        let before = subject.run(&built, source, &how(None, steps_for(None))).ok()?;
        let known = wrong(&before.found, subject.file());
        let found = wrong(found, subject.file());
        let shows_the_same =
            found.iter().all(|one| known.contains(one)) && known.iter().all(|one| found.contains(one));
        // On a busy machine too there is time for the first one.
        let started = Instant::now();
        let (others, attempts) = (OnceCell::new(), Vec::new());
        let tries = Tries { subject, source, built, before, known, others, limits, started, attempts };
        shows_the_same.then_some(tries)
    }

    /// One edit for each finding in turn, until one cures all or the budget is spent. Those that each make
    /// one finding go away are tried together, too.
    fn all(&mut self, targets: &mut [Target]) {
        // One edit for all that is wrong is better than one for each.
        while self.has_time() && !self.attempts.iter().any(Attempt::cures_all) {
            if let Some(joined) = self.joined() {
                self.attempt(joined);
                continue;
            }
            let may_try = self.attempts.len() < self.limits.edits;
            let Some((target, candidate)) = next(targets).filter(|_| may_try) else { break };
            let number = self.attempt(candidate);
            target.tried.push(number);
        }
    }

    fn has_time(&self) -> bool {
        self.started.elapsed() < self.limits.time && !stop::is_asked()
    }

    /// Tries an edit, once, and says which attempt that was.
    fn attempt(&mut self, candidate: Candidate) -> usize {
        let text = candidate.tried(self.source);
        if let Some(known) = self.attempts.iter().position(|attempt| attempt.text == text) {
            return known;
        }
        let shows = self.shows(&candidate, &text);
        let has_failed = || if self.has_time() { Shows::NoCure } else { Shows::Nothing };
        let shows = shows.unwrap_or_else(|_| has_failed());
        self.attempts.push(Attempt { candidate, text, shows });
        self.attempts.len() - 1
    }

    /// The edits that each make something go away as one, where they do so of all that is wrong, and if that
    /// was not tried yet.
    fn joined(&self) -> Option<Candidate> {
        let remover = |wrong| self.attempts.iter().find(|attempt| attempt.removes(wrong));
        let mut parts: Vec<&Candidate> = Vec::new();
        for wrong in &self.known {
            let candidate = &remover(wrong)?.candidate;
            if !parts.contains(&candidate) {
                parts.push(candidate);
            }
        }
        let joined = Candidate::joined(&parts)?;
        let text = joined.tried(self.source);
        (!self.attempts.iter().any(|attempt| attempt.text == text)).then_some(joined)
    }

    /// The cures of what was `found`, those of all that is wrong before others.
    fn kept(&self, found: &[Diagnostic]) -> Vec<Cure> {
        let cure = |(number, found): (usize, &Diagnostic)| {
            let wrong = identity(found, self.subject.file());
            let all = self.attempts.iter().filter(|attempt| attempt.removes(&wrong));
            let (attempt, compared) = all
                .filter_map(|attempt| match &attempt.shows {
                    Shows::Less(_, compared) => Some((attempt, compared)),
                    _ => None,
                })
                .min_by_key(|(attempt, _)| !attempt.cures_all())?;
            let cures_all = attempt.cures_all();
            let then = if cures_all { compared.says() } else { "this is gone" };
            let says = format!("{} (tried: then {then})", attempt.candidate.says);
            let edits = attempt.candidate.changes(self.source);
            Some(Cure { finding: Some(number), says, cures_all, edits })
        };
        found.iter().enumerate().filter(|(_, found)| is_serious(found)).filter_map(cure).collect()
    }

    /// What its help says of a finding for which edits were tried in vain: nothing, unless one shows more.
    /// To name what does not help would point away from the cause.
    fn in_vain(&self, target: &Target) -> String {
        let attempts = target.tried.iter().map(|number| &self.attempts[*number]);
        // An edit that decides for a result is of no use where that is not the right one.
        let mut orders = attempts.filter(|attempt| !attempt.candidate.selects);
        if let Some(attempt) = orders.find(|attempt| attempt.removes(&target.wrong)) {
            let says = &attempt.candidate.says;
            let but = match self.before.is_right {
                Some(false) => {
                    "though the result is still not right: something else is wrong too, or this is the wrong \
                     place"
                }
                _ => "but the result is then not right",
            };
            return format!("; this was tried and makes it go away, {but}: {says}");
        }
        String::new()
    }

    /// What the source shows after an edit.
    fn shows(&self, candidate: &Candidate, text: &str) -> Result<Shows> {
        let built = self.subject.compiled(text, 2 * self.limits.time)?;
        let run = |schedule| self.subject.run(&built, text, &how(schedule, self.steps()));
        let plain = run(None)?;
        let left = wrong(&plain.found, self.subject.file());
        // What is no race any more may still depend on who comes first, as a ticket does.
        let is_known = |one: &&Wrong| self.known.contains(one);
        let may_be_new = |one: &Wrong| one.0 == Kind::OrderDependent && !candidate.selects;
        let are_allowed = left.iter().all(|one| is_known(&one) || may_be_new(one));
        // A barrier in a branch is no cure, also where it opens.
        let is_divided = diverges(&plain) && !diverges(&self.before);
        if is_divided || !are_allowed || left.iter().filter(is_known).count() >= self.known.len() {
            return Ok(Shows::NoCure);
        }
        let mut is_right = is_as_good(&plain, &self.before);
        for schedule in OTHERS {
            let other = run(Some(schedule))?;
            let is_allowed = |one: &Wrong| left.contains(one) || !left.is_empty() && may_be_new(one);
            let is_new = |one: &Wrong| !is_allowed(one);
            if wrong(&other.found, self.subject.file()).iter().any(is_new) {
                return Ok(Shows::NoCure);
            }
            is_right &= match other.is_right {
                Some(is_right) => is_right,
                None => !left.is_empty() || is_same(&plain.left, &other.left),
            };
        }
        // A result counts where nothing is wrong.
        let is_judged = left.is_empty() || candidate.selects;
        let compared = if is_judged { self.compared(candidate, &plain) } else { Some(Compared::Nothing) };
        Ok(match compared.filter(|_| is_right) {
            Some(compared) => Shows::Less(left, compared),
            None => Shows::OtherResult(left),
        })
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
        steps_for(Some(&self.before))
    }
}

/// Whether some threads do not come to a barrier, be it only noted.
fn diverges(outcome: &Outcome) -> bool {
    outcome.found.iter().any(|found| found.kind == Kind::BarrierDivergence)
}

/// Instructions that a run may execute: of a source before its edits, and after one.
pub fn steps_for(before: Option<&Outcome>) -> u64 {
    let after = |before: &Outcome| before.instructions.saturating_mul(MORE_STEPS).saturating_add(FEW_STEPS);
    before.map_or(MAX_STEPS, after)
}

pub fn how(schedule: Option<u64>, steps: u64) -> How {
    How { schedule, orders: Budget { work: ORDERS_WORK, ..Budget::default() }, steps }
}

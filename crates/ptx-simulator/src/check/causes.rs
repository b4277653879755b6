//! Findings that follow from others: one cause is told once, and before what follows from it.

use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::what::{Access, Disorder, Loophole, Side, Spot, What};

/// All of `found` but what follows from something else in it, or from what has stopped the launch; causes
/// first.
pub fn without_consequences(mut found: Vec<Diagnostic>, stop: Option<&Diagnostic>) -> Vec<Diagnostic> {
    let too_early: Vec<Early> = found.iter().filter_map(reads_too_early).collect();
    // Who has gone past a barrier has left before later ones open.
    let diverging: Vec<Option<String>> = found.iter().filter_map(diverges).collect();
    let is_wrong = found.iter().any(|one| one.severity == Severity::Error);
    let sets_a_lock = found.iter().any(|one| one.severity == Severity::Error && sets_a_lock(one));
    let looks_free = found.iter().any(|one| matches!(one.what, What::LooksFree { .. }));
    // What comes from a lane that takes no part was never written either.
    let shuffles: Vec<Line> = of_kind(&found, Kind::WarpCollective);
    // A child that finds its memory freed has not run before, and so has written nothing.
    let is_freed_early = stop.is_some_and(|stop| stop.kind == Kind::UseAfterFree);
    found.retain(|one| match one.kind {
        Kind::UninitializedRead => {
            !is_freed_early && !reads_one_of(one, &too_early) && !reads_in(one, &shuffles)
        }
        Kind::BarrierDivergence => one.severity != Severity::Note || !diverging.contains(&one.kernel),
        Kind::NeverRead => !is_wrong,
        Kind::DataRace if looks_free && is_in_an_unmarked_lock(one) => false,
        // Several threads set it to the same.
        Kind::DataRace => one.severity == Severity::Error || !sets_a_lock || !self::sets_a_lock(one),
        _ => true,
    });
    found.sort_by_key(rank);
    found
}

/// What explains other errors comes first: launches that never ran, threads that do not wait for each other
/// as they should, an index that leads to what belongs to others, a race, which leaves unwritten what is
/// read.
fn rank(found: &Diagnostic) -> usize {
    const CAUSES: [Kind; 4] =
        [Kind::ChildVisibility, Kind::BarrierDivergence, Kind::OutOfBounds, Kind::DataRace];
    if matches!(found.kind, Kind::LaunchLimit | Kind::PendingLaunchOverflow) {
        return 0;
    }
    if found.severity != Severity::Error {
        return CAUSES.len() + 2;
    }
    1 + CAUSES.iter().position(|kind| *kind == found.kind).unwrap_or(CAUSES.len())
}

/// A line, with its file.
type Line = Option<(String, u32)>;

/// A read that may come before the store of what it reads: its line, and the array.
struct Early {
    read: Line,
    spot: Spot,
}

fn reads_too_early(found: &Diagnostic) -> Option<Early> {
    let What::Race { sides, spot, .. } = &found.what else { return None };
    let stores = |side: &&Side| side.does == Access::Store;
    let read = sides.iter().find(|side| !stores(side))?;
    let is_early = found.severity == Severity::Error && sides.iter().any(|side| stores(&side));
    is_early.then(|| Early { read: read.at.clone(), spot: spot.clone() })
}

/// Whether it is about an uninitialized value of an array that was read in a line which may come before the
/// store: one that others write, maybe later.
fn reads_one_of(found: &Diagnostic, all: &[Early]) -> bool {
    let own = found.file.clone().zip(found.line);
    let (read, spot) = match &found.what {
        What::Unwritten { read, spot, .. } => (read, spot.as_ref()),
        What::UnwrittenAtomic(spot) => (&own, Some(spot)),
        _ => return false,
    };
    let is_of = |array: &Spot| spot.is_none_or(|own| is_one_array(own, array));
    all.iter().any(|early| early.read == *read && is_of(&early.spot))
}

fn is_one_array(one: &Spot, other: &Spot) -> bool {
    (&one.region, &one.name) == (&other.region, &other.name)
}

/// The lines of the findings of this kind.
fn of_kind(found: &[Diagnostic], kind: Kind) -> Vec<Line> {
    found.iter().filter(|one| one.kind == kind).map(|one| one.file.clone().zip(one.line)).collect()
}

/// Whether it is about an uninitialized value that was read in one of these lines.
fn reads_in(found: &Diagnostic, lines: &[Line]) -> bool {
    matches!(&found.what, What::Unwritten { read, .. } if read.is_some() && lines.contains(read))
}

/// Whether it is about a plain write that sets a lock.
fn sets_a_lock(found: &Diagnostic) -> bool {
    gets_around(found, Loophole::Set)
}

/// Whether it is about a thread in a lock that looks free.
fn is_in_an_unmarked_lock(found: &Diagnostic) -> bool {
    gets_around(found, Loophole::Unmarked)
}

fn gets_around(found: &Diagnostic, way: Loophole) -> bool {
    matches!(&found.what, What::Race { order: Disorder::Lock { why, .. }, .. } if *why == way)
}

/// The kernel in which threads of a block go past a barrier that others come to.
fn diverges(found: &Diagnostic) -> Option<Option<String>> {
    matches!(found.what, What::Divergence { .. }).then(|| found.kernel.clone())
}

//! Findings that follow from others: one cause is told once, and before what follows from it.

use crate::diagnostic::{Access, Diagnostic, Disorder, Kind, Severity, Side, What};

/// All of `found` but what follows from something else in it, or from what has stopped the launch; causes
/// first.
pub fn without_consequences(mut found: Vec<Diagnostic>, stop: Option<&Diagnostic>) -> Vec<Diagnostic> {
    let too_early: Vec<Early> = found.iter().filter_map(reads_too_early).collect();
    // Who has gone past a barrier has left before later ones open.
    let diverging: Vec<Option<String>> = found.iter().filter_map(diverges).collect();
    for one in &mut found {
        without_a_late_writer(one, &too_early);
    }
    let is_wrong = found.iter().any(|one| one.severity == Severity::Error);
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

/// A read that may come before the store of what it reads: their lines.
struct Early {
    read: Line,
    store: Line,
    /// Whether that explains whatever is uninitialized there: the store is by a child, or by a copy that was
    /// not waited for.
    explains: bool,
}

fn reads_too_early(found: &Diagnostic) -> Option<Early> {
    let What::Race { sides, order, .. } = &found.what else { return None };
    let [read, store] = match sides {
        [read, store] if read.does == Access::Load && store.does == Access::Store => [read, store],
        [store, read] if read.does == Access::Load && store.does == Access::Store => [read, store],
        _ => return None,
    };
    let explains = matches!(order, Disorder::Child | Disorder::Copy(_));
    Some(Early { read: read.at.clone(), store: store.at.clone(), explains })
}

/// Whether it is about an uninitialized value that is stored later: by a child after its parent has read it,
/// or by a copy.
fn reads_one_of(found: &Diagnostic, all: &[Early]) -> bool {
    let What::Unwritten { read, .. } = &found.what else { return false };
    all.iter().any(|early| early.explains && early.read == *read)
}

/// The lines of the findings of this kind.
fn of_kind(found: &[Diagnostic], kind: Kind) -> Vec<Line> {
    found.iter().filter(|one| one.kind == kind).map(|one| one.file.clone().zip(one.line)).collect()
}

/// Whether it is about an uninitialized value that was read in one of these lines.
fn reads_in(found: &Diagnostic, lines: &[Line]) -> bool {
    matches!(&found.what, What::Unwritten { read, .. } if read.is_some() && lines.contains(read))
}

/// Takes out the thread that should have written, if it does so later: the two lines race.
fn without_a_late_writer(found: &mut Diagnostic, all: &[Early]) {
    let What::Unwritten { read, writer, .. } = &mut found.what else { return };
    let is_late = |side: &mut Side| all.iter().any(|early| (&early.read, &early.store) == (read, &side.at));
    writer.take_if(is_late);
}

/// The kernel in which threads of a block go past a barrier that others come to.
fn diverges(found: &Diagnostic) -> Option<Option<String>> {
    matches!(found.what, What::Divergence { .. }).then(|| found.kernel.clone())
}

//! What a run leaves, compared with what it is to leave.

use ::launch::Held;
use ptx_simulator::Kind;

use super::subject::Outcome;
use crate::buffers;

/// What the result of an edited source was compared with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compared {
    /// With what is expected.
    Expected,
    /// With what the source leaves without the edit, in some order.
    Before,
    /// With nothing: it expects nothing, and leaves what it did not without the edit.
    Nothing,
}

impl Compared {
    /// What is said of a source that shows nothing more.
    pub fn says(self) -> &'static str {
        match self {
            Compared::Expected | Compared::Before => "nothing is wrong",
            Compared::Nothing => "nothing is wrong; nothing says whether the result is right",
        }
    }
}

/// Whether a run leaves something that counts: what is wrong with it is wrong in the order only.
pub fn counts(outcome: &Outcome) -> bool {
    let depends_on_order = |kind| {
        matches!(
            kind,
            Kind::DataRace | Kind::ChildVisibility | Kind::OrderDependent | Kind::BarrierDivergence
        )
    };
    outcome.completed && outcome.found.iter().all(|found| depends_on_order(found.kind))
}

/// Whether a run came to its end, left what is expected, and wrote what was written before.
pub fn is_as_good(cured: &Outcome, before: &Outcome) -> bool {
    let left_out = |outcome: &Outcome| outcome.left.iter().map(buffers::unwritten).sum::<usize>();
    // What a run that was stopped has not written says nothing.
    let may_leave_out = if before.completed { left_out(before) } else { 0 };
    cured.completed && cured.is_right != Some(false) && left_out(cured) <= may_leave_out
}

/// Whether two runs leave the same.
pub fn is_same(a: &[Held], b: &[Held]) -> bool {
    let same = |(a, b): (&Held, &Held)| {
        a.count() == b.count()
            && (0..a.count()).all(|index| {
                let (a, b) = (a.element(index), b.element(index));
                a == b || a.is(b, 0.0)
            })
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

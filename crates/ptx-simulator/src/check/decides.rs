//! order-dependent: two orders of a launch leave different bytes.

use super::Checker;
use super::conflict::Who;
use super::order::Past;
use crate::arith::{AtomOp, WARP};
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::explore::{Does, Operation, Reversal};
use crate::ptx::Space;
use crate::what::{Access, Number, Side, Site, Unordered, Values, What};

/// Bytes of the words that operations touch.
const WORD_BYTES: u64 = 4;

/// Whether one of two operations writes or reads by a plain store or load what the other one changes by an
/// atomic, at the same time.
fn meet_unordered(Reversal { first, second }: &Reversal, address: u64) -> bool {
    let word = (None, address / WORD_BYTES);
    let both = [second, first];
    both.iter().all(|one| one.words.contains(&word))
        && both.iter().any(|one| matches!(one.does, Does::Write | Does::Read))
}

/// Whether two operations count, and give their threads numbers: places in an array, mostly.
pub fn give_numbers(Reversal { first, second }: &Reversal) -> bool {
    let counts = |one: &Operation| matches!(one.does, Does::Update { op: AtomOp::Add, returns: true });
    counts(first) && counts(second)
}

/// The same, where either order leaves the same elements in other places: that most programs do not mind.
pub fn rearranged(mut found: Diagnostic) -> Diagnostic {
    if let What::OrderDecides { is_rearranged, unordered: Unordered::No, .. } = &mut found.what {
        *is_rearranged = true;
        found.help = "this is right where the order of the elements does not matter; where it does, compute \
                      each one's place by a scan"
            .to_string();
    }
    found
}

impl Checker<'_> {
    /// What global memory holds at `address` after two orders: `values`, of `bytes` bytes. `reversal`: the
    /// two operations that the orders differ in, if it is known which. `unfenced`: two accesses that some
    /// order of the launch leaves without a fence between them.
    pub fn order_decides(
        &self,
        reversal: Option<&Reversal>,
        address: u64,
        values: [u64; 2],
        bytes: u32,
        unfenced: Option<&[Side; 2]>,
    ) -> Diagnostic {
        let rounds = |one: &Operation| matches!(one.does, Does::Update { op: AtomOp::AddFloat(_), .. });
        let is_sum = reversal.is_some_and(|two| rounds(&two.first) && rounds(&two.second));
        let number = if is_sum { Number::Float } else { Number::Signed };
        let unordered = match (unfenced, reversal) {
            (Some(sides), _) => Unordered::Unfenced(sides.clone()),
            (None, Some(two)) if meet_unordered(two, address) => Unordered::These,
            (None, _) => Unordered::No,
        };
        let help = if let Unordered::Unfenced(_) = unordered {
            "put __threadfence() after the atomic that takes the lock or sees the flag, and one before the \
             one that gives it back: without, what the lock protects may come out of it"
        } else if unordered == Unordered::These {
            "make both accesses atomic, or let a lock, a flag or a barrier order them"
        } else if is_sum {
            "floating-point additions round, so that another order gives another sum: for the same bits \
             every time, leave one partial sum per block in memory and add them in a fixed order"
        } else {
            "expect either result, or let one thread compute it from what all have left in memory"
        };
        let what = What::OrderDecides {
            sides: reversal.map(|two| [self.side_of(&two.second), self.side_of(&two.first)]),
            spot: self.spot(Space::Global, address, (0, 0), bytes),
            values: Values { bits: values, bytes, number },
            is_sum,
            is_rearranged: false,
            unordered,
        };
        let found = match reversal {
            Some(two) => self.diagnostic(Kind::OrderDependent, who(&two.second), what, help),
            None => Diagnostic::of_host(
                Kind::OrderDependent,
                self.kernels.first().map(|name| &**name),
                what,
                help,
            ),
        };
        Diagnostic { severity: Severity::Warning, ..found }
    }

    /// Two accesses that a lock or a flag orders, if a fence was missing; the later one comes first.
    pub fn unfenced(&self) -> Option<[Side; 2]> {
        let side = |(past, loc, access): (Past, u32, Access)| {
            let ((grid, block), warp) = self.order.locate(past.warp);
            let thread = warp * WARP as u32 + u32::from(past.lane);
            self.side(access, Who { grid, block, thread, loc })
        };
        self.strong.unfenced.map(|sides| sides.map(side))
    }

    /// Two operations that have changed places, the one that comes first now in front.
    pub fn sites(&self, Reversal { first, second }: &Reversal) -> Vec<Site> {
        let site = |operation: &Operation| {
            let side = self.side_of(operation);
            let (file, line) = side.at.clone()?;
            Some(Site { file, line, message: side.operation() })
        };
        [second, first].into_iter().filter_map(|operation| site(operation)).collect()
    }

    fn side_of(&self, operation: &Operation) -> Side {
        let does = match operation.does {
            Does::Read => Access::Load,
            Does::Write => Access::Store,
            Does::Update { returns, .. } => Access::Atomic { returns },
            Does::Arrive => Access::Atomic { returns: false },
        };
        self.side(does, who(operation))
    }
}

fn who(operation: &Operation) -> Who {
    let process = operation.process;
    Who { grid: process.grid, block: process.block, thread: process.thread(), loc: operation.loc }
}

//! order-dependent: two orders of a launch leave different bytes.

use super::Checker;
use super::conflict::Who;
use crate::arith::AtomOp;
use crate::diagnostic::{Access, Diagnostic, Kind, Number, Severity, Side, Site, Values, What};
use crate::explore::{Does, Operation, Reversal};
use crate::ptx::Space;

impl Checker<'_> {
    /// What global memory holds at `address` after two orders: `values`, of `bytes` bytes. `reversal`: the
    /// two operations that the orders differ in, if it is known which.
    pub fn order_decides(
        &self,
        reversal: Option<&Reversal>,
        address: u64,
        values: [u64; 2],
        bytes: u32,
    ) -> Diagnostic {
        let rounds = |one: &Operation| matches!(one.does, Does::Update { op: AtomOp::AddFloat(_), .. });
        let is_sum = reversal.is_some_and(|two| rounds(&two.first) && rounds(&two.second));
        let number = if is_sum { Number::Float } else { Number::Signed };
        let help = if is_sum {
            "floating-point additions round, so that another order gives another sum: for the same bits \
             every time, leave one partial sum per block in memory and add them in a fixed order"
        } else {
            "expect either result, or let one thread compute it from what all have left in memory"
        };
        let what = What::OrderDecides {
            sides: reversal.map(|two| [self.side_of(&two.second), self.side_of(&two.first)]),
            spot: self.spot(Space::Global, address, (0, 0)),
            values: Values { bits: values, bytes, number },
            is_sum,
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

//! order-dependent: two orders of a launch leave different bytes.

use super::Checker;
use super::conflict::Who;
use crate::arith::{AtomOp, Format};
use crate::diagnostic::{Access, Diagnostic, Kind, Severity, Side, Site, What};
use crate::explore::{Does, Operation, Reversal};
use crate::ptx::Space;
use crate::values::{Number, Values};

impl Checker<'_> {
    /// What global memory holds at `address` after two orders, which differ in which of two operations comes
    /// first: `values`, of `bytes` bytes.
    pub fn order_decides(
        &self,
        Reversal { first, second }: &Reversal,
        address: u64,
        values: [u64; 2],
        bytes: u32,
    ) -> Diagnostic {
        let rounds = |one: &Operation| matches!(one.does, Does::Update { op: AtomOp::AddFloat(_), .. });
        let is_sum = rounds(first) && rounds(second);
        let number = match bytes {
            4 if is_sum => Number::Float(Format::F32),
            8 if is_sum => Number::Float(Format::F64),
            _ => Number::Signed,
        };
        let help = if is_sum {
            "floating-point additions round, so that another order gives another sum: for the same bits \
             every time, leave one partial sum per block in memory and add them in a fixed order"
        } else {
            "expect either result, or let one thread compute it from what all have left in memory"
        };
        let what = What::OrderDecides {
            sides: [self.side_of(second), self.side_of(first)],
            spot: self.spot(Space::Global, address, (0, 0)),
            values: Values { bits: values, bytes, number },
            is_sum,
        };
        let who = who(second);
        Diagnostic { severity: Severity::Warning, ..self.diagnostic(Kind::OrderDependent, who, what, help) }
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

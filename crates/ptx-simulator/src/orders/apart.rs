//! A mask from `activemask` depends on which lanes are together: one run more in which lanes that have
//! diverged stay apart, where a warp-level instruction names its lanes by such a mask.

use super::{Failing, Search};
use crate::check::Checker;
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::exec::APART;
use crate::explore::Interleaving;
use crate::what::{Apart, What};

impl Search<'_, '_> {
    /// Runs the launch with lanes that stay apart. `draws`: atomic operations give numbers to those who come,
    /// so that a result depends on the order of groups, as it does on that of threads.
    pub(super) fn apart(&mut self, draws: bool) {
        if self.orders.cut.is_some() {
            return;
        }
        let plain = std::mem::replace(&mut self.simulator.limits.schedule, APART);
        let (checker, ended) = self.run(None);
        self.simulator.limits.schedule = plain;
        if self.is_cut_short() {
            return;
        }
        let Some(mask) = checker.active_mask.clone() else { return };
        let result = self.result_apart(&checker).filter(|_| ended.is_ok() && !draws);
        let stop = ended.err().map(|found| *found);
        let found = checker.into_found(stop.as_ref()).into_iter().chain(stop);
        let errors: Vec<Diagnostic> = found.filter(|one| one.severity == Severity::Error).collect();
        let finds = errors.iter().find(|one| one.kind == Kind::WarpCollective).or(errors.first());
        let apart = finds.map(|one| Apart::Finds(one.message())).or(result);
        if let Some(apart) = apart {
            self.add_apart(mask, apart);
        }
    }

    /// Another result than the plain one, if nothing else can have made it.
    fn result_apart(&self, checker: &Checker) -> Option<Apart> {
        if self.known.iter().any(|one| one.kind == Kind::OrderDependent) {
            return None;
        }
        let (address, values) =
            self.plain.first_difference(&self.simulator.memory, 4, self.compared.clone())?;
        match checker.order_decides(None, address, values, 4, None).what {
            What::OrderDecides { spot, values, .. } => Some(Apart::Result(spot, values)),
            _ => None,
        }
    }

    /// The mask is wrong: that takes the place of a warning about it.
    fn add_apart(&mut self, mask: Diagnostic, apart: Apart) {
        let order = Interleaving { schedule: APART, ..Interleaving::default() };
        self.known.retain(|one| !matches!(one.what, What::ActiveMask { .. }));
        let What::ActiveMask { names, .. } = mask.what else { return };
        let what = What::ActiveMask { names, apart: Some(apart) };
        let severity = Severity::Error;
        self.orders.failing = Some(Failing { severity, order, changed: Vec::new() });
        self.known.push(Diagnostic { severity, what, ..mask });
    }
}

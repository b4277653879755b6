//! A loop that waits for a lock which is never released: who holds it; or at `grid.sync()` for blocks that do
//! not come.

use super::context::{At, Context, Executed};
use super::split::Split;
use super::warp::Warp;
use crate::arith::AtomOp;
use crate::decode::{Address, Function, Inst, Op};
use crate::observe::{Access, Actor, Request};
use crate::ptx::{Order, Scope, Space};
use crate::what::{Side, Site, Words};

impl Context<'_> {
    /// What is wrong, and what helps, if the loop that lanes of `split` are in asks for a lock by `inst`.
    pub fn held(
        &self,
        warp: &Warp,
        split: &Split,
        (function, inst): (&Function, &Inst),
    ) -> Option<(Words, &'static str)> {
        let at = At { inst, function, slot: split.activation, mask: split.mask };
        let is_here = std::ptr::eq(self.at_split(warp, split).function, function);
        let holder = is_here.then(|| self.holder(warp, at))??;
        let thread = holder.named();
        let message = format!(
            "a loop waits for a lock that is never released: {thread} holds it, and every thread that has \
             not exited is spinning or waiting"
        );
        let site =
            holder.at.map(|(file, line)| Site { file, line, message: format!("{thread} took it here") });
        let help = "let whoever takes the lock release it on every way on; where a thread takes several, let \
                    all threads take them in one order";
        Some((Words { message, related: site.into_iter().collect() }, help))
    }

    /// The same, if the loop is that of `grid.sync()`.
    pub fn waits_for_the_grid(
        &self,
        warp: &Warp,
        split: &Split,
        (function, inst): (&Function, &Inst),
    ) -> Option<(Words, &'static str)> {
        let Op::Load { space, bytes, at: from, order, scope, .. } = &inst.op else { return None };
        let at = At { inst, function, slot: split.activation, mask: split.mask };
        let words = self.asked(warp, at, (Access::Load, *space, *bytes), (from, *order, *scope), {
            |actor, request, lane| self.observer.waits_for_the_grid(actor, request, lane)
        })?;
        let help = "let every block call grid.sync() the same number of times, blocks without work too: take \
                    it out of branches and of loops that blocks leave at different times";
        Some((words, help))
    }

    /// Who holds the lock that the first lane asks for.
    fn holder(&self, warp: &Warp, at: At) -> Option<Side> {
        let Op::Atomic { space, op, bytes, at: to, order, scope, .. } = &at.inst.op else { return None };
        if !matches!(op, AtomOp::CompareSwap | AtomOp::Exchange) {
            return None;
        }
        let access = Access::Atomic { returns: true };
        let ask = |actor: Actor, request: &Request, lane| self.observer.holder(actor, request, lane);
        self.asked(warp, at, (access, *space, *bytes), (to, *order, *scope), ask)
    }

    /// What `ask` says of an access by the first lane of an instruction.
    fn asked<T>(
        &self,
        warp: &Warp,
        at: At,
        (access, space, bytes): (Access, Space, u32),
        (to, order, scope): (&Address, Order, Scope),
        ask: impl Fn(Actor, &Request, usize) -> Option<T>,
    ) -> Option<T> {
        let lane = at.mask.trailing_zeros() as usize;
        let addresses = self.addresses(warp, at, to);
        let request = Request::new(access, space, 1 << lane, &addresses, bytes, order, scope);
        let actor = Actor {
            grid: self.grid,
            block: self.block.linear,
            warp: warp.index,
            loc: at.inst.loc,
            kernel: self.kernel,
        };
        let mut said = None;
        let asked: Executed<()> = Self::split_spaces(self.shared, None, &request, |request| {
            said = ask(actor, request, lane);
            Ok(())
        });
        asked.ok().and(said)
    }
}

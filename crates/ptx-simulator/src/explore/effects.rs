//! What the operations of a run have done: whether one has changed memory, and in which of them lanes meet
//! each other.

use std::cell::RefCell;
use std::rc::Rc;

use super::operation::{Operation, Process, Uneven};
use super::turns::Turns;
use crate::arith::groups;
use crate::observe::{Access, Act, Actor, Event, Observer, Request};
use crate::ptx::{Order as MemoryOrder, Space};

/// Passes the events of a run on to its [`Turns`], if there are any.
pub struct Hears<'a>(pub Option<&'a RefCell<Turns>>);

impl Observer for Hears<'_> {
    fn event(&mut self, event: &Event) {
        if let Some(turns) = self.0 {
            turns.borrow_mut().event(event);
        }
    }
}

impl Observer for Turns {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Grid(start) => self.past.grid(start),
            Event::BarrierOpens { grid, block, id, .. } => self.past.barrier_opens((*grid, *block), *id),
            Event::By(actor, act) => match act {
                Act::Access(request) => self.access(*actor, request),
                Act::Mbarrier(request, by) => {
                    let changes = request.access != Access::Load && by.done != 0;
                    if let Some((_, changed)) = self.under_way() {
                        *changed |= changes;
                    }
                }
                Act::Launch(launch) if launch.refused.is_none() => {
                    let lane = launch.lane as u32;
                    self.past.launch(process_of(*actor, lane));
                }
                Act::ChildrenDone(mask) | Act::GridWait(mask) => {
                    self.past.grids_done(process_of(*actor, mask.trailing_zeros()), *mask);
                }
                _ => {}
            },
            _ => {}
        }
    }
}

impl Turns {
    fn access(&mut self, actor: Actor, request: &Request) {
        if !matches!(request.space, Space::Global | Space::Shared) {
            return;
        }
        let changed = match request.access {
            Access::Load => 0,
            Access::Store => request.mask,
            Access::Atomic { .. } => request.changed,
        };
        let is_strong =
            request.access.is_atomic() || !matches!(request.order, MemoryOrder::Weak | MemoryOrder::ReadOnly);
        if let Some((operation, has_changed)) = self.under_way().filter(|_| is_strong) {
            *has_changed |= changed != 0;
            let operation = operation.clone();
            self.note_lanes(operation, request);
        } else if changed != 0 {
            self.forget_looks((actor.grid, actor.block), actor.warp, changed);
        }
    }

    /// Notes an operation in which lanes meet that have not met in an earlier one.
    fn note_lanes(&mut self, operation: Rc<Operation>, request: &Request) {
        let known = self.uneven.iter().fold(0, |all, one| all | one.mask);
        if request.mask & !known == 0 || !operation.conflicts_with(&operation) {
            return;
        }
        let at_one_address = groups(request.mask, |lane| request.addresses[lane]);
        let mask =
            at_one_address.fold(0, |all, (_, mask)| if mask.count_ones() > 1 { all | mask } else { all });
        if mask & !known != 0 {
            self.uneven.push(Uneven { operation, mask });
        }
    }
}

fn process_of(actor: Actor, lane: u32) -> Process {
    Process { grid: actor.grid, block: actor.block, warp: actor.warp, lane }
}

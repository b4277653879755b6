//! A block that is under way.

use crate::exec::{BlockState, Warp};

#[derive(Debug, Default)]
pub struct Block {
    pub state: BlockState,
    pub warps: Vec<Warp>,
    /// The warp whose turn is next.
    pub next: usize,
}

impl Block {
    pub fn waits_for_children(&self) -> bool {
        self.warps.iter().any(Warp::waits_for_children)
    }
}

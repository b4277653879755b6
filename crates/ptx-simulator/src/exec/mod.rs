//! A warp's step: what each instruction does to registers, memory and the warp itself.

mod access;
mod activation;
mod barrier;
mod block;
mod calls;
mod circle;
mod cluster;
mod collective;
mod context;
mod copies;
mod fault;
mod follow;
mod launches;
mod matrix;
mod mbarrier;
mod printf;
mod progress;
mod racing;
mod registers;
mod runtime;
mod schedule;
mod step;
mod turn;
mod undefined;
mod warp;

pub use block::{BARRIERS, Barrier, BlockState, Cluster, Member};
pub use circle::{Circle, Slice, Still, add_steps};
pub use context::{Context, Executed};
pub use fault::Unstarted;
pub use launches::{Launches, PendingLaunch};
pub use progress::{Progress, Recording};
pub use schedule::Schedule;
pub use step::Stop;
pub use warp::{Split, Wait, Warp};

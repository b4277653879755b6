//! Which orders of a launch are tried, and the file that one is kept in.

use std::path::Path;

use anyhow::{Context, Result};
use device::LaunchOrder;
use ptx_simulator::{Budget, Orders};
use text::files::{read_text, write_whole};

use super::options::{Checks, Options};

/// Bytes of a file with an order, at most.
const MAX_ORDER: u64 = 1 << 20;

/// Work that a page does by itself to try orders, for what takes a second there.
const PAGE_WORK: u64 = 1 << 20;

/// How much may be spent on orders; `None` if one is all that was asked for.
pub fn budget(options: &Options) -> Option<Budget> {
    if options.checks == Checks::Off || options.schedule.is_some() || options.order.is_some() {
        return None;
    }
    let own = Budget::default();
    let own = if cfg!(target_family = "wasm") { Budget { work: PAGE_WORK, ..own } } else { own };
    Some(options.orders.clone().unwrap_or(own))
}

/// An order that was kept.
///
/// # Errors
/// The file cannot be read, or holds something else.
pub fn read(path: &Path) -> Result<LaunchOrder> {
    let text = read_text(path, MAX_ORDER).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).with_context(|| {
        format!("{} is not an order; --save-order FILE writes one when a mistake was found", path.display())
    })
}

/// Keeps the first order that has shown the worst, if one has shown something.
///
/// # Errors
/// The file cannot be written.
pub fn save(path: &Path, orders: &[Orders], skipped: usize) -> Result<()> {
    let Some(order) = failing(orders, skipped) else { return Ok(()) };
    let text = serde_json::to_string(&order).context("the order cannot be written")?;
    write_whole(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// The first order that has shown the worst that the plain one has not; `skipped` launches came before those
/// of `orders`.
pub fn failing(orders: &[Orders], skipped: usize) -> Option<LaunchOrder> {
    let (launch, failing) = ptx_simulator::failing(orders)?;
    Some(LaunchOrder { launch: skipped + launch, order: failing.order.clone() })
}

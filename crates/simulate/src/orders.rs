//! Which orders of a launch are tried, what is said of them, and the file that one is kept in.

use std::path::Path;

use anyhow::{Context, Result};
use device::LaunchOrder;
use ptx_simulator::{Budget, Cut, Orders};
use text::files::{read_text, write_whole};
use text::number::thousands;

use super::options::{Checks, Options, Tried};

/// Bytes of a file with an order, at most.
const MAX_ORDER: u64 = 1 << 20;

/// How much may be spent on orders; `None` if one is all that was asked for.
pub fn budget(options: &Options) -> Option<Budget> {
    if options.checks == Checks::Off || options.schedule.is_some() || options.order.is_some() {
        return None;
    }
    Some(match options.orders {
        None => Budget::default(),
        Some(Tried::All) => Budget { orders: u64::MAX, instructions: u64::MAX },
        Some(Tried::AtMost(orders)) => Budget { orders, instructions: u64::MAX },
    })
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

/// Keeps the first order that has shown something, if there is one.
///
/// # Errors
/// The file cannot be written.
pub fn save(path: &Path, orders: &[Orders]) -> Result<()> {
    let mut failing =
        orders.iter().enumerate().filter_map(|(launch, one)| Some((launch, one.failing.clone()?)));
    let Some((launch, order)) = failing.next() else { return Ok(()) };
    let text =
        serde_json::to_string(&LaunchOrder { launch, order }).context("the order cannot be written")?;
    write_whole(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// How many orders a verdict rests on: `all 24 orders of its 4 atomic operations`.
pub fn said(orders: &[Orders]) -> Option<String> {
    let most = orders.iter().max_by_key(|one| one.tried)?;
    let operations = match most.operations {
        0 => return None,
        1 => "1 atomic or volatile operation".to_string(),
        count => format!("{} atomic or volatile operations", thousands(count as i64)),
    };
    let tried = thousands(most.tried as i64);
    Some(match most.cut {
        None if most.tried == 1 => format!("the only order of its {operations}"),
        None => format!("all {tried} orders of its {operations}"),
        Some(Cut::Budget) => {
            format!("{tried} orders of its {operations}, of more (--orders all tries every one)")
        }
        Some(Cut::TooLarge) => format!("one order of its {operations}: too many to try others"),
        Some(Cut::Found) => format!("{tried} orders of its {operations}, up to this one"),
    })
}

//! Which orders of a launch are tried, what is said of them, and the file that one is kept in.

use std::path::Path;

use anyhow::{Context, Result};
use device::LaunchOrder;
use ptx_simulator::{Budget, Cut, Orders, Site};
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
        Some(Tried::All) => Budget { instructions: u64::MAX, ..Budget::default() },
        Some(Tried::AtMost(orders)) => Budget { orders, instructions: u64::MAX, ..Budget::default() },
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
    let Some(order) = failing(orders) else { return Ok(()) };
    let text = serde_json::to_string(&order).context("the order cannot be written")?;
    write_whole(path, text + "\n").with_context(|| format!("cannot write {}", path.display()))
}

/// The first order that has shown something that the plain one has not.
pub fn failing(orders: &[Orders]) -> Option<LaunchOrder> {
    let mut all = orders.iter().enumerate();
    all.find_map(|(launch, one)| Some(LaunchOrder { launch, order: one.failing.as_ref()?.order.clone() }))
}

/// What that order changes, as a sentence.
pub fn changed(orders: &[Orders]) -> Option<String> {
    let [now_first, before] = &orders.iter().find_map(|one| one.failing.as_ref())?.changed[..] else {
        return None;
    };
    let place = |site: &Site| format!("{} (line {})", site.message, site.line);
    Some(format!("found in an order in which {} comes before {}", place(now_first), place(before)))
}

/// How many orders a verdict rests on: `all 24 orders of its 4 atomic or volatile operations`. `None` where
/// there is nothing to order.
pub fn said(orders: &[Orders]) -> Option<String> {
    let most = orders.iter().filter(|one| one.operations > 0).max_by_key(|one| one.tried)?;
    let operations = match most.operations {
        1 => "1 atomic or volatile operation".to_string(),
        count => format!("{} atomic or volatile operations", thousands(count as i64)),
    };
    let tried = match most.tried {
        1 => "1 order".to_string(),
        tried => format!("{} orders", thousands(tried as i64)),
    };
    Some(match most.cut {
        None if most.tried == 1 => format!("the only order of its {operations}"),
        None => format!("all {tried} of its {operations}"),
        Some(Cut::Budget) => {
            format!("{tried} of its {operations}; there are more, and --orders all tries them")
        }
        Some(Cut::TooLarge) => format!("{tried} of its {operations}, which are too many to try others"),
        Some(Cut::Found) => format!("{tried} of its {operations}"),
    })
}

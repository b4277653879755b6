//! What is said of the orders of a launch that were tried.

use ptx_simulator::{Cut, Orders, Site};
use text::number::thousands;

/// What tries all orders, in a terminal.
const ALL: &str = if cfg!(target_family = "wasm") { "" } else { ", and --orders all tries them" };

/// How many orders a verdict rests on: `all 24 orders of its 4 atomic or volatile operations`. `None` where
/// there is nothing to order.
pub fn said(orders: &[Orders]) -> Option<String> {
    if orders.iter().any(|one| one.cut == Some(Cut::TooLarge) && one.operations == 0) {
        return Some("one order: the launch is too large to try others".to_string());
    }
    let late = match orders.iter().filter(|one| one.cut == Some(Cut::Spent)).count() {
        0 => "",
        _ => "; later launches in one order only, to save time",
    };
    let most = orders.iter().filter(|one| one.operations > 0).max_by_key(|one| one.tried)?;
    let operations = match most.operations {
        1 => "1 atomic or volatile operation".to_string(),
        count => format!("{} atomic or volatile operations", thousands(count as i64)),
    };
    let tried = match most.tried {
        1 => "1 order".to_string(),
        tried => format!("{} orders", thousands(tried as i64)),
    };
    let said = match most.cut {
        None if most.tried == 1 => format!("every order of its {operations} gives the same"),
        None => format!("all {tried} of its {operations}"),
        Some(Cut::Budget) => format!("{tried} of its {operations}; there are more{ALL}"),
        Some(Cut::TooLarge) => format!("{tried} of its {operations}, which are too many to try others"),
        Some(Cut::Found | Cut::Spent) => format!("{tried} of its {operations}"),
    };
    Some(said + late)
}

/// The same, with what the first order that has shown something changes.
pub fn summary(orders: &[Orders]) -> Option<String> {
    let said = said(orders)?;
    Some(match changed(orders) {
        Some(changed) => format!("{said}; {changed}"),
        None => said,
    })
}

/// What the first order that has shown something changes, as a sentence.
pub fn changed(orders: &[Orders]) -> Option<String> {
    let [now_first, before] = &orders.iter().find_map(|one| one.failing.as_ref())?.changed[..] else {
        return None;
    };
    let place = |site: &Site| format!("{} (line {})", site.message, site.line);
    Some(format!("found in an order in which {} comes before {}", place(now_first), place(before)))
}

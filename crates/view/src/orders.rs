//! What is said of the orders of a launch that were tried.

use ptx_simulator::{Cut, Orders, Site, failing};
use text::number::thousands;

/// What tries all orders, in a terminal.
const ALL: &str = if cfg!(target_family = "wasm") { "" } else { ", and --orders all tries them" };

/// How many orders a verdict rests on: `all 24 orders of its 4 atomic or volatile operations`. `None` where
/// there is nothing to order.
pub fn said(orders: &[Orders]) -> Option<String> {
    if is_too_large(orders) {
        return Some("one order: the launch is too large to try others".to_string());
    }
    let tried = tried(orders)?;
    let said = match most(orders)?.cut {
        Some(Cut::Budget) => format!("{tried}; there are more{ALL}"),
        Some(Cut::TooLarge) => format!("{tried}, which are too many to try others"),
        Some(Cut::Stopped) => format!("{tried}; then stopped"),
        None | Some(Cut::Found | Cut::Spent) => tried,
    };
    let late = if is_late(orders) { format!("; {LATE}") } else { String::new() };
    Some(said + &late)
}

/// The verdict on launches in which `nothing` is wrong: the words that say so. Where not all orders were
/// tried, that comes first.
pub fn all_right(orders: &[Orders], nothing: &str) -> String {
    if is_too_large(orders) {
        return "other orders were not tried, since the launch is too large: nothing is wrong in this one"
            .to_string();
    }
    let (Some(tried), Some(most)) = (tried(orders), most(orders)) else {
        return nothing.to_string();
    };
    let unseen = match most.cut {
        Some(Cut::Budget) => format!("there are more orders than were tried{ALL}"),
        Some(Cut::TooLarge) => "other orders were not tried, since there are too many operations".to_string(),
        Some(Cut::Stopped) => "stopped before all orders were tried".to_string(),
        _ if is_late(orders) => LATE.to_string(),
        _ if has_several(orders) => return format!("{nothing} ({tried}: the same result)"),
        _ => return format!("{nothing} ({tried})"),
    };
    match has_several(orders) {
        true => format!("{unseen}: nothing is wrong in {tried}, and the result is the same"),
        false => format!("{unseen}: nothing is wrong in {tried}"),
    }
}

/// That the budget was spent before the last launches.
const LATE: &str = "later launches in one order only, to save time";

fn is_late(orders: &[Orders]) -> bool {
    orders.iter().any(|one| one.cut == Some(Cut::Spent))
}

fn is_too_large(orders: &[Orders]) -> bool {
    orders.iter().any(|one| one.cut == Some(Cut::TooLarge) && one.operations == 0 && one.schedules == 0)
}

fn has_several(orders: &[Orders]) -> bool {
    orders.iter().any(|one| one.tried > 1 || one.lanes > 1 || one.schedules > 1)
}

/// `8 schedules of its counted barriers`
fn schedules(orders: &[Orders]) -> Option<String> {
    let schedules = orders.iter().map(|one| one.schedules).max().filter(|schedules| *schedules > 0)?;
    Some(format!("{schedules} schedules of its counted barriers"))
}

/// The launch of which the most orders were tried.
fn most(orders: &[Orders]) -> Option<&Orders> {
    let ordered = |one: &&Orders| one.operations > 0 || one.schedules > 0;
    orders.iter().filter(ordered).max_by_key(|one| one.tried)
}

/// What was tried, of all kinds.
fn tried(orders: &[Orders]) -> Option<String> {
    let all: Vec<String> = [tried_orders(orders), schedules(orders)].into_iter().flatten().collect();
    (!all.is_empty()).then(|| all.join(", and "))
}

/// `all 24 orders of its 4 atomic or volatile operations, and 3 of the lanes that meet in one`
fn tried_orders(orders: &[Orders]) -> Option<String> {
    let most = most(orders).filter(|most| most.operations > 0)?;
    let operations = match most.operations {
        1 => "1 atomic or volatile operation".to_string(),
        count => format!("{} atomic or volatile operations", thousands(count as i64)),
    };
    let tried = match most.tried {
        1 => "1 order".to_string(),
        tried => format!("{} orders", thousands(tried as i64)),
    };
    let lanes = match orders.iter().map(|one| one.lanes).max() {
        None | Some(0) => String::new(),
        Some(lanes) => format!(", and {lanes} of the lanes that meet in one"),
    };
    let is_one = most.cut.is_none() && most.tried == 1;
    Some(match (is_one, most.cut) {
        (true, _) if lanes.is_empty() && failing(orders).is_none() => {
            format!("every order of its {operations} gives the same")
        }
        (false, None) => format!("all {tried} of its {operations}{lanes}"),
        _ => format!("{tried} of its {operations}{lanes}"),
    })
}

/// The same, with what the order that has shown the worst changes.
pub fn summary(orders: &[Orders]) -> Option<String> {
    let said = said(orders)?;
    Some(match changed(orders) {
        Some(changed) => format!("{said}; {changed}"),
        None => said,
    })
}

/// What the first order that has shown the worst changes, as a sentence.
pub fn changed(orders: &[Orders]) -> Option<String> {
    let [now_first, before] = &failing(orders)?.1.changed[..] else {
        return None;
    };
    let place = |site: &Site| format!("{} (line {})", site.message, site.line);
    Some(format!("found in an order in which {} comes before {}", place(now_first), place(before)))
}

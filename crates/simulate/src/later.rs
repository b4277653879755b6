//! What follows a launch whose result depends on the order: later launches, and what the script expects. They
//! are done once more for each other result, with its order.

use anyhow::Result;
use device::LaunchOrder;
use launch::{Script, Step};
use ptx_simulator::{Diagnostic, Failing, Interleaving, Severity};

use super::launch::Launched;
use super::stop;

/// Instructions that the warps of all these runs may execute together.
const WORK: u64 = 1 << 22;

/// Runs `script` again in each order that leaves another result of a launch that something follows, by `run`,
/// and adds what only that shows.
///
/// # Errors
/// Of `run`.
pub fn tried(
    launched: &mut Launched,
    script: &Script,
    run: impl Fn(LaunchOrder) -> Result<Launched>,
) -> Result<()> {
    let takes = launched.ran.counters.iter().map(|counters| counters.warp_instructions).sum::<u64>().max(1);
    let mut left = WORK / takes;
    for number in 0..launched.orders.len() {
        let launch = launched.ran.skipped + number;
        for order in launched.orders[number].others.clone() {
            if left == 0 || !is_followed(script, launch) {
                break;
            }
            left -= 1;
            let again = run(LaunchOrder { launch, order: order.clone() })?;
            if stop::is_asked() {
                return Ok(());
            }
            if let Some(severity) = add(launched, again) {
                keep(launched, number, severity, order);
            }
        }
    }
    Ok(())
}

/// Whether the script launches or expects something after launch `number`.
fn is_followed(script: &Script, number: usize) -> bool {
    let mut steps = script.steps.iter();
    let launches = steps.by_ref().filter(|step| matches!(step, Step::Launch(_)));
    launches.take(number + 1).count() == number + 1
        && steps.any(|step| matches!(step, Step::Launch(_)) || step.compared().is_some())
}

/// Adds what another run of the script has shown, and says how bad that is.
fn add(launched: &mut Launched, again: Launched) -> Option<Severity> {
    let mut worst = None;
    for found in again.diagnostics {
        if !launched.diagnostics.iter().any(|known| is_alike(known, &found)) {
            worst = worst.into_iter().chain([found.severity]).min();
            launched.diagnostics.push(found);
        }
    }
    for (wrong, place) in again.ran.wrong.into_iter().zip(again.ran.wrong_at) {
        if !launched.ran.wrong_at.contains(&place) {
            worst = Some(Severity::Error);
            launched.ran.wrong.push(format!("{wrong}; in the plain order it is as expected"));
            launched.ran.wrong_at.push(place);
        }
    }
    worst
}

/// Whether the two are of one kind at one line, and the known one is as bad.
fn is_alike(known: &Diagnostic, found: &Diagnostic) -> bool {
    (known.kind, known.line, &known.file) == (found.kind, found.line, &found.file)
        && known.severity <= found.severity
}

/// Keeps the order as that which shows the worst, if it does.
fn keep(launched: &mut Launched, number: usize, severity: Severity, order: Interleaving) {
    let failing = &mut launched.orders[number].failing;
    match failing {
        Some(known) if known.severity <= severity => {}
        Some(known) if known.order == order => known.severity = severity,
        _ => *failing = Some(Failing { severity, order, changed: Vec::new() }),
    }
}

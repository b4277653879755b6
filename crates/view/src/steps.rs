//! Any trace as a table of steps, for the terminal.

use ptx_simulator::trace::{Did, Event, Touch, Trace};

/// The rows of a table that is printed; more are counted.
const MAX_ROWS: usize = 100;
/// Numbers of a list that are written out.
const SHOWN: usize = 8;

/// A row for each event: step, block, warp, line, lanes, what they do.
pub fn table(trace: &Trace) -> String {
    let several = trace.events.iter().any(|event| event.grid > 0);
    let mut rows = vec![row_of(["step", "grid", "block", "warp", "line", "lanes", ""], several)];
    for event in trace.events.iter().take(MAX_ROWS) {
        let line = event.line.map_or(String::new(), |line| line.to_string());
        let step = event.step.to_string();
        let grid = event.grid.to_string();
        let block = event.block.to_string();
        let warp = if event.lanes == 0 { String::new() } else { event.warp.to_string() };
        let lanes = lanes_of(event);
        let what = what(trace, event);
        rows.push(row_of([&step, &grid, &block, &warp, &line, &lanes, &what], several));
    }
    let left = trace.events.len().saturating_sub(MAX_ROWS) as u64 + trace.left_out;
    if left > 0 {
        rows.push(format!("… and {left} more; a smaller launch shows all of its steps"));
    }
    rows.join("\n")
}

fn row_of([step, grid, block, warp, line, lanes, what]: [&str; 7], several: bool) -> String {
    let grid = if several { format!("{grid:>5}") } else { String::new() };
    format!("{step:>4}{grid}{block:>6}{warp:>5}{line:>6}  {lanes:<20} {what}").trim_end().to_string()
}

/// Lanes of a mask.
pub fn lanes(mask: u32) -> impl Iterator<Item = u32> {
    (0..32).filter(move |lane| mask >> lane & 1 == 1)
}

/// `0 2 4 … 30`; a run of all between is `0-31`.
pub fn lanes_of(event: &Event) -> String {
    let all: Vec<u64> = lanes(event.lanes).map(u64::from).collect();
    list(&all, 5)
}

/// `0 2 4 … 30`; numbers in a row are `0-31`.
fn list(numbers: &[u64], most: usize) -> String {
    let text = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    match numbers {
        [first, .., last] if numbers.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
            format!("{first}-{last}")
        }
        [first @ .., last] if numbers.len() > most => format!("{} … {last}", text(&first[..most - 2])),
        _ => text(numbers),
    }
}

/// What an event is, in words.
pub fn what(trace: &Trace, event: &Event) -> String {
    match &event.did {
        Did::Start { parent, kernel, blocks, threads, .. } => {
            let by = parent.map_or("the host".to_string(), |parent| format!("grid {parent}"));
            format!("{kernel} starts, launched by {by}: {blocks} × {threads} threads")
        }
        Did::End => "the block has ended".to_string(),
        Did::Read(touch) => format!("read  {}", touched(trace, touch)),
        Did::Write(touch) => format!("write {}", touched(trace, touch)),
        Did::Atomic { touch, with } => {
            let with = values(trace, touch.buffer, with);
            format!("atomic {} with {with}", touched(trace, touch))
        }
        Did::Diverge { rest } => {
            let other = Event { lanes: *rest, ..event.clone() };
            format!("go another way than lanes {}", lanes_of(&other))
        }
        Did::Arrive { id: 0 } => "arrive at the barrier".to_string(),
        Did::Arrive { id } => format!("arrive at barrier {id}"),
        Did::Open { exited: 0, .. } => "the barrier opens".to_string(),
        Did::Open { exited, .. } => format!("the barrier opens; {exited} threads have ended"),
        Did::ArriveInCluster => "arrive at the cluster's barrier".to_string(),
        Did::PassInCluster => "go on behind the cluster's barrier".to_string(),
        Did::Meet => "meet at a warp barrier".to_string(),
        Did::Fence => "memory fence".to_string(),
        Did::Launch { pending, limit, refused: None } => {
            format!("launches a grid; {pending} of {limit} pending")
        }
        Did::Launch { limit, refused: Some(error), .. } => {
            format!("launches a grid, which is dropped (error {error}; {limit} may be pending)")
        }
        Did::Freed { pending } => format!("{pending} launches are pending"),
        Did::ChildrenDone => "the children have ended".to_string(),
    }
}

/// `g_data[0 2 4 6]: 1 3 5 7`
fn touched(trace: &Trace, touch: &Touch) -> String {
    let name = &trace.buffers[touch.buffer].name;
    let parts = if touch.parts > 1 { format!(" {} each", touch.parts) } else { String::new() };
    let values = values(trace, touch.buffer, &touch.values);
    let colon = if values.is_empty() { "" } else { ": " };
    format!("{name}[{}]{parts}{colon}{values}", list(&touch.at, SHOWN))
}

/// The numbers that the bits are, where the type is known; else as whole numbers.
fn values(trace: &Trace, buffer: usize, bits: &[u64]) -> String {
    let texts: Vec<String> = bits.iter().map(|bits| number(trace, buffer, *bits)).collect();
    match &texts[..] {
        [first @ .., last] if texts.len() > SHOWN => format!("{} … {last}", first[..SHOWN - 2].join(" ")),
        _ => texts.join(" "),
    }
}

/// One number.
pub fn number(trace: &Trace, buffer: usize, bits: u64) -> String {
    let buffer = &trace.buffers[buffer];
    match (buffer.kind.as_deref(), buffer.element) {
        (Some("f32"), 4) => f32::from_bits(bits as u32).to_string(),
        (Some("f64"), 8) => f64::from_bits(bits).to_string(),
        (Some("i8"), 1) => (bits as i8).to_string(),
        (Some("i16"), 2) => (bits as i16).to_string(),
        (Some("i32"), 4) => (bits as i32).to_string(),
        (Some("i64"), 8) => (bits as i64).to_string(),
        _ => bits.to_string(),
    }
}

//! Where in a trace that happens which was found.

use ptx_simulator::trace::{Did, Event, Trace};
use ptx_simulator::{Access, Side, What};

use super::steps::lanes;

/// The place of a finding in its trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// Number of the event.
    pub event: usize,
    /// Buffer and element that it is about, if it is about one.
    pub element: Option<(usize, u64)>,
}

/// Where the first finding of the trace happens: of a race the later of its two accesses; else the first
/// event of its thread at its line, or the last of its thread; `None` if nothing was found.
pub fn at(trace: &Trace) -> Option<Found> {
    let found = trace.findings.first()?;
    if let What::Race { sides, .. } | What::OrderDecides { sides: Some(sides), .. } = &found.what
        && let Some(clash) = clash(trace, sides)
    {
        return Some(clash);
    }
    let last = trace.events.len().checked_sub(1)?;
    let who = found.block.zip(found.thread).map(|(block, thread)| Who::new(trace, block, thread));
    let is_who = |event: &Event| who.is_none_or(|who| who.does(event));
    let is_there = |event: &Event| found.line.is_some() && event.line == found.line && is_who(event);
    let mut events = trace.events.iter();
    let event = events.position(is_there).or_else(|| trace.events.iter().rposition(is_who)).unwrap_or(last);
    Some(Found { event, element: None })
}

/// The first two accesses to one element, one of each side.
fn clash(trace: &Trace, sides: &[Side; 2]) -> Option<Found> {
    let touched: Vec<(usize, usize, (usize, u64))> = (0..)
        .zip(&trace.events)
        .flat_map(|(number, event)| {
            let of = |side| of_side(trace, event, side).into_iter().map(move |element| (number, element));
            let both = [of(&sides[0]), of(&sides[1])];
            (0..).zip(both).flat_map(|(side, all)| all.map(move |(number, element)| (number, side, element)))
        })
        .collect();
    let is_met = |(number, side, element): &&(usize, usize, (usize, u64))| {
        touched.iter().any(|(earlier, other, same)| earlier <= number && other != side && same == element)
    };
    touched.iter().find(is_met).map(|(event, _, element)| Found { event: *event, element: Some(*element) })
}

/// The elements that this side of a race touches in an event.
fn of_side(trace: &Trace, event: &Event, side: &Side) -> Vec<(usize, u64)> {
    let who = Who::new(trace, side.block, side.thread);
    let line = side.at.as_ref().map(|(_, line)| *line);
    let touch = match (&event.did, side.does) {
        (Did::Read(touch), Access::Load) | (Did::Write(touch), Access::Store) => touch,
        (Did::Atomic { touch, .. }, Access::Atomic { .. }) => touch,
        _ => return Vec::new(),
    };
    if !who.does(event) || event.line != line {
        return Vec::new();
    }
    let place = lanes(event.lanes).position(|lane| lane == who.lane);
    let first = place.and_then(|place| touch.at.get(place));
    let parts =
        |first: &u64| (*first..*first + u64::from(touch.parts)).map(|element| (touch.buffer, element));
    first.into_iter().flat_map(parts).collect()
}

/// A thread, as events name it.
#[derive(Clone, Copy, Debug)]
struct Who {
    block: u64,
    warp: u32,
    lane: u32,
}

impl Who {
    fn new(trace: &Trace, block: [u32; 3], thread: [u32; 3]) -> Who {
        let linear = |[x, y, z]: [u32; 3], [width, height, _]: [u32; 3]| {
            u64::from(x) + u64::from(width) * (u64::from(y) + u64::from(height) * u64::from(z))
        };
        let thread = linear(thread, trace.block) as u32;
        Who { block: linear(block, trace.grid), warp: thread / 32, lane: thread % 32 }
    }

    fn does(self, event: &Event) -> bool {
        let Who { block, warp, lane } = self;
        event.block == block && event.warp == warp && event.lanes >> lane & 1 == 1
    }
}

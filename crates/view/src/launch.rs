//! Any small launch as a film: its warps above, its buffers below, one event after the other.

use ptx_simulator::trace::{Did, Event, Touch, Trace};

use super::drawing::Drawing;
use super::film::{Film, Frame, Track, lines};
use super::found::{self, Found};
use super::steps::{lanes, lanes_of, number, what};

/// What is drawn of a launch; the rest is only told.
const WARPS: usize = 8;
const BUFFERS: usize = 4;
const ELEMENTS: u64 = 64;
const FRAMES: usize = 600;

const LEFT: f64 = 92.0;
const PITCH: f64 = 19.0;
const PER_ROW: u64 = 32;
/// Longer numbers are rounded.
const MAX_CHARACTERS: usize = 12;

/// Where the parts of the drawing stand.
struct Plan {
    /// Grid, block and warp of each row of lanes.
    warps: Vec<(u32, u64, u32)>,
    buffers: Vec<Row>,
    height: f64,
}

/// Where a buffer stands.
struct Row {
    buffer: usize,
    /// Those that are drawn.
    elements: u64,
    /// As many as their numbers leave room for.
    per_row: u64,
    y: f64,
}

impl Row {
    fn pitch(&self) -> f64 {
        PITCH * (PER_ROW / self.per_row) as f64
    }
}

fn plan(trace: &Trace) -> Plan {
    let mut warps: Vec<(u32, u64, u32)> = Vec::new();
    let mut most = vec![0; trace.buffers.len()];
    let mut longest = vec![0; trace.buffers.len()];
    for event in &trace.events {
        let warp = (event.grid, event.block, event.warp);
        if event.lanes != 0 && !warps.contains(&warp) && warps.len() < WARPS {
            warps.push(warp);
        }
        if let Some(touch) = touch(event) {
            let end = touch.at.iter().max().map_or(0, |at| at + u64::from(touch.parts));
            most[touch.buffer] = end.min(ELEMENTS).max(most[touch.buffer]);
            let lengths = touch.values.iter().map(|bits| rounded(trace, touch.buffer, *bits).chars().count());
            longest[touch.buffer] = lengths.max().unwrap_or(0).max(longest[touch.buffer]);
        }
    }
    let mut y = 30.0 + 24.0 * warps.len() as f64 + 16.0;
    let mut buffers = Vec::new();
    for (buffer, &elements) in most.iter().enumerate().filter(|(_, elements)| **elements > 0).take(BUFFERS) {
        let per_row = match longest[buffer] {
            0..=3 => PER_ROW,
            4..=6 => PER_ROW / 2,
            _ => PER_ROW / 4,
        };
        buffers.push(Row { buffer, elements, per_row, y });
        y += 26.0 * elements.div_ceil(per_row) as f64 + 14.0;
    }
    Plan { warps, buffers, height: y + 4.0 }
}

fn touch(event: &Event) -> Option<&Touch> {
    match &event.did {
        Did::Read(touch) | Did::Write(touch) | Did::Atomic { touch, .. } => Some(touch),
        _ => None,
    }
}

/// The launch of `trace`; `source` is the text of its first source file, if there is one.
pub fn launch(trace: &Trace, source: Option<&str>) -> Film {
    let plan = plan(trace);
    let words = format!("What the warps of {} do, and what its buffers hold.", trace.kernel);
    let mut drawing = Drawing::new(LEFT + PITCH * PER_ROW as f64 + 8.0, plan.height, &words);
    drawing.text("start quiet", (LEFT, 16.0), "lanes 0 to 31");
    for (row, (grid, block, warp)) in plan.warps.iter().enumerate() {
        let y = 24.0 + 24.0 * row as f64;
        let grid = if *grid > 0 { format!("grid {grid}, ") } else { String::new() };
        drawing.text("end", (LEFT - 6.0, y + 14.0), &format!("{grid}{block} · warp {warp}"));
        for lane in 0..32 {
            let at = (LEFT + PITCH * f64::from(lane), y);
            drawing.keyed_rect(&format!("l{row}-{lane}"), "thread", at, (PITCH - 3.0, 18.0));
        }
    }
    for row @ Row { buffer, elements, per_row, y } in &plan.buffers {
        drawing.text("end", (LEFT - 6.0, y + 15.0), &short_name(&trace.buffers[*buffer].name));
        for element in 0..*elements {
            let x = LEFT + row.pitch() * (element % per_row) as f64;
            let y = y + 26.0 * (element / per_row) as f64;
            drawing.keyed_rect(&format!("e{buffer}-{element}"), "element", (x, y), (row.pitch() - 2.0, 22.0));
            let at = (x + row.pitch() / 2.0 - 1.0, y + 15.0);
            drawing.keyed_text(&format!("v{buffer}-{element}"), "tiny", at, "");
        }
    }
    let frames = frames(trace, &plan);
    let message = trace.findings.first().map(|found| found.message());
    let listing = source.map(|source| listing(trace, source)).unwrap_or_default();
    let last = frames.len().saturating_sub(1);
    let found = found::at(trace).map(|found| found.event.min(last));
    let writes = |event: &Event| matches!(event.did, Did::Write(_) | Did::Atomic { .. });
    let first_write = trace.events.iter().position(writes).map(|event| event.min(last));
    let still = found.or(first_write).or(Some(0));
    let track = Track { message, found, listing, ..Track::new(&trace.kernel, frames) };
    let caption = match trace.findings.is_empty() {
        true => "Blue: reads. Green, bold: writes. Orange, dashed: waits at a barrier.",
        false => "Blue: reads. Green, bold: writes. Orange, dashed: waits at a barrier. Red: what was found.",
    };
    Film { still, ..Film::new("launch", drawing, vec![track], caption) }
}

/// `argument 0` as `arg 0`, to fit beside the drawing.
fn short_name(name: &str) -> String {
    let name = name.replace("argument", "arg").replace("shared memory", "shared");
    name.chars().take(12).collect()
}

fn listing(trace: &Trace, source: &str) -> Vec<(u32, String)> {
    let touched: Vec<u32> =
        trace.events.iter().filter(|event| event.file == 0).filter_map(|e| e.line).collect();
    match (touched.iter().min(), touched.iter().max()) {
        (Some(first), Some(last)) => lines(source, first.saturating_sub(2).max(1), last + 1),
        _ => Vec::new(),
    }
}

fn frames(trace: &Trace, plan: &Plan) -> Vec<Frame> {
    let mut values = at_first(trace);
    let happens = found::at(trace);
    let mut waiting: Vec<(Warp, u32)> = Vec::new();
    let mut frames = Vec::new();
    for (number, event) in trace.events.iter().take(FRAMES).enumerate() {
        let mut frame = Frame { line: event.line.filter(|_| event.file == 0), ..Frame::default() };
        let who = if event.lanes == 0 {
            String::new()
        } else {
            format!("warp {}, lanes {}: ", event.warp, lanes_of(event))
        };
        frame.say = format!("Step {}: {who}{}", event.step, what(trace, event));
        match &event.did {
            Did::Arrive { .. } => {
                waiting.push(((event.grid, event.block, event.warp), event.lanes));
            }
            Did::Open { .. } => {
                waiting.retain(|((grid, block, _), _)| (*grid, *block) != (event.grid, event.block))
            }
            _ => {}
        }
        if let Some(touch) = touch(event) {
            remember(&mut values, touch);
        }
        show_lanes(&mut frame, plan, event, &waiting);
        show_values(&mut frame, trace, plan, event, &values);
        if let Some(found) = happens.filter(|found| found.event == number) {
            show_found(&mut frame, plan, event, found);
        }
        frames.push(frame);
    }
    frames
}

/// Of each buffer what its first elements are known to be.
type Values = Vec<Vec<Option<u64>>>;
/// Grid, block, warp.
type Warp = (u32, u64, u32);

/// What the elements held before the launch, as far as it has read them before it wrote them; shared memory
/// holds nothing then.
fn at_first(trace: &Trace) -> Values {
    let mut values: Values = vec![vec![None; ELEMENTS as usize]; trace.buffers.len()];
    let mut is_touched = vec![vec![false; ELEMENTS as usize]; trace.buffers.len()];
    for event in &trace.events {
        let Some(touch) = touch(event) else { continue };
        let is_shared = trace.buffers[touch.buffer].space == "shared";
        let reads = !matches!(event.did, Did::Write(_)) && !is_shared;
        for (element, value) in elements(touch) {
            let Some(is_touched) = is_touched[touch.buffer].get_mut(element) else { continue };
            if reads && !*is_touched {
                values[touch.buffer][element] = Some(value);
            }
            *is_touched = true;
        }
    }
    values
}

/// The elements that lanes touch, with their values where these are kept.
fn elements(touch: &Touch) -> impl Iterator<Item = (usize, u64)> {
    let parts = touch.parts as usize;
    let all = touch.at.iter().flat_map(move |at| (0..parts).map(move |part| *at as usize + part));
    all.zip(touch.values.iter().copied())
}

fn remember(values: &mut Values, touch: &Touch) {
    for (element, value) in elements(touch) {
        if let Some(known) = values[touch.buffer].get_mut(element) {
            *known = Some(value);
        }
    }
}

/// Marks in red what was found: the element, else the lanes that have done it.
fn show_found(frame: &mut Frame, plan: &Plan, event: &Event, found: Found) {
    if let Some((buffer, element)) = found.element {
        frame.class(&format!("e{buffer}-{element}"), "element bad");
        return;
    }
    let warp = (event.grid, event.block, event.warp);
    if let Some(row) = plan.warps.iter().position(|other| *other == warp) {
        for lane in lanes(event.lanes) {
            frame.class(&format!("l{row}-{lane}"), "thread bad");
        }
    }
}

fn show_lanes(frame: &mut Frame, plan: &Plan, event: &Event, waiting: &[(Warp, u32)]) {
    for (row, warp) in plan.warps.iter().enumerate() {
        for (_, arrived) in waiting.iter().filter(|(other, _)| other == warp) {
            for lane in lanes(*arrived) {
                frame.class(&format!("l{row}-{lane}"), "thread waits");
            }
        }
        if *warp == (event.grid, event.block, event.warp) && !matches!(event.did, Did::Arrive { .. }) {
            for lane in lanes(event.lanes) {
                frame.class(&format!("l{row}-{lane}"), "thread works");
            }
        }
    }
}

/// A number as its box shows it.
fn rounded(trace: &Trace, buffer: usize, bits: u64) -> String {
    let exact = number(trace, buffer, bits);
    match exact.parse::<f64>() {
        Ok(value) if exact.chars().count() > MAX_CHARACTERS => format!("{value:.4e}"),
        _ => exact,
    }
}

fn show_values(frame: &mut Frame, trace: &Trace, plan: &Plan, event: &Event, values: &Values) {
    for Row { buffer, elements, .. } in &plan.buffers {
        for (element, value) in values[*buffer].iter().take(*elements as usize).enumerate() {
            let Some(value) = value else { continue };
            frame.words(&format!("v{buffer}-{element}"), rounded(trace, *buffer, *value));
        }
    }
    let Some(touch) = touch(event) else { return };
    let class = if matches!(event.did, Did::Read(_)) { "element works" } else { "element written" };
    for at in &touch.at {
        for part in 0..u64::from(touch.parts) {
            frame.class(&format!("e{}-{}", touch.buffer, at + part), class);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use device::{Device, DeviceChoice, LaunchConfig, Module, SimulatorOptions};

    const SOURCE: &str = "// ANCHOR: copy\n__global__ void copy(const float *in, float *out)\n\
        { out[0] = in[0]; }\n// ANCHOR_END: copy\n";

    #[test]
    fn a_box_shows_a_number_of_its_type_and_the_listing_is_the_kernels_own() {
        let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a.cu\"\n\
            .visible .entry copy(.param .u64 copy_param_0, .param .u64 copy_param_1)\n{\n\
            .reg .b64 %rd<5>;\n.reg .f32 %f<2>;\nld.param.u64 %rd1, [copy_param_0];\n\
            ld.param.u64 %rd2, [copy_param_1];\ncvta.to.global.u64 %rd3, %rd1;\n\
            cvta.to.global.u64 %rd4, %rd2;\n.loc 1 3 1\nld.global.f32 %f1, [%rd3];\n\
            st.global.f32 [%rd4], %f1;\nret;\n}\n";
        let device = Device::open_with(DeviceChoice::Sim, SimulatorOptions::default()).unwrap();
        device.simulated().unwrap().remember(100, Some(SOURCE));
        let copy = Module::of_ptx("a.cu", ptx).unwrap().load_function("copy").unwrap();
        let from = device.clone_htod(&[0.12345679f32]).unwrap();
        let to = device.alloc_zeros::<f32>(1).unwrap();
        device.launch_builder(&copy).arg(&from).arg(&to).launch(LaunchConfig::new(1, 1)).unwrap();
        let film = launch(&device.take_trace().unwrap(), Some(SOURCE));
        let says: Vec<&str> = film.tracks[0].frames.iter().map(|frame| &*frame.say).collect();
        assert!(says[1].ends_with("read  in[0]: 0.12345679"), "{says:?}");
        assert!(says[2].ends_with("write out[0]: 0.12345679"), "{says:?}");
        let last = &film.tracks[0].frames[2].looks;
        assert_eq!(last["v1-0"].words.as_deref(), Some("0.12345679"));
        let first = &film.tracks[0].frames[0].looks;
        assert_eq!(first["v0-0"].words.as_deref(), Some("0.12345679"), "what it will read is there already");
        assert!(!first.contains_key("v1-0"), "nobody knows what it held");
        assert_eq!(film.still, Some(2), "it opens where the first element is written");
        let lines: Vec<u32> = film.tracks[0].listing.iter().map(|(line, _)| *line).collect();
        assert_eq!(lines, [2, 3]);
    }

    /// Two threads write one element: the figure opens there, marks it, and says so from then on.
    #[test]
    fn a_finding_is_shown_where_it_happens() {
        let ptx = ".version 8.0\n.target sm_75\n.address_size 64\n.file 1 \"a.cu\"\n\
            .visible .entry meet(.param .u64 meet_param_0)\n{\n\
            .reg .b64 %rd<3>;\n.reg .b32 %r<3>;\nld.param.u64 %rd1, [meet_param_0];\n\
            cvta.to.global.u64 %rd2, %rd1;\nmov.u32 %r1, %tid.x;\n.loc 1 3 1\n\
            ld.global.u32 %r2, [%rd2+4];\nst.global.u32 [%rd2], %r1;\nret;\n}\n";
        let device = Device::open_with(DeviceChoice::Sim, SimulatorOptions::default()).unwrap();
        device.simulated().unwrap().remember(100, None);
        let meet = Module::of_ptx("a.cu", ptx).unwrap().load_function("meet").unwrap();
        let to = device.clone_htod(&[7u32, 8]).unwrap();
        device.launch_builder(&meet).arg(&to).launch(LaunchConfig::new(1, 64)).unwrap();
        let trace = device.take_trace().unwrap();
        let found = found::at(&trace).expect("a race");
        assert_eq!(found.element, Some((0, 0)));
        let is_write = |event: &Event| matches!(event.did, Did::Write(_));
        let writes: Vec<usize> =
            (0..).zip(&trace.events).filter(|(_, e)| is_write(e)).map(|(i, _)| i).collect();
        assert!(writes.contains(&found.event), "{found:?} is none of {writes:?}");
        let film = launch(&trace, None);
        let track = &film.tracks[0];
        assert_eq!((track.found, film.still), (Some(found.event), Some(found.event)));
        assert_eq!(track.frames[found.event].looks["e0-0"].class.as_deref(), Some("element bad"));
        assert!(film.caption.contains("Red"), "{}", film.caption);
    }
}

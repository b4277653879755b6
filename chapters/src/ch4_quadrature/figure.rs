//! The curve, and the intervals that a kernel makes of it.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Touch, Trace};
use workbook::view::{Drawing, Film, Frame, Track};

use super::area::Interval;

/// Teeth of the page's figure.
const TEETH: u32 = 8;

/// A node that a kernel looked at, and whether it divided it.
type Seen = (Interval, bool);

/// From a trace of `gpuRecursiveDivide` that begins with the four nodes of level 2: the curve with [`TEETH`]
/// teeth, and below it the intervals of each level.
pub fn figure(from: &Sources) -> Result<Film> {
    let trace = &from.trace("quadrature")?;
    const WIDTH: f64 = 304.0;
    const LEFT: f64 = 48.0;
    const FLOOR: f64 = 118.0;
    let place = |x: f64| LEFT + WIDTH * x;
    let height = |y: f64| FLOOR - 200.0 * y;
    let levels = levels(trace);
    let words = format!(
        "A zigzag of {TEETH} teeth between 0 and 1, narrower and narrower towards 0. Below it a row of boxes \
         for each level: first four intervals, then the halves of those that were divided, mostly where the \
         teeth are narrow or the curve has a corner."
    );
    let mut drawing = Drawing::new(360.0, FLOOR + 22.0 + 20.0 * levels.len() as f64, &words);
    for (interval, _) in levels.iter().flatten().filter(|(_, divided)| !divided) {
        let top = height(interval.fine);
        let x = place(interval.start);
        let width = WIDTH * interval.width;
        drawing.keyed_rect(&format!("a{}", key(interval)), "off", (x, top), (width, FLOOR - top));
    }
    // Tooth k lies between 1/(k + 1) and 1/k; it falls from 1/2 to 0 in its middle, and rises again.
    let mut path = format!("M{LEFT} {FLOOR}H{:.1}", place(1.0 / f64::from(TEETH)));
    for eighths in (8..=8 * TEETH).rev() {
        let y = f64::from(eighths % 8) / 8.0 - 0.5;
        path += &format!("L{:.1} {:.1}", place(8.0 / f64::from(eighths)), height(y.abs()));
    }
    drawing.path("curve", &path);
    for (row, level) in levels.iter().enumerate() {
        let y = FLOOR + 12.0 + 20.0 * row as f64;
        drawing.keyed_text(&format!("n{row}"), "off", (LEFT - 8.0, y + 12.0), &level.len().to_string());
        for (interval, _) in level {
            let x = place(interval.start);
            let width = WIDTH * interval.width;
            drawing.keyed_rect(&format!("i{}", key(interval)), "off", (x, y), (width, 15.0));
        }
    }
    let frames = (1..=levels.len()).map(|shown| frame(&levels, shown, total(trace))).collect();
    let caption = "A zigzag with 8 teeth, and what <code>gpuRecursiveDivide</code> makes of it, from four \
                   intervals on. Each row has the intervals of one grid, with their number: empty ones were \
                   divided, filled ones are done. The steps under the curve are the estimates that were \
                   kept.";
    Ok(Film::new("quadrature", drawing, vec![Track::new("all", frames)], caption))
}

fn key(interval: &Interval) -> String {
    format!("{}-{}", interval.start, interval.width)
}

/// What the kernel looked at, grid by grid: the nodes that it read, and those whose halves it wrote.
fn levels(trace: &Trace) -> Vec<Vec<Seen>> {
    let of_nodes = |touch: &Touch| ["nodes", "halves"].contains(&trace.buffers[touch.buffer].name.as_str());
    let mut levels: Vec<(Vec<u64>, Vec<u64>)> = Vec::new();
    for event in &trace.events {
        match &event.did {
            Did::Start { .. } => levels.push((Vec::new(), Vec::new())),
            Did::Read(touch) if of_nodes(touch) => levels[event.grid as usize].0.extend(&touch.values),
            Did::Write(touch) if of_nodes(touch) => levels[event.grid as usize].1.extend(&touch.values),
            _ => {}
        }
    }
    let seen = |(mut read, written): (Vec<u64>, Vec<u64>)| {
        read.sort_unstable();
        read.dedup(); // a node that is divided is read once more
        let of = |node: u64| (Interval::of(node, TEETH), written.contains(&(2 * node)));
        read.into_iter().map(of).collect()
    };
    levels.into_iter().map(seen).collect()
}

/// The area that the kernel has added up, in units of 2^-40.
fn total(trace: &Trace) -> u64 {
    let added = trace.events.iter().filter_map(|event| match &event.did {
        Did::Atomic { touch, with } if trace.buffers[touch.buffer].name == "total" => with.first(),
        _ => None,
    });
    added.sum()
}

/// The first levels, the last of them just divided.
fn frame(levels: &[Vec<Seen>], shown: usize, total: u64) -> Frame {
    let mut frame = Frame::default();
    for (row, level) in levels.iter().enumerate().take(shown) {
        frame.class(&format!("n{row}"), "end");
        for (interval, divided) in level {
            frame.class(&format!("i{}", key(interval)), if *divided { "" } else { "works" });
            if !divided {
                frame.class(&format!("a{}", key(interval)), "works");
            }
        }
    }
    let level = &levels[shown - 1];
    let count = level.len();
    frame.say = match level.iter().filter(|(_, divided)| *divided).count() {
        0 => {
            let area = total as f64 / (1u64 << 40) as f64;
            format!("Grid {shown}: {count} intervals, all fine enough. The area is {area:.4}.")
        }
        coarse => format!(
            "Grid {shown}: {count} intervals. {coarse} {} divided, so the next grid has {}.",
            if coarse == 1 { "is" } else { "are" },
            2 * coarse
        ),
    };
    frame
}

#[cfg(test)]
mod tests {

    use super::super::area::area;
    use super::*;

    /// The area below some nodes of one level, by the recursion.
    fn area_below(nodes: std::ops::Range<u64>, n: u32) -> i64 {
        nodes.map(|node| area(node, n)).sum()
    }

    #[test]
    fn the_figure_s_kernel_finds_the_area_of_the_recursion() {
        let root = workbook::root().unwrap();
        let trace = Sources(root).trace("quadrature").unwrap();
        assert_eq!(total(&trace) as i64, area_below(4..8, TEETH));
        for (interval, divided) in levels(&trace).iter().flatten() {
            assert_eq!(interval.is_coarse(1.0 / 256.0), *divided, "{}", key(interval));
        }
        let counts: Vec<usize> = levels(&trace).iter().map(Vec::len).collect();
        assert_eq!(counts, [4, 8, 10, 12, 12, 10, 10, 8, 2]);
    }
}

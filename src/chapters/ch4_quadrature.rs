//! The area under the curve of `kernels/ch4_quadrature.cu`, as a recursion on the CPU.

use crate::figure::{Drawing, Film, Frame, Track};
use crate::reduction::operation::Operation;
use crate::reduction::value::Expected;
use crate::sim::trace::{Did, Touch, Trace};

/// The last level: its intervals are not divided any more.
pub const LAST_LEVEL: u32 = 48;
/// The work begins with the nodes `FIRST_NODES` to `2 * FIRST_NODES - 1`, which are one level.
pub const FIRST_NODES: u32 = 1 << 10;

/// The area under a zigzag with as many teeth as there are numbers, in units of 2^-40.
pub const AREA: Operation = Operation {
    name: "area in units of 2^-40",
    element_bytes: 0,
    expected: |data| {
        let n = data.len() as u32;
        let first = u64::from(FIRST_NODES);
        Expected::exactly((first..2 * first).map(|node| area(node, n)).sum::<i64>())
    },
};

fn curve(x: f64, n: u32) -> f64 {
    let r = 1.0 / x;
    if r < f64::from(n) { (r - r.floor() - 0.5).abs() } else { 0.0 }
}

/// The interval of a node, and the two estimates of the curve's mean on it.
struct Interval {
    start: f64,
    width: f64,
    coarse: f64,
    fine: f64,
}

impl Interval {
    /// All products are with powers of 2 and all quotients are rounded as IEEE 754 says, so CPU and GPU
    /// divide the same intervals.
    fn of(node: u64, n: u32) -> Interval {
        let level = node.ilog2();
        let width = 1.0 / (1u64 << level) as f64;
        let start = (node - (1 << level)) as f64 * width;
        let at = |part: f64| curve(start + part * width, n);
        Interval { start, width, coarse: at(0.5), fine: 0.5 * (at(0.25) + at(0.75)) }
    }

    fn is_coarse(&self, tolerance: f64) -> bool {
        (self.fine - self.coarse).abs() > tolerance
    }
}

/// The area below the node, found as the kernels find it.
fn area(node: u64, n: u32) -> i64 {
    let interval = Interval::of(node, n);
    if interval.is_coarse(1.0 / 256.0) && node.ilog2() < LAST_LEVEL {
        return area(2 * node, n) + area(2 * node + 1, n);
    }
    (interval.fine * interval.width * (1u64 << 40) as f64).round_ties_even() as i64
}

/// Teeth of the page's figure.
pub const TEETH: u32 = 8;

/// A node that a kernel looked at, and whether it divided it.
type Seen = (Interval, bool);

/// The page's figure, from a trace of `gpuRecursiveDivide` that begins with the four nodes of level 2: the
/// curve with [`TEETH`] teeth, and below it the intervals of each level.
pub fn film(trace: &Trace) -> Film {
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
        let (x, width) = (place(interval.start), WIDTH * interval.width);
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
            let (x, width) = (place(interval.start), WIDTH * interval.width);
            drawing.keyed_rect(&format!("i{}", key(interval)), "off", (x, y), (width, 15.0));
        }
    }
    Film {
        name: "quadrature".into(),
        drawing,
        tracks: vec![Track {
            label: "all".into(),
            message: None,
            listing: Vec::new(),
            frames: (1..=levels.len()).map(|shown| frame(&levels, shown, total(trace))).collect(),
        }],
        still: None,
        caption: "A zigzag with 8 teeth, and what <code>gpuRecursiveDivide</code> makes of it, from four \
                  intervals on. Each row has the intervals of one grid, with their number: empty ones were \
                  divided, filled ones are done. The steps under the curve are the estimates that were kept."
            .into(),
    }
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

/// Length that suffices for a list of nodes: no level has more.
pub fn most_nodes(n: u64) -> usize {
    (n + 2 * u64::from(FIRST_NODES)) as usize
}

/// Length that suffices for the places of a queue: the first nodes, one half of each node that is divided,
/// and one for each of `threads` threads to wait for.
pub fn most_places(n: u64, threads: u64) -> usize {
    (2 * n + 2 * u64::from(FIRST_NODES) + threads) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The area below some nodes of one level, by the recursion.
    fn area_below(nodes: std::ops::Range<u64>, n: u32) -> i64 {
        nodes.map(|node| area(node, n)).sum()
    }

    #[test]
    fn the_figure_s_kernel_finds_the_area_of_the_recursion() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(root.join("../book/records/traces/quadrature.json")).unwrap();
        let trace: Trace = serde_json::from_str(&text).unwrap();
        assert_eq!(total(&trace) as i64, area_below(4..8, TEETH));
        for (interval, divided) in levels(&trace).iter().flatten() {
            assert_eq!(interval.is_coarse(1.0 / 256.0), *divided, "{}", key(interval));
        }
        let counts: Vec<usize> = levels(&trace).iter().map(Vec::len).collect();
        assert_eq!(counts, [4, 8, 10, 12, 12, 10, 10, 8, 2]);
    }

    fn widths(n: u32) -> Vec<usize> {
        let mut nodes: Vec<u64> = (u64::from(FIRST_NODES)..2 * u64::from(FIRST_NODES)).collect();
        let mut widths = Vec::new();
        while !nodes.is_empty() {
            widths.push(nodes.len());
            let divided =
                |&node: &u64| node.ilog2() < LAST_LEVEL && Interval::of(node, n).is_coarse(1.0 / 256.0);
            nodes = nodes.iter().copied().filter(divided).flat_map(|node| [2 * node, 2 * node + 1]).collect();
        }
        widths
    }

    #[test]
    fn no_level_is_wider_than_the_lists_and_all_fit_the_queue() {
        for n in [0, 1, 2, 33, 1000, 1 << 10, 4097, 1 << 14, 100_003, 1 << 20] {
            let widths = widths(n);
            assert!(widths.iter().all(|&width| width <= most_nodes(n.into())), "{n}: {widths:?}");
            let divided: usize = widths.iter().skip(1).sum::<usize>() / 2;
            assert!(FIRST_NODES as usize + divided <= most_places(n.into(), 0), "{n}: {divided}");
            assert!(widths.len() as u32 <= LAST_LEVEL - FIRST_NODES.ilog2() + 1);
        }
    }

    /// The integral of |frac(1/x) - 1/2| over [1/n, 1]; with y = 1/x, of |y - k - 1/2| / y² on each tooth k.
    #[test]
    fn the_area_is_that_of_the_zigzag() {
        for n in [2u32, 33, 1000] {
            let tooth = |k: f64| {
                let middle = k + 0.5;
                let primitive = |y: f64| y.ln() + middle / y; // of (y - middle) / y^2
                primitive(k) + primitive(k + 1.0) - 2.0 * primitive(middle)
            };
            let exact: f64 = (1..n).map(|k| tooth(k.into())).sum();
            let Expected { value: crate::reduction::value::Value::Int(area), .. } =
                (AREA.expected)(&vec![0; n as usize])
            else {
                panic!("an area is a whole number")
            };
            let area = area as f64 / (1u64 << 40) as f64;
            assert!((area - exact).abs() < 0.01 * exact, "{n}: {area} {exact}");
        }
    }
}

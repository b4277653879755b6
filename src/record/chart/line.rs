//! The lines of a chart, and their points.

/// The most lines that a reader can follow in one chart.
pub const SERIES: usize = 5;

/// One line of a chart.
pub struct Series {
    /// What stands beside the line.
    pub name: String,
    /// How it is drawn.
    pub style: Style,
    /// Sorted by x.
    pub points: Vec<Point>,
}

/// How a line is told from the others.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// The i-th kernel of the record: its colour and marker.
    Kernel(usize),
    /// Work of the host that kernels are compared with.
    Host,
    /// A computed limit, not a measurement.
    Limit,
}

/// A value, with its minimum and maximum where it has them.
#[derive(Clone)]
pub struct Point {
    /// On the horizontal axis.
    pub x: f64,
    /// On the vertical axis.
    pub y: f64,
    /// Minimum and maximum.
    pub spread: Option<(f64, f64)>,
    /// Threads per block; 0 where there is no kernel.
    pub block: u32,
    /// Whether the run was ok.
    pub right: bool,
}

impl Point {
    /// A value without a spread.
    pub fn new(x: f64, y: f64) -> Point {
        Point { x, y, spread: None, block: 0, right: true }
    }
}

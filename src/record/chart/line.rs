//! The lines of a chart, and their points; a straight line through points.

/// The most lines that a reader can follow in one chart.
pub const SERIES: usize = 5;

/// One line of a chart.
#[derive(Clone)]
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

/// `a` and `b` of the line `y = a + b x` for which the squares of the relative errors, `(a + b x - y) / y`,
/// have the smallest sum, among the lines with `a` not below 0: work takes time even without a launch. `None`
/// unless two points have different x.
pub fn fit(points: &[(f64, f64)]) -> Option<(f64, f64)> {
    let sum = |term: fn(f64, f64) -> f64| points.iter().map(|&(x, y)| term(x, y) / (y * y)).sum::<f64>();
    let ones = sum(|_, _| 1.0);
    let xs = sum(|x, _| x);
    let ys = sum(|_, y| y);
    let squares = sum(|x, _| x * x);
    let products = sum(|x, y| x * y);
    let determinant = ones * squares - xs * xs;
    let (a, b) = match (ones * products - xs * ys) / determinant {
        b if ys < b * xs => (0.0, products / squares),
        b => ((ys - b * xs) / ones, b),
    };
    (determinant > 1e-9 * ones * squares && a.is_finite() && b.is_finite()).then_some((a, b))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_on_a_line_give_the_line() {
        let points = [1.0, 10.0, 18_432.0].map(|x| (x, 4.0 + 11.0 * x));
        let (a, b) = fit(&points).unwrap();
        assert!((a - 4.0).abs() < 1e-6 && (b - 11.0).abs() < 1e-9, "{a} {b}");
    }

    #[test]
    fn small_and_large_points_count_alike() {
        // 10% too slow at both ends.
        let (_, b) = fit(&[(10.0, 110.0), (100.0, 1000.0), (1e6, 1.1e7)]).unwrap();
        assert!(b > 10.0 && b < 11.0, "{b}");
    }

    #[test]
    fn no_time_is_below_zero() {
        let (a, b) = fit(&[(10.0, 90.0), (100.0, 1000.0), (1000.0, 10_000.0)]).unwrap();
        assert_eq!(a, 0.0);
        assert!(b > 9.0 && b < 10.0, "{b}");
    }

    #[test]
    fn one_place_gives_no_line() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(3.0, 1.0), (3.0, 2.0)]), None);
    }
}

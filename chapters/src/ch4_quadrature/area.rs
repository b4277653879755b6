//! The area under the curve of `kernels/ch4_quadrature.cu`, as a recursion on the CPU.

use workbook::reduction::operation::Operation;
use workbook::reduction::operator::ElementType;
use workbook::reduction::value::Expected;

/// The last level: its intervals are not divided any more.
pub const LAST_LEVEL: u32 = 48;
/// The work begins with the nodes `FIRST_NODES` to `2 * FIRST_NODES - 1`, which are one level.
pub const FIRST_NODES: u32 = 1 << 10;

/// The area under a zigzag with as many teeth as there are numbers, in units of 2^-40.
pub const AREA: Operation = Operation {
    name: "area in units of 2^-40",
    element: ElementType::None,
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
pub struct Interval {
    pub start: f64,
    pub width: f64,
    coarse: f64,
    pub fine: f64,
}

impl Interval {
    /// All products are with powers of 2 and all quotients are rounded as IEEE 754 says, so CPU and GPU
    /// divide the same intervals.
    pub fn of(node: u64, n: u32) -> Interval {
        let level = node.ilog2();
        let width = 1.0 / (1u64 << level) as f64;
        let start = (node - (1 << level)) as f64 * width;
        let at = |part: f64| curve(start + part * width, n);
        Interval { start, width, coarse: at(0.5), fine: 0.5 * (at(0.25) + at(0.75)) }
    }

    pub fn is_coarse(&self, tolerance: f64) -> bool {
        (self.fine - self.coarse).abs() > tolerance
    }
}

/// The area below the node, found as the kernels find it.
pub fn area(node: u64, n: u32) -> i64 {
    let interval = Interval::of(node, n);
    if interval.is_coarse(1.0 / 256.0) && node.ilog2() < LAST_LEVEL {
        return area(2 * node, n) + area(2 * node + 1, n);
    }
    (interval.fine * interval.width * (1u64 << 40) as f64).round_ties_even() as i64
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
    use workbook::reduction::value::{Answer, Value};

    use super::*;

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
            let Answer::One(Value::Int(area)) = (AREA.expected)(&vec![0; n as usize]).answer else {
                panic!("an area is a whole number")
            };
            let area = area as f64 / (1u64 << 40) as f64;
            assert!((area - exact).abs() < 0.01 * exact, "{n}: {area} {exact}");
        }
    }
}

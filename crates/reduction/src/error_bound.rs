//! How far a sum of floats, added up in some order, may be from the exact sum.
//!
//! N. J. Higham, *Accuracy and Stability of Numerical Algorithms*, 2nd edition (SIAM, 2002): section 3.1 for
//! γ, section 4.2 for the errors of summation in any order, section 4.3 for compensated summation.

/// Unit roundoff u of `f32`, 2⁻²⁴: one operation, rounded to nearest, has a relative error of at most u.
pub const UNIT_F32: f64 = 1.0 / (1u64 << 24) as f64;
/// Unit roundoff u of `f64`, 2⁻⁵³.
pub const UNIT_F64: f64 = 1.0 / (1u64 << 53) as f64;

/// γ_k = k·u / (1 − k·u): the largest relative error of k = `roundings` operations in a row; infinite from
/// k·u = 1 on.
pub fn gamma(roundings: u64, unit: f64) -> f64 {
    let ku = roundings as f64 * unit;
    if ku < 1.0 { ku / (1.0 - ku) } else { f64::INFINITY }
}

/// The largest error of a sum of `n` terms, as a share of Σ|xᵢ|, where no term goes through more than
/// `roundings` operations that round: γ_k, and where that says nothing n·u, which holds for any order (C.-P.
/// Jeannerod and S. M. Rump, "Improved error bounds for inner products in floating-point arithmetic", SIAM J.
/// Matrix Anal. Appl. 34, 2013). Underflow is not counted.
fn share(n: u64, roundings: u64, unit: f64) -> f64 {
    let by_height = gamma(roundings, unit);
    if by_height <= 1.0 { by_height } else { n as f64 * unit }
}

/// The largest error of a sum against a [`compensated_sum`], itself rounded, as a share of Σ|xᵢ|. `roundings`
/// is the height of the tree of additions: ⌈log₂ n⌉ for neighbours in pairs, n − 1 one by one or in any
/// order. `unit` is the type's unit roundoff.
pub fn of_sum(n: u64, roundings: u64, unit: f64) -> f64 {
    share(n, roundings, unit) + 2.0 * UNIT_F64
}

/// The same for a dot product of `n` pairs of `f32` and Σ|aᵢbᵢ|; the product of a pair is a rounding too.
pub fn of_dot(n: u64, roundings: u64) -> f64 {
    share(n, roundings, UNIT_F32)
}

/// The sum of `terms`, nearly as if it were rounded once: its error is at most 2u|s| plus a term in n·u²
/// (u of `f64`). Neumaier's form of Kahan's summation, which allows a term larger than the sum so far.
pub fn compensated_sum(terms: impl IntoIterator<Item = f64>) -> f64 {
    let mut sum = 0.0f64;
    let mut lost = 0.0f64;
    for term in terms {
        let next = sum + term;
        let (large, small) = if sum.abs() >= term.abs() { (sum, term) } else { (term, sum) };
        lost += (large - next) + small; // exactly what the addition has rounded away
        sum = next;
    }
    sum + lost
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_compensated_sum_keeps_what_a_plain_one_loses() {
        let terms = [1.0, 1e100, 1.0, -1e100];
        assert_eq!(terms.iter().sum::<f64>(), 0.0);
        assert_eq!(compensated_sum(terms), 2.0);
        assert_eq!(compensated_sum([]), 0.0);
    }

    #[test]
    fn the_bound_holds_for_the_worst_order_and_is_not_much_larger() {
        // Each of the small terms is half a unit in the last place of 1, and is rounded away.
        let n = 1 << 12;
        let terms: Vec<f32> = std::iter::once(1.0).chain((1..n).map(|_| UNIT_F32 as f32)).collect();
        let plain = terms.iter().fold(0.0f32, |sum, term| sum + term);
        let exact = compensated_sum(terms.iter().map(|&term| term.into()));
        let error = (f64::from(plain) - exact).abs();
        let bound = of_sum(n, n - 1, UNIT_F32) * exact;
        assert!(error <= bound && bound < 1.01 * error, "{error:e}, {bound:e}");
        assert_eq!(gamma(1 << 24, UNIT_F32), f64::INFINITY);
        assert!((1.0..1.001).contains(&of_sum(1 << 24, (1 << 24) - 1, UNIT_F32)), "n·u where γ says nothing");
        assert_eq!(of_dot(1 << 26, 1 << 26), 4.0, "a record holds finite numbers");
        assert_eq!(of_dot(1 << 26, 8), gamma(8, UNIT_F32));
    }
}

//! The dot product on the CPU, to compare the kernels with: in a loop, and with Kahan's compensation.

use anyhow::Result;
use workbook::chapter::{Case, Outcome};

use super::product::random_pair;

pub fn in_a_loop(case: &Case) -> Result<Outcome> {
    let (a, b): (Vec<f32>, Vec<f32>) = case.data.iter().map(|&number| random_pair(number)).unzip();
    case.on_cpu(|_| dot_in_a_loop(&a, &b))
}

pub fn compensated(case: &Case) -> Result<Outcome> {
    let (a, b): (Vec<f32>, Vec<f32>) = case.data.iter().map(|&number| random_pair(number)).unzip();
    case.on_cpu(|_| kahan(&a, &b))
}

// ANCHOR: dotLoop
fn dot_in_a_loop(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0;
    for (a, b) in a.iter().zip(b) {
        sum += a * b;
    }
    sum
}
// ANCHOR_END: dotLoop

/// W. Kahan, "Further remarks on reducing truncation errors", CACM 8 (1965): what one addition rounds away is
/// added with the next product.
// ANCHOR: dotKahan
fn kahan(a: &[f32], b: &[f32]) -> f32 {
    let mut sum = 0.0f32;
    let mut lost = 0.0f32;
    for (a, b) in a.iter().zip(b) {
        let term = a * b - lost;
        let next = sum + term;
        lost = (next - sum) - term;
        sum = next;
    }
    sum
}
// ANCHOR_END: dotKahan

//! Which numbers a wrong result has left out, or counted twice: the answer is run again with most of them
//! replaced by what changes no result.

use std::ops::Range;

use super::plan::Op;
use super::source::Exercise;
use super::verdict::Findings;

/// Runs, at most.
const RUNS: usize = 96;
/// Elements that are named, at most.
const NAMED: usize = 4;

/// `failure` with how often the answer counts which element, if its result for `inputs` is wrong and that
/// explains it.
pub fn explained(
    exercise: &Exercise,
    failure: Findings,
    op: Op,
    inputs: &[Vec<i32>; 2],
    run: impl Fn([Vec<i32>; 2]) -> Option<i32>,
) -> Findings {
    if failure.kinds != ["wrong-result"] || inputs[0].is_empty() {
        return failure;
    }
    match explain(op, inputs, run) {
        Some(explained) => {
            let what = format!("{}\n{explained}", failure.what);
            Findings { what, ..failure }.about(exercise, "miscounted")
        }
        None => failure,
    }
}

/// Says of an answer whose result for `inputs` is wrong how often it counts which element; `run` gives its
/// result for other inputs of the same length. `None` if that explains nothing.
fn explain(op: Op, inputs: &[Vec<i32>; 2], run: impl Fn([Vec<i32>; 2]) -> Option<i32>) -> Option<String> {
    let nothing = op.identity()?;
    let n = inputs[0].len();
    let runs = std::cell::Cell::new(0);
    let run = |inputs: [Vec<i32>; 2]| {
        runs.set(runs.get() + 1);
        run(inputs)
    };
    // All numbers outside of `range` as if they were not there.
    let masked = |range: &Range<usize>| {
        let mut inputs = inputs.clone();
        for (i, number) in inputs[0].iter_mut().enumerate() {
            *number = if range.contains(&i) { *number } else { nothing };
        }
        inputs
    };
    // What it gives for `range` alone, if that is wrong.
    let wrong = |range: &Range<usize>| {
        let inputs = masked(range);
        let expected = op.expected(&inputs[0], &inputs[1]);
        Some(Some(run(inputs)?).filter(|result| *result != expected))
    };
    let counts = !matches!(op, Op::Max | Op::Min);
    if let Some(result) = wrong(&(0..0))? {
        let (noun, result) = (op.noun(), op.show(result));
        let text = format!(
            "For an array of nothing but zeros the {noun} is {result}: something else is counted, too."
        );
        return counts.then_some(text);
    }
    let mut found: Vec<(usize, i64)> = Vec::new();
    let mut ranges: Vec<Range<usize>> = std::iter::once(0..n).collect();
    while let Some(range) = ranges.pop() {
        if found.len() > NAMED || runs.get() >= RUNS {
            break;
        }
        if wrong(&range)?.is_none() {
            continue;
        }
        if range.len() > 1 {
            let middle = range.start + range.len() / 2;
            ranges.extend([middle..range.end, range.start..middle]);
            continue;
        }
        // 1 is itself when it is squared, or multiplied by 1.
        let mut inputs = [vec![nothing; n], vec![1; n]];
        inputs[0][range.start] = 1;
        let result = run(inputs)?;
        let times = if counts { i64::from(result) } else { i64::from(result == 1) };
        if times == 1 {
            return None;
        }
        found.push((range.start, times));
    }
    let (_, times) = *found.first()?;
    if found.len() > NAMED && found.iter().all(|(_, other)| *other == times) {
        let ones = run([vec![1; n], vec![1; n]]);
        if times > 1 && counts && ones.map(i64::from) == Some(times * n as i64) {
            return Some(format!("Every element is counted {}.", often(times)));
        }
    }
    // All have been found: they must explain the result.
    if ranges.is_empty() && found.len() <= NAMED && counts {
        let mut result = op.expected(&inputs[0], &inputs[1]);
        for (element, times) in &found {
            let inputs = masked(&(*element..element + 1));
            let once = op.expected(&inputs[0], &inputs[1]);
            result = result.wrapping_add(once.wrapping_mul((*times - 1) as i32));
        }
        if Some(result) != wrong(&(0..n))? {
            return None;
        }
    }
    told(&found)
}

/// The first of these elements with how often they are counted: `Elements 0 and 1 are left out.`
fn told(found: &[(usize, i64)]) -> Option<String> {
    let more = if found.len() > NAMED { ", and there are more" } else { "" };
    let groups = found[..found.len().min(NAMED)].chunk_by(|(_, a), (_, b)| a == b);
    let parts = groups.map(|group| {
        let elements: Vec<String> = group.iter().map(|(element, _)| element.to_string()).collect();
        let (last, others) = elements.split_last()?;
        let elements = match others {
            [] => format!("element {last} is"),
            _ => format!("elements {} and {last} are", others.join(", ")),
        };
        Some(format!("{elements} {}", counted(group[0].1)))
    });
    let text = parts.collect::<Option<Vec<_>>>()?.join(", ");
    Some(format!("{}{}{more}.", text[..1].to_uppercase(), &text[1..]))
}

fn counted(times: i64) -> String {
    if times == 0 { "left out".into() } else { format!("counted {}", often(times)) }
}

fn often(times: i64) -> String {
    if times == 2 { "twice".into() } else { format!("{times} times") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use workbook::reduction::data::numbers;

    fn explained(n: usize, op: Op, wrong: impl Fn(&[i32], &[i32]) -> i32) -> Option<String> {
        let inputs = [numbers(n, 1), numbers(n, 2)];
        explain(op, &inputs, |inputs| Some(wrong(&inputs[0], &inputs[1])))
    }

    fn sum<'a>(numbers: impl IntoIterator<Item = &'a i32>) -> i32 {
        numbers.into_iter().fold(0, |sum, number| sum.wrapping_add(*number))
    }

    #[test]
    fn elements_are_named_with_how_often_they_count() {
        let says = |n, op, wrong: fn(&[i32], &[i32]) -> i32, text: &str| {
            assert_eq!(explained(n, op, wrong).as_deref(), Some(text));
        };
        says(3, Op::Sum, |a, _| sum(&a[..2]), "Element 2 is left out.");
        says(
            1000,
            Op::Sum,
            |a, _| sum(a).wrapping_sub(a[2]).wrapping_add(a[777]),
            "Element 2 is left out, element 777 is counted twice.",
        );
        says(1000, Op::Sum, |a, _| sum(&a[3..]), "Elements 0, 1 and 2 are left out.");
        says(
            1000,
            Op::Sum,
            |a, _| sum(&a[..96]),
            "Elements 96, 97, 98 and 99 are left out, and there are more.",
        );
        says(96, Op::Sum, |a, _| sum(a).wrapping_mul(32), "Every element is counted 32 times.");
        let largest = *numbers(9, 1).iter().max().unwrap();
        let max = |a: &[i32], _: &[i32]| a[1..].iter().copied().max().unwrap();
        let place = numbers(9, 1).iter().position(|number| *number == largest);
        let text =
            explained(9, Op::Max, |a, b| max(&[&a[place.unwrap()..], &a[..place.unwrap()]].concat(), b));
        assert_eq!(text.as_deref(), Some(&*format!("Element {} is left out.", place.unwrap())));
    }

    #[test]
    fn a_product_is_counted_like_a_number() {
        let dot = |a: &[i32], b: &[i32]| Op::Dot.expected(&a[1..], &b[1..]);
        assert_eq!(explained(40, Op::Dot, dot).as_deref(), Some("Element 0 is left out."));
    }

    #[test]
    fn what_is_no_matter_of_counting_is_not_explained() {
        assert_eq!(explained(40, Op::Sum, |a, _| a.iter().fold(0, |x, y| x ^ y)), None);
        let text = explained(40, Op::Sum, |a, _| sum(a).wrapping_add(1)).unwrap();
        assert!(text.contains("the sum is 1: something else is counted"), "{text}");
    }
}

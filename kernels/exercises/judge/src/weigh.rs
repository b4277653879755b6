//! Which numbers a wrong result has left out, or counted twice: the answer is run again with most of them
//! replaced by what changes no result.

use std::ops::Range;

use super::fault::Fault;
use super::op::Op;
use super::source::Exercise;
use super::think::Topic;
use super::verdict::Findings;

/// Runs, at most.
const RUNS: usize = 96;
/// Elements that are named, at most.
const NAMED: usize = 4;

/// `failure` with how often the answer counts which element, if its result for `input` is wrong and that
/// explains it.
pub fn explained(
    exercise: &Exercise,
    failure: Findings,
    op: Op,
    input: &[i32],
    run: impl Fn(Vec<i32>) -> Option<i32>,
) -> Findings {
    if failure.kinds != [Fault::WrongResult] || input.is_empty() {
        return failure;
    }
    match explain(op, input, run) {
        Some(explained) => {
            let what = format!("{}\n{explained}", failure.what);
            Findings { what, ..failure }.about(exercise, Topic::Miscounted)
        }
        None => failure,
    }
}

/// Says of an answer whose result for `input` is wrong how often it counts which element; `run` gives its
/// result for other numbers, as many. `None` if that explains nothing.
fn explain(op: Op, input: &[i32], run: impl Fn(Vec<i32>) -> Option<i32>) -> Option<String> {
    let identity = op.identity()?;
    let n = input.len();
    let runs = std::cell::Cell::new(0);
    let counted_run = |input: Vec<i32>| {
        runs.set(runs.get() + 1);
        run(input)
    };
    // All numbers outside of `range` as if they were not there.
    let masked = |range: &Range<usize>| -> Vec<i32> {
        let mut numbers = vec![identity; n];
        numbers[range.clone()].copy_from_slice(&input[range.clone()]);
        numbers
    };
    // What it gives for `range` alone, and what it should.
    let results = |range: &Range<usize>| -> Option<(i32, i32)> {
        let input = masked(range);
        let expected = op.expected(&input);
        Some((counted_run(input)?, expected))
    };
    let counts = !matches!(op, Op::Max | Op::Min);
    let (result, expected) = results(&(0..0))?;
    if result != expected {
        let noun = op.noun();
        let result = op.show(result);
        let text = format!(
            "For an array of nothing but zeros the {noun} is {result}: something else is counted, too."
        );
        return counts.then_some(text);
    }
    let mut found: Vec<(usize, i64)> = Vec::new();
    let whole = 0..n;
    let mut ranges = vec![whole.clone()];
    while let Some(range) = ranges.pop() {
        if found.len() > NAMED || runs.get() >= RUNS {
            break;
        }
        let (result, expected) = results(&range)?;
        if result == expected {
            continue;
        }
        if range.len() > 1 {
            let middle = range.start + range.len() / 2;
            ranges.extend([middle..range.end, range.start..middle]);
            continue;
        }
        // 1 is itself when it is squared.
        let mut one = vec![identity; n];
        one[range.start] = 1;
        let result = counted_run(one)?;
        let times = if counts { i64::from(result) } else { i64::from(result == 1) };
        if times == 1 {
            return None;
        }
        found.push((range.start, times));
    }
    let (_, times) = *found.first()?;
    let is_alike = found.len() > NAMED && found.iter().all(|(_, other)| *other == times);
    if is_alike && times > 1 && counts {
        let of_ones = counted_run(vec![1; n]).map(i64::from);
        if of_ones == Some(times * n as i64) {
            return Some(format!("Every element is counted {}.", often(times)));
        }
    }
    // All have been found: they must explain the result.
    if ranges.is_empty() && found.len() <= NAMED && counts {
        let mut explained = op.expected(input);
        for (element, times) in &found {
            let once = op.expected(&masked(&(*element..element + 1)));
            explained = explained.wrapping_add(once.wrapping_mul((*times - 1) as i32));
        }
        let (result, expected) = results(&whole)?;
        if result == expected || result != explained {
            return None;
        }
    }
    told(&found)
}

/// The first of these elements with how often they are counted: `Elements 0 and 1 are left out.`
fn told(found: &[(usize, i64)]) -> Option<String> {
    let more = if found.len() > NAMED { ", and there are more" } else { "" };
    let groups = found[..found.len().min(NAMED)].chunk_by(|(_, a), (_, b)| a == b);
    let mut parts = Vec::new();
    for group in groups {
        let elements: Vec<String> = group.iter().map(|(element, _)| element.to_string()).collect();
        let subject = match &elements[..] {
            [] => return None,
            [one] => format!("element {one} is"),
            [others @ .., last] => format!("elements {} and {last} are", others.join(", ")),
        };
        parts.push(format!("{subject} {}", counted(group[0].1)));
    }
    let text = parts.join(", ");
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
    use reduction::data::numbers;

    fn explained(n: usize, op: Op, wrong: impl Fn(&[i32]) -> i32) -> Option<String> {
        explain(op, &numbers(n, 1), |input| Some(wrong(&input)))
    }

    fn sum<'a>(numbers: impl IntoIterator<Item = &'a i32>) -> i32 {
        numbers.into_iter().fold(0, |sum, number| sum.wrapping_add(*number))
    }

    #[test]
    fn elements_are_named_with_how_often_they_count() {
        let says = |n, wrong: fn(&[i32]) -> i32, text: &str| {
            assert_eq!(explained(n, Op::Sum, wrong).as_deref(), Some(text));
        };
        says(3, |a| sum(&a[..2]), "Element 2 is left out.");
        says(
            1000,
            |a| sum(a).wrapping_sub(a[2]).wrapping_add(a[777]),
            "Element 2 is left out, element 777 is counted twice.",
        );
        says(1000, |a| sum(&a[3..]), "Elements 0, 1 and 2 are left out.");
        says(1000, |a| sum(&a[..96]), "Elements 96, 97, 98 and 99 are left out, and there are more.");
        says(96, |a| sum(a).wrapping_mul(32), "Every element is counted 32 times.");
        let largest = (0..9).max_by_key(|i| numbers(9, 1)[*i]).unwrap();
        let text =
            explained(9, Op::Max, |a| *[&a[..largest], &a[largest + 1..]].concat().iter().max().unwrap());
        assert_eq!(text, Some(format!("Element {largest} is left out.")));
    }

    #[test]
    fn a_square_is_counted_like_a_number() {
        let squares = |a: &[i32]| Op::Squares.expected(&a[1..]);
        assert_eq!(explained(40, Op::Squares, squares).as_deref(), Some("Element 0 is left out."));
    }

    #[test]
    fn what_is_no_matter_of_counting_is_not_explained() {
        assert_eq!(explained(40, Op::Sum, |a| a.iter().fold(0, |x, y| x ^ y)), None);
        let text = explained(40, Op::Sum, |a| sum(a).wrapping_add(1)).unwrap();
        assert!(text.contains("the sum is 1: something else is counted"), "{text}");
    }
}

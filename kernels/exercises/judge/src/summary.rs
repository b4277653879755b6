//! For which inputs an answer fails, in a few words: `30 of 84 inputs: n = 0, and every odd n`.

use std::collections::BTreeSet;

use anyhow::{Context, Result};
use text::number::thousands;

use super::case::Case;
use super::verdict::Findings;

/// Lengths that are listed one by one, at most.
const LISTED: usize = 5;

/// What the inputs of `failing` have in common that those of `passing` have not.
fn summary(failing: &[Case], passing: &[Case]) -> String {
    let of = format!("{} of {} inputs", failing.len(), failing.len() + passing.len());
    if passing.is_empty() {
        return match failing.len() {
            1 => "the only input tried".into(),
            all => format!("all {all} inputs tried"),
        };
    }
    let plain = failing.iter().any(|case| case.schedule == 0);
    let order = if plain { "" } else { ", and only in a shuffled order of turns" };
    // A length and a block fail if they do so in any order of turns.
    let inputs = |cases: &[Case]| cases.iter().map(|case| (case.n, case.block)).collect::<BTreeSet<_>>();
    let failing = inputs(failing);
    let passing: BTreeSet<_> = inputs(passing).difference(&failing).copied().collect();
    format!("{of}: {}{order}", common(&failing, &passing))
}

type Inputs = BTreeSet<(usize, u32)>;

/// A rule that may tell the inputs that fail from the others, and its words.
type Rule = (fn(usize, usize) -> bool, &'static str);

const RULES: &[Rule] = &[
    (|n, _| n % 2 == 1, "every odd n"),
    (|n, _| n % 2 == 1 && n > 1, "every odd n above 1"),
    (|n, _| n > 0 && !n.is_power_of_two(), "every n that is not a power of two"),
    (|n, _| n % 4 != 0, "every n that is not a multiple of 4"),
    (|n, block| n % block != 0, "every n that is not a multiple of the block size"),
    (|n, block| n % (2 * block) != 0, "every n that is not a multiple of twice the block size"),
    (|n, block| n % (8 * block) != 0, "every n that is not a multiple of 8 times the block size"),
    (|n, block| n > block, "every n above the block size"),
    (|n, block| n % block != 0 && n > block, "every n above the block size that is not a multiple of it"),
    (|n, block| n > 2 * block, "every n above twice the block size"),
    (|n, block| n > 4 * block, "every n above 4 times the block size"),
    (|n, block| n > block * block, "more blocks than a block has threads"),
    (|n, block| n > 0 && n < block, "every n below the block size"),
    (|n, block| n > 1 && n < block, "every n from 2 up to below the block size"),
    (|_, block| block == 1024, "blocks of 1,024 threads"),
    (|_, block| !block.is_power_of_two(), "blocks of 96 threads"),
    (|n, block| n > 1 && !block.is_power_of_two(), "blocks of 96 threads"),
    (|_, block| block > 32, "blocks of more than 32 threads"),
    (|n, block| block > 32 && n > 32, "every n above 32, in blocks of more than 32 threads"),
    (|n, block| n > 1 && block > 32, "blocks of more than 32 threads"),
    (|_, block| block > 64, "blocks of more than 64 threads"),
    (|n, block| n > 512 && block == 1024, "long arrays in blocks of 1,024 threads"),
];

/// The inputs that fail, in words: by the first rule that tells them from those that pass, else one by one.
/// Each rule is tried as it is, and then with n = 0 failing too.
fn common(failing: &Inputs, passing: &Inputs) -> String {
    let is = |rule: &dyn Fn(usize, usize) -> bool| {
        failing.iter().all(|(n, block)| rule(*n, *block as usize))
            && passing.iter().all(|(n, block)| !rule(*n, *block as usize))
    };
    if is(&|n, _| n == 0) {
        return "only n = 0".into();
    }
    for with_none in [false, true] {
        let first = if with_none { "n = 0, and " } else { "" };
        let positive = failing.iter().filter(|(n, _)| *n > 0 || !with_none);
        let least = positive.map(|(n, _)| *n).min().unwrap_or(0);
        if is(&|n, _| n == 0 && with_none || n >= least) {
            if least == 0 {
                return "every n".into();
            }
            return format!("{first}every n from {} on", thousands(least as i64));
        }
        // A Rust function has no block.
        let has_blocks = failing.iter().all(|(_, block)| *block > 0);
        for (rule, words) in RULES.iter().filter(|(_, words)| has_blocks || !words.contains("block")) {
            if is(&|n, block| n == 0 && with_none || rule(n, block)) {
                return format!("{first}{words}");
            }
        }
    }
    // n = 0 may fail in other blocks than the other lengths do. It then stands apart from them.
    let blocks = |is_zero: bool| {
        let inputs = failing.iter().filter(move |(n, _)| (*n == 0) == is_zero);
        inputs.map(|(_, block)| *block as usize).collect::<BTreeSet<usize>>()
    };
    let others = blocks(false);
    let of_zero = blocks(true);
    let apart = !of_zero.is_empty() && !others.is_empty() && of_zero != others;
    let lengths: BTreeSet<usize> = failing.iter().map(|(n, _)| *n).filter(|n| *n > 0 || !apart).collect();
    // The last one is not worth an "and 1 more".
    let shown = if lengths.len() == LISTED + 1 { lengths.len() } else { LISTED };
    let mut listed: Vec<String> = lengths.iter().take(shown).map(|n| thousands(*n as i64)).collect();
    if lengths.len() > shown {
        listed.push(format!("{} more", lengths.len() - shown));
    }
    let last = listed.pop().unwrap_or_default();
    let listed = if listed.is_empty() { last } else { format!("{} and {last}", listed.join(", ")) };
    let in_all = passing.iter().all(|(n, _)| !lengths.contains(n));
    let of = match others.first() {
        _ if in_all => String::new(),
        Some(block) if others.len() == 1 => format!(", in blocks of {} threads", thousands(*block as i64)),
        _ => ", for some block sizes".to_string(),
    };
    if apart { format!("n = 0, and n = {listed}{of}") } else { format!("n = {listed}{of}") }
}

/// The failure that says most: for the shortest input with at least two numbers, in the plain order of turns
/// if it fails there. It says for which inputs the answer fails. `is_hopeless`: it does not end.
///
/// # Errors
/// There is no failure.
pub fn telling(
    failures: Vec<(Case, Findings)>,
    passing: &[Case],
    is_hopeless: bool,
) -> Result<(Case, Findings)> {
    let failing: Vec<Case> = failures.iter().map(|(case, _)| *case).collect();
    // 0 from two numbers on: shorter inputs come last.
    let missing = |n: usize| 2usize.saturating_sub(n);
    let rank = |(case, _): &(Case, Findings)| (missing(case.n), case.n, case.schedule, case.block);
    let (case, failure) = failures.into_iter().min_by_key(rank).context("nothing fails")?;
    let summary = if is_hopeless {
        format!("{} inputs, and longer arrays were not tried", failing.len())
    } else {
        summary(&failing, passing)
    };
    Ok((case, Findings { what: format!("It fails for {summary}.\n\n{}", failure.what), ..failure }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cases(is: impl Fn(usize, u32) -> bool) -> (Vec<Case>, Vec<Case>) {
        let mut all = Vec::new();
        for n in [0, 1, 2, 3, 31, 32, 33, 1000, 1025] {
            all.extend([32, 96, 1024].map(|block| Case { n, block, schedule: 0 }));
        }
        all.into_iter().partition(|case| is(case.n, case.block))
    }

    #[test]
    fn what_fails_is_said_in_a_few_words() {
        let says = |is: fn(usize, u32) -> bool, words: &str| {
            let (failing, passing) = cases(is);
            let text = summary(&failing, &passing);
            assert_eq!(text.split_once(": ").map_or(&*text, |(_, words)| words), words);
        };
        says(|_, _| true, "all 27 inputs tried");
        says(|n, _| n == 0, "only n = 0");
        says(|n, _| n == 0 || n % 2 == 1, "n = 0, and every odd n");
        says(|n, _| n >= 31, "every n from 31 on");
        says(|n, _| n == 0 || n >= 31, "n = 0, and every n from 31 on");
        says(|n, block| n > block as usize, "every n above the block size");
        says(|_, block| block == 1024, "blocks of 1,024 threads");
        says(|n, _| n == 3 || n == 32, "n = 3 and 32");
        says(|n, block| n == 3 && block == 32, "n = 3, in blocks of 32 threads");
        says(|n, block| n == 3 && block < 100, "n = 3, for some block sizes");
        says(|n, block| n == 0 || n == 3 && block == 96, "n = 0, and n = 3, in blocks of 96 threads");
        let one = [Case { n: 0, block: 32, schedule: 0 }];
        assert_eq!(summary(&one, &[]), "the only input tried");
        let (failing, passing) = cases(|n, _| n == 3);
        let shuffled: Vec<Case> = failing.into_iter().map(|case| Case { schedule: 2, ..case }).collect();
        let text = summary(&shuffled, &passing);
        assert_eq!(text, "3 of 27 inputs: n = 3, and only in a shuffled order of turns");
    }

    #[test]
    fn no_numbers_at_all_are_not_shown_first() {
        let telling = |is: fn(usize, u32) -> bool| {
            let failures = cases(is).0.into_iter().map(|case| (case, Findings::default())).collect();
            telling(failures, &[], false).unwrap().0
        };
        assert_eq!(telling(|n, _| n % 2 == 1 || n == 0), Case { n: 3, block: 32, schedule: 0 });
        assert_eq!((telling(|n, _| n < 2).n, telling(|n, _| n == 0).n), (1, 0));
    }
}

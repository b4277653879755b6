//! The word that somebody meant: the nearest of those that there are.

/// The one of `words` that `typed` is a slip of, if there is one: it differs in few letters, or in case
/// alone.
pub fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (typed.chars().count() / 3).max(1);
    let all = words.into_iter().map(|word| (distance(&typed.to_lowercase(), &word.to_lowercase()), word));
    let (distance, word) = all.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then_some(word)
}

/// How many letters are to be put in, left out, replaced or exchanged with the next one, to get from one word
/// to the other.
pub fn distance(from: &str, to: &str) -> usize {
    let from: Vec<char> = from.chars().collect();
    let to: Vec<char> = to.chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for (i, letter) in from.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, other) in to.iter().enumerate() {
            let replaced = rows[i][j] + usize::from(letter != other);
            let mut least = replaced.min(rows[i][j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *letter == to[j - 1] && from[i - 1] == *other {
                least = least.min(rows[i - 1][j - 1] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[from.len()][to.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_leads_to_the_word_that_was_meant() {
        let words = ["buffer", "symbol", "launch", "expect", "save"];
        for (typed, meant) in [
            ("lanch", Some("launch")),
            ("Launch", Some("launch")),
            ("buffre", Some("buffer")),
            ("sav", Some("save")),
            ("free", None),
            ("x", None),
        ] {
            assert_eq!(nearest(typed, words), meant, "{typed}");
        }
        assert_eq!(nearest("reduceNeighboured", ["reduceNeighbored", "reduce"]), Some("reduceNeighbored"));
        assert_eq!(nearest("any", []), None);
    }
}

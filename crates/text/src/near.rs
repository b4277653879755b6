//! The word that somebody meant: the nearest of those that there are.

/// How many letters are to be put in, left out, replaced or exchanged with the next one, to get from one word
/// to the other.
pub use strsim::osa_distance as distance;

/// The one of `words` that `typed` is a slip of, if there is one: it differs in few letters, or in case
/// alone.
pub fn nearest<'a>(typed: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let most = (typed.chars().count() / 3).max(1);
    let all = words.into_iter().map(|word| (distance(&typed.to_lowercase(), &word.to_lowercase()), word));
    let (distance, word) = all.min_by_key(|(distance, _)| *distance)?;
    (distance <= most).then_some(word)
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

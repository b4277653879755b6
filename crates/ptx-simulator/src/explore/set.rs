//! Sets of the operations of a run.

/// Numbers of operations.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Set {
    words: Vec<u64>,
}

impl Set {
    pub fn insert(&mut self, number: usize) {
        let word = number / 64;
        if self.words.len() <= word {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= 1 << (number % 64);
    }

    pub fn contains(&self, number: usize) -> bool {
        self.words.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 == 1)
    }

    /// Takes in all of another one.
    pub fn join(&mut self, other: &Set) {
        if self.words.len() < other.words.len() {
            self.words.resize(other.words.len(), 0);
        }
        for (mine, theirs) in self.words.iter_mut().zip(&other.words) {
            *mine |= theirs;
        }
    }

    /// Whether some number is in both.
    pub fn meets(&self, other: &Set) -> bool {
        self.words.iter().zip(&other.words).any(|(mine, theirs)| mine & theirs != 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_it_once_they_are_put_in_or_joined() {
        let of = |numbers: &[usize]| {
            let mut set = Set::default();
            for number in numbers {
                set.insert(*number);
            }
            set
        };
        let mut set = of(&[0, 63, 200]);
        assert!(set.contains(63) && !set.contains(64) && !set.contains(1000));
        assert!(!set.meets(&of(&[1, 64])) && set.meets(&of(&[200])));
        set.join(&of(&[64, 300]));
        assert_eq!(set, of(&[0, 63, 64, 200, 300]));
    }
}

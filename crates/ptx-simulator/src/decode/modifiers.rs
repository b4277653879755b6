//! The words after an instruction's name. Each has to be taken: one that is left over makes the instruction
//! unknown, so none can be skipped.

use crate::ptx::{self, Space};

/// The words after an instruction's name that decoding has not used yet.
///
/// Their order is free, since no meaning depends on it; types and layouts are taken from left to right. A
/// decoder takes all words that it knows before it gives up, so that the first one left is the one to blame.
pub struct Modifiers<'a> {
    left: Vec<&'a str>,
}

impl<'a> Modifiers<'a> {
    /// Of an opcode that is split at its dots.
    pub fn of(opcode: &[&'a str]) -> Modifiers<'a> {
        Modifiers { left: opcode.iter().skip(1).copied().collect() }
    }

    /// The first word that `parse` knows.
    pub fn take<T>(&mut self, parse: impl Fn(&'a str) -> Option<T>) -> Option<T> {
        let (place, found) =
            self.left.iter().enumerate().find_map(|(place, word)| Some((place, parse(word)?)))?;
        self.left.remove(place);
        Some(found)
    }

    /// What `table` has for a word.
    pub fn choose<T: Copy>(&mut self, table: &[(&str, T)]) -> Option<T> {
        self.take(|word| table.iter().find(|row| row.0 == word).map(|row| row.1))
    }

    /// One of `words`.
    pub fn one_of(&mut self, words: &[&str]) -> Option<&'a str> {
        self.take(|word| words.contains(&word).then_some(word))
    }

    /// Whether `word` is there.
    pub fn eat(&mut self, word: &str) -> bool {
        self.one_of(&[word]).is_some()
    }

    /// Takes `words`, all of which the instruction has to have.
    pub fn eat_all(&mut self, words: &[&str]) -> Option<()> {
        let missing = words.iter().filter(|word| !self.eat(word)).count();
        (missing == 0).then_some(())
    }

    /// Takes one of `words`, which are legal here and change nothing that a program can see.
    pub fn ignore(&mut self, words: &[&str]) {
        self.one_of(words);
    }

    /// A type.
    pub fn ty(&mut self) -> Option<&'a str> {
        self.take(|word| (word == "pred" || ptx::type_bytes(word).is_some()).then_some(word))
    }

    /// The space that one of `words` names.
    pub fn space(&mut self, words: &[&str]) -> Option<Space> {
        self.one_of(words).and_then(Space::parse)
    }

    /// All words are used, but for the one to blame, if it is known.
    pub fn blame(&mut self, word: Option<&'a str>) {
        self.left = word.into_iter().collect();
    }

    /// The first word that nothing has used.
    pub fn first_left(&self) -> Option<&'a str> {
        self.left.first().copied()
    }
}

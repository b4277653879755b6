//! Names of an exported program that no other thing in it has.

use std::collections::{BTreeMap, HashSet};

use cuda_source::lex::{Token, joined, tokens};

use super::helpers::Helper;

/// The names that are taken, and the helpers that are called.
pub struct Names {
    taken: HashSet<String>,
    helpers: BTreeMap<Helper, String>,
}

impl Names {
    /// Those of `source` are taken.
    pub fn new(source: &str) -> Names {
        let source = joined(source);
        let word = |token: &Token| if let Token::Word(word) = token { Some(word.to_string()) } else { None };
        Names { taken: tokens(&source).iter().filter_map(word).collect(), helpers: BTreeMap::new() }
    }

    /// `wanted`, or that with a number if it is taken. What no name of C++ can have becomes `_`.
    pub fn free(&mut self, wanted: &str) -> String {
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let wanted: String = wanted.chars().map(plain).collect();
        let numbered = (2..).map(|number| format!("{wanted}_{number}"));
        let mut all = std::iter::once(wanted.clone()).chain(numbered);
        let free = all.find(|name| !self.taken.contains(name)).unwrap_or_default();
        self.taken.insert(free.clone());
        free
    }

    /// What the program calls a helper, which it has from now on.
    pub fn helper(&mut self, helper: Helper) -> String {
        if let Some(name) = self.helpers.get(&helper) {
            return name.clone();
        }
        let name = self.free(helper.name());
        self.helpers.insert(helper, name.clone());
        name
    }

    /// What the helpers include.
    pub fn headers(&self) -> impl Iterator<Item = &'static str> {
        self.helpers.keys().flat_map(|helper| helper.headers().iter().copied())
    }

    /// The definitions of the helpers.
    pub fn definitions(&self) -> String {
        self.helpers.iter().map(|(helper, name)| helper.named(name)).collect()
    }
}

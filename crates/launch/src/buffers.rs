//! The buffers of a script, each found by its name at once.

use std::collections::HashMap;
use std::ops::Deref;

use super::fill::Fill;

/// Elements with a name: a buffer, a variable of the module, or what one of them is to hold.
#[derive(Clone, Debug)]
pub struct Named {
    /// Of the buffer or the variable.
    pub name: String,
    /// The cell of a notebook that it stands in, from 1.
    pub cell: usize,
    /// The line of a buffer, from 1; 0 of one that stands in no text.
    pub line: usize,
    /// What it holds or is to hold.
    pub fill: Fill,
}

/// Buffers in their order; no two have one name.
#[derive(Clone, Debug, Default)]
pub struct Buffers {
    list: Vec<Named>,
    /// Where each name stands in `list`.
    numbers: HashMap<String, usize>,
}

impl Buffers {
    /// Adds a buffer whose name is free.
    pub fn push(&mut self, named: Named) {
        self.numbers.insert(named.name.clone(), self.list.len());
        self.list.push(named);
    }

    /// The number of the buffer that is called so.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// The buffer that is called so.
    pub fn called(&self, name: &str) -> Option<&Named> {
        self.number(name).map(|number| &self.list[number])
    }

    /// Calls the buffer `from` by the name `to`, which is free, wherever a buffer holds its address too.
    pub fn rename(&mut self, from: &str, to: &str) {
        let Some(number) = self.numbers.remove(from) else { return };
        self.list[number].name = to.to_owned();
        self.numbers.insert(to.to_owned(), number);
        let held = self.list.iter_mut().flat_map(|buffer| buffer.fill.names_mut());
        for name in held.filter(|name| *name == from) {
            *name = to.to_owned();
        }
    }

    /// Leaves out the others.
    pub fn retain(&mut self, is_kept: impl Fn(&Named) -> bool) {
        self.list.retain(is_kept);
        let names = self.list.iter().map(|named| named.name.clone());
        self.numbers = names.zip(0..).collect();
    }
}

impl Deref for Buffers {
    type Target = [Named];

    fn deref(&self) -> &[Named] {
        &self.list
    }
}

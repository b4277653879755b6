//! What is known of the words of a memory.

use rustc_hash::FxHashMap as HashMap;

use crate::place::Number;

/// A word of memory.
#[derive(Clone, Copy, Default)]
pub struct Word {
    /// Who has last changed it.
    pub writer: Option<Number>,
    /// Whether what is there has been loaded.
    pub is_loaded: bool,
}

/// Words that lie side by side: as many as the lanes of a warp mostly access at once.
const PAGE: usize = 32;

/// The words of global memory, or of the shared memory of a block.
#[derive(Default)]
pub struct Words {
    pages: Vec<[Word; PAGE]>,
    /// Where in `pages` a page lies.
    places: HashMap<u64, usize>,
    /// The page that was accessed last, and its place.
    last: Option<(u64, usize)>,
}

impl Words {
    /// A word, by its number; one that nobody has accessed is a new one.
    pub fn at(&mut self, number: u64) -> &mut Word {
        let page = number / PAGE as u64;
        let place = match self.last {
            Some((last, place)) if last == page => place,
            _ => self.place(page),
        };
        self.last = Some((page, place));
        &mut self.pages[place][number as usize % PAGE]
    }

    fn place(&mut self, page: u64) -> usize {
        let pages = &mut self.pages;
        *self.places.entry(page).or_insert_with(|| {
            pages.push([Word::default(); PAGE]);
            pages.len() - 1
        })
    }

    /// Who has last changed a word, by its number.
    pub fn writer(&self, number: u64) -> Option<Number> {
        let place = self.places.get(&(number / PAGE as u64))?;
        self.pages[*place][number as usize % PAGE].writer
    }
}

//! What is known of a word, and how a page holds it in 16 bytes.

use super::nodes::{Id, NOBODY};
use super::{Spread, WORD};

/// Links of a history.
const KINDS: usize = 4;
/// What has no room in the cells comes into being so many at a time.
const PIECE: usize = 64;

/// Accesses that are remembered: a node, and the lanes it is relative to.
pub type Link = (Id, Spread);

/// What is known of a word, or of a byte.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct History {
    /// The last write.
    pub write: Link,
    /// If that is strong, the last weak one before. It is not covered, and neither are the reads since: the
    /// strong one may be in no conflict with what they race with.
    pub weak: Link,
    /// The reads since the last weak write; what had no room in the set is in the second.
    pub reads: Link,
    pub second: Link,
}

impl History {
    pub fn links(&self) -> [Link; KINDS] {
        [self.write, self.weak, self.reads, self.second]
    }

    fn of([write, weak, reads, second]: [Link; KINDS]) -> History {
        History { write, weak, reads, second }
    }

    /// The same of one byte of a word.
    pub fn byte(&self, byte: usize) -> History {
        let of_byte =
            |(id, spread): Link| if id == NOBODY { (id, spread) } else { (id, spread.of_byte(byte)) };
        History::of(self.links().map(of_byte))
    }

    fn fits(&self) -> bool {
        self.links().iter().all(|(id, _)| *id < FITS)
    }
}

/// A word's history, or those of its bytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Content {
    Word(History),
    Bytes([History; WORD as usize]),
}

/// A [`Content`] as pages hold it.
///
/// If `more` is 0, it is the last write and the reads of a word, which is what most words have. If the highest
/// bit of `more` is set, it is four links: all of a word, or those of one kind of its bytes. Else `more` is a
/// number in the [`Pools`], from 1 on. Which of these it is stands in bits that links leave free.
#[derive(Clone, Copy, Debug, Default)]
pub struct Cell {
    pub write: Id,
    pub reads: Id,
    pub more: u32,
    pub wrote: Spread,
    pub read: Spread,
    rest: [u8; 2],
}

const _: () = assert!(size_of::<Cell>() == 16);

/// The highest bit of a number, which a link leaves free.
const MARK: u32 = 1 << 31;
/// Nodes from this number on do not fit into a link of 31 bits.
const FITS: Id = 1 << 24;

/// The kinds of links of bytes that have two kinds.
const TWO: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// What has no other form, of a word and of bytes.
const WHOLE_WORD: u32 = 6;
const WHOLE_BYTES: u32 = 7;

fn number((id, spread): Link) -> u32 {
    id << 7 | spread.0 as u32
}

fn link(number: u32) -> Link {
    ((number & !MARK) >> 7, Spread(number as u8 & 0x7f))
}

impl Cell {
    /// `what` is a number below 8.
    fn of([a, b, more, d]: [u32; 4], what: u32) -> Cell {
        let [wrote, read, rest @ ..] = (d | what >> 2 << 31).to_le_bytes();
        let (write, reads) = (a | what << 31, b | what >> 1 << 31);
        Cell { write, reads, more, wrote: Spread(wrote), read: Spread(read), rest }
    }

    fn four(links: [Link; 4], what: u32) -> Cell {
        let [a, b, c, d] = links.map(number);
        Cell::of([a, b, c | MARK, d], what)
    }

    fn numbers(&self) -> ([u32; 4], u32) {
        let (a, b) = (self.write, self.reads);
        let d = u32::from_le_bytes([self.wrote.0, self.read.0, self.rest[0], self.rest[1]]);
        ([a, b, self.more, d], a >> 31 | b >> 31 << 1 | d >> 31 << 2)
    }
}

/// Of so many bytes each link of theirs, without gaps.
type Whole = ([[Id; KINDS]; WORD as usize], [[Spread; KINDS]; WORD as usize]);

/// What has no room in the cells.
#[derive(Debug, Default)]
pub struct Pools {
    /// Of the links of bytes that have two kinds, the last five; the others are in the cell.
    two: Pool<[u32; 5]>,
    whole: Pool<Whole>,
}

impl Pools {
    /// The content of a cell, which must be closed again: what it has here is given back.
    pub fn open(&mut self, cell: &Cell) -> Content {
        let ([a, b, c, d], what) = cell.numbers();
        if c == 0 {
            let known = |id, spread| if id == NOBODY { Link::default() } else { (id, spread) };
            let (write, reads) = (known(a, cell.wrote), known(b, cell.read));
            return Content::Word(History { write, reads, ..History::default() });
        }
        let mut bytes = [[Link::default(); KINDS]; WORD as usize];
        if c & MARK != 0 {
            let links = [a, b, c, d].map(link);
            let Some(kind) = what.checked_sub(1) else { return Content::Word(History::of(links)) };
            (0..4).for_each(|byte| bytes[byte][kind as usize] = links[byte]);
        } else if let Some(kinds) = TWO.get(what as usize) {
            let [e, f, g, h, i] = self.two.take(c - 1);
            let links = [a, b, d, e, f, g, h, i].map(link);
            for (links, kind) in links.chunks(4).zip(kinds) {
                (0..4).for_each(|byte| bytes[byte][*kind] = links[byte]);
            }
        } else {
            let (ids, spreads) = self.whole.take(c - 1);
            let of_byte = |byte: usize| std::array::from_fn(|kind| (ids[byte][kind], spreads[byte][kind]));
            bytes = std::array::from_fn(of_byte);
        }
        let all = bytes.map(History::of);
        if (c & MARK, what) == (0, WHOLE_WORD) { Content::Word(all[0]) } else { Content::Bytes(all) }
    }

    pub fn close(&mut self, content: Content) -> Cell {
        let (all, what) = match content {
            Content::Word(History { write, weak: (NOBODY, _), reads, second: (NOBODY, _) }) => {
                let rest = Cell::default();
                return Cell { write: write.0, reads: reads.0, wrote: write.1, read: reads.1, ..rest };
            }
            Content::Word(word) if word.fits() => return Cell::four(word.links(), 0),
            Content::Word(word) => ([word; WORD as usize], WHOLE_WORD),
            Content::Bytes(all) => (all, WHOLE_BYTES),
        };
        let bytes = all.map(|byte| byte.links());
        if what == WHOLE_BYTES && all.iter().all(History::fits) {
            let of_kind = |kind: usize| bytes.map(|links| links[kind]);
            let has = |kind: &usize| of_kind(*kind).iter().any(|(id, _)| *id != NOBODY);
            let mut kinds = (0..KINDS).filter(has);
            let [first, second, third] = std::array::from_fn(|_| kinds.next());
            let first = first.unwrap_or(0);
            let Some(second) = second else { return Cell::four(of_kind(first), 1 + first as u32) };
            if let Some(what) = TWO.iter().position(|two| *two == [first, second] && third.is_none()) {
                let [[a, b, c, d], [e, f, g, h]] = [first, second].map(|kind| of_kind(kind).map(number));
                return Cell::of([a, b, 1 + self.two.keep([d, e, f, g, h]), c], what as u32);
            }
        }
        let ids = bytes.map(|links| links.map(|(id, _)| id));
        let spreads = bytes.map(|links| links.map(|(_, spread)| spread));
        Cell::of([0, 0, 1 + self.whole.keep((ids, spreads)), 0], what)
    }

    pub fn bytes(&self) -> usize {
        self.two.bytes() + self.whole.bytes()
    }
}

/// Things that come and go, by their numbers, in pieces that stay where they are.
#[derive(Debug)]
struct Pool<T> {
    pieces: Vec<Box<[T; PIECE]>>,
    /// How many numbers have been given, and those that are free again.
    given: u32,
    free: Vec<u32>,
}

impl<T> Default for Pool<T> {
    fn default() -> Pool<T> {
        Pool { pieces: Vec::new(), given: 0, free: Vec::new() }
    }
}

impl<T: Copy + Default> Pool<T> {
    fn keep(&mut self, thing: T) -> u32 {
        let number = self.free.pop().unwrap_or_else(|| {
            if self.given as usize == self.pieces.len() * PIECE {
                self.pieces.push(Box::new([T::default(); PIECE]));
            }
            self.given += 1;
            self.given - 1
        });
        *self.at(number) = thing;
        number
    }

    fn at(&mut self, number: u32) -> &mut T {
        &mut self.pieces[number as usize / PIECE][number as usize % PIECE]
    }

    fn take(&mut self, number: u32) -> T {
        self.free.push(number);
        *self.at(number)
    }

    fn bytes(&self) -> usize {
        self.pieces.len() * PIECE * size_of::<T>() + self.free.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is known, with nodes of small and of large numbers, a cell gives it back, and nothing is left in
    /// the pools.
    #[test]
    fn a_cell_gives_back_what_it_was_given() {
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % limit
        };
        let (mut pools, mut forms) = (Pools::default(), [0; 4]);
        for _ in 0..20_000 {
            let kinds = below(16);
            let most = [FITS as u64, 1 << 31][(below(8) == 0) as usize];
            let mut history = || {
                History::of(std::array::from_fn(|kind| match kinds >> kind & 1 == 1 && below(4) > 0 {
                    true => (1 + below(most - 1) as Id, Spread(below(96) as u8)),
                    false => Link::default(),
                }))
            };
            let all = std::array::from_fn(|_| history());
            for content in [Content::Word(all[0]), Content::Bytes(all)] {
                let cell = pools.close(content);
                let kept = [&pools.two.free, &pools.whole.free].map(Vec::len);
                assert_eq!(pools.open(&cell), content);
                let form = match [&pools.two.free, &pools.whole.free].map(Vec::len) {
                    now if now != kept => 1 + (now[1] != kept[1]) as usize,
                    _ if cell.more != 0 => 0,
                    _ => 3,
                };
                forms[form] += 1;
            }
        }
        assert!(forms.iter().all(|times| *times > 1_000), "all forms occur: {forms:?}");
        assert_eq!([pools.two.given, pools.whole.given], [1, 1]);
    }
}

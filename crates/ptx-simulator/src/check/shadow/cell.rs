//! What is known of a word, and how a page holds it in 16 bytes.

use super::nodes::{Id, NOBODY};
use super::{Spread, WORD};

/// Links of a history.
const KINDS: usize = 4;
/// Numbers of a word that have no room in its cell, at most.
const LONGEST: usize = 2 * KINDS * WORD as usize - 2;

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
/// If `more` is 0, it is the last write and the reads of a word, which is what most words have. If the
/// highest bit of `more` is set, it is four links: all of a word, or those of one kind of its bytes. Else it
/// is a list of numbers: some in the cell, and the others, if there are any, in the [`Pools`], where `more`
/// says, from 1 on. Bits that no link uses say which of these it is.
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
/// Any links: the first number is a [`Head`].
const ANY: u32 = 7;
/// There are no more numbers than the cell holds.
const ALL_HERE: u32 = MARK - 1;

/// How the links of a kind stand in a list: no byte has one, all have the same, they go on by a [`step`], or
/// each stands there.
const NONE: u32 = 0;
const SAME: u32 = 1;
const STEPS: u32 = 2;
const EACH: u32 = 3;

/// What stands in front of a list of any links, in 31 bits.
#[derive(Clone, Copy)]
struct Head(u32);

impl Head {
    /// Two bits for each kind; then whether it is a word's, whether numbers of nodes are too large for links,
    /// and are stored beside them, and two steps of 10 bits.
    fn new(is_word: bool, wide: bool) -> Head {
        Head((is_word as u32) << 8 | (wide as u32) << 9)
    }

    fn how(self, kind: usize) -> u32 {
        self.0 >> (2 * kind) & 3
    }

    fn is_word(self) -> bool {
        self.0 >> 8 & 1 == 1
    }

    fn wide(self) -> bool {
        self.0 >> 9 & 1 == 1
    }

    fn step(self, which: u32) -> u32 {
        self.0 >> (10 + 10 * which) & 1023
    }

    /// Numbers of the list.
    fn length(self) -> usize {
        let links = |kind| [0, 1, 1, WORD as usize][self.how(kind) as usize];
        (0..KINDS).map(links).sum::<usize>() << self.wide() as u32
    }
}

/// How the links of bytes go on: by how much the node's number grows, in twos, in 8 bits with a sign, by how
/// much the lane, 0 or 1, and whether every second time only.
fn step(links: [Link; 4]) -> u32 {
    let every_second = links[0] == links[1];
    let next = links[1 + every_second as usize];
    let by = next.0.wrapping_sub(links[0].0) >> 1 & 255;
    by | ((next.1 != links[0].1) as u32) << 8 | (every_second as u32) << 9
}

/// The links of a word's bytes: the first, and the others by a [`step`].
fn go_on((id, spread): Link, step: u32) -> [Link; 4] {
    std::array::from_fn(|byte| {
        let times = (byte >> (step >> 9)) as u32;
        let by = (2 * i32::from(step as i8)) as u32;
        (id.wrapping_add(by.wrapping_mul(times)), Spread(spread.0 + (step >> 8 & 1) as u8 * times as u8))
    })
}

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

/// What has no room in the cells: lists of numbers, one after the other.
#[derive(Debug)]
pub struct Pools {
    numbers: Vec<u32>,
    /// The first list of each length that is free again, from 1 on; its first number is the next.
    free: [u32; LONGEST + 1],
}

impl Default for Pools {
    fn default() -> Pools {
        Pools { numbers: Vec::new(), free: [0; LONGEST + 1] }
    }
}

impl Pools {
    /// The content of a cell, which must be closed again: what it has here is given back.
    #[inline(always)]
    pub fn open(&mut self, cell: &Cell) -> Content {
        if cell.more != 0 {
            return self.open_other(cell);
        }
        let known = |id, spread| if id == NOBODY { Link::default() } else { (id, spread) };
        let (write, reads) = (known(cell.write, cell.wrote), known(cell.reads, cell.read));
        Content::Word(History { write, reads, ..History::default() })
    }

    #[inline(never)]
    fn open_other(&mut self, cell: &Cell) -> Content {
        let ([a, b, c, d], what) = cell.numbers();
        let mut bytes = [[Link::default(); KINDS]; WORD as usize];
        if c & MARK != 0 {
            let links = [a, b, c, d].map(link);
            let Some(kind) = what.checked_sub(1) else { return Content::Word(History::of(links)) };
            (0..4).for_each(|byte| bytes[byte][kind as usize] = links[byte]);
        } else if let Some(kinds) = TWO.get(what as usize) {
            let [e, f, g, h, i, ..] = self.take(c, 5);
            let links = [a, b, d, e, f, g, h, i].map(link);
            for (links, kind) in links.chunks(4).zip(kinds) {
                (0..4).for_each(|byte| bytes[byte][*kind] = links[byte]);
            }
        } else {
            let head = Head(a & !MARK);
            let mut rest = [0; LONGEST];
            if c != ALL_HERE {
                rest = self.take(c, head.length() - 2);
            }
            let mut numbers = [b & !MARK, d & !MARK].into_iter().chain(rest);
            let mut next = || {
                let first = numbers.next().unwrap_or(0);
                if head.wide() { (first, Spread(numbers.next().unwrap_or(0) as u8)) } else { link(first) }
            };
            let mut steps = 0;
            for (kind, how) in (0..KINDS).map(|kind| (kind, head.how(kind))) {
                let links = match how {
                    NONE => continue,
                    SAME => [next(); 4],
                    STEPS => {
                        steps += 1;
                        go_on(next(), head.step(steps - 1))
                    }
                    _ => std::array::from_fn(|_| next()),
                };
                (0..4).for_each(|byte| bytes[byte][kind] = links[byte]);
            }
            if head.is_word() {
                return Content::Word(History::of(bytes[0]));
            }
        }
        Content::Bytes(bytes.map(History::of))
    }

    #[inline(always)]
    pub fn close(&mut self, content: Content) -> Cell {
        match content {
            Content::Word(History { write, weak: (NOBODY, _), reads, second: (NOBODY, _) }) => {
                let rest = Cell::default();
                Cell { write: write.0, reads: reads.0, wrote: write.1, read: reads.1, ..rest }
            }
            content => self.close_other(content),
        }
    }

    #[inline(never)]
    fn close_other(&mut self, content: Content) -> Cell {
        let (all, is_word) = match content {
            Content::Word(word) if word.fits() => return Cell::four(word.links(), 0),
            Content::Word(word) => ([word; WORD as usize], true),
            Content::Bytes(all) => (all, false),
        };
        let wide = !all.iter().all(History::fits);
        let mut head = Head::new(is_word, wide);
        let (mut numbers, mut length, mut steps) = ([0; 2 * KINDS * WORD as usize], 0, 0);
        let bytes = all.map(|byte| byte.links());
        for kind in 0..KINDS {
            let links = bytes.map(|links| links[kind]);
            let by = step(links);
            let how = match () {
                _ if links == [Link::default(); 4] => NONE,
                _ if links == [links[0]; 4] => SAME,
                _ if steps < 2 && links == go_on(links[0], by) => STEPS,
                _ => EACH,
            };
            head.0 |= how << (2 * kind);
            if how == STEPS {
                head.0 |= by << (10 + 10 * steps);
                steps += 1;
            }
            for link in links.into_iter().take([0, 1, 1, 4][how as usize]) {
                (numbers[length], numbers[length + 1]) = (link.0, link.1.0.into());
                if !wide {
                    numbers[length] = number(link);
                }
                length += 1 + wide as usize;
            }
        }
        let [a, b, c, d, ..] = numbers;
        let four = (0..KINDS as u32).find(|kind| head.0 & 255 == EACH << (2 * kind));
        if let Some(kind) = four.filter(|_| !wide) {
            return Cell::of([a, b, c | MARK, d], 1 + kind);
        }
        let each = |[one, two]: &[usize; 2]| head.0 & 255 == EACH << (2 * one) | EACH << (2 * two);
        if let Some(what) = TWO.iter().position(each).filter(|_| !wide) {
            let more = self.keep(&numbers[3..8]);
            return Cell::of([a, b, more, c], what as u32);
        }
        let more = if length > 2 { self.keep(&numbers[2..length]) } else { ALL_HERE };
        Cell::of([head.0, a, more, b], ANY)
    }

    /// Keeps a list. From 1 on.
    fn keep(&mut self, list: &[u32]) -> u32 {
        let mut start = self.free[list.len()] as usize;
        if start == 0 {
            start = self.numbers.len() + 1;
            if self.numbers.len() + list.len() > self.numbers.capacity() {
                self.numbers.reserve_exact(64 + self.numbers.len() / 32);
            }
            self.numbers.resize(start - 1 + list.len(), 0);
        } else {
            self.free[list.len()] = self.numbers[start - 1];
        }
        self.numbers[start - 1..][..list.len()].copy_from_slice(list);
        start as u32
    }

    /// A list, which is given back.
    fn take(&mut self, start: u32, length: usize) -> [u32; LONGEST] {
        let mut all = [0; LONGEST];
        let list = &mut self.numbers[start as usize - 1..][..length];
        all[..length].copy_from_slice(list);
        list[0] = std::mem::replace(&mut self.free[length], start);
        all
    }

    pub fn bytes(&self) -> usize {
        self.numbers.capacity() * size_of::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever is known, with nodes of small and of large numbers, a cell gives it back, and nothing is left
    /// in the pools.
    #[test]
    fn a_cell_gives_back_what_it_was_given() {
        let mut state = 1u64;
        let mut below = |limit: u64| {
            state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
            (state >> 33) % limit
        };
        let (mut pools, mut forms) = (Pools::default(), [0; 7]);
        for _ in 0..40_000 {
            let most = [FITS as u64, 1 << 31][(below(8) == 0) as usize];
            let mut bytes = [[Link::default(); KINDS]; WORD as usize];
            for kind in (0..KINDS).filter(|_| below(2) == 0).collect::<Vec<_>>() {
                let mut any = || (1 + below(most - 1) as Id, Spread(below(96) as u8));
                let first = any();
                let mut links = [first, any(), any(), any()];
                let how = below(5);
                if how < 3 {
                    let by = [0, 2 * below(40) as Id, (2 * below(40) as Id).wrapping_neg()][how as usize];
                    let (spread, lanes) = (below(28) as u8, below(2) as u8);
                    let every = 1 + below(2) as u8;
                    links = std::array::from_fn(|byte| {
                        let times = byte as u8 / every;
                        let id =
                            (first.0 % (most as Id - 400) + 200).wrapping_add(by.wrapping_mul(times.into()));
                        (id, Spread(spread + lanes * times))
                    });
                } else if how == 3 {
                    links[below(4) as usize] = Link::default();
                }
                (0..4).for_each(|byte| bytes[byte][kind] = links[byte]);
            }
            let all = bytes.map(History::of);
            for content in [Content::Word(all[0]), Content::Bytes(all)] {
                let cell = pools.close(content);
                let (numbers, what) = cell.numbers();
                let form = match (numbers[2], what) {
                    (0, _) => 0,
                    (MARK.., 0) => 1,
                    (MARK.., _) => 2,
                    (_, ..ANY) => 3,
                    (ALL_HERE, _) => 4,
                    _ => 5 + Head(numbers[0] & !MARK).wide() as usize,
                };
                forms[form] += 1;
                assert_eq!(pools.open(&cell), content);
                // What is free is all there is, of each length once.
                let lengths = (1..=LONGEST).filter(|length| pools.free[*length] > 0);
                assert_eq!(lengths.sum::<usize>(), pools.numbers.len());
            }
        }
        assert!(forms.iter().all(|times| *times > 300), "all forms occur: {forms:?}");
    }
}

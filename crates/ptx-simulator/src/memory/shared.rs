//! Addresses in shared memory: every variable has 256 KiB of them to itself.
//!
//! A block has at most 227 KiB, so an index that runs over the end of one variable never lands in the next,
//! as it does on a GPU, where it goes unnoticed. What a variable holds lies where a GPU's compiler would put
//! it, and only this *offset* is seen by the observers: bank conflicts depend on it.
//!
//! An address in the memory of a block of the same cluster has that block's rank in its uppermost bits.

use super::spaces::index;
use crate::what::{Region, Spot};

/// Bits of an address that say which byte of its variable it is.
const BITS: u32 = 18;
/// The dynamic part, which all variables without a size share, comes after all others.
const DYNAMIC: u64 = 1 << 8;
/// Above the variable's number: 0 for the memory of the block itself, or 1 and the rank of a block. In 32
/// bits an address in front of the first variable has ones there.
const RANK: u32 = 27;
const MAX_RANK: u64 = 29;
/// Marks what is not an offset: an address outside of every variable.
const OUTSIDE: u64 = 1 << 62;

/// Static variables that a kernel can have.
pub const MAX_VARIABLES: usize = DYNAMIC as usize;
/// The address of dynamic shared memory.
pub const DYNAMIC_ADDRESS: u64 = DYNAMIC << BITS;

/// A variable: its name, and where it lies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variable {
    pub name: String,
    pub start: usize,
    pub bytes: usize,
}

impl Variable {
    /// Its name without the number that it has as a part of an array, and that number: the compiler makes
    /// `a_$_0` and `a_$_1` of an array whose elements are only used by themselves.
    fn part(&self) -> (&str, Option<u64>) {
        let split = self.name.rsplit_once("_$_");
        let part = split.and_then(|(name, number)| Some((name, number.parse().ok()?)));
        part.map_or((&self.name, None), |(name, number)| (name, Some(number)))
    }

    /// What the source calls it. A variable of a function has a name such as `_ZZ4pairE1a` in PTX.
    pub fn source_name(&self) -> &str {
        let (name, _) = self.part();
        (1..name.len())
            .filter(|&at| name.starts_with("_Z") && name.is_char_boundary(at))
            .map(|at| &name[at..])
            .find(|rest| {
                let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
                rest.len() > digits && rest[..digits].parse() == Ok(rest.len() - digits)
            })
            .map_or(name, |rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()))
    }
}

/// The rank of the block that an address names, if it names one, and the address within its memory.
#[inline]
pub fn rank(address: u64) -> (Option<u32>, u64) {
    match address >> RANK {
        number @ 1..=30 => (Some(number as u32 - 1), address & ((1 << RANK) - 1)),
        _ => (None, address),
    }
}

/// The same place in the memory of the block of a rank; of a generic address too. The block's own rank is not
/// written into it: `isspacep.shared::cta` holds there (as an H200 says).
pub fn with_rank(address: u64, rank: u64, own: u64) -> u64 {
    let rest = address & !(u64::from(u32::MAX) & !((1 << RANK) - 1));
    match rank & 0xffff_ffff {
        rank if rank == own => rest,
        rank => rest | (rank.min(MAX_RANK) + 1) << RANK,
    }
}

/// The address of static variable number `number`.
pub fn address(number: usize) -> u64 {
    (number as u64) << BITS
}

/// The variables of a kernel, with the dynamic part of a launch: where it starts, and its bytes.
#[derive(Clone, Copy, Debug)]
pub struct Layout<'a> {
    pub variables: &'a [Variable],
    pub dynamic: (usize, usize),
}

impl Layout<'_> {
    /// Where the variable of an address starts, and its bytes. Address 0 of a kernel without static variables
    /// is the dynamic part too, as on a GPU.
    fn find(&self, number: u64) -> Option<(usize, usize)> {
        match self.variables.get(index(number)) {
            Some(variable) => Some((variable.start, variable.bytes)),
            None => (number == DYNAMIC || number == 0).then_some(self.dynamic),
        }
    }

    /// The offset of `bytes` bytes at an address, if they all lie in one variable; else a number that is no
    /// offset.
    #[inline]
    pub fn offset(&self, address: u64, bytes: u32) -> u64 {
        let within = (address & ((1 << BITS) - 1)) as usize;
        match self.find(address >> BITS) {
            Some((start, size)) if within + bytes as usize <= size => (start + within) as u64,
            _ => OUTSIDE | address,
        }
    }

    /// The variable that an offset lies in; `None` in the dynamic part.
    fn variable(&self, offset: u64) -> Option<&Variable> {
        let lies_in =
            |variable: &&Variable| (variable.start..variable.start + variable.bytes).contains(&index(offset));
        self.variables.iter().find(lies_in)
    }

    /// Where the variable of an offset, or the dynamic part, starts.
    pub fn start(&self, offset: u64) -> u64 {
        self.variable(offset).map_or(self.dynamic.0, |variable| variable.start) as u64
    }

    /// Which byte of which variable an offset is.
    pub fn spot(&self, offset: u64, block: Option<[u32; 3]>) -> Spot {
        let variable = self.variable(offset);
        let (start, bytes) = variable.map_or(self.dynamic, |variable| (variable.start, variable.bytes));
        let region = Region::Shared { start: start as u64, block };
        let name = variable.map(|variable| variable.source_name().to_string());
        let byte = offset as i64 - start as i64;
        match variable.and_then(|variable| variable.part().1) {
            // How many parts there are, the name does not tell.
            Some(part) => Spot { name, ..Spot::new(region, byte + (part * bytes as u64) as i64, None) },
            None => Spot { name, ..Spot::new(region, byte, Some(bytes as u64)) },
        }
    }

    /// Where an address that has no offset lies, in front of a variable or behind it.
    ///
    /// # Errors
    /// The address itself, if there is no variable near.
    pub fn outside(&self, address: u64, block: Option<[u32; 3]>) -> Result<Spot, u64> {
        let address = unwrapped(address);
        // In front of the first variable an address has ones in all upper bits, of 32 or of 64.
        let is_below_0 = address >> 63 == 1 || (address & !OUTSIDE) >> RANK == u64::from(u32::MAX >> RANK);
        let (_, address) = rank(address & !OUTSIDE);
        let number = address >> BITS;
        let within = address & ((1 << BITS) - 1);
        // A small negative index borrows from the number.
        let in_front = (1 << BITS) - within;
        let following = if is_below_0 { 0 } else { number + 1 };
        let next = self.find(following).filter(|_| in_front <= 1 << (BITS - 1));
        let (number, (start, size), byte) = match (next, self.find(number)) {
            (Some(next), _) => (following, next, -(in_front as i64)),
            (None, Some(this)) if this.1 > 0 => (number, this, within as i64),
            _ => return Err(address),
        };
        let region = Region::Shared { start: start as u64, block };
        let name = self.variables.get(index(number)).map(|variable| variable.source_name().to_string());
        Ok(Spot { name, ..Spot::new(region, byte, Some(size as u64)) })
    }
}

/// An address as a signed index would give it, where an unsigned index of 32 bits has wrapped below 0: by
/// 2^32 elements too far, of 1 to 16 bytes.
fn unwrapped(address: u64) -> u64 {
    let far = address & !OUTSIDE;
    let by = |bytes: u64| (far as i64).wrapping_sub((bytes << 32) as i64);
    let is_near = |near: &i64| (-(1 << (BITS - 1))..1 << RANK).contains(near);
    match [1, 2, 4, 8, 16].map(by).iter().find(|near| is_near(near)) {
        Some(near) => *near as u64,
        None => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variable(name: &str, start: usize, bytes: usize) -> Variable {
        Variable { name: name.to_owned(), start, bytes }
    }

    #[test]
    fn a_variable_ends_where_it_ends() {
        let variables = [variable("_ZZ4pairE1a", 0, 128), variable("b", 128, 64)];
        let layout = Layout { variables: &variables, dynamic: (192, 16) };
        assert_eq!(layout.offset(address(0) + 124, 4), 124);
        assert_eq!(layout.offset(address(1), 4), 128);
        assert_eq!(layout.offset(DYNAMIC_ADDRESS + 12, 4), 204);
        for wrong in [address(0) + 126, address(0) + 128, address(1) - 4, DYNAMIC_ADDRESS + 16] {
            assert!(layout.offset(wrong, 4) >= OUTSIDE, "{wrong:#x}");
        }
        let lies = |at: u64| {
            let spot = layout.outside(layout.offset(at, 4), None).unwrap();
            (spot.name, spot.byte, spot.size)
        };
        assert_eq!(lies(address(0) + 128), (Some("a".to_string()), 128, Some(128)));
        assert_eq!(lies(address(1) - 4), (Some("b".to_string()), -4, Some(64)));
        assert_eq!(lies(DYNAMIC_ADDRESS - 8), (None, -8, Some(16)));
        // By a signed index, by one of 32 bits, and by an unsigned one of elements of 4 bytes, that wrapped.
        for in_front in [u64::MAX - 3, 0xffff_fffc, (4 << 32) - 4] {
            assert_eq!(lies(in_front), (Some("a".to_string()), -4, Some(128)), "{in_front:#x}");
        }
        assert_eq!(lies(address(1) + (4 << 32) - 4), (Some("b".to_string()), -4, Some(64)));
    }

    #[test]
    fn an_address_may_name_a_block_of_the_cluster() {
        let address = address(MAX_VARIABLES - 1) + 8;
        for window in [0, 1 << 56] {
            let mapped = with_rank(window | address, 7, 2);
            assert_eq!(mapped & !0xffff_ffff, window);
            assert_eq!(rank(mapped & 0xffff_ffff), (Some(7), address));
            assert_eq!(with_rank(with_rank(window | address, 3, 2), 7, 2), mapped);
            assert_eq!(with_rank(mapped, 2, 2), window | address);
        }
        for own in [0, address, DYNAMIC_ADDRESS + (1 << BITS) - 1, u64::MAX, 0xffff_fffc, u64::MAX - 3] {
            assert_eq!(rank(own), (None, own), "{own:#x}");
        }
        assert_eq!(rank(with_rank(0, 0xffff_ffff, 0)), (Some(29), 0));
    }

    #[test]
    fn names_are_those_of_the_source() {
        let name = |name: &str| variable(name, 0, 0).source_name().to_owned();
        assert_eq!(name("_ZZ4pairPKiPiiE4tile"), "tile");
        assert_eq!(name("tile"), "tile");
        assert_eq!(name("_ZZ4pairE4tile_0"), "_ZZ4pairE4tile_0");
        assert_eq!(name("_ZZ4pairE4tile_$_1"), "tile");
        let parts = [variable("_ZZ4pairE4tile_$_0", 0, 4), variable("_ZZ4pairE4tile_$_1", 4, 4)];
        let layout = Layout { variables: &parts, dynamic: (8, 0) };
        let spot = Spot { element: Some(4), ..layout.spot(4, None) };
        assert_eq!(spot.to_string(), "`tile[1]`");
    }
}

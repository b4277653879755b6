//! Values of the host that were never written, followed as those of kernels are (`exec/undefined.rs`):
//! copying one is no mistake; letting it decide something is.

use rustc_hash::FxHashMap;

use super::code::{Code, Rare, Step, slot_of, slot_of_predicate};
use crate::arith::Spread;
use crate::decode::{Function, Op, Role};
use crate::diagnostic::{Diagnostic, Kind};
use crate::what::{Matters, What};

/// Where a value was read that was never written, in the program and in memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Index into the program's line table.
    pub loc: u32,
    pub address: u64,
    pub bytes: u8,
}

/// What was found about a value that was never written, and where in memory that was read.
#[derive(Clone, Debug)]
pub struct Lost {
    /// What is said of it.
    pub found: Diagnostic,
    /// The address, and the bytes of the access.
    pub read: (u64, u8),
    /// Steps of the host until then.
    pub at: u64,
}

/// What is undefined in the values and frames of the open functions. Most of the time nothing is.
#[derive(Debug, Default)]
pub struct Undefined {
    /// By their places among all values: which bits, and where they were read.
    values: FxHashMap<usize, (u64, Origin)>,
    /// Bytes of the frames, and where they were read.
    frames: FxHashMap<usize, Origin>,
    /// Where values have been stored, and where those were read.
    stored: FxHashMap<u64, Origin>,
}

/// Stored values whose origins are kept: those of the last ones, such as the arguments of a call.
const MAX_STORED: usize = 64;

impl Undefined {
    /// Whether there is any.
    #[inline(always)]
    pub fn is_any(&self) -> bool {
        !self.values.is_empty() || !self.frames.is_empty()
    }

    /// A value has been read of whose bytes those of `lost` have not been written.
    pub fn load(&mut self, value: usize, lost: u8, signed: bool, read: Origin) {
        let read = self.origin(read);
        let mut bits =
            (0..8).filter(|byte| lost >> byte & 1 == 1).fold(0, |bits, byte| bits | 0xff << (8 * byte));
        if signed && bits != 0 {
            bits |= !0 << (63 - u64::leading_zeros(bits));
        }
        self.set(value, (bits, read));
    }

    /// Where a value was read first that has been stored where it is read now.
    pub fn origin(&self, read: Origin) -> Origin {
        self.stored.get(&read.address).copied().unwrap_or(read)
    }

    /// A value is stored of which bytes are undefined.
    pub fn store(&mut self, value: usize, address: u64) {
        let Some((_, read)) = self.values.get(&value).copied() else { return };
        if self.stored.len() == MAX_STORED {
            self.stored.clear();
        }
        self.stored.insert(address, read);
    }

    /// Bytes from an address on hold nothing any more.
    pub fn forget(&mut self, address: u64, bytes: usize) {
        self.stored.retain(|stored, _| !(address..address + bytes as u64).contains(stored));
    }

    /// Bytes of a value that are undefined, a bit each.
    pub fn bytes(&self, value: usize) -> u8 {
        let bits = self.values.get(&value).map_or(0, |(bits, _)| *bits);
        (0..8).filter(|byte| bits >> (8 * byte) & 0xff != 0).fold(0, |bytes, byte| bytes | 1 << byte)
    }

    /// A value is defined now.
    pub fn clear(&mut self, value: usize) {
        self.values.remove(&value);
    }

    /// Where a byte of the frames was read that has not been written.
    pub fn in_frames(&self, byte: usize) -> Option<Origin> {
        self.frames.get(&byte).copied()
    }

    /// Bytes of the frames are defined now.
    pub fn define_frame(&mut self, at: usize, bytes: usize) {
        if !self.frames.is_empty() {
            for byte in at..at + bytes {
                self.frames.remove(&byte);
            }
        }
    }

    /// Bytes of the frames are copied.
    pub fn pass(&mut self, from: usize, to: usize, bytes: usize) {
        if self.frames.is_empty() {
            return;
        }
        for byte in 0..bytes {
            match self.frames.get(&(from + byte)).copied() {
                Some(loc) => self.frames.insert(to + byte, loc),
                None => self.frames.remove(&(to + byte)),
            };
        }
    }

    /// A function has ended whose values and frame began there.
    pub fn close(&mut self, values: usize, frame: usize) {
        if self.is_any() {
            self.values.retain(|value, _| *value < values);
            self.frames.retain(|byte, _| *byte < frame);
        }
    }

    fn set(&mut self, value: usize, (bits, read): (u64, Origin)) {
        if bits == 0 {
            self.values.remove(&value);
        } else {
            self.values.insert(value, (bits, read));
        }
    }

    /// Follows values through the step at `at`, before it is done. `values` are those of the function, which
    /// begin at `base` among all. To what an undefined one matters, and where that was read.
    pub fn follow(
        &mut self,
        function: &Function,
        code: &Code,
        at: usize,
        values: &[u64],
        (base, frame): (usize, usize),
    ) -> Option<(Matters, Origin)> {
        let inst = &function.code[code.from[at] as usize];
        let of = |undefined: &Undefined, slot: usize| undefined.values.get(&(base + slot)).copied();
        let slot = |register| slot_of(function, register);
        match &code.steps[at] {
            Step::JumpIf { p, .. } | Step::SkipUnless { p, .. } => {
                of(self, *p as usize).map(|(_, loc)| (Matters::Branch, loc))
            }
            Step::TestJump { d, a, b, .. } => {
                let lost = of(self, *a as usize).or(of(self, *b as usize));
                self.clear(base + *d as usize);
                lost.map(|(_, loc)| (Matters::Branch, loc))
            }
            Step::Load { base: address, .. }
            | Step::Load4 { base: address, .. }
            | Step::Load8 { base: address, .. }
            | Step::Store { base: address, .. }
            | Step::Store4 { base: address, .. }
            | Step::Store8 { base: address, .. } => {
                of(self, *address as usize).map(|(_, loc)| (Matters::Address, loc))
            }
            Step::LoadParam { d, offset, bytes, signed } => {
                let start = frame + *offset as usize;
                let lost = |byte: &usize| self.frames.contains_key(&(start + byte));
                let bytes_lost = (0..usize::from(*bytes)).filter(lost).fold(0, |all, byte| all | 1 << byte);
                let loc = (start..start + usize::from(*bytes)).find_map(|byte| self.in_frames(byte));
                self.load(base + *d as usize, bytes_lost, *signed, loc.unwrap_or_default());
                None
            }
            Step::StoreParam { s, offset, bytes } => {
                let start = frame + *offset as usize;
                self.define_frame(start, usize::from(*bytes));
                if let Some((_, loc)) = of(self, *s as usize) {
                    let lost = self.bytes(base + *s as usize);
                    let lost = (0..usize::from(*bytes)).filter(|byte| lost >> byte & 1 == 1);
                    self.frames.extend(lost.map(|byte| (start + byte, loc)));
                }
                None
            }
            Step::Rare(rare) => match &**rare {
                Rare::StoreParams { offset, s, bytes } => {
                    for (number, s) in s.iter().enumerate() {
                        let start = frame + offset + number * bytes;
                        self.define_frame(start, *bytes);
                        if let Some((_, loc)) = of(self, *s as usize) {
                            self.frames.extend((start..start + bytes).map(|byte| (byte, loc)));
                        }
                    }
                    None
                }
                Rare::LoadMany { .. } | Rare::StoreMany { .. } => None,
                Rare::Switch { index, .. } => {
                    of(self, *index as usize).map(|(_, loc)| (Matters::Branch, loc))
                }
                _ => {
                    self.through(&inst.op, function, values, base);
                    None
                }
            },
            Step::Select { d, a, b, p, negated } => {
                let chosen = if (values[*p as usize] != 0) != *negated { a } else { b };
                let lost = match of(self, *p as usize) {
                    Some((_, loc)) if values[*a as usize] != values[*b as usize] => Some((u64::MAX, loc)),
                    _ => of(self, *chosen as usize),
                };
                self.set(base + *d as usize, lost.unwrap_or_default());
                None
            }
            Step::Call(_) | Step::Return | Step::Jump { .. } => None,
            Step::Move { d, a } => {
                let lost = of(self, *a as usize);
                self.set(base + *d as usize, lost.unwrap_or_default());
                None
            }
            _ => {
                let _ = slot;
                self.through(&inst.op, function, values, base);
                None
            }
        }
    }

    /// Follows values through an instruction that computes.
    fn through(&mut self, op: &Op, function: &Function, values: &[u64], base: usize) {
        if let Op::Alu { f, d, s, spread } = op {
            let slots = s.map(|register| slot_of(function, register));
            let lost = slots.map(|slot| self.values.get(&(base + slot)).copied().unwrap_or_default());
            let masks = lost.map(|(bits, _)| bits);
            let bits = match masks {
                [0, 0, 0, 0] => 0,
                masks => spread_bits(|source| f.one(source), slots.map(|slot| values[slot]), masks, *spread),
            };
            let sources = lost.iter().filter(|(bits, _)| *bits != 0).map(|(_, read)| *read);
            let loc = sources.min_by_key(|read| read.address).unwrap_or_default();
            return self.set(base + slot_of(function, *d), (bits, loc));
        }
        let mut lost = None;
        op.operands(|role, number| {
            let slot = match role {
                Role::Reads | Role::Addresses => slot_of(function, number),
                Role::ReadsPredicate => slot_of_predicate(function, number),
                Role::Writes | Role::WritesPredicate => return,
            };
            lost = lost.or(self.values.get(&(base + slot)).copied());
        });
        let lost = lost.map(|(_, loc)| (u64::MAX, loc)).unwrap_or_default();
        op.operands(|role, number| match role {
            Role::Writes => self.set(base + slot_of(function, number), lost),
            Role::WritesPredicate => self.set(base + slot_of_predicate(function, number), lost),
            _ => {}
        });
    }

    /// What is said of an undefined value that matters at `place`, and was read at another.
    pub fn said(matters: Matters, place: Option<(String, u32)>, read: Option<(String, u32)>) -> Diagnostic {
        let what = What::Unwritten { matters, read, spot: None, writer: None };
        let help = "write the memory before it is read: malloc, new and variables in functions hold nothing \
                    until the program has written it";
        let (file, line) = place.unzip();
        Diagnostic { file, line, ..Diagnostic::new(Kind::UninitializedRead, what, help) }
    }
}

/// The bits of what `f` gives that change with the undefined bits of its sources: it is tried with some
/// values for them, as in `exec/follow.rs`.
fn spread_bits(f: impl Fn([u64; 4]) -> u64, values: [u64; 4], lost: [u64; 4], spread: Spread) -> u64 {
    let tried = |number: usize, position: usize| match number {
        0..8 => 0u64.wrapping_sub((number >> position & 1) as u64),
        _ => 0x5555_5555_5555_5555 << ((number + position) % 2),
    };
    let result = |number: usize| {
        f(std::array::from_fn(|position| {
            values[position] & !lost[position] | tried(number, position) & lost[position]
        }))
    };
    let first = result(0);
    let varies = (1..10).fold(0, |all, number| all | (result(number) ^ first));
    let all = lost.iter().fold(0, |all, bits| all | bits);
    match (varies, spread) {
        (0, _) => 0,
        (varies, Spread::Bits(of)) if lost[of as usize..].iter().all(|bits| *bits == 0) => varies,
        (_, Spread::Up) => u64::MAX << all.trailing_zeros(),
        (varies, Spread::Halves) => {
            [0xffff, 0xffff << 16, 0xffff << 32, 0xffff << 48].iter().filter(|half| varies & *half != 0).sum()
        }
        _ => u64::MAX,
    }
}

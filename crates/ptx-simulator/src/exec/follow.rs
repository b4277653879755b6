//! How values that are followed spread, undefined ones and those from reads that race, and where undefined
//! ones matter. Where the others do, `racing.rs` says.

use super::activation::{Activation, FRAME_WINDOW, Kept, source};
use super::context::{At, Context};
use super::undefined::{Byte, Lost, RacingReads, either, of_byte};
use super::warp::Warp;
use crate::arith::{Alu, AtomOp, Lanes, Spread, WARP, each, lanes, low, which};
use crate::decode::{Address, Bits, Function, Guard, NONE, Op, Reg};
use crate::diagnostic::Kind;
use crate::memory;
use crate::observe::{Peer, Request};
use crate::ptx::Space;
use crate::what::{Matters, Region, Spot, What};

/// Follows values through an instruction that computes, before it is done: what it writes is undefined where
/// anything that it reads is, unless the rest decides; and the same of what comes from reads that race.
#[inline(always)]
pub fn follow(activation: &mut Activation, function: &Function, op: &Op, active: u32) {
    follow_from::<u32>(activation, function, op, active);
    if activation.racing.is_any() {
        follow_racing(activation, function, op, active);
    }
}

#[cold]
fn follow_racing(activation: &mut Activation, function: &Function, op: &Op, active: u32) {
    follow_from::<RacingReads>(activation, function, op, active);
}

/// The same for one of the reasons to follow a value.
#[inline(always)]
fn follow_from<O: Kept>(activation: &mut Activation, function: &Function, op: &Op, active: u32) {
    let u = O::of_mut(activation);
    match op {
        Op::Alu { f, d, s, spread } => {
            let (undefined, origin) = u.any(s);
            if undefined & active != 0 {
                let bits = spread_bits::<O>(activation, function, (f, *spread), s, active);
                O::of_mut(activation).set_bits(*d, active, &bits, origin);
            } else {
                u.set(*d, active, (0, O::NOWHERE));
            }
        }
        Op::Logic { .. } | Op::Test { combine: Some(_), .. } => {
            follow_logic::<O>(activation, function, op, active)
        }
        // What comes out of memory, or from another lane, is followed where that is done.
        Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } => {}
        Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Reduce { .. } => {}
        Op::Mma { .. } | Op::Tile { .. } => {}
        Op::Select { d, a, b, p } => {
            let chosen = activation.holds(*p);
            let u = O::of_mut(activation);
            let of_a = u.source(*a);
            let of_b = u.source(*b);
            let of_p = u.predicate(p.p);
            if (of_a.0 | of_b.0 | of_p.0) & active == 0 {
                return u.set(*d, active, (0, O::NOWHERE));
            }
            let bits_a = u.bits_of(*a);
            let bits_b = u.bits_of(*b);
            let a = source(activation, function, *a);
            let b = source(activation, function, *b);
            let bits: Lanes = std::array::from_fn(|lane| match (of_p.0 >> lane & 1, chosen >> lane & 1) {
                // Which of the two it is does not matter where they are the same.
                (1, _) if a[lane] == b[lane] && bits_a[lane] | bits_b[lane] == 0 => 0,
                (1, _) => u64::MAX,
                (_, 1) => bits_a[lane],
                _ => bits_b[lane],
            });
            let values = either(&(of_a.0 & chosen, of_a.1), (of_b.0 & !chosen, of_b.1));
            O::of_mut(activation).set_bits(*d, active, &bits, either(&of_p, values).1);
        }
        Op::Pack { d, parts, bits: width } if u.any(parts).0 & active != 0 => {
            let all = parts.iter().map(|part| u.bits_of(*part));
            let origin = u.any(parts).1;
            let mut bits = [0; WARP];
            for (i, part) in all.enumerate() {
                each(active, |lane| bits[lane] |= (part[lane] & low(*width)) << (i as u32 * width));
            }
            u.set_bits(*d, active, &bits, origin);
        }
        Op::Unpack { parts, a, bits: width } if u.source(*a).0 & active != 0 => {
            let bits = u.bits_of(*a);
            let origin = u.source(*a).1;
            for (i, part) in parts.iter().enumerate() {
                let bits = bits.map(|bits| bits >> (i as u32 * width) & low(*width));
                u.set_bits(*part, active, &bits, origin.clone());
            }
        }
        // What a barrier gives does not follow what the threads bring.
        Op::Barrier { .. } | Op::Mbarrier { .. } => u.write(op, active, (0, O::NOWHERE)),
        op => u.write(op, active, u.read(op)),
    }
}

/// The bits of what `f` gives that change with the undefined bits of its sources: it is tried with some
/// values for them. `x & 0`, `x * 0` and a shift of `x` out of its register do not depend on `x`.
#[cold]
fn spread_bits<O: Kept>(
    activation: &Activation,
    function: &Function,
    (f, spread): (&Alu, Spread),
    s: &[Reg; 4],
    active: u32,
) -> Lanes {
    let undefined = s.map(|r| O::of(activation).bits_of(r));
    let all = |lane: usize| undefined.iter().fold(0, |all, bits| all | bits[lane]);
    if matches!(f, Alu::Halves(_)) {
        // Comparisons, which a few values do not tell apart.
        return std::array::from_fn(|lane| if all(lane) != 0 { u64::MAX } else { 0 });
    }
    // All bits of each source 0 or 1, every source by itself; then some in between.
    let tried = |number: usize, position: usize| match number {
        0..8 => 0u64.wrapping_sub((number >> position & 1) as u64),
        _ => 0x5555_5555_5555_5555 << ((number + position) % 2),
    };
    let mut first = [0; WARP];
    let mut varies = [0; WARP];
    for number in 0..10 {
        let mut sources = s.map(|r| *source(activation, function, r));
        for (position, (values, bits)) in sources.iter_mut().zip(&undefined).enumerate() {
            let value = tried(number, position);
            each(active, |lane| values[lane] = values[lane] & !bits[lane] | value & bits[lane]);
        }
        let mut out = [0; WARP];
        let [a, b, c, d] = &sources;
        f.apply(&mut out, [a, b, c, d], active);
        if number == 0 {
            first = out;
        }
        each(active, |lane| varies[lane] |= out[lane] ^ first[lane]);
    }
    std::array::from_fn(|lane| match (varies[lane], spread) {
        (0, _) => 0,
        (varies, Spread::Bits(of)) if undefined[of as usize..].iter().all(|bits| bits[lane] == 0) => varies,
        (_, Spread::Up) => u64::MAX << all(lane).trailing_zeros(),
        (varies, Spread::Halves) => {
            [0xffff, 0xffff << 16, 0xffff << 32, 0xffff << 48].iter().filter(|half| varies & *half != 0).sum()
        }
        _ => u64::MAX,
    })
}

/// Follows values through logic on predicates: `and` with one that is false is false.
fn follow_logic<O: Kept>(activation: &mut Activation, function: &Function, op: &Op, active: u32) {
    let u = O::of(activation);
    let decided = |bits: Bits, (a, of_a): (u32, &Lost<O>), b: Guard| {
        let of_b = u.predicate(b.p);
        let b = activation.holds(b);
        let by_a = bits.of(0, b) ^ bits.of(u32::MAX, b);
        let by_b = bits.of(a, 0) ^ bits.of(a, u32::MAX);
        either(&(of_a.0 & (by_a | of_b.0), of_a.1.clone()), (of_b.0 & (by_b | of_a.0), of_b.1))
    };
    match op {
        Op::Logic { bits, d, a, b } => {
            let of_a = u.predicate(a.p);
            let undefined = match b {
                Some(b) => decided(*bits, (activation.holds(*a), &of_a), *b),
                None => of_a,
            };
            O::of_mut(activation).set_predicate(*d, active, undefined);
        }
        Op::Test { f, d, q, a, b, bits, combine: Some(p) } => {
            let holds = f.holds(source(activation, function, *a), source(activation, function, *b), active);
            let of_test = u.any(&[*a, *b]);
            let of_d = decided(*bits, (holds, &of_test), *p);
            let of_q = decided(*bits, (!holds, &of_test), *p);
            let u = O::of_mut(activation);
            u.set_predicate(*d, active, of_d);
            u.set_predicate(*q, active, of_q);
        }
        _ => {}
    }
}

/// Follows values through an exchange between lanes, before it is done.
pub fn follow_collective<O: Kept>(activation: &mut Activation, function: &Function, op: &Op, mask: u32) {
    match op {
        Op::Shuffle { mode, d, p, a, b, c, .. } => {
            let b = *source(activation, function, *b);
            let c = *source(activation, function, *c);
            let u = O::of_mut(activation);
            // What comes from a lane that does not take part is lost, whatever that lane holds.
            let (undefined, origin) = u.source(*a);
            match undefined & mask {
                0 => u.set(*d, mask, (0, O::NOWHERE)),
                given => {
                    let of_a = u.bits_of(*a);
                    let read = |lane: usize| {
                        let (from, _) = mode.source(lane, &b, &c);
                        if given >> from & 1 == 1 { of_a[from] } else { 0 }
                    };
                    u.set_bits(*d, mask, &std::array::from_fn(read), origin);
                }
            }
            u.set_predicate(*p, mask, (0, O::NOWHERE));
        }
        Op::Vote { p, .. } => {
            let u = O::of_mut(activation);
            let of_p = u.predicate(p.p);
            u.write(op, mask, of_any_lane(of_p, mask));
        }
        Op::Match { d, p, a, .. } => {
            let u = O::of_mut(activation);
            let of_a = u.source(*a);
            let all = of_any_lane(of_a, mask);
            u.set(*d, mask, all.clone());
            u.set_predicate(*p, mask, all);
        }
        Op::Mma { how, d, a, b, c, .. } => {
            let u = O::of_mut(activation);
            let (undefined, origin) =
                [a, b, c].iter().fold((0, O::NOWHERE), |known, sources| either(&known, u.any(sources)));
            let all = |registers: &[Reg]| registers.iter().map(|r| u.bits_of(*r)).collect::<Vec<_>>();
            let bits = match undefined & mask {
                0 => vec![[0; WARP]; d.len()],
                _ => how.undefined(&all(a), &all(b), &all(c)),
            };
            for (d, bits) in d.iter().zip(&bits) {
                u.set_bits(*d, mask, bits, origin.clone());
            }
        }
        Op::Reduce { d, a, .. } => {
            let u = O::of_mut(activation);
            let of_a = u.source(*a);
            u.set(*d, mask, of_any_lane(of_a, mask));
        }
        _ => {}
    }
}

/// Followed in all lanes, if in one of `mask`.
fn of_any_lane<O: Kept>((undefined, origin): Lost<O>, mask: u32) -> Lost<O> {
    if undefined & mask != 0 { (u32::MAX, origin) } else { (0, O::NOWHERE) }
}

/// Where an address of a local variable, or of a call's parameter, lies in local memory.
pub fn in_local(address: u64) -> usize {
    (address & (FRAME_WINDOW - 1)) as usize
}

/// What to do about a value that nobody has written, by where it should be.
fn unwritten_help(spot: Option<&Spot>) -> &'static str {
    match spot.map(|spot| &spot.region) {
        Some(Region::Shared { .. }) => {
            "a __shared__ array is not zero at the start: let the threads write it, and then \
             __syncthreads(), before it is read"
        }
        Some(_) => "write the memory before it is read: initialise the buffer or the variable",
        None => {
            "give the variable a value before it is read; an array in a kernel is each thread's own, unless \
             it is declared __shared__"
        }
    }
}

impl Context<'_> {
    fn undefined(&mut self, warp: &Warp, at: At, origin: u32, matters: Matters) {
        if let Some(absent) = warp.absent.get(&origin) {
            return self.tell(absent);
        }
        let lane = at.mask.trailing_zeros();
        let spot = warp.unwritten.get(&(origin, lane)).map(|byte| self.spot(*byte));
        let help = unwritten_help(spot.as_ref());
        let read = self.program.source_of(origin);
        let what = What::Unwritten { matters, read, spot, writer: None };
        self.find(warp, at, Kind::UninitializedRead, what, help);
    }

    /// The first byte of an access to global or shared memory.
    fn spot(&self, byte: Byte) -> Spot {
        if byte.space == Space::Shared {
            let block = byte.owner.map(|peer| [peer.block as u32, 0, 0]);
            return Spot { element: Some(byte.bytes), ..self.shared.spot(byte.address, block) };
        }
        let (number, offset) = memory::number_and_offset(byte.address);
        Spot::new(self.memory.name(number), offset as i64, None)
    }

    /// An undefined value decides whether lanes of `mask` execute an instruction.
    pub fn check_guard(&mut self, warp: &mut Warp, at: At) {
        self.use_guard(warp, at);
        let undefined = &mut warp.activations[at.slot as usize].undefined;
        let (lanes, origin) = undefined.predicate(at.inst.guard);
        let mask = lanes & at.mask;
        if mask != 0 {
            undefined.set_predicate(at.inst.guard, at.mask, (0, NONE));
            self.undefined(warp, At { mask, ..at }, origin, Matters::Branch);
        }
    }

    /// An undefined value is part of an address.
    pub fn check_address(&mut self, warp: &mut Warp, at: At, to: &Address) {
        let Some(register) = to.base.register() else { return };
        self.use_values(warp, at, &[register]);
        let undefined = &mut warp.activations[at.slot as usize].undefined;
        let (lanes, origin) = undefined.source(register);
        let mask = lanes & at.mask;
        if mask != 0 {
            undefined.set(register, at.mask, (0, NONE));
            self.undefined(warp, At { mask, ..at }, origin, Matters::Address);
        }
    }

    /// A constant that the host has not set, and that has no initialiser, or one of zeros: PTX does not say
    /// which. The kernel reads 0 either way.
    #[cold]
    fn unset_constant(&mut self, warp: &Warp, at: At) {
        let what = "this constant, or this part of it, was never set and has no initialiser: it reads as 0";
        let help = "set all of it before the launch (cudaMemcpyToSymbol), even if it should be 0";
        self.find(warp, at, Kind::UninitializedRead, what, help);
    }

    /// Which of the loaded values are undefined.
    pub fn follow_load(&mut self, warp: &mut Warp, at: At, request: &Request, d: &[Reg], bytes: u32) {
        for (i, d) in d.iter().enumerate() {
            let mut undefined = which(request.mask, |lane| {
                let address = request.addresses[lane] + (i as u32 * bytes) as u64;
                !self.is_written(warp, request, lane, address, bytes)
            });
            let stored = self.stored_undefined(request, undefined, i as u32 * bytes, bytes);
            if undefined != 0 && stored.is_none() && matches!(request.space, Space::Global | Space::Shared) {
                warp.remember_unwritten(at.inst.line, undefined, request, (i as u32 * bytes, bytes));
            }
            if undefined != 0 && request.space == Space::Const {
                self.unset_constant(warp, at.lane(undefined.trailing_zeros() as usize));
                undefined = 0;
            }
            // Neither a call's parameter nor shared memory lacks a value, but what was put there.
            let origin = match request.space {
                Space::Shared => stored.unwrap_or(at.inst.line),
                Space::Param if undefined != 0 => {
                    let lane = undefined.trailing_zeros() as usize;
                    let address = request.addresses[lane] + u64::from(i as u32 * bytes);
                    warp.origin(lane, in_local(address))
                }
                _ => at.inst.line,
            };
            warp.activations[at.slot as usize].undefined.set(*d, request.mask, (undefined, origin));
        }
    }

    /// The PTX line that has read an undefined value which was stored where one of the lanes of `mask` loads
    /// from shared memory: `bytes` bytes, `behind` bytes behind its address.
    fn stored_undefined(&self, request: &Request, mask: u32, behind: u32, bytes: u32) -> Option<u32> {
        if mask == 0 || request.space != Space::Shared {
            return None;
        }
        let origins = &self.shared_of(request.owner).origins;
        let loaded = |lane: usize| {
            let start = (request.addresses[lane] + u64::from(behind)) as usize;
            start..start + bytes as usize
        };
        lanes(mask).flat_map(loaded).find_map(|byte| origins.get(&byte).copied())
    }

    /// Undefined values are stored: to global memory that is a mistake, elsewhere they stay undefined.
    pub fn follow_store(&mut self, warp: &mut Warp, at: At, request: &Request, s: &[Reg], bytes: u32) {
        for (i, s) in s.iter().enumerate() {
            let place = (request.space, request.owner);
            let address = |lane: usize| request.addresses[lane] + (i as u32 * bytes) as u64;
            each(request.mask, |lane| self.set_written(warp, place, lane, address(lane), bytes, true));
            let known = &warp.activations[at.slot as usize].undefined;
            let (lost, origin) = known.source(*s);
            if lost & request.mask == 0 {
                continue;
            }
            let bits = known.bits_of(*s);
            let mut undefined = 0;
            for byte in 0..bytes {
                let of_byte = of_byte(&bits, byte as usize) & request.mask;
                undefined |= of_byte;
                for lane in lanes(of_byte).filter(|_| request.space != Space::Global) {
                    let address = address(lane) + u64::from(byte);
                    self.set_written(warp, place, lane, address, 1, false);
                    match request.space {
                        Space::Param => _ = warp.origins.insert((lane, in_local(address)), origin),
                        Space::Shared => {
                            _ = self.shared_mut(request.owner).origins.insert(address as usize, origin);
                        }
                        _ => {}
                    }
                }
            }
            // What a lane that took no part has given is not followed through memory that others read.
            let is_shown = match request.space {
                Space::Global => true,
                Space::Shared => warp.absent.contains_key(&origin),
                _ => false,
            };
            if is_shown && undefined != 0 {
                let at = At { mask: undefined, ..at };
                self.undefined(warp, at, origin, Matters::Stored);
            }
        }
    }

    /// An atomic on bytes that were never written, or with an undefined operand. An exchange does not depend
    /// on what was there: that is undefined in its result, and a mistake where it is used.
    pub fn follow_atomic(&mut self, warp: &mut Warp, at: At, request: &Request, d: Reg, s: &[Reg]) {
        let Request { mask, space, owner, addresses, bytes, .. } = *request;
        let (operands, origin) = warp.activations[at.slot as usize].undefined.any(s);
        let exchanges = matches!(at.inst.op, Op::Atomic { op: AtomOp::Exchange, .. });
        let unwritten = which(mask, |lane| {
            let written = self.is_written(warp, request, lane, addresses[lane], bytes);
            self.set_written(warp, (space, owner), lane, addresses[lane], bytes, true);
            !written
        });
        let wrong = |mask| At { mask, ..at };
        match (if exchanges { 0 } else { unwritten }, operands & mask) {
            (0, 0) => {}
            (0, lanes) => self.undefined(warp, wrong(lanes), origin, Matters::Operand),
            (lanes, _) => {
                let address = addresses[lanes.trailing_zeros() as usize];
                let spot = self.spot(Byte { space, owner, address, bytes });
                let help = unwritten_help(Some(&spot));
                self.find(warp, wrong(lanes), Kind::UninitializedRead, What::UnwrittenAtomic(spot), help);
            }
        }
        if d != NONE {
            let undefined = if exchanges { (unwritten, at.inst.line) } else { (0, NONE) };
            warp.activations[at.slot as usize].undefined.set(d, mask, undefined);
        }
    }

    /// Whether any of some bytes has been written.
    #[inline(always)]
    fn is_written(&self, warp: &Warp, request: &Request, lane: usize, address: u64, bytes: u32) -> bool {
        let at = address as usize;
        let bytes = bytes as usize;
        match request.space {
            Space::Shared => self.shared_of(request.owner).written.any(at, bytes),
            Space::Param if address < FRAME_WINDOW => true,
            Space::Local | Space::Param => {
                warp.local_written.get(lane).is_some_and(|written| written.any(in_local(address), bytes))
            }
            _ if address >> 56 != 0 => true,
            _ => self.memory.written(address).is_none_or(|(written, at)| written.any(at, bytes)),
        }
    }

    /// Says of some bytes whether they have been written.
    #[inline(always)]
    pub fn set_written(
        &mut self,
        warp: &mut Warp,
        (space, owner): (Space, Option<Peer>),
        lane: usize,
        address: u64,
        bytes: u32,
        written: bool,
    ) {
        let at = address as usize;
        let bytes = bytes as usize;
        match space {
            Space::Shared => self.shared_mut(owner).written.set(at, bytes, written),
            Space::Local | Space::Param => {
                warp.local_written(lane).set(in_local(address), bytes, written);
            }
            Space::Global => self.memory.define(address, bytes),
            _ => {}
        }
    }
}

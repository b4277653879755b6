//! How undefined values spread, and where they matter.

use super::activation::{Activation, source};
use super::context::{At, Context};
use super::undefined::either;
use super::warp::Warp;
use crate::arith::{Alu, WARP, each, lanes};
use crate::decode::{Address, Bits, Function, Guard, NONE, Op, Reg};
use crate::diagnostic::{Kind, Site};
use crate::memory::Written;
use crate::observe::{Event, Peer, Request};
use crate::ptx::Space;

/// Follows undefined values through an instruction that computes, before it is done: what it writes is
/// undefined where anything that it reads is, unless the rest decides.
#[inline(always)]
pub fn follow(activation: &mut Activation, function: &Function, op: &Op, active: u32) {
    let u = &mut activation.undefined;
    match op {
        Op::Alu { f, d, s } => {
            let mut of_s = u.any(s);
            if of_s.0 & active != 0 {
                of_s.0 &= depends(activation, function, f, s, active);
            }
            activation.undefined.set(*d, active, of_s);
        }
        Op::Logic { .. } | Op::Test { combine: Some(_), .. } => {
            follow_logic(activation, function, op, active)
        }
        // What comes out of memory, or from another lane, is followed where that is done.
        Op::Load { .. } | Op::Store { .. } | Op::Atomic { .. } => {}
        Op::Shuffle { .. } | Op::Vote { .. } | Op::Match { .. } | Op::Reduce { .. } => {}
        Op::LogicTest { d, p, s, q, .. } => {
            let of_d = u.any(s);
            u.set_predicate(*p, active, either(of_d, u.predicate(q.p)));
            u.set(*d, active, of_d);
        }
        Op::Select { d, a, b, p } => {
            let value = activation.predicates[p.p as usize];
            let chosen = if p.negated { !value } else { value };
            let (of_a, of_b, mut of_p) = (u.any(&[*a]), u.any(&[*b]), u.predicate(p.p));
            if of_p.0 & active != 0 {
                let (a, b) = (source(activation, function, *a), source(activation, function, *b));
                lanes(active).filter(|&lane| a[lane] == b[lane]).for_each(|lane| of_p.0 &= !(1 << lane));
                of_p.0 |= of_a.0 | of_b.0;
            }
            let values = either((of_a.0 & chosen, of_a.1), (of_b.0 & !chosen, of_b.1));
            activation.undefined.set(*d, active, either(of_p, values));
        }
        // What a barrier gives does not follow what the threads bring.
        Op::Barrier { .. } | Op::Mbarrier { .. } => u.write(op, active, (0, NONE)),
        Op::LoadFrame { d, bytes, offset, .. } => {
            for (i, d) in d.iter().enumerate() {
                u.set(*d, active, u.frame(offset + i * *bytes as usize, *bytes as usize));
            }
        }
        Op::StoreFrame { s, bytes, offset } => {
            for (i, s) in s.iter().enumerate() {
                u.set_frame(offset + i * *bytes as usize, *bytes as usize, active, u.any(&[*s]));
            }
        }
        op => u.write(op, active, u.read(op)),
    }
}

/// The lanes in which what `f` gives changes with its undefined sources: it is tried with some bits for each.
/// `x & 0`, `x * 0` and a shift of `x` out of its register do not depend on `x`.
#[cold]
fn depends(activation: &Activation, function: &Function, f: &Alu, s: &[Reg; 4], active: u32) -> u32 {
    if matches!(f, Alu::Halves(_)) {
        return active; // comparisons, which a few bits do not tell apart
    }
    const BITS: [u64; 4] = [0, u64::MAX, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];
    let tried = [0, 1, 2, 3].map(|number| {
        let mut sources = s.map(|r| *source(activation, function, r));
        for (position, (values, r)) in sources.iter_mut().zip(s).enumerate() {
            lanes(activation.undefined.of(*r)).for_each(|lane| values[lane] = BITS[(number + position) % 4]);
        }
        let mut out = [0; WARP];
        let [a, b, c, d] = &sources;
        f.apply(&mut out, [a, b, c, d], active);
        out
    });
    lanes(active)
        .fold(0, |all, lane| all | ((tried.iter().any(|other| other[lane] != tried[0][lane])) as u32) << lane)
}

/// Follows undefined values through logic on predicates: `and` with one that is false is false.
fn follow_logic(activation: &mut Activation, function: &Function, op: &Op, active: u32) {
    let u = &activation.undefined;
    let decided = |bits: Bits, (a, of_a): (u32, (u32, u32)), b: Guard| {
        let (b, of_b) = (activation.holds(b), u.predicate(b.p));
        let by_a = bits.of(0, b) ^ bits.of(u32::MAX, b);
        let by_b = bits.of(a, 0) ^ bits.of(a, u32::MAX);
        either((of_a.0 & (by_a | of_b.0), of_a.1), (of_b.0 & (by_b | of_a.0), of_b.1))
    };
    match op {
        Op::Logic { bits, d, a, b } => {
            let of_a = u.predicate(a.p);
            let undefined = b.map_or(of_a, |b| decided(*bits, (activation.holds(*a), of_a), b));
            activation.undefined.set_predicate(*d, active, undefined);
        }
        Op::Test { f, d, q, a, b, combine: Some((bits, p)) } => {
            let holds = f.holds(source(activation, function, *a), source(activation, function, *b), active);
            let of_test = u.any(&[*a, *b]);
            let of_d = decided(*bits, (holds, of_test), *p);
            let of_q = decided(*bits, (!holds, of_test), *p);
            activation.undefined.set_predicate(*d, active, of_d);
            activation.undefined.set_predicate(*q, active, of_q);
        }
        _ => {}
    }
}

/// Follows undefined values through an exchange between lanes, before it is done. `from` says where each lane
/// of a shuffle reads.
pub fn follow_collective(activation: &mut Activation, op: &Op, mask: u32, from: [usize; WARP]) {
    let u = &mut activation.undefined;
    match op {
        Op::Shuffle { d, p, a, .. } => {
            let of_a = u.any(&[*a]);
            // A lane that does not take part has been named by the check of the shuffle itself.
            let given = of_a.0 & mask;
            let read = lanes(mask).fold(0u32, |all, lane| all | (given >> from[lane] & 1) << lane);
            u.set(*d, mask, (read, of_a.1));
            u.set_predicate(*p, mask, (0, NONE));
        }
        Op::Vote { p, .. } => {
            let of_p = u.predicate(p.p);
            u.write(op, mask, if of_p.0 & mask != 0 { (u32::MAX, of_p.1) } else { (0, NONE) });
        }
        Op::Match { d, p, a, .. } => {
            let of_a = u.any(&[*a]);
            let all = if of_a.0 & mask != 0 { (u32::MAX, of_a.1) } else { (0, NONE) };
            u.set(*d, mask, all);
            u.set_predicate(*p, mask, all);
        }
        Op::Reduce { d, a, .. } => {
            let of_a = u.any(&[*a]);
            u.set(*d, mask, if of_a.0 & mask != 0 { (u32::MAX, of_a.1) } else { (0, NONE) });
        }
        _ => {}
    }
}

impl Context<'_> {
    fn undefined(&mut self, warp: &Warp, at: At, lane: usize, origin: u32, what: &str) {
        let help =
            "write the memory before it is read: initialise the buffer, the shared array or the variable";
        let mut finding = *self.fault(warp, at.lane(lane), Kind::UninitializedRead, what, help);
        if let Some(loc) = self.program.locs.get(origin as usize) {
            let message = "the value is read here, from memory that has not been written".to_string();
            finding.related.push(Site { file: loc.file.to_string(), line: loc.line, message });
        }
        self.observer.event(&Event::Finding(&finding));
    }

    /// An undefined value decides whether lanes of `mask` execute an instruction.
    pub fn check_guard(&mut self, warp: &mut Warp, at: At) {
        let undefined = &mut warp.activations[at.slot as usize].undefined;
        let (lanes, origin) = undefined.predicate(at.inst.guard);
        if lanes & at.mask != 0 {
            undefined.set_predicate(at.inst.guard, at.mask, (0, NONE));
            let lane = (lanes & at.mask).trailing_zeros() as usize;
            self.undefined(warp, at, lane, origin, "a branch depends on an uninitialized value");
        }
    }

    /// An undefined value is part of an address.
    pub fn check_address(&mut self, warp: &mut Warp, at: At, to: &Address) {
        let undefined = &mut warp.activations[at.slot as usize].undefined;
        let (lanes, origin) = undefined.any(&[to.base]);
        if lanes & at.mask != 0 {
            undefined.set(to.base, at.mask, (0, NONE));
            let lane = (lanes & at.mask).trailing_zeros() as usize;
            self.undefined(warp, at, lane, origin, "an address depends on an uninitialized value");
        }
    }

    /// A constant that the host has not set, and that has no initialiser, or one of zeros: PTX does not say
    /// which. The kernel reads 0 either way.
    #[cold]
    fn unset_constant(&mut self, warp: &Warp, at: At) {
        let what = "a constant is read that nobody has set, and that has no initialiser: it is 0";
        let help = "set it before the launch (cudaMemcpyToSymbol, or --symbol), also if it is to be 0";
        let finding = self.fault(warp, at, Kind::UninitializedRead, what, help);
        self.observer.event(&Event::Finding(&finding));
    }

    /// Which of the loaded values are undefined.
    pub fn follow_load(&mut self, warp: &mut Warp, at: At, request: &Request, d: &[Reg], bytes: u32) {
        for (i, d) in d.iter().enumerate() {
            let mut undefined = 0u32;
            each(request.mask, |lane| {
                let address = request.addresses[lane] + (i as u32 * bytes) as u64;
                undefined |= (!self.is_written(warp, request, lane, address, bytes) as u32) << lane;
            });
            if undefined != 0 && request.space == Space::Const {
                self.unset_constant(warp, at.lane(undefined.trailing_zeros() as usize));
                undefined = 0;
            }
            warp.activations[at.slot as usize].undefined.set(*d, request.mask, (undefined, at.inst.loc));
        }
    }

    /// Undefined values are stored: to global memory that is a mistake, elsewhere they stay undefined.
    pub fn follow_store(&mut self, warp: &mut Warp, at: At, request: &Request, s: &[Reg], bytes: u32) {
        for (i, s) in s.iter().enumerate() {
            let (undefined, origin) = warp.activations[at.slot as usize].undefined.any(&[*s]);
            let undefined = undefined & request.mask;
            let is_global = request.space == Space::Global;
            each(request.mask, |lane| {
                let address = request.addresses[lane] + (i as u32 * bytes) as u64;
                let written = is_global || undefined >> lane & 1 == 0;
                self.set_written(warp, (request.space, request.owner), lane, address, bytes, written);
            });
            if is_global && undefined != 0 {
                let lane = undefined.trailing_zeros() as usize;
                self.undefined(warp, at, lane, origin, "an uninitialized value is stored to global memory");
            }
        }
    }

    /// An atomic on bytes that nobody has written, or with an undefined operand.
    pub fn follow_atomic(&mut self, warp: &mut Warp, at: At, request: &Request, d: Reg, s: &[Reg]) {
        let Request { mask, space, owner, addresses, bytes, .. } = *request;
        let (operands, origin) = warp.activations[at.slot as usize].undefined.any(s);
        let memory = lanes(mask).find(|&lane| !self.is_written(warp, request, lane, addresses[lane], bytes));
        let operand = (operands & mask != 0).then(|| (operands & mask).trailing_zeros() as usize);
        match (memory, operand) {
            (Some(lane), _) => self.undefined(warp, at, lane, NONE, "an atomic reads uninitialized memory"),
            (_, Some(lane)) => {
                self.undefined(warp, at, lane, origin, "an atomic has an uninitialized operand")
            }
            _ => {}
        }
        lanes(mask)
            .for_each(|lane| self.set_written(warp, (space, owner), lane, addresses[lane], bytes, true));
        if d != NONE {
            warp.activations[at.slot as usize].undefined.set(d, mask, (0, NONE));
        }
    }

    /// Whether any of some bytes has been written.
    #[inline(always)]
    fn is_written(&self, warp: &Warp, request: &Request, lane: usize, address: u64, bytes: u32) -> bool {
        let (at, bytes) = (address as usize, bytes as usize);
        match request.space {
            Space::Shared => self.written_of(request.owner).any(at, bytes),
            Space::Local => warp.local_written.get(lane).is_some_and(|written| written.any(at, bytes)),
            Space::Param => true,
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
        let (at, bytes) = (address as usize, bytes as usize);
        match space {
            Space::Shared => self.written_mut(owner).set(at, bytes, written),
            Space::Local => {
                warp.local_written.resize_with(WARP, Written::default);
                warp.local_written[lane].set(at, bytes, written);
            }
            Space::Global => self.memory.define(address, bytes),
            _ => {}
        }
    }
}

//! Opcodes -> operations: what stands in an instruction, and what its modifiers mean. `None` is an
//! instruction that the simulator does not know; so is one with a modifier that is left over.

use super::modifiers::Modifiers;
use super::names::{Named, Names, RegisterKind};
use super::op::*;
use super::opcodes_memory::atomic_op;
use super::runtime;
use crate::arith::{self, Alu, Extended, SetHalves, Spread};
use crate::memory;
use crate::ptx::{self, Instruction, Operand, Space};

impl Names<'_> {
    /// What an instruction does. A word that is left in `words` means nothing.
    pub fn operation<'a>(&mut self, i: &Instruction<'a>, words: &mut Modifiers<'a>) -> Option<Op> {
        let o = &i.operands[..];
        match *i.words.first()? {
            "ld" => self.load(words, o),
            "ldu" => self.load_uniform(words, o),
            "st" => self.store(words, o),
            "atom" => self.atom(words, o),
            "red" => self.red(words, o),
            "cvta" => self.cvta(words, o),
            "setp" => self.setp(words, o),
            "set" => self.set(words, o),
            "selp" => self.select(words, o),
            "testp" => {
                let ty = words.ty();
                let class = words.one_of(&CLASSES);
                self.classify(o, arith::class(class?, ty?)?)
            }
            "isspacep" => {
                let class = words.take(is_in);
                self.classify(o, class?)
            }
            "mov" => self.mov(words, o),
            name @ ("and" | "or" | "xor" | "not") if i.words.contains(&"pred") => self.logic(name, words, o),
            "bar" => self.barrier(words, o),
            "barrier" => {
                words.ignore(&["aligned"]);
                if words.eat("cluster") { Self::cluster_barrier(words, o) } else { self.barrier(words, o) }
            }
            "mapa" => self.map_shared(words, o),
            "membar" => Self::membar(words).filter(|_| o.is_empty()),
            "fence" => Self::fence(words).filter(|_| o.is_empty()),
            "shfl" => self.shuffle(words, o),
            "vote" => self.vote(words, o),
            "match" => self.matches(words, o),
            "redux" => self.redux(words, o),
            "mma" => self.mma(words, o),
            "wmma" => self.wmma(words, o),
            name @ ("ldmatrix" | "stmatrix") => self.matrix_rows(name, words, o),
            "cp" => self.copy_async(words, o),
            "mbarrier" => self.mbarrier(words, o),
            "activemask" => {
                words.eat_all(&["b32"])?;
                let [d] = o else { return None };
                Some(Op::ActiveMask { d: self.destination(d)? })
            }
            "bra" => {
                words.ignore(&["uni"]);
                let [Operand::Name(label)] = o else { return None };
                Some(Op::Branch { target: self.label(label)?, reconverge: NONE })
            }
            "brx" => self.branch_indexed(words, o),
            "call" => {
                words.ignore(&["uni"]);
                self.call(o)
            }
            "ret" => {
                words.ignore(&["uni"]);
                let op = if self.out.is_entry { Op::Exit {} } else { Op::Return {} };
                Some(op).filter(|_| o.is_empty())
            }
            "exit" => Some(Op::Exit {}).filter(|_| o.is_empty()),
            "trap" => Some(Op::Trap {}).filter(|_| o.is_empty()),
            // A dependent grid starts when the one before it is complete, so there is nothing to let it do
            // (PTX ISA, "griddepcontrol").
            "griddepcontrol" => {
                let op = match words.one_of(&["wait", "launch_dependents"])? {
                    "wait" => Op::GridWait {},
                    _ => Op::Nop {},
                };
                Some(op).filter(|_| o.is_empty())
            }
            name @ ("nanosleep" | "prefetch" | "prefetchu" | "pmevent" | "brkpt" | "setmaxnreg") => {
                Self::without_effect(name, words)
            }
            _ => self.arithmetic(&i.words, words, o),
        }
    }

    /// What changes nothing that a program can see.
    fn without_effect(name: &str, words: &mut Modifiers) -> Option<Op> {
        match name {
            "nanosleep" => words.eat_all(&["u32"])?,
            "prefetch" => {
                words.ignore(&["global", "local"]);
                words.one_of(&["L1", "L2", "L2::evict_last", "L2::evict_normal"]).map(drop)?;
            }
            "prefetchu" => words.eat_all(&["L1"])?,
            "pmevent" => words.ignore(&["mask"]),
            "setmaxnreg" => {
                let action = words.one_of(&["inc", "dec"]);
                words.eat_all(&["sync", "aligned", "u32"])?;
                action.map(drop)?;
            }
            _ => {}
        }
        Some(Op::Nop {})
    }

    fn branch_indexed(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.ignore(&["uni"]);
        words.eat_all(&["idx"])?;
        let [index, Operand::Name(list)] = o else { return None };
        let (_, targets) = self.targets.iter().find(|(name, _)| name == list)?;
        let targets = targets.iter().map(|label| self.label(label)).collect::<Option<_>>()?;
        Some(Op::BranchIndexed { index: self.source(index)?, targets, reconverge: NONE })
    }

    /// Arithmetic has tables by the whole spelling, so all words are used, or none.
    fn arithmetic<'a>(&mut self, opcode: &[&'a str], words: &mut Modifiers<'a>, o: &[Operand]) -> Option<Op> {
        let extended = Extended::parse(opcode);
        let selected = if extended.is_none() { arith::select(opcode) } else { None };
        let is_known = extended.is_some() || selected.is_some();
        words.blame(if is_known { None } else { arith::odd_word(opcode) });
        let (f, count) = match (&extended, selected) {
            (Some((_, count)), _) => (None, *count),
            (None, selected) => selected.map(|(f, count)| (Some(f), count))?,
        };
        let (d, sources) = o.split_first()?;
        if sources.len() != count {
            return None;
        }
        let d = self.destination(d)?;
        let s = sources.iter().map(|operand| self.source(operand)).collect::<Option<Vec<_>>>()?;
        if let Some(f) = f {
            return Some(self.alu(f, d, &s, Spread::of(opcode)));
        }
        let how = extended?.0;
        let carry = self.carry();
        let carry_in = if how.takes { carry } else { NONE };
        let carry_out = if how.leaves { carry } else { NONE };
        let [a, b, ref c @ ..] = s[..] else { return None };
        let c = c.first().copied().unwrap_or_else(|| self.constant(0));
        Some(Op::Extended { how, d, s: [a, b, c], carry_in, carry_out })
    }

    /// `f` of up to four sources.
    pub fn alu(&mut self, f: Alu, d: Reg, sources: &[Reg], spread: Spread) -> Op {
        let mut s = [self.constant(0); 4];
        s[..sources.len()].copy_from_slice(sources);
        Op::Alu { f, d, s, spread }
    }

    /// The instruction that `words` spell, on registers.
    pub fn plain(&mut self, words: &[&str], d: Reg, sources: &[Reg]) -> Option<Op> {
        let (f, _) = arith::select(words)?;
        Some(self.alu(f, d, sources, Spread::of(words)))
    }

    fn select(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.ty().filter(|ty| *ty != "pred")?;
        let [d, a, b, p @ (Operand::Name(_) | Operand::Not(_))] = o else { return None };
        let p = self.predicate_operand(p)?;
        Some(Op::Select { d: self.destination(d)?, a: self.source(a)?, b: self.source(b)?, p })
    }

    fn classify(&mut self, o: &[Operand], class: fn(u64) -> bool) -> Option<Op> {
        let [Operand::Name(d), a] = o else { return None };
        Some(Op::Classify { d: self.predicate(d)?, a: self.source(a)?, class })
    }

    /// Logic on predicates.
    fn logic(&mut self, name: &str, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.eat_all(&["pred"])?;
        let [Operand::Name(d), a, rest @ ..] = o else { return None };
        let d = self.predicate(d)?;
        let a = self.predicate_operand(a)?;
        match (bits(name), rest) {
            (None, []) => {
                let a = Guard { negated: !a.negated, ..a };
                Some(Op::Logic { bits: Bits::Or, d, a, b: None })
            }
            (Some(bits), [b]) => Some(Op::Logic { bits, d, a, b: Some(self.predicate_operand(b)?) }),
            _ => None,
        }
    }

    /// `d`, or `d|p`: a register, and a predicate beside it.
    fn pair(&mut self, operand: &Operand) -> Option<(Reg, Pred)> {
        match operand {
            Operand::Pair(d, p) => Some((self.destination(&Operand::Name(d))?, self.written(p)?)),
            d => Some((self.destination(d)?, NONE)),
        }
    }

    fn shuffle(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let mode = words.choose(&[
            ("up", Shuffle::Up),
            ("down", Shuffle::Down),
            ("bfly", Shuffle::Butterfly),
            ("idx", Shuffle::Index),
        ]);
        words.eat_all(&["sync", "b32"])?;
        let mode = mode?;
        let [d, a, b, c, mask] = o else { return None };
        let (d, p) = self.pair(d)?;
        let a = self.source(a)?;
        let b = self.source(b)?;
        let c = self.source(c)?;
        Some(Op::Shuffle { mode, d, p, a, b, c, mask: self.source(mask)? })
    }

    fn vote(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let mode = words.choose(&[
            ("all", Vote::All),
            ("any", Vote::Any),
            ("uni", Vote::Uniform),
            ("ballot", Vote::Ballot),
        ]);
        let is_ballot = mode == Some(Vote::Ballot);
        words.eat_all(&["sync", if is_ballot { "b32" } else { "pred" }])?;
        let mode = mode?;
        let [d, p, mask] = o else { return None };
        let (d, q) = match d {
            d if is_ballot => (self.destination(d)?, NONE),
            Operand::Name(q) => (NONE, self.predicate(q)?),
            _ => return None,
        };
        Some(Op::Vote { mode, d, q, p: self.predicate_operand(p)?, mask: self.source(mask)? })
    }

    fn matches(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let which = words.one_of(&["any", "all"]);
        let ty = words.one_of(&["b32", "b64"]);
        words.eat_all(&["sync"])?;
        let all = which? == "all";
        let wide = ty? == "b64";
        let [d, a, mask] = o else { return None };
        let (d, p) = self.pair(d)?;
        Some(Op::Match { all, d, p, a: self.source(a)?, wide, mask: self.source(mask)? })
    }

    fn redux(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let ty = words.one_of(&["u32", "s32", "b32"]);
        let name = words.one_of(&["add", "min", "max", "and", "or", "xor"]);
        words.eat_all(&["sync"])?;
        let op = atomic_op(name?, ty?)?;
        let [d, a, mask] = o else { return None };
        Some(Op::Reduce { op, d: self.destination(d)?, a: self.source(a)?, mask: self.source(mask)? })
    }

    pub fn predicate_operand(&mut self, operand: &Operand) -> Option<Guard> {
        match operand {
            Operand::Name(name) => Some(Guard { p: self.predicate(name)?, negated: false }),
            Operand::Not(name) => Some(Guard { p: self.predicate(name)?, negated: true }),
            Operand::Int(value) => {
                // A constant predicate gets a register of its own, set where it is used first.
                self.out.predicates += 1;
                // Predicates start false; "true" is read negated.
                Some(Guard { p: self.out.predicates as u32 - 1, negated: *value != 0 })
            }
            _ => None,
        }
    }

    fn mov(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let ty = words.ty()?;
        let [to, from] = o else { return None };
        if ty == "pred" {
            let Operand::Name(d) = to else { return None };
            let d = self.predicate(d)?;
            let a = self.predicate_operand(from)?;
            return Some(Op::Logic { bits: Bits::Or, d, a, b: None });
        }
        let bits = ptx::type_bytes(ty).filter(|bytes| *bytes <= 8)? as u32 * 8;
        let of_part = |parts: &[Reg]| bits / parts.len().max(1) as u32;
        if let Operand::Vector(_) = to {
            let parts = self.destinations(to)?;
            let a = self.source(from)?;
            return Some(Op::Unpack { bits: of_part(&parts), parts, a });
        }
        let d = self.destination(to)?;
        match from {
            Operand::Vector(_) => {
                let parts = self.sources(from)?;
                return Some(Op::Pack { d, bits: of_part(&parts), parts });
            }
            Operand::Name("%clock" | "%clock64" | "%clock_hi" | "%globaltimer" | "%globaltimer_lo") => {
                return Some(Op::Clock { d });
            }
            _ => {}
        }
        if let Some(op) = self.address_of(d, from, 0) {
            return Some(op);
        }
        let a = match from {
            Operand::Name(name) if self.lookup(name).is_none() => match self.function_address(name) {
                Some(address) => self.constant(address),
                None => self.source(from)?,
            },
            from => self.source(from)?,
        };
        self.copy(d, a)
    }

    /// The address of a local or global variable, plus an offset.
    pub fn address_of(&self, d: Reg, variable: &Operand, plus: u64) -> Option<Op> {
        let (name, more) = match variable {
            Operand::Name(name) => (name, 0),
            Operand::Sum(name, more) => (name, *more),
            _ => return None,
        };
        let Named::Variable { at, .. } = self.lookup(name)? else { return None };
        let offset = at.offset.wrapping_add(more).wrapping_add(plus as i64);
        matches!(at.base, Base::Local | Base::Global(_))
            .then_some(Op::AddressOf { d, at: Address { offset, ..at } })
    }

    pub fn copy(&mut self, d: Reg, a: Reg) -> Option<Op> {
        self.plain(&["mov", "b64"], d, &[a])
    }

    /// `set`: a value where a comparison holds, and 0 elsewhere.
    fn set(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let to = words.ty();
        let ty = words.ty();
        let ftz = ty.is_none_or(flushes) && words.eat("ftz");
        let compare = words.one_of(&COMPARISONS)?;
        let (Some(to), Some(ty)) = (to, ty) else { return None };
        let half = ty.strip_suffix("x2");
        let holds: u32 = match (to, half) {
            ("f16x2", Some(_)) | ("f16", None) => 0x3c00,
            ("bf16x2", Some(_)) | ("bf16", None) => 0x3f80,
            ("u32" | "s32", Some(_)) | ("u16" | "s16", None) => 0xffff,
            ("f32", None) => 0x3f80_0000,
            ("u32" | "s32", None) => 0xffff_ffff,
            _ => return None,
        };
        let test = arith::test(compare, half.unwrap_or(ty), ftz)?;
        let [d, a, b] = o else { return None };
        let d = self.destination(d)?;
        let a = self.source(a)?;
        let b = self.source(b)?;
        Some(match half {
            Some(_) => {
                self.alu(Alu::Halves(SetHalves { test, holds: holds as u16 }), d, &[a, b], Spread::Halves)
            }
            None => Op::Set { f: test, d, a, b, holds: holds.into() },
        })
    }

    /// A predicate that an instruction writes; [`NONE`] for `_`.
    fn written(&self, name: &str) -> Option<Pred> {
        if name == "_" { Some(NONE) } else { self.predicate(name) }
    }

    fn setp(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let ty = words.ty();
        let ftz = ty.is_none_or(flushes) && words.eat("ftz");
        let bits = words.take(bits);
        let test = arith::test(words.one_of(&COMPARISONS)?, ty?, ftz)?;
        let [to, a, b, combine @ ..] = o else { return None };
        let (d, q) = match to {
            Operand::Pair(d, q) => (self.written(d)?, self.written(q)?),
            Operand::Name(d) => (self.written(d)?, NONE),
            _ => return None,
        };
        let a = self.source(a)?;
        let b = self.source(b)?;
        let combine = match (bits, combine) {
            (Some(_), [p]) => Some(self.predicate_operand(p)?),
            (None, []) => None,
            _ => return None,
        };
        Some(Op::Test { f: test, d, q, a, b, bits: bits.unwrap_or(Bits::And), combine })
    }

    /// `bar.sync`, `bar.red`, `bar.arrive`, `bar.warp.sync`, and `barrier.…` (PTX ISA 9.7.13).
    fn barrier(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        if words.eat("warp") {
            words.eat_all(&["sync"])?;
            let [mask] = o else { return None };
            return Some(Op::WarpBarrier { mask: self.source(mask)? });
        }
        words.ignore(&["cta"]);
        let what = words.one_of(&["sync", "arrive", "red"])?;
        if what == "red" {
            return self.barrier_with_result(words, o);
        }
        let arrive = what == "arrive";
        let (id, count) = self.barrier_places(o).filter(|(_, count)| !arrive || *count != NONE)?;
        Some(Op::Barrier { id, count, arrive, reduce: None, d: NONE, q: NONE, p: None })
    }

    fn barrier_with_result(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let reduce =
            words.choose(&[("popc", BarReduce::Popc), ("and", BarReduce::And), ("or", BarReduce::Or)]);
        let counts = reduce == Some(BarReduce::Popc);
        words.eat_all(&[if counts { "u32" } else { "pred" }])?;
        reduce?;
        let [to, places @ .., holds] = o else { return None };
        let (d, q) = match to {
            to if counts => (self.destination(to)?, NONE),
            Operand::Name(to) => (NONE, self.predicate(to)?),
            _ => return None,
        };
        let (id, count) = self.barrier_places(places)?;
        let p = Some(self.predicate_operand(holds)?);
        Some(Op::Barrier { id, count, arrive: false, reduce, d, q, p })
    }

    /// The number of a barrier, and of its threads.
    fn barrier_places(&mut self, places: &[Operand]) -> Option<(Reg, Reg)> {
        match places {
            [id] => Some((self.source(id)?, NONE)),
            [id, count] => Some((self.source(id)?, self.source(count)?)),
            _ => None,
        }
    }

    /// `barrier.cluster.arrive` and `.wait` (PTX ISA 9.7.13.4): an arrival releases, unless it is relaxed,
    /// and waiting acquires.
    fn cluster_barrier(words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let op = match words.one_of(&["arrive", "wait"])? {
            "arrive" => {
                Op::ClusterArrive { releases: words.one_of(&["release", "relaxed"]) != Some("relaxed") }
            }
            _ => {
                words.ignore(&["acquire"]);
                Op::ClusterWait {}
            }
        };
        o.is_empty().then_some(op)
    }

    /// `mapa` (PTX ISA 9.7.9.23), of an address in shared memory or a generic one: both have the rank in the
    /// same bits.
    fn map_shared(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.ignore(&["shared::cluster"]);
        words.one_of(&["u32", "u64"])?;
        let [d, a, rank] = o else { return None };
        let d = self.destination(d)?;
        let a = self.source(a)?;
        let rank = self.source(rank)?;
        Some(Op::MapShared { d, a, rank, own: self.special("%cluster_ctarank")? })
    }

    fn call(&mut self, o: &[Operand]) -> Option<Op> {
        let frame = |operand: &Operand| match operand {
            Operand::Name(name) => match self.lookup(name)? {
                Named::Variable { at, .. } => Some(at.offset as usize).filter(|_| at.base == Base::Frame),
                _ => None,
            },
            _ => None,
        };
        let all = |items: &[Operand]| items.iter().map(frame).collect::<Option<Vec<_>>>();
        let (ret, name, rest) = match o {
            [Operand::List(items), Operand::Name(name), rest @ ..] => {
                (all(items)?.first().copied(), name, rest)
            }
            [Operand::Name(name), rest @ ..] => (None, name, rest),
            _ => return None,
        };
        // A prototype, or a list of what the pointer may be, comes last.
        let args = match rest {
            [] | [Operand::Name(_)] => Vec::new(),
            [Operand::List(items)] | [Operand::List(items), Operand::Name(_)] => all(items)?,
            _ => return None,
        };
        let (callee, pointer) = if let Some(number) = self.functions.get(*name) {
            self.out.calls.push(*number);
            (Callee::Function(*number), NONE)
        } else if let Some(Named::Register { number, kind: RegisterKind::Wide }) = self.lookup(name) {
            (Callee::Pointer, number)
        } else if runtime::Call::parse(name).is_some() || self.declared.contains(name) {
            let call = runtime::Call::parse(name);
            if call.is_none() {
                self.undefined = Some(name.to_string());
            }
            (Callee::External { name: self.external(name), call }, NONE)
        } else {
            self.undefined = Some(name.to_string());
            return None;
        };
        Some(Op::Call { callee, pointer, args, ret })
    }
}

/// The comparisons of `setp` and `set`, and the classes of `testp`.
const COMPARISONS: [&str; 18] = [
    "eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu", "gtu", "geu",
    "num", "nan",
];
const CLASSES: [&str; 6] = ["finite", "infinite", "number", "notanumber", "normal", "subnormal"];

/// Whether a comparison of this type may take denormals for zeros.
fn flushes(ty: &str) -> bool {
    matches!(ty, "f32" | "f16" | "f16x2")
}

fn bits(word: &str) -> Option<Bits> {
    Some(match word {
        "and" => Bits::And,
        "or" => Bits::Or,
        "xor" => Bits::Xor,
        _ => return None,
    })
}

/// The question of `isspacep`, over the bits of a register.
fn is_in(space: &str) -> Option<fn(u64) -> bool> {
    Some(match space {
        "global" => |a| memory::resolve(a).0 == Space::Global,
        "shared::cluster" => |a| memory::resolve(a).0 == Space::Shared,
        "shared" | "shared::cta" => |a| {
            let (space, address) = memory::resolve(a);
            space == Space::Shared && memory::shared::rank(address).0.is_none()
        },
        "local" => |a| memory::resolve(a).0 == Space::Local,
        "const" => |a| memory::resolve(a).0 == Space::Const,
        "param" | "param::entry" => |a| memory::resolve(a).0 == Space::Param,
        _ => return None,
    })
}

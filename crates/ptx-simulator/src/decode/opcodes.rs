//! Opcodes -> operations: what stands in an instruction, and what its modifiers mean. `None` is an
//! instruction that the simulator does not know.

use super::names::{Named, Names, RegisterKind};
use super::op::*;
use super::opcodes_memory::atomic_op;
use super::runtime;
use crate::arith::{self, Alu, Extended, SetHalves, Spread};
use crate::memory;
use crate::ptx::{self, Instruction, Operand, Space};

impl Names<'_> {
    pub fn operation(&mut self, i: &Instruction) -> Option<Op> {
        let words = &i.words[..];
        let o = &i.operands[..];
        let ty = *words.last()?;
        match words[0] {
            "ld" | "ldu" => self.load(words, o),
            "st" => self.store(words, o),
            "atom" | "red" => self.atomic(words, o),
            "cvta" => self.cvta(words, o),
            "setp" => self.setp(words, o),
            "set" => self.set(words, o),
            "selp" => self.select(o),
            "testp" if words.len() == 3 => self.classify(o, arith::class(words[1], ty)?),
            "isspacep" if words.len() == 2 => self.classify(o, is_in(ty)?),
            "mov" => self.mov(words, o),
            "and" | "or" | "xor" | "not" if ty == "pred" => self.logic(words[0], o),
            "barrier" if words.get(1) == Some(&"cluster") => Self::cluster_barrier(&words[2..], o),
            "bar" | "barrier" => self.barrier(words, o),
            "mapa" => self.map_shared(words, o),
            "membar" | "fence" => Some(Self::fence(words)),
            "shfl" => self.shuffle(words, o),
            "vote" => self.vote(words, o),
            "match" => self.matches(words, o),
            "redux" => self.redux(words, o),
            "mma" => self.mma(words, o),
            "wmma" => self.wmma(words, o),
            "ldmatrix" | "stmatrix" => self.matrix_rows(words, o),
            "cp" => self.copy_async(words, o),
            "mbarrier" => self.mbarrier(words, o),
            "activemask" => Some(Op::ActiveMask { d: self.destination(o.first()?)? }),
            "bra" => {
                let Operand::Name(label) = o.first()? else { return None };
                Some(Op::Branch { target: self.label(label)?, reconverge: NONE })
            }
            "brx" => {
                let Operand::Name(list) = o.get(1)? else { return None };
                let (_, targets) = self.targets.iter().find(|(name, _)| name == list)?;
                let targets = targets.iter().map(|label| self.label(label)).collect::<Option<_>>()?;
                Some(Op::BranchIndexed { index: self.source(o.first()?)?, targets, reconverge: NONE })
            }
            "call" => self.call(o),
            "ret" => Some(if self.out.is_entry { Op::Exit {} } else { Op::Return {} }),
            "exit" => Some(Op::Exit {}),
            "trap" => Some(Op::Trap {}),
            // A dependent grid starts when the one before it is complete, so there is nothing to let it do
            // (PTX ISA, "griddepcontrol").
            "griddepcontrol" => match words[1..] {
                ["wait"] => Some(Op::GridWait {}),
                ["launch_dependents"] => Some(Op::Nop {}),
                _ => None,
            },
            "nanosleep" | "prefetch" | "prefetchu" | "pmevent" | "brkpt" | "setmaxnreg" => Some(Op::Nop {}),
            _ => self.arithmetic(words, o),
        }
    }

    fn arithmetic(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let (d, sources) = o.split_first()?;
        let extended = Extended::parse(words);
        let (f, count) = match &extended {
            Some((_, count)) => (None, *count),
            None => arith::select(words).map(|(f, count)| (Some(f), count))?,
        };
        if sources.len() != count {
            return None;
        }
        let d = self.destination(d)?;
        let s = sources.iter().map(|operand| self.source(operand)).collect::<Option<Vec<_>>>()?;
        if let Some(f) = f {
            return Some(self.alu(f, d, &s, Spread::of(words)));
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

    fn select(&mut self, o: &[Operand]) -> Option<Op> {
        let [d, a, b, p @ (Operand::Name(_) | Operand::Not(_)), ..] = o else { return None };
        let p = self.predicate_operand(p)?;
        Some(Op::Select { d: self.destination(d)?, a: self.source(a)?, b: self.source(b)?, p })
    }

    fn classify(&mut self, o: &[Operand], class: fn(u64) -> bool) -> Option<Op> {
        let [Operand::Name(d), a, ..] = o else { return None };
        Some(Op::Classify { d: self.predicate(d)?, a: self.source(a)?, class })
    }

    /// Logic on predicates.
    fn logic(&mut self, name: &str, o: &[Operand]) -> Option<Op> {
        let [Operand::Name(d), a, rest @ ..] = o else { return None };
        let bits = bits(name).unwrap_or(Bits::Xor);
        let d = self.predicate(d)?;
        let a = self.predicate_operand(a)?;
        if name == "not" {
            return Some(Op::Logic { bits, d, a: Guard { negated: !a.negated, ..a }, b: None });
        }
        let b = Some(self.predicate_operand(rest.first()?)?);
        Some(Op::Logic { bits, d, a, b })
    }

    /// `d`, or `d|p`: a register, and a predicate beside it.
    fn pair(&mut self, operand: &Operand) -> Option<(Reg, Pred)> {
        match operand {
            Operand::Pair(d, p) => Some((self.destination(&Operand::Name(d))?, self.written(p)?)),
            d => Some((self.destination(d)?, NONE)),
        }
    }

    fn shuffle(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let mode = match words.get(1..3)? {
            ["sync", "up"] => Shuffle::Up,
            ["sync", "down"] => Shuffle::Down,
            ["sync", "bfly"] => Shuffle::Butterfly,
            ["sync", "idx"] => Shuffle::Index,
            _ => return None,
        };
        let [d, a, b, c, mask] = o else { return None };
        let (d, p) = self.pair(d)?;
        let a = self.source(a)?;
        let b = self.source(b)?;
        let c = self.source(c)?;
        Some(Op::Shuffle { mode, d, p, a, b, c, mask: self.source(mask)? })
    }

    fn vote(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let mode = match words.get(1..3)? {
            // ptxas takes them in both orders, and CUB writes the second.
            ["sync", mode] | [mode, "sync"] => match *mode {
                "all" => Vote::All,
                "any" => Vote::Any,
                "uni" => Vote::Uniform,
                "ballot" => Vote::Ballot,
                _ => return None,
            },
            _ => return None,
        };
        let [d, p, mask, ..] = o else { return None };
        let (d, q) = match d {
            d if mode == Vote::Ballot => (self.destination(d)?, NONE),
            Operand::Name(q) => (NONE, self.predicate(q)?),
            _ => return None,
        };
        Some(Op::Vote { mode, d, q, p: self.predicate_operand(p)?, mask: self.source(mask)? })
    }

    fn matches(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let all = match *words.get(1)? {
            "any" => false,
            "all" => true,
            _ => return None,
        };
        let [d, a, mask, ..] = o else { return None };
        let (d, p) = self.pair(d)?;
        let wide = words.last() == Some(&"b64");
        Some(Op::Match { all, d, p, a: self.source(a)?, wide, mask: self.source(mask)? })
    }

    fn redux(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let name = *words.get(2)?;
        let ty = *words.last()?;
        let known = matches!(ty, "u32" | "s32") && matches!(name, "add" | "min" | "max")
            || ty == "b32" && matches!(name, "and" | "or" | "xor");
        let [d, a, mask, ..] = o else { return None };
        let op = atomic_op(name, ty).filter(|_| known)?;
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

    fn mov(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ([to, from], ty) = (o, *words.last()?) else { return None };
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
    fn set(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ([_, compare, to, ty] | [_, compare, "ftz", to, ty]) = words else { return None };
        let [d, a, b] = o else { return None };
        let d = self.destination(d)?;
        let a = self.source(a)?;
        let b = self.source(b)?;
        let ftz = words.contains(&"ftz");
        let half = ty.strip_suffix("x2");
        let holds: u32 = match (*to, half) {
            ("f16x2", Some(_)) | ("f16", None) => 0x3c00,
            ("bf16x2", Some(_)) | ("bf16", None) => 0x3f80,
            ("u32" | "s32", Some(_)) | ("u16" | "s16", None) => 0xffff,
            ("f32", None) => 0x3f80_0000,
            ("u32" | "s32", None) => 0xffff_ffff,
            _ => return None,
        };
        let test = arith::test(compare, half.unwrap_or(ty), ftz)?;
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

    fn setp(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let ty = *words.last()?;
        let compare = *words.get(1)?;
        let ftz = words.contains(&"ftz");
        let (d, q) = match o.first()? {
            Operand::Pair(d, q) => (self.written(d)?, self.written(q)?),
            Operand::Name(d) => (self.written(d)?, NONE),
            _ => return None,
        };
        let bits = words.iter().skip(2).find_map(|word| bits(word));
        let a = self.source(o.get(1)?)?;
        let b = self.source(o.get(2)?)?;
        let combine = match (bits, &o[3..]) {
            (Some(_), [p]) => Some(self.predicate_operand(p)?),
            (None, []) => None,
            _ => return None,
        };
        let bits = bits.unwrap_or(Bits::And);
        Some(Op::Test { f: arith::test(compare, ty, ftz)?, d, q, a, b, bits, combine })
    }

    /// `bar.sync`, `bar.red`, `bar.arrive`, `bar.warp.sync`, and `barrier.…` (PTX ISA 9.7.13).
    fn barrier(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let words: Vec<&str> = words.iter().copied().filter(|w| !matches!(*w, "cta" | "aligned")).collect();
        let mut reduce = None;
        let mut d = NONE;
        let mut q = NONE;
        let mut p = None;
        let places = match (*words.get(1)?, o) {
            ("warp", [mask, ..]) => return Some(Op::WarpBarrier { mask: self.source(mask)? }),
            ("sync" | "arrive", places) => places,
            ("red", [to, places @ .., holds]) => {
                p = Some(self.predicate_operand(holds)?);
                reduce = Some(match *words.get(2)? {
                    "popc" => BarReduce::Popc,
                    "and" => BarReduce::And,
                    "or" => BarReduce::Or,
                    _ => return None,
                });
                match (reduce, to) {
                    (Some(BarReduce::Popc), to) => d = self.destination(to)?,
                    (_, Operand::Name(to)) => q = self.predicate(to)?,
                    _ => return None,
                }
                places
            }
            _ => return None,
        };
        let (id, count) = match places {
            [id] => (self.source(id)?, NONE),
            [id, count] => (self.source(id)?, self.source(count)?),
            _ => return None,
        };
        Some(Op::Barrier { id, count, arrive: words[1] == "arrive", reduce, d, q, p })
    }

    /// `barrier.cluster.arrive` and `.wait` (PTX ISA 9.7.13.4): an arrival releases, unless it is relaxed,
    /// and waiting acquires.
    fn cluster_barrier(words: &[&str], o: &[Operand]) -> Option<Op> {
        let words: Vec<&str> = words.iter().copied().filter(|word| *word != "aligned").collect();
        match (&words[..], o) {
            (["arrive"] | ["arrive", "release"], []) => Some(Op::ClusterArrive { releases: true }),
            (["arrive", "relaxed"], []) => Some(Op::ClusterArrive { releases: false }),
            (["wait"] | ["wait", "acquire"], []) => Some(Op::ClusterWait {}),
            _ => None,
        }
    }

    /// `mapa` (PTX ISA 9.7.9.23), of an address in shared memory or a generic one: both have the rank in the
    /// same bits.
    fn map_shared(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let (["mapa", "u32" | "u64"] | ["mapa", "shared::cluster", "u32" | "u64"], [d, a, rank]) = (words, o)
        else {
            return None;
        };
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
        let args = if let [Operand::List(items), ..] = rest { all(items)? } else { Vec::new() };
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

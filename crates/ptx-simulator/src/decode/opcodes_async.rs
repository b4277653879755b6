//! Opcodes of asynchronous copies and of mbarriers -> operations (PTX ISA 9.7.9.25.3 and 9.7.13.15).

use super::names::Names;
use super::op::*;
use crate::ptx::Operand;

impl Names<'_> {
    /// `cp.async…`; the bulk copies, which need Hopper's tensor memory accelerator, are not known.
    pub fn copy_async(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        match words.get(1..)? {
            ["async", "commit_group"] if o.is_empty() => Some(Op::CopyCommit {}),
            ["async", "wait_all"] if o.is_empty() => Some(Op::CopyWait { but: None }),
            ["async", "wait_group"] => {
                let [Operand::Int(but)] = o else { return None };
                Some(Op::CopyWait { but: Some(*but as u32) })
            }
            ["async", "mbarrier", "arrive", rest @ .., "b64"] => {
                let [at] = o else { return None };
                let counted = rest.first() == Some(&"noinc");
                let space = &rest[counted as usize..];
                if !matches!(space, [] | ["shared"] | ["shared::cta"]) {
                    return None;
                }
                let how = Mbarrier::ArriveAfterCopies { counted };
                let space = Self::space_of(words);
                let at = self.address(at)?;
                let a = self.constant(1);
                Some(Op::Mbarrier { how, space, d: NONE, done: NONE, at, a, relaxed: false })
            }
            ["async", "ca" | "cg", "shared" | "shared::cta", "global", level @ ..] => {
                if !level.iter().all(|word| word.starts_with("L2::")) {
                    return None;
                }
                let [to, from, Operand::Int(bytes @ (4 | 8 | 16)), more @ ..] = o else { return None };
                if words[2] == "cg" && *bytes != 16 {
                    return None;
                }
                // A cache policy, which stands last, changes nothing that a program can see.
                let more = if level.contains(&"L2::cache_hint") { more.split_last()?.1 } else { more };
                let given = match more {
                    [] => NONE,
                    [given] => self.source(given)?,
                    _ => return None,
                };
                let to = self.address(to)?;
                let from = self.address(from)?;
                Some(Op::CopyAsync { to, from, bytes: *bytes as u32, given })
            }
            _ => None,
        }
    }

    pub fn mbarrier(&mut self, words: &[&str], o: &[Operand]) -> Option<Op> {
        let what = *words.get(1)?;
        if what == "pending_count" {
            // The count stands in the lowest bits of the state: `exec/mbarrier.rs`.
            let [d, state] = o else { return None };
            let d = self.destination(d)?;
            let state = self.source(state)?;
            let mask = self.constant(MAX_ARRIVALS);
            return self.plain(&["and", "b64"], d, &[state, mask]);
        }
        let spaces = ["shared", "shared::cta", "shared::cluster"];
        let others = ["b64", "noComplete", "parity", "release", "acquire", "relaxed", "cta", "cluster"];
        let is_known = |word: &&str| spaces.contains(word) || others.contains(word);
        if words.last() != Some(&"b64") || !words[2..].iter().all(is_known) {
            return None;
        }
        // Without a word about it, an arrival releases and a wait acquires.
        let relaxed = words.contains(&"relaxed");
        let (how, d, rest) = match (what, o) {
            ("init", [at, count]) => (Mbarrier::Init, None, [Some(at), Some(count)]),
            ("inval", [at]) => (Mbarrier::Invalidate, None, [Some(at), None]),
            ("arrive" | "arrive_drop", [d, at, count @ ..]) if count.len() <= 1 => {
                (Mbarrier::Arrive { drop: what == "arrive_drop" }, Some(d), [Some(at), count.first()])
            }
            // The hint how long to wait, which may come last, has no meaning without a clock.
            ("test_wait" | "try_wait", [d, at, phase, hint @ ..]) if hint.len() <= 1 => {
                (Mbarrier::Test { parity: words.contains(&"parity") }, Some(d), [Some(at), Some(phase)])
            }
            _ => return None,
        };
        let (d, done) = match (how, d) {
            (Mbarrier::Test { .. }, Some(Operand::Name(done))) => (NONE, self.predicate(done)?),
            (_, Some(d)) => (self.destination(d)?, NONE),
            (_, None) => (NONE, NONE),
        };
        let at = self.address(rest[0]?)?;
        let a = match rest[1] {
            Some(operand) => self.source(operand)?,
            None => self.constant(1),
        };
        Some(Op::Mbarrier { how, space: Self::space_of(words), d, done, at, a, relaxed })
    }
}

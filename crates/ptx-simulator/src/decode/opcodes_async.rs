//! Opcodes of asynchronous copies and of mbarriers -> operations (PTX ISA 9.7.9.25.3 and 9.7.13.15).

use super::modifiers::Modifiers;
use super::names::Names;
use super::op::*;
use super::opcodes_memory::{PREFETCHES, without_policy};
use crate::ptx::{Operand, Space};

impl Names<'_> {
    /// `cp.async…`; the bulk copies, which need Hopper's tensor memory accelerator, are not known.
    pub fn copy_async(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.eat_all(&["async"])?;
        let what = words.one_of(&["commit_group", "wait_all", "wait_group", "mbarrier", "ca", "cg"]);
        match (what?, o) {
            ("commit_group", []) => Some(Op::CopyCommit {}),
            ("wait_all", []) => Some(Op::CopyWait { but: None }),
            ("wait_group", [Operand::Int(but)]) => Some(Op::CopyWait { but: Some(*but as u32) }),
            ("mbarrier", o) => self.arrive_after_copies(words, o),
            (cached @ ("ca" | "cg"), o) => self.copy_elements(cached, words, o),
            _ => None,
        }
    }

    fn arrive_after_copies(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let how = Mbarrier::ArriveAfterCopies { counted: words.eat("noinc") };
        let space = words.space(&OWN).unwrap_or(Space::Generic);
        words.eat_all(&["arrive", "b64"])?;
        let [at] = o else { return None };
        let at = self.address(at)?;
        let a = self.constant(1);
        Some(Op::Mbarrier { how, space, d: NONE, done: NONE, at, a, relaxed: false })
    }

    fn copy_elements(&mut self, cached: &str, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let to = words.space(&OWN);
        words.ignore(&PREFETCHES);
        let o = without_policy(words, o);
        words.eat_all(&["global"])?;
        to?;
        let [to, from, Operand::Int(bytes @ (4 | 8 | 16)), given @ ..] = o else { return None };
        if cached == "cg" && *bytes != 16 {
            return None;
        }
        let given = match given {
            [] => NONE,
            [given] => self.source(given)?,
            _ => return None,
        };
        let to = self.address(to)?;
        let from = self.address(from)?;
        Some(Op::CopyAsync { to, from, bytes: *bytes as u32, given })
    }

    pub fn mbarrier(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let what = words.one_of(&[
            "init",
            "inval",
            "arrive",
            "arrive_drop",
            "test_wait",
            "try_wait",
            "pending_count",
        ]);
        match what? {
            "pending_count" => self.pending_count(words, o),
            "init" => self.on_mbarrier(Mbarrier::Init, words, o),
            "inval" => self.on_mbarrier(Mbarrier::Invalidate, words, o),
            "arrive" => self.on_mbarrier(Mbarrier::Arrive { drop: false }, words, o),
            "arrive_drop" => self.on_mbarrier(Mbarrier::Arrive { drop: true }, words, o),
            _ => {
                let parity = words.eat("parity");
                self.on_mbarrier(Mbarrier::Test { parity }, words, o)
            }
        }
    }

    /// The count stands in the lowest bits of the state: `exec/mbarrier.rs`.
    fn pending_count(&mut self, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        words.eat_all(&["b64"])?;
        let [d, state] = o else { return None };
        let d = self.destination(d)?;
        let state = self.source(state)?;
        let mask = self.constant(MAX_ARRIVALS);
        self.plain(&["and", "b64"], d, &[state, mask])
    }

    fn on_mbarrier(&mut self, how: Mbarrier, words: &mut Modifiers, o: &[Operand]) -> Option<Op> {
        let (orders, spaces): (&[&str], &[&str]) = match how {
            Mbarrier::Arrive { .. } => (&["release", "relaxed"], &ANY),
            Mbarrier::Test { .. } => (&["acquire", "relaxed"], &OWN),
            _ => (&[], &OWN),
        };
        // Without a word about it, an arrival releases and a wait acquires.
        let relaxed = words.one_of(orders) == Some("relaxed");
        if !orders.is_empty() {
            words.ignore(&["cta", "cluster"]);
        }
        if matches!(how, Mbarrier::Arrive { .. }) {
            // A promise that this arrival does not complete the phase.
            words.ignore(&["noComplete"]);
        }
        let space = words.space(spaces).unwrap_or(Space::Generic);
        words.eat_all(&["b64"])?;
        let (d, at, a) = match (how, o) {
            (Mbarrier::Init, [at, count]) => (None, at, Some(count)),
            (Mbarrier::Invalidate, [at]) => (None, at, None),
            (Mbarrier::Arrive { .. }, [d, at]) => (Some(d), at, None),
            (Mbarrier::Arrive { .. }, [d, at, count]) => (Some(d), at, Some(count)),
            // The hint how long to wait, which may come last, has no meaning without a clock.
            (Mbarrier::Test { .. }, [d, at, phase] | [d, at, phase, _]) => (Some(d), at, Some(phase)),
            _ => return None,
        };
        let (d, done) = match (how, d) {
            (Mbarrier::Test { .. }, Some(Operand::Name(done))) => (NONE, self.predicate(done)?),
            (_, Some(d)) => (self.destination(d)?, NONE),
            (_, None) => (NONE, NONE),
        };
        let at = self.address(at)?;
        let a = match a {
            Some(operand) => self.source(operand)?,
            None => self.constant(1),
        };
        Some(Op::Mbarrier { how, space, d, done, at, a, relaxed })
    }
}

/// The words for shared memory of the own block, and of any block of the cluster.
const OWN: [&str; 2] = ["shared", "shared::cta"];
const ANY: [&str; 3] = ["shared", "shared::cta", "shared::cluster"];

//! Only what is used of a racing read counts, whichever of the two comes first.

use crate::Verdict::{Fine, Note, Race, RaceInSome};
use crate::Who::{Thread, Warp};
use crate::check;

#[test]
fn a_value_that_is_discarded_is_no_race() {
    let write = "st.global.u32 [x], 1";
    let one = Thread(0, 0);
    let two = Thread(1, 0);
    let never = "ld.global.u32 %r1, [x]; add.u32 %r2, %r1, 1";
    let not_selected =
        "ld.global.u32 %r1, [x]; setp.eq.u32 %p1, %block, 7; selp.u32 %r2, %r1, 5, %p1; use %r2";
    let selected = "ld.global.u32 %r1, [x]; setp.eq.u32 %p1, %block, 1; selp.u32 %r2, %r1, 5, %p1; use %r2";
    let not_stored = "ld.global.u32 %r1, [x]; setp.eq.u32 %p1, %block, 7; @%p1 st.global.u32 [%out], %r1";
    let guarded = "ld.global.u32 %r1, [x]; setp.eq.u32 %p1, %block, 1; @%p1 st.global.u32 [%out], %r1";
    let masked = "ld.global.u32 %r1, [x]; and.b32 %r1, %r1, 0; use %r1";
    let decides = "ld.global.u32 %r1, [x]; setp.eq.u32 %p1, %r1, 7; @%p1 st.global.u32 [%out], 1";
    let address = "ld.global.u32 %r1, [x]; mad.wide.u32 %d1, %r1, 4, %out; ld.global.u32 %r2, [%d1+512]";
    let adds = "ld.global.u32 %r1, [x]; red.relaxed.gpu.global.add.u32 [y], %r1";
    let calls_it_local = "ld.global.u32 %r1, [x]; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s]";
    let through_shared = "ld.global.u32 %r1, [x]; st.shared.u32 [s], %r1; ld.shared.u32 %r2, [s]; use %r2";
    check(&[
        ("never used", &[(one, write), (two, never)], Fine),
        ("not selected", &[(one, write), (two, not_selected)], Fine),
        ("selected", &[(one, write), (two, selected)], Race),
        ("not stored", &[(one, write), (two, not_stored)], Fine),
        ("stored under a predicate", &[(one, write), (two, guarded)], Race),
        ("masked", &[(one, write), (two, masked)], RaceInSome),
        ("decides", &[(one, write), (two, decides)], Race),
        ("an address", &[(one, write), (two, address)], Race),
        ("an operand of an atomic", &[(one, write), (two, adds)], Race),
        ("put into shared memory", &[(one, write), (two, calls_it_local)], RaceInSome),
        ("through shared memory", &[(one, write), (two, through_shared)], Race),
        ("two writes", &[(one, write), (two, "st.global.u32 [x], 2")], Race),
    ]);
}

/// A partial sum that is exchanged, and that the lanes without a neighbour discard.
#[test]
fn a_value_that_other_lanes_discard_is_no_race() {
    let write = "st.global.u32 [x], 1";
    let lane_3_reads = "setp.eq.u32 %p1, %lane, 3; mov.u32 %r1, 0; @%p1 ld.global.u32 %r1, [x]; \
                        shfl.sync.down.b32 %r2, %r1, 1, 31, -1; setp.eq.u32 %p2, %lane, LANE; \
                        selp.u32 %r3, %r2, 5, %p2; use %r3";
    let lane_2_uses = lane_3_reads.replace("LANE", "2");
    let nobody_uses = lane_3_reads.replace("LANE", "7");
    check(&[
        ("used by its neighbour", &[(Thread(0, 0), write), (Warp(1, 0), &*lane_2_uses)], Race),
        // Where the write comes later, what goes into a shuffle counts as used.
        ("discarded", &[(Thread(0, 0), write), (Warp(1, 0), &*nobody_uses)], RaceInSome),
    ]);
}

/// Without a line table each line of the PTX is a place of its own.
#[test]
fn races_in_two_lines_are_two_findings() {
    let write = "st.global.u32 [x], 1; st.global.u32 [y], 1";
    let read = "ld.global.u32 %r1, [x]; use %r1; ld.global.u32 %r2, [y]; use %r2";
    for found in crate::findings(&[(Thread(0, 0), write), (Thread(1, 0), read)]) {
        let mut lines: Vec<_> = found.iter().map(|one| (one.line, one.related()[0].line)).collect();
        lines.sort_unstable();
        lines.dedup();
        assert_eq!(lines.len(), 2, "{found:#?}");
        assert!(found.iter().all(|one| one.file.as_deref() == Some("litmus") && one.line.is_some()));
    }
}

#[test]
fn a_first_guess_that_a_swap_checks_gets_a_note() {
    let by_swaps = "ld.global.u32 %r1, [x]; TRY: add.u32 %r2, %r1, 1; \
                    atom.relaxed.gpu.global.cas.b32 %r3, [x], %r1, %r2; setp.ne.u32 %p1, %r3, %r1; \
                    mov.u32 %r1, %r3; @%p1 bra TRY";
    let swap = "atom.relaxed.gpu.global.cas.b32 %r3, [x], 0, 7";
    let adds = "atom.relaxed.gpu.global.add.u32 %r3, [x], 1";
    let store = "st.global.u32 [x], 7";
    let stores_it_too = "ld.global.u32 %r1, [x]; add.u32 %r2, %r1, 1; \
                         use %r1; atom.relaxed.gpu.global.cas.b32 %r3, [x], %r1, %r2";
    let other_word = "ld.global.u32 %r1, [x]; atom.relaxed.gpu.global.cas.b32 %r3, [y], %r1, 1";
    let unchecked = "ld.global.u32 %r1, [x]; add.u32 %r1, %r1, 1; \
                     atom.relaxed.gpu.global.cas.b32 %r3, [x], 0, %r1";
    let result = "ld.global.u32 %r1, [x]; use %r1";
    let adds_plainly = "ld.global.u32 %r1, [x]; add.u32 %r1, %r1, 1; st.global.u32 [x], %r1";
    let one = Thread(0, 0);
    let two = Thread(1, 0);
    check(&[
        ("a loop that swaps", &[(one, by_swaps), (two, &*by_swaps.replace("TRY", "TRY_AGAIN"))], Note),
        ("and one swap", &[(one, by_swaps), (two, swap)], Note),
        ("and an addition", &[(one, by_swaps), (two, adds)], Note),
        ("and a store", &[(one, by_swaps), (two, store)], Race),
        ("it is stored, too", &[(one, stores_it_too), (two, swap)], Race),
        ("a swap of another word", &[(one, other_word), (two, swap)], Race),
        ("it is not compared", &[(one, unchecked), (two, swap)], Race),
        ("no swap of its own", &[(one, result), (two, swap)], Race),
        ("a plain addition", &[(one, adds_plainly), (two, swap)], Race),
    ]);
}

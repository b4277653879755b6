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

/// `if (threadIdx.x == 0 && v > best) best = v;`, for which a compiler reads `best` in all threads.
#[test]
fn a_value_that_another_condition_outweighs_is_no_race() {
    let write = "st.global.u32 [x], 1";
    let body = |logic: &str, block: u32| {
        format!(
            "ld.global.u32 %r1, [x]; setp.ne.u32 %p1, %block, {block}; {logic}; @%p2 bra SKIP; \
             st.global.u32 [%out], 1; SKIP:"
        )
    };
    let apart = "setp.eq.u32 %p3, %r1, 7; or.pred %p2, %p1, %p3";
    let at_once = "setp.eq.or.u32 %p2, %r1, 7, %p1";
    for logic in [apart, at_once] {
        let [outweighed, decides] = [7, 1].map(|block| body(logic, block));
        check(&[
            (logic, &[(Thread(0, 0), write), (Thread(1, 0), &*outweighed)], Fine),
            (logic, &[(Thread(0, 0), write), (Thread(1, 0), &*decides)], Race),
        ]);
    }
}

/// One lane has written what all of its warp read, and uses it; the others discard it.
#[test]
fn what_a_lane_uses_of_its_own_is_no_use_by_the_others() {
    let body = |user: u32| {
        format!(
            "@%first st.shared.u32 [s], 1; ld.shared.u32 %r1, [s]; setp.ne.u32 %p1, %lane, {user}; \
             setp.eq.u32 %p3, %r1, 7; or.pred %p2, %p1, %p3; @%p2 bra SKIP; st.global.u32 [%out], %r1; SKIP:"
        )
    };
    let [own, of_another] = [0, 5].map(body);
    check(&[
        ("its own", &[(Warp(0, 0), &*own)], Fine),
        ("that of another lane", &[(Warp(0, 0), &*of_another)], Race),
    ]);
}

/// The same in a loop that keeps the value in a register.
#[test]
fn a_value_that_a_loop_carries_counts_only_where_it_is_used() {
    let write = "st.global.u32 [x], 1";
    let body = |block: u32| {
        format!(
            "ld.global.u32 %r1, [x]; mov.u32 %r2, 0; setp.ne.u32 %p1, %block, {block}; ROUND: @%p1 bra SKIP; \
             max.u32 %r1, %r1, %r2; use %r1; SKIP: add.u32 %r2, %r2, 1; setp.lt.u32 %p2, %r2, 3; \
             @%p2 bra ROUND"
        )
    };
    let [skipped, used] = [7, 1].map(body);
    check(&[
        ("skipped", &[(Thread(0, 0), write), (Thread(1, 0), &*skipped)], Fine),
        ("used", &[(Thread(0, 0), write), (Thread(1, 0), &*used)], Race),
    ]);
}

/// The reader of a seqlock reads once more when the counter has changed.
#[test]
fn a_value_that_a_second_look_discards_is_no_race() {
    for kind in ["", ".volatile"] {
        let write = format!(
            "st.volatile.global.u32 [f], 1; membar.gl; st{kind}.global.u32 [x], 1; membar.gl; \
             st.volatile.global.u32 [f], 2"
        );
        let read = |second: &str| {
            format!(
                "LOOK: ld.volatile.global.u32 %r1, [f]; membar.gl; ld{kind}.global.u32 %r2, [x]; {second}; \
                 and.b32 %r4, %r1, 1; setp.ne.u32 %p2, %r4, 0; @%p2 bra LOOK; use %r2"
            )
        };
        let look = "ld.volatile.global.u32 %r3, [f]; setp.ne.u32 %p1, %r1, %r3; @%p1 bra LOOK";
        let [looks, late, never] = [&*format!("membar.gl; {look}"), look, ""].map(read);
        let one = Thread(0, 0);
        let two = Thread(1, 0);
        check(&[
            ("looks again", &[(one, &*write), (two, &*looks)], Fine),
            ("without a fence in front", &[(one, &*write), (two, &*late)], RaceInSome),
            ("never", &[(one, &*write), (two, &*never)], RaceInSome),
        ]);
    }
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

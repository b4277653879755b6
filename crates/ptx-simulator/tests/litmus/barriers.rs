//! Barriers of a block, by their numbers (PTX ISA 9.7.13.1): those who arrive are before those who leave.

use crate::Verdict::{Fine, Race};
use crate::Who::Warp;
use crate::check;

#[test]
fn who_arrives_is_before_who_leaves() {
    let write = "@%first st.shared.u32 [s], 1";
    let read = "@%first ld.shared.u32 %r1, [s]; @%first st.global.u32 [%out], %r1";
    let one = Warp(0, 0);
    let two = Warp(0, 1);
    let text = |parts: &[&str]| parts.join("; ");
    let syncs = "bar.sync 1, 64";
    let arrives = "bar.arrive 1, 64";
    check(&[
        ("sync", &[(one, &*text(&[write, syncs])), (two, &*text(&[syncs, read]))], Fine),
        ("sync, the wrong way round", &[(one, &*text(&[syncs, write])), (two, &*text(&[read, syncs]))], Fine),
        ("behind the barrier", &[(one, &*text(&[syncs, write])), (two, &*text(&[syncs, read]))], Race),
        ("arrive", &[(one, &*text(&[write, arrives])), (two, &*text(&[syncs, read]))], Fine),
        ("a write behind arrive", &[(one, &*text(&[arrives, write])), (two, &*text(&[syncs, read]))], Race),
        ("a read behind arrive", &[(one, &*text(&[arrives, read])), (two, &*text(&[write, syncs]))], Race),
        (
            "and back",
            &[
                (one, &*text(&[write, arrives, "bar.sync 2, 64", write])),
                (two, &*text(&[syncs, read, "bar.arrive 2, 64"])),
            ],
            Fine,
        ),
        (
            "two numbers",
            &[
                (one, &*text(&[write, "bar.sync 1, 32", "bar.sync 2, 32"])),
                (two, &*text(&["bar.sync 3, 32", read])),
            ],
            Race,
        ),
    ]);
}

#[test]
fn lanes_meet_at_a_warp_barrier_and_at_no_shuffle() {
    let with = |meet: &str| {
        format!(
            "setp.eq.u32 %p1, %lane, 5; @%p1 st.shared.u32 [s], 1; {meet}; @%first ld.shared.u32 %r1, [s]; \
             @%first st.global.u32 [%out], %r1"
        )
    };
    let warp = Warp(0, 0);
    check(&[
        ("bar.warp.sync", &[(warp, &*with("bar.warp.sync -1"))], Fine),
        (
            "lanes that are not named",
            &[(
                warp,
                &*with("bar.warp.sync 15; bar.warp.sync -1")
                    .replace("bar.warp.sync 15; bar.warp.sync -1", "bar.sync 1, 32"),
            )],
            Fine,
        ),
        ("a shuffle", &[(warp, &*with("shfl.sync.idx.b32 %r2, %lane, 0, 31, -1"))], Race),
        ("a vote", &[(warp, &*with("vote.sync.any.pred %p2, %p1, -1"))], Race),
    ]);
}

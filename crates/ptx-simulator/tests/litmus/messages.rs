//! Message passing: release and acquire patterns (PTX ISA 8.8), their scopes (8.5), observation along
//! chains of read-modify-writes (8.9.2).

use crate::Verdict::{Fine, Race, RaceInSome};
use crate::Who::Thread;
use crate::check;

const WRITER: crate::Who = Thread(0, 0);
/// A thread of another block, of another warp, and of the same warp.
const FAR: crate::Who = Thread(1, 0);
const NEAR: crate::Who = Thread(0, 32);
const LANE: crate::Who = Thread(0, 1);

#[test]
fn a_release_pattern_synchronizes_with_an_acquire_pattern_that_observes_it() {
    let write = "st.global.u32 [x], 1; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [f], 1";
    let read = "wait ld.relaxed.gpu.global.u32, f, 1; fence.acq_rel.gpu; ld.global.u32 %r1, [x]; use %r1";
    let volatile = "st.global.u32 [x], 1; membar.gl; st.volatile.global.u32 [f], 1";
    let looks = "wait ld.volatile.global.u32, f, 1; membar.gl; ld.global.u32 %r1, [x]; use %r1";
    let release = "st.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1";
    let acquire = "wait ld.acquire.gpu.global.u32, f, 1; ld.global.u32 %r1, [x]; use %r1";
    let no_release = "st.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 1";
    let no_acquire = "wait ld.relaxed.gpu.global.u32, f, 1; ld.global.u32 %r1, [x]; use %r1";
    let late = "st.global.u32 [x], 1; st.relaxed.gpu.global.u32 [f], 1; fence.acq_rel.gpu";
    let early = "fence.acq_rel.gpu; wait ld.relaxed.gpu.global.u32, f, 1; ld.global.u32 %r1, [x]; use %r1";
    let weak_flag = "st.global.u32 [x], 1; fence.acq_rel.gpu; st.global.u32 [f], 1";
    check(&[
        ("fences", &[(WRITER, write), (FAR, read)], Fine),
        (
            "half fences",
            &[(WRITER, &*write.replace("acq_rel", "release")), (FAR, &*read.replace("acq_rel", "acquire"))],
            Fine,
        ),
        ("the wrong half", &[(WRITER, &*write.replace("acq_rel", "acquire")), (FAR, read)], Race),
        ("the other wrong half", &[(WRITER, write), (FAR, &*read.replace("acq_rel", "release"))], Race),
        ("fences of two lanes", &[(WRITER, write), (LANE, read)], Fine),
        ("volatile flag", &[(WRITER, volatile), (FAR, looks)], Fine),
        ("release, acquire", &[(WRITER, release), (FAR, acquire)], Fine),
        ("release, fence", &[(WRITER, release), (FAR, read)], Fine),
        ("fence, acquire", &[(WRITER, write), (FAR, acquire)], Fine),
        ("no release", &[(WRITER, no_release), (FAR, acquire)], Race),
        ("no acquire", &[(WRITER, release), (FAR, no_acquire)], Race),
        ("no acquire in the block", &[(WRITER, release), (NEAR, no_acquire)], Race),
        ("nothing", &[(WRITER, no_release), (FAR, no_acquire)], Race),
        ("a fence behind the flag", &[(WRITER, late), (FAR, acquire)], Race),
        ("a fence in front of the look", &[(WRITER, release), (FAR, early)], Race),
        ("a plain flag", &[(WRITER, weak_flag), (FAR, read)], Race),
    ]);
}

#[test]
fn scopes_have_to_include_each_other() {
    let write = |fence: &str, flag: &str| {
        format!("st.global.u32 [x], 1; fence.acq_rel.{fence}; st.relaxed.{flag}.global.u32 [f], 1")
    };
    let read = |flag: &str, fence: &str| {
        format!(
            "wait ld.relaxed.{flag}.global.u32, f, 1; fence.acq_rel.{fence}; ld.global.u32 %r1, [x]; use %r1"
        )
    };
    for (scopes, far, near) in [
        (["gpu", "gpu", "gpu", "gpu"], Fine, Fine),
        (["sys", "gpu", "sys", "gpu"], Fine, Fine),
        (["cta", "gpu", "gpu", "gpu"], Race, Fine),
        (["gpu", "cta", "gpu", "gpu"], Race, Fine),
        (["gpu", "gpu", "cta", "gpu"], Race, Fine),
        (["gpu", "gpu", "gpu", "cta"], Race, Fine),
        (["cta", "cta", "cta", "cta"], Race, Fine),
    ] {
        let write = write(scopes[0], scopes[1]);
        let read = read(scopes[2], scopes[3]);
        let name = scopes.join(" ");
        check(&[
            (&name, &[(WRITER, &*write), (FAR, &*read)], far),
            (&name, &[(WRITER, &*write), (NEAR, &*read)], near),
        ]);
    }
    // Each fence releases what is before it, at its own scope.
    let two = "st.global.u32 [x], 1; fence.acq_rel.gpu; st.global.u32 [y], 1; fence.acq_rel.cta; \
               st.relaxed.gpu.global.u32 [f], 1";
    let read =
        |place: &str| format!("wait ld.acquire.gpu.global.u32, f, 1; ld.global.u32 %r1, [{place}]; use %r1");
    check(&[
        ("before the wide fence", &[(WRITER, two), (FAR, &read("x"))], Fine),
        ("behind the wide fence", &[(WRITER, two), (FAR, &read("y"))], Race),
        ("behind it, in the block", &[(WRITER, two), (NEAR, &read("y"))], Fine),
    ]);
}

#[test]
fn what_is_released_is_observed_along_atomics_and_not_past_a_store() {
    let write = "st.global.u32 [x], 1; fence.acq_rel.gpu; st.relaxed.gpu.global.u32 [f], 1";
    let adds = "wait ld.relaxed.gpu.global.u32, f, 1; atom.relaxed.gpu.global.add.u32 %r1, [f], 1";
    let stores = "wait ld.relaxed.gpu.global.u32, f, 1; st.relaxed.gpu.global.u32 [f], 2";
    let hands_on = "wait ld.acquire.gpu.global.u32, f, 1; st.release.gpu.global.u32 [f], 2";
    let no_acquire = "wait ld.relaxed.gpu.global.u32, f, 1; st.release.gpu.global.u32 [f], 2";
    let read = "wait ld.acquire.gpu.global.u32, f, 2; ld.global.u32 %r1, [x]; use %r1";
    let looked = "wait ld.relaxed.gpu.global.u32, f, 1; st.relaxed.gpu.global.u32 [f], 2; \
                  ld.acquire.gpu.global.u32 %r2, [f]; ld.global.u32 %r1, [x]; use %r1";
    let write_and_say =
        "st.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; st.relaxed.gpu.global.u32 [b], 1";
    let own = "wait ld.relaxed.gpu.global.u32, b, 1; st.relaxed.gpu.global.u32 [f], 2; \
               ld.acquire.gpu.global.u32 %r2, [f]; ld.global.u32 %r1, [x]; use %r1";
    let again = "st.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1; st.relaxed.gpu.global.u32 [f], 2";
    let not_again =
        "st.global.u32 [x], 1; st.release.gpu.global.u32 [b], 1; st.relaxed.gpu.global.u32 [f], 2";
    let last = Thread(2, 0);
    check(&[
        ("an atomic", &[(WRITER, write), (FAR, adds), (last, read)], Fine),
        // The last thread may have seen the first one's store on its way, too.
        ("a store", &[(WRITER, write), (FAR, stores), (last, read)], RaceInSome),
        ("a relay", &[(WRITER, write), (FAR, hands_on), (last, read)], Fine),
        ("a relay that does not acquire", &[(WRITER, write), (FAR, no_acquire), (last, read)], RaceInSome),
        ("one's own store", &[(WRITER, write_and_say), (FAR, own)], Race),
        ("a look before an acquire", &[(WRITER, write), (FAR, looked)], Fine),
        ("a store behind a release", &[(WRITER, again), (last, read)], Fine),
        ("behind a release elsewhere", &[(WRITER, not_again), (last, read)], Race),
    ]);
}

#[test]
fn a_fence_counts_in_its_own_thread() {
    let flag_behind = "bar.sync 1, 64; @%first st.relaxed.gpu.global.u32 [f], 1; bar.sync 2, 64";
    let fence_and_flag =
        "bar.sync 1, 64; fence.acq_rel.gpu; @%first st.relaxed.gpu.global.u32 [f], 1; bar.sync 2, 64";
    let fence_too_early =
        "fence.acq_rel.gpu; bar.sync 1, 64; @%first st.relaxed.gpu.global.u32 [f], 1; bar.sync 2, 64";
    let plain = "@%first st.global.u32 [x], 1; bar.sync 1, 64; bar.sync 2, 64";
    let fences = "@%first st.global.u32 [x], 1; fence.acq_rel.gpu; bar.sync 1, 64; bar.sync 2, 64";
    let read = "wait ld.acquire.gpu.global.u32, f, 1; ld.global.u32 %r1, [x]; use %r1";
    let first = crate::Who::Warp(0, 0);
    let second = crate::Who::Warp(0, 1);
    check(&[
        ("the fence of the writer", &[(first, fences), (second, flag_behind), (FAR, read)], Race),
        ("the fence of the signaller", &[(first, plain), (second, fence_and_flag), (FAR, read)], Fine),
        ("in front of the barrier", &[(first, plain), (second, fence_too_early), (FAR, read)], Race),
    ]);
    let release = "st.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1";
    let looks = "wait ld.relaxed.gpu.global.u32, f, 1; bar.sync 1, 64; bar.sync 2, 64";
    let looks_and_fences =
        "wait ld.relaxed.gpu.global.u32, f, 1; fence.acq_rel.gpu; bar.sync 1, 64; bar.sync 2, 64";
    let own = "wait ld.relaxed.gpu.global.u32, f, 1; bar.sync 1, 64; fence.acq_rel.gpu; bar.sync 2, 64; \
               @%first ld.global.u32 %r1, [x]; @%first st.global.u32 [%out], %r1";
    let reads = "bar.sync 1, 64; fence.acq_rel.gpu; bar.sync 2, 64; @%first ld.global.u32 %r1, [x]; \
                 @%first st.global.u32 [%out], %r1";
    let waits = "bar.sync 1, 64; bar.sync 2, 64";
    let one = crate::Who::Warp(1, 0);
    let other = crate::Who::Warp(1, 1);
    check(&[
        ("the fence of who looks", &[(WRITER, release), (one, looks_and_fences), (other, reads)], Fine),
        ("the fence of who reads", &[(WRITER, release), (one, looks), (other, reads)], Race),
        ("behind a barrier, in the same thread", &[(WRITER, release), (one, own), (other, waits)], Fine),
    ]);
}

/// Lane 0 looks, the lanes meet, lane 1 reads.
#[test]
fn a_fence_of_another_lane_does_not_count() {
    let release = "st.global.u32 [x], 1; st.release.gpu.global.u32 [f], 1";
    let lanes = |in_front: &str, behind: &str| {
        format!(
            "@!%first bra MEET; wait ld.relaxed.gpu.global.u32, f, 1; {in_front}; MEET: bar.warp.sync -1; \
             {behind}; setp.eq.u32 %p1, %lane, 1; @%p1 ld.global.u32 %r1, [x]; \
             @%p1 st.global.u32 [%out], %r1"
        )
    };
    let warp = crate::Who::Warp(1, 0);
    check(&[
        ("of who looks", &[(WRITER, release), (warp, &*lanes("fence.acq_rel.gpu", ""))], Fine),
        ("of who reads", &[(WRITER, release), (warp, &*lanes("", "fence.acq_rel.gpu"))], Race),
    ]);
}

/// All lanes write, fence, and take a ticket by one instruction; the last one reads all.
#[test]
fn atomics_of_the_lanes_of_one_instruction_are_ordered() {
    let tickets = |fence: &str, order: &str| {
        format!(
            "st.global.u32 [%out], %lane; {fence}; atom.{order}.gpu.global.add.u32 %r1, [f], 1; {fence}; \
             setp.ne.u32 %p1, %r1, 31; @%p1 bra DONE; ld.global.u32 %r2, [%m+4096]; \
             ld.global.u32 %r3, [%m+4220]; add.u32 %r2, %r2, %r3; st.global.u32 [y], %r2"
        )
    };
    let warp = crate::Who::Warp(0, 0);
    check(&[
        ("fences", &[(warp, &*tickets("fence.acq_rel.gpu", "relaxed"))], Fine),
        ("acquire and release", &[(warp, &*tickets("", "acq_rel"))], Fine),
        ("nothing", &[(warp, &*tickets("", "relaxed"))], Race),
        ("only acquire", &[(warp, &*tickets("", "acquire"))], Race),
    ]);
}

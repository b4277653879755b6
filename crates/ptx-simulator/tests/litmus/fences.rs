//! Fence-SC (PTX ISA 8.9.3, 8.10.2): an edge between two `fence.sc` counts where the other direction would
//! contradict what the threads have seen.

use crate::Verdict::{Fine, NoError, Race, RaceInSome};
use crate::Who::{Thread, Warp};
use crate::check;

/// Tests of which each has `FENCE` in the place of its fences.
fn with(text: &str, fence: &str) -> String {
    text.replace("FENCE", fence)
}

/// All threads write, fence, barrier, one takes a ticket; the last block: barrier, fence, all read.
#[test]
fn fence_barrier_ticket_barrier_fence() {
    let block = "st.global.u32 [%out], %thread; FENCE; bar.sync 1, 64; setp.ne.u32 %p1, %thread, 0; \
                 @!%p1 atom.relaxed.gpu.global.add.u32 %r1, [f], 1; @!%p1 st.shared.u32 [s], %r1; \
                 bar.sync 1, 64; ld.shared.u32 %r1, [s]; setp.ne.u32 %p2, %r1, 1; @%p2 bra DONE; FENCE; \
                 ld.global.u32 %r2, [%m+4096]; ld.global.u32 %r3, [%m+4352]; add.u32 %r2, %r2, %r3; \
                 st.shared.u32 [t], %r2; bra.uni DONE";
    for (fence, verdict) in [
        ("fence.sc.gpu", Fine),
        ("membar.gl", Fine),
        ("membar.sys", Fine),
        ("fence.acq_rel.gpu", Race),
        ("fence.sc.cta", Race),
        ("membar.cta", Race),
    ] {
        let ticket = with(block, fence).replace("st.shared.u32 [t], %r2", "st.global.u32 [%out+1024], %r2");
        let threads: Vec<_> = (0..4).map(|warp| (Warp(warp / 2, warp % 2), ticket.as_str())).collect();
        check(&[(fence, &threads, verdict)]);
    }
}

#[test]
fn a_write_that_is_read_orders_fences() {
    let writer = "st.global.u32 [x], 1; FENCE; bar.sync 1, 64; bar.sync 2, 64";
    let flag = "bar.sync 1, 64; @%first st.relaxed.gpu.global.u32 [f], 1; bar.sync 2, 64";
    let read = "wait ld.relaxed.gpu.global.u32, f, 1; FENCE; ld.global.u32 %r1, [x]; use %r1";
    let writer = writer.replace("st.global", "@%first st.global");
    let threads = |a: &str, b: &str| [with(&writer, a), flag.to_string(), with(read, b)];
    for (a, b, verdict) in [
        ("fence.sc.gpu", "fence.sc.gpu", Fine),
        ("fence.acq_rel.gpu", "fence.sc.gpu", Race),
        ("fence.sc.gpu", "fence.acq_rel.gpu", Race),
        ("fence.sc.cta", "fence.sc.gpu", Race),
        ("fence.sc.gpu", "fence.sc.cta", Race),
    ] {
        let [one, two, three] = threads(a, b);
        let name = format!("{a}, {b}");
        let far: &[_] = &[(Warp(0, 0), &*one), (Warp(0, 1), &*two), (Thread(1, 0), &*three)];
        check(&[(&name, far, verdict)]);
    }
}

/// A read that misses a write comes before it: so do the fences around them.
#[test]
fn a_read_that_misses_a_write_orders_fences() {
    let writer = "st.global.u32 [z], 1; FENCE; ld.relaxed.gpu.global.u32 %r1, [y]; add.u32 %r1, %r1, 1; \
                  st.relaxed.gpu.global.u32 [w], %r1";
    let reader = "st.relaxed.gpu.global.u32 [y], 1; FENCE; LOOK: ld.relaxed.gpu.global.u32 %r1, [w]; \
                  setp.eq.u32 %p1, %r1, 0; @%p1 bra LOOK; setp.eq.u32 %p1, %r1, 2; @%p1 bra DONE; \
                  ld.global.u32 %r2, [z]; use %r2";
    let observer = "wait ld.relaxed.gpu.global.u32, y, 1; FENCE; LOOK: ld.relaxed.gpu.global.u32 %r1, [w]; \
                    setp.eq.u32 %p1, %r1, 0; @%p1 bra LOOK; setp.eq.u32 %p1, %r1, 2; @%p1 bra DONE; \
                    ld.global.u32 %r2, [z]; use %r2";
    let writes = "st.relaxed.gpu.global.u32 [y], 1";
    for (fence, verdict) in [("fence.sc.gpu", NoError), ("fence.acq_rel.gpu", RaceInSome)] {
        let writer = with(writer, fence);
        let reader = with(reader, fence);
        let observer = with(observer, fence);
        check(&[
            (fence, &[(Thread(0, 0), &*writer), (Thread(1, 0), &*reader)], verdict),
            // Independent reads of independent writes.
            (fence, &[(Thread(0, 0), &*writer), (Thread(1, 0), writes), (Thread(2, 0), &*observer)], verdict),
        ]);
    }
}

#[test]
fn nothing_else_orders_fences() {
    let writer = "st.global.u32 [x], 1; fence.sc.gpu; st.relaxed.gpu.global.u32 [a], 1";
    let no_fence = "wait ld.relaxed.gpu.global.u32, a, 1; st.relaxed.gpu.global.u32 [b], 1";
    let fence = "wait ld.relaxed.gpu.global.u32, a, 1; fence.sc.gpu; st.relaxed.gpu.global.u32 [b], 1";
    let overwrites = "wait ld.relaxed.gpu.global.u32, a, 1; st.relaxed.gpu.global.u32 [a], 2";
    let adds = "wait ld.relaxed.gpu.global.u32, a, 1; atom.relaxed.gpu.global.add.u32 %r1, [a], 1";
    let reads_b = "wait ld.relaxed.gpu.global.u32, b, 1; fence.sc.gpu; ld.global.u32 %r1, [x]; use %r1";
    let reads_a = "wait ld.relaxed.gpu.global.u32, a, 2; fence.sc.gpu; ld.global.u32 %r1, [x]; use %r1";
    let one = Thread(0, 0);
    let two = Thread(1, 0);
    let three = Thread(2, 0);
    check(&[
        ("two steps", &[(one, writer), (two, no_fence), (three, reads_b)], Race),
        ("two steps with a fence between", &[(one, writer), (two, fence), (three, reads_b)], Fine),
        // The reader may have seen the first one, too, which it then comes after.
        ("a covered write", &[(one, writer), (two, overwrites), (three, reads_a)], RaceInSome),
        ("a write and an atomic", &[(one, writer), (two, adds), (three, reads_a)], Fine),
    ]);
}

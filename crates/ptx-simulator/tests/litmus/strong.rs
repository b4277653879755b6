//! Strong accesses that nothing orders do not race; but a result that depends on their turns is no result.
//! After the mistakes that ScoR is made of (Kamath, George and Basu, ISCA 2020): fences that are missing or
//! too narrow, scopes that are too narrow, locks without fences, with all data volatile.

use crate::Verdict::{Fine, Race, Warning};
use crate::Who::{Thread, Warp};
use crate::check;

const ONE: crate::Who = Thread(0, 0);
const TWO: crate::Who = Thread(1, 0);
const NEAR: crate::Who = Thread(0, 32);

#[test]
fn a_volatile_message_needs_fences_as_any_other() {
    let write =
        |fence: &str| format!("st.volatile.global.u32 [x], 1; {fence}; st.volatile.global.u32 [f], 1");
    let read = |fence: &str| {
        format!("wait ld.volatile.global.u32, f, 1; {fence}; ld.volatile.global.u32 %r1, [x]; use %r1")
    };
    let release = |scope: &str| {
        format!("st.volatile.global.u32 [x], 1; membar.gl; atom.relaxed.{scope}.global.exch.b32 %r1, [f], 1")
    };
    let early = "ld.volatile.global.u32 %r1, [x]; use %r1";
    check(&[
        ("fences", &[(ONE, &*write("membar.gl")), (TWO, &*read("membar.gl"))], Fine),
        ("no fence", &[(ONE, &*write("")), (TWO, &*read(""))], Race),
        ("no fence of the writer", &[(ONE, &*write("")), (TWO, &*read("membar.gl"))], Race),
        ("a narrow fence of the writer", &[(ONE, &*write("membar.cta")), (TWO, &*read("membar.gl"))], Race),
        ("a narrow fence of the reader", &[(ONE, &*write("membar.gl")), (TWO, &*read("membar.cta"))], Race),
        ("narrow fences in a block", &[(ONE, &*write("membar.cta")), (NEAR, &*read("membar.cta"))], Fine),
        ("no fence in a block", &[(ONE, &*write("")), (NEAR, &*read(""))], Race),
        ("a flag of the block's scope", &[(ONE, &*release("cta")), (TWO, &*read("membar.gl"))], Race),
        ("a flag of the GPU's scope", &[(ONE, &*release("gpu")), (TWO, &*read("membar.gl"))], Fine),
        ("nobody waits", &[(ONE, &*write("membar.gl")), (TWO, early)], Race),
        (
            "nobody waits for a value that is there",
            &[(ONE, "st.volatile.global.u32 [x], 0"), (TWO, early)],
            Race,
        ),
    ]);
}

#[test]
fn a_lock_needs_fences_for_volatile_data() {
    let lock = |in_front: &str, behind: &str, scope: &str| {
        format!(
            "TRY: atom.relaxed.{scope}.global.cas.b32 %r1, [f], 0, 1; setp.ne.u32 %p1, %r1, 0; \
             @%p1 bra TRY; {in_front}; ld.volatile.global.u32 %r2, [x]; add.u32 %r2, %r2, 1; \
             st.volatile.global.u32 [x], %r2; {behind}; atom.relaxed.{scope}.global.exch.b32 %r3, [f], 0"
        )
    };
    let both = |in_front: &str, behind: &str, scope: &str| {
        let one = lock(in_front, behind, scope);
        let two = one.replace("TRY", "AGAIN");
        (one, two)
    };
    for (in_front, behind, scope, far, near) in [
        ("membar.gl", "membar.gl", "gpu", Fine, Fine),
        ("", "", "gpu", Race, Race),
        ("membar.gl", "", "gpu", Race, Race),
        ("membar.cta", "membar.cta", "gpu", Race, Fine),
        ("membar.gl", "membar.gl", "cta", Race, Fine),
    ] {
        let (one, two) = both(in_front, behind, scope);
        let name = format!("{in_front}, {behind}, {scope}");
        check(&[(&name, &[(ONE, &*one), (TWO, &*two)], far), (&name, &[(ONE, &*one), (NEAR, &*two)], near)]);
    }
}

/// The last of two blocks to take a ticket adds up what both have left.
#[test]
fn a_ticket_needs_a_fence_in_front_for_volatile_data() {
    let part = |fence: &str, behind: &str, scope: &str| {
        format!(
            "st.volatile.global.u32 [%out], 1; {fence}; atom.relaxed.{scope}.global.add.u32 %r1, [f], 1; \
             setp.ne.u32 %p1, %r1, 1; @%p1 bra DONE; {behind}; ld.volatile.global.u32 %r2, [%m+4096]; \
             ld.volatile.global.u32 %r3, [%m+4352]; add.u32 %r2, %r2, %r3; st.global.u32 [y], %r2"
        )
    };
    for (fence, behind, scope, verdict) in [
        ("membar.gl", "membar.gl", "gpu", Fine),
        // As the CUDA C++ Programming Guide has it ("Memory Fence Functions").
        ("membar.gl", "", "gpu", Fine),
        ("", "", "gpu", Race),
        ("", "membar.gl", "gpu", Race),
        ("membar.cta", "membar.gl", "gpu", Race),
        ("membar.gl", "membar.gl", "cta", Race),
    ] {
        let text = part(fence, behind, scope);
        check(&[(&format!("{fence}, {behind}, {scope}"), &[(ONE, &*text), (TWO, &*text)], verdict)]);
    }
}

#[test]
fn of_two_stores_one_stays() {
    let hands_over = "wait ld.volatile.global.u32, f, 1; membar.gl; st.volatile.global.u32 [f], 2";
    check(&[
        (
            "different values",
            &[(ONE, "st.volatile.global.u32 [x], 1"), (TWO, "st.volatile.global.u32 [x], 2")],
            Warning,
        ),
        (
            "the same value",
            &[(ONE, "st.volatile.global.u32 [x], 1"), (TWO, "st.volatile.global.u32 [x], 1")],
            Fine,
        ),
        ("one that has seen the other", &[(ONE, "st.volatile.global.u32 [f], 1"), (TWO, hands_over)], Fine),
        (
            "lanes of a warp",
            &[(
                Warp(0, 0),
                "setp.eq.u32 %p1, %lane, 3; @%p1 st.volatile.shared.u32 [s], 1; \
                            @%first ld.volatile.shared.u32 %r1, [s]; @%first st.global.u32 [%out], %r1",
            )],
            Race,
        ),
    ]);
}

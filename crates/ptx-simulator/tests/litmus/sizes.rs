//! Morally strong accesses overlap completely (PTX ISA 8.7), and both are strong, at scopes that include each
//! other.

use crate::Verdict::{Fine, Race, Warning};
use crate::Who::Thread;
use crate::check;

#[test]
fn accesses_of_different_width_race() {
    let one = Thread(0, 0);
    let two = Thread(1, 0);
    let add32 = "atom.relaxed.gpu.global.add.u32 %r1, [x], 1";
    let add64 = "mov.u64 %d1, 1; atom.relaxed.gpu.global.add.u64 %d2, [x], %d1";
    let red64 = "mov.u64 %d1, 1; red.relaxed.gpu.global.add.u64 [x], %d1";
    let store32 = "st.relaxed.gpu.global.u32 [x], 1";
    let load16 = "ld.relaxed.gpu.global.u16 %r1, [x]; use %r1";
    let load32 = "ld.relaxed.gpu.global.u32 %r1, [x]; use %r1";
    check(&[
        ("32 and 32 bits", &[(one, add32), (two, add32)], Fine),
        ("64 and 64 bits", &[(one, add64), (two, red64)], Fine),
        ("32 and 64 bits", &[(one, add32), (two, add64)], Race),
        ("32 and 64 bits, no result", &[(one, add32), (two, red64)], Race),
        ("a store and half of it", &[(one, store32), (two, load16)], Race),
        // No race, but the result depends on who comes first.
        ("a store and all of it", &[(one, store32), (two, load32)], Warning),
    ]);
}

#[test]
fn atomics_of_a_narrow_scope_race_with_those_of_other_blocks() {
    let gpu = "atom.relaxed.gpu.global.add.u32 %r1, [x], 1";
    let cta = "atom.relaxed.cta.global.add.u32 %r1, [x], 1";
    let weak = "st.global.u32 [x], 1";
    check(&[
        ("gpu, gpu", &[(Thread(0, 0), gpu), (Thread(1, 0), gpu)], Fine),
        ("cta, cta", &[(Thread(0, 0), cta), (Thread(1, 0), cta)], Race),
        ("gpu, cta", &[(Thread(0, 0), gpu), (Thread(1, 0), cta)], Race),
        ("cta, cta in a block", &[(Thread(0, 0), cta), (Thread(0, 32), cta)], Fine),
        ("gpu, cta in a block", &[(Thread(0, 0), gpu), (Thread(0, 32), cta)], Fine),
        ("an atomic and a store of the same value", &[(Thread(0, 0), gpu), (Thread(1, 0), weak)], Race),
        ("two stores of the same value", &[(Thread(0, 0), weak), (Thread(1, 0), weak)], Warning),
    ]);
}

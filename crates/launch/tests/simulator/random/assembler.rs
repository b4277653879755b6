//! Mistakes of ptxas, each with a few instructions that show it.
//!
//! Seen with ptxas of CUDA 13.0 (13.0.88) and with the driver 580.159.04, whose own assembler makes the same
//! ones. In each case the machine code that they write does something else than the PTX ISA says; what it
//! does is `wrong`. Nearly all are the optimiser's, so the random programs are assembled without it; of the
//! others they keep clear.

use super::program::{HEADER, Node, Program};

/// What part of the assembler makes a mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// Several instructions that stand for one are not all guarded as it is: with the optimiser and without.
    Guard,
    /// The optimiser: without it the result is right.
    Optimiser,
}

/// Instructions that are assembled wrongly.
pub struct Mistake {
    pub what: &'static str,
    pub by: By,
    /// They find 7, 0xf0f0f00f, a NaN and 0x40490fdb in `%a` to `%d`, of which the assembler knows nothing,
    /// and in `%p` false. The result is `%r`.
    pub body: &'static str,
    /// What the PTX ISA says `%r` is, and what it is on the GPU.
    pub right: u32,
    pub wrong: u32,
}

pub const MISTAKES: &[Mistake] = &[
    // PTX ISA 9.7.6: set. The comparison makes 0 or -1 under the guard; what turns this into 0.0 or 1.0 is
    // not guarded.
    Mistake {
        what: "a guarded set of a float converts its register also where the guard is false",
        by: By::Guard,
        body: "mov.b32 %f, %d; @%p set.lt.f32.u32 %f, %a, %b; mov.b32 %r, %f",
        right: 0x4049_0fdb,
        wrong: 0x4e80_9220,
    },
    // The same with the extension from 16 to 32 bits.
    Mistake {
        what: "a guarded set that compares 16 bits extends its register also where the guard is false",
        by: By::Guard,
        body: "mov.b32 {%h, %k}, %a; mov.b32 %r, %d; @%p set.lt.u32.u16 %r, %h, %k",
        right: 0x4049_0fdb,
        wrong: 0x0000_0fdb,
    },
    // PTX ISA 9.7.3: testp. The integer comparisons that it becomes are not guarded at all.
    Mistake {
        what: "a guarded testp is done also where the guard is false",
        by: By::Guard,
        body: "setp.gt.u32 %q, %a, %b; mov.b32 %f, %d; @%p testp.normal.f32 %q, %f; selp.b32 %r, 1, 0, %q",
        right: 0,
        wrong: 1,
    },
    // PTX ISA 9.7.1: bfi. The mask is made of the length's low 5 bits, unless the field is made of whole
    // bytes.
    Mistake {
        what: "bfi.b32 takes a constant length from 32 for its remainder of 32",
        by: By::Optimiser,
        body: "bfi.b32 %r, %b, %a, 4, 32",
        right: 0x0f0f_00f7,
        wrong: 7,
    },
    // PTX ISA 9.7.1: bfe. Beyond the highest bit there are copies of the sign.
    Mistake {
        what: "bfe.s32 at a constant position from 32 gives -1 whatever the sign is",
        by: By::Optimiser,
        body: "bfe.s32 %r, %a, 48, 16",
        right: 0,
        wrong: 0xffff_ffff,
    },
    // PTX ISA 9.7.8: lop3. Where one register is read twice, and the result goes into another logic
    // operation, the two become one LOP3 in which the second place reads 0. Here a & (a | b), which is a,
    // becomes a & !b.
    Mistake {
        what: "lop3 with one register twice is joined wrongly with what follows",
        by: By::Optimiser,
        body: "lop3.b32 %r, %a, %b, %b, 0xbc; and.b32 %r, %a, %r",
        right: 7,
        wrong: 0,
    },
    // PTX ISA 9.7.3: min. If both inputs are NaN, the result is the canonical one.
    Mistake {
        what: "min.f32 of twice the same is that, a NaN's sign and fraction with it",
        by: By::Optimiser,
        body: "mov.b32 %f, %c; min.f32 %f, %f, %f; mov.b32 %r, %f",
        right: 0x7fff_ffff,
        wrong: 0xffc1_2345,
    },
    // PTX ISA 9.7.6: set. True is -1 for an integer type; it is taken for 1. The same happens where `set`
    // compares with what a `set` gave.
    Mistake {
        what: "what set gives is taken for 1 where it is compared with 1",
        by: By::Optimiser,
        body: "set.ne.u32.u32 %r, %a, %b; setp.eq.s32 %q, 1, %r; selp.b32 %r, 1, 0, %q",
        right: 0,
        wrong: 1,
    },
    Mistake {
        what: "a set that compares 0 with what set gave is taken for its negation",
        by: By::Optimiser,
        body: "set.le.s32.u32 %r, %a, %b; set.le.s32.u32 %r, 0, %r",
        right: 0xffff_ffff,
        wrong: 0,
    },
    // PTX ISA 9.7.1: neg. The negative of the most negative integer is itself, so -x >= 0 is not x <= 0.
    Mistake {
        what: "slct by a negative looks at the sign before neg, also where neg leaves it",
        by: By::Optimiser,
        body: "shl.b32 %r, %a, 31; neg.s32 %r, %r; slct.s32.s32 %r, 1, 2, %r",
        right: 2,
        wrong: 1,
    },
    // PTX ISA 9.7.9: cvt. A NaN becomes 0x8000000000000000 in 64 bits, which is more than 32 hold.
    Mistake {
        what: "a conversion of a float to u64, and of that to u32 with .sat, becomes one, which makes a NaN \
               0",
        by: By::Optimiser,
        body: "mov.b32 %f, %c; cvt.rmi.u64.f32 %x, %f; cvt.sat.u32.u64 %r, %x",
        right: 0xffff_ffff,
        wrong: 0,
    },
    // PTX ISA 9.7.2: sub.cc. x - 0 does not borrow. It becomes x + (-0) within the multiplication, which does
    // not carry.
    Mistake {
        what: "mul.hi and sub.cc become one multiply-add, which borrows where 0 is subtracted",
        by: By::Optimiser,
        body: "mul.hi.s32 %r, %a, 0x8a02309f; sub.cc.u32 %r, %r, %zero; subc.u32 %r, %a, %b",
        right: 0x0f0f_0ff8,
        wrong: 0x0f0f_0ff7,
    },
    // PTX ISA 9.7.1: mad. Of four turns that are unrolled, one is left.
    Mistake {
        what: "a guarded mad.hi that adds to its own result is done once for four turns of a loop",
        by: By::Optimiser,
        body: "mov.u32 %r, %a; L1: @!%p mad.hi.s32 %r, %b, 1, %r; sub.u32 %a, %a, 1; setp.ne.u32 %q, %a, 0; \
               @%q bra L1",
        right: 0,
        wrong: 4,
    },
    // PTX ISA 9.7.8: not. Eight turns leave the predicate as it was.
    Mistake {
        what: "a loop that negates a predicate is left out, and the predicate is true",
        by: By::Optimiser,
        body: "and.b32 %b, %b, 1; L3: @%p bra L2; and.b32 %c, %a, 7; L1: not.pred %p, %p; setp.eq.u32 %q, \
               %c, 0; sub.u32 %c, %c, 1; @!%q bra L1; L2: sub.u32 %b, %b, 1; setp.eq.u32 %q, %b, 0; @!%q bra \
               L3; selp.b32 %r, 1, 0, %p",
        right: 0,
        wrong: 1,
    },
    // PTX ISA 9.7.12: exit. The guard is the negation of (7 > b) & (a < -100); what is left is !(7 > b) & (a
    // < -100).
    Mistake {
        what: "an exit whose guard is the negation of two comparisons joined by and looks at one of them",
        by: By::Optimiser,
        body: "setp.lt.s32 %p, %a, -100; setp.gt.and.s32 %p, 7, %b, %p; @%p bra L1; @!%p exit; bra L2; L1: \
               L2: and.b32 %c, %b, 7; L3: setp.eq.u32 %q, %c, 0; @%q bra L4; sub.u32 %c, %c, 1; sub.u32 %b, \
               %a, %b; bra L3; L4: mov.u32 %r, %b",
        right: 0,
        wrong: 0x0f0f_0ff8,
    },
];

/// Whether the assembler makes of an instruction several ones, not all of them guarded as it is.
pub fn loses_its_guard(instruction: &str) -> bool {
    let opcode = instruction.split(' ').next().unwrap_or("");
    let mut words = opcode.split('.').rev();
    let compared = words.next();
    let result = words.next();
    match opcode.split('.').next() {
        Some("testp") => true,
        Some("set") => result == Some("f32") || matches!(compared, Some("u16" | "s16")),
        _ => false,
    }
}

pub const INPUTS: [u64; 3] = [0xf0f0_f00f << 32 | 7, 0x4049_0fdb << 32 | 0xffc1_2345, 0];

impl Mistake {
    /// A kernel of one thread that stores `%r`.
    pub fn program(&self) -> Program {
        let mut lines: Vec<String> = [
            ".visible .entry program_0(.param .u64 inputs, .param .u64 outputs)",
            "{",
            ".reg .b32 %r, %a, %b, %c, %d, %zero;",
            ".reg .b16 %h, %k;",
            ".reg .f32 %f;",
            ".reg .pred %p, %q;",
            ".reg .b64 %in, %out, %x;",
            "ld.param.u64 %in, [inputs];",
            "ld.param.u64 %out, [outputs];",
            "ld.global.v2.b32 {%a, %b}, [%in];",
            "ld.global.v2.b32 {%c, %d}, [%in+8];",
            "ld.global.b32 %zero, [%in+16];",
            "setp.ne.u32 %p, %zero, 0;",
        ]
        .map(String::from)
        .into();
        lines.extend(self.body.split("; ").map(|instruction| format!("{instruction};")));
        lines.extend(["st.global.b32 [%out], %r;", "ret;", "}"].map(String::from));
        Program { number: 0, seed: 0, threads: 1, words: 1, nodes: vec![Node::Lines(lines)] }
    }

    pub fn text(&self) -> String {
        HEADER.to_string() + &self.program().text()
    }
}

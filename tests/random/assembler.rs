//! Mistakes of ptxas that random programs keep clear of, each with a few instructions that show it.
//!
//! Seen with ptxas of CUDA 13.0 (13.0.88) and with the driver 580.159.04, whose own assembler makes the same ones. In
//! each case the machine code that they write does something else than the PTX ISA says; what it does is `wrong`.

use super::program::{HEADER, Node, Program};

/// Instructions that are assembled wrongly.
pub struct Mistake {
    pub what: &'static str,
    /// They find 7, 0xf0f0f00f, a NaN and 0x40490fdb in `%a` to `%d`, of which the assembler knows nothing, and in
    /// `%p` false. The result is `%r`.
    pub body: &'static str,
    /// What the PTX ISA says `%r` is, and what it is on the GPU.
    pub right: u32,
    pub wrong: u32,
}

pub const MISTAKES: &[Mistake] = &[
    // PTX ISA 9.7.6: set. The comparison makes 0 or -1 under the guard; what turns this into 0.0 or 1.0 is not guarded.
    Mistake {
        what: "a guarded set of a float converts its register also where the guard is false",
        body: "mov.b32 %f, %d; @%p set.lt.f32.u32 %f, %a, %b; mov.b32 %r, %f",
        right: 0x4049_0fdb,
        wrong: 0x4e80_9220,
    },
    // The same with the extension from 16 to 32 bits.
    Mistake {
        what: "a guarded set that compares 16 bits extends its register also where the guard is false",
        body: "mov.b32 {%h, %k}, %a; mov.b32 %r, %d; @%p set.lt.u32.u16 %r, %h, %k",
        right: 0x4049_0fdb,
        wrong: 0x0000_0fdb,
    },
    // PTX ISA 9.7.3: testp. The integer comparisons that it becomes are not guarded at all.
    Mistake {
        what: "a guarded testp is done also where the guard is false",
        body: "setp.gt.u32 %q, %a, %b; mov.b32 %f, %d; @%p testp.normal.f32 %q, %f; selp.b32 %r, 1, 0, %q",
        right: 0,
        wrong: 1,
    },
    // PTX ISA 9.7.1: bfi. The mask is made of the length's low 5 bits, unless the field is made of whole bytes.
    Mistake {
        what: "bfi.b32 takes a constant length from 32 for its remainder of 32",
        body: "bfi.b32 %r, %b, %a, 4, 32",
        right: 0x0f0f_00f7,
        wrong: 7,
    },
    // PTX ISA 9.7.1: bfe. Beyond the highest bit there are copies of the sign.
    Mistake {
        what: "bfe.s32 at a constant position from 32 gives -1 whatever the sign is",
        body: "bfe.s32 %r, %a, 48, 16",
        right: 0,
        wrong: 0xffff_ffff,
    },
    // PTX ISA 9.7.8: lop3. Where one register is read twice, and the result goes into another logic operation, the two
    // become one LOP3 in which the second place reads 0. Here a & (a | b), which is a, becomes a & !b.
    Mistake {
        what: "lop3 with one register twice is joined wrongly with what follows",
        body: "lop3.b32 %r, %a, %b, %b, 0xbc; and.b32 %r, %a, %r",
        right: 7,
        wrong: 0,
    },
    // PTX ISA 9.7.3: min. If both inputs are NaN, the result is the canonical one.
    Mistake {
        what: "min.f32 of twice the same is that, a NaN's sign and fraction with it",
        body: "mov.b32 %f, %c; min.f32 %f, %f, %f; mov.b32 %r, %f",
        right: 0x7fff_ffff,
        wrong: 0xffc1_2345,
    },
];

/// Whether the assembler makes of an instruction several ones, not all of them guarded as it is.
pub fn loses_its_guard(instruction: &str) -> bool {
    let opcode = instruction.split(' ').next().unwrap_or("");
    let mut words = opcode.split('.').rev();
    let (compared, result) = (words.next(), words.next());
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
            ".reg .b64 %in, %out;",
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

//! The instructions that programs are made of, as patterns with their weights.
//!
//! `<a,b>` is one of the alternatives, and so is `<a, b|c, d>`. In the operands a single letter is a place to
//! be filled:
//!
//! | letter | becomes |
//! | --- | --- |
//! | `R` `L` `H` `F` `D` `P` | a register of 32, 64, 16 bits, single, double, predicate |
//! | `r` `l` `h` `f` `d` | the same or a constant |
//! | `p` | a predicate, perhaps negated |
//! | `n` | an amount of bits: a constant from 0 beyond any width, or a register of 32 bits |
//! | `k` | the same for a bit field: at most 255 |
//! | `x` | a constant byte |
//! | `i` `I` | offset of a thread's input: 32 bits of an integer, 64 bits |
//! | `g` `G` | the same of a single, of a double |
//! | `c` | offset of a cell that only this instruction uses |
//!
//! A letter with `'` is a register other than the one before. `$0` is what the first place became. `%zero` is
//! a 0 that the assembler cannot know.
//!
//! A pattern that ends in `~` gives a NaN whose bits PTX leaves open, so that they depend on what the
//! assembler makes of the instruction: sign and payload are then replaced by fixed ones. Integer division
//! gets operands of which nothing is known, since PTX leaves open what a division by zero gives and the
//! assembler may fold one that it sees.

pub type Pattern = (u32, &'static str);

/// What any thread can do anywhere.
pub const PLAIN: &[Pattern] = &[
    // 32 bits
    (14, "<add,sub,min,max>.<u32,s32> R, r, r"),
    (2, "<add,sub>.sat.s32 R, r, r"),
    (6, "mul.<lo,hi>.<u32,s32> R, r, r"),
    (6, "mad.<lo,hi>.<u32,s32> R, r, r, r"),
    (2, "mul24.<lo,hi>.<u32,s32> R, r, r"),
    (2, "sad.<u32,s32> R, r, r, r"),
    (2, "dp4a.<u32,s32>.<u32,s32> R, r, r, r"),
    (2, "dp2a.<lo,hi>.<u32,s32>.<u32,s32> R, r, r, r"),
    (5, "xor.b32 %a, r, %zero; or.b32 %b, r, %zero; <div,rem>.<u32,s32> R, %a, %b"),
    (2, "<abs,neg>.s32 R, r"),
    (8, "<and,or,xor>.b32 R, r, r"),
    (2, "<not,cnot>.b32 R, r"),
    (8, "<shl.b32,shr.b32,shr.u32,shr.s32> R, r, n"),
    (4, "shf.<l,r>.<clamp,wrap>.b32 R, r, r, n"),
    (6, "bfe.<u32,s32> R, r, k, k"),
    (4, "bfi.b32 R, r, r, k, k"),
    (5, "prmt.b32<,.f4e,.b4e,.rc8,.rc16,.ecl,.ecr> R, r, r, r"),
    (5, "lop3.b32 R, r, r, r, x"),
    (5, "<brev.b32,clz.b32,popc.b32,bfind.u32,bfind.s32,bfind.shiftamt.u32,bfind.shiftamt.s32> R, r"),
    (1, "add.cc.u32 R, r, r; addc.cc.u32 R, r, r; addc.u32 R, r, r"),
    (1, "sub.cc.u32 R, r, r; subc.cc.u32 R, r, r; subc.u32 R, r, r"),
    (1, "mad.lo.cc.u32 R, r, r, r; madc.hi.u32 R, r, r, r"),
    (3, "selp.<b32,u32,s32> R, r, r, P"),
    (2, "slct.<b32,u32,s32>.s32 R, r, r, R"),
    (2, "set.<eq,ne,lt,le,gt,ge>.<u32,s32>.<u32,s32> R, r, r"),
    (6, "setp.<eq,ne,lt,le,gt,ge>.<u32,s32> P, r, r"),
    (1, "setp.<eq,ne>.b32 P, r, r"),
    (1, "setp.<lo,ls,hi,hs>.u32 P, r, r"),
    (3, "setp.<eq,ne,lt,le,gt,ge>.<and,or,xor>.<u32,s32> P|P', r, r, p"),
    (2, "<and,or,xor>.pred P, P, P"),
    (1, "not.pred P, P"),
    (
        2,
        "mov.u32 R, <%tid.x,%ntid.x,%laneid,%lanemask_eq,%lanemask_lt,\
         %lanemask_le,%lanemask_gt,%lanemask_ge>",
    ),
    (3, "mov.b32 R, r"),
    // 64 bits
    (10, "<add,sub,min,max>.<u64,s64> L, l, l"),
    (5, "mul.<lo,hi>.<u64,s64> L, l, l"),
    (4, "mad.<lo,hi>.<u64,s64> L, l, l, l"),
    (4, "mul.wide.<u32,s32> L, r, r"),
    (4, "mad.wide.<u32,s32> L, r, r, l"),
    (1, "sad.<u64,s64> L, l, l, l"),
    (1, "mov.b64 %x, {%zero, %zero}; xor.b64 %y, l, %x; or.b64 %x, l, %x; <div,rem>.<u64,s64> L, %y, %x"),
    (2, "<abs,neg>.s64 L, l"),
    (6, "<and,or,xor>.b64 L, l, l"),
    (2, "<not,cnot>.b64 L, l"),
    (7, "<shl.b64,shr.b64,shr.u64,shr.s64> L, l, n"),
    (3, "bfe.<u64,s64> L, l, k, k"),
    (3, "bfi.b64 L, l, l, k, k"),
    (1, "brev.b64 L, l"),
    (4, "<clz.b64,popc.b64,bfind.u64,bfind.s64,bfind.shiftamt.u64,bfind.shiftamt.s64> R, l"),
    (1, "add.cc.u64 L, l, l; addc.u64 L, l, l"),
    (2, "selp.<b64,u64,s64> L, l, l, P"),
    (1, "slct.<b64,u64>.s32 L, l, l, R"),
    (1, "set.<eq,ne,lt,le,gt,ge>.<u32,s32>.<u64,s64> R, l, l"),
    (4, "setp.<eq,ne,lt,le,gt,ge>.<u64,s64> P, l, l"),
    (1, "setp.<eq,ne,lt,le,gt,ge>.<and,or,xor>.<u64,s64> P|P', l, l, p"),
    (2, "mov.b64 L, {r, R}"),
    (2, "mov.b64 {R, R'}, L"),
    (1, "mov.b64 L, l"),
    // 16 bits
    (8, "<add,sub,min,max>.<u16,s16> H, h, h"),
    (3, "mul.<lo,hi>.<u16,s16> H, h, h"),
    (2, "mul.wide.<u16,s16> R, h, h"),
    (2, "mad.lo.<u16,s16> H, h, h, h"),
    (2, "mad.wide.<u16,s16> R, h, h, r"),
    (1, "sad.<u16,s16> H, h, h, h"),
    (2, "cvt.u16.u32 %u, %zero; xor.b16 %v, h, %u; or.b16 %u, h, %u; <div,rem>.<u16,s16> H, %v, %u"),
    (1, "<abs,neg>.s16 H, h"),
    (3, "<and,or,xor>.b16 H, h, h"),
    (1, "<not,cnot>.b16 H, h"),
    (4, "<shl.b16,shr.b16,shr.u16,shr.s16> H, h, n"),
    (1, "selp.<b16,u16,s16> H, h, h, P"),
    (1, "set.<eq,ne,lt,le,gt,ge>.<u32,s32>.<u16,s16> R, h, h"),
    (2, "setp.<eq,ne,lt,le,gt,ge>.<u16,s16> P, h, h"),
    (2, "mov.b32 R, {H, H}"),
    (2, "mov.b32 {H, H'}, R"),
    // Single precision
    (14, "<add,sub,mul>.<rn,rz,rm,rp>.f32 F, f, f"),
    (3, "<add,sub,mul>.<rn,rz,rm,rp>.sat.f32 F, f, f"),
    (7, "fma.<rn,rz,rm,rp>.f32 F, f, f, f"),
    (1, "fma.<rn,rz,rm,rp>.sat.f32 F, f, f, f"),
    (4, "div.<rn,rn,rn,rz,rm,rp>.f32 F, f, f"),
    (2, "rcp.<rn,rz,rm,rp>.f32 F, f"),
    (3, "sqrt.<rn,rn,rz,rm,rp>.f32 F, f"),
    (3, "<min,max>.f32 F, f, f"),
    (2, "<min,max>.NaN.f32 F, f, f"),
    (3, "<neg,abs>.f32 F, f~"),
    (2, "copysign.f32 F, f, f"),
    (2, "selp.f32 F, f, f, P"),
    (2, "slct.f32.<s32 F, f, f, R|f32 F, f, f, F>"),
    (2, "set.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.<u32,s32>.f32 R, f, f"),
    (1, "set.<eq,ne,lt,le,gt,ge>.f32.<u32,s32> F, r, r"),
    (1, "set.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.f32.f32 F, f, f"),
    (5, "setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.f32 P, f, f"),
    (1, "setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.<and,or,xor>.f32 P|P', f, f, p"),
    (1, "testp.<finite,infinite,number,notanumber,normal,subnormal>.f32 P, F"),
    (2, "mov.b32 F, R"),
    (2, "mov.b32 R, F"),
    (1, "mov.f32 F, f"),
    // Double precision
    (14, "<add,sub,mul>.<rn,rz,rm,rp>.f64 D, d, d~"),
    (7, "fma.<rn,rz,rm,rp>.f64 D, d, d, d~"),
    (2, "div.<rn,rn,rn,rn,rn,rz,rm,rp>.f64 D, d, d~"),
    (1, "rcp.<rn,rn,rn,rz,rm,rp>.f64 D, d~"),
    (1, "sqrt.<rn,rn,rn,rz,rm,rp>.f64 D, d~"),
    (5, "<min,max>.f64 D, d, d~"),
    (3, "<neg,abs>.f64 D, d~"),
    (2, "copysign.f64 D, d, d"),
    (2, "selp.f64 D, d, d, P"),
    (1, "slct.f64.s32 D, d, d, R"),
    (2, "set.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.<u32,s32>.f64 R, d, d"),
    (4, "setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.f64 P, d, d"),
    (1, "setp.<eq,ne,lt,le,gt,ge,equ,neu,ltu,leu,gtu,geu,num,nan>.<and,or,xor>.f64 P|P', d, d, p"),
    (1, "testp.<finite,infinite,number,notanumber,normal,subnormal>.f64 P, D"),
    (2, "mov.b64 D, L"),
    (2, "mov.b64 L, D"),
    (1, "mov.f64 D, d"),
    // Conversions
    (2, "cvt.<u8,s8,u16,s16>.<u32,s32> R, R"),
    (2, "cvt.<u32,s32>.<u8,s8,u16,s16> R, R"),
    (2, "cvt.<u64,s64>.<u32,s32,u8,s8> L, R"),
    (2, "cvt.<u32,s32,u16,s16,u8,s8>.<u64,s64> R, L"),
    (2, "cvt.<u16,s16>.<u32,s32> H, R"),
    (2, "cvt.<u32,s32>.<u16,s16> R, H"),
    (1, "cvt.<u16,s16,u8,s8>.<u64,s64> H, L"),
    (1, "cvt.<u64,s64>.<u16,s16> L, H"),
    (1, "cvt.sat.<u8.u32,s8.u32,u16.u32,s16.u32,s32.u32,u8.s32,s8.s32,u16.s32,s16.s32,u32.s32> R, R"),
    (
        1,
        "cvt.sat.<u8.u64,s8.u64,u16.u64,s16.u64,u32.u64,s32.u64,\
         u8.s64,s8.s64,u16.s64,s16.s64,u32.s64,s32.s64> R, L",
    ),
    (1, "cvt.sat.<u64.s64,s64.u64> L, L"),
    (3, "cvt.<rni,rzi,rmi,rpi>.<u32,s32>.f32 R, F"),
    (2, "cvt.<rni,rzi,rmi,rpi>.<u64,s64>.f32 L, F"),
    (1, "cvt.<rni,rzi,rmi,rpi>.<u16,s16>.f32 H, F"),
    (1, "cvt.<rni,rzi,rmi,rpi>.<u8,s8>.f32 R, F"),
    (2, "cvt.<rni,rzi,rmi,rpi>.<u32,s32>.f64 R, D"),
    (2, "cvt.<rni,rzi,rmi,rpi>.<u64,s64>.f64 L, D"),
    (1, "cvt.<rni,rzi,rmi,rpi>.<u16,s16>.f64 H, D"),
    (1, "cvt.<rni,rzi,rmi,rpi>.<u8,s8>.f64 R, D"),
    (3, "cvt.<rn,rz,rm,rp>.f32.<u32,s32,u16,s16,u8,s8> F, R"),
    (2, "cvt.<rn,rz,rm,rp>.f32.<u64,s64> F, L"),
    (2, "cvt.<rn,rz,rm,rp>.f64.<u32,s32,u16,s16,u8,s8> D, R"),
    (2, "cvt.<rn,rz,rm,rp>.f64.<u64,s64> D, L"),
    (2, "cvt<.rni,.rzi,.rmi,.rpi><,.sat>.f32.f32 F, F~"),
    (1, "cvt.sat.f32.f32 F, F"),
    (2, "cvt.<rni,rzi,rmi,rpi><,.sat>.f64.f64 D, D~"),
    (3, "cvt.<rn,rz,rm,rp><,.sat>.f32.f64 F, D~"),
    (3, "cvt<,.sat>.f64.f32 D, F~"),
];

/// What a kernel's threads can do anywhere: inputs, memory of their own, atomics that no thread looks at.
pub const MEMORY: &[Pattern] = &[
    (12, "ld.global.b32 R, [%in+i]"),
    (6, "ld.global.b64 L, [%in+I]"),
    (3, "ld.global.<u16,s16> H, [%in+i]"),
    (2, "ld.global.<u8,s8,u16,s16> R, [%in+i]"),
    (10, "ld.global.f32 F, [%in+g]"),
    (10, "ld.global.f64 D, [%in+G]"),
    (1, "ld.global.nc.v2.b32 {R, R'}, [%in+I]"),
    (1, "ld.global.v2.f32 {F, F'}, [%in+G]"),
    (
        2,
        "st.global.<b32 [%own], R|b32 [%own+4], R|b64 [%own], L|b16 [%own+2], H|b8 [%own+5], R|f32 [%own], \
         F|f64 [%own], D>",
    ),
    (1, "ld.global.<b32 R, [%own]|s8 R, [%own+3]|b64 L, [%own]|u16 H, [%own+6]>"),
    (2, "atom.global.<add,min,max>.<u32,s32> R, [%own], R"),
    (1, "atom.global.<and,or,xor,exch>.b32 R, [%own+4], R"),
    (1, "atom.global.<inc,dec>.u32 R, [%own], R"),
    (1, "atom.global.<add.u64,min.u64,max.u64,min.s64,max.s64,and.b64,or.b64,xor.b64,exch.b64> L, [%own], L"),
    (1, "atom.global.cas.b32 R, [%own], R, R"),
    (1, "ld.global.b64 %x, [%own]; atom.global.cas.b64 L, [%own], %x, L"),
    (2, "red.global.<add,min,max>.<u32,s32> [%cells+c], R"),
    (1, "red.global.<and,or,xor>.b32 [%cells+c], R"),
    (1, "red.global.<inc,dec>.u32 [%cells+c], x"),
    (1, "red.global.<add.u64,min.u64,max.u64,min.s64,max.s64,and.b64,or.b64,xor.b64> [%cells+c], L"),
    (
        3,
        "and.b32 %a, R, 7; mad.wide.u32 %x, %a, 8, %local; st.local.<b64 [%x], L|b32 [%x+4], R|b16 [%x+2], \
         H|v2.b32 [%x], {R, R}>",
    ),
    (
        3,
        "and.b32 %a, R, 7; mad.wide.u32 %x, %a, 8, %local; ld.local.<b64 L, [%x]|b32 R, [%x]|s16 R, \
         [%x+6]|u8 R, [%x+1]|v2.b32 {R, R'}, [%x]>",
    ),
    (
        1,
        "and.b32 %a, R, 7; mad.wide.u32 %x, %a, 8, %generic; <st.b32 [%x], R|ld.b64 L, [%x]|ld.s8 R, [%x+5]>",
    ),
];

/// What a warp can do where all its lanes are.
pub const WARP: &[Pattern] = &[
    (4, "shfl.sync.<down,bfly,idx>.b32 R|P, R, n, <0x1f,0x1f,0x101f,0x181f,0x1c1f,0x1e1f>, 0xffffffff"),
    (2, "shfl.sync.up.b32 R|P, R, n, <0,0,0x1000,0x1800,0x1c00,0x1e00>, 0xffffffff"),
    (1, "shfl.sync.<down,bfly,idx>.b32 F, F, n, 0x1f, 0xffffffff"),
    (2, "vote.sync.<all,any,uni>.pred P, p, 0xffffffff"),
    (2, "vote.sync.ballot.b32 R, p, 0xffffffff"),
    (1, "match.any.sync.b32 R, R, 0xffffffff"),
    (1, "match.any.sync.b64 R, L, 0xffffffff"),
    (1, "match.all.sync.b32 R|P, R, 0xffffffff"),
    (1, "match.all.sync.b64 R|P, L, 0xffffffff"),
    (3, "redux.sync.<add,min,max>.<u32,s32> R, R, 0xffffffff"),
    (2, "redux.sync.<and,or,xor>.b32 R, R, 0xffffffff"),
    (1, "vote.sync.ballot.b32 %m, P, 0xffffffff; @$0 redux.sync.<add.u32,min.s32,max.u32,xor.b32> R, R, %m"),
    (1, "vote.sync.ballot.b32 %m, P, 0xffffffff; @$0 match.any.sync.b32 R, R, %m"),
    (1, "vote.sync.ballot.b32 %m, P, 0xffffffff; @$0 vote.sync.ballot.b32 R, p, %m"),
    (
        1,
        "vote.sync.ballot.b32 %m, P, 0xffffffff; brev.b32 %a, %m; clz.b32 %a, %a; @$0 shfl.sync.idx.b32 R, \
         R, %a, 0x1f, %m",
    ),
    (1, "bar.warp.sync 0xffffffff"),
];

/// What a block can do where all its threads are. Shared memory is exchanged between barriers: `%mine` is the
/// address of a thread's 8 bytes, `%area` of the first thread's.
pub const BLOCK: &[Pattern] = &[
    (2, "bar.red.popc.u32 R, 0, p"),
    (2, "bar.red.<and,or>.pred P, 0, p"),
    (
        4,
        "bar.sync 0; st.shared.b32 [%mine], R; bar.sync 0; rem.u32 %a, R, %threads; mad.lo.u32 %a, %a, 8, \
         %area; ld.shared.<b32 R, [%a]|s8 R, [%a+3]|u16 H, [%a+2]|f32 F, [%a]>",
    ),
    (
        3,
        "bar.sync 0; st.shared.<b64 [%mine], L|f64 [%mine], D|v2.b32 [%mine], {R, R}|v2.f32 [%mine], {F, \
         F}>; barrier.sync 0; rem.u32 %a, R, %threads; mad.lo.u32 %a, %a, 8, %area; ld.shared.<b64 L, \
         [%a]|f64 D, [%a]|v2.b32 {R, R'}, [%a]|u8 R, [%a+5]|s16 R, [%a+6]>",
    ),
    (
        2,
        "bar.sync 0; st.shared.b32 [%mine], R; bar.sync 0; and.b32 %a, R, 7; mad.lo.u32 %a, %a, 8, %area; \
         red.shared.<add.u32,min.u32,max.u32,min.s32,max.s32,and.b32,or.b32,xor.b32> [%a], R; bar.sync 0; \
         ld.shared.b32 R, [%mine]",
    ),
    (
        1,
        "bar.sync 0; st.shared.b32 [%mine], R; bar.sync 0; and.b32 %a, R, 3; mad.lo.u32 %a, %a, 8, %area; \
         red.shared.<inc,dec>.u32 [%a], x; bar.sync 0; ld.shared.b32 R, [%mine]",
    ),
    (
        1,
        "bar.sync 0; st.shared.b64 [%mine], L; bar.sync 0; and.b32 %a, R, 7; mad.lo.u32 %a, %a, 8, %area; \
         red.shared.<add.u64,min.u64,max.u64,min.s64,max.s64,and.b64,or.b64,xor.b64> [%a], L; bar.sync 0; \
         ld.shared.b64 L, [%mine]",
    ),
    (
        1,
        "bar.sync 0; st.shared.b32 [%mine], R; \
         atom.shared.<add.u32,min.s32,max.u32,exch.b32,and.b32,inc.u32,dec.u32> R, [%mine], R; \
         atom.shared.cas.b32 R, [%mine], r, r; ld.shared.b32 R, [%mine]",
    ),
    (
        1,
        "bar.sync 0; st.shared.b64 [%mine], L; atom.shared.<add.u64,min.s64,max.u64,exch.b64,xor.b64> L, \
         [%mine], L; atom.shared.cas.b64 L, [%mine], L, L; ld.shared.b64 L, [%mine]",
    ),
    (
        2,
        "red.global.<add,min,max>.<u32,s32> [%cells+c], R; bar.sync 0; ld.global.b32 R, [%cells+$0]; \
         bar.sync 0",
    ),
    (
        1,
        "cvt.u64.u32 %x, %mine; cvta.shared.u64 %x, %x; bar.sync 0; st.b32 [%x], R; bar.sync 0; \
         ld.shared.b32 R, [%mine]",
    ),
];

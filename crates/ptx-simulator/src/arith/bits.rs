//! Integer instructions that take more than an expression: bit fields, permutations, dot products, and
//! arithmetic with a carry. Each follows the semantics that the PTX ISA writes out in section 9.7.1, 9.7.2 or
//! 9.7.9.

pub fn funnel_left(a: u32, b: u32, n: u32) -> u32 {
    if n == 32 { a } else { (joined(a, b) << n >> 32) as u32 }
}

pub fn funnel_right(a: u32, b: u32, n: u32) -> u32 {
    (joined(a, b) >> n) as u32
}

/// `b:a`.
fn joined(a: u32, b: u32) -> u64 {
    u64::from(b) << 32 | u64::from(a)
}

/// Position of the most significant set bit, or how far it is from the top; all ones if there is none.
pub fn find_bit(a: u64, width: u32, shift_amount: bool) -> u64 {
    if a == 0 {
        return 0xffff_ffff;
    }
    let position = 63 - a.leading_zeros();
    (if shift_amount { width - 1 - position } else { position }) as u64
}

/// `bfe` (PTX ISA 9.7.1.19): `length` bits from `start` on, filled up with zeros or the field's sign.
pub fn extract(a: u64, start: u64, length: u64, width: u32, signed: bool) -> u64 {
    let start = field(start, width);
    let length = field(length, width);
    let sign_at = (start + length).saturating_sub(1).min(width - 1);
    let fill = if signed && length != 0 && a >> sign_at & 1 == 1 { -1i128 } else { 0 };
    // What lies above the register is the sign, too.
    let from_start = (fill << width | i128::from(a)) >> start.min(127);
    let field = low(length.min(width));
    from_start as u64 & field | fill as u64 & !field
}

/// So many low bits.
pub fn low(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

/// Start or length of a bit field. The ISA takes the low 8 bits; an H200 does so for 32-bit fields, and takes
/// all bits for 64-bit ones.
fn field(bits: u64, width: u32) -> u32 {
    if width == 64 { (bits as u32).min(255) } else { (bits & 0xff) as u32 }
}

/// `bfi` (PTX ISA 9.7.1.20): the low `length` bits of `a` put into `b` from `start` on.
pub fn insert(a: u64, b: u64, start: u64, length: u64, width: u32) -> u64 {
    let start = field(start, width);
    let length = field(length, width);
    let up = |bits: u64| bits.checked_shl(start).unwrap_or(0) & low(width);
    let field = up(low(length));
    b & !field | up(a) & field
}

/// Selectors of four bytes, four bits each, for the modes of `prmt` (PTX ISA 9.7.9.7).
pub const FORWARD: [u32; 4] = [0x3210, 0x4321, 0x5432, 0x6543];
pub const BACKWARD: [u32; 4] = [0x5670, 0x6701, 0x7012, 0x0123];
pub const REPLICATE_8: [u32; 4] = [0x0000, 0x1111, 0x2222, 0x3333];
pub const REPLICATE_16: [u32; 4] = [0x1010, 0x3232, 0x1010, 0x3232];
pub const EDGE_LEFT: [u32; 4] = [0x3210, 0x3211, 0x3222, 0x3333];
pub const EDGE_RIGHT: [u32; 4] = [0x0000, 0x1110, 0x2210, 0x3210];

/// `prmt`: four of the eight bytes of `b:a`, or their signs.
pub fn permute(a: u32, b: u32, selectors: u32) -> u64 {
    let bytes = joined(a, b);
    let mut out = 0;
    for i in 0..4 {
        let choice = selectors >> (4 * i) & 0xf;
        let byte = bytes >> (8 * (choice & 7)) & 0xff;
        let byte = if choice & 8 != 0 { 0xff * (byte >> 7) } else { byte };
        out |= byte << (8 * i);
    }
    out
}

/// `lop3` (PTX ISA 9.7.8.6): the bit of `table` whose number the bits of `a`, `b` and `c` make.
pub fn lookup(a: u32, b: u32, c: u32, table: u32) -> u32 {
    let mut out = 0;
    for minterm in (0..8).filter(|minterm| table >> minterm & 1 == 1) {
        let take = |bits: u32, place: u32| if minterm & place != 0 { bits } else { !bits };
        out |= take(a, 4) & take(b, 2) & take(c, 1);
    }
    out
}

/// `fns` (PTX ISA 9.7.1.17): where the `offset`-th set bit of `mask` stands, counted from `base`, up or down.
pub fn find_nth_set(mask: u32, base: u32, offset: i32) -> u32 {
    let step = if offset < 0 { -1 } else { 1 };
    let mut count = offset.unsigned_abs().max(1);
    let mut at = base as i64;
    while (0..32).contains(&at) {
        count -= mask >> at & 1;
        if count == 0 {
            return at as u32;
        }
        if offset == 0 {
            break;
        }
        at += step;
    }
    u32::MAX
}

/// `bmsk` (PTX ISA 9.7.1.21): `width` set bits from `start` on; a start or width of 32 or more wraps, or is
/// clamped.
pub fn mask(start: u32, width: u32, clamp: bool) -> u32 {
    let from = start & 31;
    let to = (start & 31) + (width & 31);
    let low = if clamp && start >= 32 { 0 } else { u32::MAX << from };
    let high = if to >= 32 || clamp && (start >= 32 || width >= 32) { 0 } else { u32::MAX << to };
    low & !high
}

/// `szext` (PTX ISA 9.7.1.22): the low `width` bits of `a`, extended by zeros or by their sign.
pub fn extend_bits(a: u32, width: u32, signed: bool, clamp: bool) -> u32 {
    let bits = width & 31;
    let above = if clamp && width >= 32 { 0 } else { u32::MAX << bits };
    let sign = signed && bits != 0 && !(clamp && width >= 32) && a >> (bits - 1) & 1 == 1;
    a & !above | if sign { above } else { 0 }
}

/// A sum of products of four bytes each (`dp4a`), or of two halves of `a` and two bytes of `b` (`dp2a`).
pub fn dot(a: u32, b: u32, c: u32, a_signed: bool, b_signed: bool, halves: bool) -> u32 {
    let byte = |bits: u32, signed: bool| if signed { bits as i8 as i32 } else { bits as u8 as i32 };
    let half = |bits: u32, signed: bool| if signed { bits as i16 as i32 } else { bits as u16 as i32 };
    let sum = if halves {
        (0..2).map(|i| half(a >> (16 * i), a_signed).wrapping_mul(byte(b >> (8 * i), b_signed))).sum::<i32>()
    } else {
        (0..4).map(|i| byte(a >> (8 * i), a_signed) * byte(b >> (8 * i), b_signed)).sum::<i32>()
    };
    c.wrapping_add(sum as u32)
}

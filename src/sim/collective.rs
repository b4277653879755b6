//! Instructions in which the lanes of a warp exchange values: PTX ISA 9.7.9.6 and 9.7.13.
//!
//! Lanes that name different masks are different groups, as `tiled_partition` makes them.

use super::alu::{Lanes, WARP, each};
use super::exec::{combine, lanes, source};
use super::program::{Function, NONE, Op, Shuffle, Vote};
use super::warp::Activation;

/// Does `op` for the lanes of `mask`, all of which have come.
pub fn execute(op: &Op, activation: &mut Activation, function: &Function, mask: u32) {
    match op {
        Op::Shuffle { mode, d, p, a, b, c, .. } => {
            let read = |r| *source(activation, function, r);
            let (a, b, c) = (read(*a), read(*b), read(*c));
            let mut out: Lanes = [0; WARP];
            let mut found = 0u32;
            each(mask, |lane| {
                let (from, in_range) = shuffle_source(*mode, lane as i64, b[lane] as u32, c[lane] as u32);
                out[lane] = a[from];
                found |= (in_range as u32) << lane;
            });
            let d = &mut activation.registers[*d as usize];
            each(mask, |lane| d[lane] = out[lane]);
            set(activation, *p, mask, found);
        }
        Op::Vote { mode, d, p, negated, mask: members } => {
            let members = *source(activation, function, *members);
            let value = activation.predicates[*p as usize];
            let value = if *negated { !value } else { value };
            let mut ballots: Lanes = [0; WARP];
            let mut yes = 0u32;
            each(mask, |lane| {
                let group = members[lane] as u32 & mask;
                let votes = value & group;
                ballots[lane] = votes as u64;
                let holds = match mode {
                    Vote::All => votes == group,
                    Vote::Any => votes != 0,
                    Vote::Uniform => votes == group || votes == 0,
                    Vote::Ballot => false,
                };
                yes |= (holds as u32) << lane;
            });
            if *mode == Vote::Ballot {
                let d = &mut activation.registers[*d as usize];
                each(mask, |lane| d[lane] = ballots[lane]);
            } else {
                set(activation, *d, mask, yes);
            }
        }
        Op::Match { all, d, p, a, wide, mask: members } => {
            let members = *source(activation, function, *members);
            let values = *source(activation, function, *a);
            let keep = if *wide { u64::MAX } else { 0xffff_ffff };
            let mut out: Lanes = [0; WARP];
            let mut uniform = 0u32;
            each(mask, |lane| {
                let group = members[lane] as u32 & mask;
                let same = lanes(group)
                    .filter(|&other| values[other] & keep == values[lane] & keep)
                    .fold(0u32, |m, other| m | 1 << other);
                let everyone = same == group;
                out[lane] = if !*all || everyone { same as u64 } else { 0 };
                uniform |= (everyone as u32) << lane;
            });
            let d = &mut activation.registers[*d as usize];
            each(mask, |lane| d[lane] = out[lane]);
            set(activation, *p, mask, uniform);
        }
        Op::Reduce { op, d, a, mask: members } => {
            let members = *source(activation, function, *members);
            let values = *source(activation, function, *a);
            let mut out: Lanes = [0; WARP];
            each(mask, |lane| {
                let mut group = lanes(members[lane] as u32 & mask);
                let first = group.next().map_or(0, |other| values[other] & 0xffff_ffff);
                out[lane] = group.fold(first, |sum, other| combine(*op, 4, sum, values[other], 0));
            });
            let d = &mut activation.registers[*d as usize];
            each(mask, |lane| d[lane] = out[lane]);
        }
        _ => {}
    }
}

fn set(activation: &mut Activation, p: u32, mask: u32, value: u32) {
    if p != NONE {
        let slot = &mut activation.predicates[p as usize];
        *slot = (*slot & !mask) | (value & mask);
    }
}

/// The lane a shuffle reads from, and whether that lies in the lane's own segment (PTX ISA 9.7.9.6). `c` holds the
/// clamp in bits 0 to 4 and the segment mask in bits 8 to 12.
pub fn shuffle_source(mode: Shuffle, lane: i64, b: u32, c: u32) -> (usize, bool) {
    let (b, clamp, segment) = ((b & 31) as i64, (c & 31) as i64, (c >> 8 & 31) as i64);
    let most = (lane & segment) | (clamp & !segment);
    let least = lane & segment;
    let (from, in_range) = match mode {
        Shuffle::Up => (lane - b, lane - b >= most),
        Shuffle::Down => (lane + b, lane + b <= most),
        Shuffle::Butterfly => (lane ^ b, lane ^ b <= most),
        Shuffle::Index => (least | (b & !segment), (least | (b & !segment)) <= most),
    };
    if in_range { (from as usize & 31, true) } else { (lane as usize, false) }
}

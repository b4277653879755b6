//! Tiles of matrices between memory and the registers of a warp: `ldmatrix`, `stmatrix`, `wmma.load` and
//! `wmma.store` (PTX ISA 9.7.14.5). Each lane accesses the elements that it holds, so that the checks see who
//! reads and writes what.

use super::context::{At, Context, Executed};
use super::follow;
use super::registers;
use super::warp::Warp;
use crate::arith::{Lanes, Tile, lanes};
use crate::decode::{Op, Reg};
use crate::observe::{Access, Request};
use crate::ptx::{Order, Scope, Space};

/// Where the elements of a tile lie.
struct Elements {
    tile: Tile,
    /// What the lanes point to, and the elements between rows (or columns).
    base: Lanes,
    stride: Lanes,
}

impl Elements {
    /// The address of what each lane holds in (one half of) a register.
    fn addresses(&self, register: usize, half: usize) -> Lanes {
        let bytes = u64::from(self.tile.bytes());
        std::array::from_fn(|lane| {
            let (row, column) = self.tile.place(register, half, lane);
            match self.tile {
                Tile::Rows { .. } => self.base[8 * register + row].wrapping_add(bytes * column as u64),
                Tile::Fragment { by_rows, .. } => {
                    let (far, near) = if by_rows { (row, column) } else { (column, row) };
                    let elements = (self.stride[lane] & 0xffff_ffff).wrapping_mul(far as u64) + near as u64;
                    self.base[lane].wrapping_add(bytes.wrapping_mul(elements))
                }
            }
        })
    }

    /// The addresses of both halves of a register, if it has two that do not lie side by side.
    fn apart(&self, register: usize) -> Option<[Lanes; 2]> {
        if self.tile.bytes() == 4 {
            return None;
        }
        let both = [0, 1].map(|half| self.addresses(register, half));
        let adjacent = both[0].iter().zip(&both[1]).all(|(low, high)| low.wrapping_add(2) == *high);
        (!adjacent).then_some(both)
    }
}

fn request(access: Access, space: Space, mask: u32, addresses: &Lanes, bytes: u32) -> Request<'_> {
    Request::new(access, space, mask, addresses, bytes, Order::Weak, Scope::Gpu)
}

impl Context<'_> {
    /// Does `at`, a load or a store of a tile.
    pub fn tile(&mut self, warp: &mut Warp, at: At) -> Executed<()> {
        let Op::Tile { tile, space, d, s, at: address, stride, halves, .. } = &at.inst.op else {
            return Ok(());
        };
        let (access, registers) = if d.is_empty() { (Access::Store, s) } else { (Access::Load, d) };
        // Rows are named by the first lanes, eight for each matrix.
        let is_rows = matches!(tile, Tile::Rows { .. });
        let pointing = if is_rows { u32::MAX >> (32 - 8 * registers.len()) } else { u32::MAX };
        let pointing = At { mask: at.mask & pointing, ..at };
        let base = self.checked_addresses(warp, pointing, address);
        if is_rows && let Some(lane) = lanes(pointing.mask).find(|&lane| !base[lane].is_multiple_of(16)) {
            return Err(self.misaligned(warp, at, lane, &request(access, *space, pointing.mask, &base, 16)));
        }
        let stride = *at.source(warp, *stride);
        let elements = Elements { tile: *tile, base, stride };
        // `wmma` has each half of `a` and `b` twice.
        let count = if d.len() == 8 && tile.bytes() == 2 { 4 } else { registers.len() };
        for (number, &register) in registers[..count].iter().enumerate() {
            let Some(both) = elements.apart(number) else {
                let addresses = elements.addresses(number, 0);
                self.move_part(warp, at, &request(access, *space, at.mask, &addresses, 4), register)?;
                continue;
            };
            if access == Access::Store {
                self.within(warp, at, &Op::Unpack { parts: halves.to_vec(), a: register, bits: 16 });
            }
            for (addresses, half) in both.iter().zip(halves) {
                self.move_part(warp, at, &request(access, *space, at.mask, addresses, 2), *half)?;
            }
            if access == Access::Load {
                self.within(warp, at, &Op::Pack { d: register, parts: halves.to_vec(), bits: 16 });
            }
        }
        for (again, register) in registers[count..].iter().zip(registers) {
            self.within(warp, at, &Op::Unpack { parts: vec![*again], a: *register, bits: 32 });
        }
        Ok(())
    }

    /// Loads a register, or stores it.
    fn move_part(&mut self, warp: &mut Warp, at: At, request: &Request, register: Reg) -> Executed<()> {
        let register = &[register];
        let bytes = request.bytes;
        match request.access {
            Access::Load => self.load(warp, at, request, register, bytes, false),
            _ => self.store(warp, at, request, register, bytes),
        }
    }

    /// Moves values between registers as a part of an instruction.
    fn within(&self, warp: &mut Warp, at: At, op: &Op) {
        let activation = &mut warp.activations[at.slot as usize];
        if self.checks {
            follow::follow(activation, at.function, op, at.mask);
        }
        registers::execute(op, activation, at.function, at.mask);
    }
}

//! Tiles of matrices between memory and the registers of a warp: `ldmatrix`, `stmatrix`, `wmma.load` and
//! `wmma.store` (PTX ISA 9.7.14.5). Each lane accesses the elements that it holds, so that the checks see who
//! reads and writes what.

use super::activation::source;
use super::context::{At, Context, Executed};
use super::follow;
use super::registers;
use super::warp::Warp;
use crate::arith::{Lanes, Tile, lanes};
use crate::decode::{Address, Op, Reg};
use crate::observe::{Access, Request};
use crate::ptx::{Order, Scope, Space};

/// Where the elements of a tile lie.
struct Elements {
    tile: Tile,
    space: Space,
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

    fn request<'a>(&self, access: Access, mask: u32, addresses: &'a Lanes, bytes: u32) -> Request<'a> {
        Request::new(access, self.space, mask, addresses, bytes, Order::Weak, Scope::Gpu)
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

impl Context<'_> {
    /// Does `at`, a load or a store of a tile.
    pub fn tile(&mut self, warp: &mut Warp, at: At) -> Executed<()> {
        match &at.inst.op {
            Op::LoadTile { tile, space, d, at: from, stride, halves, .. } => {
                let elements = self.elements(warp, at, (*tile, *space), (from, *stride), d.len())?;
                self.load_tile(warp, at, &elements, d, *halves)
            }
            Op::StoreTile { tile, space, s, at: to, stride, halves, .. } => {
                let elements = self.elements(warp, at, (*tile, *space), (to, *stride), s.len())?;
                self.store_tile(warp, at, &elements, s, *halves)
            }
            _ => Ok(()),
        }
    }

    fn elements(
        &mut self,
        warp: &mut Warp,
        at: At,
        (tile, space): (Tile, Space),
        (address, stride): (&Address, Reg),
        registers: usize,
    ) -> Executed<Elements> {
        // Rows are named by the first lanes, eight for each matrix.
        let pointing = match tile {
            Tile::Rows { .. } => u32::MAX >> (32 - 8 * registers),
            Tile::Fragment { .. } => u32::MAX,
        };
        let pointing = At { mask: at.mask & pointing, ..at };
        let base = self.checked_addresses(warp, pointing, address);
        if matches!(tile, Tile::Rows { .. })
            && let Some(lane) = lanes(pointing.mask).find(|&lane| !base[lane].is_multiple_of(16))
        {
            let store = matches!(at.inst.op, Op::StoreTile { .. });
            let access = if store { Access::Store } else { Access::Load };
            let row = Request::new(access, space, pointing.mask, &base, 16, Order::Weak, Scope::Gpu);
            return Err(self.misaligned(warp, at, lane, &row));
        }
        let stride = *source(&warp.activations[at.slot as usize], at.function, stride);
        Ok(Elements { tile, space, base, stride })
    }

    fn load_tile(
        &mut self,
        warp: &mut Warp,
        at: At,
        from: &Elements,
        d: &[Reg],
        halves: [Reg; 2],
    ) -> Executed<()> {
        // `wmma` has each half of `a` and `b` twice.
        let count = if d.len() == 8 && from.tile.bytes() == 2 { 4 } else { d.len() };
        for (number, register) in d[..count].iter().enumerate() {
            match from.apart(number) {
                None => {
                    let addresses = from.addresses(number, 0);
                    let request = from.request(Access::Load, at.mask, &addresses, 4);
                    self.load_checked(warp, at, &request, *register, 4)?;
                }
                Some(both) => {
                    for (addresses, half) in both.iter().zip(halves) {
                        let request = from.request(Access::Load, at.mask, addresses, 2);
                        self.load_checked(warp, at, &request, half, 2)?;
                    }
                    self.within(warp, at, &Op::Pack { d: *register, parts: halves.to_vec(), bits: 16 });
                }
            }
        }
        for (again, register) in d[count..].iter().zip(d) {
            self.within(warp, at, &Op::Unpack { parts: vec![*again], a: *register, bits: 32 });
        }
        Ok(())
    }

    fn store_tile(
        &mut self,
        warp: &mut Warp,
        at: At,
        to: &Elements,
        s: &[Reg],
        halves: [Reg; 2],
    ) -> Executed<()> {
        for (number, register) in s.iter().enumerate() {
            match to.apart(number) {
                None => {
                    let addresses = to.addresses(number, 0);
                    let request = to.request(Access::Store, at.mask, &addresses, 4);
                    self.store_checked(warp, at, &request, *register, 4)?;
                }
                Some(both) => {
                    self.within(warp, at, &Op::Unpack { parts: halves.to_vec(), a: *register, bits: 16 });
                    for (addresses, half) in both.iter().zip(halves) {
                        let request = to.request(Access::Store, at.mask, addresses, 2);
                        self.store_checked(warp, at, &request, half, 2)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn load_checked(
        &mut self,
        warp: &mut Warp,
        at: At,
        request: &Request,
        d: Reg,
        bytes: u32,
    ) -> Executed<()> {
        match self.checks {
            true => self.load::<true>(warp, at, request, &[d], bytes, false),
            false => self.load::<false>(warp, at, request, &[d], bytes, false),
        }
    }

    fn store_checked(
        &mut self,
        warp: &mut Warp,
        at: At,
        request: &Request,
        s: Reg,
        bytes: u32,
    ) -> Executed<()> {
        match self.checks {
            true => self.store::<true>(warp, at, request, &[s], bytes),
            false => self.store::<false>(warp, at, request, &[s], bytes),
        }
    }

    /// Moves values between registers as a part of an instruction.
    fn within(&self, warp: &mut Warp, at: At, op: &Op) {
        let activation = &mut warp.activations[at.slot as usize];
        if self.checks {
            follow::follow(activation, at.function, op, at.mask);
        }
        registers::execute(op, activation, at.function, at.mask, self.globals);
    }
}

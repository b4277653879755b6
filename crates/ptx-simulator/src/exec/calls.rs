//! Calls of device functions: parameters into the callee's frame, the result back.

use super::context::{At, Context, Executed};
use super::warp::{Warp, Way};
use crate::arith::{lanes, which};
use crate::decode::runtime::Call;
use crate::decode::{Callee, FUNCTION_WINDOW, Op, unknown};
use crate::diagnostic::Kind;
use crate::memory;
use crate::what::{Limit, What};

/// Calls of device functions that a thread may have open: a GPU's default stack of 1 KiB holds far fewer.
const MAX_CALLS: u32 = 1024;

impl Context<'_> {
    /// Copies the value that a function returns into its caller's frame.
    pub fn give_back(&mut self, warp: &mut Warp, index: usize, at: At) {
        let call = warp.call_of(warp.splits[index].join);
        let (Some(ret), Some(call)) = (&at.function.returns, call) else { return };
        let Some(to) = warp.activations[at.slot as usize].returns_to else { return };
        self.pass(warp, at.mask, ret.bytes, (at.slot, ret.offset), (call.activation, to));
    }

    /// Copies bytes of call parameters from one activation's to another's, and whether they have been
    /// written, or which line those come from that have not.
    fn pass(&self, warp: &mut Warp, mask: u32, bytes: usize, from: (u32, usize), to: (u32, usize)) {
        let place = |(slot, at): (u32, usize)| warp.activations[slot as usize].frame_base + at;
        let from = place(from);
        let to = place(to);
        for lane in lanes(mask) {
            let value = warp.local_of(lane, from as u64, bytes).map(|bytes| bytes.to_vec());
            if let (Some(slot), Some(value)) = (warp.local_of(lane, to as u64, bytes), value) {
                slot.copy_from_slice(&value);
            }
            warp.move_racing(lane, Some(from), to, bytes);
            for byte in (0..bytes).filter(|_| self.checks) {
                let written = warp.local_written(lane);
                let defined = written.any(from + byte, 1);
                written.set(to + byte, 1, defined);
                if !defined {
                    let origin = warp.origin(lane, from + byte);
                    warp.origins.insert((lane, to + byte), origin);
                }
            }
        }
    }

    pub fn call(&mut self, warp: &mut Warp, index: usize, at: At) -> Executed<()> {
        let Op::Call { callee, pointer, args, ret } = &at.inst.op else { return Ok(()) };
        let program = self.program;
        let (number, active) = match callee {
            Callee::Function(number) => (*number, at.mask),
            Callee::Pointer => {
                let values = *at.source(warp, *pointer);
                let first = values[at.mask.trailing_zeros() as usize];
                // Lanes with another function call it afterwards: the same instruction is met again by them.
                let same = which(at.mask, |lane| values[lane] == first);
                let number = memory::index(first.wrapping_sub(FUNCTION_WINDOW));
                if number >= program.functions.len() {
                    let what = format!("a call goes to {first:#x}, where there is no function");
                    let help = "check where this function pointer comes from";
                    return Err(self.fault(warp, At { mask: same, ..at }, Kind::OutOfBounds, what, help));
                }
                if same != at.mask {
                    let pc = warp.splits[index].pc;
                    let ways = [Way { pc, mask: at.mask & !same }, Way { pc, mask: same }];
                    warp.diverge(index, &ways, pc + 1);
                    return Ok(());
                }
                (number, same)
            }
            Callee::External { call: Some(Call::Math(math)), .. } => {
                return self.compute(warp, index, at, *math, (args, *ret));
            }
            Callee::External { call: Some(call), .. } => {
                return self.runtime(warp, index, at, *call, args, *ret);
            }
            Callee::External { name, call: None } => {
                let name = &program.externals[*name as usize];
                let what = unknown::function(name, &program.name);
                let help = unknown::help_on(name);
                return Err(self.fault(warp, at, Kind::UnsupportedInstruction, what, help));
            }
        };
        let function = &program.functions[number];
        if warp.activations[at.slot as usize].depth >= MAX_CALLS {
            let name = &function.name;
            let what = format!(
                "a thread has more than {MAX_CALLS} nested calls of device functions, the last to {name}"
            );
            let help = "a recursive device function does not end, or needs more stack than a GPU gives";
            let what = What::Refused(Limit::Calls, what);
            return Err(self.fault(warp, at, Kind::LaunchLimit, what, help));
        }
        let callee = warp.call(index, active, number, function, *ret);
        let (start, end) = warp.activations[callee as usize].local();
        if self.checks && start < end {
            // An earlier call may have written there; these variables are new.
            for lane in lanes(active) {
                warp.local_written(lane).set(start, end - start, false);
                warp.move_racing(lane, None, start, end - start);
            }
        }
        for (param, &start) in function.params.iter().zip(args) {
            self.pass(warp, active, param.bytes, (at.slot, start), (callee, param.offset));
        }
        Ok(())
    }
}

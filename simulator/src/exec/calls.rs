//! Calls of device functions: parameters into the callee's frame, the result back.

use super::activation::source;
use super::context::{Context, Executed};
use super::warp::Warp;
use crate::arith::lanes;
use crate::decode::{Callee, FUNCTION_WINDOW, Function, Inst, NONE};
use crate::diagnostic::Kind;
use crate::observe::Watch;

/// Calls of device functions that a thread may have open: a GPU's default stack of 1 KiB holds far fewer.
const MOST_CALLS: u32 = 1024;

impl<O: Watch> Context<'_, O> {
    /// Copies the value that a function returns into its caller's frame.
    pub fn give_back(&mut self, warp: &mut Warp, index: usize, active: u32, function: &Function) {
        let split = warp.splits[index];
        let (Some(ret), Some(caller)) = (&function.returns, warp.caller_of(split.join)) else { return };
        let Some(to) = warp.activations[split.activation as usize].returns_to else { return };
        if O::CHECKS {
            let given = &mut std::mem::take(&mut warp.activations[caller as usize].undefined);
            let from = &warp.activations[split.activation as usize].undefined;
            from.pass(ret.offset, given, to, ret.bytes, active);
            std::mem::swap(&mut warp.activations[caller as usize].undefined, given);
        }
        for lane in lanes(active) {
            let value = warp.activations[split.activation as usize]
                .frame_of(lane, ret.offset, ret.bytes)
                .map(|bytes| bytes.to_vec())
                .unwrap_or_default();
            if let Some(slot) = warp.activations[caller as usize].frame_of(lane, to, ret.bytes) {
                slot.copy_from_slice(&value);
            }
        }
    }

    #[allow(clippy::too_many_arguments)]
    pub fn call(
        &mut self,
        warp: &mut Warp,
        index: usize,
        inst: &Inst,
        active: u32,
        callee: &Callee,
        args: &[usize],
        ret: Option<usize>,
    ) -> Executed<()> {
        let slot = warp.splits[index].activation;
        let program = self.program;
        let (number, active) = match callee {
            Callee::Function(number) => (*number, active),
            Callee::Register(register) => {
                let function = &program.functions[warp.activations[slot as usize].function];
                let values = *source(&warp.activations[slot as usize], function, *register);
                let first = values[active.trailing_zeros() as usize];
                // Lanes with another function call it afterwards: the same instruction is met again by them.
                let same =
                    lanes(active).filter(|&lane| values[lane] == first).fold(0u32, |m, lane| m | 1 << lane);
                let number = first.wrapping_sub(FUNCTION_WINDOW) as usize;
                if number >= program.functions.len() {
                    return Err(self.fault(
                        warp,
                        inst,
                        same,
                        Kind::OutOfBounds,
                        format!("a call goes to {first:#x}, where there is no function"),
                        "check where this function pointer comes from",
                    ));
                }
                if same != active {
                    let pc = warp.splits[index].pc;
                    warp.diverge(index, active & !same, pc, pc, pc + 1);
                    return Ok(());
                }
                (number, same)
            }
            Callee::Runtime(call) => {
                if let Some(ret) = ret {
                    let undefined = &mut warp.activations[slot as usize].undefined;
                    undefined.set_frame(ret, 8, active, (0, NONE));
                }
                return self.runtime(warp, index, inst, active, *call, args, ret);
            }
        };
        let function = &program.functions[number];
        if warp.activations[slot as usize].depth >= MOST_CALLS {
            return Err(self.fault(
                warp,
                inst,
                active,
                Kind::LaunchLimit,
                format!(
                    "more than {MOST_CALLS} calls of device functions are open in a thread, the last of {}",
                    function.name
                ),
                "a recursive device function does not end, or needs more stack than a GPU gives",
            ));
        }
        let values: Vec<(usize, Vec<Vec<u8>>)> = function
            .params
            .iter()
            .zip(args)
            .map(|(param, &from)| {
                let activation = &mut warp.activations[slot as usize];
                let bytes = lanes(active)
                    .map(|lane| {
                        activation.frame_of(lane, from, param.bytes).map(|b| b.to_vec()).unwrap_or_default()
                    })
                    .collect();
                (param.offset, bytes)
            })
            .collect();
        warp.call(index, active, number, function, ret);
        let callee = warp.splits[index].activation;
        if O::CHECKS {
            let to = &mut std::mem::take(&mut warp.activations[callee as usize].undefined);
            let from = &warp.activations[slot as usize].undefined;
            for (param, &start) in function.params.iter().zip(args) {
                from.pass(start, to, param.offset, param.bytes, active);
            }
            std::mem::swap(&mut warp.activations[callee as usize].undefined, to);
        }
        for (offset, bytes) in values {
            for (lane, bytes) in lanes(active).zip(bytes) {
                if let Some(slot) = warp.activations[callee as usize].frame_of(lane, offset, bytes.len()) {
                    slot.copy_from_slice(&bytes);
                }
            }
        }
        Ok(())
    }
}

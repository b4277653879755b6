//! What device code asks of the runtime while it runs: child launches, waiting for them, their errors, memory, `printf`,
//! `assert`.
//!
//! A launch is two calls: one gives a buffer for the arguments, the other hands the buffer to a stream. At most
//! `cudaLimitDevRuntimePendingLaunchCount` launches may wait; one more is refused, and only the launching thread
//! learns of it, through `cudaGetLastError` (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
//!
//! Before CUDA 12 (the same guide, release 11, "Implementation Restrictions and Limitations") such a launch was kept in
//! a second pool, and `cudaDeviceSynchronize` waited for all that the block had launched so far. It did so in grids of the
//! first `cudaLimitDevRuntimeSyncDepth` levels only, two unless set: the host's grid and its children. In deeper ones it
//! returned an error. That launches nested 24 deep at most is not modelled.

use super::context::Context;
use super::launches::Launches;
use super::printf;
use super::warp::{Wait, Warp};
use crate::arith::{WARP, lanes};
use crate::decode::runtime::{self, Call};
use crate::decode::{FUNCTION_WINDOW, Inst};
use crate::device::{LaunchConfig, check_config};
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::memory::{self, span};
use crate::observe::{Act, DeviceLaunch, Event, Watch};
use crate::ptx::Space;

impl<O: Watch> Context<'_, O> {
    /// Does a runtime call for the lanes of `active`, one after the other, and goes on behind it.
    #[allow(clippy::too_many_arguments)]
    pub fn runtime(
        &mut self,
        warp: &mut Warp,
        index: usize,
        inst: &Inst,
        active: u32,
        call: Call,
        args: &[usize],
        ret: Option<usize>,
    ) -> Result<(), Box<Diagnostic>> {
        let split = warp.splits[index];
        if warp.last_error.is_empty() {
            warp.last_error = vec![0; WARP];
        }
        let too_deep = self.launches.depth >= self.launches.sync_depth;
        if O::CHECKS && call == Call::DeviceSynchronize && too_deep {
            let finding = self.too_deep_to_wait(warp, inst, active);
            self.observer.event(&Event::Finding(&finding));
        }
        for lane in lanes(active) {
            let activation = &mut warp.activations[split.activation as usize];
            let mut argument = |number: usize, offset: usize, bytes: usize| {
                args.get(number)
                    .and_then(|start| activation.frame_of(lane, start + offset, bytes))
                    .map_or(0, |bytes| memory::read(bytes))
            };
            let mut error = None;
            let result = match call {
                Call::GetParameterBuffer => {
                    let dim = |argument: &mut dyn FnMut(usize, usize, usize) -> u64, number| {
                        let mut axis = |i: usize| argument(number, 4 * i, 4) as u32;
                        (axis(0), axis(1), axis(2))
                    };
                    let kernel = argument(0, 0, 8).wrapping_sub(FUNCTION_WINDOW) as usize;
                    let config = LaunchConfig {
                        grid_dim: dim(&mut argument, 1),
                        block_dim: dim(&mut argument, 2),
                        shared_mem_bytes: argument(3, 0, 4) as u32,
                    };
                    let buffer = match self.program.functions.get(kernel) {
                        None => {
                            error = Some(runtime::INVALID_DEVICE_FUNCTION);
                            0
                        }
                        Some(function)
                            if check_config(&config).is_err()
                                || function.shared_bytes + config.shared_mem_bytes as usize
                                    > self.device.shared_per_block =>
                        {
                            error = Some(runtime::INVALID_CONFIGURATION);
                            0
                        }
                        Some(function) => self.launches.open(kernel, config, function.param_bytes),
                    };
                    if error.is_some() {
                        // Compiled code walks past the launch when it gets no buffer: it is refused here.
                        let actor = self.actor(warp, inst);
                        let (number, limit) = (self.launches.accepted, self.launches.limit);
                        let launch =
                            DeviceLaunch { launch: number, lane, refused: error, limit, params: &[] };
                        self.act(actor, Act::Launch(&launch));
                    }
                    buffer
                }
                Call::LaunchDevice { second_pool } => {
                    let (address, stream) = (argument(0, 0, 8), argument(1, 0, 8));
                    let params = self.launches.params(address);
                    let number = self.launches.accepted;
                    let refused = self.launches.launch(address, stream, self.block.linear, second_pool);
                    error = refused;
                    if refused.is_none() {
                        self.block.children += (stream != runtime::STREAM_TAIL) as u32;
                    }
                    let actor = self.actor(warp, inst);
                    let limit = self.launches.limit;
                    let launch = DeviceLaunch { launch: number, lane, refused, limit, params: &params };
                    self.act(actor, Act::Launch(&launch));
                    refused.unwrap_or(0) as u64
                }
                Call::GetLastError => std::mem::take(&mut warp.last_error[lane]) as u64,
                Call::PeekAtLastError => warp.last_error[lane] as u64,
                Call::DeviceSynchronize => {
                    error = too_deep.then_some(runtime::SYNC_DEPTH_EXCEEDED);
                    error.unwrap_or(0) as u64
                }
                Call::StreamDestroy => 0,
                Call::StreamCreate => {
                    let (to, handle) = (argument(0, 0, 8), self.launches.new_stream());
                    let (space, address) = memory::resolve(to);
                    let slot = match space {
                        Space::Local => warp.local_of(lane, address, 8),
                        Space::Shared => self.block.shared.get_mut(span(self.shared.offset(address, 8), 8)),
                        _ => self.memory.slice_mut(address, 8).ok(),
                    };
                    match slot {
                        Some(slot) => memory::write(slot, handle),
                        None => {
                            return Err(self.fault(
                                warp,
                                inst,
                                1 << lane,
                                Kind::OutOfBounds,
                                format!("cudaStreamCreateWithFlags is to write its handle to {to:#x}"),
                                "pass the address of a cudaStream_t variable",
                            ));
                        }
                    }
                    0
                }
                Call::Malloc => self.memory.heap_alloc(argument(0, 0, 8)).unwrap_or(0),
                Call::Free => {
                    let address = argument(0, 0, 8);
                    if address != 0 && !self.memory.heap_free(address) {
                        return Err(self.fault(
                            warp,
                            inst,
                            1 << lane,
                            Kind::OutOfBounds,
                            format!(
                                "free({address:#x}), which is nothing that malloc on the device has given"
                            ),
                            "free what malloc has returned, once",
                        ));
                    }
                    0
                }
                Call::Printf => {
                    let (format, arguments) = (argument(0, 0, 8), argument(1, 0, 8));
                    self.print(warp, lane, format, arguments) as u64
                }
                Call::AssertFail => {
                    let text = |address| self.text(address).unwrap_or_default();
                    let (message, function) = (text(argument(0, 0, 8)), text(argument(3, 0, 8)));
                    return Err(self.fault(
                        warp,
                        inst,
                        1 << lane,
                        Kind::Trap,
                        format!("assertion `{message}` failed in {function}"),
                        "the kernel's own check says that something is wrong",
                    ));
                }
            };
            if let Some(error) = error {
                warp.last_error[lane] = error;
            }
            let bytes = if matches!(call, Call::GetParameterBuffer | Call::Malloc) { 8 } else { 4 };
            if let Some(ret) = ret
                && let Some(slot) = warp.activations[split.activation as usize].frame_of(lane, ret, bytes)
            {
                memory::write(slot, result);
            }
        }
        if call == Call::DeviceSynchronize && !too_deep {
            if self.block.children > 0 {
                if active == split.mask {
                    warp.splits[index].wait = Wait::Children;
                } else {
                    warp.diverge(index, split.mask & !active, split.pc + 1, split.pc, split.pc + 1);
                }
                return Ok(());
            }
            let actor = self.actor(warp, inst);
            self.act(actor, Act::ChildrenDone { mask: active });
        }
        // Lanes that the guard leaves out do nothing here; all go on behind the call.
        warp.splits[index].pc += 1;
        Ok(())
    }

    /// `cudaDeviceSynchronize` does not wait in this grid: a warning, since a program that does not read what its child
    /// writes is right all the same.
    fn too_deep_to_wait(&self, warp: &Warp, inst: &Inst, active: u32) -> Diagnostic {
        let Launches { depth, sync_depth, .. } = *self.launches;
        let message = format!(
            "cudaDeviceSynchronize() does not wait here: this grid is {depth} launches deep, only {sync_depth} levels of \
             grids may wait, and it returns cudaErrorSyncDepthExceeded (68)"
        );
        let help = "raise cudaLimitDevRuntimeSyncDepth before the first launch, or do not wait: a grid has ended only when \
                    its children have";
        let finding = self.fault(warp, inst, active, Kind::LaunchLimit, message, help);
        Diagnostic { severity: Severity::Warning, ..*finding }
    }

    /// The zero-terminated string at a global address.
    fn text(&self, address: u64) -> Option<String> {
        let mut out = Vec::new();
        for i in 0..4096 {
            match self.memory.slice(address.wrapping_add(i), 1).ok()? {
                [0] => break,
                [byte] => out.push(*byte),
                _ => return None,
            }
        }
        Some(String::from_utf8_lossy(&out).into_owned())
    }

    /// What `printf` returns: how many arguments it has used, or -1 without a format.
    fn print(&mut self, warp: &mut Warp, lane: usize, format: u64, arguments: u64) -> i32 {
        let Some(format) = self.text(format) else { return -1 };
        // A variadic argument lies at the next multiple of its size.
        let (space, mut at) = memory::resolve(arguments);
        let (text, used) = printf::format(
            &format,
            |bytes| {
                at = at.next_multiple_of(bytes as u64);
                let value = match space {
                    Space::Local => warp.local_of(lane, at, bytes).map(|b| memory::read(b)),
                    _ => self.memory.slice(at, bytes).ok().map(memory::read),
                };
                at += bytes as u64;
                value
            },
            |address| self.text(address),
        );
        self.printed.push_str(&text);
        used as i32
    }
}

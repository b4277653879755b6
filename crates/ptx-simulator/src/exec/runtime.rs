//! What device code asks of the runtime while it runs: child launches, waiting for them, their errors,
//! memory, `printf`, `assert`.
//!
//! A launch is two calls: one gives a buffer for the arguments, the other hands the buffer to a stream. nvcc
//! names the kernel in the first, clang in the second. At most `cudaLimitDevRuntimePendingLaunchCount`
//! launches may wait; one more is refused, and only the launching thread learns of it, through
//! `cudaGetLastError` (CUDA C++ Programming Guide, "CUDA Dynamic Parallelism").
//!
//! Before CUDA 12 (the same guide, release 11, "Implementation Restrictions and Limitations") such a launch
//! was kept in a second pool, and `cudaDeviceSynchronize` waited for all that the block had launched so far.
//! It did so in grids of the first `cudaLimitDevRuntimeSyncDepth` levels only, two unless set: the host's
//! grid and its children. In deeper ones it returned an error. That launches nested 24 deep at most is not
//! modelled.

use super::context::{At, Context, Executed};
use super::launches::Launches;
use super::printf;
use super::split::Wait;
use super::warp::Warp;
use crate::arith::math::Math;
use crate::arith::{WARP, lanes};
use crate::decode::FUNCTION_WINDOW;
use crate::decode::runtime::{self, Call};
use crate::device::LaunchConfig;
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::memory::{self, Freed, span};
use crate::observe::{Act, DeviceLaunch};
use crate::ptx::Space;

/// Bytes of parameters that a kernel has at most (CUDA C++ Programming Guide, "Function Parameters").
const MAX_PARAM_BYTES: u64 = 32_764;

/// What a call gives a lane: its result and, if it fails, the error that `cudaGetLastError` shows.
type Given = (u64, Option<u32>);

/// A call that gives an error, or 0.
fn error(error: u32) -> Given {
    (error.into(), Some(error).filter(|error| *error != 0))
}

/// Bytes of `printf` that are kept until somebody takes them: a loop that prints for ever must not fill the
/// host's memory. A GPU's buffer has the same size unless a program asks for another (CUDA C++ Programming
/// Guide, "Formatted Output"); it keeps the last ones, not the first.
pub const MAX_PRINTED: usize = 1 << 20;

/// A call, as far as a lane goes: its arguments stand in the caller's frame.
struct Lane<'a> {
    warp: &'a mut Warp,
    slot: u32,
    lane: usize,
    args: &'a [usize],
}

impl Lane<'_> {
    /// `bytes` bytes of argument `number`, from `offset` on.
    fn part(&mut self, number: usize, offset: usize, bytes: usize) -> u64 {
        let Some(start) = self.args.get(number) else { return 0 };
        self.warp.frame_of(self.slot, self.lane, start + offset, bytes).map_or(0, |bytes| memory::read(bytes))
    }

    fn word(&mut self, number: usize) -> u64 {
        self.part(number, 0, 8)
    }

    fn dim(&mut self, number: usize) -> (u32, u32, u32) {
        let mut axis = |i: usize| self.part(number, 4 * i, 4) as u32;
        (axis(0), axis(1), axis(2))
    }

    /// Grid, block and bytes of shared memory, from argument `number` on.
    fn config(&mut self, number: usize) -> LaunchConfig {
        LaunchConfig {
            grid_dim: self.dim(number),
            block_dim: self.dim(number + 1),
            shared_mem_bytes: self.part(number + 2, 0, 4) as u32,
        }
    }
}

impl Context<'_> {
    /// Does a runtime call for the lanes of `at`, one after the other, and goes on behind it.
    pub fn runtime(
        &mut self,
        warp: &mut Warp,
        index: usize,
        at: At,
        call: Call,
        args: &[usize],
        ret: Option<usize>,
    ) -> Executed<()> {
        self.progress.changed();
        if warp.last_error.is_empty() {
            warp.last_error = vec![0; WARP];
        }
        let waits = call == Call::DeviceSynchronize;
        let too_deep = self.launches.depth >= self.launches.sync_depth;
        if self.checks && waits && too_deep {
            let finding = self.too_deep_to_wait(warp, at);
            self.tell(&finding);
        }
        let bytes =
            if matches!(call, Call::GetParameterBuffer | Call::GetBuffer | Call::Malloc) { 8 } else { 4 };
        for lane in lanes(at.mask) {
            let caller = Lane { warp: &mut *warp, slot: at.slot, lane, args };
            let (result, error) = self.call_of_lane(caller, at.lane(lane), call)?;
            if let Some(error) = error {
                warp.last_error[lane] = error;
            }
            let Some(ret) = ret else { continue };
            if let Some(to) = warp.frame_of(at.slot, lane, ret, bytes) {
                memory::write(to, result);
            }
            if self.checks {
                let at = warp.activations[at.slot as usize].frame_base + ret;
                warp.local_written(lane).set(at, bytes, true);
            }
        }
        self.memory.launch_bytes = self.launches.bytes;
        if self.memory.room() == 0 && self.launches.bytes > 0 {
            return Err(self.out_of_memory());
        }
        if waits && !too_deep {
            if self.block.children > 0 {
                let waiting = warp.stay(index, at.mask);
                warp.splits[waiting].wait = Wait::Children;
                return Ok(());
            }
            self.act(warp, at, Act::ChildrenDone(at.mask));
        }
        // Lanes that the guard leaves out do nothing here; all go on behind the call.
        warp.splits[index].pc += 1;
        Ok(())
    }

    /// Calls a function of `<math.h>` for the lanes of `at`. What it makes of an undefined argument is
    /// undefined.
    pub fn compute(
        &mut self,
        warp: &mut Warp,
        index: usize,
        at: At,
        math: Math,
        (args, ret): (&[usize], Option<usize>),
    ) -> Executed<()> {
        for lane in lanes(at.mask) {
            let base = warp.activations[at.slot as usize].frame_base;
            let mut caller = Lane { warp: &mut *warp, slot: at.slot, lane, args };
            let results = math.apply(|number, bytes| caller.part(number, 0, bytes));
            let mut lost = None;
            for (start, bytes) in args.iter().zip(math.reads()).filter(|_| self.checks) {
                let written = warp.local_written(lane).all(base + start, *bytes);
                lost = lost.or((!written).then(|| warp.origin(lane, base + start)));
            }
            if let Some(ret) = ret.filter(|_| results.bytes > 0)
                && let Some(to) = warp.frame_of(at.slot, lane, ret, results.bytes)
            {
                memory::write(to, results.value);
                if self.checks {
                    warp.local_written(lane).set(base + ret, results.bytes, lost.is_none());
                    if let Some(origin) = lost {
                        let bytes = base + ret..base + ret + results.bytes;
                        warp.origins.extend(bytes.map(|byte| ((lane, byte), origin)));
                    }
                }
            }
            for (number, value, bytes) in results.through.into_iter().flatten() {
                let mut caller = Lane { warp: &mut *warp, slot: at.slot, lane, args };
                let to = caller.word(number);
                if !self.put(caller, to, (value, bytes), lost.is_none()) {
                    let what = format!("a function of <math.h> cannot write its result to {to:#x}");
                    let help = "pass the address of a variable";
                    return Err(self.fault(warp, at.lane(lane), Kind::OutOfBounds, what, help));
                }
            }
        }
        warp.splits[index].pc += 1;
        Ok(())
    }

    /// Does a call for the one lane of `at`. Memory is set at once.
    fn call_of_lane(&mut self, mut caller: Lane, at: At, call: Call) -> Executed<Given> {
        let lane = caller.lane;
        let first = caller.word(0);
        let second = caller.word(1);
        let (kind, what, help) = match call {
            Call::GetParameterBuffer => return Ok(self.parameter_buffer(caller, at)),
            Call::LaunchDevice { second_pool } => {
                return Ok(error(self.launch_in(caller, at, first, second, second_pool)));
            }
            Call::GetBuffer => {
                // For a kernel that is named later. No kernel has more parameters, and no buffer is longer
                // than its addresses.
                let bytes = second.min(MAX_PARAM_BYTES) as usize;
                return Ok((self.launches.open(usize::MAX, LaunchConfig::new(1, 1), bytes), None));
            }
            Call::LaunchKernel => return Ok(error(self.launch_kernel(caller, at))),
            Call::DeviceSynchronize if self.launches.depth >= self.launches.sync_depth => {
                return Ok(error(runtime::SYNC_DEPTH_EXCEEDED));
            }
            Call::DeviceSynchronize | Call::StreamDestroy => return Ok(error(0)),
            Call::GetLastError => {
                return Ok((std::mem::take(&mut caller.warp.last_error[lane]).into(), None));
            }
            Call::PeekAtLastError => return Ok((caller.warp.last_error[lane].into(), None)),
            Call::StreamCreate => {
                let handle = self.launches.new_stream();
                return self.put_word(caller, at, handle, "cudaStreamCreateWithFlags", "cudaStream_t");
            }
            Call::Malloc => return Ok((self.memory.heap_alloc(first).unwrap_or(0), None)),
            Call::Free | Call::CudaFree
                if first == 0
                    || self.memory.heap_free(first, Freed { grid: self.grid, loc: at.inst.loc }) =>
            {
                return Ok(error(0));
            }
            Call::CudaFree => return Ok(error(runtime::INVALID_VALUE)),
            Call::Free => {
                let what = format!("free({first:#x}): not a live allocation from malloc on the device");
                (Kind::OutOfBounds, what, "free what malloc has returned, once")
            }
            Call::CudaMalloc => {
                let Some(address) = self.memory.heap_alloc(second) else {
                    return Ok(error(runtime::MEMORY_ALLOCATION));
                };
                return self.put_word(caller, at, address, "cudaMalloc", "pointer");
            }
            Call::CudaMemset => {
                let value = caller.part(1, 0, 1) as u8;
                let bytes = memory::index(caller.word(2));
                if let Ok(to) = self.memory.slice_mut(first, bytes) {
                    to.fill(value);
                    self.memory.define(first, bytes);
                    return Ok(error(0));
                }
                let what = format!("cudaMemsetAsync of {bytes} bytes at {first:#x} is out of bounds");
                (Kind::OutOfBounds, what, "set no more than has been allocated there")
            }
            Call::Printf => return Ok((self.print(caller.warp, lane, first, second) as u64, None)),
            Call::AssertFail => {
                let [asserted, function] = [first, caller.word(3)].map(|address| {
                    let text = self.text(address).unwrap_or_default();
                    String::from_utf8_lossy(&text).into_owned()
                });
                let what = format!("assertion `{asserted}` failed in {function}");
                (Kind::Trap, what, "the kernel's own check says that something is wrong")
            }
            // Computed for all lanes.
            Call::Math(_) => return Ok(error(0)),
        };
        Err(self.fault(caller.warp, at, kind, what, help))
    }

    fn parameter_buffer(&mut self, mut caller: Lane, at: At) -> Given {
        let kernel = memory::index(caller.word(0).wrapping_sub(FUNCTION_WINDOW));
        let config = caller.config(1);
        match self.param_bytes(kernel, &config) {
            Ok(bytes) => (self.launches.open(kernel, config, bytes), None),
            // Compiled code walks past the launch when it gets no buffer: it is refused here.
            Err(why) => (0, Some(self.refuse(caller, at, &why))),
        }
    }

    /// Bytes of the kernel's parameters, or the error of a launch that cannot be, and why.
    fn param_bytes(&self, kernel: usize, config: &LaunchConfig) -> Result<usize, (u32, Option<String>)> {
        let function = self.program.functions.get(kernel).ok_or((runtime::INVALID_DEVICE_FUNCTION, None))?;
        let checked = function.check(self.device, config, None, self.device.shared_per_block);
        checked.map(|()| function.param_bytes).map_err(|(_, why)| (runtime::INVALID_CONFIGURATION, Some(why)))
    }

    /// Reports a launch that is refused: the error.
    fn refuse(&mut self, caller: Lane, at: At, (error, why): &(u32, Option<String>)) -> u32 {
        let Launches { accepted: launch, limit, pending, .. } = *self.launches;
        let lane = caller.lane;
        let refused = Some(*error);
        let refused = DeviceLaunch {
            launch,
            lane,
            refused,
            why: why.as_deref(),
            pending,
            limit,
            params: &[],
            child: None,
        };
        self.act(caller.warp, at, Act::Launch(&refused));
        *error
    }

    /// A launch as clang has it: the error.
    fn launch_kernel(&mut self, mut caller: Lane, at: At) -> u32 {
        let kernel = memory::index(caller.word(0).wrapping_sub(FUNCTION_WINDOW));
        let address = caller.word(1);
        let config = caller.config(2);
        let stream = caller.word(5);
        match self.param_bytes(kernel, &config) {
            Ok(bytes) => {
                self.launches.fill_in(address, kernel, config, bytes);
                self.launch_in(caller, at, address, stream, false)
            }
            Err(why) => {
                self.launches.close(address);
                self.refuse(caller, at, &why)
            }
        }
    }

    fn launch_in(&mut self, caller: Lane, at: At, address: u64, stream: u64, second_pool: bool) -> u32 {
        let params = self.launches.params(address);
        let child = self.launches.child(address);
        let launch = self.launches.accepted;
        let limit = self.launches.limit;
        let place = (at.inst.loc, at.inst.line);
        let refused = self.launches.launch(address, stream, (self.block.linear, place), second_pool);
        if refused.is_none() {
            self.block.children += (stream != runtime::STREAM_TAIL) as u32;
        }
        let pending = self.launches.pending;
        let lane = caller.lane;
        let why = None;
        let said = DeviceLaunch { launch, lane, refused, why, pending, limit, params: &params, child };
        self.act(caller.warp, at, Act::Launch(&said));
        refused.unwrap_or(0)
    }

    /// Writes what a call of this name gives to a lane's first argument: the generic address of a `variable`.
    fn put_word(
        &mut self,
        mut caller: Lane,
        at: At,
        word: u64,
        name: &str,
        variable: &str,
    ) -> Executed<Given> {
        let to = caller.word(0);
        let Lane { warp, slot, lane, args } = caller;
        if self.put(Lane { warp: &mut *warp, slot, lane, args }, to, (word, 8), true) {
            return Ok(error(0));
        }
        let what = format!("{name} cannot write its result to {to:#x}");
        let help = format!("pass the address of a {variable} variable");
        Err(self.fault(warp, at, Kind::OutOfBounds, what, &help))
    }

    /// Writes a value of a lane's to a generic address, which counts as written then or not; whether there is
    /// room for it.
    fn put(&mut self, caller: Lane, to: u64, (value, bytes): (u64, usize), is_written: bool) -> bool {
        let (space, address) = memory::resolve(to);
        let address = if space == Space::Shared { self.own_offset(address, bytes as u32) } else { address };
        let slot = match space {
            Space::Local => caller.warp.local_of(caller.lane, address, bytes),
            Space::Shared => self.block.shared.bytes.get_mut(span(address, bytes)),
            _ => self.memory.slice_mut(address, bytes).ok(),
        };
        let Some(slot) = slot else { return false };
        memory::write(slot, value);
        if self.checks {
            self.set_written(caller.warp, (space, None), caller.lane, address, bytes as u32, is_written);
        }
        true
    }

    /// `cudaDeviceSynchronize` does not wait in this grid: a warning, since a program that does not read what
    /// its child writes is right all the same.
    fn too_deep_to_wait(&self, warp: &Warp, at: At) -> Diagnostic {
        let Launches { depth, sync_depth, .. } = *self.launches;
        let message = format!(
            "cudaDeviceSynchronize() does not wait here: this grid is {depth} launches deep, only \
             {sync_depth} levels of grids may wait, and it returns cudaErrorSyncDepthExceeded (68)"
        );
        let help = "raise cudaLimitDevRuntimeSyncDepth before the first launch, or do not wait: a grid has \
                    ended only when its children have";
        let finding = self.fault(warp, at, Kind::LaunchLimit, message, help);
        Diagnostic { severity: Severity::Warning, ..*finding }
    }

    /// The zero-terminated string at a global address.
    fn text(&self, address: u64) -> Option<Vec<u8>> {
        let mut out = Vec::new();
        for i in 0..4096 {
            match self.memory.slice(address.wrapping_add(i), 1).ok()? {
                [0] => break,
                [byte] => out.push(*byte),
                _ => return None,
            }
        }
        Some(out)
    }

    /// What `printf` returns: how many arguments it has used, -1 without a format, -2 if there is no more
    /// room.
    fn print(&mut self, warp: &mut Warp, lane: usize, format: u64, arguments: u64) -> i32 {
        if self.printed.len() >= MAX_PRINTED {
            return -2;
        }
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
        self.printed.push_str(&String::from_utf8_lossy(&text));
        used as i32
    }
}

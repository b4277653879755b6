//! Device launches: argument buffers, and launches that the grid has not seen yet.

use crate::decode::runtime;
use crate::device::LaunchConfig;
use crate::memory::{self, span};

/// A child grid that waits to be started.
#[derive(Debug)]
pub struct PendingLaunch {
    /// Number among all that were accepted.
    pub number: u32,
    pub kernel: usize,
    pub config: LaunchConfig,
    pub params: Vec<u8>,
    pub stream: u64,
    /// The block that launched it.
    pub block: u64,
}

/// Device launches: open argument buffers, and what has been asked for since the engine last looked.
#[derive(Debug)]
pub struct Launches {
    buffers: Vec<Option<Box<Buffer>>>,
    free: Vec<usize>,
    pub requests: Vec<PendingLaunch>,
    /// Launches that count against the limit.
    pub pending: u64,
    pub limit: u64,
    pub accepted: u32,
    /// How deep the grid whose turn it is lies, and from which depth on a grid may not wait for its children.
    pub depth: u32,
    pub sync_depth: u32,
    streams: u64,
    /// Bytes of this machine that argument buffers and launches take which have not ended.
    pub bytes: u64,
}

/// What a launch takes of this machine's memory beside its parameters, about: its buffer, its place in a
/// queue, its grid.
const LAUNCH_BYTES: u64 = 1 << 10;

/// Where argument buffers lie; nothing else does.
const BUFFER_WINDOW: u64 = 0x10 << 56;
const BUFFER_BITS: u32 = 16;

#[derive(Debug)]
struct Buffer {
    kernel: usize,
    config: LaunchConfig,
    params: Vec<u8>,
}

impl Launches {
    pub fn new(limit: u64, sync_depth: u32) -> Launches {
        Launches {
            buffers: Vec::new(),
            free: Vec::new(),
            requests: Vec::new(),
            pending: 0,
            limit,
            accepted: 0,
            depth: 0,
            sync_depth,
            streams: 0,
            bytes: 0,
        }
    }

    /// A buffer for the arguments of a launch.
    pub fn open(&mut self, kernel: usize, config: LaunchConfig, param_bytes: usize) -> u64 {
        self.bytes += LAUNCH_BYTES + param_bytes as u64;
        let buffer = Some(Box::new(Buffer { kernel, config, params: vec![0; param_bytes] }));
        let slot = match self.free.pop() {
            Some(slot) => {
                self.buffers[slot] = buffer;
                slot
            }
            None => {
                self.buffers.push(buffer);
                self.buffers.len() - 1
            }
        };
        BUFFER_WINDOW | ((slot as u64 + 1) << BUFFER_BITS)
    }

    /// Says what an open buffer is for.
    pub fn fill_in(&mut self, address: u64, kernel: usize, config: LaunchConfig, param_bytes: usize) {
        let slot = slot_of(address).and_then(|slot| self.buffers.get_mut(slot)?.as_mut());
        if let Some(buffer) = slot {
            (buffer.kernel, buffer.config) = (kernel, config);
            self.bytes = self.bytes - buffer.params.len() as u64 + param_bytes as u64;
            buffer.params.resize(param_bytes, 0);
        }
    }

    /// Forgets an open buffer.
    pub fn close(&mut self, address: u64) {
        if let Some(slot) = slot_of(address)
            && let Some(buffer) = self.buffers.get_mut(slot).and_then(Option::take)
        {
            self.free.push(slot);
            self.ended(&buffer.params);
        }
    }

    /// A launch with these parameters takes no memory any more.
    pub fn ended(&mut self, params: &[u8]) {
        self.bytes -= LAUNCH_BYTES + params.len() as u64;
    }

    /// Bytes of an open buffer.
    pub fn buffer(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let slot = slot_of(address)?;
        let offset = address & ((1 << BUFFER_BITS) - 1);
        self.buffers.get_mut(slot)?.as_mut()?.params.get_mut(span(offset, bytes))
    }

    /// The arguments in an open buffer.
    pub fn params(&self, address: u64) -> Vec<u8> {
        let buffer = slot_of(address).and_then(|slot| self.buffers.get(slot)?.as_ref());
        buffer.map(|buffer| buffer.params.clone()).unwrap_or_default()
    }

    /// Queues the launch, or says why not; with a `second_pool` there is room for any number.
    pub fn launch(&mut self, address: u64, stream: u64, block: u64, second_pool: bool) -> Option<u32> {
        let taken = slot_of(address).and_then(|slot| Some((slot, self.buffers.get_mut(slot)?.take()?)));
        let Some((slot, buffer)) = taken else { return Some(runtime::INVALID_CONFIGURATION) };
        self.free.push(slot);
        if self.pending >= self.limit && !second_pool {
            self.ended(&buffer.params);
            return Some(runtime::PENDING_COUNT_EXCEEDED);
        }
        self.pending += 1;
        let Buffer { kernel, config, params } = *buffer;
        self.requests.push(PendingLaunch { number: self.accepted, kernel, config, params, stream, block });
        self.accepted += 1;
        None
    }

    pub fn new_stream(&mut self) -> u64 {
        self.streams += 1;
        runtime::FIRST_STREAM + self.streams - 1
    }
}

fn slot_of(address: u64) -> Option<usize> {
    let number = memory::index(address.checked_sub(BUFFER_WINDOW)? >> BUFFER_BITS);
    number.checked_sub(1)
}

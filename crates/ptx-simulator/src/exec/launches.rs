//! Device launches: argument buffers, and launches that the grid has not seen yet.

use rustc_hash::FxHashMap;

use crate::decode::runtime;
use crate::device::LaunchConfig;
use crate::memory::span;
use crate::observe::Child;

/// A child grid that waits to be started.
#[derive(Debug, Default)]
pub struct PendingLaunch {
    /// Number among all that were accepted.
    pub number: u32,
    pub kernel: usize,
    pub config: LaunchConfig,
    pub params: Vec<u8>,
    pub stream: u64,
    /// The block that launched it.
    pub block: u64,
    /// The line of the source and that of the PTX in which that was.
    pub at: (u32, u32),
    /// How many launches in a row have come to this one by launching the same once more.
    pub alike: u32,
}

impl PendingLaunch {
    /// Whether `other` is the same kernel with the same grid and the same arguments.
    pub fn is_like(&self, other: &PendingLaunch) -> bool {
        let PendingLaunch { kernel, config, params, .. } = other;
        (self.kernel, &self.config, &self.params) == (*kernel, config, params)
    }
}

/// Device launches: open argument buffers, and what has been asked for since the engine last looked.
#[derive(Debug, Default)]
pub struct Launches {
    /// By their addresses; and the addresses of those that have been closed, the last of which is used next.
    buffers: FxHashMap<u64, Buffer>,
    free: Vec<u64>,
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
        Launches { limit, sync_depth, ..Launches::default() }
    }

    /// A buffer for the arguments of a launch.
    pub fn open(&mut self, kernel: usize, config: LaunchConfig, param_bytes: usize) -> u64 {
        self.bytes += LAUNCH_BYTES + param_bytes as u64;
        let new = BUFFER_WINDOW | (self.buffers.len() as u64 + 1) << BUFFER_BITS;
        let address = self.free.pop().unwrap_or(new);
        self.buffers.insert(address, Buffer { kernel, config, params: vec![0; param_bytes] });
        address
    }

    /// Says what an open buffer is for.
    pub fn fill_in(&mut self, address: u64, kernel: usize, config: LaunchConfig, param_bytes: usize) {
        if let Some(buffer) = self.buffers.get_mut(&start(address)) {
            buffer.kernel = kernel;
            buffer.config = config;
            self.bytes = self.bytes - buffer.params.len() as u64 + param_bytes as u64;
            buffer.params.resize(param_bytes, 0);
        }
    }

    /// Forgets an open buffer.
    pub fn close(&mut self, address: u64) {
        if let Some(buffer) = self.take(address) {
            self.ended(&buffer.params);
        }
    }

    fn take(&mut self, address: u64) -> Option<Buffer> {
        let buffer = self.buffers.remove(&start(address))?;
        self.free.push(start(address));
        Some(buffer)
    }

    /// A launch with these parameters takes no memory any more.
    pub fn ended(&mut self, params: &[u8]) {
        self.bytes -= LAUNCH_BYTES + params.len() as u64;
    }

    /// Bytes of an open buffer.
    pub fn buffer(&mut self, address: u64, bytes: usize) -> Option<&mut [u8]> {
        let offset = address - start(address);
        self.buffers.get_mut(&start(address))?.params.get_mut(span(offset, bytes))
    }

    /// The arguments in an open buffer.
    pub fn params(&self, address: u64) -> Vec<u8> {
        self.buffers.get(&start(address)).map(|buffer| buffer.params.clone()).unwrap_or_default()
    }

    /// What an open buffer is for.
    pub fn child(&self, address: u64) -> Option<Child> {
        let Buffer { kernel, config, .. } = self.buffers.get(&start(address))?;
        Some(Child { kernel: *kernel, config: *config })
    }

    /// Queues the launch, or says why not; with a `second_pool` there is room for any number.
    pub fn launch(
        &mut self,
        address: u64,
        stream: u64,
        (block, at): (u64, (u32, u32)),
        second_pool: bool,
    ) -> Option<u32> {
        let Some(Buffer { kernel, config, params }) = self.take(address) else {
            return Some(runtime::INVALID_CONFIGURATION);
        };
        if self.pending >= self.limit && !second_pool {
            self.ended(&params);
            return Some(runtime::PENDING_COUNT_EXCEEDED);
        }
        self.pending += 1;
        let number = self.accepted;
        let alike = 0;
        self.requests.push(PendingLaunch { number, kernel, config, params, stream, block, at, alike });
        self.accepted += 1;
        None
    }

    pub fn new_stream(&mut self) -> u64 {
        self.streams += 1;
        runtime::FIRST_STREAM + self.streams - 1
    }
}

/// Where the buffer of an address starts.
fn start(address: u64) -> u64 {
    address >> BUFFER_BITS << BUFFER_BITS
}

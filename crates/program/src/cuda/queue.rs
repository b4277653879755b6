//! Streams: what is pending, and who waits for what (CUDA C++ Programming Guide, "Asynchronous Concurrent
//! Execution", "Streams").
//!
//! An operation is done as late as it may: when something waits for it. What came before what is kept apart
//! from that, as a clock for each operation: how many operations of each stream came before it for sure. Two
//! operations whose clocks say nothing of each other may run at the same time.

use std::collections::VecDeque;
use std::ops::Range;

use ptx_simulator::LaunchConfig;
use ptx_simulator::host::Call;
use rustc_hash::FxHashMap;

use super::touched::Touched;

/// How many operations of each stream came before, by the streams' numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clock(Vec<u64>);

impl Clock {
    /// What came before either came before both.
    pub fn join(&mut self, other: &Clock) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).max(*theirs);
        }
    }

    /// What came before both.
    fn meet(&mut self, other: &Clock) {
        self.0.truncate(other.0.len());
        for (mine, theirs) in self.0.iter_mut().zip(&other.0) {
            *mine = (*mine).min(*theirs);
        }
    }

    fn of(&self, stream: usize) -> u64 {
        self.0.get(stream).copied().unwrap_or(0)
    }

    fn tick(&mut self, stream: usize) {
        if self.0.len() <= stream {
            self.0.resize(stream + 1, 0);
        }
        self.0[stream] += 1;
    }
}

/// What an operation does.
#[derive(Clone, Debug)]
pub enum Work {
    Kernel(Kernel),
    /// `rows` rows of `bytes` bytes each.
    Copy {
        to: Rows,
        from: Rows,
        bytes: u64,
        rows: u64,
        /// Where the bytes lay that were copied aside to `from` when the program asked for the copy.
        staged: Option<u64>,
    },
    Set {
        to: Rows,
        value: [u8; 4],
        bytes: u64,
        rows: u64,
    },
    /// A function of the host, with its argument.
    Call {
        function: u64,
        args: Vec<u64>,
    },
    /// Memory is there for what comes after it in its stream.
    Allocate {
        address: u64,
        bytes: u64,
    },
    Free {
        address: u64,
        by: &'static str,
    },
}

/// Rows of memory: where the first begins, and how far the next ones are from it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rows {
    pub address: u64,
    pub pitch: u64,
}

impl Rows {
    /// One row.
    pub fn one(address: u64) -> Rows {
        Rows { address, pitch: 0 }
    }

    /// Where a row begins.
    pub fn at(self, row: u64) -> u64 {
        self.address.wrapping_add(self.pitch.wrapping_mul(row))
    }
}

/// Where and when the program asks for an operation.
#[derive(Clone, Debug)]
pub struct Issued {
    /// How many accesses of the host had been noted then.
    pub noted: usize,
    pub place: Option<(String, u32)>,
    /// In steps of the host.
    pub at: u64,
}

impl Issued {
    /// Here and now.
    pub fn by(call: &Call) -> Issued {
        let noted = call.simulator.notes().len();
        Issued { noted, place: call.host.place(), at: call.host.steps() }
    }
}

/// A launch.
#[derive(Clone, Debug)]
pub struct Kernel {
    /// As PTX calls it.
    pub name: String,
    pub config: LaunchConfig,
    pub cluster: Option<(u32, u32, u32)>,
    /// The bytes of its parameters.
    pub params: Vec<u8>,
    /// Whether it may begin before the kernel in front of it in its stream has ended (CUDA C++ Programming
    /// Guide, "Programmatic Dependent Launch and Synchronization").
    pub overlaps: bool,
}

/// An operation of a stream.
#[derive(Clone, Debug)]
pub struct Operation {
    pub work: Work,
    /// The stream's number, and what came before.
    stream: usize,
    clock: Clock,
    pub issued: Issued,
}

/// An operation that was done, and that others may run beside.
#[derive(Debug)]
pub struct Done {
    pub operation: Operation,
    pub touched: Touched,
}

/// A stream.
#[derive(Clone, Debug)]
struct Stream {
    number: usize,
    /// Whether it waits for the legacy default stream, and that one for it.
    blocking: bool,
    /// What came before its next operation.
    last: Clock,
}

/// An event, and what came before it when it was recorded.
#[derive(Clone, Debug, Default)]
struct Event {
    recorded: Option<Clock>,
    /// When, counted in operations of all streams.
    at: u64,
    /// In which stream, by its number.
    stream: usize,
    /// Streams in which it was recorded before, and no one waited for that.
    overwritten: Vec<usize>,
}

/// A wait for an event that leaves out what it was meant for.
#[derive(Clone, Debug)]
pub struct IdleWait {
    pub place: (String, u32),
    /// The streams whose records of the event a later one had taken the place of; none: it had never been
    /// recorded.
    pub overwritten: Vec<usize>,
}

/// What a function of the host in a stream did: which of the noted accesses are its own.
#[derive(Debug)]
struct Called {
    notes: Range<usize>,
    stream: usize,
    at: u64,
}

/// A copy whose bytes were copied aside when the program asked for it.
#[derive(Debug)]
pub struct Staged {
    pub from: u64,
    aside: u64,
    bytes: usize,
    pub place: Option<(String, u32)>,
}

impl Staged {
    /// Whether there still is what was copied aside.
    pub fn is_current(&self, call: &Call) -> bool {
        let content = |address| call.simulator.content(address, self.bytes).ok();
        content(self.from) == content(self.aside)
    }
}

/// The streams of a program.
#[derive(Debug)]
pub struct Queue {
    pending: VecDeque<Operation>,
    pub done: Vec<Done>,
    /// In the order of their notes.
    called: Vec<Called>,
    streams: FxHashMap<u64, Stream>,
    events: FxHashMap<u64, Event>,
    /// The first idle wait of a stream, by its number.
    idle_waits: FxHashMap<usize, IdleWait>,
    /// What the host has waited for.
    host: Clock,
    issued: u64,
    handles: u64,
    numbers: usize,
    /// Whether the host does something at once that a stream may be in the middle of.
    at_once: bool,
    /// Whether a kernel was launched that overlaps with the one in front of it.
    overlaps: bool,
    /// Operations by capturing streams go into a graph.
    pub captured: Option<Captured>,
}

/// A graph that is being captured.
#[derive(Clone, Debug, Default)]
pub struct Captured {
    pub operations: Vec<(Work, Option<(String, u32)>)>,
}

/// The legacy default stream, and the default stream of each thread.
pub const DEFAULT: u64 = 0;
pub const LEGACY: u64 = 1;
pub const PER_THREAD: u64 = 2;
/// The first handles of others.
const FIRST: u64 = 0x100;

impl Default for Queue {
    fn default() -> Queue {
        let stream = |number| Stream { number, blocking: true, last: Clock::default() };
        Queue {
            pending: VecDeque::new(),
            done: Vec::new(),
            called: Vec::new(),
            streams: FxHashMap::from_iter([(DEFAULT, stream(0)), (PER_THREAD, stream(1))]),
            events: FxHashMap::default(),
            idle_waits: FxHashMap::default(),
            host: Clock::default(),
            issued: 0,
            handles: FIRST,
            numbers: 2,
            at_once: false,
            overlaps: false,
            captured: None,
        }
    }
}

/// The stream that a handle stands for.
fn plain(handle: u64) -> u64 {
    if handle == LEGACY { DEFAULT } else { handle }
}

impl Captured {
    /// Bytes that it takes, about.
    pub fn held_bytes(&self) -> u64 {
        (self.operations.len() * (size_of::<Operation>() + BESIDE)) as u64
    }
}

/// Bytes that an operation has besides itself, about: its clock, its parameters, its file's name.
const BESIDE: usize = 128;

impl Queue {
    /// Bytes that streams, events and their operations take, about.
    pub fn held_bytes(&self) -> u64 {
        let operations = self.pending.len() + self.done.len();
        let others = self.streams.len() + self.events.len();
        let captured = self.captured.as_ref().map_or(0, Captured::held_bytes);
        (operations * (size_of::<Operation>() + BESIDE) + others * BESIDE) as u64 + captured
    }

    /// A new stream.
    pub fn open_stream(&mut self, blocking: bool) -> u64 {
        self.handles += 8;
        let stream = Stream { number: self.numbers, blocking, last: self.host.clone() };
        self.numbers += 1;
        self.streams.insert(self.handles, stream);
        self.handles
    }

    /// Ends a stream; whether there was one.
    pub fn close_stream(&mut self, handle: u64) -> bool {
        handle >= FIRST && self.streams.remove(&handle).is_some()
    }

    /// Whether there is such a stream.
    pub fn has_stream(&self, handle: u64) -> bool {
        self.streams.contains_key(&plain(handle))
    }

    /// Whether operations can run beside each other: the program has made streams, or kernels overlap,
    /// or the host does something without waiting.
    pub fn has_several(&self) -> bool {
        self.numbers > 2 || self.overlaps || self.at_once
    }

    /// What came before the next operation of a stream.
    fn before(&self, handle: u64) -> Clock {
        let mut before = self.host.clone();
        let Some(own) = self.streams.get(&plain(handle)) else { return before };
        before.join(&own.last);
        if plain(handle) == DEFAULT {
            self.streams.values().filter(|other| other.blocking).for_each(|other| before.join(&other.last));
        } else if own.blocking
            && let Some(legacy) = self.streams.get(&DEFAULT)
        {
            before.join(&legacy.last);
        }
        before
    }

    /// Appends an operation to a stream.
    pub fn issue(&mut self, handle: u64, work: Work, issued: Issued) {
        if let Some(captured) = &mut self.captured {
            captured.operations.push((work, issued.place));
            return;
        }
        self.overlaps |= matches!(&work, Work::Kernel(kernel) if kernel.overlaps);
        let mut clock = self.before(handle);
        let Some(stream) = self.streams.get_mut(&plain(handle)) else { return };
        clock.tick(stream.number);
        stream.last = clock.clone();
        self.issued += 1;
        self.pending.push_back(Operation { work, stream: stream.number, clock, issued });
    }

    /// Does something for the host at once: nothing comes before it but what the host has waited for, and
    /// nothing waits for it but what the host asks for later.
    pub fn issue_at_once(&mut self, work: Work, issued: Issued) {
        let stream = self.numbers;
        self.numbers += 1;
        self.at_once = true;
        let mut clock = self.host.clone();
        clock.tick(stream);
        self.issued += 1;
        self.pending.push_back(Operation { work, stream, clock: clock.clone(), issued });
        self.host.join(&clock);
    }

    /// What has to be done before a stream is through: what was put into it. An operation of the legacy
    /// default stream waits for all blocking streams, and so does who waits for that stream.
    pub fn through(&self, handle: u64) -> Clock {
        if plain(handle) == DEFAULT {
            return self.before(handle);
        }
        let mut through = self.host.clone();
        self.streams.get(&handle).iter().for_each(|own| through.join(&own.last));
        through
    }

    /// What has to be done before all streams are through.
    pub fn all_through(&self) -> Clock {
        let mut all = self.host.clone();
        self.streams.values().for_each(|stream| all.join(&stream.last));
        self.pending.iter().for_each(|operation| all.join(&operation.clock));
        all
    }

    /// Takes out the next operation that has to be done before `until`.
    pub fn next(&mut self, until: &Clock) -> Option<Operation> {
        let is_before = |one: &Operation| one.clock.of(one.stream) <= until.of(one.stream);
        let at = self.pending.iter().position(is_before)?;
        self.pending.remove(at)
    }

    /// The host has waited until then. What was done is kept as long as something may still run beside it:
    /// what is pending does not know what the host has waited for since.
    pub fn host_waited(&mut self, until: &Clock) {
        self.host.join(until);
        let mut before_all = self.host.clone();
        self.pending.iter().for_each(|one| before_all.meet(&one.clock));
        let is_before_all = |one: &Operation| one.clock.of(one.stream) <= before_all.of(one.stream);
        self.done.retain(|one| !is_before_all(&one.operation));
    }

    /// The accesses `notes` are of a function of the host, the operation `by`.
    pub fn called(&mut self, by: &Operation, notes: Range<usize>) {
        self.called.push(Called { notes, stream: by.stream, at: by.clock.of(by.stream) });
    }

    /// Whether the noted access `note` is of a function of the host that comes before `operation`.
    pub fn is_before(&self, note: usize, operation: &Operation) -> bool {
        let next = self.called.partition_point(|called| called.notes.end <= note);
        self.called.get(next).is_some_and(|called| {
            called.notes.contains(&note) && called.at <= operation.clock.of(called.stream)
        })
    }

    /// The noted accesses are forgotten.
    pub fn forget_calls(&mut self) {
        self.called.clear();
    }

    /// The copies that were put aside and come after an operation in its stream.
    pub fn staged_after(&self, operation: &Operation) -> Vec<Staged> {
        let later = self.pending.iter().filter(|one| one.stream == operation.stream);
        let staged = later.filter_map(|one| match one.work {
            Work::Copy { from, bytes, staged: Some(staged), .. } => Some(Staged {
                from: staged,
                aside: from.address,
                bytes: bytes as usize,
                place: one.issued.place.clone(),
            }),
            _ => None,
        });
        staged.collect()
    }

    /// Whether something is pending.
    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// The operations that are pending.
    pub fn pending(&self) -> impl Iterator<Item = &Operation> {
        self.pending.iter()
    }

    /// Whether a kernel is pending.
    pub fn has_kernel(&self) -> bool {
        self.pending.iter().any(|one| matches!(one.work, Work::Kernel(_)))
    }

    /// Whether something is pending that has to be done before `until`.
    pub fn is_pending_until(&self, until: &Clock) -> bool {
        self.pending.iter().any(|one| one.clock.of(one.stream) <= until.of(one.stream))
    }

    /// The operations that were done and may run at the same time as this one.
    pub fn beside<'q>(&'q self, one: &'q Operation) -> impl Iterator<Item = &'q Done> {
        self.done.iter().filter(move |done| {
            let other = &done.operation;
            other.clock.of(other.stream) > one.clock.of(other.stream)
                && one.clock.of(one.stream) > other.clock.of(one.stream)
        })
    }

    /// The operation that was done in front of this one in its stream.
    pub fn in_front(&self, one: &Operation) -> Option<&Done> {
        let number = |one: &Operation| one.clock.of(one.stream);
        let is_in_front = |other: &Operation| other.stream == one.stream && number(other) + 1 == number(one);
        self.done.iter().find(|done| is_in_front(&done.operation))
    }

    /// A new event.
    pub fn open_event(&mut self) -> u64 {
        self.handles += 8;
        self.events.insert(self.handles, Event::default());
        self.handles
    }

    /// Ends an event; whether there was one.
    pub fn close_event(&mut self, event: u64) -> bool {
        self.events.remove(&event).is_some()
    }

    /// Records an event in a stream; whether there is one. It is a place of its own there: who has waited for
    /// what came before it does not know that it is through.
    pub fn record(&mut self, event: u64, handle: u64) -> bool {
        let mut before = self.before(handle);
        let own = self.streams.get_mut(&plain(handle)).filter(|_| self.captured.is_none());
        let stream = own.as_ref().map_or(0, |stream| stream.number);
        if let Some(own) = own {
            before.tick(own.number);
            own.last = before.clone();
        }
        self.issued += 1;
        let at = self.issued;
        let Some(event) = self.events.get_mut(&event) else { return false };
        let mut overwritten = std::mem::take(&mut event.overwritten);
        if event.recorded.is_some() && event.stream != stream {
            overwritten.push(event.stream);
        }
        *event = Event { recorded: Some(before), at, stream, overwritten };
        true
    }

    /// What came before an event when it was recorded, and when that was; `None`: there is no such event.
    pub fn event(&self, event: u64) -> Option<(Option<&Clock>, u64)> {
        self.events.get(&event).map(|event| (event.recorded.as_ref(), event.at))
    }

    /// Whether the host has waited until an event is through.
    pub fn has_waited_for(&self, event: u64) -> bool {
        let recorded =
            self.events.get(&event).and_then(|event| Some((event.stream, event.recorded.as_ref()?)));
        recorded.is_some_and(|(stream, recorded)| recorded.of(stream) <= self.host.of(stream))
    }

    /// A stream is told, at `place`, to wait for an event: whether that leaves something out.
    pub fn note_idle_wait(&mut self, handle: u64, event: u64, place: Option<(String, u32)>) {
        let Some(event) = self.events.get_mut(&event) else { return };
        let overwritten = std::mem::take(&mut event.overwritten);
        if event.recorded.is_some() && overwritten.is_empty() {
            return;
        }
        if let Some((stream, place)) = self.streams.get(&plain(handle)).zip(place) {
            self.idle_waits.entry(stream.number).or_insert(IdleWait { place, overwritten });
        }
    }

    /// The idle wait of the stream of one of these, if it leaves out the other.
    pub fn idle_wait(&self, [one, other]: [&Operation; 2]) -> Option<&IdleWait> {
        let leaves_out = |wait: &&IdleWait, other: &Operation| {
            wait.overwritten.is_empty() || wait.overwritten.contains(&other.stream)
        };
        let of = |one: &Operation, other: &Operation| {
            self.idle_waits.get(&one.stream).filter(|wait| leaves_out(wait, other))
        };
        of(one, other).or_else(|| of(other, one))
    }

    /// What comes next in a stream comes after an event.
    pub fn wait_for(&mut self, handle: u64, event: u64) {
        let Some(clock) = self.events.get(&event).and_then(|event| event.recorded.clone()) else { return };
        if let Some(stream) = self.streams.get_mut(&plain(handle)) {
            stream.last.join(&clock);
        }
    }
}

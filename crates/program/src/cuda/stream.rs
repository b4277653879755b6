//! Streams and events, as a program sees them; and waiting.

use ptx_simulator::host::{Call, Given, Stop};
use ptx_simulator::{Diagnostic, Kind, Owner, Severity, Words};

use super::allocations::Allocations;
use super::error::{Error, Errors};
use super::launches::Launches;
use super::meetings::Unordered;
use super::memory::release;
use super::names::user_place;
use super::queue::{Clock, Done, Issued, Operation, Queue, Rows, Work};
use super::touched::{Listener, Touched, Way};
use crate::runtime::{Natives_, Runtime, put};

pub const NATIVES: &Natives_ = &[
    ("cudaStreamCreate", |runtime, call| create(runtime, call, true)),
    ("cudaStreamCreateWithFlags", |runtime, call| create(runtime, call, call.word(1) & 1 == 0)),
    ("cudaStreamCreateWithPriority", |runtime, call| create(runtime, call, call.word(1) & 1 == 0)),
    ("cudaStreamDestroy", destroy),
    ("cudaStreamSynchronize", synchronize),
    ("cudaStreamQuery", query),
    ("cudaStreamWaitEvent", wait_event),
    ("cudaStreamAddCallback", add_callback),
    ("cudaLaunchHostFunc", launch_host_func),
    ("cudaDeviceSynchronize", device_synchronize),
    ("cudaThreadSynchronize", device_synchronize),
    ("cudaDeviceReset", device_reset),
    ("cudaThreadExit", device_synchronize),
    ("cudaStreamGetFlags", |runtime, call| zero(runtime, call)),
    ("cudaStreamGetPriority", |runtime, call| zero(runtime, call)),
    ("cudaStreamGetDevice", |runtime, call| zero(runtime, call)),
    ("cudaEventCreate", event_create),
    ("cudaEventCreateWithFlags", event_create),
    ("cudaEventDestroy", event_destroy),
    ("cudaEventRecord", event_record),
    ("cudaEventRecordWithFlags", event_record),
    ("cudaEventSynchronize", event_synchronize),
    ("cudaEventQuery", event_query),
    ("cudaEventElapsedTime", elapsed),
];

fn create(runtime: &mut Runtime, call: &mut Call, blocking: bool) -> Result<Given, Stop> {
    let stream = runtime.kept.get::<Queue>().open_stream(blocking);
    put(call, call.long(0), &stream.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(stream, number *)`
fn zero(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    put(call, call.long(1), &0u32.to_le_bytes())?;
    Ok(runtime.fine())
}

fn destroy(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let stream = call.long(0);
    if !runtime.kept.get::<Queue>().has_stream(stream) {
        return Ok(Given::Word(runtime.no_stream(call, stream, "cudaStreamDestroy") as u32));
    }
    runtime.kept.get::<Queue>().close_stream(stream);
    Ok(runtime.fine())
}

fn synchronize(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let stream = call.long(0);
    if !runtime.kept.get::<Queue>().has_stream(stream) {
        return Ok(Given::Word(runtime.no_stream(call, stream, "cudaStreamSynchronize") as u32));
    }
    let until = runtime.kept.get::<Queue>().through(stream);
    runtime.wait(call, &until)?;
    Ok(runtime.fine())
}

/// What is asked for is done at the first question, and answered at the next: a loop that asks ends.
fn query(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let until = runtime.kept.get::<Queue>().through(call.long(0));
    asked(runtime, call, &until)
}

fn asked(runtime: &mut Runtime, call: &mut Call, until: &Clock) -> Result<Given, Stop> {
    if runtime.kept.get::<Queue>().is_pending_until(until) {
        runtime.wait(call, until)?;
        return Ok(Given::Word(Error::NotReady as u32));
    }
    runtime.wait(call, until)?;
    Ok(runtime.fine())
}

fn wait_event(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    if runtime.kept.get::<Queue>().event(call.long(1)).is_none() {
        return Ok(no_event(runtime, call, "cudaStreamWaitEvent"));
    }
    let place = user_place(runtime, call);
    let queue = runtime.kept.get::<Queue>();
    queue.note_idle_wait(call.long(0), call.long(1), place);
    queue.wait_for(call.long(0), call.long(1));
    Ok(runtime.fine())
}

/// `(stream, function(stream, error, argument), argument, flags)`
fn add_callback(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let args = vec![call.long(0), 0, call.long(2)];
    host_function(runtime, call, call.long(1), args)
}

/// `(stream, function(argument), argument)`
fn launch_host_func(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let args = vec![call.long(2)];
    host_function(runtime, call, call.long(1), args)
}

fn host_function(
    runtime: &mut Runtime,
    call: &mut Call,
    function: u64,
    args: Vec<u64>,
) -> Result<Given, Stop> {
    let work = Work::Call { function, args };
    runtime.kept.get::<Queue>().issue(call.long(0), work, Issued::by(call));
    Ok(runtime.fine())
}

/// What the device was given goes with it (CUDA Runtime API, `cudaDeviceReset`).
fn device_reset(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let given = device_synchronize(runtime, call)?;
    let made = &runtime.kept.get::<Allocations>().made;
    let all: Vec<(u64, &str)> = made.iter().map(|(address, made)| (*address, made.takes)).collect();
    for (address, takes) in all {
        release(runtime, call, address, takes);
    }
    Ok(given)
}

fn device_synchronize(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let until = runtime.kept.get::<Queue>().all_through();
    runtime.wait(call, &until)?;
    Ok(runtime.fine())
}

fn event_create(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let event = runtime.kept.get::<Queue>().open_event();
    put(call, call.long(0), &event.to_le_bytes())?;
    Ok(runtime.fine())
}

fn event_destroy(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    if !runtime.kept.get::<Queue>().close_event(call.long(0)) {
        return Ok(no_event(runtime, call, "cudaEventDestroy"));
    }
    Ok(runtime.fine())
}

fn event_record(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let stream = call.long(1);
    if !runtime.kept.get::<Queue>().has_stream(stream) {
        return Ok(Given::Word(runtime.no_stream(call, stream, "cudaEventRecord") as u32));
    }
    if !runtime.kept.get::<Queue>().record(call.long(0), stream) {
        return Ok(no_event(runtime, call, "cudaEventRecord"));
    }
    Ok(runtime.fine())
}

fn event_synchronize(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Some((recorded, _)) = runtime.kept.get::<Queue>().event(call.long(0)) else {
        return Ok(no_event(runtime, call, "cudaEventSynchronize"));
    };
    let until = recorded.cloned().unwrap_or_default();
    runtime.wait(call, &until)?;
    Ok(runtime.fine())
}

fn event_query(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Some((recorded, _)) = runtime.kept.get::<Queue>().event(call.long(0)) else {
        return Ok(no_event(runtime, call, "cudaEventQuery"));
    };
    let until = recorded.cloned().unwrap_or_default();
    asked(runtime, call, &until)
}

/// `(milliseconds *, event, event)`: the simulator has no times. What it gives grows with the operations
/// between the two.
fn elapsed(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    runtime.asked_for_times = true;
    let queue = &runtime.kept.get::<Queue>();
    let times = [1, 2].map(|number| queue.event(call.long(number)));
    let [Some((Some(first), start)), Some((Some(_), end))] = times else {
        return Ok(no_event(runtime, call, "cudaEventElapsedTime"));
    };
    let first = first.clone();
    let is_through = !queue.is_pending_until(&first) && queue.has_waited_for(call.long(2));
    if !is_through {
        let what = format!(
            "cudaEventElapsedTime before the events are through: it gives {}",
            Error::NotReady.said()
        );
        let help = "wait first: cudaEventSynchronize of the second event";
        runtime.find(call, Kind::HostAccess, Severity::Warning, what, help);
        return Ok(Given::Word(Error::NotReady as u32));
    }
    let milliseconds = end.saturating_sub(start).max(1) as f32;
    put(call, call.long(0), &milliseconds.to_le_bytes())?;
    Ok(runtime.fine())
}

fn no_event(runtime: &mut Runtime, call: &Call, name: &str) -> Given {
    let what = format!("{name} of an event that was not created, not recorded, or destroyed before");
    runtime.find(call, Kind::UseAfterFree, Severity::Error, what, "create it first, and destroy it last");
    runtime.kept.get::<Errors>().give(Error::InvalidResourceHandle)
}

/// Whether a copy brings to the host what a kernel may have written.
fn is_to_host(call: &Call, from: Rows, to: Rows) -> bool {
    let [from, to] = [from, to].map(|rows| call.simulator.allocation(rows.address).map(|found| found.0));
    from == Some(Owner::Device) && to != Some(Owner::Device)
}

impl Runtime<'_> {
    /// Something is asked of a stream that is none.
    pub fn no_stream(&mut self, call: &Call, stream: u64, what: &str) -> Error {
        let what = format!("{what} in a stream that was not created, or destroyed before ({stream:#x})");
        self.find(call, Kind::UseAfterFree, Severity::Error, what, "create it first, and destroy it last");
        self.kept.get::<Errors>().keep(Error::InvalidResourceHandle);
        Error::InvalidResourceHandle
    }

    /// The host waits until all that came before has been done.
    ///
    /// # Errors
    /// A function of the host that was queued ends the program.
    pub fn wait(&mut self, call: &mut Call, until: &Clock) -> Result<(), Stop> {
        let now = self.now;
        while let Some(operation) = self.kept.get::<Queue>().next(until) {
            self.now = operation.issued.at;
            let done = self.perform(call, operation);
            for found in self.device.take_found() {
                let found = self.with_what_filled(call, found);
                self.found_now(found);
            }
            self.now = now;
            done?;
        }
        self.kept.get::<Queue>().host_waited(until);
        if !self.kept.get::<Queue>().is_pending() {
            call.simulator.note_host(false);
            self.kept.get::<Queue>().forget_calls();
        }
        Ok(())
    }

    /// Does an operation.
    fn perform(&mut self, call: &mut Call, operation: Operation) -> Result<(), Stop> {
        let is_beside_others =
            self.kept.get::<Queue>().has_several() || call.simulator.notes().len() > operation.issued.noted;
        let mut touched = Touched::default();
        let mut early = None;
        match &operation.work {
            // A kernel has broken the context: the device does nothing any more.
            Work::Kernel(_) | Work::Copy { .. } | Work::Set { .. }
                if self.kept.get::<Errors>().sticky.is_some() =>
            {
                return Ok(());
            }
            Work::Kernel(kernel) => {
                let most = if is_beside_others { u64::MAX } else { self.hears_passes() };
                let mut listener = (most > 0).then(|| Listener::new(kernel.overlaps, most));
                self.run_kernel(call, kernel, operation.issued.place.as_ref(), listener.as_mut())?;
                let heard = listener.as_ref().filter(|listener| listener.left() > 0);
                self.uses(call, &operation, heard.map(|listener| &listener.touched));
                if let Some(listener) = listener {
                    self.passed(call, &operation, &listener);
                    (touched, early) = (listener.touched, listener.early);
                }
            }
            Work::Copy { to, from, bytes, rows, .. } => {
                self.kept.get::<Launches>().is_heard |= is_to_host(call, *from, *to);
                self.brings(call, &operation);
                for row in 0..*rows {
                    _ = call.simulator.copy(to.at(row), from.at(row), *bytes as usize);
                    touched.add(to.at(row), *bytes, Way::Writes, None);
                    touched.add(from.at(row), *bytes, Way::Reads, None);
                }
            }
            Work::Set { to, value, bytes, rows } => {
                self.brings(call, &operation);
                for row in 0..*rows {
                    if let Ok(content) = call.simulator.content_mut(to.at(row), *bytes as usize) {
                        content.fill(value[0]);
                    }
                    touched.add(to.at(row), *bytes, Way::Writes, None);
                }
            }
            Work::Call { function, args } => {
                let noted = call.simulator.notes().len();
                let mut staged = self.kept.get::<Queue>().staged_after(&operation);
                staged.retain(|copy| copy.is_current(call));
                call.host.invoke(call.simulator, self, *function, args)?;
                for copy in staged.iter().filter(|copy| !copy.is_current(call)) {
                    self.say_staged(call, copy);
                }
                let notes = noted..call.simulator.notes().len();
                self.kept.get::<Queue>().called(&operation, notes);
            }
            Work::Allocate { address, bytes } => touched.add(*address, *bytes, Way::Writes, None),
            Work::Free { address, .. } => {
                let address = *address;
                let size = call.simulator.allocation(address).map_or(0, |(_, size, _)| size);
                touched.add(address, size, Way::Writes, None);
                release(self, call, address, "cudaFree");
            }
        }
        if !matches!(operation.work, Work::Kernel(_)) {
            self.passes_by(&touched);
            self.uses(call, &operation, Some(&touched));
        }
        if let Some(early) = early {
            self.say_early(call, &operation, &early);
        }
        if is_beside_others {
            self.say_noted(call, &operation, &touched);
            self.say_meetings(call, &operation, &touched);
            self.kept.get::<Queue>().done.push(Done { operation, touched });
        }
        Ok(())
    }

    /// The program is at its end: what it has not waited for, not asked about, not freed. One that `failed`
    /// may have left early.
    pub fn at_end(&mut self, call: &mut Call, failed: bool) -> Result<(), Stop> {
        let pending: Vec<_> = self
            .kept
            .get::<Queue>()
            .pending()
            .map(|one| (one.work.clone(), one.issued.place.clone()))
            .collect();
        let until = self.kept.get::<Queue>().all_through();
        let before = self.outside_is_silent;
        self.outside_is_silent = true;
        self.lost_output = false;
        self.wait(call, &until)?;
        self.outside_is_silent = before;
        if self.lost_output {
            let place = pending.iter().find_map(|(work, place)| match work {
                Work::Kernel(_) => place.clone(),
                _ => None,
            });
            let message =
                "main ends without waiting for this kernel, and what it prints may be lost".to_string();
            let help = "call cudaDeviceSynchronize() before main returns";
            self.find_at(Kind::HostAccess, message, place, Vec::new(), help);
        }
        for unasked in std::mem::take(&mut self.kept.get::<Errors>().unasked) {
            self.found.push(unasked.said());
        }
        self.say_unheard();
        if failed {
            self.say_unused();
        } else {
            self.say_rounded_down();
            self.say_left(call, None);
            self.say_leaks();
        }
        Ok(())
    }

    /// Nothing is said of values that were never written where something else is the cause: a kernel was
    /// stopped, so that what the program went on with was never computed; or nothing orders the kernel that
    /// reads an array and what writes it.
    pub fn forget_what_follows(&mut self) {
        let is_stopped = self.kept.get::<Errors>().sticky.is_some();
        let unordered = std::mem::take(&mut self.kept.get::<Unordered>().0);
        let follows = |found: &mut Diagnostic| {
            let is_of_host = found.kernel.is_none();
            let name = found.spot_mut().and_then(|spot| spot.name.clone());
            is_of_host && is_stopped || name.is_some_and(|name| unordered.contains(&name))
        };
        self.found
            .retain_mut(|timed| timed.found.kind != Kind::UninitializedRead || !follows(&mut timed.found));
    }

    /// A note on device memory that was never freed.
    fn say_leaks(&mut self) {
        let mut left: Vec<_> = self.kept.get::<Allocations>().made.values().collect();
        left.sort_by_key(|made| made.place.clone());
        let Some(first) = left.first() else { return };
        let names: Vec<String> = left.iter().map(|made| format!("`{}`", made.name)).collect();
        let message = match &names[..] {
            [one] => format!("{one} is never freed"),
            several => format!("{} allocations are never freed: {}", several.len(), several.join(", ")),
        };
        let help = format!("call {} when it is used no more", first.takes);
        let what = Words { message, related: Vec::new() };
        let mut found = Diagnostic::of_host(Kind::HostAccess, None, what, &help);
        (found.file, found.line) = first.place.clone().unzip();
        self.found_now(Diagnostic { severity: Severity::Note, ..found });
    }
}

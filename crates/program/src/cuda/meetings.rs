//! What is said of two operations that touch the same memory, and that nothing orders; of an operation and
//! the host alike.

use ptx_simulator::host::Call;
use ptx_simulator::{Kind, Module, Site};

use super::queue::{Done, IdleWait, Operation, Queue, Staged, Work};
use super::touched::{Touched, Way, line};
use crate::runtime::Runtime;

/// The names of arrays that a kernel reads without an order after what writes them, though the program asks
/// for that first.
#[derive(Debug, Default)]
pub struct Unordered(pub Vec<String>);

/// The call that frees without waiting for the streams.
pub const AT_ONCE: &str = "cudaFree";

/// What to do where it does.
const FREE_IN_ORDER: &str = "use cudaFreeAsync in the stream of the last use, or wait for that before: \
                             cudaStreamSynchronize(stream)";

/// What to do about two operations that nothing orders.
const ONE_STREAM: &str = "put both into one stream, or let one stream wait for the other: cudaEventRecord, \
                          then cudaStreamWaitEvent";

const RECORD_FIRST: &str = "call cudaEventRecord before cudaStreamWaitEvent: a wait is for what was recorded \
                            when it was called";

const RECORD_ONCE: &str = "an event keeps its last record only: call cudaStreamWaitEvent after each \
                           cudaEventRecord, or take an event for each stream";

impl Runtime<'_> {
    /// Says that a kernel which overlaps with the one in front of it touches, before it waits for that one,
    /// what that one does.
    pub fn say_early(&mut self, call: &Call, one: &Operation, early: &Touched) {
        let Some(Done { operation, touched }) = self.kept.get::<Queue>().in_front(one) else { return };
        let (Work::Kernel(kernel), Work::Kernel(other)) = (&one.work, &operation.work) else { return };
        let Some(meeting) = early.meets(touched) else { return };
        let [verb, other_verb] = meeting.ways.map(Way::verb);
        let name = match call.simulator.name_of(meeting.address) {
            name if name.is_empty() => "memory".to_string(),
            name => format!("`{name}`"),
        };
        let message = format!(
            "`{}` {verb} {name} while `{}`, which {other_verb} it, may still be under way: it is launched to \
             begin early (cudaLaunchAttributeProgrammaticStreamSerialization)",
            kernel.name, other.name
        );
        let help = "call cudaGridDependencySynchronize() before this line, in each thread";
        let (here, others) = places(self.module, [one, operation], meeting.locs);
        self.find_at(Kind::DataRace, message, here, others, help);
    }

    /// Says that two operations meet which nothing orders.
    pub fn say_meetings(&mut self, call: &Call, one: &Operation, touched: &Touched) {
        let mut found = Vec::new();
        let mut unordered = Vec::new();
        let queue = self.kept.get::<Queue>();
        for Done { operation, touched: other } in queue.beside(one) {
            // Who uses it in between says more.
            if matches!((&one.work, &operation.work), (Work::Free { .. }, Work::Allocate { .. })) {
                continue;
            }
            let Some(meeting) = touched.meets(other) else { continue };
            let [who, other] = [one, operation].map(|one| match &one.work {
                Work::Kernel(kernel) => format!("`{}`", kernel.name),
                Work::Copy { .. } => "a copy".to_string(),
                Work::Set { .. } => "a memset".to_string(),
                Work::Call { .. } => "a function of the host".to_string(),
                Work::Allocate { .. } => "cudaMallocAsync".to_string(),
                Work::Free { by, .. } => by.to_string(),
            });
            let verb = |one: &Operation, way: Way| match one.work {
                Work::Allocate { .. } => "allocates",
                Work::Free { .. } => "frees",
                _ => way.verb(),
            };
            let [verb, other_verb] = [verb(one, meeting.ways[0]), verb(operation, meeting.ways[1])];
            let name = call.simulator.name_of(meeting.address);
            let [reader, writer] = match meeting.ways {
                [Way::Reads, _] => [one, operation],
                _ => [operation, one],
            };
            if writer.issued.at < reader.issued.at {
                unordered.push(name.clone());
            }
            let name = match &*name {
                "" => "memory that".to_string(),
                name => format!("`{name}`, which"),
            };
            let is_at_once = matches!(one.work, Work::Free { by: AT_ONCE, .. });
            let message = match is_at_once {
                true => format!(
                    "{who} {verb} {name} {other} {other_verb}, and does not wait for it: the memory is of \
                     cudaMallocAsync"
                ),
                false => format!(
                    "{who} {verb} {name} {other} {other_verb} in another stream, and nothing orders the two"
                ),
            };
            let (here, mut others) = places(self.module, [one, operation], meeting.locs);
            let idle = queue.idle_wait([one, operation]).cloned();
            let help = match idle {
                _ if is_at_once => FREE_IN_ORDER,
                Some(IdleWait { place: (file, line), overwritten }) => {
                    let (message, help) = match overwritten[..] {
                        [] => ("this waits for nothing: its event had not been recorded", RECORD_FIRST),
                        _ => ("this waits for the last record of its event, and for no other", RECORD_ONCE),
                    };
                    others.insert(0, Site { file, line, message: message.to_string() });
                    help
                }
                None => ONE_STREAM,
            };
            found.push((message, here, others, help));
        }
        self.kept.get::<Unordered>().0.append(&mut unordered);
        for (message, here, others, help) in found {
            self.find_at(Kind::DataRace, message, here, others, help);
        }
    }

    /// Says that a function of the host, which comes first in the stream, has written to memory that a copy
    /// had read before, when the program asked for it.
    pub fn say_staged(&mut self, call: &Call, copy: &Staged) {
        let name = match call.simulator.name_of(copy.from) {
            name if name.is_empty() => "memory".to_string(),
            name => format!("`{name}`"),
        };
        let message = format!(
            "this copy has read {name} when it was called, since that is pageable, and the function that its \
             stream calls first writes there only now"
        );
        let help = "allocate it by cudaMallocHost: then the copy reads it in the order of its stream";
        self.find_at(Kind::HostAccess, message, copy.place.clone(), Vec::new(), help);
    }

    /// Says that the host touched what an operation does, which it had not waited for.
    pub fn say_noted(&mut self, call: &Call, operation: &Operation, touched: &Touched) {
        let notes = call.simulator.notes();
        let queue = self.kept.get::<Queue>();
        let later = notes.iter().enumerate().skip(operation.issued.noted);
        let mut found = None;
        for (_, note) in later.filter(|(at, _)| !queue.is_before(*at, operation)) {
            let mut own = Touched::default();
            let way = if note.writes { Way::Writes } else { Way::Reads };
            own.add(note.address, note.bytes, way, None);
            if let Some(meeting) = touched.meets(&own) {
                found = Some((meeting, note.writes, call.host.place_at(note.loc)));
                break;
            }
        }
        let Some((meeting, writes, place)) = found else { return };
        let what = match &operation.work {
            Work::Kernel(kernel) => format!("`{}`, which is under way,", kernel.name),
            _ => "a copy that is under way".to_string(),
        };
        let name = match call.simulator.name_of(meeting.address) {
            name if name.is_empty() => "memory".to_string(),
            name => format!("`{name}`"),
        };
        let verb = if writes { "writes" } else { "reads" };
        let does = match meeting.ways[0] {
            Way::Atomic => "changes it by atomics".to_string(),
            way => format!("{} it", way.verb()),
        };
        let message = format!("the host {verb} {name} while {what} {does}");
        let there = sites(self.module, operation, meeting.locs[0], ["the other one", "launched here"]);
        let help = "wait before this line: cudaDeviceSynchronize(), or cudaStreamSynchronize(stream)";
        self.find_at(Kind::HostAccess, message, place, there, help);
    }
}

/// Where an operation does something, and the places that belong to it: where it was launched, and those of
/// the other operation.
fn places(
    module: &Module,
    [one, other]: [&Operation; 2],
    [here, there]: [Option<u32>; 2],
) -> (Option<(String, u32)>, Vec<Site>) {
    let mut own = sites(module, one, here, ["here", "launched here"]).into_iter();
    let first = own.next().map(|site| (site.file, site.line));
    let others = sites(module, other, there, ["the other one", "the other one is launched here"]);
    (first, own.chain(others).collect())
}

/// Where an operation does something, and where it was put into its stream if that is another place.
fn sites(module: &Module, operation: &Operation, loc: Option<u32>, [does, launched]: [&str; 2]) -> Vec<Site> {
    let places = [line(module, loc), operation.issued.place.clone()].into_iter().flatten();
    let sites = places.zip([does, launched]);
    sites.map(|((file, line), message)| Site { file, line, message: message.to_string() }).collect()
}

//! A small trace as moments: what one group of lanes does without interruption is one of them.

use workbook::sim::trace::{Did, Event, Touch, Trace};
use workbook::view::lanes;

/// Lanes that act, and what they do.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// The threads, by their number in the block.
    pub threads: Vec<u32>,
    /// The line.
    pub line: Option<u32>,
    /// Thread, buffer, element and value of each read.
    pub reads: Vec<Access>,
    /// The same of each write.
    pub writes: Vec<Access>,
    /// Threads that arrive at a barrier.
    pub arrive: Vec<u32>,
    /// Whether a barrier has opened, and threads that had ended then.
    pub opens: Option<u32>,
}

/// One thread touches one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    /// The thread, by its number in the block.
    pub thread: u32,
    /// The buffer.
    pub buffer: usize,
    /// The element.
    pub element: u64,
    /// Its bits.
    pub value: u64,
}

fn accesses(event: &Event, touch: &Touch) -> Vec<Access> {
    let parts = touch.parts as usize;
    let mut all = Vec::new();
    for (i, (lane, at)) in lanes(event.lanes).zip(&touch.at).enumerate() {
        for part in 0..parts {
            let value = touch.values.get(i * parts + part).copied().unwrap_or(0);
            let thread = event.warp * 32 + lane;
            all.push(Access { thread, buffer: touch.buffer, element: at + part as u64, value });
        }
    }
    all
}

/// The moments of a trace of one block.
pub fn moments(trace: &Trace) -> Vec<Moment> {
    let mut all: Vec<Moment> = Vec::new();
    for event in &trace.events {
        let threads: Vec<u32> = lanes(event.lanes).map(|lane| event.warp * 32 + lane).collect();
        match &event.did {
            Did::Read(touch) | Did::Write(touch) => {
                let is_read = matches!(event.did, Did::Read(_));
                let joins = |last: &&mut Moment| {
                    last.threads == threads
                        && last.line == event.line
                        && last.arrive.is_empty()
                        && (!is_read || last.writes.is_empty())
                };
                if all.last_mut().filter(joins).is_none() {
                    all.push(Moment { threads, line: event.line, ..Moment::default() });
                }
                if let Some(last) = all.last_mut() {
                    let done = if is_read { &mut last.reads } else { &mut last.writes };
                    done.extend(accesses(event, touch));
                }
            }
            Did::Arrive { .. } => arrive(&mut all, threads, event.line),
            Did::Open { exited, .. } => {
                all.push(Moment { opens: Some(*exited), line: event.line, ..Moment::default() });
            }
            _ => {}
        }
    }
    all
}

/// Threads that have nothing else to do arrive together; one that has just written arrives by itself.
fn arrive(all: &mut Vec<Moment>, threads: Vec<u32>, line: Option<u32>) {
    match all.last_mut() {
        Some(last) if !last.arrive.is_empty() && last.reads.is_empty() => last.arrive.extend(threads),
        _ => all.push(Moment { arrive: threads.clone(), threads, line, ..Moment::default() }),
    }
}

/// `0, 2 and 4`
pub fn list(numbers: &[u32]) -> String {
    let words: Vec<String> = numbers.iter().map(u32::to_string).collect();
    match &words[..] {
        [] => "none".to_string(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}

/// `Thread 4` or `Threads 4 and 6`
pub fn who(threads: &[u32]) -> String {
    format!("Thread{} {}", if threads.len() == 1 { "" } else { "s" }, list(threads))
}

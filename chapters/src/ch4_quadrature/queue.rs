//! The queue of intervals, from a trace of `divideQueue`: who offers, who takes, who waits.

use anyhow::Result;
use workbook::figure::Sources;
use workbook::sim::trace::{Did, Event, Trace};
use workbook::view::{Drawing, Film, Frame, Looks, Track, lanes};

use super::area::Interval;

/// Teeth of the figure's curve, as its recipe has them.
const TEETH: u32 = 2;
const LEFT: f64 = 6.0;
const PITCH: f64 = 28.0;
const BOX: f64 = 26.0;
const PLACES_TOP: f64 = 46.0;
const THREADS_TOP: f64 = 122.0;
const DONE_TOP: f64 = 178.0;
/// The words of `Queue` in memory.
const TAKEN: u64 = 0;
const OFFERED: u64 = 1;
const DONE: u64 = 2;

/// What has come of the queue so far. Nodes are 0 where there is none.
#[derive(Clone)]
struct Queue {
    taken: u64,
    offered: u64,
    /// The intervals that wait at their places.
    places: Vec<u64>,
    /// The thread that has taken a place.
    readers: Vec<Option<u32>>,
    /// The place and the node of each thread.
    at: Vec<usize>,
    nodes: Vec<u64>,
    finished: Vec<u64>,
    /// Whether their widths are in `done`.
    told: bool,
}

impl Queue {
    /// As the host fills it: an interval at each of the places that have been offered.
    fn new(trace: &Trace, offered: u64, places: usize) -> Queue {
        let threads = trace.block[0] as usize;
        let node = |place: u64| if place < offered { offered + place } else { 0 };
        Queue {
            taken: 0,
            offered,
            places: (0..places as u64).map(node).collect(),
            readers: vec![None; places],
            at: vec![0; threads],
            nodes: vec![0; threads],
            finished: Vec::new(),
            told: false,
        }
    }

    /// Does what the event has done; the sentence says what that was. No sentence: nothing to see.
    fn follow(&mut self, event: &Event) -> Option<String> {
        let threads: Vec<u32> = lanes(event.lanes).collect();
        match &event.did {
            Did::Atomic { touch, .. } if touch.buffer == 0 && touch.at[0] == TAKEN => {
                Some(self.take(&threads, &touch.values))
            }
            Did::Atomic { touch, .. } if touch.buffer == 0 && touch.at[0] == OFFERED => {
                self.offered += touch.values.len() as u64;
                None
            }
            Did::Atomic { touch, .. } if touch.buffer == 0 && touch.at[0] == DONE => {
                self.told = true;
                Some("No thread has an interval. All add the widths that they have finished to done.".into())
            }
            Did::Atomic { touch, with } if touch.buffer == 1 => Some(self.offer(&threads, &touch.at, with)),
            Did::Read(touch) if touch.buffer == 1 => Some(self.look(&threads, &touch.values)),
            Did::Read(touch) if touch.buffer == 0 => {
                Some("done is as wide as [0, 1]: no interval is left, and all threads end.".into())
            }
            _ => None,
        }
    }

    fn take(&mut self, threads: &[u32], places: &[u64]) -> String {
        let mut finished = false;
        for (&thread, &place) in threads.iter().zip(places) {
            let node = std::mem::take(&mut self.nodes[thread as usize]);
            if node != 0 {
                self.finished.push(node);
                finished = true;
            }
            self.at[thread as usize] = place as usize;
            self.readers[place as usize] = Some(thread);
            self.taken = self.taken.max(place + 1);
        }
        let who = named(threads);
        let what = if places.len() == 1 { "place" } else { "places" };
        let places = joined(places);
        let take = verb(threads, "take");
        if !finished {
            return format!("{who} {take} {what} {places}.");
        }
        let [interval, is] = if threads.len() == 1 { ["interval", "is"] } else { ["intervals", "are"] };
        format!("The {interval} of {who} {is} fine enough. {who} {take} {what} {places}.")
    }

    fn look(&mut self, threads: &[u32], nodes: &[u64]) -> String {
        let mut found = Vec::new();
        let mut waiting = Vec::new();
        for (&thread, &node) in threads.iter().zip(nodes) {
            if node == 0 {
                waiting.push(thread);
                continue;
            }
            found.push(thread);
            self.nodes[thread as usize] = node;
            self.places[self.at[thread as usize]] = 0;
        }
        let mut said = Vec::new();
        if !found.is_empty() {
            said.push(format!("{} {} an interval.", named(&found), verb(&found, "find")));
        }
        if !waiting.is_empty() {
            said.push(format!("{} {} 0, and will look again.", named(&waiting), verb(&waiting, "find")));
        }
        said.join(" ")
    }

    fn offer(&mut self, threads: &[u32], places: &[u64], halves: &[u64]) -> String {
        for ((&thread, &place), &half) in threads.iter().zip(places).zip(halves) {
            self.nodes[thread as usize] = half - 1;
            self.places[place as usize] = half;
        }
        let who = named(threads);
        let [divide, keep, offer] = ["divide", "keep", "offer"].map(|word| verb(threads, word));
        let place = if places.len() == 1 { "place" } else { "places" };
        format!("{who} {divide}, {keep} one half and {offer} the other in {place} {}.", joined(places))
    }

    fn looks(&self) -> Looks {
        let mut frame = Frame::default();
        frame.words("taken", format!("taken: {}", self.taken));
        frame.words("offered", format!("offered: {}", self.offered));
        for (place, &node) in self.places.iter().enumerate() {
            let class = match (node, self.readers[place]) {
                (0, Some(_)) if self.is_awaited(place) => "waits",
                (0, Some(_)) => "ended",
                (0, None) => "unborn",
                _ => "works",
            };
            frame.class(&format!("p{place}"), class);
            frame.words(&format!("i{place}"), width(node));
            frame.words(&format!("r{place}"), self.readers[place].map_or(String::new(), |t| format!("t{t}")));
        }
        for (thread, &node) in self.nodes.iter().enumerate() {
            frame.class(&format!("t{thread}"), if node == 0 { "waits" } else { "works" });
            frame.words(&format!("n{thread}"), width(node));
        }
        for node in &self.finished {
            frame.class(&format!("d{node}"), if self.told { "written" } else { "works" });
        }
        frame.looks
    }

    /// Whether the reader of this place still looks at it.
    fn is_awaited(&self, place: usize) -> bool {
        let reads = |thread: u32| self.at[thread as usize] == place && self.nodes[thread as usize] == 0;
        self.readers[place].is_some_and(reads)
    }
}

/// Four threads, from two intervals on.
pub fn figure(from: &Sources) -> Result<Film> {
    let trace = from.trace("queue")?;
    let places = 1 + trace.events.iter().filter_map(last_taken).max().unwrap_or(0) as usize;
    let mut queue = Queue::new(&trace, 2, places);
    let start = Frame {
        say: "The host has offered the halves of [0, 1]. Each number is the width of an interval."
            .to_string(),
        looks: queue.looks(),
        ..Frame::default()
    };
    let mut frames = vec![start];
    for event in &trace.events {
        if let Some(say) = queue.follow(event) {
            frames.push(Frame { say, looks: queue.looks(), ..Frame::default() });
        }
    }
    let threads = trace.block[0];
    let words = format!(
        "{threads} threads and the {places} places of a queue. Threads take places one after the other, and \
         write the halves that they do not keep into the next places. At the end {} intervals are finished, \
         and {threads} threads wait at places that stay empty.",
        queue.finished.len()
    );
    let mut drawing = Drawing::new(2.0 * LEFT + PITCH * places as f64, DONE_TOP + 34.0, &words);
    draw(&mut drawing, places, threads, &queue.finished);
    let caption = "Places of the queue, each with the thread that has taken it. Orange: the thread waits for \
                   an interval. The curve has 2 teeth.";
    // Both kinds of waiting: an interval for its reader, and readers for theirs.
    let still = frames.iter().position(|frame| frame.say.contains("look again"));
    Ok(Film { still, ..Film::new("queue", drawing, vec![Track::new("divideQueue", frames)], caption) })
}

/// The last place that the event hands to a reader.
fn last_taken(event: &Event) -> Option<u64> {
    match &event.did {
        Did::Atomic { touch, .. } if touch.buffer == 0 && touch.at[0] == TAKEN => {
            touch.values.iter().max().copied()
        }
        _ => None,
    }
}

fn draw(drawing: &mut Drawing, places: usize, threads: u32, finished: &[u64]) {
    drawing.keyed_text("taken", "start", (LEFT, 16.0), "");
    drawing.keyed_text("offered", "start", (LEFT + 90.0, 16.0), "");
    for place in 0..places {
        let x = LEFT + PITCH * place as f64;
        let middle = x + BOX / 2.0;
        drawing.text("quiet", (middle, PLACES_TOP - 6.0), &place.to_string());
        drawing.keyed_rect(&format!("p{place}"), "unborn", (x, PLACES_TOP), (BOX, BOX));
        drawing.keyed_text(&format!("i{place}"), "", (middle, PLACES_TOP + 17.0), "");
        drawing.keyed_text(&format!("r{place}"), "", (middle, PLACES_TOP + BOX + 15.0), "");
    }
    for thread in 0..threads {
        let x = LEFT + 3.0 * PITCH * f64::from(thread);
        drawing.text("start", (x, THREADS_TOP + 18.0), &format!("t{thread}"));
        drawing.keyed_rect(&format!("t{thread}"), "waits", (x + 20.0, THREADS_TOP), (1.5 * BOX, BOX));
        drawing.keyed_text(&format!("n{thread}"), "", (x + 20.0 + 0.75 * BOX, THREADS_TOP + 18.0), "");
    }
    let length = PITCH * places as f64 - (PITCH - BOX);
    drawing.text("start quiet", (LEFT, DONE_TOP - 6.0), "finished, of [0, 1]");
    drawing.rect("unborn", (LEFT, DONE_TOP), (length, 16.0));
    for node in finished {
        let interval = Interval::of(*node, TEETH);
        let x = LEFT + length * interval.start;
        drawing.keyed_rect(&format!("d{node}"), "off", (x, DONE_TOP), (length * interval.width, 16.0));
    }
}

/// `1/4`, that of the node; nothing where there is none.
fn width(node: u64) -> String {
    if node == 0 { String::new() } else { format!("1/{}", 1u64 << node.ilog2()) }
}

/// `1, 2 and 3`
fn joined(items: &[impl ToString]) -> String {
    let words: Vec<String> = items.iter().map(ToString::to_string).collect();
    match &words[..] {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// `t0 and t1`
fn named(threads: &[u32]) -> String {
    joined(&threads.iter().map(|thread| format!("t{thread}")).collect::<Vec<_>>())
}

/// What one thread `takes`, or several `take`.
fn verb(threads: &[u32], word: &str) -> String {
    if threads.len() == 1 { format!("{word}s") } else { word.to_string() }
}

//! How the ranks find each other, and how each learns of the end of another: one TCP connection from rank 0
//! to every other rank, for as long as they work together.
//!
//! A message is a line of JSON. Each rank begins with [`Hello`], and rank 0 answers when it has all of them.
//! A rank that fails says why, and rank 0 tells the others; one that is killed says nothing, but its
//! connection closes; one that hangs is not heard from, and the time runs out.

mod hello;
mod link;

use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

pub use hello::{Fault, Hello};
use hello::{fit, ranks};
pub use link::Link;

#[derive(Debug, Serialize, Deserialize)]
enum Message {
    Hello(Hello),
    /// All are there; what rank 0 has for them.
    Go(Vec<u8>),
    /// I wait, and am alive.
    Here,
    Number(i32),
    Stop(Fault),
}

/// All ranks, connected.
pub struct Meeting {
    rank: usize,
    /// Of rank 0 to all others, in their order; of another to rank 0.
    links: Vec<Link>,
    patience: Duration,
    said_here: Instant,
}

impl Meeting {
    /// Connects the ranks: each says `hello`, and gets what rank 0 has `from_first`.
    pub fn open(
        place: &super::Place,
        hello: Hello,
        from_first: impl FnOnce() -> anyhow::Result<Vec<u8>>,
        timeout: Duration,
    ) -> Result<(Meeting, Vec<u8>), Fault> {
        // Rank 0 gives up first, so that the others hear from it which rank is missing.
        let patience = if place.rank == 0 { timeout.mul_f64(0.8) } else { timeout };
        let mut meeting =
            Meeting { rank: place.rank, links: Vec::new(), patience, said_here: Instant::now() };
        let met = if place.rank == 0 {
            meeting.receive(place, &hello, from_first)
        } else {
            meeting.arrive(place, hello)
        };
        match met {
            Ok(met) => Ok((meeting, met)),
            Err(fault) => Err(meeting.stop(fault)),
        }
    }

    // ANCHOR: receive
    /// Rank 0: waits for the hello of every other rank, and lets them go if they fit.
    fn receive(
        &mut self,
        place: &super::Place,
        own: &Hello,
        from_first: impl FnOnce() -> anyhow::Result<Vec<u8>>,
    ) -> Result<Vec<u8>, Fault> {
        let listener = Link::listen(&place.host, place.port).map_err(Fault::environment)?;
        let (mut strangers, deadline) = (Vec::new(), Instant::now() + self.patience);
        let mut hellos = vec![own.clone()];
        while hellos.len() < place.ranks {
            strangers.extend(Link::accept(&listener));
            // Who says something else than hello is none of us, and is let go.
            for mut link in std::mem::take(&mut strangers) {
                match link.poll() {
                    Ok(Some(Message::Hello(hello))) => {
                        link.rank = hello.rank;
                        self.links.push(link);
                        if let Some(other) = hellos.iter().find(|other| other.rank == hello.rank) {
                            return Err(Fault {
                                status: 2,
                                sentence: format!("two processes are rank {}", other.rank),
                            });
                        }
                        hellos.push(hello);
                    }
                    Ok(None) => strangers.push(link),
                    Ok(Some(_)) | Err(_) => {}
                }
            }
            self.watch()?;
            if Instant::now() > deadline {
                fit(&hellos)?; // what keeps one from taking part may be why another is missing
                let arrived = |rank: &usize| hellos.iter().any(|hello| hello.rank == *rank);
                let missing = (1..place.ranks).filter(|rank| !arrived(rank));
                return Err(Fault::of(format!(
                    "{} never arrived (waited {:?})",
                    ranks(missing),
                    self.patience
                )));
            }
            std::thread::sleep(PAUSE);
        }
        self.links.sort_by_key(|link| link.rank);
        fit(&hellos)?;
        let bytes =
            from_first().map_err(|error| Fault { status: 2, sentence: format!("rank 0: {error:#}") })?;
        self.send_all(&Message::Go(bytes.clone()));
        Ok(bytes)
    }
    // ANCHOR_END: receive

    /// Another rank: says hello to rank 0 as soon as that listens.
    fn arrive(&mut self, place: &super::Place, hello: Hello) -> Result<Vec<u8>, Fault> {
        let deadline = Instant::now() + self.patience;
        let mut link = loop {
            match Link::connect(&place.host, place.port, PAUSE * 100) {
                Ok(link) => break link,
                Err(error) if Instant::now() > deadline => {
                    let (host, port, rank) = (&place.host, place.port, place.rank);
                    return Err(Fault::of(format!(
                        "rank 0 never arrived: rank {rank} found nobody at {host}:{port} (waited {:?}; \
                         {error})",
                        self.patience
                    )));
                }
                Err(_) => std::thread::sleep(PAUSE * 10),
            }
        };
        link.send(&Message::Hello(hello));
        self.links.push(link);
        let mut answer = None;
        self.wait("rank 0 to answer", |meeting| {
            answer = meeting.heard(0)?;
            Ok(answer.is_some())
        })?;
        match answer {
            Some(Message::Go(bytes)) => Ok(bytes),
            _ => Err(Fault::of("rank 0 answered something else than was asked".into())),
        }
    }

    // ANCHOR: wait
    /// Waits until `ready`, while all ranks are there.
    pub fn wait(
        &mut self,
        what: &str,
        mut ready: impl FnMut(&mut Meeting) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        let begin = Instant::now();
        let mut looked = begin;
        while !ready(self)? {
            let now = Instant::now();
            if now - looked < PAUSE {
                std::thread::yield_now(); // what is short is not made longer by a look at the others
                continue;
            }
            self.watch()?;
            if now - begin > self.patience {
                let silent: Vec<_> =
                    self.links.iter().filter(|link| link.silent() > self.patience / 2).collect();
                let who = match silent.is_empty() {
                    true => format!("rank {} waited {:?} for {what}", self.rank, self.patience),
                    false => format!(
                        "{} has not been heard from for {:?}",
                        ranks(silent.iter().map(|link| link.rank)),
                        self.patience / 2
                    ),
                };
                return Err(Fault::of(who));
            }
            looked = Instant::now();
            if begin.elapsed() > PAUSE * 20 {
                std::thread::sleep(PAUSE);
            }
        }
        Ok(())
    }

    /// Whether all are there still.
    fn watch(&mut self) -> Result<(), Fault> {
        if self.said_here.elapsed() > self.patience / 10 {
            self.send_all(&Message::Here);
            self.said_here = Instant::now();
        }
        for link in &mut self.links {
            let rank = link.rank;
            match link.fill() {
                (_, Some(fault)) => return Err(fault.clone()),
                (false, None) => {
                    return Err(Fault::of(format!("rank {rank} has ended before the sum was there")));
                }
                (true, None) => {}
            }
        }
        Ok(())
    }
    // ANCHOR_END: wait

    /// What has come through a link, if something has.
    fn heard(&mut self, number: usize) -> Result<Option<Message>, Fault> {
        match self.links[number].poll() {
            Ok(Some(Message::Stop(fault))) => Err(fault),
            Ok(message) => Ok(message),
            Err(_) => {
                let rank = self.links[number].rank;
                Err(Fault::of(format!("rank {rank} has ended before the sum was there")))
            }
        }
    }

    // ANCHOR: all_reduce
    /// The stand-in for NCCL: every rank sends its number to rank 0, and that sends back what it makes
    /// of them.
    pub fn all_reduce(
        &mut self,
        own: i32,
        add: impl Fn(i32, i32) -> Result<i32, Fault>,
    ) -> Result<i32, Fault> {
        let mut sum = own;
        if self.rank > 0 {
            self.send_all(&Message::Number(own));
        }
        for number in 0..self.links.len() {
            let mut answer = None;
            self.wait("a number", |meeting| {
                answer = meeting.heard(number)?;
                Ok(answer.is_some())
            })?;
            let Some(Message::Number(other)) = answer else {
                return Err(Fault::of(format!("rank {} sent no number", self.links[number].rank)));
            };
            sum = if self.rank > 0 { other } else { add(sum, other)? };
        }
        if self.rank == 0 {
            self.send_all(&Message::Number(sum));
        }
        Ok(sum)
    }
    // ANCHOR_END: all_reduce

    /// Tells the others that it ends here, and why.
    pub fn stop(mut self, fault: Fault) -> Fault {
        self.send_all(&Message::Stop(fault.clone()));
        self.close();
        fault
    }

    /// Ends, after the others if this is rank 0: a connection that is closed before the other has read may
    /// take with it what was sent last.
    pub fn close(mut self) {
        let begin = Instant::now();
        while self.rank == 0
            && begin.elapsed() < Duration::from_secs(1)
            && self.links.iter_mut().any(|link| link.poll().is_ok())
        {
            std::thread::sleep(PAUSE);
        }
    }

    /// The fault of another rank, where it explains `error`, which this one has met; else that.
    pub fn explain(&mut self, error: anyhow::Error) -> Fault {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_secs(1) {
            if let Err(fault) = self.watch() {
                return fault;
            }
            std::thread::sleep(PAUSE);
        }
        Fault::of(format!("rank {}: {error:#}", self.rank))
    }

    fn send_all(&mut self, message: &Message) {
        self.links.iter_mut().for_each(|link| link.send(message));
    }
}

/// How often the others are looked after.
const PAUSE: Duration = Duration::from_millis(1);

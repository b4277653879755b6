//! How the ranks find each other, and how each learns of the end of another: one TCP connection from rank 0
//! to every other rank, for as long as they work together.
//!
//! A message is a line of JSON. Each rank begins with a [`Greeting`], rank 0 answers with a [`Challenge`],
//! and
//! so both show each other that they have the job's token. Then the rank says [`Hello`]; rank 0 answers when
//! it has all of them. A rank that fails says why, and rank 0 tells the others; one that is killed says
//! nothing, but its connection closes; one that hangs is not heard from, and the time runs out.
//!
//! Whoever has the token is believed to be a rank, and may lie about its share: nobody ends with status 0
//! before it has the sum of what the ranks have said. What follows the proof is neither encrypted nor signed.

mod hello;
mod link;

use std::collections::VecDeque;
use std::io::ErrorKind;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::Place;
use hello::{Challenge, Greeting, fit, ranks};
pub use hello::{Fault, Hello, random};
pub use link::Link;
use link::Standing;

#[derive(Debug, Serialize, Deserialize)]
enum Message {
    /// Said first by who is not rank 0.
    Greeting(Greeting),
    Challenge(Challenge),
    Proof(u64),
    /// From rank 0 to who has the token: you are one of us.
    Welcome,
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

/// How many connections rank 0 keeps of those that have not greeted, and of those that have not shown the
/// token: one more, and the oldest is closed.
const STRANGERS: usize = 64;

impl Meeting {
    /// Connects the ranks: each says `hello`, and gets what rank 0 has `from_first`.
    pub fn open(
        place: &Place,
        hello: Hello,
        from_first: impl FnOnce() -> anyhow::Result<Vec<u8>>,
        timeout: Duration,
    ) -> Result<(Meeting, Vec<u8>), Fault> {
        // Rank 0 gives up first, so that the others hear from it which rank is missing.
        let patience = if place.rank == 0 { timeout.mul_f64(0.8) } else { timeout };
        let now = Instant::now();
        let mut meeting = Meeting { rank: place.rank, links: Vec::new(), patience, said_here: now };
        let met = if place.rank == 0 {
            meeting.receive(place, hello, now + patience).and_then(|()| {
                let bytes = from_first();
                bytes.map_err(|error| Fault { status: 2, sentence: format!("rank 0: {error:#}") })
            })
        } else {
            meeting.arrive(place, hello, now + patience)
        };
        match met {
            Ok(met) => {
                if place.rank == 0 {
                    meeting.send_all(&Message::Go(met.clone()));
                }
                Ok((meeting, met))
            }
            Err(fault) => Err(meeting.stop(fault)),
        }
    }

    // ANCHOR: receive
    /// Rank 0: waits for the hello of every other rank, and compares them. Who is none of the ranks can
    /// neither stop it nor make it wait longer: each turn takes in a little of what has come.
    fn receive(&mut self, place: &Place, own: Hello, deadline: Instant) -> Result<(), Fault> {
        let mut hellos = vec![own];
        if place.ranks == 1 {
            return fit(&hellos);
        }
        let listeners = Link::listen(place, self.patience).map_err(Fault::environment)?;
        let (mut strangers, mut failed) = (VecDeque::new(), ErrorKind::WouldBlock.into());
        while hellos.len() < place.ranks {
            let before = strangers.len();
            for listener in &listeners {
                let come =
                    (0..STRANGERS).map_while(|_| Link::accept(listener).map_err(|why| failed = why).ok());
                strangers.extend(come);
            }
            let have_come = strangers.len() > before;
            for mut link in std::mem::take(&mut strangers) {
                match link.introduction(&place.token) {
                    Ok(Some(hello)) => {
                        link.rank = hello.rank;
                        self.links.push(link);
                        hellos.push(new(hello, &hellos, place)?);
                    }
                    Ok(None) => strangers.push_back(link),
                    Err(_) => {} // none of us, and let go
                }
            }
            keep_few(&mut strangers, |standing| standing == Standing::Stranger);
            keep_few(&mut strangers, |standing| matches!(standing, Standing::Challenged(_)));
            self.watch()?;
            if Instant::now() > deadline {
                fit(&hellos)?; // what keeps one from taking part may be why another is missing
                let arrived = |rank: &usize| hellos.iter().any(|hello| hello.rank == *rank);
                let missing = ranks((1..place.ranks).filter(|rank| !arrived(rank)));
                let (host, port, waited) = (&place.host, place.port, self.patience);
                let why = match failed.kind() {
                    ErrorKind::WouldBlock => String::new(),
                    _ => format!("; rank 0 takes in no more: {failed}"),
                };
                return Err(Fault::of(format!(
                    "{missing} never arrived at {host}:{port} (waited {waited:?}{why})"
                )));
            }
            if !have_come {
                std::thread::sleep(PAUSE);
            }
        }
        self.links.sort_by_key(|link| link.rank);
        fit(&hellos)
    }
    // ANCHOR_END: receive

    /// Another rank: greets rank 0 as soon as that listens, and says hello.
    fn arrive(&mut self, place: &Place, hello: Hello, deadline: Instant) -> Result<Vec<u8>, Fault> {
        let mut why = None;
        while self.links.is_empty() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                let Place { host, port, rank, .. } = place;
                let why = why.unwrap_or("no time was left".to_string());
                return Err(Fault::of(format!(
                    "rank 0 never arrived: rank {rank} found nobody at {host}:{port} (waited {:?}; {why})",
                    self.patience
                )));
            }
            match Link::connect(place, deadline, left.min(PAUSE * 100)) {
                Ok(mut link) => match link.greet(&place.token, deadline)? {
                    true => self.links.push(link),
                    false => why = Some("who is there does not answer as rank 0 does".into()),
                },
                // The last look-up has little time: what the one before has found says more.
                Err(error) if why.is_some() && error.is::<RecvTimeoutError>() => {}
                Err(error) => why = Some(error.to_string()),
            }
            if self.links.is_empty() {
                std::thread::sleep(left.min(PAUSE * 10));
            }
        }
        self.send_all(&Message::Hello(hello));
        let mut answer = None;
        self.wait_until(deadline, "rank 0 to answer", |meeting| {
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
        ready: impl FnMut(&mut Meeting) -> Result<bool, Fault>,
    ) -> Result<(), Fault> {
        self.wait_until(Instant::now() + self.patience, what, ready)
    }

    fn wait_until(
        &mut self,
        deadline: Instant,
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
            if now > deadline {
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
        if let Some(fault) = error.downcast_ref::<Fault>() {
            return fault.clone();
        }
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

/// Closes the oldest of those that have this standing, if there are more than rank 0 keeps.
fn keep_few(links: &mut VecDeque<Link>, is: impl Fn(Standing) -> bool) {
    let mut too_many = links.iter().filter(|link| is(link.standing)).count().saturating_sub(STRANGERS);
    links.retain(|link| {
        let goes = is(link.standing) && too_many > 0;
        too_many -= usize::from(goes);
        !goes
    });
}

/// `hello`, if it is that of a rank that has not been there before.
fn new(hello: Hello, before: &[Hello], place: &Place) -> Result<Hello, Fault> {
    let (rank, ranks) = (hello.rank, place.ranks);
    let sentence = match before.iter().any(|other| other.rank == rank) {
        true => format!("two processes are rank {rank}"),
        false if rank >= ranks => format!("a process is rank {rank} of {ranks}: ranks are counted from 0"),
        false => return Ok(hello),
    };
    Err(Fault { status: 2, sentence })
}

/// How often the others are looked after.
const PAUSE: Duration = Duration::from_millis(1);

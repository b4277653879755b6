//! How the ranks find each other, and how each learns of the end of another: one TCP connection from rank 0
//! to every other rank, for as long as they work together.
//!
//! Each rank says [`Hello`]; rank 0 answers when it has all of them. From then on each says now and then that
//! it is here. A rank that fails says why, and rank 0 tells the others; one that is killed says nothing, but
//! its connection closes; one that hangs is not heard from.

mod door;
mod hello;
mod link;

use std::io::{self, ErrorKind};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::place::Place;
use door::Door;
use hello::fit;
pub use hello::{Fault, FaultKind, Hello};
use link::{Link, Message, Unheard, Voice};

/// All ranks, connected.
pub struct Meeting {
    rank: usize,
    /// Of rank 0 to all others; of another to rank 0.
    voices: Vec<Voice>,
    /// What comes from them.
    inbox: Receiver<Result<i32, Fault>>,
    numbers: Vec<i32>,
    patience: Duration,
}

impl Meeting {
    /// Connects the ranks: each says `hello`, and gets what rank 0 has `from_first`.
    pub fn open(
        place: &Place,
        hello: Hello,
        from_first: impl FnOnce() -> Result<Vec<u8>>,
        timeout: Duration,
    ) -> Result<(Meeting, Vec<u8>), Fault> {
        // Rank 0 gives up first, so that the others hear from it which rank is missing.
        let patience = if place.rank == 0 { timeout.mul_f64(0.8) } else { timeout };
        let mut links = Vec::new();
        let met = match place.rank {
            0 => receive(place, hello, &mut links, patience).and_then(|()| from_first()),
            _ => arrive(place, hello, &mut links, patience),
        };
        let fault = |error| Fault::by(place.rank, FaultKind::Refused, error);
        let meeting = Meeting::of(place.rank, links, patience).map_err(|error| fault(error.into()))?;
        match met {
            Ok(met) => {
                if place.rank == 0 {
                    meeting.tell(&Message::Go(met.clone()));
                }
                Ok((meeting, met))
            }
            Err(error) => Err(meeting.stop(fault(error))),
        }
    }

    /// A thread listens to each of the others, and one tells them all that this rank is here.
    fn of(rank: usize, links: Vec<Link>, patience: Duration) -> io::Result<Meeting> {
        let voices: Vec<Voice> = links.iter().map(|link| link.voice.clone()).collect();
        let (put, inbox) = channel();
        for link in links {
            let put = put.clone();
            let listen = move || match link.hear(patience / 2) {
                Ok(Message::Number(number)) => put.send(Ok(number)).is_ok(),
                Ok(_) => {
                    let _ = put.send(Err(Fault::failed(format!("{} says what was not asked", link.name))));
                    false
                }
                Err(fault) => {
                    let _ = put.send(Err(fault)); // an error: this rank has stopped listening
                    false
                }
            };
            thread::Builder::new().spawn(move || {
                let mut goes_on = true;
                while goes_on {
                    goes_on = listen();
                }
            })?;
        }
        let all = voices.clone();
        thread::Builder::new().spawn(move || {
            loop {
                for voice in &all {
                    voice.say(&Message::Here);
                }
                thread::sleep(patience / 10);
            }
        })?;
        Ok(Meeting { rank, voices, inbox, numbers: Vec::new(), patience })
    }

    // ANCHOR: wait
    /// Waits until `ready`, while all ranks are there.
    pub fn wait(&mut self, what: &str, mut ready: impl FnMut(&Meeting) -> Result<bool>) -> Result<()> {
        let begin = Instant::now();
        while !ready(self)? {
            match self.inbox.try_recv() {
                Ok(heard) => self.numbers.push(heard?), // or why a rank is gone
                Err(_) if begin.elapsed() > self.patience => {
                    bail!(Fault::failed(format!("rank {} waited {:?} for {what}", self.rank, self.patience)));
                }
                Err(_) if begin.elapsed() > 20 * PAUSE => thread::sleep(PAUSE),
                Err(_) => thread::yield_now(), // what is short is not made longer
            }
        }
        Ok(())
    }
    // ANCHOR_END: wait

    // ANCHOR: all_reduce
    /// The stand-in for NCCL: every rank sends its number to rank 0, and that sends back the sum of all.
    pub fn all_reduce(&mut self, own: i32) -> Result<i32> {
        let is_first = self.rank == 0;
        let others = self.voices.len();
        if !is_first {
            self.tell(&Message::Number(own));
        }
        self.wait("a number", |meeting| Ok(meeting.numbers.len() >= others))?;
        let begin = if is_first { own } else { 0 }; // the sum that has come has it already
        let sum = self.numbers.drain(..).fold(begin, i32::wrapping_add);
        if is_first {
            self.tell(&Message::Number(sum));
        }
        Ok(sum)
    }
    // ANCHOR_END: all_reduce

    /// The fault of another rank, where it explains `error`, which this one has met; else that.
    pub fn explain(&self, error: anyhow::Error) -> Fault {
        if !error.is::<Fault>() {
            while let Ok(heard) = self.inbox.recv_timeout(Duration::from_secs(1)) {
                if let Err(fault) = heard {
                    return fault;
                }
            }
        }
        Fault::by(self.rank, FaultKind::Failed, error)
    }

    /// Tells the others that it ends here, and why.
    pub fn stop(self, fault: Fault) -> Fault {
        self.tell(&Message::Stop(fault.clone()));
        self.close();
        fault
    }

    /// Ends when the others have closed, too: what was sent last is lost if the process ends before.
    pub fn close(self) {
        for voice in &self.voices {
            voice.close();
        }
        let mut is_heard = true;
        while is_heard {
            is_heard = self.inbox.recv_timeout(Duration::from_secs(1)).is_ok();
        }
    }

    fn tell(&self, message: &Message) {
        for voice in &self.voices {
            voice.say(message);
        }
    }
}

// ANCHOR: receive
/// Rank 0: waits for the hello of every other rank, and compares them.
fn receive(place: &Place, own: Hello, links: &mut Vec<Link>, patience: Duration) -> Result<()> {
    let mut hellos = vec![own];
    if place.ranks == 1 {
        return Ok(fit(&hellos)?);
    }
    let door = Door::open(listen(place)?, place.job.clone(), patience)?;
    let begin = Instant::now();
    while hellos.len() < place.ranks {
        match door.next()? {
            Some((hello, link)) => {
                hellos.push(hello);
                links.push(link);
            }
            None if begin.elapsed() > patience => {
                fit(&hellos)?; // what keeps one from taking part may be why another is missing
                bail!(missing(place, &hellos, patience));
            }
            None => thread::sleep(PAUSE),
        }
    }
    Ok(fit(&hellos)?)
}
// ANCHOR_END: receive

fn listen(place: &Place) -> Result<TcpListener> {
    TcpListener::bind((&*place.host, place.port)).with_context(|| {
        format!(
            "cannot listen at {}; another job may: set MASTER_PORT to another; or MASTER_ADDR is the name of \
             another host",
            place.address()
        )
    })
}

fn missing(place: &Place, hellos: &[Hello], patience: Duration) -> Fault {
    let arrived = |rank: &usize| hellos.iter().any(|hello| hello.rank == *rank);
    let missing: Vec<_> = (1..place.ranks).filter(|rank| !arrived(rank)).collect();
    let address = place.address();
    Fault::failed(format!("{} never arrived at {address} (waited {patience:?})", named(&missing)))
}

/// Another rank: says hello as soon as rank 0 listens.
fn arrive(place: &Place, hello: Hello, links: &mut Vec<Link>, patience: Duration) -> Result<Vec<u8>> {
    let Place { host, port, rank, .. } = place;
    let address = place.address();
    let begin = Instant::now();
    let stream = loop {
        match connect(host, *port, patience) {
            Ok(stream) => break stream,
            Err(error) if begin.elapsed() > patience => bail!(Fault::failed(format!(
                "rank 0 never arrived: rank {rank} found nobody at {address} (waited {patience:?}; {error})"
            ))),
            Err(_) => thread::sleep(10 * PAUSE),
        }
    };
    let link = Link::new("rank 0".into(), stream, patience)?;
    link.voice.say(&Message::Hello(hello));
    let answer = link.read(patience);
    links.push(link);
    Err(match answer {
        Ok(Message::Go(bytes)) => return Ok(bytes),
        Ok(Message::Stop(fault)) => fault,
        Ok(Message::OtherJob) => Fault::refused(format!(
            "rank {rank}: rank 0 at {address} belongs to another job: set MASTER_PORT to another port"
        )),
        Ok(_) => Fault::failed("rank 0 says what was not asked".into()),
        Err(Unheard::Closed) => Fault::failed("rank 0 has ended before the sum was there".into()),
        Err(Unheard::Late) => Fault::failed(format!("rank 0 has not been heard from for {patience:?}")),
        Err(Unheard::Strange(_)) => Fault::refused(format!(
            "rank {rank}: what answers at {address} is not rank 0: set MASTER_PORT to another port"
        )),
    }
    .into())
}

fn connect(host: &str, port: u16, patience: Duration) -> io::Result<TcpStream> {
    let mut found = Err(ErrorKind::NotFound.into());
    for address in (host, port).to_socket_addrs()? {
        found = match TcpStream::connect_timeout(&address, patience) {
            // Where nobody listens, the system may have chosen this very port for this end.
            Ok(stream) if stream.local_addr()? == stream.peer_addr()? => {
                Err(ErrorKind::ConnectionRefused.into())
            }
            Ok(stream) => return Ok(stream),
            error => error,
        };
    }
    found
}

/// `rank 1`, `ranks 1 and 3`, `ranks 1, 2, 3 and 60 more`
fn named(ranks: &[usize]) -> String {
    match ranks {
        [one] => format!("rank {one}"),
        [one, other] => format!("ranks {one} and {other}"),
        [one, other, another] => format!("ranks {one}, {other} and {another}"),
        _ => format!("ranks {}, {}, {} and {} more", ranks[0], ranks[1], ranks[2], ranks.len() - 3),
    }
}

/// How often a rank looks for what it waits for.
const PAUSE: Duration = Duration::from_millis(1);

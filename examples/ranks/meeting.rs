//! How the ranks find each other, and how each learns of the end of another: one TCP connection from rank 0
//! to every other rank, for as long as they work together.
//!
//! Each rank says [`Hello`]; rank 0 answers when it has all of them. From then on each sends a sign of life
//! now and then. A rank that fails says why, and rank 0 tells the others; one that is killed says nothing,
//! but its connection closes; one that hangs is not heard from.
//!
//! Anybody may connect to rank 0's port. What does not say hello in time is dropped; a rank of another job is
//! told so; and rank 0 goes on accepting.

mod hello;
mod link;

use std::io::{self, ErrorKind};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel, sync_channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::job::Job;
use super::place::Place;
use hello::fit;
pub use hello::{Cause, Fault, Hello};
use link::{Link, Message, send};

/// The most connections that rank 0 keeps at a time of those that have not said hello.
const MAX_STRANGERS: usize = 64;

/// How long one of those may take, or a quarter of what rank 0 waits, if that is shorter.
const MAX_HELLO_TIME: Duration = Duration::from_secs(2);

/// How long a rank that ends waits for the others to close their connections.
const MAX_CLOSING_TIME: Duration = Duration::from_secs(5);

/// How often a rank looks for what it waits for.
const PAUSE: Duration = Duration::from_millis(1);

/// What a listening thread has heard: from which link, and a number or why that rank is gone.
type Heard = (usize, Result<i32, Fault>);

/// All ranks, connected.
pub struct Meeting {
    rank: usize,
    /// Of rank 0 to all others; of another to rank 0.
    streams: Vec<Arc<TcpStream>>,
    /// What comes from them.
    inbox: Receiver<Heard>,
    /// The number of each of them that has come and has not been added up.
    numbers: Vec<Option<i32>>,
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
        let fault = |error| Fault::by(place.rank, Cause::Setup, error);
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
        let streams: Vec<_> = links.iter().map(|link| link.stream.clone()).collect();
        let numbers = vec![None; links.len()];
        let (put, inbox) = sync_channel(links.len()); // a rank that sends too much has to wait
        for (number, link) in links.into_iter().enumerate() {
            let put = put.clone();
            let listen = move || {
                loop {
                    let heard = match hear(&link, patience / 2) {
                        Ok(Message::Here) => continue,
                        Ok(Message::Number(number)) => Ok(number),
                        Ok(Message::Stop(fault)) => Err(fault),
                        Ok(_) => Err(Fault::work(format!("{} sent a message out of turn", link.name))),
                        Err(fault) => Err(fault),
                    };
                    let is_end = heard.is_err();
                    if put.send((number, heard)).is_err() || is_end {
                        return;
                    }
                }
            };
            thread::Builder::new().spawn(listen)?;
        }
        let all = streams.clone();
        thread::Builder::new().spawn(move || {
            loop {
                for stream in &all {
                    send(stream, &Message::Here);
                }
                thread::sleep(patience / 10);
            }
        })?;
        Ok(Meeting { rank, streams, inbox, numbers, patience })
    }

    // ANCHOR: wait
    /// Waits until `ready`, while all ranks are there.
    pub fn wait(&mut self, what: &str, mut ready: impl FnMut(&Meeting) -> Result<bool>) -> Result<()> {
        let begin = Instant::now();
        while !ready(self)? {
            match self.inbox.try_recv() {
                Ok((link, heard)) => self.keep(link, heard?)?, // or why a rank is gone
                Err(_) if begin.elapsed() > self.patience => {
                    bail!(Fault::work(format!("rank {} waited {:?} for {what}", self.rank, self.patience)));
                }
                Err(_) if begin.elapsed() > 20 * PAUSE => thread::sleep(PAUSE),
                Err(_) => thread::yield_now(), // what is short is not made longer
            }
        }
        Ok(())
    }
    // ANCHOR_END: wait

    fn keep(&mut self, link: usize, number: i32) -> Result<(), Fault> {
        if self.numbers[link].replace(number).is_some() {
            return Err(Fault::work("a rank sent a second number before the sum of the first".into()));
        }
        Ok(())
    }

    // ANCHOR: all_reduce
    /// The stand-in for NCCL: every rank sends its number to rank 0, and that sends back the sum of all.
    pub fn all_reduce(&mut self, own: i32) -> Result<i32> {
        let is_first = self.rank == 0;
        if !is_first {
            self.tell(&Message::Number(own));
        }
        self.wait("a number", |meeting| Ok(meeting.numbers.iter().all(Option::is_some)))?;
        let begin = if is_first { own } else { 0 }; // the sum from rank 0 includes this rank's number
        let numbers = self.numbers.iter_mut().filter_map(Option::take);
        let sum = numbers.fold(begin, i32::wrapping_add);
        if is_first {
            self.tell(&Message::Number(sum));
        }
        Ok(sum)
    }
    // ANCHOR_END: all_reduce

    /// The fault of another rank, where it explains `error`, which this one has met; else that.
    pub fn explain(&self, error: anyhow::Error) -> Fault {
        if !error.is::<Fault>() {
            let begin = Instant::now();
            while let Ok((_, heard)) = self.inbox.recv_timeout(Duration::from_secs(1))
                && begin.elapsed() < MAX_CLOSING_TIME
            {
                if let Err(fault) = heard {
                    return fault;
                }
            }
        }
        Fault::by(self.rank, Cause::Work, error)
    }

    /// Tells the others that it ends here, and why.
    pub fn stop(self, fault: Fault) -> Fault {
        self.tell(&Message::Stop(fault.clone()));
        self.close();
        fault
    }

    /// Ends when the others have closed, too: what was sent last is lost if the process ends before.
    pub fn close(self) {
        for stream in &self.streams {
            let _ = stream.shutdown(Shutdown::Write);
        }
        let begin = Instant::now();
        while begin.elapsed() < MAX_CLOSING_TIME {
            if self.inbox.recv_timeout(Duration::from_secs(1)).is_err() {
                break;
            }
        }
    }

    fn tell(&self, message: &Message) {
        for stream in &self.streams {
            send(stream, message);
        }
    }
}

/// The next message of another rank.
fn hear(link: &Link, patience: Duration) -> Result<Message, Fault> {
    let name = &link.name;
    link.read(Instant::now() + patience).map_err(|error| {
        Fault::work(match error.kind() {
            ErrorKind::WouldBlock | ErrorKind::TimedOut => {
                format!("{name} has not been heard from for {patience:?}")
            }
            ErrorKind::InvalidData => format!("{name} sent what is not a rank's message: {error}"),
            _ => format!("{name} has ended before the sum was there"),
        })
    })
}

/// Rank 0: waits for the hello of every other rank, and compares them.
fn receive(place: &Place, own: Hello, links: &mut Vec<Link>, patience: Duration) -> Result<()> {
    let mut hellos = vec![own];
    if place.ranks == 1 {
        return Ok(fit(&hellos, place.ranks)?);
    }
    let listener = listen(place)?;
    let (put, arrivals) = channel();
    let deadline = Instant::now() + patience;
    let mut strangers = 0;
    let mut dropped = 0;
    while hellos.len() < place.ranks {
        if Instant::now() > deadline {
            fit(&hellos, place.ranks)?; // what does not fit may be why another rank is missing
            bail!(missing(place, &hellos, patience, dropped));
        }
        let connected = if strangers < MAX_STRANGERS { listener.accept().ok() } else { None };
        let is_quiet = connected.is_none();
        if let Some((stream, from)) = connected {
            // A thread for each: a stranger that says nothing keeps nobody waiting.
            let put = put.clone();
            let job = place.job.clone();
            let limit = Instant::now() + MAX_HELLO_TIME.min(patience / 4);
            thread::Builder::new().spawn(move || put.send(introduce(stream, from, &job, limit)).is_ok())?;
            strangers += 1;
        }
        match arrivals.try_recv() {
            Ok(arrival) => {
                strangers -= 1;
                match arrival {
                    Some((link, hello)) => {
                        links.push(link);
                        hellos.push(hello);
                    }
                    None => dropped += 1,
                }
            }
            Err(_) if is_quiet => thread::sleep(PAUSE),
            Err(_) => {}
        }
    }
    Ok(fit(&hellos, place.ranks)?)
}

fn listen(place: &Place) -> Result<TcpListener> {
    let listener = TcpListener::bind((&*place.host, place.port)).with_context(|| {
        format!(
            "cannot listen at {}:{}; another job may be: set another MASTER_PORT; or MASTER_ADDR is the name \
             of another host",
            place.host, place.port
        )
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// The rank that has connected, if it says hello in time and belongs to this job. A rank of another job is
/// told why it is refused.
fn introduce(stream: TcpStream, from: SocketAddr, job: &Job, limit: Instant) -> Option<(Link, Hello)> {
    let at = stream.local_addr().ok()?;
    let mut link = Link::new(from.to_string(), stream).ok()?;
    let Ok(Message::Hello(hello)) = link.read(limit) else { return None };
    if let Some(fault) = job.refuses(&hello.job, &at.to_string()) {
        link.send(&Message::Stop(fault));
        return None;
    }
    link.name = format!("rank {}", hello.rank);
    Some((link, hello))
}

/// Which ranks have not come, and how many connections were dropped meanwhile.
fn missing(place: &Place, hellos: &[Hello], patience: Duration, dropped: usize) -> Fault {
    let arrived = |rank: &usize| hellos.iter().any(|hello| hello.rank == *rank);
    let missing: Vec<_> = (1..place.ranks).filter(|rank| !arrived(rank)).collect();
    let others = match dropped {
        0 => String::new(),
        1 => "; 1 connection was not from a rank of this job".into(),
        _ => format!("; {dropped} connections were not from ranks of this job"),
    };
    let ranks = named(&missing);
    let Place { host, port, .. } = place;
    Fault::work(format!("{ranks} never arrived at {host}:{port} (waited {patience:?}){others}"))
}

/// Another rank: says hello as soon as rank 0 listens.
fn arrive(place: &Place, hello: Hello, links: &mut Vec<Link>, patience: Duration) -> Result<Vec<u8>> {
    let Place { host, port, rank, .. } = place;
    let begin = Instant::now();
    let stream = loop {
        match connect(host, *port, patience) {
            Ok(stream) => break stream,
            Err(error) if begin.elapsed() > patience => bail!(Fault::work(format!(
                "rank 0 never arrived: rank {rank} found nobody at {host}:{port} (waited {patience:?}; \
                 {error})"
            ))),
            Err(_) => thread::sleep(10 * PAUSE),
        }
    };
    links.push(Link::new("rank 0".into(), stream)?);
    let link = &links[0];
    link.send(&Message::Hello(hello));
    let sent = Instant::now();
    while sent.elapsed() < patience {
        match hear(link, patience)? {
            Message::Go(bytes) => return Ok(bytes),
            Message::Stop(fault) => bail!(fault),
            Message::Here => {}
            _ => bail!(Fault::work("rank 0 sent a message out of turn".into())),
        }
    }
    bail!(Fault::work(format!("rank 0 has not said for {patience:?} that all ranks are there")))
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

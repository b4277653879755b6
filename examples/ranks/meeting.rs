//! How the ranks find each other, and how each learns of the end of another: one TCP connection from rank 0
//! to every other rank, for as long as they work together.
//!
//! A message is JSON. Each rank says [`Hello`]; rank 0 answers when it has all of them. From then on each
//! says now and then that it is here. A rank that fails says why, and rank 0 tells the others; one that is
//! killed says nothing, but its connection closes; one that hangs is not heard from.

mod hello;

use std::io::{self, BufReader, ErrorKind, Write};
use std::net::{Shutdown, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};
use serde_json::StreamDeserializer;
use serde_json::de::IoRead;

use super::place::Place;
use hello::fit;
pub use hello::{Fault, Hello};

#[derive(Serialize, Deserialize)]
enum Message {
    Hello(Hello),
    /// All are there; what rank 0 has for them.
    Go(Vec<u8>),
    Here,
    Number(i32),
    Stop(Fault),
}

/// A connection to another rank.
struct Link {
    /// `rank 1`
    name: String,
    stream: Arc<TcpStream>,
    messages: StreamDeserializer<'static, IoRead<BufReader<TcpStream>>, Message>,
}

impl Link {
    fn new(name: String, stream: TcpStream) -> io::Result<Link> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        let bytes = BufReader::new(stream.try_clone()?);
        let messages = serde_json::Deserializer::from_reader(bytes).into_iter();
        Ok(Link { name, stream: stream.into(), messages })
    }

    /// The next message of the other rank but that it is here.
    fn hear(&mut self, patience: Duration) -> Result<Message, Fault> {
        let name = &self.name;
        let is_open = self.stream.set_read_timeout(Some(patience)).is_ok();
        let mut messages = self.messages.by_ref().filter(|message| !matches!(message, Ok(Message::Here)));
        let message = if is_open { messages.next() } else { None };
        Err(Fault::of(match message {
            Some(Ok(Message::Stop(fault))) => return Err(fault),
            Some(Ok(message)) => return Ok(message),
            Some(Err(error)) => match error.io_error_kind() {
                Some(ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                    format!("{name} has not been heard from for {patience:?}")
                }
                None if !error.is_eof() => format!("{name} says what no rank says: {error}"),
                _ => format!("{name} has ended before the sum was there"),
            },
            None => format!("{name} has ended before the sum was there"),
        }))
    }
}

/// Sends `message`. That it does not arrive shows when the answer does not.
fn say(mut stream: &TcpStream, message: &Message) {
    if let Ok(bytes) = serde_json::to_vec(message) {
        let _ = stream.write_all(&bytes);
    }
}

/// All ranks, connected.
pub struct Meeting {
    rank: usize,
    /// Of rank 0 to all others; of another to rank 0.
    streams: Vec<Arc<TcpStream>>,
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
        let fault = |error| Fault::by(place.rank, 2, error);
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
        let (put, inbox) = channel();
        for mut link in links {
            let put = put.clone();
            let mut listen = move || match link.hear(patience / 2) {
                Ok(Message::Number(number)) => put.send(Ok(number)).is_ok(),
                Ok(_) => put.send(Err(Fault::of(format!("{} says what was not asked", link.name)))).is_err(),
                Err(fault) => put.send(Err(fault)).is_err(),
            };
            thread::Builder::new().spawn(move || while listen() {})?;
        }
        let all = streams.clone();
        thread::Builder::new().spawn(move || {
            loop {
                all.iter().for_each(|stream| say(stream, &Message::Here));
                thread::sleep(patience / 10);
            }
        })?;
        Ok(Meeting { rank, streams, inbox, numbers: Vec::new(), patience })
    }

    // ANCHOR: wait
    /// Waits until `ready`, while all ranks are there.
    pub fn wait(&mut self, what: &str, mut ready: impl FnMut(&Meeting) -> Result<bool>) -> Result<()> {
        let begin = Instant::now();
        while !ready(self)? {
            match self.inbox.try_recv() {
                Ok(heard) => self.numbers.push(heard?), // or why a rank is gone
                Err(_) if begin.elapsed() > self.patience => {
                    bail!(Fault::of(format!("rank {} waited {:?} for {what}", self.rank, self.patience)));
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
        let (is_first, others) = (self.rank == 0, self.streams.len());
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
        Fault::by(self.rank, 1, error)
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
        while self.inbox.recv_timeout(Duration::from_secs(1)).is_ok() {}
    }

    fn tell(&self, message: &Message) {
        self.streams.iter().for_each(|stream| say(stream, message));
    }
}

// ANCHOR: receive
/// Rank 0: waits for the hello of every other rank, and compares them.
fn receive(place: &Place, own: Hello, links: &mut Vec<Link>, patience: Duration) -> Result<()> {
    let mut hellos = vec![own];
    if place.ranks == 1 {
        return Ok(fit(&hellos)?);
    }
    let at = format!("{}:{}", place.host, place.port);
    let listener = TcpListener::bind((&*place.host, place.port)).with_context(|| {
        format!(
            "cannot listen at {at}; another job may: set MASTER_PORT to another; or MASTER_ADDR is the name \
             of another host"
        )
    })?;
    listener.set_nonblocking(true)?;
    let begin = Instant::now();
    while hellos.len() < place.ranks {
        match listener.accept() {
            Ok((stream, from)) => {
                let mut link = Link::new(format!("what has connected from {from}"), stream)?;
                let Message::Hello(hello) = link.hear(patience)? else {
                    bail!(Fault::of(format!("{} says no hello", link.name)));
                };
                link.name = format!("rank {}", hello.rank);
                links.push(link);
                hellos.push(hello);
            }
            Err(error) if error.kind() != ErrorKind::WouldBlock => return Err(error.into()),
            Err(_) if begin.elapsed() > patience => {
                fit(&hellos)?; // what keeps one from taking part may be why another is missing
                let arrived = |rank: &usize| hellos.iter().any(|hello| hello.rank == *rank);
                let missing: Vec<_> = (1..place.ranks).filter(|rank| !arrived(rank)).collect();
                bail!(Fault::of(format!("{} never arrived at {at} (waited {patience:?})", named(&missing))));
            }
            Err(_) => thread::sleep(PAUSE),
        }
    }
    Ok(fit(&hellos)?)
}
// ANCHOR_END: receive

/// Another rank: says hello as soon as rank 0 listens.
fn arrive(place: &Place, hello: Hello, links: &mut Vec<Link>, patience: Duration) -> Result<Vec<u8>> {
    let Place { host, port, rank, .. } = place;
    let begin = Instant::now();
    let stream = loop {
        match connect(host, *port, patience) {
            Ok(stream) => break stream,
            Err(error) if begin.elapsed() > patience => bail!(Fault::of(format!(
                "rank 0 never arrived: rank {rank} found nobody at {host}:{port} (waited {patience:?}; \
                 {error})"
            ))),
            Err(_) => thread::sleep(10 * PAUSE),
        }
    };
    links.push(Link::new("rank 0".into(), stream)?);
    say(&links[0].stream, &Message::Hello(hello));
    match links[0].hear(patience)? {
        Message::Go(bytes) => Ok(bytes),
        _ => bail!(Fault::of("rank 0 says what was not asked".into())),
    }
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

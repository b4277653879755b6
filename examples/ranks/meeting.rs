//! How the ranks get NCCL's id, and how each learns that another has ended: one TCP connection from rank 0 to
//! every other rank, for as long as they work together.
//!
//! NCCL could meet at an address alone (`NCCL_COMM_ID`), but two jobs at one port mix: see README.md.

use std::fmt;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};

use super::place::Place;

/// What rank 0 hands out.
pub type Id = [u8; 128];

/// How each line of a greeting begins.
const PROGRAM: &str = "workbook ranks";

/// How long rank 0 listens to a connection that does not greet.
const MAX_GREETING_TIME: Duration = Duration::from_secs(2);

/// How many bytes are kept of what another has sent.
const MAX_HEARD: usize = 512;

/// How long a rank looks at once again for what it waits for, and at nothing else: what is short is not made
/// longer.
const SHORT: Duration = Duration::from_millis(20);

/// How often it looks after that.
const PAUSE: Duration = Duration::from_millis(1);

/// All ranks, connected.
pub struct Meeting {
    /// Of rank 0 to all others; of another to rank 0.
    links: Vec<Link>,
    is_first: bool,
    limit: Duration,
}

impl Meeting {
    /// Connects the ranks that have the same `settings`, one line of text, and hands out rank 0's `id`. No
    /// wait may take longer than `limit`.
    pub fn open(place: &Place, settings: &str, id: Id, limit: Duration) -> Result<(Meeting, Id)> {
        let settings = format!("{PROGRAM}, {} in all, {settings}", place.ranks);
        let is_first = place.rank == 0;
        if is_first {
            // It gives up before the others do, which then see that it has ended, and it says why.
            let limit = limit.mul_f64(0.8);
            let links = receive(place, &settings, limit)?;
            let meeting = Meeting { links, is_first, limit };
            meeting.tell(&id);
            return Ok((meeting, id));
        }
        let (link, id) = arrive(place, &settings, limit)?;
        Ok((Meeting { links: vec![link], is_first, limit }, id))
    }

    // ANCHOR: wait
    /// Waits until `ready`, but for no rank that has ended, and no longer than the limit.
    pub fn wait(&mut self, what: &str, mut ready: impl FnMut(&mut [Link]) -> Result<bool>) -> Result<()> {
        let begin = Instant::now();
        while !ready(&mut self.links)? {
            let waited = begin.elapsed();
            if waited < SHORT {
                thread::yield_now();
                continue;
            }
            for link in &mut self.links {
                link.hear();
                ensure!(!link.has_ended(), "{link} has ended before the sum was there");
            }
            let limit = self.limit;
            ensure!(waited < limit, "waited {limit:?} for {what}: a rank hangs, the one that says nothing");
            thread::sleep(PAUSE);
        }
        Ok(())
    }
    // ANCHOR_END: wait

    // ANCHOR: all_reduce
    /// The stand-in for NCCL: every rank sends its number to rank 0, and that sends back the sum of all.
    pub fn all_reduce(&mut self, own: i32) -> Result<i32> {
        if !self.is_first {
            self.tell(&own.to_le_bytes());
        }
        let mut sum = if self.is_first { own } else { 0 }; // the sum from rank 0 includes this rank's number
        for other in 0..self.links.len() {
            let what = format!("a number of {}", self.links[other]);
            self.wait(&what, |links| {
                links[other].hear();
                Ok(links[other].heard.len() >= size_of::<i32>())
            })?;
            sum = sum.wrapping_add(self.links[other].take().map_or(0, i32::from_le_bytes));
        }
        if self.is_first {
            self.tell(&sum.to_le_bytes());
        }
        Ok(sum)
    }
    // ANCHOR_END: all_reduce

    fn tell(&self, bytes: &[u8]) {
        self.links.iter().for_each(|link| link.tell(bytes));
    }
}

/// A connection to another rank, or to a stranger that has not greeted yet.
pub struct Link {
    rank: u16,
    stream: TcpStream,
    /// What has come through and has not been taken.
    heard: Vec<u8>,
    is_closed: bool,
}

impl Link {
    fn new(rank: u16, stream: TcpStream) -> io::Result<Link> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        Ok(Link { rank, stream, heard: Vec::new(), is_closed: false })
    }

    /// Takes in what has come, without waiting.
    fn hear(&mut self) {
        let mut bytes = [0; MAX_HEARD];
        while !self.is_closed && self.heard.len() < MAX_HEARD {
            match self.stream.read(&mut bytes[self.heard.len()..]) {
                Ok(0) => self.is_closed = true,
                Ok(count) => self.heard.extend(&bytes[self.heard.len()..][..count]),
                Err(error) if error.kind() == ErrorKind::WouldBlock => return,
                Err(error) => self.is_closed = error.kind() != ErrorKind::Interrupted,
            }
        }
    }

    fn has_ended(&self) -> bool {
        self.is_closed && self.heard.is_empty()
    }

    /// The first bytes of what has come, if there are as many.
    fn take<const COUNT: usize>(&mut self) -> Option<[u8; COUNT]> {
        let bytes = *self.heard.first_chunk()?;
        self.heard.drain(..COUNT);
        Some(bytes)
    }

    /// The first line of what has come, if it has an end.
    fn line(&mut self) -> Option<String> {
        let end = self.heard.iter().position(|byte| *byte == b'\n')?;
        let line = self.heard.drain(..=end).collect::<Vec<_>>();
        Some(String::from_utf8_lossy(&line[..end]).into())
    }

    /// What `take` finds in what comes, unless the connection is closed before, or for so long nothing comes.
    fn next<T>(&mut self, limit: Duration, take: impl Fn(&mut Link) -> Option<T>) -> Option<T> {
        let begin = Instant::now();
        loop {
            self.hear();
            let taken = take(self);
            if taken.is_some() || self.is_closed || begin.elapsed() > limit {
                return taken;
            }
            thread::sleep(PAUSE);
        }
    }

    /// Sends a few bytes, which the system keeps for the other. If that has ended, waiting for it shows that.
    fn tell(&self, bytes: &[u8]) {
        let _ = (&self.stream).write_all(bytes);
    }
}

impl fmt::Display for Link {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        write!(formatter, "rank {}", self.rank)
    }
}

/// Rank 0: waits for all others. Whoever connects hears its settings; one that does not answer with the same
/// and a rank that is missing is dropped, and keeps nobody waiting meanwhile.
fn receive(place: &Place, settings: &str, limit: Duration) -> Result<Vec<Link>> {
    let mut ranks: Vec<Link> = Vec::new();
    if place.ranks == 1 {
        return Ok(ranks);
    }
    let listener = listen(place)?;
    let mut strangers: Vec<(Link, Instant)> = Vec::new();
    let mut dropped = 0;
    let begin = Instant::now();
    while ranks.len() + 1 < place.ranks.into() {
        ensure!(begin.elapsed() < limit, missing(place, &ranks, limit, dropped));
        if let Ok(link) = listener.accept().and_then(|(stream, _)| Link::new(0, stream)) {
            link.tell(format!("{settings}\n").as_bytes());
            strangers.push((link, Instant::now()));
        }
        for (mut link, since) in std::mem::take(&mut strangers) {
            link.hear();
            let rank = link.line().map(|line| rank_of(&line, settings));
            match rank {
                Some(Some(rank)) if rank < place.ranks && !ranks.iter().any(|known| known.rank == rank) => {
                    ranks.push(Link { rank, ..link });
                }
                None if !link.is_closed && since.elapsed() < MAX_GREETING_TIME => {
                    strangers.push((link, since))
                }
                _ => dropped += 1,
            }
        }
        for rank in &mut ranks {
            rank.hear();
            ensure!(!rank.has_ended(), "{rank} has ended before the sum was there");
        }
        thread::sleep(PAUSE);
    }
    Ok(ranks)
}

/// The rank that greets by this line, if it has the same settings. There is only one rank 0.
fn rank_of(line: &str, settings: &str) -> Option<u16> {
    let rank = line.strip_prefix(settings)?.strip_prefix("; rank ")?.parse().ok()?;
    Some(rank).filter(|rank| *rank > 0)
}

fn listen(place: &Place) -> Result<TcpListener> {
    let Place { host, port, .. } = place;
    let listener = TcpListener::bind((&**host, *port)).with_context(|| {
        format!(
            "cannot listen at {host}:{port}; another job may be: set another MASTER_PORT; or MASTER_ADDR is \
             the name of another host"
        )
    })?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Which ranks have not come, and how many connections were dropped meanwhile.
fn missing(place: &Place, ranks: &[Link], limit: Duration, dropped: usize) -> String {
    let has_come = |rank: &u16| ranks.iter().any(|known| known.rank == *rank);
    let missing: Vec<String> =
        (1..place.ranks).filter(|rank| !has_come(rank)).map(|rank| rank.to_string()).collect();
    let s = if missing.len() == 1 { "" } else { "s" };
    let shown = missing[..missing.len().min(3)].join(", ");
    let more = if missing.len() > 3 { format!(" and {} more", missing.len() - 3) } else { String::new() };
    let others =
        if dropped > 0 { format!("; {dropped} other connections were dropped") } else { String::new() };
    let Place { host, port, .. } = place;
    format!("rank{s} {shown}{more} never arrived at {host}:{port} (waited {limit:?}){others}")
}

/// Another rank: greets as soon as rank 0 listens, and waits for the id.
fn arrive(place: &Place, settings: &str, limit: Duration) -> Result<(Link, Id)> {
    let Place { host, port, rank, .. } = place;
    let begin = Instant::now();
    let stream = loop {
        match connect(host, *port, limit) {
            Ok(stream) => break stream,
            Err(error) => ensure!(
                begin.elapsed() < limit,
                "rank 0 never arrived: nobody listens at {host}:{port} (waited {limit:?}; {error})"
            ),
        }
        thread::sleep(10 * PAUSE);
    };
    let mut link = Link::new(0, stream)?;
    link.tell(format!("{settings}; rank {rank}\n").as_bytes());
    let said = link.next(limit, Link::line).with_context(|| {
        format!("what listens at {host}:{port} does not greet as rank 0 does: set another MASTER_PORT")
    })?;
    ensure!(
        said == settings,
        "what listens at {host}:{port} greets as '{said}', and this rank as '{settings}': give all ranks the \
         same, or another MASTER_PORT if that is another job"
    );
    let id = link.next(limit, Link::take).with_context(|| {
        format!(
            "rank 0 at {host}:{port} does not say that all ranks are there: it has ended, one is missing, or \
             another process is rank {rank} too; see what it says"
        )
    })?;
    Ok((link, id))
}

fn connect(host: &str, port: u16, limit: Duration) -> io::Result<TcpStream> {
    let mut found = Err(ErrorKind::NotFound.into());
    for address in (host, port).to_socket_addrs()? {
        found = match TcpStream::connect_timeout(&address, limit) {
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

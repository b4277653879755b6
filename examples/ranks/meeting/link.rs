//! One connection: messages, a line of JSON each, and none of its calls waits or keeps more than a little.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream, ToSocketAddrs};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::hello::{Challenge, Fault, Greeting, Hello, PROTOCOL, Prover, other_build, proof, random};
use super::{Message, Place};

/// A connection to another rank, or to a stranger.
pub struct Link {
    /// Which, as soon as it is known.
    pub rank: usize,
    stream: TcpStream,
    bytes: Vec<u8>,
    messages: VecDeque<Message>,
    heard: Instant,
    open: bool,
    /// How far a process that has come to rank 0 has shown that it is a rank.
    pub standing: Standing,
}

/// Who is at the other end, as far as rank 0 knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    Stranger,
    /// It has greeted, and has to say this to show that it belongs to the job.
    Challenged(u64),
    Rank,
}

/// The most bytes of what anybody may send.
const GREETING: usize = 1 << 8;
/// The most bytes of any other message.
const MOST: usize = 1 << 16;
/// The most messages that wait to be read: ranks say one thing at a time.
const WAITING: usize = 16;

impl Link {
    /// Listens at the addresses that rank 0's name leads to, and at no other. The system may lack one; but if
    /// somebody else has it, ranks would find that in rank 0's place.
    pub fn listen(place: &Place, patience: Duration) -> Result<Vec<TcpListener>> {
        let at = format!("{}:{}", place.host, place.port);
        let mut addresses =
            addresses(place, patience).with_context(|| format!("rank 0 finds no address of {at}"))?;
        addresses.sort();
        addresses.dedup();
        let (mut listeners, mut failed) = (Vec::new(), None);
        for address in addresses {
            match TcpListener::bind(address) {
                Ok(listener) => listeners.push(listener),
                Err(error) if error.kind() == ErrorKind::AddrInUse => {
                    (listeners, failed) = (Vec::new(), Some(error));
                    break;
                }
                Err(error) => failed = Some(error),
            }
        }
        if let (true, Some(error)) = (listeners.is_empty(), failed) {
            return Err(error).with_context(|| {
                format!(
                    "rank 0 cannot listen at {at}; another job may: set MASTER_PORT to another; or \
                     MASTER_ADDR is the name of another host"
                )
            });
        }
        for listener in &listeners {
            ensure!(
                listener.local_addr()?.ip().is_loopback() || !place.token.is_empty(),
                "rank 0 would listen at {at} to anybody: the launcher has given this job no name of its own, \
                 so give all ranks the same --token, a word that others do not know"
            );
            listener.set_nonblocking(true)?;
        }
        Ok(listeners)
    }

    /// Who has knocked, and is there still; an error where nobody has, or the system takes in no more.
    pub fn accept(listener: &TcpListener) -> std::io::Result<Link> {
        let (stream, _) = listener.accept()?;
        Link::new(stream, usize::MAX)
    }

    /// A connection to rank 0, or to who is there in its place. Looking up its name may take all the time
    /// until `deadline`.
    pub fn connect(place: &Place, deadline: Instant, patience: Duration) -> Result<Link> {
        let mut failed = None;
        for address in addresses(place, deadline.saturating_duration_since(Instant::now()))? {
            match TcpStream::connect_timeout(&address, patience) {
                // Where nobody listens, the system may have chosen this very port for this end.
                Ok(stream) if stream.local_addr()? == stream.peer_addr()? => {
                    failed = Some(ErrorKind::ConnectionRefused.into());
                }
                Ok(stream) => return Ok(Link::new(stream, 0)?),
                Err(error) => failed = Some(error),
            }
            if Instant::now() > deadline {
                break;
            }
        }
        Err(failed.map_or_else(|| anyhow::anyhow!("{} has no address", place.host), Into::into))
    }

    fn new(stream: TcpStream, rank: usize) -> std::io::Result<Link> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (bytes, messages) = Default::default();
        Ok(Link {
            rank,
            stream,
            bytes,
            messages,
            heard: Instant::now(),
            open: true,
            standing: Standing::Stranger,
        })
    }

    /// Sends `message`. That it does not arrive shows when the answer does not.
    pub(super) fn send(&mut self, message: &Message) {
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            // Messages are short, and few are under way: there is room for all of it, or the other is gone.
            self.open &= self.stream.write_all(&line).is_ok();
        }
    }

    /// Rank 0: the hello of a process that has shown that it has `token`; an error if it is none of the
    /// ranks.
    pub(super) fn introduction(&mut self, token: &str) -> Result<Option<Hello>> {
        if self.standing != Standing::Rank {
            self.read(GREETING);
            let Some(line) = self.line() else {
                ensure!(self.open && self.bytes.len() < GREETING, "no greeting");
                return Ok(None);
            };
            match (serde_json::from_slice(&line)?, self.standing) {
                (Message::Greeting(greeting), Standing::Stranger) => {
                    if greeting.protocol != PROTOCOL {
                        self.send(&Message::Stop(other_build(PROTOCOL, greeting.protocol)));
                        bail!("another build");
                    }
                    let random = random();
                    let [own, its] = [Prover::First, Prover::Other]
                        .map(|prover| proof(token, prover, greeting.random, random));
                    self.send(&Message::Challenge(Challenge { protocol: PROTOCOL, random, proof: own }));
                    self.standing = Standing::Challenged(its);
                    return Ok(None);
                }
                (Message::Proof(proof), Standing::Challenged(its)) if proof == its => {
                    self.standing = Standing::Rank;
                    self.send(&Message::Welcome);
                }
                _ => bail!("none of the ranks"),
            }
        }
        match self.poll()? {
            None => Ok(None),
            Some(Message::Hello(hello)) => Ok(Some(hello)),
            Some(_) => bail!("no hello"),
        }
    }

    /// Another rank: whether rank 0 is there, and has welcomed this one.
    ///
    /// # Errors
    /// It has another token or is of another build, or says why it stops.
    pub(super) fn greet(&mut self, token: &str, deadline: Instant) -> Result<bool, Fault> {
        let random = random();
        self.send(&Message::Greeting(Greeting { protocol: PROTOCOL, random }));
        let challenge = match self.answer(deadline) {
            Some(Message::Challenge(challenge)) => challenge,
            Some(Message::Stop(fault)) => {
                let sentence = format!("what answers for rank 0, without a proof, says: {fault}");
                return Err(Fault { sentence, ..fault });
            }
            _ => return Ok(false),
        };
        if challenge.protocol != PROTOCOL {
            return Err(other_build(challenge.protocol, PROTOCOL));
        }
        if challenge.proof != proof(token, Prover::First, random, challenge.random) {
            let sentence = "rank 0 has another token: start all ranks as one job, or with one --token";
            return Err(Fault { status: 2, sentence: sentence.into() });
        }
        self.send(&Message::Proof(proof(token, Prover::Other, random, challenge.random)));
        Ok(matches!(self.answer(deadline), Some(Message::Welcome)))
    }

    /// The next message; none if it does not come in time.
    fn answer(&mut self, deadline: Instant) -> Option<Message> {
        loop {
            match self.poll() {
                Ok(None) if Instant::now() < deadline => std::thread::sleep(super::PAUSE),
                answer => return answer.ok().flatten(),
            }
        }
    }

    /// The next message, if one has come; an error if none will come any more.
    pub(super) fn poll(&mut self) -> Result<Option<Message>> {
        self.fill();
        let message = self.messages.pop_front();
        ensure!(message.is_some() || self.open, "closed");
        Ok(message)
    }

    /// Takes in what has come. Returns whether more may come, and why the other stops, if it does.
    pub fn fill(&mut self) -> (bool, Option<&Fault>) {
        self.read(MOST);
        self.open &= self.read_lines().is_ok() && self.bytes.len() < MOST && self.messages.len() <= WAITING;
        let stop = self.messages.iter().find_map(|message| match message {
            Message::Stop(fault) => Some(fault),
            _ => None,
        });
        (self.open || !self.messages.is_empty(), stop)
    }

    /// Reads until there is nothing more, or this many bytes are here.
    fn read(&mut self, most: usize) {
        let mut bytes = [0; 4096];
        while self.open && self.bytes.len() < most {
            let room = bytes.len().min(most - self.bytes.len());
            match self.stream.read(&mut bytes[..room]) {
                Ok(0) => self.open = false,
                Ok(count) => {
                    self.bytes.extend(&bytes[..count]);
                    self.heard = Instant::now();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => self.open = error.kind() == ErrorKind::Interrupted,
            }
        }
    }

    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.bytes.iter().position(|byte| *byte == b'\n')?;
        Some(self.bytes.drain(..=end).collect())
    }

    fn read_lines(&mut self) -> Result<()> {
        while let Some(line) = self.line() {
            match serde_json::from_slice(&line)? {
                Message::Here => {}
                Message::Stop(fault) => self.messages.push_back(Message::Stop(fault.told())),
                message => self.messages.push_back(message),
            }
        }
        Ok(())
    }

    /// How long it has said nothing.
    pub fn silent(&self) -> Duration {
        self.heard.elapsed()
    }
}

/// The addresses of rank 0's name. The system may take longer to look it up than a rank has time, so a thread
/// waits for that.
fn addresses(place: &Place, patience: Duration) -> Result<Vec<SocketAddr>> {
    let (tell, told) = mpsc::channel();
    let (host, port) = (place.host.clone(), place.port);
    std::thread::Builder::new().spawn(move || {
        let found = (&*host, port).to_socket_addrs().map(Iterator::collect);
        let _ = tell.send(found); // nobody waits for it any more
    })?;
    let found = told.recv_timeout(patience);
    found
        .with_context(|| format!("the system has not found {} in {patience:.1?}", place.host))?
        .map_err(Into::into)
}

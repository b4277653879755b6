//! One connection: messages, a line of JSON each, and none of its calls waits or keeps more than a little.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::hello::{Fault, Hello};
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
    /// Whether the other has said something that a rank says.
    pub has_spoken: bool,
}

/// The most bytes of a greeting, which anybody may send: JSON writes a byte of a token in at most six.
const GREETING: usize = 1 << 13;
/// The most bytes of any other message.
const MOST: usize = 1 << 16;
/// The most messages that wait to be read: ranks say one thing at a time.
const WAITING: usize = 16;

impl Link {
    /// Listens at the address that has rank 0's name, and at no other.
    pub fn listen(place: &Place) -> Result<TcpListener> {
        let at = format!("{}:{}", place.host, place.port);
        let addresses = (&*place.host, place.port).to_socket_addrs();
        let addresses: Vec<_> =
            addresses.with_context(|| format!("rank 0 finds no address of {at}"))?.collect();
        let listener = TcpListener::bind(&addresses[..]).with_context(|| {
            format!(
                "rank 0 cannot listen at {at}; another job may: set MASTER_PORT to another; or MASTER_ADDR \
                 is the name of another host"
            )
        })?;
        ensure!(
            listener.local_addr()?.ip().is_loopback() || !place.token.is_empty(),
            "rank 0 would listen at {at} to anybody: the launcher has given this job no name of its own, so \
             give all ranks the same --token, a word that others do not know"
        );
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Who has knocked.
    pub fn accept(listener: &TcpListener) -> Option<Link> {
        let (stream, _) = listener.accept().ok()?;
        Link::new(stream, usize::MAX).ok()
    }

    /// A connection to rank 0, or to who is there in its place.
    pub fn connect(place: &Place, patience: Duration) -> Result<Link> {
        let mut failed = None;
        for address in (&*place.host, place.port).to_socket_addrs()? {
            match TcpStream::connect_timeout(&address, patience) {
                // Where nobody listens, the system may have chosen this very port for this end.
                Ok(stream) if stream.local_addr()? == stream.peer_addr()? => {
                    failed = Some(ErrorKind::ConnectionRefused.into());
                }
                Ok(stream) => return Link::new(stream, 0),
                Err(error) => failed = Some(error),
            }
        }
        Err(failed.map_or_else(|| anyhow::anyhow!("{} has no address", place.host), Into::into))
    }

    fn new(stream: TcpStream, rank: usize) -> Result<Link> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (bytes, messages) = Default::default();
        Ok(Link { rank, stream, bytes, messages, heard: Instant::now(), open: true, has_spoken: false })
    }

    /// Sends `message`. That it does not arrive shows when the answer does not.
    pub(super) fn send(&mut self, message: &Message) {
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            // Messages are short, and few are under way: there is room for all of it, or the other is gone.
            self.open &= self.stream.write_all(&line).is_ok();
        }
    }

    /// The hello of a process that has greeted with `token` first; an error if it is none of the ranks. One
    /// that belongs to another job or another build is told so.
    pub(super) fn introduction(&mut self, token: &str) -> Result<Option<Hello>> {
        if !self.has_spoken {
            self.read(GREETING);
            let Some(line) = self.line() else {
                ensure!(self.open && self.bytes.len() < GREETING, "no greeting");
                return Ok(None);
            };
            let Message::Greeting(greeting) = serde_json::from_slice(&line)? else { bail!("no greeting") };
            if let Some(sentence) = greeting.refused(token) {
                self.send(&Message::Stop(Fault { status: 2, sentence: sentence.clone() }));
                bail!(sentence);
            }
            self.has_spoken = true;
            self.send(&Message::Here);
        }
        match self.poll()? {
            None => Ok(None),
            Some(Message::Hello(hello)) => Ok(Some(hello)),
            Some(_) => bail!("no hello"),
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
            let message = serde_json::from_slice(&line)?;
            self.has_spoken = true;
            match message {
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

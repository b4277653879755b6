//! One connection: messages, a line of JSON each, and none of its calls waits.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::{Fault, Message};

/// A connection to another rank.
pub struct Link {
    /// Which, as soon as it is known.
    pub rank: usize,
    stream: TcpStream,
    bytes: Vec<u8>,
    messages: VecDeque<Message>,
    heard: Instant,
    open: bool,
}

/// The most bytes of a message: what a stranger sends is not kept for ever.
const MOST: usize = 1 << 16;

impl Link {
    /// Listens at `port`: to this host alone where its name says so, else to all.
    pub fn listen(host: &str, port: u16) -> Result<TcpListener> {
        let local = host == "localhost" || host.parse().is_ok_and(|address: Ipv4Addr| address.is_loopback());
        let address = if local { Ipv4Addr::LOCALHOST } else { Ipv4Addr::UNSPECIFIED };
        let listener = TcpListener::bind((address, port)).with_context(|| {
            format!("rank 0 cannot listen at port {port}; another job may: set MASTER_PORT to another")
        })?;
        listener.set_nonblocking(true)?;
        Ok(listener)
    }

    /// Who has knocked.
    pub fn accept(listener: &TcpListener) -> Option<Link> {
        let (stream, _) = listener.accept().ok()?;
        Link::new(stream, usize::MAX).ok()
    }

    /// A connection to rank 0.
    pub fn connect(host: &str, port: u16, patience: Duration) -> Result<Link> {
        let addresses = (host, port).to_socket_addrs()?.collect::<Vec<_>>();
        // Rank 0 listens by IPv4.
        let Some(address) = addresses.iter().find(|address| address.is_ipv4()) else {
            bail!("{host} has no IPv4 address");
        };
        Link::new(TcpStream::connect_timeout(address, patience)?, 0)
    }

    fn new(stream: TcpStream, rank: usize) -> Result<Link> {
        stream.set_nonblocking(true)?;
        stream.set_nodelay(true)?;
        let (bytes, messages) = Default::default();
        Ok(Link { rank, stream, bytes, messages, heard: Instant::now(), open: true })
    }

    /// Sends `message`. That it does not arrive shows when the answer does not.
    pub(super) fn send(&mut self, message: &Message) {
        if let Ok(mut line) = serde_json::to_vec(message) {
            line.push(b'\n');
            // Messages are short, and few are under way: there is room for all of it, or the other is gone.
            self.open &= self.stream.write_all(&line).is_ok();
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
        let mut bytes = [0; 4096];
        while self.open {
            match self.stream.read(&mut bytes) {
                Ok(count) => {
                    self.bytes.extend(&bytes[..count]);
                    self.heard = Instant::now();
                    self.open = count > 0 && self.bytes.len() <= MOST && self.read_lines().is_ok();
                }
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                Err(error) => self.open = error.kind() == ErrorKind::Interrupted,
            }
        }
        let stop = self.messages.iter().find_map(|message| match message {
            Message::Stop(fault) => Some(fault),
            _ => None,
        });
        (self.open || !self.messages.is_empty(), stop)
    }

    fn read_lines(&mut self) -> Result<()> {
        while let Some(end) = self.bytes.iter().position(|byte| *byte == b'\n') {
            let line: Vec<u8> = self.bytes.drain(..=end).collect();
            match serde_json::from_slice(&line)? {
                Message::Here => {}
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

//! A connection between two ranks, and the messages on it: a header of 8 bytes, then JSON. Neither the size
//! of a message nor the time it takes is without bound, whoever sends it.

use std::io::{self, ErrorKind, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::hello::{Fault, Hello};

/// The first bytes of every message; the digit is the version of what ranks say to each other.
const MAGIC: [u8; 4] = *b"RNK2";

/// The most bytes of a message's JSON. A fault's sentence is cut so that it fits.
const MAX_MESSAGE: usize = 32 << 10;

#[derive(Serialize, Deserialize)]
pub enum Message {
    Hello(Hello),
    /// All ranks have arrived; with it comes what rank 0 has for them.
    Go(Vec<u8>),
    /// A sign of life.
    Here,
    Number(i32),
    Stop(Fault),
}

/// A connection to another rank, or to a stranger that has not said hello yet.
pub struct Link {
    /// `rank 1`
    pub name: String,
    pub stream: Arc<TcpStream>,
}

impl Link {
    pub fn new(name: String, stream: TcpStream) -> io::Result<Link> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        Ok(Link { name, stream: stream.into() })
    }

    /// The next message, which has to be complete before the deadline.
    pub fn read(&self, deadline: Instant) -> io::Result<Message> {
        let mut header = [0; 8];
        self.fill(&mut header, deadline)?;
        let [m0, m1, m2, m3, length @ ..] = header;
        let length = u32::from_be_bytes(length) as usize;
        if [m0, m1, m2, m3] != MAGIC || length > MAX_MESSAGE {
            return Err(io::Error::new(ErrorKind::InvalidData, "its header is not a rank's"));
        }
        let mut json = vec![0; length];
        self.fill(&mut json, deadline)?;
        serde_json::from_slice(&json).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
    }

    /// Fills `bytes` before the deadline, though they may come one by one.
    fn fill(&self, bytes: &mut [u8], deadline: Instant) -> io::Result<()> {
        let mut filled = 0;
        while filled < bytes.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ErrorKind::TimedOut.into());
            }
            self.stream.set_read_timeout(Some(left))?;
            match (&*self.stream).read(&mut bytes[filled..]) {
                Ok(0) => return Err(ErrorKind::UnexpectedEof.into()),
                Ok(count) => filled += count,
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends `message`. If it does not arrive, the missing answer will show that.
    pub fn send(&self, message: &Message) {
        send(&self.stream, message);
    }
}

pub fn send(mut stream: &TcpStream, message: &Message) {
    if let Ok(json) = serde_json::to_vec(message) {
        let length = json.len() as u32;
        let frame = [&MAGIC[..], &length.to_be_bytes(), &json].concat();
        let _ = stream.write_all(&frame);
    }
}

//! A connection to another rank: messages of bounded size, each of which has a bounded time to arrive.
//!
//! A message is its length in bytes, four of them, the lowest first, and JSON.

use std::io::{self, ErrorKind, Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::hello::{Fault, Hello};

/// Bytes of a message. The longest are a hello and the sentence of a fault. What another program says first
/// (`GET `, say) is a larger number.
const MAX_MESSAGE: usize = 1 << 16;

#[derive(Serialize, Deserialize)]
pub enum Message {
    Hello(Hello),
    /// Rank 0 belongs to another job than the hello.
    OtherJob,
    /// All are there; what rank 0 has for them.
    Go(Vec<u8>),
    Here,
    Number(i32),
    Stop(Fault),
}

/// Why no message came.
pub enum Unheard {
    /// The connection is closed.
    Closed,
    /// The message did not arrive in time.
    Late,
    /// What came is not a message; why.
    Strange(String),
}

/// One end of a connection, to be spoken into by several threads.
#[derive(Clone)]
pub struct Voice(Arc<Mutex<TcpStream>>);

impl Voice {
    /// Sends `message`. That it does not arrive shows when the answer does not.
    pub fn say(&self, message: &Message) {
        let Ok(json) = serde_json::to_vec(message) else { return };
        let mut bytes = (json.len() as u32).to_le_bytes().to_vec();
        bytes.extend(json);
        let mut stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.write_all(&bytes);
    }

    /// Says nothing more.
    pub fn close(&self) {
        let stream = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = stream.shutdown(Shutdown::Write);
    }
}

/// A connection to another rank.
pub struct Link {
    /// `rank 1`
    pub name: String,
    pub voice: Voice,
    stream: TcpStream,
}

impl Link {
    /// `patience`: how long the other end may take to read what is said to it.
    pub fn new(name: String, stream: TcpStream, patience: Duration) -> io::Result<Link> {
        stream.set_nonblocking(false)?;
        stream.set_nodelay(true)?;
        stream.set_write_timeout(Some(patience))?;
        let voice = Voice(Arc::new(Mutex::new(stream.try_clone()?)));
        Ok(Link { name, voice, stream })
    }

    /// The next message, all of which arrives within `patience`.
    pub fn read(&self, patience: Duration) -> Result<Message, Unheard> {
        let deadline = Instant::now() + patience;
        let mut length = [0; 4];
        self.fill(&mut length, deadline)?;
        let length = u32::from_le_bytes(length) as usize;
        if length > MAX_MESSAGE {
            return Err(Unheard::Strange(format!("a message of {length} bytes")));
        }
        let mut json = vec![0; length];
        self.fill(&mut json, deadline)?;
        serde_json::from_slice(&json).map_err(|error| Unheard::Strange(error.to_string()))
    }

    fn fill(&self, bytes: &mut [u8], deadline: Instant) -> Result<(), Unheard> {
        let mut filled = 0;
        while filled < bytes.len() {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || self.stream.set_read_timeout(Some(left)).is_err() {
                return Err(Unheard::Late);
            }
            match (&self.stream).read(&mut bytes[filled..]) {
                Ok(0) => return Err(Unheard::Closed),
                Ok(count) => filled += count,
                Err(error) => match error.kind() {
                    ErrorKind::Interrupted => {}
                    ErrorKind::WouldBlock | ErrorKind::TimedOut => return Err(Unheard::Late),
                    _ => return Err(Unheard::Closed),
                },
            }
        }
        Ok(())
    }

    /// The next message of a rank that works with this one. Signs of life are passed over.
    pub fn hear(&self, patience: Duration) -> Result<Message, Fault> {
        let name = &self.name;
        loop {
            let sentence = match self.read(patience) {
                Ok(Message::Here) => continue,
                Ok(Message::Stop(fault)) => return Err(fault),
                Ok(message) => return Ok(message),
                Err(Unheard::Closed) => format!("{name} has ended before the sum was there"),
                Err(Unheard::Late) => format!("{name} has not been heard from for {patience:?}"),
                Err(Unheard::Strange(why)) => format!("{name} sent something that no rank sends: {why}"),
            };
            return Err(Fault::failed(sentence));
        }
    }
}

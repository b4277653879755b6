//! The door of rank 0: who connects is heard apart from the others, and only ranks of this job get in.
//!
//! Anybody who reaches the port may connect: a port scanner, a browser, a rank of another job. None of them
//! ends the job, and none keeps the ranks waiting.

use std::io::{self, ErrorKind};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use super::hello::Hello;
use super::link::{Link, Message};

/// How long one who connects may take to say hello; a rank says it at once.
const MAX_GREETING: Duration = Duration::from_secs(5);
/// How many are listened to at the same time; others wait in the system's queue.
const MAX_GUESTS: usize = 256;

pub struct Door {
    listener: TcpListener,
    job: String,
    patience: Duration,
    /// Those who have connected, and have not said hello yet.
    guests: Arc<AtomicUsize>,
    put: Sender<(Hello, Link)>,
    inbox: Receiver<(Hello, Link)>,
}

impl Door {
    pub fn open(listener: TcpListener, job: String, patience: Duration) -> io::Result<Door> {
        listener.set_nonblocking(true)?;
        let (put, inbox) = channel();
        Ok(Door { listener, job, patience, guests: Arc::default(), put, inbox })
    }

    /// A rank of this job that has said hello, if one has.
    ///
    /// # Errors
    /// Nobody can connect any more.
    pub fn next(&self) -> io::Result<Option<(Hello, Link)>> {
        while self.guests.load(Ordering::Relaxed) < MAX_GUESTS {
            match self.listener.accept() {
                Ok((stream, from)) => self.let_in(stream, from)?,
                Err(error) => match error.kind() {
                    ErrorKind::WouldBlock => break,
                    // Who has connected is gone already.
                    ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset | ErrorKind::Interrupted => {}
                    _ => return Err(error),
                },
            }
        }
        Ok(self.inbox.try_recv().ok())
    }

    /// Listens to one who has connected, in a thread of its own.
    fn let_in(&self, stream: TcpStream, from: SocketAddr) -> io::Result<()> {
        let job = self.job.clone();
        let put = self.put.clone();
        let patience = self.patience;
        let guests = self.guests.clone();
        guests.fetch_add(1, Ordering::Relaxed);
        let listen = move || {
            if let Ok(link) = Link::new(from.to_string(), stream, patience) {
                greet(link, &job, patience, &put);
            }
            guests.fetch_sub(1, Ordering::Relaxed);
        };
        thread::Builder::new().spawn(listen).map(drop)
    }
}

/// Hands on a rank of this job. A rank of another is told so; what is not a rank is dropped.
fn greet(mut link: Link, job: &str, patience: Duration, put: &Sender<(Hello, Link)>) {
    let Ok(Message::Hello(hello)) = link.read(patience.min(MAX_GREETING)) else { return };
    if hello.job != job {
        link.voice.say(&Message::OtherJob);
        return;
    }
    link.name = format!("rank {}", hello.rank);
    let _ = put.send((hello, link)); // an error: all have arrived meanwhile
}

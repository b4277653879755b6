//! How a program ends itself: `<stdlib.h>`'s `exit` and its like, `<assert.h>`, `throw`.

use ptx_simulator::Kind;
use ptx_simulator::host::{Call, Given, Stop};

use super::files::STDERR;
use super::output::formatted;
use crate::cuda::user_place;
use crate::runtime::{Natives_, Runtime, text};

pub const NATIVES: &Natives_ = &[
    ("exit", |_, call| Err(Stop::Exit(call.word(0) as i32))),
    ("_exit", end_at_once),
    ("_Exit", end_at_once),
    ("quick_exit", |runtime, call| {
        let ends = runtime.kept.get::<Ends>();
        ends.at_exit = std::mem::take(&mut ends.at_quick_exit);
        Err(Stop::Exit(call.word(0) as i32))
    }),
    ("atexit", |runtime, call| {
        runtime.kept.get::<Ends>().at_exit.push(AtExit { function: call.long(0), argument: 0 });
        Ok(Given::Word(0))
    }),
    ("at_quick_exit", |runtime, call| {
        runtime.kept.get::<Ends>().at_quick_exit.push(AtExit { function: call.long(0), argument: 0 });
        Ok(Given::Word(0))
    }),
    ("__cxa_atexit", |runtime, call| {
        runtime.kept.get::<Ends>().at_exit.push(AtExit { function: call.long(0), argument: call.long(1) });
        Ok(Given::Word(0))
    }),
    ("abort", |runtime, call| {
        Err(trap(runtime, call, "the program calls `abort`", "look for what it has found wrong"))
    }),
    ("__cxa_pure_virtual", |runtime, call| {
        let help = "it is called in a constructor or a destructor of its class: call it later, or earlier";
        Err(trap(runtime, call, "a virtual function is called that its class does not define", help))
    }),
    ("raise", |runtime, call| {
        let what = format!("the program raises signal {}", call.word(0));
        Err(trap(runtime, call, &what, "look for what it has found wrong"))
    }),
    ("signal", |_, _| Ok(Given::Long(0))),
    ("__assertfail", assertion),
    ("__assert_fail", assertion),
    ("__wb_throw", throw),
    ("__wb_abort", |runtime, call| {
        let message = formatted(runtime, call, 0)?;
        runtime.write(call, STDERR, &[&message[..], b"\n"].concat(), "abort")?;
        let what = String::from_utf8_lossy(&message).into_owned();
        Err(trap(runtime, call, &what, "the C++ library has found this wrong"))
    }),
];

/// The functions that are called at the end, the last first.
#[derive(Debug, Default)]
pub struct Ends {
    pub at_exit: Vec<AtExit>,
    at_quick_exit: Vec<AtExit>,
}

impl Ends {
    /// Bytes that they take.
    pub fn held_bytes(&self) -> u64 {
        ((self.at_exit.len() + self.at_quick_exit.len()) * size_of::<AtExit>()) as u64
    }
}

/// A function that is called at the end.
#[derive(Clone, Copy, Debug)]
pub struct AtExit {
    pub function: u64,
    pub argument: u64,
}

/// What ends the program, at the line of its own that led here.
fn trap(runtime: &Runtime, call: &Call, what: &str, help: &str) -> Stop {
    let mut found = call.host.fault(Kind::Trap, what, help);
    if let Some((file, line)) = user_place(runtime, call) {
        found.file = Some(file);
        found.line = Some(line);
    }
    found.into()
}

/// Nothing is done at the end.
fn end_at_once(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    runtime.kept.get::<Ends>().at_exit.clear();
    Err(Stop::Exit(call.word(0) as i32))
}

/// `(message, file, line, function)`
fn assertion(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let [message, file, function] = [0, 1, 3].map(|number| text(call, call.long(number)));
    let [message, file, function] =
        [message?, file?, function?].map(|text| String::from_utf8_lossy(&text).into_owned());
    let line = call.word(2);
    let said = format!("{file}:{line}: {function}: Assertion `{message}' failed.\n");
    runtime.write(call, STDERR, said.as_bytes(), "assert")?;
    let what = format!("assertion `{message}` failed in {function}");
    Err(trap(runtime, call, &what, "the program's own check says that something is wrong"))
}

/// `(message or null)`
fn throw(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let message = match call.long(0) {
        0 => None,
        address => Some(String::from_utf8_lossy(&text(call, address)?).into_owned()),
    };
    let said = message.as_ref().map_or(String::new(), |message| format!("  what():  {message}\n"));
    let said = format!("terminate called after throwing an exception\n{said}");
    runtime.write(call, STDERR, said.as_bytes(), "throw")?;
    let what = message.map_or("an exception ends the program".to_string(), |message| {
        format!("an exception ends the program: {message}")
    });
    Err(trap(
        runtime,
        call,
        &what,
        "exceptions are not caught in the simulator: look for why this one is thrown",
    ))
}

//! What a Unix system has for a process: numbers of the machine, which are always the same. `<unistd.h>`,
//! `<locale.h>`, and of `<stdlib.h>` what is there.

use ptx_simulator::Owner;
use ptx_simulator::host::{Call, Given, Stop};

use super::variables::EINVAL;
use crate::runtime::{Natives_, Runtime, bytes, put, text};

/// What `alloca` has given: the number of the call that it is for, and the address.
#[derive(Debug, Default)]
struct Rooms {
    given: Vec<(u64, u64)>,
}

/// Where in a word of letters `getopt` goes on.
#[derive(Debug, Default)]
struct Getopt {
    within: usize,
}

pub const NATIVES: &Natives_ = &[
    ("__errno_location", |runtime, call| Ok(Given::Long(runtime.errno_address(call)?))),
    ("system", |_, _| Ok(Given::Word(u32::MAX))),
    ("realpath", |_, _| Ok(Given::Long(0))),
    ("tmpnam", |_, _| Ok(Given::Long(0))),
    ("mblen", |_, call| Ok(Given::Word((call.long(0) != 0).into()))),
    ("getpid", |_, _| Ok(Given::Word(1000))),
    ("getppid", |_, _| Ok(Given::Word(1))),
    ("getuid", |_, _| Ok(Given::Word(1000))),
    ("gethostname", |_, call| give_text(call, "localhost", call.long(1)).map(|_| Given::Word(0))),
    ("getcwd", |_, call| {
        give_text(call, "/", call.long(1))?;
        Ok(Given::Long(call.long(0)))
    }),
    ("isatty", |_, _| Ok(Given::Word(0))),
    ("sysconf", |runtime, call| match call.word(0) {
        30 => Ok(Given::Long(4096)),    // _SC_PAGESIZE
        83 | 84 => Ok(Given::Long(1)),  // _SC_NPROCESSORS_CONF, _SC_NPROCESSORS_ONLN
        85 => Ok(Given::Long(1 << 20)), // _SC_PHYS_PAGES
        _ => {
            runtime.set_errno(call, EINVAL)?;
            Ok(Given::Long(u64::MAX))
        }
    }),
    ("sched_yield", |_, _| Ok(Given::Word(0))),
    ("sched_getcpu", |_, _| Ok(Given::Word(0))),
    ("setlocale", |runtime, call| Ok(Given::Long(runtime.keep(call, "setlocale", b"C\0")?))),
    ("getopt", option),
    ("__wb_optarg", |runtime, call| runtime.variable(call, "optarg", &[0; 8]).map(Given::Long)),
    ("__wb_optind", |runtime, call| runtime.variable(call, "optind", &1u32.to_le_bytes()).map(Given::Long)),
    ("__wb_alloca", |runtime, call| {
        let name = crate::cuda::name_of_array(runtime, call);
        let rooms = &mut runtime.kept.get::<Rooms>().given;
        let is_open = |(number, _): &(u64, u64)| call.host.is_open(*number);
        for (_, address) in rooms.extract_if(.., |room| !is_open(room)) {
            call.simulator.free(address);
        }
        let Some(address) = call.simulator.alloc_for(Owner::Stack, call.long(0), &name) else {
            return Ok(Given::Long(0));
        };
        rooms.push((call.host.innermost_call().unwrap_or(0), address));
        Ok(Given::Long(address))
    }),
    ("__wb_alloca_size", |_, call| {
        Ok(Given::Long(call.simulator.allocation(call.long(0)).map_or(0, |(_, bytes, _)| bytes)))
    }),
];

/// Writes a text where argument 0 points, as far as there is room.
fn give_text(call: &mut Call, text: &str, room: u64) -> Result<(), Stop> {
    let text = [text.as_bytes(), &[0]].concat();
    put(call, call.long(0), &text[..text.len().min(room as usize)])
}

/// `getopt(argc, argv, options)`: options are a letter each, with a value behind a `:`.
fn option(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    const END: Given = Given::Word(u32::MAX);
    let optind = runtime.variable(call, "optind", &1u32.to_le_bytes())?;
    let optarg = runtime.variable(call, "optarg", &[0; 8])?;
    let number = bytes(call, optind, 4)?.try_into().map_or(0, u32::from_le_bytes);
    let argument = |call: &Call, number: u32| -> Result<u64, Stop> {
        let at = call.long(1).wrapping_add(8 * u64::from(number));
        Ok(bytes(call, at, 8)?.try_into().map_or(0, u64::from_le_bytes))
    };
    if number >= call.word(0) {
        return Ok(END);
    }
    let address = argument(call, number)?;
    let word = text(call, address)?;
    let options = text(call, call.long(2))?;
    let within = std::mem::take(&mut runtime.kept.get::<Getopt>().within).max(1);
    let Some(letter) = word.get(within).copied().filter(|_| word[0] == b'-') else { return Ok(END) };
    if word == b"--" {
        put(call, optind, &(number + 1).to_le_bytes())?;
        return Ok(END);
    }
    let known = options.iter().position(|option| *option == letter && letter != b':');
    let takes_value = known.is_some_and(|known| options.get(known + 1) == Some(&b':'));
    let is_last = within + 1 == word.len();
    let mut next = number + u32::from(is_last);
    if takes_value {
        let value = if is_last { argument(call, number + 1)? } else { address + within as u64 + 1 };
        put(call, optarg, &value.to_le_bytes())?;
        next = number + if is_last { 2 } else { 1 };
        if value == 0 {
            put(call, optind, &next.min(call.word(0)).to_le_bytes())?;
            return Ok(Given::Word(b'?'.into()));
        }
    } else if !is_last {
        runtime.kept.get::<Getopt>().within = within + 1;
    }
    put(call, optind, &next.to_le_bytes())?;
    Ok(Given::Word(if known.is_some() { letter } else { b'?' }.into()))
}

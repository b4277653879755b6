//! `printf` and its like.

use ptx_simulator::host::{Call, Given, Stop, format};
use ptx_simulator::observe::Access;
use ptx_simulator::{Kind, Severity};

use crate::outside::Standard;
use crate::runtime::{Natives_, Runtime, put, text};

pub const NATIVES: &Natives_ = &[
    ("printf", |runtime, call| print(runtime, call, Standard::Out, 0)),
    ("vprintf", |runtime, call| print(runtime, call, Standard::Out, 0)),
    ("puts", puts),
    ("putchar", putchar),
    ("snprintf", snprintf),
    ("vsnprintf", snprintf),
    ("sprintf", sprintf),
    ("vsprintf", sprintf),
];

/// Renders the format that argument `number` is, with the arguments that the next one points to.
pub fn formatted(runtime: &mut Runtime, call: &mut Call, number: usize) -> Result<Vec<u8>, Stop> {
    let format_text = String::from_utf8_lossy(&text(call, call.long(number))?).into_owned();
    let mut at = call.long(number + 1);
    let wrong = std::cell::RefCell::new(None);
    let mut lost = false;
    let (rendered, _) = format(
        &format_text,
        |bytes| {
            at = at.next_multiple_of(bytes as u64);
            let word = call.simulator.host_word(at, bytes).ok()?;
            at += bytes as u64;
            lost |= word.1 != 0;
            Some(word.0)
        },
        |address| match call.simulator.host_text(address) {
            Ok(text) => Some(String::from_utf8_lossy(text).into_owned()),
            Err(why) => {
                wrong.borrow_mut().get_or_insert((address, why));
                Some(String::new())
            }
        },
    );
    if let Some((address, why)) = wrong.into_inner() {
        return Err(call.wrong(Access::Load, address, 1, why).into());
    }
    if lost {
        let what = "a value is printed that was never written";
        let help = "write the memory before it is printed: copy the result back with cudaMemcpy, or initialise \
                    the variable";
        runtime.find(call, Kind::UninitializedRead, Severity::Error, what, help);
    }
    Ok(rendered.into_bytes())
}

fn print(runtime: &mut Runtime, call: &mut Call, to: Standard, number: usize) -> Result<Given, Stop> {
    let text = formatted(runtime, call, number)?;
    runtime.outside.write(to, &text);
    Ok(Given::Word(text.len() as u32))
}

fn puts(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let text = text(call, call.long(0))?;
    runtime.outside.write(Standard::Out, &[&text[..], b"\n"].concat());
    Ok(Given::Word(text.len() as u32 + 1))
}

fn putchar(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    runtime.outside.write(Standard::Out, &[call.word(0) as u8]);
    Ok(Given::Word(call.word(0)))
}

fn snprintf(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let room = call.long(1);
    let text = formatted(runtime, call, 2)?;
    if room > 0 {
        let kept = text.len().min(room as usize - 1);
        put(call, call.long(0), &[&text[..kept], &[0]].concat())?;
    }
    Ok(Given::Word(text.len() as u32))
}

fn sprintf(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let text = formatted(runtime, call, 1)?;
    put(call, call.long(0), &[&text[..], &[0]].concat())?;
    Ok(Given::Word(text.len() as u32))
}

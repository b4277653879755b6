//! `<ctype.h>`: kinds of characters, in the locale "C".

use ptx_simulator::host::{Call, Given};

use crate::runtime::Natives_;

pub const NATIVES: &Natives_ = &[
    ("isalnum", |_, call| Ok(is(call, |byte| byte.is_ascii_alphanumeric()))),
    ("isalpha", |_, call| Ok(is(call, |byte| byte.is_ascii_alphabetic()))),
    ("isascii", |_, call| Ok(is(call, |byte| byte.is_ascii()))),
    ("isblank", |_, call| Ok(is(call, |byte| matches!(byte, b' ' | b'\t')))),
    ("iscntrl", |_, call| Ok(is(call, |byte| byte.is_ascii_control()))),
    ("isdigit", |_, call| Ok(is(call, |byte| byte.is_ascii_digit()))),
    ("isgraph", |_, call| Ok(is(call, |byte| byte.is_ascii_graphic()))),
    ("islower", |_, call| Ok(is(call, |byte| byte.is_ascii_lowercase()))),
    ("isprint", |_, call| Ok(is(call, |byte| byte.is_ascii_graphic() || byte == b' '))),
    ("ispunct", |_, call| Ok(is(call, |byte| byte.is_ascii_punctuation()))),
    ("isspace", |_, call| Ok(is(call, super::numbers::is_space))),
    ("isupper", |_, call| Ok(is(call, |byte| byte.is_ascii_uppercase()))),
    ("isxdigit", |_, call| Ok(is(call, |byte| byte.is_ascii_hexdigit()))),
    ("tolower", |_, call| Ok(changed(call, |byte| byte.to_ascii_lowercase()))),
    ("toupper", |_, call| Ok(changed(call, |byte| byte.to_ascii_uppercase()))),
];

fn is(call: &Call, is_so: fn(u8) -> bool) -> Given {
    Given::Word(u8::try_from(call.word(0)).is_ok_and(is_so).into())
}

fn changed(call: &Call, change: fn(u8) -> u8) -> Given {
    let character = call.word(0);
    Given::Word(u8::try_from(character).map_or(character, |byte| change(byte).into()))
}

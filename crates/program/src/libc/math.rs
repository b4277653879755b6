//! `<math.h>`: the functions that kernels have too, for the host; and those whose results depend on texts.

use ptx_simulator::host::{Call, Given, Math, Results, Stop};

use crate::runtime::{Natives_, put};

pub const NATIVES: &Natives_ =
    &[("nan", |_, _| Ok(Given::Double(f64::NAN))), ("nanf", |_, _| Ok(Given::Float(f32::NAN)))];

/// Calls a function of the table.
pub fn compute(call: &mut Call, math: Math) -> Result<Given, Stop> {
    let Results { value, bytes, through } = math.apply(|number, bytes| call.part(number, 0, bytes));
    for (number, value, bytes) in through.into_iter().flatten() {
        put(call, call.long(number), &value.to_le_bytes()[..bytes])?;
    }
    Ok(match bytes {
        0 => Given::Nothing,
        4 => Given::Word(value as u32),
        _ => Given::Long(value),
    })
}

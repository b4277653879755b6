//! The functions that compiled kernels call without defining them: the device runtime (launches) and `printf`.

/// A known function. The names are those that nvcc writes, before and since CUDA 12 (CDP1 and CDP2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// `(kernel, grid, block, shared bytes) -> parameter buffer, or null`
    GetParameterBuffer,
    /// `(parameter buffer, stream) -> error`
    LaunchDevice,
    GetLastError,
    PeekAtLastError,
    /// Waits for the block's children. Device code of CUDA 12 and later can no longer call it.
    DeviceSynchronize,
    /// `(stream*, flags) -> error`
    StreamCreate,
    StreamDestroy,
    /// `(format, arguments) -> int`
    Printf,
    /// `(message, file, line, function, size)`
    AssertFail,
}

impl Call {
    pub fn parse(name: &str) -> Option<Call> {
        Some(match name.strip_prefix("__cudaCDP2").or(name.strip_prefix("cuda")).unwrap_or(name) {
            "GetParameterBufferV2" => Call::GetParameterBuffer,
            "LaunchDeviceV2" => Call::LaunchDevice,
            "GetLastError" => Call::GetLastError,
            "PeekAtLastError" => Call::PeekAtLastError,
            "DeviceSynchronize" => Call::DeviceSynchronize,
            "StreamCreateWithFlags" => Call::StreamCreate,
            "StreamDestroy" => Call::StreamDestroy,
            "vprintf" => Call::Printf,
            "__assertfail" => Call::AssertFail,
            _ => return None,
        })
    }
}

/// Streams with a meaning of their own (`cuda_device_runtime_api.h`); others are ordered queues.
pub const STREAM_TAIL: u64 = 3;
pub const STREAM_FIRE_AND_FORGET: u64 = 4;
/// First handle that `cudaStreamCreateWithFlags` gives.
pub const FIRST_STREAM: u64 = 16;

/// Errors that a device launch can give (`cudaError_t`).
pub const INVALID_CONFIGURATION: u32 = 9;
pub const PENDING_COUNT_EXCEEDED: u32 = 69;
pub const INVALID_DEVICE_FUNCTION: u32 = 98;

/// Renders a `printf` format (CUDA C++ Programming Guide, "Formatted Output"). `argument(bytes)` gives the next
/// argument's bits, `text(address)` the string at an address.
pub fn format(
    format: &str,
    mut argument: impl FnMut(usize) -> Option<u64>,
    text: impl Fn(u64) -> Option<String>,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = format.chars().peekable();
    while let Some(c) = rest.next() {
        if c != '%' {
            out.push(c);
            continue;
        }
        let (mut flags, mut width, mut precision, mut long) =
            (String::new(), String::new(), None::<String>, 0);
        let conversion = loop {
            match rest.next()? {
                c @ ('-' | '+' | ' ' | '#') => flags.push(c),
                '0' if width.is_empty() && precision.is_none() => flags.push('0'),
                c if c.is_ascii_digit() => precision.as_mut().unwrap_or(&mut width).push(c),
                '.' => precision = Some(String::new()),
                'l' | 'j' | 'z' | 't' => long += 1,
                'h' => {}
                c => break c,
            }
        };
        if conversion == '%' {
            out.push('%');
            continue;
        }
        let digits = precision.as_deref().map(|p| p.parse::<usize>().unwrap_or(0));
        let bytes = if long > 0 || matches!(conversion, 's' | 'p' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G') {
            8
        } else {
            4
        };
        let bits = argument(bytes)?;
        let body = match conversion {
            'd' | 'i' if bytes == 8 => (bits as i64).to_string(),
            'd' | 'i' => (bits as i32).to_string(),
            'u' => bits.to_string(),
            'x' => format!("{bits:x}"),
            'X' => format!("{bits:X}"),
            'o' => format!("{bits:o}"),
            'p' => format!("{bits:#x}"),
            'c' => char::from(bits as u8).to_string(),
            's' => text(bits)?,
            'f' | 'F' => format!("{:.*}", digits.unwrap_or(6), f64::from_bits(bits)),
            'e' | 'E' => exponent(f64::from_bits(bits), digits.unwrap_or(6)),
            'g' | 'G' => general(f64::from_bits(bits), digits.unwrap_or(6).max(1)),
            _ => return None,
        };
        let signed = matches!(conversion, 'd' | 'i' | 'f' | 'F' | 'e' | 'E' | 'g' | 'G');
        let body =
            if signed && flags.contains('+') && !body.starts_with('-') { format!("+{body}") } else { body };
        let width = width.parse::<usize>().unwrap_or(0);
        let missing = width.saturating_sub(body.chars().count());
        if flags.contains('-') {
            out.push_str(&body);
            out.extend(std::iter::repeat_n(' ', missing));
        } else if flags.contains('0') && conversion != 's' {
            let sign = body.len() - body.trim_start_matches(['-', '+']).len();
            out.push_str(&body[..sign]);
            out.extend(std::iter::repeat_n('0', missing));
            out.push_str(&body[sign..]);
        } else {
            out.extend(std::iter::repeat_n(' ', missing));
            out.push_str(&body);
        }
    }
    Some(out)
}

/// `%e`: at least two digits of exponent.
fn exponent(value: f64, digits: usize) -> String {
    let text = format!("{value:.digits$e}");
    match text.split_once('e') {
        Some((mantissa, exponent)) => {
            let (sign, exponent) = match exponent.strip_prefix('-') {
                Some(exponent) => ('-', exponent),
                None => ('+', exponent),
            };
            format!("{mantissa}e{sign}{exponent:0>2}")
        }
        None => text,
    }
}

/// `%g`: the shorter of `%e` and `%f`, without trailing zeros.
fn general(value: f64, digits: usize) -> String {
    if !value.is_finite() {
        return value.to_string();
    }
    let scientific = format!("{:.*e}", digits - 1, value);
    let power: i32 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_string(),
        false => text.to_string(),
    };
    if power < -4 || power >= digits as i32 {
        let text = exponent(value, digits - 1);
        match text.split_once('e') {
            Some((mantissa, exponent)) => format!("{}e{exponent}", trim(mantissa)),
            None => text,
        }
    } else {
        trim(&format!("{:.*}", (digits as i32 - 1 - power).max(0) as usize, value))
    }
}

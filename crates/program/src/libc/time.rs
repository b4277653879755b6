//! `<time.h>` and `<sys/time.h>`: there is no clock. The time counts on with what the host executes and with
//! each question, so that no difference is 0; the program's output is the same in each run.

use ptx_simulator::host::{Call, Given, Stop};

use crate::runtime::{Natives_, Runtime, bytes, put, text};

/// Nanoseconds that the program has slept, and that its questions for the time took.
#[derive(Debug, Default)]
struct Waited {
    nanoseconds: u64,
}

pub const NATIVES: &Natives_ = &[
    ("clock", |runtime, call| Ok(Given::Long(nanoseconds(runtime, call) / 1000))),
    ("time", |runtime, call| {
        let now = seconds(runtime, call);
        if call.long(0) != 0 {
            put(call, call.long(0), &now.to_le_bytes())?;
        }
        Ok(Given::Long(now))
    }),
    ("gettimeofday", |runtime, call| give_time(runtime, call, call.long(0), 1000)),
    ("clock_gettime", |runtime, call| give_time(runtime, call, call.long(1), 1)),
    ("timespec_get", |runtime, call| {
        give_time(runtime, call, call.long(0), 1)?;
        Ok(Given::Word(call.word(1)))
    }),
    ("clock_getres", |_, call| {
        put(call, call.long(1), &pair(0, 1))?;
        Ok(Given::Word(0))
    }),
    // Since the program began; it counts on with each call.
    ("__wb_nanoseconds", |runtime, call| Ok(Given::Long(nanoseconds(runtime, call)))),
    ("difftime", |_, call| Ok(Given::Double((call.long(0) as i64).wrapping_sub(call.long(1) as i64) as f64))),
    ("sleep", |runtime, call| sleep(runtime, u64::from(call.word(0)) * SECOND)),
    ("usleep", |runtime, call| sleep(runtime, u64::from(call.word(0)) * 1000)),
    ("nanosleep", |runtime, call| {
        let [seconds, rest] = pair_at(call, call.long(0))?;
        sleep(runtime, seconds.saturating_mul(SECOND).saturating_add(rest))
    }),
    ("gmtime", calendar),
    ("localtime", calendar),
    ("gmtime_r", calendar_into),
    ("localtime_r", calendar_into),
    ("mktime", |_, call| {
        let date = Date::at(call, call.long(0))?;
        let seconds = date.seconds();
        put(call, call.long(0), &Date::of(seconds).bytes())?;
        Ok(Given::Long(seconds as u64))
    }),
    ("strftime", |_, call| {
        let format = text(call, call.long(2))?;
        let date = Date::at(call, call.long(3))?;
        let text = [date.formatted(&format), vec![0]].concat();
        if text.len() as u64 > call.long(1) {
            return Ok(Given::Long(0));
        }
        put(call, call.long(0), &text)?;
        Ok(Given::Long(text.len() as u64 - 1))
    }),
    ("asctime", |runtime, call| {
        let date = Date::at(call, call.long(0))?;
        said(runtime, call, date)
    }),
    ("ctime", |runtime, call| {
        let [seconds] = [bytes(call, call.long(0), 8)?.try_into().map_or(0, i64::from_le_bytes)];
        said(runtime, call, Date::of(seconds))
    }),
];

const SECOND: u64 = 1_000_000_000;
/// When programs begin: 2026-01-01, in seconds since 1970.
const BEGIN: u64 = 1_767_225_600;
/// How long a question takes, in nanoseconds: a few ticks of the coarsest clock.
const QUESTION: u64 = 5000;

/// Nanoseconds since the program began: one for each instruction.
fn nanoseconds(runtime: &mut Runtime, call: &Call) -> u64 {
    runtime.asked_for_times = true;
    let waited = runtime.kept.get::<Waited>();
    waited.nanoseconds = waited.nanoseconds.saturating_add(QUESTION);
    waited.nanoseconds.saturating_add(call.host.steps())
}

/// The seconds since 1970. A program that begins its random numbers by them measures nothing.
fn seconds(runtime: &mut Runtime, call: &Call) -> u64 {
    BEGIN + nanoseconds(runtime, call) / SECOND
}

fn sleep(runtime: &mut Runtime, nanoseconds: u64) -> Result<Given, Stop> {
    let waited = runtime.kept.get::<Waited>();
    waited.nanoseconds = waited.nanoseconds.saturating_add(nanoseconds);
    Ok(Given::Word(0))
}

fn pair(seconds: u64, rest: u64) -> Vec<u8> {
    [seconds.to_le_bytes(), rest.to_le_bytes()].concat()
}

fn pair_at(call: &Call, address: u64) -> Result<[u64; 2], Stop> {
    let held = bytes(call, address, 16)?;
    Ok([0, 8].map(|at| held[at..at + 8].try_into().map_or(0, u64::from_le_bytes)))
}

/// The time of day: seconds, and what is left of a second in units of so many nanoseconds.
fn give_time(runtime: &mut Runtime, call: &mut Call, to: u64, unit: u64) -> Result<Given, Stop> {
    let now = nanoseconds(runtime, call);
    put(call, to, &pair(BEGIN + now / SECOND, now % SECOND / unit))?;
    Ok(Given::Word(0))
}

fn calendar(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let seconds = bytes(call, call.long(0), 8)?.try_into().map_or(0, i64::from_le_bytes);
    Ok(Given::Long(runtime.keep(call, "gmtime", &Date::of(seconds).bytes())?))
}

fn calendar_into(_: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let seconds = bytes(call, call.long(0), 8)?.try_into().map_or(0, i64::from_le_bytes);
    put(call, call.long(1), &Date::of(seconds).bytes())?;
    Ok(Given::Long(call.long(1)))
}

/// `Thu Jan  1 00:00:00 2026`
fn said(runtime: &mut Runtime, call: &mut Call, date: Date) -> Result<Given, Stop> {
    let text = [date.formatted(b"%a %b %e %H:%M:%S %Y\n"), vec![0]].concat();
    Ok(Given::Long(runtime.keep(call, "asctime", &text)?))
}

const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// `struct tm`: second, minute, hour, day from 1, month from 0, year from 1900, day of the week and of the
/// year.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Date([i32; 9]);

impl Date {
    fn at(call: &Call, address: u64) -> Result<Date, Stop> {
        let held = bytes(call, address, 36)?;
        let word = |number: usize| held[4 * number..][..4].try_into().map_or(0, i32::from_le_bytes);
        Ok(Date(std::array::from_fn(word)))
    }

    /// As C has it: with the offset from UTC, and the name of the zone, which are 0.
    fn bytes(self) -> Vec<u8> {
        self.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// Of a time in seconds since 1970, in UTC.
    fn of(seconds: i64) -> Date {
        const FAR: i64 = 1 << 55;
        let seconds = seconds.clamp(-FAR, FAR);
        let days = seconds.div_euclid(86400);
        let time = seconds.rem_euclid(86400) as i32;
        // Years that begin in March, in cycles of 400 (Howard Hinnant, "chrono-compatible date algorithms").
        let from_march = days + 719_468;
        let cycle = from_march.div_euclid(146_097);
        let day = from_march.rem_euclid(146_097);
        let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
        let day_of_year = day - (365 * year + year / 4 - year / 100);
        let month = (5 * day_of_year + 2) / 153;
        let day_of_month = day_of_year - (153 * month + 2) / 5 + 1;
        let year = year + 400 * cycle + i64::from(month >= 10);
        let month = (month + 2) % 12;
        let first = days_to(year, 0);
        Date([
            time % 60,
            time / 60 % 60,
            time / 3600,
            day_of_month as i32,
            month as i32,
            (year - 1900).clamp(i32::MIN.into(), i32::MAX.into()) as i32,
            (days + 4).rem_euclid(7) as i32,
            (days - first) as i32,
            0,
        ])
    }

    /// The time in seconds since 1970; what is too large for its place is carried.
    fn seconds(self) -> i64 {
        let [second, minute, hour, day, month, year, ..] = self.0.map(i64::from);
        let years = year + 1900 + month.div_euclid(12);
        let days = days_to(years, month.rem_euclid(12)) + day - 1;
        86400 * days + 3600 * hour + 60 * minute + second
    }

    fn formatted(&self, format: &[u8]) -> Vec<u8> {
        let [second, minute, hour, day, month, year, week_day, year_day, _] = self.0.map(i64::from);
        let mut out = Vec::new();
        let mut rest = format;
        while let Some((first, behind)) = rest.split_first() {
            rest = behind;
            let letter = match rest.first() {
                Some(letter) if *first == b'%' => *letter,
                _ => {
                    out.push(*first);
                    continue;
                }
            };
            rest = &rest[1..];
            let name_of = |names: &[&str], number: i64| {
                usize::try_from(number).ok().and_then(|number| names.get(number)).unwrap_or(&"?").to_string()
            };
            let part =
                |format: &str| String::from_utf8_lossy(&self.formatted(format.as_bytes())).into_owned();
            let twelve = (hour + 11).rem_euclid(12) + 1;
            let text = match letter {
                b'Y' => format!("{}", year + 1900),
                b'C' => format!("{:02}", (year + 1900) / 100),
                b'y' => format!("{:02}", year.rem_euclid(100)),
                b'm' => format!("{:02}", month + 1),
                b'd' => format!("{day:02}"),
                b'e' => format!("{day:2}"),
                b'H' => format!("{hour:02}"),
                b'I' => format!("{twelve:02}"),
                b'M' => format!("{minute:02}"),
                b'S' => format!("{second:02}"),
                b'p' => if hour < 12 { "AM" } else { "PM" }.to_string(),
                b'j' => format!("{:03}", year_day + 1),
                b'w' => format!("{week_day}"),
                b'u' => format!("{}", (week_day + 6).rem_euclid(7) + 1),
                b'A' => name_of(&DAYS, week_day),
                b'a' => name_of(&DAYS, week_day).chars().take(3).collect(),
                b'B' => name_of(&MONTHS, month),
                b'b' | b'h' => name_of(&MONTHS, month).chars().take(3).collect(),
                b'F' => part("%Y-%m-%d"),
                b'D' | b'x' => part("%m/%d/%y"),
                b'T' | b'X' => part("%H:%M:%S"),
                b'R' => part("%H:%M"),
                b'r' => part("%I:%M:%S %p"),
                b'c' => part("%a %b %e %H:%M:%S %Y"),
                b's' => format!("{}", self.seconds()),
                b'z' => "+0000".to_string(),
                b'Z' => "UTC".to_string(),
                b'n' => "\n".to_string(),
                b't' => "\t".to_string(),
                b'%' => "%".to_string(),
                letter => format!("%{}", char::from(letter)),
            };
            out.extend(text.into_bytes());
        }
        out
    }
}

/// Days from 1970 to the first of a month, from 0, of a year.
fn days_to(year: i64, month: i64) -> i64 {
    let from_march = (month + 10) % 12;
    let year = year - i64::from(month < 2);
    let cycle = year.div_euclid(400);
    let in_cycle = year.rem_euclid(400);
    let day = (153 * from_march + 2) / 5 + 365 * in_cycle + in_cycle / 4 - in_cycle / 100;
    146_097 * cycle + day - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "Thu 1970-01-01 00:00:00 001"),
            (951_827_696, "Tue 2000-02-29 12:34:56 060"),
            (-1, "Wed 1969-12-31 23:59:59 365"),
            (BEGIN as i64, "Thu 2026-01-01 00:00:00 001"),
        ] {
            let date = Date::of(seconds);
            let text = date.formatted(b"%a %F %T %j");
            assert_eq!((String::from_utf8_lossy(&text).as_ref(), date.seconds()), (expected, seconds));
        }
    }
}

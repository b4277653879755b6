//! A finding in words.

use crate::what::{
    Access, Apart, Depends, Disorder, Endless, Loophole, Matters, Region, ShortWait, Side, Site, Spot,
    Unordered, What, bytes, thousands,
};

impl What {
    /// What is wrong, in one sentence.
    pub fn message(&self) -> String {
        match self {
            What::Said(words) | What::Told(words, _) => words.message.clone(),
            What::Refused(_, message) => message.clone(),
            What::Race { sides: [me, other], spot, order, header } => {
                let who = other.seen_from(me, *order);
                let does = other.does;
                let is_of_other_block = me.grid == other.grid && me.block != other.block;
                let mine = if is_of_other_block { me.of_block() } else { String::new() };
                let thread = beside(me.thread, other.thread);
                let message =
                    format!("thread {thread}{mine} {} {spot}, which {who} {does}, {order}", me.does);
                let header = header.as_ref().map(|header| format!("; both are in NVIDIA's <{header}>"));
                message + &header.unwrap_or_default()
            }
            What::OrderDecides { sides, spot, values, is_sum, is_rearranged, unordered } => {
                let [plain, reversed] = values.shown();
                let what = if *is_sum { ", since the sum is rounded at each step" } else { "" };
                let decides = match sides {
                    Some([me, other]) => {
                        format!("which comes first{what}: {}, or {}", me.operation(), other.operation())
                    }
                    None => "the order of the atomic and volatile operations".to_string(),
                };
                let same = if *is_rearranged { ": the same elements in another order" } else { "" };
                format!("{spot} ends as {plain} or as {reversed}{same}, depending on {decides}{unordered}")
            }
            What::Outlived(me, spot) => {
                format!("{me} {spot}, and nothing keeps that block from ending first")
            }
            What::Outside { does, bytes: width, spot } => of_bytes(*does, *width) + &spot.outside(*width),
            What::Unwritten { matters, spot: Some(spot), .. } => {
                format!("{}: {spot} was never written", matters.said())
            }
            What::Unwritten { matters, .. } => matters.said().to_string(),
            What::UnwrittenAtomic(spot) => format!("an atomic reads {spot}, which is uninitialized"),
            What::LooksFree { by, spot, free, .. } => format!(
                "thread {}{} takes the lock {spot} by a compare-and-swap that puts {free} where {free} was: \
                 the lock looks free to every other thread",
                index(by.thread),
                by.of_block()
            ),
            What::NeverRead { by, spot } => format!(
                "what thread {} left in {spot} is never read, unlike what other threads stored in this line",
                index(by.thread)
            ),
            What::Divergence { at: [block, thread], past: [other_block, other], cluster, .. } => {
                let [thread, other] = [beside(*thread, *other), beside(*other, *thread)];
                if *cluster {
                    format!(
                        "thread {thread} of block {} comes to this barrier of the cluster, and thread \
                         {other} \
                         of block {} goes past it",
                        index(*block),
                        index(*other_block)
                    )
                } else {
                    format!(
                        "thread {thread} comes to this barrier, and thread {other} of its block goes \
                             past it"
                    )
                }
            }
            What::LeftBefore { exited, threads, cluster } => format!(
                "{exited} of the {}'s {threads} threads had left or passed by when this barrier opened",
                group(*cluster)
            ),
            What::TooLong { expected } => {
                format!("the launch would execute about {} warp instructions", thousands(*expected))
            }
            What::Endless(endless) => format!("a loop does not end: {endless}"),
            What::ActiveMask { apart, .. } => {
                let apart = apart.as_ref().map_or(String::new(), Apart::said);
                format!(
                    "__activemask() tells which lanes happen to be together here, not which should take \
                     part{apart}"
                )
            }
            What::Dropped { count, limit } => {
                let launches = match count {
                    1 => "1 device launch was".to_string(),
                    count => format!("{count} device launches were"),
                };
                format!("{launches} dropped, since {limit} were pending: these children never ran")
            }
        }
    }

    /// Where what is uninitialized should have been written.
    fn writer(&self) -> Option<Site> {
        let What::Unwritten { writer: Some(writer), .. } = self else { return None };
        let (file, line) = writer.at.clone()?;
        let message =
            format!("{} does not write it here, where those beside it write theirs", writer.named());
        Some(Site { file, line, message })
    }

    /// Other places that belong to it: the other side of a race.
    pub fn related(&self) -> Vec<Site> {
        let (at, message) = match self {
            What::Said(words) | What::Told(words, _) => return words.related.clone(),
            What::Race { order: Disorder::Copy(_) | Disorder::CopyAtAnyTime, sides: [_, other], .. } => {
                (&other.at, "the copy starts here".to_string())
            }
            What::Race { sides: [me, other], order, .. } => {
                (&other.at, format!("{} {} it here", other.seen_from(me, *order), other.does))
            }
            What::OrderDecides { unordered: Unordered::Unfenced(sides), .. } => {
                let site = |side: &Side| {
                    let (file, line) = side.at.clone()?;
                    Some(Site { file, line, message: side.operation() })
                };
                return sides.iter().filter_map(site).collect();
            }
            What::OrderDecides { sides: Some([_, other]), .. } => (&other.at, other.operation()),
            What::Unwritten { read, spot, .. } => {
                let here = match spot {
                    Some(spot) => format!("the value is read here, and {spot} is uninitialized"),
                    None => "the value is read here, from uninitialized memory".to_string(),
                };
                (read, here)
            }
            What::LooksFree { given_back, .. } => (given_back, "it gives the lock back here".to_string()),
            What::ActiveMask { names, .. } => (names, "the lanes are named by it here".to_string()),
            What::Divergence { branch, cluster, .. } => {
                (branch, format!("here the threads of the {} diverge", group(*cluster)))
            }
            _ => return Vec::new(),
        };
        let site = |(file, line): &(String, u32)| Site { file: file.clone(), line: *line, message };
        at.as_ref().map(site).into_iter().chain(self.writer()).collect()
    }
}

impl Apart {
    /// `: where lanes that have diverged stay apart, …`
    fn said(&self) -> String {
        let what = match self {
            Apart::Result(spot, values) => {
                let [plain, apart] = values.shown();
                format!("{spot} ends as {apart}, not as {plain}")
            }
            Apart::Finds(message) => message.clone(),
        };
        format!(": where lanes that have diverged stay apart, {what}")
    }
}

impl Matters {
    fn said(self) -> &'static str {
        match self {
            Matters::Branch => "a branch depends on an uninitialized value",
            Matters::Address => "an address depends on an uninitialized value",
            Matters::Stored => "an uninitialized value is stored to global memory",
            Matters::Operand => "an atomic has an uninitialized operand",
            Matters::Argument => "an argument of this call is an uninitialized value",
        }
    }
}

impl Side {
    /// `the read by thread 5 of block 0`
    pub(crate) fn operation(&self) -> String {
        let noun = match self.does {
            Access::Load => "the read",
            Access::Store => "the write",
            Access::Atomic { .. } => "the atomic",
        };
        let grid = if self.grid == 0 { String::new() } else { format!(" of grid {}", self.grid) };
        let gpu = if self.gpu == 0 { String::new() } else { format!(" on GPU {}", self.gpu) };
        format!("{noun} by thread {} of block {}{grid}{gpu}", index(self.thread), index(self.block))
    }

    /// `thread 5 of block 3`
    pub(crate) fn named(&self) -> String {
        format!("thread {} of block {}", index(self.thread), index(self.block))
    }

    /// ` of block 3`
    fn of_block(&self) -> String {
        format!(" of block {}", index(self.block))
    }

    /// `thread 5 of its block`, as `me` would say it.
    fn seen_from(&self, me: &Side, order: Disorder) -> String {
        let is_own = (self.grid, self.block, self.thread) == (me.grid, me.block, me.thread);
        let thread = beside(self.thread, me.thread);
        let thread = match order {
            Disorder::Copy(_) | Disorder::CopyAtAnyTime if is_own => {
                return "its own asynchronous copy".to_string();
            }
            Disorder::Copy(_) | Disorder::CopyAtAnyTime => {
                format!("an asynchronous copy of thread {thread}")
            }
            _ => format!("thread {thread}"),
        };
        let block = index(self.block);
        match () {
            () if self.gpu != me.gpu => format!("{thread} of block {block} on GPU {}", self.gpu),
            () if self.grid != me.grid => format!("{thread} of block {block} of grid {}", self.grid),
            () if self.block != me.block => format!("{thread} of block {block}"),
            () => format!("{thread} of its block"),
        }
    }
}

impl Spot {
    /// `` `g_data[2]` ``, where that is known.
    fn element(&self) -> Option<String> {
        let name = self.name.as_ref()?;
        let bytes = i64::from(self.element?);
        let is_array = self.size.is_none_or(|size| size > bytes as u64);
        match (&self.region, self.byte % bytes) {
            (Region::Shared { .. } | Region::Variable(_), 0) if !is_array => Some(format!("`{name}`")),
            (_, 0) => Some(format!("`{name}{}`", self.indices(self.byte / bytes))),
            _ => None,
        }
    }

    /// `[1][3]`, the element that comes after so many others.
    fn indices(&self, number: i64) -> String {
        let mut rest = number;
        let mut indices = String::new();
        for extent in self.inner.iter().rev().map(|extent| *extent as i64) {
            indices = format!("[{}]{indices}", rest.rem_euclid(extent));
            rest = rest.div_euclid(extent);
        }
        format!("[{rest}]{indices}")
    }

    /// `1,024`, or `16 × 17` of an array of several dimensions: how many elements there are.
    fn count(&self, elements: u64) -> String {
        let inner: u64 = self.inner.iter().product();
        let extents = [elements / inner].into_iter().chain(self.inner.iter().copied());
        extents.map(thousands).collect::<Vec<_>>().join(" × ")
    }

    /// `` `g_data` ``, or `argument 0`.
    fn called(&self) -> String {
        self.name.as_ref().map_or(self.region.to_string(), |name| format!("`{name}`"))
    }

    /// Where an access of `width` bytes lies that are not all there: ` at byte 12 of argument 0, which …`.
    fn outside(&self, width: u32) -> String {
        let size = self.size.unwrap_or(0);
        if let (Some(place), Some(name), Some(element)) = (self.element(), &self.name, self.element) {
            let count = size / u64::from(element);
            let plural = if count == 1 { "" } else { "s" };
            return format!(" at {place}, and `{name}` has {} element{plural}", self.count(count));
        }
        let (at, in_front) = match self.byte {
            0.. => (format!(" at byte {} of", self.byte), ""),
            _ => (format!(" {} before", bytes(self.byte.unsigned_abs())), ","),
        };
        if let Region::Shared { block, .. } = self.region {
            let whose = block.map_or(String::new(), |block| format!(", in block {}", index(block)));
            return match &self.name {
                Some(name) => format!("{at} the shared variable `{name}` of {}{whose}", bytes(size)),
                None => format!("{at} the block's {} of dynamic shared memory{whose}", bytes(size)),
            };
        }
        let element = match (self.byte % i64::from(width), size % u64::from(width)) {
            (0, 0) => format!(": element {} of {}", self.byte / i64::from(width), size / u64::from(width)),
            _ => String::new(),
        };
        format!("{in_front}{at} {}, which has {}{element}", self.called(), bytes(size))
    }
}

/// `1 time`, `2 times`
pub(crate) fn times(count: u32) -> String {
    if count == 1 { "1 time".to_string() } else { format!("{count} times") }
}

/// `a load of 4 bytes`
pub(crate) fn of_bytes(access: Access, width: u32) -> String {
    let noun = match access {
        Access::Load => "a load",
        Access::Store => "a store",
        Access::Atomic { .. } => "an atomic",
    };
    format!("{noun} of {}", bytes(width.into()))
}

/// `reads`
impl std::fmt::Display for Access {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Access::Load => "reads",
            Access::Store => "writes",
            Access::Atomic { .. } => "atomically updates",
        })
    }
}

/// `thread 3 reads`
impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "thread {} {}", index(self.thread), self.does)
    }
}

/// `byte 24 of argument 0`
impl std::fmt::Display for Spot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.element(), &self.region) {
            (Some(element), Region::Shared { block: Some(block), .. }) => {
                write!(f, "{element} of block {}", index(*block))
            }
            (Some(element), _) => f.write_str(&element),
            (None, Region::Shared { block: None, .. }) if self.name.is_some() => {
                write!(f, "byte {} of {}", self.byte, self.called())
            }
            (None, Region::Shared { start, .. }) => {
                write!(f, "byte {} of {}", start.wrapping_add_signed(self.byte), self.region)
            }
            (None, _) => write!(f, "byte {} of {}", self.byte, self.called()),
        }
    }
}

impl std::fmt::Display for Region {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Region::Argument(number) => write!(f, "argument {number}"),
            Region::Variable(name) => write!(f, "`{name}`"),
            Region::Buffer => f.write_str("a buffer"),
            Region::Shared { block: None, .. } => f.write_str("shared memory"),
            Region::Shared { block: Some(block), .. } => {
                write!(f, "the shared memory of block {}", index(*block))
            }
        }
    }
}

impl std::fmt::Display for Disorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let words = match *self {
            Disorder::Nothing => "and nothing orders the two",
            Disorder::Beside => "and nothing orders the two: that one is atomic, this one is plain",
            Disorder::SameValue => {
                "the same value, and nothing orders the two: whichever comes last, the result is the same, \
                 but two unordered writes are a race even so"
            }
            Disorder::FirstGuess => "which the compare-and-swap checks again",
            Disorder::NoFence => "and has seen the flag that orders the two, but has no fence after it",
            Disorder::FenceElsewhere => {
                "and another thread has seen the flag that orders the two, but has no fence after it"
            }
            Disorder::NarrowFence { clusters } => {
                let whose = if clusters { "block or cluster" } else { "block" };
                return write!(
                    f,
                    "and has seen the flag that orders the two, but its fence covers only its {whose}"
                );
            }
            Disorder::ReadOnly => {
                "and the read goes through __ldg (ld.global.nc), which may miss any write by its own grid"
            }
            Disorder::Turns { volatile, depends } => {
                let kind = if volatile { "volatile" } else { "relaxed" };
                let what = match depends {
                    Depends::Result => "the result",
                    Depends::Storing => "whether something is stored",
                    Depends::Kept => "which value stays",
                };
                return write!(
                    f,
                    "and nothing orders the two: {kind} accesses come in no particular order, and {what} \
                     depends on which comes first"
                );
            }
            Disorder::Copy(None) => "and the copy has not been waited for",
            Disorder::Copy(Some(ShortWait { line, committed: false, .. })) => {
                return write!(
                    f,
                    "and the wait in line {line} leaves the copy out, since it is not committed yet"
                );
            }
            Disorder::Copy(Some(ShortWait { line, groups: 1, .. })) => {
                return write!(
                    f,
                    "and the wait in line {line} leaves out the newest group, and the copy with it"
                );
            }
            Disorder::Copy(Some(ShortWait { line, groups, .. })) => {
                return write!(
                    f,
                    "and the wait in line {line} leaves out the newest {groups} groups, and the copy with \
                     them"
                );
            }
            Disorder::CopyAtAnyTime => "and nothing orders the two: the copy may start at any time",
            Disorder::Child => "and the parent does not wait for that child, which may not have run yet",
            Disorder::Streams => "and nothing orders the two grids",
            Disorder::Lock { line, why } => {
                return match why {
                    Loophole::NotWaited => write!(
                        f,
                        "and both are inside: this thread found the lock of line {line} taken, and went on"
                    ),
                    Loophole::InShared => write!(
                        f,
                        "and both are inside: the lock of line {line} lies in shared memory, so each block \
                         has one of its own"
                    ),
                    Loophole::Two => {
                        write!(f, "and both are inside: each has taken another lock in line {line}")
                    }
                    Loophole::Unmarked => write!(
                        f,
                        "and both are inside: the compare-and-swap of line {line} left the lock as it was, \
                         so that it looks free"
                    ),
                    Loophole::Released(at) => {
                        let at = at.map_or(String::new(), |at| format!(" in line {at}"));
                        write!(f, "and this thread has already released the lock of line {line}{at}")
                    }
                    Loophole::Ignored => {
                        write!(f, "inside the lock of line {line}, which this thread does not take")
                    }
                    Loophole::StoredFree => {
                        write!(
                            f,
                            "and nothing orders the two: a plain write releases the lock of line {line}"
                        )
                    }
                    Loophole::Set => write!(
                        f,
                        "and nothing orders the two: a plain write sets the lock that others take in line \
                         {line}"
                    ),
                    Loophole::Outside => {
                        write!(f, "without the lock of line {line}, which this thread holds")
                    }
                };
            }
            Disorder::NotArrived { phase, arrivals, first, comes_later } => {
                let plural = if arrivals == 1 { "" } else { "s" };
                let arrives = match comes_later {
                    true => "and arrives too late at the mbarrier that orders the two",
                    false => "without arriving at the mbarrier that orders the two",
                };
                return write!(
                    f,
                    "{arrives}: its phase {phase} was complete after {arrivals} arrival{plural}, the first \
                     by thread {}",
                    index(first)
                );
            }
        };
        f.write_str(words)
    }
}

/// `` `d` is 0 and stays 0, and `d >= 0` always holds ``
impl std::fmt::Display for Endless {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let condition = self.condition.as_ref();
        match (&self.stays, self.compared) {
            (Some((name, Some(value))), _) => write!(f, "`{name}` is {value} and stays {value}")?,
            (Some((name, None)), _) => write!(f, "nothing in it changes `{name}`")?,
            (None, Some([a, b])) => {
                write!(f, "its condition compares {a} with {b} each time, and neither changes")?;
            }
            (None, None) if condition.is_none() => write!(f, "no way leads out of it")?,
            (None, None) => {}
        }
        let and = if self.stays.is_some() || self.compared.is_some() { ", and " } else { "" };
        condition.map_or(Ok(()), |condition| write!(f, "{and}`{condition}` always holds"))
    }
}

impl std::fmt::Display for Unordered {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Unordered::No => Ok(()),
            Unordered::These => f.write_str(", and nothing orders these two accesses"),
            Unordered::Unfenced([later, earlier]) => write!(
                f,
                "; and no fence orders {} after {}, which the lock or the flag is for",
                later.operation(),
                earlier.operation()
            ),
        }
    }
}

/// Whose barrier it is.
fn group(cluster: bool) -> &'static str {
    if cluster { "cluster" } else { "block" }
}

/// `5`, or `(5, 1, 0)` where there are more dimensions.
pub(crate) fn index([x, y, z]: [u32; 3]) -> String {
    if y == 0 && z == 0 { x.to_string() } else { format!("({x}, {y}, {z})") }
}

/// The same, in the form that another one beside it has.
fn beside(me: [u32; 3], other: [u32; 3]) -> String {
    let [x, y, z] = me;
    if other[1..] == [0, 0] { index(me) } else { format!("({x}, {y}, {z})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::{Diagnostic, Kind};

    fn race(order: Disorder, other: Side) -> Diagnostic {
        let region = Region::Argument(0);
        let spot = Spot::new(region, 24, None);
        let me = Side { does: Access::Load, at: None, ..side(6, 0) };
        Diagnostic::of_host(
            Kind::DataRace,
            Some("reduce"),
            What::Race { sides: [me, other], spot, order, header: None },
            "wait",
        )
    }

    fn side(thread: u32, block: u32) -> Side {
        let at = Some(("a.cu".to_string(), 7));
        Side { does: Access::Store, thread: [thread, 0, 0], block: [block, 0, 0], grid: 0, gpu: 0, at }
    }

    #[test]
    fn the_other_side_is_named_as_far_away_as_it_is() {
        for (other, me, who) in [
            (side(5, 0), "thread 6", "thread 5 of its block"),
            (side(6, 1), "thread 6 of block 0", "thread 6 of block 1"),
            (Side { grid: 2, ..side(6, 0) }, "thread 6", "thread 6 of block 0 of grid 2"),
            (Side { gpu: 1, ..side(6, 0) }, "thread 6", "thread 6 of block 0 on GPU 1"),
        ] {
            let found = race(Disorder::Nothing, other);
            let message =
                format!("{me} reads byte 24 of argument 0, which {who} writes, and nothing orders the two");
            assert_eq!(found.message(), message);
            assert_eq!(found.related()[0].message, format!("{who} writes it here"));
        }
        let copy = race(Disorder::Copy(None), side(6, 0)).message();
        assert!(copy.contains("which its own asynchronous copy writes, and the copy has not been"), "{copy}");
    }

    #[test]
    fn json_has_the_words_and_is_read_back_as_words() {
        let found = race(Disorder::SameValue, side(5, 0));
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["message"], found.message());
        assert_eq!((&json["related"][0]["line"], &json["kind"]), (&7.into(), &"data-race".into()));
        let read: Diagnostic = serde_json::from_value(json.clone()).unwrap();
        assert_eq!((read.message(), read.related()), (found.message(), found.related()));
        assert_eq!(serde_json::to_value(&read).unwrap(), json);
    }
}

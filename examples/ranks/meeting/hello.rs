//! What a rank says first, and whether ranks that have said it can work together.

use std::fmt;
use std::hash::{BuildHasher, Hasher, RandomState};

use serde::{Deserialize, Serialize};

/// The version of what ranks say to each other: two builds that differ in it do not work together.
pub const PROTOCOL: u32 = 3;

/// The most characters of a text of another process that are shown.
const SHOWN: usize = 500;

/// How many ranks a message names before it counts the others.
const LISTED: usize = 3;

/// How a rank ends that does not end well.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Fault {
    /// 1: another rank is missing, has ended or is wrong; 2: the environment or the command line is.
    pub status: u8,
    /// Which rank, and why.
    pub sentence: String,
}

impl Fault {
    pub fn environment(error: anyhow::Error) -> Fault {
        Fault { status: 2, sentence: format!("{error:#}") }
    }

    pub fn of(sentence: String) -> Fault {
        Fault { status: 1, sentence }
    }

    /// The fault that another process has told: whatever it says, this is one, and is shown as it stands.
    pub fn told(self) -> Fault {
        Fault { status: if self.status == 2 { 2 } else { 1 }, sentence: shown(&self.sentence) }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

impl std::error::Error for Fault {}

/// A text of another process: in one line, without what would move a cursor, and not longer than a few lines.
fn shown(text: &str) -> String {
    let escaped = |c: char| match c {
        '"' | '\'' | '\\' => c.to_string(),
        _ => c.escape_debug().to_string(),
    };
    let mut shown: String = text.chars().take(SHOWN).map(escaped).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// What a process says to rank 0 before anything else. A random number has to be hashed with the token by the
/// other side, so that both show that they have it, and neither says it.
#[derive(Debug, Serialize, Deserialize)]
pub struct Greeting {
    /// [`PROTOCOL`] of its build.
    pub protocol: u32,
    #[serde(default)] // older builds have none
    pub random: u64,
}

/// Rank 0's answer: it has the token, so it is rank 0; the other has to show the same.
#[derive(Debug, Serialize, Deserialize)]
pub struct Challenge {
    pub protocol: u32,
    pub random: u64,
    pub proof: u64,
}

/// Who proves that it has the token: what rank 0 says is no proof of another rank.
#[derive(Clone, Copy)]
pub enum Prover {
    First,
    Other,
}

// ANCHOR: proof
/// What only who has `token` can say, once both sides have named a random number: SipHash-2-4, whose key is
/// made from the token.
#[expect(deprecated, reason = "the standard library has no other hash whose key can be chosen")]
pub fn proof(token: &str, prover: Prover, greeting: u64, challenge: u64) -> u64 {
    use std::hash::SipHasher;

    let hash = |mut hasher: SipHasher, parts: &[&[u8]]| {
        parts.iter().for_each(|part| hasher.write(part));
        hasher.finish()
    };
    let [first, second] = [1, 2].map(|half| hash(SipHasher::new_with_keys(half, 0), &[token.as_bytes()]));
    let said = [prover as u64, greeting, challenge].map(u64::to_le_bytes);
    hash(SipHasher::new_with_keys(first, second), &[&said[0], &said[1], &said[2]])
}
// ANCHOR_END: proof

/// A number that nobody else can know: each hasher begins with random keys.
pub fn random() -> u64 {
    RandomState::new().hash_one(0)
}

/// The fault of a rank of another build than rank 0's.
pub fn other_build(first: u32, other: u32) -> Fault {
    Fault::environment(anyhow::anyhow!(
        "rank 0 speaks version {first} of the ranks' protocol, and this rank version {other}: start the \
         same build everywhere"
    ))
}

/// What a rank says of itself.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Hello {
    pub rank: usize,
    /// What all ranks have to have alike, each with its name: `--n 1000`.
    pub alike: Vec<String>,
    /// What no two ranks may have alike.
    pub gpu: Option<String>,
    /// Why this rank cannot take part.
    pub fault: Option<Fault>,
}

/// Whether ranks that have said hello can work together.
pub fn fit(hellos: &[Hello]) -> Result<(), Fault> {
    let refused = |sentence: String| Err(Fault { status: 2, sentence });
    for hello in hellos {
        let (rank, first) = (hello.rank, &hellos[0]);
        if let Some(fault) = &hello.fault {
            return Err(fault.clone().told());
        }
        let most = first.alike.len().max(hello.alike.len());
        let differs = (0..most).find(|number| first.alike.get(*number) != hello.alike.get(*number));
        if let Some(number) = differs {
            let [own, other] = [first, hello]
                .map(|hello| hello.alike.get(number).map_or("nothing there".into(), |text| shown(text)));
            return refused(format!("rank {rank} has {other}, and rank 0 has {own}: all need the same"));
        }
        let twin =
            hellos.iter().find(|other| other.gpu.is_some() && other.gpu == hello.gpu && other.rank < rank);
        if let Some(twin) = twin {
            return refused(format!(
                "ranks {} and {rank} have the same GPU: start one process per GPU",
                twin.rank
            ));
        }
    }
    Ok(())
}

/// `rank 1`, `ranks 1 and 3`, `ranks 1, 2 and 3`, `ranks 1, 2, 3 and 60 more`
pub fn ranks(numbers: impl Iterator<Item = usize>) -> String {
    let mut words: Vec<_> = numbers.map(|number| number.to_string()).collect();
    if words.len() > LISTED + 1 {
        let more = format!("{} more", words.len() - LISTED);
        words.splice(LISTED.., [more]);
    }
    match words.pop() {
        Some(last) if words.is_empty() => format!("rank {last}"),
        Some(last) => format!("ranks {} and {last}", words.join(", ")),
        None => "no rank".into(),
    }
}

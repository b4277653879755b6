//! What the programs gave on a GPU, one hash per program, as `h200.txt` beside it holds it.

use std::fmt::Write as _;

use super::rng::mix;
use super::{PER_MODULE, PROGRAMS};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    /// Of the generator that made the programs; 0 where nothing has been recorded yet.
    pub version: u32,
    /// Hash of all programs and inputs.
    pub programs: u64,
    /// Where and when, in words.
    pub device: String,
    pub hashes: Vec<u32>,
}

/// A hash of the words, in their order.
pub fn hash(words: &[u64]) -> u64 {
    words.iter().fold(0x243f_6a88_85a3_08d3, |hash, word| mix(hash.rotate_left(23) ^ word))
}

/// The hash of a program's results that is recorded.
pub fn short_hash(words: &[u64]) -> u32 {
    hash(words) as u32
}

const HEAD: &str = "\
# What each of the random programs of random_programs.rs gives on a GPU: 8 digits per \
program, a hash of its results,
# 50 programs per line. Written by RANDOM_DEVICE=gpu WORKBOOK_RENEW=1, never by hand.
";

impl Recorded {
    pub fn write(&self) -> String {
        let mut out = HEAD.to_string();
        let _ = writeln!(out, "generator {} programs {:016x}", self.version, self.programs);
        let _ = writeln!(out, "device {}", self.device);
        for line in self.hashes.chunks(PER_MODULE) {
            for hash in line {
                out.push_str(&format!("{hash:08x}"));
            }
            out.push('\n');
        }
        out
    }

    /// The contents of a file; the error names the line.
    pub fn parse(text: &str) -> Result<Recorded, String> {
        let mut lines = text.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        let mut next = |what: &str| {
            let (number, line) = lines.next().ok_or(format!("it ends before its line `{what} …`"))?;
            let rest = line.strip_prefix(what).ok_or(format!("line {} is not `{what} …`", number + 1))?;
            Ok::<_, String>(rest.trim())
        };
        let generator = next("generator")?;
        let words: Vec<&str> = generator.split_whitespace().collect();
        let [version, "programs", programs] = words[..] else {
            return Err("its generator line is not `generator N programs HASH`".into());
        };
        let version = version.parse().map_err(|_| format!("`{version}` is no version of the generator"))?;
        let programs = u64::from_str_radix(programs, 16).map_err(|_| format!("`{programs}` is no hash"))?;
        let device = next("device")?.to_string();
        let mut hashes = Vec::new();
        for (number, line) in lines {
            for digits in line.as_bytes().chunks(8) {
                let hash = str::from_utf8(digits).ok().filter(|digits| digits.len() == 8);
                let hash = hash.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                hashes.push(hash.ok_or(format!("line {} is not made of hashes of 8 digits", number + 1))?);
            }
        }
        if version != 0 && hashes.len() != PROGRAMS {
            return Err(format!("it has {} hashes, not {PROGRAMS}", hashes.len()));
        }
        Ok(Recorded { version, programs, device, hashes })
    }
}

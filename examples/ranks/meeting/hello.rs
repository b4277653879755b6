//! What a rank says first, and whether ranks that have said it can work together.

use serde::{Deserialize, Serialize};

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
}

/// What a rank says first.
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
            return Err(fault.clone());
        }
        let differs = first.alike.iter().zip(&hello.alike).find(|(own, other)| own != other);
        if let Some((own, other)) = differs {
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

/// `rank 1`, `ranks 1 and 3`, `ranks 1, 2 and 3`
pub fn ranks(numbers: impl Iterator<Item = usize>) -> String {
    let mut words: Vec<_> = numbers.map(|number| number.to_string()).collect();
    match words.pop() {
        Some(last) if words.is_empty() => format!("rank {last}"),
        Some(last) => format!("ranks {} and {last}", words.join(", ")),
        None => "no rank".into(),
    }
}

//! Findings that have one cause, as one finding.

use ptx_simulator::{Diagnostic, Kind, Shape, Site, What, Words};

/// Makes one finding of all races that lanes of a warp have in one array of a kernel: what lacks is the order
/// of lanes. The first of them has the lines of the others as related places.
pub fn joined(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    let mut joined: Vec<Cause> = Vec::new();
    for one in found {
        match joined.iter_mut().find(|known| is_same(&known.first, &one)) {
            Some(known) => known.add(&one),
            None => joined.push(Cause { first: one, others: Vec::new() }),
        }
    }
    joined.into_iter().map(Cause::said).collect()
}

/// A finding, and the places of others that have the same cause.
struct Cause {
    first: Diagnostic,
    others: Vec<(String, u32)>,
}

impl Cause {
    fn add(&mut self, other: &Diagnostic) {
        let place = other.file.clone().zip(other.line);
        self.others.extend(place.filter(|place| !self.others.contains(place)));
    }

    fn said(self) -> Diagnostic {
        let Cause { mut first, others } = self;
        if others.is_empty() {
            return first;
        }
        let mut words = Words::from(first.what);
        let is_known = |words: &Words, file: &str, line: u32| {
            let related = words.related.iter().map(|site| (Some(&*site.file), Some(site.line)));
            related
                .chain([(first.file.as_deref(), first.line)])
                .any(|known| known == (Some(file), Some(line)))
        };
        for (file, line) in others {
            if !is_known(&words, &file, line) {
                let message = "the same happens here".to_string();
                words.related.push(Site { file, line, message });
            }
        }
        first.what = words.into();
        first
    }
}

/// Whether both are races of lanes of a warp in the same array of the same kernel.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    let array = |found: &Diagnostic| match &found.what {
        What::Race { spot, .. } if found.shape == Some(Shape::SameWarp) => {
            Some((spot.region.clone(), spot.name.clone()))
        }
        _ => None,
    };
    let is_race = one.kind == Kind::DataRace && other.kind == Kind::DataRace;
    let is_alike = (&one.kernel, one.severity) == (&other.kernel, other.severity);
    is_race && is_alike && array(one).is_some() && array(one) == array(other)
}

#[cfg(test)]
mod tests {
    use ptx_simulator::{Access, Disorder, Region, Severity, Side, Spot};

    use super::*;

    /// Thread `to` reads what thread `from` of its warp wrote in line `line` - 1.
    fn race(array: &str, line: u32, shape: Shape) -> Diagnostic {
        let side = |does: Access, line: u32| Side {
            does,
            thread: [0, 0, 0],
            block: [0, 0, 0],
            grid: 0,
            gpu: 0,
            at: Some(("x.cu".to_string(), line)),
        };
        let region = Region::Variable(array.to_string());
        let what = What::Race {
            sides: [side(Access::Load, line), side(Access::Store, line - 1)],
            spot: Spot::new(region, 0, None),
            order: Disorder::Nothing,
            header: None,
        };
        Diagnostic {
            severity: Severity::Error,
            shape: Some(shape),
            file: Some("x.cu".to_string()),
            line: Some(line),
            ..Diagnostic::of_host(Kind::DataRace, Some("sum"), what, "wait")
        }
    }

    #[test]
    fn races_of_lanes_in_one_array_are_one_finding_with_all_their_lines() {
        let lanes = |array, line| race(array, line, Shape::SameWarp);
        let found =
            joined(vec![lanes("a", 20), lanes("a", 21), lanes("a", 20), lanes("b", 30), lanes("a", 22)]);
        let lines: Vec<_> = found.iter().map(|found| found.line).collect();
        assert_eq!(lines, [Some(20), Some(30)]);
        let related: Vec<_> = found[0].related().iter().map(|site| site.line).collect();
        assert_eq!(related, [19, 21, 22]);
    }

    #[test]
    fn races_of_warps_stay_apart() {
        let warps = |line| race("a", line, Shape::SameBlock);
        assert_eq!(joined(vec![warps(20), warps(22)]).len(), 2);
    }
}

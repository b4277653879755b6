//! Findings that have one cause, as one finding.

use ptx_simulator::{Diagnostic, Disorder, Kind, Region, Severity, Shape, Site, What, Words};

use super::launch::Launched;

/// Makes one finding of what several launches have shown alike; of all races that lanes of a warp have in one
/// array of a kernel, since what lacks is the order of lanes; and of the races of grids in two streams in one
/// array. The first of them has the lines of the others as related places.
pub fn joined(found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    causes(found).into_iter().map(Cause::said).collect()
}

/// The same of what a launch has shown, whose cures are those of the findings that are left.
pub fn join(launched: &mut Launched) {
    let causes = causes(std::mem::take(&mut launched.diagnostics));
    let place = |finding: usize| causes.iter().position(|cause| cause.number == finding);
    launched.cures.retain_mut(|cure| {
        let Some(finding) = cure.finding else { return true };
        cure.finding = place(finding);
        cure.finding.is_some()
    });
    launched.diagnostics = causes.into_iter().map(Cause::said).collect();
}

fn causes(found: Vec<Diagnostic>) -> Vec<Cause> {
    let mixed: Vec<Array> = found.iter().filter_map(beside_atomics).collect();
    let mut causes: Vec<Cause> = Vec::new();
    for (number, one) in found.into_iter().enumerate() {
        let is_mixed = |one: &Diagnostic| array(one).filter(|array| mixed.contains(array));
        let is_one = |known: &Cause| {
            let shared = is_mixed(&known.first).filter(|_| is_error(&one));
            is_same(&known.first, &one) || shared.is_some() && shared == is_mixed(&one)
        };
        match causes.iter_mut().find(|known| is_one(known)) {
            Some(known) => known.add(&one),
            None => {
                causes.push(Cause { number, first: one, others: Vec::new(), again: 0 });
            }
        }
    }
    causes
}

/// A finding, which one that was, the places of others that have the same cause, and how many later launches
/// have shown the same.
struct Cause {
    number: usize,
    first: Diagnostic,
    others: Vec<(String, u32)>,
    again: usize,
}

impl Cause {
    fn add(&mut self, other: &Diagnostic) {
        self.again += usize::from(is_again(&self.first, other));
        let place = other.file.clone().zip(other.line);
        self.others.extend(place.filter(|place| !self.others.contains(place)));
    }

    fn said(self) -> Diagnostic {
        let Cause { mut first, others, again, .. } = self;
        if others.is_empty() && again == 0 {
            return first;
        }
        if !others.is_empty() && first.help.contains("lockstep") {
            first.help = IN_EACH_LINE.to_string();
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
        words.message += &match again {
            0 => String::new(),
            1 => "; a later launch shows the same".to_string(),
            again => format!("; {again} later launches show the same"),
        };
        first.what = words.into();
        first
    }
}

/// What to do about several lines in which lanes of a warp race in one array.
const IN_EACH_LINE: &str = "lanes of a warp do not run in lockstep: in each of these lines read into a \
                            variable first, then __syncwarp(), write, and __syncwarp() again; or use \
                            shuffles";

/// An array of a kernel.
type Array = (Option<String>, Region, Option<String>);

/// The array that a race is about.
fn array(found: &Diagnostic) -> Option<Array> {
    let What::Race { spot, .. } = &found.what else { return None };
    is_error(found).then(|| (found.kernel.clone(), spot.region.clone(), spot.name.clone()))
}

/// The same, if one side of the race is a plain access and the other one is atomic: then the plain accesses
/// there are what is wrong.
fn beside_atomics(found: &Diagnostic) -> Option<Array> {
    let What::Race { order: Disorder::Beside, .. } = &found.what else { return None };
    array(found)
}

fn is_error(found: &Diagnostic) -> bool {
    found.severity == Severity::Error
}

/// Whether both are the same finding of two launches: of one launch each place is told once.
fn is_again(one: &Diagnostic, other: &Diagnostic) -> bool {
    let places = |found: &Diagnostic| -> Vec<(String, u32)> {
        found.related().into_iter().map(|site| (site.file, site.line)).collect()
    };
    let about = |found: &Diagnostic| (found.kind, found.severity, found.kernel.clone());
    let is_here = one.line.is_some() && (one.line, &one.file) == (other.line, &other.file);
    is_here && about(one) == about(other) && places(one) == places(other)
}

/// Whether both are one finding: of two launches, or races of lanes of a warp in the same array of the same
/// kernel, of grids in two streams in the same array, or of threads that take a lock.
fn is_same(one: &Diagnostic, other: &Diagnostic) -> bool {
    is_again(one, other) || have_one_cause(one, other)
}

fn have_one_cause(one: &Diagnostic, other: &Diagnostic) -> bool {
    let is_race = one.kind == Kind::DataRace && other.kind == Kind::DataRace;
    is_race && one.severity == other.severity && common(one).is_some() && common(one) == common(other)
}

/// What races that have one cause have in common: the kernel, the array, the lock.
#[derive(PartialEq)]
enum Common<'a> {
    Lanes(Option<&'a String>, &'a Region, Option<&'a String>),
    Streams(&'a Region, Option<&'a String>),
    Lock(Option<&'a String>),
}

fn common(found: &Diagnostic) -> Option<Common<'_>> {
    let What::Race { spot, order, .. } = &found.what else { return None };
    let (region, name, kernel) = (&spot.region, spot.name.as_ref(), found.kernel.as_ref());
    match (found.shape, order) {
        (Some(Shape::SameWarp), _) => Some(Common::Lanes(kernel, region, name)),
        (Some(Shape::Lock), _) => Some(Common::Lock(kernel)),
        (_, Disorder::Streams) => Some(Common::Streams(region, name)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use ptx_simulator::{Access, Region, Side, Spot};

    use super::*;
    use crate::cure::Cure;

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
    fn races_of_grids_in_two_streams_in_one_array_are_one_finding() {
        let streams = |array, kernel: &str| {
            let mut found = race(array, 20, Shape::OtherGrid);
            found.kernel = Some(kernel.to_string());
            if let What::Race { order, .. } = &mut found.what {
                *order = Disorder::Streams;
            }
            found
        };
        let found = joined(vec![streams("a", "count"), streams("a", "place"), streams("b", "place")]);
        assert_eq!(found.len(), 2);
        assert_eq!(joined(vec![race("a", 20, Shape::OtherGrid), race("a", 21, Shape::OtherGrid)]).len(), 2);
    }

    #[test]
    fn plain_accesses_beside_atomic_ones_are_one_finding() {
        let beside = |array, line| {
            let mut found = race(array, line, Shape::SameBlock);
            if let What::Race { order, .. } = &mut found.what {
                *order = Disorder::Beside;
            }
            found
        };
        let plain = race("a", 30, Shape::SameBlock);
        let found = joined(vec![beside("a", 20), plain, beside("a", 40), race("b", 50, Shape::SameBlock)]);
        let lines: Vec<_> = found.iter().map(|found| found.line).collect();
        assert_eq!(lines, [Some(20), Some(50)]);
        assert_eq!(found[0].related().iter().map(|site| site.line).collect::<Vec<_>>(), [19, 30, 40]);
    }

    #[test]
    fn a_cure_stays_with_the_finding_that_is_left() {
        let lanes = |line| race("a", line, Shape::SameWarp);
        let cure = |finding| Cure {
            finding: Some(finding),
            says: String::new(),
            cures_all: true,
            edits: Vec::new(),
        };
        let mut launched = Launched {
            diagnostics: vec![lanes(20), lanes(21), race("b", 30, Shape::SameBlock)],
            cures: vec![cure(0), cure(1), cure(2)],
            ..Launched::default()
        };
        join(&mut launched);
        assert_eq!(launched.diagnostics.len(), 2);
        assert_eq!(launched.cures.iter().filter_map(|cure| cure.finding).collect::<Vec<_>>(), [0, 1]);
    }

    #[test]
    fn races_of_warps_stay_apart() {
        let warps = |line| race("a", line, Shape::SameBlock);
        assert_eq!(joined(vec![warps(20), warps(22)]).len(), 2);
    }
}

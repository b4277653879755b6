//! Floats that several threads add at one address by atomic operations: whether the sum depends on their
//! order, which nothing fixes.

use ptx_simulator::observe::Request;
use rustc_hash::FxHashMap as HashMap;

use crate::place::{Place, Warp, lanes};

/// Floats whose sum depends on the order.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Unordered {
    /// How many are added.
    pub count: usize,
    /// Their sum in one order, and in another; `None` if these numbers happen to have the same one in all
    /// orders that were tried, though additions of them round.
    pub one: f64,
    pub other: Option<f64>,
}

/// The atomic additions of a run, by address.
#[derive(Default)]
pub struct Sums {
    at: HashMap<Place, Sum>,
    found: Option<Unordered>,
}

/// What was added at one address since it was stored to.
struct Sum {
    /// Bytes of a number: a `float`, or a `double`.
    bytes: u32,
    /// What was there at the start, as bits.
    start: u64,
    /// What was added, as bits.
    added: Vec<u64>,
    /// What should be there now, if these are floats, and if they are integers.
    float: u64,
    integer: u64,
    /// Whether something that was there could be a sum of floats alone.
    is_float: bool,
    first: (Warp, u32),
    is_by_several: bool,
}

impl Sums {
    /// Hears of an atomic operation by lanes of `warp`.
    pub fn add(&mut self, owner: Option<Warp>, warp: Warp, request: &Request) {
        let [before, operands] = request.values else { return };
        if request.bytes != 4 && request.bytes != 8 {
            return;
        }
        for lane in lanes(request.mask) {
            let place = (owner, request.addresses[lane as usize]);
            let before = before[lane as usize];
            let operand = operands[lane as usize];
            let known = self.at.get_mut(&place).filter(|sum| sum.goes_on(request.bytes, before));
            match known {
                Some(sum) => sum.push((warp, lane), before, operand),
                None => {
                    let sum = Sum::new((warp, lane), request.bytes, before, operand);
                    if let Some(ended) = self.at.insert(place, sum) {
                        self.found = self.found.or(ended.unordered());
                    }
                }
            }
        }
    }

    /// The first that was found.
    pub fn unordered(&self) -> Option<Unordered> {
        self.found.or_else(|| self.at.values().find_map(Sum::unordered))
    }
}

impl Sum {
    fn new(by: (Warp, u32), bytes: u32, start: u64, added: u64) -> Sum {
        let mut sum = Sum {
            bytes,
            start,
            added: Vec::new(),
            float: start,
            integer: start,
            is_float: false,
            first: by,
            is_by_several: false,
        };
        sum.push(by, start, added);
        sum
    }

    /// Whether `before` is what is there after these additions.
    fn goes_on(&self, bytes: u32, before: u64) -> bool {
        self.bytes == bytes && (before == self.float || before == self.integer)
    }

    fn push(&mut self, by: (Warp, u32), before: u64, added: u64) {
        self.is_float |= before == self.float && before != self.integer;
        self.is_by_several |= by != self.first;
        self.float = plus(self.bytes, before, added);
        self.integer = if self.bytes == 4 {
            u64::from((before as u32).wrapping_add(added as u32))
        } else {
            before.wrapping_add(added)
        };
        self.added.push(added);
    }

    /// Tries a few orders.
    fn unordered(&self) -> Option<Unordered> {
        if !self.is_float || !self.is_by_several {
            return None;
        }
        let count = self.added.len();
        let orders: [&dyn Fn(usize) -> usize; 4] =
            [&|at| at, &|at| count - 1 - at, &|at| (at + count / 2) % count, &|at| {
                if at % 2 == 0 { at / 2 } else { count - 1 - at / 2 }
            }];
        let [(one, rounds), others @ ..] = orders.map(|order| self.in_order(order));
        let other = others.iter().map(|(other, _)| *other).find(|other| *other != one);
        let rounds = rounds || others.iter().any(|(_, rounds)| *rounds);
        let shown = |bits| number(self.bytes, bits);
        let depends = other.is_some() || rounds && self.is_of_different_numbers();
        depends.then(|| Unordered { count, one: shown(one), other: other.map(shown) })
    }

    /// The sum in this order, and whether an addition rounds.
    fn in_order(&self, order: &dyn Fn(usize) -> usize) -> (u64, bool) {
        (0..self.added.len()).fold((self.start, false), |(sum, rounds), at| {
            let added = self.added[order(at)];
            (plus(self.bytes, sum, added), rounds || is_rounded(self.bytes, sum, added))
        })
    }

    /// Whether three numbers or more meet, not all of them the same. The sum of two, and of equal ones, is
    /// the same in every order.
    fn is_of_different_numbers(&self) -> bool {
        let numbers = self.added.iter().chain([&self.start]).map(|bits| number(self.bytes, *bits));
        let numbers: Vec<f64> = numbers.filter(|number| *number != 0.0).collect();
        numbers.len() > 2 && numbers.iter().any(|number| *number != numbers[0])
    }
}

/// The number that these bits stand for.
fn number(bytes: u32, bits: u64) -> f64 {
    if bytes == 4 { f32::from_bits(bits as u32).into() } else { f64::from_bits(bits) }
}

/// The bits of the sum, rounded once.
fn plus(bytes: u32, a: u64, b: u64) -> u64 {
    if bytes == 4 {
        u64::from((f32::from_bits(a as u32) + f32::from_bits(b as u32)).to_bits())
    } else {
        (f64::from_bits(a) + f64::from_bits(b)).to_bits()
    }
}

/// Whether that sum is another number than that of `a` and `b`: what is left of both once it is taken away
/// is what the rounding lost (D. E. Knuth, *The Art of Computer Programming*, volume 2, 4.2.2, theorem B).
fn is_rounded(bytes: u32, a: u64, b: u64) -> bool {
    let sum = plus(bytes, a, b);
    let less = |one: u64, other: u64| plus(bytes, one, negative(bytes, other));
    let of_b = less(sum, a);
    let lost_of_a = less(a, less(sum, of_b));
    let lost_of_b = less(b, of_b);
    number(bytes, plus(bytes, lost_of_a, lost_of_b)) != 0.0
}

/// The bits of the number with the other sign.
fn negative(bytes: u32, bits: u64) -> u64 {
    bits ^ 1 << (8 * bytes - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::heard::request;
    use ptx_simulator::observe::Access;

    /// What lanes of a warp do at one address: what each finds, and its operand.
    fn heard(bytes: u32, operations: &[(u64, u64)]) -> Option<Unordered> {
        let mut before = [0; 32];
        let mut operands = [0; 32];
        for (lane, (found, operand)) in operations.iter().enumerate() {
            before[lane] = *found;
            operands[lane] = *operand;
        }
        let values = [&before, &operands];
        let atomic = request(Access::Atomic { returns: false }, &[64; 32], &values);
        let request = Request { mask: (1 << operations.len()) - 1, bytes, ..atomic };
        let mut sums = Sums::default();
        sums.add(None, (0, 0, 0, 0), &request);
        sums.unordered()
    }

    fn floats(numbers: &[f32]) -> Vec<(u64, u64)> {
        let mut sum = 0f32;
        let mut operations = Vec::new();
        for number in numbers {
            operations.push((u64::from(sum.to_bits()), u64::from(number.to_bits())));
            sum += number;
        }
        operations
    }

    #[test]
    fn floats_whose_sum_depends_on_the_order_are_found() {
        let found = heard(4, &floats(&[1e8, 1.5, -1e8])).unwrap();
        assert_eq!((found.count, found.one), (3, 0.0));
        assert!(found.other.is_some_and(|other| other != found.one), "{found:?}");
        // Exact sums, and two floats, are the same in every order.
        assert_eq!(heard(4, &floats(&[1.0, 2.5, -4.0])), None);
        assert_eq!(heard(4, &floats(&[1e8, 1.5])), None);
        assert_eq!(heard(4, &floats(&[1e8])), None);
    }

    /// What is found does not depend on the numbers that happen to be added.
    #[test]
    fn floats_that_round_are_found_where_the_orders_tried_give_the_same_sum() {
        let found = heard(4, &floats(&[1e8, 1.5, 1e8])).unwrap();
        assert_eq!((found.count, found.one, found.other), (3, 2e8, None));
        assert_eq!(heard(4, &floats(&[0.1, 0.1, 0.1])), None);
        assert_eq!(heard(4, &floats(&[0.1, 0.2, 0.0])), None);
    }

    #[test]
    fn integers_are_added_in_any_order() {
        let bits = |number: f32| u64::from(number.to_bits());
        let operations = [(0, bits(1e8)), (bits(1e8), bits(1.5)), (bits(1e8) + bits(1.5), bits(-1e8))];
        assert_eq!(heard(4, &operations), None);
    }
}

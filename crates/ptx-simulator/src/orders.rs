//! A launch in every order that matters: it runs again and again from the same memory, each time in another
//! order of its strong operations, until there is no other (`explore/`).

mod apart;

use std::cell::RefCell;
use std::collections::VecDeque;
use std::ops::{Range, RangeInclusive};
use std::rc::Rc;
use std::str::FromStr;

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::arith::LaneOrder;
use crate::check::{Checker, give_numbers, rearranged};
use crate::diagnostic::{Diagnostic, Kind, Severity};
use crate::explore::{GivenUp, Hears, Interleaving, Operation, Reversal, Turns, Uneven};
use crate::grid::Together;
use crate::memory::Memory;
use crate::observe::{Access, Act, Event, Observer};
use crate::ptx::Order;
use crate::simulator::{Launch, Module, Simulator};
use crate::what::{Side, Site};

/// How much may be tried, and what has to be the same in all orders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// Orders.
    pub orders: u64,
    /// Instructions that the warps of all runs may execute together; what a lane does as part of a strong
    /// operation counts as 64 of them, since the checks have more to do then.
    pub work: u64,
    /// Device addresses whose contents are compared; `None`: all that was allocated before the launch.
    pub compared: Option<Range<u64>>,
}

impl Default for Budget {
    /// What takes about a second.
    fn default() -> Budget {
        Budget { orders: u64::MAX, work: 1 << 22, compared: None }
    }
}

impl FromStr for Budget {
    type Err = String;

    /// `all`, or a number of orders.
    fn from_str(text: &str) -> Result<Budget, String> {
        let all = Budget { work: u64::MAX, ..Budget::default() };
        match text.trim() {
            "all" => Ok(all),
            number => match number.parse() {
                Ok(orders) if orders > 0 => Ok(Budget { orders, ..all }),
                _ => Err("expected `all`, or a number of orders, like 1000".to_string()),
            },
        }
    }
}

/// Work that a lane's part of a strong operation counts as.
const OPERATION: u64 = 64;
/// Bytes of memory whose copy takes as long as one instruction of a warp.
const BYTES_PER_WORK: u64 = 1 << 11;
/// Bytes of device memory, at most, that are put back before each run.
const MAX_BYTES: u64 = 16 << 20;
/// Other results, of each of which an order is kept.
const MAX_RESULTS: usize = 8;
/// Other schedules in which warps come to counted barriers.
const SCHEDULES: RangeInclusive<u64> = 1..=7;
/// Work after which a search is a long one.
const LONG: u64 = 1 << 21;
/// Places, at most, in which an order differs from the first one of a long search.
const MAX_PREEMPTIONS: usize = 2;
/// Such orders, at most, that wait for their run.
const MAX_AHEAD: usize = 1 << 12;
/// How many times the instructions of the plain order another one may take before it counts as endless.
const LONGER: u64 = 64;

/// Why not all orders were tried.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// They are more than the budget allows.
    Budget,
    /// The launches before this one have taken the time: it ran in its plain order only.
    Spent,
    /// A run has too many operations, or the launch needs too much memory.
    TooLarge,
    /// Something was found.
    Found,
    /// Somebody wanted it to stop.
    Stopped,
}

/// An order that shows something that the plain one does not.
#[derive(Clone, Debug, Serialize)]
pub struct Failing {
    /// How bad the worst of that is.
    #[serde(skip)]
    pub severity: Severity,
    /// Its turns.
    #[serde(flatten)]
    pub order: Interleaving,
    /// What the order changes of one that shows nothing: the operation that comes earlier, and the one that
    /// came before it there.
    pub changed: Vec<Site>,
}

/// The result of trying.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Orders {
    /// Orders that were tried.
    pub tried: u64,
    /// Strong operations of the first one.
    pub operations: usize,
    /// Why these are not all; `None` if they are.
    pub cut: Option<Cut>,
    /// Orders of the lanes of one instruction that were tried beside these; 0 if none makes a difference.
    #[serde(skip_serializing_if = "is_zero")]
    pub lanes: u64,
    /// Schedules in which the warps came to barriers that only some of them wait at; 0 without such barriers.
    #[serde(skip_serializing_if = "is_zero")]
    pub schedules: u64,
    /// The first order that showed something that the plain one does not, and if there is one, the first
    /// that showed an error.
    pub failing: Option<Failing>,
    /// Orders that leave other bytes than the plain one, an order for each such result.
    #[serde(skip)]
    pub others: Vec<Interleaving>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// The first order that shows the worst, and of which launch it is.
pub fn failing(orders: &[Orders]) -> Option<(usize, &Failing)> {
    let all = (0..).zip(orders).filter_map(|(launch, one)| Some((launch, one.failing.as_ref()?)));
    all.min_by_key(|(_, failing)| failing.severity)
}

impl Simulator {
    /// [`Simulator::launch_together`] in the plain order, and then again from the same memory in all other
    /// orders of the strong operations, as far as the budget goes. Memory is left as the plain order leaves
    /// it. What another order shows, and that two orders leave different bytes, is added to `found`.
    ///
    /// `left` is the work that the launches of a program may still spend on orders, of which one launch takes
    /// half at most: the last ones have some too. What it has spent is taken off.
    ///
    /// # Errors
    /// What stops the launch in its plain order.
    pub fn launch_in_every_order(
        &mut self,
        module: &Module,
        (launches, how): (&[Launch], Together),
        observer: &mut dyn Observer,
        found: &mut Vec<Diagnostic>,
        budget: Budget,
        left: &mut u64,
    ) -> Result<Orders, Box<Diagnostic>> {
        self.prepare(module, launches)?;
        let most = budget.work.min(*left / 2);
        let bytes = self.memory.live_bytes;
        let to_copy = bytes / BYTES_PER_WORK;
        let start = (bytes <= MAX_BYTES && to_copy <= most).then(|| self.memory.clone());
        if start.is_some() {
            *left -= to_copy;
        }
        let before = found.len();
        let mut seen = Seen::default();
        let mut both = (observer, &mut seen as &mut dyn Observer);
        self.launch_together(module, (launches, how), &mut both, found)?;
        let mut orders = Orders { tried: 1, ..Orders::default() };
        if found[before..].iter().any(|one| one.severity == Severity::Error) {
            orders.cut = Some(Cut::Found);
            return Ok(orders);
        }
        let names_active = module.program().functions.iter().any(|one| !one.active_masks.is_empty());
        if seen.operations == 0 && !seen.counts_warps && !names_active {
            return Ok(orders);
        }
        let takes = seen.work().saturating_mul(2);
        let Some(start) = start.filter(|_| takes <= most) else {
            let is_too_large = bytes > MAX_BYTES || takes > budget.work;
            orders.cut = Some(if is_too_large { Cut::TooLarge } else { Cut::Spent });
            return Ok(orders);
        };
        let printed = self.printed.clone();
        let plain = std::mem::replace(&mut self.memory, start.clone());
        let steps = self.limits.steps.replace(seen.executed.saturating_mul(LONGER).saturating_add(1 << 16));
        let mut search = Search {
            simulator: self,
            module,
            launches,
            how,
            start,
            plain,
            first: None,
            compared: budget.compared,
            left: most,
            known: found[before..].to_vec(),
            unexplained: None,
            unfenced: None,
            results: FxHashSet::default(),
            fingerprints: FxHashSet::default(),
            orders,
        };
        if seen.operations > 0 {
            search.all(budget.orders);
            search.other_lanes();
        }
        if seen.counts_warps {
            search.other_schedules();
        }
        search.name_the_unexplained();
        if names_active {
            search.apart(seen.draws);
        }
        let Search { plain, known, orders, left: unspent, .. } = search;
        *left = left.saturating_sub(most - unspent);
        found.truncate(before);
        found.extend(known);
        found[before..].sort_by_key(|one| one.severity);
        self.memory = plain;
        self.limits.steps = steps;
        self.printed = printed;
        Ok(orders)
    }

    /// The next launches follow this order as far as it goes, in place of that of the schedule.
    pub fn set_order(&mut self, order: Option<Interleaving>) {
        self.order = order;
    }

    /// The turns of the order that was asked for, if that is no schedule.
    pub(crate) fn turns(&self) -> Option<RefCell<Turns>> {
        let order = self.order.as_ref().filter(|order| order.schedule == 0)?;
        Some(RefCell::new(Turns::following(order)))
    }

    /// The schedule of the order that was asked for, or else that of all launches.
    pub(crate) fn schedule(&self) -> u64 {
        let asked = self.order.as_ref().map_or(0, |order| order.schedule);
        if asked == 0 { self.limits.schedule } else { asked }
    }
}

/// A search under way.
struct Search<'s, 'l> {
    simulator: &'s mut Simulator,
    module: &'l Module,
    launches: &'l [Launch<'l>],
    how: Together,
    /// Memory before the launch, and after it in the plain order.
    start: Memory,
    plain: Memory,
    /// The first run of the search, if its result is another one.
    first: Option<First>,
    /// Another result, of an order of which nobody knows what makes the difference.
    unexplained: Option<Shown>,
    /// What of it has to be the same in all orders.
    compared: Option<Range<u64>>,
    /// Work that may still be done.
    left: u64,
    /// What was found so far, by the plain order first.
    known: Vec<Diagnostic>,
    /// Two accesses that a lock or a flag orders, where some order has left out a fence.
    unfenced: Option<[Side; 2]>,
    /// What other orders have left in memory, by its hash.
    results: FxHashSet<u64>,
    /// The orders that were tried, by their hashes.
    fingerprints: FxHashSet<u64>,
    orders: Orders,
}

/// The first run of a search: it changes no other one, so that nothing says which operations make its result.
struct First {
    memory: Memory,
    order: Interleaving,
}

/// Something that a run has shown, and the order that shows it.
type Shown = (Diagnostic, Failing);

impl<'l> Search<'_, 'l> {
    /// Tries one order after the other, depth first.
    fn all(&mut self, most: u64) {
        let turns = RefCell::new(Turns::default());
        let soon = self.left.saturating_sub((self.left / 2).min(LONG));
        let mut has_changed_few = false;
        loop {
            turns.borrow_mut().restart();
            if let GivenUp::TooLong | GivenUp::Misfit = self.try_order(&turns, None) {
                self.orders.cut = Some(Cut::TooLarge);
            }
            if self.orders.cut.is_some() || !turns.borrow_mut().next_run() {
                return;
            }
            if self.left < soon && !has_changed_few {
                has_changed_few = true;
                self.change_few(most);
            }
            if self.orders.cut.is_some() {
                return;
            }
            if self.is_spent(most) {
                self.orders.cut = Some(Cut::Budget);
                return;
            }
        }
    }

    fn is_cut_short(&self) -> bool {
        matches!(self.orders.cut, Some(Cut::Found | Cut::Stopped))
    }

    fn is_spent(&self, most: u64) -> bool {
        self.orders.tried >= most || self.left == 0
    }

    /// Depth first, the early decisions of a long search come last. So orders in which everybody has one
    /// operation in turn, and orders that differ from the first one in one place or two, have a share of the
    /// work (Musuvathi and Qadeer, "Iterative Context Bounding for Systematic Testing of Multithreaded
    /// Programs", PLDI 2007).
    fn change_few(&mut self, most: u64) {
        let until = self.left - self.left.min(LONG) / 2;
        self.try_order(&RefCell::new(Turns::round_robin()), None);
        let mut ahead = VecDeque::from([(Vec::new(), None)]);
        while let Some((at, changes)) = ahead.pop_front() {
            if self.orders.cut.is_some() || self.is_spent(most) || self.left < until {
                return;
            }
            let turns = RefCell::new(Turns::preempting(&at));
            self.try_order(&turns, changes.as_ref());
            if at.len() < MAX_PREEMPTIONS && ahead.len() < MAX_AHEAD {
                let further = turns.borrow().preemptions();
                ahead.extend(
                    further.into_iter().map(|(one, changes)| ([&at[..], &[one]].concat(), Some(changes))),
                );
            }
        }
    }

    /// Runs the launch in one order, and takes in what that shows. `changes`: what the order changes of
    /// another one, if the tree of orders does not know it.
    fn try_order(&mut self, turns: &RefCell<Turns>, changes: Option<&Reversal>) -> GivenUp {
        let (checker, ended) = self.run(Some(turns));
        let run = turns.borrow();
        if self.orders.cut.is_some() {
            return GivenUp::No;
        }
        if run.given_up != GivenUp::No {
            return run.given_up;
        }
        // Looks in vain may have made another run of the same order.
        self.fingerprints.insert(run.fingerprint());
        self.orders.operations = self.orders.operations.max(run.operations());
        let changes = changes.or(run.tree.reversal.as_ref());
        if self.shows_an_error(checker, ended, run.order(), changes) {
            self.orders.cut = Some(Cut::Found);
        }
        self.orders.tried = self.fingerprints.len() as u64;
        GivenUp::No
    }

    /// The lanes of an instruction have no order either: one run in which the last ones come first, and for
    /// each lane that meets others one in which it comes last.
    fn other_lanes(&mut self) {
        if self.is_cut_short() {
            return;
        }
        let uneven = self.run_lanes(LaneOrder::Backwards, &[]);
        for lane in (0..u32::BITS).filter(|lane| comes_last(&uneven, *lane).is_some()) {
            if self.is_cut_short() {
                return;
            }
            if self.left == 0 {
                self.orders.cut = Some(Cut::Budget);
                return;
            }
            self.run_lanes(LaneOrder::Last(lane), &uneven);
        }
    }

    /// A run with another order of lanes, and the operations whose lanes meet in it. `uneven`: those of an
    /// earlier one, of which a lane that comes last is taken.
    fn run_lanes(&mut self, lanes: LaneOrder, uneven: &[Uneven]) -> Vec<Uneven> {
        let turns = RefCell::new(Turns::following(&Interleaving { lanes, ..Interleaving::default() }));
        let (checker, ended) = self.run(Some(&turns));
        let run = turns.borrow();
        let reversal = match lanes {
            LaneOrder::Last(lane) => comes_last(uneven, lane),
            _ => run.uneven.first().map(|one| swapped(&one.operation, [one.first(), one.last()])),
        };
        let is_whole = run.given_up == GivenUp::No && !self.is_cut_short();
        let Some(reversal) = reversal.filter(|_| is_whole) else { return Vec::new() };
        // The plain order's lanes are one order too.
        self.orders.lanes = self.orders.lanes.max(1) + 1;
        if self.shows_an_error(checker, ended, run.order(), Some(&reversal)) {
            self.orders.cut = Some(Cut::Found);
        }
        run.uneven.clone()
    }

    /// Which warps meet at a barrier that counts only some may depend on who is there first: one run in each
    /// of a few schedules.
    fn other_schedules(&mut self) {
        self.orders.schedules = 1;
        for schedule in SCHEDULES {
            if self.is_cut_short() {
                return;
            }
            if self.left == 0 {
                self.orders.cut = Some(Cut::Budget);
                return;
            }
            let plain = std::mem::replace(&mut self.simulator.limits.schedule, schedule);
            let (checker, ended) = self.run(None);
            self.simulator.limits.schedule = plain;
            if self.is_cut_short() {
                return;
            }
            self.orders.schedules += 1;
            let order = Interleaving { schedule, ..Interleaving::default() };
            if self.shows_an_error(checker, ended, order, None) {
                self.orders.cut = Some(Cut::Found);
            }
        }
    }

    /// Runs the launch once more: what the checks have heard, and how it ended.
    fn run(&mut self, turns: Option<&RefCell<Turns>>) -> (Checker<'l>, Result<(), Box<Diagnostic>>) {
        self.simulator.memory = self.start.clone();
        let mut seen = Seen::default();
        let mut hears = (&mut seen, Hears(turns));
        let mut both = (&mut hears as &mut dyn Observer, self.simulator.checker(self.module));
        let ended = self.simulator.run(self.module, (self.launches, self.how), &mut both, turns);
        let checker = both.1;
        if self.simulator.is_to_stop() {
            self.orders.cut = Some(Cut::Stopped);
        }
        self.left = self.left.saturating_sub(seen.work());
        (checker, ended)
    }

    /// Takes in what a run has shown that no other one has; whether some of that is an error.
    fn shows_an_error(
        &mut self,
        checker: Checker,
        ended: Result<(), Box<Diagnostic>>,
        order: Interleaving,
        reversal: Option<&Reversal>,
    ) -> bool {
        self.unfenced = self.unfenced.take().or_else(|| checker.unfenced());
        let changed = reversal.map_or(Vec::new(), |reversal| checker.sites(reversal));
        let of_run = Failing { severity: Severity::Note, order, changed };
        let mut new: Vec<Shown> = Vec::new();
        if ended.is_ok() {
            new.extend(match reversal {
                Some(reversal) => self.other_result(&checker, reversal, &of_run),
                None => self.unexplained_result(&checker, &of_run),
            });
        }
        let stop = ended.err().map(|found| *found);
        let found = checker.into_found(stop.as_ref()).into_iter().chain(stop);
        new.extend(found.map(|found| (found, of_run.clone())));
        let mut is_error = false;
        for shown in new {
            is_error |= self.add(shown) == Some(Severity::Error);
        }
        is_error
    }

    /// Adds a finding, unless it, or a worse one at the same place, is known: how bad it is if it is new.
    fn add(&mut self, (found, failing): Shown) -> Option<Severity> {
        let is_alike = |known: &Diagnostic| {
            (known.kind, known.line, &known.file) == (found.kind, found.line, &found.file)
                && known.severity <= found.severity
        };
        // One place that depends on the order is enough: others mostly follow from it.
        let is_known = |known: &Diagnostic| known.kind == Kind::OrderDependent && found.kind == known.kind;
        if self.known.iter().any(|known| is_alike(known) || is_known(known)) {
            return None;
        }
        let severity = found.severity;
        if self.orders.failing.as_ref().is_none_or(|kept| severity < kept.severity) {
            self.orders.failing = Some(Failing { severity, ..failing });
        }
        self.known.push(found);
        Some(severity)
    }

    /// Keeps an order whose result no other one has.
    fn keep_result(&mut self, order: &Interleaving) {
        if self.orders.others.len() < MAX_RESULTS && self.results.insert(self.simulator.memory.hash()) {
            self.orders.others.push(order.clone());
        }
    }

    /// A result that is not that of the plain order, of a run that changes no other one. If it is the first
    /// run of the search, which operations make it is seen when another run leaves the plain one's.
    fn unexplained_result(&mut self, checker: &Checker, run: &Failing) -> Option<Shown> {
        let (address, values) =
            self.plain.first_difference(&self.simulator.memory, 4, self.compared.clone())?;
        self.keep_result(&run.order);
        let differs = checker.order_decides(None, address, values, 4, self.unfenced.as_ref());
        if self.fingerprints.len() == 1 {
            let memory = self.simulator.memory.clone();
            self.first = Some(First { memory, order: run.order.clone() });
        }
        self.unexplained.get_or_insert((differs, run.clone()));
        None
    }

    /// What differs after a run that changes `reversal`: from the first run of the search, if that has a
    /// result of its own, or else from the plain order.
    fn other_result(&mut self, checker: &Checker, reversal: &Reversal, run: &Failing) -> Option<Shown> {
        let bytes = if reversal.second.bytes == 8 { 8 } else { 4 };
        let found = |before: &Memory, now: &Memory, reversal: &Reversal| {
            let (address, values) = before.first_difference(now, bytes, self.compared.clone())?;
            let unfenced = self.unfenced.as_ref();
            let decides = checker.order_decides(Some(reversal), address, values, bytes as u32, unfenced);
            let is_one = || give_numbers(reversal) && before.is_rearranged(now, self.compared.clone());
            Some(if is_one() { rearranged(decides) } else { decides })
        };
        let memory = &self.simulator.memory;
        let from_plain = found(&self.plain, memory, reversal);
        let shown = match &self.first {
            None => from_plain.clone().map(|found| (found, run.clone())),
            // This run leaves what the plain order does, and so the first one is the other.
            Some(first) if from_plain.is_none() => {
                let back = Reversal { first: reversal.second.clone(), second: reversal.first.clone() };
                let changed = checker.sites(&back);
                let failing = Failing { order: first.order.clone(), changed, ..run.clone() };
                found(memory, &first.memory, &back).map(|found| (found, failing))
            }
            Some(first) => found(&first.memory, memory, reversal).map(|found| (found, run.clone())),
        };
        if from_plain.is_some() {
            self.keep_result(&run.order);
        }
        shown
    }

    /// Adds that there is another result, unless a run has shown what makes it.
    fn name_the_unexplained(&mut self) {
        if let Some(shown) = self.unexplained.take() {
            self.add(shown);
        }
    }
}

/// What `lane` changes where it comes last: it goes after the lane that comes last otherwise.
fn comes_last(uneven: &[Uneven], lane: u32) -> Option<Reversal> {
    let meets = |one: &&Uneven| one.mask >> lane & 1 == 1 && one.last() != lane;
    uneven.iter().find(meets).map(|one| swapped(&one.operation, [lane, one.last()]))
}

/// Two lanes of an operation that change places.
fn swapped(operation: &Operation, lanes: [u32; 2]) -> Reversal {
    let [first, second] = lanes.map(|lane| Rc::new(operation.of_lane(lane)));
    Reversal { first, second }
}

/// What a run takes: instructions of warps, and lanes of operations whose order may matter.
#[derive(Default)]
struct Seen {
    executed: u64,
    operations: u64,
    /// Whether a barrier has opened for some warps of a block only.
    counts_warps: bool,
    /// Whether an atomic operation has given its thread what was there before.
    draws: bool,
}

impl Seen {
    fn work(&self) -> u64 {
        self.executed.saturating_add(self.operations.saturating_mul(OPERATION))
    }
}

impl Observer for Seen {
    fn event(&mut self, event: &Event) {
        match event {
            Event::Executed { by_warps, .. } => self.executed += by_warps,
            Event::BarrierOpens { all: false, .. } => self.counts_warps = true,
            Event::By(_, Act::Mbarrier(request, _)) => {
                self.operations += u64::from(request.mask.count_ones())
            }
            Event::By(_, Act::Access(request)) => {
                let is_plain = matches!(request.order, Order::Weak | Order::ReadOnly);
                self.draws |= request.access == Access::Atomic { returns: true };
                if request.access.is_atomic() || !is_plain {
                    self.operations += u64::from(request.mask.count_ones());
                }
            }
            _ => {}
        }
    }
}

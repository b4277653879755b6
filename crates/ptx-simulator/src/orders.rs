//! A launch in every order that matters: it runs again and again from the same memory, each time in another
//! order of its strong operations, until there is no other (`explore/`).

use std::cell::RefCell;
use std::ops::Range;
use std::str::FromStr;

use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::check::Checker;
use crate::diagnostic::{Diagnostic, Kind, Severity, Side, Site};
use crate::explore::{GivenUp, Hears, Interleaving, Reversal, Turns};
use crate::grid::Together;
use crate::memory::Memory;
use crate::observe::{Act, Event, Observer};
use crate::ptx::Order;
use crate::simulator::{Launch, Module, Simulator};

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
}

/// An order that shows something that the plain one does not.
#[derive(Clone, Debug, Serialize)]
pub struct Failing {
    /// Its turns.
    #[serde(flatten)]
    pub order: Interleaving,
    /// What the order changes of one that shows nothing: the operation that comes earlier, and the one that
    /// came before it there.
    pub changed: Vec<Site>,
}

/// The result of trying.
#[derive(Clone, Debug, Serialize)]
pub struct Orders {
    /// Orders that were tried.
    pub tried: u64,
    /// Strong operations of the first one.
    pub operations: usize,
    /// Why these are not all; `None` if they are.
    pub cut: Option<Cut>,
    /// The first order that showed something that the plain one does not.
    pub failing: Option<Failing>,
    /// Orders that leave other bytes than the plain one, an order for each such result.
    #[serde(skip)]
    pub others: Vec<Interleaving>,
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
        let mut orders = Orders { tried: 1, operations: 0, cut: None, failing: None, others: Vec::new() };
        if found[before..].iter().any(|one| one.severity == Severity::Error) {
            orders.cut = Some(Cut::Found);
            return Ok(orders);
        }
        if seen.operations == 0 {
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
            compared: budget.compared,
            left: most,
            known: found[before..].to_vec(),
            unfenced: None,
            results: FxHashSet::default(),
            orders,
        };
        search.all(budget.orders);
        search.last_lanes_first();
        let Search { plain, known, orders, left: unspent, .. } = search;
        *left = left.saturating_sub(most - unspent);
        let new = found.len() - before;
        found.extend(known.into_iter().skip(new));
        self.memory = plain;
        self.limits.steps = steps;
        self.printed = printed;
        Ok(orders)
    }

    /// The next launches follow this order as far as it goes, in place of that of the schedule.
    pub fn set_order(&mut self, order: Option<Interleaving>) {
        self.order = order;
    }

    /// The turns of the order that was asked for.
    pub(crate) fn turns(&self) -> Option<RefCell<Turns>> {
        self.order.as_ref().map(|order| RefCell::new(Turns::following(order)))
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
    orders: Orders,
}

impl<'l> Search<'_, 'l> {
    /// Tries one order after the other.
    fn all(&mut self, most: u64) {
        let turns = RefCell::new(Turns::default());
        let mut seen = FxHashSet::default();
        loop {
            turns.borrow_mut().restart();
            let (checker, ended) = self.run(&turns);
            let run = turns.borrow();
            match run.given_up {
                GivenUp::Known | GivenUp::MovedInVain => {}
                GivenUp::No => {
                    // Looks in vain may have made another run of the same order.
                    seen.insert(run.fingerprint());
                    self.orders.tried = seen.len() as u64;
                    self.orders.operations = self.orders.operations.max(run.operations());
                    if self.shows_an_error(checker, ended, &run) {
                        self.orders.cut = Some(Cut::Found);
                        return;
                    }
                }
                GivenUp::TooLong | GivenUp::Misfit => {
                    self.orders.cut = Some(Cut::TooLarge);
                    return;
                }
            }
            drop(run);
            if !turns.borrow_mut().next_run() {
                return;
            }
            if self.orders.tried >= most || self.left == 0 {
                self.orders.cut = Some(Cut::Budget);
                return;
            }
        }
    }

    /// The lanes of an instruction have no order either: one run in which the last ones come first.
    fn last_lanes_first(&mut self) {
        if self.orders.cut == Some(Cut::Found) {
            return;
        }
        let order = Interleaving { last_lanes_first: true, ..Interleaving::default() };
        let turns = RefCell::new(Turns::following(&order));
        let (checker, ended) = self.run(&turns);
        let run = turns.borrow();
        let Some(operation) = run.uneven.clone().filter(|_| ended.is_ok()) else { return };
        let reversal = Reversal { first: operation.clone(), second: operation };
        if let Some(found) = self.difference(&checker, &reversal) {
            self.keep_result(&run);
            let changed = checker.sites(&reversal);
            if self.add(found) {
                self.orders.failing.get_or_insert_with(|| Failing { order: run.order(), changed });
            }
        }
    }

    /// Runs the launch once more: what the checks have heard, and how it ended.
    fn run(&mut self, turns: &RefCell<Turns>) -> (Checker<'l>, Result<(), Box<Diagnostic>>) {
        self.simulator.memory = self.start.clone();
        let mut seen = Seen::default();
        let mut hears = (&mut seen, Hears(Some(turns)));
        let mut both = (&mut hears as &mut dyn Observer, self.simulator.checker(self.module));
        let ended = self.simulator.run(self.module, (self.launches, self.how), &mut both, Some(turns));
        let checker = both.1;
        self.left = self.left.saturating_sub(seen.work());
        (checker, ended)
    }

    /// Takes in what a run has shown that no other one has; whether some of that is an error.
    fn shows_an_error(&mut self, checker: Checker, ended: Result<(), Box<Diagnostic>>, run: &Turns) -> bool {
        let mut new = Vec::new();
        self.unfenced = self.unfenced.take().or_else(|| checker.unfenced());
        let reversal = run.tree.reversal.as_ref();
        let changed = reversal.map_or(Vec::new(), |reversal| checker.sites(reversal));
        if let (Some(reversal), true) = (reversal, ended.is_ok())
            && let Some(difference) = self.difference(&checker, reversal)
        {
            self.keep_result(run);
            new.push(difference);
        }
        new.extend(checker.into_found());
        new.extend(ended.err().map(|found| *found));
        let mut is_error = false;
        for found in new {
            let severity = found.severity;
            if self.add(found) {
                is_error |= severity == Severity::Error;
                let changed = changed.clone();
                self.orders.failing.get_or_insert_with(|| Failing { order: run.order(), changed });
            }
        }
        is_error
    }

    /// Adds a finding, unless it, or a worse one at the same place, is known; whether it was new.
    fn add(&mut self, found: Diagnostic) -> bool {
        let is_alike = |known: &Diagnostic| {
            (known.kind, known.line, &known.file) == (found.kind, found.line, &found.file)
                && known.severity <= found.severity
        };
        // One place that depends on the order is enough: others mostly follow from it.
        let is_known = |known: &Diagnostic| known.kind == Kind::OrderDependent && found.kind == known.kind;
        let is_new = !self.known.iter().any(|known| is_alike(known) || is_known(known));
        if is_new {
            self.known.push(found);
        }
        is_new
    }

    /// Keeps an order whose result no other one has.
    fn keep_result(&mut self, run: &Turns) {
        if self.orders.others.len() < MAX_RESULTS && self.results.insert(self.simulator.memory.hash()) {
            self.orders.others.push(run.order());
        }
    }

    /// Where memory differs from what the plain order leaves, after a run that differs in this.
    fn difference(&self, checker: &Checker, reversal: &Reversal) -> Option<Diagnostic> {
        let bytes = if reversal.second.bytes == 8 { 8 } else { 4 };
        let (address, values) =
            self.plain.first_difference(&self.simulator.memory, bytes, self.compared.clone())?;
        Some(checker.order_decides(reversal, address, values, bytes as u32, self.unfenced.as_ref()))
    }
}

/// What a run takes: instructions of warps, and lanes of operations whose order may matter.
#[derive(Default)]
struct Seen {
    executed: u64,
    operations: u64,
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
            Event::By(_, Act::Mbarrier(request, _)) => {
                self.operations += u64::from(request.mask.count_ones())
            }
            Event::By(_, Act::Access(request)) => {
                let is_plain = matches!(request.order, Order::Weak | Order::ReadOnly);
                if request.access.is_atomic() || !is_plain {
                    self.operations += u64::from(request.mask.count_ones());
                }
            }
            _ => {}
        }
    }
}

//! Random programs of a few operations: the orders that are tried are all there are, and each is tried once.

use std::collections::BTreeSet;

use super::operation::{Does, Operation, Process};
use super::turns::{GivenUp, Pick, Turns};
use crate::arith::{AtomOp, WARP};
use crate::device::LaunchConfig;
use crate::observe::{Access, Act, Actor, After, Event, Observer, Request, Start};
use crate::ptx::{Order as MemoryOrder, Scope, Space};

/// An operation of one thread, on a word.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Step {
    Read(usize),
    Write(usize),
    /// An addition whose result nobody uses, and one whose result somebody does.
    Add(usize),
    Ticket(usize),
    /// Reads again and again until the word is at least so large.
    Wait(usize, u64),
}

impl Step {
    fn word(self) -> usize {
        match self {
            Step::Read(word) | Step::Write(word) | Step::Add(word) | Step::Ticket(word) => word,
            Step::Wait(word, _) => word,
        }
    }

    fn does(self) -> Does {
        match self {
            Step::Read(_) | Step::Wait(..) => Does::Read,
            Step::Write(_) => Does::Write,
            Step::Add(_) => Does::Update { op: AtomOp::Add, returns: false },
            Step::Ticket(_) => Does::Update { op: AtomOp::Add, returns: true },
        }
    }

    fn depends_on(self, other: Step) -> bool {
        let both = [self, other];
        self.word() == other.word()
            && !both.iter().all(|step| matches!(step, Step::Read(_) | Step::Wait(..)))
            && !both.iter().all(|step| matches!(step, Step::Add(_)))
    }

    fn does_to(self, memory: &mut [u64]) {
        match self {
            Step::Read(_) | Step::Wait(..) => {}
            Step::Write(word) => memory[word] = 7,
            Step::Add(word) | Step::Ticket(word) => memory[word] += 1,
        }
    }

    fn is_in_vain(self, memory: &[u64]) -> bool {
        matches!(self, Step::Wait(word, value) if memory[word] < value)
    }
}

/// Of each thread what it does, one after the other.
type Program = Vec<Vec<Step>>;

/// Which of two operations that depend on each other came first, for all such pairs.
type Trace = BTreeSet<[(usize, usize); 2]>;

fn trace(program: &Program, order: &[(usize, usize)]) -> Trace {
    let mut pairs = Trace::new();
    for (at, &later) in order.iter().enumerate() {
        for &earlier in &order[..at] {
            if earlier.0 != later.0 && program[earlier.0][earlier.1].depends_on(program[later.0][later.1]) {
                pairs.insert([earlier, later]);
            }
        }
    }
    pairs
}

/// All orders, one operation after the other; those that end and those in which nobody can go on.
fn enumerate(
    program: &Program,
    order: &mut Vec<(usize, usize)>,
    memory: &[u64],
    found: &mut BTreeSet<Trace>,
) {
    let mut goes_on = false;
    for (thread, steps) in program.iter().enumerate() {
        let number = order.iter().filter(|one| one.0 == thread).count();
        let Some(step) = steps.get(number).filter(|step| !step.is_in_vain(memory)) else { continue };
        goes_on = true;
        let mut after = memory.to_vec();
        step.does_to(&mut after);
        order.push((thread, number));
        enumerate(program, order, &after, found);
        order.pop();
    }
    if !goes_on {
        found.insert(trace(program, order));
    }
}

/// One run of the program as the turns have it, block by thread; `None` if it was given up.
fn run(program: &Program, turns: &mut Turns) -> Option<Vec<(usize, usize)>> {
    let config = &LaunchConfig::new(program.len() as u32, 1);
    turns.event(&Event::Grid(Start {
        grid: 0,
        parent: None,
        depth: 0,
        device: 0,
        kernel: "k",
        config,
        cluster: [1; 3],
        after: After::Host,
        workspace: 0,
    }));
    let process = |thread: usize| Process { grid: 0, block: thread as u64, warp: 0, lane: 0 };
    let mut memory = [0u64; 4];
    let mut done = vec![0; program.len()];
    let mut order = Vec::new();
    let wait = |turns: &mut Turns, thread: usize, number: usize| {
        if let Some(step) = program[thread].get(number) {
            turns.wait(Operation {
                process: process(thread),
                mask: 1,
                site: (thread, number as u32),
                loc: (10 * thread + number) as u32,
                does: step.does(),
                bytes: 4,
                words: vec![(None, step.word() as u64)],
                waits: matches!(step, Step::Wait(..)),
            });
        }
    };
    for thread in 0..program.len() {
        wait(turns, thread, 0);
    }
    loop {
        let chosen = match turns.pick() {
            Pick::Go(chosen) => chosen,
            Pick::GivenUp => return None,
            Pick::Nobody | Pick::AllSpin => return Some(order),
        };
        let thread = chosen.block as usize;
        assert!(turns.has_turn(chosen));
        let step = program[thread][done[thread]];
        let addresses = [4 * step.word() as u64; WARP];
        let access = match step {
            Step::Read(_) | Step::Wait(..) => Access::Load,
            Step::Write(_) => Access::Store,
            Step::Add(_) | Step::Ticket(_) => Access::Atomic { returns: step == Step::Ticket(step.word()) },
        };
        let relaxed = MemoryOrder::Relaxed;
        let request = Request::new(access, Space::Global, 1, &addresses, 4, relaxed, Scope::Gpu);
        let request = Request { changed: u32::from(access != Access::Load), ..request };
        let actor = Actor { grid: 0, block: chosen.block, warp: 0, loc: 0, kernel: "k" };
        turns.event(&Event::By(actor, &Act::Access(&request)));
        if !step.is_in_vain(&memory) {
            step.does_to(&mut memory);
            order.push((thread, done[thread]));
            done[thread] += 1;
        }
        wait(turns, thread, done[thread]);
    }
}

#[test]
fn all_orders_of_random_programs_are_tried_and_each_once() {
    let mut state = 1u64;
    let mut below = move |limit: u64| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(0x1405_7b7e_f767_814f);
        (state >> 33) % limit
    };
    let mut several = 0;
    let mut runs = 0;
    let mut orders = 0;
    for number in 0..3_000 {
        let waits = number % 2 == 1;
        let threads = 2 + below(3) as usize;
        let mut left = 7;
        let mut program = Program::new();
        for _ in 0..threads {
            let steps = (1 + below(3)).min(left);
            left -= steps;
            let mut step = || {
                let word = below(2) as usize;
                match below(if waits { 6 } else { 4 }) {
                    0 => Step::Read(word),
                    1 => Step::Write(word),
                    2 => Step::Add(word),
                    3 => Step::Ticket(word),
                    _ => Step::Wait(word, 1 + below(2)),
                }
            };
            program.push((0..steps).map(|_| step()).collect());
        }
        let mut expected = BTreeSet::new();
        enumerate(&program, &mut Vec::new(), &[0; 4], &mut expected);
        let mut turns = Turns::default();
        let mut found = BTreeSet::new();
        let mut fingerprints = BTreeSet::new();
        loop {
            turns.restart();
            let order = run(&program, &mut turns);
            runs += 1;
            assert!(!matches!(turns.given_up, GivenUp::Misfit | GivenUp::TooLong), "{program:?}");
            if let Some(order) = order {
                found.insert(trace(&program, &order));
                fingerprints.insert(turns.fingerprint());
            }
            if !turns.next_run() {
                break;
            }
        }
        assert_eq!(found, expected, "{program:?}");
        assert_eq!(fingerprints.len(), found.len(), "{program:?}");
        several += usize::from(found.len() > 3);
        orders += found.len();
    }
    assert!(several > 1_000, "{several} programs have more than three orders");
    assert!(runs < 2 * orders, "{runs} runs for {orders} orders");
}

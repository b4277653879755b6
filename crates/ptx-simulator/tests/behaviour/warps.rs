//! How warps behave: divergence and meeting again, lanes that leave, locks, barriers of blocks, grids and
//! tiles.

use crate::cuda::{Bench, Source};
use ptx_simulator::Counters;

const FLOW: &str = "tests/kernels/flow.cu";

/// Runs `kernel(in, out)` over the values, 64 threads per block, and gives what it has written.
fn map(kernel: &str, input: &[i32], more: &[u64]) -> (Vec<i32>, Counters) {
    let mut bench = Bench::default();
    let source = Source::load(FLOW);
    let from = bench.upload(input);
    let to = bench.upload(&vec![-7777; input.len()]);
    let block = input.len().min(64) as u32;
    let grid = (input.len() as u32).div_ceil(block);
    let args: Vec<u64> = [from, to].iter().chain(more).copied().collect();
    let counters = bench.launch(&source, kernel, grid, block, &args);
    (bench.download(to, input.len()), counters)
}

#[test]
fn nested_branches_give_every_lane_its_way() {
    let input: Vec<i32> = (0..256).map(|i| (i * 37) % 100 - 20).collect();
    let expected: Vec<i32> = input
        .iter()
        .map(|&x| {
            1 + match (x & 1 != 0, x & 2 != 0, x & 4 != 0) {
                (true, true, _) => x * 3,
                (true, false, _) => x + 100,
                (false, _, true) => -x,
                (false, _, false) => x / 2,
            }
        })
        .collect();
    assert_eq!(map("nestedIfs", &input, &[]).0, expected);
}

#[test]
fn loops_with_other_trip_counts_in_every_lane_break_and_continue() {
    let input: Vec<i32> = (1..=128).collect();
    let expected: Vec<i32> = input
        .iter()
        .map(|&start| {
            let mut x = start;
            let mut steps = 0;
            let mut odd = 0;
            while x != 1 {
                steps += 1;
                if steps == 60 {
                    break;
                }
                if x % 2 == 0 {
                    x /= 2;
                } else {
                    x = 3 * x + 1;
                    odd += 1;
                }
            }
            steps * 1000 + odd
        })
        .collect();
    let (found, counters) = map("tripCounts", &input, &[]);
    assert_eq!(found, expected);
    assert!(counters.divergent_branches > 0);
}

#[test]
fn lanes_return_early_from_a_loop_and_a_branch() {
    let input: Vec<i32> = (0..200).map(|i| (i * 13) % 110 - 10).collect();
    let n = 190;
    let expected: Vec<i32> = (0..200)
        .map(|i| match input[i] {
            _ if i >= n => -7777,
            x if x < 0 => -1,
            x => (0..10).find(|k| k * k == x).unwrap_or(1000 + x),
        })
        .collect();
    let mut padded = input.clone();
    padded.resize(256, 0);
    assert_eq!(map("earlyReturn", &padded, &[n as u64]).0[..200], expected);
}

#[test]
fn a_switch_falls_through_and_leaves() {
    let input: Vec<i32> = (0..128).map(|i| i * 7 % 64).collect();
    let expected: Vec<i32> = input
        .iter()
        .map(|&x| match x % 10 {
            0 => x + 5,
            1 => x * 7 - 3,
            2 => x - 3,
            3 => x * x,
            4 => !x,
            5 => x << 2,
            6 => x ^ 0x55,
            7 => -7777,
            _ => -1,
        })
        .collect();
    assert_eq!(map("manyWays", &input, &[]).0, expected);
}

#[test]
fn threads_that_have_left_do_not_hold_up_a_barrier() {
    for block in [2, 32, 33, 96, 1024] {
        let mut bench = Bench::default();
        let out = bench.upload(&vec![-1; block]);
        bench.launch(&Source::load(FLOW), "barrierWithoutThoseThatLeft", 1, block as u32, &[out]);
        let stayed = block.div_ceil(2) as i32;
        let expected: Vec<i32> = (0..block).map(|i| if i % 2 == 0 { stayed } else { -1 }).collect();
        assert_eq!(bench.download::<i32>(out, block), expected);
    }
}

#[test]
fn locks_between_lanes_and_blocks_make_progress() {
    for kernel in ["lockBetweenLanes", "lockInsideTheLoop"] {
        for (grid, block) in [(1, 32), (1, 256), (8, 64)] {
            let mut bench = Bench::default();
            let lock = bench.upload(&[0]);
            let count = bench.upload(&[0]);
            bench.launch(&Source::load(FLOW), kernel, grid, block, &[lock, count]);
            let found = bench.download::<i32>(count, 1);
            assert_eq!(found, [(grid * block) as i32], "{kernel} with {grid} x {block}");
        }
    }
}

#[test]
fn a_lane_can_wait_for_another_of_its_warp() {
    let mut bench = Bench::default();
    let flag = bench.upload(&[0]);
    let out = bench.upload(&[0]);
    bench.launch(&Source::load(FLOW), "laneWaitsForLane", 1, 32, &[flag, out]);
    assert_eq!(bench.download::<i32>(out, 1), [42]);
}

#[test]
fn blocks_wait_for_each_other_at_a_barrier_of_the_grid() {
    let grid = 37u32;
    let block = 96u32;
    let rounds = 3;
    let n = (grid * block) as usize;
    let mut bench = Bench::default();
    let data = bench.upload(&vec![0; n]);
    let arrived = bench.upload(&[0, 0]);
    let out = bench.upload(&vec![0; n * rounds]);
    let args = [data, arrived, out, rounds as u64];
    let counters = bench.launch(&Source::load(FLOW), "gridBarrier", grid, block, &args);
    // While one thread waits for the other blocks, its warp's others wait for it: the warps stay whole.
    assert_eq!(counters.global_store_requests, 2 * rounds as u64 * (grid * block / 32) as u64);
    let found = bench.download::<i32>(out, n * rounds);
    for round in 0..rounds {
        for i in 0..n {
            assert_eq!(found[round * n + i] as usize, (round + 1) * 100 + n - 1 - i);
        }
    }
}

#[test]
fn tiles_of_a_warp_shuffle_and_wait_by_themselves() {
    let input: Vec<i32> = (0..64).collect();
    let scaled = |i: usize| if i % 32 < 16 { 10 * input[i] } else { input[i] };
    let expected: Vec<i32> = (0..64).map(|i| (i / 8 * 8..i / 8 * 8 + 8).map(scaled).sum()).collect();
    assert_eq!(map("tiles", &input, &[]).0, expected);
}

#[test]
fn the_ways_of_a_branch_exchange_values() {
    let input: Vec<i32> = (0..64).map(|i| (i * 23) % 71).collect();
    let warp_of = |i: usize| i / 32 * 32..i / 32 * 32 + 32;
    let is_first = |i: usize| i % 32 < 16;
    let given = |i: usize| if is_first(i) { 2 * input[i] } else { 3 * input[i] };
    let is_large = |i: &usize| if is_first(*i) { input[*i] > 20 } else { input[*i] >= 50 };
    let class = |i: usize| if is_first(i) { input[i] % 4 } else { (input[i] + 1) % 4 };
    let expected = |i: usize| {
        let large = warp_of(i).filter(is_large).count() as i32;
        let alike = warp_of(i).filter(|&other| class(other) == class(i)).count() as i32;
        given(i ^ 16) + 1000 * large + 100000 * alike
    };
    assert_eq!(map("waysExchange", &input, &[]).0, (0..64).map(expected).collect::<Vec<i32>>());
}

#[test]
fn lanes_that_leave_inside_a_branch_do_not_keep_the_others_apart() {
    let input: Vec<i32> = (0..32).collect();
    let sum = |x: i32| (0..100).map(|k| x ^ k).sum::<i32>();
    let way = |x: i32| {
        let is_odd = x % 2 == 1;
        if is_odd && x > 9 {
            -7777
        } else if is_odd {
            sum(x + 7)
        } else {
            sum(x * 3)
        }
    };
    let (found, counters) = map("leavesInsideABranch", &input, &[9]);
    assert_eq!(found, input.iter().map(|&x| way(x)).collect::<Vec<i32>>());
    // One warp goes once through the loop. If its two groups went by themselves there would be twice as much.
    let (_, alone) = map("leavesInsideABranch", &[2; 32], &[9]);
    assert!(
        counters.warp_instructions < alone.warp_instructions + 30,
        "{} instructions, {} without divergence",
        counters.warp_instructions,
        alone.warp_instructions
    );
}

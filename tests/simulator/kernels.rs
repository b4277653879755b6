//! The chapters' kernels on the simulator, called directly: sizes, blocks, counts.

use workbook::build::kernels;
use workbook::reduction::serial::recursive_reduce;
use workbook::sim::{Counters, LaunchConfig, Module, Simulator};

/// Values that differ from each other and overflow when added up.
fn data(n: usize) -> Vec<i32> {
    (0..n as u64).map(|i| ((i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 29) as i32).collect()
}

fn bytes(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

struct Bench {
    sim: Simulator,
    module: Module,
}

impl Bench {
    fn new(stem: &str) -> Bench {
        let build = kernels::get(stem).unwrap();
        Bench { sim: Simulator::new(), module: Module::parse(build.ptx, build.source_path).unwrap() }
    }

    fn upload(&mut self, values: &[i32]) -> u64 {
        let address = self.sim.alloc(values.len() as u64 * 4).unwrap();
        self.sim.write(address, &bytes(values)).unwrap();
        address
    }

    fn download(&self, address: u64, n: usize) -> Vec<i32> {
        let mut out = vec![0; n * 4];
        self.sim.read(address, &mut out).unwrap();
        out.chunks(4).map(|b| i32::from_le_bytes(b.try_into().unwrap())).collect()
    }

    fn launch(&mut self, kernel: &str, grid: u32, block: u32, args: &[u64]) -> Counters {
        self.sim
            .launch(&self.module, kernel, LaunchConfig::new(grid, block), args)
            .unwrap_or_else(|diagnostic| panic!("{diagnostic}"))
    }
}

const SIZES: [usize; 9] = [0, 1, 2, 3, 31, 33, 1000, 1025, 65_553];
const BLOCKS: [u32; 4] = [32, 96, 256, 1000];

#[test]
fn chapter_3_is_right_for_every_size_and_block() {
    for kernel in ["reduceNeighbored", "reduceNeighboredMask", "reduceNeighboredLess", "reduceInterleaved"] {
        for n in SIZES {
            for block in BLOCKS {
                let mut bench = Bench::new("ch3_blocks");
                let values = data(n);
                let grid = (n as u32).div_ceil(block).max(1);
                let (input, output) = (bench.upload(&values), bench.upload(&vec![0; grid as usize]));
                bench.launch(kernel, grid, block, &[input, output, n as u64]);
                let sum = bench.download(output, grid as usize).iter().fold(0i32, |a, b| a.wrapping_add(*b));
                assert_eq!(sum, recursive_reduce(&mut values.clone()), "{kernel}, n = {n}, block = {block}");
            }
        }
    }
}

#[test]
fn chapter_4_is_right_for_every_size_and_block() {
    for n in SIZES {
        for block in BLOCKS {
            let values = data(n);
            let expected = recursive_reduce(&mut values.clone());
            for kernel in ["gpuRecursiveReduce", "gpuRecursiveReduceFireAndForget"] {
                let mut bench = Bench::new("ch4_nested");
                bench.sim.set_pending_launch_limit(1 << 20);
                let grid = (n as u32).div_ceil(block).max(1);
                let (input, output) = (bench.upload(&values), bench.upload(&vec![0; grid as usize]));
                let failure = bench.upload(&[0, 0]);
                let counters = bench.launch(kernel, grid, block, &[input, output, n as u64, failure]);
                let sum = bench.download(output, grid as usize).iter().fold(0i32, |a, b| a.wrapping_add(*b));
                assert_eq!(sum, expected, "{kernel}, n = {n}, block = {block}");
                assert_eq!(counters.dropped_launches, 0);
            }
            let mut bench = Bench::new("ch4_nested");
            let (input, output) = (bench.upload(&values), bench.upload(&[0]));
            let failure = bench.upload(&[0, 0]);
            let grid = (n as u32).div_ceil(2).div_ceil(block).max(1);
            bench.launch("gpuRecursiveReduceGridWide", grid, block, &[input, output, n as u64, failure]);
            assert_eq!(bench.download(output, 1), [expected], "grid-wide, n = {n}, block = {block}");

            let mut bench = Bench::new("ch4_when_it_pays");
            let (input, output) = (bench.upload(&values), bench.upload(&[0]));
            let failure = bench.upload(&[0, 0]);
            let grid = (n as u32).div_ceil(8 * block).max(1);
            let partials = bench.upload(&vec![0; 2 * grid as usize + 1]);
            bench.launch(
                "gpuRecursiveReducePasses",
                grid,
                block,
                &[input, partials, output, n as u64, failure],
            );
            assert_eq!(bench.download(output, 1), [expected], "passes, n = {n}, block = {block}");
            assert_eq!(bench.download(failure, 2), [0, 0]);
        }
    }
}

#[test]
fn a_launch_beyond_the_pending_limit_is_dropped_and_reported_to_the_device_alone() {
    let mut bench = Bench::new("ch4_nested");
    let (n, block) = (1 << 17, 32);
    let values = data(n);
    let grid = n as u32 / block;
    let (input, output) = (bench.upload(&values), bench.upload(&vec![0; grid as usize]));
    let failure = bench.upload(&[0, 0]);
    let counters = bench.launch("gpuRecursiveReduce", grid, block, &[input, output, n as u64, failure]);
    let [error, dropped] = bench.download(failure, 2)[..] else { panic!() };
    assert_eq!(error, 69, "cudaErrorLaunchPendingCountExceeded");
    assert!(dropped > 0);
    assert_eq!(counters.dropped_launches, dropped as u64);
    let sum = bench.download(output, grid as usize).iter().fold(0i32, |a, b| a.wrapping_add(*b));
    assert_ne!(sum, recursive_reduce(&mut values.clone()));
}

/// Where an H200 (driver 580.159.04) begins to drop: one tail launch per block, `levels` of them one below
/// the other.
#[test]
fn the_pending_limit_is_reached_where_the_gpu_reaches_it() {
    let dropped = |kernel: &str, grid: u32, block: u32| {
        let mut bench = Bench::new("ch4_nested");
        let n = (grid * block) as usize;
        let (input, output) = (bench.upload(&data(n)), bench.upload(&vec![0; grid as usize]));
        let failure = bench.upload(&[0, 0]);
        bench.launch(kernel, grid, block, &[input, output, n as u64, failure]).dropped_launches
    };
    // Two elements: one level. 2,048 launches fit.
    assert_eq!(dropped("gpuRecursiveReduce", 2048, 2), 0);
    assert_eq!(dropped("gpuRecursiveReduce", 2049, 2), 1);
    assert_eq!(dropped("gpuRecursiveReduce", 4096, 2), 2048);
    // Four and eight elements: a child launches in its turn, and itself still counts.
    assert_eq!(dropped("gpuRecursiveReduce", 2047, 4), 0);
    assert_eq!(dropped("gpuRecursiveReduce", 2048, 4), 2);
    assert_eq!(dropped("gpuRecursiveReduce", 2060, 4), 14);
    assert_eq!(dropped("gpuRecursiveReduce", 2047, 8), 0);
    assert_eq!(dropped("gpuRecursiveReduce", 2048, 8), 2);
    // A fire-and-forget launch counts until all below it has finished: two levels of 1,000 fit, of 2,000 do
    // not.
    assert_eq!(dropped("gpuRecursiveReduceFireAndForget", 1000, 4), 0);
    assert!(dropped("gpuRecursiveReduceFireAndForget", 2000, 4) > 0);
}

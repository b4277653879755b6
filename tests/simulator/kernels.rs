//! Where device launches begin to be dropped: chapter 4's kernels on the simulator, called directly.

use workbook::kernels;
use workbook::reduction::data::numbers;
use workbook::reduction::serial::recursive_reduce;
use workbook::sim::{Counters, LaunchConfig, Module, Simulator};

fn bytes(values: &[i32]) -> Vec<u8> {
    values.iter().flat_map(|v| v.to_le_bytes()).collect()
}

struct Bench {
    sim: Simulator,
    module: Module,
}

impl Bench {
    fn new() -> Bench {
        let build = kernels::get("ch4_nested").unwrap();
        Bench { sim: Simulator::new(), module: Module::parse(&build.ptx, &build.source_path).unwrap() }
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

#[test]
fn a_launch_beyond_the_pending_limit_is_dropped_and_reported_to_the_device_alone() {
    let mut bench = Bench::new();
    let n = 1 << 17;
    let block = 32;
    let values = numbers(n, 1);
    let grid = n as u32 / block;
    let input = bench.upload(&values);
    let output = bench.upload(&vec![0; grid as usize]);
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
        let mut bench = Bench::new();
        let n = (grid * block) as usize;
        let input = bench.upload(&numbers(n, 1));
        let output = bench.upload(&vec![0; grid as usize]);
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

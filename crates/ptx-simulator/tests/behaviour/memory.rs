//! Where variables lie and what they hold: shared, local, constant and global memory, pointers to functions,
//! places of threads, and what device code prints.

use crate::cuda::{Bench, Source};
use ptx_simulator::{LaunchConfig, Module, Simulator};

const MEMORY: &str = "tests/kernels/memory.cu";
const PRINT: &str = "tests/kernels/print.cu";

fn with_shared(grid: u32, block: u32, bytes: u32) -> LaunchConfig {
    LaunchConfig { shared_mem_bytes: bytes, ..LaunchConfig::new(grid, block) }
}

#[test]
fn static_and_dynamic_shared_memory_lie_side_by_side() {
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 5]);
    bench.try_launch(&Source::load(MEMORY), "sharedLayout", with_shared(1, 32, 80), &[out, 20]).unwrap();
    assert_eq!(bench.download::<i32>(out, 5), [15, 4, 1019, 1, 80]);
}

#[test]
fn a_function_finds_dynamic_shared_memory_behind_any_kernels_static_memory() {
    let source = Source::load(MEMORY);
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 32]);
    bench.try_launch(&source, "sharedInAFunction", with_shared(1, 32, 128), &[out, 32]).unwrap();
    assert_eq!(bench.download::<i32>(out, 32), [(496 + 32) * 100 + 5; 32]);
    bench.try_launch(&source, "sharedInAFunctionAlone", with_shared(1, 32, 128), &[out, 32]).unwrap();
    assert_eq!(bench.download::<i32>(out, 32), [2 * 496 + 32; 32]);
}

#[test]
fn a_local_array_takes_an_index_known_only_at_run_time() {
    let mut bench = Bench::default();
    let indices: Vec<i32> = (0..256).map(|i| i * 5 % 16).collect();
    let input = bench.upload(&indices);
    let out = bench.upload(&[0; 64]);
    bench.launch(&Source::load(MEMORY), "localArray", 1, 64, &[input, out]);
    let expected: Vec<i32> = (0..64)
        .map(|thread| {
            let mut values: Vec<i32> = (0..16).map(|i| i * i + thread).collect();
            for i in 0..4 {
                values[indices[4 * thread as usize + i] as usize] += 1000;
            }
            (0..16)
                .fold(0i32, |sum, i| sum.wrapping_mul(3).wrapping_add(values[(i + indices[0] as usize) % 16]))
        })
        .collect();
    assert_eq!(bench.download::<i32>(out, 64), expected);
}

#[test]
fn every_call_of_a_recursion_has_its_own_memory() {
    fn depth(n: i32, path: &mut [i32; 8]) -> i32 {
        let here = [n, 2 * n, 3 * n];
        path[(n % 8) as usize] += here[(n % 3) as usize];
        if n == 0 { 0 } else { here[(n % 3) as usize] + depth(n - 1, path) }
    }
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 64]);
    bench.launch(&Source::load(MEMORY), "recursion", 1, 64, &[out]);
    let expected: Vec<i32> = (0..64)
        .map(|thread| {
            let mut path = [0; 8];
            let sum = depth(thread, &mut path);
            sum + path.iter().zip(1..).map(|(p, i)| p * i).sum::<i32>()
        })
        .collect();
    assert_eq!(bench.download::<i32>(out, 64), expected);
}

#[test]
fn blocks_and_threads_have_three_dimensions_also_in_functions() {
    let grid = (3, 2, 2);
    let block = (5, 4, 3);
    let count = 12 * 60;
    let mut bench = Bench::default();
    let kernel = bench.upload(&vec![-1; count]);
    let function = bench.upload(&vec![-1; count]);
    let config = LaunchConfig { grid_dim: grid, block_dim: block, shared_mem_bytes: 0 };
    bench.try_launch(&Source::load(MEMORY), "places", config, &[kernel, function]).unwrap();
    let mut expected = Vec::new();
    for b in 0..12 {
        let block = 1000 * (b % 3) + 10_000 * (b / 3 % 2) + 100_000 * (b / 6);
        expected.extend((0..60).map(|t| block + t % 5 + 10 * (t / 5 % 4) + 100 * (t / 20)));
    }
    assert_eq!(bench.download::<i32>(kernel, count), expected);
    assert_eq!(bench.download::<i32>(function, count), expected);
}

#[test]
fn neighbouring_lanes_call_different_functions() {
    let mut bench = Bench::default();
    let input: Vec<i32> = (0..64).map(|i| i * i % 50).collect();
    let from = bench.upload(&input);
    let to = bench.upload(&[0; 64]);
    bench.launch(&Source::load(MEMORY), "functionPointers", 1, 64, &[from, to]);
    let by_pointer: Vec<i32> = input
        .iter()
        .map(|&x| match x % 3 {
            0 => x + 10,
            1 => x * 10,
            _ => x - 10,
        })
        .collect();
    assert_eq!(bench.download::<i32>(to, 64), by_pointer);
    bench.launch(&Source::load(MEMORY), "virtualFunctions", 1, 64, &[from, to]);
    let by_table: Vec<i32> = input.iter().map(|&x| if x & 1 == 1 { x } else { x * x }).collect();
    assert_eq!(bench.download::<i32>(to, 64), by_table);
}

#[test]
fn variables_hold_what_they_start_with_and_keep_what_is_written() {
    let source = Source::load(MEMORY);
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 19]);
    let scaled = bench.upload(&[0f32; 4]);
    bench.launch(&source, "variables", 1, 4, &[out, scaled]);
    let records = [[b'n' as i32, 1, 15, b'l' as i32], [b'w' as i32, -2, 25, b'r' as i32]];
    let mut expected: Vec<i32> = (0..4).flat_map(|thread| records[thread % 2]).collect();
    expected.extend([7, 0, 1]);
    assert_eq!(bench.download::<i32>(out, 19), expected);
    assert_eq!(bench.download::<f32>(scaled, 4), [1.0, 3.0, -4.0, 16.0]);
    bench.launch(&source, "variables", 1, 4, &[out, scaled]);
    assert_eq!(bench.download::<i32>(out, 19)[16..], [8, 0, 2], "the second launch");
    // Another simulator is another device.
    let mut other = Bench::default();
    let out = other.upload(&[0; 19]);
    let scaled = other.upload(&[0f32; 4]);
    other.launch(&source, "variables", 1, 4, &[out, scaled]);
    assert_eq!(other.download::<i32>(out, 19)[16..], [7, 0, 1]);
}

#[test]
fn printf_writes_as_c_does() {
    let mut bench = Bench::default();
    let input = bench.upload(&[42, -5, 70_000]);
    let counts = bench.upload(&[-1, -1]);
    let real = bench.upload(&[3.1719, 123456.789e-10, 1e20, f64::INFINITY, f64::NAN]);
    bench.launch(&Source::load(PRINT), "formats", 1, 1, &[input, real, counts]);
    let expected = "no argument\n\
        42|   42|42   |00042|+42| 42|-5\n\
        4294967291|fffffffb|FFFFFFFB|0x2a|52|052\n\
        -5|18446744073709551611|10000000000|8589934592\n\
        4464|112|4464\n\
        3.171900|3.17|     3.172|3.2     |1.234568e-05|1.2E-05|3.1719|1e+20\n\
        inf|-inf|nan| -inf\n\
        ok|text|     right|left  |cu|%\n\
        \x20   42|3.2|042|2\n\
        0x1234abcd\n\
        1 2\nnone\n";
    assert_eq!(bench.sim.take_printed(), expected);
    assert_eq!(bench.sim.take_printed(), "", "it is given once");
    // CUDA's printf returns the number of its arguments, not of characters.
    assert_eq!(bench.download::<i32>(counts, 2), [2, 0]);
}

#[test]
fn lanes_and_blocks_print_in_their_order() {
    let mut bench = Bench::default();
    bench.launch(&Source::load(PRINT), "order", 2, 32, &[2]);
    let expected = "block 0 thread 0\nblock 0 thread 1\nblock 1 thread 0\nblock 1 thread 1\n";
    assert_eq!(bench.sim.take_printed(), expected);
}

#[test]
fn device_code_has_a_heap() {
    let source = Source::load("tests/kernels/heap.cu");
    let mut bench = Bench::default();
    let out = bench.upload(&[0; 64]);
    bench.launch(&source, "lists", 1, 64, &[out, 10]);
    let expected: Vec<i32> = (0..64).map(|thread| 45 * thread).collect();
    assert_eq!(bench.download::<i32>(out, 64), expected);
    bench.launch(&source, "tooMuch", 1, 1, &[out]);
    assert_eq!(bench.download::<i32>(out, 1), [1]);
}

#[test]
fn the_heap_has_its_bounds() {
    let source = Source::load("tests/kernels/heap.cu");
    for (kernel, words) in [
        ("pastTheEnd", "at byte 40 of a buffer, which has 40 bytes"),
        ("afterFree", "in a buffer that has been freed"),
        ("twice", "not a live allocation from malloc on the device"),
    ] {
        let mut bench = Bench::default();
        let out = bench.upload(&[0; 64]);
        let args = if kernel == "pastTheEnd" { &[out, 10][..] } else { &[out] };
        let found = bench.try_launch(&source, kernel, LaunchConfig::new(1, 1), args).unwrap_err();
        let line = source.line(&format!(" {kernel}("), &format!("// expect: {}", found.kind));
        assert!(found.line == Some(line) && found.message().contains(words), "{found}");
    }
}

/// `mov` gives the address in the space of parameters, and `cvta.param` makes it generic.
#[test]
fn a_parameter_has_an_address() {
    let ptx = ".version 9.0\n.target sm_90\n.address_size 64\n\
        .visible .entry k(.param .u64 out, .param .b32 x[2])\n{\n\
        .reg .b64 %a, %g, %o; .reg .b32 %r, %s, %t;\n\
        ld.param.u64 %o, [out]; mov.b64 %a, x; ld.param.b32 %r, [%a]; ld.param.b32 %s, [%a+4];\n\
        cvta.param.u64 %g, %a; ld.b32 %t, [%g+4];\n\
        st.global.v2.b32 [%o], {%r, %s}; st.global.b32 [%o+8], %t;\nret;\n}\n";
    let module = Module::parse(ptx, "k.ptx").unwrap();
    let mut simulator = Simulator::new();
    let out = simulator.alloc(12).unwrap();
    let launched = simulator.launch_checked(&module, "k", LaunchConfig::new(1, 1), &[out, 9 << 32 | 7]);
    assert!(launched.diagnostics.is_empty(), "{:?}", launched.diagnostics);
    let mut bytes = [0; 12];
    simulator.read(out, &mut bytes).unwrap();
    assert_eq!([bytes[0], bytes[4], bytes[8]], [7, 9, 9]);
}

//! The simulator's counts of memory traffic are those of the hardware counters:
//! tests/simulator/ncu/README.md.

use std::collections::BTreeMap;
use std::path::Path;

use workbook::kernels;
use workbook::sim::{Counters, LaunchConfig, Module, Simulator};

const REQUESTS_LD: &str = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
const REQUESTS_ST: &str = "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum";
const SECTORS_LD: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum";
const SECTORS_ST: &str = "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum";
const CONFLICTS: &str = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum";

/// Launches in the file, and what was counted in all of them.
const LAUNCHES: usize = 33;
const COUNTS: usize = 57;

/// A launch that was measured: program, kernel, argument, block, grid.
type Launch = (String, String, u64, u32, u32);

/// What ncu counted, by launch and metric, in the order of the file.
fn measured() -> Vec<(Launch, BTreeMap<String, u64>)> {
    let text = std::fs::read_to_string(root().join("tests/simulator/ncu/h200.csv")).unwrap();
    let mut out: Vec<(Launch, BTreeMap<String, u64>)> = Vec::new();
    for line in text.lines().skip(1) {
        let [program, kernel, argument, block, grid, metric, value] = line.split(',').collect::<Vec<_>>()[..]
        else {
            panic!("not seven columns: {line}")
        };
        let launch = (
            program.to_string(),
            kernel.to_string(),
            argument.parse().unwrap(),
            block.parse().unwrap(),
            grid.parse().unwrap(),
        );
        if out.last().is_none_or(|(last, _)| *last != launch) {
            out.push((launch, BTreeMap::new()));
        }
        out.last_mut().unwrap().1.insert(metric.to_string(), value.parse().unwrap());
    }
    let counts = out.iter().map(|(_, metrics)| metrics.len()).sum();
    assert_eq!(
        (out.len(), counts),
        (LAUNCHES, COUNTS),
        "launches and counts in tests/simulator/ncu/h200.csv"
    );
    out
}

fn root() -> &'static Path {
    workbook::root().unwrap()
}

fn simulated((program, kernel, argument, block, grid): &Launch) -> Counters {
    let ptx = match kernels::get(program) {
        Ok(build) => build.ptx.to_string(),
        Err(_) => std::fs::read_to_string(root().join(format!("tests/simulator/ncu/{program}.ptx"))).unwrap(),
    };
    let module = Module::parse(&ptx, program).unwrap();
    let mut sim = Simulator::new();
    let config = LaunchConfig::new(*grid, *block);
    let output = sim.alloc(1 << 20).unwrap();
    let args = if program == "banks" {
        vec![output, *argument]
    } else {
        let input = sim.alloc(argument * 4).unwrap();
        sim.write(input, &vec![1; *argument as usize * 4]).unwrap();
        vec![input, output, *argument]
    };
    sim.launch(&module, kernel, config, &args).unwrap()
}

#[test]
fn the_simulator_counts_what_the_hardware_counts() {
    for (launch, metrics) in measured() {
        let counters = simulated(&launch);
        for (metric, value) in metrics {
            let counted = match metric.as_str() {
                REQUESTS_LD => counters.global_load_requests,
                REQUESTS_ST => counters.global_store_requests,
                SECTORS_LD => counters.global_load_sectors,
                SECTORS_ST => counters.global_store_sectors,
                CONFLICTS => counters.shared_bank_conflicts,
                other => panic!("unknown metric {other}"),
            };
            assert_eq!(counted, value, "{launch:?}: {metric}");
        }
    }
}

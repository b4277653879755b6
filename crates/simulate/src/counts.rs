//! The counters of a launch as a table, beside the metrics of Nsight Compute that mean the same.

use workbook::number::thousands;
use workbook::record::columns::{Column, text_table};
use workbook::sim::Counters;

const NOTE: &str =
    "* ncu counts the GPU's own instructions, the simulator those of the PTX they are made from";

/// Every count with the name of the ncu metric that has the same meaning, if there is one. At most 100
/// columns.
pub fn table(c: &Counters) -> String {
    let count = |n: u64| thousands(n as i64);
    let lanes = c.average_active_lanes().map_or("-".to_string(), |lanes| format!("{lanes:.2}"));
    let rows = [
        ("instructions", count(c.warp_instructions), "smsp__inst_executed.sum *"),
        ("average active lanes", lanes, "smsp__thread_inst_executed_per_inst_executed.ratio *"),
        (
            "divergent branches",
            count(c.divergent_branches),
            "smsp__sass_branch_targets_threads_divergent.sum *",
        ),
        (
            "global load requests",
            count(c.global_load_requests),
            "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
        ),
        (
            "global load sectors",
            count(c.global_load_sectors),
            "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
        ),
        ("  ideal", count(c.global_load_sectors_ideal), ""),
        (
            "global store requests",
            count(c.global_store_requests),
            "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
        ),
        (
            "global store sectors",
            count(c.global_store_sectors),
            "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
        ),
        ("  ideal", count(c.global_store_sectors_ideal), ""),
        (
            "shared bank conflicts",
            count(c.shared_bank_conflicts),
            "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum",
        ),
        ("atomics, by thread", count(c.atomics), ""),
        ("barriers, by warp", count(c.barriers), ""),
        ("  stalls at them", count(c.barrier_stalls), ""),
        ("device launches", count(c.device_launches), ""),
        ("  dropped", count(c.dropped_launches), ""),
        ("  depth", count(c.launch_depth), ""),
    ];
    let columns = [
        Column::left("counts", rows.iter().map(|row| row.0)),
        Column::right("", rows.iter().map(|row| row.1.as_str())),
        Column::left("  Nsight Compute", rows.iter().map(|row| format!("  {}", row.2))),
    ];
    text_table(&columns) + NOTE + "\n"
}

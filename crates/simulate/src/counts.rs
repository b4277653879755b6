//! The counters of a launch as a table, beside the metrics of Nsight Compute that mean the same.

use ptx_simulator::Counters;
use text::columns::{Column, fit, text_table};
use text::number::thousands;

/// What the stars in the table mean.
pub const NOTE: &str =
    "* ncu counts the GPU's own instructions, the simulator those of the PTX they are made from";

/// Every count of each launch, with the name of the ncu metric that has the same meaning, if there is one. At
/// most 100 columns: where there are too many launches for that, their sum.
pub fn table(launches: &[(String, &Counters)]) -> String {
    let mut columns = columns(launches);
    if !fit(&columns) {
        let mut all = Counters::default();
        for (_, counters) in launches {
            all += *counters;
        }
        columns = self::columns(&[("all launches".into(), &all)]);
    }
    text_table(&columns) + NOTE + "\n"
}

/// The counts' names, a column for each of `launches` with its title, and the names of ncu.
pub fn columns(launches: &[(String, &Counters)]) -> Vec<Column> {
    let names = rows(&Counters::default());
    let of = |(title, counters): &(String, &Counters)| Column::right(title, rows(counters).map(|row| row.1));
    let first = Column::left("counts", names.iter().map(|row| row.0));
    let last = Column::left("  Nsight Compute", names.iter().map(|row| format!("  {}", row.2)));
    [first].into_iter().chain(launches.iter().map(of)).chain([last]).collect()
}

fn rows(c: &Counters) -> [(&'static str, String, &'static str); 16] {
    let count = |n: u64| thousands(n as i64);
    let lanes = c.average_active_lanes().map_or("-".to_string(), |lanes| format!("{lanes:.2}"));
    [
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
    ]
}

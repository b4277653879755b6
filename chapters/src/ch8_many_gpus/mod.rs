//! Chapter 8: one array, several GPUs. Each adds up its share; the variants differ in who adds the shares.

mod link;
mod peer;
mod scaling;
mod shares;
mod ways;

use peer::{into_peer, into_peer_by_threads, on_one_gpu};
use shares::shape;
use ways::{all_reduce, host_adds, through_host_memory};
use workbook::chapter::{Case, Chapter, Extras, Outcome, Sweep, Variant};
use workbook::device::DeviceKind;
use workbook::figure::Figure;
use workbook::record::Failure;
use workbook::reduction::operation::{Operation, SUM_F32, SUM_I64, exact};
use workbook::reduction::operator::{Max, Min, SumF32, SumF64, SumI32, SumI64};
use workbook::sim::Kind;

pub const CHAPTER: Chapter = Chapter {
    many_gpus: true,
    extras: Extras {
        charts: scaling::charts,
        figures: Extras::in_the_book(&[Figure::of_traces("link", link::figure)]),
        ..Extras::NONE
    },
    ..Chapter::new(
        "ch8_many_gpus",
        "One array, several GPUs: who adds up the shares?",
        &[
            Variant { also: smaller, ..story("oneGpu", "reduceIntoPeer", on_one_gpu) }
                .does("The first GPU alone, for comparison."),
            story("hostAdds", "reduceShare", host_adds::<SumI32>)
                .does("The host copies one number from each GPU, and adds them."),
            story("throughHostMemory", "reduceShare", through_host_memory)
                .does("Each GPU stores its sum in memory of the host, which adds them."),
            story("allReduce", "reduceShare", all_reduce::<SumI32>)
                .does("NCCL adds one number per GPU; each GPU has the sum."),
            story("intoPeer", "reduceIntoPeer", into_peer::<SumI32>)
                .does("All blocks of all GPUs add to one word in the memory of the first."),
            story("intoPeerByThreads", "reduceIntoPeer", into_peer_by_threads)
                .does("The same, each GPU launched by a thread of its own."),
            Variant {
                expected_failure: |_, _| Some(Failure::Found(Kind::DataRace)),
                ..further("intoPeerNarrow", "reduceIntoPeerNarrow", Operation::SUM, into_peer::<SumI32>)
            }
            .does("The same with atomics of the GPU's own scope, which are not atomic to another GPU."),
            further("intoPeerI64", "reduceIntoPeerI64", SUM_I64, into_peer::<SumI64>),
            further("intoPeerF32", "reduceIntoPeerF32", SUM_F32, into_peer::<SumF32>),
            further("intoPeerF64", "reduceIntoPeerF64", SUM_F64, into_peer::<SumF64>),
            further("allReduceI64", "reduceShareI64", SUM_I64, all_reduce::<SumI64>),
            further("allReduceF32", "reduceShareF32", SUM_F32, all_reduce::<SumF32>),
            further("allReduceF64", "reduceShareF64", SUM_F64, all_reduce::<SumF64>),
            further("allReduceMin", "reduceShareMin", MIN, all_reduce::<Min<i32>>),
            further("allReduceMax", "reduceShareMax", MAX, all_reduce::<Max<i32>>),
            further("hostAddsI64", "reduceShareI64", SUM_I64, host_adds::<SumI64>),
            further("hostAddsF32", "reduceShareF32", SUM_F32, host_adds::<SumF32>),
            further("hostAddsF64", "reduceShareF64", SUM_F64, host_adds::<SumF64>),
        ],
    )
};

const SUM_F64: Operation = exact::<SumF64>("sum of f64");
const MIN: Operation = exact::<Min<i32>>("minimum of i32");
const MAX: Operation = exact::<Max<i32>>("maximum of i32");

type Host = fn(&Case) -> anyhow::Result<Outcome>;

const fn story(name: &'static str, symbol: &'static str, host: Host) -> Variant {
    Variant { symbol, shape, also: larger, ..Variant::new(name, host) }
}

/// The same way for other elements or another operation, at the requested size alone.
const fn further(name: &'static str, symbol: &'static str, operation: Operation, host: Host) -> Variant {
    let variant = Variant { story: false, sweep: Sweep::Never, also: |_| &[], ..story(name, symbol, host) };
    Variant { operation, ..variant }
}

/// Beside the sizes of the sweep: 2^30 on one GPU.
fn smaller(kind: DeviceKind) -> &'static [(u64, u32)] {
    if kind == DeviceKind::Gpu { &[(1 << 30, 512)] } else { &[] }
}

/// Twice the sizes of the sweep, so that two GPUs have as much each as one has alone.
fn larger(kind: DeviceKind) -> &'static [(u64, u32)] {
    match kind {
        DeviceKind::Gpu => {
            &[(1 << 17, 512), (1 << 21, 512), (1 << 25, 512), (1 << 29, 512), (1 << 30, 512), (1 << 31, 512)]
        }
        _ => &[],
    }
}

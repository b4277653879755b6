//! The traces behind the figures, `book/records/traces/`: what the simulator remembers of small launches.
//!
//!     cargo xtask renew a_run

use std::path::{Path, PathBuf};

use workbook::build::kernels;
use workbook::sim::trace::{Did, Recorder, Trace};
use workbook::sim::{Launch, LaunchConfig, Module, Simulator, Together};

/// A launch whose trace a figure needs.
struct Recipe {
    /// The file, without `.json`.
    name: &'static str,
    /// Stem of the kernel's build, or `inside`: the kernel beside this file.
    stem: &'static str,
    kernel: &'static str,
    blocks: u32,
    threads: u32,
    /// Names of the buffers with their elements; at last the number of elements is passed where the kernel
    /// takes it.
    args: &'static [Arg],
    /// Threads of a warp that run apart, and which first.
    order: &'static [u32],
    /// Room for pending launches.
    room: Option<u64>,
    values: bool,
}

#[derive(Clone, Copy)]
enum Arg {
    /// 1, 2, 3 … in this many elements.
    Counting(&'static str, u32),
    /// So many `f32` ones.
    Ones(&'static str, u32),
    Zeros(&'static str, u32),
    /// These `u64`, in a buffer with room for this many.
    Longs(&'static str, &'static [u64], u32),
    Number(u32),
}
use Arg::{Counting, Longs, Number, Ones, Zeros};

const BASE: Recipe = Recipe {
    name: "",
    stem: "",
    kernel: "",
    blocks: 1,
    threads: 8,
    args: &[Counting("g_data", 8), Zeros("g_odata", 1), Number(8)],
    order: &[],
    room: None,
    values: true,
};

const CHAPTER_3: &[Arg] = &[Counting("g_idata", 512), Zeros("g_odata", 1), Number(512)];
const CHAPTER_5: &[Arg] = &[Ones("a", 512), Ones("b", 512), Zeros("c", 1), Number(512)];
const PORT: &[Arg] = &[Counting("g_idata", 32), Zeros("g_odata", 8), Number(32), Zeros("failure", 2)];

/// From the four intervals of level 2: their number, then that of each level below.
const TEETH: &[Arg] = &[
    Longs("nodes", &[4, 5, 6, 7], 64),
    Zeros("halves", 128),
    Longs("counts", &[4], 16),
    Zeros("finished", 32),
    Zeros("total", 2),
    Number(8),
    Zeros("failure", 2),
];

const RECIPES: &[Recipe] = &[
    // In this order thread 4 is done before thread 6 begins, or the other way round; all that thread 0 waits
    // for is done before it.
    Recipe { name: "race-4-first", order: &[7, 5, 3, 1, 4, 6, 2, 0], ..NO_BARRIER },
    Recipe { name: "race-6-first", order: &[7, 5, 3, 1, 6, 4, 2, 0], ..NO_BARRIER },
    Recipe { name: "barrier", order: &[7, 5, 3, 1, 4, 6, 2, 0], kernel: "reduceNeighbored", ..NO_BARRIER },
    Recipe { name: "barrier-inside", stem: "inside", kernel: "reduceNeighbored", ..NO_BARRIER },
    Recipe { name: "neighbored", kernel: "reduceNeighbored", ..BLOCKS },
    Recipe { name: "neighbored-less", kernel: "reduceNeighboredLess", ..BLOCKS },
    Recipe { name: "interleaved", kernel: "reduceInterleaved", ..BLOCKS },
    Recipe { name: "banks-strided", kernel: "dotStrided", ..BANKS },
    Recipe { name: "banks", kernel: "dot", ..BANKS },
    Recipe { name: "nested-tail", kernel: "gpuRecursiveReduce", ..NESTED },
    Recipe { name: "nested-forget", kernel: "gpuRecursiveReduceFireAndForget", ..NESTED },
    Recipe { name: "nested-levels", kernel: "gpuRecursiveReduceGridWide", blocks: 4, ..NESTED },
    Recipe { name: "load-one", kernel: "reduceSequential", ..IN_FLIGHT },
    Recipe { name: "load-eight", kernel: "reduceInFlight", ..IN_FLIGHT },
    Recipe {
        name: "quadrature",
        stem: "ch4_quadrature",
        kernel: "gpuRecursiveDivide",
        args: TEETH,
        threads: 32,
        ..BASE
    },
    Recipe {
        name: "pending",
        kernel: "gpuRecursiveReduce",
        blocks: 8,
        threads: 4,
        args: PORT,
        room: Some(8),
        ..NESTED
    },
];

const NO_BARRIER: Recipe = Recipe { stem: "ch2_parallel", kernel: "reduceNeighboredNoBarrier", ..BASE };
const BLOCKS: Recipe = Recipe { stem: "ch3_blocks", threads: 512, args: CHAPTER_3, values: false, ..BASE };
const BANKS: Recipe = Recipe { stem: "ch5_shared", threads: 256, args: CHAPTER_5, values: false, ..BASE };
const IN_FLIGHT: Recipe = Recipe {
    stem: "ch7_limit",
    threads: 32,
    args: &[Counting("g_idata", 256), Zeros("g_odata", 8), Number(256)],
    values: false,
    ..BASE
};
const NESTED: Recipe = Recipe {
    stem: "ch4_nested",
    blocks: 8,
    threads: 8,
    args: &[Counting("g_idata", 64), Zeros("g_odata", 8), Number(64), Zeros("failure", 2)],
    ..BASE
};

/// Runs the recipe and remembers.
fn trace(recipe: &Recipe) -> Trace {
    let ptx = match recipe.stem {
        "inside" => include_str!("barrier_inside.ptx"),
        stem => &*kernels::get(stem).unwrap().ptx,
    };
    let module = Module::parse(ptx, recipe.stem).unwrap();
    let mut simulator = Simulator::new();
    simulator.set_thread_order(recipe.order);
    if let Some(room) = recipe.room {
        simulator.set_pending_launch_limit(room);
    }
    let mut recorder = Recorder::new(4_000);
    let mut args = Vec::new();
    for arg in recipe.args {
        let words: Vec<u32> = match arg {
            Counting(_, count) => (1..=*count).collect(),
            Ones(_, count) => vec![1f32.to_bits(); *count as usize],
            Zeros(_, count) => vec![0; *count as usize],
            Longs(_, longs, room) => {
                let words = longs.iter().flat_map(|long| [*long as u32, (*long >> 32) as u32]);
                words.chain(std::iter::repeat(0)).take(2 * *room as usize).collect()
            }
            Number(_) => Vec::new(),
        };
        args.push(match arg {
            Number(number) => u64::from(*number),
            Counting(name, _) | Ones(name, _) | Zeros(name, _) | Longs(name, ..) => {
                let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
                let address = simulator.alloc(bytes.len() as u64).unwrap();
                simulator.write(address, &bytes).unwrap();
                recorder.name(address, name, None);
                address
            }
        });
    }
    let config = LaunchConfig::new(recipe.blocks, recipe.threads);
    recorder.begin(&module, recipe.kernel, &config);
    let mut found = Vec::new();
    let launch = [Launch { kernel: recipe.kernel, config, args: &args }];
    let _ = simulator.launch_together(&module, (&launch, Together::OnDevices), &mut recorder, &mut found);
    recorder.found(&found);
    let mut trace = recorder.take();
    for event in trace.events.iter_mut().filter(|_| !recipe.values) {
        match &mut event.did {
            Did::Read(touch) | Did::Write(touch) => touch.values.clear(),
            Did::Atomic { touch, with } => (touch.values, *with) = (Vec::new(), Vec::new()),
            _ => {}
        }
    }
    trace
}

/// One event on a line, so that a difference can be read.
fn text(trace: &Trace) -> String {
    let mut whole = serde_json::to_value(trace).unwrap();
    let events = whole["events"].take();
    let events: Vec<String> = events.as_array().unwrap().iter().map(ToString::to_string).collect();
    let head = serde_json::to_string(&whole).unwrap();
    head.replacen("\"events\":null", &format!("\"events\":[\n{}\n]", events.join(",\n")), 1) + "\n"
}

pub fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("book/records/traces")
}

#[test]
fn traces_are_renewed_by_a_run() {
    for recipe in RECIPES {
        let now = text(&trace(recipe));
        assert_eq!(serde_json::from_str::<Trace>(&now).unwrap().left_out, 0, "{}", recipe.name);
        workbook::build::renew::committed(directory().join(format!("{}.json", recipe.name)), now);
    }
}

#[test]
fn every_committed_trace_has_its_recipe() {
    for file in std::fs::read_dir(directory()).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(RECIPES.iter().any(|recipe| recipe.name == name), "{name}.json: nobody makes it");
    }
}

//! The traces behind the figures, `book/records/traces/`: what the simulator remembers of small launches.
//!
//!     cargo xtask renew a_run

use std::cell::RefCell;
use std::path::PathBuf;
use std::rc::Rc;

use launch::{Scope, Script, Stage};
use testing::renew::{committed, is_wanted};
use workbook::device::{Device, Module, SimulatorOptions};
use workbook::kernels;
use workbook::sim::trace::{Did, Recorder, Trace};

/// A launch whose trace a figure needs.
struct Recipe {
    /// The file, without `.json`.
    name: &'static str,
    /// Stem of the kernel's build, or `inside`: the kernel beside this file.
    stem: &'static str,
    /// The lines of a script that make its buffers, and its launch.
    buffers: &'static str,
    launch: &'static str,
    /// Threads of a warp that run apart, and which first.
    order: &'static [u32],
    /// Room for pending launches.
    room: Option<u64>,
    values: bool,
}

const RECIPES: &[Recipe] = &[
    // In this order thread 4 is done before thread 6 begins, or the other way round; all that thread 0 waits
    // for is done before it.
    Recipe { name: "race-4-first", order: &[7, 5, 3, 1, 4, 6, 2, 0], ..NO_BARRIER },
    Recipe { name: "race-6-first", order: &[7, 5, 3, 1, 6, 4, 2, 0], ..NO_BARRIER },
    Recipe { name: "barrier", order: &[7, 5, 3, 1, 4, 6, 2, 0], launch: BARRIER, ..NO_BARRIER },
    Recipe { name: "barrier-inside", stem: "inside", launch: BARRIER, ..NO_BARRIER },
    Recipe { name: "neighbored", launch: "reduceNeighbored<<<1, 512>>> @g_idata @g_odata u32:512", ..BLOCKS },
    Recipe {
        name: "neighbored-less",
        launch: "reduceNeighboredLess<<<1, 512>>> @g_idata @g_odata u32:512",
        ..BLOCKS
    },
    Recipe {
        name: "interleaved",
        launch: "reduceInterleaved<<<1, 512>>> @g_idata @g_odata u32:512",
        ..BLOCKS
    },
    Recipe { name: "banks-strided", launch: "dotStrided<<<1, 256>>> @a @b @c u32:512", ..BANKS },
    Recipe { name: "banks", launch: "dot<<<1, 256>>> @a @b @c u32:512", ..BANKS },
    Recipe {
        name: "nested-tail",
        launch: "gpuRecursiveReduce<<<8, 8>>> @g_idata @g_odata u32:64 @failure",
        ..NESTED
    },
    Recipe {
        name: "nested-forget",
        launch: "gpuRecursiveReduceFireAndForget<<<8, 8>>> @g_idata @g_odata u32:64 @failure",
        ..NESTED
    },
    Recipe {
        name: "nested-levels",
        launch: "gpuRecursiveReduceGridWide<<<4, 8>>> @g_idata @g_odata u32:64 @failure",
        ..NESTED
    },
    Recipe { name: "load-one", launch: "reduceSequential<<<1, 32>>> @g_idata @g_odata u32:256", ..IN_FLIGHT },
    Recipe { name: "load-eight", launch: "reduceInFlight<<<1, 32>>> @g_idata @g_odata u32:256", ..IN_FLIGHT },
    // From the four intervals of level 2: their number, then that of each level below.
    Recipe {
        name: "quadrature",
        stem: "ch4_quadrature",
        buffers: "buffer nodes = u64:4,5,6,7,zeros*60\nbuffer halves = i32:zeros*128\n\
                  buffer counts = u64:4,zeros*15\nbuffer finished = i32:zeros*32\n\
                  buffer total = i32:zeros*2\n\
                  buffer failure = i32:zeros*2",
        launch: "gpuRecursiveDivide<<<1, 32>>> @nodes @halves @counts @finished @total u32:8 @failure",
        ..NESTED
    },
    // Four threads and the two halves of [0, 1]: `taken`, `offered`, `done`.
    Recipe {
        name: "queue",
        stem: "ch4_quadrature",
        buffers: "buffer queue = u32:0,2,0,0\nbuffer places = u64:2,3,zeros*30\nbuffer total = u64:0",
        launch: "divideQueue<<<1, 4>>> @queue @places @total u32:2",
        ..NO_BARRIER
    },
    Recipe {
        name: "merge-path",
        buffers: PATH,
        launch: "mergePath<<<1, 32>>> @values @offsets @sums u32:24 u32:8 u32:8",
        ..RAGGED
    },
    Recipe {
        name: "ragged-thread",
        launch: "threadPerRow<<<1, 32>>> @values @offsets @sums u32:32",
        ..RAGGED
    },
    Recipe { name: "ragged-warp", launch: "warpPerRow<<<4, 256>>> @values @offsets @sums u32:32", ..RAGGED },
    Recipe {
        name: "ragged-block",
        launch: "blockPerRow<<<32, 64>>> @values @offsets @sums u32:32",
        ..RAGGED
    },
    Recipe {
        name: "ragged-path",
        launch: "mergePath<<<1, 32>>> @values @offsets @sums u32:189 u32:32 u32:7",
        ..RAGGED
    },
    Recipe {
        name: "pending",
        buffers: "buffer g_idata = i32:iota:1*32\nbuffer g_odata = i32:zeros*8\nbuffer failure = i32:zeros*2",
        launch: "gpuRecursiveReduce<<<8, 4>>> @g_idata @g_odata u32:32 @failure",
        room: Some(8),
        ..NESTED
    },
];

/// Rows without elements come first, in between and last; row 3 is in three of four shares.
const PATH: &str = "buffer values = i32:iota:1*24\nbuffer offsets = i32:0,0,3,4,17,17,22,24,24\n\
                    buffer sums = i32:zeros*8";
/// 31 rows of 3 elements, and one of 96 after the first 16.
const ROWS: &str = "buffer values = i32:1*189\n\
                    buffer offsets = i32:0,3,6,9,12,15,18,21,24,27,30,33,36,39,42,45,48,144,147,150,153,156,\
                    159,162,165,168,171,174,177,180,183,186,189\nbuffer sums = i32:zeros*32";
const RAGGED: Recipe = Recipe { stem: "ch4_ragged", buffers: ROWS, values: false, ..NO_BARRIER };

const NO_BARRIER: Recipe = Recipe {
    name: "",
    stem: "ch2_parallel",
    buffers: "buffer g_data = i32:iota:1*8\nbuffer g_odata = i32:zeros*1",
    launch: "reduceNeighboredNoBarrier<<<1, 8>>> @g_data @g_odata u32:8",
    order: &[],
    room: None,
    values: true,
};
const BARRIER: &str = "reduceNeighbored<<<1, 8>>> @g_data @g_odata u32:8";
const BLOCKS: Recipe = Recipe {
    stem: "ch3_blocks",
    buffers: "buffer g_idata = i32:iota:1*512\nbuffer g_odata = i32:zeros*1",
    values: false,
    ..NO_BARRIER
};
const BANKS: Recipe = Recipe {
    stem: "ch5_shared",
    buffers: "buffer a = f32:1*512\nbuffer b = f32:1*512\nbuffer c = f32:zeros*1",
    values: false,
    ..NO_BARRIER
};
const IN_FLIGHT: Recipe = Recipe {
    stem: "ch7_limit",
    buffers: "buffer g_idata = i32:iota:1*256\nbuffer g_odata = i32:zeros*8",
    values: false,
    ..NO_BARRIER
};
const NESTED: Recipe = Recipe {
    stem: "ch4_nested",
    buffers: "buffer g_idata = i32:iota:1*64\nbuffer g_odata = i32:zeros*8\nbuffer failure = i32:zeros*2",
    ..NO_BARRIER
};

/// Runs the recipe and remembers.
fn trace(recipe: &Recipe) -> Trace {
    let [ptx, source] = match recipe.stem {
        "inside" => {
            [include_str!("barrier_inside.ptx"), include_str!("barrier_inside.cu")].map(str::to_string)
        }
        stem => {
            let build = kernels::get(stem).unwrap();
            [build.ptx, build.source].map(|text| text.to_string())
        }
    };
    let device = Device::simulator(SimulatorOptions::default());
    device.simulated().unwrap().name_by(&source);
    let module = Module::of_ptx(recipe.stem, &ptx).unwrap();
    device.core().unwrap().set_thread_order(recipe.order);
    if let Some(room) = recipe.room {
        device.set_pending_launch_limit(room).unwrap();
    }
    let mut recorder = Recorder::new(4_000);
    let script =
        Script::parse(&format!("{}\nlaunch {}", recipe.buffers, recipe.launch), Scope::default()).unwrap();
    let stage = Stage::new(&device, script).unwrap();
    for named in stage.script.buffers.iter() {
        recorder.name(stage.buffer(&named.name).unwrap().addresses().start, &named.name, None);
    }
    let launch = stage.script.launches().next().unwrap();
    let kernel = launch.kernel.as_deref().unwrap();
    recorder.begin(module.ptx(), kernel, &launch.config);
    let recorder = Rc::new(RefCell::new(recorder));
    device.simulated().unwrap().observe(recorder.clone());
    stage.launch(launch, &module.load_function(kernel).unwrap()).unwrap();
    let mut recorder = recorder.borrow_mut();
    recorder.found(&device.take_seen().found);
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
    workbook::root().unwrap().join("book/records/traces")
}

#[test]
fn traces_are_renewed_by_a_run() {
    for recipe in RECIPES.iter().filter(|recipe| is_wanted(recipe.stem)) {
        let now = text(&trace(recipe));
        assert_eq!(serde_json::from_str::<Trace>(&now).unwrap().left_out, 0, "{}", recipe.name);
        committed(directory().join(format!("{}.json", recipe.name)), now);
    }
}

#[test]
fn every_committed_trace_has_its_recipe() {
    for file in std::fs::read_dir(directory()).unwrap() {
        let name = file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned();
        assert!(RECIPES.iter().any(|recipe| recipe.name == name), "{name}.json: nobody makes it");
    }
}

//! Graphs by capture: what the streams are given between two calls is kept, and launched again as one.

use ptx_simulator::host::{Call, Given, Stop};
use rustc_hash::FxHashMap;

use super::error::Error;
use super::queue::{Captured, Issued, Queue, Work};
use crate::runtime::{Natives_, Runtime, put};

pub const NATIVES: &Natives_ = &[
    ("cudaStreamBeginCapture", begin),
    ("cudaStreamEndCapture", end),
    ("cudaStreamIsCapturing", is_capturing),
    ("cudaGraphCreate", create),
    ("cudaGraphInstantiateWithFlags", instantiate),
    ("cudaGraphGetNodes", nodes),
    ("cudaGraphUpload", |runtime, _| Ok(runtime.fine())),
    ("cudaGraphLaunch", launch),
    ("cudaGraphExecDestroy", destroy),
    ("cudaGraphDestroy", destroy),
];

/// The graphs of a program, by their handles.
#[derive(Debug, Default)]
pub struct Graphs {
    all: FxHashMap<u64, Captured>,
    handles: u64,
}

impl Graphs {
    /// The first handle less one: no pointer is that small.
    const FIRST: u64 = 0x10;

    /// Bytes that they take, about.
    pub fn held_bytes(&self) -> u64 {
        self.all.values().map(Captured::held_bytes).sum()
    }

    fn add(&mut self, graph: Captured) -> u64 {
        self.handles += 1;
        let handle = Graphs::FIRST + self.handles;
        self.all.insert(handle, graph);
        handle
    }
}

fn begin(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let stream = call.long(0);
    if !runtime.kept.get::<Queue>().has_stream(stream) {
        return Ok(Given::Word(runtime.no_stream(call, stream, "cudaStreamBeginCapture") as u32));
    }
    runtime.kept.get::<Queue>().captured = Some(Captured::default());
    Ok(runtime.fine())
}

/// `(stream, graph *)`
fn end(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Some(captured) = runtime.kept.get::<Queue>().captured.take() else {
        let what = "cudaStreamEndCapture without cudaStreamBeginCapture".to_string();
        return Ok(runtime.refuse(call, Error::StreamCaptureInvalidated, what, "begin the capture first"));
    };
    let graph = runtime.kept.get::<Graphs>().add(captured);
    put(call, call.long(1), &graph.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(stream, status *)`
fn is_capturing(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let status = u32::from(runtime.kept.get::<Queue>().captured.is_some());
    put(call, call.long(1), &status.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(graph *, flags)`
fn create(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let graph = runtime.kept.get::<Graphs>().add(Captured::default());
    put(call, call.long(0), &graph.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(executable *, graph, flags)`
fn instantiate(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Some(graph) = runtime.kept.get::<Graphs>().all.get(&call.long(1)).cloned() else {
        return Ok(no_graph(runtime, call));
    };
    call.simulator.moves(graph.held_bytes() as usize);
    let executable = runtime.kept.get::<Graphs>().add(graph);
    put(call, call.long(0), &executable.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(graph, nodes *, count *)`: without nodes how many there are.
fn nodes(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Some(graph) = runtime.kept.get::<Graphs>().all.get(&call.long(0)) else {
        return Ok(no_graph(runtime, call));
    };
    let count = graph.operations.len() as u64;
    put(call, call.long(2), &count.to_le_bytes())?;
    Ok(runtime.fine())
}

/// `(executable, stream)`: its operations one after the other, which is one of the orders that it allows.
fn launch(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    let Some(graph) = runtime.kept.get::<Graphs>().all.get(&call.long(0)).cloned() else {
        return Ok(no_graph(runtime, call));
    };
    call.simulator.moves(graph.held_bytes() as usize);
    let issued = Issued::by(call);
    for (work, place) in graph.operations {
        let is_free = matches!(work, Work::Free { .. });
        if !is_free {
            runtime.kept.get::<Queue>().issue(call.long(1), work, Issued { place, ..issued.clone() });
        }
    }
    call.simulator.note_host(true);
    Ok(runtime.fine())
}

fn destroy(runtime: &mut Runtime, call: &mut Call) -> Result<Given, Stop> {
    match runtime.kept.get::<Graphs>().all.remove(&call.long(0)) {
        Some(_) => Ok(runtime.fine()),
        None => Ok(no_graph(runtime, call)),
    }
}

fn no_graph(runtime: &mut Runtime, call: &Call) -> Given {
    let what = "a graph that was not made, or destroyed before".to_string();
    runtime.refuse(call, Error::InvalidValue, what, "instantiate it first, and destroy it last")
}
